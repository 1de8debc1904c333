//! The child's part of `fuzz compare`: runs the programs that its parent names, and says on standard output how far it is.
//!
//! It reads lines: [`Request`], and ends with its input. It writes lines of a word and what belongs to it: [`Reply`].

use super::{Comparison, Failure, Report, Runner, Settings, smaller};
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

/// A message to a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// To run this many programs from this seed on.
    Run(u64, u64),
    /// To make the failure of a program small.
    Small(Small),
}

/// A failure that is made small, and how far that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Small {
    pub seed: u64,
    /// So much time is left; without any, what was found is kept.
    pub seconds: u64,
    /// True if the programs that were tried so far fail: as those that follow depend on it, a new process goes on where one
    /// died that tried a program.
    pub fails: Vec<bool>,
    /// The way in which it fails, and how: `WAY: KIND`.
    pub kind: String,
}

impl Request {
    pub(super) fn line(&self) -> String {
        match self {
            Request::Run(from, count) => format!("run {from} {count}"),
            Request::Small(small) => {
                let bits: String = small.fails.iter().map(|f| if *f { '1' } else { '0' }).collect();
                format!("small {} {} -{bits} {}", small.seed, small.seconds, small.kind)
            }
        }
    }

    fn read(line: &str) -> Option<Request> {
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next();
        match word()? {
            "run" => Some(Request::Run(word()?.parse().ok()?, word()?.parse().ok()?)),
            "small" => Some(Request::Small(Small {
                seed: word()?.parse().ok()?,
                seconds: word()?.parse().ok()?,
                fails: word()?.bytes().skip(1).map(|b| b == b'1').collect(),
                kind: word()?.to_owned(),
            })),
            _ => None,
        }
    }
}

/// A message of a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// The features left out of the programs, by [`Features::left_out`](super::Features::left_out), and what they run on.
    Device(String, String),
    /// It begins with the program of this seed.
    Seed(u64),
    /// Its present work on that program.
    Stage(String),
    /// It makes a failure small, and has tried one program more: whether that fails, too.
    Tried(bool),
    /// This many programs made in vain for it, and why.
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
    /// It has run all programs of the request.
    Ready,
}

impl Reply {
    fn line(&self) -> String {
        match self {
            Reply::Device(less, name) => format!("device {less} {name}"),
            Reply::Seed(seed) => format!("seed {seed}"),
            Reply::Stage(text) => format!("stage {text}"),
            Reply::Tried(fails) => format!("tried {fails}"),
            Reply::Rejected(count, text) => format!("rejected {count} {text}"),
            Reply::Good(text) => format!("good {text}"),
            Reply::Refused(text) => format!("refused {text}"),
            Reply::Failure(text) => format!("failure {text}"),
            Reply::Undefined => "undefined".to_owned(),
            Reply::Done => "done".to_owned(),
            Reply::Lost => "lost".to_owned(),
            Reply::Ready => "ready".to_owned(),
        }
    }

    /// A child's line; nothing for what a driver printed.
    pub(super) fn read(line: &str) -> Option<Reply> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let text = || rest.to_owned();
        Some(match word {
            "device" => {
                let (less, name) = rest.split_once(' ')?;
                Reply::Device(less.to_owned(), name.to_owned())
            }
            "seed" => Reply::Seed(rest.parse().ok()?),
            "stage" => Reply::Stage(text()),
            "tried" => Reply::Tried(rest == "true"),
            "rejected" => {
                let (count, why) = rest.split_once(' ')?;
                Reply::Rejected(count.parse().ok()?, why.to_owned())
            }
            "good" => Reply::Good(text()),
            "refused" => Reply::Refused(text()),
            "failure" => Reply::Failure(text()),
            "undefined" => Reply::Undefined,
            "done" => Reply::Done,
            "lost" => Reply::Lost,
            "ready" => Reply::Ready,
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
    Reply::Device(settings.features.left_out(), device.to_owned()).say();
    let mut comparison = Comparison::new(settings.clone());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some(request) = Request::read(&line) else { return };
        let mut stage = |text: &str| Reply::Stage(text.to_owned()).say();
        match request {
            Request::Run(from, count) => {
                for seed in (0..count).map(|n| from.wrapping_add(n)) {
                    Reply::Seed(seed).say();
                    let report = comparison.one(seed, false, runner, &mut stage);
                    if runner.lost() {
                        return Reply::Lost.say();
                    }
                    tell(report);
                }
            }
            Request::Small(small) => {
                Reply::Seed(small.seed).say();
                make_small(settings, &small, runner);
                if runner.lost() {
                    return Reply::Lost.say();
                }
            }
        }
        Reply::Ready.say();
    }
}

/// Goes on with making a failure small, and keeps what is found.
fn make_small(settings: &Settings, small: &Small, runner: &mut dyn Runner) {
    let end = Instant::now() + Duration::from_secs(small.seconds);
    let mut known = small.fails.iter();
    smaller(settings, small.seed, &small.kind, &mut |fails| {
        if let Some(fails) = known.next() {
            return *fails;
        }
        if Instant::now() >= end || runner.lost() {
            return false;
        }
        let fails = fails(runner, &mut |text| Reply::Stage(text.to_owned()).say());
        if !runner.lost() {
            Reply::Tried(fails).say();
        }
        fails
    });
}

/// The outcome of one program.
fn tell(report: Report) {
    for (why, count) in report.rejected {
        Reply::Rejected(count, why.to_owned()).say();
    }
    if report.undefined > 0 {
        Reply::Undefined.say();
    }
    for way in report.good.into_keys() {
        Reply::Good(way).say();
    }
    for what in report.refusals.into_keys() {
        Reply::Refused(what).say();
    }
    for Failure { kind, case, .. } in report.failures {
        log::debug!("{case}");
        Reply::Failure(kind).say();
    }
    Reply::Done.say();
}

#[cfg(test)]
mod tests {
    use super::{Reply, Request, Small};

    #[test]
    fn requests_are_read_back() {
        let small = Small { seed: 7, seconds: 30, fails: vec![], kind: "a way: another result".to_owned() };
        let more = Small { fails: vec![true, false, true], ..small.clone() };
        for request in [Request::Run(3, u64::MAX), Request::Small(small), Request::Small(more)] {
            assert_eq!(Request::read(&request.line()), Some(request.clone()), "{request:?}");
        }
        assert_eq!(Request::read("small 3 4"), None);
    }

    #[test]
    fn what_is_said_is_understood() {
        let all = [
            Reply::Device("int64,generic".to_owned(), "a device of many words".to_owned()),
            Reply::Seed(u64::MAX),
            Reply::Stage("address: the launch".to_owned()),
            Reply::Tried(true),
            Reply::Tried(false),
            Reply::Rejected(3, "a race".to_owned()),
            Reply::Good("descriptor".to_owned()),
            Reply::Refused("address: no".to_owned()),
            Reply::Failure("address: another result".to_owned()),
            Reply::Undefined,
            Reply::Done,
            Reply::Lost,
            Reply::Ready,
        ];
        for said in all {
            assert_eq!(Reply::read(&said.line()), Some(said.clone()), "{said:?}");
        }
        assert_eq!(Reply::read("a driver's warning"), None);
    }
}
