//! Absolute values by a mask, because Mesa's compilers drop fabs of a constant -0.
//!
//! Mesa's drivers leave out `fabs` if their range analysis finds that the operand is not negative (`is_not_negative` of 22.3 and 25.0). A constant
//! -0 is not negative to it. So `fabs(c ? -0.0f : 0.0f)` gave -0, and `fabs((float2)(-0.0f, x))` on llvmpipe. IEEE 754 and OpenCL C ("Math
//! Functions") require 0.
//!
//! ```text
//! fabs(c ? -0.0f : 0.0f)    →    as_float(as_uint(c ? -0.0f : 0.0f) & 0x7fffffff)
//! ```
//!
//! The rule follows selections, lanes, minima, products and roots, as that analysis does. A square root counts as not negative, and the root of -0
//! is -0. Other operands keep `fabs`, which is free on hardware with operand modifiers.

use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstKind, Scalar, Type, UnaryOp, Value, ValueDef,
};
use crate::rewrite::sites::{Scope, Sites};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::GlslStd450Op;

/// At most so many values are visited from one magnitude; of what is made of more the sign is cleared.
const MAX_STEPS_FOLLOWED: usize = 200;

/// The absolute values whose operand may be -0.
struct Masked {
    insts: FxHashSet<Inst>,
    /// True if there is 16-bit arithmetic.
    shorts: bool,
}

/// Finds the absolute values of a function whose operand may be -0.
pub(crate) fn sites<'a>(f: &Function, scope: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let arguments = Arguments::collect(f);
    let insts: FxHashSet<Inst> = f
        .layout
        .iter()
        .flat_map(|block| &f.blocks[*block].insts)
        .copied()
        .filter(|inst| magnitude_of(f, *inst).is_some_and(|value| arguments.may_be_minus_zero(f, value)))
        .collect();
    let shorts = scope.target.has_arithmetic(Scalar::I16);
    (!insts.is_empty()).then(|| Box::new(Masked { insts, shorts }) as Box<dyn Sites>)
}

impl Sites for Masked {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        let value = magnitude_of(rw.f, inst).filter(|_| self.insts.contains(&inst))?;
        Some(without_sign(rw, value, self.shorts))
    }
}

/// The operand of an absolute value.
fn magnitude_of(f: &Function, inst: Inst) -> Option<Value> {
    match f.insts[inst].kind {
        InstKind::Unary(UnaryOp::FAbs, value) => Some(value),
        _ => None,
    }
}

/// The arguments that branches pass to block parameters.
struct Arguments(FxHashMap<(Block, usize), SmallVec<[Value; 2]>>);

impl Arguments {
    fn collect(f: &Function) -> Self {
        let mut arguments = Arguments(FxHashMap::default());
        let all = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
        if all.copied().any(|inst| magnitude_of(f, inst).is_some()) {
            for block in &f.layout {
                f.blocks[*block].term.each_target(|target| {
                    for (n, value) in target.args.iter().enumerate() {
                        arguments.0.entry((target.block, n)).or_default().push(*value);
                    }
                });
            }
        }
        arguments
    }

    /// Returns whether a constant zero reaches a value as -0, or a root does, as far as ranges of numbers are computed.
    fn may_be_minus_zero(&self, f: &Function, value: Value) -> bool {
        let mut seen: FxHashSet<(Value, bool)> = FxHashSet::default();
        // With whether a root counts: the sign of what it is a term of is not known to them.
        let mut work = vec![(value, true)];
        while let Some((value, roots)) = work.pop() {
            if !seen.insert((value, roots)) {
                continue;
            }
            if seen.len() > MAX_STEPS_FOLLOWED || is_zero(f, value, false) {
                return true;
            }
            let inst = match f.values[value].def {
                ValueDef::Inst(inst, _) => inst,
                ValueDef::Param(block, n) => {
                    let arguments = self.0.get(&(block, usize::from(n))).into_iter().flatten();
                    work.extend(arguments.map(|v| (*v, roots)));
                    continue;
                }
                ValueDef::Const(_) => continue,
            };
            let kind = &f.insts[inst].kind;
            match *kind {
                // The product of a zero and anything is a zero to them, of whatever sign.
                InstKind::Unary(UnaryOp::FNeg, _)
                | InstKind::Binary(BinaryOp::FMul | BinaryOp::FMulNoContraction | BinaryOp::FDiv, ..)
                    if kind.values().any(|v| has_zero(f, v)) =>
                {
                    return true;
                }
                InstKind::Fma(a, b, _) if has_zero(f, a) || has_zero(f, b) => return true,
                InstKind::Glsl { number, .. } if roots && number == GlslStd450Op::Sqrt as u32 => return true,
                InstKind::Select(_, one, other) => work.extend([(one, roots), (other, roots)]),
                InstKind::Binary(BinaryOp::FMul | BinaryOp::FMulNoContraction | BinaryOp::FDiv, a, b) => {
                    work.extend([(a, roots && is_not_negative(f, b)), (b, roots && is_not_negative(f, a))]);
                }
                // A sum is -0 only if both terms are.
                InstKind::Fma(_, _, sum) => work.push((sum, false)),
                InstKind::Binary(BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FRem, a, b) => {
                    work.extend([(a, false), (b, false)]);
                }
                InstKind::Unary(UnaryOp::FNeg, a) => work.push((a, false)),
                InstKind::Construct(_)
                | InstKind::Extract(..)
                | InstKind::ExtractDyn(..)
                | InstKind::Insert { .. }
                | InstKind::InsertDyn { .. }
                | InstKind::Shuffle(..)
                | InstKind::Glsl { .. }
                | InstKind::Convert { op: ConvertOp::FloatToFloat, .. } => {
                    let floats = kind.values().filter(|v| f.ty(*v).scalar().is_some_and(Scalar::is_float));
                    work.extend(floats.map(|v| (v, roots)));
                }
                _ => {}
            }
        }
        false
    }
}

/// Returns whether a number is seen not to be negative, as factors of roots may be.
fn is_not_negative(f: &Function, value: Value) -> bool {
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Unary(UnaryOp::FAbs, _) | InstKind::Convert { op: ConvertOp::UToF, .. }) => true,
        Some(InstKind::Glsl { number, .. }) => *number == GlslStd450Op::Sqrt as u32,
        Some(_) => false,
        None => f.const_bits(value).is_some(),
    }
}

/// Returns whether a value is a constant zero of floats: with a sign, or `any`.
fn is_zero(f: &Function, value: Value, any: bool) -> bool {
    let Some(scalar) = f.ty(value).scalar().filter(|s| s.is_float()) else { return false };
    let sign = 1u64 << (scalar.bits() - 1);
    f.const_bits(value).is_some_and(|bits| bits == sign || any && bits == 0)
}

/// Returns whether a value is a constant zero, or has such a lane.
fn has_zero(f: &Function, value: Value) -> bool {
    let lanes = match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Construct(parts)) => parts.as_slice(),
        _ => &[],
    };
    is_zero(f, value, true) || lanes.iter().any(|lane| is_zero(f, *lane, true))
}

/// The magnitude, by the bits.
fn without_sign(rw: &mut Rewriter<'_>, value: Value, shorts: bool) -> InstKind {
    let ty = rw.f.ty(value);
    match ty.scalar() {
        Some(Scalar::F64) => by_lanes(rw, value),
        // There may be no integers of 16 bits.
        Some(Scalar::F16) if !shorts => {
            let single = rw.convert(ConvertOp::FloatToFloat, value, ty.with_scalar(Scalar::F32));
            let magnitude = masked(rw, single, Scalar::I32);
            InstKind::Convert {
                op: ConvertOp::FloatToFloat,
                value: magnitude,
                saturate: false,
                rounding: None,
            }
        }
        Some(Scalar::F16) => bits_of(rw, value, Scalar::I16),
        _ => bits_of(rw, value, Scalar::I32),
    }
}

/// A float without its sign, as the cast of what it is then.
fn bits_of(rw: &mut Rewriter<'_>, value: Value, scalar: Scalar) -> InstKind {
    let ty = rw.f.ty(value).with_scalar(scalar);
    let bits = rw.bitcast(value, ty);
    let mask = rw.iconst(ty, (1 << (scalar.bits() - 1)) - 1);
    InstKind::Bitcast(rw.binary(BinaryOp::And, bits, mask))
}

fn masked(rw: &mut Rewriter<'_>, value: Value, scalar: Scalar) -> Value {
    let ty = rw.f.ty(value);
    let kind = bits_of(rw, value, scalar);
    rw.inst(kind, ty)
}

/// Doubles, by their high words: there may be no integers of 64 bits.
fn by_lanes(rw: &mut Rewriter<'_>, value: Value) -> InstKind {
    let (ty, words) = (rw.f.ty(value), Type::Vector(Scalar::I32, 2));
    let one = |rw: &mut Rewriter<'_>, lane: Value| {
        let both = rw.bitcast(lane, words);
        let (low, high) = (rw.extract(both, 0), rw.extract(both, 1));
        let mask = rw.iconst(Type::I32, 0x7fff_ffff);
        let high = rw.binary(BinaryOp::And, high, mask);
        InstKind::Bitcast(rw.construct(&[low, high], words))
    };
    if ty.lanes() == 1 {
        return one(rw, value);
    }
    let lanes = (0..ty.lanes()).map(|n| {
        let lane = rw.extract(value, n);
        let kind = one(rw, lane);
        rw.inst(kind, Type::Scalar(Scalar::F64))
    });
    InstKind::Construct(lanes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{interp, text, verify};
    use crate::passes::optimize::rewrite_rules::{Rewrite, apply_to};
    use crate::target::Target;

    /// How many magnitudes of a function are masked, of a condition and two floats; what it gives stays what it is.
    fn masks(body: &str) -> usize {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (f32)\nb0(v0: bool, v1: f32, v2: i32, v3: f64, v4: f16):\n{body}"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let before = module.functions.values().next().expect("a function").clone();
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        let function = module.functions.values().next().expect("a function");
        for truth in [0, 1] {
            let args =
                [vec![Some(truth)], vec![Some(0xbf80_0000)], vec![Some(3)], vec![Some(0)], vec![Some(0)]];
            let runs = [&before, function].map(|f| interp::run(f, &args, 1, 1000));
            assert!(runs[0].allows(&runs[1]), "{runs:?}\n{source}");
        }
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string().matches("= and").count()
    }

    #[test]
    fn what_may_be_minus_zero() {
        let end = "  return(v9)\n";
        for (body, times) in [
            ("  v5: f32 = select v0, f32:-0.0, f32:0.0\n  v9: f32 = fabs v5\n", 1),
            ("  v5: f32 = convert.utof v2\n  v6: f32 = select v0, v5, f32:-0.0\n  v9: f32 = fabs v6\n", 1),
            ("  v5: f32x2 = construct(v1, f32:-0.0)\n  v6: f32x2 = fabs v5\n  v9: f32 = extract v6, 1\n", 1),
            (
                "  v5: f32x2 = construct(v1, f32:0.0)\n  v6: f32x2 = fneg v5\n  v7: f32x2 = fabs v6\n  v9: f32 = extract v7, 1\n",
                1,
            ),
            ("  v5: f32 = fmul v1, f32:0.0\n  v9: f32 = fabs v5\n", 1),
            ("  v5: f32 = fma v1, f32:0.0, v1\n  v9: f32 = fabs v5\n", 1),
            ("  v5: f32 = glsl 37(v1, f32:-0.0)\n  v9: f32 = fabs v5\n", 1),
            ("  v5: f32 = glsl 31(v1)\n  v9: f32 = fabs v5\n", 1),
            ("  v5: f32 = glsl 31(v1)\n  v6: f32 = fmul v5, f32:2.0\n  v9: f32 = fabs v6\n", 1),
            // Ordinary magnitudes.
            ("  v5: f32 = glsl 31(v1)\n  v6: f32 = fmul v5, v1\n  v9: f32 = fabs v6\n", 0),
            ("  v5: f32 = glsl 31(v1)\n  v6: f32 = fadd v5, v1\n  v9: f32 = fabs v6\n", 0),
            ("  v9: f32 = fabs v1\n", 0),
            ("  v5: f32 = select v0, f32:0.0, v1\n  v9: f32 = fabs v5\n", 0),
            ("  v5: f32 = fsub f32:0.0, v1\n  v9: f32 = fabs v5\n", 0),
            ("  v5: f32 = fneg v1\n  v6: f32 = fmul v5, f32:2.0\n  v9: f32 = fabs v6\n", 0),
            ("  v5: f32 = glsl 40(v1, f32:0.0)\n  v9: f32 = fabs v5\n", 0),
        ] {
            assert_eq!(masks(&format!("{body}{end}")), times, "{body}");
        }
        let branches =
            "  condbr v0, b1(), b2(f32:-0.0)\nb1():\n  br b2(v1)\nb2(v8: f32):\n  v9: f32 = fabs v8\n";
        assert_eq!(masks(&format!("{branches}{end}")), 1);
    }

    #[test]
    fn other_floats() {
        let double = "  v5: f64 = select v0, f64:-0.0, v3\n  v6: f64 = fabs v5\n  v9: f32 = convert.floattofloat v6\n  return(v9)\n";
        assert_eq!(masks(double), 1);
        let two = "  v5: f64x2 = construct(v3, f64:-0.0)\n  v6: f64x2 = fabs v5\n  v7: f64 = extract v6, 1\n  v9: f32 = convert.floattofloat v7\n  return(v9)\n";
        assert_eq!(masks(two), 2);
        let half = "  v5: f16 = select v0, f16:0x8000, v4\n  v6: f16 = fabs v5\n  v9: f32 = convert.floattofloat v6\n  return(v9)\n";
        assert_eq!(masks(half), 1);
    }
}
