//! Constants: scalars, vectors and aggregates, and the bytes of those that a union reinterprets.

use super::error::Emit;
use super::module::{MAX_OPERANDS, Module};
use super::record::Slot;
use crate::hir::{Constant, GlobalId};
use crate::types::{AddressSpace, QualType, RecordId, Scalar, Type, TypeId};
use half::f16;
use spirv_io::spirv::Op;
use spirv_io::{Id, Section};

/// The value of an integer or bool constant, zero-extended from its width: what folding looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits(pub u64);

/// `value` cut to `bits`.
pub(super) fn truncate(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// The low `bits` of `value` as a signed number.
pub(super) fn sign_extend(value: u64, bits: u32) -> i64 {
    if bits >= 64 { value as i64 } else { ((value << (64 - bits)) as i64) >> (64 - bits) }
}

/// The bits of a floating value in the format of `scalar`.
fn float_bits(scalar: Scalar, value: f64) -> u64 {
    match scalar {
        Scalar::Half => f16::from_f64(value).to_bits().into(),
        Scalar::Float => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

impl Module<'_> {
    /// An integer constant of 8 to 64 bits.
    pub fn int_constant(&mut self, bits: u32, value: u64) -> Id {
        let value = truncate(value, bits);
        let ty = self.int_type(bits);
        let words = [value as u32, (value >> 32) as u32];
        let id = self.b.unique(Op::Constant, Some(ty), &words[..if bits == 64 { 2 } else { 1 }]);
        self.constant_bits.insert(id, Bits(value));
        id
    }

    /// A 32-bit constant, as scopes, semantics and member numbers are.
    pub fn word(&mut self, value: u32) -> Id {
        self.int_constant(32, value.into())
    }

    /// An integer as wide as an address.
    pub fn size_constant(&mut self, value: u64) -> Id {
        self.int_constant(self.address_bits(), value)
    }

    /// OpConstantTrue or OpConstantFalse.
    pub fn bool_constant(&mut self, value: bool) -> Id {
        let ty = self.bool_type();
        let id = self.b.unique(if value { Op::ConstantTrue } else { Op::ConstantFalse }, Some(ty), &[]);
        self.constant_bits.insert(id, Bits(value.into()));
        id
    }

    /// A floating constant.
    pub fn float_constant(&mut self, scalar: Scalar, value: f64) -> Id {
        let bits = float_bits(scalar, value);
        let ty = self.scalar_type(scalar);
        let words = [bits as u32, (bits >> 32) as u32];
        let id =
            self.b.unique(Op::Constant, Some(ty), &words[..if scalar == Scalar::Double { 2 } else { 1 }]);
        self.float_values.insert(id, value);
        id
    }

    /// Returns whether `id` is an integer, bool or floating constant made here.
    pub fn is_scalar_constant(&self, id: Id) -> bool {
        self.constant_bits.contains_key(&id) || self.float_values.contains_key(&id)
    }

    /// `value` as a constant of any scalar type.
    pub fn scalar_constant(&mut self, scalar: Scalar, value: i64) -> Id {
        match scalar {
            Scalar::Bool => self.bool_constant(value != 0),
            s if s.is_float() => self.float_constant(s, value as f64),
            s => self.int_constant(s.size() * 8, value as u64),
        }
    }

    /// `value` in every lane.
    pub fn lanes_constant(&mut self, scalar: Scalar, lanes: u8, value: i64) -> Id {
        let element = self.scalar_constant(scalar, value);
        self.splat_constant(element, scalar, lanes)
    }

    /// A scalar constant in every lane of a vector.
    pub fn splat_constant(&mut self, element: Id, scalar: Scalar, lanes: u8) -> Id {
        if lanes == 1 {
            return element;
        }
        let ty = self.vector_type(scalar, lanes);
        self.b.unique(Op::ConstantComposite, Some(ty), &vec![element.0; lanes.into()])
    }

    /// OpConstantNull.
    pub fn null(&mut self, ty: Id) -> Id {
        self.b.unique(Op::ConstantNull, Some(ty), &[])
    }

    /// The integer that `id` is, when it is a constant one.
    pub fn known(&self, id: Id) -> Option<u64> {
        self.constant_bits.get(&id).map(|b| b.0)
    }

    /// A constant as a value.
    pub fn value_constant(&mut self, constant: &Constant, ty: TypeId) -> Emit<Id> {
        match (self.program.types.get(ty), constant) {
            (Type::Scalar(Scalar::Bool), Constant::Int(v)) => Ok(self.bool_constant(*v != 0)),
            (Type::Scalar(Scalar::Bool), Constant::Float(v)) => Ok(self.bool_constant(*v != 0.0)),
            (Type::Scalar(Scalar::Bool), Constant::Zero) => Ok(self.bool_constant(false)),
            _ => self.memory_constant(constant, ty),
        }
    }

    /// A constant as its bytes in memory.
    pub fn memory_constant(&mut self, constant: &Constant, ty: TypeId) -> Emit<Id> {
        let program = self.program;
        match (program.types.get(ty), constant) {
            (Type::Scalar(_) | Type::Enum(_) | Type::Atomic(_), Constant::Zero) => {
                self.memory_scalar(ty, &Constant::Int(0))
            }
            (_, Constant::Zero) => {
                let ty = self.memory_type(ty)?;
                Ok(self.null(ty))
            }
            (Type::Scalar(_) | Type::Enum(_) | Type::Atomic(_), Constant::Int(_) | Constant::Float(_)) => {
                self.memory_scalar(ty, constant)
            }
            (Type::Vector(scalar, lanes), Constant::Vector(parts)) => {
                self.vector_constant(*scalar, *lanes, parts)
            }
            (Type::Vector(scalar, lanes), Constant::Int(_) | Constant::Float(_)) => {
                self.vector_constant(*scalar, *lanes, &vec![constant.clone(); (*lanes).into()])
            }
            (Type::Array(element, length), Constant::Array(parts)) => {
                self.array_constant(ty, element.ty, length.unwrap_or(0), parts)
            }
            (Type::Record(record), Constant::Struct(parts)) => self.struct_constant(*record, parts),
            (Type::Record(record), Constant::Union { field, value }) => {
                self.union_constant(*record, *field, value)
            }
            (Type::Pointer(pointee), Constant::Address { global, offset }) => {
                self.address_constant(*global, *offset, *pointee)
            }
            (Type::Pointer(_), Constant::Int(value)) => {
                let ty = self.value_type(ty)?;
                if *value == 0 {
                    return Ok(self.null(ty));
                }
                let address = self.size_constant(*value as u64);
                Ok(self.b.unique(Op::SpecConstantOp, Some(ty), &[Op::ConvertUToPtr as u32, address.0]))
            }
            (Type::Event | Type::Opaque(_), Constant::Int(0)) => {
                let ty = self.memory_type(ty)?;
                Ok(self.null(ty))
            }
            (Type::Sampler, Constant::Int(bits)) => Ok(self.sampler_constant(*bits as u32)),
            (Type::Sampler, _) => Ok(self.sampler_constant(0)),
            _ => self.bug("a constant that does not fit its type"),
        }
    }

    fn memory_scalar(&mut self, ty: TypeId, constant: &Constant) -> Emit<Id> {
        let (scalar, _) = self.arithmetic(ty)?;
        Ok(match (scalar, constant) {
            (Scalar::Bool, Constant::Int(v)) => self.int_constant(8, u64::from(*v != 0)),
            (s, Constant::Float(v)) if s.is_float() => self.float_constant(s, *v),
            (s, Constant::Float(v)) => self.scalar_constant(s, *v as i64),
            (s, Constant::Int(v)) => self.scalar_constant(s, *v),
            _ => return self.bug("a scalar constant of another kind"),
        })
    }

    fn vector_constant(&mut self, scalar: Scalar, lanes: u8, parts: &[Constant]) -> Emit<Id> {
        let element = crate::types::Types::scalar(scalar);
        let mut ids = Vec::with_capacity(lanes.into());
        for lane in 0..usize::from(lanes) {
            let part = parts.get(lane).unwrap_or(&Constant::Zero);
            ids.push(self.memory_constant(part, element)?.0);
        }
        let ty = self.vector_type(scalar, lanes);
        Ok(self.b.unique(Op::ConstantComposite, Some(ty), &ids))
    }

    fn array_constant(&mut self, ty: TypeId, element: TypeId, length: u64, parts: &[Constant]) -> Emit<Id> {
        let array = self.memory_type(ty)?;
        if parts.iter().all(|p| *p == Constant::Zero) {
            return Ok(self.null(array));
        }
        if length > MAX_OPERANDS as u64 {
            return self.bug("an array too long for its type");
        }
        let mut ids = Vec::with_capacity(length as usize);
        for part in parts.iter().take(length as usize) {
            ids.push(self.memory_constant(part, element)?.0);
        }
        if ids.len() < length as usize {
            let zero = self.memory_constant(&Constant::Zero, element)?.0;
            ids.resize(length as usize, zero);
        }
        Ok(self.b.unique(Op::ConstantComposite, Some(array), &ids))
    }

    fn struct_constant(&mut self, record: RecordId, parts: &[Constant]) -> Emit<Id> {
        let info = self.record(record)?;
        let program = self.program;
        let fields = program.types.record(record).fields.as_deref().unwrap_or(&[]);
        let mut ids = Vec::with_capacity(info.slots.len());
        for slot in &info.slots {
            let id = match *slot {
                Slot::Field(field) => {
                    let part = parts.get(field as usize).unwrap_or(&Constant::Zero);
                    self.memory_constant(part, fields[field as usize].ty.ty)?
                }
                Slot::Padding(bytes) => self.zero_bytes(bytes),
            };
            ids.push(id.0);
        }
        Ok(self.b.unique(Op::ConstantComposite, Some(info.id), &ids))
    }

    fn zero_bytes(&mut self, bytes: u64) -> Id {
        let byte = self.int_type(8);
        let array = self.array_of(byte, bytes);
        self.null(array)
    }

    /// A union's constant by its bytes, since its SPIR-V member may be another field than the
    /// initialised one.
    fn union_constant(&mut self, record: RecordId, field: u32, value: &Constant) -> Emit<Id> {
        let info = self.record(record)?;
        let program = self.program;
        let fields = program.types.record(record).fields.as_deref().unwrap_or(&[]);
        let Some(initialised) = fields.get(field as usize) else { return self.bug("a field out of range") };
        let size = program.types.record_layout(record).map_or(0, |l| l.layout.size);
        let mut ids = Vec::with_capacity(info.slots.len());
        let mut bytes: Option<Vec<u8>> = None;
        let mut at = 0usize;
        for slot in &info.slots {
            let id = match *slot {
                Slot::Field(f) if f == field => {
                    at += self.size_of(initialised.ty.ty)? as usize;
                    self.memory_constant(value, initialised.ty.ty)?
                }
                Slot::Field(f) => {
                    let ty = fields[f as usize].ty.ty;
                    let data = self.union_bytes(&mut bytes, size, value, initialised.ty.ty)?;
                    let id = self.constant_from_bytes(&data[at..], ty)?;
                    at += self.size_of(ty)? as usize;
                    id
                }
                Slot::Padding(count) if at == 0 || bytes.is_some() => {
                    let data = self.union_bytes(&mut bytes, size, value, initialised.ty.ty)?;
                    let ids: Vec<u32> = (0..count as usize)
                        .map(|i| self.int_constant(8, data.get(at + i).copied().unwrap_or(0).into()).0)
                        .collect();
                    at += count as usize;
                    let byte = self.int_type(8);
                    let array = self.array_of(byte, count);
                    self.b.unique(Op::ConstantComposite, Some(array), &ids)
                }
                Slot::Padding(count) => {
                    at += count as usize;
                    self.zero_bytes(count)
                }
            };
            ids.push(id.0);
        }
        Ok(self.b.unique(Op::ConstantComposite, Some(info.id), &ids))
    }

    fn union_bytes<'b>(
        &mut self,
        cache: &'b mut Option<Vec<u8>>,
        size: u64,
        value: &Constant,
        ty: TypeId,
    ) -> Emit<&'b [u8]> {
        if size > MAX_OPERANDS as u64 {
            return self.bug("a union too large for its type");
        }
        if cache.is_none() {
            let mut bytes = vec![0; size as usize];
            self.write_bytes(value, ty, &mut bytes)?;
            *cache = Some(bytes);
        }
        Ok(cache.as_deref().unwrap_or(&[]))
    }

    /// The bytes of a constant, into `out` (zero before).
    fn write_bytes(&mut self, constant: &Constant, ty: TypeId, out: &mut [u8]) -> Emit<()> {
        let program = self.program;
        let parts: Vec<(u64, TypeId, &Constant)> = match (program.types.get(ty), constant) {
            (_, Constant::Zero) => return Ok(()),
            (Type::Scalar(_) | Type::Enum(_) | Type::Atomic(_), Constant::Int(_) | Constant::Float(_)) => {
                let (scalar, _) = self.arithmetic(ty)?;
                let bits = match constant {
                    Constant::Float(v) if scalar.is_float() => float_bits(scalar, *v),
                    Constant::Float(v) => *v as i64 as u64,
                    Constant::Int(v) if scalar.is_float() => float_bits(scalar, *v as f64),
                    Constant::Int(v) => *v as u64,
                    _ => 0,
                };
                let size = scalar.size() as usize;
                if let Some(out) = out.get_mut(..size) {
                    out.copy_from_slice(&bits.to_le_bytes()[..size]);
                }
                return Ok(());
            }
            (Type::Vector(scalar, _), Constant::Vector(parts)) => {
                let (element, size) = (crate::types::Types::scalar(*scalar), u64::from(scalar.size()));
                parts.iter().enumerate().map(|(i, p)| (i as u64 * size, element, p)).collect()
            }
            (Type::Array(element, _), Constant::Array(parts)) => {
                let size = self.size_of(element.ty)?;
                parts.iter().enumerate().map(|(i, p)| (i as u64 * size, element.ty, p)).collect()
            }
            (Type::Record(record), Constant::Struct(parts)) => {
                let layout = program.types.record_layout(*record);
                let offsets = layout.map(|l| l.offsets).unwrap_or_default();
                let fields = program.types.record(*record).fields.as_deref().unwrap_or(&[]);
                let places = offsets.into_iter().zip(fields).zip(parts);
                places.map(|((offset, field), part)| (offset, field.ty.ty, part)).collect()
            }
            (Type::Record(record), Constant::Union { field, value }) => {
                let fields = program.types.record(*record).fields.as_deref().unwrap_or(&[]);
                let field = fields.get(*field as usize).map(|f| (0, f.ty.ty, &**value));
                field.into_iter().collect()
            }
            _ => {
                return self
                    .fail("unsupported-initializer", "a union cannot be initialised by an address here");
            }
        };
        for (offset, ty, part) in parts {
            if let Some(out) = out.get_mut(offset as usize..) {
                self.write_bytes(part, ty, out)?;
            }
        }
        Ok(())
    }

    /// The constant of type `ty` with these bytes.
    fn constant_from_bytes(&mut self, bytes: &[u8], ty: TypeId) -> Emit<Id> {
        let program = self.program;
        match program.types.get(ty) {
            Type::Scalar(_) | Type::Enum(_) | Type::Atomic(_) => {
                let (scalar, _) = self.arithmetic(ty)?;
                let mut raw = [0; 8];
                for (to, from) in raw.iter_mut().zip(bytes.iter().take(scalar.size() as usize)) {
                    *to = *from;
                }
                let bits = u64::from_le_bytes(raw);
                if !scalar.is_float() {
                    return Ok(self.int_constant(scalar.size() * 8, bits));
                }
                let ty = self.scalar_type(scalar);
                let words = [bits as u32, (bits >> 32) as u32];
                let used = if scalar == Scalar::Double { 2 } else { 1 };
                Ok(self.b.unique(Op::Constant, Some(ty), &words[..used]))
            }
            Type::Vector(scalar, lanes) => {
                let element = crate::types::Types::scalar(*scalar);
                self.elements_from_bytes(bytes, ty, element, u64::from(*lanes), scalar.size().into())
            }
            Type::Array(element, Some(length)) => {
                let size = self.size_of(element.ty)?;
                self.elements_from_bytes(bytes, ty, element.ty, *length, size)
            }
            Type::Record(record) if !program.types.record(*record).is_union => {
                let info = self.record(*record)?;
                let offsets = program.types.record_layout(*record).map(|l| l.offsets).unwrap_or_default();
                let fields = program.types.record(*record).fields.as_deref().unwrap_or(&[]);
                let mut ids = Vec::with_capacity(info.slots.len());
                for slot in &info.slots {
                    ids.push(match *slot {
                        Slot::Field(f) => {
                            let from = (offsets[f as usize] as usize).min(bytes.len());
                            self.constant_from_bytes(&bytes[from..], fields[f as usize].ty.ty)?.0
                        }
                        Slot::Padding(count) => self.zero_bytes(count).0,
                    });
                }
                Ok(self.b.unique(Op::ConstantComposite, Some(info.id), &ids))
            }
            _ if bytes.iter().all(|b| *b == 0) => {
                let ty = self.memory_type(ty)?;
                Ok(self.null(ty))
            }
            _ => self.fail("unsupported-initializer", "this initialiser of a union is not supported"),
        }
    }

    fn elements_from_bytes(
        &mut self,
        bytes: &[u8],
        ty: TypeId,
        element: TypeId,
        count: u64,
        size: u64,
    ) -> Emit<Id> {
        let mut ids = Vec::new();
        for i in 0..count {
            let from = ((i * size) as usize).min(bytes.len());
            ids.push(self.constant_from_bytes(&bytes[from..], element)?.0);
        }
        let ty = self.memory_type(ty)?;
        Ok(self.b.unique(Op::ConstantComposite, Some(ty), &ids))
    }

    /// The address of a global plus bytes, as a constant pointer to `pointee`.
    fn address_constant(&mut self, global: GlobalId, offset: i64, pointee: QualType) -> Emit<Id> {
        let variable = self.global(global)?;
        let (from, space) = self.global_type(global)?;
        let want = self.pointee_type(pointee)?;
        let have = self.memory_type(from)?;
        let mut id = variable;
        let mut id_pointee = have;
        if let Some(index) = self.element_index(from, pointee.ty, offset)? {
            // `&array[i]`, the common case, without passing through bytes.
            let ty = self.pointer_to(space, want);
            let (zero, index) = (self.size_constant(0), self.size_constant(index));
            let operands = [Op::InBoundsPtrAccessChain as u32, id.0, zero.0, index.0];
            id = self.b.unique(Op::SpecConstantOp, Some(ty), &operands);
            id_pointee = want;
        } else if offset != 0 {
            let byte = self.int_type(8);
            let bytes = self.pointer_to(space, byte);
            id = self.constant_bitcast(id, bytes);
            let offset = self.size_constant(offset as u64);
            let operands = [Op::InBoundsPtrAccessChain as u32, id.0, offset.0];
            id = self.b.unique(Op::SpecConstantOp, Some(bytes), &operands);
            id_pointee = byte;
        }
        if pointee.space == AddressSpace::Generic && space != AddressSpace::Generic {
            let generic = self.pointer_to(AddressSpace::Generic, id_pointee);
            let operands = [Op::PtrCastToGeneric as u32, id.0];
            id = self.b.unique(Op::SpecConstantOp, Some(generic), &operands);
        } else if pointee.space != space {
            return self.bug("a constant address in another address space");
        }
        if id_pointee == want {
            return Ok(id);
        }
        let want = self.pointer_to(pointee.space, want);
        Ok(self.constant_bitcast(id, want))
    }

    /// A constant pointer as one to another type.
    pub fn constant_bitcast(&mut self, id: Id, ty: Id) -> Id {
        self.b.unique(Op::SpecConstantOp, Some(ty), &[Op::Bitcast as u32, id.0])
    }

    /// The index when byte `offset` of an array of `element` is the start of an element.
    fn element_index(&mut self, array: TypeId, element: TypeId, offset: i64) -> Emit<Option<u64>> {
        let Type::Array(of, Some(length)) = *self.program.types.get(array) else { return Ok(None) };
        if of.ty != element || offset < 0 {
            return Ok(None);
        }
        let (size, offset) = (self.size_of(element)?.max(1), offset as u64);
        Ok((offset % size == 0 && offset / size <= length && length > 0).then_some(offset / size))
    }

    /// A module-scope variable for a constant table that initialises private arrays.
    pub fn constant_table(&mut self, constant: &Constant, ty: TypeId) -> Emit<Id> {
        if self.needs_shadow(constant, ty)? {
            let (variable, address) = self.initialized_variable(AddressSpace::Constant, constant, ty)?;
            self.finish_table(variable, ty)?;
            return Ok(address);
        }
        let value = self.memory_constant(constant, ty)?;
        let memory = self.memory_type(ty)?;
        let pointer = self.pointer_to(AddressSpace::Constant, memory);
        // Equal tables share one variable.
        let class = super::types::storage_class(AddressSpace::Constant) as u32;
        let key = (pointer, value);
        if let Some(id) = self.table_ids.get(&key) {
            return Ok(*id);
        }
        let id = self.b.push_result(Section::Globals, Op::Variable, Some(pointer), &[class, value.0]);
        self.table_ids.insert(key, id);
        self.finish_table(id, ty)?;
        Ok(id)
    }

    fn finish_table(&mut self, id: Id, ty: TypeId) -> Emit<()> {
        let align = self.align_of(ty)?;
        self.b.decorate(id, spirv_io::spirv::Decoration::Constant, &[]);
        self.b.decorate(id, spirv_io::spirv::Decoration::Alignment, &[align]);
        self.name(id, &format!("__table.{}", self.table_ids.len().saturating_sub(1)));
        Ok(())
    }
}
