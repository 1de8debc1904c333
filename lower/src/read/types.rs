//! Types and their layout in memory: OpenCL C's, which is C's (OpenCL C §6.3.5 "Alignment of Types").

use super::{invalid, not_yet};
use crate::error::LowerError;
use crate::ir::{EntityMap, ImageType, Module, Opaque, OpaqueType, Scalar, Space, Type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv_io::spirv::StorageClass;

/// The largest nesting of aggregates.
const MAX_DEPTH: u32 = 200;
/// The largest number of leaves of an aggregate value.
const MAX_LEAVES: u64 = 4096;

/// A SPIR-V type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ty {
    Void,
    Plain(Type),
    Array {
        element: u32,
        length: u64,
    },
    Struct {
        members: Vec<u32>,
        offsets: Vec<u64>,
    },
    Pointer {
        storage: StorageClass,
        space: Space,
        pointee: u32,
    },
    Function {
        result: u32,
        params: Vec<u32>,
    },
    /// An image.
    Image(Opaque),
    /// An image and a sampler.
    SampledImage,
    /// A number: its bits.
    Sampler,
    /// A type without memory layout and operations.
    Opaque(String),
}

/// A type with what its layout needs.
#[derive(Debug, Clone)]
pub(super) struct TyData {
    pub ty: Ty,
    pub size: u64,
    pub align: u32,
    pub leaves: u64,
    depth: u32,
}

/// One leaf of an aggregate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub offset: u64,
    pub ty: Type,
}

/// All types by id.
#[derive(Debug, Default)]
pub(super) struct Types {
    map: FxHashMap<u32, TyData>,
    /// The images among them.
    pub opaques: EntityMap<Opaque, OpaqueType>,
    pub address_bits: u32,
}

impl Types {
    pub fn get(&self, id: u32) -> Result<&TyData, LowerError> {
        self.map.get(&id).ok_or_else(|| invalid(format!("%{id} is no type")))
    }

    /// An id that is declared again keeps its first meaning, except for forward-declared pointers. Types cannot contain themselves
    /// because of this.
    fn add(&mut self, id: u32, ty: Ty, size: u64, align: u32, leaves: u64, depth: u32) {
        if let Some(old) = self.map.get(&id)
            && !matches!((&old.ty, &ty), (Ty::Pointer { pointee: 0, .. }, Ty::Pointer { .. }))
        {
            return;
        }
        self.map.insert(id, TyData { ty, size, align, leaves, depth });
    }

    pub fn add_simple(&mut self, id: u32, ty: Ty) {
        let leaves = u64::from(!matches!(ty, Ty::Void | Ty::Function { .. }));
        self.add(id, ty, 0, 1, leaves, 0);
    }

    /// A sampler is a word in memory.
    pub fn add_sampler(&mut self, id: u32) {
        self.add(id, Ty::Sampler, 4, 4, 1, 0);
    }

    pub fn add_image(&mut self, id: u32, image: ImageType) -> Result<(), LowerError> {
        let image = OpaqueType::Image(image);
        let known = self.opaques.iter().find(|(_, t)| **t == image).map(|(o, _)| o);
        let opaque = match known {
            Some(opaque) => opaque,
            None if self.opaques.len() < Module::MAX_OPAQUES => self.opaques.push(image),
            None => return Err(invalid("too many types of images")),
        };
        self.add(id, Ty::Image(opaque), 0, 1, 1, 0);
        Ok(())
    }

    pub fn add_sampled_image(&mut self, id: u32) {
        self.add(id, Ty::SampledImage, 0, 1, 2, 0);
    }

    pub fn add_plain(&mut self, id: u32, ty: Type) {
        let lanes = if ty.lanes() == 3 { 4 } else { ty.lanes() };
        let scalar = ty.scalar().map_or(0, |s| if s == Scalar::Bool { 1 } else { s.bytes() });
        let size = scalar * u32::from(lanes);
        self.add(id, Ty::Plain(ty), u64::from(size), size.max(1), 1, 0);
    }

    pub fn add_pointer(&mut self, id: u32, storage: StorageClass, pointee: u32) {
        let space = match storage {
            StorageClass::Workgroup => Space::Local,
            StorageClass::UniformConstant => Space::Constant,
            StorageClass::CrossWorkgroup => Space::Global,
            StorageClass::Generic => Space::Generic,
            // Built-in inputs have pointers too; they are recognised by their storage class.
            _ => Space::Private,
        };
        let bytes = self.address_bits / 8;
        self.add(id, Ty::Pointer { storage, space, pointee }, u64::from(bytes), bytes, 1, 0);
    }

    pub fn add_array(&mut self, id: u32, element: u32, length: u64) -> Result<(), LowerError> {
        let e = self.get(element)?;
        let size = e.size.checked_mul(length).filter(|s| *s < 1 << 47);
        let size = size.ok_or_else(|| invalid("an array type is too large"))?;
        let (align, leaves, depth) = (e.align, e.leaves.saturating_mul(length), e.depth + 1);
        check_depth(depth)?;
        self.add(id, Ty::Array { element, length }, size, align, leaves, depth);
        Ok(())
    }

    pub fn add_struct(&mut self, id: u32, members: Vec<u32>, packed: bool) -> Result<(), LowerError> {
        let (mut size, mut align, mut leaves, mut depth) = (0u64, 1u32, 0u64, 0);
        let mut offsets = Vec::with_capacity(members.len());
        for member in &members {
            // A pointer that is declared later has its OpTypeForwardPointer before.
            let m = self.get(*member)?;
            leaves = leaves.saturating_add(m.leaves);
            depth = depth.max(m.depth + 1);
            let (m_size, m_align) = (m.size, m.align);
            if !packed {
                size = size.next_multiple_of(u64::from(m_align));
                align = align.max(m_align);
            }
            offsets.push(size);
            size = size.saturating_add(m_size);
            if size >= 1 << 47 {
                return Err(invalid("a structure type is too large"));
            }
        }
        check_depth(depth)?;
        size = size.next_multiple_of(u64::from(align));
        self.add(id, Ty::Struct { members, offsets }, size, align, leaves, depth);
        Ok(())
    }

    /// The IR type of a type with one leaf: scalar, vector, pointer.
    pub fn plain(&self, id: u32) -> Result<Type, LowerError> {
        match &self.get(id)?.ty {
            Ty::Plain(ty) => Ok(*ty),
            Ty::Pointer { space, .. } => Ok(Type::Ptr(*space)),
            Ty::Image(opaque) => Ok(Type::Opaque(*opaque)),
            Ty::Sampler => Ok(Type::I32),
            Ty::Opaque(name) if name == "event" => Ok(Type::I32),
            Ty::Opaque(name) => Err(not_yet("", format!("values of type {name}"))),
            other => Err(invalid(format!("%{id} is no scalar, vector or pointer type but {other:?}"))),
        }
    }

    /// The parts of a pointer type: its storage class, space and pointee.
    pub fn pointer(&self, id: u32) -> Result<(StorageClass, Space, u32), LowerError> {
        match &self.get(id)?.ty {
            Ty::Pointer { storage, space, pointee } => Ok((*storage, *space, *pointee)),
            _ => Err(invalid(format!("%{id} is no pointer type"))),
        }
    }

    /// How many leaves a value of a type has.
    pub fn leaf_count(&self, id: u32) -> Result<usize, LowerError> {
        let count = self.get(id)?.leaves;
        if count > MAX_LEAVES {
            return Err(not_yet("", format!("a value of {count} elements (at most {MAX_LEAVES})")));
        }
        Ok(count as usize)
    }

    /// The leaves of a type with their offsets.
    pub fn leaves(&self, id: u32) -> Result<SmallVec<[Leaf; 1]>, LowerError> {
        let data = self.get(id)?;
        if let Ty::Plain(ty) = data.ty {
            return Ok(SmallVec::from_buf([Leaf { offset: 0, ty }]));
        }
        let mut list = SmallVec::with_capacity(self.leaf_count(id)?);
        self.add_leaves(id, 0, &mut list)?;
        Ok(list)
    }

    /// The recursion ends: depths are checked when types are added.
    fn add_leaves(&self, id: u32, base: u64, list: &mut SmallVec<[Leaf; 1]>) -> Result<(), LowerError> {
        let data = self.get(id)?;
        if data.leaves == 0 {
            return Ok(());
        }
        match &data.ty {
            Ty::Array { element, length } => {
                let step = self.get(*element)?.size;
                for i in 0..*length {
                    self.add_leaves(*element, base + i * step, list)?;
                }
            }
            Ty::Struct { members, offsets } => {
                for (member, offset) in members.iter().zip(offsets) {
                    self.add_leaves(*member, base + offset, list)?;
                }
            }
            Ty::Void => {}
            _ => list.push(Leaf { offset: base, ty: self.plain(id)? }),
        }
        Ok(())
    }

    /// Member or element `index` of an aggregate: its type, how many leaves come before it, its offset.
    pub fn part(&self, id: u32, index: u64) -> Result<(u32, usize, u64), LowerError> {
        let outside = || invalid(format!("index {index} is outside type %{id}"));
        match &self.get(id)?.ty {
            Ty::Array { element, length } => {
                if index >= *length {
                    return Err(outside());
                }
                let data = self.get(*element)?;
                let before = data.leaves.saturating_mul(index).min(MAX_LEAVES) as usize;
                Ok((*element, before, index * data.size))
            }
            Ty::Struct { members, offsets } => {
                let at = usize::try_from(index).map_err(|_| outside())?;
                let (member, offset) = (members.get(at).ok_or_else(outside)?, offsets[at]);
                let mut before = 0u64;
                for m in &members[..at] {
                    before = before.saturating_add(self.get(*m)?.leaves);
                }
                Ok((*member, before.min(MAX_LEAVES) as usize, offset))
            }
            _ => Err(invalid(format!("%{id} has no parts"))),
        }
    }
}

fn check_depth(depth: u32) -> Result<(), LowerError> {
    if depth > MAX_DEPTH { Err(invalid("types nest too deeply")) } else { Ok(()) }
}
