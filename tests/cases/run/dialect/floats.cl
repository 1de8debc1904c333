// clang's math functions and questions about floats.
// run: --kernel k --global 1 --arg float[40]:range=-2 --arg int[40]:zero --print p --print q
// prints: p: 2 2 -5 -2 3 -3 -2 -2 -2 -3 -3 1 24 -8 5 inf -inf 0.75 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37
// prints: q: 1 1 2 2 1 9 12305 5 44 2 2143289635 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
constant float specials[] = { __builtin_huge_valf(), __builtin_inff(), -__builtin_inff() };
constant int payload = __builtin_astype(__builtin_nanf("0x123"), int);

kernel void k(global float *p, global int *q) {
    float m = p[0], z = p[2], t = p[5], half_ = p[5] / 6; // -2, 0, 3, 0.5
    p[0] = __builtin_fabsf(m);
    p[1] = __builtin_sqrtf(t + 1);
    p[2] = __builtin_fmaf(m, t, 1.0f);
    p[3] = __builtin_fminf(m, t);
    p[4] = __builtin_fmaxf(m, t);
    p[5] = __builtin_floorf(m - half_);
    p[6] = __builtin_ceilf(m - half_);
    p[7] = __builtin_truncf(m - half_);
    p[8] = __builtin_rintf(m - half_);
    p[9] = __builtin_roundf(m - half_);
    p[10] = __builtin_copysignf(t, m);
    p[11] = __builtin_fmodf(t * 3, 2.0f * 2);
    p[12] = __builtin_ldexpf(t, 3);
    p[13] = __builtin_powif(m, 3);
    p[14] = __builtin_fdimf(t, m);
    p[15] = specials[0] + specials[1];
    p[16] = specials[2];
    int e;
    p[17] = __builtin_frexpf(t, &e);
    float nan = __builtin_nanf(""), inf = 1.0f / z;
    q[0] = __builtin_isnan(nan) + 2 * __builtin_isnan(m);
    q[1] = __builtin_isinf(inf) + 2 * __builtin_isinf(m);
    q[2] = __builtin_isfinite(inf) + 2 * __builtin_isfinite(m);
    q[3] = __builtin_isnormal(z) + 2 * __builtin_isnormal(m);
    q[4] = (__builtin_signbit(m) != 0) + 2 * (__builtin_signbitf(t) != 0);
    q[5] = __builtin_isinf_sign(-inf) + 10 * __builtin_isinf_sign(inf) + 100 * __builtin_isinf_sign(t);
    q[6] = __builtin_fpclassify(1, 2, 3, 4, 5, nan) * 10000 + __builtin_fpclassify(1, 2, 3, 4, 5, inf) * 1000 +
           __builtin_fpclassify(1, 2, 3, 4, 5, m) * 100 + __builtin_fpclassify(1, 2, 3, 4, 5, z);
    q[7] = __builtin_isgreater(t, m) + 2 * __builtin_isless(t, m) + 4 * __builtin_isunordered(t, nan) + 8 * __builtin_islessgreater(t, t);
    q[8] = (int)__builtin_lrintf(t + half_) + 10 * (int)__builtin_lroundf(t + half_);
    q[9] = e;
    q[10] = payload;
}
