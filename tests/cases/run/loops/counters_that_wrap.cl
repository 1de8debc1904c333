// no-diagnostics
// run: --kernel k --global 1 --arg out=uint[8] --arg n=uint:5 --arg step=uint:4294967295 --print out
// prints: out: 1 1 2 1 291 6 1 0
// Counters that wrap around, below 0 and beyond the greatest number; values by gcc -fwrapv.
kernel void k(global uint *out, uint n, uint step) {
    uint c = 0;
    for (uint i = 0; i < n; i += step) c++;
    out[0] = c; c = 0;
    for (uint i = 0; i < n; i--) { c++; out[7] = 0; }
    out[1] = c; c = 0;
    for (uint i = 1; i < n; i += step) { c++; out[7] = 0; }
    out[2] = c; c = 0;
    for (int i = 2147483645; i > 0; i = (int)((uint)i + n)) { c++; out[7] = 0; }
    out[3] = c; c = 0;
    for (int i = 290; i < 300; i = (int)((uint)i + 0x7fffffffu)) { c++; out[7] = 0; }
    out[4] = c; c = 0;
    for (ushort i = 5; i != (ushort)65535; i--) { c++; out[7] = 0; }
    out[5] = c; c = 0;
    for (uint i = 0xfffffffdu; i > 3; i += n) { c++; out[7] = 0; }
    out[6] = c;
}
