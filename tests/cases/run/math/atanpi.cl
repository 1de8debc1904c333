// atanpi within 5 ulp, at the edges too (OpenCL C §7.4, §7.5.1).
// run: --kernel k --global 32 --arg float[32]:values=0.0,1.0,-1.0,0.5,-0.5,0.10000000149011612,-0.25,2.0,-3.0,10.0,-20.0,100.0,-1000.0,12345.677734375,1000000.0,-10000000000.0,3.0000000054977558e+38,9.999999747378752e-06,-9.999999682655225e-21,9.999999350456404e-39,1.1754943508222875e-38,3.1415927410125732,1.5707963705062866,-0.7853981852531433,0.9999999403953552,1.0000001192092896,88.0,-87.0,inf,-inf,nan,9.99994610111476e-41 --arg double[32]:values=0.0,0.25,-0.25,0.14758361765043326,-0.14758361765043326,0.03172551790017604,-0.07797913037736932,0.35241638234956674,-0.39758361765043326,0.4682744825694465,-0.48409774874382366,0.4968170072350918,-0.4996816902199195,0.49997421689660654,0.49999968169011383,-0.499999999968169,0.5,3.183098781319963e-06,-3.183098760823928e-21,3.1830986550817586e-39,3.7417147301993126e-39,0.40190674060783027,0.3195464673986824,-0.2119223708984192,0.24999999051362587,0.25000001897274654,0.496382997887614,-0.4963414267913133,0.5,-0.5,nan,3.1830817052898805e-41 --arg int[32] --print bad:32
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
    bad[i] = ulps(atanpi(x[i]), want[i]) > 5;
}
