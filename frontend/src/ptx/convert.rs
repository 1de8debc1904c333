//! Conversions (§9.7.8: `cvt`, `cvta`).

use super::context::{Context, Inst, Width, scalar};
use super::float::{clamped, flushed};
use super::types::{Error, Type};
use crate::builtins::ext;
use crate::builtins::{BuiltinOp, Rounding};
use crate::hir::{BinaryOp, CastKind, Expr, ExprKind};
use crate::options::Features;
use crate::types::{AddressSpace, QualType, Scalar, Types};

/// A half by its bits (a word), as a float. Without half arithmetic it is loaded from memory.
pub(super) fn half_value(c: &mut Context<'_>, bits: Expr) -> Expr {
    let bits = c.cast(bits, Scalar::UShort);
    if c.host.options.has(Features::FP16) {
        return c.cast(c.bitcast(bits, Scalar::Half), Scalar::Float);
    }
    let (local, pointer) = half_place(c);
    c.assign(local, bits);
    let params = vec![c.host.types.size_t(), pointer.ty.ty];
    let zero = c.node(ExprKind::Constant(crate::hir::Constant::Int(0)), params[0]);
    c.call(BuiltinOp::ExtInst(ext::VLOAD_HALF), params, vec![zero, pointer], Types::FLOAT)
}

/// The bits, as a word, of a number rounded to half.
pub(super) fn half_bits(c: &mut Context<'_>, value: Expr, rounding: Rounding) -> Expr {
    if c.host.options.has(Features::FP16) {
        let half = c.convert(value, Scalar::Half, false, Some(rounding));
        return c.cast(c.bitcast(half, Scalar::UShort), Scalar::UInt);
    }
    let (local, pointer) = half_place(c);
    let params = vec![value.ty.ty, c.host.types.size_t(), pointer.ty.ty];
    let zero = c.node(ExprKind::Constant(crate::hir::Constant::Int(0)), params[1]);
    let op = BuiltinOp::ExtInstRounded(ext::VSTORE_HALF_R, rounding);
    let store = c.call(op, params, vec![value, zero, pointer], Types::VOID);
    c.effect(store);
    let bits = c.load(local, Types::scalar(Scalar::UShort));
    c.cast(bits, Scalar::UInt)
}

/// A variable of 16 bits and a pointer to it as a half.
fn half_place(c: &mut Context<'_>) -> (crate::hir::LocalId, Expr) {
    let short = Types::scalar(Scalar::UShort);
    let local = c.new_local(short);
    let private = |ty| QualType::in_space(ty, AddressSpace::Private);
    let shorts = c.host.types.pointer(private(short));
    let halves = c.host.types.pointer(private(Types::scalar(Scalar::Half)));
    let address = c.node(ExprKind::AddressOf(Box::new(c.place(local, short))), shorts);
    let cast = ExprKind::Cast { kind: CastKind::PointerBitcast, operand: Box::new(address) };
    (local, c.node(cast, halves))
}

/// How `cvt` rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    No,
    /// To an integer.
    Integer(Rounding),
    /// To a number with fewer digits.
    Float(Rounding),
}

fn round(i: &Inst<'_>) -> Round {
    use Rounding::{ToNearestEven, ToNegative, ToPositive, ToZero};
    match i.one_of(&["rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp"]) {
        Some("rni") => Round::Integer(ToNearestEven),
        Some("rzi") => Round::Integer(ToZero),
        Some("rmi") => Round::Integer(ToNegative),
        Some("rpi") => Round::Integer(ToPositive),
        Some("rn") => Round::Float(ToNearestEven),
        Some("rz") => Round::Float(ToZero),
        Some("rm") => Round::Float(ToNegative),
        Some(_) => Round::Float(ToPositive),
        None => Round::No,
    }
}

/// `cvt`: by what the two types are.
pub(super) fn cvt(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let &[to, from] = i.types.as_slice() else { return Ok(()) };
    if to == Type::F16x2 {
        return pack_halves(c, i, from);
    }
    if i.operands.len() != 2 || from == Type::F16x2 {
        return c.error("'cvt' has one source");
    }
    match (from.is_float(), to.is_float()) {
        (false, false) => between_integers(c, i, from, to),
        (false, true) => to_float(c, i, from, to),
        (true, false) => to_integer(c, i, from, to),
        (true, true) => between_floats(c, i, from, to),
    }
}

/// `cvt.rn.f16x2.f32 d, a, b`: a above, b below.
fn pack_halves(c: &mut Context<'_>, i: &Inst<'_>, from: Type) -> Result<(), Error> {
    let Round::Float(mode) = round(i) else { return c.error("'cvt.f16x2' needs '.rn' or '.rz'") };
    if from != Type::F32 || i.operands.len() != 3 {
        return c.error("'cvt.f16x2' takes two sources of type '.f32'");
    }
    let a = c.get(i.operand(1), from)?;
    let b = c.get(i.operand(2), from)?;
    let high = half_bits(c, a, mode);
    let low = half_bits(c, b, mode);
    let value = c.or(low, c.shl(high, c.uint(16)));
    c.put(i.operand(0), Type::F16x2, value)
}

/// A source of `cvt`, which may be wider than its type; halves as floats.
fn source(c: &mut Context<'_>, i: &Inst<'_>, from: Type) -> Result<Expr, Error> {
    let value = c.get_as(i.operand(1), from, Width::Relaxed)?;
    let value = if from == Type::F16 { half_value(c, value) } else { value };
    let flush = i.has("ftz") && from == Type::F32;
    Ok(if flush { flushed(c, value) } else { c.temp(value) })
}

/// With `.sat` what the destination cannot hold is the nearest that it can.
fn between_integers(c: &mut Context<'_>, i: &Inst<'_>, from: Type, to: Type) -> Result<(), Error> {
    if round(i) != Round::No {
        return c.error("integers are not rounded to integers");
    }
    let value = source(c, i, from)?;
    let value = match i.has("sat") {
        true => {
            let narrow = exact_scalar(to);
            let narrow = c.convert(value, narrow, true, None);
            c.cast(narrow, scalar(to))
        }
        false => c.cast(value, scalar(to)),
    };
    c.put_as(i.operand(0), to, value, Width::Relaxed)
}

/// The integer type of exactly that width.
fn exact_scalar(ty: Type) -> Scalar {
    let bytes = ty.bits() / 8;
    if ty.is_signed() { Scalar::signed_of_size(bytes) } else { Scalar::unsigned_of_size(bytes) }
}

fn to_float(c: &mut Context<'_>, i: &Inst<'_>, from: Type, to: Type) -> Result<(), Error> {
    let Round::Float(mode) = round(i) else {
        return c.error("'cvt' from an integer to a float needs '.rn', '.rz', '.rm' or '.rp'");
    };
    let value = source(c, i, from)?;
    let value = match to {
        // A float holds every integer that a half could be the rounded value of.
        Type::F16 if !c.host.options.has(Features::FP16) => {
            c.convert(value, Scalar::Float, false, Some(mode))
        }
        Type::F16 => c.convert(value, Scalar::Half, false, Some(mode)),
        _ => c.convert(value, scalar(to), false, Some(mode)),
    };
    finish(c, i, value, to, mode)
}

/// Writes a floating result, with `.sat` and `.ftz`.
fn finish(c: &mut Context<'_>, i: &Inst<'_>, value: Expr, to: Type, mode: Rounding) -> Result<(), Error> {
    let value = if i.has("sat") { clamped(c, value) } else { value };
    let value = match to {
        Type::F16 if c.scalar_of(&value) == Scalar::Half => {
            c.cast(c.bitcast(value, Scalar::UShort), Scalar::UInt)
        }
        Type::F16 => half_bits(c, value, mode),
        Type::F32 if i.has("ftz") => flushed(c, value),
        _ => value,
    };
    c.put_as(i.operand(0), to, value, Width::Relaxed)
}

/// Out of range the result is the nearest integer of the type. A NaN is 0; where either type has 64 bits and the source is a
/// double or the destination so wide, it is the number whose highest bit alone is set.
fn to_integer(c: &mut Context<'_>, i: &Inst<'_>, from: Type, to: Type) -> Result<(), Error> {
    let Round::Integer(mode) = round(i) else {
        return c.error("'cvt' from a float to an integer needs '.rni', '.rzi', '.rmi' or '.rpi'");
    };
    let value = source(c, i, from)?;
    let whole = exact_scalar(to);
    let number = c.convert(value.clone(), whole, true, Some(mode));
    let number = if from == Type::F64 || to.bits() == 64 {
        let nan = c.compare(BinaryOp::Ne, value.clone(), value);
        let highest = match to.bits() {
            64 => i64::MIN,
            bits if to.is_signed() => -(1 << (bits - 1)),
            bits => 1 << (bits - 1),
        };
        c.select(nan, c.int(highest, whole), number)
    } else {
        number
    };
    let number = c.cast(number, scalar(to));
    c.put_as(i.operand(0), to, number, Width::Relaxed)
}

fn between_floats(c: &mut Context<'_>, i: &Inst<'_>, from: Type, to: Type) -> Result<(), Error> {
    let mut value = source(c, i, from)?;
    let narrows = to.bits() < from.bits();
    let mode = match round(i) {
        Round::Integer(_) if narrows => {
            return c.error("'cvt' to fewer digits needs '.rn', '.rz', '.rm' or '.rp'");
        }
        Round::No if narrows => return c.error("'cvt' to fewer digits needs a rounding"),
        Round::Integer(mode) => {
            let number = match mode {
                Rounding::ToNearestEven => ext::RINT,
                Rounding::ToZero => ext::TRUNC,
                Rounding::ToNegative => ext::FLOOR,
                Rounding::ToPositive => ext::CEIL,
            };
            let scalar = c.scalar_of(&value);
            value = c.ext(number, vec![value], scalar);
            Rounding::ToNearestEven
        }
        Round::Float(mode) => mode,
        Round::No => Rounding::ToNearestEven,
    };
    let value = match to {
        Type::F16 => value,
        Type::F32 if narrows => c.convert(value, Scalar::Float, false, Some(mode)),
        _ => c.cast(value, scalar(to)),
    };
    finish(c, i, value, to, mode)
}

/// `cvta`: an address of a space as a generic one, and back. An integer address is the same number in both.
pub(super) fn cvta(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.one_of(&["global", "shared", "const", "local"]).is_none() {
        return c.error("'cvta' needs a state space");
    }
    let value = c.get(i.operand(1), i.ty())?;
    c.put(i.operand(0), i.ty(), value)
}
