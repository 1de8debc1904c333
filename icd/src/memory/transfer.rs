//! The commands that move data: read, write, copy, fill, map, unmap, migrate (OpenCL API §5.2.2 to §5.2.4, §5.5.2 to §5.5.5).
//!
//! Small transfers are staged when they are recorded, and the host's part is a copy from or to staging memory. Large ones of memory that
//! the host reaches are made in place, when the device has come so far: commands that depend on them are held until then. So they
//! are where host memory that commands have yet to write is a source ([`super::pending`]), or shared virtual memory is touched.

use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Buffer, PendingRead, Point, Points, Queue as Stream, RectCopy};

use super::flags::{self, MapFor};
use super::map::{Map, Via};
use super::pending::Mark;
use super::rect::{self, Side};
use super::{Access, Memory};
use crate::context::Context;
use crate::error::{ClError, ClResult, ensure};
use crate::ffi::UserPointer;
use crate::queue::Queue;
use crate::schedule::{Done, HostWork, Request};

/// From this size on, data that the host reaches is moved in place.
const IN_PLACE: u64 = 1 << 20;
/// From this size on, data goes piece by piece, so that staging memory stays small.
const PIECEWISE: u64 = 48 << 20;
/// The same for reads that are waited for: the host copies while the device does.
const OVERLAPPED: u64 = 8 << 20;

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
    unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: by the caller's promise.
        unsafe { crate::ffi::slice(self.start.0.cast::<u8>(), usize::try_from(self.size).unwrap_or(0)) }
    }

    /// The bytes, to be written.
    ///
    /// # Safety
    /// The application's memory is valid and is not used meanwhile, as the specification demands while a command uses it.
    unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        if self.start.0.is_null() || self.size == 0 {
            return &mut [];
        }
        // SAFETY: by the caller's promise.
        unsafe {
            std::slice::from_raw_parts_mut(self.start.0.cast::<u8>(), usize::try_from(self.size).unwrap_or(0))
        }
    }

    /// Whether it is shared virtual memory.
    fn is_shared(self, context: &Context) -> bool {
        context.svm.find(self.start.0.addr()).is_some()
    }

    /// Where its contents are still to come: the points, and host work, that are waited for. `None`: they are there.
    fn awaited(self, context: &Context, stream: &Stream) -> Option<Points> {
        if let Some(shared) = context.svm.find(self.start.0.addr()) {
            return Some(stream.last_write(&shared.buffer));
        }
        context.pending.overlaps(self.start.0.addr(), self.size).then(Points::none)
    }

    /// How it lies to a range of a buffer that the host reaches.
    fn alias(self, buffer: &Buffer, offset: u64, size: u64) -> Alias {
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
enum Alias {
    None,
    Same,
    Overlap,
}

fn usual(size: usize) -> u64 {
    size as u64
}

/// The number of the queue's device among the buffer's; the checks that all commands have in common.
///
/// # Errors
/// CL_INVALID_CONTEXT, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_MEM_OBJECT_ALLOCATION_FAILURE.
fn use_on(queue: &Queue, memory: &Memory) -> ClResult<usize> {
    queue.context.same(memory.context())?;
    memory.check_alignment(&queue.device)?;
    let index = memory.store.index(&queue.runtime)?;
    memory.store.buffer(index)?;
    Ok(index)
}

/// What a command that changes so much of a buffer does to the store.
fn change(memory: &Memory, size: u64) -> Access {
    if size == memory.store.size { Access::Replace } else { Access::Write }
}

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
    let blocking = request.blocking;
    queue.enqueue(request, move |stream| {
        let buffer = memory.store.prepare(index, Access::Read)?;
        let at = memory.store.base() + memory.offset + offset;
        record_read(memory.context(), stream, buffer, at, HostRange { start: to, size }, blocking)
    })
}

/// A read of a buffer's range.
fn record_read(
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
    let in_place = buffer.reads_in_place(size) && (waited_for || size >= IN_PLACE) && alias == Alias::None;
    if in_place || size >= if waited_for { OVERLAPPED } else { PIECEWISE } {
        let points = stream.last_write(buffer);
        let (stream, buffer) = (stream.clone(), buffer.clone());
        let work: HostWork = Box::new(move || {
            // SAFETY: the command is under way: the application leaves its memory alone (§5.2.2).
            stream.read_buffer(&buffer, at, unsafe { to.bytes_mut() })?;
            Ok(())
        });
        return Ok(Done::Then { points, work, holds: true });
    }
    Ok(finish_read(context, stream.begin_read(buffer, at, size)?, to))
}

/// The host's part of a read that the device stages.
fn finish_read(context: &Arc<Context>, pending: PendingRead, to: HostRange) -> Done {
    let points = pending.points().clone();
    let mark = Mark::new(context, to.start.0.addr(), to.size);
    // A kernel that follows may read shared memory.
    let holds = to.is_shared(context);
    let work: HostWork = Box::new(move || {
        // SAFETY: the command is under way: the application leaves its memory alone (§5.2.2). Of a box, bytes between the rows are
        // not touched.
        pending.finish(unsafe { to.bytes_mut() })?;
        drop(mark);
        Ok(())
    });
    Done::Then { points, work, holds }
}

/// When the device's writes to memory that the host reaches are visible to it.
fn after_device(buffer: &Buffer, points: Points, at: u64, size: u64) -> ClResult<Done> {
    if buffer.is_coherent() {
        return Ok(Done::Device(points));
    }
    let buffer = buffer.clone();
    let work: HostWork = Box::new(move || Ok(buffer.invalidate_host(at..at + size)?));
    Ok(Done::Then { points, work, holds: false })
}

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
    queue.enqueue(request, move |stream| {
        let buffer = memory.store.prepare(index, change(&memory, size))?;
        let at = memory.store.base() + memory.offset + offset;
        record_write(memory.context(), stream, buffer, at, HostRange { start: from, size })
    })
}

/// A write of a buffer's range.
fn record_write(
    context: &Context,
    stream: &Stream,
    buffer: &Buffer,
    at: u64,
    from: HostRange,
) -> ClResult<Done> {
    if from.size == 0 {
        return Ok(Done::Host);
    }
    let busy = stream.last_use(buffer);
    let awaited = from.awaited(context, stream);
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
    let waits = buffer.is_mapped() && from.size >= IN_PLACE && !busy.is_empty();
    if awaited.is_some() || waits || (!buffer.is_mapped() && from.size >= PIECEWISE) {
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
    Box::new(move || {
        match from.alias(&buffer, at, from.size) {
            Alias::Same => buffer.flush_host(at..at + from.size)?,
            // SAFETY: the command is under way: the application leaves its memory alone (§5.2.2).
            Alias::None => stream.wait(stream.write_buffer(&buffer, at, unsafe { from.bytes() })?)?,
            Alias::Overlap => {
                // SAFETY: as above.
                let copy = unsafe { from.bytes() }.to_vec();
                stream.wait(stream.write_buffer(&buffer, at, &copy)?)?;
            }
        }
        Ok(())
    })
}

/// A rectangle's buffer and host sides.
pub(crate) struct HostBox {
    pub(crate) buffer: Side,
    pub(crate) host: Side,
    pub(crate) region: [usize; 3],
}

impl HostBox {
    /// The host's part of the transfer: up to the end of its box.
    fn range(&self, start: UserPointer) -> HostRange {
        HostRange { start, size: self.host.end }
    }
}

fn rect_copy(src: &Side, dst: &Side, region: [usize; 3]) -> RectCopy {
    RectCopy {
        src_origin: src.origin,
        dst_origin: dst.origin,
        region: region.map(|v| v as u64),
        src_row_pitch: src.row,
        src_slice_pitch: src.slice,
        dst_row_pitch: dst.row,
        dst_slice_pitch: dst.slice,
    }
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
    let request = request()?;
    flags::host_reads(memory.flags)?;
    let index = use_on(queue, &memory)?;
    queue.enqueue(request, move |stream| {
        let buffer = memory.store.prepare(index, Access::Read)?;
        let from = place.buffer.shifted(memory.store.base() + memory.offset);
        let pending = stream.begin_read_rect(buffer, &rect_copy(&from, &place.host, place.region))?;
        Ok(finish_read(memory.context(), pending, place.range(to)))
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
    let request = request()?;
    flags::host_writes(memory.flags)?;
    let index = use_on(queue, &memory)?;
    queue.enqueue(request, move |stream| {
        let buffer = memory.store.prepare(index, Access::Write)?;
        let to = place.buffer.shifted(memory.store.base() + memory.offset);
        let rect = rect_copy(&place.host, &to, place.region);
        let range = place.range(from);
        let alias = range.alias(buffer, to.first, to.end - to.first);
        let Some(awaited) = range.awaited(memory.context(), stream) else {
            return Ok(Done::Device(write_box(stream, buffer, &rect, range, alias)?.into()));
        };
        let points = stream.last_use(buffer).and(awaited);
        let (stream, buffer) = (stream.clone(), buffer.clone());
        let work: HostWork = Box::new(move || {
            stream.wait(write_box(&stream, &buffer, &rect, range, alias)?)?;
            Ok(())
        });
        Ok(Done::Then { points, work, holds: true })
    })
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
    queue.enqueue(request, move |stream| {
        if size == 0 {
            return Ok(Done::Host);
        }
        let source = src.store.prepare(index, Access::Read)?;
        let target = dst.store.prepare(index, change(&dst, size))?;
        let (from, to) = (src.store.base() + from, dst.store.base() + to);
        Ok(Done::Device(stream.copy_buffer(source, from, target, to, size)?.into()))
    })
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
    queue.enqueue(request, move |stream| {
        let source = src.store.prepare(index, Access::Read)?;
        let target = dst.store.prepare(index, Access::Write)?;
        let (from, to) = (from.shifted(src.store.base()), to.shifted(dst.store.base()));
        Ok(Done::Device(stream.copy_rect(source, target, &rect_copy(&from, &to, region))?.into()))
    })
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
    check_pattern(pattern.len())?;
    let whole = offset.is_multiple_of(pattern.len()) && size.is_multiple_of(pattern.len());
    ensure(whole, cl::CL_INVALID_VALUE)?;
    let (offset, size) = (usual(offset), usual(size));
    memory.check_range(offset, size)?;
    let request = request()?;
    let index = use_on(queue, &memory)?;
    queue.enqueue(request, move |stream| {
        if size == 0 {
            return Ok(Done::Host);
        }
        let buffer = memory.store.prepare(index, change(&memory, size))?;
        let at = memory.store.base() + memory.offset + offset;
        Ok(Done::Device(stream.fill_buffer(buffer, at, size, &pattern)?.into()))
    })
}

/// clEnqueueMapBuffer. Returns the pointer.
pub(crate) fn map(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    map_flags: cl::cl_map_flags,
    offset: usize,
    size: usize,
) -> ClResult<UserPointer> {
    queue.context.same(memory.context())?;
    let (offset, size) = (usual(offset), usual(size));
    memory.check_range(offset, size)?;
    ensure(size > 0, cl::CL_INVALID_VALUE)?;
    let purpose = MapFor::new(map_flags)?;
    let request = request()?;
    MapFor::check_access(memory.flags, map_flags)?;
    let index = use_on(queue, &memory)?;
    let map = Map::new(&memory, memory.store.map_device(index), offset, size, purpose)?;
    map.note(&memory.store)?;
    let pointer = map.pointer;
    let noted = memory.clone();
    let result = queue.enqueue(request, move |stream| record_map(stream, &memory, index, &map));
    if result.is_err() {
        drop(Map::take(&noted, pointer));
    }
    result.map(|()| pointer)
}

fn record_map(stream: &Stream, memory: &Memory, queue_device: usize, map: &Map) -> ClResult<Done> {
    let store = &memory.store;
    let whole = map.end - map.start == store.size;
    let buffer = store.prepare(
        map.device,
        match map.purpose {
            MapFor::Read => Access::Read,
            MapFor::Overwrite if whole => Access::Replace,
            MapFor::Write | MapFor::Overwrite => Access::Write,
        },
    )?;
    if map.device == queue_device {
        return map_contents(&store.context, stream, buffer, store.base(), map);
    }
    // Mapped where another device keeps it: its stream is another one, whose points mean nothing here.
    let runtime = store.context.runtimes().get(map.device).ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
    let done = map_contents(&store.context, &runtime.stream, buffer, store.base(), map)?;
    wait_here(&runtime.stream, done)
}

/// Waits for what another device's stream does.
fn wait_here(stream: &Stream, done: Done) -> ClResult<Done> {
    match done {
        Done::Host => {}
        Done::Device(points) => stream.wait(points)?,
        Done::Then { points, work, .. } => {
            stream.wait(points)?;
            work()?;
        }
    }
    Ok(Done::Host)
}

/// Brings a region to where the host reaches it.
fn map_contents(
    context: &Arc<Context>,
    stream: &Stream,
    buffer: &Buffer,
    base: u64,
    map: &Map,
) -> ClResult<Done> {
    let (at, size) = (base + map.start, map.end - map.start);
    // The host may write when nothing uses the region any more, and read when nothing writes it.
    let points =
        if map.purpose == MapFor::Read { stream.last_write(buffer) } else { stream.last_use(buffer) };
    let overwrite = map.purpose == MapFor::Overwrite;
    match &map.via {
        Via::Direct if overwrite => Ok(Done::Device(points)),
        Via::Direct => after_device(buffer, points, at, size),
        // What is to be overwritten is copied when it is unmapped: after all that uses the buffer until then.
        Via::User | Via::Pinned(..) if overwrite => Ok(Done::Host),
        Via::User => record_read(context, stream, buffer, at, HostRange { start: map.pointer, size }, false),
        Via::Pinned(piece, offset) => {
            let (lent, start) = (piece.clone(), *offset);
            let piece = piece.buffer()?;
            let points = stream.copy_buffer(buffer, at, piece, start, size)?.into();
            if piece.is_coherent() {
                return Ok(Done::Device(points));
            }
            let work: HostWork = Box::new(move || Ok(lent.buffer()?.invalidate_host(start..start + size)?));
            Ok(Done::Then { points, work, holds: false })
        }
    }
}

/// clEnqueueUnmapMemObject.
pub(crate) fn unmap(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    pointer: UserPointer,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    let request = request()?;
    let index = memory.store.index(&queue.runtime)?;
    let map = Map::take(&memory, pointer)?;
    let (store, taken) = (memory.store.clone(), map.clone());
    let result = queue.enqueue(request, move |stream| record_unmap(stream, &memory, index, &map));
    if result.is_err() {
        taken.put_back(&store);
    }
    result
}

fn record_unmap(stream: &Stream, memory: &Memory, queue_device: usize, map: &Map) -> ClResult<Done> {
    if !map.purpose.writes() {
        return Ok(Done::Host);
    }
    let store = &memory.store;
    let buffer = store.prepare(map.device, Access::Write)?;
    let runtime = store.context.runtimes().get(map.device).ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
    let base = store.base();
    // Where another device keeps it, its stream does it: one whose points mean nothing here.
    let here = map.device == queue_device;
    let stream = if here { stream } else { &runtime.stream };
    // A command before this one may have the region as the place to read another buffer to.
    if store.context.pending.overlaps(map.pointer.0.addr(), map.end - map.start) {
        let (stream, buffer, map) = (stream.clone(), buffer.clone(), map.clone());
        let work: HostWork = Box::new(move || {
            if let Some(point) = unmap_contents(&stream, &buffer, base, &map)? {
                stream.wait(point)?;
            }
            Ok(())
        });
        return Ok(Done::Then { points: Points::none(), work, holds: true });
    }
    match unmap_contents(stream, buffer, base, map)? {
        None => Ok(Done::Host),
        Some(point) if here => Ok(Done::Device(point.into())),
        Some(point) => {
            stream.wait(point)?;
            Ok(Done::Host)
        }
    }
}

/// Brings what the host wrote to the device; the point at which it is there.
fn unmap_contents(stream: &Stream, buffer: &Buffer, base: u64, map: &Map) -> ClResult<Option<Point>> {
    let (at, size) = (base + map.start, map.end - map.start);
    match &map.via {
        Via::Direct => {
            buffer.flush_host(at..at + size)?;
            Ok(None)
        }
        Via::User => {
            let range = HostRange { start: map.pointer, size };
            // SAFETY: the application is done with the region (§5.5.2).
            Ok(Some(stream.write_buffer(buffer, at, unsafe { range.bytes() })?))
        }
        Via::Pinned(piece, offset) => {
            let piece = piece.buffer()?;
            piece.flush_host(*offset..*offset + size)?;
            Ok(Some(stream.copy_buffer(piece, *offset, buffer, at, size)?))
        }
    }
}

/// clEnqueueMigrateMemObjects (§5.5.5).
pub(crate) fn migrate(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    objects: Vec<Arc<Memory>>,
    migration: cl::cl_mem_migration_flags,
) -> ClResult<()> {
    for object in &objects {
        queue.context.same(object.context())?;
    }
    const KNOWN: u64 = cl::CL_MIGRATE_MEM_OBJECT_HOST | cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    ensure(migration & !KNOWN == 0, cl::CL_INVALID_VALUE)?;
    let request = request()?;
    let index = queue.context.runtimes().iter().position(|r| Arc::ptr_eq(r, &queue.runtime));
    let index = index.ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
    let to_host = flags::has(migration, cl::CL_MIGRATE_MEM_OBJECT_HOST);
    if !to_host {
        for object in &objects {
            object.store.buffer(index)?;
        }
    }
    queue.enqueue(request, move |stream| {
        // The host has no copies of its own: what it needs, it maps.
        if to_host {
            return Ok(Done::Host);
        }
        let mut points = Points::none();
        for object in &objects {
            let undefined = flags::has(migration, cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
            let whole = object.size == object.store.size;
            let access = if undefined && whole { Access::Replace } else { Access::Read };
            points.merge(&stream.last_write(object.store.prepare(index, access)?));
        }
        Ok(Done::Device(points))
    })
}
