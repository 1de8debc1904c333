//! Images: clEnqueueReadImage, clEnqueueWriteImage, clEnqueueCopyImage, clEnqueueFillImage, clEnqueueCopyImageToBuffer,
//! clEnqueueCopyBufferToImage (OpenCL API §5.3.3 to §5.3.5).
//!
//! A 1D image of a buffer's bytes is a row of them: its commands are the buffer's. All remaining images of buffers have mirrors ([`crate::memory::mirror`]).

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{ImageBox, Pitches, Points, Queue as Stream};

use crate::abi::error::{ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags;
use crate::commands::command::{Command, Recordable, recordable};
use crate::commands::request::Request;
use crate::commands::transfer::policy::{Case, Way};
use crate::commands::transfer::read::{Read, finish_read};
use crate::commands::transfer::write::Write;
use crate::commands::transfer::{Copy, Fill, use_on, usual};
use crate::device::host_work;
use crate::device::queue::Queue;
use crate::memory::host::{DeviceMemory, HostRange};
use crate::memory::image::Kind;
use crate::memory::{Access, Memory};
use scheduler::Done;

/// A box of an image, with its place in the application's memory.
pub(crate) struct HostBox {
    pub(crate) origin: [usize; 4],
    pub(crate) region: [usize; 3],
    pub(crate) row_pitch: usize,
    pub(crate) slice_pitch: usize,
}

/// The bytes of a box of an image of a buffer, in that image: its first, and how many.
fn bytes_of(memory: &Memory, part: &ImageBox) -> ClResult<(u64, u64)> {
    let texel = u64::from(memory.form()?.format.texel);
    Ok((u64::from(part.origin[0]) * texel, u64::from(part.size[0]) * texel))
}

/// The number of the queue's device among the image's; the checks that all commands have in common.
fn image_on(queue: &Queue, memory: &Memory) -> ClResult<usize> {
    memory.form()?.check_commands()?;
    memory.form()?.check_device(&queue.device)?;
    use_on(queue, memory)
}

/// Returns what a command that overwrites a box does to the store.
fn change(memory: &Memory, part: &ImageBox) -> ClResult<Access> {
    let form = memory.form()?;
    // Of a mirror only the box goes back to the buffer.
    let whole = memory.is_mirrored() || part.bytes(form.format.texel) == Some(form.bytes());
    Ok(if whole { Access::Replace } else { Access::Write })
}

/// clEnqueueReadImage.
pub(crate) fn read_image(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    place: &HostBox,
    to: UserPointer,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    let form = *memory.form()?;
    let part = form.part(place.origin, place.region)?;
    let pitches = form.host_pitches(&part, place.row_pitch, place.slice_pitch)?;
    let to = HostRange { start: to, size: form.host_span(&part, pitches)? };
    ensure(!to.start.0.is_null(), cl::CL_INVALID_VALUE)?;
    DeviceMemory::refuse(&queue.context, to.start)?;
    let request = request()?;
    flags::host_reads(memory.flags)?;
    let index = image_on(queue, &memory)?;
    let waited_for = request.blocking;
    match form.kind {
        Kind::Buffer => {
            let (offset, _) = bytes_of(&memory, &part)?;
            queue.enqueue(request, Read { memory, index, offset, to, waited_for, is_brought: false })
        }
        _ => queue.enqueue(request, ReadImage { memory, index, part, pitches, to, waited_for }),
    }
}

/// A read of a box of an image.
pub(crate) struct ReadImage {
    pub(crate) memory: Arc<Memory>,
    /// The queue's device, by its number among the image's.
    index: usize,
    part: ImageBox,
    pitches: Pitches,
    pub(crate) to: HostRange,
    waited_for: bool,
}

impl Command for ReadImage {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let ReadImage { memory, index, part, pitches, to, waited_for } = self;
        let _order = Memory::order(&[&memory]);
        let image = memory.bring((index, stream), &part, Access::Read)?;
        let case = Case {
            size: part.bytes(image.desc().texel).unwrap_or(u64::MAX),
            reached: false,
            busy: true,
            entangled: false,
            waited_for,
        };
        if memory.is_mirrored() || case.read() != Way::Host {
            let pending = stream.begin_read_image(image, &part, pitches)?;
            return finish_read(memory.context(), stream, pending, to);
        }
        let landing = to.host_write(memory.context(), stream)?;
        let points = stream.last_image_write(image);
        let points = landing.iter().fold(points, |points, (more, _)| points.and(more.clone()));
        let (stream, image) = (stream.clone(), image.clone());
        let work = host_work::moving(to.size, move || {
            // SAFETY: the command is under way: the application leaves its memory alone (§5.3.3). Bytes between the rows are not
            // touched.
            stream.read_image(&image, &part, unsafe { to.bytes_mut() }, pitches)?;
            landing.map_or(Ok(()), |(_, landing)| landing.finish())
        });
        Ok(Done::Then { points, work, holds: true })
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory) || self.to.overlaps(memory)
    }
}

/// clEnqueueWriteImage.
pub(crate) fn write_image(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    place: &HostBox,
    from: UserPointer,
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    let form = *memory.form()?;
    let part = form.part(place.origin, place.region)?;
    let pitches = form.host_pitches(&part, place.row_pitch, place.slice_pitch)?;
    let from = HostRange { start: from, size: form.host_span(&part, pitches)? };
    ensure(!from.start.0.is_null(), cl::CL_INVALID_VALUE)?;
    DeviceMemory::refuse(&queue.context, from.start)?;
    let request = request()?;
    flags::host_writes(memory.flags)?;
    let index = image_on(queue, &memory)?;
    let waited_for = request.blocking;
    match form.kind {
        Kind::Buffer => {
            let (offset, _) = bytes_of(&memory, &part)?;
            queue.enqueue(request, Write { memory, index, offset, from, waited_for })
        }
        _ => queue.enqueue(request, WriteImage { memory, index, part, pitches, from }),
    }
}

/// A write of a box of an image.
pub(crate) struct WriteImage {
    pub(crate) memory: Arc<Memory>,
    index: usize,
    part: ImageBox,
    pitches: Pitches,
    pub(crate) from: HostRange,
}

impl Command for WriteImage {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let WriteImage { memory, index, part, pitches, from } = self;
        let _order = Memory::order(&[&memory]);
        let image = memory.bring((index, stream), &part, change(&memory, &part)?)?;
        let awaited = from.awaited(memory.context(), stream)?;
        let case = Case {
            size: part.bytes(image.desc().texel).unwrap_or(u64::MAX),
            reached: false,
            busy: true,
            entangled: awaited.is_some(),
            waited_for: false,
        };
        if case.write() != Way::Host {
            // SAFETY: the command is under way: the application leaves its memory alone (§5.3.3).
            let point = stream.write_image(image, &part, unsafe { from.bytes() }, pitches)?;
            return Ok(Done::Device(memory.give_back((index, stream), &part, point.into())?));
        }
        let points = stream.last_image_use(image).and(awaited.unwrap_or_default());
        let (stream, image, memory) = (stream.clone(), image.clone(), memory.clone());
        let work = host_work::moving(from.size, move || {
            let order = Memory::order(&[&memory]);
            // SAFETY: as above.
            let point = stream.write_image(&image, &part, unsafe { from.bytes() }, pitches)?;
            let points = memory.give_back((index, &stream), &part, point.into())?;
            drop(order);
            Ok(stream.wait_only(points)?)
        });
        Ok(Done::Then { points, work, holds: true })
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory) || self.from.overlaps(memory)
    }
}

/// clEnqueueCopyImage.
pub(crate) fn copy_image(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    (src, src_origin): (Arc<Memory>, [usize; 4]),
    (dst, dst_origin): (Arc<Memory>, [usize; 4]),
    region: [usize; 3],
) -> ClResult<()> {
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    flags::commands_write(dst.flags)?;
    let (a, b) = (*src.form()?, *dst.form()?);
    let same = (a.format.order, a.format.data_type) == (b.format.order, b.format.data_type);
    ensure(same, cl::CL_IMAGE_FORMAT_MISMATCH)?;
    let part = a.part(src_origin, region)?;
    let to = b.part(dst_origin, region)?;
    let request = request()?;
    let index = image_on(queue, &src)?;
    image_on(queue, &dst)?;
    // Two images of one buffer's bytes may lie anywhere in it.
    let alike =
        Arc::ptr_eq(&src, &dst) || src.store.is_image() || (a.kind, b.kind) == (Kind::Buffer, Kind::Buffer);
    if Arc::ptr_eq(&src.store, &dst.store) && alike {
        let apart = match (a.kind, b.kind) {
            (Kind::Buffer, Kind::Buffer) => {
                let ((x, n), (y, m)) = (bytes_of(&src, &part)?, bytes_of(&dst, &to)?);
                let (x, y) = (src.offset + x, dst.offset + y);
                x + n <= y || y + m <= x
            }
            _ => !part.overlaps(&to),
        };
        ensure(apart, cl::CL_MEM_COPY_OVERLAP)?;
    }
    match (a.kind, b.kind) {
        (Kind::Buffer, Kind::Buffer) => {
            let ((from, size), (to, _)) = (bytes_of(&src, &part)?, bytes_of(&dst, &to)?);
            let (from, to) = (src.offset + from, dst.offset + to);
            queue.enqueue(request, Copy { index, src, from, dst, to, size })
        }
        (Kind::Buffer, _) => {
            let (offset, _) = bytes_of(&src, &part)?;
            queue.enqueue(request, BufferToImage { index, src, offset, dst, part: to })
        }
        (_, Kind::Buffer) => {
            let (offset, _) = bytes_of(&dst, &to)?;
            queue.enqueue(request, ImageToBuffer { index, src, part, dst, offset })
        }
        // The boxes have the same size: the layers of a 1D array are rows to nobody.
        _ if part.size != to.size => queue.enqueue(request, CopyLines { index, src, part, dst, to }),
        _ => queue.enqueue(request, CopyImage { index, src, part, dst, to }),
    }
}

/// A copy between images.
#[derive(Clone)]
pub(crate) struct CopyImage {
    index: usize,
    pub(crate) src: Arc<Memory>,
    part: ImageBox,
    pub(crate) dst: Arc<Memory>,
    to: ImageBox,
}

impl Command for CopyImage {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let CopyImage { index, src, part, dst, to } = self;
        let _order = Memory::order(&[&src, &dst]);
        let source = src.bring((index, stream), &part, Access::Read)?;
        let target = dst.bring((index, stream), &to, change(&dst, &to)?)?;
        let points = stream.copy_image(source, &part, target, to.level, to.origin)?.into();
        Ok(Done::Device(dst.give_back((index, stream), &to, points)?))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.src.lies_at(memory) || self.dst.lies_at(memory)
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

/// A copy between the layers of a 1D array and the rows of another image, one by one.
#[derive(Clone)]
pub(crate) struct CopyLines {
    index: usize,
    pub(crate) src: Arc<Memory>,
    part: ImageBox,
    pub(crate) dst: Arc<Memory>,
    to: ImageBox,
}

/// The lines of a box, in order.
fn lines(part: &ImageBox) -> impl Iterator<Item = ImageBox> {
    let ImageBox { level, origin: [x, y, z], size: [width, height, depth] } = *part;
    let line = move |dy, dz| ImageBox { level, origin: [x, y + dy, z + dz], size: [width, 1, 1] };
    (0..depth).flat_map(move |dz| (0..height).map(move |dy| line(dy, dz)))
}

impl Command for CopyLines {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let CopyLines { index, src, part, dst, to } = self;
        let _order = Memory::order(&[&src, &dst]);
        let source = src.bring((index, stream), &part, Access::Read)?;
        let target = dst.bring((index, stream), &to, change(&dst, &to)?)?;
        let mut points = Points::none();
        for (from, to) in lines(&part).zip(lines(&to)) {
            points = stream.copy_image(source, &from, target, to.level, to.origin)?.into();
        }
        Ok(Done::Device(dst.give_back((index, stream), &to, points)?))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.src.lies_at(memory) || self.dst.lies_at(memory)
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

/// clEnqueueCopyImageToBuffer.
pub(crate) fn copy_image_to_buffer(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    (src, origin): (Arc<Memory>, [usize; 4]),
    region: [usize; 3],
    (dst, offset): (Arc<Memory>, usize),
) -> ClResult<()> {
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    flags::commands_write(dst.flags)?;
    let form = *src.form()?;
    ensure(form.kind != Kind::Buffer || !Arc::ptr_eq(&src.store, &dst.store), cl::CL_INVALID_MEM_OBJECT)?;
    let part = form.part(origin, region)?;
    let (offset, size) = (usual(offset), part.bytes(form.format.texel).unwrap_or(u64::MAX));
    dst.check_range(offset, size)?;
    let request = request()?;
    let index = image_on(queue, &src)?;
    use_on(queue, &dst)?;
    match form.kind {
        Kind::Buffer => {
            let (from, size) = bytes_of(&src, &part)?;
            let (from, to) = (src.offset + from, dst.offset + offset);
            queue.enqueue(request, Copy { index, src, from, dst, to, size })
        }
        _ => queue.enqueue(request, ImageToBuffer { index, src, part, dst, offset }),
    }
}

/// A copy of a box to a buffer.
#[derive(Clone)]
pub(crate) struct ImageToBuffer {
    index: usize,
    pub(crate) src: Arc<Memory>,
    part: ImageBox,
    pub(crate) dst: Arc<Memory>,
    /// In the object.
    offset: u64,
}

impl Command for ImageToBuffer {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let ImageToBuffer { index, src, part, dst, offset } = self;
        let _order = Memory::order(&[&src]);
        let source = src.bring((index, stream), &part, Access::Read)?;
        let size = part.bytes(source.desc().texel).unwrap_or(0);
        let target = dst.store.prepare(index, crate::commands::transfer::change(&dst, size))?;
        let at = dst.store.base() + dst.offset + offset;
        Ok(Done::Device(stream.copy_image_to_buffer(source, &part, target, at)?.into()))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.src.lies_at(memory) || self.dst.lies_at(memory)
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

/// clEnqueueCopyBufferToImage.
pub(crate) fn copy_buffer_to_image(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    (src, offset): (Arc<Memory>, usize),
    (dst, origin): (Arc<Memory>, [usize; 4]),
    region: [usize; 3],
) -> ClResult<()> {
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    flags::commands_write(dst.flags)?;
    let form = *dst.form()?;
    ensure(form.kind != Kind::Buffer || !Arc::ptr_eq(&src.store, &dst.store), cl::CL_INVALID_MEM_OBJECT)?;
    let part = form.part(origin, region)?;
    let (offset, size) = (usual(offset), part.bytes(form.format.texel).unwrap_or(u64::MAX));
    src.check_range(offset, size)?;
    let request = request()?;
    let index = image_on(queue, &dst)?;
    use_on(queue, &src)?;
    match form.kind {
        Kind::Buffer => {
            let (to, size) = bytes_of(&dst, &part)?;
            let (from, to) = (src.offset + offset, dst.offset + to);
            queue.enqueue(request, Copy { index, src, from, dst, to, size })
        }
        _ => queue.enqueue(request, BufferToImage { index, src, offset, dst, part }),
    }
}

/// A copy of a buffer's bytes to a box.
#[derive(Clone)]
pub(crate) struct BufferToImage {
    index: usize,
    pub(crate) src: Arc<Memory>,
    /// In the object.
    offset: u64,
    pub(crate) dst: Arc<Memory>,
    part: ImageBox,
}

impl Command for BufferToImage {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let BufferToImage { index, src, offset, dst, part } = self;
        let source = src.store.prepare(index, Access::Read)?;
        let _order = Memory::order(&[&dst]);
        let target = dst.bring((index, stream), &part, change(&dst, &part)?)?;
        let at = src.store.base() + src.offset + offset;
        let points = stream.copy_buffer_to_image(source, at, target, &part)?.into();
        Ok(Done::Device(dst.give_back((index, stream), &part, points)?))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.src.lies_at(memory) || self.dst.lies_at(memory)
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

/// clEnqueueFillImage. `colour`: the bits of its channels; of a depth image, the first counts.
pub(crate) fn fill_image(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    memory: Arc<Memory>,
    colour: [u32; 4],
    origin: [usize; 4],
    region: [usize; 3],
) -> ClResult<()> {
    queue.context.same(memory.context())?;
    flags::commands_write(memory.flags)?;
    let form = *memory.form()?;
    let part = form.part(origin, region)?;
    let request = request()?;
    let index = image_on(queue, &memory)?;
    let texel = host::image::pack::texel(&form.format, colour);
    match form.kind {
        Kind::Buffer => {
            let (offset, size) = bytes_of(&memory, &part)?;
            queue.enqueue(request, Fill { index, memory, pattern: texel, offset, size })
        }
        _ => queue.enqueue(request, FillImage { index, memory, part, texel }),
    }
}

/// A fill of a box.
#[derive(Clone)]
pub(crate) struct FillImage {
    index: usize,
    pub(crate) memory: Arc<Memory>,
    part: ImageBox,
    texel: Vec<u8>,
}

impl Command for FillImage {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let FillImage { index, memory, part, texel } = self;
        let _order = Memory::order(&[&memory]);
        let image = memory.bring((index, stream), &part, change(&memory, &part)?)?;
        let points = stream.fill_image(image, &part, &texel)?.into();
        Ok(Done::Device(memory.give_back((index, stream), &part, points)?))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.lies_at(memory)
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

recordable!(CopyImage, CopyLines, ImageToBuffer, BufferToImage, FillImage);
