//! Opaque bit counts: the operand of a bit count of 16 bits is opaque, because NVIDIA's compiler reads the unused half of its register.
//!
//! NVIDIA's compiler (580) leaves out the instruction that clears the upper half of the register. `popcount((uint)s)` of a ushort was 6 too large
//! beside 64-bit quotients in the same kernel, and right without them. The operand is masked by an opaque 0xffff.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, Function, InstKind, Module, Scalar, Type, UnaryOp, Value};
use crate::passes::workaround::opaque::{no_bits, rewrite_with, zero};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;

/// What a number of 16 bits has at most.
const HALF: u64 = 0xffff;

/// Makes how many bits are counted opaque.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    module.functions.values_mut().for_each(make_opaque);
    Ok(())
}

fn make_opaque(f: &mut Function) {
    let mut all = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    if !all.any(|inst| counted(f, &f.insts[*inst].kind).is_some()) {
        return;
    }
    rewrite_with(
        f,
        |rw| {
            let word = zero(rw);
            let (bits, half) = (no_bits(rw, word, Scalar::I32), rw.iconst(Type::I32, HALF));
            rw.binary(BinaryOp::Xor, half, bits)
        },
        |rw, inst, mask| {
            if let Some(value) = counted(rw.f, &rw.f.insts[inst].kind) {
                let value = masked(rw, value, *mask);
                rw.f.insts[inst].kind = InstKind::Unary(UnaryOp::BitCount, value);
            }
        },
    );
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

/// Whether a word is known to have no upper half.
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
fn masked(rw: &mut Rewriter<'_>, value: Value, mask: Value) -> Value {
    let ty = rw.f.ty(value);
    if is_short(rw.f, value) {
        let mask = rw.construct(&[mask], ty);
        return rw.inst(InstKind::Binary(BinaryOp::And, value, mask), ty);
    }
    let mut parts = parts(rw.f, value);
    for part in &mut parts {
        if is_short(rw.f, *part) {
            *part = rw.binary(BinaryOp::And, *part, mask);
        }
    }
    rw.inst(InstKind::Construct(parts), ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};

    /// How many masks there are of what a function of a short, a word and a vector of shorts counts.
    fn masks(body: &str) -> usize {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i16, v1: i32, v2: i16x2):\n{body}  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let before = source.matches("= and").count();
        module.functions.values_mut().for_each(make_opaque);
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        // Two are of what is zero.
        (module.to_string().matches("= and").count() - before).saturating_sub(2)
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
