// Numbers: literals of all forms, promotions, shifts, division, conversions, halves.
kernel void k(global long *l, global half *h, global float *f, uchar u, short s, ulong w) {
    bool b = w;
    l[0] = 0x7fffffff + 1u + 017L + 'a' + '\x41' + (s << 33) + (u >> -1) + w % 7 - ~u + !s + -b;
    l[1] = (long)1e30f + (int)-2.5 + (uint)f[0] + convert_long_sat(f[1]) + (s == u) + (w > -1);
    f[0] = 0x1.8p3f + .5f + 1e-45f + 3 / 2 + 7 % -3 + INFINITY - NAN + FLT_MAX * M_PI_F + 1.0h;
    h[0] = h[1] * 2 + vload_half(3, h); vstore_half_rtz(f[2], 4, h);
    l[2] = mul_hi(w, 3UL) + mad_sat(1, 2, 3) + rotate(u, (uchar)3) + popcount(s) + clz(7) + abs_diff(s, (short)3);
}
