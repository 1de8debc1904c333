//! A thread of low priority that does work for which nobody waits. It lives while there is some.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use timeline::sync::Mutex;

use crate::process::life::{self, Life};

/// Work that is done once.
type Job = Box<dyn FnOnce() + Send>;

/// The jobs that are left, and their thread.
#[derive(Default)]
pub(crate) struct IdleWorker(Mutex<Jobs>);

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    /// True while a thread is at work.
    is_running: bool,
}

impl IdleWorker {
    /// Adds a job. It is dropped if the process ends before its turn, or has no threads.
    pub(crate) fn add(self: &Arc<Self>, job: Job) {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.waiting.push_back(job);
        if std::mem::replace(&mut jobs.is_running, true) {
            return;
        }
        drop(jobs);
        let this = self.clone();
        let run = move || {
            yield_to_others();
            while let Some(job) = this.next() {
                job();
            }
        };
        if life::spawn("pumice idle", None, run).is_err() {
            let left = {
                let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                jobs.is_running = false;
                std::mem::take(&mut jobs.waiting)
            };
            // What they own may end here: not under the lock.
            drop(left);
        }
    }

    /// Returns whether a job is under way or waits for its turn.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_running
    }

    /// Returns the next job. The thread ends if there is none, or the process does.
    fn next(&self) -> Option<Job> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = jobs.waiting.pop_front().filter(|_| life::life() == Life::Running);
        jobs.is_running = next.is_some();
        next
    }
}

/// Gives this thread a low priority.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    // SAFETY: plain numbers; on Linux 0 is the calling thread alone.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    #[test]
    fn jobs_are_done_in_order_by_one_thread() {
        let worker = Arc::new(IdleWorker::default());
        let (done, results) = mpsc::channel();
        for round in 0..3 {
            // The thread of the round before may have ended.
            for n in 0..20 {
                let done = done.clone();
                worker
                    .add(Box::new(move || done.send((round, n, std::thread::current().id())).expect("read")));
            }
            let all: Vec<_> = results.iter().take(20).collect();
            assert!(all.iter().map(|(r, n, _)| (*r, *n)).eq((0..20).map(|n| (round, n))));
        }
        let end = Instant::now() + Duration::from_secs(100);
        while worker.is_busy() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!worker.is_busy(), "its thread ends with the work");
    }
}
