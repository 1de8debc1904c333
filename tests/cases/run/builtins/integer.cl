// Integer builtins on every width: abs_diff, add_sat, sub_sat, hadd, rhadd, clz, mul_hi, mad_hi, mad_sat, rotate, popcount, upsample … (OpenCL C §6.15.3).
// run: --kernel chars --global 1 --arg char[16] --arg uchar[16] --print s --print u
// prints: s: 127 -128 127 -128 63 64 -64 0 0 -63 -3 126 7 127 -1 5
// prints: u: 255 0 255 0 63 64 191 255 0 254 1 255 129 129 8 128
// run: --kernel ints --global 1 --arg int[16] --arg uint[16] --print s --print u
// prints: s: 2147483647 -2147483648 1073741824 -1 0 -1 2147483646 3 32 0 16 -65535 -61 5 -7 25
// prints: u: 4294967295 0 2147483648 1 4294967294 2 4294967295 31 1 4294967295 2271560481 305419896 65536 200 7 10
// run: --kernel longs --global 1 --arg long[9] --arg ulong[9] --print s --print u
// prints: s: 9223372036854775807 -9223372036854775808 -1 4611686018427387903 63 64 1 -4294967295 9223372036854775807
// prints: u: 18446744073709551615 0 18446744073709551614 9223372036854775808 63 64 18 1311768467463790320 18446744073709551615
// no-diagnostics
kernel void chars(global char *s, global uchar *u) {
    char one = get_global_size(0), a = 127 * one, b = -128 * one;
    s[0] = add_sat(a, one);
    s[1] = add_sat(b, (char)-1);
    s[2] = sub_sat(a, b);
    s[3] = sub_sat(b, a);
    s[4] = hadd(a, (char)0);
    s[5] = rhadd(a, (char)0);
    s[6] = mul_hi(b, a);
    s[7] = clz(b);
    s[8] = mul_hi(one, one);
    s[9] = mad_hi(b, a, one);
    s[10] = rotate((char)(0x7e + one), one) - one;
    s[11] = max(a, b) - one;
    s[12] = clz(one);
    s[13] = mad_sat(a, a, a);
    s[14] = clamp(b, (char)-1, one);
    s[15] = popcount((char)0x1f);
    uchar x = 255 * one, y = one;
    u[0] = add_sat(x, y);
    u[1] = sub_sat(y, x);
    u[2] = abs(b) + (uchar)127;
    u[3] = abs_diff(x, x);
    u[4] = hadd((uchar)127, (uchar)0);
    u[5] = rhadd((uchar)127, (uchar)0);
    u[6] = hadd(x, (uchar)127);
    u[7] = abs_diff(a, b);
    u[8] = mul_hi(y, x);
    u[9] = mul_hi(x, x);
    u[10] = clz((uchar)(64 + y));
    u[11] = mad_sat(x, x, x);
    u[12] = rotate((uchar)0xc0, y);
    u[13] = rotate((uchar)0x81, (uchar)8);
    u[14] = popcount(x);
    u[15] = abs(b);
}

kernel void ints(global int *s, global uint *u) {
    int one = get_global_size(0), a = INT_MAX * one, b = INT_MIN * one;
    s[0] = add_sat(a, one);
    s[1] = sub_sat(b, one);
    s[2] = rhadd(a, one);
    s[3] = hadd(a, b);
    s[4] = rhadd(a, b);
    s[5] = mul_hi(a, -one);
    s[6] = mad_sat(a, 2, b);
    s[7] = mul24(-one, -3);
    s[8] = clz(0 * one);
    s[9] = clz(-one);
    s[10] = mad24(3, 5, one);
    s[11] = upsample((short)-one, (ushort)1);
    s[12] = rotate((int)0xfffffff0 * one, 2);
    s[13] = clamp(7 * one, 1, 5);
    s[14] = min(-7, one);
    s[15] = popcount(0x01ffffff * one);
    uint x = UINT_MAX * one;
    u[0] = add_sat(x, 1u);
    u[1] = sub_sat(0u, x);
    u[2] = hadd(x, 1u);
    u[3] = abs(-one);
    u[4] = mul_hi(x, x);
    u[5] = rhadd(1u, 2u);
    u[6] = mad_sat(x, 1u, x);
    u[7] = clz((uint)one);
    u[8] = popcount(2u * one);
    u[9] = abs_diff(a, b);
    u[10] = rotate(0x43218765u, 16u * one);
    u[11] = upsample((ushort)0x1234, (ushort)0x5678);
    u[12] = max(65536u, (uint)one);
    u[13] = mad24(10u, 20u, 0u * one);
    u[14] = (popcount((uint4)(x, 1, 7, 0x7f)).w);
    u[15] = mul24(2u, 5u * one);
}

kernel void longs(global long *s, global ulong *u) {
    long one = get_global_size(0), a = LONG_MAX * one, b = LONG_MIN * one;
    s[0] = add_sat(a, one);
    s[1] = sub_sat(b, one);
    s[2] = mul_hi(a, -one);
    s[3] = mul_hi(a, a);
    s[4] = clz(one);
    s[5] = clz(0L);
    s[6] = rhadd(one, 0L);
    s[7] = upsample((int)-one, (uint)1);
    s[8] = mad_sat(a, a, a);
    ulong x = ULONG_MAX * one;
    u[0] = add_sat(x, 1ul);
    u[1] = sub_sat(1ul, x);
    u[2] = mul_hi(x, x);
    u[3] = hadd(x, 1ul);
    u[4] = popcount(x >> 1);
    u[5] = popcount(x);
    u[6] = rotate(9ul, 1ul + (ulong)(64 * one));
    u[7] = upsample(0x12345678u, 0x9abcdef0u);
    u[8] = abs_diff(a, b);
}
