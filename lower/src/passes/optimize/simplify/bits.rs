//! Rewrite rules of masks and shifts that use known bits.
//!
//! ```text
//! (x << 8) & 0xff → 0        (x >> 24) & 0xff → x >> 24        (x | y << 8) & 0xff → x & 0xff
//! ```

use super::{Folded, Simplifier};
use crate::analysis::ranges::possible_bits;
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, InstKind, Value};

impl Simplifier<'_> {
    /// a & k, where the mask removes nothing, or everything, or one operand of an `or`.
    pub(super) fn fold_known_bits(&mut self, a: Value, b: Value, k: u64) -> Option<Folded> {
        let bits = possible_bits(self.function, a);
        if bits & !k == 0 {
            return Some(Folded::Value(a));
        }
        if bits & k == 0 {
            return Some(Folded::Value(self.constant(self.ty(a), 0)));
        }
        if let Some(&InstKind::Binary(BinaryOp::Or | BinaryOp::Xor, x, y)) = self.def(a) {
            for (mine, other) in [(x, y), (y, x)] {
                if possible_bits(self.function, other) & k == 0 {
                    return Some(Folded::Kind(InstKind::Binary(BinaryOp::And, mine, b)));
                }
            }
        }
        if let Some(rest) = self.without_bits_lost_by_shift(a, k) {
            return Some(Folded::Kind(InstKind::Binary(BinaryOp::And, rest, b)));
        }
        // The low bits of a sum do not depend on an operand that has none. Constants stay: `merge_stores/insert.rs` recognises bytes in words by
        // them.
        if (k & k.wrapping_add(1)) == 0
            && let Some(&InstKind::Binary(op @ (BinaryOp::IAdd | BinaryOp::ISub), x, y)) = self.def(a)
            && self.splat_const(y).is_none()
        {
            let is_above = |s: &Self, v| possible_bits(s.function, v) & k == 0;
            if is_above(self, y) {
                return Some(Folded::Kind(InstKind::Binary(BinaryOp::And, x, b)));
            }
            if op == BinaryOp::IAdd && is_above(self, x) {
                return Some(Folded::Kind(InstKind::Binary(BinaryOp::And, y, b)));
            }
        }
        None
    }

    /// Whether a signed integer is known not to be negative.
    pub(super) fn is_not_negative(&self, value: Value) -> bool {
        let Some(width) = self.ty(value).scalar().map(crate::ir::Scalar::bits) else { return false };
        possible_bits(self.function, value) >> (width - 1) & 1 == 0
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

    /// A logical shift by k of a value of which only one operand's bits survive.
    pub(super) fn fold_shifted_parts(&mut self, op: BinaryOp, a: Value, by: Value, k: u64) -> Option<Folded> {
        let width = self.ty(a).scalar()?.bits();
        if k >= u64::from(width) {
            return None;
        }
        let all = fold::mask(width);
        let kept = if op == BinaryOp::Shl { all >> k } else { (all << k) & all };
        // Mostly the upper half of an extended value.
        let is_narrow = matches!(
            self.def(a)?,
            InstKind::Convert { op: ConvertOp::ZExt, .. }
                | InstKind::Binary(BinaryOp::And | BinaryOp::LShr, ..)
        );
        if op == BinaryOp::LShr && is_narrow && possible_bits(self.function, a) & kept == 0 {
            return Some(Folded::Value(self.constant(self.ty(a), 0)));
        }
        self.without_lost_bits(a, kept).map(|a| Folded::Kind(InstKind::Binary(op, a, by)))
    }

    /// (x >> n) << n, (x << n) >> n, and ((x >> n) & m) << n: masks.
    pub(super) fn fold_shift_back(&mut self, op: BinaryOp, a: Value, k: u64) -> Option<Folded> {
        let ty = self.ty(a);
        let width = ty.scalar()?.bits();
        if k >= u64::from(width) {
            return None;
        }
        let InstKind::Binary(inner, x, y) = *self.def(a)? else { return None };
        let y = self.splat_const(y)?;
        let all = fold::mask(width);
        let (value, mask) = match (op, inner) {
            (BinaryOp::Shl, BinaryOp::LShr | BinaryOp::AShr) if y == k => (x, (all << k) & all),
            (BinaryOp::LShr, BinaryOp::Shl) if y == k => (x, all >> k),
            (BinaryOp::Shl, BinaryOp::And) => match *self.def(x)? {
                InstKind::Binary(BinaryOp::LShr, value, by) if self.splat_const(by) == Some(k) => {
                    (value, (y << k) & all)
                }
                _ => return None,
            },
            _ => return None,
        };
        let mask = self.constant(ty, mask);
        Some(Folded::Kind(InstKind::Binary(BinaryOp::And, value, mask)))
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
