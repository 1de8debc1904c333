//! The application's memory, as commands read and write it.

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Buffer, Points, Queue as Stream};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::MapFor;
use crate::device::Runtime;
use crate::device::context::Context;
use crate::device::svm::Allocation;
use crate::memory::rect::Side;

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
    pub(crate) unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: by the caller's promise.
        unsafe { crate::abi::ffi::slice(self.start.0.cast::<u8>(), usize::try_from(self.size).unwrap_or(0)) }
    }

    /// The bytes, to be written.
    ///
    /// # Safety
    /// The application's memory is valid and is not used meanwhile, as the specification demands while a command uses it.
    pub(crate) unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        if self.start.0.is_null() || self.size == 0 {
            return &mut [];
        }
        // SAFETY: by the caller's promise.
        unsafe {
            std::slice::from_raw_parts_mut(self.start.0.cast::<u8>(), usize::try_from(self.size).unwrap_or(0))
        }
    }

    /// Returns whether bytes of it are at these addresses.
    pub(crate) fn overlaps(self, memory: &Range<usize>) -> bool {
        let start = self.start.0.addr();
        let end = start.saturating_add(usize::try_from(self.size).unwrap_or(usize::MAX));
        start < memory.end && memory.start < end
    }

    /// Returns whether it is shared virtual memory.
    pub(crate) fn is_shared(self, context: &Context) -> bool {
        context.svm.find_hosts(self.start.0.addr()).is_some()
    }

    /// Returns where its contents are still to come: the points, and host work, that are waited for. `None`: they are there.
    ///
    /// # Errors
    /// What bringing them gives where the host has memory of its own and they are the device's.
    pub(crate) fn awaited(self, context: &Context, stream: &Stream) -> ClResult<Option<Points>> {
        if let Some(shared) = context.svm.find_hosts(self.start.0.addr()) {
            let points = shared.on_device(stream.device()).map(|buffer| stream.last_write(buffer));
            return Ok(Some(points.unwrap_or_default().and(bring(&shared, stream, self, MapFor::Read)?)));
        }
        Ok(context.pending.overlaps(self.start.0.addr(), self.size).then(Points::none))
    }

    /// Returns what there is to do around the host's writing it, where the host has memory of its own and it is not mapped: before, the points
    /// that are waited for, so that what is left out of it stays; after, to take it to the device.
    ///
    /// # Errors
    /// As [`awaited`](Self::awaited).
    pub(crate) fn host_write(
        self,
        context: &Context,
        stream: &Stream,
    ) -> ClResult<Option<(Points, HostWrite)>> {
        let shared = context.svm.find_hosts(self.start.0.addr()).filter(|shared| shared.coarse().is_some());
        let Some(allocation) = shared else { return Ok(None) };
        if let Some((coarse, ..)) = allocation.coarse() {
            coarse.stay_behind();
        }
        let before = bring(&allocation, stream, self, MapFor::Write)?;
        Ok(Some((
            before,
            HostWrite { bytes: bytes_of(&allocation, self), allocation, stream: stream.clone() },
        )))
    }

    /// Returns how it lies to a range of a buffer that the host reaches.
    pub(crate) fn alias(self, buffer: &Buffer, offset: u64, size: u64) -> Alias {
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

/// A region of memory that lies twice, which the host wrote.
pub(crate) struct HostWrite {
    allocation: Arc<Allocation>,
    bytes: Range<u64>,
    stream: Stream,
}

impl HostWrite {
    /// The host has written it: takes it to the device, and waits for that.
    ///
    /// # Errors
    /// What the copy and the wait give.
    pub(crate) fn finish(self) -> ClResult<()> {
        let HostWrite { allocation, bytes, stream } = self;
        let Some((coarse, runtime, buffer)) = allocation.coarse() else { return Ok(()) };
        let stream = if *stream.device() == runtime.device { &stream } else { &runtime.stream };
        Ok(stream.wait_only(coarse.send(stream, buffer, &bytes)?)?)
    }
}

/// The bytes of an allocation's Vulkan buffer that a range is.
fn bytes_of(allocation: &Allocation, range: HostRange) -> Range<u64> {
    let start = allocation.offset_of(range.start.0.addr());
    start..start.saturating_add(range.size).min(allocation.span().1)
}

/// Brings memory that lies twice to the host; the points at which a command may read or write it there.
fn bring(allocation: &Allocation, stream: &Stream, range: HostRange, purpose: MapFor) -> ClResult<Points> {
    let Some((coarse, runtime, buffer)) = allocation.coarse() else { return Ok(Points::none()) };
    let bytes = bytes_of(allocation, range);
    if *stream.device() == runtime.device {
        return coarse.bring(stream, buffer, &bytes, purpose);
    }
    // Another device's stream, whose points mean nothing here.
    runtime.stream.wait_only(coarse.bring(&runtime.stream, buffer, &bytes, purpose)?)?;
    Ok(Points::none())
}

/// Memory of a device (clDeviceMemAllocINTEL) that a command is given the pointer of as if it were the host's. The host has none there: the
/// device copies.
pub(crate) struct DeviceMemory {
    pub(crate) buffer: Buffer,
    pub(crate) at: u64,
    /// Stays until the command is recorded.
    pub(crate) allocation: Arc<Allocation>,
}

impl DeviceMemory {
    /// The memory of the queue's device at a pointer, if it is a device's.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for another device's, or fewer bytes than the command takes.
    pub(crate) fn find(
        context: &Context,
        runtime: &Arc<Runtime>,
        pointer: UserPointer,
        size: u64,
    ) -> ClResult<Option<Self>> {
        let address = pointer.0.addr();
        let Some(allocation) = context.svm.find(address).filter(|a| !a.is_hosts()) else {
            return Ok(None);
        };
        ensure(allocation.holds(address, size), cl::CL_INVALID_VALUE)?;
        let buffer = allocation.on(runtime).ok_or(ClError(cl::CL_INVALID_VALUE))?.clone();
        Ok(Some(DeviceMemory { buffer, at: allocation.offset_of(address), allocation }))
    }

    /// Refuses such a pointer.
    ///
    /// # Errors
    /// CL_INVALID_VALUE.
    pub(crate) fn refuse(context: &Context, pointer: UserPointer) -> ClResult<()> {
        let found = context.svm.find(pointer.0.addr()).filter(|a| !a.is_hosts());
        if found.is_some() {
            log::error!("memory of clDeviceMemAllocINTEL is no host memory of boxes and images");
        }
        ensure(found.is_none(), cl::CL_INVALID_VALUE)
    }
}

/// How the application's memory lies to the buffer's: with CL_MEM_USE_HOST_PTR, and with mapped pointers (§5.5.3).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alias {
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
    pub(crate) fn range(&self, start: UserPointer) -> HostRange {
        HostRange { start, size: self.host.end }
    }
}
