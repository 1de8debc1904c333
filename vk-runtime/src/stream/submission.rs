//! Handing batches to the device, and taking those apart that it has run.
//!
//! All batches that wait go in one vkQueueSubmit, each with a value of its own for the timeline, so that a batch that somebody
//! watches is seen to be done before those behind it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use ash::vk;
use smallvec::SmallVec;

use crate::device::loss::{self, injected, no_memory};
use crate::device::options::BarrierClass;
use crate::error::{Call, RuntimeError, UserError};
use crate::process::clock::host_time;
use crate::process::event_listener::{self, Activity};
use crate::process::life;
use crate::stream::batch::{Batch, Batches};
use crate::stream::fence::Waitable;
use crate::stream::hazards::HOST_READ_BARRIER;
use crate::stream::shared::Shared;
use crate::stream::state::State;

/// This many batches may be on their way; then recording waits for the oldest.
pub(crate) const IN_FLIGHT: usize = 256;
/// From so many batches on their way on, each submission looks which are done.
const POLL_FROM: usize = 8;

/// The time between two polls of a device that is to give memory back.
const SHORT: Duration = Duration::from_micros(200);
/// Attempts to submit a batch that finds no memory, at least.
const ATTEMPTS: u32 = 3;

/// One batch of a submission.
struct Part {
    commands: SmallVec<[vk::CommandBuffer; 1]>,
    waits: SmallVec<[vk::Semaphore; 2]>,
    wait_values: SmallVec<[u64; 2]>,
    stages: SmallVec<[vk::PipelineStageFlags; 2]>,
    signals: SmallVec<[vk::Semaphore; 2]>,
    values: SmallVec<[u64; 2]>,
}

impl Part {
    fn new(batch: &Batch, timeline: vk::Semaphore, shared: &Shared) -> Self {
        let points = || batch.waits.iter();
        // The values of binary semaphores are not looked at.
        let zeros = |of: &[vk::Semaphore]| std::iter::repeat_n(0, of.len());
        let (others, signals) = (&batch.foreign_waits, &batch.signals);
        Part {
            // A failed batch has none. Its value is signalled nevertheless.
            commands: (!batch.failed).then(|| batch.recorded.unwrap_or(batch.primary)).into_iter().collect(),
            waits: points().map(|p| shared.timeline(p.stream)).chain(others.iter().copied()).collect(),
            wait_values: points().map(|p| p.value).chain(zeros(others)).collect(),
            stages: std::iter::repeat_n(vk::PipelineStageFlags::ALL_COMMANDS, points().len() + others.len())
                .collect(),
            signals: std::iter::once(timeline).chain(signals.iter().copied()).collect(),
            values: std::iter::once(batch.value).chain(zeros(signals)).collect(),
        }
    }

    fn timeline(&self) -> vk::TimelineSemaphoreSubmitInfo<'_> {
        vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&self.wait_values)
            .signal_semaphore_values(&self.values)
    }

    fn info<'a>(&'a self, timeline: &'a mut vk::TimelineSemaphoreSubmitInfo<'_>) -> vk::SubmitInfo<'a> {
        let info = vk::SubmitInfo::default().command_buffers(&self.commands);
        if self.signals.first() == Some(&vk::Semaphore::null()) {
            return info;
        }
        info.wait_semaphores(&self.waits)
            .wait_dst_stage_mask(&self.stages)
            .signal_semaphores(&self.signals)
            .push_next(timeline)
    }
}

impl State {
    /// Ends the open batch, if it has commands; what follows goes into another one.
    pub(crate) fn close(&mut self) -> Result<(), RuntimeError> {
        if self.open.as_ref().is_none_or(|b| b.count == 0) {
            return Ok(());
        }
        let Some(mut batch) = self.open.take() else { return Ok(()) };
        let ended = self.end_commands(&mut batch);
        self.recycler.carry_over(&mut batch);
        self.last = batch.value;
        self.closed_commands += batch.count;
        let ended = match ended {
            Err(e) if e.is_out_of_memory() && !batch.is_relied_on => {
                self.fail(&mut batch, &e);
                Ok(())
            }
            ended => ended,
        };
        self.closed.push(batch);
        ended.map_err(|e| self.lose(e))
    }

    /// Marks a batch that finds no memory. Its commands are not executed, and waits for its value return the error.
    fn fail(&mut self, batch: &mut Batch, error: &RuntimeError) {
        log::error!(
            "device '{}': {error}; the commands that it was for have failed",
            self.device.target.name
        );
        batch.failed = true;
        batch.fail_times(error);
        self.progress.fail(batch.value);
    }

    fn end_commands(&mut self, batch: &mut Batch) -> Result<(), RuntimeError> {
        if batch.recorded.is_some() {
            return Ok(());
        }
        let host_reads =
            batch.host_reads && self.device.modes.drop_barrier != Some(BarrierClass::DeviceToHost);
        if !batch.later.is_empty() {
            batch.ended_later = true;
            let completed = self.progress.completed();
            batch.recorded = self.kept.get(&self.device, &batch.later, host_reads, batch.value, completed);
            if batch.recorded.is_some() {
                return Ok(());
            }
            batch.catch_up(self.index, &mut self.recycler)?;
        }
        if batch.failed {
            return Err(RuntimeError::Driver {
                call: "vkAllocateDescriptorSets",
                result: vk::Result::ERROR_OUT_OF_HOST_MEMORY,
            });
        }
        if self.device.modes.ends.strikes() {
            return Err(no_memory("vkEndCommandBuffer"));
        }
        batch.end_group()?;
        if batch.copy_times() || host_reads {
            batch.barrier(&HOST_READ_BARRIER)?;
        }
        // SAFETY: the command buffer is being recorded, under the stream's lock.
        unsafe { self.device.raw.end_command_buffer(batch.primary) }.call("vkEndCommandBuffer")
    }

    /// Submits all that is recorded, because somebody asks for it; the last value.
    pub(crate) fn flush(&mut self) -> Result<u64, RuntimeError> {
        self.eager = self.device.tune.eager;
        self.sealed_at = None;
        let value = self.submit_all()?;
        // Whoever asks waits next, more often than not.
        self.recycler.prepare(&self.device);
        if self.device.keeps {
            self.kept.prepare(&self.device);
        }
        Ok(value)
    }

    /// Submits all that is recorded because nobody asks for it. Such a program does without clFlush: the next commands are submitted at once.
    pub(crate) fn submit_left(&mut self) -> Result<u64, RuntimeError> {
        self.at_once = self.device.tune.at_once;
        self.flush()
    }

    /// Submits all that is recorded, for somebody who goes on without waiting, unless the device has enough to do: what is recorded meanwhile
    /// goes with it then. The value that is to be submitted soon, if one is left.
    pub(crate) fn hand_over(&mut self) -> Result<Option<u64>, RuntimeError> {
        let open = self.open.as_ref().filter(|batch| batch.count > 0).map(|batch| batch.value);
        if open.is_none() && self.closed.is_empty() {
            return Ok(None);
        }
        let enough = self.device.tune.ahead_of_it;
        if self.in_flight.len() >= enough {
            self.poll()?;
        }
        if self.in_flight.len() >= enough {
            return Ok(Some(open.unwrap_or(self.last)));
        }
        self.flush().map(|_| None)
    }

    /// Submits all that is recorded; the last value.
    pub(crate) fn submit_all(&mut self) -> Result<u64, RuntimeError> {
        self.close()?;
        self.check_at = if self.at_once > 0 { 1 } else { self.eager };
        if self.closed.is_empty() {
            return Ok(self.last);
        }
        let mut batches = std::mem::take(&mut self.closed);
        self.closed_commands = 0;
        let now = host_time();
        batches.iter_mut().for_each(|b| b.submitted_at = now);
        if self.in_flight.is_empty() {
            self.watch.alive = now;
        }
        // Without a timeline each batch is a submission of its own: those before one that fails are on their way.
        let submitted = match self.timeline == vk::Semaphore::null() {
            true => self.submit_apart(&mut batches),
            false => match self.submit(&batches) {
                Err(e) if e.is_out_of_memory() => self.submit_apart(&mut batches),
                submitted => submitted,
            },
        };
        // All of them; after a loss, so that they end.
        self.in_flight.extend(batches.drain(..));
        self.closed = batches;
        if let Err(e) = submitted {
            return Err(self.lose(e));
        }
        let value = self.last;
        self.note_submitted(value);
        // Whoever waits, or wants to write in place, looks for itself.
        if self.in_flight.len() >= POLL_FROM {
            self.poll()?;
        }
        Ok(value)
    }

    fn note_submitted(&self, value: u64) {
        self.progress.submitted.store(value, Ordering::Release);
        self.device.last_values.stream(self.index).store(value, Ordering::Release);
    }

    /// Submits batches one by one. If memory runs out, kept memory is freed and submitted batches are waited for. There are at least
    /// [`ATTEMPTS`]. A batch that still finds none fails, and is submitted without its commands. A submission that fails for lack of memory changes nothing and may be repeated
    /// (Vulkan specification, "Command Buffer Submission", vkQueueSubmit).
    fn submit_apart(&mut self, batches: &mut Batches) -> Result<(), RuntimeError> {
        while !batches.is_empty() {
            let mut batch = batches.remove(0);
            let mut attempts = 0;
            loop {
                attempts += 1;
                let error = match self.submit(std::slice::from_ref(&batch)) {
                    Err(e) if e.is_out_of_memory() => e,
                    submitted => {
                        let value = batch.value;
                        self.in_flight.push_back(batch);
                        submitted?;
                        self.note_submitted(value);
                        break;
                    }
                };
                if attempts == 1 {
                    self.device.pool().empty();
                    self.recycler.trim();
                    continue;
                }
                // Other threads may have given memory back, so it is repeated though nothing is on its way.
                if self.wait_for_oldest()? || attempts < ATTEMPTS {
                    continue;
                }
                if batch.failed || batch.is_relied_on {
                    // An empty submission fails, too, or no event could report the failure.
                    self.in_flight.push_back(batch);
                    return Err(error);
                }
                self.fail(&mut batch, &error);
            }
        }
        Ok(())
    }

    /// Waits, with the lock, until the oldest submitted batch is done, and frees what it kept. Returns whether there was one.
    fn wait_for_oldest(&mut self) -> Result<bool, RuntimeError> {
        let Some(oldest) = self.in_flight.front().map(|batch| batch.value) else { return Ok(false) };
        while self.progress.completed() < oldest {
            std::thread::sleep(SHORT);
            self.poll()?;
        }
        self.recycler.trim();
        Ok(true)
    }

    fn submit(&self, batches: &[Box<Batch>]) -> Result<(), RuntimeError> {
        let device = &self.device;
        // Without commands it takes less.
        if batches.iter().any(|batch| !batch.failed) && device.modes.submissions.strikes() {
            return Err(no_memory("vkQueueSubmit"));
        }
        if device.modes.loses() {
            return Err(injected("vkQueueSubmit"));
        }
        if device.modes.silence().is_some() {
            // Nobody sees what is submitted from now on done.
            device.timeline_value(self.timeline)?;
        }
        let parts: SmallVec<[Part; 1]> =
            batches.iter().map(|b| Part::new(b, self.timeline, &self.shared)).collect();
        let mut timelines: SmallVec<[_; 1]> = parts.iter().map(Part::timeline).collect();
        let infos: SmallVec<[_; 1]> =
            parts.iter().zip(&mut timelines).map(|(part, timeline)| part.info(timeline)).collect();
        let queue = device.lock_queue(self.index);
        if self.timeline != vk::Semaphore::null() {
            // SAFETY: the VkQueue is locked; the command buffers are complete, and what they use is kept alive by the batches
            // until their values are reached; values of the timeline only grow, and those waited for are submitted.
            return unsafe { device.raw.queue_submit(*queue, &infos, vk::Fence::null()) }
                .call("vkQueueSubmit");
        }
        for (batch, info) in batches.iter().zip(&infos) {
            let fence = batch.fence.as_ref().map_or(vk::Fence::null(), |f| f.raw);
            // SAFETY: as above; the fence is new, and the batch's own.
            unsafe { device.raw.queue_submit(*queue, std::slice::from_ref(info), fence) }
                .call("vkQueueSubmit")?;
        }
        Ok(())
    }

    /// Returns what to wait on for a value.
    pub(crate) fn waitable(&self, value: u64) -> Result<Waitable, RuntimeError> {
        if value > self.progress.submitted() {
            let text = format!("waiting for {value}, but the last command has {}", self.last);
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
            Ok(value) if value <= self.progress.completed() => {
                if let Some(first) = self.in_flight.front() {
                    let now = host_time();
                    if self.pace.saw(now.saturating_sub(first.submitted_at.max(self.got_on))) {
                        self.got_on = now;
                    }
                }
                self.watch()
            }
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
    pub(crate) fn retire(&mut self, value: u64) -> Result<(), RuntimeError> {
        let value = value.min(self.progress.submitted());
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
            if event_listener::has_listener() {
                let stream = u64::from(self.index);
                let activity = Activity::Segment { stream, value: batch.value, commands: batch.count };
                event_listener::report(activity, batch.submitted_at);
            }
            if batch.host_reads {
                self.progress.for_host.store(batch.value, Ordering::Release);
            }
            batch.take_kept(&mut self.garbage);
            self.recycler.recycle(batch);
        }
        self.got_on = host_time();
        self.watch.alive = self.got_on;
        self.progress.advance(value);
        Ok(())
    }

    /// Ends all streams of the device: a failed submission or wait leaves nothing that could be waited for. Everything pending
    /// fails, everything recorded is dropped; the other streams see to theirs.
    pub(crate) fn lose(&mut self, error: RuntimeError) -> RuntimeError {
        let account = loss::report(&self.device, &error, &self.kernels_under_way());
        let _ = self.shared.loss.account.set(account);
        let _ = self.shared.loss.error.set(error.clone());
        self.end(&error);
        self.shared.progress.iter().for_each(|progress| progress.wake_up());
        error
    }

    /// The kernels that are recorded or on their way in this stream, each once; empty if there is none.
    pub(crate) fn kernels_under_way(&self) -> String {
        let batches = self.in_flight.iter().chain(&self.closed).chain(&self.open);
        let mut names: Vec<&str> = Vec::new();
        for name in batches.flat_map(|batch| batch.kernel_names()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    /// Ends this stream after a loss.
    pub(crate) fn end(&mut self, error: &RuntimeError) {
        if self.ended {
            return;
        }
        if error.leaves_work() {
            return self.abandon(error);
        }
        self.ended = true;
        self.kept.release();
        let queue = self.device.lock_queue(self.index);
        // What still runs must end before its objects are destroyed; on a lost device this returns at once.
        // SAFETY: the VkQueue is locked.
        let _ = unsafe { self.device.raw.queue_wait_idle(*queue) };
        drop(queue);
        self.watch.is_idle();
        let recorded = self.closed.drain(..).chain(self.open.take());
        for mut batch in self.in_flight.drain(..).chain(recorded) {
            batch.fail_times(error);
            batch.take_kept(&mut self.garbage);
        }
        self.progress.lose(error);
    }

    /// Ends this stream while its device still runs something, perhaps for ever: nothing is waited for, and what the device may use stays until the process
    /// ends, the VkDevice and the timelines included.
    fn abandon(&mut self, error: &RuntimeError) {
        std::mem::forget(self.shared.clone());
        if self.device.workarounds.waits_for_work_at_exit {
            life::leave_drivers_out();
        }
        self.retire_all(error);
    }

    /// Ends this stream, with the process or with a device that hangs: nothing is destroyed that the device may still use.
    pub(crate) fn retire_all(&mut self, error: &RuntimeError) {
        if self.ended {
            return;
        }
        self.ended = true;
        let done = self.progress.completed();
        let recorded = self.closed.drain(..).chain(self.open.take());
        for mut batch in self.in_flight.drain(..).chain(recorded) {
            batch.fail_times(error);
            if batch.value > done {
                std::mem::forget(batch);
            }
        }
        self.progress.lose(error);
    }

    /// Destroys what is left when everything has ended.
    pub(crate) fn clear(&mut self) {
        self.open = None;
        self.closed.clear();
        self.in_flight.clear();
        if self.shared.loss.error.get().is_some_and(RuntimeError::leaves_work) {
            // The device may use what is left.
            return;
        }
        self.watch.clear(&self.device);
        self.recycler.destroy(&self.device);
        self.kept.destroy(&self.device, self.progress.completed());
    }
}
