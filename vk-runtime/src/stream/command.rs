//! Commands as data, what they touch, and the one recorder.
//!
//! All work of a stream for the device is a [`Command`]; [`State::perform`] puts the barrier that it needs before it, keeps
//! alive what it touches, and records it. Work of the host alone is no command of a stream.

use crate::error::UserError;
use crate::image::resource_use::{Bytes, Resource, Use};
use std::sync::Arc;

use ash::vk;

use crate::error::RuntimeError;
use crate::image::resource::{ImageBox, ImageInner};
use crate::memory::buffer::BufferInner;
use crate::stream::hazards::Stage;
use crate::stream::state::State;

/// A command of the device.
pub(crate) enum Command<'a> {
    /// Bytes from one range to another one of the same size.
    Copy { from: Bytes<'a>, to: Bytes<'a> },
    /// A box of bytes, row by row.
    CopyBox { from: (&'a Arc<BufferInner>, &'a Side), to: (&'a Arc<BufferInner>, &'a Side), region: [u64; 3] },
    /// The first command of an image, which it is made with.
    Begin { image: &'a Arc<ImageInner> },
    /// The device's queues become the owners of memory that other APIs use, or cease to be.
    ChangeOwner { objects: &'a [Resource<'a>], acquire: bool },
    /// Packed texels of a buffer, from an offset on, into a box of an image.
    ToImage { from: (&'a Arc<BufferInner>, u64), to: (&'a Arc<ImageInner>, &'a ImageBox) },
    /// The other way.
    FromImage { from: (&'a Arc<ImageInner>, &'a ImageBox), to: (&'a Arc<BufferInner>, u64) },
    /// Texels of a buffer with pitches into a box of an image.
    RowsToImage { from: Rows<'a>, to: (&'a Arc<ImageInner>, &'a ImageBox) },
    /// The other way.
    ImageToRows { from: (&'a Arc<ImageInner>, &'a ImageBox), to: Rows<'a> },
    /// A box of texels.
    CopyImage { from: (&'a Arc<ImageInner>, &'a ImageBox), to: (&'a Arc<ImageInner>, &'a ImageBox) },
    /// All texels of some layers of a level, or of a 3D image's level, get a colour.
    Clear { image: &'a Arc<ImageInner>, part: &'a ImageBox, colour: vk::ClearColorValue },
    /// A range of whole words gets one.
    Fill { to: Bytes<'a>, word: u32 },
    /// A range of whole words, at most [`UPDATE`](crate::device::limits::UPDATE) bytes, gets these bytes.
    Update { to: Bytes<'a>, data: &'a [u8] },
}

/// Regions of one copy command.
const REGIONS: usize = 4096;

impl State {
    /// Records a command of the device.
    pub(crate) fn perform(&mut self, command: &Command<'_>) -> Result<(), RuntimeError> {
        match command {
            Command::Copy { from, to } => self.copy(*from, *to),
            Command::CopyBox { from, to, region } => self.copy_box(*from, *to, *region),
            Command::Begin { image } => self.begin_image(image),
            Command::ChangeOwner { objects, acquire } => self.change_owner(objects, *acquire),
            Command::ToImage { from, to } => self.fill_box(*from, *to),
            Command::FromImage { from, to } => self.take_box(*from, *to),
            Command::RowsToImage { from, to } => self.rows_to_image(*from, *to),
            Command::ImageToRows { from, to } => self.image_to_rows(*from, *to),
            Command::CopyImage { from, to } => self.copy_image(*from, *to),
            Command::Clear { image, part, colour } => self.clear_image((image, part), *colour),
            Command::Fill { to, word } => self.fill(*to, *word),
            Command::Update { to, data } => self.update(*to, data),
        }
    }

    pub(crate) fn transfer(&mut self, uses: &[Use<'_>]) -> Result<vk::CommandBuffer, RuntimeError> {
        self.command(Stage::Transfer, uses, false)
    }

    fn copy(&mut self, from: Bytes<'_>, to: Bytes<'_>) -> Result<(), RuntimeError> {
        let commands = self.transfer(&[from.read(), to.written()])?;
        let Bytes { buffer: src, start: src_offset, end } = from;
        let Bytes { buffer: dst, start: dst_offset, .. } = to;
        let region = vk::BufferCopy { src_offset, dst_offset, size: end - src_offset };
        // SAFETY: recording under the stream's lock; the callers checked that the ranges lie in the buffers and do not
        // overlap; the batch keeps both alive.
        unsafe { self.device.raw.cmd_copy_buffer(commands, src.raw, dst.raw, &[region]) };
        Ok(())
    }

    fn copy_box(
        &mut self,
        (src, from): (&Arc<BufferInner>, &Side),
        (dst, to): (&Arc<BufferInner>, &Side),
        [width, height, depth]: [u64; 3],
    ) -> Result<(), RuntimeError> {
        let reads = Bytes::new(src, from.first, from.end - from.first);
        let writes = Bytes::new(dst, to.first, to.end - to.first);
        let commands = self.transfer(&[reads.read(), writes.written()])?;
        let mut regions = Vec::with_capacity(usize::try_from(height * depth).unwrap_or(REGIONS).min(REGIONS));
        let send = |regions: &mut Vec<vk::BufferCopy>| {
            if !regions.is_empty() {
                // SAFETY: recording under the stream's lock; the regions lie in the buffers (their spans were
                // checked) and do not overlap; the batch keeps both alive.
                unsafe { self.device.raw.cmd_copy_buffer(commands, src.raw, dst.raw, regions) };
                regions.clear();
            }
        };
        for (y, z) in rows(height, depth) {
            regions.push(vk::BufferCopy { src_offset: from.at(y, z), dst_offset: to.at(y, z), size: width });
            if regions.len() == REGIONS {
                send(&mut regions);
            }
        }
        send(&mut regions);
        Ok(())
    }

    fn fill(&mut self, to: Bytes<'_>, word: u32) -> Result<(), RuntimeError> {
        let commands = self.transfer(&[to.written()])?;
        let Bytes { buffer, start, end } = to;
        // SAFETY: recording under the stream's lock; a range of whole words inside the buffer, which the batch keeps alive.
        unsafe { self.device.raw.cmd_fill_buffer(commands, buffer.raw, start, end - start, word) };
        Ok(())
    }

    fn update(&mut self, to: Bytes<'_>, data: &[u8]) -> Result<(), RuntimeError> {
        let commands = self.transfer(&[to.written()])?;
        let Bytes { buffer, start, .. } = to;
        // SAFETY: recording under the stream's lock; offset and size are multiples of 4, at most 65536 bytes, inside the
        // buffer, which the batch keeps alive.
        unsafe { self.device.raw.cmd_update_buffer(commands, buffer.raw, start, data) };
        Ok(())
    }
}

/// One side of a [`RectCopy`](crate::RectCopy), settled: where it starts, its pitches, and where it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub(crate) first: u64,
    pub(crate) row: u64,
    pub(crate) slice: u64,
    pub(crate) end: u64,
}

impl Side {
    /// Returns where a row starts.
    pub(crate) fn at(&self, y: u64, z: u64) -> u64 {
        self.first + z * self.slice + y * self.row
    }

    /// Checks that host data of this length holds the box.
    pub(crate) fn check_host(&self, len: usize) -> Result<(), RuntimeError> {
        if self.end <= len as u64 {
            return Ok(());
        }
        let text = format!("rectangle copy: a box up to byte {} of {len} bytes of host memory", self.end);
        Err(RuntimeError::user(UserError::InvalidValue, text))
    }
}

/// The rows of a box: (row, slice).
pub(crate) fn rows(height: u64, depth: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..depth).flat_map(move |z| (0..height).map(move |y| (y, z)))
}

/// The place of a box in a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) bytes: Bytes<'a>,
    /// Texels from row to row, and rows from slice to slice.
    pub(crate) row: u32,
    pub(crate) height: u32,
}
