// Quotients of floats within 2.5 ulp over all exponents (OpenCL C §7.4), and those of zeros, infinities and NaNs.
// NVIDIA's own quotients take some 23 instructions and a branch in modules with RoundingModeRTE: reciprocal roots stand in there.
// run: --kernel k --global 32 --arg uint[32]:values=0x3f800000,0x42440000,0xc2ea0000,0x7f000000,0x7f000000,0x7f7fffff,0x7f7fffff,0x00800000,0x00800000,0x0c733333,0x7effc99e,0x7f000000,0x7f800000,0x7f800000,0x3f800000,0x40a00000,0xbf800000,0x3f800000,0x00000000,0x7f800000,0x00000000,0x80000000,0x7fc00000,0x3f800000,0x0da24260,0x7f61b1e6,0x4b7fffff,0x3f800000,0x41b00000,0x06acccb5,0xd01502f9,0x21800000 --arg uint[32]:values=0x40400000,0x42440000,0x421c0000,0x7f000000,0xfe800000,0x7f7fffff,0x7f400000,0x00800000,0x01400000,0x36400000,0x7f0ef0ab,0x3f000000,0x7effc99e,0xc0000000,0x7f800000,0xff800000,0x00000000,0x80000000,0x00000000,0x7f800000,0x40a00000,0x40a00000,0x3f800000,0x7fc00000,0x64078678,0x3be56042,0x45800800,0x41200000,0x40e00000,0x43020000,0x1fa54867,0x5d800000 --arg uint[32]:values=0x3eaaaaab,0x3f800000,0xc0400000,0x3f800000,0xc0000000,0x3f800000,0x3faaaaaa,0x3f800000,0x3eaaaaab,0x15a22222,0x3f650d79,0x7f800000,0x7f800000,0xff800000,0x00000000,0x80000000,0xff800000,0xff800000,0x7fc00000,0x7fc00000,0x00000000,0x80000000,0x7fc00000,0x7fc00000,0x00000000,0x7f800000,0x457ff000,0x3dcccccd,0x40492492,0x032a2424,0xefe6cc55,0x03800000 --arg int[32] --print bad
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
bool wrong(float got, uint want) {
    bool exact = isinf(as_float(want)) || want << 1 == 0;
    return isnan(as_float(want)) ? !isnan(got) : abs_diff(as_uint(got), want) > (exact ? 0 : 2);
}

kernel void k(global const uint *a, global const uint *b, global const uint *q, global int *bad) {
    size_t i = get_global_id(0);
    float x = as_float(a[i]), y = as_float(b[i]);
    float4 four = (float4)(x, 49.0f, 6.0f, y) / (float4)(y, 49.0f, 2.0f, 3.0f);
    float whole = (float)(int)i;
    bad[i] = wrong(x / y, q[i]) + 2 * wrong(four.x, q[i]) + 4 * (four.y != 1.0f || four.z != 3.0f)
           + 8 * (whole * 49.0f / 49.0f != whole) + 16 * wrong((whole + 1) * 7.0f / (whole + 1), as_uint(7.0f))
           + 32 * wrong(1.0f / (whole + 1) * 3.0f, as_uint(3.0f / (whole + 1)));
}
