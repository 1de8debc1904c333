//! Arithmetic, comparisons, conversions, vectors and composites.

use super::function::{FunctionReader, Leaves};
use super::types::Ty;
use super::{invalid, not_yet};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Constant, ConvertOp, FloatCC, InstKind, IntCC, Rounding, Scalar, Type, UnaryOp, Value,
};
use smallvec::SmallVec;
use spirv_io::Instruction;
use spirv_io::spirv::{Decoration, FPFastMathMode, Op};

fn unary_op(op: Op) -> Option<UnaryOp> {
    Some(match op {
        Op::SNegate => UnaryOp::INeg,
        Op::FNegate => UnaryOp::FNeg,
        Op::Not | Op::LogicalNot => UnaryOp::Not,
        Op::BitReverse => UnaryOp::BitReverse,
        Op::BitCount => UnaryOp::BitCount,
        Op::IsNan => UnaryOp::IsNan,
        Op::IsInf => UnaryOp::IsInf,
        _ => return None,
    })
}

fn binary_op(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::IAdd => BinaryOp::IAdd,
        Op::ISub => BinaryOp::ISub,
        Op::IMul => BinaryOp::IMul,
        Op::UDiv => BinaryOp::UDiv,
        Op::SDiv => BinaryOp::SDiv,
        Op::UMod => BinaryOp::URem,
        Op::SRem => BinaryOp::SRem,
        Op::BitwiseAnd | Op::LogicalAnd => BinaryOp::And,
        Op::BitwiseOr | Op::LogicalOr => BinaryOp::Or,
        Op::BitwiseXor | Op::LogicalNotEqual => BinaryOp::Xor,
        Op::FAdd => BinaryOp::FAdd,
        Op::FSub => BinaryOp::FSub,
        Op::FMul => BinaryOp::FMul,
        Op::FDiv => BinaryOp::FDiv,
        Op::FRem => BinaryOp::FRem,
        _ => return None,
    })
}

fn int_cc(op: Op) -> Option<IntCC> {
    Some(match op {
        Op::IEqual => IntCC::Eq,
        Op::INotEqual => IntCC::Ne,
        Op::ULessThan => IntCC::Ult,
        Op::ULessThanEqual => IntCC::Ule,
        Op::UGreaterThan => IntCC::Ugt,
        Op::UGreaterThanEqual => IntCC::Uge,
        Op::SLessThan => IntCC::Slt,
        Op::SLessThanEqual => IntCC::Sle,
        Op::SGreaterThan => IntCC::Sgt,
        Op::SGreaterThanEqual => IntCC::Sge,
        _ => return None,
    })
}

fn float_cc(op: Op) -> Option<FloatCC> {
    Some(match op {
        Op::FOrdEqual => FloatCC::OEq,
        Op::FOrdNotEqual | Op::LessOrGreater => FloatCC::ONe,
        Op::FOrdLessThan => FloatCC::OLt,
        Op::FOrdLessThanEqual => FloatCC::OLe,
        Op::FOrdGreaterThan => FloatCC::OGt,
        Op::FOrdGreaterThanEqual => FloatCC::OGe,
        Op::Ordered => FloatCC::Ordered,
        Op::FUnordEqual => FloatCC::UEq,
        Op::FUnordNotEqual => FloatCC::UNe,
        Op::FUnordLessThan => FloatCC::ULt,
        Op::FUnordLessThanEqual => FloatCC::ULe,
        Op::FUnordGreaterThan => FloatCC::UGt,
        Op::FUnordGreaterThanEqual => FloatCC::UGe,
        Op::Unordered => FloatCC::Unordered,
        _ => return None,
    })
}

impl<'a> FunctionReader<'a> {
    /// Translates an instruction on values; false if it is none.
    pub fn arith(&mut self, inst: &Instruction<'_>) -> Result<bool, LowerError> {
        if self.composite(inst)? || self.conversion(inst)? {
            return Ok(true);
        }
        let Ok(ty) = inst.word(0).map_err(LowerError::from).and_then(|t| self.tables().types.plain(t)) else {
            return Ok(false);
        };
        let line = self.line;
        if matches!(inst.op, Op::IAdd | Op::ISub | Op::IMul | Op::SNegate)
            && self.tables().has(inst.word(1)?, Decoration::NoSignedWrap)
        {
            // For checks.
            self.line = line.marked();
        }
        let value = if let Some(op) = unary_op(inst.op) {
            let a = self.value(inst.word(2)?)?;
            if op == UnaryOp::BitCount {
                let from = self.f.ty(a);
                let count = self.emit(InstKind::Unary(op, a), from);
                self.resize(count, ty)
            } else {
                self.emit(InstKind::Unary(op, a), ty)
            }
        } else if let Some(op) = binary_op(inst.op) {
            let (a, b) = self.two(inst)?;
            let op = if op == BinaryOp::FMul { self.float_product(inst)? } else { op };
            match self.pointer_operands(a, b) {
                Some((p, q)) if op == BinaryOp::ISub => self.emit(InstKind::PtrDiff(p, q), ty),
                _ => self.emit(InstKind::Binary(op, a, b), ty),
            }
        } else if let Some(cc) = int_cc(inst.op) {
            let (a, b) = self.two(inst)?;
            let signed = matches!(cc, IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge);
            let (a, b) = self.pointer_operands(a, b).filter(|_| !signed).unwrap_or((a, b));
            self.emit(InstKind::ICmp(cc, a, b), ty)
        } else if let Some(cc) = float_cc(inst.op) {
            let (a, b) = self.two(inst)?;
            self.emit(InstKind::FCmp(cc, a, b), ty)
        } else {
            match self.other_arith(inst, ty)? {
                Some(value) => value,
                None => return Ok(false),
            }
        };
        self.line = line;
        self.define_one(inst, value)?;
        Ok(true)
    }

    fn two(&mut self, inst: &Instruction<'_>) -> Result<(Value, Value), LowerError> {
        Ok((self.value(inst.word(2)?)?, self.value(inst.word(3)?)?))
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.f.ty(a);
        self.emit(InstKind::Binary(op, a, b), ty)
    }

    fn other_arith(&mut self, inst: &Instruction<'_>, ty: Type) -> Result<Option<Value>, LowerError> {
        Ok(Some(match inst.op {
            Op::ShiftLeftLogical => self.shift(inst, BinaryOp::Shl)?,
            Op::ShiftRightLogical => self.shift(inst, BinaryOp::LShr)?,
            Op::ShiftRightArithmetic => self.shift(inst, BinaryOp::AShr)?,
            Op::LogicalEqual => {
                let (a, b) = self.two(inst)?;
                let differ = self.binary(BinaryOp::Xor, a, b);
                self.emit(InstKind::Unary(UnaryOp::Not, differ), ty)
            }
            Op::Any | Op::All => {
                let a = self.value(inst.word(2)?)?;
                if self.f.ty(a) == Type::BOOL {
                    return Ok(Some(a));
                }
                let op = if inst.op == Op::Any { UnaryOp::Any } else { UnaryOp::All };
                self.emit(InstKind::Unary(op, a), Type::BOOL)
            }
            Op::SMod => self.signed_modulo(inst)?,
            Op::FMod => self.float_modulo(inst)?,
            Op::VectorTimesScalar => {
                let (a, b) = self.two(inst)?;
                let b = self.emit(InstKind::Construct(SmallVec::from_iter([b])), ty);
                self.binary(BinaryOp::FMul, a, b)
            }
            Op::Dot => self.dot(inst, ty)?,
            Op::IsFinite | Op::IsNormal | Op::SignBitSet => self.float_class(inst, ty)?,
            Op::ExpectKHR => self.value(inst.word(2)?)?,
            _ => return self.integer(inst, ty),
        }))
    }

    /// A product: an FPFastMathMode of None, which Pumice's front end writes, forbids fusing it with a sum.
    fn float_product(&self, inst: &Instruction<'_>) -> Result<BinaryOp, LowerError> {
        let mode = self.tables().literal(inst.word(1)?, Decoration::FPFastMathMode);
        Ok(if mode == Some(FPFastMathMode::NONE.bits()) {
            BinaryOp::FMulNoContraction
        } else {
            BinaryOp::FMul
        })
    }

    /// Base and shift may differ in width.
    fn shift(&mut self, inst: &Instruction<'_>, op: BinaryOp) -> Result<Value, LowerError> {
        let (a, b) = self.two(inst)?;
        let b = self.resize(b, self.f.ty(a));
        Ok(self.binary(op, a, b))
    }

    /// Remainder with the sign of the divisor.
    fn signed_modulo(&mut self, inst: &Instruction<'_>) -> Result<Value, LowerError> {
        let (a, b) = self.two(inst)?;
        let ty = self.f.ty(a);
        let bools = ty.with_scalar(Scalar::Bool);
        let rem = self.binary(BinaryOp::SRem, a, b);
        let zero = self.f.iconst(ty, 0);
        let signs = self.binary(BinaryOp::Xor, rem, b);
        let differ = self.emit(InstKind::ICmp(IntCC::Slt, signs, zero), bools);
        let nonzero = self.emit(InstKind::ICmp(IntCC::Ne, rem, zero), bools);
        let fix = self.binary(BinaryOp::And, differ, nonzero);
        let fixed = self.binary(BinaryOp::IAdd, rem, b);
        Ok(self.emit(InstKind::Select(fix, fixed, rem), ty))
    }

    fn float_modulo(&mut self, inst: &Instruction<'_>) -> Result<Value, LowerError> {
        let (a, b) = self.two(inst)?;
        let ty = self.f.ty(a);
        let bools = ty.with_scalar(Scalar::Bool);
        let rem = self.binary(BinaryOp::FRem, a, b);
        let zero = self.f.constant(ty, Constant::Bits(0));
        let rem_negative = self.emit(InstKind::FCmp(FloatCC::OLt, rem, zero), bools);
        let b_negative = self.emit(InstKind::FCmp(FloatCC::OLt, b, zero), bools);
        let differ = self.binary(BinaryOp::Xor, rem_negative, b_negative);
        let nonzero = self.emit(InstKind::FCmp(FloatCC::ONe, rem, zero), bools);
        let fix = self.binary(BinaryOp::And, differ, nonzero);
        let fixed = self.binary(BinaryOp::FAdd, rem, b);
        Ok(self.emit(InstKind::Select(fix, fixed, rem), ty))
    }

    /// Lane by lane, so that products and sums can be fused (`fma_contraction`).
    fn dot(&mut self, inst: &Instruction<'_>, ty: Type) -> Result<Value, LowerError> {
        let (a, b) = self.two(inst)?;
        let mut sum = None;
        for lane in 0..self.f.ty(a).lanes() {
            let (x, y) = (InstKind::Extract(a, lane), InstKind::Extract(b, lane));
            let (x, y) = (self.emit(x, ty), self.emit(y, ty));
            let product = self.binary(BinaryOp::FMul, x, y);
            sum = Some(match sum {
                Some(sum) => self.binary(BinaryOp::FAdd, sum, product),
                None => product,
            });
        }
        sum.ok_or_else(|| invalid("a dot product of nothing"))
    }

    fn float_class(&mut self, inst: &Instruction<'_>, ty: Type) -> Result<Value, LowerError> {
        let a = self.value(inst.word(2)?)?;
        let from = self.f.ty(a);
        // The bit patterns of infinity and of the least normal number.
        let (int, infinity, normal) = match from.scalar() {
            Some(Scalar::F16) => (Scalar::I16, 0x7c00, 0x0400),
            Some(Scalar::F32) => (Scalar::I32, 0x7f80_0000, 0x0080_0000),
            Some(Scalar::F64) => (Scalar::I64, 0x7ff0 << 48, 0x0010 << 48),
            _ => return Err(invalid("a floating-point test of something else")),
        };
        let ints = from.with_scalar(int);
        let bits = self.emit(InstKind::Bitcast(a), ints);
        if inst.op == Op::SignBitSet {
            let zero = self.f.iconst(ints, 0);
            return Ok(self.emit(InstKind::ICmp(IntCC::Slt, bits, zero), ty));
        }
        let mask = self.f.iconst(ints, u64::MAX >> (65 - int.bits()));
        let magnitude = self.binary(BinaryOp::And, bits, mask);
        let low = if inst.op == Op::IsNormal { normal } else { 0 };
        let (low, span) = (self.f.iconst(ints, low), self.f.iconst(ints, infinity - low));
        let above = self.binary(BinaryOp::ISub, magnitude, low);
        Ok(self.emit(InstKind::ICmp(IntCC::Ult, above, span), ty))
    }

    /// Conversions between numbers, and bitcasts.
    fn conversion(&mut self, inst: &Instruction<'_>) -> Result<bool, LowerError> {
        let op = match inst.op {
            Op::ConvertFToU => ConvertOp::FToU,
            Op::ConvertFToS => ConvertOp::FToS,
            Op::ConvertSToF => ConvertOp::SToF,
            Op::ConvertUToF => ConvertOp::UToF,
            Op::FConvert => ConvertOp::FloatToFloat,
            Op::UConvert | Op::SConvert | Op::SatConvertSToU | Op::SatConvertUToS => {
                self.int_conversion(inst)?;
                return Ok(true);
            }
            Op::Bitcast => {
                self.bitcast(inst)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let (id, to) = (inst.word(1)?, self.tables().types.plain(inst.word(0)?)?);
        let value = self.value(inst.word(2)?)?;
        let result = if op == ConvertOp::FloatToFloat && self.f.ty(value) == to {
            value
        } else {
            let saturate = matches!(op, ConvertOp::FToS | ConvertOp::FToU)
                && self.tables().has(id, Decoration::SaturatedConversion);
            let rounding = match self.tables().literal(id, Decoration::FPRoundingMode) {
                Some(0) => Some(Rounding::ToNearestEven),
                Some(1) => Some(Rounding::ToZero),
                Some(2) => Some(Rounding::ToPositive),
                Some(3) => Some(Rounding::ToNegative),
                Some(_) => return Err(invalid("an unknown rounding mode")),
                None => None,
            };
            self.emit(InstKind::Convert { op, value, saturate, rounding }, to)
        };
        self.define_one(inst, result)?;
        Ok(true)
    }

    fn int_conversion(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let to = self.tables().types.plain(inst.word(0)?)?;
        let mut value = self.value(inst.word(2)?)?;
        let from = self.f.ty(value);
        let (Some(a), Some(b)) = (from.scalar().filter(|s| s.is_int()), to.scalar().filter(|s| s.is_int()))
        else {
            return Err(invalid("an integer conversion of something else"));
        };
        let saturated = self.tables().has(inst.word(1)?, Decoration::SaturatedConversion);
        let from_signed = matches!(inst.op, Op::SConvert | Op::SatConvertSToU);
        let to_signed = matches!(inst.op, Op::SConvert | Op::SatConvertUToS);
        if saturated || matches!(inst.op, Op::SatConvertSToU | Op::SatConvertUToS) {
            value = self.saturate(value, from_signed, b, to_signed);
        }
        let result = match a.bits().cmp(&b.bits()) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.convert(ConvertOp::Trunc, value, to),
            std::cmp::Ordering::Less if from_signed => self.convert(ConvertOp::SExt, value, to),
            std::cmp::Ordering::Less => self.convert(ConvertOp::ZExt, value, to),
        };
        self.define_one(inst, result)
    }

    /// Clamps an integer, in its own type, to what another integer type holds.
    fn saturate(&mut self, value: Value, from_signed: bool, to: Scalar, to_signed: bool) -> Value {
        let ty = self.f.ty(value);
        let width = ty.scalar().map_or(64, Scalar::bits);
        // The highest and lowest value of the result that the operand can exceed.
        let high = u64::MAX >> (64 - to.bits() + u32::from(to_signed));
        let own_high = u64::MAX >> (64 - width + u32::from(from_signed));
        let mut value = value;
        if from_signed {
            let low = if to_signed { !high } else { 0 };
            if !to_signed || to.bits() < width {
                let low = self.f.iconst(ty, low);
                value = self.binary(BinaryOp::SMax, value, low);
            }
        }
        if high < own_high {
            let high = self.f.iconst(ty, high);
            let op = if from_signed { BinaryOp::SMin } else { BinaryOp::UMin };
            value = self.binary(op, value, high);
        }
        value
    }

    fn bitcast(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let to = self.tables().types.plain(inst.word(0)?)?;
        let value = self.value(inst.word(2)?)?;
        let from = self.f.ty(value);
        let result = match (from, to) {
            _ if from == to => value,
            (Type::Ptr(_), _) | (_, Type::Ptr(_)) => self.pointer_conversion(value, to)?,
            _ => self.vector_bitcast(value, to)?,
        };
        self.convert_inside(inst.word(2)?, (inst.word(1)?, inst.word(0)?))?;
        self.define_one(inst, result)
    }

    /// A 3-component vector reinterpreted as a 4-component one, or the reverse. It is converted through four lanes if the sizes require
    /// it (OpenCL C §6.4.4.2: `as_` on 3-component vectors).
    fn vector_bitcast(&mut self, value: Value, to: Type) -> Result<Value, LowerError> {
        let from = self.f.ty(value);
        if from.bytes() == to.bytes() {
            return Ok(self.emit(InstKind::Bitcast(value), to));
        }
        let four = |t: Type| t.scalar().map(|s| (Type::Vector(s, 4), s.bytes() * 4));
        if let (3, Some((wide, bytes))) = (from.lanes(), four(from))
            && bytes == to.bytes()
        {
            let mask = [Some(0), Some(1), Some(2), None].into_iter().collect();
            let value = self.emit(InstKind::Shuffle(value, value, mask), wide);
            return Ok(if wide == to { value } else { self.emit(InstKind::Bitcast(value), to) });
        }
        if let (3, Some((wide, bytes))) = (to.lanes(), four(to))
            && bytes == from.bytes()
        {
            let value = if wide == from { value } else { self.emit(InstKind::Bitcast(value), wide) };
            let mask = [Some(0), Some(1), Some(2)].into_iter().collect();
            return Ok(self.emit(InstKind::Shuffle(value, value, mask), to));
        }
        Err(invalid(format!("a bitcast from {from} to {to}")))
    }

    /// Vectors and aggregates.
    fn composite(&mut self, inst: &Instruction<'_>) -> Result<bool, LowerError> {
        match inst.op {
            Op::CopyObject | Op::CopyLogical => {
                let leaves = self.leaves(inst.word(2)?)?;
                self.define(inst.word(1)?, inst.word(0)?, leaves);
            }
            Op::CompositeConstruct => self.construct(inst)?,
            Op::CompositeExtract => self.extract(inst)?,
            Op::CompositeInsert => self.insert(inst)?,
            Op::VectorExtractDynamic => self.extract_dynamic(inst)?,
            Op::VectorInsertDynamic => {
                let ty = self.tables().types.plain(inst.word(0)?)?;
                let (vector, scalar) = self.two(inst)?;
                let index = self.value(inst.word(4)?)?;
                let value = self.emit(InstKind::InsertDyn { vector, scalar, index }, ty);
                self.define_one(inst, value)?;
            }
            Op::VectorShuffle => self.shuffle(inst)?,
            Op::Select => self.select(inst)?,
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => self.extended(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn construct(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        let mut parts = Leaves::new();
        for part in inst.rest(2) {
            parts.extend(self.leaves(*part)?);
        }
        if let Ty::Plain(vector) = self.tables().types.get(ty)?.ty {
            let value = self.emit(InstKind::Construct(parts.into_iter().collect()), vector);
            parts = Leaves::from_iter([value]);
        } else if parts.len() != self.tables().types.leaf_count(ty)? {
            return Err(invalid("an aggregate is made of other parts"));
        }
        self.define(id, ty, parts);
        Ok(())
    }

    /// Follows literal indices: the part's type, its first leaf, and the lane if they end in a vector.
    fn path(&self, mut ty: u32, indices: &[u32]) -> Result<(u32, usize, Option<u8>), LowerError> {
        let mut first = 0;
        for (i, index) in indices.iter().enumerate() {
            if let Ty::Plain(vector) = self.tables().types.get(ty)?.ty {
                if i + 1 != indices.len() || *index >= u32::from(vector.lanes()) {
                    return Err(invalid("an index is outside a vector"));
                }
                return Ok((ty, first, Some(*index as u8)));
            }
            let (part, before, _) = self.tables().types.part(ty, u64::from(*index))?;
            (ty, first) = (part, first + before);
        }
        Ok((ty, first, None))
    }

    fn extract(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (ty, id, from) = (inst.word(0)?, inst.word(1)?, inst.word(2)?);
        let (part, first, lane) = self.path(self.type_of(from)?, inst.rest(3))?;
        let leaves = self.leaves(from)?;
        let count = self.tables().types.leaf_count(part)?;
        let leaves = leaves.get(first..first + count);
        let mut leaves =
            Leaves::from_slice(leaves.ok_or_else(|| invalid("an index is outside an aggregate"))?);
        if let Some(lane) = lane {
            let scalar = self.tables().types.plain(ty)?;
            leaves = Leaves::from_iter([self.emit(InstKind::Extract(leaves[0], lane), scalar)]);
        }
        self.define(id, ty, leaves);
        Ok(())
    }

    fn insert(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (ty, id, object, into) = (inst.word(0)?, inst.word(1)?, inst.word(2)?, inst.word(3)?);
        let (_, first, lane) = self.path(ty, inst.rest(4))?;
        let (object, mut leaves) = (self.leaves(object)?, self.leaves(into)?);
        let outside = || invalid("an index is outside an aggregate");
        if let Some(lane) = lane {
            let (vector, scalar) =
                (*leaves.get(first).ok_or_else(outside)?, *object.first().ok_or_else(outside)?);
            let vector_type = self.f.ty(vector);
            leaves[first] = self.emit(InstKind::Insert { vector, scalar, lane }, vector_type);
        } else {
            let place = leaves.get_mut(first..first + object.len()).ok_or_else(outside)?;
            place.copy_from_slice(&object);
        }
        self.define(id, ty, leaves);
        Ok(())
    }

    fn extract_dynamic(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let ty = self.tables().types.plain(inst.word(0)?)?;
        let (vector, index) = self.two(inst)?;
        let lanes = u64::from(self.f.ty(vector).lanes());
        let value = match self.f.const_bits(index) {
            Some(lane) if lane < lanes => self.emit(InstKind::Extract(vector, lane as u8), ty),
            _ => self.emit(InstKind::ExtractDyn(vector, index), ty),
        };
        self.define_one(inst, value)
    }

    fn shuffle(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let ty = self.tables().types.plain(inst.word(0)?)?;
        let (a, b) = self.two(inst)?;
        let lane = |word: &u32| u8::try_from(*word).ok();
        let lanes = inst.rest(4);
        if lanes.len() != usize::from(ty.lanes()) {
            return Err(invalid("a shuffle has another number of lanes"));
        }
        let mask = lanes.iter().map(lane).collect();
        let value = self.emit(InstKind::Shuffle(a, b, mask), ty);
        self.define_one(inst, value)
    }

    fn select(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        let cond = self.value(inst.word(2)?)?;
        let (a, b) = (self.leaves(inst.word(3)?)?, self.leaves(inst.word(4)?)?);
        if a.len() != b.len() {
            return Err(invalid("a selection between different types"));
        }
        let mut leaves = Leaves::new();
        for (a, b) in a.into_iter().zip(b) {
            let ty = self.f.ty(a);
            leaves.push(self.emit(InstKind::Select(cond, a, b), ty));
        }
        self.define(id, ty, leaves);
        Ok(())
    }

    /// Sum and carry, difference and borrow, low and high product.
    fn extended(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (a, b) = self.two(inst)?;
        let ty = self.f.ty(a);
        let (low, high) = match inst.op {
            Op::UMulExtended => (self.binary(BinaryOp::IMul, a, b), self.binary(BinaryOp::UMulHi, a, b)),
            Op::SMulExtended => (self.binary(BinaryOp::IMul, a, b), self.binary(BinaryOp::SMulHi, a, b)),
            op => {
                let add = op == Op::IAddCarry;
                let low = self.binary(if add { BinaryOp::IAdd } else { BinaryOp::ISub }, a, b);
                let (x, y) = if add { (low, a) } else { (a, b) };
                let bools = ty.with_scalar(Scalar::Bool);
                let carry = self.emit(InstKind::ICmp(IntCC::Ult, x, y), bools);
                let (one, zero) = (self.f.iconst(ty, 1), self.f.iconst(ty, 0));
                (low, self.emit(InstKind::Select(carry, one, zero), ty))
            }
        };
        if self.tables().types.leaf_count(inst.word(0)?)? != 2 {
            return Err(not_yet("", "an extended operation with another result type"));
        }
        self.define(inst.word(1)?, inst.word(0)?, Leaves::from_iter([low, high]));
        Ok(())
    }
}
