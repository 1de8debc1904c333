// no-diagnostics
// run: --kernel k --global 3 --arg uint:1000000 --arg uint[3] --print out
// prints: out: 2048645179 2048645180 2048645181
// or-fails[masked]: kernel 'k': the driver ended loops
// Mesa's llvmpipe before version 25 ends the loops of a work-item after 65,535 turns, silently.
// run: --kernel k --global 3 --arg uint:60000 --arg uint[3] --print out
// prints: out: 122676403 122676404 122676405
kernel void k(uint n, global uint *out) {
    uint x = 1, sum = get_global_id(0);
    for (uint i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        sum += x >> 20;
    }
    out[get_global_id(0)] = sum;
}
