//! The table of rules, by the operation at the root.

mod compare;
mod contraction;
mod convert;
mod float;
mod integer;
pub(crate) mod overflow;
pub(crate) mod workaround;

use super::{Rule, RuleSet};

/// The tables of `simplify`.
pub(super) const SIMPLIFYING: &[&[Rule]] = &[integer::RULES, compare::RULES, convert::RULES, float::RULES];

/// The rules of `simplify`.
pub(crate) static SIMPLIFY: RuleSet = RuleSet::new(SIMPLIFYING);

/// The rules of `fma_contraction`.
pub(crate) static CONTRACTION: RuleSet = RuleSet::new(&[contraction::RULES]);

/// All other tables.
#[cfg(test)]
pub(super) const OTHERS: &[&[Rule]] = &[
    overflow::PRODUCTS,
    overflow::SUMS,
    contraction::RULES,
    workaround::COMPARISONS,
    workaround::PRODUCTS_WITH_BITS,
    workaround::SHIFTS,
];
