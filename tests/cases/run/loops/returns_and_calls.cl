// no-diagnostics
// A loop in a function, left by returns; a kernel with several.
// run: --kernel k --global 4 --arg uint:100000 --arg uint[4] --print out
// prints: out: 7 90001 90002 90003
// or-fails[masked]: kernel 'k': the driver ended loops
// run: --kernel k --global 4 --arg uint:1000 --arg uint[4] --print out
// prints: out: 7 999 999 999
uint find(uint n, uint what) {
    uint x = 0;
    for (uint i = 0; i < n; i++) {
        x = (x + 1) & 0xfffff;
        if (x == what) return i + 1;
    }
    return x - 1;
}
kernel void k(uint n, global uint *out) {
    uint id = get_global_id(0);
    if (id == 0) {
        out[0] = 7;
        return;
    }
    out[id] = find(n, 90000 + id);
}
