// A product with a constant 0 is 0 with a sign, and a NaN if the other factor is an infinity or a NaN (IEEE 754, OpenCL C §7.1).
// run: --kernel k --global 4 --arg half[4]:values=1,-2,inf,nan --arg half[4]:const=9 --print plain
// prints: plain: 0 -0 NaN NaN
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const half *x, global half *plain) {
    size_t i = get_global_id(0);
    plain[i] = 0.0h * x[i];
}
