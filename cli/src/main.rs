//! The `pumice` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Arguments that are not UTF-8 can only be file names; they are taken with replacement characters and
    // then not found, with a message.
    let args = std::env::args_os().map(|a| a.to_string_lossy().into_owned());
    ExitCode::from(pumice_cli::main(args))
}
