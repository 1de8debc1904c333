//! Which Target to compile for.

use crate::error::CliError;
use host::target::{mask, read_profile};
use lower::{Driver, Quirks, Target};
use std::path::{Path, PathBuf};
use vk_runtime::{Instance, PhysicalDevice, RuntimeError};

/// The Targets of several `--target` and `--driver`, which stand at their places; the device here without any.
///
/// # Errors
/// As [`choose`]; drivers that are not as many as the profiles.
pub fn all(profiles: &[PathBuf], drivers: &[String]) -> Result<Vec<Target>, CliError> {
    if profiles.is_empty() {
        return Ok(vec![here()?]);
    }
    if !drivers.is_empty() && drivers.len() != profiles.len() {
        return Err(CliError::Usage(format!(
            "{} --target, but {} --driver: each takes one, 'profile' is what its profile names",
            profiles.len(),
            drivers.len()
        )));
    }
    profiles.iter().enumerate().map(|(i, path)| of_profile(path, drivers.get(i))).collect()
}

/// The Target of `--target` and `--driver`, else of the first usable device, masked.
///
/// # Errors
/// As [`read_profile`]; several of them; a driver of which nothing is known; no Vulkan device.
pub fn choose(profiles: &[PathBuf], drivers: &[String]) -> Result<Target, CliError> {
    match all(profiles, drivers)?.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(CliError::Usage("several --target are for bundles alone (-o FILE.pum)".to_owned())),
    }
}

fn of_profile(path: &Path, driver: Option<&String>) -> Result<Target, CliError> {
    let mut target = read_profile(path)?;
    if let Some(name) = driver.filter(|name| *name != "profile") {
        let unknown = || {
            let names = Driver::names().join(", ");
            CliError::Failed(format!("no faults are known of a driver '{name}'; there are: {names}"))
        };
        let driver = Driver::from_name(name).ok_or_else(unknown)?;
        target.quirks = Quirks::for_version(Some(driver), Driver::version_in_name(name));
    }
    Ok(target)
}

/// The device of `--device`, else the first that `PUMICE_DEVICE` names, else the first usable one.
///
/// # Errors
/// There is none, or none of this name.
pub fn device(instance: &Instance, which: Option<&str>) -> Result<PhysicalDevice, RuntimeError> {
    if which.is_none()
        && let Some(list) = host::settings::get("PUMICE_DEVICE")
        && let Some(first) = instance.select_all(&list)?.into_iter().next()
    {
        return Ok(first);
    }
    instance.select(which)
}

fn here() -> Result<Target, CliError> {
    let device =
        Instance::new(&host::settings::instance_options()).and_then(|i| device(&i, None)).map_err(|e| {
            CliError::Failed(format!(
                "{e}\n(to compile for another device, name its profile with --target PROFILE.json)"
            ))
        })?;
    Ok(match mask()? {
        Some(mask) => device.target().intersect(&mask),
        None => device.target().clone(),
    })
}
