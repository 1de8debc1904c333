//! Images and samplers on the command line.
//!
//! `image2d:photo.png`, `image2d<rgba,unorm8>[640,480]` with an initial value as buffers have, `sampler:linear,repeat,normalized`.

use crate::array::{Array, ElementType, Scalar};
use host::image::{DataType, ImageFormat, Order, names};
use vk_runtime::{ImageDesc, ImageDim};

/// An image argument: what it is, and its texels as elements of their bytes' type.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageSpec {
    /// Its kind.
    pub kind: ImageKind,
    /// Its channels.
    pub format: ImageFormat,
    /// Width, height, depth, layers; 1 where the kind has none.
    pub size: [u32; 4],
    /// Its texels.
    pub texels: Array,
}

/// The kinds of images, by their names in OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ImageKind {
    One,
    Buffer,
    OneArray,
    Two,
    TwoArray,
    Three,
}

/// Longest names first where one begins another.
const KINDS: [(&str, ImageKind, usize); 6] = [
    ("image1d_buffer", ImageKind::Buffer, 1),
    ("image1d_array", ImageKind::OneArray, 2),
    ("image1d", ImageKind::One, 1),
    ("image2d_array", ImageKind::TwoArray, 3),
    ("image2d", ImageKind::Two, 2),
    ("image3d", ImageKind::Three, 3),
];

const ORDERS: [(&str, Order); 14] = [
    ("r", names::R),
    ("a", names::A),
    ("rg", names::RG),
    ("ra", names::RA),
    ("rgb", names::RGB),
    ("rgba", names::RGBA),
    ("bgra", names::BGRA),
    ("argb", names::ARGB),
    ("abgr", names::ABGR),
    ("intensity", names::INTENSITY),
    ("luminance", names::LUMINANCE),
    ("depth", names::DEPTH),
    ("srgba", names::SRGBA),
    ("sbgra", names::SBGRA),
];

/// Types, with the elements that their channels are; what is packed is one element.
const TYPES: [(&str, DataType, Scalar, bool); 15] = [
    ("snorm8", names::SNORM_INT8, Scalar::Char, false),
    ("snorm16", names::SNORM_INT16, Scalar::Short, false),
    ("unorm8", names::UNORM_INT8, Scalar::UChar, false),
    ("unorm16", names::UNORM_INT16, Scalar::UShort, false),
    ("unorm565", names::UNORM_SHORT_565, Scalar::UShort, true),
    ("unorm555", names::UNORM_SHORT_555, Scalar::UShort, true),
    ("unorm101010", names::UNORM_INT_101010, Scalar::UInt, true),
    ("int8", names::SIGNED_INT8, Scalar::Char, false),
    ("int16", names::SIGNED_INT16, Scalar::Short, false),
    ("int32", names::SIGNED_INT32, Scalar::Int, false),
    ("uint8", names::UNSIGNED_INT8, Scalar::UChar, false),
    ("uint16", names::UNSIGNED_INT16, Scalar::UShort, false),
    ("uint32", names::UNSIGNED_INT32, Scalar::UInt, false),
    ("half", names::HALF_FLOAT, Scalar::Half, false),
    ("float", names::FLOAT, Scalar::Float, false),
];

/// What an image's specification begins with: its kind, the format if one is given, and the rest.
pub struct Head<'a> {
    /// The kind.
    pub kind: ImageKind,
    /// How many sizes it takes.
    pub sizes: usize,
    /// The channels.
    pub format: ImageFormat,
    /// The type of its texels' bytes.
    pub element: ElementType,
    /// From `[` or `:` on.
    pub rest: &'a str,
}

/// Reads the beginning of an image's specification; `None` where it is none.
///
/// # Errors
/// What is wrong with it.
pub fn head(spec: &str) -> Option<Result<Head<'_>, String>> {
    let (kind, sizes, rest) = KINDS.iter().find_map(|(name, kind, sizes)| {
        let rest = spec.strip_prefix(name)?;
        rest.starts_with(['<', '[', ':']).then_some((*kind, *sizes, rest))
    })?;
    Some(with_format(kind, sizes, rest))
}

fn with_format(kind: ImageKind, sizes: usize, rest: &str) -> Result<Head<'_>, String> {
    let (order, data_type, rest) = match rest.strip_prefix('<') {
        None => ("rgba", "unorm8", rest),
        Some(inner) => {
            let (inner, rest) = inner.split_once('>').ok_or("'>' is missing")?;
            let (order, data_type) = inner.split_once(',').ok_or("expected <ORDER,TYPE>")?;
            (order, data_type, rest)
        }
    };
    let order_of = ORDERS.iter().find(|(name, _)| *name == order);
    let (_, order_of) = order_of.ok_or_else(|| format!("'{order}' is no channel order"))?;
    let row = TYPES.iter().find(|(name, ..)| *name == data_type);
    let (_, type_of, scalar, packed) = row.ok_or_else(|| format!("'{data_type}' is no channel type"))?;
    let format = ImageFormat::find(*order_of, *type_of)
        .ok_or_else(|| format!("the order {order} and the type {data_type} do not go together"))?;
    let lanes = if *packed { 1 } else { format.texel as usize / scalar.size() };
    Ok(Head { kind, sizes, format, element: ElementType { scalar: *scalar, lanes }, rest })
}

impl ImageKind {
    /// Sizes as they are given, as width, height, depth and layers.
    pub fn size(self, given: &[u32]) -> [u32; 4] {
        match (self, given) {
            (ImageKind::OneArray, [w, layers]) => [*w, 1, 1, *layers],
            (ImageKind::TwoArray, [w, h, layers]) => [*w, *h, 1, *layers],
            (_, [w]) => [*w, 1, 1, 1],
            (_, [w, h]) => [*w, *h, 1, 1],
            (_, [w, h, d, ..]) => [*w, *h, *d, 1],
            (_, []) => [1; 4],
        }
    }
}

impl ImageSpec {
    /// What its Vulkan image is made as.
    pub fn desc(&self) -> ImageDesc {
        let [width, height, depth, layers] = self.size;
        ImageDesc {
            dim: match self.kind {
                ImageKind::One | ImageKind::Buffer | ImageKind::OneArray => ImageDim::One,
                ImageKind::Two | ImageKind::TwoArray => ImageDim::Two,
                ImageKind::Three => ImageDim::Three,
            },
            arrayed: matches!(self.kind, ImageKind::OneArray | ImageKind::TwoArray),
            size: [width, height, depth],
            layers,
            levels: 1,
            format: self.format.format,
            texel: self.format.texel,
            mutable: self.format.has_other_looks(),
        }
    }

    /// Its channel order and type by their names here.
    pub fn format_names(&self) -> Option<(&'static str, &'static str)> {
        let order = ORDERS.iter().find(|(_, order)| *order == self.format.order)?;
        let channels = TYPES.iter().find(|(_, ty, ..)| *ty == self.format.data_type)?;
        Some((order.0, channels.0))
    }

    /// Its size as kernels query it.
    pub fn queried_size(&self) -> [u32; 3] {
        let [width, height, depth, layers] = self.size;
        match self.kind {
            ImageKind::OneArray => [width, layers, 1],
            ImageKind::TwoArray => [width, height, layers],
            _ => [width, height, depth],
        }
    }

    /// Texels with their channels as a picture's: red, green, blue, alpha.
    pub fn to_picture(&self, texels: &Array) -> Array {
        self.permuted(texels, |texel, places| places.map(|place| texel[place]))
    }

    /// A picture's pixels with their channels in the image's order.
    pub fn from_picture(&self, pixels: &Array) -> Array {
        self.permuted(pixels, |pixel, places| {
            let mut texel = [0; 4];
            for (channel, place) in pixel.into_iter().zip(places) {
                texel[place] = channel;
            }
            texel
        })
    }

    /// Each four bytes by a function of them and of the places of red, green, blue and alpha among a texel's; as they are where the image
    /// has no four channels of 8 bits.
    fn permuted(&self, array: &Array, each: impl Fn([u8; 4], [usize; 4]) -> [u8; 4]) -> Array {
        let places = match self.format.order {
            names::BGRA | names::SBGRA => [2, 1, 0, 3],
            names::ARGB => [1, 2, 3, 0],
            names::ABGR => [3, 2, 1, 0],
            _ => return array.clone(),
        };
        let four = |chunk: &[u8]| <[u8; 4]>::try_from(chunk).map(|bytes| each(bytes, places)).ok();
        let bytes = array.bytes.chunks(4).filter_map(four).flatten().collect();
        Array { ty: array.ty, bytes }
    }

    /// Its sizes as an array's, the slowest first.
    pub fn shape(&self) -> Vec<usize> {
        let [width, height, depth, layers] = self.size.map(|n| n as usize);
        match self.kind {
            ImageKind::One | ImageKind::Buffer => vec![width],
            ImageKind::OneArray => vec![layers, width],
            ImageKind::Two => vec![height, width],
            ImageKind::TwoArray => vec![layers, height, width],
            ImageKind::Three => vec![depth, height, width],
        }
    }

    /// Width and height of a picture of it: layers and slices below each other.
    pub fn picture(&self) -> (u32, u32) {
        let [width, height, depth, layers] = self.size;
        (width, height.saturating_mul(depth).saturating_mul(layers))
    }
}

/// Reads a sampler's words, in any order: the bits of OpenCL C's literals. What is not said is as in clCreateSamplerWithProperties.
///
/// # Errors
/// A word that it has not.
pub fn sampler(words: &str) -> Result<u32, String> {
    let (mut normalized, mut addressing, mut filter) = (1, 2, 1);
    for word in words.split(',') {
        match word {
            "normalized" => normalized = 1,
            "unnormalized" => normalized = 0,
            "none" => addressing = 0,
            "clamp_to_edge" => addressing = 1,
            "clamp" => addressing = 2,
            "repeat" => addressing = 3,
            "mirrored_repeat" => addressing = 4,
            "nearest" => filter = 1,
            "linear" => filter = 2,
            other => {
                return Err(format!(
                    "'{other}' is none of normalized, unnormalized, none, clamp_to_edge, clamp, repeat, mirrored_repeat, \
                     nearest, linear"
                ));
            }
        }
    }
    Ok(normalized | addressing << 1 | filter << 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let parsed =
            |spec| head(spec).expect("an image").map(|h| (h.kind, h.element.to_string(), h.rest.to_owned()));
        assert_eq!(parsed("image2d:a.png"), Ok((ImageKind::Two, "uchar4".to_owned(), ":a.png".to_owned())));
        assert_eq!(
            parsed("image1d_array<rg,float>[3,4]:zero"),
            Ok((ImageKind::OneArray, "float2".to_owned(), "[3,4]:zero".to_owned()))
        );
        assert_eq!(parsed("image3d<rgb,unorm565>[1,2,3]").map(|p| p.1), Ok("ushort".to_owned()));
        assert!(parsed("image2d<rgba>[1,2]").is_err() && parsed("image2d<r,double>[1,2]").is_err());
        assert!(parsed("image2d<rgb,float>[1,2]").is_err());
        assert!(
            head("image4d[1]").is_none() && head("int[4]").is_none() && head("image2darray[1]").is_none()
        );
    }

    #[test]
    fn samplers() {
        assert_eq!(sampler("nearest"), Ok(0b01_0101));
        assert_eq!(sampler("unnormalized,linear,clamp_to_edge"), Ok(0b10_0010));
        assert!(sampler("bilinear").is_err());
    }
}
