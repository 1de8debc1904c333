//! Lvalues: where objects are, and how they are read and written.

use super::analysis::value_root;
use super::error::Emit;
use super::function::{FunctionEmitter, Slot};
use crate::hir::{Expr, ExprKind, LocalId};
use crate::types::{AddressSpace, QualType, RecordId, Scalar, Type, TypeId, Types};
use smallvec::SmallVec;
use spirv_io::Id;
use spirv_io::spirv::{MemoryAccess, Op};

/// An object in memory. `ptr` points to `ty`'s memory type, in the storage class of `space`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub ptr: Id,
    pub ty: TypeId,
    pub space: AddressSpace,
    /// Bytes.
    pub align: u32,
    pub volatile: bool,
}

/// What an lvalue designates: an object, or components of a vector object.
#[derive(Debug, Clone)]
pub(super) enum Reference {
    Whole(Place),
    /// The chosen components, in order.
    Components(Place, SmallVec<[u8; 16]>),
    /// One component, chosen at run time.
    Dynamic(Place, Id),
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// A place in private memory with the natural alignment of its type.
    pub fn private_place(&mut self, ptr: Id, ty: QualType) -> Emit<Place> {
        let align = self.m.align_of(ty.ty)?;
        Ok(Place { ptr, ty: ty.ty, space: AddressSpace::Private, align, volatile: ty.is_volatile })
    }

    /// The variable of a local.
    pub fn local_place(&mut self, local: LocalId) -> Emit<Place> {
        let ptr = self.local_variable(local)?;
        let declared = &self.f.locals[local.0 as usize];
        let mut place = self.private_place(ptr, declared.ty)?;
        place.align = place.align.max(declared.aligned.unwrap_or(1));
        Ok(place)
    }

    /// Returns where an lvalue that is a whole object is.
    pub fn place(&mut self, lvalue: &'a Expr) -> Emit<Place> {
        match self.reference(lvalue)? {
            Reference::Whole(place) => Ok(place),
            Reference::Components(vector, components) if components.len() == 1 => {
                let index = self.m.word(components[0].into());
                self.component_place(&vector, index)
            }
            Reference::Dynamic(vector, index) => self.component_place(&vector, index),
            Reference::Components(..) => {
                self.m.at = lvalue.span;
                self.m.fail("unsupported-address", "components of a vector have no address together")
            }
        }
    }

    /// Returns what an lvalue designates.
    pub fn reference(&mut self, lvalue: &'a Expr) -> Emit<Reference> {
        self.enter_expr(lvalue)?;
        let reference = self.reference_inner(lvalue);
        self.depth -= 1;
        reference
    }

    fn reference_inner(&mut self, lvalue: &'a Expr) -> Emit<Reference> {
        let mut place = match &lvalue.kind {
            ExprKind::Local(local) => self.local_place(*local)?,
            ExprKind::Global(global) => {
                let ptr = self.m.global(*global)?;
                let (ty, space) = self.m.global_type(*global)?;
                let align = self.m.align_of(ty)?;
                let volatile = self.m.program.globals[global.0 as usize].ty.is_volatile;
                Place { ptr, ty, space, align, volatile }
            }
            ExprKind::Deref(pointer) => self.deref(pointer)?,
            ExprKind::Member { base, field } => {
                let base = self.place(base)?;
                self.member(base, *field)?
            }
            ExprKind::CompoundLiteral { local, init } => {
                self.declare(*local, init)?;
                self.local_place(*local)?
            }
            ExprKind::Swizzle { base, components } => return self.swizzle(base, components),
            ExprKind::VectorElement { base, index } => {
                let base = self.reference(base)?;
                let index = self.rvalue(index)?;
                return self.element(base, index);
            }
            // A value where an object is wanted (a member of a call's result, say): it gets one.
            _ => self.temporary(lvalue)?,
        };
        place.volatile |= lvalue.ty.is_volatile;
        Ok(Reference::Whole(place))
    }

    /// Stores a value in a fresh variable.
    fn temporary(&mut self, expr: &'a Expr) -> Emit<Place> {
        let value = self.rvalue(expr)?;
        let ty = QualType::new(expr.ty.ty);
        let ptr = self.variable(ty, None)?;
        let place = self.private_place(ptr, ty)?;
        self.store(&place, value)?;
        Ok(place)
    }

    fn deref(&mut self, pointer: &'a Expr) -> Emit<Place> {
        let Some(pointee) = self.m.program.types.pointee(pointer.ty.ty) else {
            return self.m.bug("dereference of something that is no pointer");
        };
        if let ExprKind::PointerOffset { pointer: array, index, subtract: false } = &pointer.kind
            && let ExprKind::ArrayDecay(array) = &array.kind
            && !self.m.is_unsized_array(array.ty.ty)
        {
            // `array[index]`: one access chain.
            let array = self.place(array)?;
            let index = self.index(index)?;
            let mut place = self.array_element(&array, index)?;
            place.volatile |= pointee.is_volatile;
            return Ok(place);
        }
        if let ExprKind::AddressOf(lvalue) = &pointer.kind {
            return self.place(lvalue);
        }
        let value = self.rvalue(pointer)?;
        let align = self.m.access_align(pointee)?.min(self.seen_alignment(pointer)?.unwrap_or(u32::MAX));
        let ptr = self.typed_pointer(value, pointee)?;
        let volatile = pointee.is_volatile;
        Ok(Place { ptr, ty: pointee.ty, space: pointee.space, align, volatile })
    }

    /// A pointer value as a pointer to the memory type of what it points to: a cast only for those
    /// that are written as byte pointers.
    pub fn typed_pointer(&mut self, value: Id, pointee: QualType) -> Emit<Id> {
        let have = self.m.pointee_type(pointee)?;
        let want = self.m.memory_type(pointee.ty)?;
        if have == want {
            return Ok(value);
        }
        let ty = self.m.pointer_to(pointee.space, want);
        Ok(self.op(Op::Bitcast, ty, &[value.0]))
    }

    /// The address of a place as a value of pointer type `want`.
    pub fn address(&mut self, place: &Place, want: TypeId) -> Emit<Id> {
        let memory = self.m.memory_type(place.ty)?;
        self.coerce_pointer(place.ptr, memory, place.space, want)
    }

    /// A pointer to `memory` in `space`, as a value of pointer type `want`.
    pub fn coerce_pointer(&mut self, ptr: Id, memory: Id, space: AddressSpace, want: TypeId) -> Emit<Id> {
        let Some(pointee) = self.m.program.types.pointee(want) else {
            return self.m.bug("a pointer type was expected");
        };
        let mut ptr = ptr;
        if pointee.space != space {
            let ty = self.m.pointer_to(pointee.space, memory);
            let op = match (space, pointee.space) {
                (_, AddressSpace::Generic) => Op::PtrCastToGeneric,
                (AddressSpace::Generic, _) => Op::GenericCastToPtr,
                _ => Op::Bitcast,
            };
            if op == Op::Bitcast {
                return self.m.bug("a pointer conversion between named address spaces");
            }
            ptr = self.op(op, ty, &[ptr.0]);
        }
        if self.m.pointee_type(pointee)? == memory {
            return Ok(ptr);
        }
        let ty = self.m.value_type(want)?;
        Ok(self.op(Op::Bitcast, ty, &[ptr.0]))
    }

    /// An element of an array object.
    pub fn array_element(&mut self, array: &Place, index: Id) -> Emit<Place> {
        let Type::Array(element, _) = *self.m.program.types.get(array.ty) else {
            return self.m.bug("an array was expected");
        };
        let memory = self.m.memory_type(element.ty)?;
        let ty = self.m.pointer_to(array.space, memory);
        let op = if self.m.is_unsized_array(array.ty) {
            Op::InBoundsPtrAccessChain
        } else {
            Op::InBoundsAccessChain
        };
        let ptr = self.op(op, ty, &[array.ptr.0, index.0]);
        let align = array.align.min(self.m.access_align(element)?);
        Ok(Place { ptr, ty: element.ty, align, ..*array })
    }

    /// A member of a struct or union object.
    pub fn member(&mut self, base: Place, field: u32) -> Emit<Place> {
        let Type::Record(record) = *self.m.program.types.get(base.ty) else {
            return self.m.bug("a struct was expected");
        };
        let (ty, offset) = self.field(record, field)?;
        let info = self.m.record(record)?;
        let align = if offset == 0 {
            base.align
        } else {
            base.align.min(1u32.checked_shl(offset.trailing_zeros()).unwrap_or(base.align))
        };
        let memory = self.m.memory_type(ty.ty)?;
        let pointer = self.m.pointer_to(base.space, memory);
        let ptr = match info.members.get(field as usize).copied().flatten() {
            Some(member) => {
                let member = self.m.word(member);
                self.op(Op::InBoundsAccessChain, pointer, &[base.ptr.0, member.0])
            }
            None if offset == 0 => {
                if memory == info.id {
                    base.ptr
                } else {
                    self.op(Op::Bitcast, pointer, &[base.ptr.0])
                }
            }
            None => {
                let byte = self.m.int_type(8);
                let bytes = self.m.pointer_to(base.space, byte);
                let start = self.op(Op::Bitcast, bytes, &[base.ptr.0]);
                let offset = self.m.size_constant(offset);
                let at = self.op(Op::InBoundsPtrAccessChain, bytes, &[start.0, offset.0]);
                if memory == byte { at } else { self.op(Op::Bitcast, pointer, &[at.0]) }
            }
        };
        let volatile = base.volatile || ty.is_volatile;
        Ok(Place { ptr, ty: ty.ty, align, volatile, space: base.space })
    }

    /// A field's type and byte offset.
    pub fn field(&mut self, record: RecordId, field: u32) -> Emit<(QualType, u64)> {
        let types = &self.m.program.types;
        let fields = types.record(record).fields.as_deref().unwrap_or(&[]);
        let offset =
            types.record_layout(record).and_then(|layout| layout.offsets.get(field as usize).copied());
        match (fields.get(field as usize), offset) {
            (Some(field), Some(offset)) => Ok((field.ty, offset)),
            _ => self.m.bug("a field out of range"),
        }
    }

    fn swizzle(&mut self, base: &'a Expr, components: &[u8]) -> Emit<Reference> {
        match self.reference(base)? {
            Reference::Whole(place) => Ok(Reference::Components(place, SmallVec::from_slice(components))),
            Reference::Components(place, inner) => {
                let pick = |c: &u8| inner.get(usize::from(*c)).copied().unwrap_or(0);
                Ok(Reference::Components(place, components.iter().map(pick).collect()))
            }
            dynamic @ Reference::Dynamic(..) => Ok(dynamic),
        }
    }

    fn element(&mut self, base: Reference, index: Id) -> Emit<Reference> {
        let known = self.m.known(index);
        Ok(match (base, known) {
            (Reference::Whole(place), Some(at)) => {
                let (_, lanes) = self.m.arithmetic(place.ty)?;
                // Out of range is undefined; the last component keeps the module valid.
                let at = at.min(u64::from(lanes) - 1) as u8;
                Reference::Components(place, SmallVec::from_slice(&[at]))
            }
            (Reference::Whole(place), None) => Reference::Dynamic(place, index),
            (Reference::Components(place, inner), Some(at)) => {
                let at = inner.get(at as usize).or(inner.last()).copied().unwrap_or(0);
                Reference::Components(place, SmallVec::from_slice(&[at]))
            }
            (Reference::Components(place, inner), None) => {
                let lanes: Vec<u32> = inner.iter().map(|c| self.m.word((*c).into()).0).collect();
                let ty = self.m.vector_type(Scalar::UInt, inner.len() as u8);
                let table = self.m.b.unique(Op::ConstantComposite, Some(ty), &lanes);
                let word = self.m.int_type(32);
                Reference::Dynamic(place, self.op(Op::VectorExtractDynamic, word, &[table.0, index.0]))
            }
            (dynamic @ Reference::Dynamic(..), _) => dynamic,
        })
    }

    /// A component of a vector object as an object.
    fn component_place(&mut self, vector: &Place, index: Id) -> Emit<Place> {
        let (scalar, _) = self.m.arithmetic(vector.ty)?;
        let element = self.m.scalar_type(scalar);
        let ty = self.m.pointer_to(vector.space, element);
        let ptr = self.op(Op::InBoundsAccessChain, ty, &[vector.ptr.0, index.0]);
        Ok(Place { ptr, ty: Types::scalar(scalar), align: vector.align.min(scalar.size()), ..*vector })
    }

    fn memory_operands(place: &Place) -> [u32; 2] {
        let volatile = if place.volatile { MemoryAccess::VOLATILE } else { MemoryAccess::NONE };
        [(MemoryAccess::ALIGNED | volatile).bits(), place.align]
    }

    /// Reads an object.
    pub fn load(&mut self, place: &Place) -> Emit<Id> {
        let memory = self.m.memory_type(place.ty)?;
        let [access, align] = Self::memory_operands(place);
        let value = self.op(Op::Load, memory, &[place.ptr.0, access, align]);
        self.loaded_value(value, place.ty)
    }

    /// Returns what was loaded, as a value: a byte becomes a bool.
    pub fn loaded_value(&mut self, value: Id, ty: TypeId) -> Emit<Id> {
        if *self.m.program.types.get(ty) != Type::Scalar(Scalar::Bool) {
            return Ok(value);
        }
        let (bool_type, zero) = (self.m.bool_type(), self.m.int_constant(8, 0));
        Ok(self.op(Op::INotEqual, bool_type, &[value.0, zero.0]))
    }

    /// A value as memory holds it: a bool becomes a byte.
    pub fn stored_value(&mut self, value: Id, ty: TypeId) -> Emit<Id> {
        if *self.m.program.types.get(ty) != Type::Scalar(Scalar::Bool) {
            return Ok(value);
        }
        let (byte, one, zero) = (self.m.int_type(8), self.m.int_constant(8, 1), self.m.int_constant(8, 0));
        match self.m.known(value) {
            Some(known) => Ok(if known != 0 { one } else { zero }),
            None => Ok(self.op(Op::Select, byte, &[value.0, one.0, zero.0])),
        }
    }

    /// Writes an object.
    pub fn store(&mut self, place: &Place, value: Id) -> Emit<()> {
        let value = self.stored_value(value, place.ty)?;
        let [access, align] = Self::memory_operands(place);
        self.op_void(Op::Store, &[place.ptr.0, value.0, access, align]);
        Ok(())
    }

    /// Returns whether the whole vector may be rewritten to change a component: nobody else sees it.
    fn is_own(place: &Place) -> bool {
        place.space == AddressSpace::Private && !place.volatile
    }

    /// Returns whether the whole vector is read for one component: accesses of one shape let a `__local` variable stay one of
    /// vectors, and drivers drop what is not used. Not where every access counts, nor of vectors that Vulkan has not.
    fn loads_whole(&mut self, place: &Place) -> Emit<bool> {
        let (_, lanes) = self.m.arithmetic(place.ty)?;
        Ok(Self::is_own(place) || (lanes <= 4 && !place.volatile))
    }

    /// Reads what a reference designates.
    pub fn load_reference(&mut self, reference: &Reference) -> Emit<Id> {
        match reference {
            Reference::Whole(place) => self.load(place),
            Reference::Components(place, components) => {
                let (_, lanes) = self.m.arithmetic(place.ty)?;
                if components.len() == 1 && !self.loads_whole(place)? {
                    let index = self.m.word(components[0].min(lanes - 1).into());
                    let component = self.component_place(place, index)?;
                    return self.load(&component);
                }
                let vector = self.load(place)?;
                self.shuffle(vector, place.ty, components)
            }
            Reference::Dynamic(place, index) if Self::is_own(place) => {
                let vector = self.load(place)?;
                self.extract_dynamic(vector, place.ty, *index)
            }
            Reference::Dynamic(place, index) => {
                let component = self.component_place(place, *index)?;
                self.load(&component)
            }
        }
    }

    /// Writes what a reference designates. Components of a vector that other work-items may see are
    /// written one by one: their neighbours are not touched.
    pub fn store_reference(&mut self, reference: &Reference, value: Id) -> Emit<()> {
        match reference {
            Reference::Whole(place) => self.store(place, value),
            Reference::Components(place, components) => {
                let (scalar, lanes) = self.m.arithmetic(place.ty)?;
                let own = Self::is_own(place);
                let identity = components.iter().copied().eq(0..lanes);
                if identity && own {
                    return self.store(place, value);
                }
                let element = self.m.scalar_type(scalar);
                let vector_type = self.m.memory_type(place.ty)?;
                let mut vector = if own { self.load(place)? } else { value };
                // The fourth component of a vector of 3 is nowhere.
                for (from, to) in components.iter().enumerate().filter(|(_, to)| **to < lanes) {
                    let part = if components.len() == 1 {
                        value
                    } else {
                        self.op(Op::CompositeExtract, element, &[value.0, from as u32])
                    };
                    if own {
                        let operands = [part.0, vector.0, (*to).into()];
                        vector = self.op(Op::CompositeInsert, vector_type, &operands);
                    } else {
                        let index = self.m.word((*to).into());
                        let component = self.component_place(place, index)?;
                        self.store(&component, part)?;
                    }
                }
                if own { self.store(place, vector) } else { Ok(()) }
            }
            Reference::Dynamic(place, index) if Self::is_own(place) => {
                let vector = self.load(place)?;
                let ty = self.m.memory_type(place.ty)?;
                let vector = self.op(Op::VectorInsertDynamic, ty, &[vector.0, value.0, index.0]);
                self.store(place, vector)
            }
            Reference::Dynamic(place, index) => {
                let component = self.component_place(place, *index)?;
                self.store(&component, value)
            }
        }
    }

    /// Components of a vector value.
    pub fn shuffle(&mut self, vector: Id, ty: TypeId, components: &[u8]) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        let result = self.m.vector_type(scalar, components.len() as u8);
        if let [component] = components {
            let component = (*component).min(lanes - 1);
            return Ok(self.op(Op::CompositeExtract, result, &[vector.0, component.into()]));
        }
        if components.iter().copied().eq(0..lanes) {
            return Ok(vector);
        }
        let mut operands = vec![vector.0, vector.0];
        operands.extend(components.iter().map(|c| u32::from(*c)));
        Ok(self.op(Op::VectorShuffle, result, &operands))
    }

    /// One component of a vector value, chosen at run time.
    pub fn extract_dynamic(&mut self, vector: Id, ty: TypeId, index: Id) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        if let Some(index) = self.m.known(index) {
            return self.shuffle(vector, ty, &[index.min(u64::from(lanes) - 1) as u8]);
        }
        let element = self.m.scalar_type(scalar);
        Ok(self.op(Op::VectorExtractDynamic, element, &[vector.0, index.0]))
    }

    /// The value of an lvalue.
    pub fn lvalue_value(&mut self, lvalue: &'a Expr) -> Emit<Id> {
        if let Some(LocalId(root)) = value_root(self.m.program, lvalue)
            && let Some(Slot::Value(_)) = self.slots.get(root as usize)
        {
            return self.part_of_value(lvalue);
        }
        let reference = self.reference(lvalue)?;
        self.load_reference(&reference)
    }

    /// A part of a parameter that has no storage.
    fn part_of_value(&mut self, lvalue: &'a Expr) -> Emit<Id> {
        match &lvalue.kind {
            ExprKind::Local(LocalId(id)) => match self.slots.get(*id as usize) {
                Some(Slot::Value(value)) => Ok(*value),
                _ => self.m.bug("a parameter without a value"),
            },
            ExprKind::Member { base, field } => {
                let value = self.part_of_value(base)?;
                self.member_value(value, base.ty.ty, *field)
            }
            ExprKind::Swizzle { base, components } => {
                let value = self.part_of_value(base)?;
                self.shuffle(value, base.ty.ty, components)
            }
            ExprKind::VectorElement { base, index } => {
                let value = self.part_of_value(base)?;
                let index = self.rvalue(index)?;
                self.extract_dynamic(value, base.ty.ty, index)
            }
            _ => self.m.bug("a part of a value that needs memory"),
        }
    }

    /// A member of a struct value.
    pub fn member_value(&mut self, value: Id, ty: TypeId, field: u32) -> Emit<Id> {
        let Type::Record(record) = *self.m.program.types.get(ty) else {
            return self.m.bug("a struct was expected");
        };
        let info = self.m.record(record)?;
        if let Some(member) = info.members.get(field as usize).copied().flatten() {
            let (field, _) = self.field(record, field)?;
            let memory = self.m.memory_type(field.ty)?;
            let part = self.op(Op::CompositeExtract, memory, &[value.0, member]);
            return self.loaded_value(part, field.ty);
        }
        // A union's member: through memory.
        let ty = QualType::new(ty);
        let ptr = self.variable(ty, None)?;
        let place = self.private_place(ptr, ty)?;
        self.store(&place, value)?;
        let member = self.member(place, field)?;
        self.load(&member)
    }
}
