// With -cl-fast-relaxed-math a denormal may be zero, but is no other number: its powers are right to some ulp, or 0 or infinite (OpenCL C §7.4, §7.5.3).
// run: --kernel k --global 4 --arg uint[4]:values=0x00002000,0x00000001,0x007fffff,0x00800000 --arg uint[4] --print r
// prints: r: 3 3 3 3
// options: -cl-fast-relaxed-math
// no-diagnostics
kernel void k(global const uint *x, global uint *r) {
    size_t i = get_global_id(0);
    float y = as_float(x[i]);
    const float roots[] = {3.3881318e-21f, 3.7433924e-23f, 1.0842022e-19f, 1.0842022e-19f};
    float root = powr(y, 0.5f) / roots[i], power = powr(y, -0.5f) * roots[i];
    r[i] = (fabs(root - 1.0f) < 1e-4f || root == 0.0f && i < 3) + 2 * (fabs(power - 1.0f) < 1e-4f || power > 1e30f && i < 3);
}
