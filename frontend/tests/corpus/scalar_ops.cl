// Every scalar type through every operator.
#define OPS(T, NAME)                                                                         \
    kernel void NAME(global T *out, global const T *in, T x, int n) {                         \
        size_t i = get_global_id(0);                                                          \
        T a = in[i], b = in[i + 1];                                                           \
        out[0] = a + b; out[1] = a - b; out[2] = a * b; out[3] = a / (b + (T)1);              \
        out[4] = a < b; out[5] = a <= b; out[6] = a == b; out[7] = a != b;                    \
        out[8] = a && b; out[9] = a || b; out[10] = !a; out[11] = -a; out[12] = +a;           \
        out[13] = a != 0 ? b : x;                                                             \
        out[14]++; --out[15]; out[16] += a; out[17] *= b; out[18] -= x; out[19] /= (T)3;      \
        T c = out[20]++ + ++out[21]; out[22] = c;                                             \
        int k = (int)a; float f = (float)b; out[23] = (T)f + (T)k; bool t = a; out[24] = t;   \
        x += a; out[n] = x;                                                                   \
    }
#define INTOPS(T, NAME)                                                                      \
    kernel void NAME(global T *out, T a, T b, uint s) {                                       \
        out[0] = a << s; out[1] = a >> s; out[2] = a & b; out[3] = a | b; out[4] = a ^ b;     \
        out[5] = ~a; out[6] = a % b; out[7] <<= 3; out[8] >>= s; out[9] %= b; out[10] |= a;   \
        out[11] = a << 40;                                                                    \
    }
OPS(char, k_char) OPS(uchar, k_uchar) OPS(short, k_short) OPS(ushort, k_ushort) OPS(int, k_int)
OPS(uint, k_uint) OPS(long, k_long) OPS(ulong, k_ulong) OPS(float, k_float)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
OPS(double, k_double)
INTOPS(char, i_char) INTOPS(uchar, i_uchar) INTOPS(short, i_short) INTOPS(ushort, i_ushort)
INTOPS(int, i_int) INTOPS(uint, i_uint) INTOPS(long, i_long) INTOPS(ulong, i_ulong)
