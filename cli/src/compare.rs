//! Comparing results with what is expected.

use crate::array::{Array, Number, Scalar};

/// How close is close enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// The same value (NaNs are alike; zeros of either sign too).
    Exact,
    /// So many units in the last place of the float type.
    Ulp(f64),
    /// So large an absolute difference.
    Abs(f64),
}

/// One component that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The element.
    pub element: usize,
    /// The component in it.
    pub lane: usize,
    /// What came out.
    pub got: Number,
    /// What should have.
    pub expected: Number,
}

/// The mismatches of two arrays of one type and length, the first `limit` of them, and how many there are.
pub fn mismatches(
    got: &Array,
    expected: &Array,
    tolerance: Tolerance,
    limit: usize,
) -> (Vec<Mismatch>, usize) {
    let (mut first, mut count) = (Vec::new(), 0);
    for element in 0..got.len().min(expected.len()) {
        let pairs = got.element(element).into_iter().zip(expected.element(element)).enumerate();
        for (lane, (got_value, expected_value)) in pairs {
            if !close(got_value, expected_value, got.ty.scalar, tolerance) {
                count += 1;
                if first.len() < limit {
                    first.push(Mismatch { element, lane, got: got_value, expected: expected_value });
                }
            }
        }
    }
    (first, count)
}

fn close(got: Number, expected: Number, scalar: Scalar, tolerance: Tolerance) -> bool {
    let (got, expected) = match (got, expected) {
        (Number::Float(a), Number::Float(b)) => (a, b),
        (Number::Int(a), Number::Int(b)) => {
            return match tolerance {
                Tolerance::Abs(limit) => (a - b).unsigned_abs() as f64 <= limit,
                Tolerance::Exact | Tolerance::Ulp(_) => a == b,
            };
        }
        _ => return false,
    };
    if got.is_nan() || expected.is_nan() {
        return got.is_nan() && expected.is_nan();
    }
    if got == expected {
        return true;
    }
    match tolerance {
        Tolerance::Exact => false,
        Tolerance::Ulp(limit) => ((got - expected) / ulp(expected, scalar)).abs() <= limit,
        Tolerance::Abs(limit) => (got - expected).abs() <= limit,
    }
}

/// The distance between neighbours of a value in its type.
pub fn ulp(value: f64, scalar: Scalar) -> f64 {
    let (digits, least) = match scalar {
        Scalar::Half => (10, -14),
        Scalar::Double => (52, -1022),
        _ => (23, -126),
    };
    let exponent = if value == 0.0 { least } else { value.abs().log2().floor() as i32 };
    2f64.powi(exponent.max(least) - digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::ElementType;

    #[test]
    fn tolerances() {
        let ty = ElementType::parse("float").expect("type");
        let of = |v: f32| Array::from_fn(ty, 1, |_| Number::Float(v.into()));
        let next = f32::from_bits(1f32.to_bits() + 2);
        let count = |t| mismatches(&of(next), &of(1.0), t, 4).1;
        assert_eq!(
            (count(Tolerance::Exact), count(Tolerance::Ulp(1.0)), count(Tolerance::Ulp(2.0))),
            (1, 1, 0)
        );
        assert_eq!(count(Tolerance::Abs(1e-6)), 0);
        assert_eq!(mismatches(&of(f32::NAN), &of(f32::NAN), Tolerance::Exact, 1).1, 0);
        assert_eq!(mismatches(&of(f32::NAN), &of(1.0), Tolerance::Ulp(1e30), 1).1, 1);
    }
}
