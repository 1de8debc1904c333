// Of large angles sin, cos and tan of one program share a function that stays one: it is called, not copied (OpenCL C §7.4).
// run: --kernel k --global 8 --arg float[8]:values=5000.0,12345.677734375,1000000.0,-10000000000.0,3.0000000054977558e+38,22.0,0.5,7.49999997438472e+20 --arg bad=int[8] --print bad
// prints: bad: 0 0 0 0 0 0 0 0
// no-diagnostics
constant float3 expected[8] = {
    (float3)(-0.987966418f, 0.154668406f, -6.38764238f), (float3)(-0.704269886f, 0.709932327f, -0.992024004f),
    (float3)(-0.349993497f, 0.936752141f, -0.373624444f), (float3)(0.487506032f, 0.873119652f, 0.558349609f),
    (float3)(0.874904871f, -0.484294772f, -1.80655444f), (float3)(-0.00885130931f, -0.99996084f, 0.00885165576f),
    (float3)(0.47942555f, 0.87758255f, 0.546302497f), (float3)(-0.966690421f, 0.255948544f, -3.77689338f),
};
int far_from(float got, float want, int ulps) {
    int distance = as_int(got) - as_int(want);
    return abs(distance) > ulps;
}
kernel void k(global const float *angles, global int *bad) {
    int n = get_global_id(0);
    float x = angles[n];
    float3 want = expected[n];
    bad[n] = far_from(sin(x), want.x, 4) | far_from(cos(x), want.y, 4) << 1 | far_from(tan(x), want.z, 5) << 2;
}
