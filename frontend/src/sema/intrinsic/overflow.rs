//! Arithmetic that tells whether its result fits: `add_overflow` and its kin, `addc`, `subc`.

use super::super::context::Sema;
use super::super::convert::is_error;
use super::Held;
use crate::hir::{BinaryOp, Expr};
use crate::source::Span;
use crate::types::{Scalar, Types};

impl Sema<'_> {
    /// `*result = a op b` as if computed in integers of any size and cut to the type of `*result`; gives whether
    /// something was cut.
    pub(super) fn call_overflow(
        &mut self,
        op: BinaryOp,
        scalar: Option<Scalar>,
        args: Vec<Expr>,
        text: &str,
        span: Span,
    ) -> Option<Expr> {
        let [a, b, pointer] = self.exactly(args, text, span)?;
        let target = self.types.pointee(pointer.ty.ty).and_then(|p| self.types.scalar_and_lanes(p.ty));
        let target = match target {
            Some((target, 1))
                if target.is_integer() && target != Scalar::Bool && scalar.is_none_or(|s| s == target) =>
            {
                target
            }
            _ => {
                self.bad_argument(&pointer, text, "a pointer to an integer as the last argument");
                return None;
            }
        };
        let (a, b) = match scalar {
            Some(scalar) => {
                (self.argument(a, Types::scalar(scalar)), self.argument(b, Types::scalar(scalar)))
            }
            None => (a, b),
        };
        if is_error(&a) || is_error(&b) {
            return None;
        }
        let (sa, sb) = (self.scalar_of(&a, text)?, self.scalar_of(&b, text)?);
        for (e, scalar) in [(&a, sa), (&b, sb)] {
            if scalar.is_float() {
                self.bad_argument(e, text, "integers");
                return None;
            }
        }
        let pointer = self.hold(pointer);
        let wide = sa.size().max(sb.size()) > 4;
        let mut held = vec![];
        let (result, overflow) = if wide {
            self.overflow_of_longs(op, (a, sa), (b, sb), target, &mut held)
        } else {
            self.overflow_of_ints(op, (a, sa), (b, sb), target, &mut held)
        };
        let store = self.store(pointer.get(), result);
        if is_error(&store) {
            return None;
        }
        let overflow = self.explicit_cast(overflow, Types::BOOL, span);
        let overflow = self.hold(overflow);
        let value = overflow.get();
        held.insert(0, pointer);
        held.push(overflow);
        held.push(Held { assign: Some(store), place: value.clone() });
        Some(self.after(held, value))
    }

    /// Operands of at most 32 bits: the exact result fits 64.
    fn overflow_of_ints(
        &mut self,
        op: BinaryOp,
        (a, sa): (Expr, Scalar),
        (b, sb): (Expr, Scalar),
        target: Scalar,
        held: &mut Vec<Held>,
    ) -> (Expr, Expr) {
        let span = a.span;
        // A product of two unsigned numbers may need all 64; a difference of them may be negative.
        let unsigned = op == BinaryOp::Mul && !sa.is_signed() && !sb.is_signed();
        let exact = if unsigned { Scalar::ULong } else { Scalar::Long };
        let (a, b) = (self.as_scalar(a, exact), self.as_scalar(b, exact));
        let value = self.binary(op, a, b);
        let value = self.hold(value);
        let result = self.as_scalar(value.get(), target);
        let overflow = if target.size() == 8 {
            // All bits are kept: only the sign can be lost.
            let changed = (exact == Scalar::Long) != target.is_signed();
            let zero = self.number(0, Scalar::Long, span);
            let as_long = self.as_scalar(value.get(), Scalar::Long);
            if changed { self.binary(BinaryOp::Lt, as_long, zero) } else { self.number(0, Scalar::Int, span) }
        } else {
            let back = self.as_scalar(result.clone(), exact);
            self.binary(BinaryOp::Ne, back, value.get())
        };
        held.push(value);
        (result, overflow)
    }

    /// Any operands: the exact result as 128 bits, which are right modulo 2^128; the products of two ulongs and those of
    /// negative numbers do not come near each other.
    fn overflow_of_longs(
        &mut self,
        op: BinaryOp,
        (a, sa): (Expr, Scalar),
        (b, sb): (Expr, Scalar),
        target: Scalar,
        held: &mut Vec<Held>,
    ) -> (Expr, Expr) {
        let span = a.span;
        let (a, b) = (self.hold(a), self.hold(b));
        let words = |p: &mut Self, e: &Held, scalar: Scalar| {
            let low = p.as_scalar(e.get(), Scalar::ULong);
            let high = if scalar.is_signed() {
                let (wide, all) = (p.as_scalar(e.get(), Scalar::Long), p.number(63, Scalar::Int, span));
                let sign = p.binary(BinaryOp::Shr, wide, all);
                p.as_scalar(sign, Scalar::ULong)
            } else {
                p.number(0, Scalar::ULong, span)
            };
            (p.hold(low), p.hold(high))
        };
        let ((a_low, a_high), (b_low, b_high)) = (words(self, &a, sa), words(self, &b, sb));
        let low = self.binary(op, a_low.get(), b_low.get());
        let low = self.hold(low);
        let high = match op {
            BinaryOp::Mul => {
                let (x, y) = (self.to_rvalue(a_low.get()), self.to_rvalue(b_low.get()));
                let high = self.call_named("mul_hi", vec![x, y], span);
                // The high words are 0 or -1: their products are 0 or the other's negative.
                let first = self.binary(BinaryOp::BitAnd, a_high.get(), b_low.get());
                let second = self.binary(BinaryOp::BitAnd, b_high.get(), a_low.get());
                let high = self.binary(BinaryOp::Sub, high, first);
                self.binary(BinaryOp::Sub, high, second)
            }
            _ => {
                let high = self.binary(op, a_high.get(), b_high.get());
                let limit = if op == BinaryOp::Add { low.get() } else { a_low.get() };
                let other = if op == BinaryOp::Add { a_low.get() } else { b_low.get() };
                let carry = self.binary(BinaryOp::Lt, limit, other);
                let carry = self.as_scalar(carry, Scalar::ULong);
                self.binary(op, high, carry)
            }
        };
        let high = self.as_scalar(high, Scalar::ULong);
        let result = self.as_scalar(low.get(), target);
        let extension = if target.is_signed() {
            let (signed, all) = (self.as_scalar(low.get(), Scalar::Long), self.number(63, Scalar::Int, span));
            let sign = self.binary(BinaryOp::Shr, signed, all);
            self.as_scalar(sign, Scalar::ULong)
        } else {
            self.number(0, Scalar::ULong, span)
        };
        let mut overflow = self.binary(BinaryOp::Ne, high, extension);
        if target.size() < 8 {
            let back = self.as_scalar(result.clone(), Scalar::ULong);
            let cut = self.binary(BinaryOp::Ne, back, low.get());
            overflow = self.binary(BinaryOp::BitOr, overflow, cut);
        }
        held.extend([a, b, a_low, a_high, b_low, b_high, low]);
        (result, overflow)
    }

    /// `addc(a, b, carry, &out)`: the sum of three, and whether one of the two additions wrapped.
    pub(super) fn call_carry(
        &mut self,
        subtract: bool,
        scalar: Scalar,
        args: Vec<Expr>,
        text: &str,
        span: Span,
    ) -> Option<Expr> {
        let [a, b, carry, pointer] = self.exactly(args, text, span)?;
        let ty = Types::scalar(scalar);
        if self.types.pointee(pointer.ty.ty).is_none_or(|p| p.ty != ty) {
            self.bad_argument(
                &pointer,
                text,
                &format!("a pointer to '{}' as the last argument", scalar.name()),
            );
            return None;
        }
        let [a, b, carry] = [a, b, carry].map(|e| self.argument(e, ty));
        if is_error(&a) || is_error(&b) || is_error(&carry) {
            return None;
        }
        let (a, b, carry, pointer) = (self.hold(a), self.hold(b), self.hold(carry), self.hold(pointer));
        let op = if subtract { BinaryOp::Sub } else { BinaryOp::Add };
        let first = self.binary(op, a.get(), b.get());
        let first = self.as_scalar(first, scalar);
        let first = self.hold(first);
        let second = self.binary(op, first.get(), carry.get());
        let second = self.as_scalar(second, scalar);
        let second = self.hold(second);
        let wrapped = |p: &mut Self, before: Expr, other: Expr, after: Expr| match subtract {
            true => p.binary(BinaryOp::Lt, before, other),
            false => p.binary(BinaryOp::Lt, after, before),
        };
        let one = wrapped(self, a.get(), b.get(), first.get());
        let other = wrapped(self, first.get(), carry.get(), second.get());
        let out = self.binary(BinaryOp::BitOr, one, other);
        let out = self.as_scalar(out, scalar);
        let store = self.store(pointer.get(), out);
        if is_error(&store) {
            return None;
        }
        let value = second.get();
        let store = Held { assign: Some(store), place: value.clone() };
        Some(self.after([a, b, carry, pointer, first, second, store], value))
    }
}
