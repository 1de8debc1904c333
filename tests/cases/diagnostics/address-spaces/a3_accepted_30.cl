// A-3 accepted: with generic pointers, one without a qualifier points to any of three spaces.
// options: -cl-std=CL2.0
int f(int *p) { return *p; }
kernel void k(global int *g, local int *l) {
    int x = 1;
    int *p = g[0] ? g : l; //~ warning[disjoint-address-spaces]: a choice between pointers to '__global' and '__local', taken as generic, is an error elsewhere
    g[1] = f(g) + f(l) + f(&x) + f(p);
}
