//! Images and samplers: types, reads, writes, queries.
//!
//! A sampled image is the pair of its image and its sampler; a sampler is a number (see [`crate::kernel_info::SamplerSource`]).

use super::function::{FunctionReader, Leaves};
use super::{constants, invalid, not_yet};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, ConvertOp, ImageOp, ImageRef, ImageType, InstKind, Level, OpaqueType, Scalar, Type, Value,
};
use crate::kernel_info::{ImageAccess, ImageDim, ImageShape, TexelClass};
use smallvec::SmallVec;
use spirv_io::Instruction;
use spirv_io::spirv::{Dim, ImageOperands, Op};

/// CL_R: SPIR-V counts channel orders from 0.
const FIRST_ORDER: u64 = 0x10B0;
/// CL_SNORM_INT8, the first channel type.
const FIRST_TYPE: u64 = 0x10D0;

/// The contents of an OpTypeImage.
pub(super) fn image_type(inst: &Instruction<'_>) -> Result<ImageType, LowerError> {
    let dim = match Dim::from_u32(inst.word(2)?) {
        Some(Dim::Dim1D) => ImageDim::One,
        Some(Dim::Dim2D) => ImageDim::Two,
        Some(Dim::Dim3D) => ImageDim::Three,
        Some(Dim::DimBuffer) => ImageDim::Buffer,
        other => return Err(not_yet("", format!("images of dimension {other:?}"))),
    };
    let arrayed = inst.word(4)? != 0;
    if arrayed && matches!(dim, ImageDim::Three | ImageDim::Buffer) {
        return Err(invalid("an array of 3D or buffer images"));
    }
    let shape = ImageShape { dim, arrayed, depth: inst.word(3)? == 1, multisampled: inst.word(5)? != 0 };
    let access = match inst.rest(8).first() {
        None | Some(0) => ImageAccess::ReadOnly,
        Some(1) => ImageAccess::WriteOnly,
        Some(2) => ImageAccess::ReadWrite,
        Some(_) => return Err(invalid("an unknown access qualifier")),
    };
    Ok(ImageType { shape, access })
}

/// The operands after an instruction's own.
struct Extra<'a> {
    mask: ImageOperands,
    ids: &'a [u32],
}

impl<'a> Extra<'a> {
    fn new(words: &'a [u32]) -> Result<Self, LowerError> {
        let Some((mask, ids)) = words.split_first() else {
            return Ok(Extra { mask: ImageOperands::empty(), ids: &[] });
        };
        let known = ImageOperands::LOD
            | ImageOperands::GRAD
            | ImageOperands::SAMPLE
            | ImageOperands::SIGN_EXTEND
            | ImageOperands::ZERO_EXTEND
            // A hint on caches.
            | ImageOperands::NONTEMPORAL;
        match ImageOperands::from_bits(*mask) {
            Some(mask) if known.contains(mask) => Ok(Extra { mask, ids }),
            _ => Err(not_yet("", format!("the image operands {mask:#x}"))),
        }
    }

    /// The class of texels of a type.
    fn class(&self, texel: Type) -> Result<Option<TexelClass>, LowerError> {
        match texel.scalar() {
            Some(Scalar::F16 | Scalar::F32) => Ok(Some(TexelClass::Float)),
            Some(Scalar::I32) if self.mask.contains(ImageOperands::SIGN_EXTEND) => Ok(Some(TexelClass::Sint)),
            Some(Scalar::I32) if self.mask.contains(ImageOperands::ZERO_EXTEND) => Ok(Some(TexelClass::Uint)),
            Some(Scalar::I32) => Ok(None),
            _ => Err(invalid(format!("texels of type {texel}"))),
        }
    }
}

impl<'a> FunctionReader<'a> {
    /// Translates an image instruction; false if it is none.
    pub fn image(&mut self, inst: &Instruction<'_>) -> Result<bool, LowerError> {
        match inst.op {
            Op::SampledImage => {
                let (image, _) = self.image_operand(inst.word(2)?)?;
                let sampler = self.value(inst.word(3)?)?;
                if self.f.ty(sampler) != Type::I32 {
                    return Err(invalid("a sampled image without a sampler"));
                }
                let leaves = Leaves::from_iter([image, sampler]);
                self.define(inst.word(1)?, inst.word(0)?, leaves);
            }
            Op::ImageSampleExplicitLod => self.sample(inst)?,
            Op::ImageRead => self.read_image(inst)?,
            Op::ImageWrite => self.write_image(inst)?,
            Op::ImageQueryFormat
            | Op::ImageQueryOrder
            | Op::ImageQueryLevels
            | Op::ImageQuerySamples
            | Op::ImageQuerySize
            | Op::ImageQuerySizeLod => self.query(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The value of an image, and what it is.
    pub(super) fn image_operand(&mut self, id: u32) -> Result<(Value, ImageType), LowerError> {
        let value = self.value(id)?;
        let ty = self.image_of(value).ok_or_else(|| invalid(format!("%{id} is no image")))?;
        Ok((value, ty))
    }

    fn image_of(&self, value: Value) -> Option<ImageType> {
        let Type::Opaque(opaque) = self.f.ty(value) else { return None };
        let OpaqueType::Image(ty) = self.tables().types.opaques.get(opaque)?;
        Some(*ty)
    }

    /// A coordinate: as many components as the image needs, of i32 or f32.
    fn coordinate(&mut self, id: u32, image: ImageType, float: bool) -> Result<Value, LowerError> {
        let value = self.value(id)?;
        let ty = self.f.ty(value);
        let fits = match ty.scalar() {
            Some(Scalar::I32) => true,
            Some(Scalar::F32) => float,
            _ => false,
        };
        if !fits || ty.lanes() < image.coordinates() {
            return Err(invalid(format!("a coordinate of type {ty}")));
        }
        Ok(value)
    }

    fn texel_type(&self, ty: u32) -> Result<Type, LowerError> {
        let ty = self.tables().types.plain(ty)?;
        if matches!(ty.lanes(), 1 | 4) { Ok(ty) } else { Err(invalid(format!("a texel of type {ty}"))) }
    }

    fn sample(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let [image, sampler] = self.leaves(inst.word(2)?)?[..] else {
            return Err(invalid("a sample of what is no sampled image"));
        };
        let ty = self.image_of(image).ok_or_else(|| invalid("a sample of what is no image"))?;
        let coordinate = self.coordinate(inst.word(3)?, ty, true)?;
        let extra = Extra::new(inst.rest(4))?;
        let texel = self.texel_type(inst.word(0)?)?;
        let class = extra.class(texel)?;
        let mut args: SmallVec<[Value; 4]> = smallvec::smallvec![sampler, coordinate];
        let level = if extra.mask.contains(ImageOperands::LOD) {
            let [lod, ..] = *extra.ids else { return Err(invalid("a level of detail is missing")) };
            let value = self.value(lod)?;
            match self.f.const_bits(value) {
                // No image has a level below, and -0 is 0.
                Some(0) => Level::Zero,
                _ => {
                    if self.f.ty(value) != Type::F32 {
                        return Err(invalid("a level of detail that is no float"));
                    }
                    args.push(value);
                    Level::Given
                }
            }
        } else if extra.mask.contains(ImageOperands::GRAD) {
            let [x, y, ..] = *extra.ids else { return Err(invalid("gradients are missing")) };
            for id in [x, y] {
                let value = self.value(id)?;
                let ty_of = self.f.ty(value);
                if ty_of.scalar() != Some(Scalar::F32) || ty_of.lanes() < ty.dimensions() {
                    return Err(invalid(format!("a gradient of type {ty_of}")));
                }
                args.push(value);
            }
            Level::Gradients
        } else {
            return Err(invalid("a sample without a level of detail"));
        };
        let kind = InstKind::Image {
            op: ImageOp::Sample { class, level },
            image: ImageRef::Value(image),
            args: Box::new(args),
        };
        let value = self.emit(kind, texel);
        self.define_one(inst, value)
    }

    fn read_image(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (image, ty) = self.image_operand(inst.word(2)?)?;
        let coordinate = self.coordinate(inst.word(3)?, ty, false)?;
        let extra = Extra::new(inst.rest(4))?;
        if extra.mask.intersects(ImageOperands::LOD | ImageOperands::GRAD) {
            return Err(not_yet("", "reading a level of an image without a sampler"));
        }
        let texel = self.texel_type(inst.word(0)?)?;
        let mut args: SmallVec<[Value; 4]> = smallvec::smallvec![coordinate];
        if extra.mask.contains(ImageOperands::SAMPLE) != ty.shape.multisampled {
            return Err(invalid("the number of a sample, or an image that has several and none is chosen"));
        }
        if ty.shape.multisampled {
            let [sample, ..] = *extra.ids else { return Err(invalid("the number of a sample is missing")) };
            let sample = self.value(sample)?;
            if self.f.ty(sample) != Type::I32 {
                return Err(invalid("the number of a sample is no int"));
            }
            args.push(sample);
        }
        let op = ImageOp::Read(extra.class(texel)?);
        let value =
            self.emit(InstKind::Image { op, image: ImageRef::Value(image), args: Box::new(args) }, texel);
        self.define_one(inst, value)
    }

    fn write_image(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (image, ty) = self.image_operand(inst.word(0)?)?;
        let coordinate = self.coordinate(inst.word(1)?, ty, false)?;
        let texel = self.value(inst.word(2)?)?;
        let extra = Extra::new(inst.rest(3))?;
        if extra.mask.intersects(ImageOperands::GRAD | ImageOperands::SAMPLE) {
            return Err(invalid("a write to an image with gradients or a sample"));
        }
        let texel_type = self.f.ty(texel);
        if !matches!(texel_type.lanes(), 1 | 4) {
            return Err(invalid(format!("a texel of type {texel_type}")));
        }
        let op = ImageOp::Write(extra.class(texel_type)?);
        let mut args: SmallVec<[Value; 4]> = smallvec::smallvec![coordinate, texel];
        if extra.mask.contains(ImageOperands::LOD) {
            let [level, ..] = *extra.ids else { return Err(invalid("the level of a write is missing")) };
            let level = self.value(level)?;
            if self.f.ty(level) != Type::I32 {
                return Err(invalid("the level of a write is no int"));
            }
            args.push(level);
        }
        self.emit_void(InstKind::Image { op, image: ImageRef::Value(image), args: Box::new(args) });
        Ok(())
    }

    fn query(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (image, ty) = self.image_operand(inst.word(2)?)?;
        let result = self.tables().types.plain(inst.word(0)?)?;
        let Some(scalar) = result.scalar().filter(|s| s.is_int()) else {
            return Err(invalid("a query of an image that gives no integers"));
        };
        let ask = |r: &mut Self, op: ImageOp| {
            let kind = InstKind::Image { op, image: ImageRef::Value(image), args: Box::default() };
            r.emit(kind, Type::I32)
        };
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        match inst.op {
            Op::ImageQueryFormat | Op::ImageQueryOrder => {
                let word = ask(self, ImageOp::Format);
                let (number, first) = if inst.op == Op::ImageQueryFormat {
                    (self.with_constant(BinaryOp::LShr, word, 16), FIRST_TYPE)
                } else {
                    (self.with_constant(BinaryOp::And, word, 0xffff), FIRST_ORDER)
                };
                parts.push(self.with_constant(BinaryOp::ISub, number, first));
            }
            Op::ImageQueryLevels | Op::ImageQuerySamples => {
                let word = ask(self, ImageOp::Levels);
                parts.push(if inst.op == Op::ImageQueryLevels {
                    self.with_constant(BinaryOp::And, word, 0xffff)
                } else {
                    self.with_constant(BinaryOp::LShr, word, 16)
                });
            }
            _ => {
                if inst.op == Op::ImageQuerySizeLod
                    && constants::bits(self.tables(), inst.word(3)?).ok() != Some(0)
                {
                    return Err(not_yet("", "the size of a level of an image"));
                }
                parts.extend((0..ty.coordinates()).map(|dim| ask(self, ImageOp::Size(dim))));
            }
        }
        if parts.len() != usize::from(result.lanes()) {
            return Err(invalid(format!("a query of an image that gives {result}")));
        }
        let parts: SmallVec<[Value; 4]> = parts.into_iter().map(|p| self.int_as(p, scalar)).collect();
        let value = match parts[..] {
            [one] => one,
            _ => self.emit(InstKind::Construct(parts), result),
        };
        self.define_one(inst, value)
    }

    fn with_constant(&mut self, op: BinaryOp, value: Value, constant: u64) -> Value {
        let constant = self.f.iconst(Type::I32, constant);
        self.emit(InstKind::Binary(op, value, constant), Type::I32)
    }

    /// An unsigned i32 as another integer.
    fn int_as(&mut self, value: Value, scalar: Scalar) -> Value {
        let op = match scalar.bits() {
            32 => return value,
            0..32 => ConvertOp::Trunc,
            _ => ConvertOp::ZExt,
        };
        self.emit(InstKind::Convert { op, value, saturate: false, rounding: None }, Type::Scalar(scalar))
    }
}
