//! Reads: clEnqueueReadBuffer, clEnqueueReadBufferRect.

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Buffer, PendingRead, Points, Queue as Stream};

use crate::abi::error::{ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags;
use crate::commands::command::Command;
use crate::commands::request::Request;
use crate::commands::transfer::policy::{Case, Way};
use crate::commands::transfer::{rect_copy, use_on, usual};
use crate::device::context::Context;
use crate::device::host_work;
use crate::device::pending_writes::Mark;
use crate::device::queue::Queue;
use crate::memory::host::{Alias, DeviceMemory, HostBox, HostRange};
use crate::memory::{Access, Memory};
use scheduler::Done;

/// clEnqueueReadBuffer.
pub(crate) fn read(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    offset: usize,
    size: usize,
    to: UserPointer,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    let (offset, size) = (usual(offset), usual(size));
    memory.check_range(offset, size)?;
    ensure(!to.0.is_null(), cl::CL_INVALID_VALUE)?;
    let request = request()?;
    flags::host_reads(memory.flags)?;
    let index = use_on(queue, &memory)?;
    if let Some(there) = DeviceMemory::find(&queue.context, &queue.runtime, to, size)? {
        return queue.enqueue(request, ReadToDeviceMemory { memory, index, offset, there, size });
    }
    let (to, waited_for) = (HostRange { start: to, size }, request.blocking);
    let mut is_brought = false;
    if queue.takes_at_once(&request) {
        let buffer = memory.store.prepare(index, Access::Read)?;
        let at = memory.store.base() + memory.offset + offset;
        let now = || read_at_once(queue, buffer, at, to);
        let soon = Case::is_small(size) && Case::reaches_behind(buffer, size);
        if now()? || (soon && queue.settles(waited_for)? && now()?) {
            return queue.after_at_once(waited_for);
        }
        is_brought = waited_for && !to.is_shared(&queue.context) && Case::is_brought(buffer, size);
    }
    queue.enqueue(request, Read { memory, index, offset, to, waited_for, is_brought })
}

/// A read from a byte of a Vulkan buffer on, which nothing prevents, made by the enqueue itself. Returns whether it was one.
pub(crate) fn read_at_once(queue: &Queue, buffer: &Buffer, at: u64, to: HostRange) -> ClResult<bool> {
    let context = &queue.context;
    let entangled = || {
        to.alias(buffer, at, to.size) != Alias::None
            || to.is_shared(context)
            || context.pending.overlaps(to.start.0.addr(), to.size)
    };
    if to.size == 0 || !Case::is_small(to.size) || entangled() {
        return Ok(false);
    }
    // SAFETY: the call is under way: the application leaves its memory alone (§5.2.2).
    Ok(queue.runtime.stream.read_now(buffer, at, unsafe { to.bytes_mut() })?)
}

/// A read of a buffer's range.
pub(crate) struct Read {
    pub(crate) memory: Arc<Memory>,
    /// The queue's device, by its number among the buffer's.
    pub(crate) index: usize,
    pub(crate) offset: u64,
    pub(crate) to: HostRange,
    pub(crate) waited_for: bool,
    /// It is waited for, and nothing behind it is held until the host has done its part.
    pub(crate) is_brought: bool,
}

impl Command for Read {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let Read { memory, index, offset, to, waited_for, .. } = self;
        let buffer = memory.store.prepare(index, Access::Read)?;
        let at = memory.store.base() + memory.offset + offset;
        record_read(memory.context(), stream, buffer, at, to, waited_for)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory) || self.to.overlaps(memory)
    }

    fn is_direct(&self) -> bool {
        self.is_brought
    }
}

/// A read of a buffer's range into memory of the device.
pub(crate) struct ReadToDeviceMemory {
    pub(crate) memory: Arc<Memory>,
    index: usize,
    offset: u64,
    pub(crate) there: DeviceMemory,
    size: u64,
}

impl Command for ReadToDeviceMemory {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let ReadToDeviceMemory { memory, index, offset, there, size } = self;
        if size == 0 {
            return Ok(Done::Host);
        }
        let buffer = memory.store.prepare(index, Access::Read)?;
        let at = memory.store.base() + memory.offset + offset;
        Ok(Done::Device(stream.copy_buffer(buffer, at, &there.buffer, there.at, size)?.into()))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory) || self.there.allocation.lies_at(memory)
    }
}

/// A read of a buffer's range.
pub(crate) fn record_read(
    context: &Arc<Context>,
    stream: &Stream,
    buffer: &Buffer,
    at: u64,
    to: HostRange,
    waited_for: bool,
) -> ClResult<Done> {
    let size = to.size;
    if size == 0 {
        return Ok(Done::Host);
    }
    let alias = to.alias(buffer, at, size);
    if alias == Alias::Same {
        return after_device(buffer, stream.last_write(buffer), at, size);
    }
    let before = stream.last_write(buffer);
    let case = Case {
        size,
        reached: match before.is_empty() {
            true => Case::reaches(buffer, size),
            false => Case::reaches_behind(buffer, size),
        },
        busy: !before.is_empty(),
        entangled: alias != Alias::None
            || to.is_shared(context)
            || context.pending.overlaps(to.start.0.addr(), size),
        waited_for,
    };
    match case.read() {
        Way::Now => {
            // SAFETY: the command is under way: the application leaves its memory alone (§5.2.2).
            stream.read_buffer(buffer, at, unsafe { to.bytes_mut() })?;
            Ok(Done::Device(Points::none()))
        }
        Way::Host => {
            let landing = to.host_write(context, stream)?;
            let points = landing.iter().fold(before, |points, (more, _)| points.and(more.clone()));
            let (stream, buffer) = (stream.clone(), buffer.clone());
            let work = host_work::moving(size, move || {
                // SAFETY: as above.
                stream.read_buffer(&buffer, at, unsafe { to.bytes_mut() })?;
                landing.map_or(Ok(()), |(_, landing)| landing.finish())
            });
            Ok(Done::Then { points, work, holds: true })
        }
        Way::Staged => finish_read(context, stream, stream.begin_read(buffer, at, size)?, to),
    }
}

/// The host's part of a read that the device stages.
///
/// # Errors
/// As [`HostRange::landing`].
pub(crate) fn finish_read(
    context: &Arc<Context>,
    stream: &Stream,
    pending: PendingRead,
    to: HostRange,
) -> ClResult<Done> {
    let landing = to.host_write(context, stream)?;
    let points = pending.points().clone();
    let points = landing.iter().fold(points, |points, (more, _)| points.and(more.clone()));
    let mark = Mark::new(&context.pending, to.start.0.addr(), to.size);
    // A kernel that follows may read shared memory.
    let holds = to.is_shared(context);
    let work = host_work::moving(to.size, move || {
        // SAFETY: the command is under way: the application leaves its memory alone (§5.2.2). Of a box, bytes between the rows are
        // not touched.
        pending.finish(unsafe { to.bytes_mut() })?;
        drop(mark);
        landing.map_or(Ok(()), |(_, landing)| landing.finish())
    });
    Ok(Done::Then { points, work, holds })
}

/// When the device's writes to memory that the host reaches are visible to it.
pub(crate) fn after_device(buffer: &Buffer, points: Points, at: u64, size: u64) -> ClResult<Done> {
    if buffer.is_coherent() {
        return Ok(Done::Device(points));
    }
    let buffer = buffer.clone();
    let work = host_work::light(move || Ok(buffer.invalidate_host(at..at + size)?));
    Ok(Done::Then { points, work, holds: false })
}

/// clEnqueueReadBufferRect.
pub(crate) fn read_rect(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    place: HostBox,
    to: UserPointer,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    place.buffer.within(memory.size)?;
    ensure(!to.0.is_null(), cl::CL_INVALID_VALUE)?;
    DeviceMemory::refuse(&queue.context, to)?;
    let request = request()?;
    flags::host_reads(memory.flags)?;
    let index = use_on(queue, &memory)?;
    queue.enqueue(request, ReadBox { memory, index, place, to })
}

/// A read of a box of a buffer.
pub(crate) struct ReadBox {
    pub(crate) memory: Arc<Memory>,
    index: usize,
    pub(crate) place: HostBox,
    pub(crate) to: UserPointer,
}

impl Command for ReadBox {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let ReadBox { memory, index, place, to } = self;
        let buffer = memory.store.prepare(index, Access::Read)?;
        let from = place.buffer.shifted(memory.store.base() + memory.offset);
        let pending = stream.begin_read_rect(buffer, &rect_copy(&from, &place.host, place.region))?;
        finish_read(memory.context(), stream, pending, place.range(to))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory) || self.place.range(self.to).overlaps(memory)
    }
}
