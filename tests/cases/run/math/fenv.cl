// FLT_ macros, INFINITY, NAN, M_ constants, MAXFLOAT and HUGE_VALF (OpenCL C §6.15.2).
// run: --kernel k --global 1 --arg float[10] --arg long[8] --print f --print n
// prints: f: inf NaN 3.1415927410125732 2.7182817459106445 1 1 inf 0.7071067690849304 1 1
// prints: n: 127 255 -32768 65535 2147483647 9223372036854775807 24 128
// no-diagnostics
kernel void k(global float *f, global long *n) {
    f[0] = INFINITY;
    f[1] = NAN;
    f[2] = M_PI_F;
    f[3] = M_E_F;
    f[4] = MAXFLOAT == FLT_MAX;
    f[5] = FLT_EPSILON == 0x1p-23f;
    f[6] = HUGE_VALF;
    f[7] = M_SQRT1_2_F;
    f[8] = FLT_MIN == 0x1p-126f;
    f[9] = isnan(nan(5u));
    n[0] = CHAR_MAX;
    n[1] = UCHAR_MAX;
    n[2] = SHRT_MIN;
    n[3] = USHRT_MAX;
    n[4] = INT_MAX;
    n[5] = LONG_MAX;
    n[6] = FLT_MANT_DIG;
    n[7] = FLT_MAX_EXP;
}
