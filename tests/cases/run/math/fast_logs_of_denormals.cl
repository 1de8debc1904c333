// With -cl-fast-relaxed-math a denormal may be zero, but is no other number: its logarithm is right to some ulp, or -inf (OpenCL C §7.4, §7.5.3).
// run: --kernel k --global 5 --arg uint[5]:values=0x00002000,0x00000001,0x007fffff,0x00400000,0x00800000 --arg uint[5] --print r
// prints: r: 3 3 3 3 3
// options: -cl-fast-relaxed-math
// no-diagnostics
kernel void k(global const uint *x, global uint *r) {
    size_t i = get_global_id(0);
    float y = as_float(x[i]);
    const float right[] = {-136, -149, -126, -127, -126};
    float two = log2(y), ten = log10(y) * 3.32192809f;
    r[i] = (fabs(two - right[i]) < 1e-4f || two < -1e30f) + 2 * (fabs(ten - right[i]) < 1e-4f || ten < -1e30f);
}
