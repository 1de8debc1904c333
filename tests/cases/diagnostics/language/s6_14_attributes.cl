// §6.14: attributes of kernels, types, variables and loops.
kernel __attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((work_group_size_hint(8, 1, 1), vec_type_hint(float4))) void all(global int *p) {
    __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 8; i++) p[i] = i;
    __attribute__((opencl_unroll_hint)) while (p[0] > 9) p[0]--;
#pragma unroll
    for (int i = 0; i < 8; i++) p[i] = i;
#pragma unroll 4
    for (int i = 0; i < 8; i++) p[i] = i;
#pragma unroll(2)
    do p[0]++; while (p[0] < 3);
#pragma nounroll
    for (int i = 0; i < 8; i++) p[i] = i;
}
kernel __attribute__((intel_reqd_sub_group_size(16))) void sized(void) {}
struct __attribute__((packed)) P { char c; int i; };
struct P2 { char c; int i; } __attribute__((packed, aligned(8)));
struct P3 { char c; int i __attribute__((aligned(16))); };
struct P4 { char c; int i __attribute__((packed)); };
typedef int wide __attribute__((aligned(16)));
struct P5 { char c; wide i; wide *p; };
_Static_assert(sizeof(struct P) == 5 && sizeof(struct P2) == 8 && __alignof__(struct P2) == 8 && sizeof(struct P3) == 32 && sizeof(struct P4) == 5, "");
_Static_assert(sizeof(struct P5) == 32, "the alignment of a typedef");
typedef float four __attribute__((ext_vector_type(4)));
__attribute__((always_inline)) inline int g(int a) { return a; }
__attribute__((noinline, const, pure, nothrow, unused, used, deprecated("old"))) int h(int a __attribute__((unused))) { return a; }
int __attribute__((overloadable)) over(int a) { return 1; }
float __attribute__((overloadable)) over(float a) { return 1; }
int __attribute__((overloadable)) over(global int *a) { return 1; }
int __attribute__((overloadable)) over(local int *a) { return 1; }
kernel void k(global int *p, local int *l) {
    int __attribute__((aligned(64))) a = 1;
    four v = (float4)(1);
    p[0] = over(1) + over(1.0f) + over(p) + over(l) + g(a) + h((int)v.x); //~ warning[deprecated]: 'h' is deprecated: old
}
