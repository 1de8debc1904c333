//! Commands as data, what they touch, and the one recorder.
//!
//! Whatever a stream is told to do for the device is a [`Command`]; [`State::perform`] puts the barrier that it needs before it, keeps
//! alive what it touches, and records it. What only the host does is no command of a stream.

use std::sync::Arc;

use ash::vk;

use crate::error::RuntimeError;
use crate::image::resource::{ImageBox, ImageInner};
use crate::kernel::ndrange::Split;
use crate::launch::recording::{self, Launch};
use crate::memory::buffer::{BufferInner, Marks};
use crate::stream::batch::Batch;
use crate::stream::hazards::Stage;
use crate::stream::state::{Span, State};
use crate::transfer::image_rows::Rows;
use crate::transfer::rect::{Side, rows};

/// Something that commands touch, or a part of it.
#[derive(Clone, Copy)]
pub(crate) enum Resource<'a> {
    /// Bytes of a buffer.
    Buffer(Bytes<'a>),
    /// Subresources of an image, by their numbers.
    Image { image: &'a Arc<ImageInner>, start: u64, end: u64 },
}

/// Bytes of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    pub(crate) buffer: &'a Arc<BufferInner>,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// What a command does to a resource.
#[derive(Clone, Copy)]
pub(crate) struct Use<'a> {
    pub(crate) resource: Resource<'a>,
    pub(crate) read: bool,
    pub(crate) write: bool,
}

/// What the device does.
pub(crate) enum Command<'a, 'l> {
    /// Parts of a kernel's launch, which nothing orders among each other.
    Launch { launch: &'a Launch<'l>, parts: &'a [Split], remainders: bool },
    /// Bytes from one range to another one of the same size.
    Copy { from: Bytes<'a>, to: Bytes<'a> },
    /// A box of bytes, row by row.
    CopyBox { from: (&'a Arc<BufferInner>, &'a Side), to: (&'a Arc<BufferInner>, &'a Side), region: [u64; 3] },
    /// The first command of an image, which it is made with.
    Begin { image: &'a Arc<ImageInner> },
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
    /// A range of whole words, at most [`UPDATE`] bytes, gets these bytes.
    Update { to: Bytes<'a>, data: &'a [u8] },
}

/// vkCmdUpdateBuffer's limit.
pub(crate) const UPDATE: u64 = 65536;
/// Regions of one copy command.
const REGIONS: usize = 4096;

impl<'a> Bytes<'a> {
    /// How many there are.
    pub(crate) fn size(self) -> u64 {
        self.end - self.start
    }

    /// So many of them from one on.
    pub(crate) fn part(self, first: u64, size: u64) -> Self {
        Bytes::new(self.buffer, self.start + first, size)
    }

    /// Where the first one is for kernels that have addresses.
    pub(crate) fn address(self) -> Option<u64> {
        Some(self.buffer.address? + self.start)
    }

    /// So many bytes from an offset on.
    pub(crate) fn new(buffer: &'a Arc<BufferInner>, offset: u64, size: u64) -> Self {
        Bytes { buffer, start: offset, end: offset + size }
    }

    /// A command that reads them.
    pub(crate) fn read(self) -> Use<'a> {
        Resource::Buffer(self).read()
    }

    /// A command that overwrites them.
    pub(crate) fn written(self) -> Use<'a> {
        Resource::Buffer(self).written()
    }
}

impl<'a> Resource<'a> {
    /// The whole of a buffer.
    pub(crate) fn whole(buffer: &'a Arc<BufferInner>) -> Self {
        Resource::Buffer(Bytes::new(buffer, 0, buffer.bound_size))
    }

    /// A command that reads it.
    pub(crate) fn read(self) -> Use<'a> {
        Use { resource: self, read: true, write: false }
    }

    /// A command that overwrites it.
    pub(crate) fn written(self) -> Use<'a> {
        Use { resource: self, read: false, write: true }
    }

    /// What the streams remember of its uses.
    pub(crate) fn marks(self) -> &'a Arc<Marks> {
        match self {
            Resource::Buffer(bytes) => &bytes.buffer.marks,
            Resource::Image { image, .. } => &image.marks,
        }
    }

    /// Whether the host may read its memory directly.
    pub(crate) fn is_mapped(self) -> Result<bool, RuntimeError> {
        match self {
            Resource::Buffer(bytes) => Ok(bytes.buffer.part()?.is_mapped()),
            Resource::Image { .. } => Ok(false),
        }
    }

    /// A batch writes it: whether the host is to see that as soon as it is done.
    pub(crate) fn take_host_barrier(self) -> Result<bool, RuntimeError> {
        Ok(self.is_mapped()? && self.marks().take_host_barrier())
    }

    /// Makes a batch keep what is behind it.
    pub(crate) fn keep(self, batch: &mut Batch) {
        match self {
            Resource::Buffer(bytes) => batch.keep(bytes.buffer.storage()),
            Resource::Image { image, .. } => batch.keep(image.storage()),
        }
    }
}

impl<'a> Use<'a> {
    /// Which part is touched, and how.
    pub(crate) fn span(&self) -> Span {
        match self.resource {
            Resource::Buffer(Bytes { start, end, .. }) | Resource::Image { start, end, .. } => {
                Span { start, end, read: self.read, write: self.write }
            }
        }
    }

    /// What the streams remember of what is touched.
    pub(crate) fn marks(&self) -> &'a Arc<Marks> {
        self.resource.marks()
    }
}

impl State {
    /// Records a command of the device.
    pub(crate) fn perform(&mut self, command: &Command<'_, '_>) -> Result<(), RuntimeError> {
        match command {
            Command::Launch { launch, parts, remainders } => {
                recording::dispatch_parts(self, launch, parts, *remainders)
            }
            Command::Copy { from, to } => self.copy(*from, *to),
            Command::CopyBox { from, to, region } => self.copy_box(*from, *to, *region),
            Command::Begin { image } => self.begin_image(image),
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
