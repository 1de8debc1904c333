// Vectors: literals of parts, swizzles read and written, comparisons, selections, conversions.
kernel void k(global float4 *f, global uchar16 *u, global short8 *s, double2 d) {
    float4 a = (float4)(f[0].wzy, 1), b = { 1, 2, 3, 4 };
    a.s02 = b.even; a.hi += b.odd; a.xyz *= 2;
    int4 m = a < b && a != 0;
    f[1] = m ? a : -b;
    u[0] = convert_uchar16_sat_rte((float16)(a, b, a.wwww, b.xxyy)) >> (uchar16)9;
    s[0].lo = as_short4(u[0].s01234567); s[0].s7 = any(m) + all(m.xy);
    vstore3(vload3(1, (global float *)f), 2, (global float *)f);
    f[2].x = dot(a, b) + length(cross(a.xyz, b.xyz)) + (float)d.y + shuffle2(a, b, (uint4)(7, 0, 3, 4)).y;
}
