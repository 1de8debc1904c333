//! Coarse-grain memory that lies twice ([`SharedPlace::Copied`]): the device's, and the host's at the same addresses. Maps copy.
//!
//! | command | what it copies |
//! |---|---|
//! | map, to read or to write parts | the region as far as the device may have written it since, to the host |
//! | map, to overwrite | nothing |
//! | unmap of what was mapped to be written | the region, to the device |
//! | kernels, copies, fills, buffers' commands | nothing: they work on the device's memory |
//!
//! A region that a program maps again and again after a kernel is brought to the host behind that kernel ([`map_predictor`](crate::device::svm::map_predictor)).
//!
//! Which bytes the host has as the device has them is kept here, and changes when commands are recorded: what depends on a command is
//! recorded after it. A kernel that may write an allocation may write all of it; one that may write anything, all of the context's.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;
use vk_runtime::{Buffer, HostView, Point, Points, Queue as Stream};

use crate::abi::error::{ClError, ClResult};
use crate::abi::flags::MapFor;
use crate::device::svm::map_predictor::MapPredictor;
use crate::device::svm::spans::Spans;

/// Regions up to this are written by the host where it reaches the device's memory, or go into the command buffer.
const SMALL: u64 = 64 << 10;
/// The same where the host reaches it and nothing prevents it.
const SMALL_IN_PLACE: u64 = 256 << 10;
/// Regions up to this are read by the host itself for a map that is waited for, where it reaches the device's memory well enough.
const FEW: u64 = 64 << 10;

/// A mapped region: bytes of the allocation's Vulkan buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) bytes: Range<u64>,
    pub(crate) purpose: MapFor,
}

/// The state of an allocation that lies twice.
pub(crate) struct Coarse {
    state: Mutex<State>,
    /// How many kernels of the context may have written anything.
    anything: Arc<AtomicU64>,
}

struct State {
    /// The bytes that are the same for host and device, after so many such kernels were recorded.
    same: Spans,
    seen: u64,
    /// Maps that were enqueued and have no unmap yet.
    mapped: Vec<Region>,
    /// Maps for writing that were recorded and whose unmaps were not: the host's bytes are the newest.
    open: Vec<Region>,
    predictor: MapPredictor,
}

impl Coarse {
    /// Creates the state of an allocation whose bytes nobody has written.
    pub(crate) fn new(bytes: Range<u64>, anything: &Arc<AtomicU64>) -> Self {
        let state = State {
            same: Spans::all(bytes),
            seen: anything.load(Ordering::Acquire),
            mapped: Vec::new(),
            open: Vec::new(),
            predictor: MapPredictor::default(),
        };
        Coarse { state: Mutex::new(state), anything: anything.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.anything.load(Ordering::Acquire);
        if now != state.seen {
            state.same.clear();
            state.predictor.write();
            state.seen = now;
        }
        state
    }

    /// A command was recorded that may write bytes on the device.
    pub(crate) fn written(&self, bytes: &Range<u64>) {
        let mut state = self.lock();
        state.same.remove(bytes);
        state.predictor.write();
    }

    /// Commands use the memory in ways that no other map or kernel tells of: nothing is brought ahead any more.
    pub(crate) fn stay_behind(&self) {
        self.lock().predictor.never();
    }

    /// A kernel was recorded that may write some bytes of the device's. Regions that maps ask for behind such kernels are brought now.
    ///
    /// Nobody has asked for this copy, so nothing that other streams do with either side may be under way: what they did would have no
    /// order with it. Their later work waits for it, as it uses either.
    ///
    /// # Errors
    /// What the copies give.
    pub(crate) fn after_kernel(&self, stream: &Stream, buffer: &Buffer, bytes: &Range<u64>) -> ClResult<()> {
        let mut state = self.lock();
        state.same.remove(bytes);
        let Some(region) = state.predictor.kernel() else { return Ok(()) };
        let view = view(buffer)?;
        let used = stream.last_use(buffer).and(stream.last_use(&view.buffer));
        let mapped = state.mapped.iter().chain(&state.open);
        let free = mapped.into_iter().all(|m| m.bytes.end <= region.start || region.end <= m.bytes.start);
        let apart = used.iter().any(|point| point.stream != stream.stream());
        let alone = state.predictor.waits_before();
        if free && !apart && stream.begin_ahead(buffer, region.end - region.start, alone)? {
            for piece in state.same.missing(&region) {
                let size = piece.end - piece.start;
                stream.copy_behind(buffer, piece.start, &view.buffer, view.start + piece.start, size)?;
            }
            state.same.add(region);
            state.predictor.brought();
        }
        Ok(())
    }

    /// Notes a region as mapped, for clEnqueueSVMUnmap to find.
    pub(crate) fn note(&self, region: Region) {
        self.lock().mapped.push(region);
    }

    /// The region that was mapped last from a byte on, which is mapped no more.
    pub(crate) fn take(&self, start: u64) -> Option<Region> {
        let mut state = self.lock();
        let found = state.mapped.iter().rposition(|r| r.bytes.start == start)?;
        Some(state.mapped.swap_remove(found))
    }

    /// Records the map of a region; the points at which the host may use it.
    ///
    /// # Errors
    /// What the copies give.
    pub(crate) fn open(&self, stream: &Stream, buffer: &Buffer, region: &Region) -> ClResult<Points> {
        self.lock().predictor.comes(stream.last_write(buffer).is_empty());
        let points = self.bring(stream, buffer, &region.bytes, region.purpose)?;
        let mut state = self.lock();
        if region.purpose != MapFor::Overwrite {
            state.predictor.map(&region.bytes);
        }
        if region.purpose != MapFor::Read {
            state.open.push(region.clone());
        }
        Ok(points)
    }

    /// Records copies of what the device has newer of some bytes, unless they are to be overwritten; the points at which the host may
    /// use them.
    ///
    /// # Errors
    /// What the copies give.
    pub(crate) fn bring(
        &self,
        stream: &Stream,
        buffer: &Buffer,
        bytes: &Range<u64>,
        purpose: MapFor,
    ) -> ClResult<Points> {
        let view = view(buffer)?;
        // Held until the copies are recorded: who sees the bytes as brought has their points.
        let mut state = self.lock();
        if purpose != MapFor::Overwrite {
            for piece in state.closed(state.same.missing(bytes)) {
                let size = piece.end - piece.start;
                stream.copy_buffer(buffer, piece.start, &view.buffer, view.start + piece.start, size)?;
            }
            state.same.add(bytes.clone());
        }
        Ok(match purpose {
            MapFor::Read => stream.last_write(&view.buffer),
            MapFor::Write | MapFor::Overwrite => stream.last_use(&view.buffer),
        })
    }

    /// Returns whether the host is the better to bring a region that is to be mapped, with [`fetch`](Self::fetch): the device takes longer to be
    /// told than so few bytes take.
    pub(crate) fn is_few(&self, buffer: &Buffer, region: &Region) -> bool {
        let size = region.bytes.end - region.bytes.start;
        region.purpose != MapFor::Overwrite
            && size <= FEW
            && buffer.is_mapped()
            && buffer.reads_in_place(size)
            && !self.lock().same.missing(&region.bytes).is_empty()
    }

    /// The points after which the host may fetch a region.
    ///
    /// # Errors
    /// None but a bug's.
    pub(crate) fn before_fetch(&self, stream: &Stream, buffer: &Buffer) -> ClResult<Points> {
        let written = stream.last_write(buffer);
        self.lock().predictor.comes(written.is_empty());
        Ok(written.and(stream.last_use(&view(buffer)?.buffer)))
    }

    /// Maps a region that the host reads itself, when the device has come so far.
    ///
    /// # Errors
    /// What the reads give.
    pub(crate) fn fetch(&self, stream: &Stream, buffer: &Buffer, region: &Region) -> ClResult<()> {
        let view = view(buffer)?;
        // Without the lock; what others record between this and that is waited for with it.
        stream.wait_only(stream.last_write(buffer))?;
        let mut state = self.lock();
        for piece in state.closed(state.same.missing(&region.bytes)) {
            let (at, size) = (piece.start, piece.end - piece.start);
            let start = host_bytes(&view, view.start + at, size).ok_or(ClError(cl::CL_OUT_OF_RESOURCES))?;
            // SAFETY: in the host's memory, which the buffer keeps; the application waits for the map (§5.6.1), and the copies from and
            // to it that were recorded before are done.
            let to = unsafe { std::slice::from_raw_parts_mut(start.cast_mut(), size as usize) };
            stream.read_buffer(buffer, at, to)?;
        }
        state.same.add(region.bytes.clone());
        state.predictor.map(&region.bytes);
        if region.purpose != MapFor::Read {
            state.open.push(region.clone());
        }
        Ok(())
    }

    /// Gives the host's copy of some bytes to `take`, if the device has the same, and will have when all is done that is recorded. What
    /// `take` says; `false` if it is not so.
    ///
    /// # Errors
    /// Those of `take`.
    pub(crate) fn here(
        &self,
        stream: &Stream,
        buffer: &Buffer,
        bytes: &Range<u64>,
        take: impl FnOnce(&[u8]) -> ClResult<bool>,
    ) -> ClResult<bool> {
        let Some(view) = buffer.known_host_view() else { return Ok(false) };
        // Held: a map for writing would begin behind this.
        let state = self.lock();
        let size = bytes.end - bytes.start;
        let newest =
            state.same.missing(bytes).is_empty() && state.closed(vec![bytes.clone()]) == [bytes.clone()];
        if !newest || !stream.last_write(&view.buffer).is_empty() {
            return Ok(false);
        }
        match host_bytes(&view, view.start + bytes.start, size) {
            // SAFETY: in the host's memory, which the buffer keeps; no map lets the application write it, and no copy does.
            Some(start) => take(unsafe { std::slice::from_raw_parts(start, size as usize) }),
            None => Ok(false),
        }
    }

    /// Records a copy of what the host wrote by a command, as far as it is not mapped for writing; the points at which the device has it.
    ///
    /// # Errors
    /// What the copies give.
    pub(crate) fn send(&self, stream: &Stream, buffer: &Buffer, bytes: &Range<u64>) -> ClResult<Points> {
        let view = view(buffer)?;
        let mut state = self.lock();
        let mut points = Points::none();
        for piece in state.closed(vec![bytes.clone()]) {
            let (start, size) = (piece.start, piece.end - piece.start);
            points.merge(&stream.copy_buffer(&view.buffer, view.start + start, buffer, start, size)?.into());
            state.same.add(piece);
        }
        Ok(points)
    }

    /// Records the unmap of a region; the point at which the device has what the host wrote, if it may have.
    ///
    /// # Errors
    /// What the copy gives.
    pub(crate) fn close(&self, stream: &Stream, buffer: &Buffer, region: &Region) -> ClResult<Option<Point>> {
        if region.purpose == MapFor::Read {
            return Ok(None);
        }
        let view = view(buffer)?;
        let mut state = self.lock();
        // A map that failed gave the host nothing to write.
        let Some(open) = state.open.iter().rposition(|r| r == region) else { return Ok(None) };
        state.open.swap_remove(open);
        let (at, size) = (region.bytes.start, region.bytes.end - region.bytes.start);
        let from = view.start + at;
        let in_place = size <= SMALL_IN_PLACE && buffer.is_mapped() && stream.last_use(buffer).is_empty();
        let point = match host_bytes(&view, from, size).filter(|_| stream.last_write(&view.buffer).is_empty())
        {
            // SAFETY: in the host's memory, which the buffer keeps; the application is done with the region (§5.6.1), and no copy
            // writes it.
            Some(start) if size <= SMALL || in_place => unsafe {
                stream.write_buffer(buffer, at, std::slice::from_raw_parts(start, size as usize))?
            },
            _ => stream.copy_buffer(&view.buffer, from, buffer, at, size)?,
        };
        state.same.add(region.bytes.clone());
        Ok(Some(point))
    }
}

impl State {
    /// Returns what of some bytes is not mapped for writing.
    fn closed(&self, mut bytes: Vec<Range<u64>>) -> Vec<Range<u64>> {
        for open in &self.open {
            let cut =
                |r: Range<u64>| [r.start..r.end.min(open.bytes.start), r.start.max(open.bytes.end)..r.end];
            bytes = bytes.into_iter().flat_map(cut).filter(|r| !r.is_empty()).collect();
        }
        bytes
    }
}

/// The host's memory of a buffer that has it.
fn view(buffer: &Buffer) -> ClResult<HostView> {
    buffer.host_view()?.ok_or(ClError(cl::CL_OUT_OF_RESOURCES))
}

/// This many bytes of the host's memory.
fn host_bytes(view: &HostView, from: u64, size: u64) -> Option<*const u8> {
    let fits = from.checked_add(size).is_some_and(|end| end <= view.buffer.size());
    let start = view.buffer.host_ptr().filter(|_| fits)?;
    Some(start.wrapping_add(usize::try_from(from).ok()?).cast_const())
}
