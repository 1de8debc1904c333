#define V(T, N, S)                                                                            \
    kernel void v_##T##N(global T##N *out, global const T##N *in, T s) {                      \
        T##N a = in[0], b = in[1];                                                            \
        out[0] = a + b; out[1] = a * s; out[2] = s - a; out[3] = -a; out[4] = (T##N)(s);      \
        out[5] = a < b ? a : b;                                                               \
        a.s0 = b.s1; a.lo = b.hi; out[6] = a; out[7].s1 = s; out[8].even = b.odd;             \
        a += b; a += s; out[9] = a -= s; out[10] *= b; out[11] = (T##N)(0);                   \
    }
V(float, 2, int) V(float, 4, int) V(float, 8, int) V(float, 16, int)
V(int, 2, int) V(int, 4, int) V(uint, 8, int) V(char, 16, char) V(uchar, 4, char) V(short, 2, short) V(long, 4, long)
kernel void three(global float3 *out, global const float *in, local float3 *l, int n) {
    float3 v = vload3(0, in);
    v.xy = v.yx; v.z += 1.0f;
    l[n] = v; l[n].zx = v.xy;
    out[0] = cross(v, l[n + 1]); out[1] = v.zyx; out[2] = (float3)(v.x, 1.0f, 2.0f);
    out[3] = (float3)(v.xy, n);
    out[4] = normalize(v); vstore3(v, 1, (global float *)out);
    float x = dot(v, v.zzz); out[5] = x;
}
kernel void compare(global int4 *out, global const float4 *in, int n, global float *f) {
    float4 a = in[0], b = in[1];
    out[0] = a == b; out[1] = a != b && a < b; out[2] = !a; out[3] = a || b; out[4] = isnan(a);
    out[5] = select((int4)1, (int4)2, a < b); out[6].x = any(a < b) + all(a > b);
    out[7] = convert_int4(a); out[8] = convert_int4_sat_rte(a); out[9] = as_int4(a); out[10] = (int4)(1, 2, 3, 4);
    int4 i = out[11] << 3; i >>= out[12]; i = i % 7; out[13] = ~i; out[14] = i ^ 5;
    f[0] = a[n & 3]; f[1] = a[2]; a[n & 3] = 4.0f; f[2] = in[n][1]; f[3] = length(a);
    uchar4 u = convert_uchar4_sat(a); out[15] = convert_int4(u);
    float4 w = (float4)(a.lo, b.hi); f[4] = w.w;
}
kernel void steps(global int4 *p, global uchar16 *q) { p[0]++; q[0] = --q[1]; q[2] = q[3]--; }
