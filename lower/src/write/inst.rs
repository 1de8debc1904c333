//! Instructions other than memory and control flow.

use super::function::{Body, is_no_literal};
use super::{KernelState, Writer};
use crate::check::ArgumentFact;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Constant, ConvertOp, FloatCC, Func, Function, ImageOp, Inst, InstKind, IntCC, Rounding, Scalar,
    Type, UnaryOp, Value,
};
use smallvec::SmallVec;
use spirv_io::Id;
use spirv_io::spirv::{Capability, Decoration, Op, PackedVectorFormat};

/// Numbers of GLSL.std.450 functions.
mod glsl {
    pub const F_ABS: u32 = 4;
    pub const U_MIN: u32 = 38;
    /// SAbs, SSign, SMin, SMax, SClamp, FindSMsb.
    pub const SIGNED: [u32; 6] = [5, 7, S_MIN, S_MAX, 45, 74];
    pub const S_MIN: u32 = 39;
    pub const U_MAX: u32 = 41;
    pub const S_MAX: u32 = 42;
    pub const FMA: u32 = 50;
    /// PackHalf2x16, UnpackHalf2x16.
    pub const PACK_HALVES: u32 = 58;
    pub const UNPACK_HALVES: u32 = 62;
}

/// The operands of an instruction.
type Words = SmallVec<[u32; 8]>;

impl Writer<'_> {
    pub(super) fn inst(
        &mut self,
        body: &mut Body<'_>,
        state: &mut KernelState,
        inst: Inst,
    ) -> Result<(), LowerError> {
        let data = &body.function.insts[inst];
        let results = &data.results;
        match &data.kind {
            InstKind::Store { place, value, flags } => {
                return self.store(body, state, place, *value, *flags);
            }
            InstKind::Atomic { op, place, operands, scope, semantics } => {
                let result = results.first().copied();
                return self.atomic(body, state, (*op, *place, operands), (*scope, *semantics), result);
            }
            InstKind::Barrier { execution, memory, semantics } => {
                return self.barrier(*execution, *memory, *semantics);
            }
            InstKind::MemBarrier { memory, semantics } => {
                self.mem_barrier(*memory, *semantics);
                return Ok(());
            }
            InstKind::Image { op: op @ (ImageOp::Store(..) | ImageOp::StoreBits(..)), image, args } => {
                return self.image_store(body, state, (*op, *image), args);
            }
            InstKind::Call { func, args, .. } => return self.call(body, state, *func, args, results),
            _ => {}
        }
        let Some(result) = results.first().copied() else {
            return Err(self.bug(format_args!("an instruction without a result: {:?}", data.kind)));
        };
        let id = self.pure(body, state, &data.kind, result)?;
        self.define(body, result, id)
    }

    /// An instruction with one result.
    fn pure(
        &mut self,
        body: &mut Body<'_>,
        state: &mut KernelState,
        kind: &InstKind,
        result: Value,
    ) -> Result<Id, LowerError> {
        let ty = body.function.ty(result);
        if cfg!(debug_assertions) && !self.may_compute(body, kind, ty) {
            return Err(self.bug(format_args!("arithmetic that the target is not to have is left: {kind:?}")));
        }
        match kind {
            InstKind::Unary(op, a) => self.unary(body, *op, *a, ty),
            InstKind::Binary(op, a, b) => self.binary(body, state, *op, (*a, *b), ty),
            InstKind::ICmp(cc, a, b) => self.icmp(body, *cc, (*a, *b), ty),
            InstKind::FCmp(cc, a, b) => self.fcmp(body, *cc, (*a, *b), ty),
            InstKind::Select(cond, a, b) => {
                let lanes = body.function.ty(*cond).lanes();
                let mut cond = self.val(body, *cond)?;
                if lanes == 1 {
                    cond = self.splat_condition(cond, ty)?;
                }
                let (a, b) = (self.val(body, *a)?, self.val(body, *b)?);
                self.op(Op::Select, ty, &[cond, a, b])
            }
            InstKind::Convert { op, value, saturate, rounding } => {
                self.convert(body, *op, *value, (*saturate, *rounding), ty)
            }
            InstKind::Bitcast(a) => {
                let from = body.function.ty(*a);
                let a = self.val(body, *a)?;
                self.recast(a, from, ty)
            }
            InstKind::Load { place, flags } => self.load(body, state, place, ty, *flags),
            InstKind::Fma(a, b, c) => {
                let exact = !self.keeps_floats(ty);
                let ty = self.ty(ty)?;
                let id = self.glsl_values(body, glsl::FMA, ty, &[*a, *b, *c])?;
                if exact {
                    self.b.decorate(id, Decoration::NoContraction, &[]);
                }
                Ok(id)
            }
            InstKind::BitField { value, offset, count, signed: true } if self.target.features.wgsl => {
                let base = self.val(body, *value)?;
                let (offset, count) = (self.val(body, *offset)?, self.val(body, *count)?);
                let (base, signed) = (self.as_signed(base, ty)?, self.signed(ty));
                let field = self.code_result(Op::BitFieldSExtract, signed, &[base.0, offset.0, count.0]);
                self.op(Op::Bitcast, ty, &[field])
            }
            InstKind::BitField { value, offset, count, signed } => {
                let op = if *signed { Op::BitFieldSExtract } else { Op::BitFieldUExtract };
                let operands = [self.val(body, *value)?, self.val(body, *offset)?, self.val(body, *count)?];
                self.op(op, ty, &operands)
            }
            InstKind::Glsl { number, args } if self.target.features.wgsl && glsl::SIGNED.contains(number) => {
                let args =
                    args.iter().map(|v| self.val(body, *v)).collect::<Result<SmallVec<[Id; 4]>, _>>()?;
                self.glsl_signed(*number, ty, &args)
            }
            InstKind::Glsl { number, args } => {
                let ty = self.ty(ty)?;
                self.glsl_values(body, *number, ty, args)
            }
            InstKind::Input(input, dim) => {
                let (var, vector) = self.input(*input, state)?;
                let word = self.u32_type();
                if !vector {
                    return Ok(self.code_result(Op::Load, word, &[var.0]));
                }
                let three = self.ty(Type::Vector(Scalar::I32, 3))?;
                let all = self.code_result(Op::Load, three, &[var.0]);
                Ok(self.code_result(Op::CompositeExtract, word, &[all.0, u32::from(*dim).min(2)]))
            }
            InstKind::Image { op, image, args } => self.image_read(body, state, (*op, *image), args),
            InstKind::Group { op, args, .. } => self.group(body, *op, args, ty),
            InstKind::Clock(scope) => self.clock(*scope, ty),
            InstKind::LocalArgUnits(arg) => state
                .local_units
                .get(arg)
                .copied()
                .ok_or_else(|| self.bug(format_args!("argument {arg} has no local memory"))),
            InstKind::BuffersCross => state
                .crossing
                .map(|c| c.0)
                .ok_or_else(|| self.bug("a kernel without the constant of its buffers")),
            InstKind::SeveralWindows => state
                .several
                .map(|c| c.0)
                .ok_or_else(|| self.bug("a kernel without the constant of its windows")),
            InstKind::HasArgumentRecord(arg) => self.fact(state, ArgumentFact::Record(*arg)),
            InstKind::HasArgumentFlags(arg) => self.fact(state, ArgumentFact::Flags(*arg)),
            InstKind::HasArgumentCells(arg) => self.fact(state, ArgumentFact::Cells(*arg)),
            InstKind::WorkgroupSize(dim) => Ok(state.work_group_size[usize::from(*dim).min(2)]),
            other => self.lanes(body, other, ty),
        }
    }

    /// The constant that says whether a launch tells of something.
    fn fact(&self, state: &KernelState, fact: ArgumentFact) -> Result<Id, LowerError> {
        let constant = state.contents.get(&fact).map(|c| c.0);
        constant.ok_or_else(|| self.bug("a kernel without the constant of an argument's contents"))
    }

    /// Returns whether the Target has the arithmetic of an instruction. Types of 8 and 16 bits may exist only in memory.
    fn may_compute(&self, body: &Body<'_>, kind: &InstKind, ty: Type) -> bool {
        let has = |ty: Type| ty.scalar().is_none_or(|s| self.target.has_arithmetic(s));
        match kind {
            InstKind::Unary(_, a) | InstKind::Binary(_, a, _) | InstKind::ICmp(_, a, _) => {
                has(body.function.ty(*a))
            }
            InstKind::Convert { op: ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt, .. } => true,
            InstKind::Convert { value, .. } => has(ty) && has(body.function.ty(*value)),
            InstKind::Select(..) => has(ty),
            _ => true,
        }
    }

    /// Instructions that construct vectors and extract from them.
    fn lanes(&mut self, body: &mut Body<'_>, kind: &InstKind, ty: Type) -> Result<Id, LowerError> {
        match kind {
            InstKind::Construct(args) => self.construct(body, args, ty),
            InstKind::Extract(a, lane) => {
                let whole = body.function.ty(*a);
                let a = self.val(body, *a)?;
                if whole.lanes() == 1 {
                    return Ok(a);
                }
                let ty = self.ty(ty)?;
                Ok(self.code_result(Op::CompositeExtract, ty, &[a.0, u32::from(*lane)]))
            }
            InstKind::ExtractDyn(a, index) => {
                let (a, index) = (self.val(body, *a)?, self.val(body, *index)?);
                self.op(Op::VectorExtractDynamic, ty, &[a, index])
            }
            InstKind::Insert { vector, scalar, lane } => {
                let (vector, scalar) = (self.val(body, *vector)?, self.val(body, *scalar)?);
                let ty = self.ty(ty)?;
                Ok(self.code_result(Op::CompositeInsert, ty, &[scalar.0, vector.0, u32::from(*lane)]))
            }
            InstKind::InsertDyn { vector, scalar, index } => {
                let vector = self.val(body, *vector)?;
                let (scalar, index) = (self.val(body, *scalar)?, self.val(body, *index)?);
                self.op(Op::VectorInsertDynamic, ty, &[vector, scalar, index])
            }
            InstKind::Shuffle(a, b, lanes) => {
                let (a, b) = (self.val(body, *a)?, self.val(body, *b)?);
                let mut words = vec![a.0, b.0];
                // Any lane will do for `None`; a real one is what every reader understands.
                words.extend(lanes.iter().map(|l| u32::from(l.unwrap_or(0))));
                if ty.lanes() == 1 {
                    return Err(self.bug("a shuffle to a scalar"));
                }
                let ty = self.ty(ty)?;
                Ok(self.code_result(Op::VectorShuffle, ty, &words))
            }
            other => Err(self.bug(format_args!("an instruction that earlier passes remove: {other:?}"))),
        }
    }

    /// An instruction on ids.
    pub(super) fn op(&mut self, op: Op, ty: Type, operands: &[Id]) -> Result<Id, LowerError> {
        let ty = self.ty(ty)?;
        match *operands {
            [a] => Ok(self.code_result(op, ty, &[a.0])),
            [a, b] => Ok(self.code_result(op, ty, &[a.0, b.0])),
            [a, b, c] => Ok(self.code_result(op, ty, &[a.0, b.0, c.0])),
            _ => {
                let words: Words = operands.iter().map(|i| i.0).collect();
                Ok(self.code_result(op, ty, &words))
            }
        }
    }

    fn glsl_ids(&mut self, number: u32, ty: Id, args: &[Id]) -> Id {
        let set = self.b.import("GLSL.std.450");
        let words: Words = [set.0, number].into_iter().chain(args.iter().map(|i| i.0)).collect();
        self.code_result(Op::ExtInst, ty, &words)
    }

    fn glsl_values(
        &mut self,
        body: &mut Body<'_>,
        number: u32,
        ty: Id,
        args: &[Value],
    ) -> Result<Id, LowerError> {
        let args = args.iter().map(|v| self.val(body, *v)).collect::<Result<SmallVec<[Id; 4]>, _>>()?;
        Ok(self.glsl_ids(number, ty, &args))
    }

    /// The same bits as another type.
    pub(super) fn recast(&mut self, id: Id, from: Type, to: Type) -> Result<Id, LowerError> {
        if from == to {
            return Ok(id);
        }
        let halves = Type::Vector(Scalar::F16, 2);
        match (self.target.features.wgsl, from, to) {
            (true, Type::I32, to) if to == halves => self.halves_of_word(id),
            (true, from, Type::I32) if from == halves => self.word_of_halves(id),
            _ => self.op(Op::Bitcast, to, &[id]),
        }
    }

    /// The two halves of a word, for WGSL: naga reads no bitcast to another number of lanes.
    pub(super) fn halves_of_word(&mut self, word: Id) -> Result<Id, LowerError> {
        let singles = self.ty(Type::Vector(Scalar::F32, 2))?;
        let both = self.glsl_ids(glsl::UNPACK_HALVES, singles, &[word]);
        self.op(Op::FConvert, Type::Vector(Scalar::F16, 2), &[both])
    }

    /// The word of two halves, for WGSL.
    fn word_of_halves(&mut self, halves: Id) -> Result<Id, LowerError> {
        let singles = self.op(Op::FConvert, Type::Vector(Scalar::F32, 2), &[halves])?;
        let word = self.ty(Type::I32)?;
        Ok(self.glsl_ids(glsl::PACK_HALVES, word, &[singles]))
    }

    /// A bool for each lane of `ty`: before SPIR-V 1.4 OpSelect wants it so.
    pub(super) fn splat_condition(&mut self, cond: Id, ty: Type) -> Result<Id, LowerError> {
        if ty.lanes() == 1 {
            return Ok(cond);
        }
        let list = vec![cond; usize::from(ty.lanes())];
        self.op(Op::CompositeConstruct, ty.with_scalar(Scalar::Bool), &list)
    }

    fn construct(&mut self, body: &mut Body<'_>, args: &[Value], ty: Type) -> Result<Id, LowerError> {
        let mut ids = args.iter().map(|v| self.val(body, *v)).collect::<Result<SmallVec<[Id; 4]>, _>>()?;
        let wgsl = self.target.features.wgsl;
        let all_constant = args.iter().all(|v| {
            let scalar = body.function.ty(*v).scalar().unwrap_or(Scalar::I32);
            body.function.ty(*v).lanes() == 1
                && body.function.const_bits(*v).is_some_and(|bits| !is_no_literal(scalar, bits, wgsl))
        });
        if let [one] = ids[..] {
            if args.iter().all(|v| body.function.ty(*v) == ty) {
                return Ok(one);
            }
            ids = SmallVec::from_elem(one, usize::from(ty.lanes()));
        }
        if all_constant {
            let ty = self.ty(ty)?;
            let words: Words = ids.iter().map(|i| i.0).collect();
            return Ok(self.b.unique(Op::ConstantComposite, Some(ty), &words));
        }
        self.op(Op::CompositeConstruct, ty, &ids)
    }

    fn call(
        &mut self,
        body: &mut Body<'_>,
        state: &KernelState,
        func: Func,
        args: &[Value],
        results: &[Value],
    ) -> Result<(), LowerError> {
        let Some(callee) = state.functions.get(&func).copied() else {
            return Err(self.bug("a call to an unknown function"));
        };
        let module = self.module;
        let ty = self.results_type(&module.functions[func].returns)?;
        let mut words = vec![callee.0];
        for arg in args {
            words.push(self.val(body, *arg)?.0);
        }
        let all = self.code_result(Op::FunctionCall, ty, &words);
        match results {
            [] => Ok(()),
            [one] => self.define(body, *one, all),
            many => self.spread(body, all, many),
        }
    }

    /// Gives the members of a structure to values.
    fn spread(&mut self, body: &mut Body<'_>, all: Id, results: &[Value]) -> Result<(), LowerError> {
        for (n, result) in results.iter().enumerate() {
            let ty = self.ty(body.function.ty(*result))?;
            let member = self.code_result(Op::CompositeExtract, ty, &[all.0, n as u32]);
            self.define(body, *result, member)?;
        }
        Ok(())
    }

    fn unary(&mut self, body: &mut Body<'_>, op: UnaryOp, a: Value, ty: Type) -> Result<Id, LowerError> {
        let operand = body.function.ty(a);
        let bool_operand = operand.scalar() == Some(Scalar::Bool);
        let a = self.val(body, a)?;
        let op = match op {
            UnaryOp::INeg => {
                // Types are unsigned here, and some consumers (naga) negate only signed ones.
                let zero = self.constant(ty, Constant::Bits(0))?;
                let ty = self.ty(ty)?;
                return Ok(self.code_result(Op::ISub, ty, &[zero.0, a.0]));
            }
            UnaryOp::Not if bool_operand => Op::LogicalNot,
            UnaryOp::Not => Op::Not,
            UnaryOp::FNeg => Op::FNegate,
            UnaryOp::FAbs => {
                let ty = self.ty(ty)?;
                return Ok(self.glsl_ids(glsl::F_ABS, ty, &[a]));
            }
            UnaryOp::BitReverse | UnaryOp::BitCount => return self.bits(op, a, ty),
            UnaryOp::IsNan => return self.is_nan(operand, a, ty),
            UnaryOp::IsInf if self.target.features.wgsl => return self.by_bits(Op::IEqual, operand, a, ty),
            UnaryOp::IsInf => Op::IsInf,
            UnaryOp::Any => Op::Any,
            UnaryOp::All => Op::All,
            UnaryOp::Opaque => return Err(self.bug("an opaque value that was not lowered")),
        };
        self.op(op, ty, &[a])
    }

    /// Counting and reversing bits: Vulkan knows both for 32 bits only
    /// (VUID-StandaloneSpirv-Base-04781).
    fn bits(&mut self, op: UnaryOp, a: Id, ty: Type) -> Result<Id, LowerError> {
        let count = op == UnaryOp::BitCount;
        let op = if count { Op::BitCount } else { Op::BitReverse };
        let word = ty.with_scalar(Scalar::I32);
        match ty.scalar().map(Scalar::bits) {
            Some(32) => self.op(op, ty, &[a]),
            Some(bits @ (8 | 16)) => {
                let wide = self.op(Op::UConvert, word, &[a])?;
                let mut done = self.op(op, word, &[wide])?;
                if !count {
                    let shift = self.int_const(word, u64::from(32 - bits))?;
                    done = self.op(Op::ShiftRightLogical, word, &[done, shift])?;
                }
                self.op(Op::UConvert, ty, &[done])
            }
            Some(64) => {
                let half = self.int_const(ty, 32)?;
                let high = self.op(Op::ShiftRightLogical, ty, &[a, half])?;
                let low = self.op(Op::UConvert, word, &[a])?;
                let high = self.op(Op::UConvert, word, &[high])?;
                let (low, high) = (self.op(op, word, &[low])?, self.op(op, word, &[high])?);
                if count {
                    let sum = self.op(Op::IAdd, word, &[low, high])?;
                    return self.op(Op::UConvert, ty, &[sum]);
                }
                let (low, high) = (self.op(Op::UConvert, ty, &[low])?, self.op(Op::UConvert, ty, &[high])?);
                let low = self.op(Op::ShiftLeftLogical, ty, &[low, half])?;
                self.op(Op::BitwiseOr, ty, &[low, high])
            }
            _ => Err(self.bug(format_args!("bits of {ty}"))),
        }
    }

    fn binary(
        &mut self,
        body: &mut Body<'_>,
        state: &KernelState,
        op: BinaryOp,
        (a, b): (Value, Value),
        ty: Type,
    ) -> Result<Id, LowerError> {
        let logical = ty.scalar() == Some(Scalar::Bool);
        let (a, b) = match self.target.quirks.prefers_larger_operand_first {
            true => larger_first(body.function, op, (a, b)),
            false => (a, b),
        };
        let (a, b) = (self.val(body, a)?, self.val(body, b)?);
        let code = match op {
            BinaryOp::IAdd => Op::IAdd,
            BinaryOp::ISub => Op::ISub,
            BinaryOp::IMul => Op::IMul,
            BinaryOp::UDiv => Op::UDiv,
            BinaryOp::SDiv if self.target.features.wgsl => {
                let (a, b, signed) = (self.as_signed(a, ty)?, self.as_signed(b, ty)?, self.signed(ty));
                let quotient = self.code_result(Op::SDiv, signed, &[a.0, b.0]);
                return self.op(Op::Bitcast, ty, &[quotient]);
            }
            BinaryOp::SDiv => Op::SDiv,
            BinaryOp::URem => Op::UMod,
            // `legalize_types` leaves none: OpSRem is undefined for negative operands in Vulkan.
            BinaryOp::SRem => return Err(self.bug("a signed remainder is left")),
            // naga knows conjunctions of single truth values alone.
            BinaryOp::And if logical && ty.lanes() > 1 && self.target.features.wgsl => {
                return self.op(Op::Select, ty, &[a, b, a]);
            }
            BinaryOp::Or if logical && ty.lanes() > 1 && self.target.features.wgsl => {
                return self.op(Op::Select, ty, &[a, a, b]);
            }
            BinaryOp::And if logical => Op::LogicalAnd,
            BinaryOp::Or if logical => Op::LogicalOr,
            BinaryOp::Xor if logical => Op::LogicalNotEqual,
            BinaryOp::And => Op::BitwiseAnd,
            BinaryOp::Or => Op::BitwiseOr,
            BinaryOp::Xor => Op::BitwiseXor,
            BinaryOp::Shl => Op::ShiftLeftLogical,
            BinaryOp::LShr => Op::ShiftRightLogical,
            BinaryOp::AShr if self.target.features.wgsl => return self.shift_right_signed(a, b, ty),
            BinaryOp::AShr => Op::ShiftRightArithmetic,
            BinaryOp::FAdd => Op::FAdd,
            BinaryOp::FSub => Op::FSub,
            BinaryOp::FMul | BinaryOp::FMulNoContraction => Op::FMul,
            BinaryOp::FDiv => Op::FDiv,
            BinaryOp::FRem => Op::FRem,
            BinaryOp::UMin => return self.glsl_typed(glsl::U_MIN, ty, &[a, b]),
            BinaryOp::UMax => return self.glsl_typed(glsl::U_MAX, ty, &[a, b]),
            BinaryOp::SMin => return self.glsl_typed(glsl::S_MIN, ty, &[a, b]),
            BinaryOp::SMax => return self.glsl_typed(glsl::S_MAX, ty, &[a, b]),
            BinaryOp::UMulHi | BinaryOp::SMulHi if self.target.features.wgsl => {
                return self.mul_high_by_halves(op == BinaryOp::SMulHi, ty, a, b);
            }
            BinaryOp::UMulHi => return self.mul_high(Op::UMulExtended, ty, a, b),
            BinaryOp::SMulHi => return self.mul_high(Op::SMulExtended, ty, a, b),
            BinaryOp::SDot4 => return self.dot_product(Op::SDot, ty, a, b),
            BinaryOp::UDot4 => return self.dot_product(Op::UDot, ty, a, b),
            BinaryOp::SUDot4 => return self.dot_product(Op::SUDot, ty, a, b),
        };
        let id = self.op(code, ty, &[a, b])?;
        let float = matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv);
        let rounded = op == BinaryOp::FMulNoContraction;
        if rounded || float && (state.contraction_off || !self.keeps_floats(ty)) {
            self.b.decorate(id, Decoration::NoContraction, &[]);
        }
        Ok(id)
    }

    /// Returns whether the device can preserve signed zeros, infinities and NaNs of a type. Without it, drivers reorder sums and fold `x + c - c` to x
    /// (Mesa does), which is how the library rounds. Operations are then decorated with NoContraction, which drivers take as exact.
    /// `fma_contraction` has fused all that may be fused.
    fn keeps_floats(&self, ty: Type) -> bool {
        let [half, single, double] = self.target.features.shader_signed_zero_inf_nan_preserve;
        match ty.scalar() {
            Some(Scalar::F16) => half,
            Some(Scalar::F64) => double,
            _ => single,
        }
    }

    /// The type of signed words, or of vectors of them. naga takes operations on our unsigned types for unsigned ones.
    pub(super) fn signed(&mut self, ty: Type) -> Id {
        let word = self.b.unique(Op::TypeInt, None, &[32, 1]);
        match ty.lanes() {
            1 => word,
            lanes => self.b.unique(Op::TypeVector, None, &[word.0, u32::from(lanes)]),
        }
    }

    pub(super) fn as_signed(&mut self, id: Id, ty: Type) -> Result<Id, LowerError> {
        if ty.scalar() != Some(Scalar::I32) {
            return Err(self.bug(format_args!("signed {ty} for WGSL")));
        }
        let signed = self.signed(ty);
        Ok(self.code_result(Op::Bitcast, signed, &[id.0]))
    }

    fn glsl_signed(&mut self, number: u32, ty: Type, args: &[Id]) -> Result<Id, LowerError> {
        let args = args.iter().map(|a| self.as_signed(*a, ty)).collect::<Result<SmallVec<[Id; 4]>, _>>()?;
        let signed = self.signed(ty);
        let result = self.glsl_ids(number, signed, &args);
        self.op(Op::Bitcast, ty, &[result])
    }

    fn glsl_typed(&mut self, number: u32, ty: Type, args: &[Id]) -> Result<Id, LowerError> {
        if self.target.features.wgsl && glsl::SIGNED.contains(&number) {
            return self.glsl_signed(number, ty, args);
        }
        let ty = self.ty(ty)?;
        Ok(self.glsl_ids(number, ty, args))
    }

    /// The product of four bytes in words (SPIR-V §3.42.13); `legalize_types` leaves it where the Target has it.
    fn dot_product(&mut self, op: Op, ty: Type, a: Id, b: Id) -> Result<Id, LowerError> {
        self.require(self.target.features.shader_integer_dot_product, "shaderIntegerDotProduct")?;
        self.b.capability(Capability::DotProduct);
        self.b.capability(Capability::DotProductInput4x8BitPacked);
        self.extension_before((1, 6), "SPV_KHR_integer_dot_product");
        let ty = self.ty(ty)?;
        let packed = PackedVectorFormat::PackedVectorFormat4x8Bit as u32;
        Ok(self.code_result(op, ty, &[a.0, b.0, packed]))
    }

    fn is_nan(&mut self, operand: Type, a: Id, ty: Type) -> Result<Id, LowerError> {
        if self.target.features.wgsl {
            return self.by_bits(Op::UGreaterThan, operand, a, ty);
        }
        self.op(Op::IsNan, ty, &[a])
    }

    /// Compares the magnitudes of floats with infinity by their bits, for WGSL, which has neither OpIsNan nor OpIsInf.
    fn by_bits(&mut self, compare: Op, operand: Type, a: Id, ty: Type) -> Result<Id, LowerError> {
        let (float, word) = (operand.with_scalar(Scalar::F32), operand.with_scalar(Scalar::I32));
        let single = if operand == float { a } else { self.op(Op::FConvert, float, &[a])? };
        let bits = self.op(Op::Bitcast, word, &[single])?;
        let (mask, infinity) = (self.int_const(word, 0x7fff_ffff)?, self.int_const(word, 0x7f80_0000)?);
        let magnitude = self.op(Op::BitwiseAnd, word, &[bits, mask])?;
        self.op(compare, ty, &[magnitude, infinity])
    }

    /// An arithmetic shift, for WGSL, whose shifts of unsigned numbers are logical.
    fn shift_right_signed(&mut self, a: Id, b: Id, ty: Type) -> Result<Id, LowerError> {
        let (a, signed) = (self.as_signed(a, ty)?, self.signed(ty));
        let shifted = self.code_result(Op::ShiftRightArithmetic, signed, &[a.0, b.0]);
        self.op(Op::Bitcast, ty, &[shifted])
    }

    /// The upper words of products by products of half words, for WGSL, which has no products of two words.
    fn mul_high_by_halves(&mut self, signed: bool, ty: Type, a: Id, b: Id) -> Result<Id, LowerError> {
        let (low_bits, half) = (self.int_const(ty, 0xffff)?, self.int_const(ty, 16)?);
        let low = |w: &mut Self, v| w.op(Op::BitwiseAnd, ty, &[v, low_bits]);
        let high = |w: &mut Self, v| w.op(Op::ShiftRightLogical, ty, &[v, half]);
        let (a0, a1, b0, b1) = (low(self, a)?, high(self, a)?, low(self, b)?, high(self, b)?);
        let mul = |w: &mut Self, a, b| w.op(Op::IMul, ty, &[a, b]);
        let add = |w: &mut Self, a, b| w.op(Op::IAdd, ty, &[a, b]);
        let (p00, p10) = (mul(self, a0, b0)?, mul(self, a1, b0)?);
        let (p01, p11) = (mul(self, a0, b1)?, mul(self, a1, b1)?);
        // None of the sums carries: (2^16 - 1)^2 + 2^16 - 1 < 2^32.
        let carried = high(self, p00)?;
        let middle = add(self, p10, carried)?;
        let lower = low(self, middle)?;
        let crossed = add(self, p01, lower)?;
        let (above, more) = (high(self, middle)?, high(self, crossed)?);
        let sum = add(self, p11, above)?;
        let mut product = add(self, sum, more)?;
        if signed {
            // A negative factor was taken for 2^32 more.
            let sign = self.int_const(ty, 31)?;
            for (negative, other) in [(a, b), (b, a)] {
                let mask = self.shift_right_signed(negative, sign, ty)?;
                let excess = self.op(Op::BitwiseAnd, ty, &[mask, other])?;
                product = self.op(Op::ISub, ty, &[product, excess])?;
            }
        }
        Ok(product)
    }

    fn mul_high(&mut self, op: Op, ty: Type, a: Id, b: Id) -> Result<Id, LowerError> {
        let id = self.ty(ty)?;
        let pair = self.b.unique(Op::TypeStruct, None, &[id.0, id.0]);
        let both = self.code_result(op, pair, &[a.0, b.0]);
        Ok(self.code_result(Op::CompositeExtract, id, &[both.0, 1]))
    }

    fn icmp(
        &mut self,
        body: &mut Body<'_>,
        cc: IntCC,
        (a, b): (Value, Value),
        ty: Type,
    ) -> Result<Id, LowerError> {
        let logical = body.function.ty(a).scalar() == Some(Scalar::Bool);
        let (a, b) = (self.val(body, a)?, self.val(body, b)?);
        let op = match cc {
            IntCC::Eq if logical => Op::LogicalEqual,
            IntCC::Ne if logical => Op::LogicalNotEqual,
            IntCC::Eq => Op::IEqual,
            IntCC::Ne => Op::INotEqual,
            IntCC::Ult => Op::ULessThan,
            IntCC::Ule => Op::ULessThanEqual,
            IntCC::Ugt => Op::UGreaterThan,
            IntCC::Uge => Op::UGreaterThanEqual,
            IntCC::Slt => Op::SLessThan,
            IntCC::Sle => Op::SLessThanEqual,
            IntCC::Sgt => Op::SGreaterThan,
            IntCC::Sge => Op::SGreaterThanEqual,
        };
        self.op(op, ty, &[a, b])
    }

    fn fcmp(
        &mut self,
        body: &mut Body<'_>,
        cc: FloatCC,
        (a, b): (Value, Value),
        ty: Type,
    ) -> Result<Id, LowerError> {
        let operand = body.function.ty(a);
        let (a, b) = (self.val(body, a)?, self.val(body, b)?);
        if self.target.features.wgsl
            && let Some(compared) = self.fcmp_by_ordered(cc, (a, b), ty)?
        {
            return Ok(compared);
        }
        let op = match cc {
            FloatCC::OEq => Op::FOrdEqual,
            FloatCC::ONe => Op::FOrdNotEqual,
            FloatCC::OLt => Op::FOrdLessThan,
            FloatCC::OLe => Op::FOrdLessThanEqual,
            FloatCC::OGt => Op::FOrdGreaterThan,
            FloatCC::OGe => Op::FOrdGreaterThanEqual,
            FloatCC::UEq => Op::FUnordEqual,
            FloatCC::UNe => Op::FUnordNotEqual,
            FloatCC::ULt => Op::FUnordLessThan,
            FloatCC::ULe => Op::FUnordLessThanEqual,
            FloatCC::UGt => Op::FUnordGreaterThan,
            FloatCC::UGe => Op::FUnordGreaterThanEqual,
            // OpOrdered and OpUnordered are for kernels only.
            FloatCC::Ordered | FloatCC::Unordered => {
                let (a, b) = (self.is_nan(operand, a, ty)?, self.is_nan(operand, b, ty)?);
                let any = if self.target.features.wgsl {
                    self.op(Op::Select, ty, &[a, a, b])?
                } else {
                    self.op(Op::LogicalOr, ty, &[a, b])?
                };
                return if cc == FloatCC::Unordered { Ok(any) } else { self.op(Op::LogicalNot, ty, &[any]) };
            }
        };
        self.op(op, ty, &[a, b])
    }

    /// Comparisons that WGSL has not, by ones that it has: naga takes unordered comparisons for ordered ones, and an ordered "not equal" for an
    /// unordered one. Chromium's Tint writes an ordered one for WGSL's `!=`.
    fn fcmp_by_ordered(&mut self, cc: FloatCC, (a, b): (Id, Id), ty: Type) -> Result<Option<Id>, LowerError> {
        let opposite = match cc {
            FloatCC::UNe => Op::FOrdEqual,
            FloatCC::ULt => Op::FOrdGreaterThanEqual,
            FloatCC::ULe => Op::FOrdGreaterThan,
            FloatCC::UGt => Op::FOrdLessThanEqual,
            FloatCC::UGe => Op::FOrdLessThan,
            FloatCC::ONe | FloatCC::UEq => {
                let (less, more) =
                    (self.op(Op::FOrdLessThan, ty, &[a, b])?, self.op(Op::FOrdGreaterThan, ty, &[a, b])?);
                let different = self.op(Op::Select, ty, &[less, less, more])?;
                return Ok(Some(if cc == FloatCC::ONe {
                    different
                } else {
                    self.op(Op::LogicalNot, ty, &[different])?
                }));
            }
            _ => return Ok(None),
        };
        let opposite = self.op(opposite, ty, &[a, b])?;
        self.op(Op::LogicalNot, ty, &[opposite]).map(Some)
    }

    fn convert(
        &mut self,
        body: &mut Body<'_>,
        op: ConvertOp,
        value: Value,
        (saturate, rounding): (bool, Option<Rounding>),
        ty: Type,
    ) -> Result<Id, LowerError> {
        let from = body.function.ty(value);
        let (Some(source), Some(result)) = (from.scalar(), ty.scalar()) else {
            return Err(self.bug("a conversion of pointers"));
        };
        let natural = match op {
            ConvertOp::FToS | ConvertOp::FToU => Rounding::ToZero,
            _ => Rounding::ToNearestEven,
        };
        // A value that the result can hold exactly is not rounded at all.
        let exact = match op {
            ConvertOp::FloatToFloat => result.bits() >= source.bits(),
            ConvertOp::SToF | ConvertOp::UToF => source.bits() <= mantissa(result),
            _ => false,
        };
        if saturate || rounding.is_some_and(|r| r != natural && !exact) {
            return Err(self.not_yet(format!(
                "a conversion from {from} to {ty} with {}",
                if saturate { "saturation" } else { "this rounding mode" }
            )));
        }
        let id = self.val(body, value)?;
        if source == result {
            return Ok(id);
        }
        if self.target.features.wgsl {
            match op {
                ConvertOp::SToF => {
                    let signed = self.as_signed(id, from)?;
                    return self.op(Op::ConvertSToF, ty, &[signed]);
                }
                ConvertOp::FToS => {
                    let signed = self.signed(ty);
                    let converted = self.code_result(Op::ConvertFToS, signed, &[id.0]);
                    return self.op(Op::Bitcast, ty, &[converted]);
                }
                _ => {}
            }
        }
        let op = match op {
            ConvertOp::Trunc | ConvertOp::ZExt => Op::UConvert,
            ConvertOp::SExt => Op::SConvert,
            ConvertOp::FloatToFloat => Op::FConvert,
            ConvertOp::SToF => Op::ConvertSToF,
            ConvertOp::UToF => Op::ConvertUToF,
            ConvertOp::FToS => Op::ConvertFToS,
            ConvertOp::FToU => Op::ConvertFToU,
        };
        self.op(op, ty, &[id])
    }
}

/// Bits of integers that a float holds exactly.
fn mantissa(float: Scalar) -> u32 {
    match float {
        Scalar::F16 => 11,
        Scalar::F32 => 24,
        _ => 53,
    }
}

/// The operands of a bitwise operation, that of more bitwise operations first (`Quirks::prefers_larger_operand_first`).
fn larger_first(f: &Function, op: BinaryOp, (a, b): (Value, Value)) -> (Value, Value) {
    /// The depth of operations that is looked at: a majority of three has three levels.
    const DEPTH: u32 = 3;
    fn size(f: &Function, value: Value, depth: u32) -> u32 {
        match f.def_inst(value).map(|inst| &inst.kind) {
            Some(InstKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, a, b)) if depth > 0 => {
                1 + size(f, *a, depth - 1) + size(f, *b, depth - 1)
            }
            _ => 0,
        }
    }
    let bitwise = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
    if bitwise && size(f, b, DEPTH) > size(f, a, DEPTH) { (b, a) } else { (a, b) }
}
