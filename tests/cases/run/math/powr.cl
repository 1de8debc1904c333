// powr within 16 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 19 --arg float[19]:values=2.0,2.0,10.0,0.5,1.0000001192092896,0.9999999403953552,3.0,inf,inf,0.5,2.0,1.5,10000000000.0,1.000000013351432e-10,5.5,7.300000190734863,100.0,9.999999682655225e-21,123.45600128173828 --arg float[19]:values=3.0,0.5,-3.0,10.0,1000000.0,-1000000.0,0.0,2.0,-2.0,inf,-inf,1.5,3.299999952316284,-2.200000047683716,-5.5,2.0999999046325684,19.0,2.0,7.0 --arg double[19]:values=8.0,1.4142135623730951,0.001,0.0009765625,1.126605672407965,1.0614168287791026,1.0,inf,0.0,0.0,0.0,1.8371173070873836,9.999989020424705e+32,1.0000010685855524e+22,8.472375736107859e-05,65.0096679426535,1e+38,9.99999936531046e-41,437104666443339.3 --arg int[19] --print bad:19
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
// The distance to the correctly rounded value in units in its last place; a denormal may be flushed.
double ulps(float got, double want) {
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isinf((float)want)) return got == (float)want ? 0 : fabs(got) > 3.4e38f && signbit(got) == signbit(want) && !isinf(want) ? 1 : INFINITY;
    if (fabs(want) < 0x1p-126) return got == 0 ? 0 : fabs(got - want) / 0x1p-149;
    double unit = as_double(((as_ulong(want) >> 52 & 0x7ff) - 23) << 52);
    return fabs(got - want) / unit;
}

kernel void k(global const float *x, global const float *y, global const double *want, global int *bad) {
    size_t i = get_global_id(0);
    bad[i] = ulps(powr(x[i], y[i]), want[i]) > 16;
}
