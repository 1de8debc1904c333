//! Bounded unrolling: loops of at most four iterations, bounded by the local id, become that many guarded iterations.
//!
//! Loops that go round a few times, how often by the local id, become their rounds, for drivers that unroll what they are told to:
//!
//! ```text
//! for (int i = get_local_id(0); i < 18; i += 16) tile[i] = in[i];    // once, or twice, in work-groups of 16
//! ```
//!
//! The driver does not know the ids' range: told to unroll such a loop, it makes copies for more rounds than there are, and the loop stays (a stencil whose tile has a border took 1.28
//! times as long on an H100). The size of the work-group must be the kernel's own (`reqd_work_group_size`); rounds are counted for each id.

use super::clone_iterations;
use super::trip_count::Counter;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Func, Function, InstKind, Module};
use crate::passes::optimize::simplify;

/// No more rounds than this.
const MAX_ITERATIONS: u64 = 4;
/// Nor more instructions than this.
const MAX_INSTRUCTIONS: u64 = 256;
/// No more loops of a function.
const MAX_LOOPS: usize = 16;
/// SPIR-V's loop control DontUnroll.
const DONT_UNROLL: u32 = 2;

/// Replaces such loops in every kernel whose work-groups have a size.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    let kernels: Vec<(Func, [u32; 3])> =
        module.kernels.iter().filter_map(|k| Some((k.func, k.reqd_work_group_size?))).collect();
    for (func, size) in kernels {
        let is_own =
            module.kernels.iter().filter(|k| k.func == func).count() == 1 && !is_called(module, func);
        if is_own && replace_loops(&mut module.functions[func], size) {
            simplify::simplify_function(&mut module.functions[func], module.address_bits);
        }
    }
    Ok(())
}

/// Whether a function calls this one.
fn is_called(module: &Module, func: Func) -> bool {
    let mut insts = module.functions.values().flat_map(|f| f.insts.values());
    insts.any(|inst| matches!(inst.kind, InstKind::Call { func: called, .. } if called == func))
}

/// Replaces such loops of a function that work-groups of this size execute; tells whether there were any.
pub fn replace_loops(function: &mut Function, size: [u32; 3]) -> bool {
    let mut any = false;
    for _ in 0..MAX_LOOPS {
        if !replace_one(function, size) {
            break;
        }
        function.simplified = false;
        any = true;
    }
    any
}

/// Replaces an innermost loop.
fn replace_one(function: &mut Function, size: [u32; 3]) -> bool {
    if function.layout.len() < 3 {
        return false;
    }
    let Some((cfg, loops)) = function.loops() else { return false };
    let mut counter = Counter::new(function, &cfg, &loops);
    let found = loops.loops.iter().enumerate().find_map(|(index, data)| {
        let mut insts = data.blocks.iter().flat_map(|b| &function.blocks[*b].insts);
        let length: usize = data.blocks.iter().map(|b| function.blocks[*b].insts.len() + 1).sum();
        if loops.loops.iter().any(|other| other.parent == Some(index))
            || function.blocks[data.header].loop_control & DONT_UNROLL != 0
            || length as u64 > MAX_INSTRUCTIONS
            || insts.any(|i| function.insts[*i].kind.effects(function).convergent)
        {
            return None;
        }
        let (least, most) = counter.rounds_by_id(index, size)?;
        let fits = most <= MAX_ITERATIONS && most * length as u64 <= MAX_INSTRUCTIONS;
        fits.then(|| (data.clone(), (least as usize, most as usize)))
    });
    let Some((data, rounds)) = found else { return false };
    clone_iterations::at_most(function, &data, rounds);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};

    /// A loop from a local id on, in steps of 16, and how many stores there are if it became its rounds.
    fn stores(end: u32, said: u32, size: u32) -> Option<usize> {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: ptr.global):\n  v1: i32 = workitem.localid 0\n  br b1(v1)\nb1(v2: i32):\n  \
             v3: bool = icmp.ult v2, i32:{end}\n  loopcontrol {said}\n  condbr v3, b2(), b3()\nb2():\n  v4: ptr.global = ptradd v0, v2, 4\n  \
             store [v4], v2, align=4\n  v5: i32 = iadd v2, i32:16\n  br b1(v5)\nb3():\n  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let function = module.functions.values_mut().next().expect("a function");
        let done = replace_loops(function, [size, 1, 1]);
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        done.then(|| module.to_string().matches("store").count())
    }

    #[test]
    fn as_many_rounds_as_the_ids_allow() {
        // Once or twice; always four times; not always at all; never.
        assert_eq!(stores(18, 0, 16), Some(2));
        assert_eq!(stores(64, 0, 16), Some(4));
        assert_eq!(stores(8, 1, 16), Some(1));
        assert_eq!(stores(0, 0, 16), Some(0));
        // Too often; forbidden; not too often where there are more work-items.
        assert_eq!(stores(65, 0, 16), None);
        assert_eq!(stores(18, 2, 16), None);
        assert_eq!(stores(18, 0, 64), Some(2));
        assert_eq!(stores(65536, 0, 1024), None);
    }
}
