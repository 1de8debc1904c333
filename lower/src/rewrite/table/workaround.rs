//! Rules of workarounds: each set avoids one fault of a driver. `RULES` in `rewrite_rules.rs` has its gate.

use crate::rewrite::{Rule, RuleSet, rules};

/// Comparisons of signed 64-bit integers as unsigned ones, because Mesa (22.3) narrows them wrongly.
///
/// Mesa compares `(long)x < b` of an int `x` in 32 bits if it finds `b` to be a constant. It takes -2^31 for +2^31 in its check of the range:
/// `0 < (long)x` was always true, and `(long)x < 1` never. Its own passes find constants in loops, memory and joined halves, so every such
/// comparison is rewritten. Mesa leaves that alone, and LLVM makes a signed comparison of it. A sum in place of the exclusive or could be the
/// value of a counter after its step, of which Mesa then computes a wrong trip count.
pub(crate) static UNSIGNED_INT64_COMPARE: RuleSet = RuleSet::new(&[COMPARISONS]);

pub(super) const COMPARISONS: &[Rule] = rules! {
    (slt x y) if is_i64(x)
        => (ult (xor x (shl 1 (isub (width x) 1))) (xor y (shl 1 (isub (width x) 1))));
    (sle x y) if is_i64(x)
        => (ule (xor x (shl 1 (isub (width x) 1))) (xor y (shl 1 (isub (width x) 1))));
};

/// Products with a single bit as selections, because NVIDIA's compiler (580) takes the lowest bit of a 64-bit number wrongly.
///
/// That compiler selects y by the lowest bit of x in `(x & 1) * y`. Where x is the lower half of a 64-bit number, the bit is taken for set:
/// `p[(uint)wide & 1]` was `p[1]` for elements whose size is no power of two. A selection by a comparison is right.
pub(crate) static SELECT_FOR_BIT_PRODUCT: RuleSet = RuleSet::new(&[PRODUCTS_WITH_BITS]);

pub(super) const PRODUCTS_WITH_BITS: &[Rule] = rules! {
    (imul a @ (and x 1) y) => (select (ne a 0) y 0);
    (imul a @ (zext (and x 1)) y) => (select (ne a 0) y 0);
    (imul a @ (trunc (and x 1)) y) => (select (ne a 0) y 0);
};

/// Shifts of extended integers by 31 in two halves, because NVIDIA's compiler (580) multiplies by -2^31 instead.
///
/// That compiler makes `(long)x << 31` of an int a widening product of x and the int `1 << 31`, which is negative. 16 bits that are extended
/// and shifted by 15 are rewritten, too. Products by these powers of two are shifts already.
pub(crate) static SPLIT_SHIFT_BY_31: RuleSet = RuleSet::new(&[SHIFTS]);

pub(super) const SHIFTS: &[Rule] = rules! {
    (shl a @ (sext x) #k) if is_i32(x) && twice_the_width(a, x) && is_last_bit(k, x)
        => (or (shl (zext.a (ashr x 1)) (iadd k 1)) (zext.a (shl x (trunc.x k))));
    (shl (ashr b @ (shl x #j) #j) #k) if is_i32(x) && is_half_width(j) && is_one_less(k, j) => (ashr b 1);
};
