//! Threads that wait for one event.

use std::time::{Duration, Instant};

use super::super::case::{Case, Prepared, ready};
use super::super::spin::Spin;
use super::super::{Result, Session};

/// How long the kernel runs that is waited for.
const KERNEL: Duration = Duration::from_micros(500);
/// Launches in one measurement.
const LAUNCHES: usize = 20;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for threads in [1, 4, 16] {
        let plural = if threads == 1 { "thread" } else { "threads" };
        for (name, share) in [("median", 0.5), ("p95", 0.95)] {
            let name = format!("wait for a 500 µs kernel by {threads} {plural}, {name}");
            cases.push(Case::new(name, move |s, _| wait(s, threads, share)));
        }
    }
    cases
}

/// From the launch until a thread knows of its end: the time that such a share of the waits stays under.
fn wait(s: &Session, threads: usize, share: f64) -> Result<Prepared<'_>> {
    let spin = Spin::new(s, KERNEL)?;
    let queue = s.new_queue()?;
    ready(move || {
        let mut times = Vec::with_capacity(threads * LAUNCHES);
        for _ in 0..LAUNCHES {
            let start = Instant::now();
            let event = spin.watched(&queue)?;
            queue.flush()?;
            let waited: Vec<Result<f64>> = std::thread::scope(|scope| {
                let wait = || event.wait().map(|()| start.elapsed().as_nanos() as f64);
                let others: Vec<_> = (1..threads).map(|_| scope.spawn(wait)).collect();
                let mut all = vec![wait()];
                let panicked = |_| Err("a thread that waits panics".to_owned());
                all.extend(others.into_iter().map(|t| t.join().unwrap_or_else(panicked)));
                all
            });
            times.extend(waited.into_iter().collect::<Result<Vec<f64>>>()?);
            spin.check()?;
        }
        times.sort_by(f64::total_cmp);
        Ok(times[((times.len() as f64 * share) as usize).min(times.len() - 1)])
    })
}
