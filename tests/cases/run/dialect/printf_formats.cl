// Formats of printf in constants of program scope, and those that ?: chooses.
// run: --kernel k --global 1 --arg int:5 --arg int:0
// prints: a 0 5
// prints: one
// prints: x 5 y
// prints: x 5 y
// run: --kernel k --global 1 --arg int:6 --arg int:1
// prints: b 1 6
// prints: two
// prints: x 6 y
// prints: tail
// run: --kernel k --global 1 --arg int:7 --arg int:2
// prints: b 2 7
// prints: many
// prints: x 7 y
// prints: tail
// no-diagnostics
constant char array[] = "x %d y\n";
constant char *constant pointer = "x %d y\n";

kernel void k(int n, int i) {
    printf(i ? "b %d %d\n" : "a %d %d\n", i, n);
    printf(i == 0 ? "one\n" : i == 1 ? "two\n" : "many\n");
    printf(array, n);
    if (i == 0) printf(pointer, n);
    else printf("%s\n" + 0, "tail");
}
