//! Loop-control hints: small loops get the Unroll control for drivers that unroll only loops with a hint.
//!
//! ```text
//! for (i = 0; i < 16; i++) y = y * x + c[i];          OpLoopMerge … None   →   OpLoopMerge … Unroll
//! ```
//!
//! NVIDIA's driver (580) is one. Without the hint the loops of a polynomial of 16 terms took 1.3 times as long, an FFT and a matrix product 1.08 to
//! 1.1. A loop over planes, with a trip count from the launch, took 1.03 times as long.
//!
//! A loop gets the hint if its unrolled code stays small. That is its code, with inner loops unrolled, times its trip count. For an unknown trip
//! count it is the few copies that drivers make of such loops. A loop that exceeds the counter's limit has at least that many
//! iterations: with the hint the driver may make thousands of copies (tinygrad's softmax, 1024 iterations of 260 instructions).

use crate::analysis::trip_count::TripCounts;
use crate::ir::{Block, Function};
use crate::transform::loops::UNROLL;

/// Limit on the instructions of an unrolled loop.
const MAX_INSTRUCTIONS: u64 = 4096;
/// The number of copies that drivers make of a loop with an unknown trip count.
const COPIES: u64 = 4;

/// Marks the loops of one function.
pub fn mark(function: &mut Function) {
    for header in small_loops(function) {
        // A control of the source stays.
        if function.blocks[header].loop_control == 0 {
            function.blocks[header].loop_control = UNROLL;
        }
    }
}

/// The headers of the loops that stay small when they are unrolled.
fn small_loops(function: &mut Function) -> Vec<Block> {
    if function.layout.len() < 2 {
        return Vec::new();
    }
    let Some((cfg, loops)) = function.loops() else { return Vec::new() };
    let function = &*function;
    let mut sizes = vec![0u64; loops.loops.len()];
    for block in &function.layout {
        if let Some(index) = loops.innermost(*block) {
            sizes[index] += function.blocks[*block].insts.len() as u64 + 1;
        }
    }
    let mut counter = TripCounts::new(function, &cfg, &loops);
    let mut small = Vec::new();
    // Inner loops come after outer ones.
    for (index, data) in loops.loops.iter().enumerate().rev() {
        let trip_count = counter.least_trip_count(index).map_or(COPIES, |trip_count| trip_count.max(1));
        let unrolled = sizes[index].saturating_mul(trip_count);
        let fits = unrolled <= MAX_INSTRUCTIONS;
        if fits {
            small.push(data.header);
        }
        if let Some(parent) = data.parent {
            sizes[parent] = sizes[parent].saturating_add(if fits { unrolled } else { sizes[index] });
        }
    }
    small
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    /// The control of a loop with this trip count (`None`: an argument), this many products, and this control in the source.
    fn control(trip_count: Option<u32>, additions: usize, source_control: u32) -> u32 {
        let end = trip_count.map_or_else(|| "v0".to_owned(), |n| format!("i32:{n}"));
        let code: String =
            (0..additions).map(|n| format!("  v{}: i32 = imul v{}, v1\n", n + 5, n + 4)).collect();
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32):\n  br b1(i32:0, i32:1)\nb1(v1: i32, v2: i32):\n  \
             v3: bool = icmp.ult v1, {end}\n  condbr v3, b2(), b3()\nb2():\n  v4: i32 = iadd v1, i32:1\n{code}  \
             br b1(v4, v{})\nb3():\n  return(v2)\n",
            additions + 4
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let function = module.functions.values_mut().next().expect("a function");
        function.blocks[Block(1)].loop_control = source_control;
        mark(function);
        function.blocks[Block(1)].loop_control
    }

    #[test]
    fn small_loops_get_the_hint() {
        assert_eq!(control(Some(16), 20, 0), UNROLL);
        assert_eq!(control(None, 100, 0), UNROLL);
        // Too large; forbidden by the source.
        assert_eq!(control(Some(200), 30, 0), 0);
        assert_eq!(control(Some(1024), 20, 0), 0);
        assert_eq!(control(Some(1 << 30), 100, 0), 0);
        assert_eq!(control(None, 2000, 0), 0);
        assert_eq!(control(Some(16), 20, 2), 2);
    }

    /// Each loop is counted by itself: the steps of later loops do not count for a loop of many iterations.
    #[test]
    fn the_first_of_many_loops_is_counted_too() {
        const LOOPS: usize = 300;
        let mut source =
            "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0():\n  br b1(i32:0, i32:1)\n".to_owned();
        for n in 0..LOOPS {
            let (block, v) = (1 + 3 * n, 3 * n + n * 20);
            let trip_count = if n == 0 { 1024 } else { 250 };
            let next = match n + 1 == LOOPS {
                true => format!("return(v{})", v + 1),
                false => format!("br b{}(i32:0, i32:1)", block + 3),
            };
            let code: String =
                (3..22).map(|m| format!("  v{}: i32 = imul v{}, v{v}\n", v + m, v + m - 1)).collect();
            source += &format!(
                "b{block}(v{v}: i32, v{}: i32):\n  v{}: bool = icmp.ult v{v}, i32:{trip_count}\n  condbr v{}, b{}(), b{}()\nb{}():\n  \
                 v{}: i32 = iadd v{v}, i32:1\n{code}  br b{block}(v{}, v{})\nb{}():\n  {next}\n",
                v + 1,
                v + 22,
                v + 22,
                block + 1,
                block + 2,
                block + 1,
                v + 2,
                v + 2,
                v + 21,
                block + 2
            );
        }
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let function = module.functions.values_mut().next().expect("a function");
        mark(function);
        assert_eq!(function.blocks[Block(1)].loop_control, 0);
    }
}
