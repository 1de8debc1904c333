// sinpi within 4 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 32 --arg float[32]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,-0.25,2.0,-3.0,10.0,-20.0,100.0,-1000.0,12345.677734375,1000000.0,-10000000000.0,3.0000000054977558e+38,9.999999747378752e-06,-9.999999682655225e-21,9.999999350456404e-39,1.1754943508222875e-38,3.1415927410125732,1.5707963705062866,-0.7853981852531433,0.9999999403953552,1.0000001192092896,88.0,-87.0,inf,-inf,nan,9.99994610111476e-41 --arg double[32]:values=0.0,0.0,0.0,1.0,-1.0,0.3090169988271643,-0.7071067811865475,0.0,0.0,0.0,0.0,0.0,0.0,-0.8481203448032972,0.0,0.0,0.0,3.141592573709716e-05,-3.141592553892992e-20,3.141592449529654e-38,3.6929244168796014e-38,-0.43030146491968907,-0.9753679417922758,-0.6242658990003681,1.8725351414619535e-07,-3.7450702829238413e-07,0.0,0.0,nan,nan,nan,3.1415757207556022e-40 --arg int[32] --print bad:32
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
    bad[i] = ulps(sinpi(x[i]), want[i]) > 4;
}
