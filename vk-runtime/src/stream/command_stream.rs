//! One stream of a device: its commands run as if in order. Batches are being recorded, on their way, or done.
//!
//! The lock is held while recording and submitting, never while waiting, and never two streams' at once. Values are those of
//! batches: a command is done when its batch is.
//!
//! | module | what it is |
//! |---|---|
//! | [`device_streams`](crate::stream::device_streams) | what the streams of a device have in common |
//! | [`state`](crate::stream::state) | recording: barriers, what is kept alive, who waits for other streams |
//! | [`submission`](crate::stream::submission) | handing batches to the device, and taking them apart |
//! | [`wait_leader`](crate::stream::wait_leader) | whose turn it is to wait |

use crate::stream::fence::Waitable;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use timeline::sync::{Mutex, MutexGuard};

use ash::vk;

use crate::device::logical::DeviceInner;
use crate::device::loss::injected;
use crate::error::RuntimeError;
use crate::process::clock::{host_time, nanos};
use crate::stream::polling::Pollers;
use crate::stream::progress::{Progress, WAIT_STEP};
use crate::stream::run_time::RunTime;
use crate::stream::shared::Shared;
use crate::stream::state::State;
use crate::stream::submission::IN_FLIGHT;
use crate::stream::wait_leader::{Turn, WaitLeader};
use timeline::{Point, Points};

/// Who looks at a word asks the timeline so seldom: it costs more than a look.
const ASK: Duration = Duration::from_micros(5);
/// This many looks for each at the clock.
const LOOKS: u32 = 4;

/// A stream of a device.
pub(crate) struct Stream {
    /// Its number.
    pub(crate) index: u32,
    pub(crate) progress: Arc<Progress>,
    /// Null without timeline semaphores: then each batch has a fence.
    timeline: vk::Semaphore,
    lookers: Pollers,
    turns: WaitLeader,
    /// When somebody who polls last looked whether the device is lost.
    polled: AtomicU64,
    /// How long its batches run.
    pub(crate) pace: Arc<RunTime>,
    state: Mutex<State>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) device: Arc<DeviceInner>,
}

impl Stream {
    pub(crate) fn new(shared: &Arc<Shared>, index: u32) -> Self {
        let state = State::new(shared, index);
        Stream {
            index,
            progress: state.progress.clone(),
            timeline: shared.timeline(index),
            lookers: Pollers::default(),
            turns: WaitLeader::default(),
            polled: AtomicU64::new(0),
            pace: state.pace.clone(),
            state: Mutex::new(state),
            shared: shared.clone(),
            device: shared.device.clone(),
        }
    }

    #[inline]
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, State>, RuntimeError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.shared.loss.error.get() {
            None => Ok(state),
            Some(error) => Err(self.end(state, error)),
        }
    }

    /// The device is lost: what this stream has ends, if that was not seen to yet.
    #[cold]
    fn end(&self, mut state: MutexGuard<'_, State>, error: &RuntimeError) -> RuntimeError {
        let kernels = state.kernels_under_way();
        if !kernels.is_empty() {
            log::error!("device '{}': on their way in another stream: {kernels}", self.device.target.name);
        }
        state.end(error);
        self.leave_quietly(state);
        error.clone()
    }

    /// A moment of this stream.
    pub(crate) fn point(&self, value: u64) -> Point {
        Point { stream: self.index, value }
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
        throttle.map_or(Ok(()), |value| self.wait_reached(value))
    }

    /// Submits what is recorded up to a value.
    pub(crate) fn submit_up_to(&self, value: u64) -> Result<(), RuntimeError> {
        if self.progress.submitted() >= value {
            return self.shared.loss.check();
        }
        let mut state = self.lock()?;
        if value > self.progress.submitted() {
            state.flush()?;
        }
        self.leave(state)
    }

    /// Submits commands that were left for later, because nobody asks for them. The next commands are submitted at once.
    pub(crate) fn submit_left(&self, value: u64) -> Result<(), RuntimeError> {
        let mut state = self.lock()?;
        if value > self.progress.submitted() {
            state.submit_left()?;
        }
        self.leave_quietly(state);
        Ok(())
    }

    /// Orders commands that are recorded from now on after points of other streams that are submitted.
    pub(crate) fn behind(&self, points: &Points) -> Result<(), RuntimeError> {
        let mut state = self.lock()?;
        state.behind(points)?;
        self.leave(state)
    }

    /// Nothing that is recorded from now on delays a value.
    pub(crate) fn seal(&self, value: u64) -> Result<(), RuntimeError> {
        if self.progress.submitted() < value {
            self.lock()?.seal(value);
        }
        Ok(())
    }

    /// Waits for a value, without the lock; submits first where needed. Runs no callbacks.
    ///
    /// # Errors
    /// Driver when the device is lost, or where the value's commands found no memory.
    pub(crate) fn wait(&self, value: u64) -> Result<(), RuntimeError> {
        self.wait_reached(value)?;
        self.progress.outcome(value)
    }

    /// As [`wait`](Self::wait), also for commands that found no memory.
    pub(crate) fn wait_reached(&self, value: u64) -> Result<(), RuntimeError> {
        if self.progress.completed() < value {
            self.progress.foreground.store(value, Ordering::Relaxed);
            let mut waited = Ok(());
            while self.progress.completed() < value && waited.is_ok() {
                waited = self.wait_step(value, false);
            }
            self.progress.foreground.store(0, Ordering::Relaxed);
            self.progress.left_alone();
            waited?;
        }
        self.shared.loss.check()
    }

    /// Waits for a value that a word in the host's memory tells of, too, mostly before the timeline does. Returns whether the word told. Runs no callbacks.
    pub(crate) fn wait_for_word(
        &self,
        value: u64,
        is_written: impl Fn() -> bool,
    ) -> Result<bool, RuntimeError> {
        let progress = &self.progress;
        progress.foreground.store(value, Ordering::Relaxed);
        let seen = self.look_at_word(value, is_written);
        progress.foreground.store(0, Ordering::Relaxed);
        if !seen {
            return self.wait(value).map(|()| false);
        }
        progress.word_value.fetch_max(value, Ordering::AcqRel);
        progress.left_alone();
        self.shared.loss.check().map(|()| true)
    }

    /// Looks until a word tells of a value, or the timeline does, or for as long as that is better than to be woken. Returns whether the word did.
    fn look_at_word(&self, value: u64, is_written: impl Fn() -> bool) -> bool {
        let mut looker = self.lookers.join(&self.device.tune, false);
        let mut ask_at = ASK;
        loop {
            for _ in 0..LOOKS {
                if is_written() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if looker.looked >= ask_at {
                if self.progress.completed() >= value || self.may_have_reached(value) {
                    return is_written();
                }
                ask_at = looker.looked + ASK;
            }
            if !looker.rest() {
                return false;
            }
        }
    }

    /// Waits for a value for a bounded time, and takes finished batches apart. `brief`: it does not look for long first.
    pub(crate) fn wait_step(&self, value: u64, brief: bool) -> Result<(), RuntimeError> {
        let waitable = {
            let mut state = self.lock()?;
            if value > self.progress.submitted() {
                state.flush()?;
            }
            let waitable = state.waitable(value)?;
            self.leave_quietly(state);
            waitable
        };
        match waitable {
            Waitable::Done => Ok(()),
            _ if self.device.modes.loses() => self.note(Err(injected("vkWaitSemaphores"))),
            Waitable::Timeline => self.wait_timeline(value, brief),
            Waitable::Fence(fence) => {
                // SAFETY: the fence is alive (by the Arc) and of a submitted batch.
                let waited = unsafe { self.device.raw.wait_for_fences(&[fence.raw], true, STEP) };
                match waited {
                    Ok(()) => self.note(Ok(value)),
                    Err(vk::Result::TIMEOUT) => self.poll(),
                    Err(result) => self.note(Err(RuntimeError::Driver { call: "vkWaitForFences", result })),
                }
            }
        }
    }

    /// Looks until a value is reached, or for as long as that is better than to be woken. Returns whether it is reached.
    fn look(&self, value: u64, brief: bool) -> Result<bool, RuntimeError> {
        if !self.device.waits_by_looking {
            return Ok(false);
        }
        let mut looker = self.lookers.join(&self.device.tune, brief);
        // Where the timeline stood at the last look, and since when.
        let (mut stands_at, mut since) = (0, Duration::ZERO);
        let result = loop {
            if self.progress.completed() >= value {
                break Ok(true);
            }
            let reached = looker.ask(|| self.device.timeline_value(self.timeline));
            if let Some(Ok(reached)) = reached
                && reached != stands_at
                && reached < value
            {
                self.pace.saw(nanos(looker.looked.saturating_sub(since)));
                (stands_at, since) = (reached, looker.looked);
            }
            match reached {
                Some(Ok(reached)) if reached >= value => self.note(Ok(reached))?,
                Some(Ok(reached)) if reached > self.progress.completed() && looker.has_company() => {
                    self.note(Ok(reached))?;
                }
                Some(Err(e)) => self.note(Err(e))?,
                Some(Ok(_)) | None if !looker.rest() => break Ok(false),
                Some(Ok(_)) | None => self.shared.loss.check()?,
            }
        };
        self.pace.saw(nanos(looker.looked.saturating_sub(since)));
        result
    }

    /// Looks for a while, then takes a turn with the other threads that wait for this timeline.
    fn wait_timeline(&self, value: u64, brief: bool) -> Result<(), RuntimeError> {
        if self.look(value, brief)? {
            return Ok(());
        }
        let reached = || match self.shared.loss.error.get() {
            None => self.progress.completed(),
            Some(_) => u64::MAX,
        };
        match self.turns.take(value, WAIT_STEP, reached) {
            Turn::Wait(target) => {
                let noted = match self.device.wait_timeline(self.timeline, target, self.step()) {
                    Ok(true) => self.note(Ok(target)),
                    // The timeline may not tell why.
                    Ok(false) => self.poll(),
                    Err(e) => self.note(Err(e)),
                };
                self.turns.end();
                noted
            }
            Turn::Look if self.progress.completed() >= value => Ok(()),
            Turn::Look if self.may_have_reached(value) => self.poll(),
            Turn::Look => self.shared.loss.check(),
        }
    }

    /// Returns how long one wait on the timeline lasts, in nanoseconds.
    fn step(&self) -> u64 {
        STEP.min(nanos(self.device.tune.watch))
    }

    /// Takes the batches up to a value apart that the device has reached.
    fn note(&self, reached: Result<u64, RuntimeError>) -> Result<(), RuntimeError> {
        let mut state = self.lock()?;
        let result = match reached {
            Ok(value) => state.retire(value),
            Err(e) => Err(state.lose(e)),
        };
        self.leave_quietly(state);
        result
    }

    /// The process is ending: waits until the deadline for what the driver has. Returns whether it has nothing left.
    pub(crate) fn settle(&self, deadline: Instant) -> bool {
        // Never a wait for the lock: a signal's handler may have called exit on the thread that has it.
        while let Err(TryLockError::WouldBlock) = self.state.try_lock() {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        loop {
            // What ends may bring more.
            let last = self.progress.submitted();
            if self.progress.completed() >= last {
                return true;
            }
            // A device that is lost does nothing more.
            if self.wait_step(last, false).is_err() {
                return true;
            }
            if Instant::now() >= deadline {
                return self.progress.completed() >= last;
            }
        }
    }

    /// Ends the stream with the process. Commands that were only recorded are dropped; what the device is not done with is left to it. Every
    /// later call fails.
    pub(crate) fn retire(&self, error: &RuntimeError) {
        let Ok(mut state) = self.state.try_lock() else { return };
        state.retire_all(error);
        drop(state);
        self.progress.dismiss();
        self.progress.run_ready();
    }

    /// Returns whether it is worth a look under the lock if a submitted value is done.
    pub(crate) fn may_have_reached(&self, value: u64) -> bool {
        self.timeline == vk::Semaphore::null()
            || self.device.timeline_value(self.timeline).map_or(true, |reached| reached >= value)
    }

    /// Looks whether the device is lost, now and then, for somebody who polls a value that it has not reached.
    pub(crate) fn poll_loss(&self) -> Result<(), RuntimeError> {
        let (now, last) = (host_time(), self.polled.load(Ordering::Relaxed));
        if now.saturating_sub(last) < nanos(self.device.tune.watch) / 2 {
            return Ok(());
        }
        self.polled.store(now, Ordering::Relaxed);
        self.poll()
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

/// [`WAIT_STEP`] in nanoseconds.
const STEP: u64 = WAIT_STEP.as_nanos() as u64;

impl Drop for Stream {
    fn drop(&mut self) {
        // The drop of all streams has waited for everything; without it (a failed start) nothing was recorded.
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
