//! The location in a profile of each field of the Target, as data.

use crate::target::{TargetFeatures, TargetLimits};

type Get = fn(&mut TargetFeatures) -> &mut bool;

/// A feature: its Vulkan name, the structures that may hold it, and its field. Structures are tried in
/// order, each also with the suffix `KHR`.
pub(super) struct Feature {
    pub member: &'static str,
    pub structures: &'static [&'static str],
    pub get: Get,
}

const V11: &str = "VkPhysicalDeviceVulkan11Features";
const V12: &str = "VkPhysicalDeviceVulkan12Features";
const V13: &str = "VkPhysicalDeviceVulkan13Features";
const CORE: &[&str] = &["VkPhysicalDeviceFeatures"];
const STORAGE8: &[&str] = &[V12, "VkPhysicalDevice8BitStorageFeatures"];
const STORAGE16: &[&str] = &[V11, "VkPhysicalDevice16BitStorageFeatures"];
const SUBGROUP_SIZE: &[&str] =
    &[V13, "VkPhysicalDeviceSubgroupSizeControlFeatures", "VkPhysicalDeviceSubgroupSizeControlFeaturesEXT"];
const SMALL: &[&str] =
    &[V12, "VkPhysicalDeviceShaderFloat16Int8Features", "VkPhysicalDeviceFloat16Int8Features"];
const MEMORY_MODEL: &[&str] = &[V12, "VkPhysicalDeviceVulkanMemoryModelFeatures"];
const WORKGROUP_LAYOUT: &[&str] = &["VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeatures"];
const ATOMIC_INT64: &[&str] = &[V12, "VkPhysicalDeviceShaderAtomicInt64Features"];
const ATOMIC_FLOAT: &[&str] = &["VkPhysicalDeviceShaderAtomicFloatFeaturesEXT"];

macro_rules! features {
    ($($field:ident, $member:literal, $structures:expr;)*) => {
        &[$(Feature { member: $member, structures: $structures, get: |f| &mut f.$field }),*]
    };
}

// A macro, because closures over forty fields would drown the names.
pub(super) const FEATURES: &[Feature] = features![
    robust_buffer_access, "robustBufferAccess", CORE;
    robust_image_access, "robustImageAccess", &[V13, "VkPhysicalDeviceImageRobustnessFeatures"];
    shader_storage_image_read_without_format, "shaderStorageImageReadWithoutFormat", CORE;
    shader_storage_image_write_without_format, "shaderStorageImageWriteWithoutFormat", CORE;
    shader_storage_image_extended_formats, "shaderStorageImageExtendedFormats", CORE;
    shader_int64, "shaderInt64", CORE;
    shader_int16, "shaderInt16", CORE;
    shader_float64, "shaderFloat64", CORE;
    shader_int8, "shaderInt8", SMALL;
    shader_float16, "shaderFloat16", SMALL;
    storage_buffer_8bit_access, "storageBuffer8BitAccess", STORAGE8;
    storage_buffer_16bit_access, "storageBuffer16BitAccess", STORAGE16;
    // Not VkPhysicalDeviceBufferDeviceAddressFeaturesEXT: that older extension is enabled differently.
    buffer_device_address, "bufferDeviceAddress", &[V12, "VkPhysicalDeviceBufferDeviceAddressFeatures"];
    vulkan_memory_model, "vulkanMemoryModel", MEMORY_MODEL;
    vulkan_memory_model_device_scope, "vulkanMemoryModelDeviceScope", MEMORY_MODEL;
    scalar_block_layout, "scalarBlockLayout",
        &[V12, "VkPhysicalDeviceScalarBlockLayoutFeatures", "VkPhysicalDeviceScalarBlockLayoutFeaturesEXT"];
    uniform_buffer_standard_layout, "uniformBufferStandardLayout",
        &[V12, "VkPhysicalDeviceUniformBufferStandardLayoutFeatures"];
    workgroup_memory_explicit_layout, "workgroupMemoryExplicitLayout", WORKGROUP_LAYOUT;
    workgroup_memory_explicit_layout_8bit_access,
        "workgroupMemoryExplicitLayout8BitAccess", WORKGROUP_LAYOUT;
    workgroup_memory_explicit_layout_16bit_access,
        "workgroupMemoryExplicitLayout16BitAccess", WORKGROUP_LAYOUT;
    shader_buffer_int64_atomics, "shaderBufferInt64Atomics", ATOMIC_INT64;
    shader_shared_int64_atomics, "shaderSharedInt64Atomics", ATOMIC_INT64;
    shader_buffer_float32_atomic_add, "shaderBufferFloat32AtomicAdd", ATOMIC_FLOAT;
    shader_shared_float32_atomic_add, "shaderSharedFloat32AtomicAdd", ATOMIC_FLOAT;
    shader_buffer_float64_atomic_add, "shaderBufferFloat64AtomicAdd", ATOMIC_FLOAT;
    shader_shared_float64_atomic_add, "shaderSharedFloat64AtomicAdd", ATOMIC_FLOAT;
    shader_subgroup_clock, "shaderSubgroupClock", &["VkPhysicalDeviceShaderClockFeaturesKHR"];
    shader_device_clock, "shaderDeviceClock", &["VkPhysicalDeviceShaderClockFeaturesKHR"];
    shader_maximal_reconvergence, "shaderMaximalReconvergence",
        &["VkPhysicalDeviceShaderMaximalReconvergenceFeatures"];
    shader_integer_dot_product, "shaderIntegerDotProduct",
        &[V13, "VkPhysicalDeviceShaderIntegerDotProductFeatures"];
    shader_subgroup_extended_types, "shaderSubgroupExtendedTypes",
        &[V12, "VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures"];
    shader_subgroup_uniform_control_flow, "shaderSubgroupUniformControlFlow",
        &["VkPhysicalDeviceShaderSubgroupUniformControlFlowFeatures"];
    subgroup_size_control, "subgroupSizeControl", SUBGROUP_SIZE;
    compute_full_subgroups, "computeFullSubgroups", SUBGROUP_SIZE;
    maintenance4, "maintenance4", &[V13, "VkPhysicalDeviceMaintenance4Features"];
    timeline_semaphore, "timelineSemaphore", &[V12, "VkPhysicalDeviceTimelineSemaphoreFeatures"];
    synchronization2, "synchronization2", &[V13, "VkPhysicalDeviceSynchronization2Features"];
];

/// Features that an extension requires (Vulkan "Feature Requirements"). A listed extension implies them unless a structure says
/// otherwise.
pub(super) const EXTENSIONS: &[(&str, Get)] = &[
    ("VK_KHR_shader_non_semantic_info", |f| &mut f.non_semantic_info),
    ("VK_KHR_shader_maximal_reconvergence", |f| &mut f.shader_maximal_reconvergence),
    ("VK_KHR_shader_subgroup_uniform_control_flow", |f| &mut f.shader_subgroup_uniform_control_flow),
    ("VK_KHR_16bit_storage", |f| &mut f.storage_buffer_16bit_access),
    ("VK_KHR_8bit_storage", |f| &mut f.storage_buffer_8bit_access),
    ("VK_EXT_scalar_block_layout", |f| &mut f.scalar_block_layout),
    ("VK_KHR_uniform_buffer_standard_layout", |f| &mut f.uniform_buffer_standard_layout),
    ("VK_KHR_timeline_semaphore", |f| &mut f.timeline_semaphore),
    ("VK_KHR_synchronization2", |f| &mut f.synchronization2),
    ("VK_KHR_maintenance4", |f| &mut f.maintenance4),
];

/// Features that a Vulkan version cannot be without.
pub(super) const MANDATORY: &[(Get, (u32, u32))] = &[
    (|f| &mut f.timeline_semaphore, (1, 2)),
    (|f| &mut f.uniform_buffer_standard_layout, (1, 2)),
    (|f| &mut f.vulkan_memory_model, (1, 3)),
    (|f| &mut f.vulkan_memory_model_device_scope, (1, 3)),
    (|f| &mut f.buffer_device_address, (1, 3)),
    (|f| &mut f.synchronization2, (1, 3)),
    (|f| &mut f.maintenance4, (1, 3)),
    (|f| &mut f.non_semantic_info, (1, 3)),
];

/// The structures of float controls. Each may have the suffix `KHR`.
pub(super) const FLOAT_CONTROL_STRUCTURES: &[&str] =
    &["VkPhysicalDeviceVulkan12Properties", "VkPhysicalDeviceFloatControlsProperties"];

type GetWidths = fn(&mut TargetFeatures) -> &mut [bool; 3];

/// Properties of float controls; their names end in 16, 32 and 64.
pub(super) const FLOAT_CONTROLS: &[(&str, GetWidths)] = &[
    ("shaderSignedZeroInfNanPreserveFloat", |f| &mut f.shader_signed_zero_inf_nan_preserve),
    ("shaderDenormPreserveFloat", |f| &mut f.shader_denorm_preserve),
    ("shaderRoundingModeRTEFloat", |f| &mut f.shader_rounding_mode_rte),
];

/// Structures besides VkPhysicalDeviceProperties.limits that may have a limit.
pub(super) const LIMIT_STRUCTURES: &[&str] = &[
    "VkPhysicalDeviceVulkan11Properties",
    "VkPhysicalDeviceMaintenance3Properties",
    "VkPhysicalDeviceMaintenance3PropertiesKHR",
    "VkPhysicalDeviceSubgroupProperties",
    "VkPhysicalDeviceVulkan13Properties",
    "VkPhysicalDeviceSubgroupSizeControlProperties",
    "VkPhysicalDeviceSubgroupSizeControlPropertiesEXT",
];

type SetLimit = fn(&mut TargetLimits, &[u64]);

/// Limits: the Vulkan name and how its numbers go into the field. A number too large for the field is
/// as good as the field's largest.
pub(super) const LIMITS: &[(&str, SetLimit)] = &[
    ("maxStorageBufferRange", |l, v| l.max_storage_buffer_range = one(v)),
    ("maxUniformBufferRange", |l, v| l.max_uniform_buffer_range = one(v)),
    ("maxPushConstantsSize", |l, v| l.max_push_constants_size = small(one(v))),
    ("maxComputeSharedMemorySize", |l, v| l.max_compute_shared_memory_size = small(one(v))),
    ("maxComputeWorkGroupCount", |l, v| three(&mut l.max_compute_work_group_count, v)),
    ("maxComputeWorkGroupInvocations", |l, v| l.max_compute_work_group_invocations = small(one(v))),
    ("maxComputeWorkGroupSize", |l, v| three(&mut l.max_compute_work_group_size, v)),
    ("maxPerStageDescriptorStorageBuffers", |l, v| {
        l.max_per_stage_descriptor_storage_buffers = small(one(v));
    }),
    ("maxPerStageDescriptorUniformBuffers", |l, v| {
        l.max_per_stage_descriptor_uniform_buffers = small(one(v));
    }),
    ("maxPerStageDescriptorSampledImages", |l, v| {
        l.max_per_stage_descriptor_sampled_images = small(one(v));
    }),
    ("maxPerStageDescriptorStorageImages", |l, v| {
        l.max_per_stage_descriptor_storage_images = small(one(v));
    }),
    ("maxPerStageDescriptorSamplers", |l, v| l.max_per_stage_descriptor_samplers = small(one(v))),
    ("maxPerStageResources", |l, v| l.max_per_stage_resources = small(one(v))),
    ("maxMemoryAllocationSize", |l, v| l.max_memory_allocation_size = one(v)),
    ("minStorageBufferOffsetAlignment", |l, v| l.min_storage_buffer_offset_alignment = one(v).max(1)),
    ("minUniformBufferOffsetAlignment", |l, v| l.min_uniform_buffer_offset_alignment = one(v).max(1)),
    ("subgroupSize", |l, v| l.subgroup_size = small(one(v)).max(1)),
    // A device that controls sizes in no stage of compute is not known.
    ("minSubgroupSize", |l, v| l.required_subgroup_sizes[0] = small(one(v))),
    ("maxSubgroupSize", |l, v| l.required_subgroup_sizes[1] = small(one(v))),
    ("maxComputeWorkgroupSubgroups", |l, v| l.max_compute_workgroup_subgroups = small(one(v))),
];

fn one(values: &[u64]) -> u64 {
    values.first().copied().unwrap_or(0)
}

fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn three(field: &mut [u32; 3], values: &[u64]) {
    for (to, from) in field.iter_mut().zip(values) {
        *to = small(*from);
    }
}
