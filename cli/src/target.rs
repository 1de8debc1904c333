//! Which Target to compile for.

use crate::error::CliError;
use host::target::{mask, read_profile};
use lower::Target;
use std::path::Path;
use vk_runtime::{Instance, InstanceOptions};

/// The Target of `--target`, else of the first usable device, masked.
///
/// # Errors
/// As [`read_profile`]; no Vulkan device.
pub fn choose(profile: Option<&Path>) -> Result<Target, CliError> {
    if let Some(path) = profile {
        return Ok(read_profile(path)?);
    }
    let device = Instance::new(&InstanceOptions::default()).and_then(|i| i.select(None)).map_err(|e| {
        CliError::Failed(format!(
            "{e}\n(to compile for another device, name its profile with --target PROFILE.json)"
        ))
    })?;
    Ok(match mask()? {
        Some(mask) => device.target().intersect(&mask),
        None => device.target().clone(),
    })
}
