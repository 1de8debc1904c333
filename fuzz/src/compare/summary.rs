//! The outcome of many comparisons, counted.

use super::worker::Reply;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Reports of children about the programs that they have finished.
#[derive(Debug, Default)]
pub(super) struct Sum {
    pub device: String,
    pub left_out: String,
    /// Programs compared, in whatever way.
    programs: u64,
    undefined: u64,
    rejected: BTreeMap<String, u64>,
    good: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    failures: BTreeMap<String, Vec<u64>>,
    /// Programs that needed more time than one gets.
    slow: Vec<u64>,
    /// Programs that ended when they were run again: what went wrong at first.
    unsteady: BTreeMap<String, Vec<u64>>,
}

impl Sum {
    /// Takes in all that was said of one program; the kinds of failures among it.
    pub(super) fn program(&mut self, seed: u64, said: Vec<Reply>) -> Vec<String> {
        let mut kinds = Vec::new();
        let mut defined = true;
        for said in said {
            match said {
                Reply::Rejected(count, why) => *self.rejected.entry(why).or_default() += count,
                Reply::Undefined => defined = false,
                Reply::Good(way) => *self.good.entry(way).or_default() += 1,
                Reply::Refused(what) => *self.refused.entry(what).or_default() += 1,
                Reply::Failure(kind) => {
                    self.failure(seed, kind.clone());
                    kinds.push(kind);
                }
                _ => {}
            }
        }
        if defined {
            self.programs += 1
        } else {
            self.undefined += 1
        }
        kinds
    }

    pub(super) fn failure(&mut self, seed: u64, kind: String) {
        self.failures.entry(kind).or_default().push(seed);
    }

    /// A program of which nothing more can be said than that it does not end, or ends its process.
    pub(super) fn stopped(&mut self, seed: u64, kind: &str) {
        self.programs += 1;
        self.failure(seed, kind.to_owned());
    }

    pub(super) fn slow(&mut self, seed: u64) {
        self.slow.push(seed);
    }

    pub(super) fn unsteady(&mut self, seed: u64, what: String) {
        self.unsteady.entry(what).or_default().push(seed);
    }

    pub(super) fn done(&self) -> u64 {
        self.programs + self.undefined
    }

    pub(super) fn kinds(&self) -> usize {
        self.failures.len()
    }

    /// Returns whether every program of `count` was compared as it was meant to, and agreed.
    pub(super) fn is_good(&self, count: u64) -> bool {
        self.failures.is_empty()
            && self.unsteady.is_empty()
            && self.undefined * 100 <= count
            && self.done() == count
            && !self.good.is_empty()
    }

    /// All of it, a line for each thing; `first` and `end` are the range of seeds that was tried.
    pub(super) fn text(&self, first: u64, end: u64, time: Duration) -> String {
        let mut text = String::new();
        let seconds = time.as_secs_f64();
        let _ = writeln!(
            text,
            "compare: {} programs of seeds {first}..{end} on {} in {seconds:.0} s, {:.1} a second",
            self.programs,
            if self.device.is_empty() { "no device" } else { &self.device },
            self.done() as f64 / seconds.max(0.001),
        );
        for (way, count) in &self.good {
            let _ = writeln!(text, "  {way}: {count} runs as expected");
        }
        if self.undefined > 0 {
            let _ = writeln!(text, "  left out: {} seeds of which no program is defined", self.undefined);
        }
        for (what, count) in &self.refused {
            let _ = writeln!(text, "  refused {count} times: {what}");
        }
        let made: u64 = self.rejected.values().sum();
        let mut why: Vec<(&String, &u64)> = self.rejected.iter().collect();
        why.sort_by(|a, b| b.1.cmp(a.1));
        let why: Vec<String> = why.iter().take(6).map(|(text, count)| format!("{text} {count}")).collect();
        let _ = writeln!(text, "  made anew {made} times, since not defined: {}", why.join(", "));
        if !self.slow.is_empty() {
            let _ = writeln!(text, "  slow, but they end: {}; {}", self.slow.len(), few(&self.slow));
        }
        for (what, seeds) in &self.unsteady {
            let _ =
                writeln!(text, "UNSTEADY {} times: {what}, not when run again; {}", seeds.len(), few(seeds));
        }
        for (what, seeds) in &self.failures {
            let _ = writeln!(text, "FAILED {} times: {what}; {}", seeds.len(), few(seeds));
        }
        let _ = write!(text, "{} kinds of failures", self.failures.len());
        text
    }
}

fn few(seeds: &[u64]) -> String {
    let mut shown: Vec<u64> = seeds.to_vec();
    shown.sort_unstable();
    let rest = if shown.len() > 8 { " …" } else { "" };
    shown.truncate(8);
    let shown: Vec<String> = shown.iter().map(u64::to_string).collect();
    format!("seeds {}{rest}", shown.join(" "))
}
