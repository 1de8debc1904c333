//! Bounded unrolling: loops of at most four iterations, bounded by the local id, become that many guarded iterations.
//!
//! It serves drivers that unroll only the loops with the Unroll control (NVIDIA's):
//!
//! ```text
//! for (int i = get_local_id(0); i < 18; i += 16) tile[i] = in[i];    // one or two iterations in work-groups of 16
//! → i = get_local_id(0); tile[i] = in[i]; if (i + 16 < 18) tile[i + 16] = in[i + 16];
//! ```
//!
//! NVIDIA's driver does not know the range of the ids. With the control it copies more iterations than exist, and the loop stays: a stencil
//! whose tile has a border took 1.28 times as long on an H100. The work-group size must be the kernel's own (`reqd_work_group_size`); the
//! iterations of each id are counted.

use super::unroll_innermost;
use crate::analysis::trip_count::TripCounts;
use crate::ir::Function;
use crate::transform::loops::{self, Unroll};

/// Loops with a larger bound stay.
const MAX_ITERATIONS: u64 = 4;
/// Limit on the instructions after unrolling.
const MAX_INSTRUCTIONS: usize = 256;

/// Unrolls the bounded loops of a function, for work-groups of this size. Returns whether there were any.
pub fn unroll_loops(function: &mut Function, size: Option<[u32; 3]>) -> bool {
    let Some(size) = size else { return false };
    unroll_innermost(function, MAX_INSTRUCTIONS, |function, cfg, forest, index| {
        let (least, most) = TripCounts::new(function, cfg, forest).trip_counts_by_id(index, size)?;
        let length = loops::size(function, &forest.loops[index]) as u64;
        let fits = most <= MAX_ITERATIONS && most * length <= MAX_INSTRUCTIONS as u64;
        fits.then_some(Unroll::Bounded { least: least as usize, most: most as usize })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};

    /// Unrolls a loop that starts at a local id, in steps of 16. Returns the number of stores, if it was unrolled.
    fn stores(end: u32, control: u32, size: u32) -> Option<usize> {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: ptr.global):\n  v1: i32 = workitem.localid 0\n  br b1(v1)\nb1(v2: i32):\n  \
             v3: bool = icmp.ult v2, i32:{end}\n  loopcontrol {control}\n  condbr v3, b2(), b3()\nb2():\n  v4: ptr.global = ptradd v0, v2, 4\n  \
             store [v4], v2, align=4\n  v5: i32 = iadd v2, i32:16\n  br b1(v5)\nb3():\n  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let function = module.functions.values_mut().next().expect("a function");
        let done = unroll_loops(function, Some([size, 1, 1]));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        done.then(|| module.to_string().matches("store").count())
    }

    #[test]
    fn as_many_iterations_as_the_ids_allow() {
        // One or two iterations; always four; none or one; none.
        assert_eq!(stores(18, 0, 16), Some(2));
        assert_eq!(stores(64, 0, 16), Some(4));
        assert_eq!(stores(8, 1, 16), Some(1));
        assert_eq!(stores(0, 0, 16), Some(0));
        // Too many iterations; forbidden by the source; few where the work-group is larger.
        assert_eq!(stores(65, 0, 16), None);
        assert_eq!(stores(18, 2, 16), None);
        assert_eq!(stores(18, 0, 64), Some(2));
        assert_eq!(stores(65536, 0, 1024), None);
    }
}
