//! Writes: clEnqueueWriteBuffer, clEnqueueWriteBufferRect.

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Buffer, Point, Queue as Stream, RectCopy};

use crate::abi::error::{ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags;
use crate::commands::command::Command;
use crate::commands::request::Request;
use crate::commands::transfer::policy::{Case, Way};
use crate::commands::transfer::{change, rect_copy, use_on, usual};
use crate::device::context::Context;
use crate::device::host_work;
use crate::device::queue::Queue;
use crate::memory::host::{Alias, DeviceMemory, HostBox, HostRange};
use crate::memory::{Access, Memory};
use scheduler::{Done, HostWork};

/// clEnqueueWriteBuffer.
pub(crate) fn write(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    offset: usize,
    size: usize,
    from: UserPointer,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    let (offset, size) = (usual(offset), usual(size));
    memory.check_range(offset, size)?;
    ensure(!from.0.is_null(), cl::CL_INVALID_VALUE)?;
    let request = request()?;
    flags::host_writes(memory.flags)?;
    let index = use_on(queue, &memory)?;
    if let Some(there) = DeviceMemory::find(&queue.context, &queue.runtime, from, size)? {
        return queue.enqueue(request, WriteFromDeviceMemory { memory, index, offset, there, size });
    }
    let (from, waited_for) = (HostRange { start: from, size }, request.blocking);
    if queue.takes_at_once(&request) {
        let buffer = memory.store.prepare_part(index, change(&memory, size))?;
        let start = memory.offset + offset;
        memory.store.contents.written(&queue.runtime.stream, start..start + size)?;
        let at = memory.store.base() + start;
        let now = || write_at_once(queue, buffer, at, from);
        let soon = Case::is_small(size) && buffer.is_mapped();
        if now()? || (soon && queue.settles(waited_for)? && now()?) {
            return queue.after_at_once(waited_for);
        }
    }
    queue.enqueue(request, Write { memory, index, offset, from, waited_for })
}

/// A write at a byte of a Vulkan buffer that nothing prevents, made by the enqueue itself. Returns whether it was one.
pub(crate) fn write_at_once(queue: &Queue, buffer: &Buffer, at: u64, from: HostRange) -> ClResult<bool> {
    let stream = &queue.runtime.stream;
    if from.size == 0
        || from.alias(buffer, at, from.size) != Alias::None
        || from.is_shared(&queue.context)
        || from.awaited(&queue.context, stream)?.is_some()
    {
        return Ok(false);
    }
    // SAFETY: the call is under way: the application leaves its memory alone (§5.2.2).
    Ok(stream.write_now(buffer, at, unsafe { from.bytes() })?)
}

/// A write of a buffer's range.
pub(crate) struct Write {
    pub(crate) memory: Arc<Memory>,
    /// The queue's device, by its number among the buffer's.
    pub(crate) index: usize,
    pub(crate) offset: u64,
    pub(crate) from: HostRange,
    pub(crate) waited_for: bool,
}

impl Command for Write {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let Write { memory, index, offset, from, waited_for } = self;
        let buffer = memory.store.prepare_part(index, change(&memory, from.size))?;
        let start = memory.offset + offset;
        memory.store.contents.written(stream, start..start + from.size)?;
        let at = memory.store.base() + start;
        record_write(memory.context(), stream, buffer, at, from, waited_for)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory) || self.from.overlaps(memory)
    }
}

/// A write of a buffer's range from memory of the device.
pub(crate) struct WriteFromDeviceMemory {
    pub(crate) memory: Arc<Memory>,
    index: usize,
    offset: u64,
    pub(crate) there: DeviceMemory,
    size: u64,
}

impl Command for WriteFromDeviceMemory {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let WriteFromDeviceMemory { memory, index, offset, there, size } = self;
        if size == 0 {
            return Ok(Done::Host);
        }
        let buffer = memory.store.prepare_part(index, change(&memory, size))?;
        let start = memory.offset + offset;
        memory.store.contents.written(stream, start..start + size)?;
        let at = memory.store.base() + start;
        Ok(Done::Device(stream.copy_buffer(&there.buffer, there.at, buffer, at, size)?.into()))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory) || self.there.allocation.lies_at(memory)
    }
}

/// A write of a buffer's range.
pub(crate) fn record_write(
    context: &Context,
    stream: &Stream,
    buffer: &Buffer,
    at: u64,
    from: HostRange,
    waited_for: bool,
) -> ClResult<Done> {
    if from.size == 0 {
        return Ok(Done::Host);
    }
    let busy = stream.last_use(buffer);
    let awaited = from.awaited(context, stream)?;
    match from.alias(buffer, at, from.size) {
        Alias::None => {}
        _ if awaited.is_some() => {}
        Alias::Same => {
            // The data is there already; it only has to reach the device.
            buffer.flush_host(at..at + from.size)?;
            return Ok(Done::Device(busy));
        }
        Alias::Overlap => {
            // SAFETY: the command is under way: the application leaves its memory alone (§5.2.2).
            let copy = unsafe { from.bytes() }.to_vec();
            return Ok(Done::Device(stream.write_buffer(buffer, at, &copy)?.into()));
        }
    }
    let case = Case {
        size: from.size,
        reached: buffer.is_mapped(),
        busy: !busy.is_empty(),
        entangled: awaited.is_some(),
        waited_for: waited_for && busy.iter().all(|point| point.stream == stream.stream()),
    };
    if case.write() == Way::Host {
        let points = busy.and(awaited.unwrap_or_default());
        let work = write_later(stream, buffer, at, from);
        return Ok(Done::Then { points, work, holds: true });
    }
    // SAFETY: as above.
    Ok(Done::Device(stream.write_buffer(buffer, at, unsafe { from.bytes() })?.into()))
}

/// The host's part of a write whose data is there when it runs.
fn write_later(stream: &Stream, buffer: &Buffer, at: u64, from: HostRange) -> HostWork {
    let (stream, buffer) = (stream.clone(), buffer.clone());
    host_work::moving(from.size, move || {
        match from.alias(&buffer, at, from.size) {
            Alias::Same => buffer.flush_host(at..at + from.size)?,
            // SAFETY: the command is under way: the application leaves its memory alone (§5.2.2).
            Alias::None => stream.wait_only(stream.write_buffer(&buffer, at, unsafe { from.bytes() })?)?,
            Alias::Overlap => {
                // SAFETY: as above.
                let copy = unsafe { from.bytes() }.to_vec();
                stream.wait_only(stream.write_buffer(&buffer, at, &copy)?)?;
            }
        }
        Ok(())
    })
}

/// clEnqueueWriteBufferRect.
pub(crate) fn write_rect(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    place: HostBox,
    from: UserPointer,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    place.buffer.within(memory.size)?;
    ensure(!from.0.is_null(), cl::CL_INVALID_VALUE)?;
    DeviceMemory::refuse(&queue.context, from)?;
    let request = request()?;
    flags::host_writes(memory.flags)?;
    let index = use_on(queue, &memory)?;
    queue.enqueue(request, WriteBox { memory, index, place, from })
}

/// A write of a box of a buffer.
pub(crate) struct WriteBox {
    pub(crate) memory: Arc<Memory>,
    index: usize,
    pub(crate) place: HostBox,
    pub(crate) from: UserPointer,
}

impl Command for WriteBox {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let WriteBox { memory, index, place, from } = self;
        let buffer = memory.store.prepare(index, Access::Write)?;
        let to = place.buffer.shifted(memory.store.base() + memory.offset);
        let rect = rect_copy(&place.host, &to, place.region);
        let range = place.range(from);
        let alias = range.alias(buffer, to.first, to.end - to.first);
        let Some(awaited) = range.awaited(memory.context(), stream)? else {
            return Ok(Done::Device(write_box(stream, buffer, &rect, range, alias)?.into()));
        };
        let points = stream.last_use(buffer).and(awaited);
        let (stream, buffer) = (stream.clone(), buffer.clone());
        let work = host_work::moving(range.size, move || {
            stream.wait_only(write_box(&stream, &buffer, &rect, range, alias)?)?;
            Ok(())
        });
        Ok(Done::Then { points, work, holds: true })
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory) || self.place.range(self.from).overlaps(memory)
    }
}

fn write_box(
    stream: &Stream,
    buffer: &Buffer,
    rect: &RectCopy,
    from: HostRange,
    alias: Alias,
) -> ClResult<Point> {
    // SAFETY: the command is under way: the application leaves its memory alone (§5.2.2).
    let data = unsafe { from.bytes() };
    if alias == Alias::None {
        return Ok(stream.write_rect(buffer, rect, data)?);
    }
    let copy = data.to_vec();
    Ok(stream.write_rect(buffer, rect, &copy)?)
}
