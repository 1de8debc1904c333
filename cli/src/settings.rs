//! `pumice settings`: the environment variables that Pumice reads.

use crate::error::CliError;
use crate::output;
use host::settings::SETTINGS;

/// Prints the settings, then the driver workarounds.
///
/// # Errors
/// Standard output cannot be written.
pub fn print() -> Result<(), CliError> {
    for setting in SETTINGS {
        output::line(format!("{}={}\n    {}", setting.name, setting.values, setting.meaning))?;
    }
    output::line("\nDriver workarounds, by name, for PUMICE_WORKAROUNDS:")?;
    for quirk in lower::quirks::TABLE {
        output::line(format!("{}\n    {}", quirk.name, quirk.description))?;
    }
    Ok(())
}
