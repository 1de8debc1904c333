// no-diagnostics
// Half of the work-items go round one loop, half round another: for lanes of one vector the turns of both add up.
// run: --kernel k --global 8 --arg uint:40000 --arg uint[8] --print out
// prints: out: 799980000 1599960000 799980000 1599960000 799980000 1599960000 799980000 1599960000
// or-fails[masked]: kernel 'k': the driver ended loops
// run: --kernel k --global 8 --arg uint:20000 --arg uint[8] --print out
// prints: out: 199990000 399980000 199990000 399980000 199990000 399980000 199990000 399980000
kernel void k(uint n, global uint *out) {
    uint sum = 0, id = get_global_id(0);
    if (id & 1)
        for (uint i = 0; i < n; i++) sum += 2 * (i ^ (sum == 0xffffffffu));
    else
        for (uint i = 0; i < n; i++) sum += i ^ (sum == 0xffffffffu);
    out[id] = sum;
}
