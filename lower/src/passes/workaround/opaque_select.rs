//! Opaque selections: selections of a constant zero hide that constant, because Mesa's and NVIDIA's compilers rewrite them and lose the sign of
//! zero.
//!
//! ```text
//! c ? 1.0f : -0.0f    →    c ? 1.0f : opaque -0.0f
//! ```
//!
//! Rules of Mesa's `nir_opt_algebraic.py` (22.3 and 25.0) do not look at the sign of the zero:
//!
//! - `c ? 1.0f : -0.0f` gives 0, and `c ? -1.0f : 0.0f` gives -0. Both become a conversion of the condition. Integers with these bits are
//!   rewritten, too.
//! - `x < 0 ? 0 : sqrt(x)` becomes the root of max(x, 0), which is 0 where x is a NaN. -0 is taken for 0 in it. Those on llvmpipe are wrong.
//!
//! NVIDIA's compiler (580) takes -0 in a selection of floats for 0. A phi counts as a selection, because drivers turn branches into selections.
//! The zeros become opaque values.
//! Mesa's compiler inlines all calls, and a callee may select an argument: zeros and ones that a call passes become opaque, too.

use crate::ir::{Block, Function, Inst, InstKind, Scalar, Type, Value};
use crate::rewrite::sites::{Scope, Sites};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::GlslStd450Op;

/// Which zeros are opaque.
#[derive(Clone, Copy)]
struct Confused {
    /// Zeros that are selected with ones and roots.
    ones: bool,
    /// Float zeros with a sign.
    signs: bool,
}

/// A constant zero or one.
#[derive(Debug, Clone, Copy)]
struct Known {
    scalar: Scalar,
    /// It has a sign.
    signed: bool,
    /// It is a one.
    one: bool,
}

/// The places where constants are selected, or may be.
struct Chosen {
    confused: Confused,
    /// By selections, as operands; by the callee, as arguments.
    operands: FxHashMap<Inst, SmallVec<[Value; 2]>>,
    /// By branches: what blocks are given.
    arguments: FxHashSet<(Block, usize, Value)>,
}

/// Finds the constants of a function that are chosen.
pub(crate) fn sites<'a>(f: &Function, scope: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let quirks = &scope.target.quirks;
    Chosen::sites(f, Confused { ones: quirks.wrong_select_zeros, signs: quirks.lost_select_zero_signs })
}

impl Chosen {
    fn sites(f: &Function, confused: Confused) -> Option<Box<dyn Sites>> {
        let chosen = Chosen::find(f, confused);
        let any = !chosen.operands.is_empty() || !chosen.arguments.is_empty();
        any.then(|| Box::new(chosen) as Box<dyn Sites>)
    }

    fn find(f: &Function, confused: Confused) -> Chosen {
        let mut sites = Chosen { confused, operands: FxHashMap::default(), arguments: FxHashSet::default() };
        let mut given: FxHashMap<(Block, usize), SmallVec<[Value; 4]>> = FxHashMap::default();
        for block in &f.layout {
            for inst in &f.blocks[*block].insts {
                match &f.insts[*inst].kind {
                    InstKind::Select(_, one, other) => {
                        for (zero, other) in [(*one, *other), (*other, *one)] {
                            if confused.takes(f, zero, other) {
                                sites.operands.entry(*inst).or_default().push(zero);
                            }
                        }
                    }
                    InstKind::Call { args, .. } if confused.ones => {
                        let may_be_chosen =
                            |arg: &&Value| known_of(f, **arg).is_some_and(|c| c.one || c.scalar.is_float());
                        for arg in args.iter().filter(may_be_chosen) {
                            sites.operands.entry(*inst).or_default().push(*arg);
                        }
                    }
                    _ => {}
                }
            }
            f.blocks[*block].term.each_target(|target| {
                for (n, value) in target.args.iter().enumerate() {
                    given.entry((target.block, n)).or_default().push(*value);
                }
            });
        }
        for ((block, n), values) in given {
            for zero in &values {
                if values.iter().any(|other| confused.takes(f, *zero, *other)) {
                    sites.arguments.insert((block, n, *zero));
                }
            }
        }
        sites
    }
}

impl Sites for Chosen {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        let constants = self.operands.get(&inst)?;
        let mut kind = rw.f.insts[inst].kind.clone();
        let mut found = false;
        kind.map_values(|value| match constants.contains(&value) {
            true => {
                found = true;
                without_constants(rw, value)
            }
            false => value,
        });
        // A rule before this one may have made them opaque.
        if !found {
            return None;
        }
        Some(match kind {
            InstKind::Select(condition, one, other) if self.confused.signs => {
                by_bits(rw, condition, one, other)
            }
            kind => kind,
        })
    }

    fn rewrite_terminator(&self, rw: &mut Rewriter<'_>, block: Block) {
        let mut term = rw.f.blocks[block].term.clone();
        // Cases of a switch that pass a block the same values still do.
        let mut made: FxHashMap<Value, Value> = FxHashMap::default();
        for target in term.targets_mut() {
            for (n, value) in target.args.iter_mut().enumerate() {
                if self.arguments.contains(&(target.block, n, *value)) {
                    *value = *made.entry(*value).or_insert_with(|| without_constants(rw, *value));
                }
            }
        }
        rw.f.blocks[block].term = term;
    }
}

/// The choice between floats as one of their bits: NVIDIA's compiler makes conversions of a condition of choices between floats. Devices need have no
/// integers of the other sizes.
fn by_bits(rw: &mut Rewriter<'_>, condition: Value, one: Value, other: Value) -> InstKind {
    let ty = rw.f.ty(one);
    if ty.scalar() != Some(Scalar::F32) {
        return InstKind::Select(condition, one, other);
    }
    let bits = ty.with_scalar(Scalar::I32);
    let [one, other] = [one, other].map(|value| rw.bitcast(value, bits));
    InstKind::Bitcast(rw.inst(InstKind::Select(condition, one, other), bits))
}

/// The same value with opaque constants.
fn without_constants(rw: &mut Rewriter<'_>, value: Value) -> Value {
    let ty = rw.f.ty(value);
    let lanes: SmallVec<[Value; 4]> = (0..ty.lanes())
        .map(|n| {
            let lane = lane_of(rw.f, value, n);
            match (known_of(rw.f, lane), rw.f.const_bits(lane)) {
                (Some(known), Some(bits)) => {
                    let constant = rw.iconst(Type::Scalar(known.scalar), bits);
                    rw.opaque(constant)
                }
                _ => lane,
            }
        })
        .collect();
    if ty.lanes() == 1 { lanes[0] } else { rw.inst(InstKind::Construct(lanes), ty) }
}

/// A lane of a vector that is put together; the whole of another value, whose lanes are the same where it is a constant.
pub(crate) fn lane_of(f: &Function, value: Value, lane: u8) -> Value {
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Construct(parts)) if parts.len() == usize::from(f.ty(value).lanes()) => {
            parts[usize::from(lane)]
        }
        _ => value,
    }
}

impl Confused {
    /// Returns whether the driver makes something else of the choice between two values, in some lane, since the first is a zero.
    fn takes(self, f: &Function, zero: Value, other: Value) -> bool {
        zero != other
            && (0..f.ty(zero).lanes()).any(|lane| {
                let [zero, other] = [zero, other].map(|value| lane_of(f, value, lane));
                known_of(f, zero).filter(|known| !known.one).is_some_and(|zero| {
                    let is_float = zero.scalar.is_float();
                    let beside_one =
                        || known_of(f, other).is_some_and(|other| other.one && other.signed != zero.signed);
                    self.ones && (beside_one() || is_float && is_root(f, other))
                        || self.signs && zero.signed && is_float
                })
            })
    }
}

/// A constant that is a zero or a one as a float.
fn known_of(f: &Function, value: Value) -> Option<Known> {
    let (scalar, magnitude, signed) = magnitude_of(f, value)?;
    let one = match scalar.bits() {
        16 => 0x3c00,
        32 => 0x3f80_0000,
        _ => 0x3ff0_0000_0000_0000,
    };
    (magnitude == 0 || magnitude == one).then_some(Known { scalar, signed, one: magnitude == one })
}

/// The type of a constant that may be a float to the driver, its bits without the highest, and the highest.
fn magnitude_of(f: &Function, value: Value) -> Option<(Scalar, u64, bool)> {
    let scalar = f.ty(value).scalar().filter(|s| matches!(s.bits(), 16 | 32 | 64))?;
    let (bits, sign) = (f.const_bits(value)?, 1 << (scalar.bits() - 1));
    Some((scalar, bits & !sign, bits & sign != 0))
}

fn is_root(f: &Function, value: Value) -> bool {
    let inst = f.def_inst(value).map(|inst| &inst.kind);
    matches!(inst, Some(InstKind::Glsl { number, .. }) if *number == GlslStd450Op::Sqrt as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};
    use crate::passes::optimize::rewrite_rules::apply_sites;

    /// The rewritten form of a function of a condition, a float and an integer.
    fn opaque(body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: bool, v1: f32, v2: i32):\n{body}"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_sites(&mut module, |f| Chosen::sites(f, Confused { ones: true, signs: false }));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string()
    }

    /// Returns whether a zero is opaque.
    fn hides(body: &str) -> bool {
        opaque(&format!("{body}  return()\n")).contains("opaque")
    }

    #[test]
    fn ones_and_zeros_of_another_sign() {
        for (one, other, does) in [
            ("f32:1.0", "f32:-0.0", true),
            ("f32:-1.0", "f32:0.0", true),
            ("f32:1.0", "f32:0.0", false),
            ("f32:-1.0", "f32:-0.0", false),
            ("f32:2.0", "f32:-0.0", false),
            ("f64:1.0", "f64:-0.0", true),
            ("i32:1065353216", "i32:2147483648", true),
            ("i32:1065353216", "i32:0", false),
            ("i16:15360", "i16:32768", true),
        ] {
            let ty = &one[..3];
            assert_eq!(hides(&format!("  v3: {ty} = select v0, {one}, {other}\n")), does, "{one} {other}");
            assert_eq!(hides(&format!("  v3: {ty} = select v0, {other}, {one}\n")), does, "{other} {one}");
        }
        let body = "  v3: f32x2 = construct(v1, f32:-0.0)\n  v4: f32x2 = select v0, f32x2:1.0, v3\n";
        let text = opaque(&format!("{body}  return()\n"));
        assert!(text.matches("construct").count() == 2 && text.matches("opaque").count() == 1, "{text}");
    }

    #[test]
    fn signs_are_chosen_by_bits() {
        for (ty, bits) in [("f32", "i32"), ("f64", "f64")] {
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: bool, v1: {ty}):\n  v3: {ty} = select v0, {ty}:-0.0, v1\n  return()\n"
            );
            let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            apply_sites(&mut module, |f| Chosen::sites(f, Confused { ones: false, signs: true }));
            verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
            let text = module.to_string();
            assert!(text.contains("opaque") && text.contains(&format!("{bits} = select")), "{text}");
        }
    }

    /// Cases of a switch pass a block the same vector still: OpPhi takes one value of a block.
    #[test]
    fn cases_of_a_switch_pass_one_value() {
        let vector = "  v3: f32x2 = construct(v1, f32:-0.0)\n";
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: bool, v1: f32, v2: i32):\n{vector}  switch v2, b1(v3), (1: b1(v3), 2: b2())\nb2():\n  \
             br b1(f32x2:1.0)\nb1(v4: f32x2):\n  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_sites(&mut module, |f| Chosen::sites(f, Confused { ones: true, signs: false }));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let f = module.functions.values().next().expect("a function");
        let targets = f.blocks[Block(0)].term.targets();
        let given: Vec<Value> = targets.iter().flat_map(|t| t.args.iter().copied()).collect();
        assert!(module.to_string().contains("opaque"));
        assert!(given.len() == 2 && given[0] == given[1], "{module}");
    }

    #[test]
    fn what_calls_are_given() {
        let given = |value: &str| {
            let ty = &value[..3];
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: {ty}):\n  return(v0)\n\
                 func f1 \"g\" returns ({ty})\nb0():\n  v1: {ty} = call f0({value})\n  return(v1)\n"
            );
            let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            apply_sites(&mut module, |f| Chosen::sites(f, Confused { ones: true, signs: false }));
            verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
            module.to_string().contains("opaque")
        };
        for (value, does) in [
            ("f32:1.0", true),
            ("f64:-1.0", true),
            ("f32:-0.0", true),
            ("i32:1065353216", true),
            ("i32:0", false),
            ("f32:2.0", false),
        ] {
            assert_eq!(given(value), does, "{value}");
        }
    }

    #[test]
    fn roots() {
        let root = "  v3: f32 = glsl 31(v1)\n  v4: bool = fcmp.olt v1, f32:0.0\n";
        assert!(hides(&format!("{root}  v5: f32 = select v4, f32:0.0, v3\n")));
        assert!(!hides(&format!("{root}  v5: f32 = select v4, f32:1.0, v3\n")));
        assert!(!hides(&format!("{root}  v5: f32 = select v4, f32:0.0, v1\n")));
    }

    #[test]
    fn what_branches_bring() {
        let body = |zero: &str| {
            opaque(&format!(
                "  condbr v0, b1(), b2(f32:{zero})\nb1():\n  br b2(f32:1.0)\nb2(v9: f32):\n  return()\n"
            ))
        };
        let text = body("-0.0");
        assert!(!text.contains("b2(f32:-0.0)") && text.contains("b2(f32:1.0)"), "{text}");
        assert!(body("0.0").contains("b2(f32:0.0)"));
    }
}
