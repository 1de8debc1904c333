//! The typed tree to OpenCL SPIR-V: the Kernel dialect that clCreateProgramWithIL takes.
//!
//! The emitter decides nothing about the language: every conversion is a node of the tree already.
//! What it does decide is how C's objects become SPIR-V's:
//!
//! - **Values and memory.** A scalar, vector or pointer rvalue is one id. `bool` is OpTypeBool as a
//!   value and a byte in memory; everything else has one type for both ([`types`]). Structs keep C's
//!   layout by padding members, unions are their most aligned member plus padding ([`record`]).
//! - **Objects.** Variables of automatic storage are OpVariable in the entry block; parameters that are
//!   only read stay values ([`analysis`], [`place`]). Accesses are as aligned as their types, or their objects ([`alignment`]).
//! - **Control flow** is structured and marked with merge instructions, except in functions with
//!   `goto` or with `case` labels inside nested statements: those are plain flow graphs, their blocks
//!   sorted so that each follows its dominators ([`body`], [`stmt`]).
//! - **Conventions** follow the Khronos LLVM translator where consumers look: kernel argument strings,
//!   builtin variables' names, by-value struct arguments as `ByVal` pointers ([`kernel`]).
//! - **Debugging.** OpLine and names always ([`debug`]); with `-g` scopes, types and variables too ([`debug_info`]).
//!
//! | module | content |
//! |---|---|
//! | [`emission`] | the order in which a module is emitted |
//! | [`module`] | what functions share: the builder and caches |
//! | [`types`], [`record`] | types as SPIR-V types; structs and unions with C's layout |
//! | [`constant`], [`globals`], [`init`], [`shadow`] | constants; program-scope variables; initialisers, also those that their type cannot hold |
//! | [`kernel`] | entry points, execution modes, argument names |
//! | [`function`], [`body`], [`analysis`] | one function: its signature, its blocks, which variables need storage |
//! | [`stmt`], [`conditional`] | statements and control flow; `a ? b : c` |
//! | [`expr`], [`operators`], [`cast`], [`place`], [`alignment`] | expressions, conversions, lvalues and how far they are aligned |
//! | [`contraction`] | products that may be fused with sums |
//! | [`builtin`], [`atomic`], [`collective`], [`copies`], [`image`], [`printf`](mod@printf), [`work_item`] | builtin functions |
//! | [`block`], [`enqueue`] | blocks, pipes and device-side enqueue |
//! | [`debug`], [`debug_info`], [`debug_state`] | lines and names; what `-g` adds |

use crate::diag::Diagnostics;
use crate::hir::Program;
use crate::options::Options;
use crate::source::SourceMap;
use crate::symbol::Interner;

mod alignment;
mod analysis;
mod atomic;
mod block;
mod body;
mod builtin;
mod cast;
mod collective;
mod conditional;
mod constant;
mod contraction;
mod copies;
mod debug;
mod debug_info;
mod debug_state;
mod emission;
mod enqueue;
mod error;
mod expr;
mod function;
mod globals;
mod image;
mod init;
mod kernel;
mod module;
mod operators;
mod place;
mod printf;
mod record;
mod shadow;
mod stmt;
#[cfg(test)]
mod tests;
mod types;
mod work_item;

/// Emits the module. What cannot be expressed (an object too large, say) becomes a diagnostic.
pub fn emit(
    program: &Program,
    symbols: &Interner,
    sources: &SourceMap,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<u32>> {
    module::Module::new(program, symbols, sources, options, diagnostics).run()
}
