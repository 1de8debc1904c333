//! Arithmetic of pairs of words.

use super::Pair;
use crate::ir::{BinaryOp, InstKind, IntCC, Scalar, UnaryOp, Value};
use crate::transform::rewriter::Rewriter;

/// A binary operation. `None` for those that other passes have replaced.
pub(super) fn binary(rw: &mut Rewriter<'_>, op: BinaryOp, a: Pair, b: Pair) -> Option<Pair> {
    use BinaryOp::*;
    Some(match op {
        IAdd => sum(rw, a, b),
        ISub => difference(rw, a, b),
        IMul => product(rw, a, b),
        And | Or | Xor => [0, 1].map(|n| rw.binary(op, a[n], b[n])),
        Shl | LShr | AShr => shift(rw, op, a, b[0]),
        UMin | UMax | SMin | SMax => {
            let cc = match op {
                UMin => IntCC::Ult,
                UMax => IntCC::Ugt,
                SMin => IntCC::Slt,
                _ => IntCC::Sgt,
            };
            let first = compare(rw, cc, a, b);
            select(rw, first, a, b)
        }
        _ => return None,
    })
}

/// A select of two pairs.
pub(super) fn select(rw: &mut Rewriter<'_>, cond: Value, a: Pair, b: Pair) -> Pair {
    [0, 1].map(|n| choice(rw, cond, a[n], b[n]))
}

fn choice(rw: &mut Rewriter<'_>, cond: Value, a: Value, b: Value) -> Value {
    if a == b {
        return a;
    }
    let ty = rw.f.ty(a);
    rw.inst(InstKind::Select(cond, a, b), ty)
}

/// 1 if a condition holds, else 0.
fn one_if(rw: &mut Rewriter<'_>, cond: Value) -> Value {
    let words = rw.f.ty(cond).with_scalar(Scalar::I32);
    let (one, zero) = (rw.iconst(words, 1), rw.iconst(words, 0));
    rw.inst(InstKind::Select(cond, one, zero), words)
}

fn is_zero(rw: &Rewriter<'_>, word: Value) -> bool {
    rw.f.const_bits(word) == Some(0)
}

fn less(rw: &mut Rewriter<'_>, a: Value, b: Value) -> Value {
    let ty = rw.f.ty(a);
    rw.inst(InstKind::Binary(BinaryOp::ISub, a, b), ty)
}

fn sum(rw: &mut Rewriter<'_>, a: Pair, b: Pair) -> Pair {
    let low = rw.add(a[0], b[0]);
    let high = rw.add(a[1], b[1]);
    if is_zero(rw, a[0]) || is_zero(rw, b[0]) {
        return [low, high];
    }
    // A sum that wrapped is below either term.
    let wrapped = rw.icmp(IntCC::Ult, low, a[0]);
    let carry = one_if(rw, wrapped);
    [low, rw.add(high, carry)]
}

fn difference(rw: &mut Rewriter<'_>, a: Pair, b: Pair) -> Pair {
    if is_zero(rw, b[0]) {
        return [a[0], less(rw, a[1], b[1])];
    }
    let low = less(rw, a[0], b[0]);
    let high = less(rw, a[1], b[1]);
    let wraps = rw.icmp(IntCC::Ult, a[0], b[0]);
    let borrow = one_if(rw, wraps);
    [low, less(rw, high, borrow)]
}

/// 0 − a.
pub(super) fn negated(rw: &mut Rewriter<'_>, a: Pair) -> Pair {
    let zero = rw.iconst(rw.f.ty(a[0]), 0);
    difference(rw, [zero; 2], a)
}

fn product(rw: &mut Rewriter<'_>, a: Pair, b: Pair) -> Pair {
    let low = rw.binary(BinaryOp::IMul, a[0], b[0]);
    let mut high = rw.binary(BinaryOp::UMulHi, a[0], b[0]);
    for (x, y) in [(a[0], b[1]), (a[1], b[0])] {
        if !is_zero(rw, x) && !is_zero(rw, y) {
            let cross = rw.binary(BinaryOp::IMul, x, y);
            high = rw.add(high, cross);
        }
    }
    [low, high]
}

/// A shift by a number below 64.
fn shift(rw: &mut Rewriter<'_>, op: BinaryOp, a: Pair, by: Value) -> Pair {
    // The shift moves bits out of the word `from` and into the word `into`.
    let [from, into] = if op == BinaryOp::Shl { a } else { [a[1], a[0]] };
    let order = |from: Value, into: Value| if op == BinaryOp::Shl { [from, into] } else { [into, from] };
    let back = if op == BinaryOp::Shl { BinaryOp::LShr } else { BinaryOp::Shl };
    let forth = if op == BinaryOp::Shl { BinaryOp::Shl } else { BinaryOp::LShr };
    let left = |rw: &mut Rewriter<'_>| match op {
        BinaryOp::AShr => rw.binary_const(BinaryOp::AShr, from, 31),
        _ => rw.iconst(rw.f.ty(from), 0),
    };
    match rw.f.const_bits(by) {
        Some(0) => return a,
        Some(by @ 1..32) => {
            let over = rw.binary_const(back, from, 32 - by);
            let stays = rw.binary_const(forth, into, by);
            let into = rw.binary(BinaryOp::Or, stays, over);
            return order(rw.binary_const(op, from, by), into);
        }
        Some(by @ 32..64) => {
            let into = if by == 32 { from } else { rw.binary_const(op, from, by - 32) };
            return order(left(rw), into);
        }
        // A shift beyond the width may give any value.
        Some(_) => return a,
        None => {}
    }
    let within = rw.binary_const(BinaryOp::And, by, 31);
    // The shift has two steps, because a shift by 32 is undefined.
    let once = rw.binary_const(back, from, 1);
    let rest = rw.binary_const(BinaryOp::Xor, within, 31);
    let over = rw.binary(back, once, rest);
    let stays = rw.binary(forth, into, within);
    let near = rw.binary(BinaryOp::Or, stays, over);
    let shifted = rw.binary(op, from, within);
    let beyond = rw.binary_const(BinaryOp::And, by, 32);
    let zero = rw.iconst(rw.f.ty(by), 0);
    let far = rw.icmp(IntCC::Ne, beyond, zero);
    let left = left(rw);
    let from = choice(rw, far, left, shifted);
    order(from, choice(rw, far, shifted, near))
}

/// A comparison.
pub(super) fn compare(rw: &mut Rewriter<'_>, cc: IntCC, a: Pair, b: Pair) -> Value {
    use IntCC::*;
    let truth = rw.f.ty(a[0]).with_scalar(Scalar::Bool);
    if matches!(cc, Eq | Ne) {
        let [low, high] = [0, 1].map(|n| match (is_zero(rw, a[n]), is_zero(rw, b[n])) {
            (true, _) => b[n],
            (_, true) => a[n],
            _ => rw.binary(BinaryOp::Xor, a[n], b[n]),
        });
        let either = rw.binary(BinaryOp::Or, low, high);
        let zero = rw.iconst(rw.f.ty(either), 0);
        return rw.icmp(cc, either, zero);
    }
    // The high words decide if they differ, else the low ones, which are unsigned.
    let (by_high, by_low) = match cc {
        Ult => (Ult, Ult),
        Ule => (Ult, Ule),
        Ugt => (Ugt, Ugt),
        Uge => (Ugt, Uge),
        Slt => (Slt, Ult),
        Sle => (Slt, Ule),
        Sgt => (Sgt, Ugt),
        _ => (Sgt, Uge),
    };
    let high = rw.icmp(by_high, a[1], b[1]);
    let same = rw.icmp(Eq, a[1], b[1]);
    let low = rw.icmp(by_low, a[0], b[0]);
    let low = rw.inst(InstKind::Binary(BinaryOp::And, same, low), truth);
    rw.inst(InstKind::Binary(BinaryOp::Or, high, low), truth)
}

/// Returns whether a value is negative.
pub(super) fn is_negative(rw: &mut Rewriter<'_>, high: Value) -> Value {
    let zero = rw.iconst(rw.f.ty(high), 0);
    rw.icmp(IntCC::Slt, high, zero)
}

/// A value without its sign, and whether it has one.
pub(super) fn magnitude(rw: &mut Rewriter<'_>, a: Pair) -> (Pair, Value) {
    let negative = is_negative(rw, a[1]);
    let minus = negated(rw, a);
    (select(rw, negative, minus, a), negative)
}

/// The number of leading zeros of a word: 32 for zero.
pub(super) fn leading_zeros(rw: &mut Rewriter<'_>, word: Value) -> Value {
    /// GLSL.std.450 FindUMsb: the index of the highest bit, −1 for none.
    const FIND_UMSB: u32 = 75;
    let ty = rw.f.ty(word);
    let highest = rw.inst(InstKind::Glsl { number: FIND_UMSB, args: [word].into_iter().collect() }, ty);
    let last = rw.iconst(ty, 31);
    less(rw, last, highest)
}

/// A float, negated if a condition holds.
pub(super) fn signed_by(rw: &mut Rewriter<'_>, negative: Value, float: Value) -> Value {
    let ty = rw.f.ty(float);
    let minus = rw.inst(InstKind::Unary(UnaryOp::FNeg, float), ty);
    rw.inst(InstKind::Select(negative, minus, float), ty)
}
