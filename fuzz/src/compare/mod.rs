//! Random programs that are defined, an interpreter that says what they do, and devices that must agree.
//!
//! [`generate`] makes a program as a tree ([`ast`]); [`eval`] executes it for all work-items and rejects what OpenCL C
//! does not define; [`print`] writes it as OpenCL C; a [`Runner`] runs that; what differs is made small ([`shrink`]) and
//! written as a case for `tests/cases/run`.

mod arith;
mod ast;
mod browser;
pub mod command;
mod eval;
mod floats;
mod generate;
mod jobs;
mod memory;
mod print;
mod shrink;
mod summary;
pub mod vary;
mod vulkan;
mod worker;

use crate::random::Random;
use ast::{Actual, Program};
pub use browser::Browser;
pub use generate::Features;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
pub use vulkan::{Lowering, Vulkan};

/// A program with what it is run on.
#[derive(Debug, Clone)]
pub struct Case {
    /// OpenCL C.
    pub source: String,
    /// Build options.
    pub options: String,
    /// The kernels to run, one after the other, each by all work-items.
    pub launches: Vec<CaseLaunch>,
    /// The initial contents of the buffers.
    pub buffers: Vec<Vec<u8>>,
    /// Work-items in each dimension.
    pub global: [u32; 3],
    /// The work-items of a group.
    pub local: [u32; 3],
}

impl Case {
    /// The dimensions of its launches.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.global.iter().rposition(|n| *n > 1).map_or(1, |d| d + 1)
    }
}

/// One launch.
#[derive(Debug, Clone)]
pub struct CaseLaunch {
    /// The kernel.
    pub kernel: String,
    /// Its arguments, with their names.
    pub args: Vec<CaseArg>,
    /// The parameters' names.
    pub names: Vec<String>,
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseArg {
    /// A buffer by its number, from this byte on.
    Buffer(usize, u32),
    /// NULL for a buffer.
    Null,
    /// A value's bytes.
    Value(Vec<u8>),
    /// Bytes of local memory.
    Local(u32),
}

/// The result of a runner for a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The buffers afterwards; behind them what the kernels printed, if they did.
    Buffers(Vec<Vec<u8>>),
    /// It went as far as this runner goes, without a result.
    Lowered,
    /// It cannot be run here, and the message says why.
    Refused(String),
    /// A panic, a bug, an error that a defined program must not give.
    Fault(String),
}

/// A runner of cases.
pub trait Runner {
    /// Runs a case in every way that this runner has, each with its name. `stage` hears each beginning: what is named last
    /// is where a run that does not come back is.
    fn run(&mut self, case: &Case, stage: &mut dyn FnMut(&str)) -> Vec<(String, Answer)>;

    /// Runs a case in the way of this name.
    fn run_as(&mut self, name: &str, case: &Case, stage: &mut dyn FnMut(&str)) -> Option<Answer> {
        self.run(case, stage).into_iter().find(|a| a.0 == name).map(|a| a.1)
    }

    /// The program of this seed comes next.
    fn begin(&mut self, _seed: u64) {}

    /// Returns whether nothing can be run by it any more: the device is lost.
    fn lost(&self) -> bool {
        false
    }
}

/// The parameters of a comparison.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The first program's seed; the next one's is one more.
    pub seed: u64,
    /// How many programs.
    pub count: u64,
    /// The features of the programs.
    pub features: Features,
    /// The folder for cases of failures.
    pub out: Option<PathBuf>,
    /// True if failures are made small.
    pub shrink: bool,
}

/// The outcome of it.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Programs compared.
    pub programs: u64,
    /// Seeds of which no program is defined.
    pub undefined: u64,
    /// Programs made that were not defined; another is made in their place.
    pub rejected: BTreeMap<&'static str, u64>,
    /// Runs whose results were as expected, by the runner's ways.
    pub good: BTreeMap<String, u64>,
    /// Refusals, by runner and message.
    pub refusals: BTreeMap<String, u64>,
    /// Failures: what, the seed, and the case.
    pub failures: Vec<Failure>,
}

impl Report {
    /// Runs whose results were as expected, all ways together.
    #[must_use]
    pub fn all_good(&self) -> u64 {
        self.good.values().sum()
    }

    fn add(&mut self, other: Report) {
        self.programs += other.programs;
        self.undefined += other.undefined;
        other.rejected.into_iter().for_each(|(text, n)| *self.rejected.entry(text).or_default() += n);
        other.good.into_iter().for_each(|(text, n)| *self.good.entry(text).or_default() += n);
        other.refusals.into_iter().for_each(|(text, n)| *self.refusals.entry(text).or_default() += n);
        self.failures.extend(other.failures);
    }
}

/// A program that does not do what it must.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The fault, without names and numbers.
    pub kind: String,
    /// The program's seed.
    pub seed: u64,
    /// The case, made small.
    pub case: String,
}

/// Programs of one seed that are tried until one is defined.
const ATTEMPTS: u64 = 200;

fn program_of(seed: u64, features: &Features, report: &mut Report) -> Option<(Program, Vec<eval::Contents>)> {
    for attempt in 0..ATTEMPTS {
        let mut random = Random::new(seed.wrapping_add(attempt << 48));
        let program = generate::program(&mut random, features);
        match eval::run(&program) {
            Ok(expected) => return Some((program, expected)),
            Err(reject) => *report.rejected.entry(reject.0).or_default() += 1,
        }
    }
    None
}

fn case_of(program: &Program) -> Case {
    let launches = program.launches.iter().map(|l| {
        let function = &program.functions[l.kernel];
        CaseLaunch {
            kernel: function.name.clone(),
            names: function.params.iter().map(|p| program.vars[*p].name.clone()).collect(),
            args: l
                .args
                .iter()
                .map(|a| match a {
                    Actual::Buffer(n, offset) => CaseArg::Buffer(*n, *offset),
                    Actual::Null => CaseArg::Null,
                    Actual::Value(bytes) => CaseArg::Value(bytes.clone()),
                    Actual::Local(bytes) => CaseArg::Local(*bytes),
                })
                .collect(),
        }
    });
    Case {
        source: print::source(program),
        options: match (program.generic, program.three) {
            (true, true) => "-cl-std=CL3.0".to_owned(),
            (true, false) => "-cl-std=CL2.0".to_owned(),
            _ => String::new(),
        },
        launches: launches.collect(),
        buffers: program.buffers.clone(),
        global: program.shape.global(),
        local: program.shape.local,
    }
}

/// The program of a seed and what it is expected to do, as a case.
#[must_use]
pub fn show(seed: u64, features: &Features, note: &str) -> Option<String> {
    let (program, expected) = program_of(seed, features, &mut Report::default())?;
    Some(written(&program, &expected, note))
}

/// A message without the names and numbers in it.
fn kind(message: &str) -> String {
    let mut short = String::new();
    let line = message.lines().next().unwrap_or_default();
    let line = line.split_once("error: ").map_or(line, |l| l.1);
    for (n, part) in line.split('\'').enumerate() {
        short.push_str(if n % 2 == 0 { part } else { "'…'" });
    }
    let mut last = ' ';
    short.retain(|c| {
        let digit = c.is_ascii_digit() && (last.is_ascii_digit() || last.is_ascii_lowercase());
        last = c;
        !digit
    });
    short
}

/// The fault of an answer: a text that is the same for the same fault.
fn wrong(runner: &str, answer: &Answer, expected: &[eval::Contents]) -> Option<String> {
    match answer {
        Answer::Buffers(buffers) => {
            let differs = expected.iter().zip(buffers).any(|((bytes, known), got)| {
                bytes.iter().zip(known).zip(got).any(|((want, known), got)| *known && want != got)
            });
            differs.then(|| format!("{runner}: another result"))
        }
        Answer::Fault(message) => Some(format!("{runner}: {}", kind(message))),
        Answer::Lowered | Answer::Refused(_) => None,
    }
}

/// The first difference of the buffers, if they do.
fn difference(answer: &Answer, expected: &[eval::Contents]) -> Option<String> {
    let Answer::Buffers(buffers) = answer else { return None };
    expected.iter().zip(buffers).enumerate().find_map(|(buffer, ((bytes, known), got))| {
        let at = (0..got.len().min(bytes.len())).find(|i| known[*i] && bytes[*i] != got[*i])?;
        let [want, got] = [bytes, got].map(|b| &b[at..b.len().min(at + 16)]);
        Some(format!("buffer {buffer} holds at byte {at} {got:02x?}, not {want:02x?}"))
    })
}

/// Makes programs, runs them, compares.
pub fn compare(settings: &Settings, runner: &mut dyn Runner) -> Report {
    let mut comparison = Comparison::new(settings.clone());
    let mut report = Report::default();
    for n in 0..settings.count {
        let seed = settings.seed.wrapping_add(n);
        report.add(comparison.one(seed, settings.shrink, runner, &mut |_| {}));
    }
    report
}

/// This many of each kind of failure are made small.
const SMALL: u32 = 12;

/// Comparisons one by one.
pub(crate) struct Comparison {
    settings: Settings,
    kinds: BTreeMap<String, u32>,
}

impl Comparison {
    pub(crate) fn new(settings: Settings) -> Comparison {
        Comparison { settings, kinds: BTreeMap::new() }
    }

    /// The program of a seed.
    pub(crate) fn one(
        &mut self,
        seed: u64,
        small: bool,
        runner: &mut dyn Runner,
        stage: &mut dyn FnMut(&str),
    ) -> Report {
        let mut report = Report::default();
        stage("the interpreter");
        let Some((program, expected)) = program_of(seed, &self.settings.features, &mut report) else {
            report.undefined = 1;
            return report;
        };
        report.programs = 1;
        runner.begin(seed);
        let mut found = Vec::new();
        for (name, answer) in runner.run(&case_of(&program), stage) {
            if let Answer::Refused(message) = &answer {
                *report.refusals.entry(format!("{name}: {}", refusal(message))).or_default() += 1;
            }
            match wrong(&name, &answer, &expected) {
                Some(kind) => found.push((name, kind, difference(&answer, &expected).unwrap_or_default())),
                None if matches!(answer, Answer::Buffers(_) | Answer::Lowered) => {
                    *report.good.entry(name).or_default() += 1;
                }
                None => {}
            }
        }
        let Some((name, kind, difference)) = found.first().cloned() else { return report };
        let count = self.kinds.entry(kind.clone()).or_default();
        *count += 1;
        let mut note = format!("{kind} (seed {seed})");
        if !difference.is_empty() {
            let _ = write!(note, "; before it was made small {difference}");
        }
        let program = if small && *count <= SMALL && !runner.lost() {
            shrink::shrink(program, &mut |candidate| fails(candidate, &name, &kind, runner, stage))
        } else {
            program
        };
        let expected = eval::run(&program).unwrap_or(expected);
        let case = written(&program, &expected, &note);
        self.settings.keep(seed, &case);
        report.failures.push(Failure { kind, seed, case });
        report
    }
}

impl Settings {
    /// Writes the case of a failure where such cases go.
    fn keep(&self, seed: u64, case: &str) {
        let Some(out) = &self.out else { return };
        let file = out.join(format!("compare-{seed}.cl"));
        if let Err(e) = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&file, case)) {
            eprintln!("{}: {e}", file.display());
        }
    }
}

/// A refusal without its kernel and device.
fn refusal(message: &str) -> String {
    kind(message.split_once(": ").map_or(message, |m| m.1))
}

fn fails(
    program: &Program,
    name: &str,
    kind: &str,
    runner: &mut dyn Runner,
    stage: &mut dyn FnMut(&str),
) -> bool {
    let Ok(expected) = eval::run(program) else { return false };
    let answer = runner.run_as(name, &case_of(program), stage);
    answer.and_then(|a| wrong(name, &a, &expected)).as_deref() == Some(kind)
}

/// True if a program fails, when it is run.
type Fails<'a> = &'a dyn Fn(&mut dyn Runner, &mut dyn FnMut(&str)) -> bool;

/// Makes the program of a seed small, which fails as `kind` says, and keeps it; `tried` is asked for each program whether it fails.
fn smaller(settings: &Settings, seed: u64, kind: &str, tried: &mut dyn FnMut(Fails<'_>) -> bool) {
    let Some((program, expected)) = program_of(seed, &settings.features, &mut Report::default()) else {
        return;
    };
    let way = kind.split_once(": ").map_or(kind, |k| k.0);
    let program = shrink::shrink(program, &mut |candidate| {
        tried(&|runner, stage| fails(candidate, way, kind, runner, stage))
    });
    let expected = eval::run(&program).unwrap_or(expected);
    settings.keep(seed, &written(&program, &expected, &format!("{kind} (seed {seed})")));
}

fn words(bytes: &[u8]) -> Vec<String> {
    let word = |part: &[u8]| {
        let mut bits = [0; 4];
        bits[..part.len()].copy_from_slice(part);
        u32::from_le_bytes(bits).to_string()
    };
    bytes.chunks(4).map(word).collect()
}

/// A program as a case for `tests/cases/run`.
fn written(program: &Program, expected: &[eval::Contents], note: &str) -> String {
    let case = case_of(program);
    let mut text = format!("// {note}\n");
    if !case.options.is_empty() {
        let _ = writeln!(text, "// options: {}", case.options);
    }
    let dimensions = case.dimensions();
    for launch in &case.launches {
        let [global, local] = [case.global, case.local]
            .map(|size| size[..dimensions].iter().map(u32::to_string).collect::<Vec<_>>().join(","));
        let mut line = format!("--kernel {} --global {global} --local {local}", launch.kernel);
        let mut prints = String::new();
        let mut seen: BTreeMap<usize, &str> = BTreeMap::new();
        for (name, arg) in launch.names.iter().zip(&launch.args) {
            let value = match arg {
                CaseArg::Buffer(n, _) if seen.contains_key(n) => {
                    format!("@{}", seen.get(n).copied().unwrap_or_default())
                }
                CaseArg::Buffer(n, _) => {
                    seen.insert(*n, name);
                    let bytes = &case.buffers[*n];
                    let known = expected[*n].1.chunks(4).take_while(|k| !k.contains(&false)).count();
                    if known > 0 {
                        let shown = words(&expected[*n].0[..(known * 4).min(expected[*n].0.len())]);
                        let rest = if known * 4 < bytes.len() { " …" } else { "" };
                        let _ = write!(line, " --print {name}:{known}");
                        let _ = writeln!(prints, "// prints: {name}: {}{rest}", shown.join(" "));
                    }
                    let count = bytes.len().div_ceil(4);
                    match bytes.iter().all(|b| *b == 0) {
                        true => format!("uint[{count}]"),
                        false => format!("uint[{count}]:values={}", words(bytes).join(",")),
                    }
                }
                CaseArg::Null => "null".to_owned(),
                CaseArg::Local(bytes) => format!("local:{bytes}"),
                CaseArg::Value(bytes) => {
                    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
                    format!("bytes:{hex}")
                }
            };
            let _ = write!(line, " --arg {name}={value}");
        }
        let offsets = launch.args.iter().any(|a| matches!(a, CaseArg::Buffer(_, o) if *o != 0));
        if case.launches.len() == 1 && !offsets {
            let _ = write!(text, "// run: {line}\n{prints}");
        } else {
            // What a case cannot say: several launches, parts of buffers.
            let _ = writeln!(text, "// Launch {line}\n// then {:?}", launch.args);
            text.push_str(&prints.replace("// prints:", "// At the end"));
        }
    }
    text.push_str(&case.source);
    text
}
