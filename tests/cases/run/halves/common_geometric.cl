// Common and geometric functions of halves, scalars and vectors, against floats: how many of 64 are beyond their bound (cl_khr_fp16).
// run: --kernel k --global 64 --arg half[64]:random=3,-7,7 --arg half[64]:random=4,-7,7 --arg int[24] --print bad
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
// Whether h is more than so many units in the last place of a half from f.
int off(half h, float f, float ulps) {
    float g = h;
    if (isnan(f)) return !isnan(g);
    if (fabs(f) >= 65504.0f) return fabs(g) < 65504.0f;
    float unit = ldexp(1.0f, max(ilogb(f), -14) - 10);
    return fabs(g - f) > ulps * unit;
}
kernel void k(global const half *a, global const half *b, global int *bad) {
    int i = get_global_id(0);
    half x = a[i], y = b[i], z = a[(i + 7) & 63];
    float u = x, v = y, w = z;
    half3 p = (half3)(x, y, z), q = vload3(i / 4, b);
    float3 P = (float3)(u, v, w), Q = convert_float3(q);
    half4 r = vload4(i / 4, a), s = vload4(i / 4, b);
    float4 R = convert_float4(r), S = convert_float4(s);
    int n = 0;
#define CHECK(h, f, ulps) atomic_add(&bad[n++], off(h, f, ulps))
    CHECK(clamp(x, (half)-1.0h, (half)2.0h), clamp(u, -1.0f, 2.0f), 0);
    CHECK(clamp(r, s, s + 1.0h).y, clamp(R, S, convert_float4(s + 1.0h)).y, 0);
    CHECK(degrees(x), degrees(u), 2);
    CHECK(radians(x), radians(u), 2);
    CHECK(max(x, y), max(u, v), 0);
    CHECK(min(r, (half)0.5h).z, min(R, 0.5f).z, 0);
    // Where the difference or the product is rounded: an ulp of each of them.
    CHECK(mix(x, y, (half)0.25h), u + (half)(y - x) * 0.25f, 4);
    CHECK(step(x, y), step(u, v), 0);
    CHECK(step((half)0.0h, r).w, step(0.0f, R).w, 0);
    half lower = min(x, y) - 1.0h, upper = max(x, y) + 1.0h;
    CHECK(smoothstep(lower, upper, z), smoothstep((float)lower, (float)upper, w), 8);
    CHECK(sign(x), sign(u), 0);
    CHECK(sign(-r).x, sign(-R).x, 0);
    CHECK(cross(p, q).x, cross(P, Q).x, (fabs(P.y * Q.z) + fabs(P.z * Q.y)) / max(fabs(cross(P, Q).x), 1e-3f) + 1);
    half4 c = cross((half4)(p, 9.0h), (half4)(q, 9.0h));
    CHECK(c.w, 0, 0);
    float size = fabs(R.x * S.x) + fabs(R.y * S.y) + fabs(R.z * S.z) + fabs(R.w * S.w);
    CHECK(dot(r, s), dot(R, S), 4 * size / max(fabs(dot(R, S)), 1e-3f));
    CHECK(dot(x, y), u * v, 1);
    CHECK(length(r), length(R), 4);
    CHECK(length(x), fabs(u), 1);
    CHECK(distance(p, q), distance(convert_float3(p - q), (float3)(0)), 4);
    CHECK(normalize(r).y, normalize(R).y, 4);
    CHECK(length(normalize(p)), 1, 4);
    // Squares that overflow.
    CHECK(length((half2)(3000.0h, 4000.0h)), 5000, 4);
    CHECK(normalize((half2)(30000.0h, 40000.0h)).x, 0.6f, 4);
    CHECK(fmax(nan((ushort)1), x), u, 0);
}
