// A-12 accepted: one function for all spaces; a pointer chosen at run time; through arrays, structs and pointers.
// options: -cl-std=CL2.0
typedef struct { int *p; } Box;
int read(int *p) { return *p; }
int deep(int **p) { return **p; }
kernel void k(global int *g, local int *l) {
    int x = 1;
    int *chosen = g[0] > 2 ? g : l; //~ warning[disjoint-address-spaces]: a choice between pointers to '__global' and '__local', taken as generic, is an error elsewhere
    int *list[3] = { g, l, &x };
    Box box = { l };
    int *address = &x;
    if (g[1]) box.p = g;
    g[2] = read(chosen) + read(list[g[3] % 3]) + read(box.p) + deep(&address) + read(g[4] ? &x : (int *)l);
}
