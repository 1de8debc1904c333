// expm1 within 3 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 25 --arg float[25]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,3.299999952316284,-7.699999809265137,10.0,-10.0,20.5,37.0,-37.0,88.0,-87.0,88.80000305175781,-104.0,9.99999993922529e-09,-9.999999682655225e-21,inf,-inf,nan,127.5,-126.5,-160.0 --arg double[25]:values=0.0,1.718281828459045,-0.6321205588285577,0.6487212707001282,-0.3934693402873666,0.10517091972248063,26.112637627826548,-0.9995471727307432,22025.465794806718,-0.9999546000702375,799902176.4755054,1.171914237280261e+16,-0.9999999999999999,1.6516362549940018e+38,-1.0,3.6757953020910864e+38,-1.0,9.99999998922529e-09,-9.999999682655225e-21,inf,-1.0,nan,2.3580143442582524e+55,-1.0,-1.0 --arg int[25] --print bad:25
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
    bad[i] = ulps(expm1(x[i]), want[i]) > 3;
}
