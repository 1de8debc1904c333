//! Where a driver takes `x * 0` for 0 whatever x is, the product is made of x's bits: 0 with the sign of a product, and a NaN if x is an
//! infinity or a NaN (IEEE 754, which OpenCL C §7.1 asks for; no option of clBuildProgram but -cl-finite-math-only lets it be).
//!
//! Lanes count one by one: llvmpipe takes vectors apart and finds the zeros among the lanes.

use super::PassContext;
use super::rewrite::{Rewriter, replace_each};
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, FloatCC, Function, Inst, InstKind, IntCC, Module, Scalar, Type, Value};

/// Rewrites the products with zeros of every function, for the drivers that need it.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    if context.target.quirks.zero_products {
        let wide = context.target.features.shader_int64;
        module.functions.values_mut().for_each(|f| rewrite(f, wide));
    }
    Ok(())
}

/// `wide`: whether there are 64-bit integers, without which products of doubles stay as they are.
fn rewrite(function: &mut Function, wide: bool) {
    replace_each(function, |f, inst| product(f, inst, wide), |rw, _, product| product.by_bits(rw));
}

/// A product with zeros among the lanes of one factor.
struct Product {
    factor: Value,
    zeros: Value,
    /// Whether all lanes of `zeros` are.
    all: bool,
    /// What is added to it.
    plus: Option<Value>,
}

fn product(f: &Function, inst: Inst, wide: bool) -> Option<Product> {
    let (a, b, plus) = match f.insts[inst].kind {
        InstKind::Binary(BinaryOp::FMul, a, b) => (a, b, None),
        InstKind::Fma(a, b, c) => (a, b, Some(c)),
        _ => return None,
    };
    if f.ty(a).scalar() == Some(Scalar::F64) && !wide {
        return None;
    }
    let of = |factor, zeros| zeros_among(f, zeros).map(|all| Product { factor, zeros, all, plus });
    of(a, b).or_else(|| of(b, a))
}

/// Whether some lanes of a value are known to be zeros, and then whether all are.
fn zeros_among(f: &Function, value: Value) -> Option<bool> {
    let zero = |v: Value| f.const_bits(v).is_some_and(|bits| bits & !sign(f.ty(v)) == 0);
    if zero(value) {
        return Some(true);
    }
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Construct(parts)) if parts.iter().any(|p| zeros_among(f, *p).is_some()) => Some(false),
        _ => None,
    }
}

/// The sign's bit of a float.
fn sign(ty: Type) -> u64 {
    1 << (ty.scalar().map_or(32, Scalar::bits) - 1)
}

impl Product {
    fn by_bits(&self, rw: &mut Rewriter<'_>) -> InstKind {
        let ty = rw.f.ty(self.factor);
        let zero = if ty.scalar() == Some(Scalar::F16) {
            // Exact both ways, and there may be no 16-bit integers.
            let wider = ty.with_scalar(Scalar::F32);
            let [factor, zeros] =
                [self.factor, self.zeros].map(|v| rw.convert(ConvertOp::FloatToFloat, v, wider));
            let zero = signed_zero(rw, factor, zeros);
            rw.convert(ConvertOp::FloatToFloat, zero, ty)
        } else {
            signed_zero(rw, self.factor, self.zeros)
        };
        let fixed = match self.plus {
            Some(other) => InstKind::Binary(BinaryOp::FAdd, zero, other),
            // Nothing is lost: -0 + -0 is -0.
            None => InstKind::Binary(BinaryOp::FAdd, zero, zero),
        };
        if self.all {
            return fixed;
        }
        let fixed = rw.inst(fixed, ty);
        let plain = match self.plus {
            Some(other) => InstKind::Fma(self.factor, self.zeros, other),
            None => InstKind::Binary(BinaryOp::FMul, self.factor, self.zeros),
        };
        let plain = rw.inst(plain, ty);
        let none = rw.iconst(ty, 0);
        let is_zero = InstKind::FCmp(FloatCC::OEq, self.zeros, none);
        let is_zero = rw.inst(is_zero, ty.with_scalar(Scalar::Bool));
        InstKind::Select(is_zero, fixed, plain)
    }
}

/// `factor * zeros` where `zeros` is a zero: a zero with the sign of a product, or a NaN.
fn signed_zero(rw: &mut Rewriter<'_>, factor: Value, zeros: Value) -> Value {
    let ty = rw.f.ty(factor);
    let (bits, exponent, nan) = match ty.scalar() {
        Some(Scalar::F64) => (ty.with_scalar(Scalar::I64), 0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000),
        _ => (ty.with_scalar(Scalar::I32), 0x7f80_0000, 0x7fc0_0000),
    };
    let [x, zeros] = [factor, zeros].map(|v| rw.bitcast(v, bits));
    let signs = rw.binary(BinaryOp::Xor, x, zeros);
    let zero = rw.binary_const(BinaryOp::And, signs, sign(ty));
    let all_ones = rw.iconst(bits, exponent);
    let above = rw.binary(BinaryOp::And, x, all_ones);
    let special = rw.icmp(IntCC::Eq, above, all_ones);
    let nan = rw.iconst(bits, nan);
    let result = rw.inst(InstKind::Select(special, nan, zero), bits);
    rw.bitcast(result, ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    fn rewritten(ty: &str, body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: {ty}, v1: f32):\n{body}  return(v9)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        module.functions.values_mut().for_each(|f| rewrite(f, true));
        module.to_string()
    }

    #[test]
    fn zeros_are_made_of_bits() {
        for zero in ["0.0", "-0.0"] {
            let product = rewritten("f32", &format!("  v9: f32 = fmul f32:{zero}, v0\n"));
            assert!(product.contains("select") && !product.contains("fmul"), "{product}");
        }
        let sum = rewritten("f32", "  v9: f32 = fma v0, f32:0.0, v1\n");
        assert!(sum.contains("v9: f32 = fadd") && !sum.contains("fma"), "{sum}");
        let lanes = "  v2: f32x2 = construct (v1, f32:0.0)\n  v9: f32x2 = fmul v0, v2\n";
        let lanes = rewritten("f32x2", lanes);
        assert!(lanes.contains("v9: f32x2 = select") && lanes.contains("fmul"), "{lanes}");
    }

    #[test]
    fn other_products_stay() {
        let product = rewritten("f32", "  v9: f32 = fmul f32:1.0, v0\n");
        assert!(product.contains("fmul") && !product.contains("select"), "{product}");
    }
}
