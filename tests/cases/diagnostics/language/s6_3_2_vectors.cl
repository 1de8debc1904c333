// §6.3.2, §6.3.7: vector types, their sizes, literals and components.
// no-diagnostics
_Static_assert(sizeof(char3) == 4 && sizeof(float3) == 16 && sizeof(double16) == 128 && sizeof(uchar2) == 2, "sizes");
_Static_assert(__alignof__(short3) == 8 && __alignof__(int8) == 32, "alignments");
kernel void k(global float4 *p, global int8 *q, global half2 *h) {
    float4 f = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    f = (float4)((float2)(1, 2), (float2)(3, 4));
    f = (float4)(1.0f, (float2)(2, 3), 4.0f);
    f = (float4)((float3)(1, 2, 3), 1);
    f = (float4)(1);
    f = (float4){ 1, 2, 3, 4 };
    float8 g = (float8)(f, f), e = (float8)(f, 1, 2, 3, 4);
    float3 t = { 1, 2, 3 };
    f.x = 1; f.xy = (float2)(1); f.zyx = t; f.s3 = 2; f.S01 = f.s10; f.lo = f.hi; f.even = f.odd; t.hi.x = 1; f.lo.y = 2;
    q[0].s07 = q[1].s70; q[0].hi.lo = q[1].even.odd; q[0].s01234567 = q[1].S76543210; q[0].s5 = q[0][3];
}
