//! The grammar without types: tokens to a syntax tree whose nodes know the tokens that they came from.
//!
//! Expressions, initialisers, declaration specifiers, declarators and attributes are here. The parser knows of a name only
//! its kind ([`Names`]), which C's grammar needs to tell `(T)(x)` from `(f)(x)`. It never asks for a type: `(T)(a, b)` stays
//! [`ast::Kind::Components`], and semantic analysis tells a vector literal from a cast. Statement expressions and block
//! literals are nodes that hold their tokens. [`crate::parse`], which reads statements, reads them when it types the node.
//!
//! An error of syntax is a [`Problem`] with its place among the nodes. Semantic analysis visits the nodes in order and
//! reports each problem there, so that all diagnostics come in the order of the source.
//!
//! - [`ast`], [`declaration`]: the tree;
//! - [`expr`], `init`, `specifiers`, [`declarator`]: the grammar;
//! - [`cursor`]: the place in the tokens, and passing over groups of them;
//! - [`words`]: the kinds of keywords and names; [`problem`]: errors of syntax.

pub(crate) mod ast;
pub(crate) mod cursor;
pub(crate) mod declaration;
pub(crate) mod declarator;
pub(crate) mod expr;
mod init;
pub(crate) mod problem;
mod specifiers;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub(crate) use cursor::Cursor;
pub(crate) use expr::ExprParser;
pub(crate) use problem::Problem;
pub(crate) use words::{NameKind, Names};
