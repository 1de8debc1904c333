//! Transfers of widened images ([`widened`](crate::image::widened_texels::widened)).

use crate::error::RuntimeError;
use crate::image::resource::{Image, ImageBox};
use crate::image::widened_texels::expand;
use crate::memory::buffer::Buffer;
use crate::stream::command::{Command, Side, rows};
use crate::stream::queue::Queue;
use crate::transfer::chunks::PIECE;
use crate::transfer::image::{Pitches, pieces};
use timeline::Point;

impl Queue {
    /// Copies texels of a buffer from a byte on, as `side` says, into a box of a widened image.
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

    /// The slices of a piece as boxes of bytes, whose rows are texels and whose slices are rows of texels: their places in the buffer, where
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
