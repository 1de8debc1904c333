//! Unary and binary operators, assignment operators, vector logic.

use super::constant::{sign_extend, truncate};
use super::error::Emit;
use super::function::FunctionEmitter;
use crate::hir::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{Scalar, Type, TypeId, Types};
use spirv_io::Id;
use spirv_io::spirv::{Decoration, FPFastMathMode, Op};

/// Returns what a binary operator is for operands of a scalar kind.
fn instruction(op: BinaryOp, scalar: Scalar) -> Option<Op> {
    use BinaryOp::*;
    let (float, signed) = (scalar.is_float(), scalar.is_signed());
    Some(match op {
        Add if float => Op::FAdd,
        Sub if float => Op::FSub,
        Mul if float => Op::FMul,
        Div if float => Op::FDiv,
        Rem if float => Op::FRem,
        Shl | Shr | BitAnd | BitOr | BitXor if float => return None,
        Add => Op::IAdd,
        Sub => Op::ISub,
        Mul => Op::IMul,
        Div if signed => Op::SDiv,
        Div => Op::UDiv,
        Rem if signed => Op::SRem,
        Rem => Op::UMod,
        Shl => Op::ShiftLeftLogical,
        Shr if signed => Op::ShiftRightArithmetic,
        Shr => Op::ShiftRightLogical,
        BitAnd => Op::BitwiseAnd,
        BitOr => Op::BitwiseOr,
        BitXor => Op::BitwiseXor,
        Lt | Gt | Le | Ge | Eq | Ne => return None,
    })
}

/// Returns what a comparison is for operands of a scalar kind.
fn comparison(op: BinaryOp, scalar: Scalar) -> Option<Op> {
    use BinaryOp::*;
    let by_kind = |float, signed, unsigned| {
        if scalar.is_float() {
            float
        } else if scalar.is_signed() {
            signed
        } else {
            unsigned
        }
    };
    Some(match op {
        Lt => by_kind(Op::FOrdLessThan, Op::SLessThan, Op::ULessThan),
        Gt => by_kind(Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan),
        Le => by_kind(Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual),
        Ge => by_kind(Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual),
        Eq => by_kind(Op::FOrdEqual, Op::IEqual, Op::IEqual),
        // C's != is true for NaN.
        Ne => by_kind(Op::FUnordNotEqual, Op::INotEqual, Op::INotEqual),
        _ => return None,
    })
}

/// The result of an integer operator on two constants, where C defines it.
fn fold(op: BinaryOp, scalar: Scalar, l: u64, r: u64) -> Option<u64> {
    use BinaryOp::*;
    let bits = scalar.size() * 8;
    Some(truncate(
        match op {
            Add => l.wrapping_add(r),
            Sub => l.wrapping_sub(r),
            Mul => l.wrapping_mul(r),
            BitAnd => l & r,
            BitOr => l | r,
            BitXor => l ^ r,
            Shl => l.wrapping_shl(r as u32 & (bits - 1)),
            Shr if scalar.is_signed() => (sign_extend(l, bits) >> (r as u32 & (bits - 1))) as u64,
            Shr => l >> (r as u32 & (bits - 1)),
            _ => return None,
        },
        bits,
    ))
}

/// The result of a comparison of two integer constants.
fn fold_comparison(op: BinaryOp, scalar: Scalar, l: u64, r: u64) -> Option<bool> {
    let bits = scalar.size() * 8;
    let order = if scalar.is_signed() { sign_extend(l, bits).cmp(&sign_extend(r, bits)) } else { l.cmp(&r) };
    Some(match op {
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Gt => order.is_gt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Ge => order.is_ge(),
        BinaryOp::Eq => order.is_eq(),
        BinaryOp::Ne => order.is_ne(),
        _ => return None,
    })
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// A binary operator. Chains that lean to the left are walked down without recursion.
    pub fn binary_chain(&mut self, expr: &'a Expr) -> Emit<Id> {
        let mut chain = Vec::new();
        let mut bottom = expr;
        while let ExprKind::Binary { op, lhs, rhs } = &bottom.kind {
            chain.push((*op, &**lhs, &**rhs, bottom.ty.ty));
            bottom = lhs;
        }
        let mut value = self.rvalue(bottom)?;
        for (op, lhs, rhs, ty) in chain.into_iter().rev() {
            let right = self.rvalue(rhs)?;
            value = match op {
                BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
                    let truth = self.compare(op, value, right, lhs.ty.ty)?;
                    self.bool_to_int(truth, ty)?
                }
                _ => self.arithmetic(op, value, right, ty, rhs.ty.ty)?,
            };
        }
        Ok(value)
    }

    /// An arithmetic, bitwise or shift operator on values of type `ty` (the right one of a shift has
    /// its own type).
    pub fn arithmetic(&mut self, op: BinaryOp, l: Id, r: Id, ty: TypeId, right: TypeId) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        let r = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            self.shift_amount(r, right, scalar)?
        } else {
            r
        };
        if lanes == 1
            && !scalar.is_float()
            && let (Some(l), Some(r)) = (self.m.known(l), self.m.known(r))
            && let Some(folded) = fold(op, scalar, l, r)
        {
            return Ok(self.m.scalar_constant(scalar, folded as i64));
        }
        let Some(op) = instruction(op, scalar) else {
            return self.m.bug("an operator on operands of a wrong type");
        };
        let result = self.m.vector_type(scalar, lanes);
        let id = self.op(op, result, &[l.0, r.0]);
        match op {
            Op::FMul => self.product(id),
            Op::FAdd | Op::FSub => {
                self.in_sum(l);
                self.in_sum(r);
            }
            _ => {}
        }
        if scalar.is_float() && op != Op::FMul {
            self.fast_math(id);
        }
        if matches!(op, Op::IAdd | Op::ISub | Op::IMul) {
            self.no_signed_wrap(id, scalar, lanes);
        }
        Ok(id)
    }

    /// A shift's right operand, as wide as the left one and modulo its width (§6.5 "Operators").
    fn shift_amount(&mut self, amount: Id, ty: TypeId, left: Scalar) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        let bits = left.size() * 8;
        let amount = self.resize_int(amount, scalar, lanes, bits)?;
        if let Some(known) = self.m.known(amount) {
            return Ok(self.m.int_constant(bits, known & u64::from(bits - 1)));
        }
        let unsigned = Scalar::unsigned_of_size(left.size());
        let mask = self.m.lanes_constant(unsigned, lanes, i64::from(bits - 1));
        let ty = self.m.vector_type(unsigned, lanes);
        Ok(self.op(Op::BitwiseAnd, ty, &[amount.0, mask.0]))
    }

    /// NoSignedWrap for a signed scalar, where checks ask for it: C99 leaves undefined what such a type does not hold (6.5).
    fn no_signed_wrap(&mut self, id: Id, scalar: Scalar, lanes: u8) {
        if self.m.options.no_signed_wrap && scalar.is_signed() && lanes == 1 && scalar.size() >= 4 {
            self.m.b.extension("SPV_KHR_no_integer_wrap_decoration");
            self.m.b.decorate(id, Decoration::NoSignedWrap, &[]);
        }
    }

    /// FPFastMathMode by the build options (API §5.8.6.3, §5.8.6.4).
    pub fn fast_math(&mut self, id: Id) {
        let mode = self.fast_math_mode();
        if mode != FPFastMathMode::NONE {
            self.m.b.decorate(id, Decoration::FPFastMathMode, &[mode.bits()]);
        }
    }

    fn fast_math_mode(&self) -> FPFastMathMode {
        let math = &self.m.options.math;
        let mut mode = FPFastMathMode::NONE;
        if math.finite_math_only || math.fast_relaxed_math {
            mode |= FPFastMathMode::NOT_NAN | FPFastMathMode::NOT_INF;
        }
        if math.no_signed_zeros || math.unsafe_math || math.fast_relaxed_math {
            mode |= FPFastMathMode::NSZ;
        }
        if math.unsafe_math || math.fast_relaxed_math {
            mode |= FPFastMathMode::ALLOW_RECIP;
        }
        if math.fast_relaxed_math {
            mode |= FPFastMathMode::FAST;
        }
        mode
    }

    /// A comparison as bool, or a vector of bool.
    pub fn compare(&mut self, op: BinaryOp, l: Id, r: Id, ty: TypeId) -> Emit<Id> {
        if self.m.program.types.pointee(ty).is_some() {
            let word = self.m.size_type();
            let l = self.op(Op::ConvertPtrToU, word, &[l.0]);
            let r = self.op(Op::ConvertPtrToU, word, &[r.0]);
            let size = self.m.program.types.size_t();
            return self.compare(op, l, r, size);
        }
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        let result = self.m.vector_type(Scalar::Bool, lanes);
        if lanes == 1
            && let (Some(l), Some(r)) = (self.m.known(l), self.m.known(r))
            && let Some(truth) = fold_comparison(op, scalar, l, r)
        {
            return Ok(self.m.bool_constant(truth));
        }
        let op = match (scalar, op) {
            (Scalar::Bool, BinaryOp::Eq) => Op::LogicalEqual,
            (Scalar::Bool, BinaryOp::Ne) => Op::LogicalNotEqual,
            (Scalar::Bool, _) => return self.m.bug("an ordering of bools"),
            _ => match comparison(op, scalar) {
                Some(op) => op,
                None => return self.m.bug("a comparison was expected"),
            },
        };
        Ok(self.op(op, result, &[l.0, r.0]))
    }

    /// A bool (or vector of bool) as `ty`: 0 or 1, in vectors 0 or −1.
    pub fn bool_to_int(&mut self, truth: Id, ty: TypeId) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        if scalar == Scalar::Bool {
            return Ok(truth);
        }
        let yes = if lanes == 1 { 1 } else { -1 };
        if let (Some(known), 1) = (self.m.known(truth), lanes) {
            return Ok(self.m.scalar_constant(scalar, (known != 0).into()));
        }
        let yes = self.m.lanes_constant(scalar, lanes, yes);
        let no = self.m.lanes_constant(scalar, lanes, 0);
        let ty = self.m.vector_type(scalar, lanes);
        Ok(self.op(Op::Select, ty, &[truth.0, yes.0, no.0]))
    }

    /// A scalar, pointer or vector as bools: not equal to zero.
    pub fn truth(&mut self, value: Id, ty: TypeId) -> Emit<Id> {
        if matches!(self.m.program.types.get(ty), Type::Scalar(Scalar::Bool)) {
            return Ok(value);
        }
        let zero = if let Some((scalar, lanes)) = self.m.program.arithmetic(ty) {
            self.m.lanes_constant(scalar, lanes, 0)
        } else {
            let ty = self.m.value_type(ty)?;
            self.m.null(ty)
        };
        self.compare(BinaryOp::Ne, value, zero, ty)
    }

    /// A unary operator.
    pub fn unary(&mut self, op: UnaryOp, operand: &'a Expr, ty: TypeId) -> Emit<Id> {
        if op == UnaryOp::LogicalNot {
            let lanes = self.m.program.arithmetic(operand.ty.ty).map_or(1, |(_, lanes)| lanes);
            let truth = if lanes == 1 { self.condition(operand)? } else { self.vector_truth(operand)? };
            let bools = self.m.vector_type(Scalar::Bool, lanes);
            let not = match (self.m.known(truth), lanes) {
                (Some(known), 1) => self.m.bool_constant(known == 0),
                _ => self.op(Op::LogicalNot, bools, &[truth.0]),
            };
            return self.bool_to_int(not, ty);
        }
        let value = self.rvalue(operand)?;
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        let result = self.m.vector_type(scalar, lanes);
        match (op, self.m.known(value)) {
            (UnaryOp::Neg, _) if scalar.is_float() => {
                if let Some(known) = self.m.float_values.get(&value) {
                    return Ok(self.m.float_constant(scalar, -*known));
                }
                let id = self.op(Op::FNegate, result, &[value.0]);
                self.fast_math(id);
                Ok(id)
            }
            (UnaryOp::Neg, Some(known)) => Ok(self.m.scalar_constant(scalar, known.wrapping_neg() as i64)),
            (UnaryOp::Neg, None) => {
                let id = self.op(Op::SNegate, result, &[value.0]);
                self.no_signed_wrap(id, scalar, lanes);
                Ok(id)
            }
            (_, Some(known)) => Ok(self.m.scalar_constant(scalar, !known as i64)),
            (_, None) => Ok(self.op(Op::Not, result, &[value.0])),
        }
    }

    fn vector_truth(&mut self, expr: &'a Expr) -> Emit<Id> {
        let value = self.rvalue(expr)?;
        self.truth(value, expr.ty.ty)
    }

    /// `&&` and `||` on vectors: component by component, both sides evaluated.
    pub fn vector_logical(&mut self, and: bool, lhs: &'a Expr, rhs: &'a Expr, ty: TypeId) -> Emit<Id> {
        let (l, r) = (self.vector_truth(lhs)?, self.vector_truth(rhs)?);
        let (_, lanes) = self.m.arithmetic(ty)?;
        let bools = self.m.vector_type(Scalar::Bool, lanes);
        let op = if and { Op::LogicalAnd } else { Op::LogicalOr };
        let truth = self.op(op, bools, &[l.0, r.0]);
        self.bool_to_int(truth, ty)
    }

    /// Returns whether the most significant bit is set, by component.
    pub fn sign_bits(&mut self, value: Id, ty: TypeId) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        let zero = self.m.lanes_constant(scalar, lanes, 0);
        let bools = self.m.vector_type(Scalar::Bool, lanes);
        Ok(self.op(Op::SLessThan, bools, &[value.0, zero.0]))
    }

    /// `cond ? a : b` with a vector condition (§6.4, "Ternary Selection Operator").
    pub fn vector_select(&mut self, cond: &'a Expr, then: &'a Expr, els: &'a Expr, ty: TypeId) -> Emit<Id> {
        let value = self.rvalue(cond)?;
        let truth = self.sign_bits(value, cond.ty.ty)?;
        let (yes, no) = (self.rvalue(then)?, self.rvalue(els)?);
        let ty = self.m.value_type(ty)?;
        Ok(self.op(Op::Select, ty, &[truth.0, yes.0, no.0]))
    }

    /// `lhs op= rhs`.
    pub fn compound_assign(
        &mut self,
        op: BinaryOp,
        lhs: &'a Expr,
        rhs: &'a Expr,
        computation: TypeId,
    ) -> Emit<Id> {
        self.line(lhs.span);
        if self.m.program.types.pointee(lhs.ty.ty).is_some() {
            let index = self.index(rhs)?;
            let reference = self.reference(lhs)?;
            let old = self.load_reference(&reference)?;
            let index = if op == BinaryOp::Sub { self.negate_index(index) } else { index };
            let new = self.pointer_offset(old, lhs.ty.ty, index)?;
            self.store_reference(&reference, new)?;
            return Ok(new);
        }
        let right = self.rvalue(rhs)?;
        let reference = self.reference(lhs)?;
        let old = self.load_reference(&reference)?;
        let wide = self.convert(old, lhs.ty.ty, computation)?;
        let result = self.arithmetic(op, wide, right, computation, rhs.ty.ty)?;
        let new = self.convert(result, computation, lhs.ty.ty)?;
        self.store_reference(&reference, new)?;
        self.assigned(new);
        Ok(new)
    }

    /// `++` and `--`: the value before, or after for the prefix form.
    pub fn inc_dec(&mut self, lvalue: &'a Expr, increment: bool, prefix: bool) -> Emit<Id> {
        self.line(lvalue.span);
        let ty = lvalue.ty.ty;
        let reference = self.reference(lvalue)?;
        let old = self.load_reference(&reference)?;
        let new = if self.m.program.types.pointee(ty).is_some() {
            let step = self.m.size_constant(if increment { 1 } else { 1u64.wrapping_neg() });
            self.pointer_offset(old, ty, step)?
        } else {
            let (scalar, lanes) = self.m.arithmetic(ty)?;
            let op = if increment { BinaryOp::Add } else { BinaryOp::Sub };
            if scalar == Scalar::Bool {
                // As `b = b + 1`, computed in int.
                let int = Types::scalar(Scalar::Int);
                let (wide, one) = (self.convert(old, ty, int)?, self.m.int_constant(32, 1));
                let sum = self.arithmetic(op, wide, one, int, int)?;
                self.convert(sum, int, ty)?
            } else {
                let one = self.m.lanes_constant(scalar, lanes, 1);
                self.arithmetic(op, old, one, ty, ty)?
            }
        };
        self.store_reference(&reference, new)?;
        Ok(if prefix { new } else { old })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_wraps_and_masks_shifts() {
        assert_eq!(fold(BinaryOp::Add, Scalar::UChar, 255, 1), Some(0));
        assert_eq!(fold(BinaryOp::Shl, Scalar::Int, 1, 33), Some(2));
        assert_eq!(fold(BinaryOp::Shr, Scalar::Int, 0x8000_0000, 31), Some(0xffff_ffff));
        assert_eq!(fold(BinaryOp::Div, Scalar::Int, 1, 0), None);
        assert_eq!(fold_comparison(BinaryOp::Lt, Scalar::Int, 0xffff_ffff, 0), Some(true));
        assert_eq!(fold_comparison(BinaryOp::Lt, Scalar::UInt, 0xffff_ffff, 0), Some(false));
    }
}
