//! The threads that do the host's heavy work: copies of much data, transfers piece by piece, what the application gave to be called.
//!
//! The thread that tells of a device's progress does none of that: others learn from it that their commands are complete. Work that
//! waits for other work is not begun before that has ended (the graph sees to it), so a few threads are enough, and none waits for
//! another. They start with the work and end when there has been none for a while.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use vk_runtime::life::spawn;

use crate::life::may_call;

/// How long a thread waits for more.
const LINGER: Duration = Duration::from_millis(250);
/// So many threads at most.
const MOST: usize = 4;

type Job = Box<dyn FnOnce() + Send>;

/// A few threads that do what they are given.
#[derive(Default)]
pub(crate) struct Workers {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    /// Those that wait for a job.
    idle: usize,
}

impl Workers {
    /// Does something soon.
    pub(crate) fn give(&self, job: Job) {
        let mut state = self.shared.lock();
        state.jobs.push_back(job);
        if state.jobs.len() <= state.idle || state.threads == MOST {
            self.shared.changed.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        let shared = self.shared.clone();
        if let Err(e) = spawn("pumice host work", None, move || shared.run(LINGER)) {
            if !may_call() {
                return;
            }
            log::error!("no thread for the host's work, it is done at once: {e}");
            self.shared.run(Duration::ZERO);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, linger: Duration) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                if !may_call() {
                    // Dropping it could drop what a driver is to destroy.
                    std::mem::forget(job);
                    return;
                }
                if catch_unwind(AssertUnwindSafe(job)).is_err() {
                    log::error!("internal error in the host's work (this is a bug in Pumice)");
                }
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let (mut back, waited) =
                self.changed.wait_timeout(state, linger).unwrap_or_else(PoisonError::into_inner);
            back.idle -= 1;
            if back.jobs.is_empty() && (waited.timed_out() || linger.is_zero()) {
                back.threads -= 1;
                return;
            }
            state = back;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn work_that_takes_long_delays_no_other() {
        let workers = Workers::default();
        let (send, receive) = channel();
        let (go, gate) = channel::<()>();
        let first = send.clone();
        workers.give(Box::new(move || {
            gate.recv().expect("the test goes on");
            first.send(0).expect("open");
        }));
        for i in 1..50 {
            let send = send.clone();
            workers.give(Box::new(move || send.send(i).expect("open")));
        }
        let mut others: Vec<i32> = receive.iter().take(49).collect();
        others.sort_unstable();
        assert_eq!(others, (1..50).collect::<Vec<_>>());
        go.send(()).expect("open");
        assert_eq!(receive.recv(), Ok(0));
        // A panic ends no thread, and threads that ended start again.
        workers.give(Box::new(|| panic!("in a test")));
        std::thread::sleep(3 * LINGER);
        assert_eq!(workers.shared.lock().threads, 0);
        workers.give(Box::new(move || send.send(7).expect("open")));
        assert_eq!(receive.recv(), Ok(7));
    }
}
