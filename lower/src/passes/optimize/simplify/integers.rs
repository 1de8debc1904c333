//! Folding of arithmetic and integer comparisons: constants, the order of operands, facts and bounds, and selections between constants.
//!
//! ```text
//! 3 + x → x + 3        select(c, 1, 2) + 3 → select(c, 4, 5)        select(c, 1, 0) != 0 → c
//! ```

use super::{Folded, Simplifier};
use crate::analysis::ranges;
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Type, Value};
use crate::rewrite::commutes;
use smallvec::SmallVec;

impl Simplifier<'_> {
    pub(super) fn fold_binary(
        &mut self,
        kind: &InstKind,
        op: BinaryOp,
        a: Value,
        b: Value,
        ty: Type,
    ) -> Option<Folded> {
        let scalar = ty.scalar()?;
        let (left, right) = (self.is_constant(a), self.is_constant(b));
        if left && right {
            let (x, y) = (self.const_lanes(a)?, self.const_lanes(b)?);
            let lanes: Option<SmallVec<[u64; 4]>> =
                x.iter().zip(&y).map(|(x, y)| fold::binary(op, scalar, *x, *y)).collect();
            return self.lanes_folded(ty, &lanes?);
        }
        if commutes(op) && !right && (left || b < a) {
            return Some(Folded::Kind(InstKind::Binary(op, b, a)));
        }
        if scalar.is_float() {
            return self.rewrite(kind, ty);
        }
        let k = self.splat_const(b);
        if let (BinaryOp::AShr, Some(k)) = (op, k)
            && let Some(distance) = self.fold_distance(a, k, ty)
        {
            return Some(distance);
        }
        if let Some(rewritten) = self.rewrite(kind, ty) {
            return Some(rewritten);
        }
        let Some(k) = k else {
            let joins = matches!(op, BinaryOp::Or | BinaryOp::Xor);
            return if joins { self.fold_parts(op, a, b, ty) } else { None };
        };
        if let Some(&InstKind::Select(c, x, y)) = self.def(a)
            && let (Some(x), Some(y)) = (self.splat_const(x), self.splat_const(y))
            && let (Some(x), Some(y)) = (fold::binary(op, scalar, x, k), fold::binary(op, scalar, y, k))
        {
            // A selection between constants: the operation applies to both.
            let (x, y) = (self.constant(ty, x), self.constant(ty, y));
            return Some(Folded::Kind(InstKind::Select(c, x, y)));
        }
        if op == BinaryOp::And { self.fold_masked_shift(a, b, k) } else { None }
    }

    pub(super) fn fold_icmp(
        &mut self,
        kind: &InstKind,
        cc: IntCC,
        a: Value,
        b: Value,
        ty: Type,
    ) -> Option<Folded> {
        if a == b {
            let value = fold::icmp(cc, 64, 0, 0);
            return Some(Folded::Value(self.constant(ty, u64::from(value))));
        }
        if let Type::Ptr(_) = self.ty(a) {
            return self.fold_pointer_icmp(cc, a, b);
        }
        let width = self.ty(a).scalar()?.bits();
        let (left, right) = (self.is_constant(a), self.is_constant(b));
        if left && right {
            let (x, y) = (self.const_lanes(a)?, self.const_lanes(b)?);
            let lanes: SmallVec<[u64; 4]> =
                x.iter().zip(&y).map(|(x, y)| u64::from(fold::icmp(cc, width, *x, *y))).collect();
            return self.lanes_folded(ty, &lanes);
        }
        if !right && (left || b < a) {
            return Some(Folded::Kind(InstKind::ICmp(fold::swap_icmp(cc), b, a)));
        }
        let Some(k) = self.splat_const(b) else { return self.rewrite(kind, ty) };
        if let Some(holds) = self.compares(cc, a, k) {
            return Some(Folded::Value(self.constant(ty, u64::from(holds))));
        }
        if let Some(holds) = ranges::decide(self.function, cc, a, k) {
            return Some(Folded::Value(self.constant(ty, u64::from(holds))));
        }
        if let Some(rewritten) = self.rewrite(kind, ty) {
            return Some(rewritten);
        }
        match *self.def(a)? {
            // OpenCL's comparisons give integers: this returns to the truth value.
            InstKind::Select(c, x, y) => {
                let (x, y) = (self.compare_selection(cc, x, k, ty)?, self.compare_selection(cc, y, k, ty)?);
                match (self.splat_const(x), self.splat_const(y)) {
                    (Some(x_holds), Some(y_holds)) if x_holds == y_holds => Some(Folded::Value(x)),
                    _ if self.ty(c) != ty => None,
                    _ => Some(Folded::Kind(InstKind::Select(c, x, y))),
                }
            }
            InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, .. } => {
                // No extended value reaches k: all compare the same.
                let low = fold::mask(self.ty(value).scalar()?.bits());
                let same = fold::icmp(cc, width, 0, k);
                (k & !low != 0 && fold::icmp(cc, width, low, k) == same)
                    .then(|| Folded::Value(self.constant(ty, u64::from(same))))
            }
            _ => None,
        }
    }

    /// The comparison of a value with a constant, where its outcome is known or the value is a selection of such values.
    fn compare_selection(&mut self, cc: IntCC, value: Value, k: u64, ty: Type) -> Option<Value> {
        fn is_known(s: &Simplifier<'_>, (cc, value, k): (IntCC, Value, u64), depth: u32) -> bool {
            let known = ranges::decide(s.function, cc, value, k).or_else(|| s.compares(cc, value, k));
            known.is_some()
                || matches!(s.def(value), Some(&InstKind::Select(_, x, y))
                    if depth > 0 && is_known(s, (cc, x, k), depth - 1) && is_known(s, (cc, y, k), depth - 1))
        }
        if !is_known(self, (cc, value, k), 3) {
            return None;
        }
        let k = self.constant(self.ty(value), k);
        Some(self.build(InstKind::ICmp(cc, value, k), ty))
    }
}
