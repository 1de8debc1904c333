// A-1 accepted: both spellings; at any place where const may stand; one space for each level.
// no-diagnostics
typedef global int GI;
__global int *f(global int *p) { return p; }
int g(int global *p, __local int *const __private q, GI *r, const __constant int *c) { return *p + *q + *r + *c; }
constant int table[2] = { 1, 2 };
kernel void k(global int *p, int __local *l, constant int *c) {
    global int *private q = p;
    private int x = 0;
    int __private y = 1;
    constant int *constant pc = table;
    global int *const *private pp = &q;
    p[0] = g(q, l, p, c) + x + y + *pc + **pp;
}
