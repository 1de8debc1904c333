//! Comparison and selection (§9.7.5), classes of numbers (§9.7.3: `testp`).

use super::context::{Context, Inst, scalar};
use super::{Error, Type, bits, statement};
use crate::hir::{BinaryOp, Expr};
use crate::types::Scalar;

/// The comparisons, as modifiers.
const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
    "num", "nan",
];

/// The opposite of an ordered comparison, for those that are true of NaNs.
fn opposite(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Ge,
        Le => Gt,
        Gt => Le,
        Ge => Lt,
        other => other,
    }
}

fn operator(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "eq" | "equ" => BinaryOp::Eq,
        "ne" | "neu" => BinaryOp::Ne,
        "lt" | "lo" | "ltu" => BinaryOp::Lt,
        "le" | "ls" | "leu" => BinaryOp::Le,
        "gt" | "hi" | "gtu" => BinaryOp::Gt,
        "ge" | "hs" | "geu" => BinaryOp::Ge,
        _ => return None,
    })
}

fn is_nan(c: &Context<'_>, e: &Expr) -> Expr {
    c.compare(BinaryOp::Ne, e.clone(), e.clone())
}

/// Compares operands `first` and `first + 1` of type `ty`.
fn compared(c: &mut Context<'_>, i: &Inst<'_>, ty: Type, first: usize) -> Result<Expr, Error> {
    let Some(name) = i.one_of(&COMPARISONS) else {
        return c.error(format!("'{}' needs a comparison, such as '.lt'", i.row.name));
    };
    let a = c.get(i.operand(first), ty)?;
    let b = c.get(i.operand(first + 1), ty)?;
    let (mut a, mut b) = (c.temp(a), c.temp(b));
    if ty == Type::F16 {
        let (x, y) = (super::convert::half_value(c, a), super::convert::half_value(c, b));
        (a, b) = (c.temp(x), c.temp(y));
    }
    if i.has("ftz") && ty == Type::F32 {
        (a, b) = (super::float::flushed(c, a), super::float::flushed(c, b));
    }
    if ty.is_float() {
        return of_floats(c, name, a, b);
    }
    let Some(op) = operator(name).filter(|_| !name.ends_with('u')) else {
        return c.error(format!("'.{name}' compares floats"));
    };
    if matches!(name, "lo" | "ls" | "hi" | "hs") && ty.is_signed() {
        return c.error(format!("'.{name}' compares unsigned numbers"));
    }
    Ok(c.compare(op, a, b))
}

fn of_floats(c: &Context<'_>, name: &str, a: Expr, b: Expr) -> Result<Expr, Error> {
    let unordered = |c: &Context<'_>| c.either(is_nan(c, &a), is_nan(c, &b));
    match name {
        "nan" => Ok(unordered(c)),
        "num" => Ok(c.not(unordered(c))),
        "neu" => Ok(c.compare(BinaryOp::Ne, a, b)),
        "ne" | "equ" => {
            let (less, more) = (
                c.compare(BinaryOp::Lt, a.clone(), b.clone()),
                c.compare(BinaryOp::Gt, a.clone(), b.clone()),
            );
            let differ = c.either(less, more);
            Ok(if name == "ne" { differ } else { c.not(differ) })
        }
        "lo" | "ls" | "hi" | "hs" => c.error(format!("'.{name}' compares integers")),
        _ => match operator(name) {
            Some(op) if name.ends_with('u') => Ok(c.not(c.compare(opposite(op), a, b))),
            Some(op) => Ok(c.compare(op, a, b)),
            None => c.error(format!("'.{name}' is no comparison")),
        },
    }
}

/// The result of a comparison, joined with a predicate by `.and`, `.or`, `.xor`.
fn joined(
    c: &mut Context<'_>,
    i: &Inst<'_>,
    truth: Expr,
    predicate: &statement::Operand,
) -> Result<Expr, Error> {
    let op = match i.one_of(&["and", "or", "xor"]) {
        Some("and") => BinaryOp::BitAnd,
        Some("or") => BinaryOp::BitOr,
        Some(_) => BinaryOp::BitXor,
        None => return Ok(truth),
    };
    let other = c.get(predicate, Type::Pred)?;
    Ok(bits::join_predicates(c, op, truth, other))
}

/// A third source goes with a way to join it.
fn check_join(c: &Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let joins = i.one_of(&["and", "or", "xor"]).is_some();
    if joins == (i.operands.len() == 4) {
        return Ok(());
    }
    c.error(format!("'{}' takes a third source with '.and', '.or' or '.xor'", i.row.name))
}

/// `setp`: a predicate, and one of the opposite.
pub(super) fn setp(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    check_join(c, i)?;
    let truth = compared(c, i, i.ty(), 1)?;
    let truth = c.temp(truth);
    let (p, q) = match i.operand(0) {
        statement::Operand::Pair(p, q) => (&**p, Some(&**q)),
        one => (one, None),
    };
    let first = joined(c, i, truth.clone(), i.operand(3))?;
    let first = c.temp(first);
    let second = match q {
        Some(_) => {
            let second = joined(c, i, c.not(truth), i.operand(3))?;
            Some(c.temp(second))
        }
        None => None,
    };
    c.put(p, Type::Pred, first)?;
    match (q, second) {
        (Some(q), Some(second)) => c.put(q, Type::Pred, second),
        _ => Ok(()),
    }
}

/// `set`: all ones or 1.0 where the comparison holds, else 0.
pub(super) fn set(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    check_join(c, i)?;
    let &[to, from] = i.types.as_slice() else { return Ok(()) };
    let truth = compared(c, i, from, 1)?;
    let truth = joined(c, i, truth, i.operand(3))?;
    let value = match to {
        Type::F32 => c.select(truth, c.float(1.0, Scalar::Float), c.float(0.0, Scalar::Float)),
        _ => c.select(truth, c.int(-1, scalar(to)), c.int(0, scalar(to))),
    };
    c.put(i.operand(0), to, value)
}

/// `selp`: a where the predicate holds, else b.
pub(super) fn selp(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let a = c.get(i.operand(1), i.ty())?;
    let b = c.get(i.operand(2), i.ty())?;
    let p = c.get(i.operand(3), Type::Pred)?;
    let value = c.select(p, a, b);
    c.put(i.operand(0), i.ty(), value)
}

/// `slct`: a where c is not negative, else b; b where c is a NaN.
pub(super) fn slct(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let &[ty, by] = i.types.as_slice() else { return Ok(()) };
    let a = c.get(i.operand(1), ty)?;
    let b = c.get(i.operand(2), ty)?;
    let mut sign = c.get(i.operand(3), by)?;
    if i.has("ftz") && by == Type::F32 {
        sign = super::float::flushed(c, sign);
    }
    let zero = match by {
        Type::F32 => c.float(0.0, Scalar::Float),
        _ => c.int(0, Scalar::Int),
    };
    let chosen = c.compare(BinaryOp::Ge, sign, zero);
    let value = c.select(chosen, a, b);
    c.put(i.operand(0), ty, value)
}

/// `testp`: whether a number is of a class.
pub(super) fn testp(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    let a = c.get(i.operand(1), ty)?;
    let whole = Scalar::unsigned_of_size(ty.bits() / 8);
    let digits = c.bitcast(a, whole);
    let (infinity, smallest) = match ty {
        Type::F64 => (0x7ff0_0000_0000_0000i64, 0x0010_0000_0000_0000i64),
        _ => (0x7f80_0000, 0x0080_0000),
    };
    let magnitude = c.and(digits, c.int(if ty == Type::F64 { i64::MAX } else { 0x7fff_ffff }, whole));
    let magnitude = c.temp(magnitude);
    let against = |c: &Context<'_>, op: BinaryOp, n: i64| c.compare(op, magnitude.clone(), c.int(n, whole));
    let value = match i.one_of(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"]) {
        Some("finite") => against(c, BinaryOp::Lt, infinity),
        Some("infinite") => against(c, BinaryOp::Eq, infinity),
        Some("number") => against(c, BinaryOp::Le, infinity),
        Some("notanumber") => against(c, BinaryOp::Gt, infinity),
        Some("normal") => c.both(against(c, BinaryOp::Ge, smallest), against(c, BinaryOp::Lt, infinity)),
        // Zero counts as normal for NVIDIA's table of classes only in its hardware; the manual's subnormal has digits.
        Some(_) => c.both(against(c, BinaryOp::Gt, 0), against(c, BinaryOp::Lt, smallest)),
        None => return c.error("'testp' needs a class, such as '.finite'"),
    };
    c.put(i.operand(0), Type::Pred, value)
}
