//! Rewrite rules of pointer arithmetic: constant offsets merge and become outermost, and distances become differences of indices.
//!
//! ```text
//! ptradd(ptroffset(p, 4), i, 8) → ptroffset(ptradd(p, i, 8), 4)        (p + i) - (p + j) → i - j
//! ```

use super::{Folded, Simplifier};
use crate::analysis::linear::Base;
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Root, Type, Value, fold};
use smallvec::SmallVec;

/// Limit on the indices in a distance.
const MAX_TERMS: usize = 3;
/// Limit on the steps back to the common base of two pointers.
const MAX_STEPS: usize = 8;

/// Indices with their scales.
type Indices = SmallVec<[(Value, i64); 4]>;
/// The indices, and the bases of a pointer: each with the number of indices and of bytes between it and the pointer.
type Steps = (Indices, SmallVec<[(Value, usize, i64); 4]>);

impl Simplifier<'_> {
    pub(super) fn fold_ptr_add(&mut self, base: Value, index: Value, scale: u64, ty: Type) -> Option<Folded> {
        if scale == 0 {
            return Some(Folded::Value(base));
        }
        if let Some(k) = self.function.const_signed(index) {
            let bytes = i64::try_from(scale).ok().and_then(|s| k.checked_mul(s))?;
            return Some(Folded::Kind(InstKind::PtrOffset { base, bytes }));
        }
        if let Some(InstKind::PtrOffset { base, bytes }) = self.def(base) {
            let (base, bytes) = (*base, *bytes);
            let moved = self.build(InstKind::PtrAdd { base, index, scale }, ty);
            return Some(Folded::Kind(InstKind::PtrOffset { base: moved, bytes }));
        }
        match *self.def(index)? {
            // The index is signed: a 32-bit one means the same.
            InstKind::Convert { op: ConvertOp::SExt, value, saturate: false, .. }
                if self.ty(value) == Type::I32 =>
            {
                Some(Folded::Kind(InstKind::PtrAdd { base, index: value, scale }))
            }
            // Address arithmetic wraps like integer arithmetic of its width.
            InstKind::Binary(BinaryOp::IAdd, x, k) if self.wraps_the_same(index) => {
                let k = self.function.const_signed(k)?;
                let bytes = i64::try_from(scale).ok().and_then(|s| k.checked_mul(s))?;
                let moved = self.build(InstKind::PtrAdd { base, index: x, scale }, ty);
                Some(Folded::Kind(InstKind::PtrOffset { base: moved, bytes }))
            }
            InstKind::Binary(BinaryOp::Shl, x, k) if self.wraps_the_same(index) => {
                let k = u32::try_from(self.splat_const(k)?).ok().filter(|k| *k < 32)?;
                let scale = scale.checked_mul(1 << k).filter(|s| *s < 1 << 62)?;
                Some(Folded::Kind(InstKind::PtrAdd { base, index: x, scale }))
            }
            _ => None,
        }
    }

    fn wraps_the_same(&self, index: Value) -> bool {
        self.ty(index) == Type::I64 || self.address_bits() == 32
    }

    pub(super) fn fold_ptr_offset(&mut self, base: Value, bytes: i64) -> Option<Folded> {
        if bytes == 0 {
            return Some(Folded::Value(base));
        }
        match *self.def(base)? {
            InstKind::PtrOffset { base, bytes: more } => {
                let bytes = bytes.checked_add(more)?;
                Some(Folded::Kind(InstKind::PtrOffset { base, bytes }))
            }
            _ => None,
        }
    }

    /// The base of a pointer, and its offset in bytes.
    fn base_and_bytes(&self, pointer: Value) -> (Value, i64) {
        match self.def(pointer) {
            Some(InstKind::PtrOffset { base, bytes }) => (*base, *bytes),
            _ => (pointer, 0),
        }
    }

    /// The private or work-group variable that a pointer points into: it is not null, and aliases nothing else.
    fn variable(&self, pointer: Value) -> Option<Root> {
        match Base::of_object(self.function, pointer) {
            Base::Root(root @ (Root::Slot(_) | Root::Global(_) | Root::LocalArg(_))) => Some(root),
            _ => None,
        }
    }

    /// Comparisons of pointers that fold before `lower_addresses`.
    pub(super) fn fold_pointer_icmp(&mut self, cc: IntCC, a: Value, b: Value) -> Option<Folded> {
        let known = |holds: bool| Some(u64::from(holds));
        let (x, y) = (self.base_and_bytes(a), self.base_and_bytes(b));
        let null = |v: Value| self.function.const_bits(v) == Some(0);
        let value = match (cc, self.variable(a), self.variable(b)) {
            _ if x == y => known(matches!(cc, IntCC::Eq | IntCC::Ule | IntCC::Uge)),
            (IntCC::Eq, ..) if x.0 == y.0 => known(false),
            (IntCC::Ne, ..) if x.0 == y.0 => known(true),
            (IntCC::Eq, Some(p), Some(q)) if p != q => known(false),
            (IntCC::Ne, Some(p), Some(q)) if p != q => known(true),
            (IntCC::Eq, Some(_), None) if null(b) => known(false),
            (IntCC::Ne, Some(_), None) if null(b) => known(true),
            (IntCC::Eq, None, Some(_)) if null(a) => known(false),
            (IntCC::Ne, None, Some(_)) if null(a) => known(true),
            _ => None,
        }?;
        Some(Folded::Value(self.constant(Type::BOOL, value)))
    }

    pub(super) fn fold_ptr_diff(&mut self, a: Value, b: Value, ty: Type) -> Option<Folded> {
        let (x, y) = (self.base_and_bytes(a), self.base_and_bytes(b));
        (x.0 == y.0).then(|| Folded::Value(self.constant(ty, x.1.wrapping_sub(y.1) as u64)))
    }

    /// The distance of two pointers in elements: the difference of their indices from a common base. An element has 2^`power` bytes, times the
    /// odd number whose inverse `bytes` is multiplied by. Both point into one object (C99 6.5.6), so that no multiple wraps.
    pub(super) fn fold_distance(&mut self, bytes: Value, power: u64, ty: Type) -> Option<Folded> {
        let (difference, odd) = match *self.def(bytes)? {
            InstKind::Binary(BinaryOp::IMul, x, inverse) => {
                let inverse = self.function.const_bits(inverse).filter(|k| k & 1 == 1)?;
                (x, fold::inverse(inverse) & fold::mask(ty.scalar()?.bits()))
            }
            _ => (bytes, 1),
        };
        let InstKind::PtrDiff(a, b) = *self.def(difference)? else { return None };
        let size = u32::try_from(power).ok().and_then(|power| 1u64.checked_shl(power))?.checked_mul(odd)?;
        let (terms, constant) = self.between(a, b)?;
        let exact = terms.iter().all(|term| term.1.unsigned_abs().is_multiple_of(size));
        if !exact || !constant.unsigned_abs().is_multiple_of(size) {
            return None;
        }
        let size = i64::try_from(size).ok()?;
        let mut sum = self.constant(ty, (constant / size) as u64);
        for (index, scale) in terms {
            let index = match self.ty(index) == ty {
                true => index,
                false => {
                    let op = if ty == Type::I64 { ConvertOp::SExt } else { ConvertOp::Trunc };
                    self.build(InstKind::Convert { op, value: index, saturate: false, rounding: None }, ty)
                }
            };
            let factor = self.constant(ty, (scale / size) as u64);
            let scaled = self.build(InstKind::Binary(BinaryOp::IMul, index, factor), ty);
            sum = self.build(InstKind::Binary(BinaryOp::IAdd, scaled, sum), ty);
        }
        Some(Folded::Value(sum))
    }

    /// The distance of two pointers from a common base, as scaled indices and a number of bytes. `None` where more than [`MAX_TERMS`] remain.
    fn between(&self, a: Value, b: Value) -> Option<(Indices, i64)> {
        let (from_a, from_b) = (self.steps(a), self.steps(b));
        let position_in_b = |step: &(Value, usize, i64)| from_b.1.iter().position(|other| other.0 == step.0);
        let (at_a, at_b) =
            from_a.1.iter().enumerate().find_map(|(n, step)| Some((n, position_in_b(step)?)))?;
        let (a, b) = (from_a.1[at_a], from_b.1[at_b]);
        let mut terms: Indices = from_a.0[..a.1].iter().copied().collect();
        for &(index, scale) in &from_b.0[..b.1] {
            match terms.iter().position(|term| *term == (index, scale)) {
                Some(same) => drop(terms.remove(same)),
                None => terms.push((index, -scale)),
            }
        }
        (terms.len() <= MAX_TERMS).then_some((terms, a.2.checked_sub(b.2)?))
    }

    /// The bases of a pointer, the nearest first, and the scaled indices on the way to them.
    fn steps(&self, pointer: Value) -> Steps {
        let (mut terms, mut at) = (SmallVec::new(), SmallVec::new());
        let (mut pointer, mut bytes) = (pointer, 0i64);
        loop {
            at.push((pointer, terms.len(), bytes));
            pointer = match self.def(pointer) {
                Some(InstKind::PtrOffset { base, bytes: more }) => {
                    let Some(sum) = bytes.checked_add(*more) else { break };
                    bytes = sum;
                    *base
                }
                Some(InstKind::PtrAdd { base, index, scale }) if at.len() < MAX_STEPS => {
                    let Ok(scale) = i64::try_from(*scale) else { break };
                    terms.push((*index, scale));
                    *base
                }
                _ => break,
            };
        }
        (terms, at)
    }

    pub(super) fn fold_ptr_cast(&mut self, a: Value, ty: Type) -> Option<Folded> {
        if self.ty(a) == ty {
            return Some(Folded::Value(a));
        }
        match *self.def(a)? {
            // To generic and back.
            InstKind::PtrCast(x) if self.ty(x) == ty => Some(Folded::Value(x)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::{fold, text};
    use crate::passes::optimize::simplify::simplify_function;

    /// The text of the function after simplifying the distance of v9 and v8, in elements of `size` bytes.
    fn distance(pointers: &str, size: u64) -> String {
        let (power, inverse) = (size.trailing_zeros(), fold::inverse(size >> size.trailing_zeros()));
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns (i64)\nb0(v0: ptr.global, v1: i64, v2: i32):\n{pointers}  \
             v20: i64 = ptrdiff v9, v8\n  v21: i64 = imul v20, i64:{inverse}\n  v22: i64 = ashr v21, i64:{power}\n  return(v22)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        module.functions.values_mut().for_each(|f| simplify_function(f, 64));
        module.to_string()
    }

    #[test]
    fn distances_are_differences_of_indices() {
        let row = "  v8: ptr.global = ptroffset v0, 120\n  v9: ptr.global = ptradd v8, v1, 12\n";
        assert!(distance(row, 12).contains("return(v1)"), "{}", distance(row, 12));
        // Half an element stays.
        assert!(distance(row, 24).contains("ptrdiff"));
        let back = "  v9: ptr.global = ptroffset v0, 120\n  v8: ptr.global = ptradd v9, v1, 12\n";
        let back = distance(back, 12);
        assert!(!back.contains("ptrdiff") && !back.contains("ashr"), "{back}");
        // Common terms cancel; a narrow index is signed.
        let both = "  v5: ptr.global = ptradd v0, v1, 20\n  v8: ptr.global = ptroffset v5, 40\n  v9: ptr.global = ptradd v5, v2, 20\n";
        let both = distance(both, 20);
        assert!(!both.contains("ptrdiff") && both.contains("convert.sext v2"), "{both}");
        // No common base.
        let unrelated = "  v8: ptr.global = ptradd v0, v1, 4\n  v9: ptr.global = inttoptr v1\n";
        assert!(distance(unrelated, 4).contains("ptrdiff"));
    }
}
