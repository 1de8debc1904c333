//! Images with small texels on devices that have no storage images of them
//! ([`TargetFeatures::widens_texels`](lower::target::TargetFeatures::widens_texels)): they are made with four channels in place of one or
//! two, so that a texel has at least four bytes. Whoever reads, writes and copies texels sees them as they were asked for.
//!
//! The channels that are added are never looked at. Kernels know what they are
//! ([`ImageView::bits`](lower::kernel_info::ImageView)); the views for samplers have zeros and ones in their place.

use crate::error::RuntimeError;
use crate::image::resource::{Format, Image, ImageBox};
use crate::memory::buffer::Buffer;
use crate::stream::command::Command;
use crate::stream::point::Point;
use crate::stream::queue::Queue;
use crate::transfer::chunks::PIECE;
use crate::transfer::image::{Pitches, pieces};
use crate::transfer::rect::{Side, rows};

/// What a small texel is made as: Vulkan's format and its bytes. `None` for texels of four bytes and more, and for those that are
/// no channels side by side.
#[must_use]
pub fn widened(format: Format) -> Option<(Format, u32)> {
    Some(match format {
        Format::R8_UNORM | Format::R8G8_UNORM => (Format::R8G8B8A8_UNORM, 4),
        Format::R8_SNORM | Format::R8G8_SNORM => (Format::R8G8B8A8_SNORM, 4),
        Format::R8_UINT | Format::R8G8_UINT => (Format::R8G8B8A8_UINT, 4),
        Format::R8_SINT | Format::R8G8_SINT => (Format::R8G8B8A8_SINT, 4),
        Format::R16_UNORM => (Format::R16G16B16A16_UNORM, 8),
        Format::R16_SNORM => (Format::R16G16B16A16_SNORM, 8),
        Format::R16_UINT => (Format::R16G16B16A16_UINT, 8),
        Format::R16_SINT => (Format::R16G16B16A16_SINT, 8),
        Format::R16_SFLOAT => (Format::R16G16B16A16_SFLOAT, 8),
        _ => return None,
    })
}

/// Texels of so many bytes as they lie in a widened image: the added channels are zeros.
pub(crate) fn expand(texels: &[u8], texel: u32, wide: u32) -> Vec<u8> {
    let (texel, wide) = (texel as usize, wide as usize);
    let mut out = vec![0; texels.len() / texel.max(1) * wide];
    for (to, from) in out.chunks_exact_mut(wide).zip(texels.chunks_exact(texel)) {
        if let Some(to) = to.get_mut(..texel) {
            to.copy_from_slice(from);
        }
    }
    out
}

impl Queue {
    /// Copies texels that lie in a buffer from a byte on, as `side` says, into a box of a widened image.
    pub(crate) fn widen(
        &self,
        (buffer, offset): (&Buffer, u64),
        side: &Side,
        (image, part): (&Image, &ImageBox),
    ) -> Result<Point, RuntimeError> {
        let i = &image.inner;
        let mut point = self.reached();
        for (piece, start) in pieces(part, i.stored_texel(), PIECE as u64) {
            let between = self.between(piece.bytes(i.stored_texel()).unwrap_or(u64::MAX))?;
            for (packed, wide, region) in self.slices((image, &piece), side, offset, start) {
                self.copy_sides(buffer, &packed, &between, &wide, region)?;
            }
            point = self.perform(&Command::ToImage { from: (&between.inner, 0), to: (i, &piece) })?;
        }
        Ok(point)
    }

    /// Copies a box of a widened image to texels in a buffer from a byte on, as `side` says.
    pub(crate) fn narrow(
        &self,
        (image, part): (&Image, &ImageBox),
        (buffer, offset): (&Buffer, u64),
        side: &Side,
    ) -> Result<Point, RuntimeError> {
        let i = &image.inner;
        let mut point = self.reached();
        for (piece, start) in pieces(part, i.stored_texel(), PIECE as u64) {
            let between = self.between(piece.bytes(i.stored_texel()).unwrap_or(u64::MAX))?;
            self.perform(&Command::FromImage { from: (i, &piece), to: (&between.inner, 0) })?;
            for (packed, wide, region) in self.slices((image, &piece), side, offset, start) {
                point = self.copy_sides(&between, &wide, buffer, &packed, region)?;
            }
        }
        Ok(point)
    }

    /// The slices of a piece as boxes of bytes, whose rows are texels and whose slices are rows of texels: where they lie in the buffer, where
    /// in the widened piece, and their size.
    fn slices(
        &self,
        (image, piece): (&Image, &ImageBox),
        side: &Side,
        offset: u64,
        [_, dy, dz]: [u32; 3],
    ) -> Vec<(Side, Side, [u64; 3])> {
        let (texel, wide) = (u64::from(image.inner.desc.texel), u64::from(image.inner.stored_texel()));
        let [width, height, depth] = piece.size.map(u64::from);
        let slice = |z: u64| {
            let first = offset + side.at(dy.into(), u64::from(dz) + z);
            let end = first + (height - 1) * side.row + width * texel;
            let packed = Side { first, row: texel, slice: side.row, end };
            let first = z * width * height * wide;
            // The last texel's added channels are not part of the box.
            let end = first + (width * height - 1) * wide + texel;
            (packed, Side { first, row: wide, slice: wide * width, end }, [texel, width, height])
        };
        (0..depth).map(slice).collect()
    }

    /// Packs a box of host data into staging memory, widened.
    pub(crate) fn pack_widened(
        &self,
        staging: &Buffer,
        data: &[u8],
        from: &Side,
        ([width, height, depth], texel, wide): ([u64; 3], u32, u32),
    ) -> Result<(), RuntimeError> {
        let (memory, part) = (&self.device_inner().memory, staging.inner.part()?);
        let row = width * u64::from(texel);
        for (index, (y, z)) in (0u64..).zip(rows(height, depth)) {
            let start = from.at(y, z) as usize;
            let bytes = data.get(start..start + row as usize).unwrap_or_default();
            memory.write(part, index * width * u64::from(wide), &expand(bytes, texel, wide))?;
        }
        Ok(())
    }

    /// The place of a packed box in a buffer.
    pub(crate) fn packed_side(&self, image: &Image, part: &ImageBox) -> Result<Side, RuntimeError> {
        Pitches::default().side(part, image.inner.desc.texel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_expanded() {
        assert_eq!(expand(&[1, 2, 3], 1, 4), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(expand(&[1, 2, 3, 4], 2, 8), [1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0]);
        assert_eq!(expand(&[], 2, 4), [0u8; 0]);
    }

    #[test]
    fn small_texels_alone_are_widened() {
        for format in [Format::R8_UNORM, Format::R8G8_SINT, Format::R16_SFLOAT] {
            let (wide, texel) = widened(format).expect("a small one");
            assert!(texel >= 4 && widened(wide).is_none());
        }
        for format in [Format::R16G16_UNORM, Format::R32_SFLOAT, Format::R5G6B5_UNORM_PACK16] {
            assert_eq!(widened(format), None);
        }
    }
}
