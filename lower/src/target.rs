//! The features and limits of a device, as data. `lower` sees nothing else of it.
//!
//! A [`Target`] is made from a live device by `vk-runtime`, or from a Vulkan Profiles JSON
//! ([`profile`](crate::profile)). Field names are Vulkan's, in snake case; every flag means "present
//! and to be enabled", so a module that uses one needs no further check.

use crate::ir::Scalar;
use crate::kernel_info::{ImageAccess, ImageDim};
use crate::quirks::Quirks;
use serde::{Deserialize, Serialize};

/// The size of the largest buffer with 32-bit offsets ([`TargetFeatures::buffers_below_4_gib`]). Two offsets into it that differ by a small
/// number modulo 2^32 differ by that number.
pub const MAX_BUFFER_SIZE: u64 = (1 << 32) - 4096;

/// The alignment of the starts of buffers, for kernels that assume it ([`KernelInfo::aligned`](crate::kernel_info::KernelInfo)).
pub const START_ALIGNMENT: u32 = 16;

/// The largest work-group of any kernel, in work-items: work-item loops run groups that exceed the device's.
pub const MAX_WORK_GROUP_SIZE: u32 = 1024;

/// A device as the lowering sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// The device's name, for messages.
    pub name: String,
    /// Vulkan's major and minor version that can be used.
    pub api_version: (u32, u32),
    /// Features that change what may be emitted.
    pub features: TargetFeatures,
    /// Limits that change what may be emitted or bound.
    pub limits: TargetLimits,
    /// The driver's quirks.
    #[serde(default)]
    pub quirks: Quirks,
}

bitflags::bitflags! {
    /// VkSubgroupFeatureFlagBits that `lower` asks for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SubgroupOperations: u32 {
        /// Ids, sizes, elections, barriers.
        const BASIC = 0x1;
        /// All, any.
        const VOTE = 0x2;
        /// Reductions and scans.
        const ARITHMETIC = 0x4;
        /// Ballots and broadcasts.
        const BALLOT = 0x8;
        /// Any member's value.
        const SHUFFLE = 0x10;
        /// The value of the member at a distance.
        const SHUFFLE_RELATIVE = 0x20;
        /// Reductions of clusters.
        const CLUSTERED = 0x40;
    }
}

/// Vulkan features by their own names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TargetFeatures {
    pub robust_buffer_access: bool,
    /// The module becomes WGSL, by naga. Each descriptor then has one variable, with one element type. The module has no tests for infinities
    /// and NaNs, no products of two words, and no conjunctions of vectors.
    #[serde(default)]
    pub wgsl: bool,
    #[serde(default)]
    pub robust_image_access: bool,
    #[serde(default)]
    pub shader_storage_image_read_without_format: bool,
    #[serde(default)]
    pub shader_storage_image_write_without_format: bool,
    #[serde(default)]
    pub shader_storage_image_extended_formats: bool,
    /// The two features before exclude texel buffers, which must name their format (`VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT` is
    /// not set).
    #[serde(default)]
    pub texel_buffers_need_format: bool,
    pub shader_int64: bool,
    pub shader_int16: bool,
    pub shader_int8: bool,
    pub shader_float16: bool,
    pub shader_float64: bool,
    pub storage_buffer_8bit_access: bool,
    pub storage_buffer_16bit_access: bool,
    pub buffer_device_address: bool,
    pub vulkan_memory_model: bool,
    pub vulkan_memory_model_device_scope: bool,
    pub scalar_block_layout: bool,
    pub uniform_buffer_standard_layout: bool,
    pub workgroup_memory_explicit_layout: bool,
    pub workgroup_memory_explicit_layout_8bit_access: bool,
    pub workgroup_memory_explicit_layout_16bit_access: bool,
    pub shader_buffer_int64_atomics: bool,
    pub shader_shared_int64_atomics: bool,
    pub shader_buffer_float32_atomic_add: bool,
    pub shader_shared_float32_atomic_add: bool,
    #[serde(default)]
    pub shader_buffer_float64_atomic_add: bool,
    #[serde(default)]
    pub shader_shared_float64_atomic_add: bool,
    /// VK_KHR_shader_clock: clocks of sub-groups, and one of the device.
    #[serde(default)]
    pub shader_subgroup_clock: bool,
    #[serde(default)]
    pub shader_device_clock: bool,
    pub shader_maximal_reconvergence: bool,
    pub shader_subgroup_uniform_control_flow: bool,
    pub maintenance4: bool,
    pub timeline_semaphore: bool,
    pub synchronization2: bool,
    /// VK_KHR_non_semantic_info (core in 1.3).
    pub non_semantic_info: bool,
    /// VK_KHR_shader_float_controls' properties, by width 16, 32, 64.
    pub shader_signed_zero_inf_nan_preserve: [bool; 3],
    pub shader_denorm_preserve: [bool; 3],
    pub shader_rounding_mode_rte: [bool; 3],
    /// denormBehaviorIndependence is ALL: each float width may have its own mode.
    pub denorm_behavior_independence_all: bool,
    /// roundingModeIndependence is ALL.
    pub rounding_mode_independence_all: bool,
    /// The device is a CPU (VkPhysicalDeviceType): descriptors are faster there than addresses.
    pub is_cpu: bool,
    /// No buffer on the device exceeds [`MAX_BUFFER_SIZE`], and each buffer argument's address is the start of its object.
    #[serde(default)]
    pub buffers_below_4_gib: bool,
    /// Pointers in kernels are device addresses minus a number from the launch
    /// ([`BlockSource::SharedBase`](crate::kernel_info::BlockSource)). Pointers to shared virtual memory then equal the host's.
    #[serde(default)]
    pub shared_base: bool,
    /// A launch passes one word that all programs on the device share, for sequential consistency among them. Otherwise each program has
    /// its own.
    #[serde(default)]
    pub shared_sequence: bool,
    /// Dot products of integers (core in 1.3).
    #[serde(default)]
    pub shader_integer_dot_product: bool,
    /// Sub-group operations on integers of 64 bits.
    #[serde(default)]
    pub shader_subgroup_extended_types: bool,
    /// Sub-group operations in compute (VkSubgroupFeatureFlags).
    pub subgroup_operations: u32,
    /// A pipeline can require the size of its sub-groups (core in 1.3).
    #[serde(default)]
    pub subgroup_size_control: bool,
    /// A pipeline can require full sub-groups (core in 1.3).
    #[serde(default)]
    pub compute_full_subgroups: bool,
}

/// The bytes of which the rows of an image in a buffer are multiples: those of WebGPU's copies between buffers and textures (`bytesPerRow`).
pub const IMAGE_ROW_ALIGNMENT: u32 = 256;

impl TargetFeatures {
    /// Kernels access the texels of a writable image as bits, which they pack and unpack. The device has no storage images without a format
    /// for the access. Without extended formats this is done only if nothing else writes images: see [`Self::widens_texels`].
    #[must_use]
    pub fn texels_as_bits(&self, access: ImageAccess, dim: ImageDim) -> bool {
        if self.images_in_buffers() {
            return true;
        }
        let (reads, writes) =
            (self.shader_storage_image_read_without_format, self.shader_storage_image_write_without_format);
        let lacks = match access {
            ImageAccess::ReadOnly => return false,
            ImageAccess::WriteOnly => !writes,
            ImageAccess::ReadWrite => !reads || !writes,
        };
        let buffer = dim == ImageDim::Buffer && self.texel_buffers_need_format;
        (self.shader_storage_image_extended_formats || !writes) && (lacks || buffer)
    }

    /// Images with texels of one or two bytes have four channels instead of one or two. The device's storage images have no smaller texels:
    /// the formats that every device has begin at four bytes (Vulkan specification, "Required Format Support").
    #[must_use]
    pub fn widens_texels(&self) -> bool {
        !self.shader_storage_image_write_without_format
            && !self.shader_storage_image_extended_formats
            && !self.images_in_buffers()
    }

    /// Images are buffers of texels in rows ([`IMAGE_ROW_ALIGNMENT`]). WGSL's storage textures have one format each, which the source names, few
    /// of them are read and written, and none has OpenCL's channel orders.
    #[must_use]
    pub fn images_in_buffers(&self) -> bool {
        self.wgsl
    }
}

/// Vulkan limits by their own names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TargetLimits {
    pub max_storage_buffer_range: u64,
    pub max_uniform_buffer_range: u64,
    pub max_push_constants_size: u32,
    pub max_compute_shared_memory_size: u32,
    pub max_compute_work_group_count: [u32; 3],
    pub max_compute_work_group_invocations: u32,
    pub max_compute_work_group_size: [u32; 3],
    pub max_per_stage_descriptor_storage_buffers: u32,
    pub max_per_stage_descriptor_uniform_buffers: u32,
    #[serde(default)]
    pub max_per_stage_descriptor_sampled_images: u32,
    #[serde(default)]
    pub max_per_stage_descriptor_storage_images: u32,
    #[serde(default)]
    pub max_per_stage_descriptor_samplers: u32,
    #[serde(default = "unlimited")]
    pub max_per_stage_resources: u32,
    pub max_memory_allocation_size: u64,
    pub min_storage_buffer_offset_alignment: u64,
    pub min_uniform_buffer_offset_alignment: u64,
    pub subgroup_size: u32,
    /// The smallest and largest size that a compute pipeline may require of its sub-groups; zeros if it may require none.
    #[serde(default)]
    pub required_subgroup_sizes: [u32; 2],
    /// The largest number of sub-groups of a work-group if their size is required.
    #[serde(default)]
    pub max_compute_workgroup_subgroups: u32,
}

/// The default for a Target from a version without the limit.
fn unlimited() -> u32 {
    u32::MAX
}

impl Default for TargetLimits {
    /// The least that Vulkan 1.1 guarantees (Vulkan specification, "Required Limits").
    fn default() -> Self {
        TargetLimits {
            max_storage_buffer_range: 1 << 27,
            max_uniform_buffer_range: 16384,
            max_push_constants_size: 128,
            max_compute_shared_memory_size: 16384,
            max_compute_work_group_count: [65535; 3],
            max_compute_work_group_invocations: 128,
            max_compute_work_group_size: [128, 128, 64],
            max_per_stage_descriptor_storage_buffers: 4,
            max_per_stage_descriptor_uniform_buffers: 12,
            max_per_stage_descriptor_sampled_images: 16,
            max_per_stage_descriptor_storage_images: 4,
            max_per_stage_descriptor_samplers: 16,
            max_per_stage_resources: 128,
            max_memory_allocation_size: 1 << 30,
            min_storage_buffer_offset_alignment: 256,
            min_uniform_buffer_offset_alignment: 256,
            subgroup_size: 1,
            required_subgroup_sizes: [0; 2],
            max_compute_workgroup_subgroups: 0,
        }
    }
}

impl Target {
    /// Vulkan 1.1 without optional features.
    pub fn minimum() -> Self {
        Target {
            name: "Vulkan 1.1 minimum".to_owned(),
            api_version: (1, 1),
            features: TargetFeatures::default(),
            limits: TargetLimits::default(),
            quirks: Quirks::default(),
        }
    }

    /// `CL_DEVICE_ADDRESS_BITS`: 64 with 64-bit shader integers or device addresses, else 32.
    pub fn address_bits(&self) -> u32 {
        if self.features.shader_int64 || self.has_address_model() { 64 } else { 32 }
    }

    /// Kernels compute with a type. Memory may hold 8- and 16-bit integers without it.
    pub fn has_arithmetic(&self, scalar: Scalar) -> bool {
        let (f, quirks) = (&self.features, &self.quirks);
        match scalar {
            Scalar::I8 => f.shader_int8 && !quirks.wrong_8_bit_arithmetic,
            Scalar::I16 => f.shader_int16 && !quirks.wrong_16_bit_arithmetic,
            Scalar::F16 => f.shader_float16,
            Scalar::I64 => f.shader_int64,
            Scalar::F64 => f.shader_float64,
            Scalar::Bool | Scalar::I32 | Scalar::F32 => true,
        }
    }

    /// Kernels can use the address model. Without 64-bit integers an address is a pair of words, which OpBitcast converts to a pointer from
    /// SPIR-V 1.5 on.
    pub fn has_address_model(&self) -> bool {
        self.features.buffer_device_address && (self.features.shader_int64 || self.spirv_version() >= (1, 5))
    }

    /// The checking mode can look for races: the records of uses are atomic operations of 64 bits.
    pub fn can_find_races(&self) -> bool {
        let features = &self.features;
        features.shader_int64 && features.shader_buffer_int64_atomics && features.shader_shared_int64_atomics
    }

    /// Descriptors are faster for kernels that can use either binding model.
    pub fn prefers_descriptors(&self) -> bool {
        let slow = self.features.is_cpu && !self.quirks.fast_addresses;
        slow || !self.features.shader_int64 || self.slow_addresses() || self.quirks.split_address_arithmetic
    }

    /// Loads and stores take 64-bit addresses only from vector registers.
    pub(crate) fn slow_addresses(&self) -> bool {
        self.quirks.slow_addresses_without_float16 && !self.features.shader_float16
    }

    /// The widths (16, 32, 64) for which kernels require denormal floats.
    pub fn keeps_denormals(&self) -> [bool; 3] {
        let [half, float, double] = self.features.shader_denorm_preserve;
        let slow = self.quirks.slow_denormals_without_float16 && !self.features.shader_float16;
        [half, float && !slow, double]
    }

    /// Conversions between half and float are exact on the device: halves keep denormals, signed zeros, infinities and NaNs, and floats are
    /// rounded to nearest even. Widths whose modes are not independent have them together or not at all (Vulkan specification,
    /// VkPhysicalDeviceFloatControlsProperties).
    pub fn has_exact_half_conversions(&self) -> bool {
        let f = &self.features;
        let has =
            |widths: [bool; 3], independent: bool| if independent { widths[0] } else { widths == [true; 3] };
        f.shader_float16
            && f.shader_int16
            && f.shader_signed_zero_inf_nan_preserve[0]
            && has(self.keeps_denormals(), f.denorm_behavior_independence_all)
            && has(f.shader_rounding_mode_rte, f.rounding_mode_independence_all)
    }

    /// The operations of sub-groups in compute.
    pub fn subgroup_operations(&self) -> SubgroupOperations {
        SubgroupOperations::from_bits_truncate(self.features.subgroup_operations)
    }

    /// Atomics and fences order memory as OpenCL's model says, including sequentially consistent ones. The driver has Vulkan's memory model
    /// or orders everything (docs/explanation/memory-model.md).
    pub fn orders_memory(&self) -> bool {
        self.features.vulkan_memory_model || self.quirks.atomics_order_themselves
    }

    /// Kernels can enqueue kernels: blocks are kernels that reach memory by addresses, and packets are ordered by atomics.
    pub fn can_enqueue(&self) -> bool {
        self.has_address_model() && self.orders_memory()
    }

    /// Kernels can have sub-groups. Operations that the device lacks use `__local` memory.
    pub fn has_subgroups(&self) -> bool {
        let size = self.limits.subgroup_size;
        let basic = self.subgroup_operations().contains(SubgroupOperations::BASIC);
        basic && (1..=128).contains(&size) && size.is_power_of_two()
    }

    /// Sub-groups have ballots and broadcasts, from which all other operations can be built.
    pub fn has_ballots(&self) -> bool {
        self.has_subgroups() && self.subgroup_operations().contains(SubgroupOperations::BALLOT)
    }

    /// The size that a pipeline requires of its sub-groups, on devices with several (Intel's: 8, 16 and 32; AMD's: 32 and 64). A module of
    /// SPIR-V 1.6 may get any of them otherwise, while OpenCL reports one size before the launch (clGetKernelSubGroupInfo).
    pub fn required_subgroup_size(&self) -> Option<u32> {
        let (size, [least, most]) = (self.limits.subgroup_size, self.limits.required_subgroup_sizes);
        let takes = self.features.subgroup_size_control && self.has_subgroups();
        (takes && least > 0 && least < most && (least..=most).contains(&size)).then_some(size)
    }

    /// Sub-groups always have the device's size: it has only one, or pipelines require it. Modules before SPIR-V 1.6 get no other
    /// (VK_EXT_subgroup_size_control).
    pub fn has_certain_subgroup_size(&self) -> bool {
        self.certain_subgroup_size_in(self.spirv_version()).is_some()
    }

    /// The size of full sub-groups, if it is certain.
    pub(crate) fn certain_subgroup_size(&self) -> Option<u32> {
        self.certain_subgroup_size_in(self.spirv_version())
    }

    /// The size of full sub-groups in modules of a version of SPIR-V, if it is certain.
    #[must_use]
    pub fn certain_subgroup_size_in(&self, version: (u8, u8)) -> Option<u32> {
        let (size, sizes) = (self.limits.subgroup_size, self.limits.required_subgroup_sizes);
        let one = sizes == [size; 2] || version < (1, 6) || self.required_subgroup_size().is_some();
        (one && self.has_subgroups()).then_some(size)
    }

    /// The most work-items of a work-group of a kernel that has sub-groups.
    pub fn max_items_in_subgroups(&self) -> u32 {
        let most = self.limits.max_compute_work_group_invocations;
        match self.required_subgroup_size() {
            Some(size) => most.min(size.saturating_mul(self.limits.max_compute_workgroup_subgroups)),
            None => most,
        }
    }

    /// Work-groups of this size exceed the device's, and kernels may have work-item loops for them
    /// ([`LowerOptions::large`](crate::LowerOptions)).
    pub fn needs_work_item_loops(&self, size: &[u64]) -> bool {
        let (limits, largest) = (&self.limits, MAX_WORK_GROUP_SIZE);
        let items = size.iter().fold(1u64, |all, n| all.saturating_mul(*n));
        let larger = items > limits.max_compute_work_group_invocations.into()
            || size.iter().zip(limits.max_compute_work_group_size).any(|(n, most)| *n > most.into());
        limits.max_compute_work_group_invocations < largest && larger && items <= largest.into()
    }

    /// The smallest size of sub-groups that a launch may have. Modules of SPIR-V 1.6 may get smaller ones than the device's size
    /// (VK_EXT_subgroup_size_control), but none below 8 on the drivers seen.
    pub fn min_subgroup_size(&self) -> u32 {
        self.required_subgroup_size().unwrap_or(self.limits.subgroup_size.clamp(1, 8))
    }

    /// The SPIR-V version to write: 1.3 for Vulkan 1.1, 1.5 for 1.2, 1.6 from 1.3 on.
    pub fn spirv_version(&self) -> (u8, u8) {
        match self.api_version {
            (1, 0 | 1) => (1, 3),
            (1, 2) => (1, 5),
            _ => (1, 6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_of_sub_groups_is_required_of_devices_with_several() {
        let mut target = Target::minimum();
        target.features.subgroup_operations = (SubgroupOperations::BASIC | SubgroupOperations::BALLOT).bits();
        target.features.subgroup_size_control = true;
        target.limits.max_compute_work_group_invocations = 1024;
        target.limits.max_compute_workgroup_subgroups = 56;
        for (size, sizes, required, least, items) in [
            // Intel's, by Mesa.
            (32, [8, 32], Some(32), 32, 1024),
            // AMD's of two sizes.
            (64, [32, 64], Some(64), 64, 1024),
            // NVIDIA's: one size.
            (32, [32, 32], None, 8, 1024),
            // None for compute.
            (16, [0, 0], None, 8, 1024),
            (8, [8, 16], Some(8), 8, 448),
        ] {
            target.limits.subgroup_size = size;
            target.limits.required_subgroup_sizes = sizes;
            assert_eq!(target.required_subgroup_size(), required);
            assert_eq!(target.min_subgroup_size(), least);
            assert_eq!(target.max_items_in_subgroups(), items);
        }
        target.features.subgroup_size_control = false;
        assert_eq!(target.required_subgroup_size(), None);
        // Two sizes, and nobody says which.
        target.api_version = (1, 3);
        assert!(!target.has_certain_subgroup_size());
        target.limits.required_subgroup_sizes = [8, 8];
        assert!(target.has_certain_subgroup_size());
    }
}
