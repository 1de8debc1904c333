// sign of a denormal is 1 with its sign, whether or not the device computes with denormals (OpenCL C §6.15.4).
// run: --kernel k --global 6 --arg uint[6]:values=0x00000001,0x80000001,0x007fffff,0x80000000,0x7fc00000,0xff800000 --arg uint[6]:const=9 --print r
// prints: r: 1065353216 3212836864 1065353216 2147483648 0 3212836864
// no-diagnostics
kernel void k(global const uint *x, global uint *r) {
    size_t i = get_global_id(0);
    r[i] = as_uint(sign(as_float(x[i])));
}
