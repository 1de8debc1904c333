//! OpenCL SPIR-V to IR.
//!
//! [`read`] walks the module twice: `module.rs` files declarations in tables (types with their C layout in
//! `types.rs`, constants and initialisers in `constants.rs`, kernels and their arguments in `kernel.rs`), then
//! `function.rs` translates bodies: `arith.rs` values, `memory.rs` pointers and accesses, `sync.rs` atomics, barriers
//! and group copies.
//!
//! - An aggregate value is the list of its **leaves**: scalars, vectors and pointers in order.
//! - A phi becomes block parameters; the terminators are translated last, when every value is known.
//! - Constants that need an instruction, and addresses of globals, stand at the start of the entry block.
//! - Merge instructions are dropped but for what a loop's author wishes of it: `structurize` sees where control flow meets.
//!
//! Input from anywhere is expected: what is damaged becomes [`LowerError::InvalidModule`], recursion and
//! sizes are limited, and the verifier has the last word.

mod arith;
mod constants;
mod debug;
mod ext;
mod function;
mod group;
mod image;
mod integer;
mod kernel;
mod memory;
mod module;
mod order;
mod sync;
mod types;

pub(crate) use ext::types_fit;

use crate::error::LowerError;
use crate::ir::{Module, verify::verify};

/// Reads an OpenCL SPIR-V module (SPIR-V 1.0 to 1.6, capability Kernel).
///
/// # Errors
/// [`LowerError::InvalidModule`] for what is damaged or invalid, [`LowerError::NotYet`] for what is
/// not supported.
pub fn read(words: &[u32]) -> Result<Module, LowerError> {
    read_as(words, Reading { names: true, verify: true, wide: false })
}

/// What else reading does.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Keep the names of values, which only dumps show.
    pub names: bool,
    /// Verify the result: where the module may not be our own front end's. Debug builds always do.
    pub verify: bool,
    /// Global ids, sizes and offsets have 64 bits.
    pub wide: bool,
}

/// [`read`], for those who know more of the module.
///
/// # Errors
/// As for [`read`].
pub fn read_as(words: &[u32], how: Reading) -> Result<Module, LowerError> {
    let tables = module::Tables::collect(words)?;
    let mut module = function::read_all(&tables, how)?;
    for kernel in &mut module.kernels {
        kernel.wide = how.wide;
    }
    if how.verify || cfg!(debug_assertions) {
        verify(&module).map_err(LowerError::InvalidModule)?;
    }
    Ok(module)
}

fn invalid(message: impl Into<String>) -> LowerError {
    LowerError::InvalidModule(message.into())
}

fn not_yet(kernel: &str, what: impl Into<String>) -> LowerError {
    LowerError::NotYet { kernel: kernel.to_owned(), what: what.into() }
}

#[cfg(test)]
mod tests;
