//! The first launches of each workload: launch 1, launches 2 to 20, and the steady state. Each launch is waited for.

use std::time::Duration;

use serde::Serialize;

use super::spin::Spin;
use super::workloads::{Scale, Workload};
use super::{Result, Session};
use crate::stages;

/// The launches between the first one and the steady state in the table: 2 to 20.
const EARLY: usize = 19;
/// The launches, and the nanoseconds, after which better pipelines are taken to be there.
const SETTLED: (usize, f64) = (300, 1.5e8);
/// The launches of the steady state.
const STEADY: usize = 50;

/// Times of a workload's launches, in nanoseconds.
#[derive(Serialize, Clone, Debug)]
pub struct Launches {
    /// Launch 1: the pipeline is made in it.
    pub first: f64,
    /// The mean of launches 2 to 20.
    pub early: f64,
    /// The longest of launches 2 to 20.
    pub worst: f64,
    /// The median of the steady state.
    pub steady: f64,
}

/// A workload's launches by library.
#[derive(Serialize)]
pub struct Row {
    /// The workload's name.
    pub name: String,
    /// By library, in the order of the command line; an error, or a wrong result.
    pub results: Vec<std::result::Result<Launches, String>>,
}

/// How long the device is busy before launch 1. It sits idle while a kernel is built, and runs more slowly for a while then.
const BUSY: Duration = Duration::from_millis(60);

/// Measures a workload on each library, once: a kernel that is built again in a process may find what was made for it.
pub fn row(sessions: &[Session], scale: Scale, workload: &Workload) -> Row {
    let results = sessions.iter().map(|session| measure(session, scale, workload)).collect();
    Row { name: workload.name.to_owned(), results }
}

fn measure(session: &Session, scale: Scale, workload: &Workload) -> Result<Launches> {
    let spin = Spin::new(session, BUSY)?;
    let queue = session.new_queue()?;
    let ready = workload.prepare(session, scale)?;
    session.finish()?;
    spin.launch(&queue)?;
    queue.finish()?;
    let launch = || -> Result<f64> {
        let start = (session.clock)();
        ready.launch()?;
        session.finish()?;
        Ok((session.clock)() - start)
    };
    let first = launch()?;
    let early = (0..EARLY).map(|_| launch()).collect::<Result<Vec<f64>>>()?;
    let (mut count, mut passed) = (0, 0.0);
    while count < SETTLED.0 && passed < SETTLED.1 {
        passed += launch()?;
        count += 1;
    }
    let steady = (0..STEADY).map(|_| launch()).collect::<Result<Vec<f64>>>()?;
    ready.check()?;
    Ok(Launches {
        first,
        early: early.iter().sum::<f64>() / early.len() as f64,
        worst: early.iter().fold(0.0, |most, time| time.max(most)),
        steady: stages::median(steady),
    })
}

/// A ratio over the rows.
pub struct Summary<'r> {
    /// The geometric mean.
    pub mean: f64,
    /// How many rows have the ratio.
    pub rows: usize,
    /// The rows with the largest ratios, the largest first.
    pub largest: Vec<(f64, &'r str)>,
}

/// The summary of a ratio over the rows that have it; `None` if none has.
pub fn summary(rows: &[Row], ratio: impl Fn(&Row) -> Option<f64>) -> Option<Summary<'_>> {
    let mut all: Vec<(f64, &str)> =
        rows.iter().filter_map(|row| Some((ratio(row)?, row.name.as_str()))).collect();
    if all.is_empty() {
        return None;
    }
    let mean = (all.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / all.len() as f64).exp();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows = all.len();
    all.truncate(8);
    Some(Summary { mean, rows, largest: all })
}

impl Row {
    /// A library's launches, if it has them.
    pub fn of(&self, library: usize) -> Option<&Launches> {
        self.results.get(library)?.as_ref().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_names_the_largest_ratios() {
        let launches = |early, steady| Launches { first: 9.0, early, worst: early, steady };
        let row = |name: &str, result| Row { name: name.into(), results: vec![result] };
        let rows = [
            row("one", Ok(launches(2.0, 1.0))),
            row("two", Ok(launches(8.0, 1.0))),
            row("failed", Err("it fails".into())),
        ];
        let ratio = |row: &Row| row.of(0).map(|l| l.early / l.steady);
        let found = summary(&rows, ratio).expect("two rows");
        assert!((found.mean - 4.0).abs() < 1e-9 && found.rows == 2, "{} of {}", found.mean, found.rows);
        assert_eq!(found.largest, [(8.0, "two"), (2.0, "one")]);
        assert!(summary(&rows, |_| None).is_none());
    }
}
