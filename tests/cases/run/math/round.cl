// round is exact, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 39 --arg float[39]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,-0.25,2.0,-3.0,10.0,-20.0,100.0,-1000.0,12345.677734375,1000000.0,-10000000000.0,3.0000000054977558e+38,9.999999747378752e-06,-9.999999682655225e-21,9.999999350456404e-39,1.1754943508222875e-38,3.1415927410125732,1.5707963705062866,-0.7853981852531433,0.9999999403953552,1.0000001192092896,88.0,-87.0,inf,-inf,nan,9.99994610111476e-41,1.5,-1.5,2.5,3.5,0.4999999701976776,8388607.5,-2.5 --arg double[39]:values=0.0,1.0,-1.0,1.0,-1.0,0.0,-0.0,2.0,-3.0,10.0,-20.0,100.0,-1000.0,12346.0,1000000.0,-10000000000.0,3.0000000054977558e+38,0.0,-0.0,0.0,0.0,3.0,2.0,-1.0,1.0,1.0,88.0,-87.0,inf,-inf,nan,0.0,2.0,-2.0,3.0,4.0,0.0,8388608.0,-3.0 --arg int[39] --print bad:39
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
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
    bad[i] = ulps(round(x[i]), want[i]) > 0;
}
