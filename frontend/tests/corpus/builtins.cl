kernel __attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((vec_type_hint(float4)))
void items(global ulong *out, uint d) {
    out[0] = get_global_id(0); out[1] = get_global_id(d); out[2] = get_global_size(1); out[3] = get_local_size(2);
    out[4] = get_group_id(0); out[5] = get_num_groups(3); out[6] = get_work_dim(); out[7] = get_global_offset(0);
    out[8] = get_local_id(1);
}
kernel void sync(global int *g, local int *l, volatile global uint *u, global float *f, uint flags) {
    barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE); barrier(flags);
    mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_LOCAL_MEM_FENCE); write_mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_add(g, 1); atomic_sub(l, 2); atomic_inc(u); atomic_dec(u); atomic_xchg(f, 1.0f); atomic_cmpxchg(g, 1, 2);
    atomic_min(g, 3); atomic_max(u, 3u); atomic_and(l, 1); atomic_or(g, 2); atomic_xor(u, 3u);
    event_t e = async_work_group_copy(l, g, 10, 0);
    e = async_work_group_strided_copy(l, g, 10, 2, e);
    wait_group_events(1, &e);
    prefetch(g, 4);
}
kernel void math(global float4 *o, global const float4 *in, global int4 *oi, global float *s) {
    float4 a = in[0], b = in[1], c;
    int4 e;
    o[0] = sin(a) + cos(b) * exp(a) - log2(b); o[1] = fma(a, b, a); o[2] = mad(a, b, a); o[3] = pow(a, b);
    o[4] = fract(a, &c) + c; o[5] = frexp(a, &e); oi[0] = e; o[6] = sincos(a, &c); o[7] = ldexp(a, 3);
    o[8] = clamp(a, 0.0f, 1.0f); o[9] = mix(a, b, 0.5f); o[10] = step(a, b); o[11] = smoothstep(a, b, a);
    o[12] = fmin(a, 1.0f); o[13] = native_sin(a); o[14] = half_cos(a.x); o[15] = min(a, b);
    oi[1] = mul_hi(oi[2], oi[3]); oi[4] = mad24(oi[0], oi[1], oi[2]); oi[5] = clz(oi[6]); oi[7] = popcount(oi[7]);
    oi[8] = rotate(oi[9], 3); oi[10] = add_sat(oi[0], oi[1]); oi[11] = hadd(oi[0], oi[1]); s[0] = distance(a, b);
    oi[12] = convert_int4(abs_diff(oi[0], oi[1])); oi[13] = clamp(oi[0], 1, 5); oi[14] = isless(a, b);
    s[1] = select(1.0f, 2.0f, oi[0].x); s[2] = bitselect(s[3], s[4], s[5]); s[6] = as_float(oi[0].x);
    o[16] = shuffle(a, (uint4)(3, 2, 1, 0)); o[17] = shuffle2(a, b, (uint4)(0, 4, 1, 5)); s[7] = vec_step(float4);
    s[8] = nextafter(s[8], 1.0f); s[9] = (float)isinf(s[9]) + signbit(s[10]); s[11] = sign(s[11]);
}
kernel void loads(global float *f, global half *h, local uchar *u, constant int *c) {
    float8 v = vload8(1, f); vstore8(v, 2, f); vstore4(vload4(3, f), 0, f);
    uchar16 b = vload16(0, u); vstore2(b.lo.lo.lo, 3, u);
    f[0] = vload_half(3, h); vstore_half(f[1], 2, h); vstore_half_rtz(f[2], 3, h);
    float4 h4 = vload_half4(0, h); vstore_half4_rte(h4, 1, h); vstorea_half4(vloada_half4(2, h), 3, h);
    f[3] = vload2(0, c).y;
}
kernel void conversions(global int *o, float f, double d, uint u, long l) {
    o[0] = convert_int_rtp(f); o[1] = convert_char_sat(u); o[2] = convert_uchar_sat(o[0]); o[3] = convert_short_sat(o[1]);
    o[4] = convert_uint_sat(d); o[5] = convert_int(l); o[6] = (int)convert_float_rtz(l); o[7] = (int)convert_double(f);
    o[8] = convert_ushort_sat(u); o[9] = (int)convert_ulong_sat(l); o[10] = as_uint(f); o[11] = (int)as_long(d);
    o[12] = (char)f; o[13] = (uchar)d; o[14] = (short)l; o[15] = (int)(float)u;
}
kernel void print(global int *o, float4 v) {
    printf("%d %s %v4hlf %c%%\n", o[0], "text", v, 'c');
    printf("plain\n");
}
