// What compilers take beyond the language: statement expressions, typeof, cases of ranges, attributes.
#pragma OPENCL EXTENSION all : enable
static inline __attribute__((always_inline, pure)) int twice(int x) { return __extension__({ typeof(x) y = x; y + y; }); }
int __attribute__((overloadable)) pick(int a) { return a; }
float __attribute__((overloadable)) pick(float a) { return a; }
enum Kind { FIRST = 3, SECOND, LAST = SECOND * 2 };
__kernel __attribute__((vec_type_hint(float4))) void k(__global int *restrict p, const enum Kind kind) {
    __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 8; i++) p[i] = twice(i) + pick(i) + pick((float)i) + kind;
    p[0] = __builtin_expect(p[1] > LAST, 1) ?: _Generic(p[2], int: 1, default: 2);
}
