// A pointer that chooses between two __local arguments and a __local variable (ping-pong): the three share one arena.
// run: --kernel k --global 8 --local 8 --arg int[8]:range --arg int[8] --arg local:36 --arg local:32 --print out
// prints: out: 28 28 28 28 28 28 28 28
// run: --kernel k --global 8 --local 4 --arg int[8]:range --arg int[8] --arg local:16 --arg local:20 --print out
// prints: out: 6 6 6 6 22 22 22 22
kernel void k(global const int *in, global int *out, local int *a, local int *b) {
    local int c[64];
    uint lid = get_local_id(0), n = get_local_size(0);
    local int *from = a, *to = b;
    from[lid] = in[get_global_id(0)];
    c[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < n - 1; step++) {
        to[lid] = from[(lid + 1) % n];
        c[lid] += to[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        local int *swap = from;
        from = to;
        to = swap;
    }
    local int *last = lid & 1 ? from : c;
    int sum = c[lid] + in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    last[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = lid & 1 ? from[lid] : c[lid];
}
