// erfc within 16 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 26 --arg float[26]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,-0.25,2.0,-3.0,9.999999747378752e-06,-9.999999682655225e-21,9.999999350456404e-39,1.1754943508222875e-38,3.1415927410125732,1.5707963705062866,-0.7853981852531433,0.9999999403953552,1.0000001192092896,inf,-inf,nan,9.99994610111476e-41,3.0,5.0,9.0,-4.0 --arg double[26]:values=1.0,0.15729920705028513,1.842700792949715,0.4795001221869535,1.5204998778130465,0.8875370823170294,1.276326390168237,0.004677734981047265,1.9999779095030015,0.9999887162086145,1.0,1.0,1.0,8.87614126535532e-06,0.026321070738904214,1.7333114388742863,0.15729923179262154,0.15729915756562118,0.0,2.0,nan,1.0,2.2090496998585438e-05,1.5374597944280351e-12,4.13703174651381e-37,1.999999984582742 --arg int[26] --print bad:26
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
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
    bad[i] = ulps(erfc(x[i]), want[i]) > 16;
}
