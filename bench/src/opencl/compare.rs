//! The same work on several libraries in turns, and what came of it.

use serde::Serialize;

use super::case::{Case, Measure, Prepared};
use super::control::Control;
use super::workloads::{Ready, Scale, Work, Workload};
use super::{Result, Session};
use crate::stages;

/// One measured thing.
#[derive(Serialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// By library, in the order of the command line.
    pub results: Vec<Outcome>,
    /// The summary of the times, by library.
    pub rates: Vec<String>,
    /// Nanoseconds of the same in bare Vulkan.
    pub bare_vulkan: Option<f64>,
}

/// The result of a library's measurement.
#[derive(Serialize, Clone, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The median, in nanoseconds.
    Time(f64),
    /// The device has no room for it; why.
    Skipped(String),
    /// An error, or a wrong result.
    Failed(String),
}

impl Outcome {
    /// The time, where there is one.
    pub fn time(&self) -> Option<f64> {
        match self {
            Outcome::Time(ns) => Some(*ns),
            Outcome::Skipped(_) | Outcome::Failed(_) => None,
        }
    }
}

impl Row {
    /// The first library's time over another one's.
    pub fn ratio(&self, other: usize) -> Option<f64> {
        Some(self.results.first()?.time()? / self.results.get(other)?.time()?)
    }
}

/// The geometric mean of the first library's times over another one's, and over how many rows.
pub fn geometric_mean(rows: &[Row], other: usize) -> Option<(f64, usize)> {
    let logs: Vec<f64> = rows.iter().filter_map(|r| r.ratio(other)).map(f64::ln).collect();
    if logs.is_empty() {
        return None;
    }
    Some(((logs.iter().sum::<f64>() / logs.len() as f64).exp(), logs.len()))
}

/// In which order libraries are measured in a round: each round begins with another one. The first of two was seen to take up to
/// 1.07 of its time as second.
fn turns(round: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |turn| (round + turn) % count)
}

/// The medians of the libraries' times. They take turns, so that what changes on the machine changes for all.
///
/// Each measures twice in its turn, and the second time counts. The first one comes after another library's, whose context leaves other
/// contents in the device's caches: a triad of 64 MiB takes 230 µs there and 75 µs after one of its own (H200, either library).
fn take_turns(rounds: usize, measures: Vec<Result<Prepared<'_>>>) -> Vec<Outcome> {
    let mut running: Vec<std::result::Result<(Measure<'_>, Vec<f64>), Outcome>> = measures
        .into_iter()
        .map(|measure| match measure {
            Ok(Prepared::Ready(measure)) => Ok((measure, Vec::with_capacity(rounds))),
            Ok(Prepared::Skipped(why)) => Err(Outcome::Skipped(why)),
            Err(error) => Err(Outcome::Failed(error)),
        })
        .collect();
    for round in 0..=rounds {
        for turn in turns(round, running.len()) {
            let one = &mut running[turn];
            let Ok((measure, times)) = one else { continue };
            let time = if round == 0 { measure() } else { measure().and_then(|_| measure()) };
            match time {
                // The first round warms up.
                Ok(_) if round == 0 => {}
                Ok(time) => times.push(time),
                Err(error) => *one = Err(Outcome::Failed(error)),
            }
        }
    }
    let outcome = |(_, times)| Outcome::Time(stages::median(times));
    running.into_iter().map(|one| one.map_or_else(|other| other, outcome)).collect()
}

/// Measures a workload, and a shader that does the same where there is a control and the workload has such a shader.
///
/// # Errors
/// What the control fails with, and a result of its that is not the first library's.
pub fn workload(
    sessions: &[Session],
    control: Option<&Control>,
    scale: Scale,
    rounds: usize,
    workload: &Workload,
) -> Result<Row> {
    let mut ready: Vec<_> = sessions.iter().map(|s| workload.prepare(s, scale)).collect();
    for ready in &mut ready {
        if let Ok(workload) = ready
            && let Err(error) = workload.check()
        {
            *ready = Err(error);
        }
    }
    let measures = sessions.iter().zip(&ready).map(|(session, ready)| {
        let ready = ready.as_ref().map_err(Clone::clone)?;
        let count = launches(launch(session, ready, 1)?);
        Ok(Prepared::Ready(Box::new(move || launch(session, ready, count))))
    });
    let mut measures: Vec<_> = measures.collect();
    let first = ready.first().and_then(|r| r.as_ref().ok());
    let beside = control.zip(first.and_then(|r| Some((r, r.bare.as_ref()?))));
    if let Some((control, (ready, beside))) = beside {
        let shader = control.shader(&beside.bare)?;
        let clock = sessions[0].clock;
        let count = launches(shader.launches(1, clock)?);
        ready.agrees(&shader.result()?, beside.floats).map_err(|e| format!("{}: {e}", workload.name))?;
        let measure = move || Ok(shader.launches(count, clock)? / count as f64);
        measures.push(Ok(Prepared::Ready(Box::new(measure))));
    }
    let mut results = take_turns(rounds, measures);
    let bare_vulkan = bare_time(beside.and_then(|_| results.pop()))?;
    let rate = |(result, ready): (&Outcome, &Result<Ready<'_>>)| {
        let (Some(ns), Ok(ready)) = (result.time(), ready) else { return String::new() };
        let number = |rate: f64| if rate < 9.95 { format!("{rate:.2}") } else { format!("{rate:.0}") };
        match ready.work {
            Work::Bytes(bytes) => format!("{} GB/s", number(bytes / ns)),
            Work::Flops(flops) => format!("{} GFLOP/s", number(flops / ns)),
            Work::Items(items, what) => format!("{:.2} G{what}/s", items / ns),
        }
    };
    let rates = results.iter().zip(&ready).map(rate).collect();
    Ok(Row { name: workload.name.to_owned(), results, rates, bare_vulkan })
}

/// As many launches as take about 20 ms, if one takes so long.
fn launches(once: f64) -> usize {
    (2e7 / once).clamp(1.0, 1000.0) as usize
}

/// The control's time, if it was measured.
fn bare_time(outcome: Option<Outcome>) -> Result<Option<f64>> {
    match outcome {
        Some(Outcome::Failed(error)) => Err(error),
        other => Ok(other.and_then(|o| o.time())),
    }
}

/// The clock's nanoseconds of one of several launches in a row.
fn launch(session: &Session, ready: &Ready<'_>, count: usize) -> Result<f64> {
    let start = (session.clock)();
    for _ in 0..count {
        ready.launch()?;
    }
    session.finish()?;
    Ok(((session.clock)() - start) / count as f64)
}

/// From so many bytes on a rate says something.
const LARGE: usize = 64 << 10;

/// Measures a case, and the same in bare Vulkan where there is a control and the case has such a form.
pub fn case(
    sessions: &[Session],
    control: Option<&Control>,
    scale: Scale,
    rounds: usize,
    case: &Case,
) -> Result<Row> {
    let mut measures: Vec<_> = sessions.iter().map(|s| case.prepare(s, scale)).collect();
    let bare = control.zip(case.bare);
    if let Some((control, bare)) = bare {
        let clock = sessions[0].clock;
        measures.push(Ok(Prepared::Ready(Box::new(move || bare(control, clock)))));
    }
    let mut results = take_turns(rounds, measures);
    let bare_vulkan = bare_time(bare.and_then(|_| results.pop()))?;
    let rate = |r: &Outcome| match (r.time(), case.bytes) {
        (Some(ns), Some(bytes)) if bytes >= LARGE && bytes as f64 / ns >= 9.95 => {
            format!("{:.0} GB/s", bytes as f64 / ns)
        }
        (Some(ns), Some(bytes)) if bytes >= LARGE => format!("{:.2} GB/s", bytes as f64 / ns),
        _ => String::new(),
    };
    let rates = results.iter().map(rate).collect();
    Ok(Row { name: case.name.clone(), results, rates, bare_vulkan })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(results: &[Outcome]) -> Row {
        Row { name: String::new(), results: results.to_vec(), rates: Vec::new(), bare_vulkan: None }
    }

    #[test]
    fn every_library_is_first_in_turn() {
        let rounds = |count| (1..=6).map(|round| turns(round, count).collect::<Vec<_>>()).collect::<Vec<_>>();
        assert_eq!(rounds(2)[..3], [[1, 0], [0, 1], [1, 0]]);
        assert_eq!(rounds(3)[..3], [[1, 2, 0], [2, 0, 1], [0, 1, 2]]);
        assert_eq!(turns(5, 0).count(), 0);
        // As measured: what each of them did, in order.
        let log = std::cell::RefCell::new(Vec::new());
        let measure = |name: usize| {
            let log = &log;
            Ok(Prepared::Ready(Box::new(move || {
                log.borrow_mut().push(name);
                Ok(log.borrow().len() as f64)
            })))
        };
        let outcomes = take_turns(1, vec![measure(7), measure(8)]);
        assert_eq!(*log.borrow(), [7, 8, 8, 8, 7, 7], "the first round warms up");
        let times: Vec<_> = outcomes.iter().map(Outcome::time).collect();
        assert_eq!(times, [Some(6.0), Some(4.0)], "the second measurement counts");
    }

    #[test]
    fn the_mean_is_over_what_both_have() {
        let rows = [
            row(&[Outcome::Time(2.0), Outcome::Time(1.0)]),
            row(&[Outcome::Time(1.0), Outcome::Time(8.0)]),
            row(&[Outcome::Time(9.0), Outcome::Skipped(String::new())]),
            row(&[Outcome::Failed(String::new()), Outcome::Time(1.0)]),
        ];
        let (mean, count) = geometric_mean(&rows, 1).unwrap();
        assert!((mean - 0.5).abs() < 1e-9 && count == 2);
        assert!(geometric_mean(&rows[2..], 1).is_none());
    }
}
