// Pointers to different objects differ, whatever their offsets; pointers to one object are equal.
// run: --kernel variables --global 2 --local 2 --arg int[12]:const=0 --print out
// prints: out: 0 1 1 0 1 0 0 0 0 0 0 0
// run: --kernel swap --global 1 --arg uint[3]:range=5 --arg uint[3]:range=9 --print a --print b
// prints: a: 9 6 7
// prints: b: 5 10 11
// run: --kernel equal --global 1 --arg int[4] --arg int[4] --arg int[4]:const=9 --print out
// prints: out: 0 1 0 1
// no-diagnostics
kernel void variables(global int *out) {
    int id = get_global_id(0);
    int a[2] = { id, 1 }, b[2] = { 3, id };
    int *p = a + id, *q = b + id;
    local int la[2], lb[2];
    local int *l = la + id, *m = lb + id;
    if (id != 0)
        return;
    out[0] = p == q;
    out[1] = p != q;
    out[2] = l != m;
    out[3] = l == m;
    out[4] = p == a && *p == 0;
    out[5] = (id ? p : q) == p;
}

void exchange(global uint *a, global uint *b) {
    if (a != b) {
        *a ^= *b;
        *b ^= *a;
        *a ^= *b;
    }
}

kernel void swap(global uint *a, global uint *b) {
    exchange(a, b);
    exchange(a + 1, a + 1);
    exchange(b + 2, b + 2);
}

kernel void equal(global int *a, global int *b, global int *out) {
    out[0] = a == b;
    out[1] = a != b;
    out[2] = a + 1 == b + 1;
    out[3] = a == a;
}
