//! Descriptions of images: plain data, which the image and the pool of released storage share.

use ash::vk::Format;

/// How many dimensions an image has, its layers apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImageDim {
    /// A row of texels.
    One,
    /// Rows.
    Two,
    /// Slices.
    Three,
}

/// The description of an image to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageDesc {
    /// Its dimensions.
    pub dim: ImageDim,
    /// True if it is an array: one of a single layer is another thing than no array.
    pub arrayed: bool,
    /// Width, height, depth: 1 where it has not that many dimensions.
    pub size: [u32; 3],
    /// Layers; 1 if it is no array.
    pub layers: u32,
    /// Mip levels.
    pub levels: u32,
    /// The arrangement of its texels in memory.
    pub format: Format,
    /// Bytes of a texel.
    pub texel: u32,
    /// True if it is looked at in another format of the same size, too.
    pub mutable: bool,
}
