// native_recip and native_divide within 8192 ulp, with the signs of zeros and infinities (OpenCL C §7.4: what they are is the implementation's).
// run: --kernel k --global 8 --arg float[8]:values=1,-3,0.0078125,-1e18,7e30,-2e-30,0.0,-0.0 --arg int[8] --print bad
// prints: bad: 0 0 0 0 0 0 0 0
// no-diagnostics
bool near(float got, float want) {
    return isinf(want) ? got == want : fabs(got - want) <= 0x1p-10f * fabs(want) && signbit(got) == signbit(want);
}

kernel void k(global const float *x, global int *bad) {
    size_t i = get_global_id(0);
    bad[i] = !near(native_recip(x[i]), 1 / x[i]) + 2 * !near(native_divide(3.0f, x[i]), 3 / x[i])
           + 4 * (native_recip(copysign(INFINITY, x[i])) != 0 || !isnan(native_recip(copysign((float)NAN, x[i]))));
}
