//! Launches that a batch has and its command buffer has not yet.
//!
//! What a program waits for is mostly what it waited for before: one launch, or one with a copy of what it wrote. To record that takes
//! NVIDIA's driver 1.2 to 2.3 µs (H200, driver 580: docs/svm.md). So the first launches of a batch are only noted, on a stream that has
//! nothing else to do: they are ordered, have their value, and what they touch is kept alive. Where the batch ends with nothing else in it,
//! it is submitted in a command buffer that was recorded before, if it was the same twice already ([`kept`](crate::stream::command_buffer_cache)). In all other cases
//! they are recorded before whatever comes next. One that cannot be recorded then, for want of memory, is left out, and its [`LeftOut`] tells: its
//! enqueue has long returned. So are launches among them that wait for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;

pub use timeline::{Cause, LeftOut, Noted};

use crate::device::functions::MemoryBarrier;
use crate::device::loss::no_memory;
use crate::error::RuntimeError;
use crate::kernel::image_bindings::Bindable;
use crate::kernel::program::{KernelInner, Pipeline};
use crate::launch::recording::bind_launch;
use crate::stream::batch::{Batch, Recycler};
use crate::stream::point::Point;
use crate::stream::queue::Queue;
use crate::stream::state::State;

/// So many launches of a batch are noted. With more of them recording is a small part.
const LAUNCHES: usize = 4;
/// So many batches of a submission may have noted launches.
const BATCHES: usize = 2;

/// A launch: one dispatch.
pub(crate) struct Later {
    /// What must be before it.
    pub(crate) barrier: Option<MemoryBarrier>,
    pub(crate) kernel: Arc<KernelInner>,
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) push: SmallVec<[u8; 128]>,
    /// What its descriptors name, and a number that stands for these very objects: no others ever have it. 0 where there are none.
    pub(crate) bound: SmallVec<[Bindable; 4]>,
    pub(crate) bound_id: u64,
    pub(crate) groups: [u32; 3],
    /// Where it is told that it was left out; `None` for one that takes nothing that could lack.
    pub(crate) left_out: Option<LeftOut>,
    /// What it waits for of other launches that may have been noted.
    pub(crate) waits: SmallVec<[Noted; 2]>,
    /// Somebody asks for it by itself.
    pub(crate) observed: bool,
}

impl Queue {
    /// What was noted of a launch's batch is recorded, if the batch is open: then it is known whether the launch is left out.
    ///
    /// # Errors
    /// Driver when the device is lost.
    pub fn catch_up(&self, launch: Noted) -> Result<(), RuntimeError> {
        let stream = self.inner.streams.of(launch.point)?;
        let mut state = stream.lock()?;
        if state.open.as_ref().is_some_and(|batch| batch.value == launch.point.value) {
            state.catch_up()?;
        }
        stream.leave(state)
    }
}

impl State {
    /// Whether a launch that comes now is noted ([`note_later`](Self::note_later)) and not recorded.
    pub(crate) fn records_later(&self) -> bool {
        if !self.device.keeps || self.is_timed() {
            return false;
        }
        match &self.open {
            Some(batch) if batch.count > 0 && !batch.sealed => (1..LAUNCHES).contains(&batch.later.len()),
            // It begins a batch.
            Some(batch) if batch.count > 0 => !batch.later.is_empty() && self.waits_for_nothing(),
            // A test that has a launch left out needs one that was noted, whatever is under way.
            _ => self.waits_for_nothing() || self.device.modes.is_to_leave_out(),
        }
    }

    /// Whether nothing is under way, as far as was seen, and nothing is to be submitted but a batch that was noted only.
    fn waits_for_nothing(&self) -> bool {
        let done = self.progress.completed().max(self.progress.told.load(Ordering::Acquire));
        self.in_flight.back().is_none_or(|batch| batch.value <= done)
            && self.closed.len() < BATCHES
            && self.closed.iter().all(|batch| batch.ended_later)
    }

    /// Notes a launch that was ordered.
    pub(crate) fn note_later(&mut self, launch: Later) -> Result<Noted, RuntimeError> {
        let stream = self.index;
        let batch = self.open()?.0;
        batch.later.push(launch);
        Ok(Noted { point: Point { stream, value: batch.value }, place: batch.later.len() - 1 })
    }

    /// Records what was noted only.
    #[inline]
    pub(crate) fn catch_up(&mut self) -> Result<(), RuntimeError> {
        match &mut self.open {
            Some(batch) if !batch.later.is_empty() => {
                match batch.catch_up(self.index, &mut self.recycler) {
                    Err(e) if e.is_out_of_memory() => {
                        // The whole batch fails, because no single command can report it. Later commands go into another batch.
                        batch.failed = true;
                        self.close()?;
                        self.open().map(drop)
                    }
                    result => result.map_err(|e| self.lose(e)),
                }
            }
            _ => Ok(()),
        }
    }
}

impl Batch {
    /// Records what was noted only.
    ///
    /// # Errors
    /// Those of a launch that has no place to tell them.
    #[cold]
    pub(crate) fn catch_up(&mut self, stream: u32, recycler: &mut Recycler) -> Result<(), RuntimeError> {
        let mut later = std::mem::take(&mut self.later);
        let mut result = Ok(());
        for (place, launch) in later.iter().enumerate() {
            let name = &launch.kernel.info.name;
            let missing = &launch.kernel.device().left_out;
            let cause = match launch.waits.iter().any(|wait| missing.cause(*wait).is_some()) {
                true => {
                    // What comes after relies on it.
                    if let Some(barrier) = &launch.barrier {
                        self.barrier(barrier)?;
                    }
                    log::error!("a launch of kernel '{name}' is left out: it waits for one that was");
                    Cause::Waits
                }
                false => {
                    let Err(error) = self.catch_up_with(launch, recycler) else { continue };
                    log::error!("a launch of kernel '{name}' is left out: {error}");
                    if launch.left_out.is_none() {
                        result = Err(error);
                    }
                    Cause::NoMemory
                }
            };
            let noted = Noted { point: Point { stream, value: self.value }, place };
            for list in [Some(missing), launch.left_out.as_ref()].into_iter().flatten() {
                list.add(noted, cause, launch.observed);
            }
        }
        later.clear();
        // Its room is used again.
        self.later = later;
        result
    }

    fn catch_up_with(&mut self, launch: &Later, recycler: &mut Recycler) -> Result<(), RuntimeError> {
        let Later { kernel, pipeline, bound, push, groups: [x, y, z], .. } = launch;
        // What comes after relies on it, whatever becomes of the launch.
        if let Some(barrier) = &launch.barrier {
            self.barrier(barrier)?;
        }
        if kernel.device().modes.leaves_out() {
            return Err(no_memory("vkAllocateDescriptorSets"));
        }
        bind_launch(self, recycler, kernel, pipeline, bound, push)?;
        // SAFETY: recording under the stream's lock; pipeline, descriptors and push constants are bound; counts are within the device's
        // limits, as they were checked for the launch.
        unsafe { kernel.device().raw.cmd_dispatch(self.commands, *x, *y, *z) };
        Ok(())
    }
}
