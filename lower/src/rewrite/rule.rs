//! A rule, and the macros that read the rows of the table.

use super::guards::Guard;
use super::pattern::Term;

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
