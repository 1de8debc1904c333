//! Comparisons of signed 64-bit integers as unsigned ones, because Mesa (22.3) narrows them wrongly.
//!
//! Mesa compares `(long)x < b` of an int `x` in 32 bits if it finds `b` to be a constant. It takes -2^31 for +2^31 in its check of the range: `0 <
//! (long)x` was always true, and `(long)x < 1` never. Its own passes find constants in loops, memory and joined halves, so every such comparison
//! is rewritten:
//!
//! ```text
//! a <s b   ->   (a ^ 2^63) <u (b ^ 2^63)
//! ```
//!
//! Mesa leaves that alone, and LLVM makes a signed comparison of it. A sum in place of the exclusive or could be the value of a counter after
//! its step, of which Mesa then computes a wrong trip count.

use crate::ir::{BinaryOp, Function, Inst, InstKind, IntCC, Scalar, Value};
use crate::transform::rewriter::Rewriter;

/// Rewrites a comparison in order of signed 64-bit integers.
pub(super) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let (cc, a, b) = comparison(rw.f, inst)?;
    let least = rw.iconst(rw.f.ty(a), 1 << 63);
    let [a, b] = [a, b].map(|v| rw.binary(BinaryOp::Xor, v, least));
    Some(InstKind::ICmp(cc, a, b))
}

/// A comparison in order of signed 64-bit integers: the same of unsigned ones, and the operands.
fn comparison(f: &Function, inst: Inst) -> Option<(IntCC, Value, Value)> {
    let InstKind::ICmp(cc, a, b) = f.insts[inst].kind else { return None };
    let unsigned = match cc {
        IntCC::Slt => IntCC::Ult,
        IntCC::Sle => IntCC::Ule,
        IntCC::Sgt => IntCC::Ugt,
        IntCC::Sge => IntCC::Uge,
        _ => return None,
    };
    (f.ty(a).scalar() == Some(Scalar::I64)).then_some((unsigned, a, b))
}
