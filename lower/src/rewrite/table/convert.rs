//! Rules of conversions and bit casts.

use crate::rewrite::{Rule, rules};

pub(crate) const RULES: &[Rule] = rules! {
    (trunc undef) => 0;
    (zext undef) => 0;
    (sext undef) => 0;

    // Two conversions.
    (trunc (zext x)) => x;
    (trunc (zext x)) if narrows(x) => (trunc x);
    (trunc (zext x)) if widens(x) => (zext x);
    (trunc (sext x)) => x;
    (trunc (sext x)) if narrows(x) => (trunc x);
    (trunc (sext x)) if widens(x) => (sext x);
    (trunc (trunc x)) => (trunc x);
    (zext (zext x)) => (zext x);
    (sext (sext x)) => (sext x);
    (sext a @ (zext x)) if wider(a, x) => (zext x);
    // The low bits of a word: a mask. Wider conversions stay, because they say that 32 bits are enough.
    (zext a @ (trunc x)) if is_i32(x) => (and x (mask a));
    // Widening loses nothing.
    (ftof a @ (ftof x)) if wider(a, x) => x exact;
    (bitcast (bitcast x)) => (bitcast x);

    // Floats of extended words.
    (utof (zext.i64 x)) if is_i32(x) => (utof x) exact;
    (stof (zext.i64 x)) if is_i32(x) => (utof x) exact;
    (stof (sext.i64 x)) if is_i32(x) => (stof x) exact;
};
