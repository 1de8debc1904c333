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

use super::unroll_innermost;
use crate::analysis::loops::Test;
use crate::analysis::trip_count::closed_form;
use crate::ir::cfg::{Cfg, LoopData};
use crate::ir::{Block, Function};
use crate::transform::loops::{self, Unroll};

/// Limit on the instructions of the unrolled body.
const MAX_INSTRUCTIONS: usize = 400;
/// Loops of fewer iterations are left to the driver; small ones get a hint (`unroll_hints`).
const MIN_ITERATIONS: u64 = 257;
/// The factors, the best first.
const FACTORS: [u64; 4] = [4, 5, 3, 2];

/// Unrolls the loops of a function by a factor, and returns whether there were any.
pub fn unroll_loops(function: &mut Function) -> bool {
    unroll_innermost(function, MAX_INSTRUCTIONS / 2, |function, cfg, forest, index| {
        factor(function, cfg, &forest.loops[index]).map(Unroll::Divisor)
    })
}

/// The factor to unroll a loop by, if any. The header's test must be the only exit.
fn factor(function: &Function, cfg: &Cfg, data: &LoopData) -> Option<usize> {
    if function.blocks[data.header].loop_control != 0 || data.blocks.len() < 3 {
        return None;
    }
    let size = loops::size(function, data);
    let [latch] = data.latches[..] else { return None };
    let accesses =
        |b: &Block| function.blocks[*b].insts.iter().any(|i| function.insts[*i].kind.place().is_some());
    let inside = |block: Block| data.blocks.contains(&block);
    let stays = |block: &Block| {
        let mut targets = function.blocks[*block].term.targets();
        !targets.is_empty() && targets.all(|target| inside(target.block))
    };
    if !data.blocks.iter().any(|b| !cfg.dominates(*b, latch) && accesses(b))
        || !data.blocks.iter().all(|block| *block == data.header || stays(block))
    {
        return None;
    }
    let test = Test::of_block(function, data.header, inside)?;
    let trip_count = closed_form(function, cfg, data, &test).filter(|n| *n >= MIN_ITERATIONS)?;
    let fits = |n: &u64| trip_count.is_multiple_of(*n) && size * *n as usize <= MAX_INSTRUCTIONS;
    FACTORS.into_iter().find(fits).map(|n| n as usize)
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
}
