//! Threads that do what they are given: the host's heavy work, and the application's callbacks.
//!
//! Heavy work is copies of much data, and transfers piece by piece. The thread that tells of a device's progress does none of that: others learn from it that their commands are complete. Work that
//! waits for other work is not begun before that has ended (the graph sees to it), so a few threads are enough, and none waits for
//! another.
//!
//! Functions of the application have a thread to themselves ([`callbacks`](crate::abi::callbacks)).
//!
//! Threads start with the work and end when there has been none for a while.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use vk_runtime::sync::{Condvar, Mutex, MutexGuard};

use vk_runtime::life::spawn;

use crate::abi::process::may_call;

/// How long a thread waits for more.
const LINGER: Duration = Duration::from_millis(250);
/// This many threads do heavy work at most.
const HEAVY: usize = 4;

type Job = Box<dyn FnOnce() + Send>;

/// A few threads that do what they are given.
pub(crate) struct Workers {
    shared: Arc<Shared>,
}

struct Shared {
    /// The name of the threads.
    name: &'static str,
    most: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    /// The threads that wait for a job.
    idle: usize,
}

impl Workers {
    fn new(name: &'static str, most: usize) -> Self {
        let shared = Shared { name, most, state: Mutex::default(), changed: Condvar::new() };
        Workers { shared: Arc::new(shared) }
    }

    /// For the host's heavy work.
    pub(crate) fn heavy() -> Self {
        Self::new("pumice host work", HEAVY)
    }

    /// For the application's callbacks: one thread.
    pub(crate) fn callbacks() -> Self {
        Self::new("pumice callbacks", 1)
    }

    /// For calls of OpenGL, of a context of ours: one thread.
    pub(crate) fn gl() -> Self {
        Self::new("pumice gl", 1)
    }

    /// Does something soon.
    pub(crate) fn give(&self, job: Job) {
        let mut state = self.shared.lock();
        state.jobs.push_back(job);
        if state.jobs.len() <= state.idle || state.threads == self.shared.most {
            self.shared.changed.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        let shared = self.shared.clone();
        if let Err(e) = spawn(self.shared.name, None, move || shared.run(LINGER)) {
            if !may_call() {
                return;
            }
            log::error!("no thread '{}', its work is done at once: {e}", self.shared.name);
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
                    log::error!("internal error in a thread '{}' (this is a bug in Pumice)", self.name);
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
        let workers = Workers::heavy();
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

    #[test]
    fn calls_come_in_order_and_may_wait() {
        let caller = Workers::callbacks();
        let (send, receive) = channel();
        let (go, gate) = channel::<()>();
        let first = send.clone();
        caller.give(Box::new(move || {
            gate.recv().expect("the test goes on");
            first.send(0).expect("open");
        }));
        for i in 1..100 {
            let send = send.clone();
            caller.give(Box::new(move || send.send(i).expect("open")));
        }
        assert!(receive.try_recv().is_err());
        go.send(()).expect("open");
        assert_eq!(receive.iter().take(100).collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
        // Ended and started again.
        std::thread::sleep(2 * LINGER);
        assert_eq!(caller.shared.lock().threads, 0);
        caller.give(Box::new(move || send.send(7).expect("open")));
        assert_eq!(receive.recv(), Ok(7));
    }
}
