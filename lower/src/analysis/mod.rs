//! Analyses: facts about a function that several passes ask for, each computed in one place.
//!
//! An analysis looks at a function as it is and changes nothing. The graph of a function caches its dominators and its loop forest
//! ([`Function::cfg`](crate::ir::Function::cfg)): a pass that preserves the control flow leaves them valid for the next. Analyses of values
//! last until an instruction changes, so each pass makes its own.

pub mod alias;
pub mod linear;
pub mod loops;
pub mod ranges;
pub mod trip_count;
pub mod uses;
