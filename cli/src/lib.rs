//! The `pumice` program as a library: [`main`] takes the arguments and gives the exit code.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | success |
//! | 1 | the work failed: bad source, no device, a launch that failed, a result that is not as expected |
//! | 2 | wrong usage: unknown options, malformed argument specifications |
#![deny(clippy::undocumented_unsafe_blocks)]
#![forbid(unsafe_code)]

pub mod arg_spec;
pub mod array;
pub mod bundle;
pub mod cache;
pub mod cli;
pub mod compare;
pub mod compile;
pub mod completions;
pub mod demo;
pub mod devices;
pub mod doctor;
pub mod error;
pub mod files;
pub mod icd;
pub mod image_spec;
pub mod inspect;
pub mod ir;
pub mod output;
pub mod printf;
pub mod progress;
pub mod run;
pub mod settings;
pub mod stats;
pub mod target;
pub mod translate;

use clap::Parser;
use error::CliError;

/// Runs the program; gives its exit code.
pub fn main(args: impl IntoIterator<Item = String>) -> u8 {
    let level = host::settings::get("PUMICE_LOG").unwrap_or_else(|| "error".to_owned());
    let _ = env_logger::Builder::new().parse_filters(&level).try_init();
    match dispatch(args) {
        Ok(()) => 0,
        Err(CliError::Shown(code)) => code,
        Err(error) => {
            eprintln!("pumice: {error}");
            error.exit_code()
        }
    }
}

fn dispatch(args: impl IntoIterator<Item = String>) -> Result<(), CliError> {
    let (words, build) = cli::take_build_options(args)?;
    let parsed = match cli::Cli::try_parse_from(words) {
        Ok(parsed) => parsed,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // A closed pipe while help is printed is nobody's error.
            let _ = error.print();
            return if code == 0 { Ok(()) } else { Err(CliError::Shown(code)) };
        }
    };
    // The doctor tells them in its page.
    if !matches!(parsed.command, cli::Command::Doctor(_)) {
        for problem in host::settings::problems() {
            eprintln!("pumice: {problem}");
        }
    }
    match parsed.command {
        cli::Command::Devices => devices::list(),
        cli::Command::Doctor(args) => doctor::command(&args),
        cli::Command::Compile(args) => compile::command(&args, build),
        cli::Command::Run(args) => run::command(&args, build),
        cli::Command::Inspect(args) => inspect::command(&args, build),
        cli::Command::Stats(args) => stats::command(&args, build),
        cli::Command::Demo(args) => demo::command(&args, build),
        cli::Command::Ir(args) => ir::command(&args),
        cli::Command::Settings => settings::print(),
        cli::Command::Cache { what } => cache::command(what),
        cli::Command::Icd(what) => icd::command(&what),
        cli::Command::Completions { shell } => completions::print(shell),
        cli::Command::Man { folder } => completions::man(&folder),
    }
}
