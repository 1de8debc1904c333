//! Rules of overflow checks.

use crate::rewrite::{Rule, RuleSet, rules};

/// Overflow checks of products by the high half, because NVIDIA's compiler (580) fails on the usual form.
///
/// LLVM makes umul.with.overflow of a test whether the 64-bit product of two 32-bit numbers fits in 32 bits. NVIDIA's driver (580, on an H200)
/// then says "NVVM compilation failed". The test asks for the product's high half instead, which is one instruction everywhere.
pub(crate) static OVERFLOW_OF_PRODUCTS: RuleSet = RuleSet::new(&[PRODUCTS]);

/// Overflow checks of 64-bit sums by the operands' signs, because drivers get such sums wrong where they are compared with their addends.
pub(crate) static OVERFLOW_OF_SUMS: RuleSet = RuleSet::new(&[SUMS]);

pub(super) const PRODUCTS: &[Rule] = rules! {
    // Whether the product of two words fits in a word: its high half is 0.
    (ugt a @ (imul (zext x) (zext y)) #k) if words(x, y) && twice_as_wide(a, x) && mask_of_width(k, x)
        => (ne (umulhi x y) 0);
    (ule a @ (imul (zext x) (zext y)) #k) if words(x, y) && twice_as_wide(a, x) && mask_of_width(k, x)
        => (eq (umulhi x y) 0);
    (uge a @ (imul (zext x) (zext y)) #k) if words(x, y) && twice_as_wide(a, x) && power_of_width(k, x)
        => (ne (umulhi x y) 0);
    (ult a @ (imul (zext x) (zext y)) #k) if words(x, y) && twice_as_wide(a, x) && power_of_width(k, x)
        => (eq (umulhi x y) 0);
    (ne (lshr a @ (imul (zext x) (zext y)) #k) 0) if words(x, y) && twice_as_wide(a, x) && is_width(k, x)
        => (ne (umulhi x y) 0);
    (eq (lshr a @ (imul (zext x) (zext y)) #k) 0) if words(x, y) && twice_as_wide(a, x) && is_width(k, x)
        => (eq (umulhi x y) 0);
    (ne b @ (trunc (lshr a @ (imul (zext x) (zext y)) #k)) 0)
        if words(x, y) && twice_as_wide(a, x) && is_width(k, x) && same_width(b, x) => (ne (umulhi x y) 0);
    (eq b @ (trunc (lshr a @ (imul (zext x) (zext y)) #k)) 0)
        if words(x, y) && twice_as_wide(a, x) && is_width(k, x) && same_width(b, x) => (eq (umulhi x y) 0);
    (ne a @ (imul (zext x) (zext y)) (and a #k)) if words(x, y) && twice_as_wide(a, x) && mask_of_width(k, x)
        => (ne (umulhi x y) 0);
    (eq a @ (imul (zext x) (zext y)) (and a #k)) if words(x, y) && twice_as_wide(a, x) && mask_of_width(k, x)
        => (eq (umulhi x y) 0);
    (ne a @ (imul (zext x) (zext y)) (zext b @ (trunc a)))
        if words(x, y) && twice_as_wide(a, x) && same_width(b, x) => (ne (umulhi x y) 0);
    (eq a @ (imul (zext x) (zext y)) (zext b @ (trunc a)))
        if words(x, y) && twice_as_wide(a, x) && same_width(b, x) => (eq (umulhi x y) 0);
};

pub(super) const SUMS: &[Rule] = rules! {
    // Whether a sum wrapped: most of the addends and the inverted sum have the sign. Words of the high halves are no comparison that a driver
    // could take for one of the sum.
    (ult z @ (iadd x y) x) if is_i64(x)
        => (slt (or (and a @ (trunc.half (lshr x (half_width x))) b @ (trunc.half (lshr y (half_width y))))
                    (and (or a b) (trunc.half (lshr (not z) (half_width z))))) 0);
    (uge z @ (iadd x y) x) if is_i64(x)
        => (sge (or (and a @ (trunc.half (lshr x (half_width x))) b @ (trunc.half (lshr y (half_width y))))
                    (and (or a b) (trunc.half (lshr (not z) (half_width z))))) 0);
};
