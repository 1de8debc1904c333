//! Builders of expressions for the translation.

use super::context::Context;
use crate::builtins::{Builtin, BuiltinOp, Rounding};
use crate::hir::{BinaryOp, CastKind, Constant, Expr, ExprKind, LocalId, StmtKind, UnaryOp};
use crate::types::{QualType, Scalar, TypeId, Types};

impl Context<'_> {
    /// An expression that is no lvalue.
    pub fn node(&self, kind: ExprKind, ty: TypeId) -> Expr {
        Expr { kind, ty: QualType::new(ty), span: self.host.span }
    }

    /// The scalar type of an expression.
    pub fn scalar_of(&self, e: &Expr) -> Scalar {
        self.host.types.scalar_and_lanes(e.ty.ty).map_or(Scalar::UInt, |(s, _)| s)
    }

    pub fn int(&self, value: i64, scalar: Scalar) -> Expr {
        self.node(ExprKind::Constant(Constant::Int(value)), Types::scalar(scalar))
    }

    pub fn float(&self, value: f64, scalar: Scalar) -> Expr {
        self.node(ExprKind::Constant(Constant::Float(value)), Types::scalar(scalar))
    }

    pub fn uint(&self, value: u32) -> Expr {
        self.int(i64::from(value), Scalar::UInt)
    }

    /// A constant of the type of `like`.
    pub fn same(&self, value: i64, like: &Expr) -> Expr {
        self.int(value, self.scalar_of(like))
    }

    /// A variable as an lvalue.
    pub fn place(&self, local: LocalId, ty: TypeId) -> Expr {
        self.node(ExprKind::Local(local), ty)
    }

    pub fn load(&self, local: LocalId, ty: TypeId) -> Expr {
        self.node(ExprKind::Load(Box::new(self.place(local, ty))), ty)
    }

    pub fn assign(&mut self, local: LocalId, value: Expr) {
        let ty = value.ty.ty;
        let assign = ExprKind::Assign { lhs: Box::new(self.place(local, ty)), rhs: Box::new(value) };
        let assign = self.node(assign, ty);
        self.push(StmtKind::Expr(assign));
    }

    /// Evaluates an expression for its effect.
    pub fn effect(&mut self, e: Expr) {
        self.push(StmtKind::Expr(e));
    }

    /// Computes a value once: what comes back can be used more than once.
    pub fn temp(&mut self, e: Expr) -> Expr {
        if matches!(e.kind, ExprKind::Constant(_)) {
            return e;
        }
        let ty = e.ty.ty;
        let local = self.new_local(ty);
        self.assign(local, e);
        self.load(local, ty)
    }

    pub fn binary(&self, op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
        let ty = lhs.ty.ty;
        self.node(ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, ty)
    }

    pub fn add(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Add, a, b)
    }

    pub fn sub(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Sub, a, b)
    }

    pub fn mul(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Mul, a, b)
    }

    pub fn and(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::BitAnd, a, b)
    }

    pub fn or(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::BitOr, a, b)
    }

    pub fn xor(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::BitXor, a, b)
    }

    /// Shifts take the amount modulo the width, as in OpenCL C.
    pub fn shl(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Shl, a, b)
    }

    /// See [`Context::shl`]; the sign of the type decides what comes in.
    pub fn shr(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Shr, a, b)
    }

    pub fn unary(&self, op: UnaryOp, e: Expr) -> Expr {
        let ty = e.ty.ty;
        self.node(ExprKind::Unary { op, operand: Box::new(e) }, ty)
    }

    pub fn bit_not(&self, e: Expr) -> Expr {
        self.unary(UnaryOp::BitNot, e)
    }

    /// A comparison as a bool; of floats it is false for NaNs, but `Ne`.
    pub fn compare(&self, op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
        let int = self.node(ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, Types::INT);
        self.node(ExprKind::Cast { kind: CastKind::ToBool, operand: Box::new(int) }, Types::BOOL)
    }

    /// The negation of a bool.
    pub fn not(&self, e: Expr) -> Expr {
        let int = self.node(ExprKind::Unary { op: UnaryOp::LogicalNot, operand: Box::new(e) }, Types::INT);
        self.node(ExprKind::Cast { kind: CastKind::ToBool, operand: Box::new(int) }, Types::BOOL)
    }

    /// Both of two bools.
    pub fn both(&self, a: Expr, b: Expr) -> Expr {
        self.select(a, b, self.truth(false))
    }

    /// Either of two bools.
    pub fn either(&self, a: Expr, b: Expr) -> Expr {
        self.select(a, self.truth(true), b)
    }

    /// Returns whether two bools differ.
    pub fn differ(&self, a: Expr, b: Expr) -> Expr {
        let (a, b) = (self.cast(a, Scalar::Int), self.cast(b, Scalar::Int));
        self.compare(BinaryOp::Ne, a, b)
    }

    /// `cond ? then : els`, both computed.
    pub fn select(&self, cond: Expr, then: Expr, els: Expr) -> Expr {
        let ty = then.ty.ty;
        let params = vec![ty, ty, Types::BOOL];
        self.call(BuiltinOp::Select, params, vec![els, then, cond], ty)
    }

    /// A conversion of numbers by C's rules; a bool is 0 or 1.
    pub fn cast(&self, e: Expr, to: Scalar) -> Expr {
        if e.ty.ty == Types::scalar(to) {
            return e;
        }
        self.node(ExprKind::Cast { kind: CastKind::Arithmetic, operand: Box::new(e) }, Types::scalar(to))
    }

    /// The same bits as another type of the same size.
    pub fn bitcast(&self, e: Expr, to: Scalar) -> Expr {
        self.bitcast_to(e, Types::scalar(to))
    }

    pub fn bitcast_to(&self, e: Expr, to: TypeId) -> Expr {
        if e.ty.ty == to {
            return e;
        }
        self.node(ExprKind::Cast { kind: CastKind::Bitcast, operand: Box::new(e) }, to)
    }

    /// A conversion with a rounding or saturation.
    pub fn convert(&self, e: Expr, to: Scalar, saturate: bool, rounding: Option<Rounding>) -> Expr {
        let (from, to) = (e.ty.ty, Types::scalar(to));
        self.call(BuiltinOp::Convert { saturate, rounding }, vec![from], vec![e], to)
    }

    /// An instruction of OpenCL.std whose operands have the types of its parameters.
    pub fn ext(&self, number: u32, args: Vec<Expr>, ret: Scalar) -> Expr {
        let params = args.iter().map(|a| a.ty.ty).collect();
        self.call(BuiltinOp::ExtInst(number), params, args, Types::scalar(ret))
    }

    /// A call of a builtin function.
    pub fn call(&self, op: BuiltinOp, params: Vec<TypeId>, args: Vec<Expr>, ret: TypeId) -> Expr {
        let builtin = Box::new(Builtin { name: "asm", op, params, ret });
        self.node(ExprKind::Builtin { builtin, args }, ret)
    }

    /// The smaller of two integers by the sign of their type.
    pub fn min(&self, a: Expr, b: Expr) -> Expr {
        use crate::builtins::ext::{S_MIN, U_MIN};
        let scalar = self.scalar_of(&a);
        self.ext(if scalar.is_signed() { S_MIN } else { U_MIN }, vec![a, b], scalar)
    }

    /// The larger of two integers.
    pub fn max(&self, a: Expr, b: Expr) -> Expr {
        use crate::builtins::ext::{S_MAX, U_MAX};
        let scalar = self.scalar_of(&a);
        self.ext(if scalar.is_signed() { S_MAX } else { U_MAX }, vec![a, b], scalar)
    }

    /// The number whose low bits are `low` and whose high ones are `high`.
    pub fn join(&self, low: Expr, high: Expr, whole: Scalar, half_bits: u32) -> Expr {
        let (low, high) = (self.cast(low, whole), self.cast(high, whole));
        let high = self.shl(high, self.uint(half_bits));
        self.or(low, high)
    }
}
