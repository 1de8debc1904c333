// double to float next to the smallest normal float and among denormals, rounded in each direction: by bits, so that a device
// that flushes denormals is right, too (OpenCL C §6.2.3.2).
// run: --kernel k --global 8 --arg ulong[8]:values=0x380fffffffffffff,0x380ffffff0000000,0x3810000000000001,0xb80fffffffffffff,0x36a0000000000000,0x369fffffffffffff,0x0000000000000001,0x8000000000000000 --arg uint[8]:const=9 --arg uint[8]:const=9 --arg uint[8]:const=9 --print rtz --print rtp --print rtn
// prints: rtz: 8388607 8388607 8388608 2155872255 1 0 0 2147483648
// prints: rtp: 8388608 8388608 8388609 2155872255 1 1 1 2147483648
// prints: rtn: 8388607 8388607 8388608 2155872256 1 0 0 2147483648
// no-diagnostics
kernel void k(global const ulong *in, global uint *rtz, global uint *rtp, global uint *rtn) {
    size_t i = get_global_id(0);
    double x = as_double(in[i]);
    rtz[i] = as_uint(convert_float_rtz(x));
    rtp[i] = as_uint(convert_float_rtp(x));
    rtn[i] = as_uint(convert_float_rtn(x));
}
