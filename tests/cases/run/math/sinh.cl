// sinh within 4 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 25 --arg float[25]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,3.299999952316284,-7.699999809265137,10.0,-10.0,20.5,37.0,-37.0,88.0,-87.0,88.80000305175781,-104.0,9.99999993922529e-09,-9.999999682655225e-21,inf,-inf,nan,127.5,-126.5,-160.0 --arg double[25]:values=0.0,1.1752011936438014,-1.1752011936438014,0.5210953054937474,-0.5210953054937474,0.10016675151741694,13.53787722933329,-1104.1735589255136,11013.232874703393,-11013.232874703393,399951088.7377527,5859571186401306.0,-5859571186401306.0,8.258181274970009e+37,-3.038015112528436e+37,1.8378976510455432e+38,-7.338311150777212e+44,9.99999993922529e-09,-9.999999682655225e-21,inf,-inf,nan,1.1790071721291262e+55,-4.337324996199854e+54,-1.5349248203221212e+69 --arg int[25] --print bad:25
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
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
    bad[i] = ulps(sinh(x[i]), want[i]) > 4;
}
