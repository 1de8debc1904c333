//! Barriers, fences and atomics in Vulkan's memory model (SPIR-V §2.20, "Memory Model").
//!
//! Scopes are Device, QueueFamily, Workgroup, Subgroup or Invocation. There is no sequential consistency, and an ordering needs a kind
//! of memory (Vulkan, "Vulkan Environment for SPIR-V").

use super::function::Body;
use super::usage::atomic_scalar;
use super::{KernelState, Writer};
use crate::error::LowerError;
use crate::ir::{AtomicOp, Place, Root, Scalar, Scope, Semantics, Type, Value};
use spirv_io::Id;
use spirv_io::spirv::{Capability, Op};

const ACQUIRE: u32 = 0x2;
const RELEASE: u32 = 0x4;
const ACQUIRE_RELEASE: u32 = 0x8;
const UNIFORM_MEMORY: u32 = 0x40;
const WORKGROUP_MEMORY: u32 = 0x100;
const IMAGE_MEMORY: u32 = 0x800;
const MAKE_AVAILABLE: u32 = 0x2000;
const MAKE_VISIBLE: u32 = 0x4000;

/// A work-item orders nothing for itself alone (VUID-StandaloneSpirv-None-04641).
fn within(scope: Scope, semantics: Semantics) -> Semantics {
    if scope == Scope::Invocation { Semantics::empty() } else { semantics }
}

impl Writer<'_> {
    /// A memory scope, as a constant. Device scope is a separate feature in the Vulkan memory model. A queue family is the widest scope
    /// without it, and enough for one kernel.
    fn scope(&mut self, scope: Scope) -> Id {
        let number = match scope {
            Scope::CrossDevice | Scope::Device if !self.vulkan_memory_model() => 1,
            Scope::CrossDevice | Scope::Device => {
                if self.target.features.vulkan_memory_model_device_scope {
                    self.b.capability(Capability::VulkanMemoryModelDeviceScope);
                    1
                } else {
                    5
                }
            }
            Scope::Workgroup => 2,
            Scope::Subgroup => 3,
            Scope::Invocation => 4,
        };
        self.u32_const(number)
    }

    /// Semantics as Vulkan takes them: sequential consistency becomes acquire and release, and an
    /// order without a kind of memory is none.
    fn semantics(&self, semantics: Semantics, read: bool, write: bool) -> u32 {
        let storage = [
            (Semantics::GLOBAL, UNIFORM_MEMORY),
            (Semantics::LOCAL, WORKGROUP_MEMORY),
            (Semantics::IMAGE, IMAGE_MEMORY),
        ];
        let memory: u32 = storage.iter().filter(|(s, _)| semantics.contains(*s)).map(|(_, bit)| bit).sum();
        let acquire = read && semantics.intersects(Semantics::ACQUIRE | Semantics::SEQ_CST);
        let release = write && semantics.intersects(Semantics::RELEASE | Semantics::SEQ_CST);
        let order = match (acquire, release) {
            (true, true) => ACQUIRE_RELEASE,
            (true, false) => ACQUIRE,
            (false, true) => RELEASE,
            (false, false) => 0,
        };
        if order == 0 || memory == 0 {
            return 0;
        }
        let mut bits = order | memory;
        if self.vulkan_memory_model() {
            bits |= if release { MAKE_AVAILABLE } else { 0 } | if acquire { MAKE_VISIBLE } else { 0 };
        }
        bits
    }

    pub(super) fn barrier(
        &mut self,
        execution: Scope,
        memory: Scope,
        semantics: Semantics,
    ) -> Result<(), LowerError> {
        let scope = match execution {
            Scope::Workgroup => 2,
            Scope::Subgroup if !self.target.quirks.sub_group_barriers_for_groups => 3,
            Scope::Subgroup | Scope::Invocation => {
                self.mem_barrier(memory, semantics);
                return Ok(());
            }
            _ => return Err(self.bug("a barrier wider than a work-group")),
        };
        let execution = self.u32_const(scope);
        let bits = self.semantics(within(memory, semantics), true, true);
        let memory = if bits == 0 { execution } else { self.scope(memory) };
        let semantics = self.u32_const(bits);
        self.code(Op::ControlBarrier, &[execution.0, memory.0, semantics.0]);
        Ok(())
    }

    pub(super) fn mem_barrier(&mut self, memory: Scope, semantics: Semantics) {
        let bits = self.semantics(within(memory, semantics), true, true);
        // A fence of a work-item with itself, or of no memory, orders nothing.
        if bits == 0 {
            return;
        }
        let memory = self.scope(memory);
        let semantics = self.u32_const(bits);
        self.code(Op::MemoryBarrier, &[memory.0, semantics.0]);
    }

    /// A sample of a clock. Without a sub-group clock it is the device's, whose ticks are ordered too.
    pub(super) fn clock(&mut self, scope: Scope, ty: Type) -> Result<Id, LowerError> {
        let f = &self.target.features;
        let own = scope == Scope::Subgroup && f.shader_subgroup_clock;
        self.require(own || f.shader_device_clock, "shaderDeviceClock (VK_KHR_shader_clock)")?;
        self.b.capability(Capability::ShaderClockKHR);
        self.b.extension("SPV_KHR_shader_clock");
        let scope = self.u32_const(if own { 3 } else { 1 });
        let ty = self.ty(ty)?;
        Ok(self.code_result(Op::ReadClockKHR, ty, &[scope.0]))
    }

    /// An atomic. Float atomics that only move bits use integers.
    pub(super) fn atomic(
        &mut self,
        body: &mut Body<'_>,
        state: &mut KernelState,
        atomic: (AtomicOp, Place, &[Value]),
        (scope, semantics): (Scope, Semantics),
        result: Option<Value>,
    ) -> Result<(), LowerError> {
        let (op, place, operands) = atomic;
        let subject = result.or(operands.first().copied());
        let Some(ty) = subject.map(|v| body.function.ty(v)) else {
            return Err(self.bug("an atomic without operands"));
        };
        let Type::Scalar(scalar) = ty else { return Err(self.bug("an atomic on a vector")) };
        let work = atomic_scalar(op, scalar);
        self.declare_atomic(op, work, &place)?;
        let pointer = self.atomic_pointer(body, state, &place, work)?;
        let mut values = Vec::new();
        for value in operands {
            let id = self.val_here(body, *value)?;
            values.push(self.recast(id, ty, Type::Scalar(work))?.0);
        }
        let semantics = within(scope, semantics);
        let scope = self.scope(scope);
        let bits = self.semantics(semantics, op != AtomicOp::Store, op != AtomicOp::Load);
        let order = self.u32_const(bits);
        let mut words = vec![pointer.0, scope.0, order.0];
        if op == AtomicOp::CompareExchange {
            let unequal = self.semantics(semantics, true, false);
            words.push(self.u32_const(unequal).0);
        }
        words.extend(values);
        if op == AtomicOp::Store {
            self.code(Op::AtomicStore, &words);
            return Ok(());
        }
        let work_type = self.scalar_type(work)?;
        let old = self.code_result(atomic_op(op), work_type, &words);
        let old = self.recast(old, Type::Scalar(work), ty)?;
        if let Some(result) = result {
            self.define(body, result, old)?;
        }
        Ok(())
    }

    /// The capabilities of an atomic's type.
    fn declare_atomic(&mut self, op: AtomicOp, scalar: Scalar, place: &Place) -> Result<(), LowerError> {
        let f = &self.target.features;
        let local = matches!(
            place,
            Place::Element { root: Root::LocalArg(_) | Root::LocalArena | Root::Global(_), .. }
        );
        match (op, scalar) {
            (AtomicOp::FAdd, Scalar::F32) => {
                let (present, name) = if local {
                    (f.shader_shared_float32_atomic_add, "shaderSharedFloat32AtomicAdd")
                } else {
                    (f.shader_buffer_float32_atomic_add, "shaderBufferFloat32AtomicAdd")
                };
                self.require(present, name)?;
                self.b.capability(Capability::AtomicFloat32AddEXT);
                self.b.extension("SPV_EXT_shader_atomic_float_add");
            }
            (AtomicOp::FAdd, Scalar::F64) => {
                let (present, name) = if local {
                    (f.shader_shared_float64_atomic_add, "shaderSharedFloat64AtomicAdd")
                } else {
                    (f.shader_buffer_float64_atomic_add, "shaderBufferFloat64AtomicAdd")
                };
                self.require(present, name)?;
                self.b.capability(Capability::AtomicFloat64AddEXT);
                self.b.extension("SPV_EXT_shader_atomic_float_add");
            }
            (AtomicOp::FMin | AtomicOp::FMax, _) => {
                return Err(self.bug("a minimum of floats that nobody tried"));
            }
            (AtomicOp::FAdd, other) => return Err(self.not_yet(format!("atomic addition of {other}"))),
            (_, Scalar::I32) => {}
            (_, Scalar::I64) => {
                let (present, name) = if local {
                    (f.shader_shared_int64_atomics, "shaderSharedInt64Atomics")
                } else {
                    (f.shader_buffer_int64_atomics, "shaderBufferInt64Atomics")
                };
                self.require(present, name)?;
                self.b.capability(Capability::Int64Atomics);
            }
            (_, other) => return Err(self.not_yet(format!("atomics on {other}"))),
        }
        Ok(())
    }
}

fn atomic_op(op: AtomicOp) -> Op {
    match op {
        AtomicOp::Load => Op::AtomicLoad,
        AtomicOp::Store => Op::AtomicStore,
        AtomicOp::Exchange => Op::AtomicExchange,
        AtomicOp::CompareExchange => Op::AtomicCompareExchange,
        AtomicOp::IAdd => Op::AtomicIAdd,
        AtomicOp::ISub => Op::AtomicISub,
        AtomicOp::UMin => Op::AtomicUMin,
        AtomicOp::UMax => Op::AtomicUMax,
        AtomicOp::SMin => Op::AtomicSMin,
        AtomicOp::SMax => Op::AtomicSMax,
        AtomicOp::And => Op::AtomicAnd,
        AtomicOp::Or => Op::AtomicOr,
        AtomicOp::Xor => Op::AtomicXor,
        AtomicOp::FAdd => Op::AtomicFAddEXT,
        AtomicOp::FMin => Op::AtomicFMinEXT,
        AtomicOp::FMax => Op::AtomicFMaxEXT,
    }
}
