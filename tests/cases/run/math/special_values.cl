// Zeros, infinities and NaNs of the functions of numbers: what C99 F.9 and OpenCL C §7.5.1 prescribe exactly, of scalars and
// vectors, at run time. A row has the arguments and the result; every NaN is one. What fails is printed as 100 times the
// function's number plus the row's.
// no-diagnostics
// run[address]: -DT=float --kernel rounding --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=float --kernel trigonometry --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=float --kernel turns --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=float --kernel exponentials --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=float --kernel gammas --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=float --kernel pairs --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=float --kernel powers --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=float --kernel parts --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel rounding --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel trigonometry --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel turns --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel exponentials --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel gammas --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel pairs --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel powers --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel parts --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=half --kernel rounding --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=half --kernel trigonometry --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=half --kernel turns --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=half --kernel exponentials --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=half --kernel gammas --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=half --kernel pairs --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=half --kernel powers --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=half --kernel parts --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifndef T
#define T float
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define T2 JOIN(T, 2)
#define INF ((T)INFINITY)
#define Z ((T)0.0f)
#define BITS JOIN(BITS_, T)
#define BITS_float uint
#define BITS_double ulong
#define BITS_half ushort
#define AS_BITS JOIN(as_, BITS)
#define AS_T JOIN(as_, T)
#define LEAST AS_T((BITS)1)
#define TINY JOIN(TINY_, T)
#define TINY_float 0x1p-100f
#define TINY_double 0x1p-1000
#define TINY_half ((half)0x1p-13f)
#define BELOW1 JOIN(BELOW1_, T)
#define BELOW1_float 0x1.fffffep-1f
#define BELOW1_double 0x1.fffffffffffffp-1
#define BELOW1_half ((half)0x1.ffcp-1f)
#define ANY 77
int same(T a, T b) { return isnan(b) ? isnan(a) : AS_BITS(a) == AS_BITS(b); }
void failed(global int *out, int row) {
    int n = ++out[0];
    if (n < 12) out[n] = row;
}
// What the compiler cannot know.
T hidden(T x, int zero) { return AS_T((BITS)(AS_BITS(x) ^ (BITS)zero)); }
#define ROWS(f, columns) (int)(sizeof(f##_rows) / sizeof(T) / columns) + zero
#define UNARY(f, ...) \
    constant T f##_rows[] = { __VA_ARGS__ }; \
    void f##_test(int number, int zero, global int *out) { \
        for (int i = 0; i < ROWS(f, 2); i++) { \
            T x = hidden(f##_rows[2 * i], zero), wanted = f##_rows[2 * i + 1]; \
            T2 v = f((T2)(1, x)); \
            if (!same(f(x), wanted) || !same(v.y, wanted)) failed(out, 100 * number + i); \
        } \
    }
#define BINARY(f, ...) \
    constant T f##_rows[] = { __VA_ARGS__ }; \
    void f##_test(int number, int zero, global int *out) { \
        for (int i = 0; i < ROWS(f, 3); i++) { \
            T x = hidden(f##_rows[3 * i], zero), y = hidden(f##_rows[3 * i + 1], zero); \
            T wanted = f##_rows[3 * i + 2]; \
            T2 v = f((T2)(x, 1), (T2)(y, 1)); \
            if (!same(f(x, y), wanted) || !same(v.x, wanted)) failed(out, 100 * number + i); \
        } \
    }
#define POWER(f, ...) \
    constant struct { T x; int n; T wanted; } f##_rows[] = { __VA_ARGS__ }; \
    void f##_test(int number, int zero, global int *out) { \
        for (int i = 0; i < (int)(sizeof(f##_rows) / sizeof(f##_rows[0])) + zero; i++) { \
            T x = hidden(f##_rows[i].x, zero), wanted = f##_rows[i].wanted; \
            int n = f##_rows[i].n ^ zero; \
            T2 v = f((T2)(x, 1), (int2)(n, 1)); \
            if (!same(f(x, n), wanted) || !same(v.x, wanted)) failed(out, 100 * number + i); \
        } \
    }
#define BOTH(f, ...) \
    constant T f##_rows[] = { __VA_ARGS__ }; \
    void f##_test(int number, int zero, global int *out) { \
        for (int i = 0; i < ROWS(f, 3); i++) { \
            T x = hidden(f##_rows[3 * i], zero), wanted = f##_rows[3 * i + 1], second = f##_rows[3 * i + 2]; \
            T other; \
            T2 others; \
            T result = f(x, &other); \
            T2 v = f((T2)(x, 1), &others); \
            int right = same(result, wanted) && same(v.x, wanted) && same(other, second) && same(others.x, second); \
            if (!right) failed(out, 100 * number + i); \
        } \
    }
#define WITH_INT(f, ...) \
    constant struct { T x; T wanted; int second; } f##_rows[] = { __VA_ARGS__ }; \
    void f##_test(int number, int zero, global int *out) { \
        for (int i = 0; i < (int)(sizeof(f##_rows) / sizeof(f##_rows[0])) + zero; i++) { \
            T x = hidden(f##_rows[i].x, zero), wanted = f##_rows[i].wanted; \
            int other, second = f##_rows[i].second; \
            int2 others; \
            T result = f(x, &other); \
            T2 v = f((T2)(1, x), &others); \
            int right = same(result, wanted) && same(v.y, wanted) && (second == ANY || (other == second && others.y == second)); \
            if (!right) failed(out, 100 * number + i); \
        } \
    }
UNARY(acos, 1, 0, 2, (T)NAN, -2, (T)NAN, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(acosh, 1, 0, 0.5, (T)NAN, 0, (T)NAN, -1, (T)NAN, INF, INF, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(acospi, 1, 0, 2, (T)NAN, -2, (T)NAN, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(asin, 0, 0, -Z, -Z, 2, (T)NAN, -2, (T)NAN, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(asinh, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN)
UNARY(asinpi, 0, 0, -Z, -Z, 2, (T)NAN, -2, (T)NAN, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(atan, 0, 0, -Z, -Z, (T)NAN, (T)NAN)
UNARY(atanh, 0, 0, -Z, -Z, 1, INF, -1, -INF, 2, (T)NAN, -2, (T)NAN, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(atanpi, 0, 0, -Z, -Z, INF, 0.5, -INF, -0.5, (T)NAN, (T)NAN)
UNARY(cbrt, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN)
UNARY(ceil, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN, -0.5, -Z, 0.5, 1, -1, -1, -TINY, -Z)
UNARY(floor, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN, -0.5, -1, 0.5, 0, -1, -1)
UNARY(rint, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN, -0.5, -Z, -0.25, -Z, 0.5, 0, 1.5, 2, 2.5, 2, -2.5, -2,
    -TINY, -Z)
UNARY(round, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN, -0.25, -Z, -0.5, -1, 0.5, 1, 0.25, 0, 2.5, 3,
    -TINY, -Z)
UNARY(trunc, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN, -0.5, -Z, 0.5, 0, -1.5, -1, -TINY, -Z)
UNARY(cos, 0, 1, -Z, 1, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(cosh, 0, 1, -Z, 1, INF, INF, -INF, INF, (T)NAN, (T)NAN)
UNARY(cospi, 0, 1, -Z, 1, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN, 0.5, 0, -0.5, 0, 1.5, 0, -1.5, 0, 2.5, 0, 7.5, 0,
    1, -1, -1, -1, 2, 1)
UNARY(sinpi, 0, 0, -Z, -Z, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN, 1, 0, 2, 0, 3, 0, -1, -Z, -2, -Z, -3, -Z,
    0.5, 1, -0.5, -1, 1.5, -1)
UNARY(tanpi, 0, 0, -Z, -Z, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN, 1, -Z, -1, 0, 2, 0, -2, -Z, 3, -Z, -3, 0,
    0.5, INF, 1.5, -INF, -0.5, -INF, -1.5, INF, 2.5, INF)
UNARY(erf, 0, 0, -Z, -Z, INF, 1, -INF, -1, (T)NAN, (T)NAN)
UNARY(erfc, INF, 0, -INF, 2, (T)NAN, (T)NAN)
UNARY(exp, 0, 1, -Z, 1, INF, INF, -INF, 0, (T)NAN, (T)NAN)
UNARY(exp2, 0, 1, -Z, 1, INF, INF, -INF, 0, (T)NAN, (T)NAN)
UNARY(exp10, 0, 1, -Z, 1, INF, INF, -INF, 0, (T)NAN, (T)NAN)
UNARY(expm1, 0, 0, -Z, -Z, INF, INF, -INF, -1, (T)NAN, (T)NAN)
UNARY(fabs, 0, 0, -Z, 0, INF, INF, -INF, INF, (T)NAN, (T)NAN)
UNARY(log, 0, -INF, -Z, -INF, 1, 0, -1, (T)NAN, INF, INF, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(log2, 0, -INF, -Z, -INF, 1, 0, -1, (T)NAN, INF, INF, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(log10, 0, -INF, -Z, -INF, 1, 0, -1, (T)NAN, INF, INF, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(log1p, 0, 0, -Z, -Z, -1, -INF, -2, (T)NAN, INF, INF, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(logb, 0, -INF, -Z, -INF, INF, INF, -INF, INF, 1, 0, (T)NAN, (T)NAN)
UNARY(rsqrt, 0, INF, -Z, -INF, INF, 0, -1, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(sqrt, 0, 0, -Z, -Z, INF, INF, -1, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(sin, 0, 0, -Z, -Z, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(tan, 0, 0, -Z, -Z, INF, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(sinh, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN)
UNARY(tanh, 0, 0, -Z, -Z, INF, 1, -INF, -1, (T)NAN, (T)NAN)
UNARY(tgamma, 0, INF, -Z, -INF, -1, (T)NAN, -2, (T)NAN, INF, INF, -INF, (T)NAN, (T)NAN, (T)NAN)
UNARY(lgamma, 1, 0, 2, 0, 0, INF, -Z, INF, -1, INF, -2, INF, INF, INF, -INF, INF, (T)NAN, (T)NAN)
UNARY(degrees, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN)
UNARY(radians, 0, 0, -Z, -Z, INF, INF, -INF, -INF, (T)NAN, (T)NAN)
UNARY(sign, 0, 0, -Z, -Z, INF, 1, -INF, -1, (T)NAN, 0, TINY, 1, -TINY, -1)
BINARY(atan2, 0, 0, 0, -Z, 0, -Z, 0, 1, 0, -Z, 1, -Z, 1, INF, 0, -1, INF, -Z, (T)NAN, 1, (T)NAN, 1, (T)NAN, (T)NAN)
BINARY(atan2pi, 0, -Z, 1, -Z, -Z, -1, 0, 0, 0, -Z, 0, -Z, 0, -1, 1, -Z, -1, -1, 0, 1, 0, -Z, 1, -Z, -1, 0, -0.5,
    -1, -Z, -0.5, 1, 0, 0.5, 1, -Z, 0.5, 1, -INF, 1, -1, -INF, -1, 1, INF, 0, -1, INF, -Z, INF, 1, 0.5, -INF, 1, -0.5,
    INF, -INF, 0.75, -INF, -INF, -0.75, INF, INF, 0.25, -INF, INF, -0.25, (T)NAN, 1, (T)NAN, 1, (T)NAN, (T)NAN)
BINARY(copysign, 1, -Z, -1, 0, -1, -Z, -Z, 1, 0, -INF, 0, INF)
BINARY(fdim, 0, 0, 0, -Z, 0, 0, 0, -Z, 0, -Z, -Z, 0, 1, INF, 0, INF, 1, INF, INF, INF, 0, -INF, -INF, 0,
    (T)NAN, 1, (T)NAN, 1, (T)NAN, (T)NAN, 1, 1, 0, 1, 2, 0, 3, 1, 2)
BINARY(fmax, (T)NAN, 1, 1, 1, (T)NAN, 1, (T)NAN, (T)NAN, (T)NAN, INF, 1, INF, -INF, 1, 1, (T)NAN, -Z, -Z,
    (T)NAN, INF, INF)
BINARY(fmin, (T)NAN, 1, 1, 1, (T)NAN, 1, (T)NAN, (T)NAN, (T)NAN, INF, 1, 1, -INF, 1, -INF, (T)NAN, -Z, -Z,
    (T)NAN, INF, INF)
BINARY(fmod, 0, 1, 0, -Z, 1, -Z, 0, (T)NAN, (T)NAN, 1, 0, (T)NAN, 1, -Z, (T)NAN, INF, 1, (T)NAN, -INF, 1, (T)NAN,
    1, INF, 1, -1, -INF, -1, (T)NAN, 1, (T)NAN, -2, 1, -Z, 2, 1, 0, 2, -1, 0, 0, INF, 0, -Z, INF, -Z, -TINY, 1, -TINY)
BINARY(remainder, 0, 1, 0, -Z, 1, -Z, 0, (T)NAN, (T)NAN, 1, 0, (T)NAN, INF, 1, (T)NAN, -INF, 1, (T)NAN, 1, INF, 1,
    -1, INF, -1, (T)NAN, 1, (T)NAN, -2, 1, -Z, 2, 1, 0, 0, INF, 0, -Z, -INF, -Z)
BINARY(hypot, INF, (T)NAN, INF, (T)NAN, -INF, INF, 0, -Z, 0, -Z, -Z, 0, -3, 0, 3, 0, -3, 3, (T)NAN, 1, (T)NAN,
    1, (T)NAN, (T)NAN, -INF, 1, INF)
BINARY(maxmag, 1, -2, -2, (T)NAN, 1, 1, 1, (T)NAN, 1, -INF, 1, -INF)
BINARY(minmag, 1, -2, 1, (T)NAN, 1, 1, 1, (T)NAN, 1, -INF, 1, 1, -Z, 1, -Z)
BINARY(nextafter, -Z, 1, LEAST, 0, 1, LEAST, 0, -1, -LEAST, -Z, -1, -LEAST, 0, -Z, -Z, -Z, 0, 0, 1, (T)NAN, (T)NAN,
    (T)NAN, 1, (T)NAN, INF, INF, INF, LEAST, 0, 0, -LEAST, 0, -Z, -LEAST, 1, -Z)
BINARY(pow, 0, -1, INF, -Z, -1, -INF, 0, -2, INF, -Z, -2, INF, -Z, -3, -INF, -Z, -0.5, INF, 0, -INF, INF,
    -Z, -INF, INF, 0, 1, 0, -Z, 1, -Z, -Z, 2, 0, -Z, 3, -Z, -Z, 0.5, 0, 0, 0.5, 0, -Z, INF, 0, -1, INF, 1,
    -1, -INF, 1, 1, (T)NAN, 1, 1, INF, 1, (T)NAN, 0, 1, (T)NAN, -Z, 1, 0, 0, 1, -Z, 0, 1, INF, 0, 1, -2, 0.5, (T)NAN,
    0.5, -INF, INF, -0.5, -INF, INF, 2, -INF, 0, -2, -INF, 0, 0.5, INF, 0, 2, INF, INF, -2, INF, INF, -INF, -1, -Z,
    -INF, -2, 0, -INF, -0.5, 0, -INF, 1, -INF, -INF, 2, INF, -INF, 0.5, INF, -INF, 3, -INF, INF, -1, 0, INF, 1, INF,
    (T)NAN, 1, (T)NAN, 2, (T)NAN, (T)NAN, -INF, INF, INF, -INF, -INF, 0, INF, (T)NAN, (T)NAN, 0, (T)NAN, (T)NAN)
BINARY(powr, 0, -1, INF, -Z, -1, INF, 0, -INF, INF, -Z, -INF, INF, 0, 1, 0, -Z, 1, 0, -Z, 3, 0, 0, INF, 0, -Z, INF, 0,
    1, 2, 1, 1, -2, 1, -1, 1, (T)NAN, -1, 2, (T)NAN, 0, 0, (T)NAN, -Z, 0, (T)NAN, 0, -Z, (T)NAN, INF, 0, (T)NAN,
    INF, -Z, (T)NAN, 1, INF, (T)NAN, 1, -INF, (T)NAN, 2, (T)NAN, (T)NAN, 1, (T)NAN, (T)NAN, 0, (T)NAN, (T)NAN,
    (T)NAN, 1, (T)NAN, (T)NAN, 0, (T)NAN, 2, 0, 1, 2, -Z, 1, INF, 1, INF, INF, -1, 0, -INF, 1, (T)NAN, 2, INF, INF,
    2, -INF, 0, 0.5, INF, 0, INF, INF, INF, INF, -INF, 0)
BINARY(step, 0, -Z, 1, -Z, 0, 1, 1, INF, 1, 1, -INF, 0)
BINARY(max, INF, 1, INF, -INF, 1, 1)
BINARY(min, INF, 1, 1, -INF, 1, -INF)
POWER(pown, { (T)NAN, 0, 1 }, { 0, 0, 1 }, { -Z, 0, 1 }, { INF, 0, 1 }, { -INF, 0, 1 }, { 0, -1, INF },
    { -Z, -1, -INF }, { 0, -2, INF }, { -Z, -2, INF }, { 0, 2, 0 }, { -Z, 2, 0 }, { 0, 3, 0 }, { -Z, 3, -Z },
    { -INF, 3, -INF }, { -INF, 2, INF }, { -INF, -1, -Z }, { -INF, -2, 0 }, { INF, -1, 0 }, { INF, 3, INF },
    { (T)NAN, 1, (T)NAN }, { (T)NAN, -1, (T)NAN }, { -Z, 1, -Z }, { 1, 2147483647, 1 }, { -1, 2147483647, -1 })
POWER(rootn, { 0, -1, INF }, { -Z, -1, -INF }, { 0, -2, INF }, { -Z, -2, INF }, { 0, 2, 0 }, { -Z, 2, 0 },
    { 0, 3, 0 }, { -Z, 3, -Z }, { -1, 2, (T)NAN }, { 1, 0, (T)NAN }, { 0, 0, (T)NAN }, { -1, -2, (T)NAN },
    { INF, 2, INF }, { INF, -1, 0 }, { -INF, 3, -INF }, { -INF, 2, (T)NAN }, { -INF, -3, -Z }, { (T)NAN, 1, (T)NAN },
    { (T)NAN, 2, (T)NAN })
POWER(ldexp, { 0, 5, 0 }, { -Z, 5, -Z }, { -Z, -5, -Z }, { INF, -5, INF }, { -INF, 5, -INF }, { (T)NAN, 1, (T)NAN },
    { 1, 0, 1 }, { -1, -2000, -Z }, { -1, 2000, -INF }, { 1, -2147483647, 0 }, { 1, 2147483647, INF })
BOTH(fract, 0, 0, 0, -Z, -Z, -Z, INF, 0, INF, -INF, -Z, -INF, (T)NAN, (T)NAN, (T)NAN, -1, 0, -1, 1, 0, 1, 1.5, 0.5, 1,
    -0.25, 0.75, -1, -TINY, BELOW1, -1)
BOTH(modf, 0, 0, 0, -Z, -Z, -Z, INF, 0, INF, -INF, -Z, -INF, (T)NAN, (T)NAN, (T)NAN, -1.5, -0.5, -1, 1, 0, 1,
    -1, -Z, -1, -0.25, -0.25, -Z)
BOTH(sincos, 0, 0, 1, -Z, -Z, 1, INF, (T)NAN, (T)NAN, -INF, (T)NAN, (T)NAN, (T)NAN, (T)NAN, (T)NAN)
WITH_INT(frexp, { 0, 0, 0 }, { -Z, -Z, 0 }, { INF, INF, 0 }, { -INF, -INF, 0 }, { (T)NAN, (T)NAN, 0 }, { 1, 0.5, 1 },
    { -4, -0.5, 3 })
WITH_INT(lgamma_r, { 0, INF, 0 }, { -Z, INF, 0 }, { -1, INF, 0 }, { -2, INF, 0 }, { 1, 0, 1 }, { 2, 0, 1 },
    { INF, INF, 1 }, { (T)NAN, (T)NAN, ANY })
kernel void rounding(global int *zero, global int *out) {
    ceil_test(1, *zero, out);
    floor_test(2, *zero, out);
    rint_test(3, *zero, out);
    round_test(4, *zero, out);
    trunc_test(5, *zero, out);
    fabs_test(6, *zero, out);
    sqrt_test(7, *zero, out);
    rsqrt_test(8, *zero, out);
    sign_test(9, *zero, out);
    degrees_test(10, *zero, out);
    radians_test(11, *zero, out);
    cbrt_test(12, *zero, out);
}
kernel void trigonometry(global int *zero, global int *out) {
    acos_test(13, *zero, out);
    asin_test(14, *zero, out);
    atan_test(15, *zero, out);
    cos_test(16, *zero, out);
    sin_test(17, *zero, out);
    tan_test(18, *zero, out);
    acospi_test(19, *zero, out);
    asinpi_test(20, *zero, out);
    atanpi_test(21, *zero, out);
}
kernel void turns(global int *zero, global int *out) {
    cospi_test(22, *zero, out);
    sinpi_test(23, *zero, out);
    tanpi_test(24, *zero, out);
    sincos_test(25, *zero, out);
    cosh_test(26, *zero, out);
    sinh_test(27, *zero, out);
    tanh_test(28, *zero, out);
    acosh_test(29, *zero, out);
    asinh_test(30, *zero, out);
    atanh_test(31, *zero, out);
}
kernel void exponentials(global int *zero, global int *out) {
    exp_test(32, *zero, out);
    exp2_test(33, *zero, out);
    exp10_test(34, *zero, out);
    expm1_test(35, *zero, out);
    log_test(36, *zero, out);
    log2_test(37, *zero, out);
    log10_test(38, *zero, out);
    log1p_test(39, *zero, out);
    logb_test(40, *zero, out);
}
kernel void gammas(global int *zero, global int *out) {
    erf_test(41, *zero, out);
    erfc_test(42, *zero, out);
    tgamma_test(43, *zero, out);
    lgamma_test(44, *zero, out);
    lgamma_r_test(45, *zero, out);
}
kernel void pairs(global int *zero, global int *out) {
    atan2_test(46, *zero, out);
    atan2pi_test(47, *zero, out);
    copysign_test(48, *zero, out);
    fdim_test(49, *zero, out);
    fmax_test(50, *zero, out);
    fmin_test(51, *zero, out);
    fmod_test(52, *zero, out);
    remainder_test(53, *zero, out);
    hypot_test(54, *zero, out);
    maxmag_test(55, *zero, out);
    minmag_test(56, *zero, out);
    nextafter_test(57, *zero, out);
    step_test(58, *zero, out);
    max_test(59, *zero, out);
    min_test(60, *zero, out);
}
kernel void powers(global int *zero, global int *out) {
    pow_test(61, *zero, out);
    powr_test(62, *zero, out);
    pown_test(63, *zero, out);
    rootn_test(64, *zero, out);
    ldexp_test(65, *zero, out);
}
kernel void parts(global int *zero, global int *out) {
    fract_test(66, *zero, out);
    modf_test(67, *zero, out);
    frexp_test(68, *zero, out);
}
