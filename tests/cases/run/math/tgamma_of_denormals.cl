// tgamma near zero is 1/x, which of the larger denormals is a number (OpenCL C §7.4: 16 ulp; the last two bits do not count here).
// run: --kernel k --global 6 --arg uint[6]:values=0x00400000,0x80400000,0x00200000,0x00600000,0x00000001,0x80000000 --arg uint[6] --print r
// prints: r: 532676608 1069547520 534773760 531278507 534773760 1071644672
// no-diagnostics
kernel void k(global const uint *x, global uint *r) {
    size_t i = get_global_id(0);
    r[i] = as_uint(tgamma(as_float(x[i]))) + 2 >> 2;
}
