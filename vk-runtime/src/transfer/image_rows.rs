//! Texels in buffers with pitches, as images of buffers have them: copies to and from images.

use crate::stream::command::Rows;
use std::sync::Arc;

use ash::vk;

use crate::error::{RuntimeError, UserError};
use crate::image::resource::{Image, ImageBox, ImageDim, ImageInner};
use crate::image::resource_use::{Bytes, Resource, Use};
use crate::memory::buffer::{Buffer, BufferInner};
use crate::stream::command::Command;
use crate::stream::queue::Queue;
use crate::stream::state::State;
use crate::transfer::image::Pitches;
use crate::transfer::texel_kernels::Way;
use timeline::Point;

impl Queue {
    /// Copies rows of texels, from a byte of a buffer on, into a box.
    ///
    /// # Errors
    /// User for a box outside the image, rows outside the buffer, or an offset or pitches that are no multiples of a texel; Driver when
    /// Vulkan fails.
    pub fn copy_rows_to_image(
        &self,
        buffer: &Buffer,
        offset: u64,
        pitches: Pitches,
        image: &Image,
        part: &ImageBox,
    ) -> Result<Point, RuntimeError> {
        let from = self.rows((buffer, offset), pitches, (image, part))?;
        if image.inner.widened.is_some() {
            let side = pitches.side(part, image.inner.desc.texel)?;
            return self.widen((buffer, offset), &side, (image, part));
        }
        let settled = from.pitches(image);
        if let Some(point) = self.copy_by_texels(Way::ToImage, (image, part), (buffer, offset), settled)? {
            return Ok(point);
        }
        self.perform(&Command::RowsToImage { from, to: (&image.inner, part) })
    }

    /// Copies a box to rows of texels, from a byte of a buffer on. Bytes between the rows stay.
    ///
    /// # Errors
    /// As [`copy_rows_to_image`](Self::copy_rows_to_image).
    pub fn copy_image_to_rows(
        &self,
        image: &Image,
        part: &ImageBox,
        buffer: &Buffer,
        offset: u64,
        pitches: Pitches,
    ) -> Result<Point, RuntimeError> {
        let to = self.rows((buffer, offset), pitches, (image, part))?;
        if image.inner.widened.is_some() {
            let side = pitches.side(part, image.inner.desc.texel)?;
            return self.narrow((image, part), (buffer, offset), &side);
        }
        let settled = to.pitches(image);
        if let Some(point) = self.copy_by_texels(Way::FromImage, (image, part), (buffer, offset), settled)? {
            return Ok(point);
        }
        self.perform(&Command::ImageToRows { from: (&image.inner, part), to })
    }

    fn rows<'a>(
        &self,
        (buffer, offset): (&'a Buffer, u64),
        pitches: Pitches,
        (image, part): (&Image, &ImageBox),
    ) -> Result<Rows<'a>, RuntimeError> {
        self.own_image(&image.inner)?;
        self.own(&buffer.inner)?;
        image.inner.check_box("rows of texels", part)?;
        Rows::new(&buffer.inner, offset, pitches, (&image.inner, part))
    }
}

impl State {
    pub(crate) fn rows_to_image(
        &mut self,
        from: Rows<'_>,
        (image, part): (&Arc<ImageInner>, &ImageBox),
    ) -> Result<(), RuntimeError> {
        let commands = self.transfer(&[from.read(), Resource::texels(image, part).written()])?;
        let region = from.region(image, part);
        // SAFETY: recording under the stream's lock; the callers checked that box and rows lie in image and buffer, and that offset
        // and pitches are whole texels; the batch keeps both alive; the layout is always GENERAL.
        unsafe {
            self.device.raw.cmd_copy_buffer_to_image(
                commands,
                from.bytes.buffer.raw,
                image.raw,
                vk::ImageLayout::GENERAL,
                &[region],
            );
        }
        Ok(())
    }

    pub(crate) fn image_to_rows(
        &mut self,
        (image, part): (&Arc<ImageInner>, &ImageBox),
        to: Rows<'_>,
    ) -> Result<(), RuntimeError> {
        let commands = self.transfer(&[Resource::texels(image, part).read(), to.written()])?;
        let region = to.region(image, part);
        // SAFETY: as in `rows_to_image`.
        unsafe {
            self.device.raw.cmd_copy_image_to_buffer(
                commands,
                image.raw,
                vk::ImageLayout::GENERAL,
                to.bytes.buffer.raw,
                &[region],
            );
        }
        Ok(())
    }
}

impl<'a> Rows<'a> {
    /// A box from a byte on: its texels are whole, and so many of them are between the rows.
    fn new(
        buffer: &'a Arc<BufferInner>,
        offset: u64,
        pitches: Pitches,
        (image, part): (&ImageInner, &ImageBox),
    ) -> Result<Self, RuntimeError> {
        let bad = |text: String| RuntimeError::user(UserError::InvalidValue, text);
        let texel = u64::from(image.desc.texel);
        let side = pitches.side(part, image.desc.texel)?;
        buffer.check_range("rows of texels", offset, side.end)?;
        // The layers of an array of rows lie a slice apart.
        let lines = image.desc.dim == ImageDim::One && part.size[2] > 1;
        let row = if lines { side.slice } else { side.row };
        let whole = offset.is_multiple_of(texel) && row.is_multiple_of(texel);
        let height = if lines { 1 } else { side.slice / side.row };
        if !whole || (part.size[2] > 1 && !lines && side.slice % side.row != 0) {
            return Err(bad(format!("rows of texels of {texel} bytes at {offset}: {pitches:?}")));
        }
        let small = |n: u64| u32::try_from(n).map_err(|_| bad(format!("rows of texels: {pitches:?}")));
        let (row, height) = (small(row / texel)?, small(height)?);
        Ok(Rows { bytes: Bytes::new(buffer, offset, side.end), row, height })
    }

    /// In bytes.
    fn pitches(&self, image: &Image) -> Pitches {
        let row = u64::from(self.row) * u64::from(image.inner.desc.texel);
        Pitches { row, slice: row * u64::from(self.height) }
    }

    fn region(&self, image: &ImageInner, part: &ImageBox) -> vk::BufferImageCopy {
        let (image_subresource, image_offset, image_extent) = image.place(part);
        vk::BufferImageCopy {
            buffer_offset: self.bytes.start,
            buffer_row_length: self.row,
            buffer_image_height: self.height.max(part.size[1]),
            image_subresource,
            image_offset,
            image_extent,
        }
    }

    pub(crate) fn read(self) -> Use<'a> {
        self.bytes.read()
    }

    pub(crate) fn written(self) -> Use<'a> {
        self.bytes.written()
    }
}
