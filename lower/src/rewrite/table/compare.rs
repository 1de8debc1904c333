//! Rules of comparisons and selections.

use crate::rewrite::{Rule, rules};

pub(crate) const RULES: &[Rule] = rules! {
    (not (icmp x y)) => (icmp_not x y);
    (not (fcmp x y)) => (fcmp_not x y) exact;

    // Comparisons with the least and the second unsigned integer.
    (ult x 0) => false;
    (uge x 0) => true;
    (ugt x 0) => (ne x 0);
    (uge x 1) => (ne x 0);
    (ule x 0) => (eq x 0);
    (ult x 1) => (eq x 0);

    // Sums and differences.
    (eq (isub x y) 0) => (eq x y);
    (ne (isub x y) 0) => (ne x y);
    (eq (xor x y) 0) => (eq x y);
    (ne (xor x y) 0) => (ne x y);
    (eq (iadd x #j) #k) => (eq x (isub k j));
    (ne (iadd x #j) #k) => (ne x (isub k j));

    // Extended integers.
    (icmp (zext x) (zext y)) if legal(x) => (icmp_unsigned x y);
    (icmp (sext x) (sext y)) if legal(x) => (icmp x y);
    (icmp (zext x) #k) if fits_width(k, x) && legal(x) => (icmp_unsigned x (trunc.x k));
    (icmp (sext x) #k) if fits_signed(k, x) && legal(x) => (icmp x (trunc.x k));

    // Selections.
    (select c x x) => x;
    (select c x undef) => x;
    (select c undef x) => x;
    (select true x y) => x;
    (select false x y) => y;
    (select (not c) x y) => (select c y x);
    (select c (select c x y) z) => (select c x z);
    (select c x (select c y z)) => (select c x z);
    (select (eq x 0) 1 x) if legal(x) => (umax x 1);
    (select (ne x 0) x 1) if legal(x) => (umax x 1);
    // A selection between truth values is a logical operation.
    (select c true false) => c;
    (select c false true) => (not c);
    (select c true x) => (or c x);
    (select c x false) => (and c x);
    (select c false x) => (and (not c) x);
    (select c x true) => (or (not c) x);
};
