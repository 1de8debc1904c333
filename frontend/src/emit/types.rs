//! OpenCL C's types as SPIR-V types: one for the value and one for memory, the same but for bool.

use super::error::Emit;
use super::module::Module;
use crate::types::{AddressSpace, ImageAccess, QualType, RecordId, Scalar, Type, TypeId};
use spirv_io::Id;
use spirv_io::spirv::{AccessQualifier, Capability, Dim, ImageFormat, Op, StorageClass};

/// The storage class of an address space.
pub(super) fn storage_class(space: AddressSpace) -> StorageClass {
    match space {
        AddressSpace::Private => StorageClass::Function,
        AddressSpace::Local => StorageClass::Workgroup,
        AddressSpace::Constant => StorageClass::UniformConstant,
        AddressSpace::Global => StorageClass::CrossWorkgroup,
        AddressSpace::Generic => StorageClass::Generic,
    }
}

impl Module<'_> {
    /// OpTypeVoid.
    pub fn void_type(&mut self) -> Id {
        self.b.unique(Op::TypeVoid, None, &[])
    }

    /// OpTypeBool.
    pub fn bool_type(&mut self) -> Id {
        self.b.unique(Op::TypeBool, None, &[])
    }

    /// An integer of 8, 16, 32 or 64 bits. Kernel modules have no signed integer types.
    pub fn int_type(&mut self, bits: u32) -> Id {
        match bits {
            8 => self.b.capability(Capability::Int8),
            16 => self.b.capability(Capability::Int16),
            64 => self.b.capability(Capability::Int64),
            _ => {}
        }
        self.b.unique(Op::TypeInt, None, &[bits, 0])
    }

    /// The integer as wide as an address.
    pub fn size_type(&mut self) -> Id {
        self.int_type(self.address_bits())
    }

    /// 32 or 64.
    pub fn address_bits(&self) -> u32 {
        self.program.types.address_width.bytes() * 8
    }

    /// A scalar as a value.
    pub fn scalar_type(&mut self, scalar: Scalar) -> Id {
        match scalar {
            Scalar::Bool => self.bool_type(),
            Scalar::Half => {
                self.half_types = true;
                self.b.unique(Op::TypeFloat, None, &[16])
            }
            Scalar::Float => self.b.unique(Op::TypeFloat, None, &[32]),
            Scalar::Double => {
                self.b.capability(Capability::Float64);
                self.b.unique(Op::TypeFloat, None, &[64])
            }
            integer => self.int_type(integer.size() * 8),
        }
    }

    /// A vector as a value (a vector of bool too, what comparisons give); one lane is the scalar.
    pub fn vector_type(&mut self, scalar: Scalar, lanes: u8) -> Id {
        let element = self.scalar_type(scalar);
        if lanes == 1 {
            return element;
        }
        if lanes > 4 {
            self.b.capability(Capability::Vector16);
        }
        self.b.unique(Op::TypeVector, None, &[element.0, lanes.into()])
    }

    /// A pointer to what is laid out as `pointee`.
    pub fn pointer_to(&mut self, space: AddressSpace, pointee: Id) -> Id {
        if space == AddressSpace::Generic {
            self.b.capability(Capability::GenericPointer);
        }
        self.b.unique(Op::TypePointer, None, &[storage_class(space) as u32, pointee.0])
    }

    /// The type of a value of type `ty`.
    pub fn value_type(&mut self, ty: TypeId) -> Emit<Id> {
        if let Some(id) = self.value_types.get(&ty) {
            return Ok(*id);
        }
        let id = match *self.program.types.get(ty) {
            Type::Void => self.void_type(),
            Type::Scalar(scalar) => self.scalar_type(scalar),
            Type::Pointer(pointee) => {
                let memory = self.pointee_type(pointee)?;
                self.pointer_to(pointee.space, memory)
            }
            _ => return self.memory_type(ty),
        };
        self.value_types.insert(ty, id);
        Ok(id)
    }

    /// Returns what an object of type `ty` is in memory. An array of unknown or zero length is its element:
    /// only pointers to it exist.
    pub fn memory_type(&mut self, ty: TypeId) -> Emit<Id> {
        if let Some(id) = self.memory_types.get(&ty) {
            return Ok(*id);
        }
        let types = &self.program.types;
        let id = match types.get(ty).clone() {
            Type::Scalar(Scalar::Bool) => self.int_type(8),
            Type::Scalar(scalar) | Type::Atomic(scalar) => self.scalar_type(scalar),
            Type::Vector(scalar, lanes) => self.vector_type(scalar, lanes),
            Type::Enum(e) => {
                let underlying = types.enums.get(e.0 as usize).map_or(Scalar::Int, |e| e.underlying);
                self.scalar_type(underlying)
            }
            Type::Pointer(_) => self.value_type(ty)?,
            Type::Array(element, None | Some(0)) => self.memory_type(element.ty)?,
            Type::Array(element, Some(length)) => self.array_type(element.ty, length)?,
            Type::Record(record) => self.record(record)?.id,
            Type::Event => self.b.unique(Op::TypeEvent, None, &[]),
            Type::Sampler => self.b.unique(Op::TypeSampler, None, &[]),
            Type::Opaque(opaque) => self.opaque_type(opaque),
            Type::Pipe(_, access) => self.pipe_type(access),
            // What the block captured: which block it is is always known (§6.14.5).
            Type::Block(_) => {
                let byte = self.int_type(8);
                self.pointer_to(AddressSpace::Generic, byte)
            }
            Type::Image(name, access) => self.image_type(name, access)?,
            Type::Void | Type::Function(_) | Type::Reference(..) | Type::Error => {
                return self.bug("an object of a type without size");
            }
        };
        self.memory_types.insert(ty, id);
        Ok(id)
    }

    fn array_type(&mut self, element: TypeId, length: u64) -> Emit<Id> {
        let element = self.memory_type(element)?;
        Ok(self.array_of(element, length))
    }

    /// OpTypeArray of `length` elements, at least one.
    pub fn array_of(&mut self, element: Id, length: u64) -> Id {
        let bits = if length > u64::from(u32::MAX) { 64 } else { 32 };
        let length = self.int_constant(bits, length);
        self.b.unique(Op::TypeArray, None, &[element.0, length.0])
    }

    /// Returns what a pointer to `pointee` points to: its memory type, but a byte for void, functions,
    /// incomplete records, and records that contain such pointers themselves.
    pub fn pointee_type(&mut self, pointee: QualType) -> Emit<Id> {
        match *self.program.types.get(pointee.ty) {
            Type::Void | Type::Function(_) | Type::Error => return Ok(self.int_type(8)),
            _ => {}
        }
        let Some(record) = self.record_under(pointee.ty) else { return self.memory_type(pointee.ty) };
        let index = record.0 as usize;
        if self.program.types.record(record).fields.is_none() {
            return Ok(self.int_type(8));
        }
        if self.records_in_progress[index] {
            self.recursive_records[index] = true;
        }
        if !self.recursive_records[index] {
            let memory = self.memory_type(pointee.ty)?;
            // Emitting it may have found that it refers to itself.
            if !self.recursive_records[index] {
                return Ok(memory);
            }
        }
        Ok(self.int_type(8))
    }

    fn record_under(&self, mut ty: TypeId) -> Option<RecordId> {
        loop {
            match self.program.types.get(ty) {
                Type::Array(element, _) => ty = element.ty,
                Type::Record(record) => return Some(*record),
                _ => return None,
            }
        }
    }

    /// Returns whether objects of `ty` have no size of their own in SPIR-V (see [`Module::memory_type`]).
    pub fn is_unsized_array(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Array(_, None | Some(0)))
    }

    /// Element scalar and lanes of an arithmetic type, or of what an atomic object holds.
    pub fn arithmetic(&mut self, ty: TypeId) -> Emit<(Scalar, u8)> {
        match self.program.arithmetic(ty) {
            Some(found) => Ok(found),
            None => self.bug("an arithmetic type was expected"),
        }
    }

    /// Natural alignment of `ty` in bytes.
    pub fn align_of(&mut self, ty: TypeId) -> Emit<u32> {
        let types = &self.program.types;
        let sized = match types.get(ty) {
            Type::Array(element, None) => element.ty,
            _ => ty,
        };
        match types.layout(sized) {
            Some(layout) => Ok(u32::try_from(layout.align).unwrap_or(1)),
            None => self.fail("object-too-large", "the type is incomplete or too large"),
        }
    }

    /// Returns how far an access to an object is known to be aligned: a typedef may say less than the type, and what it says
    /// beyond it tells nothing of the elements of arrays.
    pub fn access_align(&mut self, ty: QualType) -> Emit<u32> {
        Ok(self.align_of(ty.ty)?.min(ty.aligned.unwrap_or(u32::MAX)))
    }

    /// Size of `ty` in bytes.
    pub fn size_of(&mut self, ty: TypeId) -> Emit<u64> {
        match self.program.types.layout(ty) {
            Some(layout) => Ok(layout.size),
            None => self.fail("object-too-large", "the type is incomplete or too large"),
        }
    }

    fn image_type(&mut self, name: &'static str, access: ImageAccess) -> Emit<Id> {
        self.b.capability(Capability::ImageBasic);
        let dim = match name {
            n if n.starts_with("image1d_buffer") => {
                self.b.capability(Capability::SampledBuffer);
                Dim::DimBuffer
            }
            n if n.starts_with("image1d") => {
                self.b.capability(Capability::Sampled1D);
                Dim::Dim1D
            }
            n if n.starts_with("image2d") => Dim::Dim2D,
            n if n.starts_with("image3d") => Dim::Dim3D,
            _ => return self.fail("unsupported-type", format!("type '{name}' is not supported yet")),
        };
        let access = match access {
            ImageAccess::ReadOnly => AccessQualifier::ReadOnly,
            ImageAccess::WriteOnly => AccessQualifier::WriteOnly,
            ImageAccess::ReadWrite => {
                self.b.capability(Capability::ImageReadWrite);
                AccessQualifier::ReadWrite
            }
        };
        let flag = |part: &str| u32::from(name.contains(part));
        let sampled_type = self.void_type();
        let operands = [
            sampled_type.0,
            dim as u32,
            flag("depth"),
            flag("array"),
            flag("msaa"),
            0,
            ImageFormat::Unknown as u32,
            access as u32,
        ];
        Ok(self.b.unique(Op::TypeImage, None, &operands))
    }
}
