//! Rules of float arithmetic. None changes a result where Vulkan's operations are correctly rounded, but for the row that says so.

use crate::rewrite::{Rule, rules};

pub(crate) const RULES: &[Rule] = rules! {
    (fneg (fneg x)) => x exact;
    (fabs (fabs x)) => (fabs x) exact;
    (fabs (fneg x)) => (fabs x) exact;
    (fmul (fneg x) #k) => (fmul x (fneg k)) exact;
    (fmul_no_contraction (fneg x) #k) => (fmul_no_contraction x (fneg k)) exact;

    // x + 0.0 is not x: the sum of -0.0 and 0.0 is 0.0.
    (fadd x -0.0) => x exact;
    (fsub x 0.0) => x exact;
    (fmul x 1.0) => x exact;
    (fmul x -1.0) => (fneg x) exact;
    (fmul_no_contraction x 1.0) => x exact;
    (fmul_no_contraction x -1.0) => (fneg x) exact;
    (fdiv x 1.0) => x exact;
    (fdiv x -1.0) => (fneg x) exact;

    // A product with an infinity is the quotient by that zero, for zeros and NaN, too. Mesa 22's llvmpipe folds every quotient by a constant
    // zero to 0.
    (fdiv x #k) if float_zero(k) => (fmul x (fdiv 1.0 k)) exact;
    (fdiv x #k) if exact_reciprocal(k) => (fmul x (fdiv 1.0 k)) exact;
    (fdiv x (select c #j #k)) if exact_reciprocal(j, k) => (fmul x (select c (fdiv 1.0 j) (fdiv 1.0 k))) exact;
    (fdiv 1.0 (sqrt x)) if is_f32(x) => (inverse_sqrt x)
        rounded("OpenCL C (7.4) allows 2.5 and 3 ulp for the two, and Vulkan's InverseSqrt has 2");
};
