//! Functions of an integer's bits: counts, `bswap`, `bitreverse`, rotations, `abs`.

use super::super::context::Sema;
use super::super::convert::rvalue;
use crate::builtins::ext::{CLZ, CTZ, POPCOUNT, ROTATE};
use crate::builtins::{Builtin, BuiltinOp};
use crate::hir::{BinaryOp, Expr, ExprKind};
use crate::intrinsics::Bits;
use crate::source::Span;
use crate::syntax::ast::Prefix;
use crate::types::{Scalar, Types};
use spirv::Op;

impl Sema<'_> {
    pub(super) fn call_bits(
        &mut self,
        op: Bits,
        scalar: Scalar,
        args: Vec<Expr>,
        text: &str,
        span: Span,
    ) -> Option<Expr> {
        let ty = Types::scalar(scalar);
        if matches!(op, Bits::RotateLeft | Bits::RotateRight) {
            let [value, count] = self.exactly(args, text, span)?;
            let (value, count) = (self.argument(value, ty), self.argument(count, ty));
            let count = match op {
                Bits::RotateRight => {
                    let negative = self.build_prefix(Prefix::Minus, count, span);
                    self.as_scalar(negative, scalar)
                }
                _ => count,
            };
            return Some(self.bit_function(
                "rotate",
                BuiltinOp::ExtInst(ROTATE),
                vec![value, count],
                scalar,
                span,
            ));
        }
        let mut args = args;
        // `__builtin_clzg(x, y)` of later versions gives the result for zero; here the count is defined for it.
        args.truncate(args.len().max(1));
        let [value] = self.exactly(args, text, span)?;
        let value = self.argument(value, ty);
        let one = self.number(1, Scalar::Int, span);
        Some(match op {
            Bits::Popcount => {
                let count =
                    self.bit_function("popcount", BuiltinOp::ExtInst(POPCOUNT), vec![value], scalar, span);
                self.as_scalar(count, Scalar::Int)
            }
            Bits::Parity => {
                let count =
                    self.bit_function("popcount", BuiltinOp::ExtInst(POPCOUNT), vec![value], scalar, span);
                let odd = self.binary(BinaryOp::BitAnd, count, one);
                self.as_scalar(odd, Scalar::Int)
            }
            Bits::Clz => {
                let count = self.bit_function("clz", BuiltinOp::ExtInst(CLZ), vec![value], scalar, span);
                self.as_scalar(count, Scalar::Int)
            }
            Bits::Ctz => {
                let count = self.bit_function("ctz", BuiltinOp::ExtInst(CTZ), vec![value], scalar, span);
                self.as_scalar(count, Scalar::Int)
            }
            Bits::Ffs => {
                let value = self.hold(value);
                let bits = self.to_rvalue(value.get());
                let count = self.bit_function("ctz", BuiltinOp::ExtInst(CTZ), vec![bits], scalar, span);
                let place = self.binary(BinaryOp::Add, count, one);
                let place = self.as_scalar(place, Scalar::Int);
                let zero = self.number(0, Scalar::Int, span);
                let result = self.choose(value.get(), place, zero);
                self.after([value], result)
            }
            Bits::Clrsb => {
                // The sign bits of x are the zeros that lead x ^ (x >> all).
                let value = self.hold(value);
                let width = self.number(i64::from(scalar.size() * 8 - 1), Scalar::Int, span);
                let sign = self.binary(BinaryOp::Shr, value.get(), width);
                let differs = self.binary(BinaryOp::BitXor, value.get(), sign);
                let count = self.bit_function("clz", BuiltinOp::ExtInst(CLZ), vec![differs], scalar, span);
                let count = self.as_scalar(count, Scalar::Int);
                let result = self.binary(BinaryOp::Sub, count, one);
                self.after([value], result)
            }
            Bits::Reverse => {
                self.bit_function("bit_reverse", BuiltinOp::Op(Op::BitReverse), vec![value], scalar, span)
            }
            Bits::Swap => self.swap_bytes(value, scalar, span),
            Bits::Abs => {
                let value = self.hold(value);
                let zero = self.number(0, Scalar::Int, span);
                let negative = self.binary(BinaryOp::Lt, value.get(), zero);
                let negated = self.build_prefix(Prefix::Minus, value.get(), span);
                let result = self.choose(negative, negated, value.get());
                self.after([value], result)
            }
            Bits::RotateLeft | Bits::RotateRight => value,
        })
    }

    /// A function of OpenCL C on values of one type, whatever its version needs.
    fn bit_function(
        &mut self,
        name: &'static str,
        op: BuiltinOp,
        args: Vec<Expr>,
        scalar: Scalar,
        span: Span,
    ) -> Expr {
        if args.iter().any(super::super::convert::is_error) {
            return super::super::convert::error_expr(span);
        }
        let ty = Types::scalar(scalar);
        let builtin = Builtin { name, op, params: vec![ty; args.len()], ret: ty };
        let e = rvalue(ExprKind::Builtin { builtin: Box::new(builtin), args }, ty, span);
        self.fold(e)
    }

    fn swap_bytes(&mut self, value: Expr, scalar: Scalar, span: Span) -> Expr {
        let shifted = |p: &mut Self, e: Expr, op: BinaryOp, bits: i64, mask: i64| {
            let (count, mask) = (p.number(bits, Scalar::Int, span), p.number(mask, scalar, span));
            match op {
                BinaryOp::Shl => {
                    let kept = p.binary(BinaryOp::BitAnd, e, mask);
                    p.binary(op, kept, count)
                }
                _ => {
                    let moved = p.binary(op, e, count);
                    p.binary(BinaryOp::BitAnd, moved, mask)
                }
            }
        };
        // Neighbouring bytes change places, then pairs of them, then halves.
        let steps: &[(i64, i64)] = match scalar {
            Scalar::UShort => &[(8, 0xff)],
            Scalar::UInt => &[(8, 0x00ff_00ff), (16, 0xffff)],
            _ => &[(8, 0x00ff_00ff_00ff_00ff), (16, 0x0000_ffff_0000_ffff), (32, 0xffff_ffff)],
        };
        let (mut result, mut held) = (value, Vec::new());
        for (bits, mask) in steps {
            let value = self.hold(result);
            let up = shifted(self, value.get(), BinaryOp::Shl, *bits, *mask);
            let down = shifted(self, value.get(), BinaryOp::Shr, *bits, *mask);
            result = self.binary(BinaryOp::BitOr, up, down);
            result = self.as_scalar(result, scalar);
            held.push(value);
        }
        self.after(held, result)
    }
}
