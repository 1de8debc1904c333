//! The child's part of `fuzz compare`: runs the programs that it is told to, and says on standard output how far it is.
//!
//! It reads lines `FROM COUNT`, with `small` behind where failures are to be made small, and ends with its input. It
//! writes lines of a word and what belongs to it: [`Said`].

use super::{Comparison, Failure, Progress, Report, Runner, Settings};
use std::io::{BufRead, Write};

/// What a child says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// What is left out of the programs, by [`Features::left_out`](super::Features::left_out), and what they run on.
    Device(String, String),
    /// It begins with the program of this seed.
    Seed(u64),
    /// What it does now with that program.
    Stage(String),
    /// It makes the failure small, and has tried one program more.
    Shrinking,
    /// So many programs made in vain for it, and why.
    Rejected(u64, String),
    /// A way in which the program gave what is expected.
    Good(String),
    /// A way in which it was refused, and why.
    Refused(String),
    /// A way in which it failed.
    Failure(String),
    /// No program of the seed is defined.
    Undefined,
    /// It is through with the program.
    Done,
    /// Nothing can be run in this process any more.
    Lost,
    /// It has run all that it was told to.
    Ready,
}

impl Said {
    fn line(&self) -> String {
        match self {
            Said::Device(less, name) => format!("device {less} {name}"),
            Said::Seed(seed) => format!("seed {seed}"),
            Said::Stage(text) => format!("stage {text}"),
            Said::Shrinking => "shrinking".to_owned(),
            Said::Rejected(count, text) => format!("rejected {count} {text}"),
            Said::Good(text) => format!("good {text}"),
            Said::Refused(text) => format!("refused {text}"),
            Said::Failure(text) => format!("failure {text}"),
            Said::Undefined => "undefined".to_owned(),
            Said::Done => "done".to_owned(),
            Said::Lost => "lost".to_owned(),
            Said::Ready => "ready".to_owned(),
        }
    }

    /// A child's line; nothing for what a driver printed.
    pub(super) fn read(line: &str) -> Option<Said> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let text = || rest.to_owned();
        Some(match word {
            "device" => {
                let (less, name) = rest.split_once(' ')?;
                Said::Device(less.to_owned(), name.to_owned())
            }
            "seed" => Said::Seed(rest.parse().ok()?),
            "stage" => Said::Stage(text()),
            "shrinking" => Said::Shrinking,
            "rejected" => {
                let (count, why) = rest.split_once(' ')?;
                Said::Rejected(count.parse().ok()?, why.to_owned())
            }
            "good" => Said::Good(text()),
            "refused" => Said::Refused(text()),
            "failure" => Said::Failure(text()),
            "undefined" => Said::Undefined,
            "done" => Said::Done,
            "lost" => Said::Lost,
            "ready" => Said::Ready,
            _ => return None,
        })
    }

    pub(super) fn say(&self) {
        let mut out = std::io::stdout().lock();
        // Who listened is gone: then nothing is to be done either.
        let _ = writeln!(out, "{}", self.line());
        let _ = out.flush();
    }
}

/// Runs what standard input says.
pub(super) fn work(settings: &Settings, device: &str, runner: &mut dyn Runner) {
    Said::Device(settings.features.left_out(), device.to_owned()).say();
    let mut comparison = Comparison::new(settings.clone());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut words = line.split(' ');
        let mut number = || words.next().and_then(|w| w.parse::<u64>().ok());
        let (Some(from), Some(count)) = (number(), number()) else { return };
        let small = words.next() == Some("small");
        for seed in (0..count).map(|n| from.wrapping_add(n)) {
            Said::Seed(seed).say();
            let report = comparison.one(seed, small, runner, &mut |progress| match progress {
                Progress::Stage(text) => Said::Stage(text.to_owned()).say(),
                Progress::Shrinking => Said::Shrinking.say(),
            });
            if runner.lost() {
                return Said::Lost.say();
            }
            tell(report);
        }
        Said::Ready.say();
    }
}

/// What came of one program.
fn tell(report: Report) {
    for (why, count) in report.rejected {
        Said::Rejected(count, why.to_owned()).say();
    }
    if report.undefined > 0 {
        Said::Undefined.say();
    }
    for way in report.good.into_keys() {
        Said::Good(way).say();
    }
    for what in report.refusals.into_keys() {
        Said::Refused(what).say();
    }
    for Failure { kind, case, .. } in report.failures {
        log::debug!("{case}");
        Said::Failure(kind).say();
    }
    Said::Done.say();
}

#[cfg(test)]
mod tests {
    use super::Said;

    #[test]
    fn what_is_said_is_understood() {
        let all = [
            Said::Device("int64,generic".to_owned(), "a device of many words".to_owned()),
            Said::Seed(u64::MAX),
            Said::Stage("address: the launch".to_owned()),
            Said::Shrinking,
            Said::Rejected(3, "a race".to_owned()),
            Said::Good("descriptor".to_owned()),
            Said::Refused("address: no".to_owned()),
            Said::Failure("address: another result".to_owned()),
            Said::Undefined,
            Said::Done,
            Said::Lost,
            Said::Ready,
        ];
        for said in all {
            assert_eq!(Said::read(&said.line()), Some(said.clone()), "{said:?}");
        }
        assert_eq!(Said::read("a driver's warning"), None);
    }
}
