//! Images and samplers: their types, variables and instructions.

use super::function::Body;
use super::roots::arg_name;
use super::usage::{ImageUse, KernelUse, SAMPLED_BITS};
use super::{KernelState, Writer};
use crate::error::LowerError;
use crate::ir::{ImageOp, ImageRef, ImageType, KernelArgKind, KernelData, Level, Scalar, Type, Value};
use crate::kernel_info::{
    DescriptorKind, DescriptorSource, ImageAccess, ImageDim, ImageView, ImageViewKind, SamplerSource,
    SamplerUse, TexelClass,
};
use spirv_io::Id;
use spirv_io::spirv::{Capability, Decoration, Dim, ImageFormat, ImageOperands, Op, StorageClass};

/// A view of an image as a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    var: Id,
    image: Id,
    ty: ImageType,
}

impl Writer<'_> {
    /// Declares the images and samplers of a kernel.
    pub(super) fn declare_images(
        &mut self,
        kernel: &KernelData,
        used: &KernelUse,
        state: &mut KernelState,
    ) -> Result<(), LowerError> {
        // Views of bits are one descriptor, seen as variables of every size of texels: the kernel looks at that which fits.
        let mut bits: Option<((u32, u8), u32)> = None;
        let seen_as_bits = |arg: u32| used.images.keys().any(|key| key.arg == arg && key.bytes != 0);
        for (key, memory) in &used.images {
            let Some(KernelArgKind::Image(ty)) = kernel.args.get(key.arg as usize).map(|a| a.kind.clone())
            else {
                return Err(self.bug(format_args!("argument {} is no image", key.arg)));
            };
            let buffer = ty.shape.dim == ImageDim::Buffer;
            let kind = match (key.stored, buffer) {
                (false, false) => ImageViewKind::Sampled,
                (true, false) => ImageViewKind::Storage,
                (false, true) => ImageViewKind::TexelSampled,
                (true, true) => ImageViewKind::TexelStorage,
            };
            let image = self.image_type(ty, key)?;
            let known = bits.filter(|(of, _)| key.bytes != 0 && *of == (key.arg, key.level));
            let binding = match known {
                Some((_, binding)) => binding,
                None => state.bind_as(DescriptorSource::Image(key.arg), kind.descriptor()),
            };
            let mut name = format!("{}.{:?}", arg_name(kernel, key.arg), key.class).to_lowercase();
            if key.bytes != 0 && !key.stored {
                name += ".bits";
            } else if key.bytes != 0 {
                name += &format!("{}", u32::from(key.bytes) * 8);
            }
            let var = self.variable(StorageClass::UniformConstant, image, &name, state);
            self.b.decorate(var, Decoration::DescriptorSet, &[0]);
            self.b.decorate(var, Decoration::Binding, &[binding]);
            if key.stored {
                if seen_as_bits(key.arg) {
                    // Variables that share a descriptor (Vulkan specification, "DescriptorSet and Binding Assignment"), or texels.
                    self.b.decorate(var, Decoration::Aliased, &[]);
                }
                self.declare_stored_image(var, (ty, key), memory.read, memory.written)?;
            }
            state.images.insert(*key, Declared { var, image, ty });
            if known.is_none() {
                let view =
                    ImageView { binding, kind, class: key.class, level: key.level, bits: key.bytes != 0 };
                state.image_views.entry(key.arg).or_default().push(view);
                bits = (key.bytes != 0).then_some(((key.arg, key.level), binding));
            }
        }
        for of in &used.samplers {
            let binding = state
                .bind_as(DescriptorSource::Sampler(state.sampler_uses.len() as u32), DescriptorKind::Sampler);
            let ty = self.b.unique(Op::TypeSampler, None, &[]);
            let name = match of {
                SamplerSource::Argument(n) => arg_name(kernel, *n),
                SamplerSource::Literal(bits) => format!("sampler.{bits}"),
            };
            let var = self.variable(StorageClass::UniformConstant, ty, &name, state);
            self.b.decorate(var, Decoration::DescriptorSet, &[0]);
            self.b.decorate(var, Decoration::Binding, &[binding]);
            state.sampler_uses.push(SamplerUse { binding, source: *of });
            state.samplers.insert(*of, var);
        }
        self.check_descriptors(kernel, state)
    }

    /// The limits of what one kernel binds (Vulkan specification, "Required Limits").
    fn check_descriptors(&self, kernel: &KernelData, state: &KernelState) -> Result<(), LowerError> {
        let limits = &self.target.limits;
        let count =
            |kinds: &[DescriptorKind]| state.descriptors.iter().filter(|d| kinds.contains(&d.kind)).count();
        use DescriptorKind::{SampledImage, Sampler, StorageImage, StorageTexelBuffer, UniformTexelBuffer};
        let all = state.descriptors.iter().filter(|d| d.kind != Sampler).count();
        for (have, most, name) in [
            (
                count(&[SampledImage, UniformTexelBuffer]),
                limits.max_per_stage_descriptor_sampled_images,
                "maxPerStageDescriptorSampledImages",
            ),
            (
                count(&[StorageImage, StorageTexelBuffer]),
                limits.max_per_stage_descriptor_storage_images,
                "maxPerStageDescriptorStorageImages",
            ),
            (count(&[Sampler]), limits.max_per_stage_descriptor_samplers, "maxPerStageDescriptorSamplers"),
            (all, limits.max_per_stage_resources, "maxPerStageResources"),
        ] {
            if have > most as usize {
                let needs = format!("{name} of {have} for kernel '{}' (it has {most})", kernel.name);
                return Err(self.unsupported(needs));
            }
        }
        Ok(())
    }

    /// The declaration of a storage image and its features. Its format is known only when it is bound, except for views of bits.
    fn declare_stored_image(
        &mut self,
        var: Id,
        (ty, key): (ImageType, &ImageUse),
        read: bool,
        written: bool,
    ) -> Result<(), LowerError> {
        let f = &self.target.features;
        let (reads, writes) =
            (f.shader_storage_image_read_without_format, f.shader_storage_image_write_without_format);
        let bits = key.bytes != 0;
        if !read {
            self.b.decorate(var, Decoration::NonReadable, &[]);
        } else if !bits {
            self.require(reads, "shaderStorageImageReadWithoutFormat")?;
            self.b.capability(Capability::StorageImageReadWithoutFormat);
        }
        if written {
            if !bits {
                self.require(writes, "shaderStorageImageWriteWithoutFormat")?;
                self.b.capability(Capability::StorageImageWriteWithoutFormat);
            }
        } else if !self.distrusts_non_writable() {
            self.b.decorate(var, Decoration::NonWritable, &[]);
        }
        if ty.access == ImageAccess::ReadWrite && !self.vulkan_memory_model() {
            self.b.decorate(var, Decoration::Coherent, &[]);
        }
        Ok(())
    }

    fn channel_type(&mut self, class: TexelClass) -> Result<Id, LowerError> {
        Ok(match class {
            TexelClass::Float => self.ty(Type::F32)?,
            TexelClass::Sint => self.b.unique(Op::TypeInt, None, &[32, 1]),
            TexelClass::Uint => self.u32_type(),
        })
    }

    fn texel_type(&mut self, class: TexelClass) -> Result<Id, LowerError> {
        let channel = self.channel_type(class)?;
        Ok(self.b.unique(Op::TypeVector, None, &[channel.0, 4]))
    }

    fn image_type(&mut self, ty: ImageType, key: &ImageUse) -> Result<Id, LowerError> {
        let stored = key.stored;
        let (dim, sampled, storage) = match ty.shape.dim {
            ImageDim::One => (Dim::Dim1D, Some(Capability::Sampled1D), Some(Capability::Image1D)),
            ImageDim::Two => (Dim::Dim2D, None, None),
            ImageDim::Three => (Dim::Dim3D, None, None),
            ImageDim::Buffer => {
                (Dim::DimBuffer, Some(Capability::SampledBuffer), Some(Capability::ImageBuffer))
            }
        };
        if let Some(capability) = if stored { storage } else { sampled } {
            self.b.capability(capability);
        }
        let channel = self.channel_type(key.class)?;
        let format = if stored { self.format_of_bits(key.bytes)? } else { ImageFormat::Unknown };
        let shape = ty.shape;
        let words = [
            channel.0,
            dim as u32,
            0,
            shape.is_layered().into(),
            0,
            if stored { 2 } else { 1 },
            format as u32,
        ];
        Ok(self.b.unique(Op::TypeImage, None, &words))
    }

    /// The format of an image whose texels are seen as bits. Size 0 leaves it open.
    fn format_of_bits(&mut self, bytes: u8) -> Result<ImageFormat, LowerError> {
        let format = match bytes {
            0 => ImageFormat::Unknown,
            1 => ImageFormat::R8ui,
            2 => ImageFormat::R16ui,
            4 => ImageFormat::R32ui,
            8 => ImageFormat::Rgba16ui,
            16 => ImageFormat::Rgba32ui,
            other => return Err(self.bug(format_args!("texels of {other} bytes"))),
        };
        if matches!(bytes, 1 | 2) {
            let has = self.target.features.shader_storage_image_extended_formats;
            self.require(has, "shaderStorageImageExtendedFormats")?;
            self.b.capability(Capability::StorageImageExtendedFormats);
        }
        Ok(format)
    }

    /// The image's variable for a use, its value loaded.
    fn image(&mut self, state: &KernelState, key: ImageUse) -> Result<(Id, Declared), LowerError> {
        let Some(declared) = state.images.get(&key).copied() else {
            return Err(self.bug(format_args!("no variable for {key:?}")));
        };
        let id = self.code_result(Op::Load, declared.image, &[declared.var.0]);
        Ok((id, declared))
    }

    fn key(&self, image: ImageRef, stored: bool, class: TexelClass) -> Result<ImageUse, LowerError> {
        match image {
            ImageRef::Arg(arg) => Ok(ImageUse { arg, stored, class, level: 0, bytes: 0 }),
            ImageRef::Value(value) => Err(self.bug(format_args!("an image by value is left: {value}"))),
        }
    }

    /// A read: the texel as the IR has it, integers without a sign.
    pub(super) fn image_read(
        &mut self,
        body: &mut Body<'_>,
        state: &KernelState,
        (op, image): (ImageOp, ImageRef),
        args: &[Value],
    ) -> Result<Id, LowerError> {
        let mut values = Vec::with_capacity(args.len());
        for value in args {
            values.push(self.val(body, *value)?.0);
        }
        let (texel, class) = match op {
            ImageOp::Fetch(_) | ImageOp::FetchBits => {
                let (class, bytes) = match op {
                    ImageOp::Fetch(class) => (class, 0),
                    _ => (TexelClass::Uint, SAMPLED_BITS),
                };
                let (id, declared) =
                    self.image(state, ImageUse { bytes, ..self.key(image, false, class)? })?;
                let shape = declared.ty.shape;
                let mut words = vec![id.0];
                match values[..] {
                    [at, level] => words.extend([at, ImageOperands::LOD.bits(), level]),
                    [at] if shape.dim == ImageDim::Buffer => words.push(at),
                    [at] => words.extend([at, ImageOperands::LOD.bits(), self.u32_const(0).0]),
                    _ => return Err(self.bug("a fetch with other operands")),
                }
                let ty = self.texel_type(class)?;
                (self.code_result(Op::ImageFetch, ty, &words), class)
            }
            ImageOp::Load(_) | ImageOp::LoadBits(_) => {
                let (class, bytes) = match op {
                    ImageOp::Load(class) => (class, 0),
                    ImageOp::LoadBits(bytes) => (TexelClass::Uint, bytes),
                    _ => return Err(self.bug("a load that is none")),
                };
                let key = ImageUse { bytes, ..self.key(image, true, class)? };
                let (id, declared) = self.image(state, key)?;
                let mut words = vec![id.0];
                words.extend(values);
                words.extend(self.texel_operands(declared.ty));
                let ty = self.texel_type(class)?;
                (self.code_result(Op::ImageRead, ty, &words), class)
            }
            ImageOp::Filter { sampler: Some(sampler), level } => {
                (self.filter(state, image, sampler, level, &values)?, TexelClass::Float)
            }
            other => return Err(self.bug(format_args!("{other:?} is left"))),
        };
        if class == TexelClass::Sint {
            let ty = self.ty(Type::Vector(Scalar::I32, 4))?;
            return Ok(self.code_result(Op::Bitcast, ty, &[texel.0]));
        }
        Ok(texel)
    }

    fn filter(
        &mut self,
        state: &KernelState,
        image: ImageRef,
        sampler: SamplerSource,
        level: Level,
        values: &[u32],
    ) -> Result<Id, LowerError> {
        let (id, declared) = self.image(state, self.key(image, false, TexelClass::Float)?)?;
        let Some(var) = state.samplers.get(&sampler).copied() else {
            return Err(self.bug(format_args!("no variable for {sampler:?}")));
        };
        let ty = self.b.unique(Op::TypeSampler, None, &[]);
        let sampler = self.code_result(Op::Load, ty, &[var.0]);
        let ty = self.b.unique(Op::TypeSampledImage, None, &[declared.image.0]);
        let sampled = self.code_result(Op::SampledImage, ty, &[id.0, sampler.0]);
        let mut words = vec![sampled.0];
        match (level, values) {
            (Level::Zero, [at]) => {
                let zero = self.constant(Type::F32, crate::ir::Constant::Bits(0))?;
                words.extend([*at, ImageOperands::LOD.bits(), zero.0]);
            }
            (Level::Given, [at, level]) => words.extend([*at, ImageOperands::LOD.bits(), *level]),
            (Level::Gradients, [at, x, y]) => words.extend([*at, ImageOperands::GRAD.bits(), *x, *y]),
            _ => return Err(self.bug("a sample with other operands")),
        }
        let ty = self.texel_type(TexelClass::Float)?;
        Ok(self.code_result(Op::ImageSampleExplicitLod, ty, &words))
    }

    /// The operands of a storage image access in the Vulkan memory model: fences order accesses that are not private.
    fn texel_operands(&self, ty: ImageType) -> Option<u32> {
        let shared = ty.access == ImageAccess::ReadWrite && self.vulkan_memory_model();
        shared.then_some(ImageOperands::NON_PRIVATE_TEXEL.bits())
    }

    pub(super) fn image_store(
        &mut self,
        body: &mut Body<'_>,
        state: &KernelState,
        (op, image): (ImageOp, ImageRef),
        args: &[Value],
    ) -> Result<(), LowerError> {
        let (class, level, bytes) = match op {
            ImageOp::Store(class, level) => (class, level, 0),
            ImageOp::StoreBits(bytes, level) => (TexelClass::Uint, level, bytes),
            other => return Err(self.bug(format_args!("{other:?} is no store"))),
        };
        let &[at, texel] = args else { return Err(self.bug("a store to an image with other operands")) };
        let key = ImageUse { level, bytes, ..self.key(image, true, class)? };
        let (id, declared) = self.image(state, key)?;
        let (at, mut texel) = (self.val(body, at)?, self.val(body, texel)?);
        if class == TexelClass::Sint {
            let ty = self.texel_type(class)?;
            texel = self.code_result(Op::Bitcast, ty, &[texel.0]);
        }
        let mut words = vec![id.0, at.0, texel.0];
        words.extend(self.texel_operands(declared.ty));
        self.code(Op::ImageWrite, &words);
        Ok(())
    }
}
