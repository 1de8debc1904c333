// no-diagnostics
// features: cl_khr_fp16
// run: --kernel floats --global 4 --arg uint[4]:values=1076754516,3212836864,1065353217,2139095039 --arg uint[4] --arg uint[4] --print out --print integers
// prints: out: 1076756480 3212836864 1065353216 2139095040
// prints: integers: 2 0 1 4294967295
// refused[swiftshader phone-1.1]: cl_khr_fp16
// run: --kernel lanes --global 1 --arg float:70000 --arg float:2049 --arg uint[4] --print out
// prints: out: 2139095040 1157627904 2139095040 1157627905
// refused[swiftshader phone-1.1]: cl_khr_fp16
// A float that becomes a half is rounded, and infinite beyond all halves (OpenCL C 6.4.3.3). NVIDIA's compiler takes a float that becomes a
// half and a float again for the first float.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void floats(global const uint *in, global uint *out, global uint *integers) {
    size_t g = get_global_id(0);
    half h = (half)as_float(in[g]);
    out[g] = as_uint((float)h);
    integers[g] = convert_uint_sat(h);
}

kernel void lanes(float x, float y, global uint *out) {
    half2 h = convert_half2((float2)(x, y));
    float2 f = convert_float2(h);
    out[0] = as_uint(f.x);
    out[1] = as_uint(f.y);
    half chosen = get_global_id(0) ? (half)y : (half)x;
    out[2] = as_uint((float)chosen);
    // An infinite constant of halves needs no integers of 16 bits.
    out[3] = as_uint((float)h.y) + (chosen == (half)INFINITY);
}
