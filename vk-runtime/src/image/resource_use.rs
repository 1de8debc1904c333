//! Buffers and images as commands use them: the part, and whether it is read or written.

use std::sync::Arc;

use crate::error::RuntimeError;
use crate::image::resource::{ImageBox, ImageInner};
use crate::memory::buffer::{Buffer, BufferInner, Marks};

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

/// The use of a resource by a command.
#[derive(Clone, Copy)]
pub(crate) struct Use<'a> {
    pub(crate) resource: Resource<'a>,
    pub(crate) read: bool,
    pub(crate) write: bool,
}

/// Which part of a resource a command touches, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccessRange {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) read: bool,
    pub(crate) write: bool,
}

impl<'a> Bytes<'a> {
    /// Returns how many there are.
    pub(crate) fn size(self) -> u64 {
        self.end - self.start
    }

    /// This many of them from one on.
    pub(crate) fn part(self, first: u64, size: u64) -> Self {
        Bytes::new(self.buffer, self.start + first, size)
    }

    /// Returns where the first one is for kernels that have addresses.
    pub(crate) fn address(self) -> Option<u64> {
        Some(self.buffer.address? + self.start)
    }

    /// This many bytes from an offset on.
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

    /// Returns what the streams remember of its uses.
    pub(crate) fn marks(self) -> &'a Arc<Marks> {
        match self {
            Resource::Buffer(bytes) => &bytes.buffer.marks,
            Resource::Image { image, .. } => &image.marks,
        }
    }

    /// Returns whether the host may read its memory directly.
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
}

impl<'a> Resource<'a> {
    /// The subresources of an image that a box touches.
    pub(crate) fn texels(image: &'a Arc<ImageInner>, part: &ImageBox) -> Self {
        let (start, end) = image.numbers(part);
        Resource::Image { image, start, end }
    }

    /// All of an image.
    pub(crate) fn image(image: &'a Arc<ImageInner>) -> Self {
        let (start, end) = image.all_numbers();
        Resource::Image { image, start, end }
    }
}

impl<'a> Use<'a> {
    /// Returns which part is touched, and how.
    pub(crate) fn span(&self) -> AccessRange {
        match self.resource {
            Resource::Buffer(Bytes { start, end, .. }) | Resource::Image { start, end, .. } => {
                AccessRange { start, end, read: self.read, write: self.write }
            }
        }
    }

    /// Returns what the streams remember of what is touched.
    pub(crate) fn marks(&self) -> &'a Arc<Marks> {
        self.resource.marks()
    }
}

/// Bytes of a buffer that a kernel reaches by device addresses.
#[derive(Debug, Clone, Copy)]
pub struct Touch<'a> {
    /// The argument that points there, if it is one.
    pub arg: Option<u32>,
    /// The buffer.
    pub buffer: &'a Buffer,
    /// The first byte.
    pub start: u64,
    /// The byte behind the last.
    pub end: u64,
    /// True if the kernel may write them.
    pub written: bool,
}

impl<'a> Touch<'a> {
    /// All of a buffer.
    #[must_use]
    pub fn whole(buffer: &'a Buffer, written: bool) -> Self {
        Touch { arg: None, buffer, start: 0, end: buffer.inner.bound_size, written }
    }
}

impl<'a> Touch<'a> {
    /// Returns what a kernel does there.
    pub(crate) fn used(&self) -> Use<'a> {
        let (start, end) = (self.start / 4 * 4, self.end.next_multiple_of(4));
        let bytes = Bytes { buffer: &self.buffer.inner, start, end };
        Use { resource: Resource::Buffer(bytes), read: true, write: self.written }
    }
}
