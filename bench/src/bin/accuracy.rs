//! How far the math functions of OpenCL drivers are from the right results: docs/results/data/accuracy.md is made by it.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use opencl_sys as cl;
use pumice_bench::accuracy::functions::all;
use pumice_bench::accuracy::measure::{Settings, check_reference, measure};
use pumice_bench::accuracy::mpfr::Mpfr;
use pumice_bench::accuracy::report::{Line, tables};
use pumice_bench::accuracy::{Result, Type};
use pumice_bench::opencl::{Library, Session};

/// The errors of math functions, in units in the last place.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures a driver; the lines go to standard output.
    Run(Run),
    /// Makes the tables of docs/results/data/accuracy.md from files of such lines.
    Table {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Compares the reference for floats with MPFR.
    Reference {
        /// How many arguments at random for each function.
        #[arg(long, default_value_t = 20_000)]
        count: usize,
    },
}

#[derive(clap::Args)]
struct Run {
    /// The driver's library.
    #[arg(long, default_value = "target/release/libpumice.so")]
    library: String,
    /// Part of the device's name.
    #[arg(long)]
    device: Option<String>,
    /// The name of the column.
    #[arg(long)]
    label: Option<String>,
    /// Every n-th argument of functions of one float; 1 takes them all.
    #[arg(long, default_value_t = 4099)]
    stride: u64,
    /// Arguments for other functions.
    #[arg(long, default_value_t = 200_000)]
    dense: usize,
    /// Arguments for functions of doubles.
    #[arg(long, default_value_t = 20_000)]
    doubles: usize,
    /// Only functions with this in their names.
    #[arg(long)]
    only: Option<String>,
    /// Only this type.
    #[arg(long = "type")]
    ty: Option<String>,
    /// With -cl-fast-relaxed-math, against its bounds (floats only).
    #[arg(long)]
    relaxed: bool,
    /// Begins no function after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match options.command {
        Command::Run(run) => measure_all(&run),
        Command::Table { files } => print_tables(&files),
        Command::Reference { count } => check(count),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("accuracy: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A query of 64 bits; 0 where the driver does not know it.
fn config(session: &Session, param: cl::cl_device_info) -> u64 {
    session.info(param).ok().and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn measure_all(run: &Run) -> Result<()> {
    let start = Instant::now();
    let library = Library::load("accuracy", &run.library)?;
    let session = library.open(run.device.as_deref())?;
    let label = run.label.clone().unwrap_or_else(|| session.device.clone());
    let mpfr = Mpfr::load();
    if let Err(message) = &mpfr {
        eprintln!("no doubles: {message}");
    }
    let configs =
        [cl::CL_DEVICE_HALF_FP_CONFIG, cl::CL_DEVICE_SINGLE_FP_CONFIG, cl::CL_DEVICE_DOUBLE_FP_CONFIG]
            .map(|c| config(&session, c));
    let flushes = configs.map(|c| c & cl::CL_FP_DENORM == 0);
    let settings = Settings {
        stride: run.stride.max(1),
        dense: run.dense,
        doubles: run.doubles,
        relaxed: run.relaxed,
        flushes,
    };
    for ty in [Type::Float, Type::Double, Type::Half] {
        let wanted = run.ty.as_deref().is_none_or(|t| t == ty.name()) && (ty == Type::Float || !run.relaxed);
        if !wanted || configs[ty as usize] == 0 || (ty == Type::Double && mpfr.is_err()) {
            continue;
        }
        for function in all() {
            if run.only.as_ref().is_some_and(|only| !function.name.contains(only.as_str())) {
                continue;
            }
            if run.seconds.is_some_and(|s| start.elapsed().as_secs() >= s) {
                eprintln!("{label}: the time is over at {} of {}", function.name, ty.name());
                return Ok(());
            }
            match measure(&session, &function, ty, &settings, mpfr.as_ref().ok()) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    println!("{}", Line::new(&label, run.relaxed, &function, ty, &found).text());
                    let _ = std::io::stdout().flush();
                }
                Err(message) => eprintln!("{}, {}: {message}", function.name, ty.name()),
            }
        }
    }
    eprintln!("{label}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn print_tables(files: &[PathBuf]) -> Result<()> {
    let mut lines = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        for line in text.lines() {
            lines.push(Line::parse(line)?);
        }
    }
    print!("{}", tables(&lines));
    Ok(())
}

fn check(count: usize) -> Result<()> {
    let mpfr = Mpfr::load()?;
    for function in all() {
        if let Some(worst) = check_reference(&mpfr, &function, count) {
            println!(
                "{}\t{:e}\t{:?} {} for {}",
                function.name, worst.error, worst.args.x, worst.got, worst.want
            );
        }
    }
    Ok(())
}
