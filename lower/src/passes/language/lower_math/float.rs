//! Lowering of the math functions (OpenCL C §6.15.2).

use super::{Call, geometric::fcmp, integer::bits_type, library::Library};
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, FloatCC, InstKind, IntCC, MemFlags, Place, Scalar, UnaryOp, Value};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;
use spirv::{GlslStd450Op as G, OpenclStd100Op as CLOp};

/// Rewrites a call of half type as one of float type.
pub(super) fn in_float(
    rw: &mut Rewriter<'_>,
    call: &Call<'_>,
    library: &mut Library,
) -> Result<Option<Value>, LowerError> {
    let to_float = |rw: &mut Rewriter<'_>, v: Value| {
        let ty = rw.f.ty(v);
        if ty.scalar() == Some(Scalar::F16) {
            rw.convert(ConvertOp::FloatToFloat, v, ty.with_scalar(Scalar::F32))
        } else {
            v
        }
    };
    // These work on bits in any width, or have results of two types.
    if matches!(call.op, CLOp::nan | CLOp::maxmag | CLOp::minmag | CLOp::copysign)
        || is_pointer_function(call.op)
    {
        return Ok(None);
    }
    if call.op == CLOp::nextafter {
        return Ok(next_half(rw, call, library));
    }
    let args = call.args.iter().map(|v| to_float(rw, *v)).collect();
    if call.op == CLOp::ilogb {
        return rewrite(rw, &Call { op: call.op, args, ty: call.ty, ..*call }, library);
    }
    let wide = Call { op: call.op, args, ty: call.ty.with_scalar(Scalar::F32), ..*call };
    let result = match call.op {
        // A detour through float would round twice.
        CLOp::fma => library.call(rw, "fma_of_half", &wide.args, wide.ty),
        _ => rewrite(rw, &wide, library)?,
    };
    Ok(result.map(|v| rw.convert(ConvertOp::FloatToFloat, v, call.ty)))
}

/// `nextafter` of halves, on their bits, because floats have other neighbours.
fn next_half(rw: &mut Rewriter<'_>, call: &Call<'_>, library: &mut Library) -> Option<Value> {
    let (bits, int) = (call.ty.with_scalar(Scalar::I16), call.ty.with_scalar(Scalar::I32));
    let mut args: SmallVec<[Value; 4]> = SmallVec::new();
    for arg in &call.args {
        let arg = rw.bitcast(*arg, bits);
        args.push(rw.int_cast(arg, int, false));
    }
    let result = library.call(rw, "nextafter_h", &args, int)?;
    let result = rw.int_cast(result, bits, false);
    Some(rw.bitcast(result, call.ty))
}

fn is_pointer_function(op: CLOp) -> bool {
    matches!(op, CLOp::fract | CLOp::modf | CLOp::frexp | CLOp::sincos | CLOp::remquo | CLOp::lgamma_r)
}

/// Rewrites a math function. `None` if it has no lowering yet.
pub(super) fn rewrite(
    rw: &mut Rewriter<'_>,
    call: &Call<'_>,
    library: &mut Library,
) -> Result<Option<Value>, LowerError> {
    if call.op == CLOp::fma && library.unfused_fma {
        return Ok(fused(rw, call, library));
    }
    if let Some(value) = exact(rw, call)? {
        return Ok(Some(value));
    }
    if let Some(value) = power_by_products(rw, call) {
        return Ok(Some(value));
    }
    if let Some(value) = with_pointer(rw, call, library)? {
        return Ok(Some(value));
    }
    let precise = library.wrong_denormal_logs
        && matches!(call.op, CLOp::native_log | CLOp::native_log2 | CLOp::native_log10 | CLOp::native_powr);
    if library.slow_float_division
        && call.ty.scalar() == Some(Scalar::F32)
        && let Some(value) = native_quotient(rw, call)?
    {
        return Ok(Some(value));
    }
    if !precise && let Some(value) = native(rw, call)? {
        return Ok(Some(value));
    }
    if call.ty.scalar() == Some(Scalar::F32)
        && let Some(name) = sine_name(call.op)
        && let Some(value) = library.sine(rw, name, call.arg(0)?)
    {
        return Ok(Some(value));
    }
    let mut name = precise_name(call.op);
    if library.precise_exp2 && call.ty.scalar() == Some(Scalar::F32) {
        name = match name {
            "exp" => "exp_by_exp2",
            "exp2" => "exp2_by_exp2",
            "exp10" => "exp10_by_exp2",
            "tanh" => "tanh_by_exp2",
            "erf" => "erf_by_exp2",
            "cbrt" => "cbrt_by_exp2",
            "pow" => "pow_by_exp2",
            "powr" => "powr_by_exp2",
            "pown" => "pown_by_exp2",
            "rootn" => "rootn_by_exp2",
            other => other,
        };
    }
    if library.slow_float_division && call.ty.scalar() == Some(Scalar::F32) && name == "atan2" {
        name = "atan2_by_quotient";
    }
    if let Some(value) = library.call(rw, name, &call.args, call.ty) {
        return Ok(Some(value));
    }
    fallback(rw, call)
}

/// The library's function that computes a sine or a cosine of a reduced argument.
fn sine_name(op: CLOp) -> Option<&'static str> {
    match precise_name(op) {
        "sin" => Some("pumice_sin_of"),
        "cos" => Some("pumice_cos_of"),
        _ => None,
    }
}

/// `fma` for devices without it. That of floats is computed in double if the device has doubles, else in integers.
fn fused(rw: &mut Rewriter<'_>, call: &Call<'_>, library: &mut Library) -> Option<Value> {
    if call.ty.scalar() == Some(Scalar::F64) || !library.doubles {
        return library.call(rw, "fma", &call.args, call.ty);
    }
    let wide = call.ty.with_scalar(Scalar::F64);
    let args: SmallVec<[Value; 4]> =
        call.args.iter().map(|a| rw.convert(ConvertOp::FloatToFloat, *a, wide)).collect();
    let result = library.call(rw, "fma_of_float", &args, wide)?;
    Some(rw.convert(ConvertOp::FloatToFloat, result, call.ty))
}

/// Functions that are a few exact operations.
fn exact(rw: &mut Rewriter<'_>, call: &Call<'_>) -> Result<Option<Value>, LowerError> {
    let x = call.arg(0)?;
    let y = || call.arg(1);
    let ty = call.ty;
    Ok(Some(match call.op {
        CLOp::fabs => rw.inst(InstKind::Unary(UnaryOp::FAbs, x), ty),
        CLOp::floor => rw.glsl(G::Floor as u32, &[x], ty),
        CLOp::ceil => rw.glsl(G::Ceil as u32, &[x], ty),
        CLOp::trunc => rw.glsl(G::Trunc as u32, &[x], ty),
        CLOp::rint => rw.glsl(G::RoundEven as u32, &[x], ty),
        CLOp::round => round(rw, x),
        CLOp::copysign => copysign(rw, x, y()?),
        CLOp::fmax => rw.glsl(G::NMax as u32, &[x, y()?], ty),
        CLOp::fmin => rw.glsl(G::NMin as u32, &[x, y()?], ty),
        CLOp::mad => {
            let product = rw.binary(BinaryOp::FMul, x, y()?);
            rw.binary(BinaryOp::FAdd, product, call.arg(2)?)
        }
        CLOp::fma => rw.inst(InstKind::Fma(x, y()?, call.arg(2)?), ty),
        CLOp::sqrt => rw.glsl(G::Sqrt as u32, &[x], ty),
        CLOp::rsqrt if ty.scalar() != Some(Scalar::F64) => rw.glsl(G::InverseSqrt as u32, &[x], ty),
        CLOp::rsqrt => {
            let root = rw.glsl(G::Sqrt as u32, &[x], ty);
            let one = rw.fconst(ty, 1.0);
            rw.binary(BinaryOp::FDiv, one, root)
        }
        CLOp::fdim => {
            // The result is NaN if either is: "not above" is ordered, so a NaN selects the difference.
            let not_above = fcmp(rw, FloatCC::OLe, x, y()?);
            let difference = rw.binary(BinaryOp::FSub, x, y()?);
            let zero = rw.fconst(ty, 0.0);
            rw.inst(InstKind::Select(not_above, zero, difference), ty)
        }
        CLOp::maxmag | CLOp::minmag => by_magnitude(rw, x, y()?, call.op == CLOp::maxmag),
        CLOp::nan => {
            let quiet = match ty.scalar() {
                Some(Scalar::F64) => 0x7ff8_0000_0000_0000,
                Some(Scalar::F16) => 0x7e00,
                _ => 0x7fc0_0000,
            };
            let bits = rw.binary_const(BinaryOp::Or, x, quiet);
            rw.bitcast(bits, ty)
        }
        _ => return Ok(None),
    }))
}

/// A power with a small whole exponent, as products. Each product rounds once, which gives 7.5 ulp for the largest exponent.
/// `pow` and `pown` may be off by 16 ulp (OpenCL C §7.4).
/// Intermediate products lie between 1 and the power, so they overflow or underflow only if the power does.
/// Zeros, infinities and NaNs multiply to what §7.5 asks for.
fn power_by_products(rw: &mut Rewriter<'_>, call: &Call<'_>) -> Option<Value> {
    const MAX: u32 = 16;
    let (x, exponent) = (*call.args.first()?, *call.args.get(1)?);
    let bits = rw.f.const_bits(exponent)?;
    let n = match (call.op, call.ty.scalar()?) {
        (CLOp::pown, Scalar::F32 | Scalar::F64) => u32::try_from(bits).ok()?,
        (CLOp::pow, Scalar::F32) => small_whole(f64::from(f32::from_bits(bits as u32)))?,
        (CLOp::pow, Scalar::F64) => small_whole(f64::from_bits(bits))?,
        _ => return None,
    };
    if !(1..=MAX).contains(&n) {
        return None;
    }
    let mut power = x;
    for bit in (0..n.ilog2()).rev() {
        power = rw.binary(BinaryOp::FMul, power, power);
        if n >> bit & 1 != 0 {
            power = rw.binary(BinaryOp::FMul, power, x);
        }
    }
    Some(power)
}

/// The number as an integer, if it is whole and small.
fn small_whole(y: f64) -> Option<u32> {
    (y.fract() == 0.0 && (1.0..=255.0).contains(&y)).then_some(y as u32)
}

/// Rounds to the nearest integer, halves away from zero. Keeps the sign of zero.
fn round(rw: &mut Rewriter<'_>, x: Value) -> Value {
    let ty = rw.f.ty(x);
    let whole = rw.glsl(G::Trunc as u32, &[x], ty);
    let rest = rw.binary(BinaryOp::FSub, x, whole);
    let rest = rw.inst(InstKind::Unary(UnaryOp::FAbs, rest), ty);
    let half = rw.fconst(ty, 0.5);
    let up = fcmp(rw, FloatCC::OGe, rest, half);
    let (one, zero) = (rw.fconst(ty, 1.0), rw.fconst(ty, 0.0));
    let step = rw.inst(InstKind::Select(up, one, zero), ty);
    let step = copysign(rw, step, x);
    let sum = rw.binary(BinaryOp::FAdd, whole, step);
    copysign(rw, sum, x)
}

/// The magnitude of `x` with the sign of `y`, by bits.
pub(super) fn copysign(rw: &mut Rewriter<'_>, x: Value, y: Value) -> Value {
    let ty = rw.f.ty(x);
    let int = bits_type(ty);
    let sign = 1u64 << (int.scalar().map_or(32, Scalar::bits) - 1);
    let (x, y) = (rw.bitcast(x, int), rw.bitcast(y, int));
    let magnitude = rw.binary_const(BinaryOp::And, x, sign - 1);
    let sign = rw.binary_const(BinaryOp::And, y, sign);
    let both = rw.binary(BinaryOp::Or, magnitude, sign);
    rw.bitcast(both, ty)
}

/// The argument of the larger (or smaller) magnitude (`maxmag`, `minmag`).
/// If the arguments differ in sign only, the larger (or smaller) one. Of a NaN and a number, the number.
/// The function works on bits, because a device that flushes denormals compares them as zeros and picks another one.
fn by_magnitude(rw: &mut Rewriter<'_>, x: Value, y: Value, larger: bool) -> Value {
    let ty = rw.f.ty(x);
    let int = bits_type(ty);
    let (sign, infinity) = match ty.scalar() {
        Some(Scalar::F64) => (1 << 63, 0x7ff0_0000_0000_0000),
        Some(Scalar::F16) => (1 << 15, 0x7c00),
        _ => (1 << 31, 0x7f80_0000),
    };
    let (x, y) = (rw.bitcast(x, int), rw.bitcast(y, int));
    let [ax, ay] = [x, y].map(|v| rw.binary_const(BinaryOp::And, v, sign - 1));
    // Arguments of the same magnitude differ at most in the sign.
    let equal = rw.binary(if larger { BinaryOp::And } else { BinaryOp::Or }, x, y);
    let (low, high) = if larger { (ay, ax) } else { (ax, ay) };
    let x_wins = rw.icmp(IntCC::Ult, low, high);
    let y_wins = rw.icmp(IntCC::Ult, high, low);
    let rest = rw.inst(InstKind::Select(y_wins, y, equal), int);
    let mut result = rw.inst(InstKind::Select(x_wins, x, rest), int);
    let infinity = rw.iconst(int, infinity);
    for (magnitude, other) in [(ax, y), (ay, x)] {
        let nan = rw.icmp(IntCC::Ugt, magnitude, infinity);
        result = rw.inst(InstKind::Select(nan, other, result), int);
    }
    rw.bitcast(result, ty)
}

/// Functions with a second result through a pointer.
fn with_pointer(
    rw: &mut Rewriter<'_>,
    call: &Call<'_>,
    library: &mut Library,
) -> Result<Option<Value>, LowerError> {
    if !is_pointer_function(call.op) {
        return Ok(None);
    }
    let mut args: SmallVec<[Value; 4]> = call.args.iter().copied().collect();
    let Some(pointer) = args.pop() else { return Ok(None) };
    // Halves are computed as floats, unless rounding the float would be wrong: `fract` could become 1.
    let within_halves = matches!(call.op, CLOp::fract | CLOp::modf);
    let widened = call.ty.scalar() == Some(Scalar::F16) && !within_halves;
    let ty = if widened { call.ty.with_scalar(Scalar::F32) } else { call.ty };
    if widened {
        for arg in &mut args {
            *arg = rw.convert(ConvertOp::FloatToFloat, *arg, ty);
        }
    }
    let results = two_results(rw, &Call { op: call.op, args, ty, ..*call }, library)?;
    let Some((mut result, mut second)) = results else { return Ok(None) };
    if widened {
        result = rw.convert(ConvertOp::FloatToFloat, result, call.ty);
        if rw.f.ty(second) == ty {
            second = rw.convert(ConvertOp::FloatToFloat, second, call.ty);
        }
    }
    let second_ty = rw.f.ty(second);
    let lanes = u32::from(second_ty.lanes()).next_power_of_two();
    let align = second_ty.scalar().map_or(4, Scalar::bytes) * lanes;
    rw.store(Place::Pointer(pointer), second, MemFlags { align, volatile: false });
    Ok(Some(result))
}

/// The result of an [`is_pointer_function`] and the value for its pointer. `call` lacks the pointer.
fn two_results(
    rw: &mut Rewriter<'_>,
    call: &Call<'_>,
    library: &mut Library,
) -> Result<Option<(Value, Value)>, LowerError> {
    let (x, ty) = (call.arg(0)?, call.ty);
    Ok(Some(match call.op {
        CLOp::fract => {
            let whole = rw.glsl(G::Floor as u32, &[x], ty);
            (fraction(rw, x, whole), whole)
        }
        CLOp::modf => {
            let whole = rw.glsl(G::Trunc as u32, &[x], ty);
            let rest = rw.binary(BinaryOp::FSub, x, whole);
            let infinite = rw.inst(InstKind::Unary(UnaryOp::IsInf, x), ty.with_scalar(Scalar::Bool));
            let zero = rw.fconst(ty, 0.0);
            let rest = rw.inst(InstKind::Select(infinite, zero, rest), ty);
            (copysign(rw, rest, x), whole)
        }
        CLOp::sincos => {
            let one = |op| Call { op, args: SmallVec::from_slice(&[x]), ty, ..*call };
            let sin = rewrite(rw, &one(CLOp::sin), library)?;
            let cos = rewrite(rw, &one(CLOp::cos), library)?;
            let (Some(sin), Some(cos)) = (sin, cos) else { return Ok(None) };
            (sin, cos)
        }
        CLOp::frexp | CLOp::lgamma_r => {
            let ints = ty.with_scalar(Scalar::I32);
            let (first, second) = if call.op == CLOp::frexp {
                ("frexp_mantissa", "frexp_exponent")
            } else {
                ("lgamma", "lgamma_sign")
            };
            let Some(result) = library.call(rw, first, &[x], ty) else { return Ok(None) };
            let Some(second) = library.call(rw, second, &[x], ints) else { return Ok(None) };
            (result, second)
        }
        _ => {
            let both = library.call_both(rw, "remainder_and_quotient", &[x, call.arg(1)?], ty);
            return Ok(both);
        }
    }))
}

/// x − floor(x), always below 1. It is 0 with x's sign for zeros and infinities (OpenCL C §7.5.1).
fn fraction(rw: &mut Rewriter<'_>, x: Value, whole: Value) -> Value {
    let ty = rw.f.ty(x);
    let largest = match ty.scalar() {
        Some(Scalar::F64) => 1.0 - f64::EPSILON / 2.0,
        Some(Scalar::F16) => 1.0 - 2f64.powi(-11),
        _ => f64::from(1.0 - f32::EPSILON / 2.0),
    };
    let rest = rw.binary(BinaryOp::FSub, x, whole);
    let largest = rw.fconst(ty, largest);
    let above = fcmp(rw, FloatCC::OGt, rest, largest);
    let rest = rw.inst(InstKind::Select(above, largest, rest), ty);
    let infinite = rw.inst(InstKind::Unary(UnaryOp::IsInf, x), ty.with_scalar(Scalar::Bool));
    let zero = rw.fconst(ty, 0.0);
    let zero = copysign(rw, zero, x);
    // The test is on bits: a device that flushes denormals would compare one as zero.
    let int = bits_type(ty);
    let sign = 1u64 << (int.scalar().map_or(32, Scalar::bits) - 1);
    let bits = rw.bitcast(x, int);
    let magnitude = rw.binary_const(BinaryOp::And, bits, sign - 1);
    let none = rw.iconst(int, 0);
    let is_zero = rw.icmp(IntCC::Eq, magnitude, none);
    let whole = rw.binary(BinaryOp::Or, infinite, is_zero);
    rw.inst(InstKind::Select(whole, zero, rest), ty)
}

/// `native_*`, and the `half_*` functions that GLSL gives precisely enough (8192 ulp).
fn native(rw: &mut Rewriter<'_>, call: &Call<'_>) -> Result<Option<Value>, LowerError> {
    let (x, ty) = (call.arg(0)?, call.ty);
    Ok(Some(match call.op {
        CLOp::native_cos => rw.glsl(G::Cos as u32, &[x], ty),
        CLOp::native_sin => rw.glsl(G::Sin as u32, &[x], ty),
        CLOp::native_tan => rw.glsl(G::Tan as u32, &[x], ty),
        CLOp::native_exp => rw.glsl(G::Exp as u32, &[x], ty),
        CLOp::native_exp2 => rw.glsl(G::Exp2 as u32, &[x], ty),
        CLOp::native_exp10 => {
            let factor = rw.fconst(ty, std::f64::consts::LOG2_10);
            let scaled = rw.binary(BinaryOp::FMul, x, factor);
            rw.glsl(G::Exp2 as u32, &[scaled], ty)
        }
        CLOp::native_log => rw.glsl(G::Log as u32, &[x], ty),
        CLOp::native_log2 => rw.glsl(G::Log2 as u32, &[x], ty),
        CLOp::native_log10 => {
            let log = rw.glsl(G::Log2 as u32, &[x], ty);
            let factor = rw.fconst(ty, std::f64::consts::LOG10_2);
            rw.binary(BinaryOp::FMul, log, factor)
        }
        CLOp::native_powr => rw.glsl(G::Pow as u32, &[x, call.arg(1)?], ty),
        CLOp::native_sqrt | CLOp::half_sqrt => rw.glsl(G::Sqrt as u32, &[x], ty),
        CLOp::native_rsqrt | CLOp::half_rsqrt => rw.glsl(G::InverseSqrt as u32, &[x], ty),
        CLOp::native_recip | CLOp::half_recip => {
            let one = rw.fconst(ty, 1.0);
            rw.binary(BinaryOp::FDiv, one, x)
        }
        CLOp::native_divide | CLOp::half_divide => rw.binary(BinaryOp::FDiv, x, call.arg(1)?),
        _ => return Ok(None),
    }))
}

/// `native_recip` and `native_divide` for devices with slow quotients: the square of the reciprocal root of the divisor's
/// magnitude, with the divisor's sign.
fn native_quotient(rw: &mut Rewriter<'_>, call: &Call<'_>) -> Result<Option<Value>, LowerError> {
    let (dividend, divisor) = match call.op {
        CLOp::native_recip => (None, call.arg(0)?),
        CLOp::native_divide => (Some(call.arg(0)?), call.arg(1)?),
        _ => return Ok(None),
    };
    let magnitude = rw.inst(InstKind::Unary(UnaryOp::FAbs, divisor), call.ty);
    let root = rw.glsl(G::InverseSqrt as u32, &[magnitude], call.ty);
    let square = rw.binary(BinaryOp::FMul, root, root);
    let reciprocal = copysign(rw, square, divisor);
    Ok(Some(dividend.map_or(reciprocal, |x| rw.binary(BinaryOp::FMul, x, reciprocal))))
}

/// The library's name of a function. `half_*` functions use the precise ones.
fn precise_name(op: CLOp) -> &'static str {
    match op {
        CLOp::half_cos => "cos",
        CLOp::half_sin => "sin",
        CLOp::half_tan => "tan",
        CLOp::half_exp => "exp",
        CLOp::half_exp2 => "exp2",
        CLOp::half_exp10 => "exp10",
        CLOp::half_log | CLOp::native_log => "log",
        // GLSL's Log2 has an absolute error near 1, which is 8557 ulp on lavapipe.
        CLOp::half_log2 | CLOp::native_log2 => "log2",
        CLOp::half_log10 | CLOp::native_log10 => "log10",
        CLOp::half_powr | CLOp::native_powr => "powr",
        CLOp::acos => "acos",
        CLOp::acosh => "acosh",
        CLOp::acospi => "acospi",
        CLOp::asin => "asin",
        CLOp::asinh => "asinh",
        CLOp::asinpi => "asinpi",
        CLOp::atan => "atan",
        CLOp::atan2 => "atan2",
        CLOp::atanh => "atanh",
        CLOp::atanpi => "atanpi",
        CLOp::atan2pi => "atan2pi",
        CLOp::cbrt => "cbrt",
        CLOp::cos => "cos",
        CLOp::cosh => "cosh",
        CLOp::cospi => "cospi",
        CLOp::erfc => "erfc",
        CLOp::erf => "erf",
        CLOp::exp => "exp",
        CLOp::exp2 => "exp2",
        CLOp::exp10 => "exp10",
        CLOp::expm1 => "expm1",
        CLOp::fmod => "fmod",
        CLOp::hypot => "hypot",
        CLOp::ilogb => "ilogb",
        CLOp::ldexp => "ldexp",
        CLOp::lgamma => "lgamma",
        CLOp::log => "log",
        CLOp::log2 => "log2",
        CLOp::log10 => "log10",
        CLOp::log1p => "log1p",
        CLOp::logb => "logb",
        CLOp::nextafter => "nextafter",
        CLOp::pow => "pow",
        CLOp::pown => "pown",
        CLOp::powr => "powr",
        CLOp::remainder => "remainder",
        CLOp::rootn => "rootn",
        CLOp::sin => "sin",
        CLOp::sinh => "sinh",
        CLOp::sinpi => "sinpi",
        CLOp::tan => "tan",
        CLOp::tanh => "tanh",
        CLOp::tanpi => "tanpi",
        CLOp::tgamma => "tgamma",
        _ => "",
    }
}

/// GLSL's function if the library has none. It is less precise than OpenCL asks.
fn fallback(rw: &mut Rewriter<'_>, call: &Call<'_>) -> Result<Option<Value>, LowerError> {
    let (x, ty) = (call.arg(0)?, call.ty);
    if ty.scalar() == Some(Scalar::F64) {
        return Ok(None);
    }
    let number = match call.op {
        CLOp::sin | CLOp::half_sin => G::Sin,
        CLOp::cos | CLOp::half_cos => G::Cos,
        CLOp::tan | CLOp::half_tan => G::Tan,
        CLOp::asin => G::Asin,
        CLOp::acos => G::Acos,
        CLOp::atan => G::Atan,
        CLOp::sinh => G::Sinh,
        CLOp::cosh => G::Cosh,
        CLOp::tanh => G::Tanh,
        CLOp::asinh => G::Asinh,
        CLOp::acosh => G::Acosh,
        CLOp::atanh => G::Atanh,
        CLOp::exp | CLOp::half_exp => G::Exp,
        CLOp::exp2 | CLOp::half_exp2 => G::Exp2,
        CLOp::log | CLOp::half_log => G::Log,
        CLOp::log2 => G::Log2,
        CLOp::atan2 | CLOp::pow | CLOp::powr | CLOp::half_powr => {
            let number = if call.op == CLOp::atan2 { G::Atan2 } else { G::Pow };
            return Ok(Some(rw.glsl(number as u32, &[x, call.arg(1)?], ty)));
        }
        CLOp::fmod => return Ok(Some(rw.binary(BinaryOp::FRem, x, call.arg(1)?))),
        _ => return Ok(None),
    };
    Ok(Some(rw.glsl(number as u32, &[x], ty)))
}
