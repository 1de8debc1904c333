//! Dot products of integers (SPV_KHR_integer_dot_product) and bit fields.

use super::function::FunctionReader;
use super::{invalid, not_yet};
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Scalar, Type, Value};
use smallvec::SmallVec;
use spirv_io::Instruction;
use spirv_io::spirv::Op;

impl FunctionReader<'_> {
    /// A dot product or an operation on bit fields, if the instruction is one.
    pub fn integer(&mut self, inst: &Instruction<'_>, ty: Type) -> Result<Option<Value>, LowerError> {
        Ok(Some(match inst.op {
            Op::SDot | Op::UDot | Op::SUDot => {
                let format = inst.rest(4).first().copied();
                self.dot_product(inst, ty, format)?
            }
            Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                let format = inst.rest(5).first().copied();
                let product = self.dot_product(inst, ty, format)?;
                let sum = self.value(inst.word(4)?)?;
                self.add_saturated(product, sum, inst.op == Op::UDotAccSat)?
            }
            Op::BitFieldInsert => self.insert_bits(inst, ty)?,
            Op::BitFieldSExtract | Op::BitFieldUExtract => self.extract_bits(inst, ty)?,
            _ => return Ok(None),
        }))
    }

    fn ints(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.f.ty(a);
        self.emit(InstKind::Binary(op, a, b), ty)
    }

    /// The dot product of two vectors, or of words with four bytes each. For four bytes it is one operation.
    fn dot_product(
        &mut self,
        inst: &Instruction<'_>,
        ty: Type,
        format: Option<u32>,
    ) -> Result<Value, LowerError> {
        let (a, b) = (self.value(inst.word(2)?)?, self.value(inst.word(3)?)?);
        let (first, second) = (self.f.ty(a), self.f.ty(b));
        let Type::Scalar(result) = ty else { return Err(invalid("a dot product that is no scalar")) };
        if !result.is_int() || first != second {
            return Err(invalid("a dot product of other types"));
        }
        let op = match inst.op {
            Op::SDot | Op::SDotAccSat => BinaryOp::SDot4,
            Op::UDot | Op::UDotAccSat => BinaryOp::UDot4,
            _ => BinaryOp::SUDot4,
        };
        let bytes = Type::Vector(Scalar::I8, 4);
        match (first, format) {
            (Type::Scalar(Scalar::I32), Some(0)) => {}
            (Type::Vector(scalar, _), None) if scalar.is_int() => {}
            _ => return Err(invalid("a dot product of what is neither a vector nor packed")),
        }
        if (first == bytes || first == Type::I32) && result.bits() >= 32 {
            let pack = |this: &mut Self, v| {
                if first == bytes { this.emit(InstKind::Bitcast(v), Type::I32) } else { v }
            };
            let (a, b) = (pack(self, a), pack(self, b));
            let product = self.ints(op, a, b);
            let widen = if op == BinaryOp::UDot4 { ConvertOp::ZExt } else { ConvertOp::SExt };
            return Ok(if ty == Type::I32 { product } else { self.convert(widen, product, ty) });
        }
        let (lanes, from) = (first.lanes(), first.element());
        if lanes == 1 || from.scalar().is_none_or(|s| s.bits() > result.bits()) {
            return Err(not_yet("", "a dot product that is narrower than its operands"));
        }
        // The sum modulo the result's width: what SPIR-V asks of products without saturation.
        let needed = from.scalar().map_or(0, |s| s.bits()) * 2 + u32::from(lanes).ilog2() + 1;
        if matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat) && needed > result.bits() {
            return Err(not_yet("", "a saturated dot product that may not fit its type before it is added"));
        }
        let mut sum = None;
        for lane in 0..lanes {
            let extend = |this: &mut Self, v: Value, signed: bool| {
                let part = this.emit(InstKind::Extract(v, lane), from);
                let how = if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
                if from == ty { part } else { this.convert(how, part, ty) }
            };
            let x = extend(self, a, op != BinaryOp::UDot4);
            let y = extend(self, b, op == BinaryOp::SDot4);
            let product = self.ints(BinaryOp::IMul, x, y);
            sum = Some(match sum {
                Some(sum) => self.ints(BinaryOp::IAdd, sum, product),
                None => product,
            });
        }
        sum.ok_or_else(|| invalid("a dot product of nothing"))
    }

    fn add_saturated(&mut self, a: Value, b: Value, unsigned: bool) -> Result<Value, LowerError> {
        let ty = self.f.ty(a);
        if self.f.ty(b) != ty {
            return Err(invalid("an accumulator of another type"));
        }
        let sum = self.ints(BinaryOp::IAdd, a, b);
        let bits = ty.scalar().map_or(0, Scalar::bits);
        let most = u64::MAX >> (64 - bits);
        if unsigned {
            let over = self.emit(InstKind::ICmp(IntCC::Ult, sum, a), Type::BOOL);
            let most = self.f.iconst(ty, most);
            return Ok(self.emit(InstKind::Select(over, most, sum), ty));
        }
        // The sum's sign is neither operand's.
        let (x, y) = (self.ints(BinaryOp::Xor, a, sum), self.ints(BinaryOp::Xor, b, sum));
        let both = self.ints(BinaryOp::And, x, y);
        let zero = self.f.iconst(ty, 0);
        let over = self.emit(InstKind::ICmp(IntCC::Slt, both, zero), Type::BOOL);
        let negative = self.emit(InstKind::ICmp(IntCC::Slt, a, zero), Type::BOOL);
        let (least, most) = (self.f.iconst(ty, (most >> 1) + 1), self.f.iconst(ty, most >> 1));
        let end = self.emit(InstKind::Select(negative, least, most), ty);
        Ok(self.emit(InstKind::Select(over, end, sum), ty))
    }

    /// Offset and count as values of the base's type, and the mask of the low bits.
    fn field(&mut self, offset: u32, count: u32, ty: Type) -> Result<(Value, Value, Value), LowerError> {
        let bits = ty.scalar().filter(|s| s.is_int()).map_or(0, Scalar::bits);
        if bits == 0 {
            return Err(invalid("bits of what is no integer"));
        }
        let mut numbers = SmallVec::<[Value; 2]>::new();
        for id in [offset, count] {
            let number = self.value(id)?;
            if !matches!(self.f.ty(number), Type::Scalar(s) if s.is_int()) {
                return Err(invalid("an offset or count that is no integer"));
            }
            let number = self.resize(number, ty.element());
            numbers.push(match ty.lanes() {
                1 => number,
                _ => self.emit(InstKind::Construct(SmallVec::from_iter([number])), ty),
            });
        }
        let (offset, count) = (numbers[0], numbers[1]);
        // Shifts by the width have no meaning: everything is a mask of its own.
        let (one, last) = (self.f.iconst(ty, 1), self.f.iconst(ty, u64::from(bits) - 1));
        let (width, ones) = (self.f.iconst(ty, bits.into()), self.f.iconst(ty, u64::MAX));
        let within = self.ints(BinaryOp::And, count, last);
        let end = self.ints(BinaryOp::Shl, one, within);
        let low = self.ints(BinaryOp::ISub, end, one);
        let all = self.emit(InstKind::ICmp(IntCC::Uge, count, width), ty.with_scalar(Scalar::Bool));
        let mask = self.emit(InstKind::Select(all, ones, low), ty);
        Ok((self.ints(BinaryOp::And, offset, last), count, mask))
    }

    fn insert_bits(&mut self, inst: &Instruction<'_>, ty: Type) -> Result<Value, LowerError> {
        let (base, insert) = (self.value(inst.word(2)?)?, self.value(inst.word(3)?)?);
        if self.f.ty(base) != ty || self.f.ty(insert) != ty {
            return Err(invalid("bits of another type"));
        }
        let (offset, _, mask) = self.field(inst.word(4)?, inst.word(5)?, ty)?;
        let new = self.ints(BinaryOp::And, insert, mask);
        let (new, mask) = (self.ints(BinaryOp::Shl, new, offset), self.ints(BinaryOp::Shl, mask, offset));
        let ones = self.f.iconst(ty, u64::MAX);
        let keep = self.ints(BinaryOp::Xor, mask, ones);
        let kept = self.ints(BinaryOp::And, base, keep);
        Ok(self.ints(BinaryOp::Or, kept, new))
    }

    fn extract_bits(&mut self, inst: &Instruction<'_>, ty: Type) -> Result<Value, LowerError> {
        let base = self.value(inst.word(2)?)?;
        if self.f.ty(base) != ty {
            return Err(invalid("bits of another type"));
        }
        let (offset, count) = (self.value(inst.word(3)?)?, self.value(inst.word(4)?)?);
        let integers = [offset, count].iter().all(|v| matches!(self.f.ty(*v), Type::Scalar(s) if s.is_int()));
        // Vulkan has it of words. A mask of a known width is shorter, and what it leaves is known to `simplify`.
        if integers && ty.scalar() == Some(Scalar::I32) && self.f.const_bits(count).is_none() {
            let (offset, count) = (self.resize(offset, Type::I32), self.resize(count, Type::I32));
            let signed = inst.op == Op::BitFieldSExtract;
            return Ok(self.emit(InstKind::BitField { value: base, offset, count, signed }, ty));
        }
        let (offset, _, mask) = self.field(inst.word(3)?, inst.word(4)?, ty)?;
        let moved = self.ints(BinaryOp::LShr, base, offset);
        let bits = self.ints(BinaryOp::And, moved, mask);
        if inst.op == Op::BitFieldUExtract {
            return Ok(bits);
        }
        // The field's highest bit, none of an empty field: it is worth its negative.
        let one = self.f.iconst(ty, 1);
        let half = self.ints(BinaryOp::LShr, mask, one);
        let sign = self.ints(BinaryOp::Xor, mask, half);
        let flipped = self.ints(BinaryOp::Xor, bits, sign);
        Ok(self.ints(BinaryOp::ISub, flipped, sign))
    }
}
