//! Tools for passes that change functions: a rewriter for instructions, clean-up of blocks and parameters, and SSA construction.

pub mod cleanup;
pub mod rewriter;
pub mod ssa;
