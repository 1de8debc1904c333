//! Rewrite rules of bit fields: parts of one number that are extracted and put back together become one part, or the number itself.
//!
//! ```text
//! (x & 0xff) | (x & 0xff00)    →    x & 0xffff
//! ```
//!
//! Programs move the bytes of records, messages and `as_` casts by shifts and masks. Two parts of one number that are shifted by the same
//! distance are one part; a part with all its bits is the number.

use super::{Folded, Simplifier};
use crate::analysis::ranges::possible_bits;
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, Function, InstKind, Scalar, Type, Value};

/// Limit on the shifts, masks and conversions that are followed.
const MAX_STEPS: usize = 8;

/// A part of a number: the number, zero-extended, shifted left by `up` and masked.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    value: Value,
    up: i64,
    mask: u64,
}

/// Bits shifted left, or right where `up` is negative.
fn shifted(bits: u64, up: i64) -> u64 {
    let by = up.unsigned_abs();
    match u32::try_from(by) {
        Ok(by) if up >= 0 => bits.checked_shl(by).unwrap_or(0),
        Ok(by) => bits.checked_shr(by).unwrap_or(0),
        Err(_) => 0,
    }
}

/// The mask of all bits of a number's type.
fn full_mask(f: &Function, value: Value) -> Option<u64> {
    f.ty(value).scalar().filter(|s| s.is_int()).map(|s| fold::mask(s.bits()))
}

impl Part {
    /// The value as a part of the number that it is computed from: at least the whole of itself.
    fn new(f: &Function, value: Value) -> Option<Part> {
        let mut part = Part { value, up: 0, mask: full_mask(f, value)? };
        for _ in 0..MAX_STEPS {
            let Some(all) = full_mask(f, part.value) else { break };
            let Some(inst) = f.def_inst(part.value) else { break };
            // The remaining bits of the operand at their positions in the value, and the shift.
            let (x, left, up) = match inst.kind {
                InstKind::Binary(op, x, y) => {
                    let Some(k) = f.const_bits(y) else { break };
                    let shift = i64::try_from(k).ok().filter(|_| k < u64::from(all.count_ones()));
                    match (op, shift) {
                        (BinaryOp::And, _) => (x, k & all, 0),
                        (BinaryOp::Shl, Some(by)) => (x, shifted(all, by) & all, by),
                        (BinaryOp::LShr, Some(by)) => (x, shifted(all, -by), -by),
                        _ => break,
                    }
                }
                InstKind::Convert { op: ConvertOp::ZExt, value: x, saturate: false, .. } => {
                    let Some(narrow) = full_mask(f, x) else { break };
                    (x, narrow, 0)
                }
                InstKind::Convert { op: ConvertOp::Trunc, value: x, saturate: false, .. } => (x, all, 0),
                _ => break,
            };
            part.mask &= shifted(left, part.up);
            part.up += up;
            part.value = x;
        }
        Some(part)
    }

    /// The union of two parts. Common bits are the same in both.
    fn union(self, other: Part) -> Option<Part> {
        (self.value == other.value && self.up == other.up)
            .then_some(Part { mask: self.mask | other.mask, ..self })
    }
}

impl Simplifier<'_> {
    /// An `or` of two parts, or an operation that is the same where they have no common bit.
    pub(super) fn fold_parts(&mut self, op: BinaryOp, a: Value, b: Value, ty: Type) -> Option<Folded> {
        if !is_made_of_bits(self.function, a) || !is_made_of_bits(self.function, b) {
            return None;
        }
        let (first, second) = (Part::new(self.function, a)?, Part::new(self.function, b)?);
        let disjoint = op == BinaryOp::Or || first.mask & second.mask == 0;
        if disjoint
            && let Some(both) = first.union(second)
            && let Some(value) = self.build_union(both, ty)
        {
            return Some(Folded::Value(value));
        }
        // Drivers recognise a rotation by its `or`.
        let is_or = op == BinaryOp::Xor
            && (disjoint || possible_bits(self.function, a) & possible_bits(self.function, b) == 0);
        is_or.then_some(Folded::Kind(InstKind::Binary(BinaryOp::Or, a, b)))
    }

    /// Builds the part that replaces two, if that takes no more instructions than combining them.
    fn build_union(&mut self, part: Part, ty: Type) -> Option<Value> {
        let from = self.ty(part.value);
        if !self.computes(ty) || !self.computes(from) || from.lanes() != ty.lanes() {
            return None;
        }
        let mask = self.constant(ty, part.mask);
        if part.mask == 0 {
            return Some(mask);
        }
        let (wide, all) = (from.scalar()?.bits(), fold::mask(ty.scalar()?.bits()));
        let masked = shifted(possible_bits(self.function, part.value), part.up) & all & !part.mask != 0;
        if masked && part.up != 0 {
            return None;
        }
        let mut value = part.value;
        if part.up < 0 {
            let by = self.constant(from, part.up.unsigned_abs());
            value = self.build(InstKind::Binary(BinaryOp::LShr, value, by), from);
        }
        let op = if wide < ty.scalar().map_or(0, Scalar::bits) { ConvertOp::ZExt } else { ConvertOp::Trunc };
        if from != ty {
            value = self.build(InstKind::Convert { op, value, saturate: false, rounding: None }, ty);
        }
        if part.up > 0 {
            let by = self.constant(ty, part.up.unsigned_abs());
            value = self.build(InstKind::Binary(BinaryOp::Shl, value, by), ty);
        }
        Some(if masked { self.build(InstKind::Binary(BinaryOp::And, value, mask), ty) } else { value })
    }
}

/// Whether a value is a shift, mask or conversion: only then the search is worthwhile.
fn is_made_of_bits(f: &Function, value: Value) -> bool {
    use BinaryOp::{And, LShr, Or, Shl};
    f.def_inst(value).is_some_and(|inst| {
        matches!(
            inst.kind,
            InstKind::Binary(And | LShr | Or | Shl, ..)
                | InstKind::Convert { op: ConvertOp::ZExt | ConvertOp::Trunc, saturate: false, .. }
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::ir::{
        BinaryOp, ConvertOp, Function, InstKind, IntCC, MemFlags, Module, Place, Scalar, Space, Terminator,
        Type, Value, text::parse, verify,
    };
    use crate::passes::fuzz::{self, Random};
    use crate::passes::optimize::simplify::simplify_function;

    fn simplified(body: &str) -> String {
        let text = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32, v20: i16):\n{body}"
        );
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        module.functions.values_mut().for_each(|f| simplify_function(f, 64));
        verify::verify(&module).expect("right IR");
        module.to_string()
    }

    #[test]
    fn all_parts_are_the_number() {
        let bytes = "  v2: i32 = and v0, i32:255\n  v3: i32 = lshr v0, i32:8\n  v4: i8 = convert.trunc v3\n  v5: i32 = convert.zext v4\n  \
                     v6: i32 = shl v5, i32:8\n  v7: i32 = or v2, v6\n  v8: i32 = lshr v0, i32:16\n  v9: i32 = and v8, i32:255\n  \
                     v10: i32 = shl v9, i32:16\n  v11: i32 = or v7, v10\n  v12: i32 = lshr v0, i32:24\n  v13: i32 = shl v12, i32:24\n";
        let whole = simplified(&format!("{bytes}  v14: i32 = or v11, v13\n  return(v14)\n"));
        assert!(whole.contains("return(v0)"), "{whole}");
        let three = simplified(&format!("{bytes}  return(v11)\n"));
        assert!(three.contains("and v0, i32:16777215") && !three.contains("or "), "{three}");
    }

    #[test]
    fn rotated_parts_are_combined_by_or() {
        let rotated = |by: u32, op: &str| {
            simplified(&format!(
                "  v2: i32 = shl v0, i32:7\n  v3: i32 = lshr v0, i32:{by}\n  v4: i32 = {op} v2, v3\n  return(v4)\n"
            ))
        };
        assert!(rotated(25, "xor").contains("or v2") && !rotated(25, "xor").contains("xor"));
        assert!(rotated(24, "xor").contains("xor v2") && rotated(25, "iadd").contains("iadd v2"));
    }

    #[test]
    fn elements_come_out_of_a_packed_word() {
        // The second byte of three.
        let text = simplified(
            "  v2: i32 = and v0, i32:255\n  v3: i32 = and v1, i32:1\n  v4: i32 = shl v3, i32:8\n  v5: i32 = or v2, v4\n  \
             v6: i32 = convert.zext v20\n  v7: i32 = shl v6, i32:16\n  v8: i32 = or v5, v7\n  v9: i32 = lshr v8, i32:8\n  \
             v10: i32 = and v9, i32:255\n  return(v10)\n",
        );
        assert!(text.contains("return(v3)"), "{text}");
    }

    const FLAGS: MemFlags = MemFlags { align: 1, volatile: false };

    /// A function that shifts, masks and combines parts of its two numbers, and stores all results.
    fn random_parts(seed: u64) -> Module {
        use BinaryOp::{AShr, And, IAdd, IMul, LShr, Or, Shl, Xor};
        let mut r = Random::new(seed);
        let mut f = Function::new("f", &[Type::Ptr(Space::Global), Type::I32, Type::I64], &[]);
        let (block, out) = (f.entry(), f.params()[0]);
        let mut values: Vec<Value> = f.params()[1..].to_vec();
        for _ in 0..24 {
            let a = values[values.len() - 1 - r.below(values.len().min(9) as u64) as usize];
            let ty = f.ty(a);
            let width = u64::from(ty.scalar().map_or(32, Scalar::bits));
            let (from, count) = (r.below(width), 1 + r.below(width));
            let mask = (crate::ir::fold::mask(count as u32) << from) & crate::ir::fold::mask(width as u32);
            let places = [0, 4, 8, 8, 16, 24, 1, 7];
            let by = f.iconst(ty, places[r.below(8) as usize] % width);
            let mask = f.iconst(ty, if r.below(2) == 0 { mask } else { 0xff << (8 * r.below(width / 8)) });
            let other = values.iter().rev().copied().filter(|v| f.ty(*v) == ty && *v != a);
            let other: Vec<Value> = other.take(4).collect();
            let other = other.get(r.below(other.len() as u64) as usize).copied().unwrap_or(a);
            let (kind, ty) = match r.below(12) {
                0 | 1 => (InstKind::Binary(And, a, mask), ty),
                2 => (InstKind::Binary(Shl, a, by), ty),
                3 => (InstKind::Binary(LShr, a, by), ty),
                4 => (InstKind::Binary(if r.below(3) == 0 { AShr } else { LShr }, a, by), ty),
                5..9 => {
                    let op = [Or, Or, Xor, IAdd, IMul][r.below(5) as usize];
                    (InstKind::Binary(op, a, other), ty)
                }
                9 => {
                    let cc = [IntCC::Eq, IntCC::Ne, IntCC::Slt, IntCC::Ugt, IntCC::Ule, IntCC::Sge];
                    let kind = InstKind::ICmp(cc[r.below(6) as usize], a, mask);
                    let c = f.append(block, kind, Type::BOOL);
                    let (one, zero) = (f.iconst(ty, 1), f.iconst(ty, 0));
                    let (yes, no) =
                        [(one, zero), (zero, one), (one, a), (a, one), (mask, other)][r.below(5) as usize];
                    (InstKind::Select(c, yes, no), ty)
                }
                _ => {
                    let to = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64][r.below(4) as usize];
                    let wide = u64::from(to.bits());
                    if wide == width {
                        continue;
                    }
                    let op = if wide > width { ConvertOp::ZExt } else { ConvertOp::Trunc };
                    (InstKind::Convert { op, value: a, saturate: false, rounding: None }, Type::Scalar(to))
                }
            };
            let value = f.append(block, kind, ty);
            values.push(value);
            f.append_void(block, InstKind::Store { place: Place::Pointer(out), value, flags: FLAGS });
        }
        f.blocks[block].term = Terminator::Return(Default::default());
        let mut module = parse("module read bits=64\n").expect("an empty module");
        module.functions.push(f);
        module
    }

    #[test]
    fn parts_keep_their_bits() {
        for seed in 0..3000 {
            let before = random_parts(seed);
            verify::verify(&before).unwrap_or_else(|e| panic!("{e}\n{before}"));
            let mut after = before.clone();
            after.functions.values_mut().for_each(|f| simplify_function(f, 64));
            verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
            fuzz::compare(&before, &after, seed).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}
