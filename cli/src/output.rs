//! Standard output that a reader may close: `pumice inspect … | head` is no failure.

use crate::error::CliError;
use std::io::{ErrorKind, Write};

/// Writes to standard output. When nobody reads any more, the rest is dropped silently.
///
/// # Errors
/// Any other failure to write.
pub fn write(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| CliError::writing("standard output", e)),
    }
}

/// Writes a line of text.
///
/// # Errors
/// As [`write`].
pub fn line(text: impl AsRef<str>) -> Result<(), CliError> {
    write(format!("{}\n", text.as_ref()).as_bytes())
}
