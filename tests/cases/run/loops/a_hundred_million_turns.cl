// no-diagnostics
// run: --kernel k --global 2 --arg uint:100000000 --arg uint[2] --print out
// prints: out: 2850834600 2774090170
// or-fails[masked]: kernel 'k': the driver ended loops
kernel void k(uint n, global uint *out) {
    uint x = get_global_id(0);
    for (uint i = 0; i < n; i++)
        x = x * 1664525u + (i ^ x >> 7);
    out[get_global_id(0)] = x;
}
