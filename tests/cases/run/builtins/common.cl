// Common, geometric and relational builtins (OpenCL C §6.15.4-6).
// run: --kernel k --global 1 --arg float[34] --arg int4[10] --print f --print i
// prints: f: 2 -1 1.5 3 0.5 0 1 0 1 1 -1 0 180 0.5 11 5 3 0 0 1 0.5 1 2 2.5 7 8 0 -3 6 -3 1 4 25 1
// prints: i: (0, -1, -1, 0) (-1, 0, 0, 0) (0, 0, -1, 0) (-1, 0, 0, -1) (1, 1, 0, 1) (-1, 0, -1, 0) (1, 20, 3, 40) (0, 0, -1, 0) (1, 0, 1, 0) (1069547520, 2, 3, 4)
// no-diagnostics
kernel void k(global float *f, global int4 *i) {
    float one = get_global_size(0), nan = NAN * one;
    f[0] = clamp(2.5f * one, 1.0f, 2.0f);
    f[1] = max(-1.0f * one, -2.0f);
    f[2] = mix(1.0f, 2.0f, 0.5f * one);
    f[3] = max((float2)(1, 2 * one), 3.0f).y;
    f[4] = smoothstep(0.0f, 2.0f, one);
    f[5] = step(2.0f, one);
    f[6] = step(one, 1.0f);
    f[7] = smoothstep(1.0f, 2.0f, 0.5f * one);
    f[8] = smoothstep((float2)(0, 1), (float2)(1, 2), (float2)(one * 3)).x;
    f[9] = sign(4.0f * one);
    f[10] = sign(-0.1f * one);
    f[11] = sign(nan);
    f[12] = degrees(M_PI_F * one);
    f[13] = radians(90.0f * one) * M_1_PI_F;
    f[14] = dot((float3)(1, 2, 3), (float3)(1, 2, 2) * one);
    f[15] = length((float2)(3, 4) * one);
    f[16] = distance((float4)(1, 2, 3, 4) * one, (float4)(1, 2, 3, 1));
    float3 c = cross((float3)(1, 0, 0) * one, (float3)(0, 1, 0));
    vstore3(c == 0 ? (float3)(0) : c, 0, f + 17);
    f[20] = rint(normalize((float2)(0, 2) * one).y * 65536) / 131072;
    f[21] = fast_length((float2)(one, 0));
    f[22] = fmin(2.0f * one, nan);
    f[23] = fmax(nan, 2.5f);
    float4 d = (float4)(7, 8, 0, -3) * one;
    vstore4(d, 0, f + 24);
    f[28] = dot(6.0f, one);
    f[29] = min(d, -3.0f).x;
    f[30] = bitselect(0.0f, 1.0f, 2.0f * one) + 1.0f;
    f[31] = select(3.0f, 4.0f, (int)one);
    f[32] = dot((float4)(4, 3, 0, 0) * one, (float4)(4, 3, 1, 1));
    f[33] = rint(normalize((float4)(0, 0, 3, 0) * one).z * 65536) / 65536;
    float4 v = (float4)(1, nan, INFINITY * one, 0);
    i[0] = (int4)(isnan(one), isnan(v).yy, isinf(one));
    i[1] = isequal(v, (float4)(1, nan, 3, 4));
    i[2] = isinf(v);
    i[3] = isfinite(v);
    i[4] = (int4)(isnan(nan), isless(one, 2.0f), isgreater(one, nan), isunordered(one, nan));
    i[5] = signbit(as_float4((uint4)(0xbf800000u, 0x3f800000u, 0x80000000u, 0) * (uint)one));
    i[6] = select((int4)(1, 2, 3, 4), (int4)(10, 20, 30, 40), (int4)(1, -1, 0x7fffffff, INT_MIN));
    i[7] = isnormal((float4)(0, INFINITY, one, nan));
    i[8] = (int4)(any((int2)(0, -1)), all((int2)(-1, 1)), any((char)-1), any((int4)(1)));
    i[9] = as_int4((float4)(1.5f * one, as_float3((int3)(2, 3, 4))));
}
