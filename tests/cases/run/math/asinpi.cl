// asinpi within 5 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 20 --arg float[20]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,-0.25,0.75,0.8999999761581421,-0.9900000095367432,0.9999999403953552,9.999999747378752e-06,-9.999999682655225e-21,9.999999350456404e-39,0.30000001192092896,0.7071068286895752,nan,1.5,-2.0,inf --arg double[20]:values=0.0,0.5,-0.5,0.16666666666666669,-0.16666666666666669,0.03188428090596815,-0.08043062325516624,0.26994654383738415,0.35643368946070736,-0.45494660787467184,0.499890098105392,3.183098781479118e-06,-3.183098760823928e-21,3.1830986550817586e-39,0.09698668799844705,0.25000002138387617,nan,nan,nan,nan --arg int[20] --print bad:20
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
    bad[i] = ulps(asinpi(x[i]), want[i]) > 5;
}
