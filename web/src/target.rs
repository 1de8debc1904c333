//! WebGPU as a Target.

use lower::profile::target_from_profile;
use lower::{Driver, Quirks, SubgroupOperations, Target};
use serde::Deserialize;

/// WebGPU's default limits (WebGPU specification, "Limits") as a Vulkan Profiles JSON.
pub const PROFILE: &str = include_str!("../webgpu.json");

/// The features and limits of a GPUDevice that change what kernels may be. What is not given has WebGPU's default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Adapter {
    /// The names of GPUDevice.features. `shader-f16` gives kernels `half`, `subgroups` sub-groups.
    pub features: Vec<String>,
    /// `subgroupMinSize` and `subgroupMaxSize` of GPUAdapterInfo. Kernels have sub-groups if both are the same.
    pub subgroup_sizes: Option<[u32; 2]>,
    /// The driver below WebGPU, whose faults kernels avoid, by the names of [`Driver::from_name`]. A browser names few.
    pub driver: Option<String>,
    /// `maxStorageBufferBindingSize`, in bytes.
    pub max_storage_buffer_binding_size: Option<u64>,
    /// `maxStorageBuffersPerShaderStage`.
    pub max_storage_buffers_per_shader_stage: Option<u32>,
    /// `maxComputeWorkgroupStorageSize`, in bytes.
    pub max_compute_workgroup_storage_size: Option<u32>,
    /// `maxComputeInvocationsPerWorkgroup`.
    pub max_compute_invocations_per_workgroup: Option<u32>,
    /// `maxComputeWorkgroupSizeX`, `Y` and `Z`.
    pub max_compute_workgroup_size: Option<[u32; 3]>,
    /// `maxComputeWorkgroupsPerDimension`.
    pub max_compute_workgroups_per_dimension: Option<u32>,
}

impl Adapter {
    /// Its GPUDevice has a feature.
    #[must_use]
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|name| name == feature)
    }
}

/// How deep control flow is nested at most.
const MAX_NESTING: u32 = 60;

/// The operations of sub-groups that WGSL has ("Subgroup Built-in Functions").
const SUBGROUP_OPERATIONS: SubgroupOperations = SubgroupOperations::BASIC
    .union(SubgroupOperations::VOTE)
    .union(SubgroupOperations::ARITHMETIC)
    .union(SubgroupOperations::BALLOT)
    .union(SubgroupOperations::SHUFFLE)
    .union(SubgroupOperations::SHUFFLE_RELATIVE);

/// The Target of a GPUDevice.
///
/// # Errors
/// None that is known: the profile is part of the program.
pub fn webgpu(adapter: &Adapter) -> Result<Target, String> {
    let mut target = target_from_profile(PROFILE).map_err(|e| e.to_string())?;
    target.features.wgsl = true;
    // WebGPU lets each launch have another size of sub-groups between the adapter's two, while OpenCL reports one.
    let size = adapter.subgroup_sizes.filter(|[least, most]| least == most && adapter.has("subgroups"));
    target.features.subgroup_operations = size.map_or(0, |_| SUBGROUP_OPERATIONS.bits());
    target.limits.required_subgroup_sizes = size.unwrap_or_default();
    target.limits.subgroup_size = size.map_or(1, |[size, _]| size);
    target.features.shader_float16 = adapter.has("shader-f16");
    target.features.storage_buffer_16bit_access = adapter.has("shader-f16");
    target.quirks = Quirks::for_driver(adapter.driver.as_deref().and_then(Driver::from_name));
    // Browsers refuse statements that are nested deeper (Tint: 127), of which a condition may be two.
    target.quirks.max_nesting = Some(MAX_NESTING);
    let limits = &mut target.limits;
    let set = |limit: &mut u32, value: Option<u32>| *limit = value.unwrap_or(*limit);
    limits.max_storage_buffer_range =
        adapter.max_storage_buffer_binding_size.unwrap_or(limits.max_storage_buffer_range);
    set(&mut limits.max_per_stage_descriptor_storage_buffers, adapter.max_storage_buffers_per_shader_stage);
    set(&mut limits.max_compute_shared_memory_size, adapter.max_compute_workgroup_storage_size);
    set(&mut limits.max_compute_work_group_invocations, adapter.max_compute_invocations_per_workgroup);
    if let Some(size) = adapter.max_compute_workgroup_size {
        limits.max_compute_work_group_size = size;
    }
    if let Some(count) = adapter.max_compute_workgroups_per_dimension {
        limits.max_compute_work_group_count = [count; 3];
    }
    Ok(target)
}
