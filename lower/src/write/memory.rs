//! Loads, stores, and the pointers of atomics.

use super::function::Body;
use super::roots::Access;
use super::usage::Elem;
use super::{KernelState, Writer};
use crate::error::LowerError;
use crate::ir::{Constant, MemFlags, Place, Root, Scalar, Semantics, Type, Value};
use crate::kernel_info::{BlockSource, SpecialisedWord};
use spirv_io::spirv::{Capability, Decoration, Op, StorageClass};
use spirv_io::{Id, Section};

const VOLATILE: u32 = 0x1;
const ALIGNED: u32 = 0x2;
const NON_PRIVATE: u32 = 0x20;

/// A pointer ready for OpLoad or OpStore.
struct Pointer {
    id: Id,
    class: StorageClass,
    /// The access takes part in the order between work-items.
    ordered: bool,
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
            Resolved::Address(address, op) => {
                if let Some(pointer) = self.element_of_buffer(body, place, ty, flags, state)? {
                    return self.load_from(&pointer, ty, flags);
                }
                let unwritten = match place {
                    Place::Address(value) => !flags.volatile && self.is_unwritten(body, *value, state),
                    _ => false,
                };
                let pointer = self.address_pointer((address, op), ty, flags, unwritten, state)?;
                return self.load_from(&pointer, ty, flags);
            }
            Resolved::Element(elem, access, index) => (elem, access, index),
        };
        let pointer = self.element_pointer(body, state, &access, elem, index)?;
        let loaded = self.load_from(&pointer, ty, flags)?;
        match place {
            Place::Element { root: Root::Block, scalar: Scalar::I32, lanes: 1, .. }
                if self.module.specialised =>
            {
                self.specialised_or_loaded(body, state, index, loaded)
            }
            _ => Ok(loaded),
        }
    }

    /// A word of the argument block, loaded or specialised.
    fn specialised_or_loaded(
        &mut self,
        body: &Body<'_>,
        state: &mut KernelState,
        index: Value,
        loaded: Id,
    ) -> Result<Id, LowerError> {
        let kernel = self.module.kernels.iter().find(|k| k.func == state.func);
        let plan = kernel.and_then(|k| k.plan.as_ref());
        let (Some(plan), Some(index)) = (plan, body.function.const_bits(index)) else { return Ok(loaded) };
        let offset = u32::try_from(index * 4).unwrap_or(u32::MAX);
        let source = plan.block.members.iter().find(|m| m.offset == offset).map(|m| m.source);
        let is_specialised = |source: &BlockSource| match source {
            BlockSource::ImageFormat(_) | BlockSource::Sampler(_) => true,
            BlockSource::DispatchSize(_) => true,
            source => source.is_start() && self.target.quirks.bounded_ids,
        };
        let Some(source) = source.filter(is_specialised) else { return Ok(loaded) };
        let constant = match state.specialised.get(&offset) {
            Some((constant, _)) => *constant,
            None => {
                let (constant, id) = self.word_constant(&format!("told.{offset}"), SpecialisedWord::UNSET);
                state.specialised.insert(offset, (constant, SpecialisedWord { id, source }));
                constant
            }
        };
        let (bool_type, word_type, not) =
            (self.ty(Type::BOOL)?, self.u32_type(), self.u32_const(SpecialisedWord::UNSET));
        let is_specialised = self.code_result(Op::INotEqual, bool_type, &[constant.0, not.0]);
        Ok(self.code_result(Op::Select, word_type, &[is_specialised.0, constant.0, loaded.0]))
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
            Resolved::Address(address, op) => {
                let pointer = match self.element_of_buffer(body, place, ty, flags, state)? {
                    Some(pointer) => pointer,
                    None => self.address_pointer((address, op), ty, flags, false, state)?,
                };
                self.store_to(&pointer, id, flags);
                return Ok(());
            }
            Resolved::Element(elem, access, index) => (elem, access, index),
        };
        let pointer = self.element_pointer(body, state, &access, elem, index)?;
        self.store_to(&pointer, id, flags);
        Ok(())
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
            if *lanes != 1 {
                return Err(self.bug("an atomic on a vector"));
            }
            // A generic pointer to private memory: nothing says what atomics do there (OpenCL C §6.15.12).
            if matches!(root, Root::Slot(_)) {
                return Err(self.not_yet("atomic operations on private memory"));
            }
            *seen = scalar;
        }
        match self.resolve_place(body, state, &place, Type::Scalar(scalar))? {
            Resolved::Address(address, op) => {
                let flags = MemFlags { align: scalar.bytes(), volatile: false };
                Ok(self.address_pointer((address, op), Type::Scalar(scalar), flags, false, state)?.id)
            }
            Resolved::Element(elem, access, index) => {
                Ok(self.element_pointer(body, state, &access, elem, index)?.id)
            }
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
                let op = match body.function.ty(*address) {
                    Type::I64 => Op::ConvertUToPtr,
                    Type::Vector(Scalar::I32, 2) => Op::Bitcast,
                    _ => return Err(self.bug("an address that is no i64 and no pair of words")),
                };
                Ok(Resolved::Address(self.val(body, *address)?, op))
            }
            Place::Element { root, scalar, lanes, index } => {
                if Type::new(*scalar, *lanes) != ty {
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
        state: &KernelState,
        access: &Access,
        elem: Elem,
        index: Value,
    ) -> Result<Pointer, LowerError> {
        match access {
            Access::Buffer(views, _) | Access::LocalBlock(views) => {
                let view = views.iter().find(|(e, _)| *e == elem);
                let Some((_, var)) = view else { return Err(self.bug("a view was not declared")) };
                let (class, shared) = match access {
                    Access::Buffer(_, shared) => (StorageClass::StorageBuffer, *shared),
                    _ => (StorageClass::Workgroup, false),
                };
                let id = self.member_pointer(body, *var, class, elem, index)?;
                // Reads and writes through two descriptors are ordered only where they are not private.
                Ok(Pointer { id, class, ordered: shared || is_ordered(class, state) })
            }
            Access::PushWords(var) => {
                self.only_words(elem)?;
                let class = StorageClass::PushConstant;
                let id = self.member_pointer(body, *var, class, elem, index)?;
                Ok(Pointer { id, class, ordered: false })
            }
            Access::Cells { elem: cell, .. } if *cell != elem => {
                Err(self.bug("a variable is seen as two types"))
            }
            Access::Cells { var, class, single: true, .. } => {
                Ok(Pointer { id: *var, class: *class, ordered: is_ordered(*class, state) })
            }
            Access::Cells { var, class, .. } => {
                let ty = self.ty(Type::new(elem.0, elem.1))?;
                let pointer = self.pointer(*class, ty);
                let index = self.index(body, index)?;
                let id = self.code_result(Op::AccessChain, pointer, &[var.0, index.0]);
                Ok(Pointer { id, class: *class, ordered: is_ordered(*class, state) })
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
    ) -> Result<Id, LowerError> {
        let ty = self.ty(Type::new(elem.0, elem.1))?;
        let pointer = self.pointer(class, ty);
        let zero = self.u32_const(0);
        let index = self.index(body, index)?;
        Ok(self.code_result(Op::AccessChain, pointer, &[var.0, zero.0, index.0]))
    }

    /// An index as a 32-bit integer: no memory here has more than 2^31 elements.
    fn index(&mut self, body: &mut Body<'_>, index: Value) -> Result<Id, LowerError> {
        if let Some(bits) = body.function.const_bits(index) {
            return Ok(self.u32_const(bits as u32));
        }
        let id = self.val(body, index)?;
        match body.function.ty(index) {
            Type::Scalar(Scalar::I32) => Ok(id),
            Type::Scalar(Scalar::I64) => {
                let ty = self.u32_type();
                Ok(self.code_result(Op::UConvert, ty, &[id.0]))
            }
            other => Err(self.bug(format_args!("an index of type {other}"))),
        }
    }

    /// Returns whether nothing writes the memory at an address of the kernel's own function, and the driver may rely on it.
    fn is_unwritten(&self, body: &Body<'_>, address: Value, state: &KernelState) -> bool {
        state.func == body.func
            && !self.distrusts_non_writable()
            && state.addresses.unwritten.contains(&address)
    }

    /// Converts a device address to a pointer to `ty` by the given operation. Only a member decoration can say NonWritable (which lets
    /// RADV load by scalars) and, without the Vulkan memory model, Coherent. Such a pointer points to a structure.
    fn address_pointer(
        &mut self,
        (address, op): (Id, Op),
        ty: Type,
        flags: MemFlags,
        unwritten: bool,
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
        let coherent = !self.vulkan_memory_model() && state.shares_buffers;
        let ordered = is_ordered(class, state);
        if !unwritten && !coherent {
            let id = self.code_result(op, pointer, &[address.0]);
            return Ok(Pointer { id, class, ordered });
        }
        let block = match self.member_blocks.get(&(ty, unwritten)) {
            Some(block) => *block,
            None => {
                let block = self.block_of(pointee);
                let decoration = if unwritten { Decoration::NonWritable } else { Decoration::Coherent };
                self.b.member_decorate(block, 0, decoration, &[]);
                self.member_blocks.insert((ty, unwritten), block);
                block
            }
        };
        let to_block = self.pointer(class, block);
        let base = self.code_result(op, to_block, &[address.0]);
        let zero = self.u32_const(0);
        let id = self.code_result(Op::AccessChain, pointer, &[base.0, zero.0]);
        Ok(Pointer { id, class, ordered })
    }

    /// An access at a buffer's address as an access to an array element, for drivers that prefer it.
    fn element_of_buffer(
        &mut self,
        body: &mut Body<'_>,
        place: &Place,
        ty: Type,
        flags: MemFlags,
        state: &KernelState,
    ) -> Result<Option<Pointer>, LowerError> {
        let wanted = self.target.quirks.prefers_array_elements && self.vulkan_memory_model();
        let (Place::Address(address), Some(scalar)) = (place, ty.scalar()) else { return Ok(None) };
        let size = scalar.bytes() * u32::from(ty.lanes());
        if !wanted || ty.lanes() == 3 || flags.align < size || body.function.ty(*address) != Type::I64 {
            return Ok(None);
        }
        let Some(found) = body.elements.element_at(body.function, *address, size.into()) else {
            return Ok(None);
        };
        let (base, mut index) = (self.val(body, found.base)?, self.val(body, found.index)?);
        if found.more != 0 {
            let (ty, more) = (self.ty(Type::I64)?, self.constant(Type::I64, Constant::Bits(found.more))?);
            index = self.code_result(Op::IAdd, ty, &[index.0, more.0]);
        }
        state.array_elements.set(true);
        let class = StorageClass::PhysicalStorageBuffer;
        let (pointee, block) = (self.ty(ty)?, self.runtime_block(ty)?);
        let (pointer, to_block) = (self.pointer(class, pointee), self.pointer(class, block));
        let base = self.code_result(Op::ConvertUToPtr, to_block, &[base.0]);
        let zero = self.u32_const(0);
        let id = self.code_result(Op::AccessChain, pointer, &[base.0, zero.0, index.0]);
        Ok(Some(Pointer { id, class, ordered: is_ordered(class, state) }))
    }

    fn load_from(&mut self, pointer: &Pointer, ty: Type, flags: MemFlags) -> Result<Id, LowerError> {
        let ty = self.ty(ty)?;
        let mut words = vec![pointer.id.0];
        words.extend(self.memory_operands(pointer, flags));
        Ok(self.code_result(Op::Load, ty, &words))
    }

    fn store_to(&mut self, pointer: &Pointer, value: Id, flags: MemFlags) {
        let mut words = vec![pointer.id.0, value.0];
        words.extend(self.memory_operands(pointer, flags));
        self.code(Op::Store, &words);
    }

    /// NonPrivatePointer is for what other work-items of the launch may see (Vulkan "Memory Model", "Private vs. Non-Private"): what a
    /// work-item does alone is in program order without it, and between launches the host's barriers order private accesses as well.
    fn memory_operands(&self, pointer: &Pointer, flags: MemFlags) -> Vec<u32> {
        let class = pointer.class;
        let mut mask = if flags.volatile { VOLATILE } else { 0 };
        let shared = matches!(
            class,
            StorageClass::StorageBuffer | StorageClass::Workgroup | StorageClass::PhysicalStorageBuffer
        );
        if shared && self.vulkan_memory_model() && (pointer.ordered || flags.volatile) {
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
        self.require(self.target.has_address_model(), "shaderInt64 or Vulkan 1.2")?;
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
            let (mut ty, single) = self.cells_type(elem, data.size)?;
            let mut size = data.size;
            if let Some(room) = self.target.quirks.private_overruns.filter(|_| !single) {
                size = size.saturating_add(u64::from(room));
                ty = self.cells_type(elem, size)?.0;
            }
            let pointer = self.pointer(class, ty);
            let var = self.b.push_result(Section::Functions, Op::Variable, Some(pointer), &[class as u32]);
            if let Some(name) = &data.name {
                self.b.name(var, name);
            }
            state.private_size = state.private_size.saturating_add(data.size);
            body.slots.insert(*slot, Access::Cells { var, class, elem, single });
        }
        Ok(())
    }
}

/// Returns whether the kernel orders accesses to memory of a class between its work-items.
fn is_ordered(class: StorageClass, state: &KernelState) -> bool {
    match class {
        StorageClass::Workgroup => state.orders.contains(Semantics::LOCAL),
        StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => {
            state.orders.contains(Semantics::GLOBAL)
        }
        _ => false,
    }
}

/// A place with its values resolved.
enum Resolved {
    /// An address, and the operation that makes a pointer of it.
    Address(Id, Op),
    Element(Elem, Access, Value),
}
