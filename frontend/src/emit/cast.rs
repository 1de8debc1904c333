//! Conversions.

use super::constant::sign_extend;
use super::error::Emit;
use super::function::FunctionEmitter;
use crate::builtins::Rounding;
use crate::hir::{CastKind, Expr};
use crate::types::{Scalar, Type, TypeId};
use spirv_io::Id;
use spirv_io::spirv::{Decoration, FPRoundingMode, Op};

/// SPIR-V's number of a rounding mode.
pub(super) fn rounding_mode(rounding: Rounding) -> u32 {
    (match rounding {
        Rounding::ToNearestEven => FPRoundingMode::RTE,
        Rounding::ToZero => FPRoundingMode::RTZ,
        Rounding::ToPositive => FPRoundingMode::RTP,
        Rounding::ToNegative => FPRoundingMode::RTN,
    }) as u32
}

/// How a `convert_` function converts beyond the default.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mode {
    pub saturate: bool,
    pub rounding: Option<Rounding>,
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// A cast node.
    pub fn cast(&mut self, kind: CastKind, operand: &'a Expr, ty: TypeId) -> Emit<Id> {
        let from = operand.ty.ty;
        match kind {
            CastKind::ToVoid => {
                self.effect(operand)?;
                return Ok(super::expr::NO_VALUE);
            }
            CastKind::ToBool => return self.condition(operand),
            CastKind::NullPointer => {
                let ty = self.m.value_type(ty)?;
                return Ok(self.m.null(ty));
            }
            _ => {}
        }
        let value = self.rvalue(operand)?;
        match kind {
            CastKind::Arithmetic => self.convert(value, from, ty),
            CastKind::Splat => self.splat(value, ty),
            CastKind::Bitcast => self.bitcast(value, from, ty),
            CastKind::PointerBitcast | CastKind::PointerSpace => {
                let Some(pointee) = self.m.program.types.pointee(from) else {
                    return self.m.bug("a pointer was expected");
                };
                let memory = self.m.pointee_type(pointee)?;
                self.coerce_pointer(value, memory, pointee.space, ty)
            }
            CastKind::PointerToInt => {
                let to = self.m.value_type(ty)?;
                Ok(self.op(Op::ConvertPtrToU, to, &[value.0]))
            }
            CastKind::IntToPointer => {
                let (scalar, _) = self.m.arithmetic(from)?;
                let bits = self.m.address_bits();
                let value = if scalar == Scalar::Bool {
                    let size = self.m.program.types.size_t();
                    self.convert(value, from, size)?
                } else {
                    self.resize_int(value, scalar, 1, bits)?
                };
                let to = self.m.value_type(ty)?;
                Ok(self.op(Op::ConvertUToPtr, to, &[value.0]))
            }
            CastKind::ToVoid | CastKind::ToBool | CastKind::NullPointer => self.m.bug("a cast done before"),
        }
    }

    /// A scalar in every component.
    pub fn splat(&mut self, value: Id, ty: TypeId) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        if self.m.is_scalar_constant(value) {
            return Ok(self.m.splat_constant(value, scalar, lanes));
        }
        if lanes == 1 {
            return Ok(value);
        }
        let ty = self.m.vector_type(scalar, lanes);
        Ok(self.op(Op::CompositeConstruct, ty, &vec![value.0; lanes.into()]))
    }

    /// An arithmetic conversion, componentwise for vectors. Float to integer truncates; out of range
    /// it is undefined, as in C (`convert_T_sat` is what saturates).
    pub fn convert(&mut self, value: Id, from: TypeId, to: TypeId) -> Emit<Id> {
        self.convert_mode(value, from, to, Mode::default())
    }

    /// A conversion with saturation or a rounding mode.
    pub fn convert_mode(&mut self, value: Id, from: TypeId, to: TypeId, mode: Mode) -> Emit<Id> {
        if from == to {
            return Ok(value);
        }
        let (source, lanes) = self.m.arithmetic(from)?;
        let (target, target_lanes) = self.m.arithmetic(to)?;
        if lanes != target_lanes {
            return self.m.bug("a conversion between vectors of different lengths");
        }
        if target == Scalar::Bool {
            return self.truth(value, from);
        }
        if source == Scalar::Bool {
            return self.bool_to_number(value, target, lanes);
        }
        if lanes == 1
            && !mode.saturate
            && mode.rounding.is_none()
            && let Some(folded) = self.fold_conversion(value, source, target)
        {
            return Ok(folded);
        }
        match (source.is_float(), target.is_float()) {
            (false, false) => self.convert_int(value, source, target, lanes, mode.saturate),
            (false, true) => {
                let op = if source.is_signed() { Op::ConvertSToF } else { Op::ConvertUToF };
                self.convert_op(op, value, target, lanes, mode, false)
            }
            (true, false) => {
                let op = if target.is_signed() { Op::ConvertFToS } else { Op::ConvertFToU };
                self.convert_op(op, value, target, lanes, mode, true)
            }
            (true, true) if source == target => Ok(value),
            (true, true) => self.convert_op(Op::FConvert, value, target, lanes, mode, false),
        }
    }

    fn convert_op(
        &mut self,
        op: Op,
        value: Id,
        target: Scalar,
        lanes: u8,
        mode: Mode,
        may_saturate: bool,
    ) -> Emit<Id> {
        let ty = self.m.vector_type(target, lanes);
        let id = self.op(op, ty, &[value.0]);
        if may_saturate && mode.saturate {
            self.m.b.decorate(id, Decoration::SaturatedConversion, &[]);
        }
        if let Some(rounding) = mode.rounding {
            self.m.b.decorate(id, Decoration::FPRoundingMode, &[rounding_mode(rounding)]);
        }
        Ok(id)
    }

    fn convert_int(
        &mut self,
        value: Id,
        source: Scalar,
        target: Scalar,
        lanes: u8,
        saturate: bool,
    ) -> Emit<Id> {
        if !saturate {
            return self.resize_int(value, source, lanes, target.size() * 8);
        }
        let ty = self.m.vector_type(target, lanes);
        match (source.is_signed(), target.is_signed()) {
            (true, false) => Ok(self.op(Op::SatConvertSToU, ty, &[value.0])),
            (false, true) => Ok(self.op(Op::SatConvertUToS, ty, &[value.0])),
            _ if target.size() >= source.size() => self.resize_int(value, source, lanes, target.size() * 8),
            (signed, _) => {
                let op = if signed { Op::SConvert } else { Op::UConvert };
                let id = self.op(op, ty, &[value.0]);
                self.m.b.decorate(id, Decoration::SaturatedConversion, &[]);
                Ok(id)
            }
        }
    }

    /// An integer with another width: cut, or extended by the sign of its own type.
    pub fn resize_int(&mut self, value: Id, from: Scalar, lanes: u8, bits: u32) -> Emit<Id> {
        if from == Scalar::Bool {
            return self.bool_to_number(value, Scalar::unsigned_of_size(bits / 8), lanes);
        }
        let width = from.size() * 8;
        if width == bits {
            return Ok(value);
        }
        if let (Some(known), 1) = (self.m.known(value), lanes) {
            let wide = if from.is_signed() { sign_extend(known, width) as u64 } else { known };
            return Ok(self.m.int_constant(bits, wide));
        }
        let ty = self.m.vector_type(Scalar::unsigned_of_size(bits / 8), lanes);
        let op = if from.is_signed() && bits > width { Op::SConvert } else { Op::UConvert };
        Ok(self.op(op, ty, &[value.0]))
    }

    fn bool_to_number(&mut self, value: Id, target: Scalar, lanes: u8) -> Emit<Id> {
        if let (Some(known), 1) = (self.m.known(value), lanes) {
            return Ok(self.m.scalar_constant(target, known as i64));
        }
        let one = self.m.lanes_constant(target, lanes, 1);
        let zero = self.m.lanes_constant(target, lanes, 0);
        let ty = self.m.vector_type(target, lanes);
        Ok(self.op(Op::Select, ty, &[value.0, one.0, zero.0]))
    }

    /// The conversion of a scalar constant, where its result is exact or rounds as at run time.
    fn fold_conversion(&mut self, value: Id, source: Scalar, target: Scalar) -> Option<Id> {
        if let Some(known) = self.m.known(value) {
            let bits = source.size() * 8;
            let wide = if source.is_signed() { sign_extend(known, bits) } else { known as i64 };
            if !target.is_float() {
                return Some(self.m.scalar_constant(target, wide));
            }
            // Beyond 2^24 (2^11 for half) rounding twice could differ; the device converts then.
            let exact = if target == Scalar::Half { 1 << 11 } else { 1 << 24 };
            return (wide.unsigned_abs() <= exact).then(|| self.m.float_constant(target, wide as f64));
        }
        let known = *self.m.float_values.get(&value)?;
        if target.is_float() && target.size() > source.size() {
            return Some(self.m.float_constant(target, known));
        }
        if target == Scalar::Float && f64::from(known as f32) == known {
            return Some(self.m.float_constant(target, known));
        }
        let fits = !target.is_float() && known.abs() < f64::from(i32::MAX);
        let unsigned_ok = target.is_signed() || known > -1.0;
        (fits && unsigned_ok && target.size() >= 4).then(|| self.m.scalar_constant(target, known as i64))
    }

    /// The same bits as another type of the same size.
    pub fn bitcast(&mut self, value: Id, from: TypeId, to: TypeId) -> Emit<Id> {
        let (have, want) = (self.m.value_type(from)?, self.m.value_type(to)?);
        if have == want {
            return Ok(value);
        }
        let source = self.m.program.arithmetic(from);
        let target = self.m.program.arithmetic(to);
        if let (Some((s, n)), Some((t, m))) = (source, target) {
            if s == Scalar::Bool || t == Scalar::Bool {
                return self.convert(value, from, to);
            }
            if n != m && (n == 3 || m == 3) {
                return self.bitcast_three(value, (s, n), (t, m));
            }
            return Ok(self.op(Op::Bitcast, want, &[value.0]));
        }
        match (self.m.program.types.get(from), self.m.program.types.get(to)) {
            (Type::Pointer(_), Type::Pointer(_)) => Ok(self.op(Op::Bitcast, want, &[value.0])),
            (Type::Pointer(_), _) if target.is_some() => Ok(self.op(Op::ConvertPtrToU, want, &[value.0])),
            (_, Type::Pointer(_)) if source.is_some() => Ok(self.op(Op::ConvertUToPtr, want, &[value.0])),
            _ => {
                // Structs: through memory.
                let place = self.spill(value, from)?;
                let memory = self.m.memory_type(to)?;
                let pointer = self.m.pointer_to(place.space, memory);
                let ptr = self.op(Op::Bitcast, pointer, &[place.ptr.0]);
                let place = super::place::Place { ptr, ty: to, ..place };
                self.load(&place)
            }
        }
    }

    /// A bitcast where one side has three components: those count as four, the last undefined.
    fn bitcast_three(&mut self, value: Id, (s, n): (Scalar, u8), (t, m): (Scalar, u8)) -> Emit<Id> {
        let mut value = value;
        let mut lanes = n;
        if n == 3 {
            let ty = self.m.vector_type(s, 4);
            value = self.op(Op::VectorShuffle, ty, &[value.0, value.0, 0, 1, 2, 2]);
            lanes = 4;
        }
        let wide = if m == 3 { 4 } else { m };
        let (have, want) = (self.m.vector_type(s, lanes), self.m.vector_type(t, wide));
        if have != want {
            value = self.op(Op::Bitcast, want, &[value.0]);
        }
        if m == 3 {
            let ty = self.m.vector_type(t, 3);
            value = self.op(Op::VectorShuffle, ty, &[value.0, value.0, 0, 1, 2]);
        }
        Ok(value)
    }
}
