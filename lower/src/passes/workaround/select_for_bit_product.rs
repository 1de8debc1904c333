//! Products with a single bit as selections, because NVIDIA's compiler (580) takes the lowest bit of a 64-bit number wrongly.
//!
//! ```text
//! (x & 1) * y   ->   (x & 1) != 0 ? y : 0
//! ```
//!
//! That compiler selects y by the lowest bit of x. Where x is the lower half of a 64-bit number, the bit is taken for set: `p[(uint)wide & 1]` was
//! `p[1]` for elements whose size is no power of two. A selection by a comparison is right.

use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, IntCC, Value};
use crate::transform::rewriter::Rewriter;

/// Rewrites a product with a single bit.
pub(super) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let (bit, other) = product(rw.f, inst)?;
    let (none, zero) = (rw.iconst(rw.f.ty(bit), 0), rw.iconst(rw.f.ty(other), 0));
    let set = rw.icmp(IntCC::Ne, bit, none);
    Some(InstKind::Select(set, other, zero))
}

/// A product's factor that is 0 or 1, and the other one.
fn product(f: &Function, inst: Inst) -> Option<(Value, Value)> {
    let InstKind::Binary(BinaryOp::IMul, a, b) = f.insts[inst].kind else { return None };
    if is_bit(f, a) { Some((a, b)) } else { is_bit(f, b).then_some((b, a)) }
}

/// Returns whether a value is another one's lowest bit, as wide as it was or wider.
fn is_bit(f: &Function, value: Value) -> bool {
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Binary(BinaryOp::And, a, b)) => [a, b].iter().any(|v| f.const_bits(**v) == Some(1)),
        Some(InstKind::Convert {
            op: ConvertOp::ZExt | ConvertOp::Trunc, value, saturate: false, ..
        }) => is_bit(f, *value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;
    use crate::passes::workaround::workaround_rules::apply_each;

    fn chosen(factor: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i64):\n  v2: i32 = convert.trunc v1\n{factor}  \
             v9: i32 = imul v8, v0\n  return(v9)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_each(&mut module, rewrite);
        module.to_string()
    }

    #[test]
    fn a_bit_chooses() {
        let narrow = chosen("  v8: i32 = and v2, i32:1\n");
        assert!(narrow.contains("v9: i32 = select") && !narrow.contains("imul"), "{narrow}");
        let wide = chosen("  v7: i64 = and v1, i64:1\n  v8: i32 = convert.trunc v7\n");
        assert!(wide.contains("v9: i32 = select"), "{wide}");
        assert!(chosen("  v8: i32 = and v2, i32:3\n").contains("v9: i32 = imul"));
    }
}
