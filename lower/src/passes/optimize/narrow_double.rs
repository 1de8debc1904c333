//! Narrowing of doubles: double arithmetic between conversions from and to float is computed in float where that is exact.
//!
//! Constants without an `f` are common in real code, and doubles cost a GPU between twice and 64 times as much.
//!
//! ```text
//! float z = (float)((double)x * (double)y);    →    z = x * y;        x < 0.1    →    x < 0.1f (the float above 0.1)
//! ```
//!
//! A sum, difference or product of two floats, computed in double and rounded to float, equals the float operation. A double has more than
//! twice a float's bits and two, so that double rounding is the same as rounding once (Figueroa, 1995). That holds for quotients and roots, too,
//! but Vulkan's float ones are not correctly rounded, so these stay.
//!
//! A comparison with a constant becomes a comparison of floats with a neighbouring float.
//!
//! `fma_contraction` comes before: operations that were fused in double have another rounding, and stay.

use crate::ir::{BinaryOp, ConvertOp, FloatCC, Function, Inst, InstKind, Scalar, Type, UnaryOp, Value};
use crate::rewrite::sites::{Scope, Sites};
use crate::transform::rewriter::Rewriter;

/// Depth to which the operands of a double are followed.
const MAX_DEPTH: u32 = 4;

/// A function with doubles.
struct Doubles;

/// Finds out whether a function has doubles.
pub(super) fn sites<'a>(f: &Function, _: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let any = f.values.values().any(|v| v.ty.scalar() == Some(Scalar::F64));
    any.then(|| Box::new(Doubles) as Box<dyn Sites + 'a>)
}

impl Sites for Doubles {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        Some(narrowed(rw.f, inst)?.write(rw))
    }
}

/// The float operation that replaces one on doubles.
enum Narrowed {
    Binary(BinaryOp, Value, Value),
    Unary(UnaryOp, Value),
    /// A comparison with a constant on the right.
    Compare(FloatCC, Value, f32),
}

impl Narrowed {
    fn write(self, rw: &mut Rewriter<'_>) -> InstKind {
        match self {
            Narrowed::Binary(op, a, b) => InstKind::Binary(op, single(rw, a), single(rw, b)),
            Narrowed::Unary(op, a) => InstKind::Unary(op, single(rw, a)),
            Narrowed::Compare(cc, a, c) => {
                let a = single(rw, a);
                let c = rw.iconst(rw.f.ty(a), c.to_bits().into());
                InstKind::FCmp(cc, a, c)
            }
        }
    }
}

fn narrowed(f: &Function, inst: Inst) -> Option<Narrowed> {
    let data = &f.insts[inst];
    let result = f.ty(*data.results.first()?);
    match data.kind {
        InstKind::Convert { op: ConvertOp::FloatToFloat, value, saturate: false, rounding: None }
            if (f.ty(value).scalar(), result.scalar()) == (Some(Scalar::F64), Some(Scalar::F32)) =>
        {
            match f.def_inst(value)?.kind {
                InstKind::Binary(
                    op @ (BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FMulNoContraction),
                    a,
                    b,
                ) if is_single(f, a, MAX_DEPTH) && is_single(f, b, MAX_DEPTH) => {
                    Some(Narrowed::Binary(op, a, b))
                }
                InstKind::Unary(op @ (UnaryOp::FNeg | UnaryOp::FAbs), a) if is_single(f, a, MAX_DEPTH) => {
                    Some(Narrowed::Unary(op, a))
                }
                _ => None,
            }
        }
        InstKind::FCmp(cc, a, b) if f.ty(a).scalar() == Some(Scalar::F64) && is_single(f, a, MAX_DEPTH) => {
            let (cc, c) = float_comparison(cc, f64::from_bits(f.const_bits(b)?))?;
            f.const_bits(a).is_none().then_some(Narrowed::Compare(cc, a, c))
        }
        _ => None,
    }
}

/// The float comparison that equals a comparison with a double. Zeros stay, and so do numbers that some devices flush to zero.
fn float_comparison(cc: FloatCC, c: f64) -> Option<(FloatCC, f32)> {
    use FloatCC::{OGe, OGt, OLe, OLt, UGe, UGt, ULe, ULt};
    let near = c as f32;
    if !near.is_finite() || near.abs() < 2.0 * f32::MIN_POSITIVE {
        return None;
    }
    if f64::from(near) == c {
        return Some((cc, near));
    }
    // No float lies between the constant and these two.
    let above = if f64::from(near) > c { near } else { near.next_up() };
    let below = if f64::from(near) < c { near } else { near.next_down() };
    let found = match cc {
        OLt | OLe => (OLt, above),
        ULt | ULe => (ULt, above),
        OGt | OGe => (OGt, below),
        UGt | UGe => (UGt, below),
        _ => return None,
    };
    found.1.is_finite().then_some(found)
}

/// Returns whether a double has the value of a float.
fn is_single(f: &Function, value: Value, depth: u32) -> bool {
    if let Some(bits) = f.const_bits(value) {
        let double = f64::from_bits(bits);
        return double == 0.0 || double.is_infinite() || {
            let near = double as f32;
            f64::from(near) == double && near.is_normal()
        };
    }
    let Some(inst) = f.def_inst(value).filter(|_| depth > 0) else { return false };
    match inst.kind {
        InstKind::Convert { op: ConvertOp::FloatToFloat, value, saturate: false, .. } => {
            f.ty(value).scalar() == Some(Scalar::F32)
        }
        InstKind::Unary(UnaryOp::FNeg | UnaryOp::FAbs, x) => is_single(f, x, depth - 1),
        _ => false,
    }
}

/// The float with the value of a double.
fn single(rw: &mut Rewriter<'_>, value: Value) -> Value {
    let ty: Type = rw.f.ty(value).with_scalar(Scalar::F32);
    if let Some(bits) = rw.f.const_bits(value) {
        return rw.iconst(ty, (f64::from_bits(bits) as f32).to_bits().into());
    }
    match rw.f.def_inst(value).map(|inst| inst.kind.clone()) {
        Some(InstKind::Convert { value, .. }) => value,
        Some(InstKind::Unary(op, x)) => {
            let x = single(rw, x);
            rw.inst(InstKind::Unary(op, x), ty)
        }
        // Not reached: `is_single` has checked the operation.
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{fold, text};
    use crate::passes::optimize::rewrite_rules::apply_sites;

    /// A function of two floats, which are doubles v2 and v3, with code whose result is v9.
    fn narrowed_text(code: &str, result: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ({result})\nb0(v0: f32, v1: f32):\n  \
             v2: f64 = convert.floattofloat v0\n  v3: f64 = convert.floattofloat v1\n{code}  return(v9)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_sites(&mut module, |_| Some(Box::new(Doubles)));
        module.to_string()
    }

    #[test]
    fn one_operation_between_conversions() {
        for (operation, expected) in [
            ("fmul v2, v3", "v9: f32 = fmul v0, v1"),
            ("fmul v2, f64:0.5", "v9: f32 = fmul v0, f32:0.5"),
            ("fsub f64:1.0, v2", "v9: f32 = fsub f32:1.0, v0"),
        ] {
            let text = narrowed_text(
                &format!("  v8: f64 = {operation}\n  v9: f32 = convert.floattofloat v8\n"),
                "f32",
            );
            assert!(text.contains(expected), "{text}");
        }
        for operation in ["fdiv v2, v3", "fmul v2, f64:0.1", "fma v2, v3, v2"] {
            let text = narrowed_text(
                &format!("  v8: f64 = {operation}\n  v9: f32 = convert.floattofloat v8\n"),
                "f32",
            );
            assert!(text.contains("v9: f32 = convert"), "{text}");
        }
        let two = "  v7: f64 = fmul v2, v3\n  v8: f64 = fadd v7, v2\n  v9: f32 = convert.floattofloat v8\n";
        assert!(narrowed_text(two, "f32").contains("v9: f32 = convert"));
        let half = "  v8: f64 = fmul v2, v3\n  v9: f16 = convert.floattofloat v8\n";
        assert!(narrowed_text(half, "f16").contains("v9: f16 = convert"));
    }

    #[test]
    fn comparisons_with_constants() {
        // 0.1 lies between two floats.
        let (below, above) = (0.099_999_994f32, 0.1f32);
        assert!(f64::from(below) < 0.1 && f64::from(above) > 0.1 && below.next_up() == above);
        for (cc, expected) in [
            (FloatCC::OLt, (FloatCC::OLt, above)),
            (FloatCC::OLe, (FloatCC::OLt, above)),
            (FloatCC::UGe, (FloatCC::UGt, below)),
            (FloatCC::OGt, (FloatCC::OGt, below)),
        ] {
            assert_eq!(float_comparison(cc, 0.1), Some(expected));
        }
        assert_eq!(float_comparison(FloatCC::OEq, 0.1), None);
        assert_eq!(float_comparison(FloatCC::OEq, 0.5), Some((FloatCC::OEq, 0.5)));
        assert_eq!(float_comparison(FloatCC::OGt, 0.0), None);
        assert_eq!(float_comparison(FloatCC::OLt, 1e300), None);
        assert_eq!(float_comparison(FloatCC::OLt, f64::NAN), None);
        let text = narrowed_text("  v9: bool = fcmp.olt v2, f64:0.5\n", "bool");
        assert!(text.contains("v9: bool = fcmp.olt v0, f32:0.5"), "{text}");
        assert!(narrowed_text("  v9: bool = fcmp.olt v2, v3\n", "bool").contains("fcmp.olt v2, v3"));
    }

    #[test]
    fn comparisons_of_floats_are_those_of_doubles() {
        let numbers =
            [0.0, 1.0e-45, 1.0e-40, f32::MIN_POSITIVE, 0.1, 1.0, 16_777_216.0, f32::MAX, f32::INFINITY];
        let near = numbers.into_iter().flat_map(|x: f32| [x.next_down(), x, x.next_up()]);
        let floats: Vec<f32> = near.flat_map(|x| [x, -x]).chain([f32::NAN]).collect();
        // The doubles that are these floats, their neighbours, and the middles between floats.
        let middle = |x: f32| (f64::from(x) + f64::from(x.next_up())) / 2.0;
        let doubles = floats.iter().flat_map(|x| {
            let wide = f64::from(*x);
            [wide, wide.next_up(), wide.next_down(), middle(*x)]
        });
        let mut narrowed = 0;
        for (c, cc) in doubles.flat_map(|c| FloatCC::ALL.iter().map(move |cc| (c, *cc))) {
            let Some((to, single)) = float_comparison(cc, c) else { continue };
            narrowed += 1;
            for x in &floats {
                // Devices may flush them.
                let flushed = if x.is_subnormal() { 0.0_f32.copysign(*x) } else { *x };
                for (x, wide) in [(*x, *x), (flushed, *x)] {
                    let wide = fold::fcmp(cc, Scalar::F64, f64::from(wide).to_bits(), c.to_bits());
                    let found = fold::fcmp(to, Scalar::F32, x.to_bits().into(), single.to_bits().into());
                    assert_eq!(found, wide, "{x} {cc:?} {c} {to:?} {single}");
                }
            }
        }
        assert!(narrowed > 500, "{narrowed}");
    }
}
