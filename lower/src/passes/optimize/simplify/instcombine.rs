//! Instruction combining: the dispatch over instructions, and the rewrite rules of selections, float comparisons and unary operations.
//!
//! ```text
//! !(a < b) → a >= b (integers)        select(c, x, x) → x        -(-x) → x
//! ```

use super::{Folded, Simplifier};
use crate::ir::fold;
use crate::ir::{BinaryOp, InstKind, IntCC, Scalar, Type, UnaryOp, Value};
use smallvec::SmallVec;

impl Simplifier<'_> {
    /// Applies one rewrite rule.
    pub(super) fn fold(&mut self, kind: &InstKind, ty: Type) -> Option<Folded> {
        match kind {
            InstKind::Unary(op, a) => self.fold_unary(*op, *a, ty),
            InstKind::Binary(op, a, b) => self.fold_binary(*op, *a, *b, ty),
            InstKind::ICmp(cc, a, b) => self.fold_icmp(*cc, *a, *b, ty),
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
            InstKind::Select(c, a, b) => self.fold_select(*c, *a, *b, ty),
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
                self.fold_convert(*op, *value, *saturate, *rounding, ty)
            }
            InstKind::Bitcast(a) => self.fold_bitcast(*a, ty),
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
        match (op, self.def(a)?) {
            (
                UnaryOp::Not | UnaryOp::INeg | UnaryOp::FNeg | UnaryOp::BitReverse,
                InstKind::Unary(inner, x),
            ) if *inner == op => Some(Folded::Value(*x)),
            (UnaryOp::FAbs, InstKind::Unary(UnaryOp::FAbs, _)) => Some(Folded::Value(a)),
            (UnaryOp::FAbs, InstKind::Unary(UnaryOp::FNeg, x)) => {
                Some(Folded::Kind(InstKind::Unary(UnaryOp::FAbs, *x)))
            }
            (UnaryOp::INeg, InstKind::Binary(BinaryOp::ISub, x, y)) => {
                Some(Folded::Kind(InstKind::Binary(BinaryOp::ISub, *y, *x)))
            }
            (UnaryOp::Not, InstKind::ICmp(cc, x, y)) => {
                Some(Folded::Kind(InstKind::ICmp(fold::not_icmp(*cc), *x, *y)))
            }
            (UnaryOp::Not, InstKind::FCmp(cc, x, y)) => {
                Some(Folded::Kind(InstKind::FCmp(fold::not_fcmp(*cc), *x, *y)))
            }
            _ => None,
        }
    }

    fn fold_select(&mut self, c: Value, a: Value, b: Value, ty: Type) -> Option<Folded> {
        if a == b || self.is_undef(b) {
            return Some(Folded::Value(a));
        }
        if self.is_undef(a) {
            return Some(Folded::Value(b));
        }
        match self.splat_const(c) {
            Some(0) => return Some(Folded::Value(b)),
            Some(_) => return Some(Folded::Value(a)),
            None => {}
        }
        if let Some(holds) = self.fact(c) {
            return Some(Folded::Value(if holds { a } else { b }));
        }
        if let Some(fold) = self.fold_nested_select(c, a, b).or_else(|| self.fold_one_for_zero(c, a, b, ty)) {
            return Some(fold);
        }
        if ty.scalar() != Some(Scalar::Bool) || self.ty(c) != ty {
            return None;
        }
        // A selection between truth values is a logical operation.
        match (self.splat_const(a), self.splat_const(b)) {
            (Some(1), Some(0)) => Some(Folded::Value(c)),
            (Some(0), Some(1)) => Some(Folded::Kind(InstKind::Unary(UnaryOp::Not, c))),
            (Some(1), None) => Some(Folded::Kind(InstKind::Binary(BinaryOp::Or, c, b))),
            (None, Some(0)) => Some(Folded::Kind(InstKind::Binary(BinaryOp::And, c, a))),
            (Some(0), None) => {
                let not = self.build(InstKind::Unary(UnaryOp::Not, c), ty);
                Some(Folded::Kind(InstKind::Binary(BinaryOp::And, not, b)))
            }
            (None, Some(1)) => {
                let not = self.build(InstKind::Unary(UnaryOp::Not, c), ty);
                Some(Folded::Kind(InstKind::Binary(BinaryOp::Or, not, a)))
            }
            _ => None,
        }
    }

    /// x == 0 ? 1 : x
    fn fold_one_for_zero(&self, c: Value, a: Value, b: Value, ty: Type) -> Option<Folded> {
        let InstKind::ICmp(cc @ (IntCC::Eq | IntCC::Ne), x, zero) = *self.def(c)? else { return None };
        let (none, some) = if cc == IntCC::Eq { (a, b) } else { (b, a) };
        let is = self.splat_const(zero) == Some(0) && self.splat_const(none) == Some(1) && some == x;
        (is && self.computes(ty)).then_some(Folded::Kind(InstKind::Binary(BinaryOp::UMax, x, none)))
    }

    fn fold_nested_select(&self, c: Value, a: Value, b: Value) -> Option<Folded> {
        if let Some(InstKind::Unary(UnaryOp::Not, x)) = self.def(c) {
            return Some(Folded::Kind(InstKind::Select(*x, b, a)));
        }
        if let Some(InstKind::Select(d, x, _)) = self.def(a)
            && *d == c
        {
            return Some(Folded::Kind(InstKind::Select(c, *x, b)));
        }
        if let Some(InstKind::Select(d, _, y)) = self.def(b)
            && *d == c
        {
            return Some(Folded::Kind(InstKind::Select(c, a, *y)));
        }
        None
    }
}
