// copysign of halves takes the sign of a NaN, too: by bits, since a conversion to float may lose it.
// run: --kernel k --global 3 --arg ushort[3]:values=0x7c00,0x3c00,0xbc00 --arg ushort[3]:values=0xfe00,0xfe00,0x7e00 --arg ushort[3] --print r
// prints: r: 64512 48128 15360
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const ushort *x, global const ushort *y, global ushort *r) {
    size_t i = get_global_id(0);
    r[i] = as_ushort(copysign(as_half(x[i]), as_half(y[i])));
}
