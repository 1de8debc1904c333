//! Constants: their values, and the bytes of initialisers.

use super::module::{ConstantDecl, Tables};
use super::types::Ty;
use super::{invalid, not_yet};
use crate::error::LowerError;
use crate::ir::{Constant, GlobalInit, GlobalVar, Scalar};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv_io::spirv::Op;

/// The largest nesting of constant expressions.
const MAX_DEPTH: u32 = 64;
/// The largest size of an initialiser in bytes.
const MAX_INIT: u64 = 1 << 28;

/// The largest number of evaluation steps for the constants of a module.
const MAX_STEPS: u32 = 1 << 26;

/// A scalar constant: bits, perhaps relative to the address of a global.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Evaluated {
    base: Option<u32>,
    bits: u64,
}

/// The bits of a scalar constant.
pub(super) fn bits(tables: &Tables<'_>, id: u32) -> Result<u64, LowerError> {
    match evaluate(tables, id, 0)? {
        Evaluated { base: None, bits } => Ok(bits),
        _ => Err(invalid(format!("constant %{id} is an address"))),
    }
}

/// The constant of a scalar, if it needs no instruction.
pub(super) fn simple(tables: &Tables<'_>, id: u32) -> Option<Constant> {
    match tables.constants.get(&id)?.1 {
        ConstantDecl::Bits(bits) => Some(Constant::Bits(bits)),
        ConstantDecl::Null => Some(Constant::Bits(0)),
        ConstantDecl::Undef => Some(Constant::Undef),
        _ => None,
    }
}

/// Counts the steps of constant evaluation: shared operands could make it exponential.
fn spend(tables: &Tables<'_>) -> Result<(), LowerError> {
    let used = tables.steps.get() + 1;
    tables.steps.set(used);
    if used > MAX_STEPS { Err(invalid("constants are too complex")) } else { Ok(()) }
}

fn evaluate(tables: &Tables<'_>, id: u32, depth: u32) -> Result<Evaluated, LowerError> {
    if depth > MAX_DEPTH {
        return Err(invalid("constant expressions nest too deeply"));
    }
    spend(tables)?;
    let plain = |bits| Ok(Evaluated { base: None, bits });
    let Some((ty, decl)) = tables.constants.get(&id) else {
        return if tables.globals.iter().any(|g| g.id == id) {
            Ok(Evaluated { base: Some(id), bits: 0 })
        } else {
            Err(invalid(format!("%{id} is no constant")))
        };
    };
    match decl {
        ConstantDecl::Bits(bits) => plain(*bits),
        ConstantDecl::Null | ConstantDecl::Undef => plain(0),
        ConstantDecl::Composite(_) => Err(invalid(format!("constant %{id} is no scalar"))),
        ConstantDecl::Op(op, operands) => evaluate_op(tables, *ty, *op, operands, depth + 1),
    }
}

fn type_of(tables: &Tables<'_>, id: u32) -> Option<u32> {
    let global = || tables.globals.iter().find(|g| g.id == id).map(|g| g.ty);
    tables.constants.get(&id).map(|c| c.0).or_else(global)
}

fn width_of(tables: &Tables<'_>, ty: u32) -> Result<u32, LowerError> {
    Ok(tables.types.plain(ty)?.scalar().map_or(tables.types.address_bits, Scalar::bits))
}

fn sign_extend(bits: u64, width: u32) -> i64 {
    (bits << (64 - width)) as i64 >> (64 - width)
}

/// OpSpecConstantOp on scalars and addresses. This function recurses in a small frame; [`compute`] evaluates.
fn evaluate_op(
    tables: &Tables<'_>,
    ty: u32,
    op: Op,
    operands: &[u32],
    depth: u32,
) -> Result<Evaluated, LowerError> {
    match op {
        Op::CompositeExtract => {
            let (composite, path) = operands.split_first().ok_or_else(|| invalid("it takes from nothing"))?;
            component(tables, *composite, path, depth)
        }
        Op::CompositeInsert | Op::VectorShuffle => {
            Err(not_yet("", format!("{op:?} where a constant's value is needed")))
        }
        _ => {
            let mut values = Values::new();
            for id in operands {
                values.push(evaluate(tables, *id, depth)?);
            }
            compute(tables, ty, op, operands, &values)
        }
    }
}

/// The operands of an operation.
type Values = SmallVec<[Evaluated; 2]>;

#[inline(never)]
fn compute(
    tables: &Tables<'_>,
    ty: u32,
    op: Op,
    operands: &[u32],
    values: &[Evaluated],
) -> Result<Evaluated, LowerError> {
    let width = width_of(tables, ty)?;
    let mask = u64::MAX >> (64 - width);
    let operand = |i: usize| -> Result<Evaluated, LowerError> {
        values.get(i).copied().ok_or_else(|| invalid("a constant expression lacks an operand"))
    };
    let signed = |i: usize| -> Result<i64, LowerError> {
        let from = operands.get(i).and_then(|id| type_of(tables, *id));
        let from = from.ok_or_else(|| invalid("a constant expression's operand has no type"))?;
        Ok(sign_extend(operand(i)?.bits, width_of(tables, from)?))
    };
    let both = |f: fn(u64, u64) -> u64| -> Result<Evaluated, LowerError> {
        let (a, b) = (operand(0)?, operand(1)?);
        if b.base.is_some() {
            return Err(not_yet("", "arithmetic on two addresses in a constant"));
        }
        Ok(Evaluated { base: a.base, bits: f(a.bits, b.bits) & mask })
    };
    let compare = |holds: bool| Ok(Evaluated { base: None, bits: u64::from(holds) });
    match op {
        Op::Bitcast
        | Op::ConvertPtrToU
        | Op::ConvertUToPtr
        | Op::PtrCastToGeneric
        | Op::GenericCastToPtr
        | Op::UConvert => {
            let a = operand(0)?;
            Ok(Evaluated { base: a.base, bits: a.bits & mask })
        }
        Op::SConvert => Ok(Evaluated { base: None, bits: signed(0)? as u64 & mask }),
        Op::IAdd => both(u64::wrapping_add),
        Op::ISub => both(u64::wrapping_sub),
        Op::IMul => both(u64::wrapping_mul),
        Op::BitwiseAnd | Op::LogicalAnd => both(|a, b| a & b),
        Op::BitwiseOr | Op::LogicalOr => both(|a, b| a | b),
        Op::BitwiseXor | Op::LogicalNotEqual => both(|a, b| a ^ b),
        Op::ShiftLeftLogical => both(|a, b| a.checked_shl(b as u32).unwrap_or(0)),
        Op::ShiftRightLogical => both(|a, b| a.checked_shr(b as u32).unwrap_or(0)),
        Op::UDiv => both(|a, b| a.checked_div(b).unwrap_or(0)),
        Op::UMod => both(|a, b| a.checked_rem(b).unwrap_or(0)),
        Op::SDiv | Op::SRem | Op::SMod => {
            let bits = quotient(op, signed(0)?, signed(1)?);
            Ok(Evaluated { base: None, bits: bits.unwrap_or(0) as u64 & mask })
        }
        Op::ShiftRightArithmetic => {
            let bits = signed(0)? >> operand(1)?.bits.min(63);
            Ok(Evaluated { base: None, bits: bits as u64 & mask })
        }
        Op::SNegate => Ok(Evaluated { base: None, bits: operand(0)?.bits.wrapping_neg() & mask }),
        Op::Not | Op::LogicalNot => Ok(Evaluated { base: None, bits: !operand(0)?.bits & mask }),
        Op::IEqual | Op::LogicalEqual => compare(operand(0)? == operand(1)?),
        Op::INotEqual => compare(operand(0)? != operand(1)?),
        Op::ULessThan => compare(operand(0)?.bits < operand(1)?.bits),
        Op::UGreaterThan => compare(operand(0)?.bits > operand(1)?.bits),
        Op::SLessThan => compare(signed(0)? < signed(1)?),
        Op::SGreaterThan => compare(signed(0)? > signed(1)?),
        Op::ULessThanEqual => compare(operand(0)?.bits <= operand(1)?.bits),
        Op::UGreaterThanEqual => compare(operand(0)?.bits >= operand(1)?.bits),
        Op::SLessThanEqual => compare(signed(0)? <= signed(1)?),
        Op::SGreaterThanEqual => compare(signed(0)? >= signed(1)?),
        Op::FNegate
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FConvert
        | Op::ConvertFToS
        | Op::ConvertFToU
        | Op::ConvertSToF
        | Op::ConvertUToF => {
            let bits = float_op(tables, width, op, operands, values)?;
            Ok(Evaluated { base: None, bits: bits & mask })
        }
        Op::Select => {
            if operand(0)?.bits != 0 {
                operand(1)
            } else {
                operand(2)
            }
        }
        Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
            let steps = (1..operands.len()).map(signed).collect::<Result<SmallVec<[i64; 4]>, _>>()?;
            let place = chain_place(tables, op, operands, operand(0)?, &steps)?;
            Ok(Evaluated { base: place.base, bits: place.bits & mask })
        }
        other => Err(not_yet("", format!("{other:?} in a constant expression"))),
    }
}

/// Signed quotients and remainders; `None` where there is none.
fn quotient(op: Op, a: i64, b: i64) -> Option<i64> {
    match op {
        Op::SDiv => a.checked_div(b),
        Op::SRem => a.checked_rem(b),
        // The remainder with the divisor's sign.
        _ => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r.wrapping_add(b) } else { r }),
    }
}

/// The end of a constant access chain from `base`.
fn chain_place(
    tables: &Tables<'_>,
    op: Op,
    operands: &[u32],
    base: Evaluated,
    indices: &[i64],
) -> Result<Evaluated, LowerError> {
    let ty = operands.first().and_then(|id| type_of(tables, *id));
    let ty = ty.map(|t| tables.types.pointer(t)).transpose()?.map(|p| p.2);
    let mut ty = ty.ok_or_else(|| invalid("a constant access chain has no base"))?;
    let mut offset = base.bits as i64;
    let by_element = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
    for (i, index) in indices.iter().enumerate() {
        let step;
        (ty, step) = chain_step(tables, ty, *index, by_element && i == 0)?;
        offset = offset.wrapping_add(step);
    }
    Ok(Evaluated { base: base.base, bits: offset as u64 })
}

/// A part of a constant composite.
fn component(tables: &Tables<'_>, id: u32, path: &[u32], depth: u32) -> Result<Evaluated, LowerError> {
    if depth > MAX_DEPTH {
        return Err(invalid("constant expressions nest too deeply"));
    }
    spend(tables)?;
    let Some((first, rest)) = path.split_first() else { return evaluate(tables, id, depth) };
    let outside = || invalid("an index is outside a constant");
    match tables.constants.get(&id).map(|c| &c.1) {
        Some(ConstantDecl::Null | ConstantDecl::Undef) => Ok(Evaluated { base: None, bits: 0 }),
        Some(ConstantDecl::Composite(parts)) => {
            let part = usize::try_from(*first).ok().and_then(|i| parts.get(i));
            component(tables, *part.ok_or_else(outside)?, rest, depth + 1)
        }
        Some(ConstantDecl::Op(Op::CompositeInsert, words)) => {
            let [object, composite, place @ ..] = words.as_slice() else { return Err(outside()) };
            match path.strip_prefix(place) {
                Some(rest) => component(tables, *object, rest, depth + 1),
                None => component(tables, *composite, path, depth + 1),
            }
        }
        _ => Err(not_yet("", "a part of such a constant expression")),
    }
}

/// An operation on floats: a float or an integer.
fn float_op(
    tables: &Tables<'_>,
    width: u32,
    op: Op,
    operands: &[u32],
    values: &[Evaluated],
) -> Result<u64, LowerError> {
    let value = |i: usize| -> Result<(u64, u32), LowerError> {
        let lacks = || invalid("a constant expression lacks an operand");
        let (id, value) = (operands.get(i).ok_or_else(lacks)?, values.get(i).ok_or_else(lacks)?);
        let from =
            type_of(tables, *id).ok_or_else(|| invalid("a constant expression's operand has no type"))?;
        Ok((value.bits, width_of(tables, from)?))
    };
    let halves = || not_yet("", format!("{op:?} of halves in a constant expression"));
    // Values that are exact in a double are rounded once, for the result.
    let float = |i: usize| -> Result<f64, LowerError> {
        match value(i)? {
            (bits, 32) => Ok(f64::from(f32::from_bits(bits as u32))),
            (bits, 64) => Ok(f64::from_bits(bits)),
            _ => Err(halves()),
        }
    };
    let result = |wide: f64, narrow: f32| match width {
        32 => Ok(u64::from(narrow.to_bits())),
        64 => Ok(wide.to_bits()),
        _ => Err(halves()),
    };
    let rounded = |x: f64| result(x, x as f32);
    match op {
        Op::FNegate => rounded(-float(0)?),
        // One operation on floats in double has the float's rounding (the double has more than twice its bits).
        Op::FAdd => rounded(float(0)? + float(1)?),
        Op::FSub => rounded(float(0)? - float(1)?),
        Op::FMul => rounded(float(0)? * float(1)?),
        Op::FDiv => rounded(float(0)? / float(1)?),
        Op::FConvert => rounded(float(0)?),
        Op::ConvertFToS => Ok(float(0)? as i64 as u64),
        Op::ConvertFToU => Ok(float(0)? as u64),
        Op::ConvertSToF => {
            let (bits, from) = value(0)?;
            let int = sign_extend(bits, from);
            result(int as f64, int as f32)
        }
        _ => {
            let bits = value(0)?.0;
            result(bits as f64, bits as f32)
        }
    }
}

/// One constant index of an access chain: the type of the element and its byte offset.
pub(super) fn chain_step(
    tables: &Tables<'_>,
    ty: u32,
    index: i64,
    whole: bool,
) -> Result<(u32, i64), LowerError> {
    let data = tables.types.get(ty)?;
    if whole {
        return Ok((ty, index.wrapping_mul(data.size as i64)));
    }
    match &data.ty {
        Ty::Array { element, .. } => {
            Ok((*element, index.wrapping_mul(tables.types.get(*element)?.size as i64)))
        }
        Ty::Struct { .. } => {
            let index = u64::try_from(index).map_err(|_| invalid("a negative member index"))?;
            let (member, _, offset) = tables.types.part(ty, index)?;
            Ok((member, offset as i64))
        }
        Ty::Plain(t) if t.lanes() > 1 => {
            // The element type's id is not needed: nothing follows a vector's component.
            let bytes = t.scalar().map_or(0, Scalar::bytes);
            Ok((ty, index.wrapping_mul(i64::from(bytes))))
        }
        _ => Err(invalid("an access chain goes into a type without parts")),
    }
}

/// The bytes and addresses of a global's initialiser.
pub(super) fn initialiser(
    tables: &Tables<'_>,
    ty: u32,
    id: u32,
    globals: &FxHashMap<u32, GlobalVar>,
) -> Result<GlobalInit, LowerError> {
    let size = tables.types.get(ty)?.size;
    if size > MAX_INIT {
        return Err(not_yet("", format!("an initialised variable of {size} bytes")));
    }
    let mut init = GlobalInit { bytes: vec![0; size as usize], addresses: Vec::new() };
    let mut filler = Filler { tables, globals, init: &mut init };
    filler.fill(ty, id, 0, 0)?;
    Ok(init)
}

struct Filler<'a, 't> {
    tables: &'a Tables<'t>,
    globals: &'a FxHashMap<u32, GlobalVar>,
    init: &'a mut GlobalInit,
}

impl Filler<'_, '_> {
    fn fill(&mut self, ty: u32, id: u32, at: u64, depth: u32) -> Result<(), LowerError> {
        if depth > MAX_DEPTH {
            return Err(invalid("an initialiser nests too deeply"));
        }
        spend(self.tables)?;
        match self.tables.constants.get(&id).map(|c| &c.1) {
            Some(ConstantDecl::Null | ConstantDecl::Undef) => Ok(()),
            Some(ConstantDecl::Composite(parts)) => self.fill_parts(ty, parts, at, depth),
            _ => {
                let value = evaluate(self.tables, id, 0)?;
                let bytes = self.tables.types.get(ty)?.size.min(8) as usize;
                self.put(at, value.bits, bytes)?;
                if let Some(base) = value.base {
                    let target = self.globals.get(&base);
                    let target = target.ok_or_else(|| invalid("an initialiser takes an unknown address"))?;
                    self.init.addresses.push((at, *target));
                }
                Ok(())
            }
        }
    }

    fn fill_parts(&mut self, ty: u32, parts: &[u32], at: u64, depth: u32) -> Result<(), LowerError> {
        if let Ty::Plain(vector) = self.tables.types.get(ty)?.ty {
            let bytes = vector.scalar().map_or(0, Scalar::bytes);
            for (i, part) in parts.iter().take(usize::from(vector.lanes())).enumerate() {
                let bits = bits(self.tables, *part)?;
                self.put(at + i as u64 * u64::from(bytes), bits, bytes as usize)?;
            }
            return Ok(());
        }
        for (i, part) in parts.iter().enumerate() {
            let (member, _, offset) = self.tables.types.part(ty, i as u64)?;
            self.fill(member, *part, at + offset, depth + 1)?;
        }
        Ok(())
    }

    fn put(&mut self, at: u64, bits: u64, bytes: usize) -> Result<(), LowerError> {
        let at = at as usize;
        let place = self.init.bytes.get_mut(at..at + bytes);
        let place = place.ok_or_else(|| invalid("an initialiser is larger than its variable"))?;
        place.copy_from_slice(&bits.to_le_bytes()[..bytes]);
        Ok(())
    }
}
