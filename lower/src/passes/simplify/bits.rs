//! Rules of masks and shifts: what is known of single bits.

use super::{Folded, Simplifier};
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, Function, InstKind, Value};

/// How many instructions deep bits are followed.
const MOST_DEPTH: u32 = 6;

/// The bits that an integer, or some lane of a vector of integers, may have set.
pub fn possible_bits(f: &Function, value: Value) -> u64 {
    possible(f, value, MOST_DEPTH)
}

fn possible(f: &Function, value: Value, depth: u32) -> u64 {
    let Some(scalar) = f.ty(value).scalar() else { return u64::MAX };
    let all = fold::mask(scalar.bits());
    if let Some(bits) = f.const_bits(value) {
        return bits & all;
    }
    if depth == 0 || scalar.is_float() {
        return all;
    }
    let of = |v: Value| possible(f, v, depth - 1);
    let Some(inst) = f.def_inst(value) else { return all };
    let bits = match inst.kind {
        InstKind::Binary(op, a, b) => match (op, f.const_bits(b)) {
            (BinaryOp::And, _) => of(a) & of(b),
            (BinaryOp::Or | BinaryOp::Xor, _) => of(a) | of(b),
            (BinaryOp::Shl, Some(by)) if by < u64::from(scalar.bits()) => of(a) << by,
            (BinaryOp::LShr, Some(by)) if by < u64::from(scalar.bits()) => of(a) >> by,
            (BinaryOp::URem, Some(by)) if by > 0 => (by - 1).checked_next_power_of_two().map_or(all, up_to),
            _ => all,
        },
        InstKind::Convert { op: ConvertOp::ZExt | ConvertOp::Trunc, value, saturate: false, .. } => of(value),
        InstKind::Select(_, a, b) => of(a) | of(b),
        _ => all,
    };
    bits & all
}

/// All bits up to that of a power of two.
fn up_to(power: u64) -> u64 {
    power | (power - 1)
}

impl Simplifier<'_> {
    /// a & k, where the mask takes nothing away, or all, or what one side of an `or` gives.
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
        None
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
    use crate::passes::simplify::simplify_function;

    fn simplified(body: &str) -> String {
        let text =
            format!("module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32):\n{body}");
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        module.functions.values_mut().for_each(|f| simplify_function(f, 64));
        crate::ir::verify::verify(&module).expect("right IR");
        module.to_string()
    }

    #[test]
    fn masks_that_take_nothing_away() {
        let text = simplified(
            "  v2: i32 = and v0, i32:3\n  v3: i32 = shl v2, i32:3\n  v4: i32 = and v3, i32:31\n  return(v4)\n",
        );
        assert!(text.matches("and").count() == 1 && text.contains("return(v3)"), "{text}");
        let less = simplified("  v2: i32 = shl v0, i32:3\n  v4: i32 = and v2, i32:31\n  return(v4)\n");
        assert!(less.contains("and v2, i32:31"), "{less}");
    }

    #[test]
    fn masks_of_what_cannot_be_there() {
        let nothing = simplified("  v2: i32 = shl v0, i32:8\n  v4: i32 = and v2, i32:255\n  return(v4)\n");
        assert!(nothing.contains("return(i32:0)"), "{nothing}");
        let side = simplified(
            "  v2: i32 = shl v0, i32:8\n  v3: i32 = or v1, v2\n  v4: i32 = and v3, i32:255\n  return(v4)\n",
        );
        assert!(side.contains("and v1, i32:255") && !side.contains("or "), "{side}");
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
