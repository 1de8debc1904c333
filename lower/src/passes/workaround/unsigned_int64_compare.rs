//! Comparisons of signed 64-bit integers as unsigned ones, because Mesa (22.3) narrows them wrongly.
//!
//! Where a driver compares signed 64-bit integers wrongly, they are compared as unsigned ones.
//!
//! Mesa's compiler (22.3) makes of `(long)x < b`, where `x` is an `int` and it finds `b` to be a constant, a comparison of 32 bits and
//! checks that `b` is within them, and takes -2³¹ for +2³¹ there: `0 < (long)x` is always true then, `(long)x < 1` never. What it
//! finds depends on its own passes (constants that come out of loops and memory, halves put together), so every such comparison is
//! written as `a + 2⁶³ <u b + 2⁶³`, which it leaves alone, and of which LLVM makes a signed one again.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Function, Inst, InstKind, IntCC, Module, Scalar, Value};
use crate::transform::rewriter::replace_each;

/// Rewrites the comparisons of every function, for the drivers that need it.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    module.functions.values_mut().for_each(compare_unsigned);
    Ok(())
}

fn compare_unsigned(function: &mut Function) {
    replace_each(function, comparison, |rw, _, (cc, a, b)| {
        let least = rw.iconst(rw.f.ty(a), 1 << 63);
        let [a, b] = [a, b].map(|v| rw.add(v, least));
        InstKind::ICmp(cc, a, b)
    });
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
