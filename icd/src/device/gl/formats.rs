//! Internal formats of OpenGL, and the image formats of OpenCL that they are ("OpenGL Internal Formats and Corresponding OpenCL Internal Formats"
//! of §5.3).

use host::image::ImageFormat;
use host::image::names as cl;
use vk_runtime::{Channel, Format};

use crate::device::gl::functions::Enum;
use crate::device::gl::functions::names as gl;

/// A format that both sides have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SharedFormat {
    /// Of textures and renderbuffers.
    pub(crate) internal: Enum,
    /// As which texels are packed in a buffer.
    pub(crate) format: Enum,
    /// The type of a packed channel.
    pub(crate) channel: Enum,
    /// What OpenCL has.
    pub(crate) image: ImageFormat,
}

/// Internal format, channel order, channel type.
#[rustfmt::skip]
const FORMATS: [(Enum, u32, u32); 43] = [
    (0x8058, cl::RGBA, cl::UNORM_INT8),    (0x8C43, cl::SRGBA, cl::UNORM_INT8),
    (0x8D8E, cl::RGBA, cl::SIGNED_INT8),   (0x8D88, cl::RGBA, cl::SIGNED_INT16),  (0x8D82, cl::RGBA, cl::SIGNED_INT32),
    (0x8D7C, cl::RGBA, cl::UNSIGNED_INT8), (0x8D76, cl::RGBA, cl::UNSIGNED_INT16), (0x8D70, cl::RGBA, cl::UNSIGNED_INT32),
    (0x8F97, cl::RGBA, cl::SNORM_INT8),    (0x805B, cl::RGBA, cl::UNORM_INT16),   (0x8F9B, cl::RGBA, cl::SNORM_INT16),
    (0x881A, cl::RGBA, cl::HALF_FLOAT),    (0x8814, cl::RGBA, cl::FLOAT),
    (0x8229, cl::R, cl::UNORM_INT8),       (0x8F94, cl::R, cl::SNORM_INT8),       (0x822A, cl::R, cl::UNORM_INT16),
    (0x8F98, cl::R, cl::SNORM_INT16),      (0x822D, cl::R, cl::HALF_FLOAT),       (0x822E, cl::R, cl::FLOAT),
    (0x8231, cl::R, cl::SIGNED_INT8),      (0x8233, cl::R, cl::SIGNED_INT16),     (0x8235, cl::R, cl::SIGNED_INT32),
    (0x8232, cl::R, cl::UNSIGNED_INT8),    (0x8234, cl::R, cl::UNSIGNED_INT16),   (0x8236, cl::R, cl::UNSIGNED_INT32),
    (0x822B, cl::RG, cl::UNORM_INT8),      (0x8F95, cl::RG, cl::SNORM_INT8),      (0x822C, cl::RG, cl::UNORM_INT16),
    (0x8F99, cl::RG, cl::SNORM_INT16),     (0x822F, cl::RG, cl::HALF_FLOAT),      (0x8230, cl::RG, cl::FLOAT),
    (0x8237, cl::RG, cl::SIGNED_INT8),     (0x8239, cl::RG, cl::SIGNED_INT16),    (0x823B, cl::RG, cl::SIGNED_INT32),
    (0x8238, cl::RG, cl::UNSIGNED_INT8),   (0x823A, cl::RG, cl::UNSIGNED_INT16),  (0x823C, cl::RG, cl::UNSIGNED_INT32),
    (0x8CAC, cl::DEPTH, cl::FLOAT),        (0x81A5, cl::DEPTH, cl::UNORM_INT16),
    (0x88F0, cl::DEPTH_STENCIL, cl::UNORM_INT24), (0x8CAD, cl::DEPTH_STENCIL, cl::FLOAT),
    // Without a size: what it is depends on the texels' (`of_unsized`).
    (gl::RGBA, cl::RGBA, cl::UNORM_INT8),  (gl::DEPTH_COMPONENT, cl::DEPTH, cl::UNORM_INT16),
];

/// A depth with a stencil, as kernels see it: the depth alone, as a number.
fn depth_of_stencil(data_type: u32) -> ImageFormat {
    ImageFormat {
        order: cl::DEPTH_STENCIL,
        data_type,
        format: Format::R32_SFLOAT,
        sampled: Format::R32_SFLOAT,
        channels: [Channel::R, Channel::Zero, Channel::Zero, Channel::One],
        class: lower::kernel_info::TexelClass::Float,
        texel: 4,
    }
}

impl SharedFormat {
    /// The format of an internal format; `bits`: those of a texel's first channel, which tell where the internal format has no size. `None` for one that is
    /// not shared.
    pub(crate) fn find(internal: Enum, bits: i32) -> Option<Self> {
        let (_, order, data_type) = *FORMATS.iter().find(|(known, ..)| *known == internal)?;
        let data_type = match (internal, bits) {
            (gl::RGBA, 8) | (gl::DEPTH_COMPONENT, 16) => data_type,
            (gl::RGBA, 16) => cl::UNORM_INT16,
            (gl::RGBA | gl::DEPTH_COMPONENT, _) => return None,
            _ => data_type,
        };
        let image = match order {
            cl::DEPTH_STENCIL => depth_of_stencil(data_type),
            _ => ImageFormat::find(order, data_type)?,
        };
        let (format, channel) = packed(order, data_type)?;
        Some(SharedFormat { internal, format, channel, image })
    }

    /// Returns whether its texels are depths.
    pub(crate) fn is_depth(&self) -> bool {
        self.format == gl::DEPTH_COMPONENT
    }

    /// All internal formats with a size.
    #[cfg(test)]
    fn all() -> impl Iterator<Item = Self> {
        let sized = |internal: &Enum| !matches!(*internal, gl::RGBA | gl::DEPTH_COMPONENT);
        FORMATS.iter().map(|(internal, ..)| *internal).filter(sized).filter_map(|f| Self::find(f, 0))
    }
}

/// The format and the type that texels of an order and a type are packed in.
fn packed(order: u32, data_type: u32) -> Option<(Enum, Enum)> {
    if order == cl::DEPTH_STENCIL {
        return Some((gl::DEPTH_COMPONENT, gl::FLOAT));
    }
    let (channel, whole) = match data_type {
        cl::UNORM_INT8 => (gl::UNSIGNED_BYTE, false),
        cl::SNORM_INT8 => (gl::BYTE, false),
        cl::UNORM_INT16 => (gl::UNSIGNED_SHORT, false),
        cl::SNORM_INT16 => (gl::SHORT, false),
        cl::HALF_FLOAT => (gl::HALF_FLOAT, false),
        cl::FLOAT => (gl::FLOAT, false),
        cl::SIGNED_INT8 => (gl::BYTE, true),
        cl::SIGNED_INT16 => (gl::SHORT, true),
        cl::SIGNED_INT32 => (gl::INT, true),
        cl::UNSIGNED_INT8 => (gl::UNSIGNED_BYTE, true),
        cl::UNSIGNED_INT16 => (gl::UNSIGNED_SHORT, true),
        cl::UNSIGNED_INT32 => (gl::UNSIGNED_INT, true),
        _ => return None,
    };
    let format = match (order, whole) {
        (cl::R, false) => gl::RED,
        (cl::R, true) => gl::RED_INTEGER,
        (cl::RG, false) => gl::RG,
        (cl::RG, true) => gl::RG_INTEGER,
        (cl::RGBA | cl::SRGBA, false) => gl::RGBA,
        (cl::RGBA, true) => gl::RGBA_INTEGER,
        (cl::DEPTH, false) => gl::DEPTH_COMPONENT,
        _ => return None,
    };
    Some((format, channel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_is_packed_as_opencl_has_it() {
        let bytes = |channel| match channel {
            gl::BYTE | gl::UNSIGNED_BYTE => 1,
            gl::SHORT | gl::UNSIGNED_SHORT | gl::HALF_FLOAT => 2,
            _ => 4,
        };
        let channels = |format| match format {
            gl::RED | gl::RED_INTEGER | gl::DEPTH_COMPONENT => 1,
            gl::RG | gl::RG_INTEGER => 2,
            _ => 4,
        };
        assert_eq!(SharedFormat::all().count(), FORMATS.len() - 2);
        for format in SharedFormat::all() {
            assert_eq!(format.image.texel, bytes(format.channel) * channels(format.format), "{format:x?}");
        }
        let mut names: Vec<_> = FORMATS.iter().map(|f| f.0).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FORMATS.len(), "each once");
    }

    #[test]
    fn formats_without_a_size() {
        let data_type = |internal, bits| SharedFormat::find(internal, bits).map(|f| f.image.data_type);
        assert_eq!(data_type(gl::RGBA, 8), Some(cl::UNORM_INT8));
        assert_eq!(data_type(gl::RGBA, 16), Some(cl::UNORM_INT16));
        assert_eq!(data_type(gl::RGBA, 4), None);
        assert_eq!(data_type(gl::DEPTH_COMPONENT, 24), None);
        assert_eq!(data_type(0x8051, 8), None, "RGB8 has three bytes");
    }
}
