//! Floating-point arithmetic (§9.7.3) and that of halves (§9.7.4).
//!
//! `.f32` and `.f64` are computed as such. Halves are computed as floats and rounded: for sums, differences and products that
//! is what one rounding gives, since a float has more than twice the digits. SPIR-V has one rounding mode for arithmetic, to
//! nearest. The others are computed in double, rounded to odd there, and converted: what is rounded to odd with two more
//! digits can be rounded again to any mode. `.approx` is the native function, whose error the device decides.

use super::context::{Context, Inst};
use super::convert::{half_bits, half_value};
use super::types::{Error, Type};
use crate::builtins::Rounding;
use crate::builtins::ext;
use crate::hir::{BinaryOp, Expr, UnaryOp};
use crate::options::Features;
use crate::types::Scalar;

/// The modifiers of a rounding, and the mode.
fn rounding(i: &Inst<'_>) -> Option<Rounding> {
    Some(match i.one_of(&["rn", "rz", "rm", "rp"])? {
        "rn" => Rounding::ToNearestEven,
        "rz" => Rounding::ToZero,
        "rm" => Rounding::ToNegative,
        _ => Rounding::ToPositive,
    })
}

/// A number without its digits where it is subnormal (`.ftz`); its sign stays.
pub(super) fn flushed(c: &mut Context<'_>, value: Expr) -> Expr {
    let value = c.temp(value);
    let bits = c.bitcast(value.clone(), Scalar::UInt);
    let bits = c.temp(bits);
    let small = c.compare(BinaryOp::Eq, c.and(bits.clone(), c.uint(0x7f80_0000)), c.uint(0));
    let zero = c.bitcast(c.and(bits, c.uint(0x8000_0000)), Scalar::Float);
    let flushed = c.select(small, zero, value);
    c.temp(flushed)
}

/// A number in [0, 1]; a NaN is 0 (`.sat`).
pub(super) fn clamped(c: &Context<'_>, value: Expr) -> Expr {
    let scalar = c.scalar_of(&value);
    let positive = c.ext(ext::FMAX, vec![value, c.float(0.0, scalar)], scalar);
    c.ext(ext::FMIN, vec![positive, c.float(1.0, scalar)], scalar)
}

type Compute<'f> = &'f dyn Fn(&mut Context<'_>, &[Expr]) -> Result<Expr, Error>;

/// Computes the result from `count` sources, for each half where the type is a pair.
fn compute(c: &mut Context<'_>, i: &Inst<'_>, count: usize, of: Compute<'_>) -> Result<(), Error> {
    if i.has("rn") {
        c.host.state.exact = true;
    }
    let ty = i.ty();
    let mut sources = Vec::new();
    for n in 1..=count {
        let source = c.get(i.operand(n), ty)?;
        sources.push(c.temp(source));
    }
    if matches!(ty, Type::F16 | Type::F16x2) {
        let value = halves(c, i, &sources, of)?;
        return c.put(i.operand(0), ty, value);
    }
    let flush = i.has("ftz") && ty == Type::F32;
    if flush {
        sources = sources.into_iter().map(|s| flushed(c, s)).collect();
    }
    let value = of(c, &sources)?;
    let value = if i.has("sat") { clamped(c, value) } else { value };
    let value = if flush { flushed(c, value) } else { value };
    c.put(i.operand(0), ty, value)
}

fn halves(c: &mut Context<'_>, i: &Inst<'_>, sources: &[Expr], of: Compute<'_>) -> Result<Expr, Error> {
    let count = if i.ty() == Type::F16x2 { 2 } else { 1 };
    let mut whole = c.uint(0);
    for n in 0..count {
        let mut parts = Vec::new();
        for source in sources {
            let bits = c.and(c.shr(source.clone(), c.uint(16 * n)), c.uint(0xffff));
            let value = half_value(c, bits);
            parts.push(c.temp(value));
        }
        let value = of(c, &parts)?;
        let value = if i.has("sat") { clamped(c, value) } else { value };
        let bits = half_bits(c, value, Rounding::ToNearestEven);
        whole = c.or(whole, c.shl(bits, c.uint(16 * n)));
    }
    Ok(whole)
}

/// What an operation does beyond rounding to nearest.
enum Exact<'e> {
    Sum(&'e Expr, &'e Expr),
    Product(&'e Expr, &'e Expr),
    ProductAndSum(&'e Expr, &'e Expr, &'e Expr),
    Quotient(&'e Expr, &'e Expr),
    Root(&'e Expr),
}

/// A result of floats by a rounding mode.
fn rounded(c: &mut Context<'_>, i: &Inst<'_>, exact: Exact<'_>, mode: Rounding) -> Result<Expr, Error> {
    if i.ty() != Type::F32 {
        return c.error(format!(
            "'{}.{}' with another rounding than '.rn' is not supported",
            i.row.name,
            i.ty().name()
        ));
    }
    c.needs(Features::FP64, &format!("'{}' with this rounding", i.row.name))?;
    c.host.state.exact = true;
    let wide = |c: &mut Context<'_>, e: &Expr| {
        let value = c.cast(e.clone(), Scalar::Double);
        c.temp(value)
    };
    let value = match exact {
        Exact::Sum(a, b) => {
            let (a, b) = (wide(c, a), wide(c, b));
            sum(c, a, b, mode)
        }
        // 48 digits are exact.
        Exact::Product(a, b) => {
            let (a, b) = (wide(c, a), wide(c, b));
            c.mul(a, b)
        }
        Exact::ProductAndSum(a, b, addend) => {
            let (a, b, addend) = (wide(c, a), wide(c, b), wide(c, addend));
            let product = c.mul(a, b);
            let product = c.temp(product);
            sum(c, product, addend, mode)
        }
        Exact::Quotient(a, b) => {
            let (a, b) = (wide(c, a), wide(c, b));
            let q = c.binary(BinaryOp::Div, a.clone(), b.clone());
            let q = c.temp(q);
            let less = c.unary(UnaryOp::Neg, q.clone());
            let rest = c.ext(ext::FMA, vec![less, b.clone(), a], Scalar::Double);
            let rest = c.temp(rest);
            let negative = c.compare(BinaryOp::Lt, b, c.float(0.0, Scalar::Double));
            let error = c.select(negative, c.unary(UnaryOp::Neg, rest.clone()), rest);
            odd(c, q, error)
        }
        Exact::Root(a) => {
            let a = wide(c, a);
            let root = c.ext(ext::SQRT, vec![a.clone()], Scalar::Double);
            let root = c.temp(root);
            let less = c.unary(UnaryOp::Neg, root.clone());
            let error = c.ext(ext::FMA, vec![less, root.clone(), a], Scalar::Double);
            odd(c, root, error)
        }
    };
    Ok(c.convert(value, Scalar::Float, false, Some(mode)))
}

/// The sum of two doubles, to be rounded by `mode`. A sum that is exactly 0 is −0 where it is rounded down, but that of two +0.
fn sum(c: &mut Context<'_>, a: Expr, b: Expr, mode: Rounding) -> Expr {
    let value = odd_sum(c, a.clone(), b.clone());
    if mode != Rounding::ToNegative {
        return value;
    }
    let value = c.temp(value);
    let signs = c.or(c.bitcast(a, Scalar::ULong), c.bitcast(b, Scalar::ULong));
    let any = c.compare(BinaryOp::Ne, signs.clone(), c.same(0, &signs));
    let nothing = c.compare(BinaryOp::Eq, value.clone(), c.float(0.0, Scalar::Double));
    c.select(c.both(any, nothing), c.float(-0.0, Scalar::Double), value)
}

/// The sum of two doubles, rounded to odd. What rounding to nearest lost is known exactly (Knuth's TwoSum).
fn odd_sum(c: &mut Context<'_>, a: Expr, b: Expr) -> Expr {
    let sum = c.add(a.clone(), b.clone());
    let sum = c.temp(sum);
    let b_part = c.sub(sum.clone(), a.clone());
    let b_part = c.temp(b_part);
    let a_part = c.sub(sum.clone(), b_part.clone());
    let error = c.add(c.sub(a, a_part), c.sub(b, b_part));
    odd(c, sum, error)
}

/// A double that is the nearest to a result and off by `error`, as the neighbour of that result whose last digit is odd.
fn odd(c: &mut Context<'_>, value: Expr, error: Expr) -> Expr {
    let error = c.temp(error);
    let bits = c.bitcast(value.clone(), Scalar::ULong);
    let bits = c.temp(bits);
    let zero = || c.float(0.0, Scalar::Double);
    let (above, below) =
        (c.compare(BinaryOp::Gt, error.clone(), zero()), c.compare(BinaryOp::Lt, error, zero()));
    let even = c.compare(BinaryOp::Eq, c.and(bits.clone(), c.same(1, &bits)), c.same(0, &bits));
    let move_it = c.both(c.either(above.clone(), below), even);
    // The bits of a negative double grow towards minus infinity.
    let positive = c.compare(BinaryOp::Gt, value.clone(), zero());
    let inward = c.differ(above, positive);
    let up = c.add(bits.clone(), c.same(1, &bits));
    let down = c.sub(bits.clone(), c.same(1, &bits));
    let moved = c.select(inward, down, up);
    let bits = c.select(move_it, moved, bits);
    c.bitcast(bits, Scalar::Double)
}

/// The rounding where it is not to nearest.
fn directed(i: &Inst<'_>) -> Option<Rounding> {
    rounding(i).filter(|r| *r != Rounding::ToNearestEven)
}

/// `add`
pub(super) fn add(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 2, &|c, s| match (s, directed(i)) {
        ([a, b], None) => Ok(c.add(a.clone(), b.clone())),
        ([a, b], Some(mode)) => rounded(c, i, Exact::Sum(a, b), mode),
        _ => c.error("two sources were expected"),
    })
}

/// `sub`
pub(super) fn sub(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 2, &|c, s| match (s, directed(i)) {
        ([a, b], None) => Ok(c.sub(a.clone(), b.clone())),
        ([a, b], Some(mode)) => {
            let b = c.unary(UnaryOp::Neg, b.clone());
            rounded(c, i, Exact::Sum(a, &b), mode)
        }
        _ => c.error("two sources were expected"),
    })
}

/// `mul`
pub(super) fn mul(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 2, &|c, s| match (s, directed(i)) {
        ([a, b], None) => Ok(c.mul(a.clone(), b.clone())),
        ([a, b], Some(mode)) => rounded(c, i, Exact::Product(a, b), mode),
        _ => c.error("two sources were expected"),
    })
}

/// `fma`, and `mad` of floats, which is the same.
pub(super) fn fma(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let half = matches!(i.ty(), Type::F16 | Type::F16x2);
    if half {
        c.needs(Features::FP16, "'fma' of halves")?;
    }
    compute(c, i, 3, &|c, s| match (s, directed(i)) {
        ([a, b, d], None) if half => {
            let args = [a, b, d].map(|e| c.cast(e.clone(), Scalar::Half)).to_vec();
            let value = c.ext(ext::FMA, args, Scalar::Half);
            Ok(c.cast(value, Scalar::Float))
        }
        ([a, b, d], None) => {
            let scalar = c.scalar_of(a);
            Ok(c.ext(ext::FMA, vec![a.clone(), b.clone(), d.clone()], scalar))
        }
        ([a, b, d], Some(mode)) => rounded(c, i, Exact::ProductAndSum(a, b, d), mode),
        _ => c.error("three sources were expected"),
    })
}

/// `div`: `.approx` and `.full` of floats, the others correctly rounded.
pub(super) fn div(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 2, &|c, s| {
        let [a, b] = s else { return c.error("two sources were expected") };
        quotient(c, i, a, b)
    })
}

fn quotient(c: &mut Context<'_>, i: &Inst<'_>, a: &Expr, b: &Expr) -> Result<Expr, Error> {
    if i.has("approx") && i.ty() == Type::F32 {
        return Ok(c.ext(ext::NATIVE_DIVIDE, vec![a.clone(), b.clone()], Scalar::Float));
    }
    let plain = i.has("full") || (i.ty() == Type::F64 && directed(i).is_none());
    match rounding(i) {
        _ if plain => Ok(c.binary(BinaryOp::Div, a.clone(), b.clone())),
        Some(mode) => rounded(c, i, Exact::Quotient(a, b), mode),
        None => c.error(format!("'{}' needs '.approx', '.full' or a rounding", i.row.name)),
    }
}

/// `rcp`
pub(super) fn rcp(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 1, &|c, s| {
        let [a] = s else { return c.error("one source was expected") };
        if i.has("approx") && i.ty() == Type::F32 {
            return Ok(c.ext(ext::NATIVE_RECIP, vec![a.clone()], Scalar::Float));
        }
        let one = c.float(1.0, c.scalar_of(a));
        quotient(c, i, &one, a)
    })
}

/// `sqrt`
pub(super) fn sqrt(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 1, &|c, s| {
        let [a] = s else { return c.error("one source was expected") };
        match rounding(i) {
            _ if i.has("approx") && i.ty() == Type::F32 => {
                Ok(c.ext(ext::NATIVE_SQRT, vec![a.clone()], Scalar::Float))
            }
            Some(Rounding::ToNearestEven) if i.ty() == Type::F64 => {
                Ok(c.ext(ext::SQRT, vec![a.clone()], Scalar::Double))
            }
            Some(mode) => rounded(c, i, Exact::Root(a), mode),
            None => c.error("'sqrt' needs '.approx' or a rounding"),
        }
    })
}

/// `rsqrt`
pub(super) fn rsqrt(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    approximate(c, i, if i.ty() == Type::F64 { ext::RSQRT } else { ext::NATIVE_RSQRT })
}

/// `sin`
pub(super) fn sin(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    approximate(c, i, ext::NATIVE_SIN)
}

/// `cos`
pub(super) fn cos(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    approximate(c, i, ext::NATIVE_COS)
}

/// `lg2`
pub(super) fn lg2(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    approximate(c, i, ext::NATIVE_LOG2)
}

/// `ex2`
pub(super) fn ex2(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    approximate(c, i, ext::NATIVE_EXP2)
}

/// `tanh`
pub(super) fn tanh(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    approximate(c, i, ext::TANH)
}

fn approximate(c: &mut Context<'_>, i: &Inst<'_>, number: u32) -> Result<(), Error> {
    if !i.has("approx") {
        return c.error(format!("'{}' needs '.approx'", i.row.name));
    }
    compute(c, i, 1, &|c, s| {
        let [a] = s else { return c.error("one source was expected") };
        let scalar = c.scalar_of(a);
        Ok(c.ext(number, vec![a.clone()], scalar))
    })
}

/// `abs`
pub(super) fn abs(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 1, &|c, s| {
        let [a] = s else { return c.error("one source was expected") };
        let scalar = c.scalar_of(a);
        Ok(c.ext(ext::FABS, vec![a.clone()], scalar))
    })
}

/// `neg`
pub(super) fn neg(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 1, &|c, s| {
        let [a] = s else { return c.error("one source was expected") };
        Ok(c.unary(UnaryOp::Neg, a.clone()))
    })
}

/// `copysign`: b with the sign of a.
pub(super) fn copysign(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 2, &|c, s| {
        let [a, b] = s else { return c.error("two sources were expected") };
        let scalar = c.scalar_of(a);
        Ok(c.ext(ext::COPYSIGN, vec![b.clone(), a.clone()], scalar))
    })
}

/// `min`: +0 is more than −0; of a number and a NaN the number, with `.NaN` the NaN.
pub(super) fn min(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 2, &|c, s| {
        let [a, b] = s else { return c.error("two sources were expected") };
        Ok(extreme(c, i, a, b, ext::FMIN))
    })
}

/// `max`: see [`min`].
pub(super) fn max(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    compute(c, i, 2, &|c, s| {
        let [a, b] = s else { return c.error("two sources were expected") };
        Ok(extreme(c, i, a, b, ext::FMAX))
    })
}

fn extreme(c: &mut Context<'_>, i: &Inst<'_>, a: &Expr, b: &Expr, number: u32) -> Expr {
    let scalar = c.scalar_of(a);
    let bits = Scalar::unsigned_of_size(scalar.size());
    let either = c.ext(number, vec![a.clone(), b.clone()], scalar);
    // Equal numbers have the same bits but for zeros: those of the minimum have either's sign, of the maximum both's.
    let (x, y) = (c.bitcast(a.clone(), bits), c.bitcast(b.clone(), bits));
    let joined = if number == ext::FMIN { c.or(x, y) } else { c.and(x, y) };
    let equal = c.compare(BinaryOp::Eq, a.clone(), b.clone());
    let value = c.select(equal, c.bitcast(joined, scalar), either);
    if !i.has("NaN") {
        return value;
    }
    let nan = |c: &Context<'_>, e: &Expr| c.compare(BinaryOp::Ne, e.clone(), e.clone());
    let any = c.either(nan(c, a), nan(c, b));
    c.select(any, c.float(f64::NAN, scalar), value)
}
