//! Conversions between pairs of words and floats.
//!
//! Conversions to integers truncate towards zero, those to floats round to nearest even.
//! `legalize_types` has made OpenCL C's other conversions of these.

use super::{Pair, arith};
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Scalar, Type, UnaryOp, Value};
use crate::transform::rewriter::Rewriter;

/// GLSL.std.450 Trunc.
const TRUNC: u32 = 3;

/// 2^32 and 2^−32, as the bits of a float type.
fn powers(rw: &mut Rewriter<'_>, ty: Type) -> [Value; 2] {
    let values = [4_294_967_296f64, 1.0 / 4_294_967_296f64];
    values.map(|value| {
        let bits = match ty.scalar() {
            Some(Scalar::F64) => value.to_bits(),
            _ => u64::from((value as f32).to_bits()),
        };
        rw.iconst(ty, bits)
    })
}

/// The unsigned integer of a float's magnitude, which is below 2^64.
pub(super) fn to_unsigned(rw: &mut Rewriter<'_>, value: Value) -> Pair {
    let value = at_least_single(rw, value);
    let ty = rw.f.ty(value);
    let words = ty.with_scalar(Scalar::I32);
    let [up, down] = powers(rw, ty);
    let size = rw.inst(InstKind::Unary(UnaryOp::FAbs, value), ty);
    // The quotient by 2^32 and the remainder are both exact.
    let scaled = rw.binary(BinaryOp::FMul, size, down);
    let times = rw.inst(InstKind::Glsl { number: TRUNC, args: [scaled].into_iter().collect() }, ty);
    let whole = rw.binary(BinaryOp::FMul, times, up);
    let rest = rw.binary(BinaryOp::FSub, size, whole);
    [rest, times].map(|part| rw.convert(ConvertOp::FToU, part, words))
}

/// The signed integer of a float.
pub(super) fn to_signed(rw: &mut Rewriter<'_>, value: Value) -> Pair {
    let value = at_least_single(rw, value);
    let ty = rw.f.ty(value);
    let size = to_unsigned(rw, value);
    let zero = rw.iconst(ty, 0);
    let truth = ty.with_scalar(Scalar::Bool);
    let negative = rw.inst(InstKind::FCmp(crate::ir::FloatCC::OLt, value, zero), truth);
    let minus = arith::negated(rw, size);
    arith::select(rw, negative, minus, size)
}

/// Widens halves to floats, because halves lack the powers of two that are needed.
fn at_least_single(rw: &mut Rewriter<'_>, value: Value) -> Value {
    let ty = rw.f.ty(value);
    match ty.scalar() {
        Some(Scalar::F16) => rw.convert(ConvertOp::FloatToFloat, value, ty.with_scalar(Scalar::F32)),
        _ => value,
    }
}

/// The float of a signed integer.
pub(super) fn from_signed(rw: &mut Rewriter<'_>, value: Pair, ty: Type) -> Value {
    let (size, negative) = arith::magnitude(rw, value);
    let float = from_unsigned(rw, size, ty);
    arith::signed_by(rw, negative, float)
}

/// The float of an unsigned integer.
pub(super) fn from_unsigned(rw: &mut Rewriter<'_>, [low, high]: Pair, ty: Type) -> Value {
    match ty.scalar() {
        Some(Scalar::F64) => {
            // Both words are exact, so only the sum rounds.
            let [up, _] = powers(rw, ty);
            let [low, high] = [low, high].map(|word| rw.convert(ConvertOp::UToF, word, ty));
            let high = rw.binary(BinaryOp::FMul, high, up);
            rw.binary(BinaryOp::FAdd, high, low)
        }
        Some(Scalar::F16) => {
            // Integers that a float does not hold exactly are beyond every half.
            let single = single(rw, [low, high], ty.with_scalar(Scalar::F32));
            rw.convert(ConvertOp::FloatToFloat, single, ty)
        }
        _ => single(rw, [low, high], ty),
    }
}

/// Converts the highest 32 bits and scales the result. Their last bit is sticky: it is set if any lower bit is.
/// The bits therefore round as the whole value would. A value of one word is converted as it is.
fn single(rw: &mut Rewriter<'_>, [low, high]: Pair, ty: Type) -> Value {
    let words = rw.f.ty(low);
    let zero = rw.iconst(words, 0);
    let zeros = arith::leading_zeros(rw, high);
    // The result for a high word of zero is not used. The shift stays below 32.
    let up = rw.binary_const(BinaryOp::And, zeros, 31);
    let down = rw.binary_const(BinaryOp::Xor, up, 31);
    let moved = rw.binary(BinaryOp::Shl, high, up);
    let half = rw.binary_const(BinaryOp::LShr, low, 1);
    let from_low = rw.binary(BinaryOp::LShr, half, down);
    let top = rw.binary(BinaryOp::Or, moved, from_low);
    let behind = rw.binary(BinaryOp::Shl, low, up);
    let inexact = rw.icmp(IntCC::Ne, behind, zero);
    let sticky = rw.binary_const(BinaryOp::Or, top, 1);
    let top = rw.inst(InstKind::Select(inexact, sticky, top), words);
    let rounded = rw.convert(ConvertOp::UToF, top, ty);
    // 2^(32 − zeros), made from its exponent.
    let exponent = rw.iconst(words, 127 + 32);
    let exponent = rw.inst(InstKind::Binary(BinaryOp::ISub, exponent, up), words);
    let scale = rw.binary_const(BinaryOp::Shl, exponent, 23);
    let scale = rw.bitcast(scale, ty);
    let long = rw.binary(BinaryOp::FMul, rounded, scale);
    let short = rw.convert(ConvertOp::UToF, low, ty);
    let is_short = rw.icmp(IntCC::Eq, high, zero);
    rw.inst(InstKind::Select(is_short, short, long), ty)
}
