//! The grammar without types: tokens to a syntax tree whose nodes know the tokens that they came from.
//!
//! [`decl::Source`] reads a file, one external declaration at a time. The parser knows of a name only its kind, which C's
//! grammar needs to tell `(T)(x)` from `(f)(x)` and `T * x;` from a product. It keeps the scopes of these kinds itself. It
//! never asks for a type: `(T)(a, b)` stays [`ast::Kind::Components`], and semantic analysis tells a vector literal from a
//! cast.
//!
//! An error of syntax is a [`Problem`] with its place among the nodes. Semantic analysis visits the nodes in order and
//! reports each problem there, so that all diagnostics come in the order of the source. Recovery depends on errors of
//! syntax alone.
//!
//! | module | what it has |
//! |---|---|
//! | [`ast`], [`declaration`], [`statement`] | the tree: expressions and initialisers; specifiers, declarators, attributes; statements and declarations |
//! | [`decl`], `stmt`, `asm` | the grammar of declarations, statements, `asm` statements |
//! | [`expr`], `init` | the grammar of expressions and initialisers; the parser's state |
//! | `specifiers`, [`declarator`] | the grammar of specifiers with records and enumerations, of declarators and attributes |
//! | [`cursor`] | the place in the tokens, and passing over groups of them |
//! | [`words`], `names` | the kinds of keywords, and of declared names by scope |
//! | [`pragma`] | pragmas where the grammar has none |
//! | [`problem`] | errors of syntax, and the limit on depth |
//! | [`cxx`] | what C++ for OpenCL adds to the tree and to the grammar |

mod asm;
pub(crate) mod ast;
pub(crate) mod cursor;
pub(crate) mod cxx;
pub(crate) mod decl;
pub(crate) mod declaration;
pub(crate) mod declarator;
pub(crate) mod expr;
mod init;
pub(crate) mod names;
pub(crate) mod pragma;
pub(crate) mod problem;
mod specifiers;
pub(crate) mod statement;
mod stmt;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub(crate) use cursor::Cursor;
pub(crate) use problem::Problem;
