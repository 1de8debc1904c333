//! Atomics, barriers, group copies.

use super::function::{FunctionReader, Leaves};
use super::{constants, invalid};
use crate::check::Access;
use crate::error::LowerError;
use crate::ir::{
    AtomicOp, BinaryOp, BranchTarget, InstKind, IntCC, MemFlags, Place, Scalar, Scope, Semantics, Space,
    Terminator, Type, Value, WorkItem,
};
use smallvec::SmallVec;
use spirv_io::Instruction;
use spirv_io::spirv::Op;

/// The semantics of a barrier without memory or order (`barrier(0)`): it orders buffers and local memory in its group. Programs rely on
/// it, and Mesa's llvmpipe (22.3) drops barriers without semantics.
const MEMORY: Semantics = Semantics::GLOBAL.union(Semantics::LOCAL).union(Semantics::IMAGE);
const BOTH_WAYS: Semantics = Semantics::ACQUIRE.union(Semantics::RELEASE);

/// The largest number of events of a wait that checks tell apart.
const MAX_EVENTS: u64 = 16;

impl<'a> FunctionReader<'a> {
    /// Translates a synchronizing instruction; false if it is none.
    pub fn sync(&mut self, inst: &Instruction<'_>) -> Result<bool, LowerError> {
        match inst.op {
            Op::ControlBarrier => {
                let (execution, memory) = (self.scope(inst.word(0)?)?, self.scope(inst.word(1)?)?);
                if !matches!(execution, Scope::Workgroup | Scope::Subgroup) {
                    return Err(invalid("a barrier that is no work-group's or sub-group's"));
                }
                let computed = constants::bits(self.tables(), inst.word(2)?).is_err();
                let asked = match computed {
                    true => BOTH_WAYS | MEMORY,
                    false => self.semantics(inst.word(2)?)?,
                };
                if computed && self.tables().events && execution == Scope::Workgroup {
                    let flags = self.value(inst.word(2)?)?;
                    self.emit_void(InstKind::BarrierFlags(flags));
                }
                let names_none = !asked.intersects(MEMORY);
                let (memory, semantics) = match asked {
                    ordered if ordered.intersects(MEMORY) && ordered.intersects(BOTH_WAYS) => {
                        (memory, ordered)
                    }
                    none => (execution, none | BOTH_WAYS | Semantics::GLOBAL | Semantics::LOCAL),
                };
                let line = self.line;
                if names_none {
                    // For checks: OpenCL C gives it no order.
                    self.line = line.marked();
                }
                self.emit_void(InstKind::Barrier { execution, memory, semantics });
                self.line = line;
            }
            Op::MemoryBarrier => {
                let memory = self.scope(inst.word(0)?)?;
                let semantics = self.semantics(inst.word(1)?)?;
                self.emit_void(InstKind::MemBarrier { memory, semantics });
            }
            Op::ReadClockKHR => self.clock(inst)?,
            Op::GroupAsyncCopy => self.async_copy(inst)?,
            Op::GroupWaitEvents => {
                if self.tables().events {
                    self.wait_events(inst)?;
                }
                self.emit_void(InstKind::Barrier {
                    execution: Scope::Workgroup,
                    memory: Scope::Workgroup,
                    semantics: Semantics::ACQUIRE | Semantics::RELEASE | Semantics::GLOBAL | Semantics::LOCAL,
                });
            }
            _ => return self.atomic(inst),
        }
        Ok(true)
    }

    /// OpReadClockKHR: Vulkan's has the scopes of sub-groups and of the device; a work-group's clock is the device's. Sub-groups have
    /// the device's clock where they have none of their own (`write`).
    fn clock(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let scope = match constants::bits(self.tables(), inst.word(2)?) {
            Ok(1 | 2) => Scope::Device,
            Ok(3) => Scope::Subgroup,
            _ => {
                return Err(invalid(
                    "a clock of another scope than the device's, a work-group's or a sub-group's",
                ));
            }
        };
        let words = Type::Vector(Scalar::I32, 2);
        let value = self.emit(InstKind::Clock(scope), words);
        let value = match self.tables().types.plain(inst.word(0)?)? {
            ty if ty == words => value,
            Type::I64 => self.emit(InstKind::Bitcast(value), Type::I64),
            _ => return Err(invalid("a clock of neither 64 bits nor two words")),
        };
        self.define_one(inst, value)
    }

    /// A scope that is no constant is taken for the widest.
    fn scope(&self, id: u32) -> Result<Scope, LowerError> {
        match constants::bits(self.tables(), id) {
            Ok(0) | Err(_) => Ok(Scope::CrossDevice),
            Ok(1) => Ok(Scope::Device),
            Ok(2) => Ok(Scope::Workgroup),
            Ok(3) => Ok(Scope::Subgroup),
            Ok(4) => Ok(Scope::Invocation),
            Ok(other) => Err(invalid(format!("memory scope {other}"))),
        }
    }

    /// Memory semantics (SPIR-V §3.26); what is no constant is taken for the strongest.
    fn semantics(&self, id: u32) -> Result<Semantics, LowerError> {
        let Ok(bits) = constants::bits(self.tables(), id) else {
            return Ok(Semantics::all());
        };
        let mut semantics = Semantics::empty();
        let both = Semantics::ACQUIRE | Semantics::RELEASE;
        let table = [
            (0x2, Semantics::ACQUIRE),
            (0x4, Semantics::RELEASE),
            (0x8, both),
            (0x10, both | Semantics::SEQ_CST),
            (0x100, Semantics::LOCAL),
            (0x200, Semantics::GLOBAL),
            (0x800, Semantics::IMAGE),
        ];
        for (bit, meaning) in table {
            if bits & bit != 0 {
                semantics |= meaning;
            }
        }
        Ok(semantics)
    }

    fn atomic(&mut self, inst: &Instruction<'_>) -> Result<bool, LowerError> {
        let op = match inst.op {
            Op::AtomicLoad => AtomicOp::Load,
            Op::AtomicExchange => AtomicOp::Exchange,
            Op::AtomicIAdd => AtomicOp::IAdd,
            Op::AtomicISub => AtomicOp::ISub,
            Op::AtomicUMin => AtomicOp::UMin,
            Op::AtomicUMax => AtomicOp::UMax,
            Op::AtomicSMin => AtomicOp::SMin,
            Op::AtomicSMax => AtomicOp::SMax,
            Op::AtomicAnd => AtomicOp::And,
            Op::AtomicOr => AtomicOp::Or,
            Op::AtomicXor => AtomicOp::Xor,
            Op::AtomicFAddEXT => AtomicOp::FAdd,
            Op::AtomicFMinEXT => AtomicOp::FMin,
            Op::AtomicFMaxEXT => AtomicOp::FMax,
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                self.atomic_step(inst)?;
                return Ok(true);
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                let ty = self.tables().types.plain(inst.word(0)?)?;
                let operands = [self.value(inst.word(6)?)?, self.value(inst.word(7)?)?];
                let semantics = self.semantics(inst.word(4)?)? | self.semantics(inst.word(5)?)?;
                let pointer = inst.word(2)?;
                let value = self.atomic_access(
                    AtomicOp::CompareExchange,
                    pointer,
                    inst.word(3)?,
                    semantics,
                    &operands,
                    Some(ty),
                )?;
                self.define(inst.word(1)?, inst.word(0)?, value);
                return Ok(true);
            }
            Op::AtomicStore => {
                let semantics = self.semantics(inst.word(2)?)?;
                let value = self.value(inst.word(3)?)?;
                self.atomic_access(AtomicOp::Store, inst.word(0)?, inst.word(1)?, semantics, &[value], None)?;
                return Ok(true);
            }
            Op::AtomicFlagTestAndSet => {
                let semantics = self.semantics(inst.word(4)?)?;
                let one = self.f.iconst(Type::I32, 1);
                let (pointer, scope) = (inst.word(2)?, inst.word(3)?);
                let old = self.atomic_access(
                    AtomicOp::Exchange,
                    pointer,
                    scope,
                    semantics,
                    &[one],
                    Some(Type::I32),
                )?;
                let zero = self.f.iconst(Type::I32, 0);
                let set = self.emit(InstKind::ICmp(IntCC::Ne, old[0], zero), Type::BOOL);
                self.define_one(inst, set)?;
                return Ok(true);
            }
            Op::AtomicFlagClear => {
                let semantics = self.semantics(inst.word(2)?)?;
                let zero = self.f.iconst(Type::I32, 0);
                self.atomic_access(AtomicOp::Store, inst.word(0)?, inst.word(1)?, semantics, &[zero], None)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let ty = self.tables().types.plain(inst.word(0)?)?;
        let semantics = self.semantics(inst.word(4)?)?;
        let mut operands: SmallVec<[Value; 2]> = SmallVec::new();
        for operand in inst.rest(5) {
            operands.push(self.value(*operand)?);
        }
        let value = self.atomic_access(op, inst.word(2)?, inst.word(3)?, semantics, &operands, Some(ty))?;
        self.define(inst.word(1)?, inst.word(0)?, value);
        Ok(true)
    }

    fn atomic_step(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let ty = self.tables().types.plain(inst.word(0)?)?;
        let semantics = self.semantics(inst.word(4)?)?;
        let one = self.f.iconst(ty, 1);
        let op = if inst.op == Op::AtomicIIncrement { AtomicOp::IAdd } else { AtomicOp::ISub };
        let value = self.atomic_access(op, inst.word(2)?, inst.word(3)?, semantics, &[one], Some(ty))?;
        self.define(inst.word(1)?, inst.word(0)?, value);
        Ok(())
    }

    fn atomic_access(
        &mut self,
        op: AtomicOp,
        pointer: u32,
        scope: u32,
        semantics: Semantics,
        operands: &[Value],
        result: Option<Type>,
    ) -> Result<Leaves, LowerError> {
        let (place, scope) = (Place::Pointer(self.value(pointer)?), self.scope(scope)?);
        let moved = result.or_else(|| operands.first().map(|value| self.f.ty(*value)));
        self.mark_member(pointer, moved.map_or(0, |ty| ty.bytes().into()), Access::Atomic);
        let kind = InstKind::Atomic { op, place, operands: operands.into(), scope, semantics };
        Ok(self.emit_many(kind, result.as_slice()))
    }

    /// OpGroupWaitEvents, for checks: a bit for each event of the list; all bits where its length is not known.
    fn wait_events(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let count = self.value(inst.word(1)?)?;
        let list = self.value(inst.word(2)?)?;
        let mut bits = match self.f.const_bits(count) {
            Some(n) if n <= MAX_EVENTS => self.f.iconst(Type::I32, 0),
            _ => self.f.iconst(Type::I32, 0xffff_ffff),
        };
        let (one, last) = (self.f.iconst(Type::I32, 1), self.f.iconst(Type::I32, 31));
        for n in 0..self.f.const_bits(count).filter(|n| *n <= MAX_EVENTS).unwrap_or(0) {
            let ty = self.f.ty(list);
            let at = self.emit(InstKind::PtrOffset { base: list, bytes: 8 * n as i64 }, ty);
            let flags = MemFlags { align: 8, volatile: false };
            let event = self.emit(InstKind::Load { place: Place::Pointer(at), flags }, Type::I64);
            let event = self.resize(event, Type::I32);
            let event = self.emit(InstKind::Binary(BinaryOp::And, event, last), Type::I32);
            let bit = self.emit(InstKind::Binary(BinaryOp::Shl, one, event), Type::I32);
            bits = self.emit(InstKind::Binary(BinaryOp::Or, bits, bit), Type::I32);
        }
        self.emit_void(InstKind::AsyncWait(bits));
        Ok(())
    }

    /// OpGroupAsyncCopy: all work-items copy elements, strided by their local id. The event is a dummy, and waiting for it is a
    /// barrier. OpenCL C §6.15.11 does not say when the copy happens before the wait.
    fn async_copy(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (event_type, id) = (inst.word(0)?, inst.word(1)?);
        let element = self.tables().types.pointer(self.type_of(inst.word(3)?)?)?.2;
        let data = self.tables().types.get(element)?;
        let (size, flags) = (data.size, MemFlags { align: data.align, volatile: false });
        let (dst, src) = (self.value(inst.word(3)?)?, self.value(inst.word(4)?)?);
        let index_type = self.address_type();
        let (count, stride) = (self.value(inst.word(5)?)?, self.value(inst.word(6)?)?);
        let (count, stride) = (self.resize(count, index_type), self.resize(stride, index_type));
        // Front ends store events as pointers.
        let event = match self.tables().events {
            true => {
                let event = self.value(inst.word(7)?)?;
                let args = [dst, src, count, stride, self.resize(event, Type::I32)];
                let args = Box::new(SmallVec::from_slice(&args));
                let event = self.emit(InstKind::AsyncCopy { args }, Type::I32);
                self.resize(event, Type::I64)
            }
            false => self.f.iconst(Type::I32, 0),
        };
        let first = self.emit(InstKind::WorkItem(WorkItem::LocalLinearId, 0), Type::I32);
        let first = self.resize(first, index_type);
        let mut step = self.emit(InstKind::WorkItem(WorkItem::LocalSize, 0), Type::I32);
        for dimension in 1..3 {
            let size = self.emit(InstKind::WorkItem(WorkItem::LocalSize, dimension), Type::I32);
            step = self.emit(InstKind::Binary(BinaryOp::IMul, step, size), Type::I32);
        }
        let step = self.resize(step, index_type);

        let (header, body, exit) = (self.f.new_block(), self.f.new_block(), self.f.new_block());
        let to = |block, args: &[Value]| BranchTarget { block, args: SmallVec::from_slice(args) };
        let index = self.f.add_param(header, index_type);
        self.f.blocks[self.at].term = Terminator::Branch(to(header, &[first]));
        self.at = header;
        let more = self.emit(InstKind::ICmp(IntCC::Ult, index, count), Type::BOOL);
        self.f.blocks[header].term =
            Terminator::CondBranch { cond: more, then: to(body, &[]), els: to(exit, &[]) };

        self.at = body;
        // The stride applies to global memory. 0 means 1 in old producers' modules.
        let strided = match self.f.const_bits(stride) {
            Some(0 | 1) => index,
            _ => self.emit(InstKind::Binary(BinaryOp::IMul, index, stride), index_type),
        };
        let dst_strided = self.f.ty(dst) != Type::Ptr(Space::Local);
        let (dst_index, src_index) = if dst_strided { (strided, index) } else { (index, strided) };
        let (dst_type, src_type) = (self.f.ty(dst), self.f.ty(src));
        let from = self.emit(InstKind::PtrAdd { base: src, index: src_index, scale: size }, src_type);
        let into = self.emit(InstKind::PtrAdd { base: dst, index: dst_index, scale: size }, dst_type);
        let values = self.load_leaves(from, element, flags)?;
        self.store_leaves(into, element, &values, flags)?;
        let next = self.emit(InstKind::Binary(BinaryOp::IAdd, index, step), index_type);
        self.f.blocks[body].term = Terminator::Branch(to(header, &[next]));
        self.at = exit;
        self.define(id, event_type, Leaves::from_iter([event]));
        Ok(())
    }
}
