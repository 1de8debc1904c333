//! How far a stream is, and who wants to know: completion callbacks and the background thread.
//!
//! Callbacks wait in `pending`, by value. Whoever moves `completed` forward moves them to `ready`; they are run by a
//! waiting thread or the background thread, one at a time, in the order of their values, with no lock held.
//!
//! Invariants:
//! - `completed <= submitted`; both only grow.
//! - A callback is in `pending`, in `ready`, or has been run; after the stream has ended by a loss, `pending` is empty.
//! - Only the thread that set `running` runs callbacks.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use timeline::sync::{Condvar, Mutex, MutexGuard, assert_no_lock};

use crate::error::RuntimeError;
use crate::process::life::{self, Life};
use crate::stream::command_stream::Stream;

/// A function that runs when a value is reached.
pub(crate) type Then = Box<dyn FnOnce(Result<(), RuntimeError>) + Send>;

/// How long recorded commands lie before the background thread submits them.
pub(crate) const MOMENT: Duration = Duration::from_micros(150);
/// How long it looks for commands that are left for later after the last new ones.
const LINGER: Duration = Duration::from_millis(20);
/// How far apart its looks are at most. A program that leaves commands lying is noticed so late.
const APART: Duration = Duration::from_millis(1);
/// One uninterrupted wait on the device: between them it looks whether the device was lost or the queue dropped.
pub(crate) const WAIT_STEP: Duration = Duration::from_millis(100);

/// The error of commands that could not be submitted.
const NO_MEMORY: RuntimeError =
    RuntimeError::Driver { call: "vkQueueSubmit", result: ash::vk::Result::ERROR_OUT_OF_HOST_MEMORY };

#[derive(Default)]
pub(crate) struct Progress {
    /// The last value that was handed to the driver.
    pub(crate) submitted: AtomicU64,
    /// The last value whose batch was seen to be done and was taken apart.
    pub(crate) completed: AtomicU64,
    /// The last of those values whose batch had a barrier for the host's reads: what was written up to it is there for the host.
    pub(crate) for_host: AtomicU64,
    /// A value that all commands up to were told to be done of (`transfer/completion_word.rs`): the timeline is about to reach it.
    pub(crate) word_value: AtomicU64,
    /// The value that a thread of the user waits for just now; 0: none. A hint only.
    pub(crate) foreground: AtomicU64,
    /// A value that is to be submitted soon, whether or not anybody asks again.
    pub(crate) wanted: AtomicU64,
    /// The value of the last command that was recorded and left for later. The background thread submits it if nobody asks for it.
    left: AtomicU64,
    /// Commands that are left for later wake the background thread.
    pub(crate) sleeps: AtomicBool,
    /// The stream, for the background thread.
    pub(crate) stream: OnceLock<Weak<Stream>>,
    /// The value of the last command that may have touched any memory.
    pub(crate) anything: AtomicU64,
    /// How many such commands there were.
    pub(crate) anything_count: AtomicU64,
    pub(crate) loss: Arc<Loss>,
    /// Values whose commands were not executed, because memory was lacking.
    failures: Failures,
    callbacks: Mutex<Callbacks>,
    pub(crate) wake: Condvar,
}

/// The values of batches that failed, in order. Few programs have any.
#[derive(Default)]
struct Failures {
    any: AtomicBool,
    values: Mutex<Vec<u64>>,
}

impl Failures {
    fn values(&self) -> Option<MutexGuard<'_, Vec<u64>>> {
        let any = self.any.load(Ordering::Acquire);
        any.then(|| self.values.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Default)]
pub(crate) struct Callbacks {
    pub(crate) pending: VecDeque<(u64, Then)>,
    pub(crate) ready: VecDeque<(Then, Result<(), RuntimeError>)>,
    running: bool,
    /// The background thread sleeps until it is woken.
    pub(crate) asleep: bool,
    pub(crate) stop: bool,
    pub(crate) thread: Option<JoinHandle<()>>,
}

/// The next step of the background thread.
pub(crate) enum Step {
    Stop,
    Run,
    /// Submit the value that is wanted.
    Submit,
    /// Submit the value that nobody asked for.
    Left(u64),
    /// The first value that somebody waits to hear of.
    Look(u64),
}

impl Progress {
    /// Creates the state of a stream whose values go on from `first`.
    pub(crate) fn new(loss: &Arc<Loss>, first: u64) -> Self {
        Progress {
            submitted: AtomicU64::new(first),
            completed: AtomicU64::new(first),
            word_value: AtomicU64::new(first),
            loss: loss.clone(),
            sleeps: AtomicBool::new(true),
            ..Progress::default()
        }
    }

    pub(crate) fn completed(&self) -> u64 {
        self.completed.load(Ordering::Acquire)
    }

    pub(crate) fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Callbacks> {
        self.callbacks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the device has reached a value.
    pub(crate) fn advance(&self, value: u64) {
        self.completed.fetch_max(value, Ordering::AcqRel);
        let mut callbacks = self.lock();
        while callbacks.pending.front().is_some_and(|(at, _)| *at <= value)
            && let Some((at, then)) = callbacks.pending.pop_front()
        {
            callbacks.ready.push_back((then, self.outcome(at)));
        }
    }

    /// The commands of a value will not be executed, because memory is lacking. It is reached like any other.
    pub(crate) fn fail(&self, value: u64) {
        self.failures.values.lock().unwrap_or_else(PoisonError::into_inner).push(value);
        self.failures.any.store(true, Ordering::Release);
    }

    /// The result of the commands of a value that is reached.
    ///
    /// # Errors
    /// Driver, if memory is lacking.
    pub(crate) fn outcome(&self, value: u64) -> Result<(), RuntimeError> {
        let failed = self.failures.values().is_some_and(|values| values.contains(&value));
        if failed { Err(NO_MEMORY) } else { Ok(()) }
    }

    /// Notes the loss: everything pending fails.
    pub(crate) fn lose(self: &Arc<Self>, error: &RuntimeError) {
        let on_loss = self.loss.take();
        let mut callbacks = self.lock();
        callbacks.ready.extend(on_loss.into_iter().map(|then| (then, Err(error.clone()))));
        while let Some((_, then)) = callbacks.pending.pop_front() {
            callbacks.ready.push_back((then, Err(error.clone())));
        }
        callbacks.asleep = false;
        self.wake.notify_all();
        if callbacks.thread.is_none() && !callbacks.ready.is_empty() && life::life() == Life::Running {
            // Nobody else need come by.
            let this = self.clone();
            let started = life::spawn("pumice loss", None, move || this.run_ready());
            if let Err(e) = started {
                log::error!("no thread for what follows the loss: {e}");
            }
        }
    }

    /// Runs `then` when the device is lost; soon, if it is already.
    pub(crate) fn on_loss(self: &Arc<Self>, then: Then) {
        self.loss.push(then);
        if let Some(error) = self.loss.error.get() {
            // Nobody may have seen it.
            self.lose(&error.clone());
        }
    }

    /// Runs what is ready, unless another thread is doing so.
    pub(crate) fn run_ready(&self) {
        loop {
            let mut callbacks = self.lock();
            if callbacks.running || callbacks.ready.is_empty() {
                return;
            }
            callbacks.running = true;
            // One of the application's may call exit.
            life::thread_came();
            let batch = std::mem::take(&mut callbacks.ready);
            drop(callbacks);
            assert_no_lock("the ends of commands are word_value");
            for (then, result) in batch {
                if catch_unwind(AssertUnwindSafe(|| then(result))).is_err() {
                    log::error!("a completion callback panicked");
                }
            }
            self.lock().running = false;
        }
    }

    /// Notes that a command was recorded and left for later.
    #[inline]
    pub(crate) fn note_left(&self, value: u64) {
        self.left.store(value, Ordering::SeqCst);
        if self.sleeps.load(Ordering::SeqCst) {
            self.see_to_it(self.lock());
        }
    }

    /// Returns a value that was left for later and is not submitted.
    fn left(&self) -> Option<u64> {
        let left = self.left.load(Ordering::SeqCst);
        (left > self.submitted()).then_some(left)
    }

    /// Returns whether something is wanted that is not submitted.
    pub(crate) fn wants(&self) -> bool {
        self.wanted.load(Ordering::Acquire) > self.submitted()
    }

    /// A thread of the user waits no more: what is left is the background thread's.
    pub(crate) fn left_alone(&self) {
        let mut callbacks = self.lock();
        if callbacks.asleep && !(callbacks.pending.is_empty() && callbacks.ready.is_empty()) {
            callbacks.asleep = false;
            self.wake.notify_all();
        }
    }

    /// The background thread is to look about.
    pub(crate) fn wake_up(&self) {
        self.lock().asleep = false;
        self.wake.notify_all();
    }

    /// Ends the background thread, after it has run what is ready. Waits for it, unless this is it.
    pub(crate) fn stop(&self) {
        let thread = {
            let mut callbacks = self.lock();
            callbacks.stop = true;
            callbacks.asleep = false;
            callbacks.thread.take()
        };
        self.wake.notify_all();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }

    /// Tells the background thread to end, and does not wait for that.
    pub(crate) fn dismiss(&self) {
        let mut callbacks = self.lock();
        callbacks.stop = true;
        callbacks.asleep = false;
        drop(callbacks);
        self.wake.notify_all();
    }

    /// Sleeps until there is something to do.
    ///
    /// Commands that are left for later are looked at now and then, since few of them stay for long. The looks are further and further apart, and
    /// end when there were no new commands for a while.
    pub(crate) fn next_step(&self) -> Step {
        let (mut since, mut apart) = (Instant::now(), MOMENT);
        let mut seen = (self.left.load(Ordering::SeqCst), None);
        let mut callbacks = self.lock();
        self.sleeps.store(false, Ordering::SeqCst);
        loop {
            if !callbacks.ready.is_empty() && !callbacks.running {
                return Step::Run;
            }
            if callbacks.stop {
                return Step::Stop;
            }
            if let Some((value, _)) = callbacks.pending.front() {
                return Step::Look(*value);
            }
            if self.wants() {
                return Step::Submit;
            }
            let left = (self.left.load(Ordering::SeqCst), self.left());
            if let (Some(value), true) = (left.1, left.1 == seen.1) {
                return Step::Left(value);
            }
            if left.0 != seen.0 {
                since = Instant::now();
            }
            seen = left;
            if left.1.is_none() && since.elapsed() >= LINGER {
                self.sleeps.store(true, Ordering::SeqCst);
                if self.left().is_none() {
                    callbacks.asleep = true;
                    callbacks = self.wake.wait(callbacks).unwrap_or_else(PoisonError::into_inner);
                    (since, apart) = (Instant::now(), MOMENT);
                }
                self.sleeps.store(false, Ordering::SeqCst);
                continue;
            }
            callbacks.asleep = apart > MOMENT;
            callbacks = self.wake.wait_timeout(callbacks, apart).unwrap_or_else(PoisonError::into_inner).0;
            callbacks.asleep = false;
            apart = (apart * 2).min(APART);
        }
    }

    /// Sleeps a short moment, or until the queue is dropped.
    pub(crate) fn moment(&self) {
        self.nap(MOMENT);
    }

    /// Sleeps for so long, or until the queue is dropped; longer than a moment, until there is something new, too.
    pub(crate) fn nap(&self, length: Duration) {
        let mut callbacks = self.lock();
        if !callbacks.stop {
            callbacks.asleep = length > MOMENT;
            let woken = self.wake.wait_timeout(callbacks, length).unwrap_or_else(PoisonError::into_inner);
            callbacks = woken.0;
            callbacks.asleep = false;
        }
    }
}

/// The end of a device.
#[derive(Default)]
pub(crate) struct Loss {
    /// A lost device stays lost, with all its streams.
    pub(crate) error: OnceLock<RuntimeError>,
    /// The account of it: the kernels that were on their way in the stream that noticed, and what the driver says.
    pub(crate) account: OnceLock<String>,
    /// The functions that run when it is lost.
    then: Mutex<Vec<Then>>,
}

impl Loss {
    /// The error that every call gives once the device is lost.
    pub(crate) fn check(&self) -> Result<(), RuntimeError> {
        self.error.get().map_or(Ok(()), |e| Err(e.clone()))
    }

    pub(crate) fn push(&self, then: Then) {
        self.then.lock().unwrap_or_else(PoisonError::into_inner).push(then);
    }

    pub(crate) fn take(&self) -> Vec<Then> {
        std::mem::take(&mut *self.then.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
