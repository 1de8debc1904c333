//! What numbers of a type are, and what functions make of them.

use super::Ty;

impl Ty {
    pub(super) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The number that bits are; those of floats are exact.
    pub(super) fn number(self, bits: u64) -> f64 {
        match self.bits {
            16 => half_number(bits as u16),
            32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }

    pub(super) fn float_bits(self, number: f64) -> u64 {
        match self.bits {
            16 => u64::from(half_bits(number)),
            32 => u64::from((number as f32).to_bits()),
            _ => number.to_bits(),
        }
    }

    pub(super) fn signed_value(self, bits: u64) -> i64 {
        (bits << (64 - self.bits)) as i64 >> (64 - self.bits)
    }

    pub(super) fn combine(self, how: &str, a: u64, b: u64) -> u64 {
        if self.float {
            let (x, y) = (self.number(a), self.number(b));
            return self.float_bits(match how {
                "add" => x + y,
                "mul" => x * y,
                "min" => x.min(y),
                _ => x.max(y),
            });
        }
        let less = if self.signed { self.signed_value(a) < self.signed_value(b) } else { a < b };
        let value = match how {
            "add" => a.wrapping_add(b),
            "mul" => a.wrapping_mul(b),
            "min" => {
                if less {
                    a
                } else {
                    b
                }
            }
            "max" => {
                if less {
                    b
                } else {
                    a
                }
            }
            "and" => a & b,
            "or" => a | b,
            _ => a ^ b,
        };
        value & self.mask()
    }

    pub(super) fn identity(self, how: &str) -> u64 {
        if self.float {
            return self.float_bits(match how {
                "add" => 0.0,
                "mul" => 1.0,
                "min" => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            });
        }
        match (how, self.signed) {
            ("mul", _) => 1,
            ("min", true) => self.mask() >> 1,
            ("max", true) => (self.mask() >> 1) + 1,
            ("min" | "and", _) => self.mask(),
            _ => 0,
        }
    }

    /// Value n: floats whose sums and products are exact in every order, integers with all their bits.
    pub(super) fn value(self, n: usize) -> u64 {
        let random = (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if !self.float {
            return (random >> 7) & self.mask();
        }
        self.float_bits(match random >> 60 {
            0..6 => 1.0,
            6..12 => -1.0,
            12..15 => 2.0,
            _ => 0.5,
        })
    }

    /// Bits as they are compared: both zeros are one number.
    pub(super) fn shown(self, bits: u64) -> u64 {
        let bits = bits & self.mask();
        if self.float && self.number(bits) == 0.0 { 0 } else { bits }
    }
}

/// Halves of small numbers and infinities.
fn half_bits(number: f64) -> u16 {
    let sign = if number.is_sign_negative() { 0x8000 } else { 0 };
    let size = number.abs();
    if size == 0.0 {
        return sign;
    }
    let exponent = (size.to_bits() >> 52) as i32 - 1023;
    if exponent > 15 {
        return sign | 0x7C00;
    }
    if exponent < -14 {
        // Denormal: in units of 2^-24.
        return sign | (size * f64::from(1 << 24)).round_ties_even() as u16;
    }
    let unit = 2f64.powi(exponent - 10);
    let digits = (size / unit).round_ties_even() as u32;
    sign | ((((exponent + 15) as u32) << 10) + digits - 1024) as u16
}

fn half_number(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, digits) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => digits * 2f64.powi(-24),
        31 if digits == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + digits) * 2f64.powi(exponent - 25),
    }
}
