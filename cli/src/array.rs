//! Typed data for kernel arguments: element types by their OpenCL names, and bytes.

use half::f16;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// A scalar type of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Scalar {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

const NAMES: [(&str, Scalar); 11] = [
    ("char", Scalar::Char),
    ("uchar", Scalar::UChar),
    ("short", Scalar::Short),
    ("ushort", Scalar::UShort),
    ("int", Scalar::Int),
    ("uint", Scalar::UInt),
    ("long", Scalar::Long),
    ("ulong", Scalar::ULong),
    ("half", Scalar::Half),
    ("float", Scalar::Float),
    ("double", Scalar::Double),
];

impl Scalar {
    /// Bytes.
    pub fn size(self) -> usize {
        match self {
            Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort | Scalar::Half => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Long | Scalar::ULong | Scalar::Double => 8,
        }
    }

    /// Whether it is a floating type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, s)| *s == self).map_or("", |(name, _)| name)
    }
}

/// A scalar or vector type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementType {
    /// The scalar.
    pub scalar: Scalar,
    /// 1, 2, 3, 4, 8 or 16.
    pub lanes: usize,
}

impl ElementType {
    /// By its name in OpenCL C (`float4`).
    pub fn parse(name: &str) -> Option<Self> {
        let split = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let (scalar, lanes) = name.split_at(split);
        let scalar = NAMES.iter().find(|(n, _)| *n == scalar)?.1;
        let lanes = match lanes {
            "" => 1,
            "2" => 2,
            "3" => 3,
            "4" => 4,
            "8" => 8,
            "16" => 16,
            _ => return None,
        };
        Some(ElementType { scalar, lanes })
    }

    /// Bytes of one element in memory: a 3-component vector takes the room of 4.
    pub fn size(self) -> usize {
        self.scalar.size() * if self.lanes == 3 { 4 } else { self.lanes }
    }
}

impl std::fmt::Display for ElementType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.scalar.name())?;
        if self.lanes > 1 { write!(f, "{}", self.lanes) } else { Ok(()) }
    }
}

/// One number of any type, as the command line gives it or a buffer holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer; every 64-bit value of either sign fits.
    Int(i128),
    /// A floating value.
    Float(f64),
}

impl Number {
    /// Parses a decimal or hexadecimal integer, or a floating number (`nan` and `inf` too).
    pub fn parse(text: &str) -> Option<Number> {
        let text = text.trim();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        if let Some(hex) = digits.strip_prefix("0x") {
            return i128::from_str_radix(hex, 16)
                .ok()
                .filter(|v| *v <= i128::from(u64::MAX))
                .map(|v| Number::Int(sign * v));
        }
        if let Ok(value) = text.parse::<i128>() {
            return Some(Number::Int(value)).filter(|_| value.unsigned_abs() <= u128::from(u64::MAX));
        }
        text.parse().ok().map(Number::Float)
    }

    fn as_f64(self) -> f64 {
        match self {
            Number::Int(v) => v as f64,
            Number::Float(v) => v,
        }
    }

    fn as_int(self) -> i128 {
        match self {
            Number::Int(v) => v,
            Number::Float(v) => v as i128,
        }
    }

    /// Appends the number's bytes as a scalar type: integers wrap, floats round to nearest.
    pub fn write(self, scalar: Scalar, out: &mut Vec<u8>) {
        match scalar {
            Scalar::Half => out.extend(f16::from_f64(self.as_f64()).to_le_bytes()),
            // Straight from the integer, so that it is rounded once.
            Scalar::Float => match self {
                Number::Int(v) => out.extend((v as f32).to_le_bytes()),
                Number::Float(v) => out.extend((v as f32).to_le_bytes()),
            },
            Scalar::Double => out.extend(self.as_f64().to_le_bytes()),
            _ => out.extend_from_slice(&self.as_int().to_le_bytes()[..scalar.size()]),
        }
    }

    /// Reads a scalar's bytes (as many as it has).
    pub fn read(scalar: Scalar, bytes: &[u8]) -> Number {
        let mut wide = [0u8; 16];
        wide[..scalar.size()].copy_from_slice(&bytes[..scalar.size()]);
        let bits = u128::from_le_bytes(wide);
        match scalar {
            Scalar::Half => Number::Float(f16::from_bits(bits as u16).to_f64()),
            Scalar::Float => Number::Float(f32::from_bits(bits as u32).into()),
            Scalar::Double => Number::Float(f64::from_bits(bits as u64)),
            _ => {
                let shift = 128 - 8 * scalar.size() as u32;
                Number::Int(if scalar.is_signed() { (bits << shift) as i128 >> shift } else { bits as i128 })
            }
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(v) => write!(f, "{v}"),
            Number::Float(v) => write!(f, "{v}"),
        }
    }
}

/// Elements and their type.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// The element type.
    pub ty: ElementType,
    /// Their bytes; the padding of 3-component vectors is zero.
    pub bytes: Vec<u8>,
}

impl Array {
    /// `count` elements whose components come from `next`, which gets the component's number.
    pub fn from_fn(ty: ElementType, count: usize, mut next: impl FnMut(usize) -> Number) -> Self {
        let mut bytes = Vec::with_capacity(ty.size() * count);
        for element in 0..count {
            for lane in 0..ty.lanes {
                next(element * ty.lanes + lane).write(ty.scalar, &mut bytes);
            }
            bytes.resize((element + 1) * ty.size(), 0);
        }
        Array { ty, bytes }
    }

    /// Random components: floats in [low, high) (by default [0, 1)), integers in low..=high (by default
    /// all bits). The same seed gives the same numbers.
    pub fn random(ty: ElementType, count: usize, seed: u64, bounds: Option<(Number, Number)>) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        Array::from_fn(ty, count, |_| match bounds {
            _ if ty.scalar.is_float() => {
                let (low, high) = bounds.map_or((0.0, 1.0), |(l, h)| (l.as_f64(), h.as_f64()));
                Number::Float(low + (high - low) * rng.random::<f64>())
            }
            Some((low, high)) => {
                let (low, high) = (low.as_int(), high.as_int().max(low.as_int()));
                Number::Int(rng.random_range(low..=high))
            }
            None => Number::Int(rng.random::<u64>().into()),
        })
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.ty.size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The components of element `index`.
    pub fn element(&self, index: usize) -> Vec<Number> {
        let at = index * self.ty.size();
        let size = self.ty.scalar.size();
        (0..self.ty.lanes).map(|lane| Number::read(self.ty.scalar, &self.bytes[at + lane * size..])).collect()
    }

    /// An element as text: `3` or `(1, 2, 3, 4)`.
    pub fn element_text(&self, index: usize) -> String {
        let parts: Vec<String> = self.element(index).iter().map(ToString::to_string).collect();
        if self.ty.lanes == 1 { parts.concat() } else { format!("({})", parts.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_by_name() {
        assert_eq!(ElementType::parse("float4"), Some(ElementType { scalar: Scalar::Float, lanes: 4 }));
        assert_eq!(ElementType::parse("uchar16").map(ElementType::size), Some(16));
        assert_eq!(ElementType::parse("int3").map(ElementType::size), Some(16));
        for bad in ["", "float5", "float04", "foo", "4"] {
            assert_eq!(ElementType::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_round_trip() {
        for (text, scalar) in [
            ("-1", Scalar::Char),
            ("255", Scalar::UChar),
            ("18446744073709551615", Scalar::ULong),
            ("-0.5", Scalar::Half),
        ] {
            let number = Number::parse(text).expect("number");
            let mut bytes = Vec::new();
            number.write(scalar, &mut bytes);
            assert_eq!(Number::read(scalar, &bytes).to_string(), text);
        }
        assert_eq!(Number::parse("0x10"), Some(Number::Int(16)));
        assert_eq!(Number::parse("99999999999999999999"), None);
        assert_eq!(Number::parse("x"), None);
    }
}
