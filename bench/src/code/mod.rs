//! The code of a GPU's compiler for modules, ours and another compiler's: `code-bench`.

pub mod against;
pub mod foreign;
pub mod reasons;
pub mod weight;
