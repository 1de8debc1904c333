// log10 within 3 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 22 --arg float[22]:values=0.0,1.0,0.5,0.10000000149011612,2.0,10.0,100.0,1000000.0,3.0000000054977558e+38,9.999999747378752e-06,9.999999682655225e-21,9.999999350456404e-39,0.9999999403953552,1.0000001192092896,2.7182817459106445,8.0,1000.0,inf,nan,-1.0,-inf,9.99994610111476e-41 --arg double[22]:values=-inf,0.0,-0.3010299956639812,-0.999999993528508,0.3010299956639812,1.0,2.0,6.0,38.47712125551554,-5.000000010971202,-20.00000001378211,-38.00000002820932,-2.5885969093217638e-08,5.1771933557663626e-08,0.4342944687146578,0.9030899869919435,3.0,inf,nan,nan,nan,-40.00000234080515 --arg int[22] --print bad:22
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
    bad[i] = ulps(log10(x[i]), want[i]) > 3;
}
