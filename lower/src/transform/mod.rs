//! Tools for passes that change functions: a rewriter for instructions, clean-up of blocks and parameters,
//! region cloning, the splitting of blocks, loops that store zeros, the loop kit and SSA construction.

pub mod cleanup;
pub mod clone;
pub mod loops;
pub mod rewriter;
pub mod split;
pub mod ssa;
pub mod zero;
