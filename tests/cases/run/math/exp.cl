// exp within 3 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 25 --arg float[25]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,3.299999952316284,-7.699999809265137,10.0,-10.0,20.5,37.0,-37.0,88.0,-87.0,88.80000305175781,-104.0,9.99999993922529e-09,-9.999999682655225e-21,inf,-inf,nan,127.5,-126.5,-160.0 --arg double[25]:values=1.0,2.718281828459045,0.36787944117144233,1.6487212707001282,0.6065306597126334,1.1051709197224806,27.112637627826548,0.0004528272692567361,22026.465794806718,4.5399929762484854e-05,799902177.4755054,1.1719142372802612e+16,8.533047625744066e-17,1.6516362549940018e+38,1.6458114310822737e-38,3.6757953020910864e+38,6.813556821545298e-46,1.00000001,1.0,inf,0.0,nan,2.3580143442582524e+55,1.152784263199264e-55,3.257488532207521e-70 --arg int[25] --print bad:25
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
    bad[i] = ulps(exp(x[i]), want[i]) > 3;
}
