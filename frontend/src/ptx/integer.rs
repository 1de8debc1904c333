//! Integer arithmetic (§9.7.1) and extended-precision arithmetic (§9.7.2).

use super::context::{Context, Inst, scalar};
use super::types::{Error, Type};
use crate::builtins::BuiltinOp;
use crate::builtins::ext;
use crate::hir::{BinaryOp, Expr};
use crate::types::{Scalar, Types};
use spirv::Op;

/// `add`, `add.cc`; floats have functions of their own.
pub(super) fn add(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::add(c, i);
    }
    let (a, b) = sources(c, i)?;
    if i.has("sat") {
        return saturated(c, i, ext::S_ADD_SAT, a, b);
    }
    let sum = c.add(a.clone(), b);
    finish_sum(c, i, sum, a)
}

/// `sub`, `sub.cc`.
pub(super) fn sub(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::sub(c, i);
    }
    let (a, b) = sources(c, i)?;
    if i.has("sat") {
        return saturated(c, i, ext::S_SUB_SAT, a, b);
    }
    if i.has("cc") {
        let (x, y) = unsigned_pair(c, a.clone(), b.clone());
        let borrow = c.compare(BinaryOp::Lt, x, y);
        let borrow = c.temp(borrow);
        let difference = c.sub(a, b);
        c.put(i.operand(0), i.ty(), difference)?;
        c.set_carry(borrow);
        return Ok(());
    }
    let difference = c.sub(a, b);
    c.put(i.operand(0), i.ty(), difference)
}

fn saturated(c: &mut Context<'_>, i: &Inst<'_>, number: u32, a: Expr, b: Expr) -> Result<(), Error> {
    if i.ty() != Type::S32 {
        return c.error(format!("'{}.sat' is for '.s32' alone", i.row.name));
    }
    let value = c.ext(number, vec![a, b], Scalar::Int);
    c.put(i.operand(0), Type::S32, value)
}

/// Operands 1 and 2, each computed once.
fn sources(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(Expr, Expr), Error> {
    let a = c.get(i.operand(1), i.ty())?;
    let b = c.get(i.operand(2), i.ty())?;
    Ok((c.temp(a), c.temp(b)))
}

/// The unsigned type of a type's width.
fn unsigned(ty: Type) -> Scalar {
    if ty.bits() == 64 { Scalar::ULong } else { Scalar::UInt }
}

fn unsigned_pair(c: &Context<'_>, a: Expr, b: Expr) -> (Expr, Expr) {
    let unsigned = Scalar::unsigned_of_size(c.scalar_of(&a).size());
    (c.cast(a, unsigned), c.cast(b, unsigned))
}

/// Writes a sum of which `part` is one term, and the carry where it is asked for.
fn finish_sum(c: &mut Context<'_>, i: &Inst<'_>, sum: Expr, part: Expr) -> Result<(), Error> {
    if !i.has("cc") {
        return c.put(i.operand(0), i.ty(), sum);
    }
    let sum = c.temp(sum);
    let (whole, part) = unsigned_pair(c, sum.clone(), part);
    let carry = c.compare(BinaryOp::Lt, whole, part);
    let carry = c.temp(carry);
    c.put(i.operand(0), i.ty(), sum)?;
    c.set_carry(carry);
    Ok(())
}

/// Writes a + b + CC.CF; with `.cc` also what is carried out of either sum.
fn add_with_carry(c: &mut Context<'_>, i: &Inst<'_>, a: Expr, b: Expr) -> Result<(), Error> {
    let carry_in = c.carry()?;
    let whole = unsigned(i.ty());
    let (a, b) = (c.cast(a, whole), c.cast(b, whole));
    let a = c.temp(a);
    let first = c.add(a.clone(), b);
    let first = c.temp(first);
    let sum = c.add(first.clone(), c.cast(carry_in, whole));
    let sum = c.temp(sum);
    let out = i.has("cc").then(|| {
        let one = c.compare(BinaryOp::Lt, first.clone(), a);
        let other = c.compare(BinaryOp::Lt, sum.clone(), first);
        c.either(one, other)
    });
    let out = out.map(|o| c.temp(o));
    c.put(i.operand(0), i.ty(), sum)?;
    if let Some(out) = out {
        c.set_carry(out);
    }
    Ok(())
}

/// `addc`: d = a + b + CC.CF.
pub(super) fn addc(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let (a, b) = sources(c, i)?;
    add_with_carry(c, i, a, b)
}

/// `subc`: d = a − (b + CC.CF).
pub(super) fn subc(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let (a, b) = sources(c, i)?;
    let borrow_in = c.carry()?;
    let whole = unsigned(i.ty());
    let (a, b, borrow_in) = (c.cast(a, whole), c.cast(b, whole), c.cast(borrow_in, whole));
    let borrow_in = c.temp(borrow_in);
    let first = c.sub(a.clone(), b.clone());
    let first = c.temp(first);
    let difference = c.sub(first.clone(), borrow_in.clone());
    let out = i.has("cc").then(|| {
        let one = c.compare(BinaryOp::Lt, a, b);
        let other = c.compare(BinaryOp::Lt, first, borrow_in);
        c.either(one, other)
    });
    let out = out.map(|o| c.temp(o));
    c.put(i.operand(0), i.ty(), difference)?;
    if let Some(out) = out {
        c.set_carry(out);
    }
    Ok(())
}

/// Which part of a product an instruction wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Low,
    High,
    Wide,
}

fn part(c: &Context<'_>, i: &Inst<'_>) -> Result<Part, Error> {
    match i.one_of(&["lo", "hi", "wide"]) {
        Some("lo") => Ok(Part::Low),
        Some("hi") => Ok(Part::High),
        Some("wide") if i.ty().bits() == 64 => c.error("a wide product of 64 bits does not exist"),
        Some(_) => Ok(Part::Wide),
        None => c.error(format!("'{}' needs '.lo', '.hi' or '.wide'", i.row.name)),
    }
}

/// The type of twice the width.
fn wider(ty: Type) -> Type {
    match ty {
        Type::U16 => Type::U32,
        Type::S16 => Type::S32,
        Type::S32 => Type::S64,
        _ => Type::U64,
    }
}

/// The part of a · b, and its type.
fn product(c: &Context<'_>, ty: Type, part: Part, a: Expr, b: Expr) -> (Expr, Type) {
    let signed = ty.is_signed();
    match part {
        Part::Low => (c.mul(a, b), ty),
        // What is computed with has 32 bits already.
        Part::High if ty.bits() == 16 => (c.shr(c.mul(a, b), c.uint(16)), ty),
        Part::High => {
            let number = if signed { ext::S_MUL_HI } else { ext::U_MUL_HI };
            (c.ext(number, vec![a, b], scalar(ty)), ty)
        }
        Part::Wide => {
            let wide = wider(ty);
            let to = scalar(wide);
            (c.mul(c.cast(a, to), c.cast(b, to)), wide)
        }
    }
}

/// `mul`
pub(super) fn mul(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::mul(c, i);
    }
    let part = part(c, i)?;
    let (a, b) = sources(c, i)?;
    let (value, ty) = product(c, i.ty(), part, a, b);
    c.put(i.operand(0), ty, value)
}

/// `mad`, `mad.cc`
pub(super) fn mad(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::fma(c, i);
    }
    let part = part(c, i)?;
    let (a, b) = sources(c, i)?;
    let (value, ty) = product(c, i.ty(), part, a, b);
    let addend = c.get(i.operand(3), ty)?;
    if i.has("sat") {
        if (i.ty(), part) != (Type::S32, Part::High) {
            return c.error("'mad.sat' is for '.hi.s32' alone");
        }
        let value = c.ext(ext::S_ADD_SAT, vec![value, addend], Scalar::Int);
        return c.put(i.operand(0), ty, value);
    }
    if part == Part::Wide {
        let sum = c.add(value, addend);
        return c.put(i.operand(0), ty, sum);
    }
    let value = c.temp(value);
    let sum = c.add(value.clone(), addend);
    finish_sum(c, i, sum, value)
}

/// `madc`: d = part of a · b + c + CC.CF.
pub(super) fn madc(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let part = part(c, i)?;
    let (a, b) = sources(c, i)?;
    let (value, ty) = product(c, i.ty(), part, a, b);
    let addend = c.get(i.operand(3), ty)?;
    add_with_carry(c, i, value, addend)
}

/// The product of two numbers of 24 bits: its low 32 bits, or bits 16 to 47.
fn product24(c: &mut Context<'_>, i: &Inst<'_>) -> Result<Expr, Error> {
    let (a, b) = sources(c, i)?;
    let wide = if i.ty().is_signed() { Scalar::Long } else { Scalar::ULong };
    let narrowed = |c: &Context<'_>, e: Expr| c.shr(c.shl(e, c.uint(8)), c.uint(8));
    let (a, b) = (narrowed(c, a), narrowed(c, b));
    match i.one_of(&["lo", "hi"]) {
        Some("lo") => Ok(c.mul(a, b)),
        Some(_) => {
            let product = c.mul(c.cast(a, wide), c.cast(b, wide));
            Ok(c.cast(c.shr(product, c.uint(16)), scalar(i.ty())))
        }
        None => c.error(format!("'{}' needs '.lo' or '.hi'", i.row.name)),
    }
}

/// `mul24`
pub(super) fn mul24(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let value = product24(c, i)?;
    c.put(i.operand(0), i.ty(), value)
}

/// `mad24`
pub(super) fn mad24(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let value = product24(c, i)?;
    let addend = c.get(i.operand(3), i.ty())?;
    if i.has("sat") {
        if i.ty() != Type::S32 || !i.has("hi") {
            return c.error("'mad24.sat' is for '.hi.s32' alone");
        }
        return saturated(c, i, ext::S_ADD_SAT, value, addend);
    }
    let sum = c.add(value, addend);
    c.put(i.operand(0), i.ty(), sum)
}

/// `sad`: c + |a − b|.
pub(super) fn sad(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let (a, b) = sources(c, i)?;
    let addend = c.get(i.operand(3), i.ty())?;
    let distance = c.sub(c.max(a.clone(), b.clone()), c.min(a, b));
    let sum = c.add(distance, addend);
    c.put(i.operand(0), i.ty(), sum)
}

/// `div`
pub(super) fn div(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::div(c, i);
    }
    let (a, b) = sources(c, i)?;
    let value = c.binary(BinaryOp::Div, a, b);
    c.put(i.operand(0), i.ty(), value)
}

/// `rem`
pub(super) fn rem(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let (a, b) = sources(c, i)?;
    let value = c.binary(BinaryOp::Rem, a, b);
    c.put(i.operand(0), i.ty(), value)
}

/// `abs`
pub(super) fn abs(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::abs(c, i);
    }
    let a = c.get(i.operand(1), i.ty())?;
    let value = c.ext(ext::S_ABS, vec![a], unsigned(i.ty()));
    let value = c.cast(value, scalar(i.ty()));
    c.put(i.operand(0), i.ty(), value)
}

/// `neg`
pub(super) fn neg(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::neg(c, i);
    }
    let a = c.get(i.operand(1), i.ty())?;
    let value = c.sub(c.int(0, scalar(i.ty())), a);
    c.put(i.operand(0), i.ty(), value)
}

/// `min`
pub(super) fn min(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::min(c, i);
    }
    let (a, b) = sources(c, i)?;
    let value = c.min(a, b);
    relu(c, i, value)
}

/// `max`
pub(super) fn max(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.ty().is_float() {
        return super::float::max(c, i);
    }
    let (a, b) = sources(c, i)?;
    let value = c.max(a, b);
    relu(c, i, value)
}

/// With `.relu` a negative result is 0.
fn relu(c: &mut Context<'_>, i: &Inst<'_>, value: Expr) -> Result<(), Error> {
    let value = match i.has("relu") {
        true if i.ty() != Type::S32 => return c.error("'.relu' is for '.s32' alone"),
        true => c.max(value, c.int(0, Scalar::Int)),
        false => value,
    };
    c.put(i.operand(0), i.ty(), value)
}

/// `dp4a`: c plus the dot product of four bytes and four bytes.
pub(super) fn dp4a(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let &[ta, tb] = i.types.as_slice() else { return Ok(()) };
    let a = c.get(i.operand(1), ta)?;
    let b = c.get(i.operand(2), tb)?;
    let (op, swapped, signed) = match (ta.is_signed(), tb.is_signed()) {
        (true, true) => (Op::SDot, false, true),
        (false, false) => (Op::UDot, false, false),
        (signed, _) => (Op::SUDot, !signed, true),
    };
    let result = if signed { Type::S32 } else { Type::U32 };
    let addend = c.get(i.operand(3), result)?;
    let args = vec![c.cast(a, Scalar::UInt), c.cast(b, Scalar::UInt)];
    let ret = Types::scalar(scalar(result));
    let dot = BuiltinOp::IntegerDot { op, packed: true, swapped };
    let dot = c.call(dot, vec![Types::UINT, Types::UINT], args, ret);
    let sum = c.add(dot, addend);
    c.put(i.operand(0), result, sum)
}

/// `dp2a`: c plus the dot product of two halves of a word and two bytes of another, the low or the high ones.
pub(super) fn dp2a(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let &[ta, tb] = i.types.as_slice() else { return Ok(()) };
    let first = match i.one_of(&["lo", "hi"]) {
        Some("lo") => 0,
        Some(_) => 16,
        None => return c.error("'dp2a' needs '.lo' or '.hi'"),
    };
    let a = c.get(i.operand(1), ta)?;
    let b = c.get(i.operand(2), tb)?;
    let result = if ta.is_signed() || tb.is_signed() { Type::S32 } else { Type::U32 };
    let mut sum = c.get(i.operand(3), result)?;
    let (a, b) = (c.temp(a), c.temp(b));
    let to = scalar(result);
    for k in 0..2 {
        let half = super::bits::field(c, a.clone(), 16 * k, 16);
        let byte = super::bits::field(c, b.clone(), first + 8 * k, 8);
        sum = c.add(sum, c.mul(c.cast(half, to), c.cast(byte, to)));
    }
    c.put(i.operand(0), result, sum)
}
