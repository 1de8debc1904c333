// tanpi within 6 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 11 --arg float[11]:values=0.0,0.25,-0.25,0.10000000149011612,1.2999999523162842,-2.700000047683716,9.999999747378752e-06,0.4000000059604645,nan,inf,100.125 --arg double[11]:values=0.0,0.9999999999999999,-0.9999999999999999,0.3249197014084662,1.3763814868779327,1.3763814868779327,3.1415925752600294e-05,3.0776837332696907,nan,nan,0.4142135623730951 --arg int[11] --print bad:11
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0
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
    bad[i] = ulps(tanpi(x[i]), want[i]) > 6;
}
