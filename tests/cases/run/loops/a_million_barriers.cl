// no-diagnostics
// Kernels with barriers do not go on where Mesa's llvmpipe before version 25 ends loops: several iterations become one where a launch tells how many there are.
// run: --kernel turns --global 8 --local 8 --arg uint:1000003 --arg uint[8] --print out
// prints: out: 1000006 1000007 1000008 1000009 1000010 1000003 1000004 1000005
// or-fails[masked]: the driver ended loops
// run: --kernel sums --global 16 --local 8 --arg uint:500000 --arg uint[2] --print out
// prints: out: 3565587272 3565587272
// or-fails[masked]: the driver ended loops
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void turns(uint n, global uint *out) {
    local uint a[8];
    uint own = get_local_id(0);
    a[own] = own;
    for (uint i = 0; i < n; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint next = a[(own + 1) & 7] + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[own] = next;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[own] = a[own];
}
kernel void sums(uint n, global uint *out) {
    local uint a[8];
    uint own = get_local_id(0), sum = 0;
    for (uint i = own; i < n; i++) sum += i;
    a[own] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own == 0) {
        uint all = 0;
        for (uint i = 0; i < 8; i++) all += a[i];
        out[get_group_id(0)] = all;
    }
}
