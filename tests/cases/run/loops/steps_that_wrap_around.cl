// no-diagnostics
// run: --kernel up --global 2 --arg out=uint[3] --print out
// prints: out: 4161542944 4161542945 4161542944
// or-fails[masked]: kernel 'up': the driver ended loops
// run: --kernel down --global 2 --arg out=uint[3] --print out
// prints: out: 2321021255 2321021256 2321021255
// or-fails[masked]: kernel 'down': the driver ended loops
// A step from beside the bound wraps around, so that the loops go on for 110,000 and 200,000 rounds: Mesa's llvmpipe before version 25
// ends them after 65,535, silently.
kernel void up(global uint *out) {
    uint c = 0, g = get_global_id(0);
    for (int i = 200000; i < 300000; i = (int)((uint)i + 0x7fffffffu)) {
        c = c * 3 + (uint)i;
        out[2] = c;
    }
    out[g] = c + g;
}
kernel void down(global uint *out) {
    uint c = 0, g = get_global_id(0);
    for (int i = 0; i > -2147483640; i = (int)((uint)i - 2000018801u)) {
        c = c * 3 + (uint)i;
        out[2] = c;
    }
    out[g] = c + g;
}
