//! Pipes and device-side enqueue (SPIR-V §3.42.20 "Device-Side Enqueue Instructions", §3.42.23 "Pipe Instructions").

use super::error::Emit;
use super::function::FunctionEmitter;
use super::module::Module;
use crate::builtins::Builtin;
use crate::hir::Expr;
use crate::types::{AddressSpace, ImageAccess, Opaque, Type};
use spirv_io::Id;
use spirv_io::spirv::{AccessQualifier, Capability, MemoryAccess, Op, Scope};

impl Module<'_> {
    /// An opaque type of OpenCL C 2.0.
    pub fn opaque_type(&mut self, opaque: Opaque) -> Id {
        match opaque {
            Opaque::ReserveId => {
                self.b.capability(Capability::Pipes);
                self.b.unique(Op::TypeReserveId, None, &[])
            }
            Opaque::Queue => {
                self.b.capability(Capability::DeviceEnqueue);
                self.b.unique(Op::TypeQueue, None, &[])
            }
            Opaque::ClkEvent => {
                self.b.capability(Capability::DeviceEnqueue);
                self.b.unique(Op::TypeDeviceEvent, None, &[])
            }
            // OpBuildNDRange says what it consists of: the number of dimensions, offset, global and local size.
            Opaque::NdRange => {
                self.b.capability(Capability::DeviceEnqueue);
                let dimensions = self.int_type(32);
                let size = self.size_type();
                let sizes = self.array_of(size, 3);
                self.b.unique(Op::TypeStruct, None, &[dimensions.0, sizes.0, sizes.0, sizes.0])
            }
        }
    }

    /// OpTypePipe, which does not say what the packets are.
    pub fn pipe_type(&mut self, access: ImageAccess) -> Id {
        self.b.capability(Capability::Pipes);
        let access = match access {
            ImageAccess::WriteOnly => AccessQualifier::WriteOnly,
            ImageAccess::ReadOnly | ImageAccess::ReadWrite => AccessQualifier::ReadOnly,
        };
        self.b.unique(Op::TypePipe, None, &[access as u32])
    }
}

impl FunctionEmitter<'_, '_> {
    /// A function of a pipe: its operands, then the size and alignment of a packet.
    pub fn pipe(&mut self, op: Op, group: Option<Scope>, ids: &[Id], ty: Id, builtin: &Builtin) -> Emit<Id> {
        let pipe = builtin.params.first().map(|p| self.m.program.types.get(*p).clone());
        let Some(Type::Pipe(packet, _)) = pipe else { return self.wrong_arguments(builtin) };
        let (size, align) = (self.m.size_of(packet)?, self.m.align_of(packet)?);
        let Ok(size) = u32::try_from(size) else {
            return self.m.fail("object-too-large", "the packets of a pipe are too large");
        };
        self.m.b.capability(Capability::Pipes);
        let mut operands = Vec::with_capacity(ids.len() + 3);
        operands.extend(group.map(|scope| self.m.word(scope as u32).0));
        operands.extend(ids.iter().map(|id| id.0));
        operands.extend([self.m.word(size).0, self.m.word(align).0]);
        self.with_or_without_result(op, ty, builtin, &operands)
    }

    /// An instruction that has a result only where the function has one.
    pub fn with_or_without_result(
        &mut self,
        op: Op,
        ty: Id,
        builtin: &Builtin,
        operands: &[u32],
    ) -> Emit<Id> {
        if *self.m.program.types.get(builtin.ret) == Type::Void {
            self.op_void(op, operands);
            return Ok(super::expr::NO_VALUE);
        }
        Ok(self.op(op, ty, operands))
    }

    /// `ndrange_1D` and its kin: sizes, or pointers to arrays of them; global, then local, then the offset.
    pub fn nd_range(
        &mut self,
        dimensions: u8,
        ids: &[Id],
        args: &[Expr],
        ty: Id,
        builtin: &Builtin,
    ) -> Emit<Id> {
        self.m.b.capability(Capability::DeviceEnqueue);
        let size = self.m.size_type();
        let kind = if dimensions == 1 { size } else { self.m.array_of(size, dimensions.into()) };
        let mut values = Vec::with_capacity(3);
        for (id, arg) in ids.iter().zip(args) {
            let value = match self.m.program.types.pointee(arg.ty.ty) {
                Some(pointee) => self.sizes(*id, kind, pointee.space),
                None => *id,
            };
            values.push(value.0);
        }
        let none = self.m.null(kind).0;
        let operands = match values[..] {
            [global] => [global, none, none],
            [global, local] => [global, local, none],
            [offset, global, local] => [global, local, offset],
            _ => return self.wrong_arguments(builtin),
        };
        Ok(self.op(Op::BuildNDRange, ty, &operands))
    }

    /// The array of sizes that a pointer to the first of them points to.
    fn sizes(&mut self, pointer: Id, array: Id, space: AddressSpace) -> Id {
        let ty = self.m.pointer_to(space, array);
        let pointer = self.op(Op::Bitcast, ty, &[pointer.0]);
        let align = self.m.address_bits() / 8;
        self.op(Op::Load, array, &[pointer.0, MemoryAccess::ALIGNED.bits(), align])
    }
}
