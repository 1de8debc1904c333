//! The types of a module, by their declarations. They are looked up, never copied.

use super::{Check, Checker, Fault, broken, ensure, unsupported};
use crate::ir::{Scalar, Space, Type};
use spirv_io::Instruction;
use spirv_io::spirv::{Op, StorageClass};
use std::collections::BTreeSet;

/// The class of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Bool,
    Int,
    Float,
}

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Void,
    /// A scalar, or a vector of more than one lane.
    Numeric {
        class: Class,
        bits: u32,
        lanes: u32,
    },
    Array {
        element: u32,
    },
    Struct,
    Pointer {
        storage: StorageClass,
        pointee: u32,
    },
    Function,
    Event,
    Sampler,
    Image,
    SampledImage,
    /// A type without operations here, or no type.
    Other,
}

impl Kind {
    /// Class, width and lanes of a scalar or vector.
    pub fn numeric(self) -> Option<(Class, u32, u32)> {
        match self {
            Kind::Numeric { class, bits, lanes } => Some((class, bits, lanes)),
            _ => None,
        }
    }

    /// The lanes of a scalar or vector of a class.
    pub fn lanes_of(self, wanted: Class) -> Option<u32> {
        self.numeric().filter(|n| n.0 == wanted).map(|n| n.2)
    }

    /// A single integer of any width.
    pub fn is_int_scalar(self) -> bool {
        self.lanes_of(Class::Int) == Some(1)
    }

    /// As the lowering's IR has it.
    pub fn ir(self) -> Option<Type> {
        Some(match self {
            Kind::Numeric { class, bits, lanes } => {
                let scalar = match (class, bits) {
                    (Class::Bool, _) => Scalar::Bool,
                    (Class::Int, bits) => Scalar::int(bits / 8)?,
                    (Class::Float, 16) => Scalar::F16,
                    (Class::Float, 32) => Scalar::F32,
                    (Class::Float, _) => Scalar::F64,
                };
                if lanes == 1 { Type::Scalar(scalar) } else { Type::new(scalar, u8::try_from(lanes).ok()?) }
            }
            Kind::Pointer { storage, .. } => Type::Ptr(match storage {
                StorageClass::Workgroup => Space::Local,
                StorageClass::UniformConstant => Space::Constant,
                StorageClass::CrossWorkgroup => Space::Global,
                StorageClass::Generic => Space::Generic,
                _ => Space::Private,
            }),
            Kind::Event | Kind::Sampler => Type::I32,
            _ => return None,
        })
    }
}

impl Checker<'_> {
    /// A type.
    pub fn kind(&self, ty: u32) -> Kind {
        let Some(op) = self.m.op(ty) else { return Kind::Other };
        let operand = |i| self.m.operand(ty, i);
        match op {
            Op::TypeVoid => Kind::Void,
            Op::TypeBool => Kind::Numeric { class: Class::Bool, bits: 1, lanes: 1 },
            Op::TypeInt => Kind::Numeric { class: Class::Int, bits: operand(1), lanes: 1 },
            Op::TypeFloat => Kind::Numeric { class: Class::Float, bits: operand(1), lanes: 1 },
            Op::TypeVector => match self.scalar(operand(1)) {
                Some((class, bits)) => Kind::Numeric { class, bits, lanes: operand(2) },
                None => Kind::Other,
            },
            Op::TypeArray => Kind::Array { element: operand(1) },
            Op::TypeStruct => Kind::Struct,
            Op::TypePointer => match StorageClass::from_u32(operand(1)) {
                Some(storage) => Kind::Pointer { storage, pointee: operand(2) },
                None => Kind::Other,
            },
            Op::TypeFunction => Kind::Function,
            Op::TypeEvent => Kind::Event,
            Op::TypeSampler => Kind::Sampler,
            Op::TypeImage => Kind::Image,
            Op::TypeSampledImage => Kind::SampledImage,
            _ => Kind::Other,
        }
    }

    /// Class and width of a scalar type; of no vector, so that nothing nests.
    fn scalar(&self, ty: u32) -> Option<(Class, u32)> {
        match self.m.op(ty)? {
            Op::TypeBool => Some((Class::Bool, 1)),
            Op::TypeInt => Some((Class::Int, self.m.operand(ty, 1))),
            Op::TypeFloat => Some((Class::Float, self.m.operand(ty, 1))),
            _ => None,
        }
    }

    /// The type of a value, 0 for what is none.
    pub fn type_of(&self, id: u32) -> u32 {
        self.m.value_type(id).unwrap_or(0)
    }

    /// The type of a value.
    pub fn kind_of(&self, id: u32) -> Kind {
        self.kind(self.type_of(id))
    }

    /// Returns whether two types are equal: by their ids, or as equal declarations of scalars, vectors and pointers. A module should not have such
    /// twice, but may.
    pub fn same(&self, a: u32, b: u32) -> bool {
        // Pointers to pointers end where the ids are the same, or at this depth.
        let (mut a, mut b) = (a, b);
        for _ in 0..32 {
            if a == b {
                return true;
            }
            match (self.kind(a), self.kind(b)) {
                (Kind::Pointer { storage, pointee }, Kind::Pointer { storage: s, pointee: p }) => {
                    if storage != s {
                        return false;
                    }
                    (a, b) = (pointee, p);
                }
                (x @ Kind::Numeric { .. }, y) => return x == y,
                (Kind::Array { element }, Kind::Array { element: e }) => {
                    if self.length(a).is_none() || self.length(a) != self.length(b) {
                        return false;
                    }
                    (a, b) = (element, e);
                }
                (Kind::Void, Kind::Void) => return true,
                _ => return false,
            }
        }
        false
    }

    /// Returns whether two types match logically (SPIR-V, OpCopyLogical): structures and arrays with the same number of members, which are equal or
    /// match. Their layout is not compared.
    pub fn logically_match(&self, a: u32, b: u32) -> bool {
        // Each pair once: structures may have structures many times over.
        let (mut seen, mut work) = (BTreeSet::new(), vec![(a, b)]);
        while let Some((a, b)) = work.pop() {
            if !seen.insert((a, b)) || self.same(a, b) {
                continue;
            }
            match (self.kind(a), self.kind(b)) {
                (Kind::Array { element }, Kind::Array { element: e }) => {
                    if self.length(a).is_none() || self.length(a) != self.length(b) {
                        return false;
                    }
                    work.push((element, e));
                }
                (Kind::Struct, Kind::Struct) => {
                    let members = |ty| self.m.operands(ty).get(1..).unwrap_or(&[]);
                    if members(a).len() != members(b).len() {
                        return false;
                    }
                    work.extend(members(a).iter().copied().zip(members(b).iter().copied()));
                }
                _ => return false,
            }
        }
        true
    }

    /// The type of a pointer's target, and its storage class.
    pub fn pointer(&self, id: u32) -> Result<(StorageClass, u32), Fault> {
        match self.kind_of(id) {
            Kind::Pointer { storage, pointee } => Ok((storage, pointee)),
            _ => broken(format!("%{id} is no pointer")),
        }
    }

    /// The length of an array type, where it is a plain constant.
    pub fn length(&self, array: u32) -> Option<u64> {
        let id = self.m.operand(array, 2);
        (self.m.op(id) == Some(Op::Constant)).then(|| self.literal(id))
    }

    /// The bits of a plain integer constant, in its width.
    pub fn literal(&self, constant: u32) -> u64 {
        let (low, high) = (self.m.operand(constant, 2), self.m.operand(constant, 3));
        let bits = self.kind_of(constant).numeric().map_or(64, |n| n.1).clamp(1, 64);
        (u64::from(low) | u64::from(high) << 32) & (u64::MAX >> (64 - bits))
    }

    /// The type of a part that a literal or constant chooses; `None` for an index that only runs.
    pub fn part(&self, ty: u32, index: Option<u64>) -> Result<u32, Fault> {
        match self.kind(ty) {
            Kind::Numeric { lanes, .. } if lanes > 1 => {
                ensure(index.is_none_or(|i| i < u64::from(lanes)), "an index is outside a vector")?;
                Ok(self.m.operand(ty, 1))
            }
            Kind::Array { element } => Ok(element),
            Kind::Struct => {
                let Some(index) = index else {
                    return broken("a structure's member is chosen by what is no plain constant");
                };
                let members = &self.m.operands(ty)[1..];
                let member = usize::try_from(index).ok().and_then(|i| members.get(i));
                member.copied().ok_or_else(|| Fault::Rule("an index is outside a structure".to_owned()))
            }
            _ => broken("an index goes into a type without parts"),
        }
    }

    /// A type's declaration.
    pub(super) fn type_declaration(&mut self, inst: &Instruction<'_>) -> Check {
        match inst.op {
            Op::TypeInt => {
                ensure(inst.word(2)? == 0, "integers of kernels have no signedness: it is 0")?;
                match inst.word(1)? {
                    8 | 16 | 32 | 64 => Ok(()),
                    0 => broken("an integer of 0 bits"),
                    bits => unsupported(format!("integers of {bits} bits")),
                }
            }
            Op::TypeFloat => match (inst.word(1)?, inst.operands.len()) {
                (16 | 32 | 64, 2) => Ok(()),
                (bits, 2) => unsupported(format!("floats of {bits} bits")),
                _ => unsupported("floats of other encodings"),
            },
            Op::TypeVector => {
                ensure(self.scalar(inst.word(1)?).is_some(), "its components are no scalars")?;
                let lanes = matches!(inst.word(2)?, 2 | 3 | 4 | 8 | 16);
                ensure(lanes, "a vector has 2, 3, 4, 8 or 16 components")
            }
            Op::TypeArray => {
                self.storable(inst.word(1)?, "its elements")?;
                ensure(self.kind_of(inst.word(2)?).is_int_scalar(), "its length is no integer")?;
                ensure(self.length(inst.word(0)?) != Some(0), "its length is 0")
            }
            Op::TypeStruct => {
                for member in inst.rest(1) {
                    if !self.seen.forward.contains_key(member) {
                        self.storable(*member, "a member")?;
                    }
                }
                Ok(())
            }
            Op::TypePointer => {
                let storage = inst.word(1)?;
                ensure(StorageClass::from_u32(storage).is_some(), "there is no such storage class")?;
                let announced = self.seen.classes.get(&inst.word(0)?);
                ensure(announced.is_none_or(|s| *s == storage), "it was announced with another storage class")
            }
            Op::TypeFunction => {
                for parameter in inst.rest(2) {
                    self.storable(*parameter, "a parameter")?;
                }
                let result = self.kind(inst.word(1)?);
                ensure(result != Kind::Function, "it gives a function")
            }
            Op::TypeImage => self.image_type(inst),
            Op::TypeSampledImage => ensure(self.kind(inst.word(1)?) == Kind::Image, "it is of no image"),
            _ => Ok(()),
        }
    }

    /// A type that values can have.
    pub fn storable(&self, ty: u32, what: &str) -> Check {
        let none = matches!(self.kind(ty), Kind::Void | Kind::Function);
        ensure(!none && self.m.is_type(ty), &format!("the type of {what} has no values"))
    }
}
