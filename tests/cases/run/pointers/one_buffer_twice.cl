// Two arguments that are one buffer are equal pointers (A-15).
// run: --kernel k --global 1 --arg int[4]:range=1 --arg @a --arg int[6]:const=9 --print out --print a
// prints: out: 1 0 0 2 1 50
// prints: a: 1 50 3 4
// no-diagnostics
kernel void k(global int *a, global int *b, global int *out) {
    out[0] = a == b;
    out[1] = a + 1 == b;
    out[2] = b - a;
    out[3] = (b + 3) - (a + 1);
    out[4] = a < b + 1;
    if (a != b)
        a[0] = 100;
    b[1] = 50;
    out[5] = a[1];
}
