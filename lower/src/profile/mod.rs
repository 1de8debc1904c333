//! Vulkan Profiles JSON (as `vulkaninfo --json` writes it) to [`Target`].
//!
//! A profile names **capability blocks**. Each block lists structures (`VkPhysicalDevice…Features`, `VkPhysicalDevice…Properties`),
//! their members, and extensions. Several structures can have one fact: the aggregate `VkPhysicalDeviceVulkan12Features`, the structure
//! of the original extension, and that extension's aliases. The first structure with the fact decides. Aggregates come first, because
//! drivers fill those themselves and exporters have got the others wrong.
//!
//! A device may have more than its profile says, never less. A missing feature counts as absent, and a missing limit is the least that
//! Vulkan guarantees.

mod blocks;
mod json;
mod tables;

use crate::quirks::{Driver, Quirks, mesa_version};
use crate::target::{Target, TargetFeatures, TargetLimits};
use blocks::Blocks;
use json::{Object, Text, Value};
use std::borrow::Cow;
use tables::{EXTENSIONS, FEATURES, FLOAT_CONTROL_STRUCTURES, FLOAT_CONTROLS, LIMITS, MANDATORY};

/// The structures that name the driver.
const DRIVER_STRUCTURES: [&str; 3] = [
    "VkPhysicalDeviceVulkan12Properties",
    "VkPhysicalDeviceDriverProperties",
    "VkPhysicalDeviceDriverPropertiesKHR",
];

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

/// Reads a profile. In a file with several profiles the first by name is meant.
///
/// # Errors
/// [`ProfileError`] for anything that is not a Vulkan Profiles JSON.
pub fn target_from_profile(json: &str) -> Result<Target, ProfileError> {
    let index = match Text::read(json) {
        Text::Object(index) => index,
        Text::Other => return Err(bad("the file is not a JSON object")),
        Text::Wrong => {
            // serde_json reports the error and its position.
            serde_json::from_str::<serde_json::Value>(json)?;
            return Err(bad("the file is not JSON"));
        }
    };
    let root = index.root();
    let (key, profile) = profile_of(root)?;
    let api_version = api_version(key, profile)?;
    let blocks = Blocks::new(key, profile, root)?;

    let mut features = TargetFeatures::default();
    for (get, needed_by) in MANDATORY {
        *get(&mut features) |= api_version >= *needed_by;
    }
    for (extension, get) in EXTENSIONS {
        *get(&mut features) |= blocks.has_extension(extension);
    }
    for feature in FEATURES {
        if let Some(present) = blocks.bool("features", feature.structures, feature.member)? {
            *(feature.get)(&mut features) = present;
        }
    }
    for (member, get) in FLOAT_CONTROLS {
        for (i, width) in ["16", "32", "64"].iter().enumerate() {
            let member = format!("{member}{width}");
            get(&mut features)[i] =
                blocks.bool("properties", FLOAT_CONTROL_STRUCTURES, &member)?.unwrap_or(false);
        }
    }
    features.denorm_behavior_independence_all = blocks.independent("denormBehaviorIndependence");
    features.rounding_mode_independence_all = blocks.independent("roundingModeIndependence");
    features.subgroup_operations = subgroup_operations(&blocks)?;
    let device_type = blocks.member("properties", "VkPhysicalDeviceProperties", "deviceType");
    features.is_cpu = device_type.and_then(Value::str).is_some_and(|t| t == "VK_PHYSICAL_DEVICE_TYPE_CPU");

    let driver = DRIVER_STRUCTURES.iter().find_map(|s| blocks.member("properties", s, "driverID"));
    let info = DRIVER_STRUCTURES.iter().find_map(|s| blocks.member("properties", s, "driverInfo"));
    let version = info.and_then(Value::str).and_then(|info| mesa_version(&info));
    let quirks =
        Quirks::for_version(driver.and_then(Value::str).and_then(|id| Driver::from_id(&id)), version);
    Ok(Target {
        name: name_of(key, profile, &blocks),
        api_version,
        features,
        limits: limits(&blocks)?,
        quirks,
    })
}

/// A Target's feature by Vulkan's name of it, or by that of the extension that it is. `None`: no Target has a feature of that name.
pub fn feature<'f>(features: &'f mut TargetFeatures, name: &str) -> Option<&'f mut bool> {
    let named = FEATURES.iter().find(|feature| feature.member == name).map(|feature| feature.get);
    let get =
        named.or_else(|| EXTENSIONS.iter().find(|(extension, _)| *extension == name).map(|(_, get)| *get));
    Some(get?(features))
}

fn bad(what: impl Into<String>) -> ProfileError {
    ProfileError::NotAProfile(what.into())
}

/// The profile to read: the first of `profiles`.
fn profile_of<'o, 'a>(root: Object<'o, 'a>) -> Result<(&'o str, Object<'o, 'a>), ProfileError> {
    if root.get("VkPhysicalDeviceProperties").is_some() {
        return Err(bad("this is the older 'device simulation' format; \
             write the profile with a current 'vulkaninfo --json'"));
    }
    root.get("profiles").ok_or_else(|| bad("it has no 'profiles'"))?;
    let profiles = root.object("profiles").ok_or_else(|| bad("'profiles' is not an object"))?;
    let key = profiles.names().min().ok_or_else(|| bad("'profiles' is empty"))?;
    let profile = profiles.object(key).ok_or_else(|| bad(format!("profile '{key}' is not an object")))?;
    Ok((key, profile))
}

/// `api-version`, as `1.3.273`.
fn api_version(key: &str, profile: Object<'_, '_>) -> Result<(u32, u32), ProfileError> {
    let text = profile
        .get("api-version")
        .and_then(Value::str)
        .ok_or_else(|| bad(format!("profile '{key}' has no 'api-version'")))?;
    let mut parts = text.split('.').map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok((major, minor)),
        _ => Err(bad(format!("profile '{key}' has the api-version '{text}', which is not a version"))),
    }
}

/// The device's own name where the profile has it, else the profile's label, else its key.
fn name_of(key: &str, profile: Object<'_, '_>, blocks: &Blocks<'_, '_>) -> String {
    blocks
        .member("properties", "VkPhysicalDeviceProperties", "deviceName")
        .or_else(|| profile.get("label"))
        .and_then(Value::str)
        .map_or_else(|| key.to_owned(), Cow::into_owned)
}

/// `VkSubgroupFeatureFlags` that hold in compute. Vulkan 1.1 guarantees the basic ones. A device whose stages are listed without compute has none in compute shaders.
fn subgroup_operations(blocks: &Blocks<'_, '_>) -> Result<u32, ProfileError> {
    const BASIC: u32 = 1;
    const COMPUTE: u32 = 0x20;
    let either = |aggregate: &str, own: &str| -> Result<Option<u32>, ProfileError> {
        match blocks.flags("VkPhysicalDeviceVulkan11Properties", aggregate)? {
            Some(flags) => Ok(Some(flags)),
            None => blocks.flags("VkPhysicalDeviceSubgroupProperties", own),
        }
    };
    let stages = either("subgroupSupportedStages", "supportedStages")?.unwrap_or(COMPUTE);
    let operations = either("subgroupSupportedOperations", "supportedOperations")?.unwrap_or(0);
    Ok(BASIC | if stages & COMPUTE != 0 { operations } else { 0 })
}

fn limits(blocks: &Blocks<'_, '_>) -> Result<TargetLimits, ProfileError> {
    let mut limits = TargetLimits::default();
    for (member, set) in LIMITS {
        if let Some(values) = blocks.limit(member)? {
            set(&mut limits, &values);
        }
    }
    Ok(limits)
}

impl Target {
    /// The intersection of two Targets: features of both, the smaller of each limit, the larger of each alignment. `PUMICE_TARGET`
    /// masks the live device with it. `self` is the live one, whose sub-group size cannot be masked.
    #[must_use]
    pub fn intersect(&self, other: &Target) -> Target {
        // A mask that was made from this device already says so.
        let name = if other.name.starts_with(&self.name) {
            other.name.clone()
        } else {
            format!("{} masked by {}", self.name, other.name)
        };
        let mut features = self.features.clone();
        let mut others = other.features.clone();
        for get in FEATURES.iter().map(|f| f.get).chain(EXTENSIONS.iter().map(|(_, get)| *get)) {
            *get(&mut features) &= *get(&mut others);
        }
        for (_, get) in FLOAT_CONTROLS {
            for i in 0..3 {
                get(&mut features)[i] &= get(&mut others)[i];
            }
        }
        features.denorm_behavior_independence_all &= others.denorm_behavior_independence_all;
        features.rounding_mode_independence_all &= others.rounding_mode_independence_all;
        features.subgroup_operations &= others.subgroup_operations;
        Target {
            name,
            api_version: self.api_version.min(other.api_version),
            features,
            limits: intersect_limits(&self.limits, &other.limits),
            quirks: self.quirks.clone(),
        }
    }
}

fn intersect_limits(a: &TargetLimits, b: &TargetLimits) -> TargetLimits {
    let min3 = |a: [u32; 3], b: [u32; 3]| [a[0].min(b[0]), a[1].min(b[1]), a[2].min(b[2])];
    TargetLimits {
        max_storage_buffer_range: a.max_storage_buffer_range.min(b.max_storage_buffer_range),
        max_uniform_buffer_range: a.max_uniform_buffer_range.min(b.max_uniform_buffer_range),
        max_push_constants_size: a.max_push_constants_size.min(b.max_push_constants_size),
        max_compute_shared_memory_size: a
            .max_compute_shared_memory_size
            .min(b.max_compute_shared_memory_size),
        max_compute_work_group_count: min3(a.max_compute_work_group_count, b.max_compute_work_group_count),
        max_compute_work_group_invocations: a
            .max_compute_work_group_invocations
            .min(b.max_compute_work_group_invocations),
        max_compute_work_group_size: min3(a.max_compute_work_group_size, b.max_compute_work_group_size),
        max_per_stage_descriptor_storage_buffers: a
            .max_per_stage_descriptor_storage_buffers
            .min(b.max_per_stage_descriptor_storage_buffers),
        max_per_stage_descriptor_uniform_buffers: a
            .max_per_stage_descriptor_uniform_buffers
            .min(b.max_per_stage_descriptor_uniform_buffers),
        max_per_stage_descriptor_sampled_images: a
            .max_per_stage_descriptor_sampled_images
            .min(b.max_per_stage_descriptor_sampled_images),
        max_per_stage_descriptor_storage_images: a
            .max_per_stage_descriptor_storage_images
            .min(b.max_per_stage_descriptor_storage_images),
        max_per_stage_descriptor_samplers: a
            .max_per_stage_descriptor_samplers
            .min(b.max_per_stage_descriptor_samplers),
        max_per_stage_resources: a.max_per_stage_resources.min(b.max_per_stage_resources),
        max_memory_allocation_size: a.max_memory_allocation_size.min(b.max_memory_allocation_size),
        min_storage_buffer_offset_alignment: a
            .min_storage_buffer_offset_alignment
            .max(b.min_storage_buffer_offset_alignment),
        min_uniform_buffer_offset_alignment: a
            .min_uniform_buffer_offset_alignment
            .max(b.min_uniform_buffer_offset_alignment),
        subgroup_size: a.subgroup_size,
        required_subgroup_sizes: a.required_subgroup_sizes,
        max_compute_workgroup_subgroups: a.max_compute_workgroup_subgroups,
    }
}

#[cfg(test)]
mod tests;
