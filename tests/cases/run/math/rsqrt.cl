// rsqrt within 2 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 20 --arg float[20]:values=1.0,0.5,0.10000000149011612,2.0,10.0,100.0,1000000.0,3.0000000054977558e+38,9.999999747378752e-06,9.999999682655225e-21,9.999999350456404e-39,0.9999999403953552,1.0000001192092896,2.7182817459106445,8.0,1000.0,inf,nan,9.99994610111476e-41,-1.0 --arg double[20]:values=1.0,1.414213562373095,3.162277636607575,0.7071067811865475,0.31622776601683794,0.1,0.001,5.77350268660604e-20,316.2277700111307,10000000158.672392,1.0000000324771813e+19,1.0000000298023237,0.9999999403953606,0.6065306689221526,0.35355339059327373,0.03162277660168379,0.0,nan,1.0000026949551561e+20,nan --arg int[20] --print bad:20
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
// The distance to the correctly rounded value in units in its last place; a denormal may be flushed.
double ulps(float got, double want) {
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isinf((float)want)) return got == (float)want ? 0 : fabs(got) > 3.4e38f && signbit(got) == signbit(want) && !isinf(want) ? 1 : INFINITY;
    if (fabs(want) < 0x1p-126) return got == 0 ? 0 : fabs(got - want) / 0x1p-149;
    double unit = as_double(((as_ulong(want) >> 52 & 0x7ff) - 23) << 52);
    return fabs(got - want) / unit;
}

kernel void k(global const float *x, global const double *want, global int *bad) {
    size_t i = get_global_id(0);
    // Where the device flushes denormals, a denormal argument counts as zero (§7.5.3).
    float zero = copysign(0.0f, x[i]), got = rsqrt(x[i]);
    bool flushed = fabs(x[i]) < 0x1p-126f && as_uint(got) == as_uint(rsqrt(zero));
    bad[i] = !flushed && ulps(got, want[i]) > 2;
}
