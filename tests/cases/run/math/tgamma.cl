// tgamma within 16 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 16 --arg float[16]:values=1.0,2.0,0.5,-0.5,5.0,10.5,34.0,35.0,0.10000000149011612,9.999999747378752e-06,-1.5,-3.299999952316284,20.0,inf,nan,1.4616321325302124 --arg double[16]:values=1.0,1.0,1.7724538509055159,-3.544907701811032,24.0,1133278.3889487854,8.683317618811887e+36,2.9523279903960416e+38,9.513507550899174,99999.42532043812,2.3632718012073544,0.4385174679008697,1.21645100408832e+17,inf,nan,0.8856031944108885 --arg int[16] --print bad:16
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
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
    bad[i] = ulps(tgamma(x[i]), want[i]) > 16;
}
