// exp10 within 3 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 25 --arg float[25]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,3.299999952316284,-7.699999809265137,10.0,-10.0,20.5,37.0,-37.0,29.33333396911621,-29.0,29.600000381469727,-34.66666793823242,9.99999993922529e-09,-9.999999682655225e-21,inf,-inf,nan,42.5,-42.16666793823242,-53.33333206176758 --arg double[25]:values=1.0,10.0,0.1,3.1622776601683795,0.31622776601683794,1.2589254161136902,1995.2620958974433,1.9952631912548658e-08,10000000000.0,1e-10,3.1622776601683794e+20,1e+37,1e-37,2.15443784400631e+29,1e-29,3.9810752023765516e+29,2.1544283820968826e-35,1.000000023025851,1.0,inf,0.0,nan,3.162277660168379e+42,6.812900743137677e-43,4.641602423686558e-54 --arg int[25] --print bad:25
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
    bad[i] = ulps(exp10(x[i]), want[i]) > 3;
}
