//! Vulkan's feature structures and [`TargetFeatures`], in both directions: asking a device, and
//! enabling on it exactly what its Target says.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

use ash::{ext, khr, vk};
use lower::target::TargetFeatures;

use crate::device::handle_calls;

/// Which structures and extensions a device knows: by its version, or by an extension.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Present {
    version: u32,
    storage_8bit: bool,
    float16_int8: bool,
    pub(crate) buffer_device_address: bool,
    memory_model: bool,
    scalar_layout: bool,
    uniform_standard_layout: bool,
    workgroup_layout: bool,
    atomic_int64: bool,
    atomic_float: bool,
    clock: bool,
    reconvergence: bool,
    uniform_control_flow: bool,
    subgroup_types: bool,
    dot_product: bool,
    pub(crate) maintenance4: bool,
    timeline: bool,
    synchronization2: bool,
    image_robustness: bool,
    pub(crate) non_semantic_info: bool,
    pub(crate) subgroup_size: bool,
    pub(crate) float_controls: bool,
    pub(crate) driver_properties: bool,
    portability_subset: bool,
    pub(crate) calibrated_khr: bool,
    pub(crate) calibrated_ext: bool,
    pub(crate) external_memory_host: bool,
    pub(crate) external_memory: bool,
    pub(crate) external_memory_dma_buf: bool,
    pub(crate) external_semaphore: bool,
    pub(crate) queue_family_foreign: bool,
    /// Asked of the physical device: not to be enabled.
    pub(crate) memory_budget: bool,
    pub(crate) device_fault: bool,
    /// vkResetQueryPool: every device of Vulkan 1.2 has the feature.
    pub(crate) host_query_reset: bool,
    /// VK_EXT_map_memory_placed with VK_KHR_map_memory2.
    pub(crate) map_memory_placed: bool,
    /// Asked of the physical device, too: which formats storage views may have without saying so.
    pub(crate) format_features: bool,
}

impl Present {
    pub(crate) fn from_extensions(version: u32, extensions: &BTreeSet<CString>) -> Self {
        let ext = |name: &CStr| extensions.contains(name);
        let v12 = version >= vk::API_VERSION_1_2;
        let v13 = version >= vk::API_VERSION_1_3;
        Present {
            version,
            storage_8bit: v12 || ext(khr::_8bit_storage::NAME),
            float16_int8: v12 || ext(khr::shader_float16_int8::NAME),
            buffer_device_address: v12 || ext(khr::buffer_device_address::NAME),
            memory_model: v12 || ext(khr::vulkan_memory_model::NAME),
            scalar_layout: v12 || ext(ext::scalar_block_layout::NAME),
            uniform_standard_layout: v12 || ext(khr::uniform_buffer_standard_layout::NAME),
            workgroup_layout: ext(khr::workgroup_memory_explicit_layout::NAME),
            atomic_int64: v12 || ext(khr::shader_atomic_int64::NAME),
            atomic_float: ext(ext::shader_atomic_float::NAME),
            clock: ext(khr::shader_clock::NAME),
            reconvergence: ext(khr::shader_maximal_reconvergence::NAME),
            uniform_control_flow: ext(khr::shader_subgroup_uniform_control_flow::NAME),
            dot_product: v13 || ext(khr::shader_integer_dot_product::NAME),
            subgroup_types: v12 || ext(khr::shader_subgroup_extended_types::NAME),
            maintenance4: v13 || ext(khr::maintenance4::NAME),
            timeline: v12 || ext(khr::timeline_semaphore::NAME),
            synchronization2: v13 || ext(khr::synchronization2::NAME),
            image_robustness: v13 || ext(ext::image_robustness::NAME),
            subgroup_size: v13 || ext(ext::subgroup_size_control::NAME),
            non_semantic_info: v13 || ext(khr::shader_non_semantic_info::NAME),
            float_controls: v12 || ext(khr::shader_float_controls::NAME),
            driver_properties: v12 || ext(khr::driver_properties::NAME),
            portability_subset: ext(khr::portability_subset::NAME),
            calibrated_khr: ext(khr::calibrated_timestamps::NAME),
            calibrated_ext: ext(ext::calibrated_timestamps::NAME),
            external_memory_host: ext(ext::external_memory_host::NAME),
            external_memory: ext(handle_calls::MEMORY_EXTENSION),
            external_memory_dma_buf: ext(ext::external_memory_dma_buf::NAME)
                && ext(handle_calls::MEMORY_EXTENSION),
            external_semaphore: ext(handle_calls::SEMAPHORE_EXTENSION),
            queue_family_foreign: ext(ext::queue_family_foreign::NAME),
            memory_budget: ext(ext::memory_budget::NAME),
            device_fault: ext(ext::device_fault::NAME),
            host_query_reset: v12,
            map_memory_placed: ext(ext::map_memory_placed::NAME) && ext(khr::map_memory2::NAME),
            format_features: v13 || ext(khr::format_feature_flags2::NAME),
        }
    }

    /// Without what only the runtime itself uses.
    pub(crate) fn for_features_alone(self) -> Self {
        Present {
            calibrated_khr: false,
            calibrated_ext: false,
            external_memory_host: false,
            external_memory: false,
            external_memory_dma_buf: false,
            external_semaphore: false,
            queue_family_foreign: false,
            device_fault: false,
            host_query_reset: false,
            map_memory_placed: false,
            ..self
        }
    }

    /// The device extensions to enable for these features: none that the core version already has.
    pub(crate) fn extensions(&self, f: &TargetFeatures) -> Vec<&'static CStr> {
        let v12 = self.version >= vk::API_VERSION_1_2;
        let v13 = self.version >= vk::API_VERSION_1_3;
        let float_controls =
            [f.shader_signed_zero_inf_nan_preserve, f.shader_denorm_preserve, f.shader_rounding_mode_rte];
        let table = [
            (f.storage_buffer_8bit_access && !v12, khr::_8bit_storage::NAME),
            ((f.shader_int8 || f.shader_float16) && !v12, khr::shader_float16_int8::NAME),
            (f.buffer_device_address && !v12, khr::buffer_device_address::NAME),
            (f.vulkan_memory_model && !v12, khr::vulkan_memory_model::NAME),
            (f.scalar_block_layout && !v12, ext::scalar_block_layout::NAME),
            (f.uniform_buffer_standard_layout && !v12, khr::uniform_buffer_standard_layout::NAME),
            (f.workgroup_memory_explicit_layout, khr::workgroup_memory_explicit_layout::NAME),
            (
                (f.shader_buffer_int64_atomics || f.shader_shared_int64_atomics) && !v12,
                khr::shader_atomic_int64::NAME,
            ),
            (wants_atomic_float(f), ext::shader_atomic_float::NAME),
            (f.shader_subgroup_clock || f.shader_device_clock, khr::shader_clock::NAME),
            (f.shader_maximal_reconvergence, khr::shader_maximal_reconvergence::NAME),
            (f.shader_subgroup_uniform_control_flow, khr::shader_subgroup_uniform_control_flow::NAME),
            (f.shader_integer_dot_product && !v13, khr::shader_integer_dot_product::NAME),
            (f.shader_subgroup_extended_types && !v12, khr::shader_subgroup_extended_types::NAME),
            (f.maintenance4 && !v13, khr::maintenance4::NAME),
            ((f.subgroup_size_control || f.compute_full_subgroups) && !v13, ext::subgroup_size_control::NAME),
            (f.timeline_semaphore && !v12, khr::timeline_semaphore::NAME),
            (f.synchronization2 && !v13, khr::synchronization2::NAME),
            (f.robust_image_access && !v13, ext::image_robustness::NAME),
            (f.non_semantic_info && !v13, khr::shader_non_semantic_info::NAME),
            (
                self.float_controls && !v12 && float_controls != [[false; 3]; 3],
                khr::shader_float_controls::NAME,
            ),
            (self.calibrated_khr, khr::calibrated_timestamps::NAME),
            (self.calibrated_ext && !self.calibrated_khr, ext::calibrated_timestamps::NAME),
            (self.external_memory_host, ext::external_memory_host::NAME),
            (self.external_memory, handle_calls::MEMORY_EXTENSION),
            (self.external_semaphore, handle_calls::SEMAPHORE_EXTENSION),
            (self.external_memory_dma_buf, ext::external_memory_dma_buf::NAME),
            (self.queue_family_foreign, ext::queue_family_foreign::NAME),
            (self.device_fault, ext::device_fault::NAME),
            (self.map_memory_placed, khr::map_memory2::NAME),
            (self.map_memory_placed, ext::map_memory_placed::NAME),
            // A layered driver demands it (VUID-VkDeviceCreateInfo-pProperties-04451).
            (self.portability_subset, khr::portability_subset::NAME),
        ];
        table.into_iter().filter(|(wanted, _)| *wanted).map(|(_, name)| name).collect()
    }
}

fn wants_atomic_float(f: &TargetFeatures) -> bool {
    f.shader_buffer_float32_atomic_add
        || f.shader_shared_float32_atomic_add
        || f.shader_buffer_float64_atomic_add
        || f.shader_shared_float64_atomic_add
}

/// Drops what must not be enabled without something else, which a mask may have taken away.
pub(crate) fn consistent(features: &TargetFeatures) -> TargetFeatures {
    let mut f = features.clone();
    f.vulkan_memory_model_device_scope &= f.vulkan_memory_model;
    f.workgroup_memory_explicit_layout_8bit_access &= f.workgroup_memory_explicit_layout;
    f.workgroup_memory_explicit_layout_16bit_access &= f.workgroup_memory_explicit_layout;
    f
}

/// The feature structures of extensions and of later versions: each feature set as somebody wants it, or as a device has it.
struct Chain {
    storage16: vk::PhysicalDevice16BitStorageFeatures<'static>,
    storage8: vk::PhysicalDevice8BitStorageFeatures<'static>,
    narrow: vk::PhysicalDeviceShaderFloat16Int8Features<'static>,
    address: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
    model: vk::PhysicalDeviceVulkanMemoryModelFeatures<'static>,
    scalar: vk::PhysicalDeviceScalarBlockLayoutFeatures<'static>,
    standard: vk::PhysicalDeviceUniformBufferStandardLayoutFeatures<'static>,
    workgroup: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    atomic64: vk::PhysicalDeviceShaderAtomicInt64Features<'static>,
    atomic_float: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
    reconvergence: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR<'static>,
    uniform_flow: vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR<'static>,
    dot_product: vk::PhysicalDeviceShaderIntegerDotProductFeatures<'static>,
    subgroup_types: vk::PhysicalDeviceShaderSubgroupExtendedTypesFeatures<'static>,
    subgroup_size: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    maintenance4: vk::PhysicalDeviceMaintenance4Features<'static>,
    timeline: vk::PhysicalDeviceTimelineSemaphoreFeatures<'static>,
    sync2: vk::PhysicalDeviceSynchronization2Features<'static>,
    robust: vk::PhysicalDeviceImageRobustnessFeatures<'static>,
    fault: vk::PhysicalDeviceFaultFeaturesEXT<'static>,
    placed: vk::PhysicalDeviceMapMemoryPlacedFeaturesEXT<'static>,
    reset: vk::PhysicalDeviceHostQueryResetFeatures<'static>,
}

impl Chain {
    fn wanted(w: &TargetFeatures) -> Self {
        Chain {
            storage16: vk::PhysicalDevice16BitStorageFeatures::default()
                .storage_buffer16_bit_access(w.storage_buffer_16bit_access),
            storage8: vk::PhysicalDevice8BitStorageFeatures::default()
                .storage_buffer8_bit_access(w.storage_buffer_8bit_access),
            narrow: vk::PhysicalDeviceShaderFloat16Int8Features::default()
                .shader_float16(w.shader_float16)
                .shader_int8(w.shader_int8),
            address: vk::PhysicalDeviceBufferDeviceAddressFeatures::default()
                .buffer_device_address(w.buffer_device_address),
            model: vk::PhysicalDeviceVulkanMemoryModelFeatures::default()
                .vulkan_memory_model(w.vulkan_memory_model)
                .vulkan_memory_model_device_scope(w.vulkan_memory_model_device_scope),
            scalar: vk::PhysicalDeviceScalarBlockLayoutFeatures::default()
                .scalar_block_layout(w.scalar_block_layout),
            standard: vk::PhysicalDeviceUniformBufferStandardLayoutFeatures::default()
                .uniform_buffer_standard_layout(w.uniform_buffer_standard_layout),
            workgroup: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR::default()
                .workgroup_memory_explicit_layout(w.workgroup_memory_explicit_layout)
                .workgroup_memory_explicit_layout8_bit_access(w.workgroup_memory_explicit_layout_8bit_access)
                .workgroup_memory_explicit_layout16_bit_access(
                    w.workgroup_memory_explicit_layout_16bit_access,
                ),
            atomic64: vk::PhysicalDeviceShaderAtomicInt64Features::default()
                .shader_buffer_int64_atomics(w.shader_buffer_int64_atomics)
                .shader_shared_int64_atomics(w.shader_shared_int64_atomics),
            atomic_float: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default()
                .shader_buffer_float32_atomic_add(w.shader_buffer_float32_atomic_add)
                .shader_shared_float32_atomic_add(w.shader_shared_float32_atomic_add)
                .shader_buffer_float64_atomic_add(w.shader_buffer_float64_atomic_add)
                .shader_shared_float64_atomic_add(w.shader_shared_float64_atomic_add),
            clock: vk::PhysicalDeviceShaderClockFeaturesKHR::default()
                .shader_subgroup_clock(w.shader_subgroup_clock)
                .shader_device_clock(w.shader_device_clock),
            reconvergence: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default()
                .shader_maximal_reconvergence(w.shader_maximal_reconvergence),
            uniform_flow: vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR::default()
                .shader_subgroup_uniform_control_flow(w.shader_subgroup_uniform_control_flow),
            dot_product: vk::PhysicalDeviceShaderIntegerDotProductFeatures::default()
                .shader_integer_dot_product(w.shader_integer_dot_product),
            subgroup_types: vk::PhysicalDeviceShaderSubgroupExtendedTypesFeatures::default()
                .shader_subgroup_extended_types(w.shader_subgroup_extended_types),
            subgroup_size: vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
                .subgroup_size_control(w.subgroup_size_control)
                .compute_full_subgroups(w.compute_full_subgroups),
            maintenance4: vk::PhysicalDeviceMaintenance4Features::default().maintenance4(w.maintenance4),
            timeline: vk::PhysicalDeviceTimelineSemaphoreFeatures::default()
                .timeline_semaphore(w.timeline_semaphore),
            sync2: vk::PhysicalDeviceSynchronization2Features::default().synchronization2(w.synchronization2),
            robust: vk::PhysicalDeviceImageRobustnessFeatures::default()
                .robust_image_access(w.robust_image_access),
            // Every device with the extension has the feature (Vulkan specification, "Feature Requirements").
            fault: vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true),
            placed: vk::PhysicalDeviceMapMemoryPlacedFeaturesEXT::default().memory_map_placed(true),
            reset: vk::PhysicalDeviceHostQueryResetFeatures::default().host_query_reset(true),
        }
    }

    /// The chain of those that the device knows.
    fn linked<'a>(
        &'a mut self,
        core: vk::PhysicalDeviceFeatures,
        p: &Present,
    ) -> vk::PhysicalDeviceFeatures2<'a> {
        let chain = vk::PhysicalDeviceFeatures2::default().features(core).push_next(&mut self.storage16);
        let chain = with(chain, p.storage_8bit, &mut self.storage8);
        let chain = with(chain, p.float16_int8, &mut self.narrow);
        let chain = with(chain, p.buffer_device_address, &mut self.address);
        let chain = with(chain, p.memory_model, &mut self.model);
        let chain = with(chain, p.scalar_layout, &mut self.scalar);
        let chain = with(chain, p.uniform_standard_layout, &mut self.standard);
        let chain = with(chain, p.workgroup_layout, &mut self.workgroup);
        let chain = with(chain, p.atomic_int64, &mut self.atomic64);
        let chain = with(chain, p.atomic_float, &mut self.atomic_float);
        let chain = with(chain, p.clock, &mut self.clock);
        let chain = with(chain, p.reconvergence, &mut self.reconvergence);
        let chain = with(chain, p.uniform_control_flow, &mut self.uniform_flow);
        let chain = with(chain, p.dot_product, &mut self.dot_product);
        let chain = with(chain, p.subgroup_types, &mut self.subgroup_types);
        let chain = with(chain, p.subgroup_size, &mut self.subgroup_size);
        let chain = with(chain, p.maintenance4, &mut self.maintenance4);
        let chain = with(chain, p.timeline, &mut self.timeline);
        let chain = with(chain, p.synchronization2, &mut self.sync2);
        let chain = with(chain, p.image_robustness, &mut self.robust);
        let chain = with(chain, p.device_fault, &mut self.fault);
        let chain = with(chain, p.map_memory_placed, &mut self.placed);
        with(chain, p.host_query_reset, &mut self.reset)
    }

    /// The features as they stand.
    fn features(&self, core: &vk::PhysicalDeviceFeatures) -> TargetFeatures {
        let on = |b: vk::Bool32| b == vk::TRUE;
        TargetFeatures {
            robust_buffer_access: on(core.robust_buffer_access),
            robust_image_access: on(self.robust.robust_image_access),
            shader_storage_image_read_without_format: on(core.shader_storage_image_read_without_format),
            shader_storage_image_write_without_format: on(core.shader_storage_image_write_without_format),
            shader_storage_image_extended_formats: on(core.shader_storage_image_extended_formats),
            shader_int64: on(core.shader_int64),
            shader_int16: on(core.shader_int16),
            shader_int8: on(self.narrow.shader_int8),
            shader_float16: on(self.narrow.shader_float16),
            shader_float64: on(core.shader_float64),
            storage_buffer_8bit_access: on(self.storage8.storage_buffer8_bit_access),
            storage_buffer_16bit_access: on(self.storage16.storage_buffer16_bit_access),
            buffer_device_address: on(self.address.buffer_device_address),
            vulkan_memory_model: on(self.model.vulkan_memory_model),
            vulkan_memory_model_device_scope: on(self.model.vulkan_memory_model_device_scope),
            scalar_block_layout: on(self.scalar.scalar_block_layout),
            uniform_buffer_standard_layout: on(self.standard.uniform_buffer_standard_layout),
            workgroup_memory_explicit_layout: on(self.workgroup.workgroup_memory_explicit_layout),
            workgroup_memory_explicit_layout_8bit_access: on(self
                .workgroup
                .workgroup_memory_explicit_layout8_bit_access),
            workgroup_memory_explicit_layout_16bit_access: on(self
                .workgroup
                .workgroup_memory_explicit_layout16_bit_access),
            shader_buffer_int64_atomics: on(self.atomic64.shader_buffer_int64_atomics),
            shader_shared_int64_atomics: on(self.atomic64.shader_shared_int64_atomics),
            shader_buffer_float32_atomic_add: on(self.atomic_float.shader_buffer_float32_atomic_add),
            shader_shared_float32_atomic_add: on(self.atomic_float.shader_shared_float32_atomic_add),
            shader_buffer_float64_atomic_add: on(self.atomic_float.shader_buffer_float64_atomic_add),
            shader_shared_float64_atomic_add: on(self.atomic_float.shader_shared_float64_atomic_add),
            shader_subgroup_clock: on(self.clock.shader_subgroup_clock),
            shader_device_clock: on(self.clock.shader_device_clock),
            shader_maximal_reconvergence: on(self.reconvergence.shader_maximal_reconvergence),
            shader_subgroup_uniform_control_flow: on(self.uniform_flow.shader_subgroup_uniform_control_flow),
            shader_integer_dot_product: on(self.dot_product.shader_integer_dot_product),
            shader_subgroup_extended_types: on(self.subgroup_types.shader_subgroup_extended_types),
            subgroup_size_control: on(self.subgroup_size.subgroup_size_control),
            compute_full_subgroups: on(self.subgroup_size.compute_full_subgroups),
            maintenance4: on(self.maintenance4.maintenance4),
            timeline_semaphore: on(self.timeline.timeline_semaphore),
            synchronization2: on(self.sync2.synchronization2),
            ..TargetFeatures::default()
        }
    }
}

fn with<'a, T: vk::ExtendsPhysicalDeviceFeatures2>(
    chain: vk::PhysicalDeviceFeatures2<'a>,
    is_known: bool,
    next: &'a mut T,
) -> vk::PhysicalDeviceFeatures2<'a> {
    if is_known { chain.push_next(next) } else { chain }
}

/// Builds the chain of feature structures that the device knows, each feature set as `wanted` says, and
/// hands it to `f` (which asks a device, or creates one). Returns the features as they stand afterwards.
pub(crate) fn with_feature_chain<R>(
    present: &Present,
    wanted: &TargetFeatures,
    f: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R,
) -> (TargetFeatures, R) {
    let w = wanted;
    let core = vk::PhysicalDeviceFeatures::default()
        .robust_buffer_access(w.robust_buffer_access)
        .shader_storage_image_read_without_format(w.shader_storage_image_read_without_format)
        .shader_storage_image_write_without_format(w.shader_storage_image_write_without_format)
        .shader_storage_image_extended_formats(w.shader_storage_image_extended_formats)
        .shader_int64(w.shader_int64)
        .shader_int16(w.shader_int16)
        .shader_float64(w.shader_float64);
    let mut chain = Chain::wanted(wanted);
    let mut linked = chain.linked(core, present);
    let result = f(&mut linked);
    let core = linked.features;
    (chain.features(&core), result)
}
