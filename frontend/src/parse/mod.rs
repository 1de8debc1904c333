//! The parser with semantic analysis: tokens to [`hir::Program`] in one pass, clang's way: each
//! production calls the function that types its construct, so that a construct is checked where it
//! is read and the tree that leaves this module is typed throughout.
//!
//! - [`parser`]: the token cursor, expectations and recovery;
//! - [`scope`]: names: ordinary identifiers, tags, labels;
//! - [`decl`], [`declspec`], [`declarator`], [`record`], [`attribute`]: declarations;
//! - [`stmt`], [`function`]: statements and function bodies;
//! - [`expr`]: the grammar of expressions; [`convert`], [`operators`], [`call`], [`vector`]: their typing;
//! - [`init`]: initialisers; [`constant`]: constant evaluation; [`literal`]: numbers, characters, strings.

use crate::diag::Diagnostics;
use crate::hir::Program;
use crate::options::Options;
use crate::symbol::Interner;
use crate::token::Token;

mod attribute;
mod call;
mod constant;
mod convert;
mod decl;
#[cfg(test)]
mod decl_tests;
mod declarator;
mod declspec;
mod display;
mod expr;
#[cfg(test)]
mod expr_tests;
mod function;
mod init;
mod literal;
mod mangle;
mod operators;
pub mod parser;
mod pragma;
mod record;
mod scope;
mod stmt;
mod vector;

/// Parses and checks a translation unit. A tree comes back even after errors, when there is one.
pub fn parse(
    tokens: &[Token],
    symbols: &mut Interner,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Program> {
    let mut parser = parser::Parser::new(tokens, symbols, options, diagnostics);
    parser.parse_translation_unit();
    parser.finish_functions();
    parser.check_recursion();
    let parser::Parser { types, globals, functions, fp_contract, .. } = parser;
    Some(Program { types, globals, functions, fp_contract })
}
