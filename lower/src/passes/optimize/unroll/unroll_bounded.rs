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

use crate::analysis::trip_count::TripCounts;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Func, Function, InstKind, Module};
use crate::passes::optimize::simplify;
use crate::transform::loops::{self, DONT_UNROLL, Unroll};

/// Loops with a larger bound stay.
const MAX_ITERATIONS: u64 = 4;
/// Limit on the instructions after unrolling.
const MAX_INSTRUCTIONS: u64 = 256;
/// No more loops of one function are unrolled.
const MAX_LOOPS: usize = 16;

/// Unrolls the bounded loops of every kernel with a required work-group size.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    let kernels: Vec<(Func, [u32; 3])> =
        module.kernels.iter().filter_map(|k| Some((k.func, k.reqd_work_group_size?))).collect();
    for (func, size) in kernels {
        let is_own =
            module.kernels.iter().filter(|k| k.func == func).count() == 1 && !is_called(module, func);
        if is_own && unroll_loops(&mut module.functions[func], size) {
            simplify::simplify_function(&mut module.functions[func], module.address_bits);
        }
    }
    Ok(())
}

/// Returns whether some function calls this one.
fn is_called(module: &Module, func: Func) -> bool {
    let mut insts = module.functions.values().flat_map(|f| f.insts.values());
    insts.any(|inst| matches!(inst.kind, InstKind::Call { func: called, .. } if called == func))
}

/// Unrolls the bounded loops of a function, for work-groups of this size. Returns whether there were any.
pub fn unroll_loops(function: &mut Function, size: [u32; 3]) -> bool {
    let mut any = false;
    for _ in 0..MAX_LOOPS {
        if !unroll_one(function, size) {
            break;
        }
        function.simplified = false;
        any = true;
    }
    any
}

/// Unrolls one innermost loop.
fn unroll_one(function: &mut Function, size: [u32; 3]) -> bool {
    if function.layout.len() < 3 {
        return false;
    }
    let Some((cfg, forest)) = function.loops() else { return false };
    let mut counter = TripCounts::new(function, &cfg, &forest);
    let found = forest.loops.iter().enumerate().find_map(|(index, data)| {
        let length = loops::size(function, data) as u64;
        if forest.loops.iter().any(|other| other.parent == Some(index))
            || function.blocks[data.header].loop_control & DONT_UNROLL != 0
            || length > MAX_INSTRUCTIONS
            || !loops::can_be_duplicated(function, data)
        {
            return None;
        }
        let (least, most) = counter.trip_counts_by_id(index, size)?;
        let fits = most <= MAX_ITERATIONS && most * length <= MAX_INSTRUCTIONS;
        fits.then(|| (data.clone(), Unroll::Bounded { least: least as usize, most: most as usize }))
    });
    let Some((data, how)) = found else { return false };
    loops::unroll(function, &data, how);
    true
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
        let done = unroll_loops(function, [size, 1, 1]);
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
