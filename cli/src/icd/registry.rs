//! The registry of Windows, where the ICD loader looks: `HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\OpenCL\Vendors`. Each value's name is the path of a
//! driver, and its content the DWORD 0. An administrator alone writes there.

use std::process::{Command, Output};

use crate::cli::{IcdArgs, IcdCommand};
use crate::error::CliError;
use crate::output;

/// The place where the loader looks.
pub const SYSTEM: &str = r"HKLM\SOFTWARE\Khronos\OpenCL\Vendors";

/// Runs `pumice icd`.
///
/// # Errors
/// The library is not found, or the registry cannot be written.
pub(super) fn command(what: &IcdCommand) -> Result<(), CliError> {
    match what {
        IcdCommand::Install { args, library } => {
            refuse(args)?;
            let library = library.as_deref().map_or_else(super::find_library, super::existing)?;
            let name = library.display().to_string();
            reg(&["add", SYSTEM, "/v", &name, "/t", "REG_DWORD", "/d", "0", "/f"])?;
            output::line(format!("{SYSTEM} names {name}"))
        }
        IcdCommand::Uninstall { args } => {
            refuse(args)?;
            let ours = |name: &String| name.to_lowercase().ends_with(super::LIBRARY);
            for name in drivers().into_iter().filter(ours) {
                reg(&["delete", SYSTEM, "/v", &name, "/f"])?;
                output::line(format!("{SYSTEM} no longer names {name}"))?;
            }
            Ok(())
        }
        IcdCommand::Path => output::line(super::find_library()?.display().to_string()),
    }
}

/// The loader of Windows reads no folders.
fn refuse(args: &IcdArgs) -> Result<(), CliError> {
    match args.user || args.dir.is_some() {
        true => {
            Err(CliError::Failed(format!("on Windows the loader reads {SYSTEM} alone: no --user, no --dir")))
        }
        false => Ok(()),
    }
}

/// Runs Windows's own program for the registry.
fn reg(arguments: &[&str]) -> Result<Output, CliError> {
    let done = Command::new("reg").args(arguments).output();
    let done = done.map_err(|e| CliError::Failed(format!("reg.exe cannot be run: {e}")))?;
    match done.status.success() {
        true => Ok(done),
        false => Err(CliError::Failed(format!(
            "the registry cannot be written (an administrator may): {}",
            String::from_utf8_lossy(&done.stderr).trim()
        ))),
    }
}

/// The drivers that are registered.
pub fn drivers() -> Vec<String> {
    let text = reg(&["query", SYSTEM]).map(|done| String::from_utf8_lossy(&done.stdout).into_owned());
    let text = text.unwrap_or_default();
    let name = |line: &str| Some(line.split("REG_DWORD").next()?.trim().to_owned());
    text.lines().filter(|line| line.contains("REG_DWORD")).filter_map(name).collect()
}
