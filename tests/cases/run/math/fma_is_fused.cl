// One rounding, not two (OpenCL C §7.4): what a product loses to rounding is all that is left here.
// run: --kernel k --global 1 --arg float[4]:values=1.000244140625,-inf,0,2 --arg float[4] --arg ulong[4] --print f --print d
// prints: f: 0.00000005960464477539063 0.00048828125 NaN 1
// prints: d: 4336966441157787648 2024 9223372036854775813 9218868437227405312
kernel void k(global const float *x, global float *f, global ulong *d) {
    f[0] = fma(x[0], x[0], -1.00048828125f);
    float2 v = fma((float2)(x[0], x[1]), (float2)(x[3], x[2]), (float2)(-2.0f, 1.0f));
    f[1] = v.x;
    f[2] = v.y;
    f[3] = fma(x[0], x[2], 1.0f);
    // 1 or so: nothing here is known before the kernel runs.
    double one = x[3] * 0.5f, y = one + 0x1p-30;
    d[0] = as_ulong(fma(y, y, -1.0 - 0x1p-29));
    d[1] = as_ulong(fma(1e-160 * one, 1e-160, 0.0));
    d[2] = as_ulong(fma(-1e-162 * one, 1e-162, -2.5e-323));
    d[3] = as_ulong(fma(1e300 * one, 1e10, 1.0));
}
