// Generic pointers.
// options: -cl-std=CL2.0
int sum(int *p, int n) { int s = 0; while (n--) s += *p++; return s; }
global int counter = 3;
kernel void k(global int *g, local int *l, int which) {
    int mine[4] = {1, 2, 3, 4};
    int *p = which > 1 ? g : which ? l : mine;
    g[0] = sum(p, 4) + sum(&counter, 1) + (to_global(p) != 0) + get_fence(p);
}
