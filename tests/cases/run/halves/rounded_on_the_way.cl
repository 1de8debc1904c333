// no-diagnostics
// run: --kernel k --global 1 --arg o=int[4] --arg x=int[2]:values=4097,-4099 --print o
// prints: o: 4096 -4100 4096 -4100
// Integers that go through a half are rounded there (OpenCL C §6.2.3.3): Mesa's drivers gave the integers themselves in modules without floats.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global int *o, global const int *x) {
    o[0] = (int)(half)x[0];
    o[1] = (int)(half)x[1];
    half2 h = convert_half2((int2)(x[0], x[1]));
    o[2] = convert_int2(h).x;
    o[3] = convert_int2(h).y;
}
