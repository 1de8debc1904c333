// Powers with whole exponents that are known, by products (OpenCL C §7.4): zeros, infinities and NaN as §7.5 has them.
// run: --kernel k --global 8 --arg x=float[8]:values=3,-2,0,-0.0,inf,-inf,nan,0.5 --arg out=float[40] --print out
// prints: out: 27 9 2187 43046720 1 -8 4 -128 65536 1 0 0 0 0 1 -0 0 -0 0 1 inf inf inf inf 1 -inf inf -inf inf 1 NaN NaN NaN NaN 0 0.125 0.25 0.0078125 0.0000152587890625 1
// no-diagnostics
kernel void k(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    out[5 * i] = pown(x[i], 3);
    out[5 * i + 1] = pow(x[i], 2.0f);
    out[5 * i + 2] = pow(x[i], 7.0f);
    out[5 * i + 3] = pown((float2)(x[i], 2), (int2)(16, 16)).x;
    out[5 * i + 4] = pown(x[i], 17) == pow(x[i], 17.0f);
}
