//! Folding of operations on constants: exact integer wrap-around, floats correctly rounded.
//!
//! Everything works on the bit patterns of [`crate::ir::Constant::Bits`], one lane at a time. `None`
//! means that the operation is not folded: undefined operations (division by zero, shifts by the width
//! or more) and results that this host cannot round exactly.

use crate::ir::{BinaryOp, ConvertOp, FloatCC, IntCC, Rounding, Scalar, UnaryOp};
use half::f16;
use spirv::GlslStd450Op as G;

/// The low `width` bits.
pub fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// What gives 1 modulo 2^64 when an odd number is multiplied by it: each step doubles the bits that are right, of which an odd number
/// itself gives three.
pub fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// Sign-extends from a width.
pub fn signed(bits: u64, width: u32) -> i64 {
    if width == 0 || width >= 64 {
        return bits as i64;
    }
    (bits as i64) << (64 - width) >> (64 - width)
}

/// A float constant in the precision it is computed in.
#[derive(Clone, Copy)]
enum Float {
    H(f16),
    S(f32),
    D(f64),
}

impl Float {
    fn from_bits(scalar: Scalar, bits: u64) -> Option<Float> {
        match scalar {
            Scalar::F16 => Some(Float::H(f16::from_bits(bits as u16))),
            Scalar::F32 => Some(Float::S(f32::from_bits(bits as u32))),
            Scalar::F64 => Some(Float::D(f64::from_bits(bits))),
            _ => None,
        }
    }

    /// Exact: every format widens to f64.
    fn wide(self) -> f64 {
        match self {
            Float::H(v) => f64::from(v.to_f32()),
            Float::S(v) => f64::from(v),
            Float::D(v) => v,
        }
    }
}

/// Every NaN becomes the same one, so that hosts agree.
fn h(v: f16) -> u64 {
    if v.is_nan() { 0x7e00 } else { u64::from(v.to_bits()) }
}

fn s(v: f32) -> u64 {
    if v.is_nan() { 0x7fc0_0000 } else { u64::from(v.to_bits()) }
}

fn d(v: f64) -> u64 {
    if v.is_nan() { 0x7ff8 << 48 } else { v.to_bits() }
}

/// One lane of a unary operation (`Any`/`All` are on whole vectors and not here).
pub fn unary(op: UnaryOp, scalar: Scalar, a: u64) -> Option<u64> {
    let sign = 1u64 << (scalar.bits() - 1);
    Some(match op {
        UnaryOp::FNeg => a ^ sign,
        UnaryOp::FAbs => a & !sign,
        UnaryOp::IsNan => u64::from(Float::from_bits(scalar, a)?.wide().is_nan()),
        UnaryOp::IsInf => u64::from(Float::from_bits(scalar, a)?.wide().is_infinite()),
        _ => return integer_unary(op, scalar.bits(), a),
    })
}

/// A unary operation on an integer of 1 to 64 bits.
pub fn integer_unary(op: UnaryOp, width: u32, a: u64) -> Option<u64> {
    Some(match op {
        UnaryOp::INeg => a.wrapping_neg() & mask(width),
        UnaryOp::Not => !a & mask(width),
        UnaryOp::BitReverse => a.reverse_bits() >> (64 - width),
        UnaryOp::BitCount => u64::from(a.count_ones()),
        // An opaque value is never folded.
        _ => return None,
    })
}

/// One lane of a binary operation.
pub fn binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    if scalar.is_float() {
        return float_binary(op, scalar, a, b);
    }
    integer(op, scalar.bits(), a, b)
}

/// A binary operation on integers of 1 to 64 bits.
pub fn integer(op: BinaryOp, width: u32, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let least = signed(1 << (width - 1), width);
    let value = match op {
        BinaryOp::IAdd => a.wrapping_add(b),
        BinaryOp::ISub => a.wrapping_sub(b),
        BinaryOp::IMul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b)?,
        BinaryOp::URem => a.checked_rem(b)?,
        BinaryOp::SDiv | BinaryOp::SRem if sb == 0 || (sa == least && sb == -1) => return None,
        BinaryOp::SDiv => (sa / sb) as u64,
        BinaryOp::SRem => (sa % sb) as u64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if b >= u64::from(width) => return None,
        BinaryOp::Shl => a << b,
        BinaryOp::LShr => a >> b,
        BinaryOp::AShr => (sa >> b) as u64,
        BinaryOp::UMin => a.min(b),
        BinaryOp::UMax => a.max(b),
        BinaryOp::SMin => sa.min(sb) as u64,
        BinaryOp::SMax => sa.max(sb) as u64,
        BinaryOp::UMulHi => ((u128::from(a) * u128::from(b)) >> width) as u64,
        BinaryOp::SMulHi => ((i128::from(sa) * i128::from(sb)) >> width) as u64,
        BinaryOp::SDot4 | BinaryOp::UDot4 | BinaryOp::SUDot4 => dot4(op, a, b),
        BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FMulNoContraction
        | BinaryOp::FDiv
        | BinaryOp::FRem => return None,
    };
    Some(value & mask(width))
}

/// The sum of the products of four bytes.
fn dot4(op: BinaryOp, a: u64, b: u64) -> u64 {
    let byte = |word: u64, n: u32, is_signed: bool| {
        let byte = word >> (8 * n) & 0xFF;
        if is_signed { signed(byte, 8) } else { byte as i64 }
    };
    let products = (0..4).map(|n| byte(a, n, op != BinaryOp::UDot4) * byte(b, n, op == BinaryOp::SDot4));
    products.sum::<i64>() as u64
}

fn float_binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    // f32 has more than twice f16's precision plus two bits: rounding twice is rounding once.
    let single = |a: f32, b: f32| {
        Some(match op {
            BinaryOp::FAdd => a + b,
            BinaryOp::FSub => a - b,
            BinaryOp::FMul | BinaryOp::FMulNoContraction => a * b,
            BinaryOp::FDiv => a / b,
            BinaryOp::FRem => a % b,
            _ => return None,
        })
    };
    match (Float::from_bits(scalar, a)?, Float::from_bits(scalar, b)?) {
        (Float::H(a), Float::H(b)) => Some(h(f16::from_f32(single(a.to_f32(), b.to_f32())?))),
        (Float::S(a), Float::S(b)) => Some(s(single(a, b)?)),
        (Float::D(a), Float::D(b)) => Some(d(match op {
            BinaryOp::FAdd => a + b,
            BinaryOp::FSub => a - b,
            BinaryOp::FMul | BinaryOp::FMulNoContraction => a * b,
            BinaryOp::FDiv => a / b,
            BinaryOp::FRem => a % b,
            _ => return None,
        })),
        _ => None,
    }
}

/// One lane of a function of GLSL.std.450 whose result is exact: roundings to whole numbers, the smaller and the larger number, and
/// `FindUMsb`. Of zeros with different signs either is the smaller one, so there is no result for them.
pub fn glsl(number: u32, scalar: Scalar, args: &[u64]) -> Option<u64> {
    if number == G::FindUMsb as u32 && scalar == Scalar::I32 {
        return Some(u64::from(31u32.wrapping_sub((*args.first()? as u32).leading_zeros())));
    }
    let a = Float::from_bits(scalar, *args.first()?)?.wide();
    let b = args.get(1).and_then(|b| Float::from_bits(scalar, *b)).map(Float::wide);
    let differ = |b: f64| a != b || a.is_sign_negative() == b.is_sign_negative();
    let result = match (G::from_u32(number)?, b) {
        (G::Trunc, None) => a.trunc(),
        (G::Floor, None) => a.floor(),
        (G::Ceil, None) => a.ceil(),
        (G::RoundEven, None) => a.round_ties_even(),
        (G::NMin, Some(b)) if differ(b) => a.min(b),
        (G::NMax, Some(b)) if differ(b) => a.max(b),
        _ => return None,
    };
    Some(narrow(scalar, result))
}

/// A value that a format has, in that format.
fn narrow(scalar: Scalar, value: f64) -> u64 {
    match scalar {
        Scalar::F16 => h(f16::from_f64(value)),
        Scalar::F64 => d(value),
        _ => s(value as f32),
    }
}

/// One lane of a fused multiply-add.
pub fn fma(scalar: Scalar, a: u64, b: u64, c: u64) -> Option<u64> {
    match (Float::from_bits(scalar, a)?, Float::from_bits(scalar, b)?, Float::from_bits(scalar, c)?) {
        (Float::S(a), Float::S(b), Float::S(c)) => Some(s(a.mul_add(b, c))),
        (Float::D(a), Float::D(b), Float::D(c)) => Some(d(a.mul_add(b, c))),
        _ => None,
    }
}

/// One lane of an integer comparison.
pub fn icmp(cc: IntCC, width: u32, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(a, width), signed(b, width));
    match cc {
        IntCC::Eq => a == b,
        IntCC::Ne => a != b,
        IntCC::Ult => a < b,
        IntCC::Ule => a <= b,
        IntCC::Ugt => a > b,
        IntCC::Uge => a >= b,
        IntCC::Slt => sa < sb,
        IntCC::Sle => sa <= sb,
        IntCC::Sgt => sa > sb,
        IntCC::Sge => sa >= sb,
    }
}

/// One lane of a float comparison.
pub fn fcmp(cc: FloatCC, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    let (a, b) = (Float::from_bits(scalar, a)?.wide(), Float::from_bits(scalar, b)?.wide());
    let unordered = a.is_nan() || b.is_nan();
    Some(match cc {
        FloatCC::OEq => a == b,
        FloatCC::ONe => !unordered && a != b,
        FloatCC::OLt => a < b,
        FloatCC::OLe => a <= b,
        FloatCC::OGt => a > b,
        FloatCC::OGe => a >= b,
        FloatCC::Ordered => !unordered,
        FloatCC::UEq => unordered || a == b,
        FloatCC::UNe => a != b,
        FloatCC::ULt => unordered || a < b,
        FloatCC::ULe => unordered || a <= b,
        FloatCC::UGt => unordered || a > b,
        FloatCC::UGe => unordered || a >= b,
        FloatCC::Unordered => unordered,
    })
}

/// The comparison that is true when this one is false.
pub fn not_icmp(cc: IntCC) -> IntCC {
    match cc {
        IntCC::Eq => IntCC::Ne,
        IntCC::Ne => IntCC::Eq,
        IntCC::Ult => IntCC::Uge,
        IntCC::Ule => IntCC::Ugt,
        IntCC::Ugt => IntCC::Ule,
        IntCC::Uge => IntCC::Ult,
        IntCC::Slt => IntCC::Sge,
        IntCC::Sle => IntCC::Sgt,
        IntCC::Sgt => IntCC::Sle,
        IntCC::Sge => IntCC::Slt,
    }
}

/// The comparison with the operands exchanged.
pub const fn swap_icmp(cc: IntCC) -> IntCC {
    match cc {
        IntCC::Eq | IntCC::Ne => cc,
        IntCC::Ult => IntCC::Ugt,
        IntCC::Ule => IntCC::Uge,
        IntCC::Ugt => IntCC::Ult,
        IntCC::Uge => IntCC::Ule,
        IntCC::Slt => IntCC::Sgt,
        IntCC::Sle => IntCC::Sge,
        IntCC::Sgt => IntCC::Slt,
        IntCC::Sge => IntCC::Sle,
    }
}

/// The comparison of the same order without signs.
pub fn unsigned_icmp(cc: IntCC) -> IntCC {
    match cc {
        IntCC::Slt => IntCC::Ult,
        IntCC::Sle => IntCC::Ule,
        IntCC::Sgt => IntCC::Ugt,
        IntCC::Sge => IntCC::Uge,
        _ => cc,
    }
}

/// The comparison that is true when this one is false.
pub fn not_fcmp(cc: FloatCC) -> FloatCC {
    match cc {
        FloatCC::OEq => FloatCC::UNe,
        FloatCC::ONe => FloatCC::UEq,
        FloatCC::OLt => FloatCC::UGe,
        FloatCC::OLe => FloatCC::UGt,
        FloatCC::OGt => FloatCC::ULe,
        FloatCC::OGe => FloatCC::ULt,
        FloatCC::Ordered => FloatCC::Unordered,
        FloatCC::UEq => FloatCC::ONe,
        FloatCC::UNe => FloatCC::OEq,
        FloatCC::ULt => FloatCC::OGe,
        FloatCC::ULe => FloatCC::OGt,
        FloatCC::UGt => FloatCC::OLe,
        FloatCC::UGe => FloatCC::OLt,
        FloatCC::Unordered => FloatCC::Ordered,
    }
}

/// The comparison with the operands exchanged.
pub fn swap_fcmp(cc: FloatCC) -> FloatCC {
    use FloatCC::{OEq, OGe, OGt, OLe, OLt, ONe, Ordered, UEq, UGe, UGt, ULe, ULt, UNe, Unordered};
    match cc {
        OLt => OGt,
        OLe => OGe,
        OGt => OLt,
        OGe => OLe,
        ULt => UGt,
        ULe => UGe,
        UGt => ULt,
        UGe => ULe,
        OEq | ONe | Ordered | UEq | UNe | Unordered => cc,
    }
}

/// One lane of a conversion.
pub fn convert(
    op: ConvertOp,
    from: Scalar,
    to: Scalar,
    value: u64,
    saturate: bool,
    rounding: Option<Rounding>,
) -> Option<u64> {
    let width = from.bits();
    match op {
        // Whether a saturating one is signed is not told by the operation.
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt if saturate => None,
        ConvertOp::Trunc | ConvertOp::ZExt => Some(value & mask(to.bits())),
        ConvertOp::SExt => Some(signed(value, width) as u64 & mask(to.bits())),
        ConvertOp::FloatToFloat => float_to_float(Float::from_bits(from, value)?, to, rounding),
        ConvertOp::SToF => int_to_float(i128::from(signed(value, width)), to, rounding),
        ConvertOp::UToF => int_to_float(i128::from(value), to, rounding),
        ConvertOp::FToS | ConvertOp::FToU => float_to_int(
            Float::from_bits(from, value)?.wide(),
            op == ConvertOp::FToS,
            to.bits(),
            saturate,
            rounding,
        ),
    }
}

fn nearest(rounding: Option<Rounding>) -> bool {
    matches!(rounding, None | Some(Rounding::ToNearestEven))
}

fn float_to_float(value: Float, to: Scalar, rounding: Option<Rounding>) -> Option<u64> {
    let wide = value.wide();
    let single = wide as f32;
    let exact_single = wide.is_nan() || f64::from(single) == wide;
    match to {
        Scalar::F64 => Some(d(wide)),
        Scalar::F32 => (exact_single || nearest(rounding)).then(|| s(single)),
        Scalar::F16 => {
            let half = f16::from_f32(single);
            let exact = wide.is_nan() || f64::from(half.to_f32()) == wide;
            (exact || (exact_single && nearest(rounding))).then(|| h(half))
        }
        _ => None,
    }
}

fn int_to_float(value: i128, to: Scalar, rounding: Option<Rounding>) -> Option<u64> {
    match to {
        Scalar::F64 => {
            let r = value as f64;
            (nearest(rounding) || r as i128 == value).then(|| d(r))
        }
        Scalar::F32 => {
            let r = value as f32;
            (nearest(rounding) || r as i128 == value).then(|| s(r))
        }
        Scalar::F16 => {
            let single = value as f32;
            if single as i128 != value {
                return None;
            }
            let r = f16::from_f32(single);
            (nearest(rounding) || r.to_f32() as i128 == value).then(|| h(r))
        }
        _ => None,
    }
}

fn float_to_int(
    value: f64,
    is_signed: bool,
    width: u32,
    saturate: bool,
    rounding: Option<Rounding>,
) -> Option<u64> {
    if value.is_nan() {
        return saturate.then_some(0);
    }
    let whole = match rounding {
        None | Some(Rounding::ToZero) => value.trunc(),
        Some(Rounding::ToNearestEven) => value.round_ties_even(),
        Some(Rounding::ToPositive) => value.ceil(),
        Some(Rounding::ToNegative) => value.floor(),
    };
    let (least, most) = if is_signed {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (0, (1i128 << width) - 1)
    };
    // `as` saturates, and i128 holds every bound.
    let int = whole as i128;
    if (int < least || int > most) && !saturate {
        return None;
    }
    Some(int.clamp(least, most) as u64 & mask(width))
}

/// The same bytes as lanes of another width.
pub fn bitcast(lanes: &[u64], from: Scalar, to: Scalar) -> Option<Vec<u64>> {
    let (from, to) = (from.bytes() as usize, to.bytes() as usize);
    if from == 0 || to == 0 {
        return None;
    }
    let bytes: Vec<u8> = lanes.iter().flat_map(|l| l.to_le_bytes().into_iter().take(from)).collect();
    if !bytes.len().is_multiple_of(to) {
        return None;
    }
    Some(
        bytes
            .chunks(to)
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_of_odd_numbers() {
        for odd in (1..4000).step_by(2).chain([u64::MAX, u64::MAX - 2, 0x5555_5555_5555_5555, 1 << 63 | 1]) {
            assert_eq!(super::inverse(odd).wrapping_mul(odd), 1, "{odd:#x}");
        }
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(binary(BinaryOp::IAdd, Scalar::I8, 200, 100), Some(44));
        assert_eq!(binary(BinaryOp::SDiv, Scalar::I32, 0x8000_0000, 0xffff_ffff), None);
        assert_eq!(binary(BinaryOp::SMulHi, Scalar::I64, u64::MAX, 2), Some(u64::MAX));
        assert_eq!(binary(BinaryOp::UMulHi, Scalar::I32, 0xffff_ffff, 0xffff_ffff), Some(0xffff_fffe));
        assert_eq!(unary(UnaryOp::BitReverse, Scalar::I8, 1), Some(0x80));
    }

    /// Zeros, denormal numbers, ones, infinities and NaN.
    const FLOATS: [f32; 11] =
        [0.0, -0.0, 1e-45, -1e-45, 1e-40, 1.0, -1.0, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];

    #[test]
    fn float_comparisons_are_as_their_names_say() {
        use std::cmp::Ordering::{Equal, Greater, Less};
        for cc in FloatCC::ALL {
            let name = format!("{cc:?}");
            for (a, b) in FLOATS.iter().flat_map(|a| FLOATS.map(|b| (*a, b))) {
                let order = a.partial_cmp(&b);
                let expected = match (name.as_str(), order) {
                    ("Ordered", _) => order.is_some(),
                    ("Unordered", _) => order.is_none(),
                    (_, None) => name.starts_with('U'),
                    (_, Some(order)) => match &name[1..] {
                        "Eq" => order == Equal,
                        "Ne" => order != Equal,
                        "Lt" => order == Less,
                        "Le" => order != Greater,
                        "Gt" => order == Greater,
                        "Ge" => order != Less,
                        _ => panic!("{name}"),
                    },
                };
                let bits = |x: f32| u64::from(x.to_bits());
                assert_eq!(fcmp(*cc, Scalar::F32, bits(a), bits(b)), Some(expected), "{name} {a} {b}");
                let wide = |x: f32| f64::from(x).to_bits();
                assert_eq!(fcmp(*cc, Scalar::F64, wide(a), wide(b)), Some(expected), "{name} {a} {b}");
                let not = fcmp(not_fcmp(*cc), Scalar::F32, bits(a), bits(b));
                assert_eq!(not, Some(!expected), "not {name} {a} {b}");
                let swapped = fcmp(swap_fcmp(*cc), Scalar::F32, bits(b), bits(a));
                assert_eq!(swapped, Some(expected), "swapped {name} {a} {b}");
            }
        }
    }

    #[test]
    fn floats_round_once() {
        let f = |v: f32| u64::from(v.to_bits());
        assert_eq!(binary(BinaryOp::FAdd, Scalar::F32, f(0.1), f(0.2)), Some(f(0.1 + 0.2)));
        // 1 + 2^-11 + 2^-30 in f64: above the tie, must round up in f16; through f32 it would be a tie.
        let v = 1.0 + 2f64.powi(-11) + 2f64.powi(-30);
        assert_eq!(
            convert(ConvertOp::FloatToFloat, Scalar::F64, Scalar::F16, v.to_bits(), false, None),
            None
        );
        assert_eq!(convert(ConvertOp::FToS, Scalar::F32, Scalar::I8, f(300.0), true, None), Some(127));
        assert_eq!(convert(ConvertOp::FToU, Scalar::F32, Scalar::I8, f(300.0), false, None), None);
    }
}
