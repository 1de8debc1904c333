// Conversions between halves and every other type, with rounding modes and saturation (cl_khr_fp16).
// run: --kernel k --global 1 --arg float[8]:values=1.00048828125,-1.00048828125,2049,65519,65520,1e-8,-3.5,nan --arg ushort[32] --arg int[24] --arg long[4]:values=2049,-2049,65535,4611686018427387904 --print h --print i
// prints: h: 15360 15361 15360 15360 48128 48128 48128 48129 26624 26625 31743 31744 0 1 26624 59392 31744 31744 14336 64512 31743 64511 6144 55296 26625 26624 21504 21504 15361 26625 48128 32767
// prints: i: -3 -4 -4 -3 127 -128 255 0 0 32767 65504 0 7 2147483647 -2147483648 0 3 -3 4 -3 1 0 2 -2
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const float *f, global ushort *h, global int *i, global const long *l) {
    int n = 0;
    h[n++] = as_ushort(convert_half_rtz(f[0]));
    h[n++] = as_ushort(convert_half_rtp(f[0]));
    h[n++] = as_ushort(convert_half(f[0]));
    h[n++] = as_ushort(convert_half_rtn(f[0]));
    h[n++] = as_ushort(convert_half_rtz(f[1]));
    h[n++] = as_ushort(convert_half_rtp(f[1]));
    h[n++] = as_ushort(convert_half_rte(f[1]));
    h[n++] = as_ushort(convert_half_rtn(f[1]));
    h[n++] = as_ushort(convert_half(f[2]));
    h[n++] = as_ushort(convert_half_rtp(f[2]));
    h[n++] = as_ushort(convert_half(f[3]));
    h[n++] = as_ushort(convert_half(f[4]));
    h[n++] = as_ushort(convert_half(f[5]));
    h[n++] = as_ushort(convert_half_rtp(f[5]));
    h[n++] = as_ushort(convert_half(l[0]));
    h[n++] = as_ushort(convert_half((int)l[1]));
    h[n++] = as_ushort(convert_half((ushort)l[2]));
    h[n++] = as_ushort(convert_half(l[3]));
    h[n++] = as_ushort((half)0.5f);
    h[n++] = as_ushort(convert_half(-l[3]));
    h[n++] = as_ushort(convert_half_rtz(l[3]));
    h[n++] = as_ushort(convert_half_rtp(-l[3]));
    h[n++] = as_ushort(convert_half4((float4)(0x1p-9f)).w);
    h[n++] = as_ushort(convert_half2((char2)(-128, 1)).x);
    h[n++] = as_ushort(convert_half_rtp((uint)l[0]));
    h[n++] = as_ushort(convert_half_rtn((ulong)l[0]));
    h[n++] = as_ushort(convert_half((uchar)64));
    h[n++] = as_ushort(convert_half16((short16)(64)).sf);
    vstore_half_rtp(f[0], 28, (global half *)h);
    vstore_half_rtp(f[2], 29, (global half *)h);
    vstore_half_rtz(f[1], 30, (global half *)h);
    vstore_half(f[7], 31, (global half *)h);
    // A NaN has any of its bits.
    h[31] = (h[31] & 0x7fff) > 0x7c00 ? 32767 : h[31];
    half x = (half)f[6], inf = (half)INFINITY, nothing = (half)f[7];
    n = 0;
    i[n++] = convert_int(x);
    i[n++] = convert_int_rte(x);
    i[n++] = convert_int_rtn(x);
    i[n++] = convert_int_rtp(x);
    i[n++] = convert_char_sat(inf);
    i[n++] = convert_char_sat(-inf);
    i[n++] = convert_uchar_sat((half)1000.0h);
    i[n++] = convert_uchar_sat(x);
    i[n++] = convert_char_sat(nothing);
    i[n++] = convert_short_sat((half)65504.0h);
    i[n++] = convert_ushort((half)65504.0h);
    i[n++] = convert_uint_sat(x);
    i[n++] = (int)convert_ulong((half)7.5h);
    i[n++] = convert_int_sat(inf);
    i[n++] = convert_int_sat(-inf);
    i[n++] = convert_int_sat(nothing);
    i[n++] = convert_int4((half4)(3.9h)).y;
    i[n++] = convert_short4_rtp((half4)(-3.9h)).y;
    i[n++] = convert_int2_rte((half2)(3.5h)).y;
    i[n++] = (int)x;
    i[n++] = (bool)x;
    i[n++] = (bool)(half)0.0h;
    // Usual arithmetic conversions: with an int it is a half, with a float a float.
    i[n++] = sizeof((half)1.0h + 1) == 2 ? 2 : 0;
    i[n++] = sizeof((half)1.0h + 1.0f) == 4 ? -2 : 0;
}
