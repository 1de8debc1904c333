//! Images and samplers as arguments of kernels: which views a launch binds, and what the argument block tells of them.

use std::sync::{Arc, PoisonError};

use ash::vk;
use lower::kernel_info::{
    ImageAccess, ImageArg, ImageDim as ArgDim, ImageShape, ImageView, ImageViewKind, SamplerSource,
    TexelClass,
};

use crate::device::logical::{Device, DeviceInner};
use crate::error::{RuntimeError, UserError};
use crate::image::resource::{Channel, Format, Image, ImageDesc, ImageDim, ViewKey, format_of_bits};
use crate::image::resource_use::{Bytes, Resource, Use};
use crate::kernel::program::KernelInner;
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::{Buffer, BufferInner};

/// An image as a kernel's argument.
#[derive(Debug, Clone, Copy)]
pub struct ImageValue<'a> {
    /// The place of its texels.
    pub texels: Texels<'a>,
    /// As what the kernel sees them.
    pub look: &'a ImageLook,
}

/// The place of an argument's texels.
#[derive(Debug, Clone, Copy)]
pub enum Texels<'a> {
    /// In an image.
    Image(&'a Image),
    /// In a buffer: a one-dimensional image of it.
    Buffer {
        /// The buffer.
        buffer: &'a Buffer,
        /// The first texel's first byte.
        offset: u64,
        /// Bytes: whole texels.
        size: u64,
    },
}

/// As what a kernel sees an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLook {
    /// The class of its channels.
    pub class: TexelClass,
    /// The format of sampled views.
    pub sampled: Format,
    /// The sources of their channels.
    pub channels: [Channel; 4],
    /// Bytes of a texel.
    pub texel: u32,
    /// The format of storage views and texel buffers.
    pub storage: Format,
    /// The word of [`BlockSource::ImageFormat`](lower::kernel_info::BlockSource::ImageFormat).
    pub word: u32,
    /// Its size as the kernel reads it: those dimensions that the shape has, layers last.
    pub size: [u32; 3],
    /// The samples of a texel, at least 1. They are layers of the image, those of the kernel's layer 0 first.
    pub samples: u32,
}

/// The object of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bindable {
    /// Handle, offset, range.
    Buffer(vk::Buffer, u64, u64),
    Image(vk::ImageView),
    Texels(vk::BufferView),
    Sampler(vk::Sampler),
}

/// Stand-ins for views that do not fit an image.
pub(crate) enum StandIn {
    Image(Image),
    Buffer(Buffer),
}

/// The key of a stand-in.
pub(crate) type StandInKey = (ImageShape, TexelClass);

pub(crate) const IDENTITY: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];

impl<'a> ImageValue<'a> {
    pub(crate) fn device(&self) -> &'a Arc<DeviceInner> {
        match self.texels {
            Texels::Image(image) => &image.inner.device,
            Texels::Buffer { buffer, .. } => &buffer.inner.device,
        }
    }

    /// Checks that the argument takes such an image.
    pub(crate) fn check(&self, arg: &ImageArg) -> Result<(), RuntimeError> {
        let wrong = |text: String| Err(RuntimeError::user(UserError::InvalidArgValue, text));
        if self.look.texel > 4 && arg.views.iter().any(|v| v.bits && v.kind == ImageViewKind::Sampled) {
            return Err(RuntimeError::unsupported(format!(
                "blocks of an image whose texels have {} bytes (cl_intel_subgroups: at most 4)",
                self.look.texel
            )));
        }
        match self.texels {
            Texels::Image(image) => {
                let desc = image.desc();
                let dim = match desc.dim {
                    ImageDim::One => ArgDim::One,
                    ImageDim::Two => ArgDim::Two,
                    ImageDim::Three => ArgDim::Three,
                };
                if (dim, desc.arrayed) != (arg.shape.dim, arg.shape.is_layered()) {
                    let given = type_name(dim, desc.arrayed);
                    let wanted = type_name(arg.shape.dim, arg.shape.is_layered());
                    return wrong(format!("an {given} where an {wanted} is needed"));
                }
            }
            Texels::Buffer { buffer, offset, size } => {
                if arg.shape.dim != ArgDim::Buffer {
                    let wanted = type_name(arg.shape.dim, arg.shape.arrayed);
                    return wrong(format!("an image1d_buffer_t where an {wanted} is needed"));
                }
                buffer.inner.check_range("image of a buffer", offset, size)?;
                let most = buffer.inner.device.physical.image_limits().texel_buffer_elements;
                if self.look.size[0] > most {
                    return Err(RuntimeError::unsupported(format!(
                        "an image of a buffer of {} texels: the device '{}' has maxTexelBufferElements = {most}",
                        self.look.size[0], buffer.inner.device.target.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// Returns what a kernel does with it.
    pub(crate) fn used(&self, arg: &ImageArg) -> Option<Use<'a>> {
        if arg.views.is_empty() {
            return None;
        }
        let resource = match self.texels {
            Texels::Image(image) => Resource::image(&image.inner),
            Texels::Buffer { buffer, offset, size } => {
                Resource::Buffer(Bytes::new(&buffer.inner, offset, size))
            }
        };
        let (read, write) = match arg.access {
            ImageAccess::ReadOnly => (true, false),
            ImageAccess::WriteOnly => (false, true),
            ImageAccess::ReadWrite => (true, true),
        };
        Some(Use { resource, read, write })
    }

    /// Returns what one of the argument's descriptors names: a view of the image if it is of that class.
    pub(crate) fn view(
        &self,
        kernel: &KernelInner,
        arg: &ImageArg,
        view: &ImageView,
    ) -> Result<Bindable, RuntimeError> {
        let lacks = matches!(self.texels, Texels::Image(i) if u32::from(view.level) >= i.desc().levels);
        if lacks || (view.class != self.look.class && !view.bits) {
            return kernel.stand_in(arg.shape, view.class, view.kind);
        }
        let look = self.look;
        if view.bits {
            let texel = match self.texels {
                Texels::Image(image) => image.inner.widened.map_or(look.texel, |(_, texel)| texel),
                // Of a buffer they stay as they are.
                Texels::Buffer { buffer, .. } if look.texel < 4 && widens(buffer) => {
                    return Err(RuntimeError::unsupported(format!(
                        "writing an image of a buffer with texels of {} bytes: the device '{}' lacks shaderStorageImageExtendedFormats",
                        look.texel, buffer.inner.device.target.name
                    )));
                }
                Texels::Buffer { .. } => look.texel,
            };
            let no = || RuntimeError::unsupported(format!("texels of {texel} bytes as bits"));
            let format = format_of_bits(texel).ok_or_else(no)?;
            return match self.texels {
                Texels::Image(image) if view.kind == ImageViewKind::Sampled => {
                    let key = ViewKey { format, channels: IDENTITY, storage: false, level: None };
                    image.inner.view(key).map(Bindable::Image)
                }
                Texels::Image(image) => storage_view(image, format, view.level.into()),
                Texels::Buffer { buffer, offset, size } => {
                    buffer.inner.texel_view(format, (offset, size), false).map(Bindable::Texels)
                }
            };
        }
        match (self.texels, view.kind) {
            (Texels::Image(image), ImageViewKind::Sampled) => {
                // Small texels are never sRGB's: the sampled format is the image's.
                let format = image.inner.widened.map_or(look.sampled, |(format, _)| format);
                let key = ViewKey { format, channels: look.channels, storage: false, level: None };
                image.inner.view(key).map(Bindable::Image)
            }
            (Texels::Image(image), ImageViewKind::Storage) => {
                let uses = image.inner.uses;
                if !uses.stored && arg.access != ImageAccess::ReadOnly {
                    let what = format!("an image of format {:?}", image.desc().format);
                    return Err(image.inner.device.no_stores(&what));
                }
                storage_view(image, look.storage, view.level.into())
            }
            (
                Texels::Buffer { buffer, offset, size },
                ImageViewKind::TexelSampled | ImageViewKind::TexelStorage,
            ) => {
                let stored = view.kind == ImageViewKind::TexelStorage && arg.access != ImageAccess::ReadOnly;
                buffer.inner.texel_view(look.storage, (offset, size), stored).map(Bindable::Texels)
            }
            _ => Err(RuntimeError::bug("a view of an image in a way that its shape does not have")),
        }
    }

    /// A size that the argument block tells.
    pub(crate) fn size(&self, dim: u32) -> u32 {
        self.look.size.get(dim as usize).copied().unwrap_or(1)
    }

    /// Mip levels and samples, as the argument block tells them.
    pub(crate) fn levels(&self) -> u32 {
        let levels = match self.texels {
            Texels::Image(image) => image.desc().levels,
            Texels::Buffer { .. } => 1,
        };
        levels | self.look.samples << 16
    }
}

/// Returns whether images on a buffer's device have larger texels than they were asked for.
fn widens(buffer: &Buffer) -> bool {
    buffer.inner.device.target.features.widens_texels()
}

/// Returns what OpenCL C calls such images.
fn type_name(dim: ArgDim, arrayed: bool) -> &'static str {
    match (dim, arrayed) {
        (ArgDim::One, false) => "image1d_t",
        (ArgDim::One, true) => "image1d_array_t",
        (ArgDim::Two, false) => "image2d_t",
        (ArgDim::Two, true) => "image2d_array_t",
        (ArgDim::Three, _) => "image3d_t",
        (ArgDim::Buffer, _) => "image1d_buffer_t",
    }
}

fn storage_view(image: &Image, format: Format, level: u32) -> Result<Bindable, RuntimeError> {
    let level = Some(level);
    image.inner.view(ViewKey { format, channels: IDENTITY, storage: true, level }).map(Bindable::Image)
}

impl KernelInner {
    /// Something valid for a descriptor whose texels nobody looks at.
    fn stand_in(
        &self,
        shape: ImageShape,
        class: TexelClass,
        way: ImageViewKind,
    ) -> Result<Bindable, RuntimeError> {
        let format = match class {
            TexelClass::Float => Format::R32_SFLOAT,
            TexelClass::Sint => Format::R32_SINT,
            TexelClass::Uint => Format::R32_UINT,
        };
        let mut known = self.stand_ins.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match known.iter().position(|(key, _)| *key == (shape, class)) {
            Some(index) => index,
            None => {
                let made = make(self.device(), shape, format)?;
                known.push(((shape, class), made));
                known.len() - 1
            }
        };
        let Some((_, found)) = known.get(index) else {
            return Err(RuntimeError::bug("no stand-in for an image"));
        };
        match (found, way) {
            (StandIn::Image(image), ImageViewKind::Storage) => storage_view(image, format, 0),
            (StandIn::Image(image), _) => {
                let key = ViewKey { format, channels: IDENTITY, storage: false, level: None };
                image.inner.view(key).map(Bindable::Image)
            }
            (StandIn::Buffer(buffer), _) => {
                buffer.inner.texel_view(format, (0, buffer.size()), false).map(Bindable::Texels)
            }
        }
    }

    /// The sampler of a descriptor. `argument`: the bits of a sampler argument.
    pub(crate) fn sampler(
        &self,
        of: SamplerSource,
        argument: impl FnOnce(u32) -> Option<u32>,
    ) -> Result<Bindable, RuntimeError> {
        let bits = match of {
            SamplerSource::Literal(bits) => bits,
            SamplerSource::Argument(index) => {
                argument(index).ok_or_else(|| RuntimeError::bug("a sampler of an argument that is none"))?
            }
        };
        self.device().sampler(bits).map(Bindable::Sampler)
    }
}

fn make(device: &Arc<DeviceInner>, shape: ImageShape, format: Format) -> Result<StandIn, RuntimeError> {
    let device = Device { inner: device.clone() };
    let dim = match shape.dim {
        ArgDim::Buffer => return device.create_buffer(16, BufferUse::Device).map(StandIn::Buffer),
        ArgDim::One => ImageDim::One,
        ArgDim::Two => ImageDim::Two,
        ArgDim::Three => ImageDim::Three,
    };
    let desc = ImageDesc {
        dim,
        arrayed: shape.is_layered(),
        size: [1; 3],
        layers: 1,
        levels: 1,
        format,
        texel: 4,
        mutable: false,
    };
    device.create_image(&desc).map(StandIn::Image)
}

/// A buffer of a descriptor.
pub(crate) fn whole(buffer: &BufferInner) -> Bindable {
    Bindable::Buffer(buffer.raw, 0, buffer.bound_size)
}
