//! The application's memory, as commands read and write it.

use vk_runtime::{Buffer, Points, Queue as Stream};

use super::super::rect::Side;
use crate::context::Context;
use crate::ffi::UserPointer;

/// A place in the application's memory, with its size.
#[derive(Clone, Copy)]
pub(crate) struct HostRange {
    pub(crate) start: UserPointer,
    pub(crate) size: u64,
}

impl HostRange {
    /// The bytes, to be read.
    ///
    /// # Safety
    /// The application's memory is valid and is not changed meanwhile, as the specification demands while a command uses it.
    pub(super) unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: by the caller's promise.
        unsafe { crate::ffi::slice(self.start.0.cast::<u8>(), usize::try_from(self.size).unwrap_or(0)) }
    }

    /// The bytes, to be written.
    ///
    /// # Safety
    /// The application's memory is valid and is not used meanwhile, as the specification demands while a command uses it.
    pub(super) unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        if self.start.0.is_null() || self.size == 0 {
            return &mut [];
        }
        // SAFETY: by the caller's promise.
        unsafe {
            std::slice::from_raw_parts_mut(self.start.0.cast::<u8>(), usize::try_from(self.size).unwrap_or(0))
        }
    }

    /// Whether it is shared virtual memory.
    pub(super) fn is_shared(self, context: &Context) -> bool {
        context.svm.find_hosts(self.start.0.addr()).is_some()
    }

    /// Where its contents are still to come: the points, and host work, that are waited for. `None`: they are there.
    pub(super) fn awaited(self, context: &Context, stream: &Stream) -> Option<Points> {
        if let Some(shared) = context.svm.find_hosts(self.start.0.addr()) {
            let points = shared.on_device(stream.device()).map(|buffer| stream.last_write(buffer));
            return Some(points.unwrap_or_default());
        }
        context.pending.overlaps(self.start.0.addr(), self.size).then(Points::none)
    }

    /// How it lies to a range of a buffer that the host reaches.
    pub(super) fn alias(self, buffer: &Buffer, offset: u64, size: u64) -> Alias {
        let Some(base) = buffer.host_ptr() else { return Alias::None };
        let (here, there) = (self.start.0.addr() as u64, base.addr() as u64 + offset);
        if here == there {
            Alias::Same
        } else if here < there + size && there < here + self.size {
            Alias::Overlap
        } else {
            Alias::None
        }
    }
}

/// How the application's memory lies to the buffer's: with CL_MEM_USE_HOST_PTR, and with mapped pointers (§5.5.3).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alias {
    None,
    Same,
    Overlap,
}

/// A rectangle's buffer and host sides.
pub(crate) struct HostBox {
    pub(crate) buffer: Side,
    pub(crate) host: Side,
    pub(crate) region: [usize; 3],
}

impl HostBox {
    /// The host's part of the transfer: up to the end of its box.
    pub(super) fn range(&self, start: UserPointer) -> HostRange {
        HostRange { start, size: self.host.end }
    }
}
