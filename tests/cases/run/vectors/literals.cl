// Vector literals from scalars and shorter vectors, broadcast, and conversion of each component (OpenCL C §6.1.6).
// run: --kernel k --global 1 --arg float4[4] --arg uchar16[1] --print f --print u
// prints: f: (1, 2, 3, 4) (1.5, 1.5, 1.5, 1.5) (7, 8, 7, 8) (3, 2.5, -1, 0)
// prints: u: (1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, 255, 0, 1, 2, 3)
// no-diagnostics
kernel void k(global float4 *f, global uchar16 *u) {
    float2 p = (float2)(7, 8);
    f[0] = (float4)(1, (float3)(2, 3, 4));
    f[1] = 1.5f;
    f[2] = (float4)(p, p);
    f[3] = (float4)((int)3.7f, 2.5, -1L, false);
    u[0] = (uchar16)((uchar8)(1, 2, 3, 4, 5, 6, 7, 8), (uchar4)(-1), (uchar)256, 1, (uchar2)(2, 3));
}
