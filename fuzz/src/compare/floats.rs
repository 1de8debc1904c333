//! Floats as IEEE 754 has them: every operation here has one result, whatever computes it, or the program is rejected.
//!
//! A lane is computed as double and rounded once to its type, to the nearest, ties to even: where two roundings could differ from one
//! the first is to odd. No denormal number is made or taken, since devices may flush these. A NaN is kept as one pattern
//! of bits that must not get into memory: its bits are not defined.

use super::ast::{Binary, Builtin, Scalar};
use super::memory::{R, Reject};

const DENORMAL: Reject = Reject("a denormal number");

/// The least normal number.
fn least(s: Scalar) -> f64 {
    match s {
        Scalar::F16 => 2f64.powi(-14),
        Scalar::F32 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    }
}

/// The number of these bits, exactly.
pub(crate) fn number(s: Scalar, bits: u64) -> f64 {
    match s {
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        Scalar::F64 => f64::from_bits(bits),
        _ => {
            let (exponent, fraction) = (bits >> 10 & 31, (bits & 1023) as f64);
            let size = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
            };
            if bits >> 15 & 1 == 1 { -size } else { size }
        }
    }
}

/// The bits of the nearest number of the type. The sign of what is no number is lost.
pub(crate) fn nearest(s: Scalar, value: f64) -> u64 {
    match s {
        Scalar::F32 if value.is_nan() => 0x7fc0_0000,
        Scalar::F32 => u64::from((value as f32).to_bits()),
        Scalar::F64 if value.is_nan() => 0x7ff8 << 48,
        Scalar::F64 => value.to_bits(),
        _ if value.is_nan() => 0x7e00,
        _ => {
            let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
            let size = value.abs();
            if size >= 65520.0 {
                return sign | 0x7c00;
            }
            // Numbers between two powers of two stand so far apart.
            let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(-14);
            let steps = (size * 2f64.powi(10 - exponent)).round_ties_even() as u64;
            // A fraction of 1024 that rounds up carries into the exponent.
            sign | ((((exponent + 14) as u64) << 10) + steps)
        }
    }
}

/// Rounds a result that a double may have rounded to odd before.
fn rounded(s: Scalar, value: f64) -> R<u64> {
    if value != 0.0 && value.abs() < least(s) {
        return Err(DENORMAL);
    }
    Ok(nearest(s, value))
}

/// Bits that a program may use: of a number that is not denormal.
pub(crate) fn plain(s: Scalar, bits: u64) -> R<u64> {
    let value = number(s, bits);
    if value.is_nan() {
        return Err(Reject("bits of what is no number"));
    }
    if value != 0.0 && value.abs() < least(s) { Err(DENORMAL) } else { Ok(bits) }
}

/// The features of programs whose floats are small whole numbers: no rounding, whatever the device fuses, and no sign of zero.
pub(crate) fn whole(s: Scalar, bits: u64) -> R<u64> {
    let value = number(s, bits);
    if value.is_nan() || value.abs() > 16_777_216.0 || value.fract() != 0.0 {
        return Err(Reject("a float that may be rounded"));
    }
    if value == 0.0 && value.is_sign_negative() { Err(Reject("a negative zero")) } else { Ok(bits) }
}

/// Rejects a result that WGSL leaves open: a zero, whose sign may be another, an infinity, and what is no number.
pub(crate) fn ordinary(s: Scalar, bits: u64) -> R<u64> {
    let value = number(s, bits);
    if value != 0.0 && value.is_finite() { Ok(bits) } else { Err(Reject("a zero, an infinity or no number")) }
}

pub(crate) fn negated(s: Scalar, bits: u64) -> u64 {
    nearest(s, -number(s, bits))
}

pub(crate) fn binary(op: Binary, s: Scalar, a: u64, b: u64) -> R<u64> {
    let (a, b) = (number(s, a), number(s, b));
    // A sum or product of two floats or halves that is rounded to double and then again is rounded right: 53 ≥ 2·24 + 2.
    let value = match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div if s == Scalar::F64 => a / b,
        _ => return Err(Reject("an operator that floats have not")),
    };
    // Of doubles: what was rounded up to the least normal number, or down to nothing.
    let small = s == Scalar::F64 && value.abs() <= least(s);
    let underflows = a != 0.0 && (op == Binary::Mul && b != 0.0 || op == Binary::Div && b.is_finite());
    if small && underflows {
        return Err(DENORMAL);
    }
    rounded(s, value)
}

/// a · b + c, rounded once.
fn fused(s: Scalar, a: f64, b: f64, c: f64) -> R<u64> {
    let value = a.mul_add(b, c);
    let product_is_lost = c == 0.0 && a != 0.0 && b != 0.0 && value.abs() <= f64::MIN_POSITIVE;
    if s == Scalar::F64 && (product_is_lost || value.abs() == f64::MIN_POSITIVE) {
        return Err(DENORMAL);
    }
    if s == Scalar::F64 || !value.is_finite() {
        return rounded(s, value);
    }
    // The product of floats is exact. What the sum lost tells which way is odd.
    let product = a * b;
    let big = value - product;
    let lost = (product - (value - big)) + (c - big);
    let odd = if lost == 0.0 || value.to_bits() & 1 == 1 {
        value
    } else if (lost > 0.0) == (value > 0.0) {
        f64::from_bits(value.to_bits() + 1)
    } else {
        f64::from_bits(value.to_bits() - 1)
    };
    rounded(s, odd)
}

/// To another type of floats.
pub(crate) fn convert(from: Scalar, to: Scalar, bits: u64) -> R<u64> {
    rounded(to, number(from, bits))
}

/// From an integer.
pub(crate) fn from_integer(to: Scalar, n: i128) -> u64 {
    match to {
        Scalar::F32 => u64::from((n as f32).to_bits()),
        // What a double rounds is beyond all halves.
        _ => nearest(to, n as f64),
    }
}

/// a - n · b for the whole number n nearest to a / b, the even one of two.
fn remainder(a: f64, b: f64) -> f64 {
    let size = b.abs();
    // Twice b may be infinite, of which nothing is taken.
    let twice = (a % (size + size)).abs();
    let rest = match size {
        _ if a.is_nan() || b.is_nan() || a.is_infinite() || size == 0.0 => return f64::NAN,
        _ if size.is_infinite() => return a,
        // Of what is below 2b none, one or two of b are taken: of halves an even number.
        _ if twice > size => match twice - size {
            rest if rest >= size / 2.0 => rest - size,
            rest => rest,
        },
        _ if twice > size / 2.0 => twice - size,
        _ => twice,
    };
    if a.is_sign_negative() { -rest } else { rest }
}

/// a · 2ⁿ, rounded once.
fn scaled(s: Scalar, a: f64, n: i32) -> R<u64> {
    if a == 0.0 || !a.is_finite() {
        return Ok(nearest(s, a));
    }
    let n = n.clamp(-4200, 4200);
    // Three steps, none of which leaves the normal numbers before the last.
    let value = a * 2f64.powi(n / 3) * 2f64.powi(n / 3) * 2f64.powi(n - n / 3 * 2);
    if value.abs() <= least(s) { Err(DENORMAL) } else { Ok(nearest(s, value)) }
}

/// §6.15.2. An operation that may give either zero has no result.
pub(crate) fn builtin(f: Builtin, s: Scalar, args: &[u64]) -> R<u64> {
    let arg = |n: usize| number(s, args.get(n).copied().unwrap_or(0));
    let (a, b) = (arg(0), arg(1));
    let either = a == 0.0 && b == 0.0 && a.is_sign_negative() != b.is_sign_negative();
    Ok(match f {
        Builtin::Fma => return fused(s, a, b, arg(2)),
        Builtin::Fmin | Builtin::Fmax if either => return Err(Reject("either zero")),
        Builtin::Fmin => nearest(s, a.min(b)),
        Builtin::Fmax => nearest(s, a.max(b)),
        Builtin::Fabs => nearest(s, a.abs()),
        Builtin::Copysign if b.is_nan() => return Err(Reject("the sign of what is no number")),
        Builtin::Copysign => nearest(s, a.copysign(b)),
        Builtin::Floor => nearest(s, a.floor()),
        Builtin::Ceil => nearest(s, a.ceil()),
        Builtin::Trunc => nearest(s, a.trunc()),
        Builtin::Rint => nearest(s, a.round_ties_even()),
        Builtin::Round => nearest(s, a.round()),
        Builtin::Fdim if a.is_nan() || b.is_nan() => nearest(s, f64::NAN),
        Builtin::Fdim if a > b => return rounded(s, a - b),
        Builtin::Fdim => nearest(s, 0.0),
        // What is left of a quotient is exact.
        Builtin::Fmod => return rounded(s, a % b),
        Builtin::Remainder => return rounded(s, remainder(a, b)),
        Builtin::Ldexp => return scaled(s, a, args.get(1).copied().unwrap_or(0) as u32 as i32),
        Builtin::Sqrt if s == Scalar::F64 => nearest(s, a.sqrt()),
        _ => return Err(Reject("a function that floats have not")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All halves but what is no number, and what lies between two of them.
    #[test]
    fn halves() {
        for bits in 0..0x7c00u64 {
            let value = number(Scalar::F16, bits);
            assert_eq!(nearest(Scalar::F16, value), bits);
            assert_eq!(nearest(Scalar::F16, -value), bits | 0x8000);
            if bits < 0x7bff {
                let next = number(Scalar::F16, bits + 1);
                let middle = f64::midpoint(value, next);
                assert_eq!(nearest(Scalar::F16, middle), bits + (bits & 1), "{middle}");
                assert_eq!(nearest(Scalar::F16, f64::from_bits(middle.to_bits() + 1)), bits + 1);
                assert_eq!(nearest(Scalar::F16, f64::from_bits(middle.to_bits() - 1)), bits);
            }
        }
        assert_eq!(nearest(Scalar::F16, 65519.999), 0x7bff);
        assert_eq!(nearest(Scalar::F16, 65520.0), 0x7c00);
        assert_eq!(number(Scalar::F16, 0xfc00), f64::NEG_INFINITY);
        assert_eq!(nearest(Scalar::F16, number(Scalar::F16, 0x7c01)), 0x7e00);
    }

    #[test]
    fn remainders_and_scales() {
        for (a, b) in
            (-60..=60).flat_map(|a| (-20..=20).map(move |b| (f64::from(a) / 4.0, f64::from(b) / 4.0)))
        {
            let rest = remainder(a, b);
            if b == 0.0 {
                assert!(rest.is_nan());
                continue;
            }
            assert_eq!(rest, a - (a / b).round_ties_even() * b, "{a} {b}");
            assert!(rest != 0.0 || rest.is_sign_negative() == a.is_sign_negative(), "{a} {b}");
        }
        assert_eq!(remainder(1e300, 1.7e308), 1e300);
        assert_eq!(remainder(1.7e308, -1e308).to_bits(), (1.7e308f64 - 1e308 - 1e308).to_bits());
        assert_eq!(remainder(-7.0, f64::INFINITY), -7.0);
        let one = nearest(Scalar::F32, 1.0);
        let ldexp = |n: i32| builtin(Builtin::Ldexp, Scalar::F32, &[one, u64::from(n as u32)]);
        assert_eq!(ldexp(3), Ok(nearest(Scalar::F32, 8.0)));
        assert_eq!(ldexp(i32::MAX), Ok(nearest(Scalar::F32, f64::INFINITY)));
        assert!(ldexp(-130).is_err() && ldexp(i32::MIN).is_err());
    }

    /// Against a float's own fma, whose one rounding is the machine's or a library's.
    #[test]
    fn fused_floats() {
        let mut random = crate::random::Random::new(7);
        let mut float = || {
            let bits = random.bits();
            let near = 100 + bits % 50;
            f32::from_bits((bits >> 32 & 0x807f_ffff) as u32 | (near as u32) << 23)
        };
        for _ in 0..100_000 {
            let (a, b, c) = (float(), float(), float());
            let bits = |x: f32| u64::from(x.to_bits());
            let ours = builtin(Builtin::Fma, Scalar::F32, &[bits(a), bits(b), bits(c)]);
            if let Ok(ours) = ours {
                assert_eq!(ours, bits(a.mul_add(b, c)), "{a:e} {b:e} {c:e}");
            }
        }
        // Half of what the last place holds, and so little more: two roundings would lose it.
        let two = [0x3c01, 0x3c01, 0x0400].map(|b| number(Scalar::F16, b));
        let exact = two[0] * two[1] + two[2];
        assert_eq!(
            builtin(Builtin::Fma, Scalar::F16, &[0x3c01, 0x3c01, 0x0400]),
            Ok(nearest(Scalar::F16, exact))
        );
    }
}
