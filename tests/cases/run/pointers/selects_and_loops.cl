// Pointers chosen at run time and carried around a loop, in global, local, constant and private memory.
// run[address]: --kernel k --global 4 --local 4 --arg int[4]:range=10 --arg int[4]:range=20 --arg int[16]:const=0 --print out
// prints: out: 20 22 24 3 11 24 25 3 22 42 46 4 13 44 47 4
// Where llvmpipe's loops are watched (docs/results/state.md) the kernel has one buffer more than this profile's four.
// no-diagnostics
constant int t[4] = { 1, 2, 3, 4 };

kernel void k(global int *a, global int *b, global int *out) {
    int id = get_global_id(0);
    local int la[4], lb[4];
    la[id] = a[id];
    lb[id] = b[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    global int *p = (id & 1) ? a : b;
    out[id * 4] = p[id];
    local int *q = id < 2 ? la : lb;
    int sum = 0;
    for (local int *e = q + 4; q != e; ++q)
        if ((q - (id < 2 ? la : lb)) % 2 == (id & 1))
            sum += *q;
    out[id * 4 + 1] = sum;
    int x[2] = { 1, 2 }, y[2] = { 3, 4 };
    int *r = id < 2 ? x : y;
    r[id & 1] = sum;
    out[id * 4 + 2] = x[0] + x[1] + y[0] * (id >= 2) + y[1] * (id >= 2) - (id >= 2 ? 3 : 0);
    constant int *s = t + 2;
    constant int *u = id < 2 ? s : s + 1;
    out[id * 4 + 3] = *u;
}
