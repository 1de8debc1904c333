//! Lowering of the integer functions (OpenCL C §6.15.3), all modulo the width of their type.

use super::Call;
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Scalar, Type, UnaryOp, Value};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;
use spirv::OpenclStd100Op as CLOp;

/// GLSL.std.450 FindUMsb.
const FIND_UMSB: u32 = 75;

/// Rewrites an integer function. `None` for others.
pub(super) fn rewrite(rw: &mut Rewriter<'_>, call: &Call<'_>) -> Result<Option<Value>, LowerError> {
    use BinaryOp::*;
    let a = match call.args.first() {
        Some(a) => *a,
        None => return Ok(None),
    };
    let b = || call.arg(1);
    let c = || call.arg(2);
    let bits = rw.f.ty(a).scalar().map_or(32, Scalar::bits);
    let by_bits = bits == 64 && call.device.wide_by_bits;
    Ok(Some(match call.op {
        CLOp::u_abs => a,
        CLOp::s_abs => {
            let negative = rw.inst(InstKind::Unary(UnaryOp::INeg, a), call.ty);
            rw.binary(SMax, a, negative)
        }
        CLOp::s_abs_diff => difference(rw, SMax, SMin, a, b()?),
        CLOp::u_abs_diff => difference(rw, UMax, UMin, a, b()?),
        CLOp::s_add_sat => signed_sat(rw, IAdd, a, b()?),
        CLOp::s_sub_sat => signed_sat(rw, ISub, a, b()?),
        CLOp::u_add_sat if by_bits => {
            let sum = rw.binary(IAdd, a, b()?);
            let wrapped = carried(rw, a, b()?, sum);
            rw.binary(Or, sum, wrapped)
        }
        CLOp::u_sub_sat if by_bits => {
            let rest = rw.binary(ISub, a, b()?);
            let not = rw.inst(InstKind::Unary(UnaryOp::Not, a), call.ty);
            let below = most_signs(rw, not, b()?, rest);
            let fits = rw.inst(InstKind::Unary(UnaryOp::Not, below), call.ty);
            rw.binary(And, rest, fits)
        }
        CLOp::u_add_sat => {
            let sum = rw.binary(IAdd, a, b()?);
            let wrapped = rw.icmp(IntCC::Ult, sum, a);
            select_const(rw, wrapped, u64::MAX, sum)
        }
        CLOp::u_sub_sat => {
            let below = rw.icmp(IntCC::Ult, a, b()?);
            let rest = rw.binary(ISub, a, b()?);
            select_const(rw, below, 0, rest)
        }
        CLOp::s_hadd => halving_add(rw, AShr, false, a, b()?),
        CLOp::u_hadd => halving_add(rw, LShr, false, a, b()?),
        CLOp::s_rhadd => halving_add(rw, AShr, true, a, b()?),
        CLOp::u_rhadd => halving_add(rw, LShr, true, a, b()?),
        CLOp::s_clamp => clamp(rw, SMax, SMin, a, b()?, c()?),
        CLOp::u_clamp => clamp(rw, UMax, UMin, a, b()?, c()?),
        CLOp::s_max => rw.binary(SMax, a, b()?),
        CLOp::u_max => rw.binary(UMax, a, b()?),
        CLOp::s_min => rw.binary(SMin, a, b()?),
        CLOp::u_min => rw.binary(UMin, a, b()?),
        CLOp::s_mul_hi => rw.binary(SMulHi, a, b()?),
        CLOp::u_mul_hi => rw.binary(UMulHi, a, b()?),
        CLOp::s_mad_hi => mad(rw, SMulHi, a, b()?, c()?),
        CLOp::u_mad_hi => mad(rw, UMulHi, a, b()?, c()?),
        // Operands outside 24 bits may give any value (§6.15.3), so a full product is right.
        CLOp::s_mad24 | CLOp::u_mad24 => mad(rw, IMul, a, b()?, c()?),
        CLOp::s_mul24 | CLOp::u_mul24 => rw.binary(IMul, a, b()?),
        CLOp::u_mad_sat => unsigned_mad_sat(rw, a, b()?, c()?, by_bits),
        CLOp::s_mad_sat => signed_mad_sat(rw, a, b()?, c()?, bits, by_bits),
        CLOp::clz => leading_zeros(rw, a, bits),
        CLOp::ctz => {
            // The bits below the lowest set bit, or all bits for zero.
            let ones = rw.iconst(call.ty, u64::MAX);
            let below = rw.add(a, ones);
            let not = rw.inst(InstKind::Unary(UnaryOp::Not, a), call.ty);
            let mask = rw.binary(And, not, below);
            rw.inst(InstKind::Unary(UnaryOp::BitCount, mask), call.ty)
        }
        CLOp::popcount => rw.inst(InstKind::Unary(UnaryOp::BitCount, a), call.ty),
        CLOp::rotate => rotate(rw, a, b()?, bits),
        CLOp::s_upsample | CLOp::u_upsample => {
            let high = rw.convert(ConvertOp::ZExt, a, call.ty);
            let low = rw.convert(ConvertOp::ZExt, b()?, call.ty);
            let high = rw.binary_const(Shl, high, bits.into());
            rw.binary(Or, high, low)
        }
        CLOp::bitselect => bitselect(rw, a, b()?, c()?),
        CLOp::select => select(rw, a, b()?, c()?, call.ty),
        _ => return Ok(None),
    }))
}

/// cond ? constant : other.
fn select_const(rw: &mut Rewriter<'_>, cond: Value, bits: u64, other: Value) -> Value {
    let ty = rw.f.ty(other);
    let constant = rw.iconst(ty, bits);
    rw.inst(InstKind::Select(cond, constant, other), ty)
}

/// All ones if a + b, which is `sum`, exceeds 64 bits, else zero.
fn carried(rw: &mut Rewriter<'_>, a: Value, b: Value, sum: Value) -> Value {
    let not = rw.inst(InstKind::Unary(UnaryOp::Not, sum), rw.f.ty(sum));
    most_signs(rw, a, b, not)
}

/// The majority sign of three 64-bit numbers, in all bits: no comparison that a driver could take for one of sums that wrap
/// ([`Quirks::wrong_int64_overflow_checks`](crate::Quirks::wrong_int64_overflow_checks)).
fn most_signs(rw: &mut Rewriter<'_>, a: Value, b: Value, c: Value) -> Value {
    let ty = rw.f.ty(a);
    let [a, b, c] = [a, b, c].map(|wide| {
        let high = rw.binary_const(BinaryOp::LShr, wide, 32);
        rw.convert(ConvertOp::Trunc, high, ty.with_scalar(Scalar::I32))
    });
    let both = rw.binary(BinaryOp::And, a, b);
    let either = rw.binary(BinaryOp::Or, a, b);
    let with_c = rw.binary(BinaryOp::And, either, c);
    let majority = rw.binary(BinaryOp::Or, both, with_c);
    let sign = rw.binary_const(BinaryOp::AShr, majority, 31);
    rw.convert(ConvertOp::SExt, sign, ty)
}

fn difference(rw: &mut Rewriter<'_>, max: BinaryOp, min: BinaryOp, a: Value, b: Value) -> Value {
    let (high, low) = (rw.binary(max, a, b), rw.binary(min, a, b));
    rw.binary(BinaryOp::ISub, high, low)
}

fn clamp(rw: &mut Rewriter<'_>, max: BinaryOp, min: BinaryOp, x: Value, low: Value, high: Value) -> Value {
    let x = rw.binary(max, x, low);
    rw.binary(min, x, high)
}

fn mad(rw: &mut Rewriter<'_>, product: BinaryOp, a: Value, b: Value, c: Value) -> Value {
    let product = rw.binary(product, a, b);
    rw.add(product, c)
}

/// (a + b) >> 1 without losing the carry, rounded down or up.
fn halving_add(rw: &mut Rewriter<'_>, shift: BinaryOp, up: bool, a: Value, b: Value) -> Value {
    let differ = rw.binary(BinaryOp::Xor, a, b);
    let half = rw.binary_const(shift, differ, 1);
    if up {
        let either = rw.binary(BinaryOp::Or, a, b);
        rw.binary(BinaryOp::ISub, either, half)
    } else {
        let both = rw.binary(BinaryOp::And, a, b);
        rw.add(both, half)
    }
}

/// The limit on the side of `sign`: the minimum if it is negative, else the maximum.
fn limit_of_sign(rw: &mut Rewriter<'_>, sign: Value) -> Value {
    let ty = rw.f.ty(sign);
    let bits = ty.scalar().map_or(32, Scalar::bits);
    let spread = rw.binary_const(BinaryOp::AShr, sign, u64::from(bits - 1));
    rw.binary_const(BinaryOp::Xor, spread, (1u64 << (bits - 1)) - 1)
}

fn signed_sat(rw: &mut Rewriter<'_>, op: BinaryOp, a: Value, b: Value) -> Value {
    let result = rw.binary(op, a, b);
    // The sum overflows if the operands agree in sign (differ, for a subtraction) and the result does not.
    let turned = rw.binary(BinaryOp::Xor, a, result);
    let other = if op == BinaryOp::IAdd {
        rw.binary(BinaryOp::Xor, b, result)
    } else {
        rw.binary(BinaryOp::Xor, a, b)
    };
    let both = rw.binary(BinaryOp::And, turned, other);
    let zero = rw.iconst(rw.f.ty(a), 0);
    let overflow = rw.icmp(IntCC::Slt, both, zero);
    let limit = limit_of_sign(rw, a);
    let ty = rw.f.ty(a);
    rw.inst(InstKind::Select(overflow, limit, result), ty)
}

fn unsigned_mad_sat(rw: &mut Rewriter<'_>, a: Value, b: Value, c: Value, by_bits: bool) -> Value {
    let low = rw.binary(BinaryOp::IMul, a, b);
    let high = rw.binary(BinaryOp::UMulHi, a, b);
    let sum = rw.add(low, c);
    let zero = rw.iconst(rw.f.ty(a), 0);
    let large = rw.icmp(IntCC::Ne, high, zero);
    if by_bits {
        let wrapped = carried(rw, low, c, sum);
        let sum = rw.binary(BinaryOp::Or, sum, wrapped);
        return select_const(rw, large, u64::MAX, sum);
    }
    let wrapped = rw.icmp(IntCC::Ult, sum, low);
    let truth = rw.f.ty(wrapped);
    let over = rw.inst(InstKind::Binary(BinaryOp::Or, wrapped, large), truth);
    select_const(rw, over, u64::MAX, sum)
}

fn signed_mad_sat(rw: &mut Rewriter<'_>, a: Value, b: Value, c: Value, bits: u32, by_bits: bool) -> Value {
    let ty = rw.f.ty(a);
    let low = rw.binary(BinaryOp::IMul, a, b);
    let high = rw.binary(BinaryOp::SMulHi, a, b);
    let sum = rw.add(low, c);
    let carry = if by_bits {
        let wrapped = carried(rw, low, c, sum);
        rw.binary_const(BinaryOp::And, wrapped, 1)
    } else {
        let wrapped = rw.icmp(IntCC::Ult, sum, low);
        let (one, zero) = (rw.iconst(ty, 1), rw.iconst(ty, 0));
        rw.inst(InstKind::Select(wrapped, one, zero), ty)
    };
    let c_high = rw.binary_const(BinaryOp::AShr, c, u64::from(bits - 1));
    let high = rw.add(high, c_high);
    let high = rw.add(high, carry);
    let fits = rw.binary_const(BinaryOp::AShr, sum, u64::from(bits - 1));
    let over = rw.icmp(IntCC::Ne, high, fits);
    let limit = limit_of_sign(rw, high);
    rw.inst(InstKind::Select(over, limit, sum), ty)
}

fn leading_zeros(rw: &mut Rewriter<'_>, a: Value, bits: u32) -> Value {
    let ty = rw.f.ty(a);
    let words = ty.with_scalar(Scalar::I32);
    let count32 = |rw: &mut Rewriter<'_>, word: Value| {
        let msb = rw.inst(InstKind::Glsl { number: FIND_UMSB, args: SmallVec::from_slice(&[word]) }, words);
        let last = rw.iconst(words, 31);
        rw.binary(BinaryOp::ISub, last, msb)
    };
    if bits <= 32 {
        let wide = rw.int_cast(a, words, false);
        let zeros = count32(rw, wide);
        let extra = rw.iconst(words, u64::from(32 - bits));
        let zeros = rw.binary(BinaryOp::ISub, zeros, extra);
        return rw.int_cast(zeros, ty, false);
    }
    let low = rw.convert(ConvertOp::Trunc, a, words);
    let high = rw.binary_const(BinaryOp::LShr, a, 32);
    let high = rw.convert(ConvertOp::Trunc, high, words);
    let (in_low, in_high) = (count32(rw, low), count32(rw, high));
    let half = rw.iconst(words, 32);
    let in_low = rw.add(in_low, half);
    let zero = rw.iconst(words, 0);
    let above = rw.icmp(IntCC::Ne, high, zero);
    let zeros = rw.inst(InstKind::Select(above, in_high, in_low), words);
    rw.convert(ConvertOp::ZExt, zeros, ty)
}

fn rotate(rw: &mut Rewriter<'_>, value: Value, by: Value, bits: u32) -> Value {
    let mask = u64::from(bits - 1);
    let ty = rw.f.ty(value);
    let left = rw.binary_const(BinaryOp::And, by, mask);
    let back = rw.inst(InstKind::Unary(UnaryOp::INeg, by), ty);
    let right = rw.binary_const(BinaryOp::And, back, mask);
    let high = rw.binary(BinaryOp::Shl, value, left);
    let low = rw.binary(BinaryOp::LShr, value, right);
    rw.binary(BinaryOp::Or, high, low)
}

/// The integer type of a value's shape, to work on its bits.
pub(super) fn bits_type(ty: Type) -> Type {
    let int = ty.scalar().and_then(|s| Scalar::int(s.bytes())).unwrap_or(Scalar::I32);
    ty.with_scalar(int)
}

/// Each bit from `b` where `c` has a one, else from `a`.
fn bitselect(rw: &mut Rewriter<'_>, a: Value, b: Value, c: Value) -> Value {
    let ty = rw.f.ty(a);
    let int = bits_type(ty);
    let [a, b, c] = [a, b, c].map(|v| rw.bitcast(v, int));
    let not = rw.inst(InstKind::Unary(UnaryOp::Not, c), int);
    let kept = rw.binary(BinaryOp::And, a, not);
    let taken = rw.binary(BinaryOp::And, b, c);
    let both = rw.binary(BinaryOp::Or, kept, taken);
    rw.bitcast(both, ty)
}

/// `select`: by the most significant bit of each lane, for scalars by being non-zero.
fn select(rw: &mut Rewriter<'_>, a: Value, b: Value, c: Value, ty: Type) -> Value {
    let zero = rw.iconst(rw.f.ty(c), 0);
    let cc = if ty.lanes() == 1 { IntCC::Ne } else { IntCC::Slt };
    let cond = rw.icmp(cc, c, zero);
    rw.inst(InstKind::Select(cond, b, a), ty)
}

#[cfg(test)]
mod tests {
    use super::CLOp;
    use crate::LowerOptions;
    use crate::Target;
    use crate::context::PassContext;
    use crate::ir::{interp, text, verify};
    use crate::passes::language::lower_math;
    use crate::passes::legalize::legalize_types;

    /// The result of a function of three 64-bit numbers, and whether it compares.
    fn called(op: CLOp, args: [u64; 3], by_bits: bool) -> (interp::End, bool) {
        let count = if matches!(op, CLOp::u_mad_sat | CLOp::s_mad_sat) { 3 } else { 2 };
        let list = &"v0, v1, v2"[..4 * count - 2];
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i64)\nb0(v0: i64, v1: i64, v2: i64):\n  \
             v3: i64 = extinst {}({list})\n  return(v3)\n",
            op as u32
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let mut target = Target::minimum();
        target.features.shader_int64 = true;
        target.quirks.wrong_int64_overflow_checks = by_bits;
        let context = PassContext { target: &target, options: &LowerOptions::default() };
        lower_math::run(&mut module, &context).expect("integers");
        let compares = module.to_string().contains("icmp");
        legalize_types::run(&mut module, &context).expect("legal");
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let function = module.functions.values().next().expect("one");
        (interp::run(function, &args.map(|a| vec![Some(a)]), 0, 200).end, compares)
    }

    #[test]
    fn wide_sums_saturate_by_their_bits() {
        let some = [
            0,
            1,
            2,
            9,
            1 << 31,
            u64::from(u32::MAX),
            1 << 32,
            1 << 63,
            (1 << 63) - 1,
            u64::MAX - 1,
            u64::MAX,
        ];
        for (a, b) in some.into_iter().flat_map(|a| some.map(|b| (a, b))) {
            let is = |op, c, expected: u64| {
                for by_bits in [false, true] {
                    let (end, compares) = called(op, [a, b, c], by_bits);
                    let found = interp::End::Return(vec![vec![Some(expected)]]);
                    assert_eq!(end, found, "{op:?} of {a:#x} {b:#x} {c:#x}, by bits: {by_bits}");
                    let sum = matches!(op, CLOp::u_add_sat | CLOp::u_sub_sat);
                    assert!(!sum || compares != by_bits, "{op:?}");
                }
            };
            is(CLOp::u_add_sat, 0, a.saturating_add(b));
            is(CLOp::u_sub_sat, 0, a.saturating_sub(b));
            for c in [0, 1, u64::MAX, 1 << 63] {
                let exact = u128::from(a) * u128::from(b) + u128::from(c);
                is(CLOp::u_mad_sat, c, u64::try_from(exact).unwrap_or(u64::MAX));
                let [a, b, c_] = [a, b, c].map(|x| i128::from(x as i64));
                let exact = (a * b + c_).clamp(i64::MIN.into(), i64::MAX.into());
                is(CLOp::s_mad_sat, c, exact as i64 as u64);
            }
        }
    }
}
