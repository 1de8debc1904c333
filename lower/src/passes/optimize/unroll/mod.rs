//! Loop unrolling by policies: loops that the driver does not unroll well become several iterations in a row.
//!
//! ```text
//! for (i = 0; i < 1024; i++) body(i);    →    for (i = 0; i < 1024; i += 4) { body(i); … body(i + 3); }
//! ```
//!
//! The policies decide which loops, and how: [`full_unroll`], [`unroll_bounded`], [`unroll_partial`] and [`unroll_runtime`], one after
//! the other. The last three serve drivers that unroll only the loops with the Unroll control (NVIDIA's). A function is simplified after
//! each policy that changed it. `transform/loops.rs` has the changes that these three make.
//!
//! [`unroll_for_sroa`] and [`unroll_hints`] are passes of their own, because they come earlier and later.

mod full_unroll;
pub mod unroll_bounded;
pub mod unroll_for_sroa;
pub mod unroll_hints;
pub mod unroll_partial;
pub mod unroll_runtime;

#[cfg(test)]
mod tests;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::gate::Gate;
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::{Func, Function, InstKind, Module};
use crate::passes::optimize::simplify;
use crate::transform::loops::{self, DONT_UNROLL, Unroll};

/// No more loops of one function are unrolled by one policy.
const MAX_LOOPS: usize = 16;

/// A policy of unrolling.
struct Policy {
    /// The name, by which `LowerOptions::skip` leaves it out.
    name: &'static str,
    /// When it is applied.
    gate: Gate,
    /// Unrolls the loops of every function.
    run: fn(&mut Module, &PassContext<'_>),
}

/// The drivers whose compiler unrolls too few loops.
const ON_HINT: Gate = Gate::Tuning("unrolls_only_on_hint", |q| q.unrolls_only_on_hint);

/// The policies, in the order in which they are applied.
const POLICIES: [Policy; 4] = [
    Policy { name: "full_unroll", gate: Gate::Always, run: full_unroll::unroll_module },
    Policy {
        name: "unroll_bounded",
        gate: ON_HINT,
        run: |module, _| in_each_function(module, unroll_bounded::unroll_loops),
    },
    Policy {
        name: "unroll_partial",
        gate: ON_HINT,
        run: |module, _| in_each_function(module, |function, _| unroll_partial::unroll_loops(function)),
    },
    Policy {
        name: "unroll_runtime",
        gate: ON_HINT,
        run: |module, _| in_each_function(module, |function, _| unroll_runtime::unroll_loops(function)),
    },
];

/// Applies the policies whose gates are open.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let is_skipped = |policy: &Policy| context.options.skip.iter().any(|name| name == policy.name);
    for policy in POLICIES {
        if policy.gate.is_open(context) && !is_skipped(&policy) {
            (policy.run)(module, context);
        }
    }
    Ok(())
}

/// Unrolls loops of every function that has some, and simplifies what changed. `unroll` gets the work-group size, if that is known, and
/// returns whether it unrolled a loop.
fn in_each_function(module: &mut Module, unroll: fn(&mut Function, Option<[u32; 3]>) -> bool) {
    for func in module.functions.keys() {
        if module.functions[func].layout.len() < 3 {
            continue;
        }
        let size = group_size(module, func);
        let function = &mut module.functions[func];
        if unroll(function, size) {
            simplify::simplify_function(function, module.address_bits);
        }
    }
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
