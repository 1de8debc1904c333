// Address spaces where they are right and where they are not.
constant float weights[] = { 1, 2, 3 };
float first(constant float *w) { return w[0]; }
kernel void k(global float *g, local float *l, constant float *c) {
    local float scratch[16]; private float mine = 1; float *p = &mine;
    global float *constant *local *q = 0;
    g[0] = first(c) + first(weights) + *p + l[0] + scratch[1];
    l = (local float *)scratch; *(global int *)g = as_int(mine);
    p = g; c = weights; c[0] = 1; first(g);
}
