// The preprocessor: functions of macros, pasting, strings, conditions, lines.
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define EACH(f, ...) f(1, __VA_ARGS__) f(2, __VA_ARGS__) f(3, __VA_ARGS__)
#define ADD(n, x) + CAT(x, n) * n
#define STR(x) #x
#if defined(cl_khr_fp64) && (__OPENCL_VERSION__ >= 120 || 0x10 == 020 - 0)
#define REAL double
#elif 1 ? 0 : 1
#error never
#else
#define REAL float
#endif
#line 77 "elsewhere.cl"
kernel void CAT(k, __LINE__)(global REAL *p) {
    REAL v1 = 1, v2 = 2, v3 = 3; // a comment \
    that goes on
    p[0] = 0 EACH(ADD, v); /* another */ printf("%s %d\n", STR(EACH(a "b\n")), __COUNTER__);
}
#pragma OPENCL FP_CONTRACT OFF
#undef REAL
