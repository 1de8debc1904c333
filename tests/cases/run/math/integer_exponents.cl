// pown, rootn and ldexp with integer exponents, scalar and vector (OpenCL C §6.15.2).
// run: --kernel k --global 1 --arg float[13] --print f
// prints: f: 8 -0.125 1 inf 3 -2 2 0.5 24 -inf 0.375 4 16
// no-diagnostics
kernel void k(global float *f) {
    float one = get_global_size(0);
    f[0] = pown(2 * one, 3);
    f[1] = pown(-2 * one, -3);
    f[2] = pown(NAN * one, 0);
    f[3] = pown(0 * one, -2);
    f[4] = rootn(27 * one, 3);
    f[5] = rootn(-32 * one, 5);
    f[6] = rootn(16 * one, 4);
    f[7] = rootn(8 * one, -3);
    f[8] = ldexp(3 * one, 3);
    f[9] = pown(as_float(0x80000000u * (uint)one), -3);
    f[10] = ldexp(3 * one, -3);
    float2 v = pown((float2)(2, 4) * one, (int2)(2, 2));
    f[11] = v.x;
    f[12] = v.y;
}
