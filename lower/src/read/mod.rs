//! OpenCL SPIR-V to IR.
//!
//! [`read`] walks the module twice: for its declarations, and for the bodies of functions.
//!
//! | file | |
//! |---|---|
//! | [`module`], [`types`], [`constants`], [`debug`] | tables of declarations: types with their C layout, constants and initialisers, debug information |
//! | [`kernel`] | kernels and their arguments |
//! | [`function`], [`order`] | bodies, their blocks and the order of these |
//! | [`arith`], [`integer`], [`ext`] | values, and OpenCL.std's functions |
//! | [`memory`], [`members`] | pointers and accesses, and the arrays in structs that pointers are in |
//! | [`image`], [`group`], [`sync`] | images, groups; atomics, barriers and group copies |
//!
//! - An aggregate value is the list of its **leaves**: scalars, vectors and pointers in order.
//! - A phi becomes block parameters. Terminators are translated last, when every value is known.
//! - Constants that need an instruction, and addresses of globals, are at the start of the entry block.
//! - Merge instructions are dropped, except loop controls. `structurize` finds merge blocks itself.
//!
//! Any input is expected. Damaged modules become [`LowerError::InvalidModule`], recursion and sizes are limited, and the verifier runs
//! at the end.

mod arith;
mod constants;
mod debug;
mod ext;
mod function;
mod group;
mod image;
mod integer;
mod kernel;
mod members;
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
    read_as(
        words,
        Reading { names: true, verify: true, wide: false, events: false, members: false, copies: false },
    )
}

/// The options of reading.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Keep the names of values, which dumps, reports and WGSL show.
    pub names: bool,
    /// Verify the result: where the module may not be our own front end's. Debug builds always do.
    pub verify: bool,
    /// Global ids, sizes and offsets have 64 bits.
    pub wide: bool,
    /// Events are numbers, for checks of async copies.
    pub events: bool,
    /// Accesses of arrays that are structs' members have marks, for checks of their bounds.
    pub members: bool,
    /// Stores of whole structs have the mark of copies ([`SourceLine::marked`](crate::ir::SourceLine::marked)), for checks of what was never written.
    pub copies: bool,
}

/// [`read`], for those who know more of the module.
///
/// # Errors
/// As for [`read`].
pub fn read_as(words: &[u32], how: Reading) -> Result<Module, LowerError> {
    let tables = module::Tables::collect(words, how.events)?;
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
