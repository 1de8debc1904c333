// A-13 accepted: nested pointers of the same spaces; others by an explicit cast.
// no-diagnostics
void f(global int **p, local int *local *q) { **p = **q; }
kernel void k(global int *g, local int *l) {
    local int *local slot;
    global int *pg = g;
    global int **a = &pg, **b = a;
    slot = l;
    f(b, &slot);
    local int **cast = (local int **)a;
}
