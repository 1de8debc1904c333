// half_exp within 8192 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 4 --arg float[4]:values=1.0,2.0,-3.0,0.25 --arg double[4]:values=2.718281828459045,7.38905609893065,0.049787068367863944,1.2840254166877414 --arg int[4] --print bad:4
// prints: bad: 0 0 0 0
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
    bad[i] = ulps(half_exp(x[i]), want[i]) > 8192;
}
