// A product with a constant 0 is 0 with a sign, and a NaN if the other factor is an infinity or a NaN (IEEE 754, OpenCL C §7.1).
// run: --kernel k --global 4 --arg float[4]:values=1,-2,inf,nan --arg float[4]:const=9 --arg float[4]:const=9 --arg float[4]:const=9 --arg float[4]:const=9 --arg float4[4]:const=9 --print plain --print minus --print fused --print sum --print lanes
// prints: plain: 0 -0 NaN NaN
// prints: minus: -0 0 NaN NaN
// prints: fused: 1 1 NaN NaN
// prints: sum: 3 3 NaN NaN
// prints: lanes: (0, 1, -0, 2) (-0, -2, 0, -4) (NaN, inf, NaN, inf) (NaN, NaN, NaN, NaN)
// no-diagnostics
kernel void k(global const float *x, global float *plain, global float *minus, global float *fused, global float *sum, global float4 *lanes) {
    size_t i = get_global_id(0);
    plain[i] = 0.0f * x[i];
    minus[i] = x[i] * -0.0f;
    fused[i] = fma(x[i], 0.0f, 1.0f);
    sum[i] = mad(0.0f, x[i], 1.0f) + (x[i] * 0.0f + 2.0f);
    lanes[i] = (float4)(0.0f, 1.0f, -0.0f, 2.0f) * x[i];
}
