//! Folding of conversions and bit casts: constants, selections between constants, and truncations of parts of a word.
//!
//! ```text
//! sext(select(c, 1, 0)) → select(c, 1, 0)        trunc(x | y << 8) → trunc x (of 8 bits)
//! ```

use super::{Folded, Simplifier};
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, InstKind, Rounding, Type, Value};
use smallvec::SmallVec;

fn plain(op: ConvertOp, value: Value) -> InstKind {
    InstKind::Convert { op, value, saturate: false, rounding: None }
}

impl Simplifier<'_> {
    pub(super) fn fold_convert(
        &mut self,
        kind: &InstKind,
        op: ConvertOp,
        value: Value,
        saturate: bool,
        rounding: Option<Rounding>,
        ty: Type,
    ) -> Option<Folded> {
        let from_ty = self.ty(value);
        let (from, to) = (from_ty.scalar()?, ty.scalar()?);
        if let Some(lanes) = self.const_lanes(value) {
            let lanes: Option<SmallVec<[u64; 4]>> =
                lanes.iter().map(|l| fold::convert(op, from, to, *l, saturate, rounding)).collect();
            return self.lanes_folded(ty, &lanes?);
        }
        let integer = matches!(op, ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt);
        if from_ty == ty && (integer || op == ConvertOp::FloatToFloat) && !saturate {
            return Some(Folded::Value(value));
        }
        if saturate {
            return None;
        }
        if let Some(rewritten) = self.rewrite(kind, ty) {
            return Some(rewritten);
        }
        match *self.def(value)? {
            InstKind::Select(c, a, b)
                if (integer || matches!(op, ConvertOp::UToF | ConvertOp::SToF)) && self.computes(ty) =>
            {
                // A selection between constants: the constants are converted.
                let (a, b) = (self.splat_const(a)?, self.splat_const(b)?);
                let a = fold::convert(op, from, to, a, false, rounding)?;
                let b = fold::convert(op, from, to, b, false, rounding)?;
                let (a, b) = (self.constant(ty, a), self.constant(ty, b));
                Some(Folded::Kind(InstKind::Select(c, a, b)))
            }
            InstKind::Bitcast(_) if op == ConvertOp::Trunc => self.lane_of_bits(value, 0, ty),
            InstKind::Binary(..) if op == ConvertOp::Trunc => {
                if let Some(InstKind::Binary(BinaryOp::LShr, word, by)) = self.def(value)
                    && let Some(lane) = self.splat_const(*by).and_then(|by| self.lane_of_bits(*word, by, ty))
                {
                    return Some(lane);
                }
                let kept = fold::mask(to.bits());
                let rest = self
                    .without_lost_bits(value, kept)
                    .or_else(|| self.without_bits_lost_by_shift(value, kept))?;
                Some(Folded::Kind(plain(op, rest)))
            }
            _ => None,
        }
    }

    /// The bits from `up` on, of a number that is the bit cast of a vector with lanes of this type: one lane.
    fn lane_of_bits(&self, word: Value, up: u64, ty: Type) -> Option<Folded> {
        let InstKind::Bitcast(vector) = *self.def(word)? else { return None };
        let (vector_type, width) = (self.ty(vector), u64::from(ty.scalar()?.bits()));
        let fits = vector_type.lanes() > 1
            && vector_type.scalar() == ty.scalar()
            && ty.lanes() == 1
            && self.ty(word).lanes() == 1;
        let lane = up / width;
        (fits && up.is_multiple_of(width) && lane < u64::from(vector_type.lanes()))
            .then_some(Folded::Kind(InstKind::Extract(vector, lane as u8)))
    }

    pub(super) fn fold_bitcast(&mut self, a: Value, ty: Type) -> Option<Folded> {
        let from = self.ty(a);
        if from == ty {
            return Some(Folded::Value(a));
        }
        if self.is_undef(a) {
            return Some(Folded::Value(self.undef(ty)));
        }
        if let (Some(lanes), Some(f), Some(t)) = (self.const_lanes(a), from.scalar(), ty.scalar()) {
            let lanes = fold::bitcast(&lanes, f, t)?;
            if lanes.len() == usize::from(ty.lanes()) {
                return self.lanes_folded(ty, &lanes);
            }
        }
        None
    }
}
