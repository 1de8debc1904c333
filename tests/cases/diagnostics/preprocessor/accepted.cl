// #, ##, rescanning, recursion that stops, predefined macros, #if arithmetic, variadics (C99 §6.10.3, OpenCL C §6.12).
// no-diagnostics
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define STR(x) #x
#define XSTR(x) STR(x)
#define rec(x) rec(x + 1)
#define EMPTY
#define VA(f, ...) f(__VA_ARGS__)
#define SUM(a, b) ((a) + (b))
int (rec)(int x) { return x; }
int XCAT(na, XCAT(m, e))(void) { return rec(1) + VA(SUM, 1, (2, 3)); }
constant char *constant s = XSTR(CAT(a, b) "q\n" EMPTY) STR();
#if !defined(__OPENCL_VERSION__) || __OPENCL_C_VERSION__ < 100 || CL_VERSION_1_2 != 120 || -1 > 0u == 0
#error predefined
#endif
#if (1 ? 2 : (1 / 0)) != 2 || ('a' != 97) || 0x7fffffffffffffff + 1u != 0x8000000000000000
#error arithmetic
#endif
#if 1
#elif 0 garbage that is skipped
#endif
#ifdef __ENDIAN_LITTLE__
constant int line = __LINE__;
#endif
#pragma STDC FP_CONTRACT ON
constant char *constant file = __FILE__;
