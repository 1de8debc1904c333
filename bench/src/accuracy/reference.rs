//! The right results of the functions: for halves and floats computed in double, for doubles with MPFR.

use super::Type;
use super::mpfr::Number;

/// The arguments of a call.
#[derive(Debug, Clone, Copy)]
pub struct Args {
    /// The edges of the float type.
    pub x: [f64; 3],
    /// That of type int.
    pub n: i32,
    /// The float type.
    pub ty: Type,
}

/// The C library's, in double: a few units of a double off, which is nothing for a float. `accuracy reference` says how much.
#[allow(missing_docs)]
mod c {
    // SAFETY: C99 §7.12 and glibc have them with these types; they take and give numbers alone.
    unsafe extern "C" {
        pub safe fn acos(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn asin(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn atan(x: f64) -> f64;
        pub safe fn atan2(x: f64, y: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn cbrt(x: f64) -> f64;
        pub safe fn cos(x: f64) -> f64;
        pub safe fn cosh(x: f64) -> f64;
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn exp(x: f64) -> f64;
        pub safe fn exp2(x: f64) -> f64;
        pub safe fn exp10(x: f64) -> f64;
        pub safe fn expm1(x: f64) -> f64;
        pub safe fn hypot(x: f64, y: f64) -> f64;
        pub safe fn lgamma(x: f64) -> f64;
        pub safe fn log(x: f64) -> f64;
        pub safe fn log2(x: f64) -> f64;
        pub safe fn log10(x: f64) -> f64;
        pub safe fn log1p(x: f64) -> f64;
        pub safe fn pow(x: f64, y: f64) -> f64;
        pub safe fn remainder(x: f64, y: f64) -> f64;
        pub safe fn sin(x: f64) -> f64;
        pub safe fn sinh(x: f64) -> f64;
        pub safe fn tan(x: f64) -> f64;
        pub safe fn tanh(x: f64) -> f64;
        pub safe fn tgamma(x: f64) -> f64;
    }
}

pub use c::{
    acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, erfc, exp, exp2, exp10, expm1, hypot,
    log, log1p, log2, log10, pow, remainder, sin, sinh, tan, tanh,
};

use std::f64::consts::PI;

/// Γ; NaN at the negative integers (OpenCL C has C99's F.9.5.4: a domain error).
pub fn tgamma(x: f64) -> f64 {
    c::tgamma(x)
}

/// ln |Γ|.
pub fn lgamma(x: f64) -> f64 {
    c::lgamma(x)
}

/// The sign of Γ; 0 where it has none (§7.5.1).
pub fn lgamma_sign(x: f64) -> f64 {
    if x == 0.0 || (x < 0.0 && x.floor() == x) {
        return 0.0;
    }
    // Between -1 and 0 it is negative, then positive.
    if x < 0.0 && x.floor() % 2.0 != 0.0 { -1.0 } else { 1.0 }
}

/// 1/√x, of a zero the infinity with its sign.
pub fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// x - q/2, exactly, and q mod 4.
fn half_turns(x: f64) -> (f64, i32) {
    let x = x % 2.0;
    let q = (x + x).round_ties_even();
    (x - q * 0.5, q as i32 & 3)
}

/// sin(πx); zeros have x's sign (OpenCL C §7.5.1).
pub fn sinpi(x: f64) -> f64 {
    let (r, q) = half_turns(x);
    if r == 0.0 && q & 1 == 0 {
        return 0f64.copysign(x);
    }
    let result = if q & 1 == 1 { cos(r * PI) } else { sin(r * PI) };
    if q & 2 == 2 { -result } else { result }
}

/// cos(πx).
pub fn cospi(x: f64) -> f64 {
    let (r, q) = half_turns(x);
    if r == 0.0 && q & 1 == 1 {
        return 0.0;
    }
    let result = if q & 1 == 1 { sin(r * PI) } else { cos(r * PI) };
    if (q + 1) & 2 == 2 { -result } else { result }
}

/// tan(πx): zeros and infinities as OpenCL C §7.5.1 has them.
pub fn tanpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (r, q) = half_turns(x);
    match (r == 0.0, q & 1) {
        (true, 0) => {
            if q == 0 {
                0f64.copysign(x)
            } else {
                -0f64.copysign(x)
            }
        }
        (true, _) => {
            if q == 1 {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            }
        }
        (false, 0) => tan(r * PI),
        (false, _) => -1.0 / tan(r * PI),
    }
}

/// pow restricted to x ≥ 0 (§6.15.2; edges in §7.5.1).
pub fn powr(x: f64, y: f64) -> f64 {
    let undefined = x < 0.0
        || x.is_nan()
        || y.is_nan()
        || (y == 0.0 && (x == 0.0 || x.is_infinite()))
        || (x == 1.0 && y.is_infinite());
    if undefined { f64::NAN } else { pow(x.abs(), y) }
}

/// The n-th root.
pub fn rootn(x: f64, n: i32) -> f64 {
    let odd = n & 1 == 1;
    if n == 0 || (x < 0.0 && !odd) {
        return f64::NAN;
    }
    let size = pow(x.abs(), 1.0 / f64::from(n));
    if odd { size.copysign(x) } else { size }
}

/// `fmax`.
pub fn larger(x: f64, y: f64) -> f64 {
    if x.is_nan() || y > x { y } else { x }
}

/// `fmin`.
pub fn smaller(x: f64, y: f64) -> f64 {
    if x.is_nan() || y < x { y } else { x }
}

/// `maxmag`.
pub fn maxmag(x: f64, y: f64) -> f64 {
    if x.abs() > y.abs() {
        x
    } else if y.abs() > x.abs() {
        y
    } else {
        larger(x, y)
    }
}

/// `minmag`.
pub fn minmag(x: f64, y: f64) -> f64 {
    if x.abs() < y.abs() {
        x
    } else if y.abs() < x.abs() {
        y
    } else {
        smaller(x, y)
    }
}

/// `fdim`.
pub fn fdim(x: f64, y: f64) -> f64 {
    if x <= y { 0.0 } else { x - y }
}

/// x - ⌊x⌋ rounded to the type, below 1.
pub fn fract(a: &Args) -> f64 {
    let x = a.x[0];
    if x.is_infinite() {
        return 0f64.copysign(x);
    }
    let rest = a.ty.round(x - x.floor());
    if rest >= 1.0 { 1.0 - a.ty.epsilon() / 2.0 } else { rest }
}

/// x without its whole part.
pub fn modf(x: f64) -> f64 {
    if x.is_infinite() { 0f64.copysign(x) } else { (x - x.trunc()).copysign(x) }
}

/// The exponent of a number that is finite and not zero: |x| in [2^e, 2^(e+1)).
fn exponent(x: f64) -> i32 {
    let bits = x.abs().to_bits();
    if bits >> 52 == 0 { -1011 - bits.leading_zeros() as i32 } else { (bits >> 52) as i32 - 1023 }
}

fn is_plain(x: f64) -> bool {
    x.is_finite() && x != 0.0
}

/// `logb`.
pub fn logb(x: f64) -> f64 {
    match x {
        _ if is_plain(x) => exponent(x).into(),
        _ if x == 0.0 => f64::NEG_INFINITY,
        _ => x.abs(),
    }
}

/// `ilogb`, as a float: FP_ILOGB0 is INT_MIN, FP_ILOGBNAN INT_MAX here.
pub fn ilogb(a: &Args) -> f64 {
    let x = a.x[0];
    let result = if is_plain(x) {
        exponent(x)
    } else if x == 0.0 {
        i32::MIN
    } else {
        i32::MAX
    };
    a.ty.round(result.into())
}

/// The significand of `frexp`.
pub fn frexp(x: f64) -> f64 {
    if !is_plain(x) {
        return x;
    }
    // A denormal double is made normal first.
    let x = if x.abs() < f64::MIN_POSITIVE { x * super::power(64) } else { x };
    f64::from_bits((x.to_bits() & !(0x7ff << 52)) | 1022 << 52)
}

/// The exponent of `frexp`.
pub fn frexp_exponent(x: f64) -> f64 {
    if is_plain(x) { (exponent(x) + 1).into() } else { 0.0 }
}

/// x × 2^n of a half or float, exactly; what is far beyond the type's range stays there.
pub fn scaled(x: f64, n: i32) -> f64 {
    x * super::power(n.clamp(-600, 600))
}

/// The quotient of `remquo`, seven bits of it with its sign. Exact for halves and floats.
pub fn quotient(x: f64, y: f64) -> f64 {
    if !x.is_finite() || y.is_nan() || y == 0.0 || y.is_infinite() {
        return 0.0;
    }
    let (a, b) = (x.abs(), y.abs());
    let part = a % (b * 128.0);
    let whole = ((part - remainder(part, b)) / b).round();
    let low = f64::from(whole as i32 & 127);
    if (x < 0.0) != (y < 0.0) { -low } else { low }
}

/// The neighbour of x towards y.
pub fn nextafter(a: &Args) -> f64 {
    let [x, y, _] = a.x;
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    if x == 0.0 {
        return a.ty.value(1).copysign(y);
    }
    let bits = a.ty.bits(x);
    a.ty.value(if (y > x) == (x > 0.0) { bits + 1 } else { bits - 1 })
}

/// x × y + z in one rounding to the type.
pub fn fma(a: &Args) -> f64 {
    let [x, y, z] = a.x;
    match a.ty {
        Type::Double => x.mul_add(y, z),
        Type::Float => (x as f32).mul_add(y as f32, z as f32).into(),
        // A product of halves is exact in double, and so is the sum.
        Type::Half => x * y + z,
    }
}

/// `sign`.
pub fn sign(x: f64) -> f64 {
    if x.is_nan() {
        0.0
    } else if x == 0.0 {
        x
    } else {
        1f64.copysign(x)
    }
}

/// `clamp`.
pub fn clamp(x: f64, low: f64, high: f64) -> f64 {
    x.max(low).min(high)
}

/// `smoothstep`.
pub fn smoothstep(low: f64, high: f64, x: f64) -> f64 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

// ---- with MPFR ----

/// √(x² + …).
pub fn norm<'m>(lanes: &[Number<'m>]) -> Number<'m> {
    dot(lanes, lanes).call("sqrt")
}

/// x y + ….
pub fn dot<'m>(a: &[Number<'m>], b: &[Number<'m>]) -> Number<'m> {
    let mut sum = a[0].with("mul", &b[0]);
    for (a, b) in a.iter().zip(b).skip(1) {
        sum = sum.with("add", &a.with("mul", b));
    }
    sum
}

/// x × 2^n.
pub fn scaled_number<'m>(x: &Number<'m>, n: i32) -> Number<'m> {
    let n = n.clamp(-4000, 4000);
    (0..4)
        .fold(x.of(1.0), |power, _| power.with("mul", &x.of(super::power(n / 4))))
        .with("mul", x)
        .with("mul", &x.of(super::power(n - n / 4 * 4)))
}

/// The n-th root.
pub fn root_number<'m>(x: &Number<'m>, n: i32) -> Number<'m> {
    let plain = rootn(x.double(), n);
    if !plain.is_finite() || plain == 0.0 {
        return x.of(plain);
    }
    let size = x.call("abs").call("log2").with("div", &x.of(n.into())).call("exp2");
    if plain < 0.0 { size.call("neg") } else { size }
}

/// x^y of x ≥ 0.
pub fn powr_number<'m>(x: &Number<'m>, y: &Number<'m>) -> Number<'m> {
    let plain = powr(x.double(), y.double());
    if plain.is_nan() { x.of(plain) } else { x.call("abs").with("pow", y) }
}
