// Vectors of 2, 3, 4, 8 and 16 components over an element type T (given by -DT=…): arithmetic, component access,
// shuffles, and packed loads and stores.
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define DEFINE(N)                                                                                        \
    __kernel void vec##N(__global const XCAT(T, N) * a, __global const XCAT(T, N) * b, __global XCAT(T, N) * out, \
                         __global T *packed) {                                                           \
        size_t i = get_global_id(0);                                                                     \
        XCAT(T, N) x = a[i], y = b[i], r = x + y * (T)3;                                                 \
        r.s0 = x.s1;                                                                                     \
        r.even = y.even - x.odd;                                                                         \
        r -= (XCAT(T, N))((T)1);                                                                         \
        out[i] = r;                                                                                      \
        XCAT(T, N) p = vload##N(i, packed);                                                              \
        p.s1 += r.s0;                                                                                    \
        vstore##N(p + x, i, packed);                                                                     \
    }
DEFINE(2)
DEFINE(4)
DEFINE(8)
DEFINE(16)

__kernel void vec3(__global const XCAT(T, 3) * a, __global const XCAT(T, 3) * b, __global XCAT(T, 3) * out,
                   __global T *packed) {
    size_t i = get_global_id(0);
    XCAT(T, 3) x = a[i], y = b[i], r = x + y * (T)3;
    r.s0 = x.s1;
    r.yz = r.zy - x.xx;
    r -= (XCAT(T, 3))((T)1);
    out[i] = r;
    XCAT(T, 3) p = vload3(i, packed);
    p.s1 += r.s0;
    vstore3(p + x, i, packed);
}
