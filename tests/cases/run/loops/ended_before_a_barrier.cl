// no-diagnostics
// A barrier behind a loop whose end is in memory keeps work-items from going on in another launch, where Mesa's llvmpipe before version 25
// ends their loops: this is said.
// run: --kernel after --global 4 --local 4 --arg uint[4]:values=100,70000,3,5 --arg uint[1] --print out
// prints: out: 70108
// or-fails: kernel 'after': the driver ended loops
// run: --kernel within --global 4 --local 4 --arg uint[1]:values=70000 --arg uint[4] --print out
// prints: out: 70000 70001 70002 70003
// or-fails: kernel 'within': the driver ended loops
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
