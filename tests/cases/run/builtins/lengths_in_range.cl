// length, distance and normalize neither overflow nor vanish where the result is a number (OpenCL C §6.15.5), and vectors with
// infinities have the direction of these (§7.5.1).
// run: --kernel k --global 5 --arg float[5]:values=1e20,1e-25,1e30,2e-38,2 --arg int[5]:const=9 --arg int[5]:const=9 --arg float[7]:const=9 --arg float[2]:const=9 --print bad --print bad_double --print edges --print nans
// prints: bad: 0 0 0 0 0
// prints: bad_double: 0 0 0 0 0
// prints: edges: 0 0 0 0 1 -1 1
// prints: nans: NaN NaN
// no-diagnostics
int off(float got, float want) { return !(fabs(got - want) <= fabs(want) * 1e-6f); }
int off_d(double got, double want) { return !(fabs(got - want) <= fabs(want) * 1e-14); }

kernel void k(global const float *scale, global int *bad, global int *bad_double, global float *edges, global float *nans) {
    size_t i = get_global_id(0);
    float s = scale[i];
    float2 v2 = (float2)(3.0f * s, 4.0f * s);
    float4 v4 = (float4)(2.0f * s, -4.0f * s, 5.0f * s, -6.0f * s);
    bad[i] = off(length(v2), 5.0f * s) | off(length(v4), 9.0f * s) | off(distance(v4, -v4), 18.0f * s)
        | off(normalize(v2).y, 0.8f) | off(normalize(v4.xyz).z, 0.745355993f) | off(normalize(v4).w, -0.666666667f);
    double d = s == 2.0f ? 2.0 : s < 1.0f ? (double)s * 1e-250 : (double)s * 1e250;
    double3 w = (double3)(2.0 * d, -3.0 * d, 6.0 * d);
    bad_double[i] = off_d(length(w), 7.0 * d) | off_d(distance(w, -w), 14.0 * d) | off_d(normalize(w).z, 6.0 / 7.0);
    if (i == 0) {
        float3 infinite = normalize((float3)(INFINITY, -INFINITY, s));
        edges[0] = off(infinite.x, M_SQRT1_2_F);
        edges[1] = off(infinite.y, -M_SQRT1_2_F);
        edges[2] = infinite.z;
        edges[3] = normalize((float2)(0.0f, 0.0f)).x;
        edges[4] = 1.0f - off(normalize((float4)(s, INFINITY, s, s)).y, 1.0f);
        edges[5] = normalize(-s);
        edges[6] = (float)normalize((double2)(as_double((ulong)(s == 2.0f ? 2 : 1)), 0.0)).x;
        nans[0] = normalize((float2)(NAN, s)).y;
        nans[1] = isnan(normalize((float2)(INFINITY, NAN)).x) ? normalize(nans[0]) : 0.0f;
    }
}
