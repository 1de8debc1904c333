// exp2 within 3 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 25 --arg float[25]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,3.299999952316284,-7.699999809265137,10.0,-10.0,20.5,37.0,-37.0,88.0,-87.0,88.80000305175781,-104.0,9.99999993922529e-09,-9.999999682655225e-21,inf,-inf,nan,127.5,-126.5,-160.0 --arg double[25]:values=1.0,2.0,0.5,1.4142135623730951,0.7071067811865476,1.0717734636432956,9.849154981226697,0.004809158500434555,1024.0,0.0009765625,1482910.4003789306,137438953472.0,7.275957614183426e-12,3.094850098213451e+26,6.462348535570529e-27,5.388458390920895e+26,4.930380657631324e-32,1.0000000069314718,1.0,inf,0.0,nan,2.4061596916800453e+38,8.31200026712918e-39,6.842277657836021e-49 --arg int[25] --print bad:25
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
    bad[i] = ulps(exp2(x[i]), want[i]) > 3;
}
