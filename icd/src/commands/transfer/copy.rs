//! Copies between buffers, and fills: clEnqueueCopyBuffer, clEnqueueCopyBufferRect, clEnqueueFillBuffer.

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::Queue as Stream;

use crate::abi::error::{ClResult, ensure};
use crate::abi::flags;
use crate::commands::command::{Command, Recordable, recordable};
use crate::commands::request::Request;
use crate::commands::transfer::{change, rect_copy, use_on, usual};
use crate::device::queue::Queue;
use crate::memory::rect;
use crate::memory::rect::Side;
use crate::memory::{Access, Memory};
use scheduler::Done;

/// clEnqueueCopyBuffer.
pub(crate) fn copy(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    (src, src_offset): (Arc<Memory>, usize),
    (dst, dst_offset): (Arc<Memory>, usize),
    size: usize,
) -> ClResult<()> {
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    flags::commands_write(dst.flags)?;
    let (from, to, size) = (usual(src_offset), usual(dst_offset), usual(size));
    src.check_range(from, size)?;
    dst.check_range(to, size)?;
    let (from, to) = (src.offset + from, dst.offset + to);
    let request = request()?;
    let index = use_on(queue, &src)?;
    use_on(queue, &dst)?;
    if Arc::ptr_eq(&src.store, &dst.store) {
        ensure(from + size <= to || to + size <= from, cl::CL_MEM_COPY_OVERLAP)?;
    }
    queue.enqueue(request, Copy { index, src, from, dst, to, size })
}

/// A copy of a range; the places are in the stores.
#[derive(Clone)]
pub(crate) struct Copy {
    /// The queue's device, by its number among the buffers'.
    pub(crate) index: usize,
    pub(crate) src: Arc<Memory>,
    pub(crate) from: u64,
    pub(crate) dst: Arc<Memory>,
    pub(crate) to: u64,
    pub(crate) size: u64,
}

impl Command for Copy {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let Copy { index, src, from, dst, to, size } = self;
        if size == 0 {
            return Ok(Done::Host);
        }
        let source = src.store.prepare(index, Access::Read)?;
        let target = dst.store.prepare_part(index, change(&dst, size))?;
        dst.store.contents.copied(stream, (to, size), (&src.store.contents, from))?;
        let (from, to) = (src.store.base() + from, dst.store.base() + to);
        Ok(Done::Device(stream.copy_buffer(source, from, target, to, size)?.into()))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.src.lies_at(memory) || self.dst.lies_at(memory)
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

/// clEnqueueCopyBufferRect. The sides are relative to their buffers.
pub(crate) fn copy_rect(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    (src, from): (Arc<Memory>, Side),
    (dst, to): (Arc<Memory>, Side),
    region: [usize; 3],
) -> ClResult<()> {
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    flags::commands_write(dst.flags)?;
    from.within(src.size)?;
    to.within(dst.size)?;
    if Arc::ptr_eq(&src, &dst) {
        ensure(from.row == to.row && from.slice == to.slice, cl::CL_INVALID_VALUE)?;
    }
    let (from, to) = (from.shifted(src.offset), to.shifted(dst.offset));
    let request = request()?;
    let index = use_on(queue, &src)?;
    use_on(queue, &dst)?;
    if Arc::ptr_eq(&src.store, &dst.store) {
        ensure(!rect::overlap(&from, &to, region), cl::CL_MEM_COPY_OVERLAP)?;
    }
    queue.enqueue(request, CopyBox { index, src, from, dst, to, region })
}

/// A copy of a box; the places are in the stores.
#[derive(Clone)]
pub(crate) struct CopyBox {
    index: usize,
    pub(crate) src: Arc<Memory>,
    from: Side,
    pub(crate) dst: Arc<Memory>,
    to: Side,
    region: [usize; 3],
}

impl Command for CopyBox {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let CopyBox { index, src, from, dst, to, region } = self;
        let source = src.store.prepare(index, Access::Read)?;
        let target = dst.store.prepare(index, Access::Write)?;
        let (from, to) = (from.shifted(src.store.base()), to.shifted(dst.store.base()));
        Ok(Done::Device(stream.copy_rect(source, target, &rect_copy(&from, &to, region))?.into()))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.src.lies_at(memory) || self.dst.lies_at(memory)
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

/// Checks a fill pattern's size (clEnqueueFillBuffer, clEnqueueSVMMemFill).
///
/// # Errors
/// CL_INVALID_VALUE unless it is a power of two up to 128 (long16).
pub(crate) fn check_pattern(size: usize) -> ClResult<()> {
    ensure(size.is_power_of_two() && size <= 128, cl::CL_INVALID_VALUE)
}

/// clEnqueueFillBuffer.
pub(crate) fn fill(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    pattern: Vec<u8>,
    offset: usize,
    size: usize,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    flags::commands_write(memory.flags)?;
    check_pattern(pattern.len())?;
    let whole = offset.is_multiple_of(pattern.len()) && size.is_multiple_of(pattern.len());
    ensure(whole, cl::CL_INVALID_VALUE)?;
    let (offset, size) = (usual(offset), usual(size));
    memory.check_range(offset, size)?;
    let request = request()?;
    let index = use_on(queue, &memory)?;
    queue.enqueue(request, Fill { index, memory, pattern, offset, size })
}

/// A fill of a range.
#[derive(Clone)]
pub(crate) struct Fill {
    pub(crate) index: usize,
    pub(crate) memory: Arc<Memory>,
    pub(crate) pattern: Vec<u8>,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Command for Fill {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let Fill { index, memory, pattern, offset, size } = self;
        if size == 0 {
            return Ok(Done::Host);
        }
        let buffer = memory.store.prepare_part(index, change(&memory, size))?;
        let start = memory.offset + offset;
        memory.store.contents.written(stream, start..start + size)?;
        let at = memory.store.base() + memory.offset + offset;
        Ok(Done::Device(stream.fill_buffer(buffer, at, size, &pattern)?.into()))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory)
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

recordable!(Copy, CopyBox, Fill);
