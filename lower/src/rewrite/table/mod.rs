//! The table of rules, by the operation at the root.

mod compare;
mod contraction;
mod convert;
mod float;
mod integer;
mod overflow;

use super::{Rule, RuleSet};

/// The tables of `simplify`.
pub(super) const SIMPLIFYING: &[&[Rule]] = &[integer::RULES, compare::RULES, convert::RULES, float::RULES];

/// The rules of `simplify`.
pub(crate) static SIMPLIFY: RuleSet = RuleSet::new(SIMPLIFYING);

/// The rules of `overflow_idioms`: on products, and on sums.
pub(crate) static OVERFLOW_OF_PRODUCTS: RuleSet = RuleSet::new(&[overflow::PRODUCTS]);
pub(crate) static OVERFLOW_OF_SUMS: RuleSet = RuleSet::new(&[overflow::SUMS]);

/// The rules of `fma_contraction`.
pub(crate) static CONTRACTION: RuleSet = RuleSet::new(&[contraction::RULES]);

/// All other tables.
#[cfg(test)]
pub(super) const OTHERS: &[&[Rule]] = &[overflow::PRODUCTS, overflow::SUMS, contraction::RULES];
