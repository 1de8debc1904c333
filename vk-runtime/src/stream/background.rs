//! The background thread of a stream: it submits what is wanted, and runs completion callbacks.

use std::sync::Weak;
use std::sync::atomic::Ordering;
use std::time::Duration;
use timeline::sync::MutexGuard;

use crate::process::life;
use crate::stream::command_stream::Stream;
use crate::stream::progress::{Callbacks, MOMENT, Progress, Step, Then};

/// While a thread of the user waits for what the background thread would wait for, that one looks in this seldom at last.
const ASIDE: Duration = Duration::from_millis(10);

impl Progress {
    /// Registers a callback; starts or wakes the background thread where needed.
    pub(crate) fn register(&self, value: u64, then: Then) {
        let mut callbacks = self.lock();
        if let Some(error) = self.loss.error.get() {
            callbacks.ready.push_back((then, Err(error.clone())));
        } else if value <= self.completed() {
            callbacks.ready.push_back((then, self.outcome(value)));
        } else {
            let at = callbacks.pending.partition_point(|(other, _)| *other <= value);
            callbacks.pending.insert(at, (value, then));
        }
        self.see_to_it(callbacks);
    }

    /// Sees to it that a value is submitted soon: by the background thread, unless somebody comes before it.
    pub(crate) fn want(&self, value: u64) {
        self.wanted.fetch_max(value, Ordering::AcqRel);
        self.see_to_it(self.lock());
    }

    /// Starts or wakes the background thread where needed.
    pub(crate) fn see_to_it(&self, mut callbacks: MutexGuard<'_, Callbacks>) {
        let stream = self.stream.get().filter(|_| callbacks.thread.is_none() && !callbacks.stop);
        if let Some(stream) = stream.cloned() {
            let started = life::spawn("pumice stream", None, move || background(&stream));
            match started {
                Ok(thread) => callbacks.thread = Some(thread),
                // Waiting threads still run callbacks, and submit.
                Err(e) => {
                    self.sleeps.store(false, Ordering::SeqCst);
                    log::error!("no background thread for the stream: {e}");
                }
            }
        }
        if callbacks.asleep {
            callbacks.asleep = false;
            self.wake.notify_all();
        }
    }
}

/// The background thread: sees to it that the first pending value is submitted and reached.
fn background(stream: &Weak<Stream>) {
    // The thread keeps the stream alive: its end is ordered by Progress::stop.
    let Some(stream) = stream.upgrade() else { return };
    let progress = &stream.progress;
    // Which value the user's thread was left to wait for last, and for how long.
    let mut left = (0, MOMENT);
    loop {
        let step = progress.next_step();
        if !matches!(step, Step::Stop) && progress.wants() {
            progress.moment();
            if progress.wants() {
                // A failure shows to whoever waits.
                let _ = stream.submit_up_to(progress.wanted.load(Ordering::Acquire));
            }
        }
        match step {
            Step::Stop => return,
            Step::Run => progress.run_ready(),
            Step::Submit => {}
            Step::Left(value) => {
                let _ = stream.submit_left(value);
            }
            Step::Look(value) if value > progress.submitted() => {
                progress.moment();
                if value > progress.submitted() {
                    // A failure has gone to the callbacks.
                    let _ = stream.submit_up_to(value);
                }
            }
            // The thread that waits takes care of it, without a change of threads.
            Step::Look(value) if progress.foreground.load(Ordering::Relaxed) == value => {
                left = (value, if left.0 == value { (left.1 * 2).min(ASIDE) } else { MOMENT });
                progress.nap(left.1);
            }
            Step::Look(value) => {
                if stream.wait_step(value, true).is_err() {
                    progress.moment();
                }
            }
        }
    }
}
