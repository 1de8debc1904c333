//! The folders of the user and of the system, by the conventions of each operating system.
//!
//! Linux and other Unixes: the XDG Base Directory Specification. Windows: the folders of the user's profile, and ProgramData.

use std::path::PathBuf;

/// A variable of the environment that names a folder.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The user's folder for caches.
#[cfg(not(windows))]
pub(crate) fn cache() -> Option<PathBuf> {
    variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))
}

/// The user's folder for caches.
#[cfg(windows)]
pub(crate) fn cache() -> Option<PathBuf> {
    variable("LOCALAPPDATA")
}

/// The user's folder for settings: an absolute path.
#[cfg(not(windows))]
pub(crate) fn settings() -> Option<PathBuf> {
    let from = |name: &str| variable(name).filter(|path| path.is_absolute());
    from("XDG_CONFIG_HOME").or_else(|| Some(from("HOME")?.join(".config")))
}

/// The user's folder for settings: an absolute path.
#[cfg(windows)]
pub(crate) fn settings() -> Option<PathBuf> {
    variable("APPDATA").filter(|path| path.is_absolute())
}

/// The system's folder for settings.
#[cfg(not(windows))]
pub(crate) fn system_settings() -> PathBuf {
    PathBuf::from("/etc")
}

/// The system's folder for settings.
#[cfg(windows)]
pub(crate) fn system_settings() -> PathBuf {
    variable("PROGRAMDATA").unwrap_or_else(|| PathBuf::from("C:\\ProgramData"))
}
