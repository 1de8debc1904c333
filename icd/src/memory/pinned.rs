//! Pinned host memory that maps of a buffer show (CL_MEM_ALLOC_HOST_PTR), on devices with memory of their own.
//!
//! A map for reading copies the region from the device, and the end of one for writing copies it back. The memory knows which bytes are the
//! device's, so that maps copy nothing where nothing has changed the buffer since ([`Stream::writes_of`]).

use std::ops::Range;
use std::sync::PoisonError;

use vk_runtime::sync::{Mutex, MutexGuard};
use vk_runtime::{Buffer, Point, Points, Queue as Stream, RuntimeError};

/// The memory, as large as the buffer and more, and never moved.
pub(crate) struct PinnedMirror {
    pub(crate) memory: Buffer,
    same: Mutex<Option<Same>>,
}

/// Bytes that are the device's, while the buffer's count of writes is this.
struct Same {
    bytes: Range<u64>,
    count: u64,
}

/// A copy between the device's buffer and this memory.
pub(crate) struct MirrorCopy<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) buffer: &'a Buffer,
    /// The region in the buffer.
    pub(crate) bytes: Range<u64>,
    /// The place of its first byte in the memory.
    pub(crate) offset: u64,
    /// All that changes the buffer is counted ([`Memory::counts_changes`](crate::memory::Memory::counts_changes)).
    pub(crate) counted: bool,
}

impl PinnedMirror {
    pub(crate) fn new(memory: Buffer) -> Self {
        PinnedMirror { memory, same: Mutex::new(None) }
    }

    fn same(&self) -> MutexGuard<'_, Option<Same>> {
        self.same.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings a region here, if it is not here already. Returns the points at which the host may read it, or write it too.
    ///
    /// # Errors
    /// Those of the copy.
    pub(crate) fn fetch(&self, copy: &MirrorCopy<'_>, for_writes: bool) -> Result<Points, RuntimeError> {
        let MirrorCopy { stream, buffer, ref bytes, offset, counted } = *copy;
        let mut same = self.same();
        // Before the copy is ordered: a write that comes later makes it another count.
        let count = stream.writes_of(buffer);
        let has = |same: &Same| {
            same.count == count && same.bytes.start <= bytes.start && bytes.end <= same.bytes.end
        };
        if counted && same.as_ref().is_some_and(has) {
            let memory = &self.memory;
            return Ok(if for_writes { stream.last_use(memory) } else { stream.last_write(memory) });
        }
        let writes = stream.last_write(buffer);
        let size = bytes.end - bytes.start;
        let point = stream.copy_buffer(buffer, bytes.start, &self.memory, offset, size)?;
        *same = (counted && is_ordered(&writes, point)).then(|| Same { bytes: bytes.clone(), count });
        Ok(point.into())
    }

    /// Sends a region that the host wrote to the device. Returns the point at which it is there.
    ///
    /// # Errors
    /// Those of the copy.
    pub(crate) fn send(&self, copy: &MirrorCopy<'_>) -> Result<Point, RuntimeError> {
        let MirrorCopy { stream, buffer, ref bytes, offset, counted } = *copy;
        let mut same = self.same();
        let before = stream.writes_of(buffer);
        let writes = stream.last_write(buffer);
        let size = bytes.end - bytes.start;
        let point = stream.copy_buffer(&self.memory, offset, buffer, bytes.start, size)?;
        // Nothing but this copy has changed the buffer.
        let count = stream.writes_of(buffer);
        let known = counted && count == before + 1 && is_ordered(&writes, point);
        let joined = same.take().filter(|same| {
            same.count == before && same.bytes.start <= bytes.end && bytes.start <= same.bytes.end
        });
        let (start, end) = joined.map_or((bytes.start, bytes.end), |same| {
            (same.bytes.start.min(bytes.start), same.bytes.end.max(bytes.end))
        });
        *same = known.then_some(Same { bytes: start..end, count });
        Ok(point)
    }
}

/// Returns whether a copy is behind these writes: they are done, or in its stream. The count does not tell of launches of other streams that
/// are repeated, as long as these have not submitted them.
fn is_ordered(writes: &Points, copy: Point) -> bool {
    writes.iter().all(|write| write.stream == copy.stream)
}
