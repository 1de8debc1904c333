//! Loop unrolling: the passes that unroll loops by a known or bounded trip count, and what they share.

pub mod unroll_batch_loads;
pub mod unroll_bounded;
pub mod unroll_for_sroa;
pub mod unroll_hints;
pub mod unroll_partial;

#[cfg(test)]
mod tests;

use crate::ir::{Function, Module};
use crate::passes::optimize::simplify;

/// Changes the loops of every function and simplifies those of which `change` reports a change.
pub(crate) fn change_loops(module: &mut Module, change: fn(&mut Function) -> bool) {
    let bits = module.address_bits;
    for function in module.functions.values_mut() {
        if change(function) {
            simplify::simplify_function(function, bits);
        }
    }
}
