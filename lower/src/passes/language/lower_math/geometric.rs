//! Lowering of the common and geometric functions (OpenCL C §6.15.4, §6.15.5).

use super::Call;
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, FloatCC, InstKind, IntCC, Scalar, Type, UnaryOp, Value};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;
use spirv::OpenclStd100Op as CLOp;

/// GLSL.std.450 numbers used here.
mod glsl {
    pub const SQRT: u32 = 31;
    pub const INVERSE_SQRT: u32 = 32;
    pub const FMIN: u32 = 37;
    pub const FMAX: u32 = 40;
}

/// Rewrites a common or geometric function. `None` for others.
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
        CLOp::length | CLOp::distance | CLOp::normalize => in_range(rw, call, x)?,
        CLOp::fast_length => length(rw, x),
        CLOp::fast_distance => {
            let difference = rw.binary(BinaryOp::FSub, x, y()?);
            length(rw, difference)
        }
        CLOp::fast_normalize => fast_normalize(rw, x),
        _ => return Ok(None),
    }))
}

/// `length`, `distance` and `normalize`. Their squares may neither overflow nor vanish. Squares of halves cannot in float.
fn in_range(rw: &mut Rewriter<'_>, call: &Call<'_>, x: Value) -> Result<Value, LowerError> {
    let of_half = rw.f.ty(x).scalar() == Some(Scalar::F16);
    let widened = |rw: &mut Rewriter<'_>, v: Value| {
        let ty = rw.f.ty(v);
        if of_half { rw.convert(ConvertOp::FloatToFloat, v, ty.with_scalar(Scalar::F32)) } else { v }
    };
    let mut v = widened(rw, x);
    if call.op == CLOp::distance {
        let y = widened(rw, call.arg(1)?);
        v = rw.binary(BinaryOp::FSub, v, y);
    }
    let lanes = rw.f.ty(v).lanes();
    let result = match (call.op, lanes, of_half) {
        (CLOp::normalize, 1, _) => direction(rw, v),
        (CLOp::normalize, ..) => normalize(rw, v, of_half),
        (_, 1, _) | (_, _, true) => length(rw, v),
        _ => scaled_length(rw, v),
    };
    Ok(if of_half { rw.convert(ConvertOp::FloatToFloat, result, call.ty) } else { result })
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

/// 1 with the sign of x, x itself for ±0, 0 for NaN. The function works on bits: comparisons may take a denormal for zero.
fn sign(rw: &mut Rewriter<'_>, x: Value) -> Value {
    let ty = rw.f.ty(x);
    let int = super::integer::bits_type(ty);
    let (zero, one) = (rw.fconst(ty, 0.0), rw.fconst(ty, 1.0));
    let unit = super::float::copysign(rw, one, x);
    let bits = rw.bitcast(x, int);
    let magnitude =
        rw.binary_const(BinaryOp::And, bits, (1 << (int.scalar().map_or(32, Scalar::bits) - 1)) - 1);
    let none = rw.iconst(int, 0);
    let is_zero = rw.icmp(IntCC::Eq, magnitude, none);
    let nan = rw.inst(InstKind::Unary(UnaryOp::IsNan, x), ty.with_scalar(Scalar::Bool));
    let rest = rw.inst(InstKind::Select(is_zero, x, unit), ty);
    rw.inst(InstKind::Select(nan, zero, rest), ty)
}

/// The cross product of the first three lanes; a fourth lane is 0.
fn cross(rw: &mut Rewriter<'_>, a: Value, b: Value, ty: Type) -> Value {
    let lanes = ty.lanes();
    let rotated = |rw: &mut Rewriter<'_>, v: Value, order: [u8; 3]| {
        let mask = order.iter().map(|l| Some(*l)).collect();
        rw.inst(InstKind::Shuffle(v, v, mask), Type::new(ty.scalar().unwrap_or(Scalar::F32), 3))
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
    // The lanes are separate, so that products and sums can be fused (`fma_contraction`).
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
        return rw.inst(InstKind::Unary(UnaryOp::FAbs, v), ty);
    }
    let square = dot(rw, v, v);
    let element = ty.element();
    rw.glsl(glsl::SQRT, &[square], element)
}

/// The largest magnitude of a vector's lanes. Any value if a lane is NaN.
fn largest(rw: &mut Rewriter<'_>, v: Value) -> Value {
    let (ty, element) = (rw.f.ty(v), rw.f.ty(v).element());
    let sizes = rw.inst(InstKind::Unary(UnaryOp::FAbs, v), ty);
    let mut max_magnitude = rw.extract(sizes, 0);
    for lane in 1..ty.lanes() {
        let size = rw.extract(sizes, lane);
        max_magnitude = rw.glsl(glsl::FMAX, &[max_magnitude, size], element);
    }
    max_magnitude
}

/// The constants that make a scale, a power of two, of the largest lane's bits.
/// With the scale no lane's square is infinite, and the largest lane's is not too small.
/// The scale depends on e, the exponent without its two lowest bits. A denormal has e = 0, an infinity the largest multiple of 4.
struct Scales {
    exponent: u64,
    /// The bits of an exponent that stays a normal number's after e is subtracted, and so does its double.
    /// The scaled largest lane is in [1/2, 8), or is a denormal × 2^126.
    down: u64,
    /// The bits of an exponent of 1.
    one: u64,
}

impl Scales {
    fn for_scalar(scalar: Option<Scalar>) -> Self {
        match scalar {
            Some(Scalar::F64) => Scales { exponent: 0x7fc << 52, down: 2045 << 52, one: 1 << 52 },
            _ => Scales { exponent: 0xfc << 23, down: 253 << 23, one: 1 << 23 },
        }
    }

    /// e of the largest lane.
    fn exponent(&self, rw: &mut Rewriter<'_>, max_magnitude: Value) -> Value {
        let bits = rw.bitcast(max_magnitude, super::integer::bits_type(rw.f.ty(max_magnitude)));
        rw.binary_const(BinaryOp::And, bits, self.exponent)
    }
}

fn splat(rw: &mut Rewriter<'_>, scalar: Value, ty: Type) -> Value {
    rw.inst(InstKind::Construct(SmallVec::from_slice(&[scalar])), ty)
}

/// The length, from the squares of the vector times a power of two.
fn scaled_length(rw: &mut Rewriter<'_>, v: Value) -> Value {
    let (ty, element) = (rw.f.ty(v), rw.f.ty(v).element());
    let scales = Scales::for_scalar(ty.scalar());
    let max_magnitude = largest(rw, v);
    let exponent = scales.exponent(rw, max_magnitude);
    let int = rw.f.ty(exponent);
    let down = rw.iconst(int, scales.down);
    let down = rw.binary(BinaryOp::ISub, down, exponent);
    let back = rw.binary_const(BinaryOp::IAdd, exponent, scales.one);
    let (down, back) = (rw.bitcast(down, element), rw.bitcast(back, element));
    let down = splat(rw, down, ty);
    let v = rw.binary(BinaryOp::FMul, v, down);
    let root = length(rw, v);
    rw.binary(BinaryOp::FMul, root, back)
}

/// v / |v|, and v itself for a zero vector. In a vector with infinities only these count, as ones with their signs.
/// A vector with a NaN gives NaNs (OpenCL C §7.5.1).
/// The scaled largest lane is above 1, so a much smaller lane loses nothing that its result needs.
/// Squares of halves need no scale.
fn normalize(rw: &mut Rewriter<'_>, v: Value, of_half: bool) -> Value {
    let (ty, element) = (rw.f.ty(v), rw.f.ty(v).element());
    let int = super::integer::bits_type(element);
    let max_magnitude = largest(rw, v);
    let down = if of_half {
        rw.iconst(int, u64::from(1f32.to_bits()))
    } else {
        let scales = Scales::for_scalar(ty.scalar());
        let exponent = scales.exponent(rw, max_magnitude);
        let down = rw.iconst(int, scales.down + scales.one);
        rw.binary(BinaryOp::ISub, down, exponent)
    };
    // Finite lanes beside an infinity become 0. Infinite lanes are replaced below, because infinity × 0 is NaN.
    let any = rw.inst(InstKind::Unary(UnaryOp::IsInf, max_magnitude), element.with_scalar(Scalar::Bool));
    let nothing = rw.iconst(int, 0);
    let down = rw.inst(InstKind::Select(any, nothing, down), int);
    let down = rw.bitcast(down, element);
    let down = splat(rw, down, ty);
    let part = rw.binary(BinaryOp::FMul, v, down);
    let infinite = rw.inst(InstKind::Unary(UnaryOp::IsInf, v), ty.with_scalar(Scalar::Bool));
    let one = rw.fconst(ty, 1.0);
    let unit = super::float::copysign(rw, one, v);
    let v = rw.inst(InstKind::Select(infinite, unit, part), ty);
    // A zero vector must not be multiplied by an infinity. The maximum is on bits, so that a NaN stays one.
    // No other square is below the limit, not even that of the smallest double.
    let square = dot(rw, v, v);
    let square = rw.bitcast(square, int);
    let least = rw.fconst(element, 2f64.powi(-120));
    let least = rw.bitcast(least, int);
    let square = rw.binary(BinaryOp::UMax, square, least);
    let square = rw.bitcast(square, element);
    let factor = inverse_root(rw, square);
    let factor = splat(rw, factor, ty);
    rw.binary(BinaryOp::FMul, v, factor)
}

/// v / |v| from the plain squares, and v itself if the square is zero.
fn fast_normalize(rw: &mut Rewriter<'_>, v: Value) -> Value {
    if rw.f.ty(v).lanes() == 1 { direction(rw, v) } else { by_inverse(rw, v) }
}

/// A normalised scalar: 1 with its sign. Zero and NaN stay.
fn direction(rw: &mut Rewriter<'_>, x: Value) -> Value {
    let ty = rw.f.ty(x);
    let (zero, one) = (rw.fconst(ty, 0.0), rw.fconst(ty, 1.0));
    let unit = super::float::copysign(rw, one, x);
    let equal = fcmp(rw, FloatCC::OEq, x, zero);
    let nan = rw.inst(InstKind::Unary(UnaryOp::IsNan, x), ty.with_scalar(Scalar::Bool));
    let itself = rw.binary(BinaryOp::Or, equal, nan);
    rw.inst(InstKind::Select(itself, x, unit), ty)
}

fn by_inverse(rw: &mut Rewriter<'_>, v: Value) -> Value {
    let ty = rw.f.ty(v);
    let element = ty.element();
    let square = dot(rw, v, v);
    let inverse = inverse_root(rw, square);
    let (zero, one) = (rw.fconst(element, 0.0), rw.fconst(element, 1.0));
    let is_zero = fcmp(rw, FloatCC::OEq, square, zero);
    let factor = rw.inst(InstKind::Select(is_zero, one, inverse), element);
    let factor = splat(rw, factor, ty);
    rw.binary(BinaryOp::FMul, v, factor)
}

fn inverse_root(rw: &mut Rewriter<'_>, square: Value) -> Value {
    let ty = rw.f.ty(square);
    if ty.scalar() != Some(Scalar::F64) {
        return rw.glsl(glsl::INVERSE_SQRT, &[square], ty);
    }
    // Vulkan specifies the precision of InverseSqrt for 16 and 32 bits only.
    let root = rw.glsl(glsl::SQRT, &[square], ty);
    let one = rw.fconst(ty, 1.0);
    rw.binary(BinaryOp::FDiv, one, root)
}

impl Rewriter<'_> {
    /// A GLSL.std.450 instruction.
    pub(super) fn glsl(&mut self, number: u32, args: &[Value], ty: Type) -> Value {
        self.inst(InstKind::Glsl { number, args: SmallVec::from_slice(args) }, ty)
    }
}
