// _Generic (C11 §6.5.1.1), `a ?: b` and range designators of GNU C, offsetof.
// run: --kernel k --global 1 --arg int[12] --print out
// no-diagnostics
constant int table[10] = { [0 ... 3] = 5, [7] = 2, 8, [2] = 9 };
typedef struct { int a; float b[4]; struct { char c, d; } e; } T;
#define KIND(x) _Generic((x), int: 1, uint: 2, float: 3, float4: 4, global int *: 5, default: 6)

int count(global int *p) { return ++*p; }

kernel void k(global int *out) {
    int i = out[0];
    float f = 0;
    out[1] = KIND(i) * 10000 + KIND(f) * 1000 + KIND((float4)(f)) * 100 + KIND(out) * 10 + KIND(1.0f < 2);
    out[2] = KIND('c') * 10 + KIND((uchar)1);
    out[3] = count(out) ?: 7;
    out[4] = i ?: 42;
    out[5] = i ?: out[3] ?: 8;
    out[6] = table[0] * 1000 + table[2] * 100 + table[3] * 10 + table[4];
    out[7] = table[7] * 10 + table[8];
    out[8] = __builtin_offsetof(T, b[2]) * 100 + __builtin_offsetof(T, e.d);
    int local_table[5] = { [1 ... 3] = i + 4 };
    out[9] = local_table[0] * 100 + local_table[1] * 10 + local_table[3];
    if (__builtin_expect(i == 0, 1)) out[10] = 1;
    int4 v = (int4)(-1, 0, 3, -4) ?: (int4)(9);
    out[11] = v.x + v.y * 10 + v.z * 100 + v.w * 1000;
}
// prints: out: 1 13451 16 1 42 1 5950 28 1221 44 1 -3011
