//! Constant evaluation (C99 §6.6): typed trees to values, with the arithmetic that the device does:
//! integers wrap, conversions are defined everywhere, shifts are taken modulo the width.

use super::context::Sema;
use crate::builtins::BuiltinOp;
use crate::builtins::ext::{CLZ, COPYSIGN, CTZ, FABS, POPCOUNT, ROTATE, U_MUL_HI};
use crate::hir::{BinaryOp, CastKind, Constant, Expr, ExprKind, GlobalId, Init, UnaryOp};
use crate::source::Span;
use crate::types::{AddressSpace, Scalar, Type, TypeId, Types};
use smallvec::{SmallVec, smallvec};

/// One component of an arithmetic constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Num {
    /// The bits of an integer, sign-extended when its type is signed.
    Int(i64),
    /// A floating value, exactly representable in its type.
    Float(f64),
}

/// Constant evaluation goes no deeper than this into a tree.
const MAX_EVALUATION: u32 = 150;

type Nums = SmallVec<[Num; 4]>;

/// A value during evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A scalar (one component) or a vector.
    Nums(Nums),
    /// A global's address, or an absolute one, plus bytes.
    Address(Option<GlobalId>, i64),
    /// An array, struct or union.
    Aggregate(Constant),
}

impl Value {
    fn num(n: Num) -> Value {
        Value::Nums(smallvec![n])
    }

    fn scalar(&self) -> Option<Num> {
        match self {
            Value::Nums(n) if n.len() == 1 => Some(n[0]),
            _ => None,
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Value::Address(Some(_), _) => Some(true),
            Value::Address(None, a) => Some(*a != 0),
            _ => self.scalar().map(is_true),
        }
    }

    /// The constant of the tree; `None` for what the tree cannot say (absolute addresses).
    pub(super) fn into_constant(self) -> Option<Constant> {
        let leaf = |n: &Num| match n {
            Num::Int(i) => Constant::Int(*i),
            Num::Float(f) => Constant::Float(*f),
        };
        match self {
            Value::Nums(n) if n.len() == 1 => Some(leaf(&n[0])),
            Value::Nums(n) => Some(Constant::Vector(n.iter().map(leaf).collect())),
            Value::Address(Some(global), offset) => Some(Constant::Address { global, offset }),
            Value::Address(None, 0) => Some(Constant::Zero),
            Value::Address(None, _) => None,
            Value::Aggregate(c) => Some(c),
        }
    }
}

fn is_true(n: Num) -> bool {
    match n {
        Num::Int(i) => i != 0,
        Num::Float(f) => f != 0.0,
    }
}

/// The low bits of `value` as a value of type `scalar`.
pub(super) fn wrap(value: i64, scalar: Scalar) -> i64 {
    match scalar {
        Scalar::Bool => i64::from(value != 0),
        Scalar::Char => i64::from(value as i8),
        Scalar::UChar => i64::from(value as u8),
        Scalar::Short => i64::from(value as i16),
        Scalar::UShort => i64::from(value as u16),
        Scalar::Int => i64::from(value as i32),
        Scalar::UInt => i64::from(value as u32),
        _ => value,
    }
}

/// `value` rounded to the floating type `scalar`.
fn round(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Half => half::f16::from_f64(value).to_f64(),
        Scalar::Float => f64::from(value as f32),
        _ => value,
    }
}

/// A conversion as [`CastKind::Arithmetic`] defines it.
pub(super) fn convert_num(value: Num, from: Scalar, to: Scalar) -> Num {
    match value {
        _ if to == Scalar::Bool => Num::Int(i64::from(is_true(value))),
        Num::Int(i) if to.is_float() => Num::Float(match (from, to) {
            // Straight to the type, so that nothing is rounded twice.
            (Scalar::ULong, Scalar::Float) => f64::from(i as u64 as f32),
            (Scalar::ULong, _) => round(i as u64 as f64, to),
            (_, Scalar::Float) => f64::from(i as f32),
            _ => round(i as f64, to),
        }),
        Num::Int(i) => Num::Int(wrap(i, to)),
        Num::Float(f) if to.is_float() => Num::Float(round(f, to)),
        // Rust's casts truncate, saturate, and make zero of NaN.
        Num::Float(f) => Num::Int(match to {
            Scalar::Char => i64::from(f as i8),
            Scalar::UChar => i64::from(f as u8),
            Scalar::Short => i64::from(f as i16),
            Scalar::UShort => i64::from(f as u16),
            Scalar::Int => i64::from(f as i32),
            Scalar::UInt => i64::from(f as u32),
            Scalar::ULong => f as u64 as i64,
            _ => f as i64,
        }),
    }
}

/// A binary operation on two values of type `scalar` (shifts: the left's; the right one is any
/// integer). `None` for division by zero. Comparisons give 0 or 1.
fn binary_num(op: BinaryOp, a: Num, b: Num, scalar: Scalar) -> Option<Num> {
    match (a, b) {
        (Num::Int(a), Num::Int(b)) => int_binary(op, a, b, scalar).map(Num::Int),
        (Num::Float(a), Num::Float(b)) => float_binary(op, a, b, scalar),
        _ => None,
    }
}

fn int_binary(op: BinaryOp, a: i64, b: i64, scalar: Scalar) -> Option<i64> {
    use BinaryOp::*;
    let signed = scalar.is_signed();
    let (ua, ub) = (a as u64, b as u64);
    let shift = ub & u64::from(scalar.size() * 8 - 1);
    let less = |x: i64, y: i64| if signed { x < y } else { (x as u64) < y as u64 };
    let result = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Div | Rem if b == 0 => return None,
        Div if signed => a.wrapping_div(b),
        Div => (ua / ub) as i64,
        Rem if signed => a.wrapping_rem(b),
        Rem => (ua % ub) as i64,
        Shl => a << shift,
        Shr if signed => a >> shift,
        Shr => (ua >> shift) as i64,
        BitAnd => a & b,
        BitOr => a | b,
        BitXor => a ^ b,
        Lt => return Some(less(a, b).into()),
        Gt => return Some(less(b, a).into()),
        Le => return Some((!less(b, a)).into()),
        Ge => return Some((!less(a, b)).into()),
        Eq => return Some((a == b).into()),
        Ne => return Some((a != b).into()),
    };
    Some(wrap(result, scalar))
}

fn float_binary(op: BinaryOp, a: f64, b: f64, scalar: Scalar) -> Option<Num> {
    use BinaryOp::*;
    // Operations on float and half done in double and rounded once more are right: double has more
    // than twice the digits.
    let value = match op {
        Add => a + b,
        Sub => a - b,
        Mul => a * b,
        Div => a / b,
        Lt => return Some(Num::Int((a < b).into())),
        Gt => return Some(Num::Int((a > b).into())),
        Le => return Some(Num::Int((a <= b).into())),
        Ge => return Some(Num::Int((a >= b).into())),
        Eq => return Some(Num::Int((a == b).into())),
        Ne => return Some(Num::Int((a != b).into())),
        Rem | Shl | Shr | BitAnd | BitOr | BitXor => return None,
    };
    Some(Num::Float(round(value, scalar)))
}

fn unary_num(op: UnaryOp, value: Num, scalar: Scalar) -> Option<Num> {
    match (op, value) {
        (UnaryOp::Neg, Num::Int(i)) => Some(Num::Int(wrap(i.wrapping_neg(), scalar))),
        (UnaryOp::Neg, Num::Float(f)) => Some(Num::Float(-f)),
        (UnaryOp::BitNot, Num::Int(i)) => Some(Num::Int(wrap(!i, scalar))),
        (UnaryOp::LogicalNot, _) => Some(Num::Int((!is_true(value)).into())),
        (UnaryOp::BitNot, Num::Float(_)) => None,
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Lt | Gt | Le | Ge | Eq | Ne)
}

/// The bits of a number in memory.
fn to_bits(value: Num, scalar: Scalar) -> u64 {
    match value {
        Num::Int(i) => {
            let bits = scalar.size() * 8;
            if bits == 64 { i as u64 } else { i as u64 & ((1 << bits) - 1) }
        }
        Num::Float(f) => match scalar {
            Scalar::Half => half::f16::from_f64(f).to_bits().into(),
            Scalar::Float => (f as f32).to_bits().into(),
            _ => f.to_bits(),
        },
    }
}

fn from_bits(bits: u64, scalar: Scalar) -> Num {
    match scalar {
        Scalar::Half => Num::Float(half::f16::from_bits(bits as u16).to_f64()),
        Scalar::Float => Num::Float(f32::from_bits(bits as u32).into()),
        Scalar::Double => Num::Float(f64::from_bits(bits)),
        _ => Num::Int(wrap(bits as i64, scalar)),
    }
}

/// The same bits as components of another type; `None` when the sizes differ.
fn bitcast(from: &[Num], from_scalar: Scalar, to: Scalar, lanes: u8) -> Option<Nums> {
    let mut bytes: Vec<u8> = Vec::with_capacity(128);
    for n in from {
        bytes.extend_from_slice(&to_bits(*n, from_scalar).to_le_bytes()[..from_scalar.size() as usize]);
    }
    let step = to.size() as usize;
    // 3-component vectors take the room of 4: the fourth is undefined, here zero.
    let padded = |n: usize| if n == 3 { 4 } else { n };
    if padded(from.len()) * from_scalar.size() as usize != padded(lanes.into()) * step {
        return None;
    }
    bytes.resize(padded(lanes.into()) * step, 0);
    let number = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        from_bits(u64::from_le_bytes(word), to)
    };
    Some(bytes.chunks_exact(step).take(lanes.into()).map(number).collect())
}

/// The components of an arithmetic constant.
pub(super) fn components(constant: &Constant, scalar: Scalar, lanes: u8) -> Option<Nums> {
    let zero = if scalar.is_float() { Num::Float(0.0) } else { Num::Int(0) };
    match constant {
        Constant::Zero => Some(smallvec![zero; lanes.into()]),
        Constant::Int(i) if lanes == 1 => Some(smallvec![Num::Int(*i)]),
        Constant::Float(f) if lanes == 1 => Some(smallvec![Num::Float(*f)]),
        Constant::Vector(parts) if parts.len() == usize::from(lanes) => parts
            .iter()
            .map(|p| match p {
                Constant::Int(i) => Some(Num::Int(*i)),
                Constant::Float(f) => Some(Num::Float(*f)),
                Constant::Zero => Some(zero),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

impl Sema<'_> {
    /// The value of an integer constant expression as the bits of its type (sign-extended when signed);
    /// `None` when it is none. Reports nothing.
    pub(super) fn const_eval_int(&mut self, e: &Expr) -> Option<i64> {
        let (scalar, 1) = self.types.scalar_and_lanes(e.ty.ty)? else { return None };
        match self.value(e)?.scalar()? {
            Num::Int(i) if scalar.is_integer() => Some(i),
            _ => None,
        }
    }

    /// The value of a constant expression, converted to `to` where both are arithmetic; `None` when it is
    /// not constant. Reports nothing.
    pub(super) fn const_eval(&mut self, e: &Expr, to: TypeId) -> Option<Constant> {
        let value = self.value(e)?;
        let from = self.types.scalar_and_lanes(e.ty.ty);
        let value = match (value, from, self.types.scalar_and_lanes(to)) {
            (Value::Nums(n), Some((from, a)), Some((to, b))) if from != to && a == b => {
                Value::Nums(n.iter().map(|v| convert_num(*v, from, to)).collect())
            }
            (value, ..) => value,
        };
        value.into_constant()
    }

    /// Replaces an operation on constants by its value, one level: operands are folded when they are made.
    pub(super) fn fold(&self, e: Expr) -> Expr {
        let is_constant = |e: &Expr| matches!(e.kind, ExprKind::Constant(_));
        let foldable = match &e.kind {
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => is_constant(operand),
            ExprKind::Binary { lhs, rhs, .. }
            | ExprKind::LogicalAnd { lhs, rhs }
            | ExprKind::LogicalOr { lhs, rhs } => is_constant(lhs) && is_constant(rhs),
            ExprKind::Conditional { cond, then, els } => {
                [cond, then, els].into_iter().all(|e| is_constant(e))
            }
            ExprKind::VectorLiteral(parts) => parts.iter().all(is_constant),
            ExprKind::SwizzleValue { base, .. } => is_constant(base),
            ExprKind::Builtin { args, .. } => args.iter().all(is_constant),
            _ => false,
        };
        let arithmetic = self.types.scalar_and_lanes(e.ty.ty).is_some();
        if !foldable || !arithmetic {
            return e;
        }
        match self.value(&e).and_then(Value::into_constant) {
            Some(constant) => Expr { kind: ExprKind::Constant(constant), ..e },
            None => e,
        }
    }

    /// The value of an rvalue, if it is known at compile time. Literals fold as they are read, so a tree
    /// that is still high is hardly constant: below [`MAX_EVALUATION`] it is not looked at.
    pub(super) fn value(&self, e: &Expr) -> Option<Value> {
        let depth = self.exprs.evaluation.get();
        if depth >= MAX_EVALUATION {
            return None;
        }
        self.exprs.evaluation.set(depth + 1);
        let value = self.value_of(e);
        self.exprs.evaluation.set(depth);
        value
    }

    fn value_of(&self, e: &Expr) -> Option<Value> {
        match &e.kind {
            ExprKind::Constant(c) => self.constant_value(c, e.ty.ty),
            ExprKind::Load(lvalue) => self.load_value(lvalue),
            ExprKind::Local(_) | ExprKind::Global(_) => self.load_value(e),
            ExprKind::AddressOf(lvalue) | ExprKind::ArrayDecay(lvalue) => self.address(lvalue),
            ExprKind::Unary { op, operand } => self.unary_value(*op, operand),
            ExprKind::Binary { op, lhs, rhs } => self.binary_value(*op, lhs, rhs),
            ExprKind::PointerOffset { pointer, index, subtract } => {
                self.offset_value(pointer, index, *subtract)
            }
            ExprKind::PointerDifference { lhs, rhs } => self.difference_value(lhs, rhs),
            ExprKind::LogicalAnd { lhs, rhs } => {
                let value = self.value(lhs)?.truth()? && self.value(rhs)?.truth()?;
                Some(Value::num(Num::Int(value.into())))
            }
            ExprKind::LogicalOr { lhs, rhs } => {
                let value = self.value(lhs)?.truth()? || self.value(rhs)?.truth()?;
                Some(Value::num(Num::Int(value.into())))
            }
            ExprKind::Conditional { cond, then, els } => {
                if self.value(cond)?.truth()? {
                    self.value(then)
                } else {
                    self.value(els)
                }
            }
            ExprKind::VectorLogical { and, lhs, rhs } => self.vector_logical_value(*and, lhs, rhs),
            ExprKind::VectorSelect { cond, then, els } => self.vector_select_value(cond, then, els),
            ExprKind::VectorLiteral(parts) => {
                let mut all = Nums::new();
                for part in parts {
                    let Value::Nums(n) = self.value(part)? else { return None };
                    all.extend(n);
                }
                Some(Value::Nums(all))
            }
            ExprKind::SwizzleValue { base, components } => {
                let Value::Nums(n) = self.value(base)? else { return None };
                components
                    .iter()
                    .map(|c| n.get(usize::from(*c)).or(n.last()).copied())
                    .collect::<Option<_>>()
                    .map(Value::Nums)
            }
            ExprKind::VectorElementValue { base, index } => {
                let Value::Nums(n) = self.value(base)? else { return None };
                let Num::Int(i) = self.value(index)?.scalar()? else { return None };
                n.get(usize::try_from(i).ok()?).copied().map(Value::num)
            }
            ExprKind::Cast { kind, operand } => self.cast_value(*kind, operand, e.ty.ty),
            ExprKind::Builtin { builtin, args } => match (builtin.op, args.as_slice()) {
                (BuiltinOp::ConstantInt(i), _) => Some(Value::num(Num::Int(i))),
                (BuiltinOp::AsType, [arg]) => self.cast_value(CastKind::Bitcast, arg, e.ty.ty),
                (BuiltinOp::Convert { saturate: false, rounding: None }, [arg]) => {
                    self.cast_value(CastKind::Arithmetic, arg, e.ty.ty)
                }
                (op @ BuiltinOp::ExtInst(FABS | COPYSIGN), args) => self.sign_function(op, args),
                (op, args) => self.integer_function(op, args, e.ty.ty),
            },
            ExprKind::Call { function, args } if self.cxx.enabled => self.call_value(*function, args),
            ExprKind::MemberValue { base, field } if self.cxx.enabled => {
                self.member_value_of(base, *field, e.ty.ty)
            }
            _ => None,
        }
    }

    /// `fabs` and `copysign` of constants.
    fn sign_function(&self, op: BuiltinOp, args: &[Expr]) -> Option<Value> {
        let number = |e: &Expr| match self.value(e)?.scalar()? {
            Num::Float(f) => Some(f),
            Num::Int(_) => None,
        };
        match (op, args) {
            (BuiltinOp::ExtInst(FABS), [x]) => Some(Value::num(Num::Float(number(x)?.abs()))),
            (BuiltinOp::ExtInst(COPYSIGN), [x, sign]) => {
                Some(Value::num(Num::Float(number(x)?.copysign(number(sign)?))))
            }
            _ => None,
        }
    }

    /// The functions of an integer's bits, and `mul_hi`, of constants.
    fn integer_function(&self, op: BuiltinOp, args: &[Expr], ty: TypeId) -> Option<Value> {
        let (scalar, 1) = self.types.scalar_and_lanes(ty)? else { return None };
        let number = |e: &Expr| match self.value(e)?.scalar()? {
            Num::Int(i) => Some(i),
            Num::Float(_) => None,
        };
        let (a, b) = match args {
            [a] => (number(a)?, 0),
            [a, b] => (number(a)?, number(b)?),
            _ => return None,
        };
        let width = scalar.size() * 8;
        let bits = to_bits(Num::Int(a), scalar);
        let result = match op {
            BuiltinOp::ExtInst(POPCOUNT) => u64::from(bits.count_ones()),
            BuiltinOp::ExtInst(CLZ) => u64::from(bits.leading_zeros() - (64 - width)),
            BuiltinOp::ExtInst(CTZ) => u64::from(bits.trailing_zeros().min(width)),
            BuiltinOp::ExtInst(ROTATE) => {
                let count = to_bits(Num::Int(b), scalar) as u32 % width;
                if count == 0 { bits } else { bits << count | bits >> (width - count) }
            }
            BuiltinOp::ExtInst(U_MUL_HI) if width == 64 => {
                ((u128::from(bits) * u128::from(b as u64)) >> 64) as u64
            }
            BuiltinOp::Op(spirv::Op::BitReverse) => bits.reverse_bits() >> (64 - width),
            _ => return None,
        };
        Some(Value::num(Num::Int(wrap(result as i64, scalar))))
    }

    /// A constant of the tree as a value.
    pub(super) fn constant_value(&self, constant: &Constant, ty: TypeId) -> Option<Value> {
        if let Some((scalar, lanes)) = self.types.scalar_and_lanes(ty) {
            return components(constant, scalar, lanes).map(Value::Nums);
        }
        match (constant, self.types.get(ty)) {
            (Constant::Zero, Type::Pointer(_)) => Some(Value::Address(None, 0)),
            (Constant::Address { global, offset }, _) => Some(Value::Address(Some(*global), *offset)),
            (c, _) => Some(Value::Aggregate(c.clone())),
        }
    }

    /// Returns what a load from an object gives whose value never changes: `__constant` variables and const
    /// variables with constant initialisers.
    fn load_value(&self, lvalue: &Expr) -> Option<Value> {
        match &lvalue.kind {
            ExprKind::Global(id) => {
                let global = self.globals.get(id.0 as usize)?;
                let fixed = (global.ty.space == AddressSpace::Constant || global.ty.is_const)
                    && global.ty.space != AddressSpace::Local
                    && !global.ty.is_volatile;
                let init = global.init.as_ref().filter(|_| fixed)?;
                self.constant_value(init, lvalue.ty.ty)
            }
            ExprKind::Local(id) => {
                let function = self.function.as_ref()?.id;
                let constant = self.exprs.const_locals.get(&(function, *id))?;
                self.constant_value(constant, lvalue.ty.ty)
            }
            ExprKind::Swizzle { base, components } => {
                let Value::Nums(n) = self.load_value(base)? else { return None };
                let picked = components.iter().map(|c| n.get(usize::from(*c)).or(n.last()).copied());
                picked.collect::<Option<_>>().map(Value::Nums)
            }
            ExprKind::VectorElement { base, index } => {
                let Value::Nums(n) = self.load_value(base)? else { return None };
                let Num::Int(i) = self.value(index)?.scalar()? else { return None };
                n.get(usize::try_from(i).ok()?).copied().map(Value::num)
            }
            ExprKind::Member { base, field } if self.cxx.enabled => {
                let Value::Aggregate(Constant::Struct(parts)) = self.load_value(base)? else { return None };
                let part = parts.get(*field as usize).cloned().unwrap_or(Constant::Zero);
                self.constant_value(&part, lvalue.ty.ty)
            }
            ExprKind::Deref(pointer) if self.cxx.enabled => {
                let ExprKind::PointerOffset { pointer, index, subtract: false } = &pointer.kind else {
                    return None;
                };
                let ExprKind::ArrayDecay(array) = &pointer.kind else { return None };
                let Value::Aggregate(Constant::Array(parts)) = self.load_value(array)? else { return None };
                let Num::Int(index) = self.value(index)?.scalar()? else { return None };
                let Type::Array(_, Some(len)) = self.types.get(array.ty.ty) else { return None };
                let index = u64::try_from(index).ok().filter(|i| i < len)?;
                let part = parts.get(index as usize).cloned().unwrap_or(Constant::Zero);
                self.constant_value(&part, lvalue.ty.ty)
            }
            ExprKind::CompoundLiteral { init, .. } => match &**init {
                Init::Constant(c) => self.constant_value(c, lvalue.ty.ty),
                Init::Whole(e) => self.value(e),
                Init::List { .. } => None,
            },
            _ => None,
        }
    }

    /// A member of a constant object of C++.
    fn member_value_of(&self, base: &Expr, field: u32, ty: TypeId) -> Option<Value> {
        let Value::Aggregate(constant) = self.value(base)? else { return None };
        let part = match constant {
            Constant::Struct(parts) => parts.get(field as usize).cloned().unwrap_or(Constant::Zero),
            Constant::Zero => Constant::Zero,
            _ => return None,
        };
        self.constant_value(&part, ty)
    }

    /// The address of an lvalue that lives as long as the program.
    fn address(&self, lvalue: &Expr) -> Option<Value> {
        match &lvalue.kind {
            // Each work-group has its own.
            ExprKind::Global(id) if self.globals.get(id.0 as usize)?.ty.space == AddressSpace::Local => None,
            ExprKind::Global(id) => Some(Value::Address(Some(*id), 0)),
            ExprKind::Deref(pointer) => match self.value(pointer)? {
                address @ Value::Address(..) => Some(address),
                _ => None,
            },
            ExprKind::Member { base, field } => {
                let Value::Address(global, offset) = self.address(base)? else { return None };
                let Type::Record(record) = self.types.get(base.ty.ty) else { return None };
                let at = *self.types.record_layout(*record)?.offsets.get(*field as usize)?;
                Some(Value::Address(global, offset.wrapping_add(at as i64)))
            }
            _ => None,
        }
    }

    fn unary_value(&self, op: UnaryOp, operand: &Expr) -> Option<Value> {
        let value = self.value(operand)?;
        let Value::Nums(nums) = &value else {
            return (op == UnaryOp::LogicalNot)
                .then(|| value.truth().map(|t| Value::num(Num::Int((!t).into()))))
                .flatten();
        };
        let (scalar, lanes) = self.types.scalar_and_lanes(operand.ty.ty)?;
        let mask = op == UnaryOp::LogicalNot && lanes > 1;
        nums.iter()
            .map(|n| unary_num(op, *n, scalar).map(|n| negate_if(mask, n)))
            .collect::<Option<_>>()
            .map(Value::Nums)
    }

    fn binary_value(&self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Option<Value> {
        match (self.value(lhs)?, self.value(rhs)?) {
            (Value::Nums(a), Value::Nums(b)) if a.len() == b.len() => {
                let (scalar, lanes) = self.types.scalar_and_lanes(lhs.ty.ty)?;
                let mask = is_comparison(op) && lanes > 1;
                let pairs = a.iter().zip(&b);
                pairs
                    .map(|(a, b)| binary_num(op, *a, *b, scalar).map(|n| negate_if(mask, n)))
                    .collect::<Option<_>>()
                    .map(Value::Nums)
            }
            (Value::Address(a, x), Value::Address(b, y)) => {
                let comparable =
                    a == b || matches!(op, BinaryOp::Eq | BinaryOp::Ne) && (a.is_none() || b.is_none());
                let known =
                    if a == b { int_binary(op, x, y, Scalar::ULong)? } else { (op == BinaryOp::Ne).into() };
                comparable.then(|| Value::num(Num::Int(known)))
            }
            _ => None,
        }
    }

    fn offset_value(&self, pointer: &Expr, index: &Expr, subtract: bool) -> Option<Value> {
        let Value::Address(global, offset) = self.value(pointer)? else { return None };
        let Num::Int(index) = self.value(index)?.scalar()? else { return None };
        let size = self.pointee_size(pointer.ty.ty)?;
        let bytes = index.wrapping_mul(size);
        let offset = if subtract { offset.wrapping_sub(bytes) } else { offset.wrapping_add(bytes) };
        Some(Value::Address(global, offset))
    }

    fn difference_value(&self, lhs: &Expr, rhs: &Expr) -> Option<Value> {
        match (self.value(lhs)?, self.value(rhs)?) {
            (Value::Address(a, x), Value::Address(b, y)) if a == b => {
                let size = self.pointee_size(lhs.ty.ty).filter(|s| *s > 0)?;
                Some(Value::num(Num::Int(x.wrapping_sub(y).wrapping_div(size))))
            }
            _ => None,
        }
    }

    /// The step of pointer arithmetic; void counts as a byte.
    fn pointee_size(&self, pointer: TypeId) -> Option<i64> {
        let pointee = self.types.pointee(pointer)?;
        if pointee.ty == Types::VOID {
            return Some(1);
        }
        i64::try_from(self.types.layout(pointee.ty)?.size).ok()
    }

    fn vector_logical_value(&self, and: bool, lhs: &Expr, rhs: &Expr) -> Option<Value> {
        let (Value::Nums(a), Value::Nums(b)) = (self.value(lhs)?, self.value(rhs)?) else { return None };
        let one = |a: Num, b: Num| if and { is_true(a) && is_true(b) } else { is_true(a) || is_true(b) };
        let result = a.iter().zip(&b).map(|(a, b)| Num::Int(-i64::from(one(*a, *b))));
        Some(Value::Nums(result.collect()))
    }

    fn vector_select_value(&self, cond: &Expr, then: &Expr, els: &Expr) -> Option<Value> {
        let (scalar, _) = self.types.scalar_and_lanes(cond.ty.ty)?;
        let (Value::Nums(c), Value::Nums(a), Value::Nums(b)) =
            (self.value(cond)?, self.value(then)?, self.value(els)?)
        else {
            return None;
        };
        let top = 1u64 << (scalar.size() * 8 - 1);
        let parts = c.iter().zip(a.iter().zip(&b));
        Some(Value::Nums(
            parts.map(|(c, (a, b))| if to_bits(*c, scalar) & top != 0 { *a } else { *b }).collect(),
        ))
    }

    fn cast_value(&self, kind: CastKind, operand: &Expr, to: TypeId) -> Option<Value> {
        let value = self.value(operand)?;
        let target = self.types.scalar_and_lanes(to);
        let source = self.types.scalar_and_lanes(operand.ty.ty);
        match (kind, value, source, target) {
            (CastKind::Arithmetic, Value::Nums(n), Some((from, _)), Some((to, _))) => {
                Some(Value::Nums(n.iter().map(|v| convert_num(*v, from, to)).collect()))
            }
            (CastKind::Splat, Value::Nums(n), _, Some((_, lanes))) if n.len() == 1 => {
                Some(Value::Nums(smallvec![n[0]; lanes.into()]))
            }
            (CastKind::Bitcast, Value::Nums(n), Some((from, _)), Some((to, lanes))) => {
                bitcast(&n, from, to, lanes).map(Value::Nums)
            }
            (CastKind::ToBool, value, ..) => Some(Value::num(Num::Int(value.truth()?.into()))),
            (CastKind::PointerBitcast | CastKind::PointerSpace, value, ..) => Some(value),
            (CastKind::NullPointer, ..) => Some(Value::Address(None, 0)),
            (CastKind::PointerToInt, Value::Address(None, a), _, Some((to, 1))) => {
                Some(Value::num(Num::Int(wrap(a, to))))
            }
            (CastKind::IntToPointer, Value::Nums(n), ..) => match n.as_slice() {
                [Num::Int(i)] => Some(Value::Address(None, *i)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The constant that an initialiser gives, for variables that live as long as the program; reports the
    /// first part that is not constant (C99 §6.7.8, 4; rules ).
    pub(super) fn init_to_constant(&mut self, init: &Init, ty: TypeId, span: Span) -> Option<Constant> {
        match init {
            Init::Constant(c) => Some(c.clone()),
            Init::Whole(e) if e.ty.ty == Types::ERROR => None,
            Init::Whole(e) => {
                let constant = self.const_eval(e, ty);
                if constant.is_none() {
                    self.not_constant(e.span);
                }
                constant
            }
            Init::List { leaves, .. } => {
                let culprit = leaves.iter().map(|(_, e)| e).find(|e| self.value(e).is_none());
                match culprit {
                    Some(e) if e.ty.ty == Types::ERROR => {}
                    Some(e) => self.not_constant(e.span),
                    // A list whose parts are all constant was made a constant when it was read.
                    None => self.not_constant(span),
                }
                None
            }
        }
    }

    fn not_constant(&mut self, span: Span) {
        let target = self.target_note();
        let diagnostic = self.error(
            "initializer-not-constant",
            span,
            "initializer element is not a compile-time constant",
        );
        diagnostic.remark("variables in '__constant' and '__global' have constant initialisers; one in '__private' may have any");
        super::convert::add_declaration(diagnostic, target);
    }

    /// Remembers the value of a `const` local with a constant initialiser: it may be part of constant expressions (`const int n = 4; float a[n];`), as clang has it.
    pub(super) fn note_const_local(&mut self, id: crate::hir::LocalId, init: &Init) {
        let ty = self.local_type(id);
        if !ty.is_const || ty.is_volatile || self.types.scalar_and_lanes(ty.ty).is_none() {
            return;
        }
        let constant = match init {
            Init::Constant(c) => Some(c.clone()),
            Init::Whole(e) => self.const_eval(e, ty.ty),
            Init::List { .. } => None,
        };
        if let (Some(constant), Some(function)) = (constant, self.function.as_ref().map(|f| f.id)) {
            self.exprs.const_locals.insert((function, id), constant);
        }
    }
}

/// −n for the truth values of vectors.
fn negate_if(negate: bool, n: Num) -> Num {
    match n {
        Num::Int(i) if negate => Num::Int(-i),
        n => n,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(int_binary(BinaryOp::Add, 127, 1, Scalar::Char), Some(-128));
        assert_eq!(int_binary(BinaryOp::Sub, 0, 1, Scalar::UInt), Some(0xffff_ffff));
        assert_eq!(
            int_binary(BinaryOp::Div, i64::from(i32::MIN), -1, Scalar::Int),
            Some(i64::from(i32::MIN))
        );
        assert_eq!(int_binary(BinaryOp::Rem, i64::MIN, -1, Scalar::Long), Some(0));
        assert_eq!(int_binary(BinaryOp::Div, -1, 2, Scalar::ULong), Some(i64::MAX));
        assert_eq!(int_binary(BinaryOp::Div, 1, 0, Scalar::Int), None);
        assert_eq!(int_binary(BinaryOp::Shl, 1, 33, Scalar::Int), Some(2));
        assert_eq!(int_binary(BinaryOp::Shr, -8, 1, Scalar::Int), Some(-4));
        assert_eq!(int_binary(BinaryOp::Lt, -1, 1, Scalar::ULong), Some(0));
    }

    #[test]
    fn conversions_are_defined_everywhere() {
        let convert = |f, to| convert_num(Num::Float(f), Scalar::Double, to);
        assert_eq!(convert(1e30, Scalar::Int), Num::Int(i64::from(i32::MAX)));
        assert_eq!(convert(-5.0, Scalar::UChar), Num::Int(0));
        assert_eq!(convert(f64::NAN, Scalar::Long), Num::Int(0));
        assert_eq!(convert(1e30, Scalar::ULong), Num::Int(-1));
        assert_eq!(convert(0.1, Scalar::Float), Num::Float(f64::from(0.1f32)));
        assert_eq!(convert(0.5, Scalar::Bool), Num::Int(1));
        assert_eq!(
            convert_num(Num::Int(-1), Scalar::ULong, Scalar::Float),
            Num::Float(18446744073709551616.0)
        );
    }

    #[test]
    fn bits_are_reinterpreted() {
        let one = bitcast(&[Num::Float(1.0)], Scalar::Float, Scalar::UInt, 1);
        assert_eq!(one.as_deref(), Some(&[Num::Int(0x3f80_0000)][..]));
        let bytes = bitcast(&[Num::Int(0x0102_0304)], Scalar::UInt, Scalar::UChar, 4);
        assert_eq!(bytes.as_deref(), Some(&[Num::Int(4), Num::Int(3), Num::Int(2), Num::Int(1)][..]));
        assert_eq!(bitcast(&[Num::Int(1)], Scalar::Int, Scalar::Long, 1), None);
    }
}
