//! Opaque roundings: a value that is rounded through a narrower type is opaque, because drivers fold the round trip away.
//!
//! ```text
//! (uint)(float)x    →    (uint)(opaque (float)x)
//! ```
//!
//! - NVIDIA's compiler (580) folds `(float)(half)x` to x, and an integer of that half to an integer of x.
//! - Mesa's drivers fold `(uint)(float)x` and `(float)(half)x` in modules without SignedZeroInfNanPreserve. Compilers of devices that do not offer
//!   that mode may do the same.
//! - llvmpipe folds `(long)(float)x` of a long and `(int)(half)x` of an int: it asks for the mode of floats of the integer's size.
//!
//! OpenCL C rounds each conversion (§6.2.3.3, §6.4). The value between the two conversions becomes opaque.

use crate::ir::{ConvertOp, Function, Inst, InstKind, Scalar, Value};
use crate::rewrite::sites::{Scope, Sites};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;

/// So far a number is followed to where it comes from; what comes from further away may come from a conversion.
const DEPTH: u32 = 6;

/// Whose second conversions are looked at.
#[derive(Clone, Copy)]
struct Forgotten {
    /// Round trips through halves, to any type.
    halves: bool,
    /// Round trips through floats and doubles to integers.
    integers: [bool; 2],
}

impl Forgotten {
    fn for_target(target: &Target) -> Self {
        let [half, single, double] = target.features.shader_signed_zero_inf_nan_preserve;
        Forgotten {
            halves: target.quirks.folded_half_round_trips || !half || !single,
            integers: [!single, !double],
        }
    }

    fn sites(self, f: &Function) -> Option<Box<dyn Sites>> {
        let mut all = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
        all.any(|inst| self.converted(f, *inst).is_some()).then(|| Box::new(self) as Box<dyn Sites>)
    }

    /// The number that an instruction converts, if the driver may take it for what it was made of.
    fn converted(self, f: &Function, inst: Inst) -> Option<Value> {
        let InstKind::Convert { op, value, .. } = f.insts[inst].kind else { return None };
        let to_integer = matches!(op, ConvertOp::FToS | ConvertOp::FToU);
        let bits = f.insts[inst].results.first().and_then(|v| f.ty(*v).scalar()).map_or(0, Scalar::bits);
        let counts = match f.ty(value).scalar()? {
            Scalar::F16 if self.halves => to_integer || op == ConvertOp::FloatToFloat,
            Scalar::F16 => to_integer && bits > 16,
            Scalar::F32 => to_integer && (self.integers[0] || bits > 32),
            Scalar::F64 => self.integers[1] && to_integer,
            _ => false,
        };
        (counts && may_be_converted(f, value, DEPTH)).then_some(value)
    }
}

/// Finds the numbers of a function that are converted a second time.
pub(crate) fn sites<'a>(f: &Function, scope: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    Forgotten::for_target(scope.target).sites(f)
}

impl Sites for Forgotten {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        let value = self.converted(rw.f, inst)?;
        let mut kind = rw.f.insts[inst].kind.clone();
        let opaque = rw.opaque(value);
        kind.map_values(|_| opaque);
        Some(kind)
    }
}

/// Returns whether a number may be the result of a conversion, or of one with another sign: not where memory or other arithmetic gives it.
fn may_be_converted(f: &Function, value: Value, depth: u32) -> bool {
    let Some(deeper) = depth.checked_sub(1) else { return true };
    let may = |value: &Value| may_be_converted(f, *value, deeper);
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Extract(from, _) | InstKind::Unary(_, from)) => may(from),
        Some(InstKind::Construct(parts)) => parts.iter().any(may),
        Some(InstKind::Select(_, one, other)) => may(one) || may(other),
        Some(InstKind::Glsl { args, .. }) => args.iter().any(may),
        Some(
            InstKind::Convert { .. }
            | InstKind::Shuffle(..)
            | InstKind::ExtractDyn(..)
            | InstKind::Insert { .. }
            | InstKind::InsertDyn { .. },
        ) => true,
        Some(_) => false,
        // The arguments of blocks and functions.
        None => f.const_bits(value).is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};
    use crate::passes::optimize::rewrite_rules::apply_sites;

    /// How many numbers are opaque in a function of a float, a half, an integer and a double.
    fn opaque(forgotten: Forgotten, body: &str) -> usize {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: f32, v1: f16, v2: i32, v3: f64):\n{body}  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_sites(&mut module, |f| forgotten.sites(f));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string().matches("= opaque").count()
    }

    const HALVES: Forgotten = Forgotten { halves: true, integers: [false; 2] };
    const INTEGERS: Forgotten = Forgotten { halves: false, integers: [true; 2] };

    #[test]
    fn halves_of_floats_are_hidden() {
        let to_half = "  v4: f16 = convert.floattofloat v0\n";
        for (again, always) in [
            ("f32 = convert.floattofloat v4", 0),
            ("f64 = convert.floattofloat v4", 0),
            ("i32 = convert.ftou v4", 1),
            ("i16 = convert.ftou v4", 0),
        ] {
            let body = format!("{to_half}  v5: {again}\n");
            assert_eq!(opaque(HALVES, &body), 1, "{body}");
            assert_eq!(opaque(INTEGERS, &body), always, "{body}");
        }
        // Through lanes, choices and blocks.
        let lanes = "  v4: f32x2 = construct(v0, v0)\n  v5: f16x2 = convert.floattofloat v4\n  v6: f16 = extract v5, 1\n  v7: f32 = convert.floattofloat v6\n";
        assert_eq!(opaque(HALVES, lanes), 1);
        assert_eq!(opaque(HALVES, "  v4: f32 = convert.floattofloat v1\n"), 1);
        let negated = "  v5: f16 = fneg v4\n  v6: f32 = convert.floattofloat v5\n";
        assert_eq!(opaque(HALVES, &format!("{to_half}{negated}")), 1);
        // The result of arithmetic is not a conversion.
        assert_eq!(opaque(HALVES, "  v4: f16 = fadd v1, v1\n  v5: f32 = convert.floattofloat v4\n"), 0);
        assert_eq!(opaque(HALVES, "  v4: f64 = convert.floattofloat v0\n"), 0);
    }

    /// A number of which each of many steps chooses between the two before.
    #[test]
    fn long_ways_are_not_gone() {
        let mut body =
            "  v4: bool = fcmp.olt v0, f32:0.0\n  v5: f16 = fadd v1, v1\n  v6: f16 = fmul v1, v1\n"
                .to_owned();
        for n in 7..200 {
            body += &format!("  v{n}: f16 = select v4, v{}, v{}\n", n - 1, n - 2);
        }
        assert_eq!(opaque(HALVES, &format!("{body}  v200: f32 = convert.floattofloat v199\n")), 1);
    }

    #[test]
    fn floats_of_integers_are_hidden() {
        let body = "  v4: f32 = convert.utof v2\n  v5: i32 = convert.ftou v4\n";
        assert_eq!(opaque(INTEGERS, body), 1);
        assert_eq!(opaque(HALVES, body), 0);
        assert_eq!(opaque(INTEGERS, "  v4: f64 = convert.stof v2\n  v5: i64 = convert.ftos v4\n"), 1);
        // Integers with more bits than the float count, even if no other round trip is folded.
        const NOTHING: Forgotten = Forgotten { halves: false, integers: [false; 2] };
        for (again, times) in [
            ("f32 = convert.utof v2\n  v5: i64 = convert.ftou v4", 1),
            ("f16 = convert.utof v2\n  v5: i32 = convert.ftou v4", 1),
            ("f16 = convert.utof v2\n  v5: i16 = convert.ftou v4", 0),
            ("f64 = convert.utof v2\n  v5: i64 = convert.ftou v4", 0),
            ("f32 = convert.utof v2\n  v5: i32 = convert.ftou v4", 0),
        ] {
            assert_eq!(opaque(NOTHING, &format!("  v4: {again}\n")), times, "{again}");
        }
        assert_eq!(opaque(INTEGERS, "  v4: f32 = fmul v0, v0\n  v5: i32 = convert.ftou v4\n"), 0);
    }
}
