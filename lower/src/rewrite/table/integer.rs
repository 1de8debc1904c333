//! Rules of integer arithmetic, bitwise operations and shifts.

use crate::rewrite::{Rule, rules};

pub(crate) const RULES: &[Rule] = rules! {
    // Sums and differences.
    (iadd x 0) => x;
    (iadd x (ineg y)) => (isub x y);
    (iadd (iadd x #j) #k) => (iadd x (iadd j k));
    // Addresses whose constants come last share the rest of the sum, and the access adds the constant.
    (iadd x (iadd y #k)) if is_i64(x) && computed(x) => (iadd (iadd x y) k);
    (isub x x) => 0;
    (isub x 0) => x;
    (isub 0 x) => (ineg x);
    (isub x (ineg y)) => (iadd x y);
    (isub x #k) => (iadd x (ineg k));
    (ineg (ineg x)) => x;
    (ineg (isub x y)) => (isub y x);

    // Products and quotients.
    (imul x 0) => 0;
    (imul x 1) => x;
    (imul x ones) => (ineg x);
    (imul x (select c 1 0)) => (select c x 0);
    (imul x (select c 0 1)) => (select c 0 x);
    (imul x #k) if power_of_two(k) && integer(k) => (shl x (ctz k));
    (imul (imul x #j) #k) => (imul x (imul j k));
    (imul (shl x #j) #k) if below_width(j) => (imul x (shl k j));
    // Steps of a recurrence become one.
    (imul (iadd (imul x #j) #k) #m) => (iadd (imul x (imul j m)) (imul k m));
    (udiv x 1) => x;
    (udiv x #k) if power_of_two(k) && integer(k) => (lshr x (ctz k));
    (urem x 1) => 0;
    (urem x #k) if power_of_two(k) && integer(k) => (and x (isub k 1));
    (sdiv x 1) => x;
    (sdiv x y) if not_negative(y) && not_negative(x) => (udiv x y);
    (srem x 1) => 0;
    (srem x y) if not_negative(y) && not_negative(x) => (urem x y);

    // Masks.
    (and x x) => x;
    (and undef #k) => 0;
    (and x 0) => 0;
    (and x ones) => x;
    (and (sext x) #k) if mask_of_width(k, x) => (zext x);
    (and x #k) if within(x, k) => x;
    (and x #k) if disjoint(x, k) => 0;
    (and (or x y) #k) if disjoint(y, k) => (and x k);
    (and (xor x y) #k) if disjoint(y, k) => (and x k);
    // The low bits of a sum do not depend on an operand that has none. Constants stay: `merge_stores/insert.rs` recognises bytes in words by
    // them.
    (and (iadd x y) #k) if computed(x, y) && low_mask(k) && disjoint(y, k) => (and x k);
    (and (isub x y) #k) if computed(y) && low_mask(k) && disjoint(y, k) => (and x k);
    (and (and x #j) #k) => (and x (and j k));

    // Other bitwise operations.
    (or x x) => x;
    (or x 0) => x;
    (or x ones) => ones;
    (or (or x #j) #k) => (or x (or j k));
    (xor x x) => 0;
    (xor x 0) => x;
    (xor x ones) => (not x);
    (xor (xor x #j) #k) => (xor x (xor j k));
    (not (not x)) => x;
    (bitreverse (bitreverse x)) => x;

    // Shifts.
    (shl 0 x) => 0;
    (shl undef #k) => 0;
    (shl x 0) => x;
    (shl (lshr x #k) #k) if below_width(k) => (and x (shl ones k));
    (shl (ashr x #k) #k) if below_width(k) => (and x (shl ones k));
    (shl (and (lshr x #k) #m) #k) if below_width(k) => (and x (shl m k));
    (shl (or x y) #k) if lost_by_shl(y, k) => (shl x k);
    (shl (xor x y) #k) if lost_by_shl(y, k) => (shl x k);
    (shl (and x #m) #k) if unmasked_by_shl(x, m, k) => (shl x k);
    (shl (shl x #j) #k) if below_width(j, k) && sum_below_width(j, k) => (shl x (iadd j k));
    (shl (shl x #j) #k) if below_width(j, k) && sum_reaches_width(j, k) => 0;
    (lshr 0 x) => 0;
    (lshr undef #k) => 0;
    (lshr x 0) => x;
    (lshr (shl x #k) #k) if below_width(k) => (and x (lshr ones k));
    // Mostly the upper half of an extended value.
    (lshr x @ (zext y) #k) if lost_by_lshr(x, k) => 0;
    (lshr x @ (and y z) #k) if lost_by_lshr(x, k) => 0;
    (lshr x @ (lshr y #j) #k) if lost_by_lshr(x, k) => 0;
    (lshr (or x y) #k) if lost_by_lshr(y, k) => (lshr x k);
    (lshr (xor x y) #k) if lost_by_lshr(y, k) => (lshr x k);
    (lshr (and x #m) #k) if unmasked_by_lshr(x, m, k) => (lshr x k);
    (lshr (lshr x #j) #k) if below_width(j, k) && sum_below_width(j, k) => (lshr x (iadd j k));
    (lshr (lshr x #j) #k) if below_width(j, k) && sum_reaches_width(j, k) => 0;
    (ashr 0 x) => 0;
    (ashr undef #k) => 0;
    (ashr x 0) => x;
    (ashr x #k) if not_negative(x) => (lshr x k);
    (ashr (ashr x #j) #k) if below_width(j, k) && sum_below_width(j, k) => (ashr x (iadd j k));
    (ashr (ashr x #j) #k) if below_width(j, k) && sum_reaches_width(j, k) => (ashr x (isub (width x) 1));

    // Extremes.
    (umin x x) => x;
    (umin x 0) => 0;
    (umin x ones) => x;
    (umax x x) => x;
    (umax x 0) => x;
    (umax x ones) => ones;
    (smin x x) => x;
    (smax x x) => x;
};
