//! C++ for OpenCL: what it adds to the tree and to the grammar.
//!
//! The grammar of OpenCL C stays as it is and comes here where C++ differs. Bodies of functions, templates and default
//! arguments are not read where they stand: the tree has the places of their tokens, and semantic analysis has them read
//! when it knows what the names in them mean ([`Env`]).
//!
//! | module | what it has |
//! |---|---|
//! | [`tree`] | the nodes |
//! | [`env`] | what semantic analysis tells the grammar of names |
//! | `names` | qualified names and template arguments |
//! | `decl`, `class` | declarations; classes and their members |
//! | `allocate` | `new` and `delete` |
//! | `expr` | expressions, lambdas |
//! | [`pack`] | the tokens of templates with packs |
//! | [`tokens`] | tokens of C++ made of the preprocessor's |

mod allocate;
pub(crate) mod class;
mod decl;
pub(crate) mod env;
mod expr;
mod names;
pub(crate) mod pack;
pub(crate) mod tokens;
pub(crate) mod tree;

pub(crate) use env::Env;
pub(crate) use tree::CxxTree;
