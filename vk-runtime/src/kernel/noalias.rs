//! The test if arguments of a launch share memory: kernels may be lowered as if they did not ([`KernelInfo::noalias`](lower::KernelInfo::noalias)).

use std::ops::Range;

use lower::kernel_info::{ArgKind, ImageAccess};
use smallvec::SmallVec;

use crate::kernel::arguments::ArgValue;
use crate::kernel::image_bindings::Texels;
use crate::kernel::program::Kernel;
use crate::memory::buffer::BufferInner;

/// Bytes of some memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    memory: u64,
    start: u64,
    end: u64,
}

impl Extent {
    /// Memory of another API, each of which may be any other.
    const EXTERNAL: Extent = Extent { memory: u64::MAX, start: 0, end: u64::MAX };

    /// The extent of a buffer's bytes; `None` for a buffer without memory.
    pub(crate) fn new(buffer: &BufferInner, bytes: Range<u64>) -> Option<Self> {
        let part = buffer.part().ok()?;
        Some(match part.place() {
            Some((memory, at)) => Extent { memory, start: at + bytes.start, end: at + bytes.end },
            None => Extent::EXTERNAL,
        })
    }

    pub(crate) fn meets(&self, other: &Extent) -> bool {
        self.memory == other.memory && self.start < other.end && other.start < self.end
    }
}

impl Kernel {
    /// Returns whether two of a launch's arguments share memory, of which the kernel writes one, and one is a buffer. What an address
    /// names is not known here, and left out.
    #[must_use]
    pub fn shares_memory(&self, args: &[ArgValue<'_>]) -> bool {
        let mut known: SmallVec<[(Extent, bool, bool); 8]> = SmallVec::new();
        for (info, arg) in self.info().args.iter().zip(args) {
            let (used, written, image) = match &info.kind {
                ArgKind::Buffer { read, written, .. } => (*read || *written, *written, false),
                ArgKind::Image(image) => (true, image.access != ImageAccess::ReadOnly, true),
                _ => continue,
            };
            let (buffer, bytes) = match *arg {
                ArgValue::Buffer(buffer) => (buffer, 0..buffer.size()),
                ArgValue::BufferRange { buffer, offset, size } => {
                    (buffer, offset..offset.saturating_add(size))
                }
                ArgValue::Image(image) => match image.texels {
                    Texels::Buffer { buffer, offset, size } => (buffer, offset..offset.saturating_add(size)),
                    Texels::Image(_) => continue,
                },
                _ => continue,
            };
            let Some(extent) = Extent::new(&buffer.inner, bytes).filter(|_| used) else { continue };
            let meets = |(other, writes, of_image): &(Extent, bool, bool)| {
                extent.meets(other) && (written || *writes) && !(image && *of_image)
            };
            if known.iter().any(meets) {
                return true;
            }
            known.push((extent, written, image));
        }
        false
    }
}
