//! Compiles many real programs, one after the other, and prints a line for each: what `scripts/corpus` tables.

use lower::Target;
use lower::profile::target_from_profile;
use pumice_fuzz::run::{self, Compiled, LowerOutcome, Outcome};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
Usage: corpus [--lower PROFILE.json] JOBS

JOBS is a file with a line for each compilation: PROGRAM<tab>FILE<tab>BUILD OPTIONS. For each there is a line on
standard output, with tabs between: program, file, outcome (good, refused, panic), kernels, lines, microseconds,
warnings, the lowering's outcome (good, refused, wrong, panic, -) and microseconds, and the first error or what the
lowering said. The front end compiles for a device that has everything; with --lower, the module is then lowered for
the Vulkan device that a profile describes.";

fn main() -> ExitCode {
    let work = || match begin() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("corpus: {message}");
            ExitCode::from(2)
        }
    };
    let thread = std::thread::Builder::new().stack_size(run::STACK).spawn(work);
    thread.ok().and_then(|t| t.join().ok()).unwrap_or(ExitCode::FAILURE)
}

fn begin() -> Result<(), String> {
    let mut target = None;
    let mut jobs = None;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--lower" => {
                let path = words.next().ok_or("--lower needs a file")?;
                let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
                target = Some(target_from_profile(&text).map_err(|e| format!("{path}: {e}"))?);
            }
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(());
            }
            _ => jobs = Some(word),
        }
    }
    let jobs = jobs.ok_or(HELP)?;
    let jobs = std::fs::read_to_string(&jobs).map_err(|e| format!("{jobs}: {e}"))?;
    for line in jobs.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(program), Some(file)) = (parts.next(), parts.next()) else { continue };
        println!("{program}\t{file}\t{}", job(file, parts.next().unwrap_or_default(), target.as_ref()));
    }
    Ok(())
}

/// Compiles one file; the rest of its line.
fn job(file: &str, build: &str, target: Option<&Target>) -> String {
    let mut options = run::everything();
    if let Err(e) = options.parse_build_options(build) {
        return failure(&e.to_string());
    }
    options.include_dirs.extend(Path::new(file).parent().map(Path::to_owned));
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(e) => return failure(&e.to_string()),
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut compiled = run::compile(file, &text, &options);
    compiled.time = fastest(compiled.time, || run::compile(file, &text, &options).time);
    let lowered = target.and_then(|t| Some(run::lower(compiled.spirv.as_ref()?, t)));
    describe(&compiled, lowered)
}

/// The shortest of several runs, of which the first took so long; of those that take long there are fewer.
fn fastest(first: Duration, mut work: impl FnMut() -> Duration) -> Duration {
    let (mut best, mut all) = (first, first);
    while all < Duration::from_millis(30) {
        let time = work();
        best = best.min(time);
        all += time.max(Duration::from_millis(6));
    }
    best
}

fn failure(message: &str) -> String {
    format!("refused\t0\t0\t0\t0\t-\t0\t{message}")
}

fn describe(compiled: &Compiled, lowered: Option<(LowerOutcome, Duration)>) -> String {
    let (outcome, kernels, message) = match &compiled.outcome {
        Outcome::Good(kernels) => ("good", *kernels, ""),
        Outcome::Refused(message) => ("refused", 0, message.as_str()),
        Outcome::Panic(message) => ("panic", 0, message.as_str()),
    };
    let (state, said, time) = match &lowered {
        None => ("-", "", Duration::ZERO),
        Some((LowerOutcome::Good, time)) => ("good", "", *time),
        Some((LowerOutcome::Refused(said), time)) => ("refused", said.as_str(), *time),
        Some((LowerOutcome::Wrong(said), time)) => ("wrong", said.as_str(), *time),
        Some((LowerOutcome::Panic(said), time)) => ("panic", said.as_str(), *time),
    };
    let message = [message, said].concat().replace(['\t', '\n'], " ");
    let (lines, micros, warnings) = (compiled.lines, compiled.time.as_micros(), compiled.warnings);
    format!("{outcome}\t{kernels}\t{lines}\t{micros}\t{warnings}\t{state}\t{}\t{message}", time.as_micros())
}
