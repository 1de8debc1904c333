// no-diagnostics
// run: --kernel k --global 1 --arg out=uint[2] --arg f=half:-1 --print out
// prints: out: 32768 32768
// A zero that a function of constants gives keeps its sign in a product (seed 502000179 of random programs).
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global uint *out, half f) {
    half v = trunc(0.0h);
    v *= f;
    out[0] = as_ushort(v);
    out[1] = as_ushort((half)(floor(0.5h) * f));
}
