//! Float division lowering: quotients whose divisor may exceed 2^126 get a divisor whose reciprocal is a normal number.
//!
//! It is a part of `lower_division`, for drivers that multiply by the reciprocal (Vulkan, "Precision and Operation of SPIR-V
//! Instructions": 2.5 ulp for divisors from 2^-126 to 2^126). NVIDIA's driver does so in modules without RoundingModeRTE. The
//! reciprocal of a larger float is a denormal, which is flushed there: 2^127 / 2^127 would be 0, and infinity / 2^127 NaN.
//!
//! ```text
//! a / b    →    s = |b| > 2^126 ? 0.25 : 1;  (a * s) / (b * s)
//! ```
//!
//! Both products are exact, but for dividends so small that the quotient is a denormal. Constant divisors, and those that were
//! integers, are known to be small.

use crate::ir::{BinaryOp, ConvertOp, FloatCC, Function, Inst, InstKind, Scalar, UnaryOp, Value};
use crate::transform::rewriter::replace_each;

/// The largest divisor whose reciprocal is a normal number.
const LARGEST: f32 = f32::from_bits(0x7e80_0000);

/// Rewrites the quotients of floats in a function.
pub fn rewrite_quotients(function: &mut Function) {
    replace_each(function, large_quotient, |rw, _, (a, b)| {
        let ty = rw.f.ty(a);
        let magnitude = rw.inst(InstKind::Unary(UnaryOp::FAbs, b), ty);
        let [limit, quarter, one] = [f64::from(LARGEST), 0.25, 1.0].map(|value| rw.fconst(ty, value));
        let is_large = InstKind::FCmp(FloatCC::OGt, magnitude, limit);
        let is_large = rw.inst(is_large, ty.with_scalar(Scalar::Bool));
        let scale = rw.inst(InstKind::Select(is_large, quarter, one), ty);
        let [a, b] = [a, b].map(|value| rw.binary(BinaryOp::FMul, value, scale));
        InstKind::Binary(BinaryOp::FDiv, a, b)
    });
}

/// The operands of a quotient of floats whose divisor may be large.
fn large_quotient(f: &Function, inst: Inst) -> Option<(Value, Value)> {
    let InstKind::Binary(BinaryOp::FDiv, a, b) = f.insts[inst].kind else { return None };
    let small = match f.def_inst(b).map(|data| &data.kind) {
        Some(kind) => matches!(kind, InstKind::Convert { op: ConvertOp::SToF | ConvertOp::UToF, .. }),
        None => f.const_bits(b).is_some_and(|bits| f32::from_bits(bits as u32).abs() <= LARGEST),
    };
    (f.ty(a).scalar() == Some(Scalar::F32) && !small).then_some((a, b))
}
