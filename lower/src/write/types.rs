//! Types, constants, and the capabilities and extensions that they need.

use super::Writer;
use crate::error::LowerError;
use crate::ir::{Constant, Scalar, Type};
use spirv_io::Id;
use spirv_io::Section;
use spirv_io::spirv::{Capability, Decoration, Op, StorageClass};

impl Writer<'_> {
    /// The device lacks a feature.
    pub(super) fn unsupported(&self, needs: impl Into<String>) -> LowerError {
        LowerError::Unsupported {
            kernel: self.kernel.clone(),
            device: self.target.name.clone(),
            needs: needs.into(),
        }
    }

    /// Pumice lacks something.
    pub(super) fn not_yet(&self, what: impl Into<String>) -> LowerError {
        LowerError::NotYet { kernel: self.kernel.clone(), what: what.into() }
    }

    /// The IR has a shape that the passes before should not have left.
    pub(super) fn bug(&self, what: impl std::fmt::Display) -> LowerError {
        LowerError::Bug { pass: "write", message: format!("{}: {what}", self.kernel) }
    }

    /// Refuses unless the device has a feature, by its Vulkan name.
    pub(super) fn require(&self, present: bool, feature: &str) -> Result<(), LowerError> {
        if present { Ok(()) } else { Err(self.unsupported(feature)) }
    }

    /// Declares an extension that a SPIR-V version made core, where it is not core yet.
    pub(super) fn extension_before(&mut self, core_since: (u8, u8), name: &str) {
        if self.target.spirv_version() < core_since {
            self.b.extension(name);
        }
    }

    pub(super) fn void(&mut self) -> Id {
        self.b.unique(Op::TypeVoid, None, &[])
    }

    pub(super) fn scalar_type(&mut self, scalar: Scalar) -> Result<Id, LowerError> {
        self.declare_scalar(scalar)?;
        Ok(match scalar {
            Scalar::Bool => self.b.unique(Op::TypeBool, None, &[]),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => self.b.unique(Op::TypeFloat, None, &[scalar.bits()]),
            _ => self.b.unique(Op::TypeInt, None, &[scalar.bits(), 0]),
        })
    }

    /// The capability of a scalar type. 8- and 16-bit types may exist for storage alone.
    fn declare_scalar(&mut self, scalar: Scalar) -> Result<(), LowerError> {
        let f = &self.target.features;
        let (present, storage, capability, name) = match scalar {
            Scalar::Bool | Scalar::I32 | Scalar::F32 => return Ok(()),
            Scalar::I8 => (f.shader_int8, f.storage_buffer_8bit_access, Capability::Int8, "shaderInt8"),
            Scalar::I16 => (f.shader_int16, f.storage_buffer_16bit_access, Capability::Int16, "shaderInt16"),
            Scalar::F16 => {
                (f.shader_float16, f.storage_buffer_16bit_access, Capability::Float16, "shaderFloat16")
            }
            Scalar::I64 => (f.shader_int64, false, Capability::Int64, "shaderInt64"),
            Scalar::F64 => (f.shader_float64, false, Capability::Float64, "shaderFloat64"),
        };
        if present {
            self.b.capability(capability);
        }
        self.require(present || storage, name)
    }

    /// The capability of a scalar in a storage or physical storage buffer (Vulkan "Features":
    /// storageBuffer8BitAccess, storageBuffer16BitAccess).
    pub(super) fn declare_stored(&mut self, scalar: Scalar) -> Result<(), LowerError> {
        match scalar.bytes() {
            1 => {
                self.require(self.target.features.storage_buffer_8bit_access, "storageBuffer8BitAccess")?;
                self.b.capability(Capability::StorageBuffer8BitAccess);
                self.extension_before((1, 5), "SPV_KHR_8bit_storage");
            }
            2 => {
                self.require(self.target.features.storage_buffer_16bit_access, "storageBuffer16BitAccess")?;
                self.b.capability(Capability::StorageBuffer16BitAccess);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn ty(&mut self, ty: Type) -> Result<Id, LowerError> {
        let (scalar, lanes) = match ty {
            Type::Scalar(scalar) => (scalar, 1),
            Type::Vector(scalar, lanes @ 2..=4) => (scalar, lanes),
            Type::Vector(..) | Type::Ptr(_) | Type::Opaque(_) => {
                return Err(self.bug(format_args!("a value of type {ty} is left")));
            }
        };
        let known = self.types[scalar as usize][usize::from(lanes) - 1];
        if let Some(id) = known {
            return Ok(id);
        }
        let element = self.scalar_type(scalar)?;
        let id = match lanes {
            1 => element,
            lanes => self.b.unique(Op::TypeVector, None, &[element.0, u32::from(lanes)]),
        };
        self.types[scalar as usize][usize::from(lanes) - 1] = Some(id);
        Ok(id)
    }

    /// The type of a function's results: nothing, one value, or a structure of them.
    pub(super) fn results_type(&mut self, types: &[Type]) -> Result<Id, LowerError> {
        match types {
            [] => Ok(self.void()),
            [one] => self.ty(*one),
            many => {
                let members =
                    many.iter().map(|t| Ok(self.ty(*t)?.0)).collect::<Result<Vec<_>, LowerError>>()?;
                Ok(self.b.unique(Op::TypeStruct, None, &members))
            }
        }
    }

    pub(super) fn pointer(&mut self, class: StorageClass, to: Id) -> Id {
        self.b.unique(Op::TypePointer, None, &[class as u32, to.0])
    }

    pub(super) fn u32_type(&mut self) -> Id {
        self.b.unique(Op::TypeInt, None, &[32, 0])
    }

    pub(super) fn u32_const(&mut self, value: u32) -> Id {
        let ty = self.u32_type();
        self.b.unique(Op::Constant, Some(ty), &[value])
    }

    /// The same integer in every lane of a type.
    pub(super) fn int_const(&mut self, ty: Type, bits: u64) -> Result<Id, LowerError> {
        self.constant(ty, Constant::Bits(bits))
    }

    pub(super) fn constant(&mut self, ty: Type, constant: Constant) -> Result<Id, LowerError> {
        let id = self.ty(ty)?;
        let Constant::Bits(bits) = constant else {
            return Ok(self.b.unique(Op::Undef, Some(id), &[]));
        };
        let scalar = ty.scalar().ok_or_else(|| self.bug("a constant pointer is left"))?;
        let scalar_type = self.ty(Type::Scalar(scalar))?;
        let one = match scalar {
            Scalar::Bool if bits & 1 == 1 => self.b.unique(Op::ConstantTrue, Some(scalar_type), &[]),
            Scalar::Bool => self.b.unique(Op::ConstantFalse, Some(scalar_type), &[]),
            Scalar::I64 | Scalar::F64 => {
                self.b.unique(Op::Constant, Some(scalar_type), &[bits as u32, (bits >> 32) as u32])
            }
            narrow => {
                let mask = if narrow.bits() == 32 { u32::MAX } else { (1 << narrow.bits()) - 1 };
                self.b.unique(Op::Constant, Some(scalar_type), &[bits as u32 & mask])
            }
        };
        if ty.lanes() == 1 {
            return Ok(one);
        }
        let lanes = vec![one.0; usize::from(ty.lanes())];
        Ok(self.b.unique(Op::ConstantComposite, Some(id), &lanes))
    }

    /// `struct Block { element elems[]; }`, with the layout of a buffer.
    pub(super) fn runtime_block(&mut self, element: Type) -> Result<Id, LowerError> {
        if let Some(id) = self.runtime_blocks.get(&element) {
            return Ok(*id);
        }
        let scalar = element.scalar().ok_or_else(|| self.bug("a buffer of pointers is left"))?;
        self.declare_stored(scalar)?;
        let ty = self.ty(element)?;
        let array = self.b.push_result(Section::Globals, Op::TypeRuntimeArray, None, &[ty.0]);
        self.b.decorate(array, Decoration::ArrayStride, &[element.bytes()]);
        let block = self.block_of(array);
        self.runtime_blocks.insert(element, block);
        Ok(block)
    }

    /// `struct Block { uint words[n]; }`, with the layout of a buffer.
    pub(super) fn words_block(&mut self, words: u32) -> Id {
        if let Some(id) = self.words_blocks.get(&words) {
            return *id;
        }
        let ty = self.u32_type();
        let length = self.u32_const(words);
        let array = self.b.push_result(Section::Globals, Op::TypeArray, None, &[ty.0, length.0]);
        self.b.decorate(array, Decoration::ArrayStride, &[4]);
        let block = self.block_of(array);
        self.words_blocks.insert(words, block);
        block
    }

    /// A structure with one member at offset 0, decorated Block.
    pub(super) fn block_of(&mut self, member: Id) -> Id {
        let block = self.b.push_result(Section::Globals, Op::TypeStruct, None, &[member.0]);
        self.b.decorate(block, Decoration::Block, &[]);
        self.b.member_decorate(block, 0, Decoration::Offset, &[0]);
        block
    }
}
