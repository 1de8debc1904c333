// %s of what is no literal where the call stands: from tables and structures of constant strings, through functions, in private
// tables, in loops; null pointers; parts of strings; characters in any memory. The bytes are in the record.
// options: -cl-std=CL2.0
// run: --kernel tables --global 1 --arg p=int[4]:const=1
// prints: one second
// prints: two;yes;irst;
// prints: right one one
// prints: (null)
// prints: second sec   second|second  |
// prints: zero one two
// prints: 5 42 two 2.5 zero
// run: --kernel others --global 1 --arg p=int[4]:const=1
// prints: abc
// prints: xyz
// prints: loc
// prints: |nst
constant char *constant names[] = { "zero", "one", "two" };
struct Entry {
    int key;
    constant char *name;
};
constant struct Entry entries[] = { { 1, "first" }, { 2, "second" } };
constant char word[] = "const";

void show(constant char *s) { printf("%s;", s); }

kernel void tables(global int *p) {
    int i = p[1];
    printf("%s %s\n", names[i], entries[i].name);
    show(names[2]);
    show(i ? "yes" : "no");
    show(entries[i - 1].name + 1);
    printf("\n");
    constant char *table[2] = { "left", "right" };
    printf("%s %s %s\n", table[i], (i ? names + 1 : names)[0], i ? names[i] : "none");
    constant char *none = 0;
    printf("%s\n", i > 5 ? names[0] : none);
    struct Entry e = entries[1];
    e.name = i ? e.name : "x";
    printf("%s %.3s %8s|%-8s|\n", e.name, e.name, e.name, e.name);
    for (int n = 0; n < 3; n++) printf("%s%s", names[n], n == 2 ? "\n" : " ");
    printf("%d %d %s %.1f %s\n", 5, 42, names[2 * i], 2.5f, names[i - 1]);
}

kernel void others(global int *p) {
    char mine[4] = { 'a', 'b', 'c', 0 };
    local char ours[8];
    for (int n = 0; n < 3; n++) ours[n] = "loc"[n];
    ours[3] = 0;
    global char *bytes = (global char *)p;
    for (int n = 0; n < 4; n++) bytes[n] = "xyz"[n];
    printf("%s\n", mine); //~ warning[printf-format]: '%s' takes a string literal
    printf("%s\n", bytes); //~ warning[printf-format]: '%s' takes a string literal
    printf("%s\n", ours); //~ warning[printf-format]: '%s' takes a string literal
    printf("%s|%s\n", mine + 3, word + 1 + p[2]); //~ warning[printf-format]: '%s' takes a string literal
}
