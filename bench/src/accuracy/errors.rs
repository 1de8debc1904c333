//! Errors in units in the last place.

use super::{Type, power};

/// The right result of a function: the nearest double and what that leaves, so that the error of a double can be told.
pub type Real = (f64, f64);

/// ulp(x) of a type (OpenCL C §7.4): the distance of the two numbers around x; of the two nearest ones where x is one.
#[must_use]
pub fn unit(ty: Type, (high, low): Real) -> f64 {
    let size = high.abs().min(f64::MAX);
    let mut exponent = if size < f64::MIN_POSITIVE { -1023 } else { (size.to_bits() >> 52) as i32 - 1023 };
    let is_power = size.to_bits() << 12 == 0;
    if is_power && (low == 0.0 || (low < 0.0) == (high > 0.0)) {
        exponent -= 1;
    }
    power(exponent.max(ty.least_exponent()) - (ty.digits() - 1))
}

/// How many units a result is off. Infinity: a NaN or an infinity too many or too few. An infinity for a number too large for the
/// type counts as the number that would come after the largest one, and so does the number (§7.4: overflow within the error
/// is permitted).
#[must_use]
pub fn distance(ty: Type, got: f64, want: Real) -> f64 {
    let (mut high, mut low) = want;
    if high.is_nan() || got.is_nan() {
        return if high.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if high.is_infinite() {
        return if got == high { 0.0 } else { f64::INFINITY };
    }
    // A quarter of what is large, so that the number after the largest double is one.
    let scale = if high.abs() > 1.0 { 0.25 } else { 1.0 };
    let after = power(-ty.least_exponent() + 2 - 2) * if scale == 1.0 { 2.0 } else { 1.0 };
    high *= scale;
    low *= scale;
    let mut got = got * scale;
    if got.is_infinite() {
        got = after.copysign(got);
    }
    if high.abs() >= after && scale < 1.0 {
        (high, low) = (after.copysign(high), 0.0);
    }
    ((got - high) - low).abs() / unit(ty, (high, low)).max(power(-1074))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let f = |got: f64, want: f64| distance(Type::Float, got, (want, 0.0));
        assert_eq!(f(1.5, 1.5), 0.0);
        assert_eq!(f(1.5 + power(-23), 1.5), 1.0);
        // Below a power of two the numbers are twice as close.
        assert_eq!(f(1.0 + power(-23), 1.0), 2.0);
        assert_eq!(f(0.0, power(-149)), 1.0);
        assert_eq!(f(f64::INFINITY, f32::MAX.into()), 1.0);
        assert_eq!(f(f32::MAX.into(), power(128)), 1.0);
        assert_eq!(f(f32::MAX.into(), power(500)), 1.0);
        assert_eq!(f(f64::INFINITY, power(500)), 0.0);
        assert_eq!(f(f64::INFINITY, f64::INFINITY), 0.0);
        assert!(f(f32::MAX.into(), f64::INFINITY).is_infinite() && f(f64::NAN, 1.0).is_infinite());
        let d = |got: f64, want: Real| distance(Type::Double, got, want);
        assert_eq!(d(1.5, (1.5, power(-54))), 0.25);
        assert_eq!(d(f64::INFINITY, (f64::MAX, 0.0)), 1.0);
        assert_eq!(d(power(-1074), (0.0, 0.0)), 1.0);
    }
}
