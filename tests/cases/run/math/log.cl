// log within 3 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 22 --arg float[22]:values=0.0,1.0,0.5,0.10000000149011612,2.0,10.0,100.0,1000000.0,3.0000000054977558e+38,9.999999747378752e-06,9.999999682655225e-21,9.999999350456404e-39,0.9999999403953552,1.0000001192092896,2.7182817459106445,8.0,1000.0,inf,nan,-1.0,-inf,9.99994610111476e-41 --arg double[22]:values=-inf,0.0,-0.6931471805599453,-2.3025850780928847,0.6931471805599453,2.302585092994046,4.605170185988092,13.815510557964274,88.59684582427442,-11.512925490232353,-46.051701891615394,-87.49823359872809,-5.960464655174753e-08,1.1920928244535446e-07,0.99999996963214,2.0794415416798357,6.907755278982137,inf,nan,nan,nan,-92.10340910966488 --arg int[22] --print bad:22
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
    bad[i] = ulps(log(x[i]), want[i]) > 3;
}
