//! Mapped regions: clEnqueueMapBuffer, clEnqueueUnmapMemObject.

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Buffer, Point, Points, Queue as Stream};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::MapFor;
use crate::commands::command::Command;
use crate::commands::request::Request;
use crate::commands::transfer::read::{after_device, record_read};
use crate::commands::transfer::{use_on, usual};
use crate::device::context::Context;
use crate::device::host_work;
use crate::device::queue::Queue;
use crate::device::svm::coarse::Region;
use crate::memory::host::HostRange;
use crate::memory::map::{Map, Pinned, Via};
use crate::memory::pinned::MirrorCopy;
use crate::memory::store::Store;
use crate::memory::{Access, Memory};
use scheduler::Done;

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
    let result = queue.enqueue(request, MapRegion { memory, index, map });
    if result.is_err() {
        drop(Map::take(&noted, pointer));
    }
    result.map(|()| pointer)
}

/// A map of a region.
pub(crate) struct MapRegion {
    pub(crate) memory: Arc<Memory>,
    /// The queue's device, by its number among the buffer's.
    index: usize,
    map: Map,
}

impl Command for MapRegion {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        record_map(stream, &self.memory, self.index, &self.map)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory)
    }
}

fn record_map(stream: &Stream, memory: &Memory, queue_device: usize, map: &Map) -> ClResult<Done> {
    let store = &memory.store;
    let whole = map.end - map.start == store.size;
    if map.purpose.writes() && map.device == queue_device {
        store.contents.written(stream, map.start..map.end)?;
    }
    let prepare = if map.device == queue_device { Store::prepare_part } else { Store::prepare };
    let buffer = prepare(
        store,
        map.device,
        match map.purpose {
            _ if matches!(map.via, Via::Shared(_)) => Access::Read,
            MapFor::Read => Access::Read,
            MapFor::Overwrite if whole => Access::Replace,
            MapFor::Write | MapFor::Overwrite => Access::Write,
        },
    )?;
    let counted = memory.counts_changes(map.device);
    if map.device == queue_device {
        return map_contents(&store.context, stream, buffer, store.base(), map, counted);
    }
    // Mapped where another device keeps it: its stream is another one, whose points mean nothing here.
    let runtime = store.context.runtimes().get(map.device).ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
    let done = map_contents(&store.context, &runtime.stream, buffer, store.base(), map, counted)?;
    wait_here(&runtime.stream, done)
}

/// Waits for what another device's stream does.
fn wait_here(stream: &Stream, done: Done) -> ClResult<Done> {
    match done {
        Done::Host => {}
        Done::Device(points) => stream.wait_only(points)?,
        Done::Then { points, work, .. } => {
            stream.wait_only(points)?;
            work.run()?;
        }
    }
    Ok(Done::Host)
}

/// Brings a region to where the host reaches it. `counted`: all that changes the buffer is.
fn map_contents(
    context: &Arc<Context>,
    stream: &Stream,
    buffer: &Buffer,
    base: u64,
    map: &Map,
    counted: bool,
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
        Via::Pinned(Pinned::Mirror(mirror), _) if overwrite => {
            Ok(Done::Device(stream.last_use(&mirror.memory)))
        }
        Via::User | Via::Pinned(..) if overwrite => Ok(Done::Host),
        Via::Shared(allocation) => match allocation.coarse() {
            Some((coarse, ..)) => Ok(Done::Device(coarse.open(stream, buffer, &region(map, base))?)),
            None => Ok(Done::Device(points)),
        },
        Via::User => record_read(context, stream, buffer, at, HostRange { start: map.pointer, size }, false),
        Via::Pinned(piece, offset) => {
            let (lease, start) = (piece.clone(), *offset);
            let points = match piece {
                Pinned::Mirror(mirror) => {
                    let copy = MirrorCopy { stream, buffer, bytes: at..at + size, offset: start, counted };
                    mirror.fetch(&copy, map.purpose.writes())?
                }
                Pinned::Leased(_) => stream.copy_buffer(buffer, at, piece.buffer()?, start, size)?.into(),
            };
            let piece = piece.buffer()?;
            if piece.is_coherent() {
                return Ok(Done::Device(points));
            }
            let work = host_work::light(move || Ok(lease.buffer()?.invalidate_host(start..start + size)?));
            Ok(Done::Then { points, work, holds: false })
        }
    }
}

/// The region of shared virtual memory that is mapped.
fn region(map: &Map, base: u64) -> Region {
    Region { bytes: base + map.start..base + map.end, purpose: map.purpose }
}

/// clEnqueueUnmapMemObject.
pub(crate) fn unmap(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    pointer: UserPointer,
) -> ClResult<()> {
    if memory.has_texels() {
        return crate::commands::transfer::image_map::unmap_image(queue, request, memory, pointer);
    }
    queue.context.same(memory.context())?;
    let request = request()?;
    let index = memory.store.index(&queue.runtime)?;
    let map = Map::take(&memory, pointer)?;
    let (store, taken) = (memory.store.clone(), map.clone());
    let result = queue.enqueue(request, UnmapRegion { memory, index, map });
    if result.is_err() {
        taken.put_back(&store);
    }
    result
}

/// The end of a map.
pub(crate) struct UnmapRegion {
    pub(crate) memory: Arc<Memory>,
    index: usize,
    map: Map,
}

impl Command for UnmapRegion {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        record_unmap(stream, &self.memory, self.index, &self.map)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory)
    }
}

fn record_unmap(stream: &Stream, memory: &Memory, queue_device: usize, map: &Map) -> ClResult<Done> {
    if !map.purpose.writes() {
        return Ok(Done::Host);
    }
    let store = &memory.store;
    // What lies twice is noted by the copy itself.
    let access = if matches!(map.via, Via::Shared(_)) { Access::Read } else { Access::Write };
    // The map has noted what the host writes.
    let buffer = store.prepare_part(map.device, access)?;
    let runtime = store.context.runtimes().get(map.device).ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
    let base = store.base();
    let counted = memory.counts_changes(map.device);
    // Where another device keeps it, its stream does it: one whose points mean nothing here.
    let here = map.device == queue_device;
    let stream = if here { stream } else { &runtime.stream };
    // A command before this one may have the region as the place to read another buffer to.
    if store.context.pending.overlaps(map.pointer.0.addr(), map.end - map.start) {
        let (stream, buffer, map) = (stream.clone(), buffer.clone(), map.clone());
        let work = host_work::moving(map.end - map.start, move || {
            if let Some(point) = unmap_contents(&stream, &buffer, base, &map, counted)? {
                stream.wait_only(point)?;
            }
            Ok(())
        });
        return Ok(Done::Then { points: Points::none(), work, holds: true });
    }
    match unmap_contents(stream, buffer, base, map, counted)? {
        None => Ok(Done::Host),
        Some(point) if here => Ok(Done::Device(point.into())),
        Some(point) => {
            stream.wait_only(point)?;
            Ok(Done::Host)
        }
    }
}

/// Brings what the host wrote to the device; the point at which it is there.
fn unmap_contents(
    stream: &Stream,
    buffer: &Buffer,
    base: u64,
    map: &Map,
    counted: bool,
) -> ClResult<Option<Point>> {
    let (at, size) = (base + map.start, map.end - map.start);
    match &map.via {
        Via::Direct => {
            buffer.flush_host(at..at + size)?;
            Ok(None)
        }
        Via::Shared(allocation) => match allocation.coarse() {
            Some((coarse, ..)) => coarse.close(stream, buffer, &region(map, base)),
            None => Ok(None),
        },
        Via::User => {
            let range = HostRange { start: map.pointer, size };
            // SAFETY: the application is done with the region (§5.5.2).
            Ok(Some(stream.write_buffer(buffer, at, unsafe { range.bytes() })?))
        }
        Via::Pinned(piece, offset) => {
            piece.buffer()?.flush_host(*offset..*offset + size)?;
            Ok(Some(match piece {
                Pinned::Mirror(mirror) => {
                    let copy = MirrorCopy { stream, buffer, bytes: at..at + size, offset: *offset, counted };
                    mirror.send(&copy)?
                }
                Pinned::Leased(_) => stream.copy_buffer(piece.buffer()?, *offset, buffer, at, size)?,
            }))
        }
    }
}
