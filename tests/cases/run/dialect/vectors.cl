// clang's vectors: vector_size, ext_vector_type, shuffles, conversions, component by component, all in one; casts with suffixes.
// run: --kernel k --global 1 --arg int[64]:range=1 --print p
// prints: p: 1702 5 1 5 17124 42 -111900 20 2410 217 447 12 4334 1012 1521 2147483647 3418 34 43 9 6 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
// no-diagnostics
typedef int v4 __attribute__((vector_size(16)));
typedef float f2 __attribute__((ext_vector_type(2)));
typedef uchar b16 __attribute__((__vector_size__(16)));

int last(short __attribute__((vector_size(8))) v) { return v[3]; }

kernel void k(global int *p) {
    v4 a = { p[0], p[1], p[2], p[3] };
    v4 b = a * a + 1;
    f2 f = { 1.5f, -2.5f };
    b16 c = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, (uchar)p[4] };
    p[0] = b[0] + b[3] * 100;
    p[1] = b[1];
    p[2] = (int)(f.x * 2) + (int)f.s1;
    p[3] = c[15];
    int4 r = __builtin_shufflevector(a, b, 7, 0, 4, 3);
    p[4] = r.x * 1000 + r.y * 100 + r.z * 10 + r.w;
    int2 s = __builtin_shufflevector(a, a, 3, 1);
    p[5] = s.x * 10 + s.y;
    char4 t = __builtin_convertvector(a * 100, char4);
    p[6] = t.x + 1000 * t.w;
    float4 g = __builtin_convertvector(a, float4) / 2;
    p[7] = (int)(g.w * 10);
    p[8] = __builtin_reduce_add(a) + 100 * __builtin_reduce_mul(a);
    p[9] = __builtin_reduce_max(b) + 100 * __builtin_reduce_min(b);
    p[10] = __builtin_reduce_or(a) + 10 * __builtin_reduce_xor(a) + 100 * __builtin_reduce_and(a | 4);
    p[11] = (int)__builtin_reduce_max(g) + 10 * (int)(2 * __builtin_reduce_min(g));
    int4 e = __builtin_elementwise_max(a, 5 - a);
    p[12] = e.x * 1000 + e.y * 100 + e.z * 10 + e.w;
    e = __builtin_elementwise_abs(2 - a);
    p[13] = e.x * 1000 + e.y * 100 + e.z * 10 + e.w;
    p[14] = (int)__builtin_elementwise_ceil(g).x + 10 * (int)__builtin_elementwise_trunc(g).w + __builtin_elementwise_min(p[14], 100) * 100;
    p[15] = __builtin_elementwise_add_sat(2147483647, p[15]);
    // A suffix belongs to the vector that the cast makes.
    int n = p[16];
    int2 h = (int4)(n).zw + (int4)(n, 1, 2, 3).xy;
    p[16] = h.x * 100 + h.y;
    p[17] = ((int4)(n))[2] + (int4)(n)[1];
    float4 w = (float4)(1, 2, 3, 4);
    p[18] = (int)(float4)(w).w * 10 + (int)((float4)(w.yzwx).lo).y;
    p[19] = last((short4)(1, 2, 3, 9));
    int3 d = (int3)(1, 2, 3);
    p[20] = __builtin_reduce_add(d);
}
