//! Operand types of OpenCL.std functions: what `lower_math` relies on is checked here, where it comes from outside.

use crate::ir::{Scalar, Type};
use spirv_io::spirv::{FPFastMathMode, OpenclStd100Op as CLOp};

/// Returns whether a call's operands and result have the types that the OpenCL.std specification requires. Later passes refuse functions without a rule
/// here.
pub(crate) fn types_fit(number: u32, result: Option<Type>, args: &[Type]) -> bool {
    let Some(op) = CLOp::from_u32(number) else { return true };
    match number {
        0..=110 => float_function(op, result, args),
        141..=170 | 201..=204 => integer_function(op, result, args),
        171..=187 => other_function(op, result, args),
        _ => true,
    }
}

/// The replacement of a float function that is decorated as fast. Its precision in Vulkan ("Precision of GLSL.std.450 Instructions") is
/// what OpenCL C allows with `-cl-unsafe-math-optimizations` (§7.4). `mode` is an FPFastMathMode.
pub(crate) fn relaxed(number: u32, result: Option<Type>, mode: u32) -> u32 {
    let fast = FPFastMathMode::from_bits_truncate(mode).contains(FPFastMathMode::FAST);
    if !fast || result.and_then(|r| r.scalar()) != Some(Scalar::F32) {
        return number;
    }
    let native = match CLOp::from_u32(number) {
        // Not exp and exp2: Vulkan's may be off by 3 + 2|x| ulp, where OpenCL C cuts 2|x| to an integer. Not
        // log: NVIDIA's is off by 3.18 ulp where 3 are allowed.
        Some(CLOp::exp10) => CLOp::native_exp10,
        Some(CLOp::log2) => CLOp::native_log2,
        Some(CLOp::log10) => CLOp::native_log10,
        Some(CLOp::sin) => CLOp::native_sin,
        Some(CLOp::cos) => CLOp::native_cos,
        Some(CLOp::tan) => CLOp::native_tan,
        Some(CLOp::powr) => CLOp::native_powr,
        _ => return number,
    };
    native as u32
}

fn is_float(ty: Type) -> bool {
    ty.scalar().is_some_and(Scalar::is_float)
}

fn is_int(ty: Type) -> bool {
    ty.scalar().is_some_and(Scalar::is_int)
}

fn is_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Ptr(_))
}

fn float_function(op: CLOp, result: Option<Type>, args: &[Type]) -> bool {
    let Some(result) = result else { return false };
    // An integer of 32 bits for each lane, or one for all.
    let exponent =
        |t: &Type| t.scalar() == Some(Scalar::I32) && (t.lanes() == result.lanes() || t.lanes() == 1);
    match (op, args) {
        (CLOp::fract | CLOp::modf | CLOp::sincos | CLOp::frexp | CLOp::lgamma_r, [x, p]) => {
            is_float(result) && *x == result && is_pointer(p)
        }
        (CLOp::remquo, [x, y, p]) => is_float(result) && *x == result && *y == result && is_pointer(p),
        (CLOp::ldexp | CLOp::pown | CLOp::rootn, [x, n]) => is_float(result) && *x == result && exponent(n),
        (CLOp::ilogb, [x]) => {
            is_float(*x)
                && *x == result.with_scalar(x.scalar().unwrap_or(Scalar::F32))
                && result.scalar() == Some(Scalar::I32)
        }
        (CLOp::nan, [x]) => {
            is_float(result) && is_int(*x) && x.lanes() == result.lanes() && x.bytes() == result.bytes()
        }
        (CLOp::distance | CLOp::fast_distance, [x, y]) => {
            is_float(*x) && x == y && Some(result) == element(*x)
        }
        (CLOp::length | CLOp::fast_length, [x]) => is_float(*x) && Some(result) == element(*x),
        (CLOp::cross, [x, y]) => {
            matches!(result, Type::Vector(_, 3 | 4)) && is_float(result) && *x == result && *y == result
        }
        (
            CLOp::fract
            | CLOp::modf
            | CLOp::sincos
            | CLOp::frexp
            | CLOp::lgamma_r
            | CLOp::remquo
            | CLOp::ldexp
            | CLOp::pown
            | CLOp::rootn
            | CLOp::ilogb
            | CLOp::nan
            | CLOp::distance
            | CLOp::fast_distance
            | CLOp::length
            | CLOp::fast_length
            | CLOp::cross,
            _,
        ) => false,
        _ => {
            // `half_` and `native_` functions are of 32 bits alone.
            let only_32 = (CLOp::half_cos as u32..=CLOp::native_tan as u32).contains(&(op as u32));
            let fits = if only_32 { result.scalar() == Some(Scalar::F32) } else { is_float(result) };
            fits && args.len() == float_operands(op) && args.iter().all(|a| *a == result)
        }
    }
}

/// The number of operands of a function whose operands all have the result's type.
fn float_operands(op: CLOp) -> usize {
    use CLOp::*;
    match op {
        atan2 | atan2pi | copysign | fdim | fmax | fmin | fmod | hypot | maxmag | minmag | nextafter
        | pow | powr | remainder | half_divide | half_powr | native_divide | native_powr | fmax_common
        | fmin_common | step => 2,
        fma | mad | fclamp | mix | smoothstep => 3,
        _ => 1,
    }
}

/// The same for integers.
fn integer_operands(op: CLOp) -> usize {
    use CLOp::*;
    match op {
        s_abs | u_abs | clz | ctz | popcount => 1,
        s_clamp | u_clamp | s_mad_hi | u_mad_hi | s_mad_sat | u_mad_sat | s_mad24 | u_mad24 => 3,
        _ => 2,
    }
}

fn element(ty: Type) -> Option<Type> {
    ty.scalar().map(Type::Scalar)
}

fn integer_function(op: CLOp, result: Option<Type>, args: &[Type]) -> bool {
    let Some(result) = result.filter(|r| is_int(*r)) else { return false };
    match (op, args) {
        (CLOp::u_upsample | CLOp::s_upsample, [hi, lo]) => {
            is_int(*hi) && hi == lo && hi.lanes() == result.lanes() && hi.bytes() * 2 == result.bytes()
        }
        (CLOp::u_upsample | CLOp::s_upsample, _) => false,
        _ => args.len() == integer_operands(op) && args.iter().all(|a| *a == result),
    }
}

fn other_function(op: CLOp, result: Option<Type>, args: &[Type]) -> bool {
    use CLOp::*;
    let index = |t: &Type| matches!(*t, Type::I32 | Type::I64);
    let vector = |t: &Type| t.lanes() > 1 && t.scalar().is_some_and(|s| s != Scalar::Bool);
    match (op, args) {
        (vloadn, [i, p, _]) => index(i) && is_pointer(p) && result.is_some_and(|r| vector(&r)),
        (vload_half, [i, p]) => index(i) && is_pointer(p) && result.is_some_and(is_float),
        (vload_halfn | vloada_halfn, [i, p, _]) => index(i) && is_pointer(p) && result.is_some_and(is_float),
        (vstoren, [v, i, p]) => vector(v) && index(i) && is_pointer(p),
        (vstore_half | vstore_halfn | vstorea_halfn, [v, i, p]) => is_float(*v) && index(i) && is_pointer(p),
        (vstore_half_r | vstore_halfn_r | vstorea_halfn_r, [v, i, p, _]) => {
            is_float(*v) && index(i) && is_pointer(p)
        }
        (shuffle, [x, mask]) => result.is_some_and(|r| fits_shuffle(r, &[*x], *mask)),
        (shuffle2, [x, y, mask]) => result.is_some_and(|r| fits_shuffle(r, &[*x, *y], *mask)),
        (bitselect, [a, b, c]) => a == b && b == c && result == Some(*a) && (is_float(*a) || is_int(*a)),
        (select, [a, b, c]) => {
            a == b
                && result == Some(*a)
                && is_int(*c)
                && c.lanes() == a.lanes()
                && (is_float(*a) || is_int(*a))
        }
        (printf, [format, ..]) => is_pointer(format) && result == Some(Type::I32),
        (prefetch, _) => true,
        _ => false,
    }
}

fn fits_shuffle(result: Type, sources: &[Type], mask: Type) -> bool {
    let first = sources[0];
    let even = |t: Type| matches!(t.lanes(), 2 | 4 | 8 | 16);
    sources.iter().all(|s| *s == first)
        && even(first)
        && even(result)
        && (is_float(first) || is_int(first))
        && first.scalar() == result.scalar()
        && is_int(mask)
        && mask.lanes() == result.lanes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_functions_are_of_floats() {
        let (f32, f64) = (Type::Scalar(Scalar::F32), Type::Scalar(Scalar::F64));
        for op in [CLOp::native_log2, CLOp::half_log2, CLOp::half_cos, CLOp::native_tan] {
            assert!(types_fit(op as u32, Some(f32), &[f32]));
            assert!(!types_fit(op as u32, Some(f64), &[f64]));
        }
        assert!(types_fit(CLOp::log2 as u32, Some(f64), &[f64]));
    }
}
