//! Partial unrolling: loops with a known, large trip count run several iterations for one test.
//!
//! ```text
//! for (i = 0; i < 1024; i++) body(i);    →    for (i = 0; i < 1024; i += 4) { body(i); … body(i + 3); }
//! ```
//!
//! It serves drivers that unroll only the loops with the Unroll control (NVIDIA's). With the control NVIDIA's driver copies all iterations:
//! 16,384 iterations of an n-body step took 4.5 times as long as the rolled loop, and five seconds to compile. Without it the driver makes no
//! copies, and each iteration waits for its loads. The factor divides the trip count, so that the first copy's test stands for all.
//!
//! Only loops with branches around memory accesses are unrolled: an n-body step that loads what it needs where `i != j` took 0.84 of the time.
//! The driver moves the loads of other loops by itself. A factor of four took 0.97 to 1.26 of the time in tinygrad's reductions, and 1.18 in an
//! n-body step that always loads.

use super::clone_iterations;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, LoopData};
use crate::ir::{
    BinaryOp, Block, BranchTarget, Function, InstKind, IntCC, Module, Terminator, Type, Value, ValueDef, fold,
};
use rustc_hash::FxHashSet;

/// Limit on the instructions of the unrolled body.
const MAX_INSTRUCTIONS: usize = 400;
/// Loops of fewer iterations are left to the driver; small ones get a hint (`unroll_hints`).
const MIN_ITERATIONS: u64 = 257;
/// The factors, the best first.
const FACTORS: [u64; 4] = [4, 5, 3, 2];

/// Unrolls the loops of every function by a factor.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    super::change_loops(module, unroll_loops);
    Ok(())
}

/// Unrolls the loops of a function by a factor, and returns whether there were any.
pub fn unroll_loops(function: &mut Function) -> bool {
    if function.layout.len() < 3 {
        return false;
    }
    let Some((cfg, loops)) = function.loops() else { return false };
    let outer: FxHashSet<usize> = loops.loops.iter().filter_map(|data| data.parent).collect();
    let wanted: Vec<(LoopData, usize)> = (0..loops.loops.len())
        .filter(|n| !outer.contains(n))
        .filter_map(|n| Some((loops.loops[n].clone(), factor(function, &cfg, &loops.loops[n])?)))
        .collect();
    for (data, factor) in &wanted {
        clone_iterations::by_divisor(function, data, *factor);
    }
    if !wanted.is_empty() {
        function.simplified = false;
    }
    !wanted.is_empty()
}

/// The factor to unroll a loop by, if any.
fn factor(function: &Function, cfg: &Cfg, data: &LoopData) -> Option<usize> {
    if function.blocks[data.header].loop_control != 0 || data.blocks.len() < 3 {
        return None;
    }
    let mut insts = data.blocks.iter().flat_map(|b| &function.blocks[*b].insts);
    let size = data.blocks.iter().map(|b| function.blocks[*b].insts.len() + 1).sum::<usize>();
    if 2 * size > MAX_INSTRUCTIONS || insts.any(|i| function.insts[*i].kind.effects(function).convergent) {
        return None;
    }
    let [latch] = data.latches[..] else { return None };
    let accesses =
        |b: &Block| function.blocks[*b].insts.iter().any(|i| function.insts[*i].kind.place().is_some());
    if !data.blocks.iter().any(|b| !cfg.dominates(*b, latch) && accesses(b)) {
        return None;
    }
    let trip_count = trip_count(function, cfg, data).filter(|n| *n >= MIN_ITERATIONS)?;
    let fits = |n: &u64| trip_count.is_multiple_of(*n) && size * *n as usize <= MAX_INSTRUCTIONS;
    FACTORS.into_iter().find(fits).map(|n| n as usize)
}

/// The trip count of a loop whose only exit, the header's test, compares a counter with a constant.
fn trip_count(function: &Function, cfg: &Cfg, data: &LoopData) -> Option<u64> {
    let [latch] = data.latches[..] else { return None };
    let inside = |t: &BranchTarget| data.blocks.contains(&t.block);
    let leaves = |b: &&Block| function.blocks[**b].term.targets().iter().any(|t| !inside(t));
    if data.blocks.iter().filter(leaves).any(|b| *b != data.header)
        || data.blocks.iter().any(|b| function.blocks[*b].term.targets().is_empty())
    {
        return None;
    }
    let Terminator::CondBranch { cond, then, els } = &function.blocks[data.header].term else { return None };
    if inside(then) == inside(els) {
        return None;
    }
    let InstKind::ICmp(cc, a, b) = function.def_inst(*cond)?.kind else { return None };
    let cc = if inside(then) { cc } else { fold::not_icmp(cc) };
    let (cc, counter, end) = match (function.const_bits(a), function.const_bits(b)) {
        (None, Some(end)) => (cc, a, end),
        (Some(end), None) => (fold::swap_icmp(cc), b, end),
        _ => return None,
    };
    let ValueDef::Param(block, n) = function.values[counter].def else { return None };
    let Type::Scalar(scalar) = function.ty(counter) else { return None };
    if block != data.header {
        return None;
    }
    let argument = |of: Block| {
        let targets = function.blocks[of].term.targets();
        let mut args = targets.iter().filter(|t| t.block == block).map(|t| t.args[usize::from(n)]);
        args.next().filter(|first| args.all(|a| a == *first))
    };
    let step = step(function, counter, argument(latch)?)?;
    let mut before = cfg.preds(block).iter().copied().filter(|b| *b != latch);
    let start = function.const_bits(argument(before.next()?)?)?;
    if before.any(|b| argument(b).and_then(|a| function.const_bits(a)) != Some(start)) {
        return None;
    }
    count(cc, scalar.bits(), start, end, step)
}

/// The step of a counter.
fn step(function: &Function, counter: Value, next: Value) -> Option<i64> {
    match function.def_inst(next)?.kind {
        InstKind::Binary(BinaryOp::IAdd, a, b) if a == counter => function.const_signed(b),
        InstKind::Binary(BinaryOp::IAdd, a, b) if b == counter => function.const_signed(a),
        InstKind::Binary(BinaryOp::ISub, a, b) if a == counter => function.const_signed(b)?.checked_neg(),
        _ => None,
    }
}

/// The number of steps from `start` for which the comparison with `end` holds, if none wraps.
fn count(cc: IntCC, bits: u32, start: u64, end: u64, step: i64) -> Option<u64> {
    let signed = matches!(cc, IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge);
    let (least, most) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let number = |n: u64| {
        let n = i128::from(n) & ((1i128 << bits) - 1);
        if n > most { n - (1i128 << bits) } else { n }
    };
    let (start, end, step) = (number(start), number(end), i128::from(step));
    // The first number that ends the loop is this bound, or the first one beyond it.
    let (up, bound) = match cc {
        IntCC::Slt | IntCC::Ult => (true, end),
        IntCC::Sle | IntCC::Ule => (true, end + 1),
        IntCC::Sgt | IntCC::Ugt => (false, end),
        IntCC::Sge | IntCC::Uge => (false, end - 1),
        IntCC::Ne if (end - start).checked_rem(step) == Some(0) => (step > 0, end),
        _ => return None,
    };
    let distance = if up { bound - start } else { start - bound };
    if step == 0 || up != (step > 0) || distance <= 0 {
        return None;
    }
    let steps = (distance + step.abs() - 1) / step.abs();
    let last = start + steps * step;
    (least..=most).contains(&last).then(|| u64::try_from(steps).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::interp::{self, region};
    use crate::ir::{text, verify};

    /// The number of products in an unrolled loop with this test, start and step of a counter. Checks that it computes the same.
    fn products(test: &str, start: &str, step: &str, control: u32) -> usize {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: ptr.global, v1: i32):\n  br b1(i32:{start}, v1)\nb1(v2: i32, v3: i32):\n  \
             v4: bool = icmp.{test}\n  loopcontrol {control}\n  condbr v4, b2(), b5()\nb2():\n  v5: bool = icmp.ult v3, i32:77\n  \
             condbr v5, b3(), b4(v2)\nb3():\n  store [v0], v3, align=4\n  v6: i32 = imul v3, i32:3\n  br b4(v6)\nb4(v7: i32):\n  v8: i32 = xor v7, v2\n  \
             v9: i32 = iadd v2, i32:{step}\n  br b1(v9, v8)\nb5():\n  v10: i32 = iadd v3, v2\n  return(v10)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let function = module.functions.values_mut().next().expect("a function");
        let args = [vec![Some(region(0))], vec![Some(3)]];
        let before = interp::run(function, &args, 1, 100_000);
        let done = unroll_loops(function);
        let after = interp::run(function, &args, 1, 100_000);
        assert!(before.allows(&after), "{:?} {:?}\n{module}", before.end, after.end);
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let count = module.to_string().matches("imul").count();
        assert_eq!(done, count > 1);
        count
    }

    #[test]
    fn the_factor_divides_the_trip_count() {
        assert_eq!(products("ult v2, i32:1024", "0", "1", 0), 4);
        assert_eq!(products("sle v2, i32:1023", "0", "1", 0), 4);
        assert_eq!(products("ne v2, i32:0", "2000", "-2", 0), 4);
        assert_eq!(products("slt i32:-1000, v2", "5", "-1", 0), 5);
        assert_eq!(products("ult v2, i32:1000", "0", "3", 0), 2);
        assert_eq!(products("ult v2, i32:999", "0", "3", 0), 3);
        // A prime trip count, a small one, one from an argument, and a loop that the source forbids to unroll.
        assert_eq!(products("ult v2, i32:1009", "0", "1", 0), 1);
        assert_eq!(products("ult v2, i32:256", "0", "1", 0), 1);
        assert_eq!(products("ult v2, v1", "0", "1", 0), 1);
        assert_eq!(products("ult v2, i32:1024", "0", "1", 2), 1);
    }

    #[test]
    fn counters_that_wrap_are_left() {
        assert_eq!(count(IntCC::Ult, 32, 0, 1000, 4), Some(250));
        assert_eq!(count(IntCC::Ule, 32, 0, u32::MAX.into(), 1), None);
        assert_eq!(count(IntCC::Ult, 32, 0, u64::from(u32::MAX), 2), None);
        assert_eq!(count(IntCC::Slt, 32, 0xffff_fff0, 16, 1), Some(32));
        assert_eq!(count(IntCC::Sge, 32, 16, 0, -1), Some(17));
        assert_eq!(count(IntCC::Uge, 32, 16, 0, -1), None);
        assert_eq!(count(IntCC::Ne, 32, 0, 10, 3), None);
        assert_eq!(count(IntCC::Ne, 32, 0, 9, 3), Some(3));
        assert_eq!(count(IntCC::Slt, 32, 5, 5, 1), None);
        assert_eq!(count(IntCC::Slt, 32, 0, 5, -1), None);
        assert_eq!(count(IntCC::Ult, 64, 0, 1 << 40, 1 << 20), Some(1 << 20));
    }
}
