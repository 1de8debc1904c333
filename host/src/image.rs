//! Image formats (OpenCL API §5.3.1): channel order and type, the Vulkan format with the same bytes, and the places of channels in it.
//!
//! | module | what it is |
//! |---|---|
//! | [`pack`] | colours as bytes |

pub mod pack;

use lower::Target;
use lower::kernel_info::{ImageAccess, ImageDim, TexelClass};
use vk_runtime::{Channel, Format, ImageLook, PhysicalDevice, format_of_bits, widened};

/// A channel order: CL_R and so on.
pub type Order = u32;
/// A channel data type: CL_SNORM_INT8 and so on.
pub type DataType = u32;

/// The numbers of cl.h.
#[allow(missing_docs)]
pub mod names {
    use super::{DataType, Order};

    pub const R: Order = 0x10B0;
    pub const A: Order = 0x10B1;
    pub const RG: Order = 0x10B2;
    pub const RA: Order = 0x10B3;
    pub const RGB: Order = 0x10B4;
    pub const RGBA: Order = 0x10B5;
    pub const BGRA: Order = 0x10B6;
    pub const ARGB: Order = 0x10B7;
    pub const INTENSITY: Order = 0x10B8;
    pub const LUMINANCE: Order = 0x10B9;
    pub const RX: Order = 0x10BA;
    pub const RGX: Order = 0x10BB;
    pub const RGBX: Order = 0x10BC;
    pub const DEPTH: Order = 0x10BD;
    pub const DEPTH_STENCIL: Order = 0x10BE;
    pub const SRGB: Order = 0x10BF;
    pub const SRGBX: Order = 0x10C0;
    pub const SRGBA: Order = 0x10C1;
    pub const SBGRA: Order = 0x10C2;
    pub const ABGR: Order = 0x10C3;

    pub const SNORM_INT8: DataType = 0x10D0;
    pub const SNORM_INT16: DataType = 0x10D1;
    pub const UNORM_INT8: DataType = 0x10D2;
    pub const UNORM_INT16: DataType = 0x10D3;
    pub const UNORM_SHORT_565: DataType = 0x10D4;
    pub const UNORM_SHORT_555: DataType = 0x10D5;
    pub const UNORM_INT_101010: DataType = 0x10D6;
    pub const SIGNED_INT8: DataType = 0x10D7;
    pub const SIGNED_INT16: DataType = 0x10D8;
    pub const SIGNED_INT32: DataType = 0x10D9;
    pub const UNSIGNED_INT8: DataType = 0x10DA;
    pub const UNSIGNED_INT16: DataType = 0x10DB;
    pub const UNSIGNED_INT32: DataType = 0x10DC;
    pub const HALF_FLOAT: DataType = 0x10DD;
    pub const FLOAT: DataType = 0x10DE;
    pub const UNORM_INT24: DataType = 0x10DF;
    pub const UNORM_INT_101010_2: DataType = 0x10E0;
}

use names::*;

/// A format that Vulkan has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFormat {
    /// Its channels.
    pub order: Order,
    /// Their type.
    pub data_type: DataType,
    /// Vulkan's format with the same bytes: of images and storage views.
    pub format: Format,
    /// That of sampled views.
    pub sampled: Format,
    /// For each channel of OpenCL's, R to A, which of Vulkan's it is in sampled views.
    pub channels: [Channel; 4],
    /// The format that kernels see.
    pub class: TexelClass,
    /// Bytes of a texel.
    pub texel: u32,
}

/// A channel order: how many channels memory has, where OpenCL's four come from, and which types go with it.
struct OrderRow(Order, usize, [Channel; 4], &'static [DataType]);

const ANY: &[DataType] = &[
    SNORM_INT8,
    SNORM_INT16,
    UNORM_INT8,
    UNORM_INT16,
    SIGNED_INT8,
    SIGNED_INT16,
    SIGNED_INT32,
    UNSIGNED_INT8,
    UNSIGNED_INT16,
    UNSIGNED_INT32,
    HALF_FLOAT,
    FLOAT,
];
const NORMALIZED: &[DataType] = &[SNORM_INT8, SNORM_INT16, UNORM_INT8, UNORM_INT16, HALF_FLOAT, FLOAT];
const BYTES: &[DataType] = &[SNORM_INT8, UNORM_INT8, SIGNED_INT8, UNSIGNED_INT8];
const PACKED: &[DataType] = &[UNORM_SHORT_565, UNORM_SHORT_555, UNORM_INT_101010];

use Channel::{A as Ca, B as Cb, G as Cg, One, R as Cr, Zero};

const ORDERS: [OrderRow; 17] = [
    OrderRow(R, 1, [Cr, Zero, Zero, One], ANY),
    OrderRow(A, 1, [Zero, Zero, Zero, Cr], ANY),
    OrderRow(DEPTH, 1, [Cr, Zero, Zero, One], &[UNORM_INT16, FLOAT]),
    OrderRow(INTENSITY, 1, [Cr, Cr, Cr, Cr], NORMALIZED),
    OrderRow(LUMINANCE, 1, [Cr, Cr, Cr, One], NORMALIZED),
    OrderRow(RG, 2, [Cr, Cg, Zero, One], ANY),
    OrderRow(RA, 2, [Cr, Zero, Zero, Cg], ANY),
    OrderRow(RGBA, 4, [Cr, Cg, Cb, Ca], ANY),
    OrderRow(BGRA, 4, [Cb, Cg, Cr, Ca], BYTES),
    OrderRow(ARGB, 4, [Cg, Cb, Ca, Cr], BYTES),
    OrderRow(ABGR, 4, [Ca, Cb, Cg, Cr], BYTES),
    OrderRow(RGB, 4, [Cr, Cg, Cb, One], PACKED),
    // Of orders with an x the border is transparent and all else is opaque (OpenCL C, "Determining the Border Color or
    // Value"), which no swizzle of a sampled view gives.
    OrderRow(RGBX, 0, [Cr, Cg, Cb, One], &[]),
    OrderRow(SRGBX, 0, [Cr, Cg, Cb, One], &[]),
    OrderRow(SRGBA, 4, [Cr, Cg, Cb, Ca], &[UNORM_INT8]),
    OrderRow(SBGRA, 4, [Cb, Cg, Cr, Ca], &[UNORM_INT8]),
    // Three bytes are no power of two.
    OrderRow(SRGB, 0, [Cr, Cg, Cb, One], &[]),
];

/// A channel type: what kernels see, bytes of a channel, and Vulkan's formats of one, two and four channels.
struct TypeRow(DataType, TexelClass, u32, [Format; 3]);

use TexelClass::{Float, Sint, Uint};

const TYPES: [TypeRow; 12] = [
    TypeRow(SNORM_INT8, Float, 1, [Format::R8_SNORM, Format::R8G8_SNORM, Format::R8G8B8A8_SNORM]),
    TypeRow(SNORM_INT16, Float, 2, [Format::R16_SNORM, Format::R16G16_SNORM, Format::R16G16B16A16_SNORM]),
    TypeRow(UNORM_INT8, Float, 1, [Format::R8_UNORM, Format::R8G8_UNORM, Format::R8G8B8A8_UNORM]),
    TypeRow(UNORM_INT16, Float, 2, [Format::R16_UNORM, Format::R16G16_UNORM, Format::R16G16B16A16_UNORM]),
    TypeRow(SIGNED_INT8, Sint, 1, [Format::R8_SINT, Format::R8G8_SINT, Format::R8G8B8A8_SINT]),
    TypeRow(SIGNED_INT16, Sint, 2, [Format::R16_SINT, Format::R16G16_SINT, Format::R16G16B16A16_SINT]),
    TypeRow(SIGNED_INT32, Sint, 4, [Format::R32_SINT, Format::R32G32_SINT, Format::R32G32B32A32_SINT]),
    TypeRow(UNSIGNED_INT8, Uint, 1, [Format::R8_UINT, Format::R8G8_UINT, Format::R8G8B8A8_UINT]),
    TypeRow(UNSIGNED_INT16, Uint, 2, [Format::R16_UINT, Format::R16G16_UINT, Format::R16G16B16A16_UINT]),
    TypeRow(UNSIGNED_INT32, Uint, 4, [Format::R32_UINT, Format::R32G32_UINT, Format::R32G32B32A32_UINT]),
    TypeRow(HALF_FLOAT, Float, 2, [Format::R16_SFLOAT, Format::R16G16_SFLOAT, Format::R16G16B16A16_SFLOAT]),
    TypeRow(FLOAT, Float, 4, [Format::R32_SFLOAT, Format::R32G32_SFLOAT, Format::R32G32B32A32_SFLOAT]),
];

/// Types that are whole texels, with their sizes.
const WHOLE: [(DataType, Format, u32); 3] = [
    (UNORM_SHORT_565, Format::R5G6B5_UNORM_PACK16, 2),
    (UNORM_SHORT_555, Format::A1R5G5B5_UNORM_PACK16, 2),
    (UNORM_INT_101010, Format::A2R10G10B10_UNORM_PACK32, 4),
];

/// The uses of a format on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Support {
    /// Kernels read them.
    pub read: bool,
    /// Kernels write them.
    pub write: bool,
    /// One kernel does both.
    pub read_and_write: bool,
}

impl ImageFormat {
    /// The format of an order and a type; `None` where they do not go together or Vulkan has none.
    #[must_use]
    pub fn find(order: Order, data_type: DataType) -> Option<Self> {
        let row = ORDERS.iter().find(|row| row.0 == order && row.3.contains(&data_type))?;
        let OrderRow(_, count, channels, _) = *row;
        let (format, class, texel) = match WHOLE.iter().find(|whole| whole.0 == data_type) {
            Some((_, format, texel)) => (*format, Float, *texel),
            None => {
                let TypeRow(_, class, bytes, formats) = TYPES.iter().find(|row| row.0 == data_type)?;
                let (place, count) = match count {
                    1 => (0, 1),
                    2 => (1, 2),
                    _ => (2, 4),
                };
                (formats[place], *class, bytes * count)
            }
        };
        let sampled = if is_srgb(order) { Format::R8G8B8A8_SRGB } else { format };
        Some(ImageFormat { order, data_type, format, sampled, channels, class, texel })
    }

    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        ORDERS.iter().flat_map(|row| row.3.iter().filter_map(|data_type| Self::find(row.0, *data_type)))
    }

    /// Returns whether its colours are sRGB's.
    #[must_use]
    pub fn is_srgb(&self) -> bool {
        is_srgb(self.order)
    }

    /// Returns whether an image of this format may also be looked at in another Vulkan format.
    #[must_use]
    pub fn has_other_looks(&self) -> bool {
        self.format == Format::R8G8B8A8_UNORM
    }

    /// The word of the argument block for it: the order in the low half, the type in the high half.
    #[must_use]
    pub fn word(&self) -> u32 {
        self.order | self.data_type << 16
    }

    /// As what kernels see an image of it.
    #[must_use]
    pub fn look(&self, size: [u32; 3]) -> ImageLook {
        ImageLook {
            class: self.class,
            sampled: self.sampled,
            channels: self.channels,
            texel: self.texel,
            storage: self.format,
            word: self.word(),
            size,
            samples: 1,
        }
    }

    /// The uses of the format on a device, which may be masked to a Target. `buffer`: with one-dimensional images of buffers.
    #[must_use]
    pub fn support(&self, physical: &PhysicalDevice, target: &Target, buffer: bool) -> Support {
        if target.quirks.widened_short_channels && matches!(self.data_type, UNORM_SHORT_565 | UNORM_SHORT_555)
        {
            return Support::default();
        }
        let widened = widened(self.format).filter(|_| target.features.widens_texels());
        if let Some((format, texel)) = widened.filter(|_| !buffer) {
            return Self { format, sampled: format, texel, ..*self }.support(physical, target, buffer);
        }
        let (uses, sampled) = (physical.format_uses(self.format), physical.format_uses(self.sampled));
        // Where kernels see the bits of texels, their format counts.
        let dim = if buffer { ImageDim::Buffer } else { ImageDim::Two };
        let as_bits = |access| target.features.texels_as_bits(access, dim);
        let bits = format_of_bits(self.texel).map(|format| physical.format_uses(format)).unwrap_or_default();
        // Only these have storage views without a format everywhere (Vulkan, "Storage Image Extended Formats").
        let whole = WHOLE.iter().any(|whole| whole.0 == self.data_type);
        if buffer {
            // The buffer may be written as well, so that its views must be of formats that both kinds have
            // (VUID-VkBufferViewCreateInfo-buffer-00934).
            let read = uses.texel_sampled && uses.texel_storage && !self.is_srgb();
            let bits = bits.texel_sampled && bits.texel_storage;
            let stored = if as_bits(ImageAccess::WriteOnly) { bits } else { uses.texel_stored };
            let loaded = if as_bits(ImageAccess::ReadWrite) { bits } else { uses.texel_loaded };
            // Texels of a buffer stay as they are.
            let write = read && stored && !whole && widened.is_none();
            return Support { read, write, read_and_write: write && loaded };
        }
        let read = uses.copied && sampled.sampled && (sampled.linear || self.class != Float);
        // Kernels encode sRGB, and do not decode it.
        let bits = uses.storage && bits.storage;
        let stored = if as_bits(ImageAccess::WriteOnly) { bits } else { uses.stored };
        let loaded = if as_bits(ImageAccess::ReadWrite) { bits } else { uses.loaded };
        let write = uses.copied && stored && !whole;
        Support { read, write, read_and_write: read && write && loaded && !self.is_srgb() }
    }
}

fn is_srgb(order: Order) -> bool {
    matches!(order, SRGB | SRGBX | SRGBA | SBGRA)
}

/// Returns whether a number is that of an order.
#[must_use]
pub fn is_order(order: Order) -> bool {
    (R..=ABGR).contains(&order)
}

/// Returns whether a number is that of a type.
#[must_use]
pub fn is_data_type(data_type: DataType) -> bool {
    (SNORM_INT8..=UNORM_INT_101010_2).contains(&data_type)
}

/// Returns whether an order and a type go together (OpenCL API §5.3.1, "Image Format Descriptor").
#[must_use]
pub fn is_valid(order: Order, data_type: DataType) -> bool {
    if !is_order(order) || !is_data_type(data_type) {
        return false;
    }
    match data_type {
        UNORM_SHORT_565 | UNORM_SHORT_555 | UNORM_INT_101010 => matches!(order, RGB | RGBX),
        UNORM_INT_101010_2 => order == RGBA,
        UNORM_INT24 => order == DEPTH_STENCIL,
        _ => match order {
            RGB | RGBX => false,
            INTENSITY | LUMINANCE => NORMALIZED.contains(&data_type),
            ARGB | BGRA | ABGR => BYTES.contains(&data_type),
            DEPTH => matches!(data_type, UNORM_INT16 | FLOAT),
            DEPTH_STENCIL => data_type == FLOAT,
            SRGB | SRGBX | SRGBA | SBGRA => data_type == UNORM_INT8,
            _ => true,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_valid_and_has_a_size() {
        let all: Vec<_> = ImageFormat::all().collect();
        assert!(all.len() > 60, "{}", all.len());
        for f in &all {
            assert!(is_valid(f.order, f.data_type), "{f:?}");
            assert!(f.texel.is_power_of_two() && f.texel <= 16, "{f:?}");
            assert_eq!(ImageFormat::find(f.order, f.data_type), Some(*f));
        }
        let size = |order, data_type| ImageFormat::find(order, data_type).map(|f| f.texel);
        assert_eq!(size(RGBA, FLOAT), Some(16));
        assert_eq!(size(BGRA, UNORM_INT8), Some(4));
        assert_eq!(size(RGB, UNORM_SHORT_565), Some(2));
        assert_eq!(size(RA, HALF_FLOAT), Some(4));
        assert_eq!(size(RGB, UNORM_INT8), None);
        assert_eq!(size(INTENSITY, SIGNED_INT8), None);
        assert!(!is_valid(RGBA, 0x10CF) && !is_valid(0x10C4, UNORM_INT8));
    }

    #[test]
    fn the_word() {
        let f = ImageFormat::find(BGRA, UNORM_INT8).expect("a format");
        assert_eq!(f.word(), 0x10D2_10B6);
    }
}
