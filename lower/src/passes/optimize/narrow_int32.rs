//! Narrowing of 32-bit integers: sums, products and shifts whose low 16 bits alone are used are computed in 16 bits.
//!
//! It applies to GPUs with 16-bit arithmetic. OpenCL C computes with `int` what is stored as `short`: it extends the operands and truncates the
//! result.
//!
//! ```text
//! (short)((int)a + (int)b)    →    a + b (16 bits)
//! ```
//!
//! Only the low 16 bits of the operands matter where nothing but the truncated result is used, and the conversions go. The extension also goes in
//! a comparison of some bits of an extended value with constants.

use crate::analysis::uses::Uses;
use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, IntCC, Scalar, Value};
use crate::rewrite::sites::{Scope, Sites};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};

/// Depth to which an expression is followed.
const MAX_DEPTH: u32 = 6;

/// A function with 16-bit integers.
struct Shorts {
    truncations: FxHashMap<Value, u32>,
    uses: Uses,
}

/// Counts the truncations of a function with 16-bit integers.
pub(super) fn sites<'a>(f: &Function, _: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let any = f.values.values().any(|value| value.ty.scalar() == Some(Scalar::I16));
    any.then(|| Box::new(Shorts { truncations: count_truncations(f), uses: Uses::new(f) }) as Box<dyn Sites>)
}

impl Sites for Shorts {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        self.narrowed(rw, inst).or_else(|| self.narrowed_test(rw, inst))
    }
}

impl Shorts {
    /// An operation of which the low 16 bits alone are used, in 16 bits. The truncations cancel the extension.
    fn narrowed(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        let value = rw.f.insts[inst].results.first().copied()?;
        let (op, a, b) = operation(rw.f, value)?;
        let truncated = self.truncations.get(&value) == Some(&self.uses.count(value));
        let short = |v: &Value| is_short(rw.f, &self.uses, *v, MAX_DEPTH);
        let constant = |v: &Value| rw.f.const_bits(*v).is_some();
        if !truncated || ![a, b].iter().all(short) || [a, b].iter().all(constant) {
            return None;
        }
        let [a, b] = [a, b].map(|v| self::short(rw, v));
        let value = rw.binary(op, a, b);
        Some(InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, rounding: None })
    }

    /// A comparison of some bits of an extended value with a constant, without the extension.
    fn narrowed_test(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        let InstKind::ICmp(cc @ (IntCC::Eq | IntCC::Ne), value, k) = rw.f.insts[inst].kind else {
            return None;
        };
        let k = rw.f.const_bits(k).filter(|k| *k <= 0xffff && self.uses.is_single(value))?;
        let (BinaryOp::And, x, mask) = operation(rw.f, value)? else { return None };
        let mask = rw.f.const_bits(mask).filter(|mask| *mask <= 0xffff)?;
        if rw.f.const_bits(x).is_some() || !is_short(rw.f, &self.uses, x, 0) {
            return None;
        }
        let x = short(rw, x);
        let bits = rw.binary_const(BinaryOp::And, x, mask);
        let k = rw.iconst(rw.f.ty(x), k);
        Some(InstKind::ICmp(cc, bits, k))
    }
}

/// The number of truncations of each word to 16 bits, by a conversion or a mask, where at least one is a conversion.
fn count_truncations(function: &Function) -> FxHashMap<Value, u32> {
    let is_word = |v: Value| function.ty(v).scalar() == Some(Scalar::I32);
    let (mut count_truncations, mut converted) = (FxHashMap::default(), FxHashSet::default());
    for inst in function.layout.iter().flat_map(|block| &function.blocks[*block].insts) {
        let data = &function.insts[*inst];
        match data.kind {
            InstKind::Convert { op: ConvertOp::Trunc, value, saturate: false, .. }
                if is_word(value) && function.ty(data.results[0]).scalar() == Some(Scalar::I16) =>
            {
                *count_truncations.entry(value).or_insert(0) += 1;
                converted.insert(value);
            }
            InstKind::Binary(BinaryOp::And, value, mask)
                if is_word(value) && function.const_bits(mask).is_some_and(|k| k <= 0xffff) =>
            {
                *count_truncations.entry(value).or_insert(0) += 1;
            }
            _ => {}
        }
    }
    count_truncations.retain(|value, _| converted.contains(value));
    count_truncations
}

/// An operation whose low result bits depend on the low bits of its operands alone.
fn operation(f: &Function, value: Value) -> Option<(BinaryOp, Value, Value)> {
    use BinaryOp::{And, IAdd, IMul, ISub, LShr, Or, Shl, Xor};
    let from_short = |v: Value| match f.def_inst(v).map(|inst| &inst.kind) {
        Some(&InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, .. }) => {
            f.ty(value).scalar() == Some(Scalar::I16)
        }
        _ => false,
    };
    let below = |v: Value, most: u64| f.const_bits(v).is_some_and(|by| by < most);
    match f.def_inst(value)?.kind {
        InstKind::Binary(op @ (IAdd | ISub | IMul | And | Or | Xor), a, b) => Some((op, a, b)),
        InstKind::Binary(Shl, a, by) if below(by, 16) => Some((Shl, a, by)),
        InstKind::Binary(LShr, a, by) if below(by, 16) && from_short(a) => Some((LShr, a, by)),
        _ => None,
    }
}

/// Returns whether the low 16 bits of a value are available without further instructions.
fn is_short(f: &Function, uses: &Uses, value: Value, depth: u32) -> bool {
    if f.const_bits(value).is_some() {
        return true;
    }
    if let Some(&InstKind::Convert {
        op: ConvertOp::SExt | ConvertOp::ZExt,
        value: from,
        saturate: false,
        ..
    }) = f.def_inst(value).map(|inst| &inst.kind)
    {
        return f.ty(from).scalar() == Some(Scalar::I16);
    }
    depth > 0
        && uses.is_single(value)
        && operation(f, value)
            .is_some_and(|(_, a, b)| [a, b].iter().all(|v| is_short(f, uses, *v, depth - 1)))
}

/// The low 16 bits of a value for which [`is_short`] holds.
fn short(rw: &mut Rewriter<'_>, value: Value) -> Value {
    let ty = rw.f.ty(value).with_scalar(Scalar::I16);
    if let Some((op, a, b)) = operation(rw.f, value) {
        let [a, b] = [a, b].map(|v| short(rw, v));
        return rw.binary(op, a, b);
    }
    match rw.f.def_inst(value).map(|inst| &inst.kind) {
        Some(&InstKind::Convert { value, .. }) => value,
        _ => rw.convert(ConvertOp::Trunc, value, ty),
    }
}

#[cfg(test)]
mod tests {
    use super::sites;
    use crate::ir::text;
    use crate::passes::optimize::rewrite_rules::{Rewrite, apply_to};
    use crate::target::Target;

    fn narrowed(insts: &str) -> String {
        let source = format!(
            "module legal bits=64\nfunc f0 \"f\" returns (i16)\nb0(v0: i16, v1: i16, v9: i32):\n{insts}"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        module.to_string()
    }

    #[test]
    fn sums_of_shorts_are_short() {
        let both = "  v2: i32 = convert.sext v0\n  v3: i32 = convert.zext v1\n  v4: i32 = imul v2, i32:65541\n  v5: i32 = iadd v4, v3\n  v6: i16 = convert.trunc v5\n";
        let text = narrowed(&format!("{both}  return(v6)\n"));
        assert!(
            text.contains("imul v0, i16:5") && text.contains("i16 = iadd v") && text.contains(", v1\n"),
            "{text}"
        );
        // A mask is as good.
        let text = narrowed(&format!("{both}  v7: i32 = and v5, i32:12\n  return(v6)\n"));
        assert!(text.contains("i16 = iadd v"), "{text}");
        // The whole sum has another use; a right shift depends on high bits; an operand is no extended short.
        let kept = |insts: &str| assert!(!narrowed(insts).contains("v5: i32 = convert.zext"), "{insts}");
        kept(&format!("{both}  v7: i32 = and v5, i32:65536\n  return(v6)\n"));
        kept(
            "  v2: i32 = convert.sext v0\n  v5: i32 = lshr v2, i32:1\n  v6: i16 = convert.trunc v5\n  return(v6)\n",
        );
        let swapped = "  v2: i32 = convert.zext v0\n  v3: i32 = shl v2, i32:8\n  v4: i32 = lshr v2, i32:8\n  v5: i32 = or v3, v4\n  v6: i16 = convert.trunc v5\n";
        let text = narrowed(&format!("{swapped}  return(v6)\n"));
        assert!(text.contains("shl v0, i16:8") && text.contains("lshr v0, i16:8"), "{text}");
        let text = narrowed(
            "  v2: i32 = convert.sext v0\n  v3: i32 = and v2, i32:12\n  v4: bool = icmp.eq v3, i32:4\n  v5: i16 = select v4, v0, v1\n  return(v5)\n",
        );
        assert!(text.contains("and v0, i16:12") && text.contains("i16:4"), "{text}");
        kept(
            "  v2: i32 = convert.sext v0\n  v5: i32 = iadd v2, v9\n  v6: i16 = convert.trunc v5\n  return(v6)\n",
        );
    }
}
