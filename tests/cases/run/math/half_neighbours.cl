// Neighbours and exponents of halves: not those of floats (OpenCL C §6.15.2).
// run: --kernel k --global 6 --arg ushort[6]:values=15360,15360,0,31743,32770,15360 --arg ushort[6]:values=16384,0,48128,31744,15360,15360 --arg ushort[6] --arg int[6] --print next --print e
// prints: next: 15361 15359 32769 31744 32769 15360
// prints: e: 0 0 -2147483648 15 -23 0
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const ushort *x, global const ushort *y, global ushort *next, global int *e) {
    size_t i = get_global_id(0);
    next[i] = as_ushort(nextafter(as_half(x[i]), as_half(y[i])));
    e[i] = ilogb(as_half(x[i]));
}
