//! The commands on shared virtual memory (OpenCL API §5.6.1).

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Buffer, Points, Queue as Stream};

use crate::abi::callbacks::{Callback, FreeFunction, KeptAlive};
use crate::abi::error::{ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::MapFor;
use crate::commands::command::{Command, Marker, Recordable, recordable};
use crate::commands::request::Request;
use crate::commands::transfer::{
    HostRange, check_pattern, read_at_once, record_read, record_write, write_at_once,
};
use crate::device::context::Context;
use crate::device::host_work;
use crate::device::queue::Queue;
use crate::device::svm::coarse::{Coarse, Region};
use crate::device::svm::{Allocation, Kind, check};
use scheduler::{Done, HostWork};

/// Copies within shared memory up to this, in bytes, are made by the host: it reads a line of an H200's memory in 1.2 µs, 4 KiB in 5 to 7.
const FEW: usize = 4 << 10;
/// The same where it has the bytes itself, and only writes: 22 GB/s.
const FEW_TO_WRITE: usize = 256 << 10;

/// The memory that an address is in, for ordering.
fn touched(queue: &Queue, pointer: UserPointer) -> Option<Arc<Allocation>> {
    queue.context.svm.find(pointer.0.addr())
}

/// Returns where an end of a command lies, for the device to work on: the bytes of a buffer, if it is shared memory of the queue's device.
fn on_device(
    queue: &Queue,
    request: &Request<'_>,
    memory: Option<&Arc<Allocation>>,
    pointer: UserPointer,
) -> Option<(Buffer, u64)> {
    let runtime = &queue.runtime;
    let allocation = memory?;
    let buffer = allocation.on(runtime)?;
    // Where the driver is the host the host is the better at it, but for what is in the midst of a command buffer; and memory that it may not
    // reach is the device's alone.
    let better = runtime.copies_on_device() || !allocation.is_hosts() || request.recording.is_some();
    better.then(|| (buffer.clone(), allocation.offset_of(pointer.0.addr())))
}

/// Checks that a range that begins in shared memory ends there, and that somebody reaches it.
///
/// # Errors
/// CL_INVALID_VALUE.
fn check_inside(
    queue: &Queue,
    memory: Option<&Arc<Allocation>>,
    pointer: UserPointer,
    size: usize,
) -> ClResult<()> {
    // What lies twice the host has only where it is mapped.
    let reached = |a: &Allocation| (a.is_hosts() && a.coarse().is_none()) || a.on(&queue.runtime).is_some();
    let inside = memory.is_none_or(|a| a.holds(pointer.0.addr(), size as u64) && reached(a));
    ensure(inside, cl::CL_INVALID_VALUE)
}

/// Notes that a command of the device writes so many bytes from an address on: before it is recorded, and after, when whoever brought
/// them ahead meanwhile brought old ones.
fn note_written(memory: Option<&Arc<Allocation>>, pointer: UserPointer, size: usize) {
    if let Some(allocation) = memory {
        let start = allocation.offset_of(pointer.0.addr());
        allocation.written(start..start + size as u64);
    }
}

/// When nothing that is recorded uses the memory any more. Memory that is not known can only be the host's.
fn last_use(stream: &Stream, memory: &[Option<Arc<Allocation>>]) -> Points {
    let buffers = memory.iter().flatten().filter_map(|a| a.on_device(stream.device()));
    buffers.fold(Points::none(), |points, buffer| points.and(stream.last_use(buffer)))
}

/// clEnqueueSVMMemcpy and clEnqueueMemcpyINTEL.
pub(crate) fn copy(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    to: UserPointer,
    from: UserPointer,
    size: usize,
) -> ClResult<()> {
    ensure(!to.0.is_null() && !from.0.is_null(), cl::CL_INVALID_VALUE)?;
    let request = request()?;
    let (a, b) = (to.0.addr(), from.0.addr());
    ensure(a.abs_diff(b) >= size, cl::CL_MEM_COPY_OVERLAP)?;
    let memory = [touched(queue, to), touched(queue, from)];
    check_inside(queue, memory[0].as_ref(), to, size)?;
    check_inside(queue, memory[1].as_ref(), from, size)?;
    if size == 0 {
        return queue.enqueue(request, Marker);
    }
    let end = |memory: &Option<_>, at| on_device(queue, &request, memory.as_ref(), at);
    let ends = [end(&memory[0], to), end(&memory[1], from)];
    if queue.takes_at_once(&request)
        && (copy_at_once(queue, &ends, to, from, size)?
            || (request.blocking && copy_few(&queue.runtime.stream, memory[1].as_ref(), &ends, size)?))
    {
        note_written(memory[0].as_ref(), to, size);
        return queue.after_at_once(request.blocking);
    }
    if request.blocking
        && let [Some(target), Some(source)] = &ends
        && queue.takes_at_once(&request)
        && copy_with_word(queue, memory[0].as_ref(), (to, size), target, source)?
    {
        return Ok(queue.commands.outcome()?);
    }
    let (context, waited_for) = (queue.context.clone(), request.blocking);
    let copy = Copy { context, to, from, size, memory, ends, waited_for };
    queue.enqueue(request, copy)
}

/// A copy to or from the host's memory that nothing prevents. Returns whether it was one.
fn copy_at_once(
    queue: &Queue,
    ends: &[Option<(Buffer, u64)>; 2],
    to: UserPointer,
    from: UserPointer,
    size: usize,
) -> ClResult<bool> {
    let host = |start| HostRange { start, size: size as u64 };
    match ends {
        [Some((buffer, at)), None] => write_at_once(queue, buffer, *at, host(from)),
        [None, Some((buffer, at))] => read_at_once(queue, buffer, *at, host(to)),
        _ => Ok(false),
    }
}

/// A small copy within shared memory that is waited for, by the host where it reaches the device's memory and nothing prevents it: it
/// takes less than a submission. Returns whether it was one.
fn copy_few(
    stream: &Stream,
    source: Option<&Arc<Allocation>>,
    ends: &[Option<(Buffer, u64)>; 2],
    size: usize,
) -> ClResult<bool> {
    let [Some((target, at)), Some((buffer, start))] = ends else { return Ok(false) };
    if size <= FEW_TO_WRITE
        && let Some((coarse, runtime, _)) = source.and_then(|allocation| allocation.coarse())
        && *stream.device() == runtime.device
        && coarse.here(stream, buffer, &(*start..*start + size as u64), |bytes| {
            Ok(stream.write_now(target, *at, bytes)?)
        })?
    {
        return Ok(true);
    }
    if size > FEW {
        return Ok(false);
    }
    let mut bytes = [0; FEW];
    let bytes = bytes.get_mut(..size).unwrap_or_default();
    Ok(stream.read_now(buffer, *start, bytes)? && stream.write_now(target, *at, bytes)?)
}

/// A copy within shared memory that is waited for and nothing is before, by a kernel that tells when it is done. Returns whether it was one.
fn copy_with_word(
    queue: &Queue,
    memory: Option<&Arc<Allocation>>,
    (to, size): (UserPointer, usize),
    (target, at): &(Buffer, u64),
    (source, start): &(Buffer, u64),
) -> ClResult<bool> {
    let place = queue.commands.choose_stream_at_once()?;
    note_written(memory, to, size);
    let stream = queue.runtime.stream(place.stream);
    let Some(telling) = stream.copy_with_word(source, *start, target, *at, size as u64)? else {
        return Ok(false);
    };
    queue.commands.note_own(telling.point());
    drop(place);
    note_written(memory, to, size);
    telling.wait()?;
    Ok(true)
}

/// A copy of memory: by the device between its shared memory, to and from the host's as with buffers, else by the host.
#[derive(Clone)]
pub(crate) struct Copy {
    context: Arc<Context>,
    to: UserPointer,
    from: UserPointer,
    size: usize,
    pub(crate) memory: [Option<Arc<Allocation>>; 2],
    /// The places of both for the device.
    ends: [Option<(Buffer, u64)>; 2],
    waited_for: bool,
}

impl Copy {
    /// Returns whether the device copies, and nobody else.
    pub(crate) fn is_the_devices(&self) -> bool {
        self.ends.iter().all(Option::is_some)
    }
}

impl Command for Copy {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let Copy { context, to, from, size, memory, ends, waited_for } = self;
        let host = |start| HostRange { start, size: size as u64 };
        note_written(memory[0].as_ref(), to, size);
        match &ends {
            [Some((target, at)), Some((source, start))] => {
                let point = stream.copy_buffer(source, *start, target, *at, size as u64)?;
                note_written(memory[0].as_ref(), to, size);
                return Ok(Done::Device(point.into()));
            }
            [Some((buffer, at)), None] => {
                let done = record_write(&context, stream, buffer, *at, host(from), waited_for)?;
                note_written(memory[0].as_ref(), to, size);
                let Done::Then { points, work, holds } = done else { return Ok(done) };
                let work = work.within(move |run| {
                    let (result, memory, to) = (run(), memory, to);
                    note_written(memory[0].as_ref(), to, size);
                    result
                });
                return Ok(Done::Then { points, work, holds });
            }
            [None, Some((buffer, at))] => {
                return record_read(&context, stream, buffer, *at, host(to), waited_for);
            }
            [None, None] => {}
        }
        let points = last_use(stream, &memory);
        let work = host_work::moving(size as u64, move || {
            let (_memory, to, from) = (memory, to, from);
            // SAFETY: the application gave two ranges of this size that do not overlap (checked) and leaves them alone while the
            // command runs; the device is done with them.
            unsafe { std::ptr::copy_nonoverlapping(from.0.cast::<u8>(), to.0.cast::<u8>(), size) };
            Ok(())
        });
        Ok(Done::Then { points, work, holds: true })
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.iter().flatten().any(|a| a.lies_at(memory))
    }

    fn is_direct(&self) -> bool {
        self.is_the_devices()
    }

    fn waits_for_host(&self) -> bool {
        !self.is_the_devices()
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

/// clEnqueueSVMMemFill and clEnqueueMemFillINTEL.
pub(crate) fn fill(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    to: UserPointer,
    pattern: Vec<u8>,
    size: usize,
) -> ClResult<()> {
    ensure(!to.0.is_null(), cl::CL_INVALID_VALUE)?;
    check_pattern(pattern.len())?;
    let whole = to.0.addr().is_multiple_of(pattern.len()) && size.is_multiple_of(pattern.len());
    ensure(whole, cl::CL_INVALID_VALUE)?;
    let request = request()?;
    let memory = [touched(queue, to)];
    check_inside(queue, memory[0].as_ref(), to, size)?;
    if size == 0 {
        return queue.enqueue(request, Marker);
    }
    let end = on_device(queue, &request, memory[0].as_ref(), to);
    queue.enqueue(request, Fill { to, pattern, size, memory, end })
}

/// A fill of memory: by the device in its shared memory, else by the host.
#[derive(Clone)]
pub(crate) struct Fill {
    to: UserPointer,
    pattern: Vec<u8>,
    size: usize,
    pub(crate) memory: [Option<Arc<Allocation>>; 1],
    /// Its place for the device.
    end: Option<(Buffer, u64)>,
}

impl Fill {
    /// Returns whether the device fills.
    pub(crate) fn is_the_devices(&self) -> bool {
        self.end.is_some()
    }
}

impl Command for Fill {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let points = last_use(stream, &self.memory);
        let Fill { to, pattern, size, memory, end } = self;
        note_written(memory[0].as_ref(), to, size);
        if let Some((buffer, at)) = end {
            let point = stream.fill_buffer(&buffer, at, size as u64, &pattern)?;
            note_written(memory[0].as_ref(), to, size);
            return Ok(Done::Device(point.into()));
        }
        let work = host_work::moving(size as u64, move || {
            let (_memory, to) = (memory, to);
            // SAFETY: the application gave a range of this size, which is not 0, and leaves it alone while the command runs; the device
            // is done with it.
            let bytes = unsafe { std::slice::from_raw_parts_mut(to.0.cast::<u8>(), size) };
            bytes.chunks_exact_mut(pattern.len()).for_each(|chunk| chunk.copy_from_slice(&pattern));
            Ok(())
        });
        Ok(Done::Then { points, work, holds: true })
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.iter().flatten().any(|a| a.lies_at(memory))
    }

    fn waits_for_host(&self) -> bool {
        !self.is_the_devices()
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

/// clEnqueueSVMMap. Memory in one place is mapped as it is: the command is a point in time.
pub(crate) fn map(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    flags: cl::cl_map_flags,
    pointer: UserPointer,
    size: usize,
) -> ClResult<()> {
    check(&queue.device)?;
    ensure(!pointer.0.is_null() && size > 0, cl::CL_INVALID_VALUE)?;
    let purpose = MapFor::new(flags)?;
    let request = request()?;
    let memory = touched(queue, pointer);
    let coarse = memory.as_ref().and_then(|a| Some((a, a.coarse()?)));
    let Some((allocation, (coarse, _, buffer))) = coarse else {
        return queue.enqueue(request, Map { memory: [memory] });
    };
    // It may take a while the first time.
    buffer.host_view()?;
    let start = allocation.offset_of(pointer.0.addr());
    let end = start.saturating_add(size as u64).min(allocation.span().1);
    let region = Region { bytes: start..end, purpose };
    coarse.note(region.clone());
    let of = CoarseMapping { allocation: allocation.clone(), region, waited_for: request.blocking };
    let result = queue.enqueue(request, CoarseMap(of));
    if result.is_err() {
        let _ = coarse.take(start);
    }
    result
}

/// A point in time from which on the host may use memory.
pub(crate) struct Map {
    pub(crate) memory: [Option<Arc<Allocation>>; 1],
}

impl Command for Map {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        Ok(Done::Device(last_use(stream, &self.memory)))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.memory.iter().flatten().any(|a| a.lies_at(memory))
    }

    fn is_direct(&self) -> bool {
        true
    }
}

/// clEnqueueSVMUnmap: the same point in time.
pub(crate) fn unmap(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    pointer: UserPointer,
) -> ClResult<()> {
    check(&queue.device)?;
    ensure(!pointer.0.is_null(), cl::CL_INVALID_VALUE)?;
    let request = request()?;
    let region = touched(queue, pointer).and_then(|allocation| {
        let region = allocation.coarse()?.0.take(allocation.offset_of(pointer.0.addr()))?;
        Some(CoarseMapping { allocation, region, waited_for: false })
    });
    match region {
        Some(of) => queue.enqueue(request, CoarseUnmap(of)),
        None => queue.enqueue(request, Marker),
    }
}

/// The map or unmap of a region of memory that lies twice.
pub(crate) struct CoarseMapping {
    pub(crate) allocation: Arc<Allocation>,
    region: Region,
    waited_for: bool,
}

/// The map of such a region.
struct CoarseMap(CoarseMapping);

impl Command for CoarseMap {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        self.0.record_map(stream)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.0.allocation.lies_at(memory)
    }

    fn is_direct(&self) -> bool {
        true
    }
}

/// The unmap of such a region.
struct CoarseUnmap(CoarseMapping);

impl Command for CoarseUnmap {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        self.0.record_unmap(stream)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.0.allocation.lies_at(memory)
    }

    fn is_direct(&self) -> bool {
        true
    }
}

impl CoarseMapping {
    pub(crate) fn record_map(self, stream: &Stream) -> ClResult<Done> {
        if self.waited_for
            && let Some((coarse, runtime, buffer)) = self.allocation.coarse()
            && *stream.device() == runtime.device
            && coarse.is_few(buffer, &self.region)
        {
            let points = coarse.before_fetch(stream, buffer)?;
            return Ok(Done::Then { points, work: self.fetch(stream), holds: true });
        }
        self.record(stream, |coarse, stream, buffer, region| coarse.open(stream, buffer, region))
    }

    /// The host's part of a map for which it reads itself.
    fn fetch(self, stream: &Stream) -> HostWork {
        let stream = stream.clone();
        host_work::light(move || match self.allocation.coarse() {
            Some((coarse, _, buffer)) => coarse.fetch(&stream, buffer, &self.region),
            None => Ok(()),
        })
    }

    pub(crate) fn record_unmap(self, stream: &Stream) -> ClResult<Done> {
        self.record(stream, |coarse, stream, buffer, region| {
            Ok(coarse.close(stream, buffer, region)?.map_or_else(Points::none, Points::from))
        })
    }

    fn record(
        self,
        stream: &Stream,
        what: impl FnOnce(&Coarse, &Stream, &Buffer, &Region) -> ClResult<Points>,
    ) -> ClResult<Done> {
        let CoarseMapping { allocation, region, .. } = self;
        let Some((coarse, runtime, buffer)) = allocation.coarse() else { return Ok(Done::Host) };
        if *stream.device() == runtime.device {
            return Ok(Done::Device(what(coarse, stream, buffer, &region)?));
        }
        // Another device's stream, whose points mean nothing here.
        runtime.stream.wait_only(what(coarse, &runtime.stream, buffer, &region)?)?;
        Ok(Done::Host)
    }
}

/// clEnqueueSVMMigrateMem. There is one place for the memory.
pub(crate) fn migrate(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    pointers: &[UserPointer],
    sizes: &[usize],
    flags: cl::cl_mem_migration_flags,
) -> ClResult<()> {
    const KNOWN: u64 = cl::CL_MIGRATE_MEM_OBJECT_HOST | cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    check(&queue.device)?;
    ensure(flags & !KNOWN == 0, cl::CL_INVALID_VALUE)?;
    let sizes = sizes.iter().copied().chain(std::iter::repeat(0));
    for (pointer, size) in pointers.iter().zip(sizes) {
        let allocation = touched(queue, *pointer);
        let inside = allocation.is_some_and(|a| a.holds(pointer.0.addr(), size as u64));
        ensure(inside, cl::CL_INVALID_VALUE)?;
    }
    queue.enqueue(request()?, Marker)
}

/// clEnqueueSVMFree: by the application's function, or as clSVMFree does.
pub(crate) fn free(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    pointers: Vec<UserPointer>,
    function: Option<FreeFunction>,
    user: UserPointer,
) -> ClResult<()> {
    check(&queue.device)?;
    let request = request()?;
    let memory: Vec<_> = pointers.iter().map(|p| touched(queue, *p)).collect();
    let owner = queue.clone();
    queue.enqueue(request, Free { pointers, function, user, memory, owner })
}

/// Memory is given back.
pub(crate) struct Free {
    pointers: Vec<UserPointer>,
    function: Option<FreeFunction>,
    user: UserPointer,
    memory: Vec<Option<Arc<Allocation>>>,
    owner: Arc<Queue>,
}

impl Command for Free {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let points = last_use(stream, &self.memory);
        let Free { pointers, function, user, memory, owner } = self;
        drop(memory);
        if let Some(call) = function {
            let executor = owner.context.executor.clone();
            let work = HostWork::application(move |then| {
                executor.give_then(Callback::Free(call, KeptAlive::new(owner), pointers, user), then);
            });
            return Ok(Done::Then { points, work, holds: true });
        }
        let work = host_work::heavy(move || {
            pointers
                .iter()
                .for_each(|p| drop(owner.context.svm.remove(p.0.addr(), |kind| kind == Kind::Svm)));
            Ok(())
        });
        Ok(Done::Then { points, work, holds: true })
    }

    // The application frees these allocations itself, so no other call frees them.
    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }
}

recordable!(Copy, Fill);
