//! Known bits, and the operands that lose all their bits in a shift or a truncation.
//!
//! ```text
//! (x | y << 16) >> 8 & 0xff → x >> 8 & 0xff        trunc((x | y << 8) | z << 16) → trunc x (of 8 bits)
//! ```

use super::{Folded, Simplifier};
use crate::analysis::ranges::possible_bits;
use crate::ir::fold;
use crate::ir::{BinaryOp, InstKind, Value};

impl Simplifier<'_> {
    /// a & k, where `a` is a shift of parts of which the mask removes some.
    pub(super) fn fold_masked_shift(&mut self, a: Value, b: Value, k: u64) -> Option<Folded> {
        let rest = self.without_bits_lost_by_shift(a, k)?;
        Some(Folded::Kind(InstKind::Binary(BinaryOp::And, rest, b)))
    }

    /// An operand with the same `kept` bits as a bitwise operation; the other bits are lost.
    pub(super) fn without_lost_bits(&self, a: Value, kept: u64) -> Option<Value> {
        let mut rest = self.without_one(a, kept)?;
        while let Some(less) = self.without_one(rest, kept) {
            rest = less;
        }
        Some(rest)
    }

    fn without_one(&self, a: Value, kept: u64) -> Option<Value> {
        let InstKind::Binary(op, x, y) = *self.def(a)? else { return None };
        let lost = |v: Value| possible_bits(self.function, v) & kept == 0;
        match op {
            BinaryOp::Or | BinaryOp::Xor if lost(y) => Some(x),
            BinaryOp::Or | BinaryOp::Xor if lost(x) => Some(y),
            BinaryOp::And => {
                let gone = !self.splat_const(y)? & kept;
                (gone == 0 || possible_bits(self.function, x) & gone == 0).then_some(x)
            }
            _ => None,
        }
    }

    /// The same for a shift by a constant whose operand combines several parts.
    pub(super) fn without_bits_lost_by_shift(&mut self, a: Value, kept: u64) -> Option<Value> {
        let InstKind::Binary(op, x, by) = *self.def(a)? else { return None };
        let (k, ty) = (self.splat_const(by)?, self.ty(a));
        let width = ty.scalar()?.bits();
        if k >= u64::from(width) {
            return None;
        }
        let before = match op {
            BinaryOp::Shl => kept >> k,
            BinaryOp::LShr => (kept << k) & fold::mask(width),
            _ => return None,
        };
        let InstKind::Binary(BinaryOp::Or | BinaryOp::Xor, ..) = *self.def(x)? else { return None };
        let x = self.without_lost_bits(x, before)?;
        Some(self.build(InstKind::Binary(op, x, by), ty))
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text::parse;
    use crate::passes::optimize::simplify::simplify_function;

    fn simplified(body: &str) -> String {
        let text =
            format!("module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32):\n{body}");
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        module.functions.values_mut().for_each(|f| simplify_function(f, 64));
        crate::ir::verify::verify(&module).expect("right IR");
        module.to_string()
    }

    #[test]
    fn masks_that_remove_nothing() {
        let text = simplified(
            "  v2: i32 = and v0, i32:3\n  v3: i32 = shl v2, i32:3\n  v4: i32 = and v3, i32:31\n  return(v4)\n",
        );
        assert!(text.matches("and").count() == 1 && text.contains("return(v3)"), "{text}");
        let less = simplified("  v2: i32 = shl v0, i32:3\n  v4: i32 = and v2, i32:31\n  return(v4)\n");
        assert!(less.contains("and v2, i32:31"), "{less}");
    }

    #[test]
    fn masks_of_bits_that_are_never_set() {
        let nothing = simplified("  v2: i32 = shl v0, i32:8\n  v4: i32 = and v2, i32:255\n  return(v4)\n");
        assert!(nothing.contains("return(i32:0)"), "{nothing}");
        let side = simplified(
            "  v2: i32 = shl v0, i32:8\n  v3: i32 = or v1, v2\n  v4: i32 = and v3, i32:255\n  return(v4)\n",
        );
        assert!(side.contains("and v1, i32:255") && !side.contains("or "), "{side}");
    }

    #[test]
    fn bits_that_are_lost_anyway() {
        let sum = simplified(
            "  v2: i32 = imul v0, i32:24\n  v3: i32 = isub v1, v2\n  v4: i32 = and v3, i32:7\n  return(v4)\n",
        );
        assert!(sum.contains("and v1, i32:7") && !sum.contains("isub"), "{sum}");
        let constant = simplified("  v2: i32 = iadd v0, i32:4\n  v3: i32 = and v2, i32:3\n  return(v3)\n");
        assert!(constant.contains("and v2, i32:3"), "{constant}");
        let reaches = simplified(
            "  v2: i32 = imul v0, i32:24\n  v3: i32 = iadd v1, v2\n  v4: i32 = and v3, i32:15\n  return(v4)\n",
        );
        assert!(reaches.contains("and v3, i32:15"), "{reaches}");
        let packed = "  v2: i32 = and v0, i32:255\n  v3: i32 = shl v1, i32:8\n  v4: i32 = or v2, v3\n";
        let high = simplified(&format!("{packed}  v5: i32 = lshr v4, i32:8\n  return(v5)\n"));
        assert!(high.contains("and v1, i32:16777215") && !high.contains("or "), "{high}");
        let byte = "  v5: i8 = convert.trunc v4\n  v6: i32 = convert.zext v5\n  return(v6)\n";
        let low = simplified(&format!("{packed}{byte}"));
        assert!(low.contains("and v0, i32:255") && !low.contains("or "), "{low}");
        let above = simplified("  v2: i32 = and v0, i32:255\n  v3: i32 = lshr v2, i32:9\n  return(v3)\n");
        assert!(above.contains("return(i32:0)"), "{above}");
        let mask = simplified("  v2: i32 = and v0, i32:-16\n  v3: i32 = lshr v2, i32:4\n  return(v3)\n");
        assert!(mask.contains("lshr v0, i32:4") && !mask.contains("and"), "{mask}");
    }

    #[test]
    fn signed_values_that_cannot_be_negative() {
        let text = simplified(
            "  v2: i32 = and v0, i32:127\n  v3: i32 = srem v2, i32:7\n  v4: i32 = ashr v3, i32:1\n  return(v4)\n",
        );
        assert!(text.contains("urem v2") && text.contains("lshr"), "{text}");
        let text = simplified("  v2: i32 = or v0, i32:127\n  v3: i32 = sdiv v2, i32:7\n  return(v3)\n");
        assert!(text.contains("sdiv v2"), "{text}");
    }

    #[test]
    fn shifts_there_and_back() {
        let byte = simplified(
            "  v2: i32 = lshr v0, i32:8\n  v3: i32 = and v2, i32:255\n  v4: i32 = shl v3, i32:8\n  return(v4)\n",
        );
        assert!(byte.contains("and v0, i32:65280") && !byte.contains("shl"), "{byte}");
        let high = simplified("  v2: i32 = ashr v0, i32:4\n  v3: i32 = shl v2, i32:4\n  return(v3)\n");
        assert!(high.contains("and v0, i32:-16"), "{high}");
        let low = simplified("  v2: i32 = shl v0, i32:4\n  v3: i32 = lshr v2, i32:4\n  return(v3)\n");
        assert!(low.contains("and v0, i32:268435455"), "{low}");
        let other = simplified("  v2: i32 = shl v0, i32:4\n  v3: i32 = lshr v2, i32:5\n  return(v3)\n");
        assert!(other.contains("lshr v2, i32:5"), "{other}");
    }
}
