// A-11: to_global, to_local and to_private give the pointer or null; get_fence tells the fence (OpenCL C 2.0 §6.13.9).
// options: -cl-std=CL2.0
// run: --kernel k --global 3 --local 3 --arg int[3]:range=50 --arg int[15]:const=0 --print out
// prints: out: 1 0 0 2 50 0 1 0 1 11 0 0 1 0 22
// run: --kernel null --global 1 --arg int[5]:const=9 --print out
// prints: out: 1 1 1 1 1
// no-diagnostics
kernel void k(global int *g, global int *out) {
    local int l[3];
    int i = get_local_id(0), x = 20 + i;
    l[i] = 10 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i == 0 ? (int *)(g + i) : i == 1 ? (int *)(l + i) : &x;
    global int *pg = to_global(p);
    local int *pl = to_local(p);
    private int *pp = to_private(p);
    out[5 * i] = pg != 0;
    out[5 * i + 1] = pl != 0;
    out[5 * i + 2] = pp != 0;
    cl_mem_fence_flags fence = get_fence(p);
    out[5 * i + 3] = pp ? 0 : fence == CLK_GLOBAL_MEM_FENCE ? 2 : fence == CLK_LOCAL_MEM_FENCE ? 1 : 3;
    out[5 * i + 4] = pg ? *pg : pl ? *pl : *pp;
}

kernel void null(global int *out) {
    int *p = get_global_size(0) == 7 ? (int *)out : 0;
    out[0] = to_global(p) == 0;
    out[1] = to_local(p) == 0;
    out[2] = to_private(p) == 0;
    out[3] = p == NULL;
    out[4] = !p;
}
