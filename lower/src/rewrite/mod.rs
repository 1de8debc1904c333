//! Algebraic rewrites: one table of rules, the matcher that applies them, and the test that proves each row.
//!
//! A rule is a row of pattern, guards and replacement, in the spirit of Mesa's `nir_opt_algebraic` and Cranelift's ISLE:
//!
//! ```text
//! (iadd x (ineg y)) => (isub x y);
//! (imul x #k) if power_of_two(k) && integer(k) => (shl x (ctz k));
//! (trunc (zext x)) if same_type(x) => x;
//! ```
//!
//! # Adding a rule
//!
//! Write the row into the file of [`table`] for its root operation. Rows are tried in order, and the first that applies wins.
//! `cargo test -p pumice-lower --lib rewrite` then evaluates pattern and replacement for all values of 1 to 4 bits (`check`), builds the
//! pattern in the IR, and fails if the row is wrong, never applies, or lacks a guard. A row of floats is evaluated for NaN, infinities,
//! zeros of both signs and their neighbours. It says what it changes (`rounded`, `fused`), or `exact`.
//!
//! # Patterns
//!
//! | term | matches |
//! |---|---|
//! | `x`, `y`, `z`, `w`, `c`, `d` | any value; the same name is the same value |
//! | `#j`, `#k`, `#m` | an integer or float constant, the same in every lane |
//! | `0`, `1`, `ones`, `1.0`, `true` | that constant, at the type of its place; `ones` has all bits set |
//! | `undef` | an undefined value |
//! | `(op …)` | an instruction of [`ops`]; commutative operations match in both orders |
//! | `(op.t …)` | an instruction whose type is `t`: a scalar ([`types`]), or the type of a variable (`trunc.x`) |
//! | `v @ (op …)` | the same, and `v` is its result |
//! | `icmp`, `fcmp` | any comparison; in the replacement `icmp` is the same one, `icmp_not` its negation, `icmp_unsigned` the unsigned one |
//!
//! In a replacement an operation on constants is a constant, so `(iadd j k)` is their sum. Operations have the type of their operands.
//! Conversions inside a replacement name their type.
//!
//! # Guards
//!
//! Guards are named predicates in [`guards`]: on the bits that a value may have, on types, on the number of uses, and on the device, which
//! gates a driver workaround.
//!
//! # What is no rule
//!
//! Rewrites that search further than a fixed pattern are code: lanes of vectors, parts of words, distances of pointers, redundant loads.

#[cfg(test)]
mod check;
pub(crate) mod guards;
mod matcher;
pub(crate) mod pass;
mod pattern;
mod rule;
pub(crate) mod sites;
pub(crate) mod table;

pub(crate) use guards::Facts;
#[cfg(test)]
pub(crate) use guards::Guard;
pub(crate) use matcher::{Builder, Folded, RuleSet};
pub(crate) use pattern::{Term, commutes, ops, types, vars};
pub(crate) use rule::{Floats, Rule, floats, rules, term, terms};
