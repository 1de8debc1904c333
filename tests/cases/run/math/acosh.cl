// acosh within 4 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 12 --arg float[12]:values=1.0,1.0000001192092896,1.5,2.0,10.0,1000000.0,3.0000000054977558e+38,1.100000023841858,inf,nan,0.5,-1.0 --arg double[12]:values=0.0,0.0004882812451493617,0.9624236501192069,1.3169578969248166,2.993222846126381,14.50865773852397,89.28999300483437,0.44356830641231126,inf,nan,nan,nan --arg int[12] --print bad:12
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0
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
    bad[i] = ulps(acosh(x[i]), want[i]) > 4;
}
