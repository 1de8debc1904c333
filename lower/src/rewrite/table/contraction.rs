//! Rules of contraction: a product and a sum become one operation that rounds once.

use crate::rewrite::{Rule, rules};

pub(crate) const RULES: &[Rule] = rules! {
    // The second term is tried first: in c + a*b and in chains of sums it is the newest product.
    (fadd x a @ (fmul y z)) if single_use(a) && fuses(x) => (fma y z x) fused("FP_CONTRACT is on");
    (fsub x a @ (fmul y z)) if single_use(a) && fuses(x) => (fma (fneg y) z x) fused("FP_CONTRACT is on");
    (fsub a @ (fmul x y) z) if single_use(a) && fuses(x) => (fma x y (fneg z)) fused("FP_CONTRACT is on");
};
