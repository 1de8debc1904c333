//! Rewrite rules of conversions and bit casts.
//!
//! ```text
//! trunc(zext x) → x        zext(zext x) → zext x        bitcast(bitcast x) → bitcast x
//! ```

use super::{Folded, Simplifier};
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, InstKind, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

fn plain(op: ConvertOp, value: Value) -> InstKind {
    InstKind::Convert { op, value, saturate: false, rounding: None }
}

impl Simplifier<'_> {
    pub(super) fn fold_convert(
        &mut self,
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
        if integer && self.is_undef(value) {
            return Some(Folded::Value(self.constant(ty, 0)));
        }
        match *self.def(value)? {
            InstKind::Convert { op: inner, value: x, saturate: false, .. }
                if from.bits() == 64 && matches!(op, ConvertOp::UToF | ConvertOp::SToF) =>
            {
                self.float_of_extended(op, inner, x, rounding)
            }
            InstKind::Convert { op: inner, value: x, saturate: false, .. } => {
                self.convert_twice(op, inner, x, from.bits(), ty)
            }
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

    /// A conversion to float from an extended 64-bit integer: it converts the original word.
    fn float_of_extended(
        &self,
        op: ConvertOp,
        inner: ConvertOp,
        x: Value,
        rounding: Option<Rounding>,
    ) -> Option<Folded> {
        use ConvertOp::*;
        let op = match (op, inner) {
            (UToF | SToF, ZExt) => UToF,
            (SToF, SExt) => SToF,
            _ => return None,
        };
        (self.ty(x).scalar() == Some(Scalar::I32)).then_some(Folded::Kind(InstKind::Convert {
            op,
            value: x,
            saturate: false,
            rounding,
        }))
    }

    fn convert_twice(
        &mut self,
        op: ConvertOp,
        inner: ConvertOp,
        x: Value,
        middle: u32,
        ty: Type,
    ) -> Option<Folded> {
        use ConvertOp::*;
        let source = self.ty(x);
        let (first, last) = (source.scalar()?.bits(), ty.scalar()?.bits());
        match (op, inner) {
            (Trunc, ZExt | SExt) => Some(match last.cmp(&first) {
                std::cmp::Ordering::Equal => Folded::Value(x),
                std::cmp::Ordering::Less => Folded::Kind(plain(Trunc, x)),
                std::cmp::Ordering::Greater => Folded::Kind(plain(inner, x)),
            }),
            (Trunc, Trunc) | (ZExt, ZExt) | (SExt, SExt) => Some(Folded::Kind(plain(op, x))),
            (SExt, ZExt) if middle > first => Some(Folded::Kind(plain(ZExt, x))),
            // The low bits of a word: a mask. Wider conversions stay, because they say that 32 bits are enough.
            (ZExt, Trunc) if source == ty && last == 32 => {
                let low = self.constant(ty, fold::mask(middle));
                Some(Folded::Kind(InstKind::Binary(BinaryOp::And, x, low)))
            }
            // Widening loses nothing.
            (FloatToFloat, FloatToFloat) if middle > first && source == ty => Some(Folded::Value(x)),
            _ => None,
        }
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
        match self.def(a)? {
            InstKind::Bitcast(x) => Some(Folded::Kind(InstKind::Bitcast(*x))),
            _ => None,
        }
    }
}
