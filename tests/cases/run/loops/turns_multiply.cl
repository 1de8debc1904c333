// no-diagnostics
// Neither loop comes to 65,536 turns; those of the inner one do together.
// run: --kernel k --global 2 --arg uint:1000 --arg uint:1000 --arg uint[2] --print out
// prints: out: 500500000 500500001
// or-fails[masked]: kernel 'k': the driver ended loops
// run: --kernel k --global 2 --arg uint:200 --arg uint:200 --arg uint[2] --print out
// prints: out: 4020000 4020001
kernel void k(uint n, uint m, global uint *out) {
    uint sum = get_global_id(0);
    for (uint i = 1; i <= n; i++)
        for (uint j = 0; j < m; j++)
            sum += (i ^ j) == 0xffffffffu ? 0 : i;
    out[get_global_id(0)] = sum;
}
