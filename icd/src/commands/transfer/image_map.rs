//! Mapped boxes of images: clEnqueueMapImage, and their clEnqueueUnmapMemObject (OpenCL API §5.3.6, §5.5.2).
//!
//! The host reaches a box in the application's memory of CL_MEM_USE_HOST_PTR, or in a piece of pinned memory where it lies packed. An image
//! of a buffer's bytes is mapped as these.

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Image, Points, Queue as Stream};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::MapFor;
use crate::commands::command::Command;
use crate::commands::request::Request;
use crate::commands::transfer::read::finish_read;
use crate::commands::transfer::{mapping, use_on};
use crate::device::context::Context;
use crate::device::host_work;
use crate::device::queue::Queue;
use crate::memory::image::Kind;
use crate::memory::image_map::{ImageMap, Via};
use crate::memory::{Access, Memory};
use scheduler::Done;

/// A map's place in host memory, as the call returns it.
pub(crate) struct Mapped {
    pub(crate) pointer: UserPointer,
    pub(crate) row_pitch: usize,
    pub(crate) slice_pitch: usize,
}

/// clEnqueueMapImage.
pub(crate) fn map_image(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    map_flags: cl::cl_map_flags,
    (origin, region): ([usize; 4], [usize; 3]),
    has_slice_pitch: bool,
) -> ClResult<Mapped> {
    queue.context.same(memory.context())?;
    let form = *memory.form()?;
    let part = form.part(origin, region)?;
    ensure(has_slice_pitch || !form.kind.has_slices(), cl::CL_INVALID_VALUE)?;
    form.check_commands()?;
    let purpose = MapFor::new(map_flags)?;
    if form.kind == Kind::Buffer {
        let texel = form.format.texel as usize;
        let (offset, size) = (origin[0] * texel, region[0] * texel);
        form.check_device(&queue.device)?;
        let pointer = mapping::map(queue, request, memory, map_flags, offset, size)?;
        return Ok(Mapped { pointer, row_pitch: size, slice_pitch: 0 });
    }
    let request = request()?;
    MapFor::check_access(memory.flags, map_flags)?;
    form.check_device(&queue.device)?;
    let index = use_on(queue, &memory)?;
    let (map, pitches) = ImageMap::new(&queue.runtime.stream, &memory, &form, index, part, purpose)?;
    map.note(&memory.store)?;
    let pointer = map.pointer;
    let noted = memory.clone();
    let result = queue.enqueue(request, MapImage { memory, index, map });
    if result.is_err() {
        drop(ImageMap::take(&noted, pointer));
    }
    result?;
    let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let slice_pitch = if form.kind.has_slices() { size(pitches.slice) } else { 0 };
    Ok(Mapped { pointer, row_pitch: size(pitches.row), slice_pitch })
}

/// A map of a box.
pub(crate) struct MapImage {
    pub(crate) memory: Arc<Memory>,
    /// The queue's device, by its number among the image's.
    index: usize,
    map: ImageMap,
}

impl Command for MapImage {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let MapImage { memory, index, map } = self;
        let form = memory.form()?;
        let whole = map.part.bytes(form.format.texel) == Some(form.bytes());
        let _order = Memory::order(&[&memory]);
        let image = memory.bring(
            (index, stream),
            &map.part,
            match map.purpose {
                MapFor::Read => Access::Read,
                // What the host writes comes to the buffer when it is unmapped.
                _ if memory.is_mirrored() => Access::Read,
                MapFor::Overwrite if whole => Access::Replace,
                MapFor::Write | MapFor::Overwrite => Access::Write,
            },
        )?;
        // What is to be overwritten is copied when it is unmapped: after all that uses the image until then.
        if map.purpose == MapFor::Overwrite {
            return Ok(Done::Host);
        }
        contents(memory.context(), stream, image, &map)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory)
    }
}

/// Brings a box to where the host reaches it.
fn contents(context: &Arc<Context>, stream: &Stream, image: &Image, map: &ImageMap) -> ClResult<Done> {
    match &map.via {
        Via::User(range, pitches) => {
            let pending = stream.begin_read_image(image, &map.part, *pitches)?;
            finish_read(context, stream, pending, *range)
        }
        Via::Pinned(piece) => {
            let (lease, size) = (piece.clone(), map.part.bytes(image.desc().texel).unwrap_or(0));
            let piece = piece.buffer()?;
            let points: Points = stream.copy_image_to_buffer(image, &map.part, piece, 0)?.into();
            if piece.is_coherent() {
                return Ok(Done::Device(points));
            }
            let work = host_work::light(move || Ok(lease.buffer()?.invalidate_host(0..size)?));
            Ok(Done::Then { points, work, holds: false })
        }
    }
}

/// clEnqueueUnmapMemObject, of an image that has a store of its own.
pub(crate) fn unmap_image(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    pointer: UserPointer,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    let request = request()?;
    let index = memory.store.index(&queue.runtime)?;
    let map = ImageMap::take(&memory, pointer)?;
    let (store, taken) = (memory.store.clone(), map.clone());
    let result = queue.enqueue(request, UnmapImage { memory, index, map });
    if result.is_err() {
        store.image_maps().push(taken);
    }
    result
}

/// The end of a map.
pub(crate) struct UnmapImage {
    pub(crate) memory: Arc<Memory>,
    index: usize,
    map: ImageMap,
}

impl Command for UnmapImage {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let UnmapImage { memory, index, map } = self;
        if !map.purpose.writes() {
            return Ok(Done::Host);
        }
        let store = &memory.store;
        let here = map.device == index;
        let runtime = store.context.runtimes().get(map.device).ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
        let stream = if here { stream } else { &runtime.stream };
        let span = map.part.bytes(memory.form()?.format.texel).unwrap_or(0);
        // A command before this one may have the box as the place to read something to.
        if store.context.pending.overlaps(map.pointer.0.addr(), span) {
            let (stream, memory) = (stream.clone(), memory.clone());
            let work =
                host_work::moving(span, move || Ok(stream.wait_only(put_back(&stream, &memory, &map)?)?));
            return Ok(Done::Then { points: Points::none(), work, holds: true });
        }
        let points = put_back(stream, &memory, &map)?;
        if here {
            return Ok(Done::Device(points));
        }
        // Another device's stream, whose points mean nothing here.
        stream.wait_only(points)?;
        Ok(Done::Host)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory)
    }
}

/// Brings what the host wrote to the device.
fn put_back(stream: &Stream, memory: &Memory, map: &ImageMap) -> ClResult<Points> {
    let _order = Memory::order(&[memory]);
    let access = if memory.is_mirrored() { Access::Replace } else { Access::Write };
    let image = memory.bring((map.device, stream), &map.part, access)?;
    let point = match &map.via {
        Via::User(range, pitches) => {
            // SAFETY: the application is done with the region (§5.5.2).
            stream.write_image(image, &map.part, unsafe { range.bytes() }, *pitches)?
        }
        Via::Pinned(piece) => {
            let size = map.part.bytes(image.desc().texel).unwrap_or(0);
            let piece = piece.buffer()?;
            piece.flush_host(0..size)?;
            stream.copy_buffer_to_image(piece, 0, image, &map.part)?
        }
    };
    memory.give_back((map.device, stream), &map.part, point.into())
}
