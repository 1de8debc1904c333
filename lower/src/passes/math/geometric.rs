//! Common and geometric functions (OpenCL C §6.15.4, §6.15.5).

use super::Call;
use crate::error::LowerError;
use crate::ir::{BinaryOp, Constant, FloatCC, InstKind, Scalar, Type, Value};
use crate::passes::rewrite::Rewriter;
use smallvec::SmallVec;
use spirv::OpenclStd100Op as CLOp;

/// GLSL.std.450 numbers used here.
mod glsl {
    pub const SQRT: u32 = 31;
    pub const INVERSE_SQRT: u32 = 32;
    pub const FMIN: u32 = 37;
    pub const FMAX: u32 = 40;
}

/// Rewrites a common or geometric function; `None` for others.
pub(super) fn rewrite(rw: &mut Rewriter<'_>, call: &Call<'_>) -> Result<Option<Value>, LowerError> {
    let Some(x) = call.args.first().copied() else { return Ok(None) };
    let y = || call.arg(1);
    let ty = call.ty;
    Ok(Some(match call.op {
        CLOp::fclamp => {
            let at_least = rw.glsl(glsl::FMAX, &[x, y()?], ty);
            rw.glsl(glsl::FMIN, &[at_least, call.arg(2)?], ty)
        }
        CLOp::fmax_common => rw.glsl(glsl::FMAX, &[x, y()?], ty),
        CLOp::fmin_common => rw.glsl(glsl::FMIN, &[x, y()?], ty),
        CLOp::degrees => times(rw, x, 180.0 / std::f64::consts::PI),
        CLOp::radians => times(rw, x, std::f64::consts::PI / 180.0),
        CLOp::mix => {
            let difference = rw.binary(BinaryOp::FSub, y()?, x);
            let part = rw.binary(BinaryOp::FMul, difference, call.arg(2)?);
            rw.binary(BinaryOp::FAdd, x, part)
        }
        CLOp::step => {
            let below = fcmp(rw, FloatCC::OLt, y()?, x);
            let (zero, one) = (rw.fconst(ty, 0.0), rw.fconst(ty, 1.0));
            rw.inst(InstKind::Select(below, zero, one), ty)
        }
        CLOp::smoothstep => smoothstep(rw, x, y()?, call.arg(2)?),
        CLOp::sign => sign(rw, x),
        CLOp::cross => cross(rw, x, y()?, ty),
        CLOp::length | CLOp::fast_length => length(rw, x),
        CLOp::distance | CLOp::fast_distance => {
            let difference = rw.binary(BinaryOp::FSub, x, y()?);
            length(rw, difference)
        }
        CLOp::normalize | CLOp::fast_normalize => normalize(rw, x),
        _ => return Ok(None),
    }))
}

/// A float comparison, lane by lane.
pub(super) fn fcmp(rw: &mut Rewriter<'_>, cc: FloatCC, a: Value, b: Value) -> Value {
    let ty = rw.f.ty(a).with_scalar(Scalar::Bool);
    rw.inst(InstKind::FCmp(cc, a, b), ty)
}

fn times(rw: &mut Rewriter<'_>, x: Value, factor: f64) -> Value {
    let factor = rw.fconst(rw.f.ty(x), factor);
    rw.binary(BinaryOp::FMul, x, factor)
}

fn smoothstep(rw: &mut Rewriter<'_>, low: Value, high: Value, x: Value) -> Value {
    let ty = rw.f.ty(x);
    let above = rw.binary(BinaryOp::FSub, x, low);
    let range = rw.binary(BinaryOp::FSub, high, low);
    let t = rw.binary(BinaryOp::FDiv, above, range);
    let (zero, one) = (rw.fconst(ty, 0.0), rw.fconst(ty, 1.0));
    let t = rw.glsl(glsl::FMAX, &[t, zero], ty);
    let t = rw.glsl(glsl::FMIN, &[t, one], ty);
    let twice = times(rw, t, 2.0);
    let three = rw.fconst(ty, 3.0);
    let rest = rw.binary(BinaryOp::FSub, three, twice);
    let square = rw.binary(BinaryOp::FMul, t, t);
    rw.binary(BinaryOp::FMul, square, rest)
}

/// 1 with the sign of x; x itself for ±0; 0 for NaN.
fn sign(rw: &mut Rewriter<'_>, x: Value) -> Value {
    let ty = rw.f.ty(x);
    let [zero, one, minus] = [0.0, 1.0, -1.0].map(|v| rw.fconst(ty, v));
    let positive = fcmp(rw, FloatCC::OGt, x, zero);
    let negative = fcmp(rw, FloatCC::OLt, x, zero);
    let nan = rw.inst(InstKind::Unary(crate::ir::UnaryOp::IsNan, x), ty.with_scalar(Scalar::Bool));
    let rest = rw.inst(InstKind::Select(nan, zero, x), ty);
    let below = rw.inst(InstKind::Select(negative, minus, rest), ty);
    rw.inst(InstKind::Select(positive, one, below), ty)
}

/// The cross product of the first three lanes; a fourth lane is 0.
fn cross(rw: &mut Rewriter<'_>, a: Value, b: Value, ty: Type) -> Value {
    let lanes = ty.lanes();
    let rotated = |rw: &mut Rewriter<'_>, v: Value, order: [u8; 3]| {
        let mask = order.iter().map(|l| Some(*l)).collect();
        rw.inst(InstKind::Shuffle(v, v, mask), Type::of(ty.scalar().unwrap_or(Scalar::F32), 3))
    };
    let (a1, b1) = (rotated(rw, a, [1, 2, 0]), rotated(rw, b, [2, 0, 1]));
    let (a2, b2) = (rotated(rw, a, [2, 0, 1]), rotated(rw, b, [1, 2, 0]));
    let left = rw.binary(BinaryOp::FMul, a1, b1);
    let right = rw.binary(BinaryOp::FMul, a2, b2);
    let product = rw.binary(BinaryOp::FSub, left, right);
    if lanes == 3 {
        return product;
    }
    let zero = rw.fconst(ty.element(), 0.0);
    rw.construct(&[product, zero], ty)
}

/// The dot product.
fn dot(rw: &mut Rewriter<'_>, a: Value, b: Value) -> Value {
    let lanes = rw.f.ty(a).lanes();
    let mut sum = None;
    // Lane by lane, so that products and sums can be fused (`contract`).
    for lane in 0..lanes {
        let (x, y) = if lanes == 1 { (a, b) } else { (rw.extract(a, lane), rw.extract(b, lane)) };
        let product = rw.binary(BinaryOp::FMul, x, y);
        sum = Some(sum.map_or(product, |sum| rw.binary(BinaryOp::FAdd, sum, product)));
    }
    sum.unwrap_or(a)
}

fn length(rw: &mut Rewriter<'_>, v: Value) -> Value {
    let ty = rw.f.ty(v);
    if ty.lanes() == 1 {
        return rw.inst(InstKind::Unary(crate::ir::UnaryOp::FAbs, v), ty);
    }
    let square = dot(rw, v, v);
    let element = ty.element();
    rw.glsl(glsl::SQRT, &[square], element)
}

/// v / |v|; v itself for a zero vector.
fn normalize(rw: &mut Rewriter<'_>, v: Value) -> Value {
    let ty = rw.f.ty(v);
    if ty.lanes() == 1 {
        return sign(rw, v);
    }
    let element = ty.element();
    let square = dot(rw, v, v);
    let inverse = rw.glsl(glsl::INVERSE_SQRT, &[square], element);
    let zero = rw.fconst(element, 0.0);
    let one = rw.fconst(element, 1.0);
    let is_zero = fcmp(rw, FloatCC::OEq, square, zero);
    let factor = rw.inst(InstKind::Select(is_zero, one, inverse), element);
    let factor = rw.inst(InstKind::Construct(SmallVec::from_slice(&[factor])), ty);
    rw.binary(BinaryOp::FMul, v, factor)
}

impl Rewriter<'_> {
    /// A GLSL.std.450 instruction.
    pub(super) fn glsl(&mut self, number: u32, args: &[Value], ty: Type) -> Value {
        self.inst(InstKind::Glsl { number, args: SmallVec::from_slice(args) }, ty)
    }

    /// A float constant, in every lane.
    pub(super) fn fconst(&mut self, ty: Type, value: f64) -> Value {
        let bits = match ty.scalar() {
            Some(Scalar::F64) => value.to_bits(),
            Some(Scalar::F16) => half::f16::from_f64(value).to_bits().into(),
            _ => u64::from((value as f32).to_bits()),
        };
        self.f.constant(ty, Constant::Bits(bits))
    }
}
