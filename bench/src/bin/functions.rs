//! The functions of OpenCL C on an OpenCL library, compared with a reference: docs/results/data/functions.md is made by it.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use pumice_bench::functions::{Effort, Settings, run, tables};
use pumice_bench::opencl::{Library, Result};

/// Every function of OpenCL C but those of mathematics, for every type, width and class of sizes.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compares a library's results; the lines go to standard output, mismatches are reported and exit with 1.
    Run(Run),
    /// Makes the tables of docs/results/data/functions.md from files of such lines.
    Table {
        /// The files.
        files: Vec<std::path::PathBuf>,
    },
}

#[derive(clap::Args)]
struct Run {
    /// The library.
    #[arg(long, default_value = "target/release/libpumice.so")]
    library: String,
    /// Part of the device's name.
    #[arg(long)]
    device: Option<String>,
    /// The device's name in the lines.
    #[arg(long)]
    label: Option<String>,
    /// Only families with this in their names; may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Each family once.
    #[arg(long)]
    quick: bool,
    /// Every size for every function.
    #[arg(long)]
    all: bool,
    /// This many programs at once; as many as there are processors if it is left out, 8 at most.
    #[arg(long)]
    threads: Option<usize>,
    /// Begins no kernel after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// The K-th part of N of the kernels: parts that are run one by one give the whole, and `table` adds their lines.
    #[arg(long, value_name = "K/N", value_parser = part)]
    part: Option<(usize, usize)>,
    /// Tells of each kernel how long it took.
    #[arg(long)]
    times: bool,
}

fn part(text: &str) -> std::result::Result<(usize, usize), String> {
    let of = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    of.filter(|(k, n)| (1..=*n).contains(k)).ok_or_else(|| "expected K/N, K from 1 to N".to_owned())
}

fn main() -> ExitCode {
    let done = match Options::parse().command {
        Command::Run(run) => compare(&run),
        Command::Table { files } => table(&files).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("functions: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether nothing was wrong.
fn compare(options: &Run) -> Result<bool> {
    let start = std::time::Instant::now();
    let session = Library::load("functions", &options.library)?.open(options.device.as_deref())?;
    let label = options.label.clone().unwrap_or_else(|| session.device.clone());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        effort: match (options.quick, options.all) {
            (true, _) => Effort::Quick,
            (_, true) => Effort::All,
            _ => Effort::Usual,
        },
        only: &options.only,
        threads: options.threads.unwrap_or(processors.min(8)),
        seconds: options.seconds,
        part: options.part,
        times: options.times,
    };
    let (report, missing) = run(session, &settings)?;
    print!("{}", report.lines(&label));
    report.complaints.iter().for_each(|c| eprintln!("MISMATCH {c}"));
    report.failures.iter().for_each(|f| eprintln!("FAILED {f}"));
    missing.iter().for_each(|m| eprintln!("NOT COMPARED {m}"));
    let (compared, wrong) = report.totals();
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{label}: {compared} comparisons, {wrong} mismatches, {} families, {} failures, {seconds:.1} s",
        report.families().len(),
        report.failures.len()
    );
    Ok(wrong == 0 && report.failures.is_empty() && missing.is_empty())
}

fn table(files: &[std::path::PathBuf]) -> Result<()> {
    let mut text = String::new();
    for file in files {
        text += &std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    print!("{}", tables(&text)?);
    Ok(())
}
