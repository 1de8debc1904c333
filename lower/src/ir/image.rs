//! Images: their types, and what is done with them.
//!
//! An image is a value of an opaque type until `lower_kernel_args`, which knows the argument that it is: OpenCL C has images as
//! arguments alone (§6.3.3, "Other Built-in Data Types"), and functions that take them are inlined. A sampler is a number
//! from the start, the bits of OpenCL C's literals (see [`SamplerSource`]): most of what it says is done in the kernel.

use super::{Effects, Value};
use crate::kernel_info::{ImageAccess, ImageDim, ImageShape, SamplerSource, TexelClass};

/// An image type: what fits, and what a kernel may do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageType {
    /// Which images fit.
    pub shape: ImageShape,
    /// `read_only`, `write_only`, `read_write`.
    pub access: ImageAccess,
}

impl ImageType {
    /// How many coordinates say where in one image a texel is.
    pub fn dimensions(self) -> u8 {
        match self.shape.dim {
            ImageDim::One | ImageDim::Buffer => 1,
            ImageDim::Two => 2,
            ImageDim::Three => 3,
        }
    }

    /// How many coordinates a texel has, that of the layer included.
    pub fn coordinates(self) -> u8 {
        self.dimensions() + u8::from(self.shape.arrayed)
    }

    /// All that OpenCL C has.
    pub(crate) fn all() -> impl Iterator<Item = ImageType> {
        let accesses = [ImageAccess::ReadOnly, ImageAccess::WriteOnly, ImageAccess::ReadWrite];
        let dims = [ImageDim::One, ImageDim::Two, ImageDim::Three, ImageDim::Buffer];
        dims.into_iter().flat_map(move |dim| {
            (0..8u8).flat_map(move |bits| {
                let (arrayed, depth, multisampled) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
                accesses.map(|access| ImageType {
                    shape: ImageShape { dim, arrayed, depth, multisampled },
                    access,
                })
            })
        })
    }
}

/// What is opaque: it has no bits to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpaqueType {
    /// An image.
    Image(ImageType),
}

/// Where the level of detail of a sample comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// The largest level.
    Zero,
    /// An operand, a float.
    Given,
    /// Two operands: how the coordinates change from one pixel to the next in each direction.
    Gradients,
}

/// What is done with an image. Coordinates have as many lanes as [`ImageType::coordinates`] (the first three: more).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageOp {
    /// Reads with a sampler (until `lower_images`). Operands: the sampler's bits, the coordinate (i32 or f32), those of the level.
    Sample {
        /// What the texel's channels are; `None` for integers of which the module does not say whether they have a sign.
        class: Option<TexelClass>,
        /// The level of detail.
        level: Level,
    },
    /// Reads without a sampler (until `lower_images`). Operands: the coordinate (i32), the number of the sample if the image has several.
    Read(Option<TexelClass>),
    /// Writes (until `lower_images`). Operands: the coordinate (i32), the texel, and the level (i32) if it is not the first.
    Write(Option<TexelClass>),
    /// Reads a texel that exists. Operands: the coordinate (i32), then the level (i32), or the number of the sample.
    Fetch(TexelClass),
    /// Samples floats with a VkSampler. Operands: the sampler's bits until `lower_addresses`, the normalized coordinate (f32), those of
    /// the level.
    Filter {
        /// The sampler, from `lower_addresses` on.
        sampler: Option<SamplerSource>,
        /// The level of detail.
        level: Level,
    },
    /// Reads a texel that exists of an image that the kernel may write. Operand: the coordinate (i32).
    Load(TexelClass),
    /// Writes a texel that exists of a level. Operands: the coordinate (i32), the texel.
    Store(TexelClass, u8),
    /// Reads the bits of a texel that exists, of so many bytes: what an image of unsigned integers of that size would give
    /// (of 8 bytes: of four of 16 bits). Operand: the coordinate (i32).
    LoadBits(u8),
    /// Writes the bits of a texel, of so many bytes, of a level. Operands: the coordinate (i32), the bits.
    StoreBits(u8, u8),
    /// Reads the bits of a texel that exists, of at most four bytes, through a sampled view. Operand: the coordinate (i32).
    FetchBits,
    /// Reads 1, 2, 4 or 8 bytes of a row of a 2D image as they lie there (until `lower_images`): an i32, or two of them. Operand: which
    /// byte of which row is the first (i32).
    ReadBytes(u8),
    /// Writes so many bytes of a row, which all members of a sub-group do side by side (until `lower_images`). Operands: as of
    /// [`ImageOp::ReadBytes`], the member's number, the bytes as an i32 or two of them; then, as long as these are fewer than
    /// four bytes, those of twice as many members.
    WriteBytes(u8),
    /// Reports a read or a write (true) of a texel that does not exist (until `insert_checks`). Operand: the coordinate (i32).
    Bounds(bool),
    /// The size in texels in a dimension, layers last: an i32 (until `lower_addresses`).
    Size(u8),
    /// The channel order and type: an i32, as [`crate::kernel_info::BlockSource::ImageFormat`] has it (until `lower_addresses`).
    Format,
    /// How many levels and samples: an i32, as [`crate::kernel_info::BlockSource::ImageLevels`] has it (until `lower_addresses`).
    Levels,
}

impl ImageOp {
    /// What it does besides giving its results.
    pub(super) fn effects(self) -> Effects {
        let depends = Effects { outside: true, ..Effects::PURE };
        match self {
            ImageOp::Size(_) | ImageOp::Format | ImageOp::Levels => depends,
            // Images that a kernel reads so are read_only: it writes them under no other name either (OpenCL C §6.7).
            ImageOp::Sample { .. } | ImageOp::Fetch(_) | ImageOp::FetchBits | ImageOp::Filter { .. } => {
                Effects { traps: true, ..depends }
            }
            ImageOp::Read(_) | ImageOp::Load(_) | ImageOp::LoadBits(_) | ImageOp::ReadBytes(_) => {
                Effects { reads: true, traps: true, ..depends }
            }
            ImageOp::Bounds(_) => Effects { writes: true, idempotent: false, ..depends },
            ImageOp::Write(_) | ImageOp::Store(..) | ImageOp::StoreBits(..) | ImageOp::WriteBytes(_) => {
                Effects { writes: true, traps: true, ..depends }
            }
        }
    }
}

/// The bytes that texels may have.
pub const TEXEL_SIZES: [u8; 5] = [4, 16, 8, 1, 2];

/// More levels than any image has: its sides are below 2^16 texels (the largest maxImageDimension there is).
pub const MAX_LEVELS: u8 = 16;

/// Which image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageRef {
    /// A value of an opaque type (until `lower_kernel_args`).
    Value(Value),
    /// The kernel's argument of that number.
    Arg(u32),
}
