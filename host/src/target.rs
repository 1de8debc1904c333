//! Which Target to compile for.

use std::path::{Path, PathBuf};

pub use language::{apply, apply_everything, apply_generic, images};
use lower::Target;
use lower::profile::{ProfileError, target_from_profile};

/// A file that gives no Target.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// It could not be read.
    #[error("cannot read '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no profile.
    #[error("'{}': {source}", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ProfileError,
    },
}

/// Reads a Vulkan Profiles JSON.
///
/// # Errors
/// A file that cannot be read or is no profile.
pub fn read_profile(path: &Path) -> Result<Target, TargetError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| TargetError::Read { path: path.to_owned(), source })?;
    target_from_profile(&text).map_err(|source| TargetError::Profile { path: path.to_owned(), source })
}

/// `PUMICE_TARGET`, read.
///
/// # Errors
/// As [`read_profile`].
pub fn mask() -> Result<Option<Target>, TargetError> {
    crate::settings::path("PUMICE_TARGET").map(|path| read_profile(&path)).transpose()
}
