//! Builtin functions, by what the table says they are ([`BuiltinOp`]).

use super::cast::{Mode, rounding_mode};
use super::error::Emit;
use super::function::FunctionEmitter;
use crate::builtins::{Builtin, BuiltinOp};
use crate::hir::Expr;
use crate::types::{AddressSpace, Scalar, TypeId};
use spirv_io::Id;
use spirv_io::spirv::{Capability, MemorySemantics, Op, PackedVectorFormat, Scope};

/// The last math function of OpenCL.std's numbers; common functions, integers and others come behind.
const LAST_MATH: u32 = 94;

/// `select` of OpenCL.std's numbers that are used by name here.
const PREFETCH: u32 = 185;
const SHUFFLE: u32 = 182;
const SHUFFLE2: u32 = 183;

/// SPIR-V's scope for OpenCL C's `memory_scope` constant (§6.15.12.4).
pub(super) fn scope(value: u64) -> Scope {
    match value {
        0 => Scope::Invocation,
        1 => Scope::Workgroup,
        2 => Scope::Device,
        3 => Scope::CrossDevice,
        _ => Scope::Subgroup,
    }
}

/// SPIR-V's ordering for OpenCL C's `memory_order` constant; what is not known at compile time is the strongest.
pub(super) fn order(value: Option<u64>) -> MemorySemantics {
    match value {
        Some(0) => MemorySemantics::empty(),
        Some(1 | 2) => MemorySemantics::ACQUIRE,
        Some(3) => MemorySemantics::RELEASE,
        Some(4) => MemorySemantics::ACQUIRE_RELEASE,
        _ => MemorySemantics::SEQUENTIALLY_CONSISTENT,
    }
}

/// The memories that fence flags name: CLK_LOCAL_MEM_FENCE 1, CLK_GLOBAL_MEM_FENCE 2,
/// CLK_IMAGE_MEM_FENCE 4. Flags unknown at compile time mean all but images.
fn fenced(flags: Option<u64>) -> MemorySemantics {
    let flags = flags.unwrap_or(3);
    let mut memory = MemorySemantics::empty();
    for (bit, semantics) in [
        (1, MemorySemantics::WORKGROUP_MEMORY),
        (2, MemorySemantics::CROSS_WORKGROUP_MEMORY),
        (4, MemorySemantics::IMAGE_MEMORY),
    ] {
        if flags & bit != 0 {
            memory |= semantics;
        }
    }
    memory
}

/// Returns what a core instruction needs beyond Kernel: a capability, and the extension that has it.
fn needs(op: Op) -> Option<(Capability, Option<&'static str>)> {
    match op {
        Op::IsValidReserveId => Some((Capability::Pipes, None)),
        Op::EnqueueMarker
        | Op::RetainEvent
        | Op::ReleaseEvent
        | Op::CreateUserEvent
        | Op::IsValidEvent
        | Op::SetUserEventStatus
        | Op::CaptureEventProfilingInfo
        | Op::GetDefaultQueue => Some((Capability::DeviceEnqueue, None)),
        Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract | Op::BitReverse => {
            Some((Capability::BitInstructions, Some("SPV_KHR_bit_instructions")))
        }
        Op::SubgroupShuffleINTEL
        | Op::SubgroupShuffleXorINTEL
        | Op::SubgroupShuffleUpINTEL
        | Op::SubgroupShuffleDownINTEL => {
            Some((Capability::SubgroupShuffleINTEL, Some("SPV_INTEL_subgroups")))
        }
        Op::SubgroupBlockReadINTEL | Op::SubgroupBlockWriteINTEL => {
            Some((Capability::SubgroupBufferBlockIOINTEL, Some("SPV_INTEL_subgroups")))
        }
        Op::SubgroupImageBlockReadINTEL | Op::SubgroupImageBlockWriteINTEL => {
            Some((Capability::SubgroupImageBlockIOINTEL, Some("SPV_INTEL_subgroups")))
        }
        _ => None,
    }
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// Says of a math function of floats that -cl-fast-relaxed-math was given: it may be less precise then (OpenCL C §7.4, the
    /// table of `-cl-unsafe-math-optimizations`), and has no NaNs and infinities.
    fn relax(&mut self, id: Id, number: u32, ret: TypeId) {
        let of_float = matches!(self.m.program.arithmetic(ret), Some((Scalar::Float, _)));
        if of_float && number <= LAST_MATH && self.m.options.math.fast_relaxed_math {
            self.fast_math(id);
        }
    }

    /// A call of a builtin function.
    pub fn builtin(&mut self, builtin: &'a Builtin, args: &'a [Expr]) -> Emit<Id> {
        if let BuiltinOp::WorkItem { variable, indexed, out_of_range } = builtin.op {
            return self.work_item(variable, indexed, out_of_range, args, builtin.ret);
        }
        if let BuiltinOp::OfBlock { op } = builtin.op {
            return self.function_of_block(op, builtin, args);
        }
        let mut ids = Vec::with_capacity(args.len());
        for arg in args {
            ids.push(self.rvalue(arg)?);
        }
        let ty = self.m.value_type(builtin.ret)?;
        let words: Vec<u32> = ids.iter().map(|id| id.0).collect();
        match builtin.op {
            BuiltinOp::ExtInst(number) => {
                let id = self.ext(number, ty, &words);
                self.relax(id, number, builtin.ret);
                Ok(id)
            }
            BuiltinOp::ExtInstLanes(number) => {
                let (_, lanes) = self.m.arithmetic(builtin.ret)?;
                let operands = [&words[..], &[lanes.into()]].concat();
                Ok(self.ext(number, ty, &operands))
            }
            BuiltinOp::ExtInstRounded(number, rounding) => {
                let operands = [&words[..], &[rounding_mode(rounding)]].concat();
                Ok(self.ext(number, ty, &operands))
            }
            BuiltinOp::Op(op) => self.core(op, ty, builtin, &words),
            BuiltinOp::Relational(op) => {
                let (_, lanes) = self.m.arithmetic(builtin.ret)?;
                let bools = self.m.vector_type(Scalar::Bool, lanes);
                let truth = self.op(op, bools, &words);
                self.bool_to_int(truth, builtin.ret)
            }
            BuiltinOp::AnyAll(op) => self.any_all(op, &ids, args, builtin.ret),
            BuiltinOp::Select => self.select(&ids, args, ty),
            BuiltinOp::Convert { saturate, rounding } => match (&ids[..], args) {
                ([value], [arg]) => {
                    self.convert_mode(*value, arg.ty.ty, builtin.ret, Mode { saturate, rounding })
                }
                _ => self.wrong_arguments(builtin),
            },
            BuiltinOp::AsType => match (&ids[..], args) {
                ([value], [arg]) => self.bitcast(*value, arg.ty.ty, builtin.ret),
                _ => self.wrong_arguments(builtin),
            },
            BuiltinOp::Barrier => self.barrier(&ids, builtin),
            BuiltinOp::MemFence { semantics } => self.fence(&ids, semantics),
            BuiltinOp::Atomic(op) => self.atomic(op, &ids, args, ty, builtin),
            BuiltinOp::AtomicC11 { .. } => self.atomic_c11(&ids, args, builtin),
            BuiltinOp::AsyncCopy { strided } => self.async_copy(strided, &ids, ty, builtin),
            BuiltinOp::WaitGroupEvents => match &ids[..] {
                [count, list] => {
                    let scope = self.m.word(Scope::Workgroup as u32);
                    self.op_void(Op::GroupWaitEvents, &[scope.0, count.0, list.0]);
                    Ok(super::expr::NO_VALUE)
                }
                _ => self.wrong_arguments(builtin),
            },
            BuiltinOp::Prefetch => Ok(self.ext(PREFETCH, ty, &words)),
            BuiltinOp::Shuffle { two } => Ok(self.ext(if two { SHUFFLE2 } else { SHUFFLE }, ty, &words)),
            BuiltinOp::Image(op) => self.image(op, &ids, args, builtin),
            BuiltinOp::AsyncCopyLines { .. } => self.async_copy_lines(&ids, ty, builtin),
            BuiltinOp::ToSpace(space) => self.pointer_to_space(space, &ids, ty, builtin),
            BuiltinOp::GetFence => self.get_fence(&ids, ty, builtin),
            BuiltinOp::Collective(what) => self.collective(what, &ids, args, builtin),
            BuiltinOp::IntegerDot { op, packed, swapped } => {
                self.integer_dot((op, packed, swapped), &words, ty, builtin)
            }
            BuiltinOp::Clock(scope) => {
                self.m.b.capability(Capability::ShaderClockKHR);
                self.m.b.extension("SPV_KHR_shader_clock");
                let scope = self.m.word(scope as u32).0;
                Ok(self.op(Op::ReadClockKHR, ty, &[scope]))
            }
            BuiltinOp::Pipe { op, group } => self.pipe(op, group, &ids, ty, builtin),
            BuiltinOp::NdRange { dimensions } => self.nd_range(dimensions, &ids, args, ty, builtin),
            BuiltinOp::ConstantInt(value) => {
                let (scalar, lanes) = self.m.arithmetic(builtin.ret)?;
                Ok(self.m.lanes_constant(scalar, lanes, value))
            }
            BuiltinOp::WorkItem { .. } | BuiltinOp::OfBlock { .. } => self.wrong_arguments(builtin),
        }
    }

    pub fn wrong_arguments<T>(&mut self, builtin: &Builtin) -> Emit<T> {
        self.m.bug(&format!("'{}' with arguments that its table entry does not have", builtin.name))
    }

    fn core(&mut self, op: Op, ty: Id, builtin: &Builtin, words: &[u32]) -> Emit<Id> {
        if let Some((capability, extension)) = needs(op) {
            self.m.b.capability(capability);
            if let Some(extension) = extension {
                self.m.b.extension(extension);
            }
        }
        let scalar = builtin.params.first().and_then(|p| self.m.program.arithmetic(*p));
        let op = match (op, scalar) {
            // OpDot is for vectors.
            (Op::Dot, Some((_, 1))) => Op::FMul,
            _ => op,
        };
        self.with_or_without_result(op, ty, builtin, words)
    }

    /// A dot product of bytes (§6.15.3), SPV_KHR_integer_dot_product.
    fn integer_dot(
        &mut self,
        (op, packed, swapped): (Op, bool, bool),
        words: &[u32],
        ty: Id,
        builtin: &Builtin,
    ) -> Emit<Id> {
        let [a, b, accumulator @ ..] = words else { return self.wrong_arguments(builtin) };
        self.m.b.capability(Capability::DotProduct);
        self.m.b.capability(match packed {
            true => Capability::DotProductInput4x8BitPacked,
            false => Capability::DotProductInput4x8Bit,
        });
        self.m.b.extension("SPV_KHR_integer_dot_product");
        let mut operands = if swapped { vec![*b, *a] } else { vec![*a, *b] };
        operands.extend_from_slice(accumulator);
        if packed {
            operands.push(PackedVectorFormat::PackedVectorFormat4x8Bit as u32);
        }
        Ok(self.op(op, ty, &operands))
    }

    /// `any`, `all`: of the most significant bits.
    fn any_all(&mut self, op: Op, ids: &[Id], args: &[Expr], ret: TypeId) -> Emit<Id> {
        let ([value], [arg]) = (ids, args) else { return self.m.bug("any or all without one argument") };
        let bits = self.sign_bits(*value, arg.ty.ty)?;
        let (_, lanes) = self.m.arithmetic(arg.ty.ty)?;
        let truth = if lanes == 1 {
            bits
        } else {
            let ty = self.m.bool_type();
            self.op(op, ty, &[bits.0])
        };
        self.bool_to_int(truth, ret)
    }

    /// `select(a, b, c)`: `c ? b : a`.
    fn select(&mut self, ids: &[Id], args: &[Expr], ty: Id) -> Emit<Id> {
        let (&[a, b, c], [_, _, cond]) = (ids, args) else {
            return self.m.bug("select without three arguments");
        };
        let (scalar, lanes) = self.m.arithmetic(cond.ty.ty)?;
        let truth = if lanes == 1 {
            self.truth(c, cond.ty.ty)?
        } else {
            let signed = Scalar::signed_of_size(scalar.size());
            let bools = self.m.vector_type(Scalar::Bool, lanes);
            let zero = self.m.lanes_constant(signed, lanes, 0);
            self.op(Op::SLessThan, bools, &[c.0, zero.0])
        };
        Ok(self.op(Op::Select, ty, &[truth.0, b.0, a.0]))
    }

    /// `barrier(flags)` and `work_group_barrier(flags, scope)` (§6.15.8).
    fn barrier(&mut self, ids: &[Id], builtin: &Builtin) -> Emit<Id> {
        let Some(flags) = ids.first() else { return self.wrong_arguments(builtin) };
        let memory = fenced(self.m.known(*flags));
        let semantics = match memory {
            memory if memory.is_empty() => memory,
            memory => memory | MemorySemantics::ACQUIRE_RELEASE,
        };
        let execution =
            if builtin.name.starts_with("sub_group") { Scope::Subgroup } else { Scope::Workgroup };
        // A scope that is not known may be the widest that a fence can have on one device.
        let memory_scope = match ids.get(1) {
            Some(given) => self.m.known(*given).map_or(Scope::Device, scope),
            None => execution,
        };
        let [execution_id, scope_id] = [execution, memory_scope].map(|value| self.m.word(value as u32).0);
        let semantics = match self.m.known(*flags) {
            None if execution == Scope::Workgroup => {
                let (computed, all) = (self.computed_semantics(*flags), self.m.word(semantics.bits()));
                self.m.computed_semantics.push((computed, all));
                computed.0
            }
            _ => self.m.word(semantics.bits()).0,
        };
        self.op_void(Op::ControlBarrier, &[execution_id, scope_id, semantics]);
        Ok(super::expr::NO_VALUE)
    }

    /// The memory semantics of flags that are computed: kernels have such (SPIR-V §3.26), and checks compare them.
    fn computed_semantics(&mut self, flags: Id) -> Id {
        let ty = self.m.int_type(32);
        let mut both = self.m.word(MemorySemantics::ACQUIRE_RELEASE.bits());
        // Local and global memory: bits 0 and 1 to bits 8 and 9. Images: bit 2 to bit 11.
        for (bits, by) in [(3, 8), (4, 9)] {
            let (bits, by) = (self.m.word(bits), self.m.word(by));
            let kept = self.op(Op::BitwiseAnd, ty, &[flags.0, bits.0]);
            let moved = self.op(Op::ShiftLeftLogical, ty, &[kept.0, by.0]);
            both = self.op(Op::BitwiseOr, ty, &[both.0, moved.0]);
        }
        both
    }

    /// `mem_fence(flags)` and its kin, `atomic_work_item_fence(flags, order, scope)`.
    fn fence(&mut self, ids: &[Id], semantics: u32) -> Emit<Id> {
        let Some(flags) = ids.first() else { return self.m.bug("a fence without flags") };
        let flags = self.m.known(*flags);
        let memory = fenced(flags);
        // Programs pass values between work-groups with mem_fence and atomics: device scope for global.
        let default = if memory.contains(MemorySemantics::CROSS_WORKGROUP_MEMORY) {
            Scope::Device
        } else {
            Scope::Workgroup
        };
        let order = match ids.get(1).map(|order| self.m.known(*order)) {
            None => semantics,
            Some(Some(0)) => return Ok(super::expr::NO_VALUE),
            Some(known) => order(known).bits(),
        };
        let scope = match ids.get(2) {
            Some(given) => self.m.known(*given).map_or(Scope::Device, scope),
            None => default,
        };
        if !memory.is_empty() {
            let operands = [scope as u32, order | memory.bits()].map(|value| self.m.word(value).0);
            self.op_void(Op::MemoryBarrier, &operands);
        }
        Ok(super::expr::NO_VALUE)
    }

    /// The 1.x atomics: relaxed; of the device, or the work-group for local memory.
    fn atomic(&mut self, op: Op, ids: &[Id], args: &[Expr], ty: Id, builtin: &Builtin) -> Emit<Id> {
        let (Some(pointer), Some(arg)) = (ids.first(), args.first()) else {
            return self.wrong_arguments(builtin);
        };
        let pointee = self.m.program.types.pointee(arg.ty.ty);
        let local = pointee.is_some_and(|p| p.space == AddressSpace::Local);
        if pointee.and_then(|p| self.m.program.types.layout(p.ty)).is_some_and(|l| l.size == 8) {
            self.m.b.capability(Capability::Int64Atomics);
        }
        let scope = self.m.word(if local { Scope::Workgroup } else { Scope::Device } as u32).0;
        let relaxed = self.m.word(0).0;
        let operands = match (op, ids) {
            (Op::AtomicCompareExchange, [_, compare, value]) => {
                vec![pointer.0, scope, relaxed, relaxed, value.0, compare.0]
            }
            (Op::AtomicIIncrement | Op::AtomicIDecrement | Op::AtomicLoad, [_]) => {
                vec![pointer.0, scope, relaxed]
            }
            (Op::AtomicStore, [_, value]) => {
                self.op_void(op, &[pointer.0, scope, relaxed, value.0]);
                return Ok(super::expr::NO_VALUE);
            }
            (_, [_, value]) => vec![pointer.0, scope, relaxed, value.0],
            _ => return self.wrong_arguments(builtin),
        };
        Ok(self.op(op, ty, &operands))
    }
}
