//! Overflow-check rewriting: tests of whether a product or sum overflows ask for the high half, because NVIDIA's compiler (580) fails on the usual
//! form.
//!
//! ```text
//! (ulong)a * b > 0xffffffff    →    mul_hi(a, b) != 0
//! ```
//!
//! LLVM makes umul.with.overflow of a test whether the 64-bit product of two 32-bit numbers fits in 32 bits. NVIDIA's driver (580, on an H200)
//! then says "NVVM compilation failed". The test asks for the product's high half instead, which is one instruction everywhere.
//!
//! A driver with `wrong_int64_overflow_checks` gets 64-bit sums wrong that it finds compared with their addends. The test whether such a sum wrapped is made
//! of the operands' bits there.

use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, IntCC, Scalar, Type, UnaryOp, Value};
use crate::transform::rewriter::Rewriter;

const I64: Type = Type::Scalar(Scalar::I64);
const LOW: u64 = 0xffff_ffff;

/// Rewrites a comparison that asks whether a product fits in 32 bits: whether its high half is 0.
pub(super) fn rewrite_product(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let (cc, a, b) = product(rw.f, &rw.f.insts[inst].kind)?;
    let high = rw.binary(BinaryOp::UMulHi, a, b);
    let zero = rw.iconst(Type::I32, 0);
    Some(InstKind::ICmp(cc, high, zero))
}

/// Rewrites a comparison that asks whether a 64-bit sum wrapped: the sign of its bits says so.
pub(super) fn rewrite_sum(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let (cc, [a, b], sum) = wrapped(rw.f, &rw.f.insts[inst].kind)?;
    let not = rw.inst(InstKind::Unary(UnaryOp::Not, sum), rw.f.ty(sum));
    let signs = most_signs(rw, [a, b, not]);
    let zero = rw.iconst(rw.f.ty(signs), 0);
    Some(InstKind::ICmp(cc, signs, zero))
}

/// The factors of a product of which an instruction tells whether it fits (Eq) or not (Ne).
fn product(f: &Function, kind: &InstKind) -> Option<(IntCC, Value, Value)> {
    let InstKind::ICmp(cc, x, y) = *kind else { return None };
    let (product, cc) = match (cc, f.const_bits(y)) {
        (IntCC::Ugt, Some(LOW)) => (x, IntCC::Ne),
        (IntCC::Ule, Some(LOW)) => (x, IntCC::Eq),
        (IntCC::Uge, Some(k)) if k == LOW + 1 => (x, IntCC::Ne),
        (IntCC::Ult, Some(k)) if k == LOW + 1 => (x, IntCC::Eq),
        (IntCC::Eq | IntCC::Ne, Some(0)) => (high_half(f, x)?, cc),
        (IntCC::Eq | IntCC::Ne, None) if low_half(f, y) == Some(x) => (x, cc),
        (IntCC::Eq | IntCC::Ne, None) if low_half(f, x) == Some(y) => (y, cc),
        _ => return None,
    };
    let InstKind::Binary(BinaryOp::IMul, a, b) = f.def_inst(product)?.kind else { return None };
    Some((cc, small(f, a)?, small(f, b)?)).filter(|_| f.ty(product) == I64)
}

/// The addends and the 64-bit sum of which an instruction tells whether it is less than one of its addends.
fn wrapped(f: &Function, kind: &InstKind) -> Option<(IntCC, [Value; 2], Value)> {
    let (cc, sum, addend) = match *kind {
        InstKind::ICmp(IntCC::Ult, a, b) => (IntCC::Slt, a, b),
        InstKind::ICmp(IntCC::Ugt, a, b) => (IntCC::Slt, b, a),
        InstKind::ICmp(IntCC::Uge, a, b) => (IntCC::Sge, a, b),
        InstKind::ICmp(IntCC::Ule, a, b) => (IntCC::Sge, b, a),
        _ => return None,
    };
    let InstKind::Binary(BinaryOp::IAdd, a, b) = f.def_inst(sum)?.kind else { return None };
    let is_sum = f.ty(sum).scalar() == Some(Scalar::I64) && (a == addend || b == addend);
    is_sum.then_some((cc, [a, b], sum))
}

/// Words that have the sign which most of three 64-bit numbers have (lane by lane): no comparison that a driver could take for one of
/// sums that wrap ([`Quirks::wrong_int64_overflow_checks`](crate::Quirks::wrong_int64_overflow_checks)).
pub(crate) fn most_signs(rw: &mut Rewriter<'_>, numbers: [Value; 3]) -> Value {
    let [a, b, c] = numbers.map(|wide| {
        let words = rw.f.ty(wide).with_scalar(Scalar::I32);
        let high = rw.binary_const(BinaryOp::LShr, wide, 32);
        rw.convert(ConvertOp::Trunc, high, words)
    });
    let both = rw.binary(BinaryOp::And, a, b);
    let either = rw.binary(BinaryOp::Or, a, b);
    let with_c = rw.binary(BinaryOp::And, either, c);
    rw.binary(BinaryOp::Or, both, with_c)
}

/// The value whose high half a value is, as 32 or 64 bits.
fn high_half(f: &Function, value: Value) -> Option<Value> {
    match f.def_inst(value)?.kind {
        InstKind::Binary(BinaryOp::LShr, x, by) if f.const_bits(by) == Some(32) && f.ty(x) == I64 => Some(x),
        InstKind::Convert { op: ConvertOp::Trunc, value, saturate: false, .. } => {
            high_half(f, value).filter(|_| f.ty(value) == I64)
        }
        _ => None,
    }
}

/// The value whose low half a 64-bit value is.
fn low_half(f: &Function, value: Value) -> Option<Value> {
    match f.def_inst(value)?.kind {
        InstKind::Binary(BinaryOp::And, x, mask) if f.const_bits(mask) == Some(LOW) => Some(x),
        InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, .. } if f.ty(value) == Type::I32 => {
            match f.def_inst(value)?.kind {
                InstKind::Convert { op: ConvertOp::Trunc, value, saturate: false, .. } => Some(value),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The 32 bits that a factor is extended from.
fn small(f: &Function, value: Value) -> Option<Value> {
    match f.def_inst(value)?.kind {
        InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, .. } if f.ty(value) == Type::I32 => {
            Some(value)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Module, interp, text};
    use crate::passes::workaround::workaround_rules::apply_each;

    #[test]
    fn the_high_half_is_asked() {
        for (ask, there) in [
            ("  v7: bool = icmp.ugt v4, i64:4294967295\n", true),
            ("  v7: bool = icmp.ult v4, i64:4294967296\n", true),
            ("  v5: i64 = lshr v4, i64:32\n  v7: bool = icmp.ne v5, i64:0\n", true),
            (
                "  v5: i64 = lshr v4, i64:32\n  v6: i32 = convert.trunc v5\n  v7: bool = icmp.eq v6, i32:0\n",
                true,
            ),
            ("  v5: i64 = and v4, i64:4294967295\n  v7: bool = icmp.eq v4, v5\n", true),
            (
                "  v5: i32 = convert.trunc v4\n  v6: i64 = convert.zext v5\n  v7: bool = icmp.ne v6, v4\n",
                true,
            ),
            ("  v5: i64 = lshr v4, i64:31\n  v7: bool = icmp.ne v5, i64:0\n", false),
            ("  v7: bool = icmp.ugt v4, i64:4294967294\n", false),
        ] {
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns (bool)\nb0(v0: i32, v1: i32):\n  v2: i64 = convert.zext v0\n  \
                 v3: i64 = convert.zext v1\n  v4: i64 = imul v2, v3\n{ask}  return(v7)\n"
            );
            let before = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            let mut after = before.clone();
            apply_each(&mut after, rewrite_product);
            crate::ir::verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
            assert_eq!(after.to_string().contains("umulhi"), there, "{after}");
            for (a, b) in [(0, 5), (0xffff, 0x1_0001), (0x1_0000, 0x1_0000), (LOW, 1), (LOW, 2), (LOW, LOW)] {
                let run = |m: &Module| {
                    let function = m.functions.values().next().expect("one");
                    interp::run(function, &[vec![Some(a)], vec![Some(b)]], 0, 10).end
                };
                assert_eq!(run(&before), run(&after), "{a} {b}\n{after}");
            }
        }
    }

    #[test]
    fn the_bits_say_whether_a_sum_wrapped() {
        for (ask, there) in [
            ("icmp.ult v2, v0", true),
            ("icmp.ugt v1, v2", true),
            ("icmp.uge v2, v1", true),
            ("icmp.ule v0, v2", true),
            ("icmp.ugt v2, v0", false),
            ("icmp.slt v2, v0", false),
            ("icmp.ult v1, v0", false),
        ] {
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns (bool)\nb0(v0: i64, v1: i64):\n  v2: i64 = iadd v0, v1\n  \
                 v3: bool = {ask}\n  return(v3)\n"
            );
            let before = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            let mut after = before.clone();
            apply_each(&mut after, rewrite_sum);
            crate::ir::verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
            assert_eq!(after.to_string().contains("not v2"), there, "{after}");
            let numbers = [0, 1, LOW, LOW + 1, 1 << 63, (1 << 63) - 1, u64::MAX - 1, u64::MAX];
            for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
                let run = |m: &Module| {
                    let function = m.functions.values().next().expect("one");
                    interp::run(function, &[vec![Some(a)], vec![Some(b)]], 0, 10).end
                };
                assert_eq!(run(&before), run(&after), "{a} {b}\n{after}");
            }
        }
    }
}
