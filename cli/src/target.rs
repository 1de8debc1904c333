//! Which Target to compile for.

use crate::error::CliError;
use host::target::{mask, read_profile};
use lower::{Driver, Quirks, Target};
use std::path::Path;
use vk_runtime::{Instance, InstanceOptions};

/// The Target of `--target` and `--driver`, else of the first usable device, masked.
///
/// # Errors
/// As [`read_profile`]; a driver of which nothing is known; no Vulkan device.
pub fn choose(profile: Option<&Path>, driver: Option<&str>) -> Result<Target, CliError> {
    if let Some(path) = profile {
        let mut target = read_profile(path)?;
        if let Some(name) = driver {
            let unknown = || {
                let names = Driver::names().join(", ");
                CliError::Failed(format!("no faults are known of a driver '{name}'; there are: {names}"))
            };
            let driver = Driver::named(name).ok_or_else(unknown)?;
            target.quirks = Quirks::of_version(Some(driver), Driver::version_in_name(name));
        }
        return Ok(target);
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
