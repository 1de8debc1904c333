// -cl-std=CL2.0
global int counter = 3;
global int *global where = &counter;
int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
kernel void k(global int *g, local int *l, int n) {
    int own[4] = {1, 2, 3, 4};
    g[0] = sum(g, n) + sum(l, n) + sum(own, 4) + *where;
    int *p = n ? g : l;
    *p = 3;
    counter++;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}
