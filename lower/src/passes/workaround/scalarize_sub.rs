//! Scalarisation of vector subtractions: integer subtractions and divisions of vectors are computed lane by lane, because NVIDIA's compiler (580)
//! swaps their operands.
//!
//! ```text
//! x - v    →    (int4)(x.x - v.x, x.y - v.y, x.z - v.z, x.w - v.w)
//! ```
//!
//! The fault shows where a loop carries the vector `v`: `x - v` becomes `v - x`. Divisions, remainders and negations are affected. Shifts,
//! comparisons, floats and scalars are right.

use crate::ir::{BinaryOp, Function, Inst, InstKind, Scalar, Type, UnaryOp, Value};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;

/// Rewrites an operation of vectors whose operands may be swapped.
pub(crate) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let Type::Vector(scalar, lanes) = rw.f.ty(*rw.f.insts[inst].results.first()?) else { return None };
    if !is_wrong(rw.f, inst) {
        return None;
    }
    let kind = rw.f.insts[inst].kind.clone();
    let each: SmallVec<[Value; 4]> =
        (0..lanes).map(|lane| one_lane(rw, &kind, lane, Type::Scalar(scalar))).collect();
    Some(InstKind::Construct(each))
}

/// An instruction that does to each lane the same, of one lane.
fn one_lane(rw: &mut Rewriter<'_>, kind: &InstKind, lane: u8, ty: Type) -> Value {
    let mut kind = kind.clone();
    for value in kind.values_mut() {
        *value = match rw.f.const_bits(*value) {
            Some(bits) => {
                let scalar = Type::Scalar(rw.f.ty(*value).scalar().unwrap_or(Scalar::I32));
                rw.iconst(scalar, bits)
            }
            None => rw.extract(*value, lane),
        };
    }
    rw.inst(kind, ty)
}

/// Returns whether the driver may swap an instruction's operands. A negation is written as a subtraction from zero.
fn is_wrong(f: &Function, inst: Inst) -> bool {
    use BinaryOp::{ISub, SDiv, SRem, UDiv, URem};
    match f.insts[inst].kind {
        InstKind::Binary(ISub | UDiv | SDiv | URem | SRem, a, _) | InstKind::Unary(UnaryOp::INeg, a) => {
            f.ty(a).lanes() > 1
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;
    use crate::passes::optimize::rewrite_rules::apply_each;

    fn rewritten(kind: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32x4)\nb0(v0: i32x4, v1: i32x4):\n  v2: i32x4 = {kind}\n  \
             return(v2)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_each(&mut module, rewrite);
        module.to_string()
    }

    #[test]
    fn operands_keep_their_places() {
        for kind in ["isub i32x4:1, v0", "isub v0, v1", "udiv v0, v1", "ineg v0"] {
            let text = rewritten(kind);
            assert!(text.contains("v2: i32x4 = construct") && text.contains("extract v0, 3"), "{text}");
        }
        assert!(rewritten("iadd v0, i32x4:1").contains("v2: i32x4 = iadd"));
    }
}
