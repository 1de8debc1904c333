//! `pumice settings`: the environment variables that Pumice reads.

use crate::error::CliError;
use crate::output;
use host::settings::SETTINGS;

/// Prints the table.
///
/// # Errors
/// Standard output cannot be written.
pub fn print() -> Result<(), CliError> {
    for setting in SETTINGS {
        output::line(format!("{}={}\n    {}", setting.name, setting.values, setting.meaning))?;
    }
    Ok(())
}
