// half_log2 within 8192 ulp where the logarithm is small, too: GLSL's Log2 has an absolute error there (OpenCL C §7.4).
// run: --kernel k --global 8 --arg uint[8]:values=0x3f800001,0x3f7fffff,0x3f800002,0x3f7ffff0,0x3f800100,0x3f7f0000,0x3f810000,0x3f800000 --arg int[8]:const=9 --print bad
// prints: bad: 0 0 0 0 0 0 0 0
// no-diagnostics
kernel void k(global const uint *bits, global int *bad) {
    size_t i = get_global_id(0);
    float x = as_float(bits[i]), f = x - 1.0f;
    // ln(1 + f) for small f.
    float want = f * (1.0f - f * (0.5f - f * (0.333333f - f * 0.25f))) * M_LOG2E_F;
    bad[i] = fabs(half_log2(x) - want) > fabs(want) * 0.0004f;
}
