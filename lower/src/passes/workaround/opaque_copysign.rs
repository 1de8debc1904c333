//! Opaque sign masks: the masks of a copysign are opaque values, because LLVM combines them wrongly for AVX-512.
//!
//! ```text
//! (a & 0x7fffffff) | (b & 0x80000000)    →    (a & opaque 0x7fffffff) | (b & opaque 0x80000000)
//! ```
//!
//! LLVM makes one vpternlog of `(a & 0x7fffffff) | (b & 0x80000000)`. A selection between that and `a` or `b` becomes the same instruction under a
//! mask, with swapped operands. `x == 0 ? x : copysign(f, x)`, also written with `if`, gives `x & ~f` with LLVM 19 and `f | x & 0x7fffffff` with
//! LLVM 15. All ways to write it become the same there, so the mask itself is opaque.

use crate::ir::{BinaryOp, Function, Inst, InstKind, Value};
use crate::rewrite::sites::{Scope, Sites};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashSet;

/// The values that may be joined with others.
struct Joined(FxHashSet<Value>);

/// Finds the masks of signs in a function.
pub(crate) fn sites<'a>(f: &Function, _: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let joined = joined(f);
    let mut insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    insts.any(|inst| site(f, &joined, *inst).is_some()).then(|| Box::new(Joined(joined)) as Box<dyn Sites>)
}

impl Sites for Joined {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        let (value, sign) = site(rw.f, &self.0, inst)?;
        let ty = rw.f.ty(value);
        let bits = 1_u64 << (ty.scalar()?.bits() - 1);
        let mask = rw.iconst(ty, if sign { bits } else { bits - 1 });
        Some(InstKind::Binary(BinaryOp::And, value, rw.opaque(mask)))
    }
}

/// The operands of operations that may join the bits of two integers.
fn joined(f: &Function) -> FxHashSet<Value> {
    let mut joined = FxHashSet::default();
    for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
        if let InstKind::Binary(BinaryOp::Or | BinaryOp::Xor | BinaryOp::IAdd | BinaryOp::ISub, a, b) =
            f.insts[*inst].kind
        {
            joined.extend([a, b]);
        }
    }
    joined
}

/// The value of which an instruction takes the sign (true) or the rest, if it is joined with another.
fn site(f: &Function, joined: &FxHashSet<Value>, inst: Inst) -> Option<(Value, bool)> {
    let data = &f.insts[inst];
    let result = *data.results.first()?;
    let scalar = f.ty(result).scalar().filter(|s| s.is_int())?;
    let sign = 1_u64 << (scalar.bits() - 1);
    if scalar.bits() < 16 || !joined.contains(&result) {
        return None;
    }
    let InstKind::Binary(op, a, b) = data.kind else { return None };
    match op {
        BinaryOp::And => {
            let (value, bits) = f.const_bits(b).map(|n| (a, n)).or_else(|| Some((b, f.const_bits(a)?)))?;
            let rest = sign - 1;
            (bits == sign || bits == rest).then_some((value, bits == sign))
        }
        // (x >> 31) << 31
        BinaryOp::Shl => {
            let all = |by: Value| f.const_bits(by) == Some(u64::from(scalar.bits() - 1));
            match f.def_inst(a)?.kind {
                InstKind::Binary(BinaryOp::LShr | BinaryOp::AShr, x, by) if all(by) && all(b) => {
                    Some((x, true))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;
    use crate::passes::optimize::rewrite_rules::{Rewrite, apply_to};
    use crate::target::Target;

    #[test]
    fn masks_of_signs_that_are_joined_are_not_constants() {
        let source = "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32):\n  v2: i32 = and v0, i32:2147483647\n  \
                      v3: i32 = and v1, i32:-2147483648\n  v4: i32 = or v2, v3\n  return(v4)\n";
        let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let text = module.to_string();
        assert_eq!(text.matches("= opaque").count(), 2, "{text}");
        assert!(!text.contains("and v0, i32:") && !text.contains("and v1, i32:"), "{text}");
    }

    #[test]
    fn other_masks_stay() {
        let source = "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32):\n  v2: i32 = and v0, i32:2147483647\n  \
                      v3: i32 = and v1, i32:255\n  v4: i32 = or v1, v3\n  v5: bool = icmp.eq v2, v4\n  condbr v5, b1(), b2()\nb1():\n  return(v2)\nb2():\n  return(v4)\n";
        let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        assert!(!module.to_string().contains("opaque"), "{module}");
    }
}
