//! Conversion and bit-operation lowering, for what Vulkan's SPIR-V lacks.
//!
//! These are saturation, rounding modes, and bit counts and high products of widths other than 32.

use crate::ir::{
    BinaryOp, Constant, ConvertOp, FloatCC, Function, Inst, InstKind, IntCC, Rounding, Scalar, Type, UnaryOp,
    Value,
};
use crate::transform::rewriter::{Rewriter, replace_results};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Operands.
type Pairs = FxHashSet<(Value, Value)>;

/// GLSL.std.450 instruction numbers used here.
mod glsl {
    pub const ROUND_EVEN: u32 = 2;
    pub const FLOOR: u32 = 8;
    pub const CEIL: u32 = 9;
    pub const S_ABS: u32 = 5;
}

/// Rewrites the conversions of a function.
/// `halves` says that floats become 64-bit integers by 32-bit halves. `magnitudes` says that remainders are those of magnitudes.
pub(super) fn run(f: &mut Function, halves: bool, magnitudes: bool) {
    let divided = magnitudes.then(|| quotients(f));
    let wanted = |f: &Function, inst| is_wanted(f, inst, halves);
    replace_results(f, wanted, |rw, inst| rewrite(rw, inst, halves, divided.as_ref()));
}

/// Returns whether an instruction may be rewritten.
fn is_wanted(f: &Function, inst: Inst, halves: bool) -> bool {
    let inst = &f.insts[inst];
    match &inst.kind {
        InstKind::Convert { saturate: true, .. } | InstKind::Convert { rounding: Some(_), .. } => true,
        InstKind::Convert { op: ConvertOp::FToS | ConvertOp::FToU, .. } if halves => {
            inst.results.first().is_some_and(|r| f.ty(*r).scalar() == Some(Scalar::I64))
        }
        InstKind::Convert { op: ConvertOp::FloatToFloat, value, .. } => {
            inst.results.first().is_some_and(|r| halves_of_doubles(f, *value, f.ty(*r)))
        }
        InstKind::Unary(UnaryOp::BitCount | UnaryOp::BitReverse, _)
        | InstKind::Binary(BinaryOp::SRem | BinaryOp::UMulHi | BinaryOp::SMulHi, ..) => true,
        _ => false,
    }
}

fn rewrite(rw: &mut Rewriter<'_>, inst: Inst, halves: bool, divided: Option<&Pairs>) -> Option<Value> {
    let result = rw.f.insts[inst].results.first().copied()?;
    let ty = rw.f.ty(result);
    match rw.f.insts[inst].kind.clone() {
        InstKind::Convert { op, value, saturate, rounding } => {
            Some(convert(rw, op, value, ty, saturate, rounding, halves))
        }
        InstKind::Unary(op @ (UnaryOp::BitCount | UnaryOp::BitReverse), value) => bits(rw, op, value, ty),
        InstKind::Binary(BinaryOp::SRem, a, b) => Some(signed_remainder(rw, a, b, divided)),
        InstKind::Binary(op @ (BinaryOp::UMulHi | BinaryOp::SMulHi), a, b) => high_product(rw, op, a, b, ty),
        _ => None,
    }
}

fn convert(
    rw: &mut Rewriter<'_>,
    op: ConvertOp,
    value: Value,
    ty: Type,
    saturate: bool,
    rounding: Option<Rounding>,
    halves: bool,
) -> Value {
    match op {
        ConvertOp::FToS | ConvertOp::FToU => {
            let rounded = round(rw, value, rounding);
            match saturate {
                true => saturating(rw, op, rounded, ty, halves),
                false => to_integer(rw, op, rounded, ty, halves),
            }
        }
        ConvertOp::SToF | ConvertOp::UToF | ConvertOp::FloatToFloat => {
            // Vulkan's conversions round to nearest even (the writer asks for RTE if the device has it).
            // An integer that fits the mantissa is exact.
            let from = rw.f.ty(value).scalar().map_or(0, Scalar::bits);
            let held = match (op, ty.scalar()) {
                (ConvertOp::FloatToFloat, to) => to.map_or(0, Scalar::bits),
                (_, Some(Scalar::F16)) => 11,
                (_, Some(Scalar::F32)) => 24,
                _ => 53,
            };
            let exact = held >= from;
            match rounding {
                Some(mode) if mode != Rounding::ToNearestEven && !exact => directed(rw, op, value, ty, mode),
                _ => {
                    let value = if halves_of_doubles(rw.f, value, ty) { sticky(rw, value) } else { value };
                    rw.convert(op, value, ty)
                }
            }
        }
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt => rw.convert(op, value, ty),
    }
}

fn halves_of_doubles(f: &Function, value: Value, ty: Type) -> bool {
    f.ty(value).scalar() == Some(Scalar::F64) && ty.scalar() == Some(Scalar::F16)
}

/// A double that is a float and rounds to the same half, with a sticky lowest bit.
/// llvmpipe converts to half through float, which rounds twice (2049 and a bit is 2049, and then 2048).
fn sticky(rw: &mut Rewriter<'_>, value: Value) -> Value {
    let ty = rw.f.ty(value);
    let wide = ty.with_scalar(Scalar::I64);
    let bits = rw.bitcast(value, wide);
    let rest = rw.binary_const(BinaryOp::And, bits, (1 << 29) - 1);
    // The sum carries into bit 29 if any lower bit is set.
    let carried = rw.binary_const(BinaryOp::IAdd, rest, (1 << 29) - 1);
    let any = rw.binary_const(BinaryOp::And, carried, 1 << 29);
    let kept = rw.binary_const(BinaryOp::And, bits, !((1 << 29) - 1));
    let kept = rw.binary(BinaryOp::Or, kept, any);
    rw.bitcast(kept, ty)
}

/// A conversion to a float with rounding towards zero or an infinity.
/// It converts to nearest, and steps back or on if that went the other way.
/// The bits of floats of one sign are ordered as the floats, with infinity after the largest.
fn directed(rw: &mut Rewriter<'_>, op: ConvertOp, value: Value, ty: Type, mode: Rounding) -> Value {
    let from = rw.f.ty(value);
    if from.scalar() == Some(Scalar::F64) && ty.scalar() == Some(Scalar::F32) {
        return cut_double(rw, value, ty, mode);
    }
    let truth = from.with_scalar(Scalar::Bool);
    let nearest;
    // The order of the nearest float and the value by magnitude, and the value's sign.
    let (beyond, short, negative);
    if op == ConvertOp::FloatToFloat {
        nearest = rw.convert(op, value, ty);
        let back = match ty.scalar() {
            Some(Scalar::F16) => half_value(rw, nearest, from),
            _ => rw.convert(ConvertOp::FloatToFloat, nearest, from),
        };
        let [back, size] = [back, value].map(|v| rw.inst(InstKind::Unary(UnaryOp::FAbs, v), from));
        // A finite value that became infinity went beyond, whatever `back` has for infinity.
        let overflow = {
            let [infinite, was] =
                [nearest, value].map(|v| rw.inst(InstKind::Unary(UnaryOp::IsInf, v), truth));
            let finite = rw.inst(InstKind::Unary(UnaryOp::Not, was), truth);
            (infinite, rw.binary(BinaryOp::And, infinite, finite))
        };
        let more = rw.inst(InstKind::FCmp(FloatCC::OGt, back, size), truth);
        beyond = rw.binary(BinaryOp::Or, more, overflow.1);
        let less = rw.inst(InstKind::FCmp(FloatCC::OLt, back, size), truth);
        let in_range = rw.inst(InstKind::Unary(UnaryOp::Not, overflow.0), truth);
        short = rw.binary(BinaryOp::And, less, in_range);
        let zero = float_constant(rw, from, 0.0);
        negative = rw.inst(InstKind::FCmp(FloatCC::OLt, value, zero), truth);
    } else {
        let zero = rw.iconst(from, 0);
        let mut size = value;
        negative = if op == ConvertOp::SToF {
            let negative = rw.icmp(IntCC::Slt, value, zero);
            let minus = rw.inst(InstKind::Unary(UnaryOp::INeg, value), from);
            size = rw.inst(InstKind::Select(negative, minus, value), from);
            negative
        } else {
            rw.icmp(IntCC::Ult, value, zero)
        };
        let magnitude = rw.convert(ConvertOp::UToF, size, ty);
        let back = whole_number(rw, magnitude, size);
        // A value that rounded up to a power of two beyond the integers does not convert back.
        let limit = float_constant(rw, ty, 2f64.powi(from.scalar().map_or(32, Scalar::bits) as i32));
        let over = rw.inst(InstKind::FCmp(FloatCC::OGe, magnitude, limit), truth);
        let more = rw.icmp(IntCC::Ugt, back, size);
        let less = rw.icmp(IntCC::Ult, back, size);
        let not_over = rw.inst(InstKind::Unary(UnaryOp::Not, over), truth);
        beyond = rw.binary(BinaryOp::Or, over, more);
        short = rw.binary(BinaryOp::And, not_over, less);
        let minus = rw.inst(InstKind::Unary(UnaryOp::FNeg, magnitude), ty);
        nearest = rw.inst(InstKind::Select(negative, minus, magnitude), ty);
    }
    let positive = rw.inst(InstKind::Unary(UnaryOp::Not, negative), truth);
    let away = match mode {
        Rounding::ToPositive => Some(positive),
        Rounding::ToNegative => Some(negative),
        Rounding::ToZero | Rounding::ToNearestEven => None,
    };
    let bits_ty = ty.with_scalar(int_of(ty));
    let bits = rw.bitcast(nearest, bits_ty);
    let one = rw.iconst(bits_ty, 1);
    let back = rw.inst(InstKind::Binary(BinaryOp::ISub, bits, one), bits_ty);
    let stepped_back = rw.inst(InstKind::Select(beyond, back, bits), bits_ty);
    let result = match away {
        None => stepped_back,
        Some(away) => {
            let on = rw.add(bits, one);
            let stepped_on = rw.inst(InstKind::Select(short, on, bits), bits_ty);
            rw.inst(InstKind::Select(away, stepped_on, stepped_back), bits_ty)
        }
    };
    rw.bitcast(result, ty)
}

/// A double rounded to a float towards zero or an infinity, by its bits.
/// On a device that flushes denormal floats the nearest float of a small double is zero, and a step from there is wrong.
fn cut_double(rw: &mut Rewriter<'_>, value: Value, ty: Type, mode: Rounding) -> Value {
    let (wide, narrow) = (ty.with_scalar(Scalar::I64), ty.with_scalar(Scalar::I32));
    let truth = ty.with_scalar(Scalar::Bool);
    let bits = rw.bitcast(value, wide);
    let size = rw.binary_const(BinaryOp::And, bits, u64::MAX >> 1);
    let exponent = rw.binary_const(BinaryOp::LShr, size, 52);
    // A normal float loses 29 bits. A denormal loses more, because its fraction has the leading bit.
    let normal = {
        let least = rw.iconst(wide, 1023 - 126);
        rw.icmp(IntCC::Uge, exponent, least)
    };
    let with_bit = {
        let fraction = rw.binary_const(BinaryOp::And, size, (1 << 52) - 1);
        rw.binary_const(BinaryOp::Or, fraction, 1 << 52)
    };
    let digits = rw.inst(InstKind::Select(normal, size, with_bit), wide);
    let shift = {
        let base = rw.iconst(wide, 29 + 897);
        let more = rw.inst(InstKind::Binary(BinaryOp::ISub, base, exponent), wide);
        let limit = rw.iconst(wide, 63);
        let far = rw.icmp(IntCC::Ugt, more, limit);
        let more = rw.inst(InstKind::Select(far, limit, more), wide);
        let usual = rw.iconst(wide, 29);
        rw.inst(InstKind::Select(normal, usual, more), wide)
    };
    let kept = rw.binary(BinaryOp::LShr, digits, shift);
    let again = rw.binary(BinaryOp::Shl, kept, shift);
    let zero = rw.iconst(wide, 0);
    let cut = rw.icmp(IntCC::Ne, again, digits);
    let nonzero = rw.icmp(IntCC::Ne, size, zero);
    let mut lost = rw.binary(BinaryOp::And, cut, nonzero);
    let rebased = rw.binary_const(BinaryOp::ISub, kept, 896 << 23);
    let mut kept = rw.inst(InstKind::Select(normal, rebased, kept), wide);
    // The cases beyond the largest float: overflow, infinity, NaN.
    let limits = [
        ((1023 + 128) << 52, 0x7f7f_ffff, true),
        (0x7ff << 52, 0x7f80_0000, false),
        ((0x7ff << 52) + 1, 0x7fc0_0000, false),
    ];
    for (from, result, inexact) in limits {
        let (from, result) = (rw.iconst(wide, from), rw.iconst(wide, result));
        let there = rw.icmp(IntCC::Uge, size, from);
        kept = rw.inst(InstKind::Select(there, result, kept), wide);
        lost = if inexact {
            rw.binary(BinaryOp::Or, lost, there)
        } else {
            let elsewhere = rw.inst(InstKind::Unary(UnaryOp::Not, there), truth);
            rw.binary(BinaryOp::And, lost, elsewhere)
        };
    }
    let sign = rw.binary_const(BinaryOp::LShr, bits, 63);
    let negative = rw.icmp(IntCC::Ne, sign, zero);
    let away = match mode {
        Rounding::ToPositive => Some(rw.inst(InstKind::Unary(UnaryOp::Not, negative), truth)),
        Rounding::ToNegative => Some(negative),
        Rounding::ToZero | Rounding::ToNearestEven => None,
    };
    if let Some(away) = away {
        let step = rw.binary(BinaryOp::And, lost, away);
        let one = rw.iconst(wide, 1);
        let next = rw.add(kept, one);
        kept = rw.inst(InstKind::Select(step, next, kept), wide);
    }
    let sign = rw.binary_const(BinaryOp::Shl, sign, 31);
    let whole = rw.binary(BinaryOp::Or, kept, sign);
    let whole = rw.convert(ConvertOp::Trunc, whole, narrow);
    rw.bitcast(whole, ty)
}

/// The magnitude of a half in a wider type, from its bits. Infinity becomes 65536.
/// Drivers fold the conversion of a conversion to nothing (NVIDIA's 580 does).
fn half_value(rw: &mut Rewriter<'_>, half: Value, to: Type) -> Value {
    let words = to.with_scalar(Scalar::I32);
    let floats = to.with_scalar(Scalar::F32);
    let bits = rw.bitcast(half, to.with_scalar(Scalar::I16));
    let bits = rw.convert(ConvertOp::ZExt, bits, words);
    let exponent = rw.binary_const(BinaryOp::LShr, bits, 10);
    let exponent = rw.binary_const(BinaryOp::And, exponent, 31);
    let fraction = rw.binary_const(BinaryOp::And, bits, 0x3ff);
    // A normal number has one more bit above its fraction. A denormal has the exponent of the smallest normal.
    let zero = rw.iconst(words, 0);
    let normal = rw.icmp(IntCC::Ne, exponent, zero);
    let with_bit = rw.binary_const(BinaryOp::Or, fraction, 0x400);
    let digits = rw.inst(InstKind::Select(normal, with_bit, fraction), words);
    let one = rw.iconst(words, 1);
    let exponent = rw.inst(InstKind::Select(normal, exponent, one), words);
    // digits × 2^(exponent − 25), with the power of two made from its bits.
    let biased = rw.iconst(words, 127 - 25);
    let biased = rw.add(exponent, biased);
    let scale = rw.binary_const(BinaryOp::Shl, biased, 23);
    let scale = rw.bitcast(scale, floats);
    let digits = rw.convert(ConvertOp::UToF, digits, floats);
    let value = rw.binary(BinaryOp::FMul, digits, scale);
    if to == floats { value } else { rw.convert(ConvertOp::FloatToFloat, value, to) }
}

/// The integer value of the float that `size` was rounded to, by its bits.
/// Drivers fold the conversion of a conversion to the number itself, rounded or not (Mesa 22.3 does with 64 bits).
fn whole_number(rw: &mut Rewriter<'_>, float: Value, size: Value) -> Value {
    let (ty, from) = (rw.f.ty(float), rw.f.ty(size));
    let (mantissa, bias) = match ty.scalar() {
        Some(Scalar::F16) => (10u64, 15u64),
        Some(Scalar::F64) => (52, 1023),
        _ => (23, 127),
    };
    let bits = rw.bitcast(float, ty.with_scalar(int_of(ty)));
    let bits = rw.int_cast(bits, from, false);
    let exponent = rw.binary_const(BinaryOp::LShr, bits, mantissa);
    let fraction = rw.binary_const(BinaryOp::And, bits, (1 << mantissa) - 1);
    let fraction = rw.binary_const(BinaryOp::Or, fraction, 1 << mantissa);
    let shift = rw.binary_const(BinaryOp::ISub, exponent, bias + mantissa);
    let width = from.scalar().map_or(32, Scalar::bits);
    let shift = rw.binary_const(BinaryOp::And, shift, u64::from(width) - 1);
    let number = rw.binary(BinaryOp::Shl, fraction, shift);
    // An integer that fits the mantissa is exact.
    let least = rw.iconst(from, bias + mantissa);
    let exact = rw.icmp(IntCC::Ult, exponent, least);
    rw.inst(InstKind::Select(exact, size, number), from)
}

/// The integer type of a float type's width.
fn int_of(ty: Type) -> Scalar {
    match ty.scalar() {
        Some(Scalar::F16) => Scalar::I16,
        Some(Scalar::F64) => Scalar::I64,
        _ => Scalar::I32,
    }
}

/// The value rounded to an integer by the mode. The conversion itself truncates towards zero.
fn round(rw: &mut Rewriter<'_>, value: Value, rounding: Option<Rounding>) -> Value {
    let number = match rounding {
        None | Some(Rounding::ToZero) => return value,
        Some(Rounding::ToNearestEven) => glsl::ROUND_EVEN,
        Some(Rounding::ToPositive) => glsl::CEIL,
        Some(Rounding::ToNegative) => glsl::FLOOR,
    };
    let ty = rw.f.ty(value);
    rw.inst(InstKind::Glsl { number, args: SmallVec::from_slice(&[value]) }, ty)
}

/// Float to integer, saturated to the limits of the integer type, 0 for NaN
/// (OpenCL C §6.4.3.2 "Out-of-Range Behavior and Saturated Conversions").
fn saturating(rw: &mut Rewriter<'_>, op: ConvertOp, mut value: Value, ty: Type, halves: bool) -> Value {
    let bits = ty.scalar().map_or(32, Scalar::bits);
    let mut from = rw.f.ty(value);
    if from.scalar() == Some(Scalar::F16) {
        // A half does not hold the limits.
        from = from.with_scalar(Scalar::F32);
        value = rw.convert(ConvertOp::FloatToFloat, value, from);
    }
    let signed = op == ConvertOp::FToS;
    let (low, high) = if signed {
        (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1))
    } else {
        (0.0, 2f64.powi(bits as i32))
    };
    let (min, max) =
        if signed { (1u64 << (bits - 1), (1u64 << (bits - 1)) - 1) } else { (0, u64::MAX >> (64 - bits)) };
    let converted = to_integer(rw, op, value, ty, halves);
    let truth = from.with_scalar(Scalar::Bool);
    let high = float_constant(rw, from, high);
    let low = float_constant(rw, from, low);
    let above = rw.inst(InstKind::FCmp(FloatCC::OGe, value, high), truth);
    let below = rw.inst(InstKind::FCmp(FloatCC::OLe, value, low), truth);
    let nan = rw.inst(InstKind::Unary(UnaryOp::IsNan, value), truth);
    let mut result = converted;
    for (cond, bits) in [(above, max), (below, min), (nan, 0)] {
        let limit = rw.iconst(ty, bits);
        result = rw.inst(InstKind::Select(cond, limit, result), ty);
    }
    result
}

/// A float truncated towards zero to the integer type, which holds the result.
/// A 64-bit integer is made of two 32-bit ones if the driver does it wrongly.
/// A float has at most the digits of its type's fraction, so both steps are exact.
fn to_integer(rw: &mut Rewriter<'_>, op: ConvertOp, value: Value, ty: Type, halves: bool) -> Value {
    if !halves || ty.scalar() != Some(Scalar::I64) {
        return rw.convert(op, value, ty);
    }
    let signed = op == ConvertOp::FToS;
    let mut value = value;
    if rw.f.ty(value).scalar() == Some(Scalar::F16) {
        // No half reaches 2³².
        let words = rw.convert(op, value, ty.with_scalar(Scalar::I32));
        return rw.int_cast(words, ty, signed);
    }
    let from = rw.f.ty(value);
    let words = ty.with_scalar(Scalar::I32);
    let negative = signed.then(|| {
        let zero = float_constant(rw, from, 0.0);
        let negative = rw.inst(InstKind::FCmp(FloatCC::OLt, value, zero), from.with_scalar(Scalar::Bool));
        value = rw.inst(InstKind::Unary(UnaryOp::FAbs, value), from);
        negative
    });
    let [down, up] = [-32, 32].map(|n| float_constant(rw, from, 2f64.powi(n)));
    let scaled = rw.binary(BinaryOp::FMul, value, down);
    let high = rw.convert(ConvertOp::FToU, scaled, words);
    let whole = rw.convert(ConvertOp::UToF, high, from);
    let whole = rw.binary(BinaryOp::FMul, whole, up);
    let rest = rw.binary(BinaryOp::FSub, value, whole);
    let low = rw.convert(ConvertOp::FToU, rest, words);
    let [low, high] = [low, high].map(|half| rw.convert(ConvertOp::ZExt, half, ty));
    let high = rw.binary_const(BinaryOp::Shl, high, 32);
    let size = rw.binary(BinaryOp::Or, low, high);
    let Some(negative) = negative else { return size };
    let minus = rw.inst(InstKind::Unary(UnaryOp::INeg, size), ty);
    rw.inst(InstKind::Select(negative, minus, size), ty)
}

fn float_constant(rw: &mut Rewriter<'_>, ty: Type, value: f64) -> Value {
    let bits = match ty.scalar() {
        Some(Scalar::F64) => value.to_bits(),
        Some(Scalar::F16) => u64::from(half::f16::from_f64(value).to_bits()),
        _ => u64::from((value as f32).to_bits()),
    };
    rw.f.constant(ty, Constant::Bits(bits))
}

/// The signed remainder, as a − a / b × b. Vulkan leaves OpSRem undefined if an operand is negative ("Precision and Operation of
/// SPIR-V Instructions"), and NVIDIA's driver uses the freedom. OpSDiv is defined.
/// If `divided` has the function's quotients and lacks this one, the remainder of the magnitudes with the sign of a.
fn signed_remainder(rw: &mut Rewriter<'_>, a: Value, b: Value, divided: Option<&Pairs>) -> Value {
    let ty = rw.f.ty(a);
    // A quotient by a constant becomes a product. A quotient of narrower operands stays narrow.
    let extended = |f: &Function, v: Value| {
        matches!(
            f.def_inst(v).map(|inst| &inst.kind),
            Some(InstKind::Convert { op: ConvertOp::SExt | ConvertOp::ZExt, .. })
        )
    };
    let known = rw.f.const_bits(b).is_some() || (extended(rw.f, a) && extended(rw.f, b));
    let alone = divided.is_some_and(|divided| !divided.contains(&(a, b)));
    if alone && ty.scalar() == Some(Scalar::I32) && !known {
        let [x, y] = [a, b]
            .map(|v| rw.inst(InstKind::Glsl { number: glsl::S_ABS, args: SmallVec::from_slice(&[v]) }, ty));
        let rest = rw.binary(BinaryOp::URem, x, y);
        let zero = rw.iconst(ty, 0);
        let negative = rw.icmp(IntCC::Slt, a, zero);
        let negated = rw.binary(BinaryOp::ISub, zero, rest);
        return rw.inst(InstKind::Select(negative, negated, rest), ty);
    }
    let quotient = rw.binary(BinaryOp::SDiv, a, b);
    let product = rw.binary(BinaryOp::IMul, quotient, b);
    rw.binary(BinaryOp::ISub, a, product)
}

/// The operands of a function's signed quotients.
fn quotients(f: &Function) -> Pairs {
    let insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    insts
        .filter_map(|inst| match f.insts[*inst].kind {
            InstKind::Binary(BinaryOp::SDiv, a, b) => Some((a, b)),
            _ => None,
        })
        .collect()
}

/// Bit counts and reversals of other widths. Vulkan has them for 32 bits.
fn bits(rw: &mut Rewriter<'_>, op: UnaryOp, value: Value, ty: Type) -> Option<Value> {
    let width = ty.scalar().filter(|s| *s != Scalar::I32)?.bits();
    let words = ty.with_scalar(Scalar::I32);
    if width < 32 {
        let wide = rw.convert(ConvertOp::ZExt, value, words);
        let mut result = rw.inst(InstKind::Unary(op, wide), words);
        if op == UnaryOp::BitReverse {
            result = rw.binary_const(BinaryOp::LShr, result, u64::from(32 - width));
        }
        return Some(rw.convert(ConvertOp::Trunc, result, ty));
    }
    let low = rw.convert(ConvertOp::Trunc, value, words);
    let high = rw.binary_const(BinaryOp::LShr, value, 32);
    let high = rw.convert(ConvertOp::Trunc, high, words);
    let [low, high] = [low, high].map(|half| {
        let half = rw.inst(InstKind::Unary(op, half), words);
        rw.convert(ConvertOp::ZExt, half, ty)
    });
    Some(if op == UnaryOp::BitCount {
        rw.add(low, high)
    } else {
        let low = rw.binary_const(BinaryOp::Shl, low, 32);
        rw.binary(BinaryOp::Or, low, high)
    })
}

/// High halves of products. The writer has them for 32 bits. Narrower ones come from a wide product.
/// 64-bit ones come from four products (Hacker's Delight's scheme, unsigned; the signed one corrects for the signs).
fn high_product(rw: &mut Rewriter<'_>, op: BinaryOp, a: Value, b: Value, ty: Type) -> Option<Value> {
    let width = ty.scalar().filter(|s| *s != Scalar::I32)?.bits();
    if width < 32 {
        let signed = op == BinaryOp::SMulHi;
        let words = ty.with_scalar(Scalar::I32);
        let (a, b) = (rw.int_cast(a, words, signed), rw.int_cast(b, words, signed));
        let product = rw.binary(BinaryOp::IMul, a, b);
        let high = rw.binary_const(BinaryOp::LShr, product, u64::from(width));
        return Some(rw.convert(ConvertOp::Trunc, high, ty));
    }
    const LOW: u64 = 0xffff_ffff;
    let [a_low, b_low] = [a, b].map(|v| rw.binary_const(BinaryOp::And, v, LOW));
    let [a_high, b_high] = [a, b].map(|v| rw.binary_const(BinaryOp::LShr, v, 32));
    let low = rw.binary(BinaryOp::IMul, a_low, b_low);
    let mid = rw.binary(BinaryOp::IMul, a_high, b_low);
    let carry = rw.binary_const(BinaryOp::LShr, low, 32);
    let mid = rw.add(mid, carry);
    let mid_low = rw.binary_const(BinaryOp::And, mid, LOW);
    let mid_high = rw.binary_const(BinaryOp::LShr, mid, 32);
    let cross = rw.binary(BinaryOp::IMul, a_low, b_high);
    let cross = rw.add(cross, mid_low);
    let cross = rw.binary_const(BinaryOp::LShr, cross, 32);
    let high = rw.binary(BinaryOp::IMul, a_high, b_high);
    let high = rw.add(high, mid_high);
    let mut high = rw.add(high, cross);
    if op == BinaryOp::SMulHi {
        for (x, y) in [(a, b), (b, a)] {
            let zero = rw.iconst(ty, 0);
            let negative = rw.icmp(IntCC::Slt, x, zero);
            let correction = rw.inst(InstKind::Select(negative, y, zero), ty);
            high = rw.inst(InstKind::Binary(BinaryOp::ISub, high, correction), ty);
        }
    }
    Some(high)
}
