//! What passes share to change functions: rewriting instruction by instruction, clean-up of blocks and parameters, SSA construction.

pub mod cleanup;
pub mod rewriter;
pub mod ssa;
