// Math functions on double, as precise as OpenCL C §7.4 asks. Vulkan has none of them.
//
// The rules are those of float.cl, but that denormals are there and that 64-bit integers may be used: correct whether
// or not a multiplication and an addition are fused, division and square root off by some ulp, no tables in memory.
//
// Polynomials are fits in the Chebyshev sense of the functions named beside them, or Taylor series where those
// converge fast enough.

#define INF as_double(0x7ff0000000000000l)
#define QNAN as_double(0x7ff8000000000000l)
#define MAGNITUDE 0x7fffffffffffffffl
#define SIGN 0x8000000000000000ul
#define FRACTION 0x000ffffffffffffful
#define HIDDEN 0x0010000000000000ul
#define INF_BITS 0x7ff0000000000000l
#define LN2_HI 0.6931471803691238 // 32 bits, so that its product with an exponent is exact
#define LN2_LO 1.9082149292705877e-10
#define LN2 0.6931471805599453
#define LOG2_E 1.4426950408889634
#define PI_D 3.141592653589793
#define PI_LO 1.2246467991473532e-16
#define PI_2 1.5707963267948966
#define PI_2_LO 6.123233995736766e-17

// The upper 26 bits of the significand: products of two such numbers are exact.
static double upper(double x) { return as_double(as_ulong(x) & 0xfffffffff8000000ul); }

static int is_nan(double x) { return (as_long(x) & MAGNITUDE) > INF_BITS; }

static int is_zero(double x) { return (as_long(x) & MAGNITUDE) == 0; }

static double with_sign(double x, double sign) {
    return as_double((as_ulong(x) & ~SIGN) | (as_ulong(sign) & SIGN));
}

// ---- taking apart and putting together ----

// The bits of a positive number where it is a normal one; of a denormal those of x × 2^54.
static ulong normal_bits(ulong bits) {
    return bits < HIDDEN ? as_ulong(as_double(bits) * 18014398509481984.0) : bits;
}

// The exponent of a finite number that is not zero, denormals included: |x| is in [2^e, 2^(e+1)).
static int exponent(double x) {
    ulong bits = as_ulong(x) & ~SIGN;
    return (int)(normal_bits(bits) >> 52) - (bits < HIDDEN ? 1023 + 54 : 1023);
}

// The 53 bits of the significand of a finite number that is not zero.
static ulong whole_significand(double x) { return (normal_bits(as_ulong(x) & ~SIGN) & FRACTION) | HIDDEN; }

// |x| × 2^-exponent(x), in [1, 2).
static double significand(double x) {
    return as_double((normal_bits(as_ulong(x) & ~SIGN) & FRACTION) | 0x3ff0000000000000ul);
}

// The bits of x × 2^n, rounded to nearest even, of the bits of a normal x > 0, for n in [-8000, 8000].
static ulong moved(ulong bits, int n) {
    int e = (int)(bits >> 52) + n;
    // What is no normal number is multiplied by 2^-120 at last, which rounds.
    ulong kept = (bits & FRACTION) | (ulong)(e > 0 ? e : max(e, -60) + 120) << 52;
    ulong denormal = as_ulong(as_double(kept) * 7.52316384526264e-37);
    return e > 2046 ? (ulong)INF_BITS : e > 0 ? kept : denormal;
}

// whole × 2^n, rounded to nearest even, for whole that a double can have, and n in [-8000, 7000].
static double assemble(ulong whole, int n) {
    return as_double(whole == 0ul ? 0ul : moved(as_ulong((double)whole), n));
}

double pumice_ldexp_d(double x, int n) {
    ulong bits = as_ulong(x) & ~SIGN;
    int less = bits < HIDDEN ? 54 : 0;
    ulong result = moved(normal_bits(bits), clamp(n, -3000, 3000) - less) | (as_ulong(x) & SIGN);
    return bits == 0ul || bits >= (ulong)INF_BITS ? x : as_double(result);
}

// x × 2^n for x near 1 and n in [-1100, 1100]: in two steps, of which the second rounds.
static double scale(double x, int n) {
    int half_n = n >> 1;
    return x * as_double((long)(half_n + 1023) << 52) * as_double((long)(n - half_n + 1023) << 52);
}

double pumice_frexp_mantissa_d(double x) {
    ulong bits = as_ulong(x) & ~SIGN;
    double result = with_sign(significand(x) * 0.5, x);
    return bits == 0ul || bits >= (ulong)INF_BITS ? x : result;
}

int pumice_frexp_exponent_d(double x) {
    ulong bits = as_ulong(x) & ~SIGN;
    int e = exponent(x);
    return bits == 0ul || bits >= (ulong)INF_BITS ? 0 : e + 1;
}

double pumice_logb_d(double x) {
    long bits = as_long(x) & MAGNITUDE;
    double e = (double)exponent(x);
    // An infinity is the largest; a NaN stays one.
    return bits == 0 ? -INF : bits >= INF_BITS ? as_double(bits) : e;
}

int pumice_ilogb_d(double x) {
    long bits = as_long(x) & MAGNITUDE;
    int e = exponent(x);
    // FP_ILOGB0; FP_ILOGBNAN, and INT_MAX for infinities.
    return bits == 0 ? (int)0x80000000 : bits >= INF_BITS ? 0x7fffffff : e;
}

double pumice_nextafter_d(double x, double y) {
    if (is_nan(x)) return x;
    if (is_nan(y)) return y;
    // Integers in the order of the numbers, both zeros the same.
    long ix = as_long(x), iy = as_long(y);
    ix = ix < 0 ? (long)(SIGN - (ulong)ix) : ix;
    iy = iy < 0 ? (long)(SIGN - (ulong)iy) : iy;
    if (ix == iy) return y;
    ix += ix < iy ? 1 : -1;
    // A zero that is reached keeps the sign (IEEE 754 §5.3.1).
    return as_double(ix < 0 ? (long)(SIGN - (ulong)ix) : ix == 0 ? as_long(x) & (long)SIGN : ix);
}

// ---- exponentials ----

// e^r - 1 for |r| up to 0.35: Taylor series.
static double expm1_small(double r) {
    double p = 1.1470745597729725e-11;
    p = p * r + 1.6059043836821613e-10;
    p = p * r + 2.08767569878681e-09;
    p = p * r + 2.505210838544172e-08;
    p = p * r + 2.755731922398589e-07;
    p = p * r + 2.7557319223985893e-06;
    p = p * r + 2.48015873015873e-05;
    p = p * r + 0.0001984126984126984;
    p = p * r + 0.001388888888888889;
    p = p * r + 0.008333333333333333;
    p = p * r + 0.041666666666666664;
    p = p * r + 0.16666666666666666;
    p = p * r + 0.5;
    return r + r * r * p;
}

// NaN stays NaN.
static double clamped(double x, double low, double high) {
    double y = x < low ? low : x;
    return y > high ? high : y;
}

double pumice_exp_d(double x) {
    double y = clamped(x, -747.0, 710.0);
    double n = rint(y * LOG2_E);
    double r = (y - n * LN2_HI) - n * LN2_LO;
    return scale(1.0 + expm1_small(r), (int)n);
}

double pumice_exp2_d(double x) {
    double y = clamped(x, -1077.0, 1025.0);
    double n = rint(y);
    return scale(1.0 + expm1_small((y - n) * LN2), (int)n);
}

double pumice_exp10_d(double x) {
    double y = clamped(x, -325.0, 309.0);
    double n = rint(y * 3.321928094887362);
    double r = (y - n * 0.3010299955494702) - n * 1.1451100898021838e-10;
    // r × ln 10, the constant in two parts.
    double h = upper(r);
    double t = h * 2.3025850653648376;
    double l = (r - h) * 2.3025850653648376 + r * 2.7629208037533617e-08;
    return scale(1.0 + expm1_small(t + l), (int)n);
}

double pumice_expm1_d(double x) {
    if (is_nan(x)) return x;
    if (x > 709.8) return INF;
    if (x < -40.0) return -1.0;
    if (fabs(x) < 0.34) return is_zero(x) ? x : expm1_small(x);
    double n = rint(x * LOG2_E);
    double r = (x - n * LN2_HI) - n * LN2_LO;
    double m = expm1_small(r);
    if (n > 60.0) return scale(1.0 + m, (int)n);
    double s = as_double((long)((int)n + 1023) << 52);
    return s * m + (s - 1.0);
}

// ---- logarithms ----

// ln(1+f) without its leading term: ln(1+f) = f - result, for 1+f within [0.707, 1.415]. The series of
// 2 artanh(s) with s = f / (2 + f).
static double log1p_rest(double f) {
    double s = f / (2.0 + f);
    double z = s * s;
    double r = 0.08;
    r = r * z + 0.08695652173913043;
    r = r * z + 0.09523809523809523;
    r = r * z + 0.10526315789473684;
    r = r * z + 0.11764705882352941;
    r = r * z + 0.13333333333333333;
    r = r * z + 0.15384615384615385;
    r = r * z + 0.18181818181818182;
    r = r * z + 0.2222222222222222;
    r = r * z + 0.2857142857142857;
    r = r * z + 0.4;
    r = r * z + 0.6666666666666666;
    r = r * z;
    double h = 0.5 * f * f;
    return h - s * (h + r);
}

// The logarithm of x, where `result` is right for finite x > 0.
static double log_of(double x, double result) {
    long bits = as_long(x);
    result = bits >= INF_BITS ? x : result;
    result = bits < 0 ? QNAN : result;
    return (bits & MAGNITUDE) == 0 ? -INF : result;
}

// x = 2^e × (1 + f) with 1 + f in [0.707, 1.415), for finite x > 0; anything for others.
static double split(double x, int *e) {
    // 0x3fe6a09e667f3bcd: the root of 1/2.
    ulong bits = normal_bits(as_ulong(x)) + (0x3ff0000000000000ul - 0x3fe6a09e667f3bcdul);
    *e = (int)(bits >> 52) - (as_ulong(x) < HIDDEN ? 1023 + 54 : 1023);
    return as_double((bits & FRACTION) + 0x3fe6a09e667f3bcdul) - 1.0;
}

double pumice_log_d(double x) {
    int e;
    double f = split(x, &e);
    double n = (double)e;
    return log_of(x, n * LN2_HI - ((log1p_rest(f) - n * LN2_LO) - f));
}

double pumice_log2_d(double x) {
    int e;
    double f = split(x, &e);
    double rest = log1p_rest(f);
    // (f - rest) × log2(e), in parts: exact where f has few bits, never losing what f - rest rounds off.
    double h = upper(f - rest);
    double l = (f - h) - rest;
    double t = h * 1.4426950216293335;
    double u = l * 1.4426950216293335 + (h + l) * 1.9259629911266175e-08;
    return log_of(x, (double)e + (t + u));
}

double pumice_log10_d(double x) {
    int e;
    double f = split(x, &e);
    double rest = log1p_rest(f);
    double h = upper(f - rest);
    double l = (f - h) - rest;
    double n = (double)e;
    double t = h * 0.4342944771051407;
    double u = l * 0.4342944771051407 + (h + l) * 4.798111141615973e-09;
    return log_of(x, n * 0.3010299955494702 + (t + (u + n * 1.1451100898021838e-10)));
}

double pumice_log1p_d(double x) {
    if (is_zero(x) || is_nan(x)) return x;
    if (x == -1.0) return -INF;
    if (x < -1.0) return QNAN;
    if (x == INF) return x;
    if (fabs(x) < 1e-16) return x;
    if (x > -0.29 && x < 0.41) return x - log1p_rest(x);
    double u = 1.0 + x;
    double lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    lost = lost / u;
    int e;
    double f = split(u, &e);
    double n = (double)e;
    return n * LN2_HI - ((log1p_rest(f) - (n * LN2_LO + lost)) - f);
}

// ---- powers ----

// The one of six numbers that is near m in [0.707, 1.415), and its logarithm to base 2 in two parts.
static double near_log2(double m, double *hi, double *lo) {
    bool a = m < 0.8125, b = m < 0.9375, d = m > 1.0625, e = m > 1.1875, f = m > 1.3125;
    *hi = a ? -0.4150374992805155 : b ? -0.19264507794287056 : f ? 0.4594316186357901 : e ? 0.32192809488697094 : d ? 0.16992500144169753 : 0.0;
    *lo = a ? 1.6716575836880369e-12 : b ? 4.746647501663388e-13 : f ? 1.5071828865440427e-12 : e ? 3.914087556296025e-13 : d ? 6.14831062057289e-13 : 0.0;
    return a ? 0.75 : b ? 0.875 : f ? 1.375 : e ? 1.25 : d ? 1.125 : 1.0;
}

// x^(yh + yl) for finite x > 0, anything for others: yh has 26 bits or so, both parts together are y. Logarithm to base 2 with
// about 66 bits, its product with y in two parts, and 2 to the power of that.
static double power(double x, double yh, double yl) {
    int e;
    double m = 1.0 + split(x, &e);
    double ch, cl;
    double c = near_log2(m, &ch, &cl);
    double n = m - c, d = m + c;
    double inverse = 1.0 / d;
    double s = n * inverse;
    double sh = upper(s), dh = upper(d);
    double dl = m - (dh - c);
    double sl = ((n - sh * dh) - sh * dl) * inverse;
    double z = s * s;
    double p = 0.06666666666666667;
    p = p * z + 0.07692307692307693;
    p = p * z + 0.09090909090909091;
    p = p * z + 0.1111111111111111;
    p = p * z + 0.14285714285714285;
    p = p * z + 0.2;
    p = p * z + 0.3333333333333333;
    double low = sl + s * (z * p);
    // × 2 / ln 2
    double t = sh * 2.885390043258667;
    double u = sh * 3.851925982253235e-08 + low * 2.8853900817779268;
    double whole = (double)e + ch;
    double hi = whole + t;
    double lo = (t - (hi - whole)) + (u + cl);
    double wh = upper(hi);
    double wl = (hi - wh) + lo;
    double ph = yh * wh;
    double pl = yl * (wh + wl) + yh * wl;
    double sum = ph + pl;
    double k = rint(clamp(sum, -1078.0, 1026.0));
    double r = (ph - k) + pl;
    double result = scale(1.0 + expm1_small(r * LN2), (int)k);
    return sum > 1025.0 ? INF : sum < -1077.0 ? 0.0 : result;
}

// Whether y is a whole number; whether it is an odd one.
static int is_whole(double y) { return trunc(y) == y; }

static int is_odd(double y) { return is_whole(y) && ((long)fmin(fabs(y), 9007199254740992.0) & 1) != 0; }

// x to the power of y, of which `result` is the magnitude where |x| is neither 0 nor infinite, and of which `up` says whether it is above 0.
static double power_of(double x, double result, int up, int odd) {
    long bits = as_long(x) & MAGNITUDE;
    result = bits == 0 ? (up ? 0.0 : INF) : bits == INF_BITS ? (up ? INF : 0.0) : result;
    return as_double(as_ulong(result) | (odd ? as_ulong(x) & SIGN : 0ul));
}

// |x|^y for what is neither 0, infinite nor NaN of x; with |y| from 2^64 on all but 1 is infinite or 0.
static double magnitude_of_power(double x, double y) {
    y = clamp(y, -18446744073709551616.0, 18446744073709551616.0);
    double yh = upper(y);
    return power(fabs(x), yh, y - yh);
}

double pumice_pow_d(double x, double y) {
    double result = power_of(x, magnitude_of_power(x, y), y > 0.0, is_odd(y));
    int negative = x < 0.0 && x > -INF;
    result = (negative && !is_whole(y)) || is_nan(x) || is_nan(y) ? QNAN : result;
    return x == 1.0 || is_zero(y) ? 1.0 : result;
}

double pumice_powr_d(double x, double y) {
    double result = power_of(fabs(x), magnitude_of_power(x, y), y > 0.0, 0);
    // Powers of which two limits differ.
    int none = is_zero(y) ? is_zero(x) || fabs(x) == INF : x == 1.0 && fabs(y) == INF;
    result = is_zero(y) ? 1.0 : result;
    return none || is_nan(x) || is_nan(y) || x < 0.0 ? QNAN : result;
}

double pumice_pown_d(double x, int n) {
    double y = (double)n;
    double yh = upper(y);
    double result = power_of(x, power(fabs(x), yh, y - yh), n > 0, n & 1);
    result = is_nan(x) ? x : result;
    return n == 0 ? 1.0 : result;
}

double pumice_rootn_d(double x, int n) {
    double m = (double)n;
    double mh = upper(m);
    double yh = upper(1.0 / m);
    double yl = ((1.0 - yh * mh) - yh * (m - mh)) / m;
    double result = power_of(x, power(fabs(x), yh, yl), n > 0, n & 1);
    return n == 0 || (x < 0.0 && (n & 1) == 0) || is_nan(x) ? QNAN : result;
}

double pumice_cbrt_d(double x) {
    double a = fabs(x);
    if (is_zero(a) || !(a < INF)) return x;
    // a = m × 8^k with m in [1, 8); Halley's iteration from a straight line.
    int e = exponent(a);
    int k = e >= 0 ? e / 3 : -((2 - e) / 3);
    double m = significand(a) * as_double((long)(e - 3 * k + 1023) << 52);
    double t = m < 2.0 ? 0.75 + 0.26 * m : m < 4.0 ? 0.95 + 0.16 * m : 1.2 + 0.1 * m;
    for (int i = 0; i < 4; i++) {
        double c = t * t * t;
        t = t - t * ((c - m) / (c + c + m));
    }
    return with_sign(pumice_ldexp_d(t, k), x);
}

double pumice_hypot_d(double x, double y) {
    ulong ix = as_ulong(x) & ~SIGN, iy = as_ulong(y) & ~SIGN;
    ulong big = ix > iy ? ix : iy, small = ix > iy ? iy : ix;
    // By a power of two, so that the larger one comes to lie in [1/2, 8).
    ulong e = big & 0x7fc0000000000000ul;
    double down = as_double(0x7fd0000000000000ul - e);
    x *= down;
    y *= down;
    double result = sqrt(x * x + y * y) * as_double(e + HIDDEN);
    result = small == 0ul ? as_double(big) : result;
    return ix == (ulong)INF_BITS || iy == (ulong)INF_BITS ? INF : result;
}

// ---- trigonometric functions ----

// 64 bits of 2/π after the point, group n; group 0 is zero.
static ulong two_over_pi(int n) {
    switch (n) {
    case 1: return 0xA2F9836E4E441529ul;
    case 2: return 0xFC2757D1F534DDC0ul;
    case 3: return 0xDB6295993C439041ul;
    case 4: return 0xFE5163ABDEBBC561ul;
    case 5: return 0xB7246E3A424DD2E0ul;
    case 6: return 0x06492EEA09D1921Cul;
    case 7: return 0xFE1DEB1CB129A73Eul;
    case 8: return 0xE88235F52EBB4484ul;
    case 9: return 0xE99C7026B45F7E41ul;
    case 10: return 0x3991D639835339F4ul;
    case 11: return 0x9C845F8BBDF9283Bul;
    case 12: return 0x1FF897FFDE05980Ful;
    case 13: return 0xEF2F118B5A0A6D1Ful;
    case 14: return 0x6D367ECF27CB09B7ul;
    case 15: return 0x4F463F669E5FEA2Dul;
    case 16: return 0x7527BAC7EBE5F17Bul;
    case 17: return 0x3D0739F78A5292EAul;
    case 18: return 0x6BFB5FB11F8D5D08ul;
    case 19: return 0x56033046FC7B6BABul;
    default: return 0ul;
    }
}

// x - q π/2 for large x, after Payne and Hanek: the 192 bits of 2/π that matter, times x's significand. The bits of the
// difference, and q mod 4. It takes no pointer, so that calls of it stay calls: it is large and seldom reached.
static ulong2 reduce_large(double x) {
    int e = exponent(x);
    ulong m = whole_significand(x);
    int at = e + 10;
    int word = at >> 6, shift = at & 63;
    ulong a = two_over_pi(word), b = two_over_pi(word + 1), c = two_over_pi(word + 2), d = two_over_pi(word + 3);
    if (shift != 0) {
        a = a << shift | b >> (64 - shift);
        b = b << shift | c >> (64 - shift);
        c = c << shift | d >> (64 - shift);
    }
    // (a:b:c) × m, the low 192 bits.
    ulong p1 = b * m;
    ulong carry = mul_hi(c, m);
    p1 += carry;
    ulong p0 = a * m + mul_hi(b, m) + (p1 < carry ? 1ul : 0ul);
    ulong p2 = c * m;
    // Two bits of quadrant, then the fraction.
    ulong q = p0 >> 62;
    ulong f0 = p0 << 2 | p1 >> 62, f1 = p1 << 2 | p2 >> 62;
    int negative = 0;
    if (f0 & SIGN) {
        q += 1;
        f1 = 0ul - f1;
        f0 = ~f0 + (f1 == 0ul ? 1ul : 0ul);
        negative = 1;
    }
    int lead = 0;
    if (f0 == 0ul) {
        f0 = f1;
        f1 = 0ul;
        lead = 64;
    }
    if (f0 == 0ul) return (ulong2)(0ul, q & 3ul);
    int zeros = (int)clz(f0);
    if (zeros > 0) f0 = f0 << zeros | f1 >> (64 - zeros);
    // The fraction in two parts, times π/2 in two.
    double h = (double)(f0 >> 38), l = (double)(f0 & 0x3ffffffffful);
    double unit = as_double((long)(1023 - 64 - lead - zeros) << 52);
    h = h * 274877906944.0 * unit;
    l = l * unit;
    double r = (h * 1.5707963267948966 + (l * 1.5707963267948966 + h * 6.123233995736766e-17));
    return (ulong2)(as_ulong(negative ? -r : r), q & 3ul);
}

// |x| - q π/2 within ±π/4 (a little more), and q mod 4.
static double reduce(double x, int *quadrant) {
    double a = fabs(x);
    if (a < 0.785) {
        *quadrant = 0;
        return a;
    }
    if (a > 1048576.0) {
        ulong2 large = reduce_large(a);
        *quadrant = (int)large.y;
        return as_double(large.x);
    }
    double n = rint(a * 0.6366197723675814);
    double r = a - n * 1.5707963267341256;
    r = r - n * 6.077100506303966e-11;
    r = r - n * 2.0222662487959506e-21;
    *quadrant = (int)n & 3;
    return r;
}

static double sin_kernel(double r) {
    double z = r * r;
    double p = -8.22063524662433e-18;
    p = p * z + 2.8114572543455206e-15;
    p = p * z - 7.647163731819816e-13;
    p = p * z + 1.6059043836821613e-10;
    p = p * z - 2.505210838544172e-08;
    p = p * z + 2.7557319223985893e-06;
    p = p * z - 0.0001984126984126984;
    p = p * z + 0.008333333333333333;
    p = p * z - 0.16666666666666666;
    return r + r * (z * p);
}

static double cos_kernel(double r) {
    double z = r * r;
    double p = -1.5619206968586225e-16;
    p = p * z + 4.779477332387385e-14;
    p = p * z - 1.1470745597729725e-11;
    p = p * z + 2.08767569878681e-09;
    p = p * z - 2.755731922398589e-07;
    p = p * z + 2.48015873015873e-05;
    p = p * z - 0.001388888888888889;
    p = p * z + 0.041666666666666664;
    double h = 0.5 * z;
    double w = 1.0 - h;
    return w + (((1.0 - w) - h) + z * z * p);
}

double pumice_sin_d(double x) {
    if ((as_long(x) & MAGNITUDE) >= INF_BITS) return QNAN;
    int q;
    double r = reduce(x, &q);
    double result = (q & 1) ? cos_kernel(r) : sin_kernel(r);
    if (q & 2) result = -result;
    return as_long(x) < 0 ? -result : result;
}

double pumice_cos_d(double x) {
    if ((as_long(x) & MAGNITUDE) >= INF_BITS) return QNAN;
    int q;
    double r = reduce(x, &q);
    double result = (q & 1) ? sin_kernel(r) : cos_kernel(r);
    return ((q + 1) & 2) ? -result : result;
}

double pumice_tan_d(double x) {
    if ((as_long(x) & MAGNITUDE) >= INF_BITS) return QNAN;
    int q;
    double r = reduce(x, &q);
    double s = sin_kernel(r), c = cos_kernel(r);
    double result = (q & 1) ? -(c / s) : s / c;
    return as_long(x) < 0 ? -result : result;
}

// |x| - q/2 times π, and q mod 4; all numbers from 2^53 on are even integers.
static double reduce_pi(double x, int *quadrant) {
    double a = fabs(x);
    if (a >= 9007199254740992.0) {
        *quadrant = 0;
        return 0.0;
    }
    double n = rint(a + a);
    *quadrant = (int)((long)n & 3);
    return (a - n * 0.5) * PI_D;
}

double pumice_sinpi_d(double x) {
    if ((as_long(x) & MAGNITUDE) >= INF_BITS) return QNAN;
    int q;
    double r = reduce_pi(x, &q);
    double result = (q & 1) ? cos_kernel(r) : sin_kernel(r);
    if (is_zero(result)) return with_sign(0.0, x);
    if (q & 2) result = -result;
    return as_long(x) < 0 ? -result : result;
}

double pumice_cospi_d(double x) {
    if ((as_long(x) & MAGNITUDE) >= INF_BITS) return QNAN;
    int q;
    double r = reduce_pi(x, &q);
    double result = (q & 1) ? sin_kernel(r) : cos_kernel(r);
    if (is_zero(result)) return 0.0;
    return ((q + 1) & 2) ? -result : result;
}

double pumice_tanpi_d(double x) {
    if ((as_long(x) & MAGNITUDE) >= INF_BITS) return QNAN;
    int q;
    double r = reduce_pi(x, &q);
    double s = sin_kernel(r), c = cos_kernel(r);
    double result;
    if (is_zero(r) && (q & 1)) {
        result = q == 1 ? INF : -INF;
    } else if (is_zero(r)) {
        result = q == 0 ? 0.0 : -0.0;
    } else {
        result = (q & 1) ? -(c / s) : s / c;
    }
    return as_long(x) < 0 ? -result : result;
}

// ---- inverse trigonometric functions ----

// asin(x) - x for 0 <= x <= 0.5.
static double asin_rest(double x) {
    double z = x * x;
    double p = 0.02961201126495512;
    p = p * z - 0.01924167174674304;
    p = p * z + 0.019554513336123378;
    p = p * z + 0.0030448799094556773;
    p = p * z + 0.009319560794767446;
    p = p * z + 0.009621842970100282;
    p = p * z + 0.011566459612121669;
    p = p * z + 0.01396378001220357;
    p = p * z + 0.017352816540325496;
    p = p * z + 0.02237215744350722;
    p = p * z + 0.03038194447553234;
    p = p * z + 0.044642857142551895;
    p = p * z + 0.07500000000000118;
    p = p * z + 0.16666666666666666;
    return x * (z * p);
}

double pumice_asin_d(double x) {
    double a = fabs(x);
    if (!(a <= 1.0)) return QNAN;
    double result;
    if (a <= 0.5) {
        result = a + asin_rest(a);
    } else {
        double s = sqrt((1.0 - a) * 0.5);
        result = PI_2 - (2.0 * (s + asin_rest(s)) - PI_2_LO);
    }
    return with_sign(result, x);
}

double pumice_acos_d(double x) {
    double a = fabs(x);
    if (!(a <= 1.0)) return QNAN;
    if (a <= 0.5) return PI_2 - (x - (PI_2_LO - with_sign(asin_rest(a), x)));
    double s = sqrt((1.0 - a) * 0.5);
    double twice = 2.0 * (s + asin_rest(s));
    return x > 0.0 ? twice : PI_D - (twice - PI_LO);
}

// atan of a number that is not negative: the angle of 0, 0.4375, 1, 2.25 or infinity that is near, and the series of
// the rest.
static double atan_positive(double x) {
    double base = 0.0, low = 0.0;
    if (x > 4.4) {
        base = PI_2;
        low = PI_2_LO;
        x = -1.0 / x;
    } else if (x > 1.5) {
        base = 1.1525719972156676;
        low = -9.159738508900379e-17;
        x = (x - 2.25) / (1.0 + 2.25 * x);
    } else if (x > 0.68) {
        base = 0.7853981633974483;
        low = 3.061616997868383e-17;
        x = (x - 1.0) / (x + 1.0);
    } else if (x > 0.21) {
        base = 0.4124104415973873;
        low = -1.587652227770689e-17;
        x = (x - 0.4375) / (1.0 + 0.4375 * x);
    }
    double z = x * x;
    double p = 0.04;
    p = p * z - 0.043478260869565216;
    p = p * z + 0.047619047619047616;
    p = p * z - 0.05263157894736842;
    p = p * z + 0.058823529411764705;
    p = p * z - 0.06666666666666667;
    p = p * z + 0.07692307692307693;
    p = p * z - 0.09090909090909091;
    p = p * z + 0.1111111111111111;
    p = p * z - 0.14285714285714285;
    p = p * z + 0.2;
    p = p * z - 0.3333333333333333;
    return base + (x + (x * (z * p) + low));
}

double pumice_atan_d(double x) {
    if (is_nan(x)) return x;
    return with_sign(atan_positive(fabs(x)), x);
}

// The angle of (|x|, |y|) in [0, π/2].
static double angle(double y, double x) {
    y = fabs(y);
    x = fabs(x);
    if (y == x) return is_zero(x) ? 0.0 : 0.7853981633974483;
    if (x == INF || is_zero(y)) return 0.0;
    if (y == INF || is_zero(x)) return PI_2;
    int difference = exponent(y) - exponent(x);
    if (difference > 60) return PI_2;
    if (difference < -1000) return pumice_ldexp_d(significand(y) / significand(x), difference);
    double q = significand(y) / significand(x) * as_double((long)(difference + 1023) << 52);
    return atan_positive(q);
}

double pumice_atan2_d(double y, double x) {
    if (is_nan(x) || is_nan(y)) return QNAN;
    double a = angle(y, x);
    if (as_long(x) < 0) a = PI_D - (a - PI_LO);
    return with_sign(a, y);
}

#define INV_PI 0.3183098861837907

double pumice_asinpi_d(double x) { return pumice_asin_d(x) * INV_PI; }
double pumice_acospi_d(double x) { return pumice_acos_d(x) * INV_PI; }
double pumice_atanpi_d(double x) { return pumice_atan_d(x) * INV_PI; }

double pumice_atan2pi_d(double y, double x) {
    if (is_nan(x) || is_nan(y)) return QNAN;
    double a = angle(y, x) * INV_PI;
    if (as_long(x) < 0) a = 1.0 - a;
    return with_sign(a, y);
}

// ---- hyperbolic functions ----

double pumice_sinh_d(double x) {
    double a = fabs(x);
    double result;
    if (a < 1.0) {
        double z = a * a;
    double p = 1.9572941063391263e-20;
    p = p * z + 8.22063524662433e-18;
    p = p * z + 2.8114572543455206e-15;
    p = p * z + 7.647163731819816e-13;
    p = p * z + 1.6059043836821613e-10;
    p = p * z + 2.505210838544172e-08;
    p = p * z + 2.7557319223985893e-06;
    p = p * z + 0.0001984126984126984;
    p = p * z + 0.008333333333333333;
    p = p * z + 0.16666666666666666;
        result = a + a * (z * p);
    } else if (a < 700.0) {
        double e = pumice_exp_d(a);
        result = 0.5 * (e - 1.0 / e);
    } else {
        double e = pumice_exp_d(0.5 * a);
        result = 0.5 * e * e;
    }
    return with_sign(result, x);
}

double pumice_cosh_d(double x) {
    if (is_nan(x)) return x;
    double a = fabs(x);
    if (a < 700.0) {
        double e = pumice_exp_d(a);
        return 0.5 * (e + 1.0 / e);
    }
    double e = pumice_exp_d(0.5 * a);
    return 0.5 * e * e;
}

double pumice_tanh_d(double x) {
    if (is_nan(x)) return x;
    double a = fabs(x);
    double result = 1.0;
    if (a < 20.0) {
        double t = pumice_expm1_d(2.0 * a);
        result = t / (t + 2.0);
    }
    if (a < 1e-9) result = a;
    return with_sign(result, x);
}

double pumice_asinh_d(double x) {
    double a = fabs(x);
    if (!(a < INF) || a < 1e-9) return x;
    double result;
    if (a > 1e9) {
        result = pumice_log_d(a) + LN2;
    } else {
        double z = a * a;
        result = pumice_log1p_d(a + z / (1.0 + sqrt(1.0 + z)));
    }
    return with_sign(result, x);
}

double pumice_acosh_d(double x) {
    if (!(x >= 1.0)) return QNAN;
    if (x > 1e9) return pumice_log_d(x) + LN2;
    double t = x - 1.0;
    return pumice_log1p_d(t + sqrt(t * (t + 2.0)));
}

double pumice_atanh_d(double x) {
    double a = fabs(x);
    if (!(a <= 1.0)) return QNAN;
    if (a < 1e-9) return x;
    if (a == 1.0) return with_sign(INF, x);
    return with_sign(0.5 * pumice_log1p_d((a + a) / (1.0 - a)), x);
}

// ---- error and gamma functions ----

static double erf_small(double x) {
    double z = x * x;
    double p = -4.230945824295338e-12;
    p = p * z + 8.709045129053106e-11;
    p = p * z - 1.216456005728345e-09;
    p = p * z + 1.4792401209404813e-08;
    p = p * z - 1.6364642158167616e-07;
    p = p * z + 1.6462045441468418e-06;
    p = p * z - 1.4925647567519332e-05;
    p = p * z + 0.00012055332902888736;
    p = p * z - 0.000854832702193483;
    p = p * z + 0.0052239776254232985;
    p = p * z - 0.02686617064512984;
    p = p * z + 0.1128379167095512;
    p = p * z - 0.37612638903183754;
    p = p * z + 1.1283791670955126;
    return x * p;
}

// erfc(x) for x >= 1: e^(-x²) times a polynomial in (x-3)/(x+3), over 1 + 2x.
static double erfc_large(double x) {
    if (x > 27.3) return 0.0;
    double t = (x - 3.0) / (x + 3.0);
    double p = -1.9548704365362044e-08;
    p = p * t + 3.055673660089667e-08;
    p = p * t + 1.1688406019026132e-07;
    p = p * t - 1.381597658412734e-07;
    p = p * t - 6.291688637385698e-07;
    p = p * t + 3.5890050864744383e-07;
    p = p * t + 3.47789040193815e-06;
    p = p * t - 7.33515118596481e-07;
    p = p * t - 2.0102013044868095e-05;
    p = p * t + 4.95021928266322e-06;
    p = p * t + 0.00012509959896181967;
    p = p * t - 0.00010515995019438563;
    p = p * t - 0.0007798323004626773;
    p = p * t + 0.0018886903772696291;
    p = p * t + 0.002529391818289207;
    p = p * t - 0.023770514919858533;
    p = p * t + 0.06830802734386648;
    p = p * t - 0.11927366341526889;
    p = p * t + 0.12964515870276358;
    p = p * t - 0.04756229435345124;
    p = p * t - 0.1356211061245812;
    p = p * t + 1.2530080582697296;
    double h = upper(x);
    double first = pumice_exp_d(-(h * h) * 0.5);
    double rest = pumice_exp_d((h - x) * (h + x));
    return first * (rest * (p / (1.0 + 2.0 * x))) * first;
}

double pumice_erf_d(double x) {
    if (is_nan(x)) return x;
    double a = fabs(x);
    if (a < 1.0) return erf_small(x);
    return with_sign(1.0 - erfc_large(a), x);
}

double pumice_erfc_d(double x) {
    if (is_nan(x)) return x;
    double a = fabs(x);
    if (a < 1.0) return x < 0.5 ? 1.0 - erf_small(x) : 0.5 - (erf_small(x) - 0.5);
    double tail = erfc_large(a);
    return x > 0.0 ? tail : 2.0 - tail;
}

// Γ on [1, 2].
static double gamma_kernel(double x) {
    double t = x - 1.5;
    double p = -0.00011918060538282103;
    p = p * t + 0.00017877054902846353;
    p = p * t - 8.938401795176073e-05;
    p = p * t + 0.00013407432206073702;
    p = p * t - 0.000318425630316548;
    p = p * t + 0.0004776274435437428;
    p = p * t - 0.0006721864891915583;
    p = p * t + 0.0010082112193192704;
    p = p * t - 0.001522718358989335;
    p = p * t + 0.0022836521947962353;
    p = p * t - 0.003422726711413278;
    p = p * t + 0.0051315298230765775;
    p = p * t - 0.007690216677416653;
    p = p * t + 0.011522523362156005;
    p = p * t - 0.017222442878105718;
    p = p * t + 0.0258376061027181;
    p = p * t - 0.03800193556100107;
    p = p * t + 0.058610303826380196;
    p = p * t - 0.07752305229977173;
    p = p * t + 0.14464535904449782;
    p = p * t - 0.10729480456477264;
    p = p * t + 0.4148134536883018;
    p = p * t + 0.03233839744888502;
    p = p * t + 0.886226925452758;
    return p;
}

// What Stirling's series for ln Γ(x) adds to (x - 1/2) ln x - x + ln √(2π), for x >= 12.
static double stirling(double x) {
    double i = 1.0 / x;
    double z = i * i;
    double s = 0.00641025641025641;
    s = s * z - 0.0019175269175269176;
    s = s * z + 0.0008417508417508417;
    s = s * z - 0.0005952380952380953;
    s = s * z + 0.0007936507936507937;
    s = s * z - 0.002777777777777778;
    s = s * z + 0.08333333333333333;
    return s * i;
}

double pumice_tgamma_d(double x) {
    if (is_nan(x)) return x;
    if (is_zero(x)) return with_sign(INF, x);
    if (x > 171.7) return INF;
    if (x < 0.0 && (trunc(x) == x)) return QNAN;
    if (x < -185.0) return is_odd(floor(x)) ? -0.0 : 0.0;
    double a = fabs(x);
    if (a < 1e-17) return 1.0 / x;
    if (a > 16.0) {
        // a^a in two factors, for it can overflow where the result does not.
        double h = upper(0.5 * a);
        double w = power(a, h, 0.5 * a - h);
        double rest = sqrt(6.283185307179586 / a) * (1.0 + expm1_small(stirling(a)));
        if (x > 0.0) return w * pumice_exp_d(-a) * rest * w;
        // Γ(-a) = -π / (a sin(πa) Γ(a))
        double result = PI_D / (a * fabs(pumice_sinpi_d(a)) * rest) / w * pumice_exp_d(a) / w;
        return is_odd(floor(x)) ? -result : result;
    }
    double product = 1.0;
    if (x > 2.0) {
        while (x > 2.0) {
            x -= 1.0;
            product *= x;
        }
        return product * gamma_kernel(x);
    }
    // Γ(x) = Γ(x+n) / (x (x+1) … (x+n-1))
    double lost = 0.0;
    while (x < 1.0) {
        product *= x;
        double next = x + 1.0;
        // What the additions round off changes Γ by its derivative.
        if (next >= 1.0) lost = x - (next - 1.0);
        x = next;
    }
    double result = gamma_kernel(x) / product;
    return result + result * lost * (-0.5772156649015329 + 0.98 * (x - 1.0));
}

// ln|Γ(x)| for x > 0.
static double lgamma_positive(double x) {
    if (x < 1e-17) return -pumice_log_d(x);
    if (x < 12.0) return x == 1.0 || x == 2.0 ? 0.0 : pumice_log_d(fabs(pumice_tgamma_d(x)));
    if (x == INF) return INF;
    return (x - 0.5) * (pumice_log_d(x) - 1.0) + (0.4189385332046727 + stirling(x));
}

double pumice_lgamma_d(double x) {
    if (is_nan(x)) return x;
    if (x > 0.0) return lgamma_positive(x);
    if (trunc(x) == x) return INF;
    double a = fabs(x);
    if (a < 1e-17) return -pumice_log_d(a);
    return pumice_log_d(PI_D / (a * fabs(pumice_sinpi_d(a)))) - lgamma_positive(a);
}

int pumice_lgamma_sign_d(double x) {
    if (is_zero(x)) return 0;
    if (is_nan(x) || x > 0.0) return 1;
    if (trunc(x) == x) return 0;
    return is_odd(floor(x)) ? -1 : 1;
}

// ---- remainders: exact, by long division of the significands ----

// |x| / |y| for finite x and y ≠ 0: the low bits of the quotient, and the rest, in parts of the last place of y's significand, doubled.
// `small`: |x| is so much less than |y| that it is the rest, and less than half of y.
static ulong long_division(double x, double y, uint *quotient, int *small) {
    int ex = exponent(x), ey = exponent(y);
    ulong mx = whole_significand(x), my = whole_significand(y);
    *small = is_zero(x) || ex < ey - 1;
    int above = ex >= ey && mx >= my;
    uint q = above ? 1u : 0u;
    ulong rest = above ? mx - my : mx;
    // Eleven bits of the quotient in a round: one less than it is at most.
    double inverse = 0.9999999999 / (double)my;
    for (int n = ex - ey; n > 0; n -= 11) {
        int step = min(n, 11);
        rest <<= step;
        uint digits = (uint)((double)rest * inverse);
        rest -= digits * my;
        uint more = rest >= my ? 1u : 0u;
        rest -= more != 0u ? my : 0ul;
        q = (q << step) + digits + more;
    }
    *quotient = q;
    return ex < ey ? rest : rest << 1;
}

// Whether there is no remainder of x and y: NaN.
static int has_no_rest(double x, double y) { return is_nan(x) || is_nan(y) || fabs(x) == INF || is_zero(y); }

double pumice_fmod_d(double x, double y) {
    uint q;
    int small;
    ulong rest = long_division(x, y, &q, &small);
    double result = assemble(rest, exponent(y) - 53);
    result = small || fabs(x) < fabs(y) ? x : with_sign(result, x);
    return has_no_rest(x, y) ? QNAN : result;
}

// The bits of the remainder, and those of the quotient's sign and low 7 bits.
ulong2 pumice_remainder_and_quotient_d(double x, double y) {
    uint q;
    int small;
    ulong rest = long_division(x, y, &q, &small), my = whole_significand(y);
    // More than half of y, or half of it and the quotient odd.
    int up = rest > my || (rest == my && (q & 1u) != 0u);
    double magnitude = assemble(up ? (my << 1) - rest : rest, exponent(y) - 53);
    q += up ? 1u : 0u;
    ulong sign = as_ulong(x) & SIGN;
    ulong result = as_ulong(magnitude) | (up ? sign ^ SIGN : sign);
    result = rest == 0ul ? sign : result;
    int bits = (int)(q & 0x7fu);
    bits = (as_long(x) ^ as_long(y)) < 0 ? -bits : bits;
    int none = has_no_rest(x, y), itself = small || fabs(y) == INF;
    ulong quotient = none || itself ? 0ul : (ulong)(uint)bits;
    return (ulong2)(none ? as_ulong(QNAN) : itself ? as_ulong(x) : result, quotient);
}

double pumice_remainder_d(double x, double y) { return as_double(pumice_remainder_and_quotient_d(x, y).x); }

// ---- half precision in memory ----

// A float from which every rounding to half gives what it gives from x: cut off, its last bit set where bits were lost.
float pumice_nearby_float_d(double x) {
    ulong bits = as_ulong(x) & ~SIGN;
    uint sign = (uint)(as_ulong(x) >> 32) & 0x80000000u;
    if (bits > (ulong)INF_BITS) return as_float(0x7fc00000u | sign);
    if (bits == (ulong)INF_BITS) return as_float(0x7f800000u | sign);
    if (bits == 0ul) return as_float(sign);
    // Beyond the range of halves any number does.
    if (bits >= 0x4200000000000000ul) return as_float(0x7f000000u | sign);
    if (bits < 0x3d00000000000000ul) return as_float(0x00800000u | sign);
    uint kept = (uint)(bits >> 29) - (896u << 23);
    if (bits & 0x1ffffffful) kept |= 1u;
    return as_float(kept | sign);
}

// ---- fused multiplication and addition, for devices whose own has two roundings ----

// x * y + z of floats, rounded to a double so that rounding it to a float is right: to odd (the last bit is set where
// the result is not exact).
double pumice_fma_of_float_d(double x, double y, double z) {
    double product = x * y; // exact: 48 bits
    double sum = product + z;
    // What the sum lost: nothing in these operations rounds.
    double part = sum - product;
    double lost = (product - (sum - part)) + (z - part);
    ulong bits = as_ulong(sum);
    if ((as_long(sum) & MAGNITUDE) >= INF_BITS || lost == 0 || (bits & 1)) return sum;
    return as_double((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// 128 bits (low, high) moved right, by n >= 0; bits that fall out leave a trace in the lowest. The highest bit is 0.
static ulong2 shifted_right(ulong2 x, int n) {
    n = min(n, 127);
    int far = n >= 64, m = n & 63;
    ulong low = far ? x.y : x.x, high = far ? 0ul : x.y;
    ulong lost = (far ? x.x : 0ul) | low << 1 << (63 - m);
    return (ulong2)(low >> m | high << 1 << (63 - m) | (lost != 0ul ? 1ul : 0ul), high >> m);
}

// Without branches: where a driver inlines all calls, as llvmpipe does, hundreds of them in one kernel would take its compiler minutes.
double pumice_fma_d(double x, double y, double z) {
    long ax = as_long(x) & MAGNITUDE, ay = as_long(y) & MAGNITUDE, az = as_long(z) & MAGNITUDE;
    // Both as 128-bit integers times 2^(exponent-124); the highest bit is bit 124, or 125 of the product.
    ulong a = whole_significand(x), b = whole_significand(y);
    ulong low = a * b, high = mul_hi(a, b);
    int e = exponent(x) + exponent(y), distance = e - exponent(z);
    ulong2 product = shifted_right((ulong2)(low << 20, high << 20 | low >> 44), max(-distance, 0));
    ulong2 addend = shifted_right((ulong2)(0, whole_significand(z) << 8), max(distance, 0));
    e -= min(distance, 0);
    ulong sign = (as_ulong(x) ^ as_ulong(y)) & SIGN;
    int same = sign == (as_ulong(z) & SIGN);
    ulong more = product.x + addend.x, less = product.x - addend.x;
    ulong sum = same ? more : less;
    ulong top_sum = same ? product.y + addend.y + (more < product.x ? 1ul : 0ul)
                         : product.y - addend.y - (product.x < addend.x ? 1ul : 0ul);
    int negative = (long)top_sum < 0;
    top_sum = negative ? ~top_sum + (sum == 0ul ? 1ul : 0ul) : top_sum;
    sum = negative ? 0ul - sum : sum;
    sign ^= negative ? SIGN : 0ul;
    // The highest bit becomes bit 54 of what is left, two bits below the last for rounding; less for denormals.
    int top = top_sum != 0ul ? 127 - (int)clz(top_sum) : 63 - (int)clz(sum);
    e += top - 124;
    int shift = top - 54 + max(-1022 - e, 0);
    ulong part = shifted_right((ulong2)(sum, top_sum), max(shift, 0)).x << max(-shift, 0);
    ulong whole = part >> 2;
    whole += (part & 3ul) == 3ul || (part & 7ul) == 6ul ? 1ul : 0ul;
    ulong bits = ((ulong)max(e + 1022, 0) << 52) + whole;
    double result = as_double((bits >= (ulong)INF_BITS ? (ulong)INF_BITS : bits) | sign);
    result = (sum | top_sum) == 0ul ? 0.0 : result;
    // Infinities, NaN and zeros: the product is exact or nothing is added to it. A finite product may not become
    // infinite beside an infinite addend.
    result = az == 0 ? x * y : result;
    result = az >= INF_BITS ? z : result;
    return ax >= INF_BITS || ay >= INF_BITS || ax == 0 || ay == 0 ? x * y + z : result;
}
