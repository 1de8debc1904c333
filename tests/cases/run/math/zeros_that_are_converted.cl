// Zeros among the lanes of a vector that is converted: products with them have the sign that they should (IEEE 754, OpenCL C §7.1), where llvmpipe
// takes vectors apart, finds them, and makes x * 0 a 0.
// run: --kernel k --global 1 --arg uint[4]:values=0,7,0,0 --arg float[4]:values=-0.0,-0.0,-1,inf --arg float[4]:const=9 --arg float[4]:const=9 --print all --print some
// prints: all: -0 -0 -0 NaN
// prints: some: -0 -0 -0 NaN
kernel void k(global const uint *n, global const float4 *x, global float4 *all, global float4 *some) {
    *all = *x * convert_float4((uint4)(n[0], n[1], n[2], n[3]));
    *some = *x * convert_float4((uint4)(0, n[1], 0, 0));
}
