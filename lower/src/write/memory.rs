//! Loads, stores, and the pointers of atomics.

use super::function::Body;
use super::roots::Access;
use super::usage::Elem;
use super::{KernelState, Writer};
use crate::error::LowerError;
use crate::ir::{MemFlags, Place, Root, Scalar, Type, Value};
use spirv_io::spirv::{Capability, Decoration, Op, StorageClass};
use spirv_io::{Id, Section};

const VOLATILE: u32 = 0x1;
const ALIGNED: u32 = 0x2;
const NON_PRIVATE: u32 = 0x20;

/// A pointer ready for OpLoad or OpStore.
struct Pointer {
    id: Id,
    class: StorageClass,
}

impl Writer<'_> {
    pub(super) fn load(
        &mut self,
        body: &mut Body<'_>,
        state: &mut KernelState,
        place: &Place,
        ty: Type,
        flags: MemFlags,
    ) -> Result<Id, LowerError> {
        let (elem, access, index) = match self.resolve_place(body, state, place, ty)? {
            Resolved::Address(address) => {
                let pointer = self.address_pointer(address, ty, flags, state)?;
                return self.load_from(&pointer, ty, flags);
            }
            Resolved::Element(elem, access, index) => (elem, access, index),
        };
        match access {
            Access::Cells { var, class, elem: cell, single } if cell != elem => {
                let cell_type = Type::of(cell.0, cell.1);
                let lanes = u32::from(elem.1);
                let mut pieces = Vec::new();
                for lane in 0..lanes {
                    let pointer =
                        self.cell_pointer(body, (var, class, single), cell, (index, lanes, lane))?;
                    let piece = self.load_from(&pointer, cell_type, flags)?;
                    pieces.push(self.recast(piece, cell_type, Type::Scalar(elem.0))?.0);
                }
                if let [one] = pieces[..] {
                    return Ok(Id(one));
                }
                let id = self.ty(ty)?;
                Ok(self.code_result(Op::CompositeConstruct, id, &pieces))
            }
            access => {
                let pointer = self.element_pointer(body, state, &access, elem, index)?;
                self.load_from(&pointer, ty, flags)
            }
        }
    }

    pub(super) fn store(
        &mut self,
        body: &mut Body<'_>,
        state: &mut KernelState,
        place: &Place,
        value: Value,
        flags: MemFlags,
    ) -> Result<(), LowerError> {
        let ty = body.function.ty(value);
        let id = self.val(body, value)?;
        let (elem, access, index) = match self.resolve_place(body, state, place, ty)? {
            Resolved::Address(address) => {
                let pointer = self.address_pointer(address, ty, flags, state)?;
                return self.store_to(&pointer, id, ty, flags);
            }
            Resolved::Element(elem, access, index) => (elem, access, index),
        };
        match access {
            Access::Cells { var, class, elem: cell, single } if cell != elem => {
                let cell_type = Type::of(cell.0, cell.1);
                let lanes = u32::from(elem.1);
                let scalar_type = self.scalar_type(elem.0)?;
                for lane in 0..lanes {
                    let pointer =
                        self.cell_pointer(body, (var, class, single), cell, (index, lanes, lane))?;
                    let piece = if lanes == 1 {
                        id
                    } else {
                        self.code_result(Op::CompositeExtract, scalar_type, &[id.0, lane])
                    };
                    let piece = self.recast(piece, Type::Scalar(elem.0), cell_type)?;
                    self.store_to(&pointer, piece, cell_type, flags)?;
                }
                Ok(())
            }
            access => {
                let pointer = self.element_pointer(body, state, &access, elem, index)?;
                self.store_to(&pointer, id, ty, flags)
            }
        }
    }

    /// The pointer that an atomic on `scalar` works on.
    pub(super) fn atomic_pointer(
        &mut self,
        body: &mut Body<'_>,
        state: &mut KernelState,
        place: &Place,
        scalar: Scalar,
    ) -> Result<Id, LowerError> {
        let mut place = *place;
        if let Place::Element { scalar: seen, lanes, root, .. } = &mut place {
            if *lanes != 1 || matches!(root, Root::Slot(_)) {
                return Err(self.bug("an atomic on a vector or in private memory"));
            }
            *seen = scalar;
        }
        match self.resolve_place(body, state, &place, Type::Scalar(scalar))? {
            Resolved::Address(address) => {
                let flags = MemFlags { align: scalar.bytes(), volatile: false };
                Ok(self.address_pointer(address, Type::Scalar(scalar), flags, state)?.id)
            }
            Resolved::Element(elem, access, index) => match access {
                Access::Cells { elem: cell, .. } if cell != elem => {
                    Err(self.not_yet("atomics on local memory that is also accessed as another type"))
                }
                access => Ok(self.element_pointer(body, state, &access, elem, index)?.id),
            },
        }
    }

    fn resolve_place(
        &mut self,
        body: &mut Body<'_>,
        state: &KernelState,
        place: &Place,
        ty: Type,
    ) -> Result<Resolved, LowerError> {
        match place {
            Place::Pointer(_) => Err(self.bug("a pointer value is left")),
            Place::Address(address) => {
                if body.function.ty(*address) != Type::I64 {
                    return Err(self.bug("an address that is no i64"));
                }
                Ok(Resolved::Address(self.val(body, *address)?))
            }
            Place::Element { root, scalar, lanes, index } => {
                if Type::of(*scalar, *lanes) != ty {
                    return Err(self.bug(format_args!("an access of {ty} to elements of another type")));
                }
                let access = match root {
                    Root::Slot(slot) => body.slots.get(slot),
                    root => state.roots.get(root),
                };
                let access = access.cloned().ok_or_else(|| self.bug("an access to an unknown memory"))?;
                Ok(Resolved::Element((*scalar, *lanes), access, *index))
            }
        }
    }

    fn element_pointer(
        &mut self,
        body: &mut Body<'_>,
        state: &mut KernelState,
        access: &Access,
        elem: Elem,
        index: Value,
    ) -> Result<Pointer, LowerError> {
        match access {
            Access::Buffer(views) => {
                let view = views.iter().find(|(e, _)| *e == elem);
                let Some((_, var)) = view else { return Err(self.bug("a buffer view was not declared")) };
                self.member_pointer(body, *var, StorageClass::StorageBuffer, elem, index)
            }
            Access::PushWords(var) => {
                self.only_words(elem)?;
                self.member_pointer(body, *var, StorageClass::PushConstant, elem, index)
            }
            Access::AddressedWords(var) => {
                self.only_words(elem)?;
                let base = self.pushed_address(*var)?;
                let index = self.index(body, index, 4, 0)?;
                let long = self.ty(Type::I64)?;
                let offset = self.code_result(Op::UConvert, long, &[index.0]);
                let address = self.code_result(Op::IAdd, long, &[base.0, offset.0]);
                self.address_pointer(address, Type::I32, MemFlags { align: 4, volatile: false }, state)
            }
            Access::Cells { var, class, single, .. } => {
                self.cell_pointer(body, (*var, *class, *single), elem, (index, 1, 0))
            }
        }
    }

    fn only_words(&self, elem: Elem) -> Result<(), LowerError> {
        if elem == (Scalar::I32, 1) {
            Ok(())
        } else {
            Err(self.bug("the argument block is read as words only"))
        }
    }

    /// Element `index` of a block's only member.
    fn member_pointer(
        &mut self,
        body: &mut Body<'_>,
        var: Id,
        class: StorageClass,
        elem: Elem,
        index: Value,
    ) -> Result<Pointer, LowerError> {
        let ty = self.ty(Type::of(elem.0, elem.1))?;
        let pointer = self.pointer(class, ty);
        let zero = self.u32_const(0);
        let index = self.index(body, index, 1, 0)?;
        let id = self.code_result(Op::AccessChain, pointer, &[var.0, zero.0, index.0]);
        Ok(Pointer { id, class })
    }

    /// Cell `index` × `factor` + `plus` of a variable.
    fn cell_pointer(
        &mut self,
        body: &mut Body<'_>,
        (var, class, single): (Id, StorageClass, bool),
        cell: Elem,
        (index, factor, plus): (Value, u32, u32),
    ) -> Result<Pointer, LowerError> {
        if single {
            return Ok(Pointer { id: var, class });
        }
        let ty = self.ty(Type::of(cell.0, cell.1))?;
        let pointer = self.pointer(class, ty);
        let index = self.index(body, index, factor, plus)?;
        let id = self.code_result(Op::AccessChain, pointer, &[var.0, index.0]);
        Ok(Pointer { id, class })
    }

    /// `index` × `factor` + `plus` as a 32-bit integer, folded where it is constant.
    fn index(&mut self, body: &mut Body<'_>, index: Value, factor: u32, plus: u32) -> Result<Id, LowerError> {
        if let Some(bits) = body.function.const_bits(index) {
            return Ok(self.u32_const((bits as u32).wrapping_mul(factor).wrapping_add(plus)));
        }
        let ty = self.u32_type();
        let mut id = self.val(body, index)?;
        match body.function.ty(index) {
            Type::Scalar(Scalar::I32) => {}
            Type::Scalar(Scalar::I64) => id = self.code_result(Op::UConvert, ty, &[id.0]),
            other => return Err(self.bug(format_args!("an index of type {other}"))),
        }
        if factor != 1 {
            let factor = self.u32_const(factor);
            id = self.code_result(Op::IMul, ty, &[id.0, factor.0]);
        }
        if plus != 0 {
            let plus = self.u32_const(plus);
            id = self.code_result(Op::IAdd, ty, &[id.0, plus.0]);
        }
        Ok(id)
    }

    /// The 64-bit address in the first two words of the push constants.
    fn pushed_address(&mut self, var: Id) -> Result<Id, LowerError> {
        let word = self.u32_type();
        let pointer = self.pointer(StorageClass::PushConstant, word);
        let zero = self.u32_const(0);
        let mut halves = Vec::new();
        for half in 0..2 {
            let index = self.u32_const(half);
            let place = self.code_result(Op::AccessChain, pointer, &[var.0, zero.0, index.0]);
            halves.push(self.code_result(Op::Load, word, &[place.0]).0);
        }
        let pair = self.ty(Type::Vector(Scalar::I32, 2))?;
        let pair = self.code_result(Op::CompositeConstruct, pair, &halves);
        let long = self.ty(Type::I64)?;
        Ok(self.code_result(Op::Bitcast, long, &[pair.0]))
    }

    /// A device address as a pointer to `ty`. Without the Vulkan memory model only a member decoration
    /// can say Coherent, so the pointer then goes through a structure.
    fn address_pointer(
        &mut self,
        address: Id,
        ty: Type,
        flags: MemFlags,
        state: &KernelState,
    ) -> Result<Pointer, LowerError> {
        let class = StorageClass::PhysicalStorageBuffer;
        let scalar = ty.scalar().ok_or_else(|| self.bug("a pointer in memory is left"))?;
        if flags.align < scalar.bytes() {
            return Err(self.not_yet(format!("an access of {ty} at an address aligned to {}", flags.align)));
        }
        self.declare_stored(scalar)?;
        let pointee = self.ty(ty)?;
        let pointer = self.pointer(class, pointee);
        if self.vulkan_memory_model() || !state.shares_buffers {
            let id = self.code_result(Op::ConvertUToPtr, pointer, &[address.0]);
            return Ok(Pointer { id, class });
        }
        let block = match self.coherent_blocks.get(&ty) {
            Some(block) => *block,
            None => {
                let block = self.block_of(pointee);
                self.b.member_decorate(block, 0, Decoration::Coherent, &[]);
                self.coherent_blocks.insert(ty, block);
                block
            }
        };
        let to_block = self.pointer(class, block);
        let base = self.code_result(Op::ConvertUToPtr, to_block, &[address.0]);
        let zero = self.u32_const(0);
        let id = self.code_result(Op::AccessChain, pointer, &[base.0, zero.0]);
        Ok(Pointer { id, class })
    }

    fn load_from(&mut self, pointer: &Pointer, ty: Type, flags: MemFlags) -> Result<Id, LowerError> {
        let ty = self.ty(ty)?;
        let mut words = vec![pointer.id.0];
        words.extend(self.memory_operands(pointer.class, flags));
        Ok(self.code_result(Op::Load, ty, &words))
    }

    fn store_to(
        &mut self,
        pointer: &Pointer,
        value: Id,
        ty: Type,
        flags: MemFlags,
    ) -> Result<(), LowerError> {
        debug_assert!(ty.scalar().is_some());
        let mut words = vec![pointer.id.0, value.0];
        words.extend(self.memory_operands(pointer.class, flags));
        self.code(Op::Store, &words);
        Ok(())
    }

    fn memory_operands(&self, class: StorageClass, flags: MemFlags) -> Vec<u32> {
        let mut mask = if flags.volatile { VOLATILE } else { 0 };
        let shared = matches!(
            class,
            StorageClass::StorageBuffer | StorageClass::Workgroup | StorageClass::PhysicalStorageBuffer
        );
        if shared && self.vulkan_memory_model() {
            mask |= NON_PRIVATE;
        }
        if class == StorageClass::PhysicalStorageBuffer {
            return vec![mask | ALIGNED, flags.align];
        }
        if mask == 0 { Vec::new() } else { vec![mask] }
    }

    /// Declares what device addresses need.
    pub(super) fn declare_addresses(&mut self) -> Result<(), LowerError> {
        self.require(self.target.features.buffer_device_address, "bufferDeviceAddress")?;
        self.require(self.target.features.shader_int64, "shaderInt64")?;
        self.b.capability(Capability::PhysicalStorageBufferAddresses);
        self.extension_before((1, 5), "SPV_KHR_physical_storage_buffer");
        Ok(())
    }

    /// Declares a body's private variables; they go at the start of its first block.
    pub(super) fn declare_slots(
        &mut self,
        body: &mut Body<'_>,
        used: &super::usage::KernelUse,
        state: &mut KernelState,
    ) -> Result<(), LowerError> {
        let class = StorageClass::Function;
        for ((func, slot), memory) in &used.slots {
            if *func != body.func {
                continue;
            }
            let Some(data) = body.function.slots.get(*slot) else { return Err(self.bug("no such slot")) };
            let elem = self.cell(memory)?;
            let (ty, single) = self.cells_type(elem, data.size)?;
            let pointer = self.pointer(class, ty);
            let var = self.b.push_result(Section::Functions, Op::Variable, Some(pointer), &[class as u32]);
            if let Some(name) = &data.name {
                self.b.name(var, name);
            }
            let size = u32::try_from(data.size).unwrap_or(u32::MAX);
            state.private_size = state.private_size.saturating_add(size);
            body.slots.insert(*slot, Access::Cells { var, class, elem, single });
        }
        Ok(())
    }
}

/// A place with its values resolved.
enum Resolved {
    Address(Id),
    Element(Elem, Access, Value),
}
