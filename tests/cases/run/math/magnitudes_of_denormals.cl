// maxmag and minmag tell denormals apart, whether or not the device computes with them (OpenCL C §6.15.2).
// run: --kernel k --global 7 --arg uint[7]:values=0x80000003,0x00000002,0x80000005,0x007fffff,0x00000001,0x7fc00000,0x80000007 --arg uint[7]:values=0x00000002,0x80000003,0x00000005,0x80800000,0x00000000,0x80000001,0x7fc00000 --arg uint[7]:const=9 --arg uint[7]:const=9 --print larger --print smaller
// prints: larger: 2147483651 2147483651 5 2155872256 1 2147483649 2147483655
// prints: smaller: 2 2 2147483653 8388607 0 2147483649 2147483655
// no-diagnostics
kernel void k(global const uint *x, global const uint *y, global uint *larger, global uint *smaller) {
    size_t i = get_global_id(0);
    larger[i] = as_uint(maxmag(as_float(x[i]), as_float(y[i])));
    smaller[i] = as_uint(minmag(as_float(x[i]), as_float(y[i])));
}
