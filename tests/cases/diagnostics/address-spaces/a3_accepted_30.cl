// A-3 accepted: with generic pointers, one without a qualifier points to any of three spaces.
// options: -cl-std=CL2.0
// no-diagnostics
int f(int *p) { return *p; }
kernel void k(global int *g, local int *l) {
    int x = 1;
    int *p = g[0] ? g : l;
    g[1] = f(g) + f(l) + f(&x) + f(p);
}
