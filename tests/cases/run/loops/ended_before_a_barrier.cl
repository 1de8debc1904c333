// no-diagnostics
// The ends of loops before and around barriers are in memory. Where Mesa's llvmpipe before version 25 ends them, the launch is repeated with
// one vector for each work-group, which goes on in other launches.
// run: --kernel after --global 4 --local 4 --arg uint[4]:values=100,1200000,3,5 --arg uint[1] --print out
// prints: out: 1200108
// or-fails[masked]: kernel 'after': the driver ended loops
// run: --kernel within --global 4 --local 4 --arg uint[1]:values=70000 --arg uint[4] --print out
// prints: out: 70000 70001 70002 70003
// or-fails[masked]: kernel 'within': the driver ended loops
// Fewer iterations are right everywhere.
// run: --kernel after --global 4 --local 4 --arg uint[4]:values=100,30000,3,5 --arg uint[1] --print out
// prints: out: 30108
kernel void after(global const uint *n, global uint *out) {
    local uint counts[4];
    uint id = get_local_id(0), i = 0;
    while (i != n[id]) i++;
    counts[id] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) out[0] = counts[0] + counts[1] + counts[2] + counts[3];
}
kernel void within(global const uint *n, global uint *out) {
    local uint values[4];
    uint id = get_local_id(0);
    values[id] = id;
    for (uint i = 0; i != n[0]; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint next = values[(id + 3) & 3];
        barrier(CLK_LOCAL_MEM_FENCE);
        values[id] = next + 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[id] = values[id];
}
