//! Opaque bit counts: the operand of a bit count of 16 bits is opaque, because NVIDIA's compiler reads the unused half of its register.
//!
//! ```text
//! popcount((uint)s)    →    popcount((uint)s & opaque 0xffff)
//! ```
//!
//! NVIDIA's compiler (580) leaves out the instruction that clears the upper half of the register. `popcount((uint)s)` of a ushort was 6 too large
//! beside 64-bit quotients in the same kernel, and right without them. The operand is masked by an opaque 0xffff.

use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, Scalar, UnaryOp, Value};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;

/// The largest value of 16 bits.
const HALF: u64 = 0xffff;

/// Masks what is counted by an opaque value.
pub(crate) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let value = counted(rw.f, &rw.f.insts[inst].kind)?;
    Some(InstKind::Unary(UnaryOp::BitCount, masked(rw, value)))
}

/// The words whose bits an instruction counts, if some have no upper half.
fn counted(f: &Function, kind: &InstKind) -> Option<Value> {
    let InstKind::Unary(UnaryOp::BitCount, value) = *kind else { return None };
    let is_word = f.ty(value).scalar() == Some(Scalar::I32);
    let short = is_short(f, value) || parts(f, value).iter().any(|part| is_short(f, *part));
    (is_word && short).then_some(value)
}

/// The lanes that a vector is put together of.
fn parts(f: &Function, value: Value) -> SmallVec<[Value; 4]> {
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Construct(parts)) if parts.len() == usize::from(f.ty(value).lanes()) => parts.clone(),
        _ => SmallVec::new(),
    }
}

/// Returns whether a word is known to have no upper half.
fn is_short(f: &Function, value: Value) -> bool {
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Convert { op: ConvertOp::ZExt, value, .. }) => {
            f.ty(*value).scalar().is_some_and(|s| s.bits() <= 16)
        }
        Some(InstKind::Binary(BinaryOp::And, a, b)) => {
            [a, b].iter().any(|v| f.const_bits(**v).is_some_and(|mask| mask <= HALF))
        }
        _ => false,
    }
}

/// A value whose lanes that have no upper half are masked.
fn masked(rw: &mut Rewriter<'_>, value: Value) -> Value {
    let ty = rw.f.ty(value);
    if is_short(rw.f, value) {
        let mask = rw.iconst(ty, HALF);
        let mask = rw.opaque(mask);
        return rw.inst(InstKind::Binary(BinaryOp::And, value, mask), ty);
    }
    let mut parts = parts(rw.f, value);
    for part in &mut parts {
        if is_short(rw.f, *part) {
            *part = masked(rw, *part);
        }
    }
    rw.inst(InstKind::Construct(parts), ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};
    use crate::passes::optimize::rewrite_rules::apply_each;

    /// How many masks there are of what a function of a short, a word and a vector of shorts counts.
    fn masks(body: &str) -> usize {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i16, v1: i32, v2: i16x2):\n{body}  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let before = source.matches("= and").count();
        apply_each(&mut module, rewrite);
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let text = module.to_string();
        assert_eq!(text.contains("opaque"), text.matches("= and").count() > before, "{text}");
        text.matches("= and").count() - before
    }

    #[test]
    fn bits_of_shorts() {
        let short = "  v3: i32 = convert.zext v0\n";
        assert_eq!(masks(&format!("{short}  v4: i32 = bitcount v3\n")), 1);
        assert_eq!(masks("  v3: i32x2 = convert.zext v2\n  v4: i32x2 = bitcount v3\n"), 1);
        assert_eq!(masks("  v3: i32 = and v1, i32:255\n  v4: i32 = bitcount v3\n"), 1);
        let lanes = "  v4: i32x2 = construct(v3, v1)\n  v5: i32x2 = bitcount v4\n";
        assert_eq!(masks(&format!("{short}{lanes}")), 1);
        assert_eq!(masks("  v4: i32 = bitcount v1\n"), 0);
        assert_eq!(masks("  v3: i32 = convert.sext v0\n  v4: i32 = bitcount v3\n"), 0);
    }
}
