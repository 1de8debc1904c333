// sincos, fract, modf, frexp, remquo and lgamma_r give a second value through a pointer in any space (OpenCL C §6.15.2).
// run: --kernel k --global 1 --local 1 --arg float[14] --arg int[6] --print f --print i
// prints: f: 0 1 0.25 -3 -0.5 -2 0.75 0.5 -1 0.25 1 0 0.75 1
// prints: i: 2 -1 2 1 3 -2147483648
// no-diagnostics
kernel void k(global float *f, global int *i) {
    float one = get_global_size(0), p;
    local float l;
    f[0] = sincos(0.0f * one, &p);
    f[1] = p;
    f[2] = fract(-2.75f * one, f + 3);
    f[4] = modf(-2.5f * one, &l);
    f[5] = l;
    int e;
    f[6] = frexp(3.0f * one, &e);
    i[0] = e;
    f[7] = frexp(0.25f * one, i + 1);
    f[8] = remquo(5.0f * one, 3.0f, &e);
    i[2] = e;
    f[9] = ldexp(one, -2);
    float4 w, v = fract((float4)(1.5f, 2.5f, 3.75f, -0.25f) * one, &w);
    f[10] = w.x;
    f[11] = lgamma_r(one, &e);
    i[3] = e;
    f[12] = v.z;
    f[13] = nextafter(one, 2.0f) > 1.0f;
    i[4] = ilogb(8.5f * one);
    i[5] = ilogb(0.0f * one) == FP_ILOGB0 ? INT_MIN : 0;
}
