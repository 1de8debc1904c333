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

use crate::ir::{BinaryOp, ConvertOp, Inst, InstKind, Scalar, Value};
use crate::rewrite::{pass, table};
use crate::transform::rewriter::Rewriter;

/// Rewrites a comparison that asks whether a product fits in 32 bits: whether its high half is 0.
pub(super) fn rewrite_product(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    pass::kind(rw, inst, &table::OVERFLOW_OF_PRODUCTS)
}

/// Rewrites a comparison that asks whether a 64-bit sum wrapped: the sign of its bits says so.
pub(super) fn rewrite_sum(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    pass::kind(rw, inst, &table::OVERFLOW_OF_SUMS)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Module, interp, text};
    use crate::passes::workaround::workaround_rules::apply_each;

    const LOW: u64 = 0xffff_ffff;

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
            // The low half of the high half is another question.
            (
                "  v5: i64 = lshr v4, i64:32\n  v6: i16 = convert.trunc v5\n  v7: bool = icmp.eq v6, i16:0\n",
                false,
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
            for (a, b) in [
                (0, 5),
                (0xffff, 0x1_0001),
                (0x1_0000, 0x1_0000),
                (1 << 24, 1 << 24),
                (LOW, 1),
                (LOW, 2),
                (LOW, LOW),
            ] {
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
