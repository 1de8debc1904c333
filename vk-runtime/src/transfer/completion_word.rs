//! Copies within the device's memory that tell the host themselves when they are done.
//!
//! A timeline is seen to have got on later than a word that the work's last store is, although that takes counting: by 0.2 to 0.4 µs of 12
//! (H200, driver 580: docs/results/svm.md). Who waits for a copy and nothing else waits for such a word: the copy's kernel counts its work-groups,
//! and the last one writes it into the host's memory. The word says that the copy has been made, and nothing more:
//!
//! - The copied data is in the device's memory. Who reads it, on the device or the host, does so behind the timeline and its barriers
//!   as before: [`completed`](crate::stream::progress::Progress) is the timeline's alone, and so are memory, command buffers and all else that is
//!   taken back.
//! - A word that is not seen costs nothing: the timeline is looked at as well.
//! - The stream has nothing else under way, so that who waits for the copy has waited for all before it.
//!
//! The kernel has no descriptors, only addresses, which takes the host less: other copies of whole units are made by it, too, without a
//! word. A copy that is asked for again comes from a command buffer that is kept ([`command_buffer_cache`](crate::stream::command_buffer_cache)).

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};
use timeline::sync::Mutex;

use smallvec::SmallVec;

use crate::error::RuntimeError;
use crate::image::resource_use::{Bytes, Use};
use crate::kernel::helpers::{PUSH_WORDS, load_copy_with_word};
use crate::kernel::program::{Kernel, Pipeline};
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::{Buffer, BufferInner};
use crate::stream::binding::bind_launch;
use crate::stream::command_stream::Stream;
use crate::stream::deferred::Deferred;
use crate::stream::device_streams::Streams;
use crate::stream::hazards::Stage;
use crate::stream::queue::Queue;
use crate::stream::state::State;
use crate::transfer::kernel_copies::{UNIT, is_local};
use timeline::Point;

/// This many copies may be waited for at a time; more go the ordinary way.
const SLOTS: u32 = 16;
/// From one slot to the next, in bytes: each has lines of its own.
const STRIDE: u64 = 128;
/// The largest copy: below the number of work-groups that all devices take at once.
const MAX: u64 = 256 << 20;
/// Invocations of a work-group of small copies, and of those from [`LARGE`] on, which take twice as much each. An H200 copies 1 MiB in
/// 12.3 and 13.4 µs by them, 32 MiB in 29.5 and 28.5.
const GROUPS: [u32; 2] = [256, 1024];
const LARGE: u64 = 8 << 20;

/// The objects that such copies need.
pub(crate) struct CompletionWords {
    kernel: Kernel,
    /// For each of [`GROUPS`], with how many units a work-group takes.
    pipelines: [(Arc<Pipeline>, u64); 2],
    /// Work-groups count here.
    counters: Buffer,
    /// The words for the host.
    words: Buffer,
    free: Mutex<Vec<Slot>>,
}

/// A counter and a word, by number. The counter is 0 when nothing is under way.
struct Slot(u32);

/// The launch for a copy.
struct Launched {
    large: usize,
    push: [u8; PUSH_WORDS * 4],
    groups: u32,
}

/// A copy that was submitted and is waited for.
#[must_use]
pub struct CopyWait {
    streams: Arc<Streams>,
    stream: Arc<Stream>,
    value: u64,
    slot: Slot,
}

impl std::fmt::Debug for CopyWait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CopyWait").field("point", &self.point()).finish_non_exhaustive()
    }
}

impl CompletionWords {
    /// `None` where memory does not serve.
    fn new(queue: &Queue) -> Result<Option<Self>, RuntimeError> {
        let device = queue.device();
        let size = STRIDE * u64::from(SLOTS);
        let counters = Buffer::internal(&device.inner, size, BufferUse::Device, "counters")?;
        let words = Buffer::internal(&device.inner, size, BufferUse::Download, "words")?;
        if !words.is_coherent() {
            return Ok(None);
        }
        let zeros = vec![0; usize::try_from(size).unwrap_or(0)];
        queue.initialize(&counters, 0, &zeros)?;
        words.inner.device.memory.write(words.inner.part()?, 0, &zeros)?;
        let kernel = load_copy_with_word(device)?;
        let limits = &device.inner.target.limits;
        let most = limits.max_compute_work_group_invocations.min(limits.max_compute_work_group_size[0]);
        let pipeline = |group: u32| -> Result<_, RuntimeError> {
            let group = group.min(most);
            let key = kernel.inner.key([group, 1, 1], &SmallVec::new(), (false, &[], &[]), &SmallVec::new());
            Ok((kernel.inner.pipeline(&key)?, u64::from(group) * shaders::units_with_word(group)))
        };
        let pipelines = [pipeline(GROUPS[0])?, pipeline(GROUPS[1])?];
        let free = Mutex::new((0..SLOTS).map(Slot).collect());
        Ok(Some(CompletionWords { kernel, pipelines, counters, words, free }))
    }

    fn take(&self) -> Option<Slot> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Nothing that uses it is under way.
    fn give(&self, slot: Slot) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }

    /// The word of a slot.
    fn word(&self, slot: &Slot) -> Option<&AtomicU32> {
        let base = self.words.inner.part().ok()?.host_ptr()?;
        let place = base.wrapping_add(slot.0 as usize * STRIDE as usize).cast::<u32>();
        // SAFETY: mapped memory that `words` keeps, aligned, as every slot is (STRIDE), and touched by the host as an atomic alone after
        // it was made. What the device writes meanwhile is another processor's store to it.
        Some(unsafe { AtomicU32::from_ptr(place) })
    }
}

impl Queue {
    /// Copies between buffers in the device's memory, or between parts of one that do not overlap, and submits that, for a caller who waits
    /// for it ([`CopyWait::wait`]) and nothing else. `None`, and nothing is done, where that takes
    /// [`copy_buffer`](Self::copy_buffer): the stream has other work, the driver is not slow at copies, or the bytes do not lie as they should.
    ///
    /// # Errors
    /// User for ranges outside the buffers; Driver when Vulkan fails.
    pub fn copy_with_word(
        &self,
        src: &Buffer,
        src_at: u64,
        dst: &Buffer,
        dst_at: u64,
        size: u64,
    ) -> Result<Option<CopyWait>, RuntimeError> {
        let (s, d, device) = (&src.inner, &dst.inner, self.device_inner());
        self.own(s)?;
        self.own(d)?;
        s.check_range("copy, source", src_at, size)?;
        d.check_range("copy, destination", dst_at, size)?;
        let fits = (UNIT..=MAX).contains(&size) && size.is_multiple_of(UNIT);
        let overlap = s.marks.id == d.marks.id && src_at < dst_at + size && dst_at < src_at + size;
        let plain = self.span().is_none() && device.modes.max_dispatch_ms.is_none();
        let able = device.slow_copies && device.target.has_address_model();
        if !fits || !plain || !able || overlap || !is_hidden(s) || !is_hidden(d) {
            return Ok(None);
        }
        let (Some(from), Some(to)) = (s.address, d.address) else { return Ok(None) };
        let (from, to) = (from + src_at, to + dst_at);
        if !(from | to).is_multiple_of(UNIT) {
            return Ok(None);
        }
        let Some(words) = self.inner.streams.words(|| CompletionWords::new(self))? else { return Ok(None) };
        let Some(slot) = words.take() else { return Ok(None) };
        let bytes = [Bytes::new(s, src_at, size), Bytes::new(d, dst_at, size)];
        match self.submit_with_word(words, &slot, bytes, [to, from]) {
            Ok(Some(value)) => {
                let (streams, stream) = (self.inner.streams.clone(), self.inner.stream.clone());
                Ok(Some(CopyWait { streams, stream, value, slot }))
            }
            // Nothing that uses it is under way, or the device is lost.
            nothing => {
                words.give(slot);
                nothing.map(|_| None)
            }
        }
    }

    /// Records such a copy, and submits it; its value. `None`: the stream has other work.
    fn submit_with_word(
        &self,
        words: &CompletionWords,
        slot: &Slot,
        [from, to]: [Bytes<'_>; 2],
        addresses: [u64; 2],
    ) -> Result<Option<u64>, RuntimeError> {
        let launch = words.launch(Some(slot), addresses, from.size() / UNIT)?;
        let stream = &self.inner.stream;
        let mut state = stream.lock()?;
        // What the timeline says is done needs no barrier.
        state.poll()?;
        if !state.is_quiet()? {
            stream.leave(state)?;
            return Ok(None);
        }
        if let Some(word) = words.word(slot) {
            // Nothing that writes it is under way, and the submission comes behind this.
            word.store(0, Ordering::Release);
        }
        words.record(&mut state, [from, to], slot, &launch)?;
        let value = state.flush()?;
        // What was told of before is taken apart while the device works.
        state.poll()?;
        stream.leave(state)?;
        Ok(Some(value))
    }
}

impl Queue {
    /// Returns what copies whole units between buffers by their addresses: `None` where kernels have none.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub(crate) fn copies_by_address(&self) -> Result<Option<&CompletionWords>, RuntimeError> {
        let device = self.device_inner();
        match device.target.has_address_model() && device.modes.max_dispatch_ms.is_none() {
            true => self.inner.streams.words(|| CompletionWords::new(self)),
            false => Ok(None),
        }
    }
}

/// Returns whether it is memory of the device's own that nobody but this crate and kernels read: not the host through a pointer, and no other API.
fn is_hidden(buffer: &BufferInner) -> bool {
    buffer.storage().hidden && is_local(buffer)
}

impl CompletionWords {
    /// Records a copy of whole units, if the addresses are multiples of a unit. Returns whether they are.
    pub(crate) fn copy(
        &self,
        state: &mut State,
        from: Bytes<'_>,
        to: Bytes<'_>,
    ) -> Result<bool, RuntimeError> {
        let (Some(source), Some(target)) = (from.address(), to.address()) else { return Ok(false) };
        let (size, mut done) = (from.size(), 0);
        if !(source | target | size).is_multiple_of(UNIT) {
            return Ok(false);
        }
        while done < size {
            let count = (size - done).min(MAX);
            let launch = self.launch(None, [target + done, source + done], count / UNIT)?;
            self.record_once(
                state,
                &[from.part(done, count).read(), to.part(done, count).written()],
                &launch,
            )?;
            done += count;
        }
        Ok(true)
    }

    /// Returns the launch that copies so many units between two addresses. Without a slot it writes no word.
    fn launch(
        &self,
        slot: Option<&Slot>,
        [to, from]: [u64; 2],
        units: u64,
    ) -> Result<Launched, RuntimeError> {
        let place = |b: &BufferInner| -> Result<u64, RuntimeError> {
            let start = b.address.ok_or_else(|| RuntimeError::bug("a buffer without an address"))?;
            Ok(slot.map_or(0, |slot| start + STRIDE * u64::from(slot.0)))
        };
        let large = usize::from(units * UNIT >= LARGE);
        let addresses = [to, from, place(&self.counters.inner)?, place(&self.words.inner)?];
        let number = |n: u64| u32::try_from(n).map_err(|_| RuntimeError::bug("a copy of too much"));
        let groups = number(units.div_ceil(self.pipelines[large].1))?;
        let mut push = [0; PUSH_WORDS * 4];
        let (wide, narrow) = push.split_at_mut(32);
        for (place, value) in wide.chunks_exact_mut(8).zip(addresses) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        for (place, value) in narrow.chunks_exact_mut(4).zip([number(units)?, slot.map_or(0, |_| groups)]) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        Ok(Launched { large, push, groups })
    }

    /// Records a copy that tells.
    fn record(
        &self,
        state: &mut State,
        [from, to]: [Bytes<'_>; 2],
        slot: &Slot,
        launch: &Launched,
    ) -> Result<(), RuntimeError> {
        // A word needs no order: of a slot nothing is under way, and it was the host that cleared it.
        let counter = Bytes::new(&self.counters.inner, STRIDE * u64::from(slot.0), 4);
        let counted = Use { read: true, ..counter.written() };
        self.record_once(state, &[from.read(), to.written(), counted], launch)?;
        let (batch, _) = state.open()?;
        batch.keep(self.words.inner.storage());
        Ok(())
    }

    fn record_once(
        &self,
        state: &mut State,
        uses: &[Use<'_>],
        launch: &Launched,
    ) -> Result<(), RuntimeError> {
        let (kernel, pipeline) = (&self.kernel.inner, &self.pipelines[launch.large].0);
        if state.records_later() {
            let barrier = state.command_later(uses)?;
            let (batch, _) = state.open()?;
            batch.keep(kernel);
            batch.keep(pipeline);
            let later = Deferred {
                barrier,
                kernel: kernel.clone(),
                pipeline: pipeline.clone(),
                push: SmallVec::from_slice(&launch.push),
                bound: SmallVec::new(),
                bound_id: 0,
                groups: [launch.groups, 1, 1],
                dropped_launches: None,
                waits: SmallVec::new(),
                observed: false,
            };
            return state.defer(later).map(drop);
        }
        let commands = state.command(Stage::Compute, uses, false)?;
        let (batch, recycler) = state.open()?;
        batch.keep(kernel);
        batch.keep(pipeline);
        bind_launch(batch, recycler, kernel, pipeline, &[], &launch.push)?;
        // SAFETY: pipeline and push constants are bound; the addresses are those of ranges of buffers that the batch keeps, checked by the
        // caller; the count is within every device's limits.
        unsafe { kernel.device().raw.cmd_dispatch(commands, launch.groups, 1, 1) };
        Ok(())
    }
}

impl CopyWait {
    /// Returns where the stream is when the copy is done and its memory may be used by others.
    #[must_use]
    pub fn point(&self) -> Point {
        self.stream.point(self.value)
    }

    /// Waits until the bytes are copied: nothing else that depends on the point may be taken to have come. Runs no callbacks.
    ///
    /// # Errors
    /// Driver when Vulkan fails, device loss included.
    pub fn wait(self) -> Result<(), RuntimeError> {
        let made = self.streams.made_words::<CompletionWords>();
        let Some((words, word)) = made.and_then(|words| Some((words, words.word(&self.slot)?))) else {
            return self.stream.wait(self.value);
        };
        let seen = || word.load(Ordering::Acquire) != 0;
        let waited = self.stream.wait_for_word(self.value, seen);
        // If the submission found no memory, nothing writes the word. Otherwise the timeline was faster, and the word may arrive later: the
        // slot is not used again.
        if self.stream.progress.outcome(self.value).is_err() || matches!(waited, Ok(true)) || seen() {
            words.give(self.slot);
        }
        waited.map(drop)
    }
}
