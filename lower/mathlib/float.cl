// Math functions on float, as precise as OpenCL C §7.4 asks, where Vulkan's own are not.
//
// The rules that this code keeps, because it runs on any Vulkan device:
// - correct whether or not a multiplication and an addition are fused into one operation;
// - no denormal operands where they decide the result: such values are taken apart as integers;
// - division and square root may be off by 3 ulp;
// - no 64-bit integers, no tables.
//
// Polynomials are fits in the Chebyshev sense of the functions named beside them, or Taylor series where those
// converge fast enough.

#define INF as_float(0x7f800000)
#define QNAN as_float(0x7fc00000)
#define LN2_HI 0.693115234375f // 12 bits, so that its product with an exponent is exact
#define LN2_LO 3.19461849453e-5f
#define LN2 0.69314718056f
#define LOG2_E 1.44269504089f
#define PI_F 3.14159265359f
#define PI_2 1.57079632679f
#define PI_2_LO -4.37113883e-8f

// The upper 12 bits of the significand: products of two such numbers are exact.
static float upper(float x) { return as_float(as_int(x) & 0xfffff000); }

static int is_nan(float x) { return (as_int(x) & 0x7fffffff) > 0x7f800000; }

static float with_sign(float x, float sign) {
    return as_float((as_int(x) & 0x7fffffff) | (as_int(sign) & 0x80000000));
}

// ---- taking apart and putting together ----

// The bits of a positive number where it is a normal one; of a denormal those of x × 2^149, which is the integer that its bits are.
static int normal_bits(int bits) { return bits < 0x00800000 ? as_int((float)bits) : bits; }

// The exponent of a finite number that is not zero, denormals included: |x| is in [2^e, 2^(e+1)).
static int exponent(float x) {
    int bits = as_int(x) & 0x7fffffff;
    return (normal_bits(bits) >> 23) - (bits < 0x00800000 ? 127 + 149 : 127);
}

// |x| × 2^-exponent(x), in [1, 2).
static float significand(float x) {
    return as_float((normal_bits(as_int(x) & 0x7fffffff) & 0x007fffff) | 0x3f800000);
}

// The bits of x × 2^n, rounded to nearest even, of the bits of a normal x > 0, for n in [-1000, 1000].
static int moved(int bits, int n) {
    int e = (bits >> 23) + n;
    // A denormal is a number of the smallest ones: what a sum with 2^23 leaves in its low bits.
    int shifted = (bits & 0x007fffff) | (max(e, -30) + 149) << 23;
    int denormal = as_int(as_float(shifted) + 8388608.0f) - 0x4b000000;
    return e > 254 ? 0x7f800000 : e > 0 ? bits + (n << 23) : denormal;
}

// whole × 2^n, rounded to nearest even, for whole below 2^25 that a float can have, and n in [-1000, 900].
static float assemble(uint whole, int n) {
    return as_float(whole == 0u ? 0 : moved(as_int((float)whole), n));
}

float pumice_ldexp(float x, int n) {
    int bits = as_int(x) & 0x7fffffff;
    int less = bits < 0x00800000 ? 149 : 0;
    int result = moved(normal_bits(bits), clamp(n, -400, 400) - less) | (as_int(x) & (int)0x80000000);
    return bits == 0 || bits >= 0x7f800000 ? x : as_float(result);
}

// x × 2^n for x near 1 and n in [-160, 160]: in two steps, of which the second rounds.
static float scale(float x, int n) {
    int half_n = n >> 1;
    return x * as_float((half_n + 127) << 23) * as_float((n - half_n + 127) << 23);
}

float pumice_frexp_mantissa(float x) {
    int bits = as_int(x) & 0x7fffffff;
    float result = with_sign(significand(x) * 0.5f, x);
    return bits == 0 || bits >= 0x7f800000 ? x : result;
}

int pumice_frexp_exponent(float x) {
    int bits = as_int(x) & 0x7fffffff, e = exponent(x);
    return bits == 0 || bits >= 0x7f800000 ? 0 : e + 1;
}

float pumice_logb(float x) {
    int bits = as_int(x) & 0x7fffffff;
    float e = (float)exponent(x);
    // An infinity is the largest; a NaN stays one.
    return bits == 0 ? -INF : bits >= 0x7f800000 ? as_float(bits) : e;
}

int pumice_ilogb(float x) {
    int bits = as_int(x) & 0x7fffffff, e = exponent(x);
    // FP_ILOGB0; FP_ILOGBNAN, and INT_MAX for infinities.
    return bits == 0 ? (int)0x80000000 : bits >= 0x7f800000 ? 0x7fffffff : e;
}

float pumice_nextafter(float x, float y) {
    if (is_nan(x)) return x;
    if (is_nan(y)) return y;
    // Integers in the order of the floats, both zeros the same.
    int ix = as_int(x), iy = as_int(y);
    ix = ix < 0 ? (int)(0x80000000 - (uint)ix) : ix;
    iy = iy < 0 ? (int)(0x80000000 - (uint)iy) : iy;
    if (ix == iy) return y;
    ix += ix < iy ? 1 : -1;
    // A zero that is reached keeps the sign (IEEE 754 §5.3.1).
    return as_float(ix < 0 ? (int)(0x80000000 - (uint)ix) : ix == 0 ? as_int(x) & (int)0x80000000 : ix);
}

// Of halves, as bits.
int pumice_nextafter_h(int x, int y) {
    int ix = x & 0x7fff, iy = y & 0x7fff;
    if (ix > 0x7c00) return x;
    if (iy > 0x7c00) return y;
    ix = (x & 0x8000) != 0 ? -ix : ix;
    iy = (y & 0x8000) != 0 ? -iy : iy;
    if (ix == iy) return y;
    ix += ix < iy ? 1 : -1;
    return ix < 0 ? 0x8000 | -ix : ix == 0 ? x & 0x8000 : ix;
}

// ---- exponentials ----

// e^r - 1 for |r| up to 0.35: Taylor series.
static float expm1_small(float r) {
    float p = 1.98412698e-4f;
    p = p * r + 1.38888889e-3f;
    p = p * r + 8.33333333e-3f;
    p = p * r + 4.16666667e-2f;
    p = p * r + 1.66666667e-1f;
    p = p * r + 0.5f;
    return r + r * r * p;
}

// The functions from here on have no branches: calls with the same argument can be merged, and no lane waits for another.

// Added to a number below 2^21 in magnitude, it leaves the nearest integer in the low bits.
#define ROUNDER 12582912.0f

// x × 2^n for x near 1 and n in [-160, 160], where n is t - ROUNDER.
static float scale_by(float x, float t) { return scale(x, as_int(t) - 0x4b400000); }

// NaN stays NaN.
static float clamped(float x, float low, float high) {
    float y = x < low ? low : x;
    return y > high ? high : y;
}

float pumice_exp(float x) {
    float y = clamped(x, -105.0f, 89.0f);
    float t = y * LOG2_E + ROUNDER;
    float n = t - ROUNDER;
    float r = (y - n * LN2_HI) - n * LN2_LO;
    return scale_by(1.0f + expm1_small(r), t);
}

// The same three where the device's Exp2 is off by 2 ulp at most and its Fma has one rounding. The whole part of the power is
// left to two factors: what the first does not take, within its limits, the device's function gets, so that results among the
// denormals are rounded once and those beyond the largest number are infinite.
static float exp2_of(float t, float x, float high, float low) {
    t = fmin(fmax(t, ROUNDER - 126.0f), ROUNDER + 127.0f);
    float r = fma(x, low, fma(x, high, ROUNDER - t));
    return native_exp2(r) * as_float((as_int(t) << 23) + 0x3f800000);
}

float pumice_exp_by_exp2(float x) {
    return exp2_of(fma(x, LOG2_E, ROUNDER), x, LOG2_E, 1.92596299e-8f);
}

float pumice_exp2_by_exp2(float x) {
    float t = fmin(fmax(x + ROUNDER, ROUNDER - 126.0f), ROUNDER + 127.0f);
    return native_exp2(x - (t - ROUNDER)) * as_float((as_int(t) << 23) + 0x3f800000);
}

float pumice_exp10_by_exp2(float x) {
    return exp2_of(fma(x, 3.32192809489f, ROUNDER), x, 3.32192809489f, 7.05953702e-8f);
}

float pumice_exp2(float x) {
    float y = clamped(x, -152.0f, 129.0f);
    float t = y + ROUNDER;
    return scale_by(1.0f + expm1_small((y - (t - ROUNDER)) * LN2), t);
}

float pumice_exp10(float x) {
    float y = clamped(x, -46.0f, 39.0f);
    float t = y * 3.32192809489f + ROUNDER;
    float n = t - ROUNDER;
    float r = (y - n * 0.301025390625f) - n * 4.6050389812e-6f;
    // r × ln 10, the constant in two parts.
    float h = upper(r);
    float u = h * 2.3017578125f;
    float l = (r - h) * 2.3017578125f + r * 8.27280494e-4f;
    return scale_by(1.0f + expm1_small(u + l), t);
}

float pumice_expm1(float x) {
    float y = clamped(x, -18.0f, 89.0f);
    float n = rint(y * LOG2_E);
    float r = (y - n * LN2_HI) - n * LN2_LO;
    float m = expm1_small(r);
    // Half of it, since a power of two above the largest number is infinite.
    float s = as_float(((int)n + 126) << 23);
    float result = (s * m + (s - 0.5f)) * 2.0f;
    // The signs of zeros, and denormals.
    return fabs(x) < 1e-8f ? x : result;
}

// ---- logarithms ----

// ln(1+f) without its leading term: ln(1+f) = f - result, for 1+f within [0.707, 1.415]: f²/2 - f³ × a polynomial.
static float log1p_rest(float f) {
    float p = 0.0697307051f;
    p = p * f - 0.114814773f;
    p = p * f + 0.116857196f;
    p = p * f - 0.124254865f;
    p = p * f + 0.142490093f;
    p = p * f - 0.166678086f;
    p = p * f + 0.200007172f;
    p = p * f - 0.249999969f;
    p = p * f + 0.333333312f;
    return f * f * (0.5f - f * p);
}

// x = 2^e × (1 + f) with 1 + f in [0.707, 1.415), for finite x > 0; anything for others.
static float split(float x, int *e) {
    // 0x3f3504f3: the root of 1/2.
    int bits = normal_bits(as_int(x)) + (0x3f800000 - 0x3f3504f3);
    *e = (bits >> 23) - (as_int(x) < 0x00800000 ? 127 + 149 : 127);
    return as_float((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
}

// All but finite numbers above 0. Functions branch on it: a GPU's work-items seldom have such numbers, and the choices would cost all of them.
static int is_special(float x) { return (uint)(as_int(x) - 1) >= 0x7f7fffffu; }

// The logarithm of x, where `result` is right for finite x > 0.
static float log_of(float x, float result) {
    if (is_special(x)) {
        int bits = as_int(x);
        result = bits >= 0x7f800000 ? x : QNAN;
        result = (bits & 0x7fffffff) == 0 ? -INF : result;
    }
    return result;
}

float pumice_log(float x) {
    // x = 2^n × (1 + f), 1 + f in [2/3, 4/3); ln(1 + f) = f + f² × a polynomial, 1.12 ulp with ln 2 in one part.
    int bits = normal_bits(as_int(x));
    int whole = (bits - 0x3f2aaaab) & (int)0xff800000;
    float n = (float)whole * 1.1920929e-7f + (as_int(x) < 0x00800000 ? -149.0f : 0.0f);
    float f = as_float(bits - whole) - 1.0f;
    float p = 0.140213028f;
    p = p * f - 0.153832182f;
    p = p * f + 0.139970019f;
    p = p * f - 0.16417098f;
    p = p * f + 0.200110793f;
    p = p * f - 0.250077456f;
    p = p * f + 0.333332002f;
    p = p * f - 0.499999374f;
    return log_of(x, n * LN2 + (p * f * f + f));
}

float pumice_log2(float x) {
    int e;
    float f = split(x, &e);
    float rest = log1p_rest(f);
    // (f - rest) × log2(e), in parts: exact where f has few bits, never losing what f - rest rounds off.
    float h = upper(f - rest);
    float l = (f - h) - rest;
    float t = h * 1.4423828125f;
    float u = l * 1.4423828125f + (h + l) * 3.12228389e-4f;
    return log_of(x, (float)e + (t + u));
}

float pumice_log10(float x) {
    int e;
    float f = split(x, &e);
    float rest = log1p_rest(f);
    float h = upper(f - rest);
    float l = (f - h) - rest;
    float n = (float)e;
    float t = h * 0.4342041015625f;
    float u = l * 0.4342041015625f + (h + l) * 9.03803408e-5f;
    return log_of(x, n * 0.301025390625f + (t + (u + n * 4.6050389812e-6f)));
}

float pumice_log1p(float x) {
    if (x == 0.0f || is_nan(x)) return x;
    if (x == -1.0f) return -INF;
    if (x < -1.0f) return QNAN;
    if (x == INF) return x;
    if (fabs(x) < 1e-7f) return x;
    if (x > -0.29f && x < 0.41f) return x - log1p_rest(x);
    float u = 1.0f + x;
    float lost = x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    lost = lost / u;
    int e;
    float f = split(u, &e);
    float n = (float)e;
    return n * LN2_HI - ((log1p_rest(f) - (n * LN2_LO + lost)) - f);
}

// ---- powers ----

// x^(yh + yl) for finite x > 0, anything for others: yh has 12 bits or so, both parts together are y. Logarithm to base 2 with
// about 34 bits, its product with y in two parts, and 2 to the power of that.
static float power(float x, float yh, float yl) {
    int e;
    float n = split(x, &e);
    float d = n + 2.0f, inverse = 1.0f / d;
    float s = n * inverse;
    float sh = upper(s), dh = upper(d);
    float dl = (n - (dh - 2.0f));
    float sl = ((n - sh * dh) - sh * dl) * inverse;
    float z = s * s;
    float p = 0.0909090909f;
    p = p * z + 0.111111111f;
    p = p * z + 0.142857143f;
    p = p * z + 0.2f;
    p = p * z + 0.333333333f;
    float low = sl + s * (z * p);
    // × 2 / ln 2
    float t = sh * 2.884765625f;
    float u = sh * 6.24456776927e-4f + low * 2.88539008178f;
    float hi = (float)e + t;
    float lo = (t - (hi - (float)e)) + u;
    float wh = upper(hi);
    float wl = (hi - wh) + lo;
    float ph = yh * wh;
    float pl = yl * (wh + wl) + yh * wl;
    float sum = ph + pl;
    float k = rint(clamp(sum, -152.0f, 130.0f));
    float r = (ph - k) + pl;
    // r × ln 2 with r's two parts already rounded into one is precise to an ulp of the result.
    float result = scale(1.0f + expm1_small(r * LN2), (int)k);
    return sum > 129.0f ? INF : sum < -151.0f ? 0.0f : result;
}

// The same where the device's Exp2 is precise and its Fma has one rounding, for yh + yl of any precision: the remainders of quotients and products are
// exact. A product that is used for its rounding error is used for nothing that could be fused with it.
static float power_by_exp2(float x, float yh, float yl) {
    int e;
    float n = split(x, &e);
    float inverse = native_recip(n + 2.0f);
    float s = n * inverse;
    float sl = fma(-s, n, n - 2.0f * s) * inverse;
    float z = s * s;
    float p = fma(fma(fma(fma(0.0909090909f, z, 0.111111111f), z, 0.142857143f), z, 0.2f), z, 0.333333333f);
    // s + sl is the quotient: its cube and the higher powers have 1 + z times as much of sl.
    float low = fma(s * z, p, fma(sl, z, sl));
    float whole = (float)e;
    float hi = fma(s, 2.88539008178f, whole); // × 2 / ln 2
    float lo = fma(s, 2.88539008178f, whole - hi) + fma(s, 3.85192598e-8f, low * 2.88539008178f);
    float k = fmin(fmax(fma(yh, hi, ROUNDER), ROUNDER - 126.0f), ROUNDER + 127.0f);
    float r = fma(yh, hi, ROUNDER - k) + fma(yh, lo, yl * hi);
    return native_exp2(r) * as_float((as_int(k) << 23) + 0x3f800000);
}

// Whether y is a whole number; whether it is an odd one.
static int is_whole(float y) { return trunc(y) == y; }

static int is_odd(float y) { return is_whole(y) && ((int)fmin(fabs(y), 16777216.0f) & 1) != 0; }

// x to the power of y, of which `result` is the magnitude where |x| is neither 0 nor infinite, and of which `up` says whether it is above 0.
static float power_of(float x, float result, int up, int odd) {
    int bits = as_int(x) & 0x7fffffff;
    result = bits == 0 ? (up ? 0.0f : INF) : bits == 0x7f800000 ? (up ? INF : 0.0f) : result;
    return as_float(as_int(result) | (odd ? as_int(x) & (int)0x80000000 : 0));
}

// The powers where `result` is |x| to the power of the second operand, for what is neither 0, infinite nor NaN of x.
static float pow_of(float x, float y, float result) {
    if (!is_special(x) && !is_nan(y)) return result;
    result = power_of(x, result, y > 0.0f, is_odd(y));
    int negative = as_int(x) < 0 && as_int(x) != (int)0x80000000 && as_int(x) != (int)0xff800000;
    result = (negative && !is_whole(y)) || is_nan(x) || is_nan(y) ? QNAN : result;
    return x == 1.0f || y == 0.0f ? 1.0f : result;
}

static float powr_of(float x, float y, float result) {
    if (!is_special(x) && (as_int(y) & 0x7fffffff) < 0x7f800000) return result;
    result = power_of(x, result, y > 0.0f, 0);
    int bits = as_int(x) & 0x7fffffff;
    // Powers of which two limits differ.
    int none = y == 0.0f ? bits == 0 || bits == 0x7f800000 : x == 1.0f && fabs(y) == INF;
    result = y == 0.0f ? 1.0f : result;
    return none || is_nan(x) || is_nan(y) || (as_int(x) < 0 && bits != 0) ? QNAN : result;
}

static float pown_of(float x, int n, float result) {
    if (!is_special(x)) return result;
    result = power_of(x, result, n > 0, n & 1);
    result = is_nan(x) ? x : result;
    return n == 0 ? 1.0f : result;
}

static float rootn_of(float x, int n, float result) {
    if (!is_special(x) && n != 0) return result;
    result = power_of(x, result, n > 0, n & 1);
    int even_of_negative = as_int(x) < 0 && as_int(x) != (int)0x80000000 && (n & 1) == 0;
    return n == 0 || even_of_negative || is_nan(x) ? QNAN : result;
}

static float magnitude(float x) { return as_float(as_int(x) & 0x7fffffff); }

// With |y| from 2^31 on all powers but those of 1 are infinite or 0.
static float limited(float y) { return clamp(y, -2147483648.0f, 2147483648.0f); }

static float magnitude_of_power(float x, float y) {
    y = limited(y);
    float yh = upper(y);
    return power(magnitude(x), yh, y - yh);
}

float pumice_pow(float x, float y) { return pow_of(x, y, magnitude_of_power(x, y)); }

float pumice_powr(float x, float y) { return powr_of(x, y, magnitude_of_power(x, y)); }

float pumice_pow_by_exp2(float x, float y) { return pow_of(x, y, power_by_exp2(magnitude(x), limited(y), 0.0f)); }

float pumice_powr_by_exp2(float x, float y) { return powr_of(x, y, power_by_exp2(magnitude(x), limited(y), 0.0f)); }

// |n| as a whole. The least of all has no counterpart, and one compiler (NVIDIA's) takes its magnitude for negative; one less makes no
// difference that counts.
static uint magnitude_of_int(int n) { return n < 0 ? 0u - (uint)max(n, -0x7fffffff) : (uint)n; }

float pumice_pown(float x, int n) {
    // n in two parts, the first of 12 bits.
    uint whole = magnitude_of_int(n);
    float yh = upper((float)whole);
    float yl = (float)(int)(whole - (uint)yh);
    return pown_of(x, n, power(magnitude(x), n < 0 ? -yh : yh, n < 0 ? -yl : yl));
}

float pumice_pown_by_exp2(float x, int n) {
    uint whole = magnitude_of_int(n);
    float yh = (float)whole;
    float yl = (float)(int)(whole - (uint)yh);
    return pown_of(x, n, power_by_exp2(magnitude(x), n < 0 ? -yh : yh, n < 0 ? -yl : yl));
}

float pumice_rootn(float x, int n) {
    float m = (float)n;
    float yh = upper(1.0f / m);
    return rootn_of(x, n, power(magnitude(x), yh, (1.0f - yh * m) / m));
}

float pumice_rootn_by_exp2(float x, int n) {
    float m = (float)n;
    float y = 1.0f / m;
    return rootn_of(x, n, power_by_exp2(magnitude(x), y, fma(-y, m, 1.0f) * y));
}

// The cube root of a from 2^-112 to 2^127. y approximates a^(-1/3): first by its bits, which are almost a logarithm, then off by 2.7e-5 by a fit of
// w^(-1/3) in the range of w = a y³. The end is a step of Newton's method from t = a y², whose slope 1 / (3 t²) is y² / 3. 1.01 ulp without
// fused operations, 0.79 with.
static float cbrt_of_normal(float a) {
    float y = as_float(0x540e3000u - as_uint(a) / 3u);
    float w = a * y * (y * y);
    y *= (59.96366f * w - 19.079962f) * w + 3.462954f;
    float square = y * y;
    float t = a * square;
    return (a - t * t * t) * (square * 0.333333333f) + t;
}

// A number below 2^-94, but 0, times 2^150, which is normal.
static float scaled_up(int bits) {
    float whole = as_float(bits | 0x4b000000) - 8388608.0f; // of a denormal, which may be flushed
    return bits < 0x00800000 ? whole + whole : as_float(bits + 0x4b000000);
}

// Small and large numbers are multiplied by 2^150 or 2^-150 first: what the step corrects would be a denormal, or t³ infinite.
float pumice_cbrt(float x) {
    int bits = as_int(x) & 0x7fffffff;
    float t = cbrt_of_normal(as_float(bits));
    if ((uint)(bits - 0x10000000) >= 0x6f000000u) {
        if (bits == 0 || bits >= 0x7f800000) return x;
        int large = bits >= 0x7f000000;
        float a = large ? as_float(bits - 0x4b000000) : scaled_up(bits);
        t = cbrt_of_normal(a) * (large ? 1.12589991e15f : 8.8817842e-16f); // 2^50, 2^-50
    }
    return with_sign(t, x);
}

// The same with y by the device's Exp2 and Log2, where these are precise and Fma has one rounding.
static float cbrt_of_normal_by_exp2(float a) {
    float y = native_exp2(native_log2(a) * -0.333333333f);
    float square = y * y;
    float t = a * square;
    return fma(fma(t * t, -t, a), square * 0.333333333f, t);
}

float pumice_cbrt_by_exp2(float x) {
    int bits = as_int(x) & 0x7fffffff;
    float t = cbrt_of_normal_by_exp2(as_float(bits));
    if ((uint)(bits - 0x10000000) >= 0x6f800000u) {
        if (bits == 0 || bits >= 0x7f800000) return x;
        t = cbrt_of_normal_by_exp2(scaled_up(bits)) * 8.8817842e-16f; // 2^-50
    }
    return with_sign(t, x);
}

float pumice_hypot(float x, float y) {
    int ix = as_int(x) & 0x7fffffff, iy = as_int(y) & 0x7fffffff;
    // By a power of two, so that the larger one comes to lie in [1/2, 8).
    int e = max(ix, iy) & 0x7e000000;
    float down = as_float(0x7e800000 - e);
    x *= down;
    y *= down;
    float result = sqrt(x * x + y * y) * as_float(e + 0x00800000);
    result = min(ix, iy) == 0 ? as_float(max(ix, iy)) : result;
    return ix == 0x7f800000 || iy == 0x7f800000 ? INF : result;
}

// ---- trigonometric functions ----

// 32 bits of 2/π after the point, group n; group 0 is zero.
static uint two_over_pi(int n) {
    switch (n) {
    case 1: return 0xA2F9836Eu;
    case 2: return 0x4E441529u;
    case 3: return 0xFC2757D1u;
    case 4: return 0xF534DDC0u;
    case 5: return 0xDB629599u;
    case 6: return 0x3C439041u;
    case 7: return 0xFE5163ABu;
    default: return 0u;
    }
}

// x - q π/2 for large x, after Payne and Hanek: the 96 bits of 2/π that matter, times x's significand. The bits of the
// difference, and q mod 4. It takes no pointer, so that calls of it stay calls: it is large and seldom reached.
static uint2 reduce_large(float x) {
    if (is_nan(x)) return (uint2)(as_uint(x), 0u);
    int e = exponent(x);
    uint m = (as_uint(significand(x)) & 0x007fffff) | 0x00800000;
    int at = e - 23 + 30;
    int word = at >> 5, shift = at & 31;
    uint a = two_over_pi(word), b = two_over_pi(word + 1), c = two_over_pi(word + 2), d = two_over_pi(word + 3);
    if (shift != 0) {
        a = a << shift | b >> (32 - shift);
        b = b << shift | c >> (32 - shift);
        c = c << shift | d >> (32 - shift);
    }
    // (a:b:c) × m, the low 96 bits.
    uint p2 = c * m;
    uint p1 = b * m;
    uint carry = mul_hi(c, m);
    p1 += carry;
    uint p0 = a * m + mul_hi(b, m) + (p1 < carry ? 1u : 0u);
    // Two bits of quadrant, then the fraction.
    uint q = p0 >> 30;
    uint f0 = p0 << 2 | p1 >> 30, f1 = p1 << 2 | p2 >> 30;
    int negative = 0;
    if (f0 & 0x80000000u) {
        q += 1;
        f1 = 0u - f1;
        f0 = ~f0 + (f1 == 0u ? 1u : 0u);
        negative = 1;
    }
    int lead = 0;
    if (f0 == 0u) {
        f0 = f1;
        f1 = 0u;
        lead = 32;
    }
    if (f0 == 0u) return (uint2)(0u, q & 3u);
    int zeros = (int)clz(f0);
    if (zeros > 0) f0 = f0 << zeros | f1 >> (32 - zeros);
    float r = (float)f0 * as_float((127 - 32 - lead - zeros) << 23) * PI_2;
    return (uint2)(as_uint(negative ? -r : r), q & 3u);
}

// |x| - q π/2 within ±π/4 (a little more), and q mod 4; NaN for what is not finite.
static float reduce(float x, int *quadrant) {
    float a = fabs(x);
    if (a > 4000.0f) {
        if (a == INF) a = QNAN;
        uint2 large = reduce_large(a);
        *quadrant = (int)large.y;
        return as_float(large.x);
    }
    float t = a * 0.636619772f + ROUNDER;
    float n = t - ROUNDER;
    float r = a - n * 1.5703125f;
    r = r - n * 4.837512969970703125e-4f;
    r = r - n * 7.5495336204767227e-8f;
    r = r - n * 2.563344068257e-12f;
    *quadrant = as_int(t);
    return r;
}

static float sin_kernel(float r) {
    float z = r * r;
    float p = 2.72483648e-6f;
    p = p * z - 1.98400747e-4f;
    p = p * z + 8.33333185e-3f;
    p = p * z - 0.166666667f;
    return r + r * (z * p);
}

static float cos_kernel(float r) {
    float z = r * r;
    float p = 2.45466538e-5f;
    p = p * z - 1.38882971e-3f;
    p = p * z + 4.16666646e-2f;
    float h = 0.5f * z;
    float w = 1.0f - h;
    return w + (((1.0f - w) - h) + z * z * p);
}

// The sine of r where q is even, its cosine where q is odd, negative where q has bit 1. Both polynomials are computed and one is taken: a choice for each
// coefficient costs as much, and who wants the sine and the cosine of one argument has the same two.
static float sin_or_cos(float r, int q, int sign) {
    float z = r * r;
    float p = 2.72483648e-6f * z - 1.98400747e-4f;
    p = p * z + 8.33333185e-3f;
    p = p * z - 0.166666667f;
    float s = r * (1.0f + z * p);
    float c = 2.45466538e-5f * z - 1.38882971e-3f;
    c = c * z + 4.16666646e-2f;
    c = c * z - 0.5f;
    c = 1.0f + z * c;
    float result = (q & 1) != 0 ? c : s;
    return as_float(as_int(result) ^ ((q << 30 ^ sign) & (int)0x80000000));
}

// The sine and the cosine of one argument are both made of what it is reduced to: the bits of the rest, and q.
uint2 pumice_reduced(float x) {
    int q;
    float r = reduce(x, &q);
    return (uint2)(as_uint(r), (uint)q);
}

float pumice_sin_of(uint2 reduced, float x) {
    return sin_or_cos(as_float(reduced.x), (int)reduced.y, as_int(x));
}

float pumice_cos_of(uint2 reduced) {
    return sin_or_cos(as_float(reduced.x), (int)reduced.y + 1, 0);
}

float pumice_tan(float x) {
    int q;
    float r = reduce(x, &q);
    float s = sin_kernel(r), c = cos_kernel(r);
    float result = (q & 1) ? -(c / s) : s / c;
    return as_int(x) < 0 ? -result : result;
}

// |x| - q/2 times π, and q mod 4; all numbers from 2^24 on are even integers.
static float reduce_pi(float x, int *quadrant) {
    float a = fabs(x);
    if (a >= 16777216.0f) {
        *quadrant = 0;
        return 0.0f;
    }
    float n = rint(a + a);
    *quadrant = (int)n & 3;
    // A denormal is not put through a multiply-add, where NVIDIA's driver makes it zero.
    float r = a - n * 0.5f;
    return (n == 0.0f ? a : r) * PI_F;
}

float pumice_sinpi(float x) {
    if ((as_int(x) & 0x7fffffff) >= 0x7f800000) return QNAN;
    int q;
    float r = reduce_pi(x, &q);
    float result = (q & 1) ? cos_kernel(r) : sin_kernel(r);
    if (result == 0.0f) return with_sign(0.0f, x);
    if (q & 2) result = -result;
    return as_int(x) < 0 ? -result : result;
}

float pumice_cospi(float x) {
    if ((as_int(x) & 0x7fffffff) >= 0x7f800000) return QNAN;
    int q;
    float r = reduce_pi(x, &q);
    float result = (q & 1) ? sin_kernel(r) : cos_kernel(r);
    if (result == 0.0f) return 0.0f;
    return ((q + 1) & 2) ? -result : result;
}

float pumice_tanpi(float x) {
    if ((as_int(x) & 0x7fffffff) >= 0x7f800000) return QNAN;
    int q;
    float r = reduce_pi(x, &q);
    float s = sin_kernel(r), c = cos_kernel(r);
    float result;
    if (r == 0.0f && (q & 1)) {
        result = q == 1 ? INF : -INF;
    } else if (r == 0.0f) {
        result = q == 0 ? 0.0f : -0.0f;
    } else {
        result = (q & 1) ? -(c / s) : s / c;
    }
    return as_int(x) < 0 ? -result : result;
}

// ---- inverse trigonometric functions ----

// asin(x) - x for 0 <= x <= 0.5.
static float asin_rest(float x) {
    float z = x * x;
    float p = 0.0336908472f;
    p = p * z + 0.0171492384f;
    p = p * z + 0.0311006627f;
    p = p * z + 0.0445994015f;
    p = p * z + 0.0750009454f;
    p = p * z + 0.166666663f;
    return x * (z * p);
}

float pumice_asin(float x) {
    float a = fabs(x);
    bool low = a <= 0.5f;
    float s = low ? a : sqrt((1.0f - a) * 0.5f);
    float angle = s + asin_rest(s);
    float result = low ? angle : PI_2 - (2.0f * angle - PI_2_LO);
    return a <= 1.0f ? with_sign(result, x) : QNAN;
}

float pumice_acos(float x) {
    float a = fabs(x);
    bool low = a <= 0.5f;
    float s = low ? a : sqrt((1.0f - a) * 0.5f);
    float rest = asin_rest(s);
    float twice = 2.0f * (s + rest);
    float middle = PI_2 - (x - (PI_2_LO - with_sign(rest, x)));
    float end = x > 0.0f ? twice : PI_F - (twice - 2.0f * PI_2_LO);
    return a <= 1.0f ? (low ? middle : end) : QNAN;
}

// The angle of (x, y) in [0, π/2], for y >= 0 and x > 0 of which neither their sum nor a part of it that matters gets lost.
static float angle_of(float y, float x) {
    bool above = y > 2.41421356f * x, between = y > 0.414213562f * x;
    float base = above ? PI_2 : between ? 0.785398163f : 0.0f;
    float low = above ? PI_2_LO : between ? -2.18556941e-8f : 0.0f;
    float t = (above ? -x : between ? y - x : y) / (above ? y : between ? y + x : x);
    // Of x = 1 a small y itself.
    t = !between && x == 1.0f ? y : t;
    float z = t * t;
    float p = -0.0645159726f;
    p = p * z + 0.107436316f;
    p = p * z - 0.142639464f;
    p = p * z + 0.199995402f;
    p = p * z - 0.333333318f;
    return base + (t + (t * (z * p) + low));
}

float pumice_atan(float x) {
    // All that is larger has the same angle.
    float result = with_sign(angle_of(fmin(fabs(x), 1e30f), 1.0f), x);
    return is_nan(x) ? x : result;
}

// The angle of (|x|, |y|) in [0, π/2].
static float angle(float y, float x) {
    int iy = as_int(y) & 0x7fffffff, ix = as_int(x) & 0x7fffffff;
    int difference = exponent(y) - exponent(x);
    // Both of like size, and what is too small for that multiplied at last, which rounds.
    float result = angle_of(significand(y) * as_float((clamp(difference, -100, 60) + 127) << 23), significand(x));
    result = result * as_float((clamp(difference + 100, -60, 0) + 127) << 23);
    result = iy == 0x7f800000 || ix == 0 ? PI_2 : result;
    float along = ix == 0x7f800000 && iy == 0x7f800000 ? 0.785398163f : 0.0f;
    return ix == 0x7f800000 || iy == 0 ? along : result;
}

float pumice_atan2(float y, float x) {
    float a = angle(y, x);
    a = as_int(x) < 0 ? PI_F - (a - 2.0f * PI_2_LO) : a;
    return is_nan(x) || is_nan(y) ? QNAN : with_sign(a, y);
}

// The same for devices whose quotients flush denormals: the angle of the smaller coordinate over the larger one.
float pumice_atan2_by_quotient(float y, float x) {
    float ax = fabs(x), ay = fabs(y);
    float high = fmax(ax, ay), low = fmin(ax, ay);
    float t = low / high;
    t = low == high ? 1.0f : t; // infinities, too
    t = as_int(high) < 0x00800000 ? 0.0f : t; // denormals with the zeros: their quotient may be 0 / 0
    float z = t * t;
    float p = fma(fma(fma(2.92066365e-3f, z, -0.0163678063f), z, 0.0432116485f), z, -0.0755219482f);
    p = fma(fma(fma(fma(p, z, 0.106659947f), z, -0.142110525f), z, 0.199937725f), z, -0.333331527f);
    float a = fma(t * z, p, t);
    float rest = PI_2 - (a - PI_2_LO);
    a = ay > ax ? rest : a;
    rest = PI_F - (a - 2.0f * PI_2_LO);
    a = as_int(x) < 0 ? rest : a;
    return is_nan(x) || is_nan(y) ? QNAN : with_sign(a, y);
}

#define INV_PI 0.318309886f

float pumice_asinpi(float x) { return pumice_asin(x) * INV_PI; }
float pumice_acospi(float x) { return pumice_acos(x) * INV_PI; }
float pumice_atanpi(float x) { return pumice_atan(x) * INV_PI; }

float pumice_atan2pi(float y, float x) {
    float a = angle(y, x) * INV_PI;
    a = as_int(x) < 0 ? 1.0f - a : a;
    return is_nan(x) || is_nan(y) ? QNAN : with_sign(a, y);
}

// ---- hyperbolic functions ----

// A NaN goes its way through these. (Where it was returned early, LLVM 15 made a wrong instruction of the two selections for
// processors with AVX-512, so that llvmpipe gave nonsense.)
float pumice_sinh(float x) {
    float a = fabs(x);
    float z = a * a;
    float p = 2.80628026e-6f;
    p = p * z + 1.98381020e-4f;
    p = p * z + 8.33333968e-3f;
    p = p * z + 0.166666666f;
    float e = pumice_exp(a < 80.0f ? a : 0.5f * a);
    float result = a < 80.0f ? 0.5f * (e - 1.0f / e) : 0.5f * e * e;
    return with_sign(a < 1.0f ? a + a * (z * p) : result, x);
}

float pumice_cosh(float x) {
    float a = fabs(x);
    float e = pumice_exp(a < 80.0f ? a : 0.5f * a);
    return a < 80.0f ? 0.5f * (e + 1.0f / e) : 0.5f * e * e;
}

float pumice_tanh(float x) {
    float a = fabs(x);
    float t = pumice_expm1(2.0f * (a > 10.0f ? 10.0f : a));
    float result = t / (t + 2.0f);
    return with_sign(a < 1e-4f ? a : result, x);
}

// The same where the device's Exp2 is precise: 1 - 2 / (e^2a + 1), and a polynomial below 0.54.
float pumice_tanh_by_exp2(float x) {
    float a = fabs(x), z = a * a;
    float large = fma(-2.0f, native_recip(native_exp2(a * 2.88539008f) + 1.0f), 1.0f);
    float p = fma(fma(fma(0.0164747358f, z, -0.0526906697f), z, 0.133210082f), z, -0.333329584f);
    float small = fma(a * z, p, a);
    return with_sign(a < 0.54f ? small : large, x);
}

float pumice_asinh(float x) {
    float a = fabs(x);
    if (!(a < INF) || a < 1e-4f) return x;
    float result;
    if (a > 1e6f) {
        result = pumice_log(a) + LN2;
    } else {
        float z = a * a;
        result = pumice_log1p(a + z / (1.0f + sqrt(1.0f + z)));
    }
    return with_sign(result, x);
}

float pumice_acosh(float x) {
    if (!(x >= 1.0f)) return QNAN;
    if (x > 1e6f) return pumice_log(x) + LN2;
    float t = x - 1.0f;
    return pumice_log1p(t + sqrt(t * (t + 2.0f)));
}

float pumice_atanh(float x) {
    float a = fabs(x);
    if (!(a <= 1.0f)) return QNAN;
    if (a < 1e-4f) return x;
    if (a == 1.0f) return with_sign(INF, x);
    return with_sign(0.5f * pumice_log1p((a + a) / (1.0f - a)), x);
}

// ---- error and gamma functions ----

static float erf_small(float x) {
    float z = x * x;
    float p = -9.66704457e-6f;
    p = p * z + 1.12659590e-4f;
    p = p * z - 8.48408041e-4f;
    p = p * z + 5.22103181e-3f;
    p = p * z - 0.0268654307f;
    p = p * z + 0.112837825f;
    p = p * z - 0.376126385f;
    p = p * z + 1.12837917f;
    return x * p;
}

// erfc(x) for x >= 1: e^(-x²) times a polynomial in (x-3)/(x+3), over 1 + 2x.
static float erfc_large(float x) {
    if (x > 10.2f) return 0.0f;
    float t = (x - 3.0f) / (x + 3.0f);
    float p = 1.68140539e-3f;
    p = p * t + 2.09049720e-3f;
    p = p * t - 0.0236891159f;
    p = p * t + 0.0683945788f;
    p = p * t - 0.119284656f;
    p = p * t + 0.129638715f;
    p = p * t - 0.0475618168f;
    p = p * t - 0.135620975f;
    p = p * t + 1.25300806f;
    float h = upper(x);
    float first = pumice_exp(-(h * h) * 0.5f);
    float rest = pumice_exp((h - x) * (h + x));
    return first * (rest * (p / (1.0f + 2.0f * x))) * first;
}

float pumice_erf(float x) {
    if (is_nan(x)) return x;
    float a = fabs(x);
    if (a < 1.0f) return erf_small(x);
    return with_sign(1.0f - erfc_large(a), x);
}

// The same where the device's Exp2 is precise: erfc(t) = 2^(t q(t)) for t in [1, 4], beyond which erf is 1.
float pumice_erf_by_exp2(float x) {
    float a = fabs(x), z = a * a;
    float p = fma(fma(-5.63142344e-4f, z, 4.91755175e-3f), z, -0.0267113116f);
    p = fma(fma(fma(p, z, 0.112801802f), z, -0.376123262f), z, 0.128379122f);
    float t = a > 4.0f ? 4.0f : a; // a NaN stays one
    float q = fma(fma(3.09594498e-4f, t, -4.64543734e-3f), t, 0.0330464012f);
    q = fma(fma(fma(q, t, -0.151896799f), t, -0.917120343f), t, -1.62811013f);
    float small = fma(a, p, a), large = 1.0f - native_exp2(t * q);
    return with_sign(a < 1.0f ? small : large, x);
}

float pumice_erfc(float x) {
    if (is_nan(x)) return x;
    float a = fabs(x);
    if (a < 1.0f) return x < 0.5f ? 1.0f - erf_small(x) : 0.5f - (erf_small(x) - 0.5f);
    float tail = erfc_large(a);
    return x > 0.0f ? tail : 2.0f - tail;
}

// 1 / Γ(1 + z) for |z| up to 1/2.
static float reciprocal_gamma(float z) {
    float p = 1.27216947e-4f;
    p = p * z - 2.27537777e-4f;
    p = p * z - 1.16498175e-3f;
    p = p * z + 7.22161308e-3f;
    p = p * z - 9.62198805e-3f;
    p = p * z - 0.0421979725f;
    p = p * z + 0.166538611f;
    p = p * z - 0.0420026258f;
    p = p * z - 0.655878067f;
    p = p * z + 0.577215672f;
    return p * z + 1.0f;
}

// Γ of a negative number that is neither whole nor near 0 or -∞.
// Γ(x) = Γ(x+n) / (x (x+1) … (x+n-1)); the quotient is taken in steps, for the product can overflow.
static float negative_gamma(float x) {
    float product = 1.0f;
    // 2^30 keeps what is near the smallest floats from getting lost on the way.
    float result = 1073741824.0f;
    while (x < 1.0f) {
        product *= x;
        if (fabs(product) > 1e15f) {
            result = result / product;
            product = 1.0f;
        }
        float next = x + 1.0f;
        if (next >= 1.0f) {
            // What the addition rounds off changes Γ by its derivative.
            float lost = x - (next - 1.0f);
            result += result * lost * (-0.577215665f + 0.98f * (next - 1.0f));
        }
        x = next;
    }
    int high = x > 1.5f;
    float d = reciprocal_gamma(x - (high ? 2.0f : 1.0f)) * product;
    return result * (high ? x - 1.0f : 1.0f) / d * 9.31322575e-10f;
}

float pumice_tgamma(float x) {
    // Normal numbers from 0 to 35.1.
    if ((uint)(as_int(x) - 0x00800000) < 0x420c6667u - 0x00800000u) {
        float product = 0.5f; // Γ's largest values are near the largest float
        while (x > 1.5f) {
            x -= 1.0f;
            product *= x;
        }
        int low = x < 0.5f;
        float d = reciprocal_gamma(low ? x : x - 1.0f);
        return product / (low ? d * x : d) * 2.0f;
    }
    if (is_nan(x)) return x;
    int bits = as_int(x) & 0x7fffffff;
    if (bits == 0) return with_sign(INF, x);
    // A denormal, which a comparison may take for zero: 1/x, taken apart.
    if (bits < 0x00800000) return with_sign(pumice_ldexp(1.0f / significand(x), -exponent(x)), x);
    if (x > 0.0f) return INF;
    if (trunc(x) == x) return QNAN;
    if (x < -45.0f) return ((int)floor(fmax(x, -1e9f)) & 1) ? -0.0f : 0.0f;
    if (x > -1e-8f) return 1.0f / x;
    return negative_gamma(x);
}

// ln|Γ(x)| for x > 0.
static float lgamma_positive(float x) {
    if (x < 1e-8f) return -pumice_log(x);
    if (x < 12.0f) return x == 1.0f || x == 2.0f ? 0.0f : pumice_log(fabs(pumice_tgamma(x)));
    if (x == INF) return INF;
    float i = 1.0f / x;
    float series = i * (0.0833333333f - i * i * 0.00277777778f);
    return (x - 0.5f) * (pumice_log(x) - 1.0f) + (0.418938533f + series);
}

float pumice_lgamma(float x) {
    if (is_nan(x)) return x;
    if (x > 0.0f) return lgamma_positive(x);
    if (trunc(x) == x) return INF;
    float a = fabs(x);
    if (a < 1e-8f) return -pumice_log(a);
    return pumice_log(PI_F / (a * fabs(pumice_sinpi(a)))) - lgamma_positive(a);
}

int pumice_lgamma_sign(float x) {
    int bits = as_int(x) & 0x7fffffff;
    if (bits == 0) return 0;
    if (as_int(x) > 0 || bits > 0x7f800000) return 1;
    // A denormal, which may be taken for zero.
    if (bits < 0x00800000) return -1;
    if (trunc(x) == x) return 0;
    return is_odd(floor(x)) ? -1 : 1;
}

// ---- remainders: exact, by long division of the significands ----

// |x| / |y| for finite x and y ≠ 0: the low bits of the quotient, and the rest, in parts of the last place of y's significand, doubled.
// `small`: |x| is so much less than |y| that it is the rest, and less than half of y.
static uint long_division(float x, float y, uint *quotient, int *small) {
    int ex = exponent(x), ey = exponent(y);
    uint mx = (as_uint(significand(x)) & 0x007fffff) | 0x00800000;
    uint my = (as_uint(significand(y)) & 0x007fffff) | 0x00800000;
    *small = (as_int(x) & 0x7fffffff) == 0 || ex < ey - 1;
    int above = ex >= ey && mx >= my;
    uint q = above ? 1u : 0u;
    uint rest = above ? mx - my : mx;
    // Eight bits of the quotient in a round: one less than it is at most.
    float inverse = 0.999999f / (float)my;
    for (int n = ex - ey; n > 0; n -= 8) {
        int step = min(n, 8);
        rest <<= step;
        uint digits = (uint)((float)rest * inverse);
        rest -= digits * my;
        uint more = rest >= my ? 1u : 0u;
        rest -= more != 0u ? my : 0u;
        q = (q << step) + digits + more;
    }
    *quotient = q;
    return ex < ey ? rest : rest << 1;
}

// Whether a remainder of x and y is neither a number's own nor 0: NaN where x has no end or y is 0.
static int has_no_rest(float x, float y) {
    return is_nan(x) || is_nan(y) || fabs(x) == INF || (as_int(y) & 0x7fffffff) == 0;
}

float pumice_fmod(float x, float y) {
    uint q;
    int small;
    uint rest = long_division(x, y, &q, &small);
    float result = assemble(rest, exponent(y) - 24);
    // |x| < |y|
    result = small || (as_int(x) & 0x7fffffff) < (as_int(y) & 0x7fffffff) ? x : with_sign(result, x);
    return has_no_rest(x, y) ? QNAN : fabs(y) == INF ? x : result;
}

// The bits of the remainder, and those of the quotient's sign and low 7 bits.
uint2 pumice_remainder_and_quotient(float x, float y) {
    uint q;
    int small;
    uint rest = long_division(x, y, &q, &small);
    uint my = (as_uint(significand(y)) & 0x007fffff) | 0x00800000;
    // More than half of y, or half of it and the quotient odd.
    int up = rest > my || (rest == my && (q & 1u) != 0u);
    float magnitude = assemble(up ? (my << 1) - rest : rest, exponent(y) - 24);
    q += up ? 1u : 0u;
    uint sign = as_uint(x) & 0x80000000u;
    uint result = as_uint(magnitude) | (up ? sign ^ 0x80000000u : sign);
    result = rest == 0u ? sign : result;
    int bits = (int)(q & 0x7fu);
    bits = (as_int(x) ^ as_int(y)) < 0 ? -bits : bits;
    int none = has_no_rest(x, y), itself = small || fabs(y) == INF;
    return (uint2)(none ? 0x7fc00000u : itself ? as_uint(x) : result, none || itself ? 0u : (uint)bits);
}

float pumice_remainder(float x, float y) { return as_float(pumice_remainder_and_quotient(x, y).x); }

// ---- fused multiplication and addition, for devices whose own has two roundings and that have no double ----

// 64 bits (low, high) moved right; bits that fall out leave a trace in the lowest.
static uint2 shifted_right(uint2 x, int n) {
    if (n == 0) return x;
    if (n >= 64) return (uint2)((x.x | x.y) != 0u, 0u);
    if (n >= 32) {
        uint lost = x.x | (n > 32 ? x.y << (64 - n) : 0u);
        return (uint2)((x.y >> (n - 32)) | (lost != 0u), 0u);
    }
    uint lost = x.x << (32 - n);
    return (uint2)(x.x >> n | x.y << (32 - n) | (lost != 0u), x.y >> n);
}

// The 24 bits of a finite number's significand, denormals moved up; 0 for zero.
static uint whole_significand(float x) {
    uint bits = as_uint(x) & 0x7fffffffu;
    if (bits >= 0x00800000u) return (bits & 0x007fffffu) | 0x00800000u;
    return bits == 0u ? 0u : bits << ((int)clz(bits) - 8);
}

float pumice_fma(float x, float y, float z) {
    int ax = as_int(x) & 0x7fffffff, ay = as_int(y) & 0x7fffffff, az = as_int(z) & 0x7fffffff;
    // Infinities and NaN; zeros of both signs.
    if (ax >= 0x7f800000 || ay >= 0x7f800000) return x * y + z;
    if (az >= 0x7f800000) return z;
    if (ax == 0 || ay == 0) return az == 0 ? x * y + z : z;
    uint sign = (as_uint(x) ^ as_uint(y)) & 0x80000000u;
    // Both as 64-bit integers times 2^(exponent-60); the highest bit is bit 60, or 61 of the product.
    uint a = whole_significand(x), b = whole_significand(y);
    uint low = a * b, high = mul_hi(a, b);
    uint2 product = (uint2)(low << 14, high << 14 | low >> 18);
    uint2 addend = (uint2)(0u, whole_significand(z) << 5);
    int e = exponent(x) + exponent(y), distance = az == 0 ? 0 : e - exponent(z);
    if (distance >= 0) {
        addend = shifted_right(addend, distance);
    } else {
        product = shifted_right(product, -distance);
        e = exponent(z);
    }
    uint2 sum;
    if (sign == (as_uint(z) & 0x80000000u)) {
        sum.x = product.x + addend.x;
        sum.y = product.y + addend.y + (sum.x < product.x ? 1u : 0u);
    } else {
        if (product.y < addend.y || (product.y == addend.y && product.x < addend.x)) {
            uint2 other = product;
            product = addend;
            addend = other;
            sign ^= 0x80000000u;
        }
        sum.x = product.x - addend.x;
        sum.y = product.y - addend.y - (product.x < addend.x ? 1u : 0u);
        if ((sum.x | sum.y) == 0u) return 0.0f;
    }
    // The highest bit becomes bit 25 of what is left, two bits below the last for rounding; less for denormals.
    int top = sum.y ? 63 - (int)clz(sum.y) : 31 - (int)clz(sum.x);
    e += top - 60;
    int shift = top - 25 + (e < -126 ? -126 - e : 0);
    uint part = shift >= 0 ? shifted_right(sum, shift).x : sum.x << -shift;
    uint whole = part >> 2;
    whole += (part & 3u) == 3u || (part & 7u) == 6u ? 1u : 0u;
    if (e < -126) return as_float(whole | sign);
    if (e > 127) return as_float(0x7f800000u | sign);
    uint bits = ((uint)(e + 126) << 23) + whole;
    return as_float((bits >= 0x7f800000u ? 0x7f800000u : bits) | sign);
}

// x * y + z of halves, rounded so that rounding it to a half is right: to odd (the last bit is set where the result is
// not exact). Halves' products are exact in float, and far from its denormals.
float pumice_fma_of_half(float x, float y, float z) {
    float product = x * y;
    float sum = product + z;
    // What the sum lost: nothing in these operations rounds.
    float part = sum - product;
    float lost = (product - (sum - part)) + (z - part);
    int bits = as_int(sum);
    if ((bits & 0x7fffffff) >= 0x7f800000 || lost == 0.0f || (bits & 1)) return sum;
    return as_float((lost > 0.0f) == (sum > 0.0f) ? bits + 1 : bits - 1);
}

// ---- half precision in memory ----

float pumice_half_to_float(int h) {
    int sign = (h & 0x8000) << 16, rest = h & 0x7fff;
    int denormal = as_int((float)rest * 5.9604645e-8f);
    int infinite = 0x7f800000 | (rest & 0x3ff) << 13;
    return as_float(sign | (rest >= 0x7c00 ? infinite : rest >= 0x0400 ? (rest << 13) + (112 << 23) : denormal));
}

// The half's bits, the magnitude cut off, and what was cut: 0 nothing, 1 less than half, 2 half, 3 more.
static int cut_to_half(float x, int *lost) {
    int bits = as_int(x) & 0x7fffffff;
    *lost = 0;
    if (bits > 0x7f800000) return 0x7e00;
    if (bits == 0x7f800000) return 0x7c00;
    if (bits >= 0x47800000) { // 65536 and above
        *lost = 3;
        return 0x7bff;
    }
    if (bits == 0) return 0;
    uint whole = bits >= 0x00800000 ? (uint)(bits & 0x007fffff) | 0x00800000u : (uint)bits;
    int e = bits >> 23;
    int drop = e >= 113 ? 13 : 126 - e;
    if (drop > 26) {
        *lost = 1;
        return 0;
    }
    uint kept = whole >> drop, rest = whole & ((1u << drop) - 1u), half_way = 1u << (drop - 1);
    *lost = rest == 0u ? 0 : rest < half_way ? 1 : rest == half_way ? 2 : 3;
    return e >= 113 ? (int)kept + ((e - 113) << 10) : (int)kept;
}

static int half_sign(float x) { return (int)(as_uint(x) >> 16) & 0x8000; }

int pumice_float_to_half_rte(float x) {
    int lost;
    int h = cut_to_half(x, &lost);
    if (lost == 3 || (lost == 2 && (h & 1))) h += 1;
    return half_sign(x) | h;
}

int pumice_float_to_half_rtz(float x) {
    int lost;
    return half_sign(x) | cut_to_half(x, &lost);
}

int pumice_float_to_half_rtp(float x) {
    int lost;
    int h = cut_to_half(x, &lost);
    if (lost != 0 && as_int(x) >= 0) h += 1;
    return half_sign(x) | h;
}

int pumice_float_to_half_rtn(float x) {
    int lost;
    int h = cut_to_half(x, &lost);
    if (lost != 0 && as_int(x) < 0) h += 1;
    return half_sign(x) | h;
}
