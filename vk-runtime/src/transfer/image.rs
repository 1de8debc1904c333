//! Reads, writes, copies and fills of images: through buffers, which the host or kernels reach.

use std::collections::VecDeque;

use ash::vk;

use crate::error::{RuntimeError, UserError};
use crate::image::clear_color::clear_value;
use crate::image::resource::{Image, ImageBox, ImageDim, ImageInner};
use crate::image::resource_use::{Bytes, Resource};
use crate::image::widened_texels::expand;
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::{Buffer, BufferInner};
use crate::stream::command::Command;
use crate::stream::command::{Side, rows};
use crate::stream::queue::Queue;
use crate::stream::state::State;
use crate::transfer::chunks::{PIECE, Pieces, piece_of};
use crate::transfer::pending_read::PendingRead;
use crate::transfer::texel_kernels::Way;
use timeline::{Point, Points};

/// This many pieces are on their way at a time.
const UNDER_WAY: usize = 3;

/// The layout of a box in host memory: bytes from row to row and from slice to slice (or layer to layer). 0 means tightly packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pitches {
    /// From row to row.
    pub row: u64,
    /// From slice to slice.
    pub slice: u64,
}

impl Pitches {
    /// The box's place in host memory, from its first byte on.
    pub(crate) fn side(self, part: &ImageBox, texel: u32) -> Result<Side, RuntimeError> {
        let bad = |text: &str| RuntimeError::user(UserError::InvalidValue, format!("image transfer: {text}"));
        let [width, height, depth] = part.size.map(u64::from);
        let tight = width * u64::from(texel);
        let row = if self.row == 0 { tight } else { self.row };
        let rows = row.checked_mul(height).ok_or_else(|| bad("sizes overflow"))?;
        let slice = if self.slice == 0 { rows } else { self.slice };
        if row < tight || (depth > 1 && slice < (height - 1) * row + tight) {
            return Err(bad("a pitch below the box's size"));
        }
        let end = (depth - 1)
            .checked_mul(slice)
            .and_then(|z| z.checked_add((height - 1).checked_mul(row)?)?.checked_add(tight))
            .ok_or_else(|| bad("sizes overflow"))?;
        Ok(Side { first: 0, row, slice, end })
    }
}

/// Bytes of a piece of a box that goes between the host and an image: what one thread copies by itself. One thread alone gains
/// less by what the device does meanwhile than pieces cost.
fn piece_bytes(part: &ImageBox, texel: u32, threads: usize) -> usize {
    if threads < 2 {
        return PIECE;
    }
    let all = part.bytes(texel).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    piece_of(all).min(PIECE / 2)
}

/// Cuts a box into such of at most so many bytes: slices, or rows of a slice. With how far their first texel is from the box's.
pub(crate) fn pieces(part: &ImageBox, texel: u32, most: u64) -> Vec<(ImageBox, [u32; 3])> {
    let [width, height, depth] = part.size;
    let row = u64::from(width) * u64::from(texel);
    let slice = row * u64::from(height);
    let fitting =
        |size: u64, count: u32| u32::try_from(most / size.max(1)).unwrap_or(u32::MAX).clamp(1, count);
    let (rows, slices) =
        if slice <= most { (height, fitting(slice, depth)) } else { (fitting(row, height), 1) };
    let mut out = Vec::new();
    for z in (0..depth).step_by(slices as usize) {
        for y in (0..height).step_by(rows as usize) {
            let [x0, y0, z0] = part.origin;
            let size = [width, rows.min(height - y), slices.min(depth - z)];
            out.push((ImageBox { level: part.level, origin: [x0, y0 + y, z0 + z], size }, [0, y, z]));
        }
    }
    out
}

impl Queue {
    /// Writes a box of host data. The data may be changed as soon as this returns.
    ///
    /// # Errors
    /// User for a box outside the image or the data, or pitches below its size; Driver when Vulkan fails.
    pub fn write_image(
        &self,
        image: &Image,
        part: &ImageBox,
        data: &[u8],
        pitches: Pitches,
    ) -> Result<Point, RuntimeError> {
        let i = &image.inner;
        self.own_image(i)?;
        i.check_box("write", part)?;
        let from = pitches.side(part, i.desc.texel)?;
        from.check_host(data.len())?;
        let stream = &self.inner.stream;
        let most = piece_bytes(part, i.desc.texel, i.device.copy_threads);
        let cut = pieces(part, i.desc.texel, most as u64);
        let several = cut.len() > 1;
        let pieces = Pieces::new(0, most, cut.into_iter(), i.device.copy_threads);
        let last = pieces.work(|| {
            let (mut under_way, mut value) = (VecDeque::new(), 0);
            while let Some((_, (piece, [_, dy, dz]))) = pieces.next() {
                if under_way.len() >= UNDER_WAY
                    && let Some(oldest) = under_way.pop_front()
                {
                    stream.wait(oldest)?;
                }
                let [width, height, depth] = piece.size.map(u64::from);
                let row = width * u64::from(i.desc.texel);
                let staging = stream.staging(piece.bytes(i.stored_texel()).unwrap_or(u64::MAX))?;
                let first = from.at(dy.into(), dz.into());
                let from = Side { first, ..from };
                match i.widened {
                    Some((_, wide)) => {
                        let sizes = ([width, height, depth], i.desc.texel, wide);
                        self.pack_widened(&staging, data, &from, sizes)?;
                    }
                    None => self.pack(&staging, data, &from, [row, height, depth])?,
                }
                value = self
                    .transfer(|state| {
                        state.perform(&Command::ToImage { from: (&staging.inner, 0), to: (i, &piece) })?;
                        state.open()?.0.return_later(staging);
                        Ok(())
                    })?
                    .value;
                if several {
                    stream.submit_up_to(value)?;
                }
                under_way.push_back(value);
            }
            Ok(value)
        });
        last.map(|value| self.point(value))
    }

    /// Packs a box of host data into staging memory.
    fn pack(
        &self,
        staging: &Buffer,
        data: &[u8],
        from: &Side,
        [width, height, depth]: [u64; 3],
    ) -> Result<(), RuntimeError> {
        let (memory, part) = (&self.device_inner().memory, staging.inner.part()?);
        let bytes = |start: u64, size: u64| -> &[u8] {
            let (start, size) = (start as usize, size as usize);
            data.get(start..start + size).unwrap_or_default()
        };
        if from.row == width && (depth == 1 || from.slice == width * height) {
            return memory.write(part, 0, bytes(from.first, width * height * depth));
        }
        for (index, (y, z)) in (0u64..).zip(rows(height, depth)) {
            memory.write(part, index * width, bytes(from.at(y, z), width))?;
        }
        Ok(())
    }

    /// Starts reading a box to the host: the device packs it, as it is at this place in the stream.
    ///
    /// # Errors
    /// User for a box outside the image, or pitches below its size; Driver when Vulkan fails.
    pub fn begin_read_image(
        &self,
        image: &Image,
        part: &ImageBox,
        pitches: Pitches,
    ) -> Result<PendingRead, RuntimeError> {
        let i = &image.inner;
        self.own_image(i)?;
        i.check_box("read", part)?;
        let side = pitches.side(part, i.desc.texel)?;
        let [width, height, depth] = part.size.map(u64::from);
        let row = width * u64::from(i.desc.texel);
        let staging = self.inner.stream.staging(row * height * depth)?;
        let point = match i.widened {
            Some(_) => self.narrow((image, part), (&staging, 0), &self.packed_side(image, part)?)?,
            None => self.perform(&Command::FromImage { from: (i, part), to: (&staging.inner, 0) })?,
        };
        Ok(PendingRead::of_rect(self, point, staging, side, [row, height, depth]))
    }

    /// Waits for the commands that write a box, and reads it. Runs no completion callbacks.
    ///
    /// # Errors
    /// As [`begin_read_image`](Self::begin_read_image); User for too little room.
    pub fn read_image(
        &self,
        image: &Image,
        part: &ImageBox,
        data: &mut [u8],
        pitches: Pitches,
    ) -> Result<(), RuntimeError> {
        let i = &image.inner;
        i.check_box("read", part)?;
        let to = pitches.side(part, i.desc.texel)?;
        to.check_host(data.len())?;
        let most = piece_bytes(part, i.desc.texel, i.device.copy_threads);
        let (mut rest, mut cut) = (data, Vec::new());
        // Each has what is from its first byte on, up to the next one's.
        for (piece, [_, dy, dz]) in pieces(part, i.desc.texel, most as u64).into_iter().rev() {
            let start = to.at(dy.into(), dz.into()) as usize;
            let Some((before, room)) = rest.split_at_mut_checked(start) else {
                return Err(RuntimeError::bug("a piece outside of its box"));
            };
            rest = before;
            cut.push((piece, room));
        }
        let pieces = Pieces::new(0, most, cut.into_iter().rev(), i.device.copy_threads);
        let done = pieces.work(|| {
            let mut under_way: VecDeque<(PendingRead, &mut [u8])> = VecDeque::new();
            while let Some((_, (piece, room))) = pieces.next() {
                if under_way.len() >= UNDER_WAY
                    && let Some((oldest, room)) = under_way.pop_front()
                {
                    oldest.finish(room)?;
                }
                let pending = self.begin_read_image(image, &piece, pitches)?;
                pending.points().iter().try_for_each(|p| self.inner.stream.submit_up_to(p.value))?;
                under_way.push_back((pending, room));
            }
            under_way.into_iter().try_for_each(|(oldest, room)| oldest.finish(room))?;
            Ok(0)
        });
        done.map(|_| ())
    }

    /// Copies a box into a buffer, packed.
    ///
    /// # Errors
    /// User for a box outside the image, or a range outside the buffer; Driver when Vulkan fails.
    pub fn copy_image_to_buffer(
        &self,
        image: &Image,
        part: &ImageBox,
        buffer: &Buffer,
        offset: u64,
    ) -> Result<Point, RuntimeError> {
        let size = self.check_copy(image, part, buffer, offset)?;
        let (i, b) = (&image.inner, &buffer.inner);
        if i.widened.is_some() {
            return self.narrow((image, part), (buffer, offset), &self.packed_side(image, part)?);
        }
        if let Some(point) =
            self.copy_by_texels(Way::FromImage, (image, part), (buffer, offset), packed_rows(i, part))?
        {
            return Ok(point);
        }
        if offset.is_multiple_of(i.desc.texel.into()) {
            return self.perform(&Command::FromImage { from: (i, part), to: (b, offset) });
        }
        // VUID-vkCmdCopyImageToBuffer-dstImage-07975: the offset is a multiple of the texel's size.
        let between = self.between(size)?;
        self.transfer(|state| {
            state.perform(&Command::FromImage { from: (i, part), to: (&between.inner, 0) })?;
            let (from, to) = (Bytes::new(&between.inner, 0, size), Bytes::new(b, offset, size));
            state.perform(&Command::Copy { from, to })
        })
    }

    /// Copies packed texels of a buffer into a box.
    ///
    /// # Errors
    /// As [`copy_image_to_buffer`](Self::copy_image_to_buffer).
    pub fn copy_buffer_to_image(
        &self,
        buffer: &Buffer,
        offset: u64,
        image: &Image,
        part: &ImageBox,
    ) -> Result<Point, RuntimeError> {
        let size = self.check_copy(image, part, buffer, offset)?;
        let (i, b) = (&image.inner, &buffer.inner);
        if i.widened.is_some() {
            return self.widen((buffer, offset), &self.packed_side(image, part)?, (image, part));
        }
        if let Some(point) =
            self.copy_by_texels(Way::ToImage, (image, part), (buffer, offset), packed_rows(i, part))?
        {
            return Ok(point);
        }
        if offset.is_multiple_of(i.desc.texel.into()) {
            return self.perform(&Command::ToImage { from: (b, offset), to: (i, part) });
        }
        let between = self.between(size)?;
        self.transfer(|state| {
            let (from, to) = (Bytes::new(b, offset, size), Bytes::new(&between.inner, 0, size));
            state.perform(&Command::Copy { from, to })?;
            state.perform(&Command::ToImage { from: (&between.inner, 0), to: (i, part) })
        })
    }

    /// Checks a copy between an image and a buffer; its bytes.
    fn check_copy(
        &self,
        image: &Image,
        part: &ImageBox,
        buffer: &Buffer,
        offset: u64,
    ) -> Result<u64, RuntimeError> {
        let (i, b) = (&image.inner, &buffer.inner);
        self.own_image(i)?;
        self.own(b)?;
        i.check_box("copy", part)?;
        let size = part.bytes(i.desc.texel).unwrap_or(u64::MAX);
        b.check_range("copy", offset, size)?;
        Ok(size)
    }

    /// Device memory that a command needs between two others.
    pub(crate) fn between(&self, size: u64) -> Result<Buffer, RuntimeError> {
        Buffer::internal(self.device_inner(), size, BufferUse::Device, "between images")
    }

    /// Copies a box to a place of an image whose texels have the same size; of one image, boxes that do not overlap.
    ///
    /// # Errors
    /// User for boxes outside the images, texels of other sizes, or overlapping boxes; Driver when Vulkan fails.
    pub fn copy_image(
        &self,
        src: &Image,
        part: &ImageBox,
        dst: &Image,
        level: u32,
        origin: [u32; 3],
    ) -> Result<Point, RuntimeError> {
        let (s, d) = (&src.inner, &dst.inner);
        self.own_image(s)?;
        self.own_image(d)?;
        let to = ImageBox { level, origin, size: part.size };
        s.check_box("copy, source", part)?;
        d.check_box("copy, destination", &to)?;
        if (s.desc.texel, s.stored_texel()) != (d.desc.texel, d.stored_texel()) {
            let text = format!("a copy from texels of {} bytes to {}", s.desc.texel, d.desc.texel);
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        if s.marks.id == d.marks.id && part.overlaps(&to) {
            let text = "an image copy whose source and destination overlap";
            return Err(RuntimeError::user(UserError::MemCopyOverlap, text));
        }
        if s.desc.dim == d.desc.dim {
            return self.perform(&Command::CopyImage { from: (s, part), to: (d, &to) });
        }
        // Slices of 3D images are layers of 2D images to some drivers only, rows never: by way of a buffer.
        let cut: Vec<_> = pieces(part, s.stored_texel(), PIECE as u64);
        let most = cut.first().and_then(|(piece, _)| piece.bytes(s.stored_texel())).unwrap_or(0);
        let between = self.between(most.max(1))?;
        self.transfer(|state| {
            for (piece, [_, dy, dz]) in cut {
                state.perform(&Command::FromImage { from: (s, &piece), to: (&between.inner, 0) })?;
                let [x, y, z] = origin;
                let to = ImageBox { level, origin: [x, y + dy, z + dz], size: piece.size };
                state.perform(&Command::ToImage { from: (&between.inner, 0), to: (d, &to) })?;
            }
            Ok(())
        })
    }

    /// Gives all texels of a box these bytes.
    ///
    /// # Errors
    /// User for a box outside the image, or bytes that are no texel of it; Driver when Vulkan fails.
    pub fn fill_image(&self, image: &Image, part: &ImageBox, texel: &[u8]) -> Result<Point, RuntimeError> {
        let i = &image.inner;
        self.own_image(i)?;
        i.check_box("fill", part)?;
        if texel.len() != i.desc.texel as usize {
            let text = format!("a fill by {} bytes of texels of {}", texel.len(), i.desc.texel);
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        let wide = i.widened.map(|(_, wide)| expand(texel, i.desc.texel, wide));
        let texel = wide.as_deref().unwrap_or(texel);
        if i.widened.is_none()
            && i.desc.is_layers(part)
            && let Some(colour) = clear_value(i.desc.format, texel)
        {
            return self.perform(&Command::Clear { image: i, part, colour });
        }
        let cut: Vec<_> = pieces(part, i.stored_texel(), PIECE as u64);
        let most = cut.first().and_then(|(piece, _)| piece.bytes(i.stored_texel())).unwrap_or(0);
        let between = self.between(most.max(1))?;
        self.fill_buffer(&between, 0, most, texel)?;
        self.transfer(|state| {
            for (piece, _) in &cut {
                state.perform(&Command::ToImage { from: (&between.inner, 0), to: (i, piece) })?;
            }
            Ok(())
        })
    }

    /// The points at which nothing that is recorded in any stream uses an image any more.
    #[must_use]
    pub fn last_image_use(&self, image: &Image) -> Points {
        self.inner.stream.shared.last_use(&image.inner.marks)
    }

    /// The points at which nothing that is recorded in any stream writes an image any more.
    #[must_use]
    pub fn last_image_write(&self, image: &Image) -> Points {
        self.inner.stream.shared.last_write(&image.inner.marks)
    }

    /// Gives an image contents that nobody else orders before what uses it, as [`initialize`](Self::initialize) does for buffers.
    ///
    /// # Errors
    /// As [`write_image`](Self::write_image).
    pub fn initialize_image(
        &self,
        image: &Image,
        part: &ImageBox,
        data: &[u8],
        pitches: Pitches,
    ) -> Result<(), RuntimeError> {
        let point = self.write_image(image, part, data, pitches)?;
        self.inner.stream.submit_up_to(point.value)?;
        self.inner.stream.progress.outcome(point.value)?;
        image.inner.marks.origin.set(point.into());
        Ok(())
    }

    pub(crate) fn own_image(&self, image: &ImageInner) -> Result<(), RuntimeError> {
        if std::sync::Arc::ptr_eq(&image.device, self.device_inner()) {
            Ok(())
        } else {
            Err(RuntimeError::user(UserError::InvalidContext, "an image of another device"))
        }
    }
}

/// A box of an image, and where it lies packed in a buffer.
type Texels<'a> = (&'a std::sync::Arc<ImageInner>, &'a ImageBox);
type Packed<'a> = (&'a std::sync::Arc<BufferInner>, u64);

/// The pitches of a box that lies packed in a buffer.
fn packed_rows(image: &ImageInner, part: &ImageBox) -> Pitches {
    let row = u64::from(part.size[0]) * u64::from(image.desc.texel);
    Pitches { row, slice: row * u64::from(part.size[1]) }
}

fn packed<'a>((buffer, offset): Packed<'a>, (image, part): Texels<'a>) -> Bytes<'a> {
    Bytes::new(buffer, offset, part.bytes(image.stored_texel()).unwrap_or(0))
}

fn region(offset: u64, (image, part): Texels<'_>) -> vk::BufferImageCopy {
    let (image_subresource, image_offset, image_extent) = image.place(part);
    vk::BufferImageCopy {
        buffer_offset: offset,
        buffer_row_length: part.size[0],
        // A one-dimensional image has no rows: its layers lie a row apart.
        buffer_image_height: if image.desc.dim == ImageDim::One { 1 } else { part.size[1] },
        image_subresource,
        image_offset,
        image_extent,
    }
}

impl State {
    /// The first command of an image: from now on it is in the layout that it keeps.
    pub(crate) fn begin_image(&mut self, image: &std::sync::Arc<ImageInner>) -> Result<(), RuntimeError> {
        let commands = self.transfer(&[Resource::image(image).written()])?;
        self.open()?.0.is_relied_on = true;
        let barrier = crate::image::resource::first_layout(image);
        // SAFETY: recording under the stream's lock; the image is new, so nothing uses it; the batch keeps it alive.
        unsafe {
            self.device.raw.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::TRANSFER,
                vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[barrier],
            );
        }
        Ok(())
    }

    pub(crate) fn fill_box(&mut self, from: Packed<'_>, to: Texels<'_>) -> Result<(), RuntimeError> {
        let uses = [packed(from, to).read(), Resource::texels(to.0, to.1).written()];
        let commands = self.transfer(&uses)?;
        let region = region(from.1, to);
        // SAFETY: recording under the stream's lock; the callers checked that box and range lie in image and buffer and that
        // the offset is a multiple of the texel's size; the batch keeps both alive; the layout is always GENERAL.
        unsafe {
            self.device.raw.cmd_copy_buffer_to_image(
                commands,
                from.0.raw,
                to.0.raw,
                vk::ImageLayout::GENERAL,
                &[region],
            );
        }
        Ok(())
    }

    /// A fill of whole layers.
    pub(crate) fn clear_image(
        &mut self,
        to: Texels<'_>,
        colour: vk::ClearColorValue,
    ) -> Result<(), RuntimeError> {
        let commands = self.transfer(&[Resource::texels(to.0, to.1).written()])?;
        let (layers, ..) = to.0.place(to.1);
        let range = vk::ImageSubresourceRange {
            aspect_mask: layers.aspect_mask,
            base_mip_level: layers.mip_level,
            level_count: 1,
            base_array_layer: layers.base_array_layer,
            layer_count: layers.layer_count,
        };
        // SAFETY: recording under the stream's lock; the caller checked that the box is all of these layers; the batch keeps
        // the image alive; the layout is always GENERAL; a compute queue may clear.
        unsafe {
            self.device.raw.cmd_clear_color_image(
                commands,
                to.0.raw,
                vk::ImageLayout::GENERAL,
                &colour,
                &[range],
            );
        }
        Ok(())
    }

    pub(crate) fn take_box(&mut self, from: Texels<'_>, to: Packed<'_>) -> Result<(), RuntimeError> {
        let uses = [Resource::texels(from.0, from.1).read(), packed(to, from).written()];
        let commands = self.transfer(&uses)?;
        let region = region(to.1, from);
        // SAFETY: as in `fill_box`.
        unsafe {
            self.device.raw.cmd_copy_image_to_buffer(
                commands,
                from.0.raw,
                vk::ImageLayout::GENERAL,
                to.0.raw,
                &[region],
            );
        }
        Ok(())
    }

    pub(crate) fn copy_image(&mut self, from: Texels<'_>, to: Texels<'_>) -> Result<(), RuntimeError> {
        let uses = [Resource::texels(from.0, from.1).read(), Resource::texels(to.0, to.1).written()];
        let commands = self.transfer(&uses)?;
        let (src_subresource, src_offset, extent) = from.0.place(from.1);
        let (dst_subresource, dst_offset, _) = to.0.place(to.1);
        let region = vk::ImageCopy { src_subresource, src_offset, dst_subresource, dst_offset, extent };
        // SAFETY: as in `fill_box`; the images are of one type and their texels of one size, the boxes do not overlap.
        unsafe {
            self.device.raw.cmd_copy_image(
                commands,
                from.0.raw,
                vk::ImageLayout::GENERAL,
                to.0.raw,
                vk::ImageLayout::GENERAL,
                &[region],
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_box() {
        let part = ImageBox { level: 0, origin: [1, 2, 3], size: [10, 7, 5] };
        for most in [1, 40, 79, 100, 280, 600, 5000] {
            let cut = pieces(&part, 4, most);
            let total: u64 = cut.iter().filter_map(|(p, _)| p.bytes(4)).sum();
            assert_eq!(Some(total), part.bytes(4));
            for (index, (p, [_, dy, dz])) in cut.iter().enumerate() {
                assert!(p.bytes(4) <= Some(most.max(40)), "{most}");
                assert_eq!(p.origin, [1, 2 + dy, 3 + dz]);
                assert!(cut.iter().skip(index + 1).all(|(other, _)| !other.overlaps(p)));
            }
        }
    }

    #[test]
    fn pitches() {
        let part = ImageBox { level: 0, origin: [0; 3], size: [3, 2, 2] };
        let side = |row, slice| Pitches { row, slice }.side(&part, 4).map(|s| (s.row, s.slice, s.end));
        assert_eq!(side(0, 0), Ok((12, 24, 48)));
        assert_eq!(side(16, 40), Ok((16, 40, 40 + 16 + 12)));
        assert!(side(11, 0).is_err() && side(16, 20).is_err());
        assert!(side(u64::MAX, 0).is_err() && side(16, u64::MAX).is_err());
    }
}
