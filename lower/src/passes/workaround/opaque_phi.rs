//! Opaque phi operands: converted numbers that meet constants in a phi pass one more operation, because Turnip and Honeykrisp narrow the phi.
//!
//! `nir_opt_phi_precision` of Mesa 25.0 moves conversions to 32 bits behind the phi if the other operands are constants. It converts the constants
//! to halves for floats and to 16-bit integers for integers, whatever the converted type was. A phi of `(float)us` of an unsigned short and 1.0f
//! gave 15360, the bits of 1 as a half. A phi of `(int)c` of a char and 300 gave 44.
//!
//! ```text
//! phi((float)us, 1.0f)    →    phi(max((float)us, -65536.0f), 1.0f)
//! ```
//!
//! Such a conversion becomes the maximum of itself and a number below its range. A conversion from 16 bits of the same kind is right as it is.

use super::opaque_select::lane_of;
use crate::ir::{BinaryOp, Block, ConvertOp, Function, Inst, InstKind, Scalar, Value, ValueDef};
use crate::rewrite::sites::{Scope, Sites};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::GlslStd450Op;

/// Below all 16-bit integers and halves that are numbers, and as exact as a float.
const BELOW: i32 = -0x1_0000;

/// The conversions that meet constants.
struct Met(FxHashSet<Inst>);

/// Finds the conversions of a function that meet constants.
pub(crate) fn sites<'a>(f: &Function, _: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let met = met_by_constants(f);
    (!met.is_empty()).then(|| Box::new(Met(met)) as Box<dyn Sites>)
}

impl Sites for Met {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        self.0.contains(&inst).then(|| above(rw, inst))
    }
}

/// The conversions that blocks are given where constants are given, too, by the lane.
fn met_by_constants(f: &Function) -> FxHashSet<Inst> {
    let mut given: FxHashMap<(Block, usize), SmallVec<[Value; 4]>> = FxHashMap::default();
    for block in &f.layout {
        f.blocks[*block].term.each_target(|target| {
            for (n, value) in target.args.iter().enumerate() {
                given.entry((target.block, n)).or_default().push(*value);
            }
        });
    }
    let mut met = FxHashSet::default();
    for values in given.values() {
        for lane in 0..f.ty(values[0]).lanes() {
            let lanes = || values.iter().map(|value| lane_of(f, *value, lane));
            if lanes().any(|value| f.const_bits(value).is_some()) {
                met.extend(lanes().filter_map(|value| spoiled(f, value)));
            }
        }
    }
    met
}

/// The conversion that a value is, if the driver takes constants beside it for something else.
fn spoiled(f: &Function, value: Value) -> Option<Inst> {
    let ValueDef::Inst(inst, _) = f.values[value].def else { return None };
    let InstKind::Convert { op, value: from, .. } = f.insts[inst].kind else { return None };
    let narrow = f.ty(from).scalar()?;
    let wide = f.ty(value).scalar()?;
    let spoils = match op {
        ConvertOp::SExt => (narrow, wide) == (Scalar::I8, Scalar::I32),
        ConvertOp::SToF | ConvertOp::UToF => narrow.bits() < 32 && wide == Scalar::F32,
        ConvertOp::FToS | ConvertOp::FToU => narrow == Scalar::F16 && wide == Scalar::I32,
        _ => false,
    };
    spoils.then_some(inst)
}

/// The result of a conversion, as the maximum of itself and a number below its range.
fn above(rw: &mut Rewriter<'_>, inst: Inst) -> InstKind {
    let kind = rw.f.insts[inst].kind.clone();
    let ty = rw.f.ty(rw.f.insts[inst].results[0]);
    let converted = rw.inst(kind, ty);
    if ty.scalar() == Some(Scalar::F32) {
        let below = rw.iconst(ty, u64::from((BELOW as f32).to_bits()));
        return InstKind::Glsl {
            number: GlslStd450Op::FMax as u32,
            args: SmallVec::from_slice(&[converted, below]),
        };
    }
    let below = rw.iconst(ty, u64::from(BELOW as u32));
    InstKind::Binary(BinaryOp::SMax, converted, below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};
    use crate::passes::optimize::rewrite_rules::{Rewrite, apply_to};
    use crate::target::Target;

    /// Returns whether the conversion in one arm is opaque.
    fn hides(conversion: &str, ty: &str, constant: &str) -> bool {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: bool, v1: i8, v2: i16, v3: f16, v4: f32):\n  condbr v0, b1(), b2({constant})\n\
             b1():\n  v5: {ty} = {conversion}\n  br b2(v5)\nb2(v9: {ty}):\n  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let text = module.to_string();
        text.contains("smax") || text.contains("glsl 40")
    }

    #[test]
    fn what_is_no_conversion_of_the_same_kind_from_16_bits() {
        for (conversion, ty, constant, does) in [
            ("convert.sext v1", "i32", "i32:300", true),
            ("convert.sext v2", "i32", "i32:300", false),
            ("convert.zext v1", "i32", "i32:300", false),
            ("convert.stof v1", "f32", "f32:1.0", true),
            ("convert.utof v2", "f32", "f32:1.0", true),
            ("convert.floattofloat v3", "f32", "f32:1.0", false),
            ("convert.ftos v3", "i32", "i32:7", true),
            ("convert.utof v2", "f32", "v4", false),
        ] {
            assert_eq!(hides(conversion, ty, constant), does, "{conversion} {constant}");
        }
    }
}
