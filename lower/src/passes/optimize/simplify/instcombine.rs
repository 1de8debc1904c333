//! Instruction combining: constants fold, rules of the table apply ([`crate::rewrite`]), then what searches further than a rule.
//!
//! ```text
//! 2 + 3 → 5        (x + 3) + 4 → x + 7 (a rule)        extract(construct(a, b), 1) → b
//! ```

use super::{Folded, Simplifier};
use crate::ir::fold;
use crate::ir::{InstKind, Type, UnaryOp, Value};
use smallvec::SmallVec;

impl Simplifier<'_> {
    /// Applies one rewrite rule.
    pub(super) fn fold(&mut self, kind: &InstKind, ty: Type) -> Option<Folded> {
        match kind {
            InstKind::Unary(op, a) => self.fold_unary(*op, *a, ty).or_else(|| self.rewrite(kind, ty)),
            InstKind::Binary(op, a, b) => self.fold_binary(kind, *op, *a, *b, ty),
            InstKind::ICmp(cc, a, b) => self.fold_icmp(kind, *cc, *a, *b, ty),
            InstKind::FCmp(cc, a, b) => {
                if !self.is_constant(*b) {
                    return None;
                }
                let scalar = self.ty(*a).scalar()?;
                let (x, y) = (self.const_lanes(*a)?, self.const_lanes(*b)?);
                let lanes: Option<SmallVec<[u64; 4]>> =
                    x.iter().zip(&y).map(|(x, y)| fold::fcmp(*cc, scalar, *x, *y).map(u64::from)).collect();
                self.lanes_folded(ty, &lanes?)
            }
            InstKind::Select(c, a, b) => self.fold_select(kind, *c, *a, *b, ty),
            InstKind::Fma(a, b, c) => {
                if !self.is_constant(*a) || !self.is_constant(*b) {
                    return None;
                }
                let scalar = ty.scalar()?;
                let (a, b, c) = (self.const_lanes(*a)?, self.const_lanes(*b)?, self.const_lanes(*c)?);
                let lanes: Option<SmallVec<[u64; 4]>> =
                    a.iter().zip(&b).zip(&c).map(|((a, b), c)| fold::fma(scalar, *a, *b, *c)).collect();
                self.lanes_folded(ty, &lanes?)
            }
            InstKind::Glsl { number, args } => self.fold_glsl(*number, args, ty),
            InstKind::Convert { op, value, saturate, rounding } => {
                self.fold_convert(kind, *op, *value, *saturate, *rounding, ty)
            }
            InstKind::Bitcast(a) => self.fold_bitcast(*a, ty).or_else(|| self.rewrite(kind, ty)),
            InstKind::Construct(parts) => self.fold_construct(parts, ty),
            InstKind::Extract(a, lane) => self.fold_extract(*a, *lane, ty),
            InstKind::ExtractDyn(a, index) => {
                let index = self.splat_const(*index)?;
                (index < u64::from(self.ty(*a).lanes()))
                    .then_some(Folded::Kind(InstKind::Extract(*a, index as u8)))
            }
            InstKind::Insert { vector, scalar, lane } => self.fold_insert(*vector, *scalar, *lane, ty),
            InstKind::InsertDyn { vector, scalar, index } => {
                let index = self.splat_const(*index)?;
                (index < u64::from(ty.lanes())).then_some(Folded::Kind(InstKind::Insert {
                    vector: *vector,
                    scalar: *scalar,
                    lane: index as u8,
                }))
            }
            InstKind::Shuffle(a, b, mask) => self.fold_shuffle(*a, *b, mask, ty),
            InstKind::PtrAdd { base, index, scale } => self.fold_ptr_add(*base, *index, *scale, ty),
            InstKind::PtrOffset { base, bytes } => self.fold_ptr_offset(*base, *bytes),
            InstKind::PtrCast(a) => self.fold_ptr_cast(*a, ty),
            InstKind::PtrDiff(a, b) => self.fold_ptr_diff(*a, *b, ty),
            InstKind::PtrToInt(a) if self.function.const_bits(*a) == Some(0) => {
                Some(Folded::Value(self.constant(ty, 0)))
            }
            InstKind::PtrToInt(a) => match self.def(*a) {
                Some(InstKind::IntToPtr(x)) if self.ty(*x) == ty => Some(Folded::Value(*x)),
                _ => None,
            },
            InstKind::IntToPtr(a) => match self.def(*a) {
                Some(InstKind::PtrToInt(x)) if self.ty(*x) == ty => Some(Folded::Value(*x)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A function of constants whose result is exact. Drivers fold these, too, and drop the signs of zeros that come of it (llvmpipe).
    fn fold_glsl(&mut self, number: u32, args: &[Value], ty: Type) -> Option<Folded> {
        if !args.iter().all(|arg| self.is_constant(*arg)) {
            return None;
        }
        let scalar = ty.scalar()?;
        let args: Option<SmallVec<[_; 2]>> = args.iter().map(|arg| self.const_lanes(*arg)).collect();
        let args = args?;
        let lane = |lane: usize| {
            let args: Option<SmallVec<[u64; 2]>> =
                args.iter().map(|lanes| lanes.get(lane).copied()).collect();
            fold::glsl(number, scalar, &args?)
        };
        let lanes: Option<SmallVec<[u64; 4]>> = (0..usize::from(ty.lanes())).map(lane).collect();
        self.lanes_folded(ty, &lanes?)
    }

    fn fold_unary(&mut self, op: UnaryOp, a: Value, ty: Type) -> Option<Folded> {
        let scalar = self.ty(a).scalar()?;
        if let Some(lanes) = self.const_lanes(a) {
            if matches!(op, UnaryOp::Any | UnaryOp::All) {
                let is = |l: &u64| *l != 0;
                let value = if op == UnaryOp::Any { lanes.iter().any(is) } else { lanes.iter().all(is) };
                return Some(Folded::Value(self.constant(ty, u64::from(value))));
            }
            let lanes: Option<SmallVec<[u64; 4]>> =
                lanes.iter().map(|l| fold::unary(op, scalar, *l)).collect();
            return self.lanes_folded(ty, &lanes?);
        }
        None
    }

    fn fold_select(&mut self, kind: &InstKind, c: Value, a: Value, b: Value, ty: Type) -> Option<Folded> {
        if let Some(holds) = self.fact(c) {
            return Some(Folded::Value(if holds { a } else { b }));
        }
        self.rewrite(kind, ty)
    }
}
