//! How far the math functions of an OpenCL driver are from the right results, in units in the last place (OpenCL C §7.4).
//!
//! ```text
//! functions ── source, arguments ──▶ the driver ──▶ results ─┐
//!     └── reference (C's library in double for floats and halves, MPFR for doubles) ──┴─▶ errors ──▶ a line for each ──▶ report
//! ```
//!
//! Functions of one float are computed for every argument, or for every n-th; of one half for every one; others for special values
//! in all combinations and many more at random. The precision of the reference for floats is measured with MPFR, too.

pub mod arguments;
pub mod errors;
pub mod functions;
pub mod measure;
pub mod mpfr;
pub mod reference;
pub mod report;

/// The error, in words.
pub type Result<T> = std::result::Result<T, String>;

/// A float type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// 16 bits.
    Half,
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
}

impl Type {
    /// OpenCL C's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["half", "float", "double"][self as usize]
    }

    /// Bytes of a value.
    #[must_use]
    pub fn bytes(self) -> usize {
        [2, 4, 8][self as usize]
    }

    /// Bits of the significand, the leading one with them.
    #[must_use]
    pub fn digits(self) -> i32 {
        [11, 24, 53][self as usize]
    }

    /// The exponent of the smallest normal number.
    #[must_use]
    pub fn least_exponent(self) -> i32 {
        [-14, -126, -1022][self as usize]
    }

    /// The value of some bits.
    #[must_use]
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Type::Half => half_value(bits as u16),
            Type::Float => f32::from_bits(bits as u32).into(),
            Type::Double => f64::from_bits(bits),
        }
    }

    /// The bits of the nearest value.
    #[must_use]
    pub fn bits(self, value: f64) -> u64 {
        match self {
            Type::Half => half_bits(value),
            Type::Float => (value as f32).to_bits().into(),
            Type::Double => value.to_bits(),
        }
    }

    /// The nearest value, even ones where two are.
    #[must_use]
    pub fn round(self, value: f64) -> f64 {
        self.value(self.bits(value))
    }

    /// Returns whether a number is below the normal ones, and not zero.
    #[must_use]
    pub fn is_denormal(self, value: f64) -> bool {
        value != 0.0 && value.abs() < self.least()
    }

    /// The smallest normal number.
    #[must_use]
    pub fn least(self) -> f64 {
        power(self.least_exponent())
    }

    /// The largest number.
    #[must_use]
    pub fn largest(self) -> f64 {
        self.value(self.bits(f64::INFINITY) - 1)
    }

    /// The distance of 1 and the next number.
    #[must_use]
    pub fn epsilon(self) -> f64 {
        power(1 - self.digits())
    }

    /// A value of the type's size in little-endian bytes.
    pub fn write(self, value: f64, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.bits(value).to_le_bytes()[..self.bytes()]);
    }

    /// Value number n of some bytes.
    #[must_use]
    pub fn read(self, bytes: &[u8], n: usize) -> f64 {
        let mut word = [0; 8];
        word[..self.bytes()].copy_from_slice(&bytes[n * self.bytes()..(n + 1) * self.bytes()]);
        self.value(u64::from_le_bytes(word))
    }
}

/// 2^n, for n that a double can have, denormals too.
#[must_use]
pub fn power(n: i32) -> f64 {
    if n >= -1022 {
        f64::from_bits(((n + 1023) as u64) << 52)
    } else {
        f64::from_bits(1 << (n + 1074).max(0))
    }
}

fn half_value(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * power(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * power(exponent - 25),
    };
    if bits & 0x8000 != 0 { -size } else { size }
}

fn half_bits(value: f64) -> u64 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    // The unit of the last place; what is left is a small integer and rounds to even.
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(-14);
    let whole = (size / power(exponent - 10)).round_ties_even() as u64;
    // A carry goes into the exponent as it should; a denormal's has the exponent of the least normal, without the leading bit.
    sign | ((((exponent + 14) as u64) << 10) + whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_come_back() {
        for bits in (0..0x7c00u64).chain(0x8000..0xfc00) {
            assert_eq!(Type::Half.bits(Type::Half.value(bits)), bits, "{bits:#x}");
        }
        assert_eq!(Type::Half.bits(1.0 + 2f64.powi(-11)), 0x3c00);
        assert_eq!(Type::Half.bits(1.0 + 3.0 * 2f64.powi(-11)), 0x3c02);
        assert_eq!(Type::Half.bits(2f64.powi(-26)), 0);
        assert_eq!(Type::Half.bits(1e9), 0x7c00);
        assert!(Type::Half.value(0x7c01).is_nan());
    }
}
