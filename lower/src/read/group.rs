//! Group operations: OpGroup…, OpGroupNonUniform…, and the older ones of SPV_KHR_shader_ballot and SPV_INTEL_subgroups.
//! `lower_workgroup` lowers them to the Target's operations.

use super::function::FunctionReader;
use super::{constants, invalid, not_yet};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Combine, GroupOp, ImageOp, ImageRef, InstKind, IntCC, MemFlags, Place, Scalar, Scope, Space,
    Span, Type, Value, WorkItem,
};
use smallvec::SmallVec;
use spirv_io::Instruction;
use spirv_io::spirv::Op;

impl FunctionReader<'_> {
    /// Translates an operation of a group; false if it is none.
    pub fn group(&mut self, inst: &Instruction<'_>) -> Result<bool, LowerError> {
        if let Some(combine) = uniform(inst.op) {
            self.combine(inst, combine, GroupOp::CombineAll)?;
            return Ok(true);
        }
        if let Some(combine) = non_uniform(inst.op) {
            self.combine(inst, combine, GroupOp::Combine)?;
            return Ok(true);
        }
        let subgroup = Scope::Subgroup;
        match inst.op {
            Op::GroupAll => self.group_op(inst, GroupOp::All, None, &[3]),
            Op::GroupAny => self.group_op(inst, GroupOp::Any, None, &[3]),
            Op::GroupBroadcast => self.broadcast(inst),
            Op::GroupNonUniformElect => self.group_op(inst, GroupOp::Elect, None, &[]),
            Op::GroupNonUniformAll => self.group_op(inst, GroupOp::All, None, &[3]),
            Op::GroupNonUniformAny => self.group_op(inst, GroupOp::Any, None, &[3]),
            Op::GroupNonUniformAllEqual => self.group_op(inst, GroupOp::AllEqual, None, &[3]),
            Op::GroupNonUniformBroadcast => self.group_op(inst, GroupOp::Broadcast, None, &[3, 4]),
            Op::GroupNonUniformBroadcastFirst => self.group_op(inst, GroupOp::BroadcastFirst, None, &[3]),
            Op::GroupNonUniformBallot => self.group_op(inst, GroupOp::Ballot, None, &[3]),
            Op::GroupNonUniformInverseBallot => self.group_op(inst, GroupOp::InverseBallot, None, &[3]),
            Op::GroupNonUniformBallotBitExtract => self.group_op(inst, GroupOp::BallotBit, None, &[3, 4]),
            Op::GroupNonUniformBallotBitCount => {
                let span = span(inst.word(3)?)?;
                self.group_op(inst, GroupOp::BallotCount(span), None, &[4])
            }
            Op::GroupNonUniformBallotFindLSB => self.group_op(inst, GroupOp::BallotFirst, None, &[3]),
            Op::GroupNonUniformBallotFindMSB => self.group_op(inst, GroupOp::BallotLast, None, &[3]),
            Op::GroupNonUniformShuffle => {
                // For checks: functions that are made of shuffles take what members outside have for nothing.
                let line = self.line;
                self.line = line.marked();
                let read = self.group_op(inst, GroupOp::Shuffle, None, &[3, 4]);
                self.line = line;
                read
            }
            Op::GroupNonUniformShuffleXor => self.group_op(inst, GroupOp::ShuffleXor, None, &[3, 4]),
            Op::GroupNonUniformShuffleUp => self.group_op(inst, GroupOp::ShuffleUp, None, &[3, 4]),
            Op::GroupNonUniformShuffleDown => self.group_op(inst, GroupOp::ShuffleDown, None, &[3, 4]),
            Op::GroupNonUniformRotateKHR if inst.rest(5).is_empty() => {
                self.group_op(inst, GroupOp::Rotate, None, &[3, 4])
            }
            Op::GroupNonUniformRotateKHR => {
                let scope = self.group_scope(inst.word(2)?)?;
                let (value, delta) = (self.value(inst.word(3)?)?, self.value(inst.word(4)?)?);
                let size = self.cluster(inst.word(5)?)?;
                self.group_value(inst, GroupOp::Rotate, scope, SmallVec::from_slice(&[value, delta, size]))
            }
            Op::SubgroupBallotKHR => self.group_op(inst, GroupOp::Ballot, Some(subgroup), &[2]),
            Op::SubgroupFirstInvocationKHR => {
                self.group_op(inst, GroupOp::BroadcastFirst, Some(subgroup), &[2])
            }
            Op::SubgroupAllKHR => self.group_op(inst, GroupOp::All, Some(subgroup), &[2]),
            Op::SubgroupAnyKHR => self.group_op(inst, GroupOp::Any, Some(subgroup), &[2]),
            Op::SubgroupAllEqualKHR => self.group_op(inst, GroupOp::AllEqual, Some(subgroup), &[2]),
            Op::SubgroupReadInvocationKHR => self.group_op(inst, GroupOp::Shuffle, Some(subgroup), &[2, 3]),
            Op::SubgroupShuffleINTEL => self.group_op(inst, GroupOp::Shuffle, Some(subgroup), &[2, 3]),
            Op::SubgroupShuffleXorINTEL => self.group_op(inst, GroupOp::ShuffleXor, Some(subgroup), &[2, 3]),
            Op::SubgroupShuffleUpINTEL | Op::SubgroupShuffleDownINTEL => self.relative_of_two(inst),
            Op::SubgroupBlockReadINTEL => self.block_read(inst),
            Op::SubgroupBlockWriteINTEL => self.block_write(inst),
            Op::SubgroupImageBlockReadINTEL => self.image_block_read(inst),
            Op::SubgroupImageBlockWriteINTEL => self.image_block_write(inst),
            _ => return Ok(false),
        }?;
        Ok(true)
    }

    /// The group of an instruction.
    fn group_scope(&self, id: u32) -> Result<Scope, LowerError> {
        match constants::bits(self.tables(), id) {
            Ok(2) => Ok(Scope::Workgroup),
            Ok(3) => Ok(Scope::Subgroup),
            _ => Err(invalid("a group that is neither a work-group nor a sub-group")),
        }
    }

    /// An instruction whose operands are at given words. If the group is not given, it is the third word.
    fn group_op(
        &mut self,
        inst: &Instruction<'_>,
        op: GroupOp,
        scope: Option<Scope>,
        words: &[usize],
    ) -> Result<(), LowerError> {
        let scope = match scope {
            Some(scope) => scope,
            None => self.group_scope(inst.word(2)?)?,
        };
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        for word in words {
            args.push(self.value(inst.word(*word)?)?);
        }
        self.group_value(inst, op, scope, args)
    }

    /// Indices are words; the rest is for the verifier, which knows what each operation takes.
    fn group_value(
        &mut self,
        inst: &Instruction<'_>,
        op: GroupOp,
        scope: Scope,
        mut args: SmallVec<[Value; 4]>,
    ) -> Result<(), LowerError> {
        let ty = self.tables().types.plain(inst.word(0)?)?;
        for arg in args.iter_mut().skip(1) {
            *arg = self.index(*arg)?;
        }
        let whole = matches!(
            op,
            GroupOp::Elect
                | GroupOp::All
                | GroupOp::Any
                | GroupOp::Ballot
                | GroupOp::Broadcast
                | GroupOp::Combine(..)
                | GroupOp::CombineAll(..)
        );
        if scope == Scope::Workgroup && (!whole || matches!(op, GroupOp::Elect | GroupOp::Ballot)) {
            return Err(not_yet("", format!("Op{:?} in a work-group", inst.op)));
        }
        self.check_group(op, &args, ty)?;
        let value = self.emit(InstKind::Group { op, scope, args: Box::new(args) }, ty);
        self.define_one(inst, value)
    }

    /// The module's promises about the operands' types.
    fn check_group(&self, op: GroupOp, args: &[Value], ty: Type) -> Result<(), LowerError> {
        let first = args.first().map(|v| self.f.ty(*v));
        let words = Some(Type::Vector(Scalar::I32, 4));
        let good = match op {
            GroupOp::Elect => ty == Type::BOOL,
            GroupOp::All | GroupOp::Any => first == Some(Type::BOOL) && ty == Type::BOOL,
            GroupOp::AllEqual => ty == Type::BOOL && first.is_some_and(|t| t.scalar().is_some()),
            GroupOp::Ballot => first == Some(Type::BOOL) && Some(ty) == words,
            GroupOp::InverseBallot | GroupOp::BallotBit => first == words && ty == Type::BOOL,
            GroupOp::BallotCount(_) | GroupOp::BallotFirst | GroupOp::BallotLast => {
                first == words && ty == Type::I32
            }
            GroupOp::Combine(combine, _) | GroupOp::CombineAll(combine, _) => {
                let logic = matches!(combine, Combine::And | Combine::Or | Combine::Xor);
                let fits = |s: Scalar| s.is_float() == combine.is_float() && (s != Scalar::Bool || logic);
                first == Some(ty) && ty.scalar().is_some_and(fits)
            }
            _ => first == Some(ty) && ty.scalar().is_some(),
        };
        if good { Ok(()) } else { Err(invalid("an operation of a group on another type")) }
    }

    /// An index as a word.
    fn index(&mut self, value: Value) -> Result<Value, LowerError> {
        match self.f.ty(value) {
            Type::Scalar(s) if s.is_int() => Ok(self.resize(value, Type::I32)),
            _ => Err(invalid("an index that is no integer")),
        }
    }

    /// A cluster's size is a constant power of two.
    fn cluster(&mut self, id: u32) -> Result<Value, LowerError> {
        match constants::bits(self.tables(), id) {
            // Larger ones than any group are the group.
            Ok(size) if size.is_power_of_two() => Ok(self.f.iconst(Type::I32, size.min(1 << 16))),
            _ => Err(invalid("a cluster's size is no constant power of two")),
        }
    }

    /// A reduction or scan, of all members or of active ones.
    fn combine(
        &mut self,
        inst: &Instruction<'_>,
        combine: Combine,
        of: fn(Combine, Span) -> GroupOp,
    ) -> Result<(), LowerError> {
        let span = span(inst.word(3)?)?;
        let scope = self.group_scope(inst.word(2)?)?;
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        args.push(self.value(inst.word(4)?)?);
        if span == Span::Clustered {
            args.push(self.cluster(inst.word(5)?)?);
        }
        let op = of(combine, span);
        if span == Span::Clustered && (scope == Scope::Workgroup || op == GroupOp::CombineAll(combine, span))
        {
            return Err(invalid("clusters of a whole group"));
        }
        self.group_value(inst, op, scope, args)
    }

    /// The member is named by one number, or in a work-group by a vector of them.
    fn broadcast(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let scope = self.group_scope(inst.word(2)?)?;
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        args.push(self.value(inst.word(3)?)?);
        let id = self.value(inst.word(4)?)?;
        match self.f.ty(id) {
            Type::Vector(scalar, lanes @ 2..=3) if scope == Scope::Workgroup => {
                for lane in 0..lanes {
                    args.push(self.emit(InstKind::Extract(id, lane), Type::Scalar(scalar)));
                }
            }
            _ => args.push(id),
        }
        self.group_value(inst, GroupOp::Broadcast, scope, args)
    }

    /// Shuffles of SPV_INTEL_subgroups over two concatenated sub-groups of values: the member at a distance before or after this one,
    /// which may be in the other value.
    fn relative_of_two(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let up = inst.op == Op::SubgroupShuffleUpINTEL;
        let ty = self.tables().types.plain(inst.word(0)?)?;
        let (first, second) = (self.value(inst.word(2)?)?, self.value(inst.word(3)?)?);
        let delta = self.value(inst.word(4)?)?;
        let delta = self.index(delta)?;
        let lane = self.emit(InstKind::WorkItem(WorkItem::SubgroupLocalId, 0), Type::I32);
        let size = self.emit(InstKind::WorkItem(WorkItem::SubgroupMaxSize, 0), Type::I32);
        let op = if up { BinaryOp::ISub } else { BinaryOp::IAdd };
        let at = self.emit(InstKind::Binary(op, lane, delta), Type::I32);
        // Sizes are powers of two: the index in either value.
        let one = self.f.iconst(Type::I32, 1);
        let mask = self.emit(InstKind::Binary(BinaryOp::ISub, size, one), Type::I32);
        let index = self.emit(InstKind::Binary(BinaryOp::And, at, mask), Type::I32);
        let mut values = SmallVec::<[Value; 2]>::new();
        for value in [first, second] {
            if self.f.ty(value) != ty || ty.scalar().is_none() {
                return Err(invalid("a shuffle of another type"));
            }
            let args = Box::new(SmallVec::from_slice(&[value, index]));
            values
                .push(self.emit(InstKind::Group { op: GroupOp::Shuffle, scope: Scope::Subgroup, args }, ty));
        }
        // Up: (previous, current), and below zero is the previous one; down: (current, next).
        let inside = self.emit(InstKind::ICmp(IntCC::Ult, at, size), Type::BOOL);
        let (then, els) = if up { (values[1], values[0]) } else { (values[0], values[1]) };
        let value = self.emit(InstKind::Select(inside, then, els), ty);
        self.define_one(inst, value)
    }
}

/// Block reads and writes of memory by a sub-group (SPV_INTEL_subgroups). Element i of this member's value is at the member's index
/// plus i times the size of sub-groups.
impl FunctionReader<'_> {
    fn block_read(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let ty = self.tables().types.plain(inst.word(0)?)?;
        let pointer = self.value(inst.word(2)?)?;
        let (element, flags) = self.block_element(ty, pointer)?;
        let mut values: SmallVec<[Value; 16]> = SmallVec::new();
        for n in 0..ty.lanes() {
            let place = self.block_place(pointer, n, flags.align);
            values.push(self.emit(InstKind::Load { place, flags }, element));
        }
        let value = match values[..] {
            [one] => one,
            _ => self.emit(InstKind::Construct(values.into_iter().collect()), ty),
        };
        self.define_one(inst, value)
    }

    fn block_write(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (pointer, data) = (self.value(inst.word(0)?)?, self.value(inst.word(1)?)?);
        let ty = self.f.ty(data);
        let (element, flags) = self.block_element(ty, pointer)?;
        for n in 0..ty.lanes() {
            let place = self.block_place(pointer, n, flags.align);
            let value = if ty == element { data } else { self.emit(InstKind::Extract(data, n), element) };
            self.emit_void(InstKind::Store { place, value, flags });
        }
        Ok(())
    }

    /// The type of a block's elements; the pointer is aligned as one of them (writes may ask for more).
    fn block_element(&self, ty: Type, pointer: Value) -> Result<(Type, MemFlags), LowerError> {
        let Some(scalar) = ty.scalar().filter(|s| *s != Scalar::Bool) else {
            return Err(invalid("a block of no numbers"));
        };
        if !matches!(self.f.ty(pointer), Type::Ptr(Space::Global | Space::Local)) {
            return Err(invalid("a block that is neither in global nor in local memory"));
        }
        Ok((Type::Scalar(scalar), MemFlags { align: scalar.bytes(), volatile: false }))
    }

    /// The address of this member's element `n`.
    fn block_place(&mut self, pointer: Value, n: u8, size: u32) -> Place {
        let mut index = self.emit(InstKind::WorkItem(WorkItem::SubgroupLocalId, 0), Type::I32);
        if n > 0 {
            let members = self.emit(InstKind::WorkItem(WorkItem::SubgroupMaxSize, 0), Type::I32);
            let n = self.f.iconst(Type::I32, n.into());
            let before = self.emit(InstKind::Binary(BinaryOp::IMul, members, n), Type::I32);
            index = self.emit(InstKind::Binary(BinaryOp::IAdd, index, before), Type::I32);
        }
        let (wide, ty) = (self.address_type(), self.f.ty(pointer));
        let index = self.resize(index, wide);
        Place::Pointer(self.emit(InstKind::PtrAdd { base: pointer, index, scale: size.into() }, ty))
    }
}

/// Block reads and writes of images (cl_intel_subgroups, "Sub-group Read and Write Functions"). Element i of this member's value is in
/// row i below the first. Its bytes come after those of the members before it.
impl FunctionReader<'_> {
    fn image_block_read(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let ty = self.tables().types.plain(inst.word(0)?)?;
        let (image, _) = self.image_operand(inst.word(2)?)?;
        let coordinate = self.value(inst.word(3)?)?;
        let bytes = self.image_block(ty, coordinate)?;
        let word = Type::new(Scalar::I32, if bytes == 8 { 2 } else { 1 });
        let element = ty.element();
        let mut values: SmallVec<[Value; 16]> = SmallVec::new();
        for n in 0..ty.lanes() {
            let (place, _) = self.image_block_place(coordinate, n, bytes);
            let kind = InstKind::Image {
                op: ImageOp::ReadBytes(bytes),
                image: ImageRef::Value(image),
                args: Box::new(smallvec::smallvec![place]),
            };
            let value = self.emit(kind, word);
            values.push(if bytes == 8 { self.of_words(value) } else { self.resize(value, element) });
        }
        let value = match values[..] {
            [one] => one,
            _ => self.emit(InstKind::Construct(values.into_iter().collect()), ty),
        };
        self.define_one(inst, value)
    }

    fn image_block_write(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (image, _) = self.image_operand(inst.word(0)?)?;
        let (coordinate, data) = (self.value(inst.word(1)?)?, self.value(inst.word(2)?)?);
        let ty = self.f.ty(data);
        let bytes = self.image_block(ty, coordinate)?;
        for n in 0..ty.lanes() {
            let (place, member) = self.image_block_place(coordinate, n, bytes);
            let value = match ty.lanes() {
                1 => data,
                _ => self.emit(InstKind::Extract(data, n), ty.element()),
            };
            let mut args: SmallVec<[Value; 4]> = smallvec::smallvec![place, member];
            if bytes == 8 {
                args.push(self.resize(value, Type::I32));
                let up = self.f.iconst(ty.element(), 32);
                let high = self.emit(InstKind::Binary(BinaryOp::LShr, value, up), ty.element());
                args.push(self.resize(high, Type::I32));
            } else {
                args.push(self.resize(value, Type::I32));
                self.with_neighbours(&mut args, bytes);
            }
            let (op, image) = (ImageOp::WriteBytes(bytes), ImageRef::Value(image));
            self.emit_void(InstKind::Image { op, image, args: Box::new(args) });
        }
        Ok(())
    }

    /// Combines the bytes of two and of four neighbouring members, as long as they fit a word. They may be one texel.
    fn with_neighbours(&mut self, args: &mut SmallVec<[Value; 4]>, bytes: u8) {
        let (mut distance, mut size) = (1, bytes);
        while let (Some(&mine), true) = (args.last(), size < 4) {
            let by = self.f.iconst(Type::I32, distance);
            let kind = InstKind::Group {
                op: GroupOp::ShuffleXor,
                scope: Scope::Subgroup,
                args: Box::new(SmallVec::from_slice(&[mine, by])),
            };
            let other = self.emit(kind, Type::I32);
            let up = self.f.iconst(Type::I32, u64::from(size) * 8);
            let other = self.emit(InstKind::Binary(BinaryOp::Shl, other, up), Type::I32);
            args.push(self.emit(InstKind::Binary(BinaryOp::Or, mine, other), Type::I32));
            (distance, size) = (2 * distance, 2 * size);
        }
    }

    /// The bytes of an element.
    fn image_block(&self, ty: Type, coordinate: Value) -> Result<u8, LowerError> {
        let Some(scalar) = ty.scalar().filter(|s| s.is_int()) else {
            return Err(invalid("a block of an image that is not of integers"));
        };
        if self.f.ty(coordinate) != Type::Vector(Scalar::I32, 2) {
            return Err(invalid("the place of a block of an image is not two ints"));
        }
        Ok(scalar.bytes() as u8)
    }

    /// The coordinates of this member's element `n`, and the member's number.
    fn image_block_place(&mut self, coordinate: Value, n: u8, bytes: u8) -> (Value, Value) {
        let member = self.emit(InstKind::WorkItem(WorkItem::SubgroupLocalId, 0), Type::I32);
        let size = self.f.iconst(Type::I32, bytes.into());
        let before = self.emit(InstKind::Binary(BinaryOp::IMul, member, size), Type::I32);
        let first = self.emit(InstKind::Extract(coordinate, 0), Type::I32);
        let at = self.emit(InstKind::Binary(BinaryOp::IAdd, first, before), Type::I32);
        let row = self.emit(InstKind::Extract(coordinate, 1), Type::I32);
        let down = self.f.iconst(Type::I32, n.into());
        let row = self.emit(InstKind::Binary(BinaryOp::IAdd, row, down), Type::I32);
        let place = InstKind::Construct([at, row].into_iter().collect());
        (self.emit(place, Type::Vector(Scalar::I32, 2)), member)
    }

    /// An i64 of two words.
    fn of_words(&mut self, words: Value) -> Value {
        let wide = Type::Scalar(Scalar::I64);
        let [low, high] = [0, 1].map(|n| {
            let word = self.emit(InstKind::Extract(words, n), Type::I32);
            self.resize(word, wide)
        });
        let up = self.f.iconst(wide, 32);
        let high = self.emit(InstKind::Binary(BinaryOp::Shl, high, up), wide);
        self.emit(InstKind::Binary(BinaryOp::Or, low, high), wide)
    }
}

fn span(operation: u32) -> Result<Span, LowerError> {
    match operation {
        0 => Ok(Span::Reduce),
        1 => Ok(Span::Inclusive),
        2 => Ok(Span::Exclusive),
        3 => Ok(Span::Clustered),
        other => Err(invalid(format!("group operation {other}"))),
    }
}

/// Operations for which all members come.
fn uniform(op: Op) -> Option<Combine> {
    Some(match op {
        Op::GroupIAdd => Combine::IAdd,
        Op::GroupFAdd => Combine::FAdd,
        Op::GroupFMin => Combine::FMin,
        Op::GroupUMin => Combine::UMin,
        Op::GroupSMin => Combine::SMin,
        Op::GroupFMax => Combine::FMax,
        Op::GroupUMax => Combine::UMax,
        Op::GroupSMax => Combine::SMax,
        Op::GroupIMulKHR => Combine::IMul,
        Op::GroupFMulKHR => Combine::FMul,
        Op::GroupBitwiseAndKHR | Op::GroupLogicalAndKHR => Combine::And,
        Op::GroupBitwiseOrKHR | Op::GroupLogicalOrKHR => Combine::Or,
        Op::GroupBitwiseXorKHR | Op::GroupLogicalXorKHR => Combine::Xor,
        _ => return None,
    })
}

/// Operations of those members that come.
fn non_uniform(op: Op) -> Option<Combine> {
    Some(match op {
        Op::GroupNonUniformIAdd => Combine::IAdd,
        Op::GroupNonUniformFAdd => Combine::FAdd,
        Op::GroupNonUniformIMul => Combine::IMul,
        Op::GroupNonUniformFMul => Combine::FMul,
        Op::GroupNonUniformSMin => Combine::SMin,
        Op::GroupNonUniformUMin => Combine::UMin,
        Op::GroupNonUniformFMin => Combine::FMin,
        Op::GroupNonUniformSMax => Combine::SMax,
        Op::GroupNonUniformUMax => Combine::UMax,
        Op::GroupNonUniformFMax => Combine::FMax,
        Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd => Combine::And,
        Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => Combine::Or,
        Op::GroupNonUniformBitwiseXor | Op::GroupNonUniformLogicalXor => Combine::Xor,
        _ => return None,
    })
}
