// hi and odd of 3 components: the fourth is nowhere, and nothing else is changed (OpenCL C §6.3.7).
// run: --kernel k --global 1 --arg float[16]:const=1 --arg float[16]:const=0 --print out
// no-diagnostics
constant float lower = ((float3)(4, 5, 6)).hi.x;

kernel void k(global float3 *in, global float *out) {
    float3 v = in[0];
    v.hi = (float2)(7, 8);
    out[0] = v.x; out[1] = v.y; out[2] = v.z;
    v.odd = (float2)(9, 10);
    out[3] = v.x; out[4] = v.y; out[5] = v.z;
    in[1].hi = v.lo;
    out[6] = in[1].x; out[7] = in[1].y; out[8] = in[1].z;
    in[2].odd += (float2)(2, 3);
    out[9] = in[2].x; out[10] = in[2].y; out[11] = in[2].z;
    out[12] = v.hi.x + lower;
}
// prints: out: 1 1 7 1 9 7 1 1 1 1 3 1 13 0 0 0
