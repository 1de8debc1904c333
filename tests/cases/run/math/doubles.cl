// Double-precision builtins that need no approximation (OpenCL C §6.15.2, cl_khr_fp64).
// run: --kernel k --global 1 --arg double[16] --print d
// prints: d: 1.5 2 -3 -2 2 0.1 7 -1 3 0.5 1 8 0 1 -1 1.5
// no-diagnostics
kernel void k(global double *d) {
    double one = get_global_size(0);
    d[0] = fabs(-1.5 * one);
    d[1] = sqrt(4 * one);
    d[2] = floor(-2.5 * one);
    d[3] = ceil(-2.5 * one);
    d[4] = rint(2.5 * one);
    d[5] = fma(0.0, one, 0.1);
    d[6] = fmax(7 * one, NAN);
    d[7] = sign(-5 * one);
    d[8] = round(2.5 * one);
    d[9] = trunc(0.5 * one) + 0.5;
    d[10] = isfinite(one);
    d[11] = mad(2.0, 3 * one, 2.0);
    d[12] = isequal(one, (double)NAN);
    d[13] = clamp(5 * one, 0.0, 1.0);
    d[14] = copysign(1.0, -0.0 * one);
    d[15] = mix(1.0, 2.0, 0.5 * one);
}
