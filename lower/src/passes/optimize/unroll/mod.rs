//! Loop unrolling by policies: loops that the driver does not unroll well become several iterations in a row.
//!
//! ```text
//! for (i = 0; i < 1024; i++) body(i);    →    for (i = 0; i < 1024; i += 4) { body(i); … body(i + 3); }
//! ```
//!
//! It serves drivers that unroll only the loops with the Unroll control (NVIDIA's). The policies decide which loops, and how:
//! [`unroll_bounded`], [`unroll_partial`] and [`unroll_runtime`], one after the other. The function is simplified after each that
//! changed it. `transform/loops.rs` has the changes themselves.
//!
//! [`unroll_for_sroa`] and [`unroll_hints`] are passes of their own, because they come earlier and later.

pub mod unroll_bounded;
pub mod unroll_for_sroa;
pub mod unroll_hints;
pub mod unroll_partial;
pub mod unroll_runtime;

#[cfg(test)]
mod tests;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::{Func, Function, InstKind, Module};
use crate::passes::optimize::simplify;
use crate::transform::loops::{self, DONT_UNROLL, Unroll};

/// No more loops of one function are unrolled by one policy.
const MAX_LOOPS: usize = 16;

/// A policy: it unrolls loops of a function for work-groups of a size, if that is known, and returns whether there were any.
type Policy = fn(&mut Function, Option<[u32; 3]>) -> bool;

/// The policies, in the order in which they are applied. `LowerOptions::skip` leaves them out by their names.
const POLICIES: [(&str, Policy); 3] = [
    ("unroll_bounded", unroll_bounded::unroll_loops),
    ("unroll_partial", |function, _| unroll_partial::unroll_loops(function)),
    ("unroll_runtime", |function, _| unroll_runtime::unroll_loops(function)),
];

/// Applies the policies to every function with loops.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let skipped = |policy: &str| context.options.skip.iter().any(|name| name == policy);
    for func in module.functions.keys() {
        if module.functions[func].layout.len() < 3 {
            continue;
        }
        let size = group_size(module, func);
        let function = &mut module.functions[func];
        for (name, policy) in POLICIES {
            if !skipped(name) && policy(function, size) {
                simplify::simplify_function(function, module.address_bits);
            }
        }
    }
    Ok(())
}

/// The work-group size that a function always has: that of the kernel that it is, if nothing else calls it.
fn group_size(module: &Module, func: Func) -> Option<[u32; 3]> {
    let mut own = module.kernels.iter().filter(|k| k.func == func);
    let size = own.next()?.reqd_work_group_size?;
    let mut insts = module.functions.values().flat_map(|f| f.insts.values());
    let is_called = |kind: &InstKind| matches!(kind, InstKind::Call { func: called, .. } if *called == func);
    (own.next().is_none() && !insts.any(|inst| is_called(&inst.kind))).then_some(size)
}

/// Unrolls innermost loops of a function as a policy says, and returns whether there were any.
fn unroll_innermost(
    function: &mut Function,
    max_instructions: usize,
    how: impl Fn(&Function, &Cfg, &Loops, usize) -> Option<Unroll>,
) -> bool {
    let mut any = false;
    for _ in 0..MAX_LOOPS {
        let Some((cfg, forest)) = function.loops() else { break };
        let found = forest.loops.iter().enumerate().find_map(|(index, data)| {
            let outer = forest.loops.iter().any(|other| other.parent == Some(index));
            let fits = !outer && can_be_unrolled(function, data, max_instructions);
            Some((data, fits.then(|| how(function, &cfg, &forest, index))??))
        });
        let Some((data, how)) = found else { break };
        loops::unroll(function, data, how);
        function.simplified = false;
        any = true;
    }
    any
}

/// Returns whether a loop is small enough, its iterations may be duplicated, and the source allows it.
fn can_be_unrolled(function: &Function, data: &LoopData, max_instructions: usize) -> bool {
    function.blocks[data.header].loop_control & DONT_UNROLL == 0
        && loops::size(function, data) <= max_instructions
        && loops::can_be_duplicated(function, data)
}
