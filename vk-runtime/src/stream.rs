//! The stream behind a queue: batches being recorded, on their way, and done.
//!
//! The lock is held while recording and submitting, never while waiting. Values are those of batches: a command is done
//! when its batch is.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use ash::vk;

use crate::batch::{Batch, Recycler};
use crate::buffer::{BufferInner, Marks};
use crate::device::{BarrierClass, DeviceInner};
use crate::error::{Call, RuntimeError, UserError};
use crate::hazards::{Access, HOST_READ_BARRIER, Hazards, Stage};
use crate::life;
use crate::loss::{self, injected};
use crate::progress::{Progress, WAIT_STEP};
use crate::time::{DeviceTime, host_time};

/// A batch is submitted after so many commands.
const BATCH_COMMANDS: u32 = 64;
/// The same while so much is under way that the device has work anyway: a submission costs as much as recording dozens of
/// commands.
const BUSY_BATCH_COMMANDS: u32 = 1024;
/// So many batches may be on their way; then recording waits for the oldest.
const IN_FLIGHT: usize = 256;
/// From so many batches on their way on, each submission looks which are done.
const POLL_FROM: usize = 8;

/// The stream of one device.
pub(crate) struct Stream {
    pub(crate) progress: Arc<Progress>,
    /// Null without timeline semaphores: then each batch has a fence.
    timeline: vk::Semaphore,
    state: Mutex<State>,
    pub(crate) device: Arc<DeviceInner>,
}

/// Everything behind the stream's lock.
pub(crate) struct State {
    pub(crate) device: Arc<DeviceInner>,
    pub(crate) progress: Arc<Progress>,
    timeline: vk::Semaphore,
    submitted: u64,
    open: Option<Batch>,
    /// From so many commands on the open batch is looked at.
    check_at: u32,
    in_flight: VecDeque<Batch>,
    pub(crate) recycler: Recycler,
    hazards: Hazards,
    /// The value of the last command that may have touched any memory.
    anything: u64,
    /// What finished batches kept alive: dropped without the lock.
    garbage: Vec<Arc<dyn Any + Send + Sync>>,
}

/// What a command does to a part of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Use<'a> {
    pub(crate) buffer: &'a Arc<BufferInner>,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) read: bool,
    pub(crate) write: bool,
}

/// Which bytes a command touches, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) read: bool,
    pub(crate) write: bool,
}

/// What to wait on for a value.
enum Waitable {
    Done,
    Timeline,
    Fence(Arc<Fence>),
}

/// A batch's fence, where there are no timeline semaphores.
pub(crate) struct Fence {
    pub(crate) raw: vk::Fence,
    pub(crate) device: Arc<DeviceInner>,
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: batches and waiting threads hold an Arc of it, so it is in no pending submission; destroyed once.
        unsafe { self.device.raw.destroy_fence(self.raw, None) };
    }
}

impl Stream {
    pub(crate) fn new(device: &Arc<DeviceInner>) -> Result<Self, RuntimeError> {
        // Values go on from where an earlier stream of the device ended: buffers remember them.
        let first = device.last_value.load(Ordering::Acquire);
        let mut timeline = vk::Semaphore::null();
        if device.target.features.timeline_semaphore {
            let mut kind = vk::SemaphoreTypeCreateInfo::default()
                .semaphore_type(vk::SemaphoreType::TIMELINE)
                .initial_value(first);
            let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
            // SAFETY: the device is alive and has the feature enabled.
            timeline = unsafe { device.raw.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
            device.name(timeline, "pumice timeline");
        }
        let progress = Arc::new(Progress::default());
        progress.submitted.store(first, Ordering::Release);
        progress.completed.store(first, Ordering::Release);
        let state = State {
            device: device.clone(),
            progress: progress.clone(),
            timeline,
            submitted: first,
            open: None,
            check_at: BATCH_COMMANDS,
            in_flight: VecDeque::new(),
            recycler: Recycler::default(),
            hazards: Hazards::new(device.modes.drop_barrier),
            anything: 0,
            garbage: Vec::new(),
        };
        Ok(Stream { progress, timeline, state: Mutex::new(state), device: device.clone() })
    }

    #[inline]
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, State>, RuntimeError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.progress.check()?;
        Ok(state)
    }

    /// Records under the lock; returns what `record` gives and the value of it all.
    pub(crate) fn record<T>(
        &self,
        record: impl FnOnce(&mut State) -> Result<T, RuntimeError>,
    ) -> Result<(T, u64), RuntimeError> {
        let mut state = self.lock()?;
        let result = record(&mut state)?;
        let value = state.recorded()?;
        self.leave(state)?;
        Ok((result, value))
    }

    /// Gives the lock back after recording: drops garbage, and waits where too much is on its way.
    #[inline]
    pub(crate) fn leave(&self, state: MutexGuard<'_, State>) -> Result<(), RuntimeError> {
        if state.garbage.is_empty() && state.in_flight.len() <= IN_FLIGHT {
            return Ok(());
        }
        self.leave_slowly(state)
    }

    #[cold]
    fn leave_slowly(&self, mut state: MutexGuard<'_, State>) -> Result<(), RuntimeError> {
        let garbage = std::mem::take(&mut state.garbage);
        let throttle = if state.in_flight.len() > IN_FLIGHT {
            state.in_flight.get(IN_FLIGHT / 2).map(|b| b.value)
        } else {
            None
        };
        drop(state);
        drop(garbage);
        throttle.map_or(Ok(()), |value| self.wait(value))
    }

    /// Submits the open batch when it has this value.
    pub(crate) fn submit_up_to(&self, value: u64) -> Result<(), RuntimeError> {
        let mut state = self.lock()?;
        if state.submitted < value {
            state.flush()?;
        }
        self.leave(state)
    }

    /// Waits for a value, without the lock; submits first where needed. Runs no callbacks.
    pub(crate) fn wait(&self, value: u64) -> Result<(), RuntimeError> {
        while self.progress.completed() < value {
            self.wait_step(value)?;
        }
        self.progress.check()
    }

    /// Waits for a value for a bounded time, and takes finished batches apart.
    pub(crate) fn wait_step(&self, value: u64) -> Result<(), RuntimeError> {
        let timeout = u64::try_from(WAIT_STEP.as_nanos()).unwrap_or(u64::MAX);
        let waitable = {
            let mut state = self.lock()?;
            if value > state.submitted {
                state.flush()?;
            }
            let waitable = state.waitable(value)?;
            self.leave_quietly(state);
            waitable
        };
        let waited = match waitable {
            Waitable::Done => Ok(true),
            _ if self.device.modes.loses() => Err(injected("vkWaitSemaphores")),
            Waitable::Timeline if self.device.spin_timeline(self.timeline, value)? => Ok(true),
            Waitable::Timeline => self.device.wait_timeline(self.timeline, value, timeout),
            Waitable::Fence(fence) => {
                // SAFETY: the fence is alive (by the Arc) and of a submitted batch.
                match unsafe { self.device.raw.wait_for_fences(&[fence.raw], true, timeout) } {
                    Ok(()) => Ok(true),
                    Err(vk::Result::TIMEOUT) => Ok(false),
                    Err(result) => Err(RuntimeError::Driver { call: "vkWaitForFences", result }),
                }
            }
        };
        let mut state = self.lock()?;
        let result = match waited {
            Ok(true) => state.retire(value),
            Ok(false) => Ok(()),
            Err(e) => Err(state.lose(e)),
        };
        self.leave_quietly(state);
        result
    }

    /// The process is ending: waits until the deadline for what the driver has, and ends the stream. What was recorded only
    /// is dropped; what the device is not done with is left to it. Every later call fails.
    pub(crate) fn retire(&self, deadline: Instant) {
        // Never a wait for the lock: a signal's handler may have called exit on the thread that has it.
        while let Err(TryLockError::WouldBlock) = self.state.try_lock() {
            if Instant::now() >= deadline {
                return;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        let last = self.progress.submitted();
        while self.progress.completed() < last && Instant::now() < deadline {
            if self.wait_step(last).is_err() {
                break;
            }
        }
        let Ok(mut state) = self.lock() else { return };
        let (error, done) = (life::too_late(), self.progress.completed());
        for batch in std::mem::take(&mut state.in_flight).into_iter().chain(state.open.take()) {
            let mut batch = batch;
            batch.fail_times(&error);
            if batch.value > done {
                std::mem::forget(batch);
            }
        }
        self.progress.lose(&error);
        drop(state);
        self.progress.dismiss();
        self.progress.run_ready();
    }

    /// Whether it is worth a look under the lock if a submitted value is done.
    pub(crate) fn may_have_reached(&self, value: u64) -> bool {
        self.timeline == vk::Semaphore::null()
            || self.device.timeline_value(self.timeline).map_or(true, |reached| reached >= value)
    }

    /// Looks what is done, without waiting.
    pub(crate) fn poll(&self) -> Result<(), RuntimeError> {
        let mut state = self.lock()?;
        let result = state.poll();
        self.leave_quietly(state);
        result
    }

    fn leave_quietly(&self, mut state: MutexGuard<'_, State>) {
        let garbage = std::mem::take(&mut state.garbage);
        drop(state);
        drop(garbage);
    }
}

impl State {
    /// The batch that is being recorded, and what its parts come from.
    pub(crate) fn open(&mut self) -> Result<(&mut Batch, &mut Recycler), RuntimeError> {
        if self.open.is_none() {
            self.open = Some(self.recycler.begin(&self.device, self.submitted + 1)?);
        }
        match &mut self.open {
            Some(batch) => Ok((batch, &mut self.recycler)),
            None => Err(RuntimeError::bug("no open batch")),
        }
    }

    /// Opens a batch for a command: puts the barrier that its accesses need, notes them, keeps its buffers alive.
    pub(crate) fn command(
        &mut self,
        stage: Stage,
        uses: &[Use<'_>],
        anything: bool,
    ) -> Result<vk::CommandBuffer, RuntimeError> {
        let (batch, _) = self.open()?;
        for u in uses {
            if u.write {
                batch.host_reads |= u.buffer.part()?.is_mapped();
            }
            batch.keep(u.buffer.storage());
        }
        let spans = uses.iter().map(|u| {
            let span = Span { start: u.start, end: u.end, read: u.read, write: u.write };
            (&*u.buffer.marks, span)
        });
        self.order(stage, spans, anything)
    }

    /// Puts the barrier that a command's accesses need into the open batch, and notes them. The batch keeps the buffers
    /// alive already.
    pub(crate) fn order<'a>(
        &mut self,
        stage: Stage,
        uses: impl Iterator<Item = (&'a Marks, Span)> + Clone,
        anything: bool,
    ) -> Result<vk::CommandBuffer, RuntimeError> {
        let Some(batch) = &mut self.open else { return Err(RuntimeError::bug("no open batch")) };
        let value = batch.value;
        batch.count += 1;
        let epoch = self.hazards.epoch();
        let barrier = self.hazards.command(
            anything.then_some(stage),
            uses.clone().map(|(marks, span)| Access {
                buffer: marks.id,
                start: span.start,
                end: span.end,
                read: span.read,
                write: span.write,
                stage,
                // In no command since the last barrier: there is nothing to compare with.
                fresh: marks.epoch.load(Ordering::Relaxed) != epoch + 1,
            }),
        );
        if let Some(barrier) = barrier {
            batch.barrier(&barrier)?;
        }
        if self.device.modes.reorder {
            batch.begin_alone()?;
        }
        // Never 0, which is what a new buffer has.
        let epoch = self.hazards.epoch() + 1;
        for (marks, span) in uses {
            marks.epoch.store(epoch, Ordering::Relaxed);
            marks.last_use.store(value, Ordering::Relaxed);
            if span.write {
                marks.last_write.store(value, Ordering::Relaxed);
            }
        }
        if anything {
            self.anything = value;
            batch.host_reads = true;
        }
        Ok(batch.commands)
    }

    /// Counts a launch in whose objects the open batch keeps and that is the only command since the last barrier, and puts the
    /// barrier before it that it needs; `None`, and nothing is done, if it is not.
    pub(crate) fn again(&mut self, launch: u64) -> Result<Option<vk::CommandBuffer>, RuntimeError> {
        let Some(batch) = self.open.as_mut().filter(|b| b.kept_launch == launch) else { return Ok(None) };
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
        if let Some(barrier) = self.hazards.everything() {
            let (batch, _) = self.open()?;
            batch.count += 1;
            batch.barrier(&barrier)?;
        }
        Ok(())
    }

    /// Records a timestamp.
    pub(crate) fn timestamp(&mut self) -> Result<DeviceTime, RuntimeError> {
        let (batch, recycler) = self.open()?;
        batch.timestamp(&mut recycler.queries)
    }

    /// After a command: its value; submits a full batch.
    pub(crate) fn recorded(&mut self) -> Result<u64, RuntimeError> {
        let (count, value) = self.open.as_ref().map_or((0, 0), |b| (b.count, b.value));
        if count >= self.check_at && self.is_full()? {
            return self.flush();
        }
        Ok(if count > 0 { value } else { self.submitted })
    }

    /// Whether the open batch shall be submitted although nobody asks for it: the device is about to run out of work.
    fn is_full(&mut self) -> Result<bool, RuntimeError> {
        let count = self.open.as_ref().map_or(0, |b| b.count);
        if count >= BUSY_BATCH_COMMANDS {
            return Ok(true);
        }
        self.check_at = count + BATCH_COMMANDS;
        self.poll()?;
        Ok(self.in_flight.len() <= 1)
    }

    /// Submits the open batch.
    pub(crate) fn flush(&mut self) -> Result<u64, RuntimeError> {
        if self.open.as_ref().is_none_or(|b| b.count == 0) {
            return Ok(self.submitted);
        }
        let Some(mut batch) = self.open.take() else { return Ok(self.submitted) };
        self.check_at = BATCH_COMMANDS;
        batch.submitted_at = if batch.queries.is_empty() { 0 } else { host_time() };
        let submitted = self.submit(&mut batch);
        let value = batch.value;
        self.in_flight.push_back(batch);
        if let Err(e) = submitted {
            return Err(self.lose(e));
        }
        self.submitted = value;
        self.progress.submitted.store(value, Ordering::Release);
        self.device.last_value.store(value, Ordering::Release);
        // Whoever waits, or wants to write in place, looks for itself.
        if self.in_flight.len() >= POLL_FROM {
            self.poll()?;
        }
        Ok(value)
    }

    fn submit(&self, batch: &mut Batch) -> Result<(), RuntimeError> {
        let device = &self.device;
        batch.end_group()?;
        if batch.host_reads && device.modes.drop_barrier != Some(BarrierClass::DeviceToHost) {
            batch.barrier(&HOST_READ_BARRIER)?;
        }
        // SAFETY: the command buffer is being recorded, under the stream's lock.
        unsafe { device.raw.end_command_buffer(batch.primary) }.call("vkEndCommandBuffer")?;
        if device.modes.loses() {
            return Err(injected("vkQueueSubmit"));
        }
        let (commands, semaphores, values) = ([batch.primary], [self.timeline], [batch.value]);
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let mut info = vk::SubmitInfo::default().command_buffers(&commands);
        if self.timeline != vk::Semaphore::null() {
            info = info.signal_semaphores(&semaphores).push_next(&mut timeline);
        }
        let fence = batch.fence.as_ref().map_or(vk::Fence::null(), |f| f.raw);
        let queue = device.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the VkQueue is locked; the command buffer is complete, and what it uses is kept alive by the batch
        // until the value (or the fence) is reached; values of the timeline only grow.
        unsafe { device.raw.queue_submit(*queue, &[info], fence) }.call("vkQueueSubmit")
    }

    fn waitable(&self, value: u64) -> Result<Waitable, RuntimeError> {
        if value > self.submitted {
            let text = format!("waiting for {value}, but the last command has {}", self.submitted);
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        if value <= self.progress.completed() {
            return Ok(Waitable::Done);
        }
        if self.timeline != vk::Semaphore::null() {
            return Ok(Waitable::Timeline);
        }
        // A fence is signalled after everything submitted before it.
        let batch = self.in_flight.iter().find(|b| b.value >= value);
        Ok(batch.and_then(|b| b.fence.clone()).map_or(Waitable::Done, Waitable::Fence))
    }

    /// Looks what is done, without waiting.
    pub(crate) fn poll(&mut self) -> Result<(), RuntimeError> {
        if self.in_flight.is_empty() {
            return Ok(());
        }
        match self.reached() {
            Ok(value) => self.retire(value),
            Err(e) => Err(self.lose(e)),
        }
    }

    /// The value that the device has reached.
    fn reached(&self) -> Result<u64, RuntimeError> {
        if self.timeline != vk::Semaphore::null() {
            return self.device.timeline_value(self.timeline);
        }
        let mut reached = self.progress.completed();
        for batch in &self.in_flight {
            let Some(fence) = &batch.fence else { break };
            // SAFETY: the fence of a submitted batch, alive.
            if unsafe { self.device.raw.get_fence_status(fence.raw) }.call("vkGetFenceStatus")? {
                reached = batch.value;
            } else {
                break;
            }
        }
        Ok(reached)
    }

    /// Takes the batches up to a value apart, which the device has reached.
    fn retire(&mut self, value: u64) -> Result<(), RuntimeError> {
        let value = value.min(self.submitted);
        if value <= self.progress.completed() {
            return Ok(());
        }
        while self.in_flight.front().is_some_and(|b| b.value <= value)
            && let Some(mut batch) = self.in_flight.pop_front()
        {
            if let Err(e) = batch.read_times() {
                self.in_flight.push_front(batch);
                return Err(self.lose(e));
            }
            batch.take_kept(&mut self.garbage);
            self.recycler.recycle(batch);
        }
        self.progress.advance(value);
        Ok(())
    }

    /// The last value that a buffer's commands have.
    pub(crate) fn last_use(&self, buffer: &BufferInner) -> u64 {
        self.anything.max(buffer.marks.last_use.load(Ordering::Relaxed))
    }

    /// The value of the last command that may have written a buffer.
    pub(crate) fn last_write(&self, buffer: &BufferInner) -> u64 {
        self.anything.max(buffer.marks.last_write.load(Ordering::Relaxed))
    }

    /// Whether no unfinished command uses a buffer.
    pub(crate) fn is_idle(&self, buffer: &BufferInner) -> bool {
        self.last_use(buffer) <= self.progress.completed()
    }

    /// Ends the stream: a failed submission or wait leaves nothing that could be waited for. Everything pending fails,
    /// everything recorded is dropped.
    fn lose(&mut self, error: RuntimeError) -> RuntimeError {
        loss::report(&self.device, &error, self.in_flight.iter().chain(&self.open));
        let queue = self.device.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // What still runs must end before its objects are destroyed; on a lost device this returns at once.
        // SAFETY: the VkQueue is locked.
        let _ = unsafe { self.device.raw.queue_wait_idle(*queue) };
        drop(queue);
        for mut batch in self.in_flight.drain(..).chain(self.open.take()) {
            batch.fail_times(&error);
            batch.take_kept(&mut self.garbage);
        }
        self.progress.lose(&error);
        error
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        // The queue's drop has waited for everything; without it (a failed start) nothing was recorded.
        state.open = None;
        state.in_flight.clear();
        state.recycler.destroy(&self.device);
        // SAFETY: no submission that signals it is pending; of this device (or null), destroyed once.
        unsafe { self.device.raw.destroy_semaphore(self.timeline, None) };
    }
}
