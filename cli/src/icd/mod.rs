//! `pumice icd`: tells the ICD loader of libpumice.so.
//!
//! The loader (libOpenCL.so.1) opens every driver that a file `*.icd` in /etc/OpenCL/vendors names; or, in place of those, in the
//! directory that the environment variable OCL_ICD_VENDORS names. The system's directory belongs to root; a user's own one
//! needs the variable.

#[cfg(not(windows))]
mod folder;
#[cfg(windows)]
pub mod registry;

use std::path::{Path, PathBuf};

use crate::cli::IcdCommand;
use crate::error::CliError;

#[cfg(not(windows))]
pub use folder::SYSTEM;
#[cfg(windows)]
pub use registry::SYSTEM;

/// The driver's file.
pub const LIBRARY: &str = if cfg!(windows) { "pumice.dll" } else { "libpumice.so" };

/// Runs `pumice icd`.
///
/// # Errors
/// The library is not found, the file or the registry cannot be written, no home directory is known.
pub fn command(what: &IcdCommand) -> Result<(), CliError> {
    #[cfg(not(windows))]
    return folder::command(what);
    #[cfg(windows)]
    registry::command(what)
}

/// The library that belongs to this program: beside it, or in the `lib` beside its `bin` and what is there of Debian's package.
///
/// # Errors
/// There is none.
pub fn find_library() -> Result<PathBuf, CliError> {
    let program = std::env::current_exe().and_then(|p| p.canonicalize());
    let program =
        program.map_err(|e| CliError::Failed(format!("cannot find this program's own file: {e}")))?;
    // Debian's package has it in a folder of its own.
    let debian = format!("../lib/{}-linux-gnu/pumice", std::env::consts::ARCH);
    let places: Vec<PathBuf> = ["", "../lib", "../lib64", &debian]
        .iter()
        .filter_map(|d| Some(program.parent()?.join(d).join(LIBRARY)))
        .collect();
    match places.iter().find_map(|p| p.canonicalize().ok()) {
        Some(found) => Ok(plain(found)),
        None => Err(CliError::Failed(format!(
            "{LIBRARY} is not beside '{}'; build it (cargo build --release) or name it with --library",
            program.display()
        ))),
    }
}

fn existing(library: &Path) -> Result<PathBuf, CliError> {
    library.canonicalize().map(plain).map_err(|e| CliError::reading(library, e))
}

/// A path without the prefix that Windows has before paths with nothing to resolve. Older programs do not know it.
fn plain(path: PathBuf) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) => PathBuf::from(rest),
        None => path,
    }
}
