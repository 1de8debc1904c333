// Small kernels as beginners and tuners write them. Each has an input, an output of one element for each work-item, and a
// bound that only the launch knows.

// --- loops of floats

kernel void fma_chain(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float v = x[i];
    for (int k = 0; k < n; k++) v = fma(v, 0.999f, 0.001f);
    y[i] = v;
}

kernel void mad_chain(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float a = x[i], b = x[i] * 0.5f, v = 0.0f;
    for (int k = 0; k < n; k++) v = v * a + b;
    y[i] = v;
}

kernel void fma_chain_of_four(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float4 v = (float4)(x[i], x[i] + 0.1f, x[i] + 0.2f, x[i] + 0.3f);
    for (int k = 0; k < n; k++) v = fma(v, (float4)(0.999f), (float4)(0.001f));
    y[i] = v.x + v.y + v.z + v.w;
}

kernel void polynomial(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float v = x[i], sum = 0.0f, power = 1.0f;
    for (int k = 0; k < n; k++) {
        sum += power / (k + 1.0f);
        power *= v;
    }
    y[i] = sum;
}

kernel void horner(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float v = x[i], sum = 0.0f;
    for (int k = n; k > 0; k--) sum = sum * v + x[k];
    y[i] = sum;
}

kernel void quotients(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 1; k <= n; k++) sum += x[i] / (float)k;
    y[i] = sum;
}

kernel void roots(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float v = x[i];
    for (int k = 0; k < n; k++) v = sqrt(v + 1.0f);
    y[i] = v;
}

kernel void newton(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float a = x[i] + 1.0f, v = a;
    for (int k = 0; k < n; k++) v = 0.5f * (v + a / v);
    y[i] = v;
}

kernel void logistic_map(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float v = x[i];
    for (int k = 0; k < n; k++) v = 2.5f * v * (1.0f - v);
    y[i] = v;
}

kernel void mandelbrot(global const float *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    float cr = (i % 512) / 256.0f - 1.5f, ci = (i / 512 % 512) / 256.0f - 1.0f;
    float zr = 0.0f, zi = 0.0f;
    int k = 0;
    while (k < n && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        k++;
    }
    y[i] = k;
}

kernel void euler_steps(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float p = x[i], v = 0.0f;
    for (int k = 0; k < n; k++) {
        float a = -p;
        v += a * 0.001f;
        p += v * 0.001f;
    }
    y[i] = p;
}

kernel void nested_sums(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) sum += x[j] * x[k + i % 7];
    y[i] = sum;
}

kernel void harmonic_double(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    double sum = 0.0;
    for (int k = 1; k <= n; k++) sum += 1.0 / (k + (double)x[i]);
    y[i] = sum;
}

// --- loops of integers

kernel void congruential(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint v = x[i];
    for (int k = 0; k < n; k++) v = v * 1664525u + 1013904223u;
    y[i] = v;
}

kernel void congruential_64(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    ulong v = x[i];
    for (int k = 0; k < n; k++) v = v * 6364136223846793005ul + 1442695040888963407ul;
    y[i] = v >> 32;
}

kernel void xorshift(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint v = x[i] | 1;
    for (int k = 0; k < n; k++) {
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
    }
    y[i] = v;
}

kernel void hash(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint v = x[i];
    for (int k = 0; k < n; k++) {
        v = (v ^ 61u) ^ (v >> 16);
        v *= 9u;
        v = v ^ (v >> 4);
        v *= 0x27d4eb2du;
        v = v ^ (v >> 15);
    }
    y[i] = v;
}

kernel void fnv(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint v = 2166136261u;
    for (int k = 0; k < n; k++) v = (v ^ ((x[i] >> (k % 4 * 8)) & 255u)) * 16777619u;
    y[i] = v;
}

kernel void bits(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint sum = 0;
    for (int k = 0; k < n; k++) sum += popcount(x[i] + k);
    y[i] = sum;
}

kernel void leading_zeros(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint sum = 0;
    for (int k = 0; k < n; k++) sum += clz(x[i] >> (k & 31));
    y[i] = sum;
}

kernel void remainders(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint sum = 0;
    for (int k = 1; k <= n; k++) sum += x[i] % (uint)k;
    y[i] = sum;
}

kernel void remainders_64(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    ulong sum = 0, v = (ulong)x[i] << 30;
    for (int k = 1; k <= n; k++) sum += v % (ulong)(k + 1000003);
    y[i] = sum;
}

kernel void collatz(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint v = x[i] % 100000u + 1u, steps = 0;
    while (v != 1 && steps < (uint)n) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        steps++;
    }
    y[i] = steps;
}

kernel void common_divisor(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint sum = 0;
    for (int k = 1; k <= n; k++) {
        uint a = x[i] & 0xffff, b = k;
        while (b != 0) {
            uint t = a % b;
            a = b;
            b = t;
        }
        sum += a;
    }
    y[i] = sum;
}

kernel void primes(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint v = x[i] % 65536u, divisors = 0;
    for (int k = 2; k < n; k++)
        if (v % k == 0) divisors++;
    y[i] = divisors;
}

kernel void fibonacci(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint a = x[i], b = x[i] + 1;
    for (int k = 0; k < n; k++) {
        uint t = a + b;
        a = b;
        b = t;
    }
    y[i] = a;
}

// --- loops over memory

kernel void gemv_rows(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += x[i * n + k] * x[k];
    y[i] = sum;
}

kernel void gemv_columns(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0), m = get_global_size(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += x[k * m + i] * x[k];
    y[i] = sum;
}

kernel void dot_strided(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0), m = get_global_size(0);
    float sum = 0.0f;
    for (int k = i; k < n; k += m) sum += x[k] * x[n - 1 - k];
    y[i] = sum;
}

kernel void largest(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0), m = get_global_size(0);
    float v = -INFINITY;
    for (int k = 0; k < n; k++) v = fmax(v, x[k * m + i]);
    y[i] = v;
}

kernel void moving_average(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += x[i + k];
    y[i] = sum / n;
}

kernel void count_smaller(global const float *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    uint count = 0;
    for (int k = 0; k < n; k++) count += x[k] < x[i];
    y[i] = count;
}

kernel void bytes(global const uint *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    global const uchar *p = (global const uchar *)x;
    uint sum = 0;
    for (int k = 0; k < n; k++) sum = sum * 31u + p[i + k];
    y[i] = sum;
}

kernel void binary_search(global const float *x, global uint *y, int n) {
    size_t i = get_global_id(0);
    // The input is not sorted: the path is data all the same.
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (x[middle] < x[i]) low = middle + 1; else high = middle;
    }
    y[i] = low;
}

// --- functions of an element, n times

#define EACH(NAME, FUNCTION)                                                                                              \
    kernel void NAME(global const float *x, global float *y, int n) {                                                     \
        size_t i = get_global_id(0);                                                                                      \
        float sum = 0.0f;                                                                                                 \
        for (int k = 0; k < n; k++) {                                                                                     \
            float v = x[i] + k * 0.01f;                                                                                   \
            sum += FUNCTION;                                                                                              \
        }                                                                                                                 \
        y[i] = sum;                                                                                                       \
    }

EACH(of_pow, pow(v, 1.7f))
EACH(of_atan2, atan2(v, 0.7f))
EACH(of_erf, erf(v))
EACH(of_exp, exp(v))
EACH(of_log, log(v + 0.5f))
EACH(of_sin, sin(v))
EACH(of_tanh, tanh(v))
EACH(of_cbrt, cbrt(v))
EACH(of_tgamma, tgamma(v + 0.5f))
EACH(of_rsqrt, rsqrt(v + 0.1f))

kernel void of_sincos(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        float c, s = sincos(x[i] + k * 0.01f, &c);
        sum += s * c;
    }
    y[i] = sum;
}
