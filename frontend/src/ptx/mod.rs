//! Inline PTX: the assembly text of `asm` statements, translated to the typed tree.
//!
//! Programs write PTX for devices of NVIDIA's; the translation has no part that only such a device could run, so it works
//! on every device. The stages:
//!
//! ```text
//! text ──lex──▶ tokens ──read──▶ statements ──translate──▶ hir::Stmt
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`types`](mod@types) | the types of PTX, and the error |
//! | [`lex`](mod@lex) | tokens; `%0` and `%[name]` are operands of the `asm` statement, `%%` is a percent sign |
//! | [`statement`], [`read`](mod@read) | directives, labels, guards, instructions and their operands |
//! | [`table`] | one row for each instruction: its types, modifiers, operands and the function that translates it |
//! | [`translate`](mod@translate) | a text, statement by statement |
//! | [`context`], [`expr`] | registers and scopes; reads and writes of operands; builders of expressions |
//! | [`integer`], [`bits`], [`float`], [`compare`], [`convert`], [`memory`], [`group`] | the instructions |
//!
//! Sections are those of NVIDIA's "Parallel Thread Execution ISA", version 8.5. The C side of the statement (operands and
//! constraints) is `sema/asm.rs`. docs/reference/ptx.md is generated from the table.

mod bits;
mod compare;
pub(crate) mod context;
mod convert;
mod expr;
mod float;
mod group;
mod integer;
mod lex;
mod memory;
mod read;
mod statement;
mod table;
#[cfg(test)]
mod tests;
mod translate;
mod types;

pub(crate) use context::{Bound, FunctionState, Host, Operand};
pub(crate) use translate::translate;
pub(crate) use types::{Error, Type};
