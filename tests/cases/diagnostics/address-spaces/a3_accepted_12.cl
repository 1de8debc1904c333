// A-3 accepted: before generic pointers, a pointer without a qualifier points to private.
// no-diagnostics
void f(int *p) { private int *q = p; *q = 2; }
kernel void k(global int *g) {
    int x = 1;
    int *p = &x;
    f(p);
    f(&x);
    g[0] = x;
}
