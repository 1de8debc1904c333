//! Recording: the state under a stream's lock.

use crate::image::resource_use::AccessRange;
use crate::stream::deferred::Deferred;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use timeline::DeferredLaunch;
use timeline::Point;

use ash::vk;

use crate::device::device_time::{DeviceTime, StartEnd};
use crate::device::functions::MemoryBarrier;
use crate::device::logical::DeviceInner;
use crate::error::RuntimeError;
use crate::image::resource_use::Use;
use crate::memory::buffer::Marks;
use crate::stream::batch::{Batch, Batches, Recycler};
use crate::stream::command_buffer_cache::CommandBufferCache;
use crate::stream::hazards::{Access, Hazards, Stage};
use crate::stream::loss_watch::LossWatch;
use crate::stream::progress::Progress;
use crate::stream::run_time::RunTime;
use crate::stream::shared::Shared;
use timeline::Points;

/// A batch is submitted after so many commands.
const BATCH_COMMANDS: u32 = 64;
/// The same while so much is under way that the device has work anyway: a submission costs as much as recording dozens of
/// commands.
const BUSY_BATCH_COMMANDS: u32 = 1024;
/// This many batches may wait to be submitted.
const CLOSED: usize = 64;

/// Everything behind a stream's lock.
pub(crate) struct State {
    pub(crate) index: u32,
    pub(crate) device: Arc<DeviceInner>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) timeline: vk::Semaphore,
    /// The value of the last batch that is closed, submitted or done.
    pub(crate) last: u64,
    pub(crate) open: Option<Box<Batch>>,
    /// Batches that are recorded and not submitted, and how many commands they have.
    pub(crate) closed: Batches,
    pub(crate) closed_commands: u32,
    /// With so many commands it is looked at whether they are to be submitted.
    pub(crate) check_at: u32,
    /// This many commands an idle device gets.
    pub(crate) eager: u32,
    /// An idle device gets so many further commands at once, each by itself.
    pub(crate) at_once: u32,
    pub(crate) in_flight: VecDeque<Box<Batch>>,
    /// When the device was last seen to have got on, or its time was noted.
    pub(crate) got_on: u64,
    pub(crate) pace: Arc<RunTime>,
    pub(crate) recycler: Recycler,
    pub(crate) kept: CommandBufferCache,
    hazards: Hazards,
    /// The points of other streams after which commands run that are recorded from now on.
    behind: Points,
    /// When a batch last ended because somebody watches it, unless what was recorded was asked for since.
    pub(crate) sealed_at: Option<Instant>,
    /// The next commands are timed: when the first of them began, once there is one.
    timed: Option<Option<DeviceTime>>,
    /// The objects that finished batches kept alive: dropped without the lock.
    pub(crate) garbage: Vec<Arc<dyn Any + Send + Sync>>,
    /// The watch for the loss of a device that gets no further.
    pub(crate) watch: LossWatch,
    /// The device was lost, and everything has ended.
    pub(crate) ended: bool,
}

impl State {
    pub(crate) fn new(shared: &Arc<Shared>, index: u32) -> Self {
        let device = &shared.device;
        let progress = shared.progress.get(index as usize).cloned().unwrap_or_default();
        State {
            index,
            timeline: shared.timeline(index),
            last: progress.completed(),
            progress,
            open: None,
            closed: Vec::new(),
            closed_commands: 0,
            check_at: device.tune.eager,
            eager: device.tune.eager,
            at_once: 0,
            in_flight: VecDeque::new(),
            got_on: 0,
            pace: Arc::default(),
            recycler: Recycler::new(index),
            kept: CommandBufferCache::default(),
            hazards: Hazards::new(device.modes.drop_barrier),
            behind: Points::none(),
            sealed_at: None,
            timed: None,
            garbage: Vec::new(),
            watch: LossWatch::default(),
            ended: false,
            device: device.clone(),
            shared: shared.clone(),
        }
    }

    /// The batch that is being recorded, and what its parts come from.
    pub(crate) fn open(&mut self) -> Result<(&mut Batch, &mut Recycler), RuntimeError> {
        if self.open.as_ref().is_some_and(|b| b.sealed) {
            self.close()?;
        }
        if self.open.is_none() {
            self.open = Some(self.recycler.begin(&self.device, self.last + 1)?);
        }
        match &mut self.open {
            Some(batch) => Ok((batch, &mut self.recycler)),
            None => Err(RuntimeError::bug("no open batch")),
        }
    }

    /// Orders commands that are recorded from now on after points of other streams, all of which are submitted.
    pub(crate) fn behind(&mut self, points: &Points) -> Result<(), RuntimeError> {
        let mut news = points.clone();
        news.retain(|p| {
            p.stream != self.index && p.value > self.behind.value_in(p.stream) && !self.shared.has_reached(p)
        });
        if news.is_empty() {
            return Ok(());
        }
        self.behind.merge(&news);
        if self.open.as_ref().is_some_and(|b| b.count > 0) {
            // What is recorded already does not wait.
            self.close()?;
        }
        let (batch, _) = self.open()?;
        batch.waits.merge(&news);
        Ok(())
    }

    /// Orders commands that use a buffer after its first contents came and after what used its storage before, which may have been in other
    /// streams.
    pub(crate) fn behind_origin(&mut self, marks: &Marks) -> Result<(), RuntimeError> {
        let Some(origin) = marks.origin.get() else { return Ok(()) };
        if origin.iter().all(|point| self.shared.has_reached(point)) {
            marks.origin.set(Points::none());
            return Ok(());
        }
        self.behind(&origin)
    }

    /// Nothing that is recorded from now on delays a value, unless another one was sealed a moment ago.
    pub(crate) fn seal(&mut self, value: u64) {
        let Some(batch) = self.open.as_mut().filter(|b| b.value == value && b.count > 0) else { return };
        let now = Instant::now();
        if self.sealed_at.is_none_or(|at| now.duration_since(at) >= self.device.tune.apart) {
            self.sealed_at = Some(now);
            batch.sealed = true;
        }
    }

    /// Opens a batch for a command: puts the barrier that its accesses need, notes them, keeps what it touches alive.
    pub(crate) fn command(
        &mut self,
        stage: Stage,
        uses: &[Use<'_>],
        anything: bool,
    ) -> Result<vk::CommandBuffer, RuntimeError> {
        self.begin(uses)?;
        self.order(stage, spans(uses), anything)
    }

    /// Opens a batch for a launch that is recorded later, and orders it: the barrier that its accesses need.
    pub(crate) fn command_later(&mut self, uses: &[Use<'_>]) -> Result<Option<MemoryBarrier>, RuntimeError> {
        self.begin(uses)?;
        self.note(Stage::Compute, spans(uses), false)
    }

    /// Opens a batch that comes after what the commands' memory comes after, and keeps what they touch alive.
    fn begin(&mut self, uses: &[Use<'_>]) -> Result<(), RuntimeError> {
        for u in uses {
            self.behind_origin(u.marks())?;
        }
        let (batch, _) = self.open()?;
        for u in uses {
            if u.write {
                batch.host_reads |= u.resource.take_host_barrier()?;
            }
            batch.keep_resource(u.resource);
        }
        Ok(())
    }

    /// Puts the barrier that a command's accesses need into the open batch, and notes them. The batch keeps the buffers
    /// alive already.
    pub(crate) fn order<'a>(
        &mut self,
        stage: Stage,
        uses: impl Iterator<Item = (&'a Marks, AccessRange)> + Clone,
        anything: bool,
    ) -> Result<vk::CommandBuffer, RuntimeError> {
        self.catch_up()?;
        let barrier = self.note(stage, uses, anything)?;
        let Some(batch) = &mut self.open else { return Err(RuntimeError::bug("no open batch")) };
        if let Some(barrier) = barrier {
            batch.barrier(&barrier)?;
        }
        if self.timed.as_ref().is_some_and(Option::is_none) {
            // Behind the barrier, when the device comes to the command. What runs beside it goes on.
            let start = batch.timestamp(&mut self.recycler.queries, vk::PipelineStageFlags::TOP_OF_PIPE)?;
            self.timed = Some(Some(start));
        }
        if self.device.modes.reorder {
            batch.begin_alone()?;
        }
        Ok(batch.commands)
    }

    /// Notes a command's accesses; the barrier that they need. The batch keeps the buffers alive already.
    pub(crate) fn note<'a>(
        &mut self,
        stage: Stage,
        uses: impl Iterator<Item = (&'a Marks, AccessRange)> + Clone,
        anything: bool,
    ) -> Result<Option<MemoryBarrier>, RuntimeError> {
        let Some(batch) = &mut self.open else { return Err(RuntimeError::bug("no open batch")) };
        let (value, index) = (batch.value, self.index);
        if batch.count == 0 && self.last <= self.progress.completed() {
            // What was seen to be done before a submission needs no barrier in it: the timeline's signal made all writes available to the
            // device, and a submission makes what is available so visible to everything on it (Vulkan specification, appendix "Memory
            // Model", "Availability, Visibility, and Domain Operations", of vkQueueSubmit).
            self.hazards.everything();
        }
        batch.count += 1;
        let epoch = self.hazards.epoch();
        let barrier = self.hazards.command(
            anything.then_some(stage),
            uses.clone().map(|(marks, span)| Access {
                resource: marks.id,
                start: span.start,
                end: span.end,
                read: span.read,
                write: span.write,
                stage,
                // In no command since the last barrier: there is nothing to compare with.
                fresh: marks.stream(index).epoch.load(Ordering::Relaxed) != epoch + 1,
            }),
        );
        // Never 0, which is what a new buffer has.
        let epoch = self.hazards.epoch() + 1;
        for (marks, span) in uses {
            let marks = marks.stream(index);
            marks.epoch.store(epoch, Ordering::Relaxed);
            marks.last_use.store(value, Ordering::Release);
            if span.write {
                marks.last_write.store(value, Ordering::Release);
                count(&marks.writes);
            }
        }
        if anything {
            self.progress.anything.store(value, Ordering::Release);
            count(&self.progress.anything_count);
            batch.host_reads = true;
        }
        Ok(barrier)
    }

    /// Notes the accesses of commands that were recorded with a barrier before them, for the open batch, which is theirs.
    pub(crate) fn order_recorded<'a>(
        &mut self,
        uses: impl Iterator<Item = (&'a Marks, AccessRange)> + Clone,
    ) -> Result<(), RuntimeError> {
        self.hazards.everything();
        self.note(Stage::Compute, uses, false).map(drop)
    }

    /// Counts a launch in whose objects the open batch keeps and that is the only command since the last barrier, and puts the
    /// barrier before it that it needs; `None`, and nothing is done, if it is not.
    #[inline]
    pub(crate) fn again(&mut self, launch: u64) -> Result<Option<vk::CommandBuffer>, RuntimeError> {
        let timed = self.timed.is_some();
        let same = |b: &&mut Box<Batch>| b.kept_launch == launch && !b.sealed && !timed;
        let Some(batch) = self.open.as_mut().filter(same) else { return Ok(None) };
        let Some(barrier) = self.hazards.launch_again(launch) else { return Ok(None) };
        batch.count += 1;
        if let Some(barrier) = barrier {
            batch.barrier(&barrier)?;
        }
        Ok(Some(batch.commands))
    }

    /// After a launch: notes that the open batch keeps its objects, and that it is the only command since the last barrier, if
    /// it is.
    pub(crate) fn note_launch(&mut self, launch: u64, accesses: usize) {
        if self.device.modes.reorder {
            // Each command has a command buffer of its own, in which nothing is bound.
            return;
        }
        self.hazards.note_launch(launch, accesses);
        if let Some(batch) = &mut self.open {
            batch.kept_launch = launch;
        }
    }

    /// Puts a barrier after everything recorded so far.
    pub(crate) fn alone(&mut self) -> Result<(), RuntimeError> {
        self.catch_up()?;
        if let Some(barrier) = self.hazards.everything() {
            let (batch, _) = self.open()?;
            batch.count += 1;
            batch.barrier(&barrier)?;
        }
        Ok(())
    }

    /// Returns whether nothing is recorded or under way here, as far as the timeline or a word of their own told.
    pub(crate) fn is_quiet(&mut self) -> Result<bool, RuntimeError> {
        if !self.closed.is_empty() || self.open.as_ref().is_some_and(|b| b.count > 0) {
            return Ok(false);
        }
        let done = |state: &Self| {
            state.last <= state.progress.completed().max(state.progress.word_value.load(Ordering::Acquire))
        };
        if !done(self) {
            self.poll()?;
        }
        Ok(done(self))
    }

    /// Records a timestamp after everything recorded so far.
    pub(crate) fn timestamp(&mut self) -> Result<DeviceTime, RuntimeError> {
        self.catch_up()?;
        let (batch, recycler) = self.open()?;
        batch.timestamp(&mut recycler.queries, vk::PipelineStageFlags::BOTTOM_OF_PIPE)
    }

    /// Returns whether the next commands are timed.
    pub(crate) fn is_timed(&self) -> bool {
        self.timed.is_some()
    }

    /// Records something between two timestamps, which it gives, if it records a command.
    pub(crate) fn timed(
        &mut self,
        record: impl FnOnce(&mut State) -> Result<(), RuntimeError>,
    ) -> Result<Option<StartEnd>, RuntimeError> {
        self.timed = Some(None);
        let result = record(self);
        let start = self.timed.take().flatten();
        result?;
        start.map(|start| Ok((start, self.timestamp()?))).transpose()
    }

    /// Returns whether a launch's objects are bound in the open batch.
    #[inline]
    pub(crate) fn is_bound(&self, launch: (u64, u64)) -> bool {
        self.open.as_ref().is_some_and(|batch| batch.bound.is_launch(launch))
    }

    /// After a command: its value; submits what is recorded where the device has nothing to do.
    #[inline]
    pub(crate) fn recorded(&mut self) -> Result<u64, RuntimeError> {
        let (count, value) = self.open.as_ref().map_or((0, 0), |b| (b.count, b.value));
        let all = self.closed_commands + count;
        if all >= self.check_at && self.is_due(all)? {
            return self.submit_all();
        }
        let value = if count > 0 { value } else { self.last };
        if all > 0 && self.device.tune.at_once > 0 {
            self.progress.note_left(value);
        }
        Ok(value)
    }

    /// Returns whether so many recorded commands shall be submitted although nobody asks for it: the device is out of work, or soon will
    /// be.
    fn is_due(&mut self, all: u32) -> Result<bool, RuntimeError> {
        if all >= BUSY_BATCH_COMMANDS || self.closed.len() >= CLOSED {
            return Ok(true);
        }
        self.check_at = all + all.min(BATCH_COMMANDS);
        self.poll()?;
        let due = match self.in_flight.len() {
            0 if self.at_once > 0 => {
                self.at_once -= 1;
                return Ok(true);
            }
            0 => all >= self.eager,
            1 => all >= BATCH_COMMANDS,
            _ => false,
        };
        if due {
            self.eager = (self.eager * 2).min(BATCH_COMMANDS);
        }
        Ok(due)
    }
}

/// Returns what streams remember of the memory that is used, and which part of it is.
fn spans<'a>(uses: &'a [Use<'_>]) -> impl Iterator<Item = (&'a Marks, AccessRange)> + Clone {
    uses.iter().map(|u| (&**u.marks(), u.span()))
}

/// Counts one more of what is written under the stream's lock alone.
fn count(of: &AtomicU64) {
    of.store(of.load(Ordering::Relaxed) + 1, Ordering::Release);
}

/// This many launches of a batch are noted. With more of them recording is a small part.
const LAUNCHES: usize = 4;

/// This many batches of a submission may have noted launches.
const BATCHES: usize = 2;

impl State {
    /// Returns whether a launch that comes now is [deferred](Self::defer) and not recorded.
    pub(crate) fn records_later(&self) -> bool {
        if !self.device.keeps || self.is_timed() {
            return false;
        }
        match &self.open {
            Some(batch) if batch.count > 0 && !batch.sealed => (1..LAUNCHES).contains(&batch.later.len()),
            // It begins a batch.
            Some(batch) if batch.count > 0 => !batch.later.is_empty() && self.waits_for_nothing(),
            // A test that drops a launch needs a deferred one, whatever is under way.
            _ => self.waits_for_nothing() || self.device.modes.is_to_leave_out(),
        }
    }

    /// Returns whether nothing is under way, as far as was seen, and nothing is to be submitted but a batch of deferred launches.
    fn waits_for_nothing(&self) -> bool {
        let done = self.progress.completed().max(self.progress.word_value.load(Ordering::Acquire));
        self.in_flight.back().is_none_or(|batch| batch.value <= done)
            && self.closed.len() < BATCHES
            && self.closed.iter().all(|batch| batch.ended_later)
    }

    /// Notes a launch that was ordered.
    pub(crate) fn defer(&mut self, launch: Deferred) -> Result<DeferredLaunch, RuntimeError> {
        let stream = self.index;
        let batch = self.open()?.0;
        batch.later.push(launch);
        Ok(DeferredLaunch { point: Point { stream, value: batch.value }, place: batch.later.len() - 1 })
    }

    /// Records the deferred launches.
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
