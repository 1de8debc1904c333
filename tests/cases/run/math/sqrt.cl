// sqrt within 3 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 22 --arg float[22]:values=0.0,1.0,0.5,0.10000000149011612,2.0,10.0,100.0,1000000.0,3.0000000054977558e+38,9.999999747378752e-06,9.999999682655225e-21,9.999999350456404e-39,0.9999999403953552,1.0000001192092896,2.7182817459106445,8.0,1000.0,inf,nan,-1.0,-inf,9.99994610111476e-41 --arg double[22]:values=0.0,1.0,0.7071067811865476,0.3162277683729184,1.4142135623730951,3.1622776601683795,10.0,1000.0,1.7320508091559426e+19,0.0031622776202254524,9.999999841327611e-11,9.999999675228197e-20,0.9999999701976772,1.000000059604643,1.64872124566606,2.8284271247461903,31.622776601683793,inf,nan,nan,nan,9.999973050521066e-21 --arg int[22] --print bad:22
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
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
    float zero = copysign(0.0f, x[i]), got = sqrt(x[i]);
    bool flushed = fabs(x[i]) < 0x1p-126f && as_uint(got) == as_uint(sqrt(zero));
    bad[i] = !flushed && ulps(got, want[i]) > 3;
}
