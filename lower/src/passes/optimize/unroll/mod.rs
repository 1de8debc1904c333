//! Loop unrolling: the passes that unroll loops by a known or bounded trip count, and what they share.

pub mod clone_iterations;
mod trip_count;
pub mod unroll_batch_loads;
pub mod unroll_bounded;
pub mod unroll_for_sroa;
pub mod unroll_hints;
pub mod unroll_partial;

#[cfg(test)]
mod tests;

use crate::ir::{Block, Function, Module};
use crate::passes::optimize::simplify;

/// The wanted loops of a function may become this many instructions.
const MAX_INSTRUCTIONS: u64 = 16_384;
/// SPIR-V's loop control DontUnroll.
const DONT_UNROLL: u32 = 2;

/// Changes the loops of every function and simplifies those of which `change` reports a change.
pub(crate) fn change_loops(module: &mut Module, change: fn(&mut Function) -> bool) {
    let bits = module.address_bits;
    for function in module.functions.values_mut() {
        if change(function) {
            simplify::simplify_function(function, bits);
        }
    }
}

/// A loop to unroll, and its trip count.
#[derive(Debug, Clone)]
pub(crate) struct Unrolled {
    /// Its index among the loops.
    index: usize,
    /// How often its body is executed.
    trip_count: u64,
    /// The block whose branch decides whether the loop continues.
    test: Block,
}
