// cbrt within 2 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 32 --arg float[32]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,-0.25,2.0,-3.0,10.0,-20.0,100.0,-1000.0,12345.677734375,1000000.0,-10000000000.0,3.0000000054977558e+38,9.999999747378752e-06,-9.999999682655225e-21,9.999999350456404e-39,1.1754943508222875e-38,3.1415927410125732,1.5707963705062866,-0.7853981852531433,0.9999999403953552,1.0000001192092896,88.0,-87.0,inf,-inf,nan,9.99994610111476e-41 --arg double[32]:values=0.0,1.0,-1.0,0.7937005259840997,-0.7937005259840997,0.46415888566678,-0.6299605249474366,1.2599210498948732,-1.4422495703074083,2.154434690031884,-2.7144176165949068,4.641588833612778,-10.0,23.11204168086862,100.0,-2154.4346900318837,6694329504911.005,0.021544346718900174,-2.1544346672419303e-07,2.154434643385241e-13,2.2737367544323206e-13,1.4645919011468507,1.162447362292308,-0.9226350828802341,0.9999999801317847,1.0000000397364284,4.447960181138631,-4.431047621693634,inf,-inf,nan,4.641580494382334e-14 --arg int[32] --print bad:32
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
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
    float zero = copysign(0.0f, x[i]), got = cbrt(x[i]);
    bool flushed = fabs(x[i]) < 0x1p-126f && as_uint(got) == as_uint(cbrt(zero));
    bad[i] = !flushed && ulps(got, want[i]) > 2;
}
