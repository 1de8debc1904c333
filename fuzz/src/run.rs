//! One watched compilation.

use frontend::diag::{Severity, Style, render};
use frontend::options::{AddressWidth, Features, Options};
use lower::{LowerError, LowerOptions, Target};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The stack that a compilation gets, as in `icd/src/program/build.rs`.
pub const STACK: usize = 64 << 20;

/// The outcome of a compilation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A module with so many kernels.
    Good(usize),
    /// Refused with diagnostics: the first error's line.
    Refused(String),
    /// A panic: a bug in any case.
    Panic(String),
}

/// A compilation by the front end.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The outcome of it.
    pub outcome: Outcome,
    /// The module.
    pub spirv: Option<Vec<u32>>,
    /// The build log.
    pub log: String,
    /// Errors and warnings in it.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Lines of the source and of the files that it includes, each file counted once.
    pub lines: usize,
    /// How long it took on a CPU.
    pub time: Duration,
}

/// Options for a device that has everything that the language can ask for: what the front end itself can do.
pub fn everything() -> Options {
    Options {
        address_width: AddressWidth::Bits64,
        device_version: 310,
        features: Features::EXPRESSED,
        ..Options::default()
    }
}

/// [`everything`] with the build options that a program's text asks for itself, as the cases do: `// options: …`.
/// Options that are none are left out.
pub fn options_of(text: &str) -> Options {
    let mut options = everything();
    for line in text.lines().filter_map(|l| l.strip_prefix("// options: ")) {
        let _ = options.parse_build_options(line);
    }
    // Files of the machine are no inputs.
    options.include_dirs.clear();
    options
}

/// A watch of the time that this process computes, whatever else the machine does (a compilation runs on a thread of its
/// own).
#[derive(Debug)]
pub struct Watch(Duration);

impl Watch {
    /// Starts.
    pub fn start() -> Watch {
        Watch(cpu_time())
    }

    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        cpu_time().saturating_sub(self.0)
    }
}

/// This process's time on a CPU, ended threads included.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// Runs the front end.
pub fn compile(name: &str, text: &str, options: &Options) -> Compiled {
    let start = Watch::start();
    let result = catch_unwind(AssertUnwindSafe(|| frontend::compile(name, text, options)));
    let time = start.elapsed();
    let mut compiled = Compiled {
        outcome: Outcome::Good(0),
        spirv: None,
        log: String::new(),
        errors: 0,
        warnings: 0,
        lines: 0,
        time,
    };
    let result = match result {
        Ok(result) => result,
        Err(panic) => {
            compiled.outcome = Outcome::Panic(message(panic.as_ref()));
            return compiled;
        }
    };
    let shown = || {
        // What is shown on terminals, and the changes that are proposed.
        let _ = render(&result.diagnostics, &result.sources, Style::Rich { color: false });
        let _ = frontend::diag::fix::apply(&result.diagnostics, &result.sources, frontend::source::FileId(0));
        render(&result.diagnostics, &result.sources, Style::Line)
    };
    match catch_unwind(AssertUnwindSafe(shown)) {
        Ok(log) => compiled.log = log,
        Err(panic) => compiled.outcome = Outcome::Panic(message(panic.as_ref())),
    }
    for diagnostic in result.diagnostics.iter() {
        match diagnostic.severity {
            Severity::Error => compiled.errors += 1,
            Severity::Warning => compiled.warnings += 1,
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    let written = result.sources.files.iter().filter(|f| f.name != "<built-in>" && seen.insert(&f.name));
    compiled.lines = written.map(|f| f.text.lines().count()).sum();
    if compiled.outcome == Outcome::Good(0) {
        compiled.outcome = match &result.spirv {
            Some(words) => Outcome::Good(kernels(words)),
            None => {
                let first = compiled.log.lines().find(|l| l.contains("error: "));
                Outcome::Refused(first.unwrap_or("no module and no error").to_owned())
            }
        };
    }
    compiled.spirv = result.spirv;
    compiled
}

/// The outcome of a lowering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LowerOutcome {
    /// Lowered.
    Good,
    /// The target lacks something, or it is not there yet.
    Refused(String),
    /// The lowering says that the module is wrong, or that it is itself: a bug, as the module is the front end's.
    Wrong(String),
    /// A panic: a bug.
    Panic(String),
}

/// Runs the lowering; how long it took.
pub fn lower(words: &[u32], target: &Target) -> (LowerOutcome, Duration) {
    let start = Watch::start();
    let result = catch_unwind(AssertUnwindSafe(|| lower::lower(words, target, &LowerOptions::default())));
    let outcome = match result {
        Ok(Ok(_)) => LowerOutcome::Good,
        Ok(Err(e @ (LowerError::Unsupported { .. } | LowerError::NotYet { .. }))) => {
            LowerOutcome::Refused(e.to_string())
        }
        Ok(Err(e)) => LowerOutcome::Wrong(e.to_string()),
        Err(panic) => LowerOutcome::Panic(message(panic.as_ref())),
    };
    (outcome, start.elapsed())
}

/// The entry points of a module: instructions with the opcode 15 (SPIR-V §3.3.4).
fn kernels(words: &[u32]) -> usize {
    let (mut at, mut count) = (5, 0);
    while let Some(word) = words.get(at) {
        count += usize::from(word & 0xffff == 15);
        at += (word >> 16).max(1) as usize;
    }
    count
}

/// The message of a panic.
pub(crate) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned())
}
