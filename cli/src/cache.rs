//! `pumice cache`: what compiled programs and pipelines take on disk.

use host::cache::{clear, parts};

use crate::cli::CacheCommand;
use crate::error::CliError;
use crate::output;

/// Runs `pumice cache`.
///
/// # Errors
/// The folder belongs to another user, or is a link.
pub fn command(what: CacheCommand) -> Result<(), CliError> {
    let Some(directory) = host::settings::cache_dir() else {
        return output::line("caches are off (PUMICE_CACHE_DIR is empty, or there is no home directory)");
    };
    let failed = |e: std::io::Error| {
        CliError::Failed(format!("the cache in '{}' is not used: {e}", directory.display()))
    };
    match what {
        CacheCommand::Show => {
            output::line(directory.display().to_string())?;
            for part in parts(&directory).map_err(failed)? {
                output::line(part.to_string())?;
            }
            Ok(())
        }
        CacheCommand::Clear => {
            let removed = clear(&directory).map_err(failed)?;
            output::line(format!("{removed} files removed from {}", directory.display()))
        }
    }
}
