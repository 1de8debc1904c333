//! Types of OpenCL C, values of them as bits, and numbers that are worth trying.

use crate::accuracy::Type;

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ty {
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

use Ty::*;

/// The integers.
pub const INTS: [Ty; 8] = [Char, UChar, Short, UShort, Int, UInt, Long, ULong];
/// All scalar types.
pub const ALL: [Ty; 11] = [Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double];
/// The widths of vectors, and of scalars.
pub const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

impl Ty {
    pub fn name(self) -> &'static str {
        ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"]
            [self as usize]
    }

    pub fn bytes(self) -> usize {
        [1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8][self as usize]
    }

    pub fn bits(self) -> u32 {
        self.bytes() as u32 * 8
    }

    pub fn float(self) -> bool {
        self >= Half
    }

    pub fn signed(self) -> bool {
        matches!(self, Char | Short | Int | Long)
    }

    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The float types as the accuracy harness has them.
    pub fn real(self) -> Type {
        match self {
            Half => Type::Half,
            Float => Type::Float,
            _ => Type::Double,
        }
    }

    /// The integer of the same size, with a sign or without.
    pub fn integer(self, signed: bool) -> Ty {
        let [s, u] = match self.bytes() {
            1 => [Char, UChar],
            2 => [Short, UShort],
            4 => [Int, UInt],
            _ => [Long, ULong],
        };
        if signed { s } else { u }
    }

    /// The integer of twice the size, of the same sign.
    pub fn wide(self) -> Option<Ty> {
        INTS.get(self as usize + 2).copied()
    }

    /// The integer that bits are.
    pub fn int(self, bits: u64) -> i128 {
        let shift = 64 - self.bits();
        if self.signed() { ((bits << shift) as i64 >> shift).into() } else { (bits & self.mask()).into() }
    }

    pub fn wrap(self, value: i128) -> u64 {
        value as u64 & self.mask()
    }

    pub fn least(self) -> i128 {
        if self.signed() { -(1 << (self.bits() - 1)) } else { 0 }
    }

    pub fn most(self) -> i128 {
        (1 << (self.bits() - u32::from(self.signed()))) - 1
    }

    pub fn saturate(self, value: i128) -> u64 {
        self.wrap(value.clamp(self.least(), self.most()))
    }

    /// The number that bits are, of a float.
    pub fn number(self, bits: u64) -> f64 {
        self.real().value(bits & self.mask())
    }

    /// The bits of the nearest float.
    pub fn float_bits(self, number: f64) -> u64 {
        self.real().bits(number)
    }

    pub fn is_nan(self, bits: u64) -> bool {
        self.float() && self.number(bits).is_nan()
    }

    /// Below the normal floats, and not zero.
    pub fn is_denormal(self, bits: u64) -> bool {
        self.float() && self.real().is_denormal(self.number(bits))
    }

    /// Numbers at which functions have edges.
    pub fn edges(self, denormals: bool) -> Vec<u64> {
        if !self.float() {
            let (least, most) = (self.least(), self.most());
            let half = 1i128 << (self.bits() / 2);
            let mut values = vec![0, 1, 2, 3, most, most - 1, most / 2, most / 2 + 1, half, half - 1, 0x55];
            values.extend([least, least + 1, -1, -2, -half, least / 2]);
            let mut bits: Vec<u64> = values.into_iter().map(|v| self.wrap(v)).collect();
            bits.sort_unstable();
            bits.dedup();
            return bits;
        }
        let real = self.real();
        let mut sizes = vec![0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 1e4, real.least(), real.largest(), f64::INFINITY];
        sizes.push(1.0 + real.epsilon());
        let mut bits: Vec<u64> = sizes.iter().flat_map(|v| [*v, -v]).map(|v| self.float_bits(v)).collect();
        bits.push(self.float_bits(f64::NAN));
        if denormals {
            let sign = 1 << (self.bits() - 1);
            let least = real.bits(real.least());
            bits.extend([1, sign | 1, least - 1, sign | (least - 1)]);
        }
        bits
    }

    /// Floats at which conversions to integers have edges, and integers' own edges as floats.
    pub fn borders(self) -> Vec<u64> {
        let mut bits = Vec::new();
        for power in [7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64] {
            let whole = 2f64.powi(power);
            for value in [whole, whole - 0.5, whole - 1.0, whole + 0.5, whole + 1.0, whole + 1.5] {
                for value in [value, -value] {
                    let near = self.float_bits(value);
                    bits.extend([near, near.wrapping_add(1) & self.mask(), near.wrapping_sub(1)]);
                }
            }
        }
        for value in
            [0.25, 0.75, 3.5, 65504.0, 65519.0, 65520.0, 3.4e38, 1e-8, 6e-8, 1e-40, 1e-300, 254.5, 255.5]
        {
            bits.extend([self.float_bits(value), self.float_bits(-value)]);
        }
        bits
    }
}

/// A scalar or vector type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vt {
    pub ty: Ty,
    pub width: usize,
}

impl Vt {
    pub fn new(ty: Ty, width: usize) -> Vt {
        Vt { ty, width }
    }

    pub fn name(self) -> String {
        if self.width == 1 { self.ty.name().to_owned() } else { format!("{}{}", self.ty.name(), self.width) }
    }

    /// Elements in memory: vectors of three take the place of four.
    pub fn places(self) -> usize {
        if self.width == 3 { 4 } else { self.width }
    }

    pub fn size(self) -> usize {
        self.places() * self.ty.bytes()
    }

    /// A constant with some bits in every lane, as text.
    pub fn literal(self, lanes: &[u64]) -> String {
        let one =
            |bits: &u64| format!("as_{}(({}){:#x}ul)", self.ty.name(), self.ty.integer(false).name(), bits);
        if self.width == 1 {
            return one(&lanes[0]);
        }
        format!("(({})({}))", self.name(), lanes.iter().map(one).collect::<Vec<_>>().join(", "))
    }
}

/// Numbers at random, the same for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }
}

/// Elements as bytes, vectors of three with a fourth element.
pub fn pack(vt: Vt, values: &[u64]) -> Vec<u8> {
    let bytes = vt.ty.bytes();
    let mut out = Vec::with_capacity(values.len() / vt.width * vt.size());
    for item in values.chunks(vt.width) {
        item.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()[..bytes]));
        out.resize(out.len() + (vt.places() - vt.width) * bytes, 0x5a);
    }
    out
}

/// Element n of some bytes.
pub fn element(ty: Ty, bytes: &[u8], n: usize) -> u64 {
    let size = ty.bytes();
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[n * size..(n + 1) * size]);
    u64::from_le_bytes(word)
}

/// Returns whether a result is what was expected: any NaN for a NaN; a zero for a denormal where those may be flushed.
pub fn agrees(ty: Ty, found: u64, expected: u64, flushes: bool) -> bool {
    found == expected
        || ty.is_nan(found) && ty.is_nan(expected)
        || flushes && ty.is_denormal(expected) && ty.number(found) == 0.0
}
