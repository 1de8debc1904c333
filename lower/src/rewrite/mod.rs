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
//! `cargo test -p pumice-lower --lib rewrite` then evaluates pattern and replacement for all values of 1 to 4 bits ([`check`]), builds the
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
pub(crate) mod table;

pub(crate) use guards::{Facts, Guard};
pub(crate) use matcher::{Builder, Folded, RuleSet};
pub(crate) use pattern::{Term, commutes, ops, types, vars};

/// A row of the table.
#[cfg_attr(not(test), allow(dead_code))] // Tests read the text and the effect on floats.
pub(crate) struct Rule {
    /// The row as it is written.
    pub text: &'static str,
    /// The instruction that the rule replaces.
    pub pattern: Term,
    /// All must hold.
    pub guards: &'static [Guard],
    /// The new value.
    pub replacement: Term,
    /// The effect on special values of floats.
    pub floats: Floats,
}

/// The effect of a rule on floats.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
pub(crate) enum Floats {
    /// No float is computed.
    None,
    /// Every result is the same: NaN, infinities, and zeros with their signs.
    Exact,
    /// Finite results may be rounded otherwise, for this reason. NaN, infinities, and zeros with their signs are the same.
    Rounded(&'static str),
    /// A product is not rounded, for this reason. The result is that of the pattern in higher precision, rounded once.
    Fused(&'static str),
}

/// Makes rules of rows: `pattern if guards => replacement;`, with the effect on floats behind the replacement.
macro_rules! rules {
    ($($pattern:tt $(if $($guard:ident($($var:ident),*))&&+)? => $replacement:tt $($floats:ident $(($why:literal))?)?;)*) => {
        &[$($crate::rewrite::Rule {
            text: concat!(stringify!($pattern), " => ", stringify!($replacement)),
            pattern: $crate::rewrite::term!($pattern),
            guards: &[$($($crate::rewrite::guards::$guard(&[$($crate::rewrite::vars::$var),*])),+)?],
            replacement: $crate::rewrite::term!($replacement),
            floats: $crate::rewrite::floats!($($floats $(($why))?)?),
        }),*]
    };
}
pub(crate) use rules;

/// The effect on floats of a row.
macro_rules! floats {
    () => {
        $crate::rewrite::Floats::None
    };
    (exact) => {
        $crate::rewrite::Floats::Exact
    };
    (rounded ($why:literal)) => {
        $crate::rewrite::Floats::Rounded($why)
    };
    (fused ($why:literal)) => {
        $crate::rewrite::Floats::Fused($why)
    };
}
pub(crate) use floats;

/// One term of a row.
macro_rules! term {
    (true) => { $crate::rewrite::Term::Int(1) };
    (false) => { $crate::rewrite::Term::Int(0) };
    (ones) => { $crate::rewrite::Term::Int(-1) };
    (undef) => { $crate::rewrite::Term::Undef };
    (0.0) => { $crate::rewrite::Term::Float(0.0) };
    (1.0) => { $crate::rewrite::Term::Float(1.0) };
    ($int:literal) => { $crate::rewrite::Term::Int($int) };
    ($var:ident) => { $crate::rewrite::Term::Var($crate::rewrite::vars::$var) };
    (($op:ident . $ty:ident $($args:tt)*)) => {
        $crate::rewrite::Term::Op(
            $crate::rewrite::ops::$op, $crate::rewrite::types::$ty, $crate::rewrite::terms!([] $($args)*))
    };
    (($op:ident $($args:tt)*)) => {
        $crate::rewrite::Term::Op(
            $crate::rewrite::ops::$op, $crate::rewrite::types::same, $crate::rewrite::terms!([] $($args)*))
    };
}
pub(crate) use term;

/// The operands of a term.
macro_rules! terms {
    ([$($done:expr),*]) => { &[$($done),*] };
    ([$($done:expr),*] # $var:ident $($rest:tt)*) => {
        $crate::rewrite::terms!([$($done,)* $crate::rewrite::Term::Const($crate::rewrite::vars::$var)] $($rest)*)
    };
    ([$($done:expr),*] - 1.0 $($rest:tt)*) => {
        $crate::rewrite::terms!([$($done,)* $crate::rewrite::Term::Float(-1.0)] $($rest)*)
    };
    ([$($done:expr),*] - 0.0 $($rest:tt)*) => {
        $crate::rewrite::terms!([$($done,)* $crate::rewrite::Term::Float(-0.0)] $($rest)*)
    };
    ([$($done:expr),*] $var:ident @ $term:tt $($rest:tt)*) => {
        $crate::rewrite::terms!([$($done,)*
            $crate::rewrite::Term::Named($crate::rewrite::vars::$var, &$crate::rewrite::term!($term))] $($rest)*)
    };
    ([$($done:expr),*] $term:tt $($rest:tt)*) => {
        $crate::rewrite::terms!([$($done,)* $crate::rewrite::term!($term)] $($rest)*)
    };
}
pub(crate) use terms;
