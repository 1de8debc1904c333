//! Callbacks while launches go on, and launches by many threads.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::case::{Case, Prepared, ready};
use super::super::command::Callback;
use super::super::{Queue, Result, Session};
use super::Steps;

/// Launches with callbacks.
const CALLBACKS: usize = 200;
/// Threads that launch.
const THREADS: usize = 8;
/// Launches of each.
const EACH: usize = 500;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("callback under load, each", |s, _| callbacks(s)),
        Case::new("8 threads launching, each launch", |s, _| launching(s)),
    ]
}

/// How many callbacks have run.
#[derive(Default)]
struct Count {
    done: Mutex<usize>,
    changed: Condvar,
}

impl Count {
    fn add(&self) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Waits for so many, and says whether they came.
    fn reaches(&self, count: usize) -> bool {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = Duration::from_secs(20);
        let (done, _) = self
            .changed
            .wait_timeout_while(done, limit, |done| *done < count)
            .unwrap_or_else(PoisonError::into_inner);
        *done == count
    }
}

/// Launches with a callback each, while another queue is fed with launches that nobody watches; until the last callback ran.
fn callbacks(s: &Session) -> Result<Prepared<'_>> {
    let (mut watched, mut load) = (Steps::new(s)?, Steps::new(s)?);
    let (queue, other) = (s.new_queue()?, s.new_queue()?);
    ready(move || {
        let count = Arc::new(Count::default());
        let callback: Arc<Callback> = {
            let count = count.clone();
            Arc::new(move || count.add())
        };
        let start = Instant::now();
        for _ in 0..CALLBACKS {
            queue.watched(watched.kernel()?, 1, 1, &[])?.on_complete(&callback)?;
            queue.flush()?;
            other.launch(load.kernel()?, 1, 1, &[])?;
        }
        if !count.reaches(CALLBACKS) {
            return Err("not all callbacks were called, each once".into());
        }
        let time = start.elapsed().as_nanos() as f64 / CALLBACKS as f64;
        other.finish()?;
        watched.check()?;
        load.check()?;
        Ok(time)
    })
}

/// Each thread on a queue of its own.
fn launching(s: &Session) -> Result<Prepared<'_>> {
    let mut all = (0..THREADS)
        .map(|_| Ok((Steps::new(s)?, s.new_queue()?)))
        .collect::<Result<Vec<(Steps<'_>, Queue<'_>)>>>()?;
    ready(move || {
        let start = Instant::now();
        std::thread::scope(|scope| {
            let threads: Vec<_> = all
                .iter_mut()
                .map(|(steps, queue)| {
                    scope.spawn(|| -> Result<()> {
                        for _ in 0..EACH {
                            queue.launch(steps.kernel()?, 1, 1, &[])?;
                        }
                        queue.finish()
                    })
                })
                .collect();
            let panicked = |_| Err("a thread that launches panics".to_owned());
            threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(panicked))
        })?;
        let time = start.elapsed().as_nanos() as f64 / (THREADS * EACH) as f64;
        all.iter().try_for_each(|(steps, _)| steps.check())?;
        Ok(time)
    })
}
