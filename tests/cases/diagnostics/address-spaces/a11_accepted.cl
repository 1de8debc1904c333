// A-11 accepted: three spaces convert to generic, generic back by a cast or by to_global and its kin.
// options: -cl-std=CL2.0
// no-diagnostics
int f(const int *p) { return *p; }
kernel void k(global int *g, local int *l) {
    int x = 3;
    int *p = g, *q = l, *r = &x;
    generic int *s = p;
    global int *back = (global int *)p;
    local int *lback = (local int *)q;
    private int *xback = (private int *)r;
    void *v = l;
    s = q;
    back[0] = f(g) + f(l) + f(&x) + *lback + *xback + *s + (v != 0) + (p == g);
}
