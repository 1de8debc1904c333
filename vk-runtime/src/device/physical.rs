//! Physical devices: what they are called and what they can do.

use std::any::Any;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use timeline::sync::Mutex;

use ash::vk;
use lower::Target;
use lower::target::TargetLimits;

use crate::device::features::{Present, with_feature_chain};
use crate::device::instance::Instance;
use crate::error::{Call, RuntimeError};

/// The kind of a device, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceKind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the host's memory.
    Integrated,
    /// A GPU of a virtual machine.
    Virtual,
    /// A CPU driver.
    Cpu,
    /// Something else.
    Other,
}

impl std::fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DeviceKind::Discrete => "discrete GPU",
            DeviceKind::Integrated => "integrated GPU",
            DeviceKind::Virtual => "virtual GPU",
            DeviceKind::Cpu => "CPU",
            DeviceKind::Other => "other",
        })
    }
}

/// A Vulkan device that could be used. Cheap to clone.
#[derive(Clone)]
pub struct PhysicalDevice {
    pub(crate) instance: Instance,
    pub(crate) handle: vk::PhysicalDevice,
    pub(crate) info: Arc<PhysicalInfo>,
}

/// The properties that were asked once.
pub(crate) struct PhysicalInfo {
    pub(crate) target: Target,
    pub(crate) kind: DeviceKind,
    pub(crate) driver: String,
    pub(crate) driver_id: Option<vk::DriverId>,
    pub(crate) properties: vk::PhysicalDeviceProperties,
    pub(crate) present: Present,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    /// The queue family of compute work.
    pub(crate) compute_family: Option<Family>,
    /// VkPhysicalDeviceMaintenance4Properties::maxBufferSize.
    pub(crate) max_buffer_size: Option<u64>,
    /// minImportedHostPointerAlignment.
    pub(crate) host_import_alignment: u64,
    /// minPlacedMemoryMapAlignment.
    pub(crate) placed_alignment: u64,
    pub(crate) below_floor: Option<String>,
    /// Bytes that are allocated from each heap, by all of the process's Vulkan devices.
    pub(crate) used: [AtomicU64; vk::MAX_MEMORY_HEAPS],
    /// The Vulkan devices (`DeviceInner`) that were made of it, which share its memory.
    pub(crate) devices: Mutex<Vec<Weak<dyn Any + Send + Sync>>>,
}

/// A queue family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Family {
    pub(crate) index: u32,
    /// How many queues it has.
    pub(crate) queues: u32,
    /// How many bits of its timestamps count; 0: it has none.
    pub(crate) timestamp_bits: u32,
}

impl Family {
    /// The family for compute work: one without graphics, if there is one that has all that the first one has. NVIDIA's driver
    /// gives work-groups twice the local memory there (H200, driver 580: a simulation 1.2, a matrix product 1.37 times as
    /// fast); elsewhere it keeps long kernels away from the desktop.
    fn for_compute(families: &[vk::QueueFamilyProperties]) -> Option<Self> {
        let compute = families
            .iter()
            .zip(0..)
            .filter(|(f, _)| f.queue_flags.contains(vk::QueueFlags::COMPUTE) && f.queue_count > 0);
        let made = |(f, index): (&vk::QueueFamilyProperties, u32)| Family {
            index,
            queues: f.queue_count,
            timestamp_bits: f.timestamp_valid_bits,
        };
        let first = compute.clone().next().map(made)?;
        let alone = compute
            .filter(|(f, _)| !f.queue_flags.contains(vk::QueueFlags::GRAPHICS))
            .map(made)
            .find(|f| f.timestamp_bits >= first.timestamp_bits);
        Some(alone.unwrap_or(first))
    }
}

impl std::fmt::Debug for PhysicalDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PhysicalDevice").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl PhysicalDevice {
    /// The device's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.info.target.name
    }

    /// The driver's name and version, for people.
    #[must_use]
    pub fn driver(&self) -> &str {
        &self.info.driver
    }

    /// Returns whether two are the same device of one instance.
    #[must_use]
    pub fn is_same(&self, other: &PhysicalDevice) -> bool {
        self.handle == other.handle
    }

    /// Returns what sort of device it is.
    #[must_use]
    pub fn kind(&self) -> DeviceKind {
        self.info.kind
    }

    /// The device's Vulkan version (major, minor, patch).
    #[must_use]
    pub fn api_version(&self) -> (u32, u32, u32) {
        let v = self.info.properties.api_version;
        (vk::api_version_major(v), vk::api_version_minor(v), vk::api_version_patch(v))
    }

    /// VkPhysicalDeviceProperties::vendorID: a PCI vendor or a Khronos number.
    #[must_use]
    pub fn vendor_id(&self) -> u32 {
        self.info.properties.vendor_id
    }

    /// Returns what the device can do.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.info.target
    }

    /// Why Pumice cannot use this device; `None` when it can.
    #[must_use]
    pub fn below_floor(&self) -> Option<&str> {
        self.info.below_floor.as_deref()
    }

    /// Bytes of the largest device-local heap.
    #[must_use]
    pub fn memory_size(&self) -> u64 {
        let heaps = self.info.memory.memory_heaps_as_slice();
        heaps
            .iter()
            .filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
            .map(|h| h.size)
            .max()
            .unwrap_or(0)
    }

    /// Asks a device everything that Pumice wants to know.
    pub(crate) fn query(instance: &Instance, handle: vk::PhysicalDevice) -> Result<Self, RuntimeError> {
        // SAFETY: `handle` was just enumerated from this live instance.
        let info = unsafe { PhysicalInfo::query(&instance.inner.raw, instance.inner.api_version, handle) }?;
        let mut physical = PhysicalDevice { instance: instance.clone(), handle, info: Arc::new(info) };
        // A format that every device has storage texel buffers of (Vulkan specification, "Required Format Support").
        let words = physical.format_uses(ash::vk::Format::R32_UINT);
        if let Some(info) = Arc::get_mut(&mut physical.info) {
            let features = &mut info.target.features;
            let both = (!features.shader_storage_image_write_without_format || words.texel_stored)
                && (!features.shader_storage_image_read_without_format || words.texel_loaded);
            features.texel_buffers_need_format = words.texel_storage && !both;
            if let Err(unknown) = info.target.quirks.change(&instance.inner.workarounds) {
                log::warn!("no workarounds are called so: {unknown}");
            }
        }
        Ok(physical)
    }
}

impl PhysicalInfo {
    /// Asks a device of an instance that was made for a version.
    ///
    /// # Safety
    /// The device is one of the live instance's.
    pub(crate) unsafe fn query(
        raw: &ash::Instance,
        api_version: u32,
        handle: vk::PhysicalDevice,
    ) -> Result<Self, RuntimeError> {
        // SAFETY: by the caller's promise; the same holds for the calls below.
        let properties = unsafe { raw.get_physical_device_properties(handle) };
        // SAFETY: as above.
        let memory = unsafe { raw.get_physical_device_memory_properties(handle) };
        // SAFETY: as above.
        let families = unsafe { raw.get_physical_device_queue_family_properties(handle) };
        // SAFETY: as above.
        let extensions = unsafe { raw.enumerate_device_extension_properties(handle) }
            .call("vkEnumerateDeviceExtensionProperties")?;
        let extensions: BTreeSet<CString> =
            extensions.iter().filter_map(|e| e.extension_name_as_c_str().ok().map(CStr::to_owned)).collect();
        let compute_family = Family::for_compute(&families);
        let version = properties.api_version.min(api_version);
        let name =
            properties.device_name_as_c_str().unwrap_or(c"unnamed device").to_string_lossy().into_owned();
        let mut info = PhysicalInfo {
            target: Target { name, ..Target::minimum() },
            kind: kind_of(properties.device_type),
            driver: String::new(),
            driver_id: None,
            properties,
            present: Present::from_extensions(version, &extensions),
            memory,
            compute_family,
            max_buffer_size: None,
            host_import_alignment: 0,
            placed_alignment: 0,
            below_floor: None,
            used: Default::default(),
            devices: Mutex::default(),
        };
        info.target.api_version = (vk::api_version_major(version), vk::api_version_minor(version));
        if version < vk::API_VERSION_1_1 {
            let v = properties.api_version;
            info.below_floor = Some(format!(
                "Vulkan {}.{} only; 1.1 is the least",
                vk::api_version_major(v),
                vk::api_version_minor(v)
            ));
        } else {
            query_1_1(raw, handle, &mut info);
            if info.compute_family.is_none() {
                info.below_floor = Some("it has no compute queue".to_owned());
            }
        }
        Ok(info)
    }
}

fn kind_of(kind: vk::PhysicalDeviceType) -> DeviceKind {
    match kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::Discrete,
        vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::Integrated,
        vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::Virtual,
        vk::PhysicalDeviceType::CPU => DeviceKind::Cpu,
        _ => DeviceKind::Other,
    }
}

/// Features and properties of a device with Vulkan 1.1 or later.
fn query_1_1(raw: &ash::Instance, handle: vk::PhysicalDevice, info: &mut PhysicalInfo) {
    let (mut features, ()) = with_feature_chain(&info.present, &Default::default(), |chain| {
        // SAFETY: `handle` belongs to this instance and supports 1.1; the chain holds only structures that are valid
        // for the device's version and extensions.
        unsafe { raw.get_physical_device_features2(handle, chain) };
    });
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut maintenance3 = vk::PhysicalDeviceMaintenance3Properties::default();
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut float = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut import = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut maintenance4 = vk::PhysicalDeviceMaintenance4Properties::default();
    let mut sizes = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
    let mut placed = vk::PhysicalDeviceMapMemoryPlacedPropertiesEXT::default();
    let mut properties =
        vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup).push_next(&mut maintenance3);
    if info.present.driver_properties {
        properties = properties.push_next(&mut driver);
    }
    if info.present.float_controls {
        properties = properties.push_next(&mut float);
    }
    if info.present.subgroup_size {
        properties = properties.push_next(&mut sizes);
    }
    if info.present.maintenance4 {
        properties = properties.push_next(&mut maintenance4);
    }
    if info.present.external_memory_host {
        properties = properties.push_next(&mut import);
    }
    if info.present.map_memory_placed {
        properties = properties.push_next(&mut placed);
    }
    // SAFETY: as for the features.
    unsafe { raw.get_physical_device_properties2(handle, &mut properties) };

    if info.present.driver_properties {
        let text = |s: Result<&CStr, _>| s.map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let (name, more) = (text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str()));
        info.driver = if more.is_empty() { name } else { format!("{name}, {more}") };
        info.driver_id = Some(driver.driver_id);
    } else {
        info.driver = format!("driver version {:#x}", info.properties.driver_version);
    }
    if info.present.float_controls {
        float_controls(&float, &mut features);
    }
    if info.present.maintenance4 {
        info.max_buffer_size = Some(maintenance4.max_buffer_size);
    }
    info.placed_alignment = placed.min_placed_memory_map_alignment;
    info.host_import_alignment = import.min_imported_host_pointer_alignment;
    features.is_cpu = info.kind == DeviceKind::Cpu;
    let workarounds = crate::Workarounds::of_driver(info.driver_id);
    features.non_semantic_info = info.present.non_semantic_info;
    if subgroup.supported_stages.contains(vk::ShaderStageFlags::COMPUTE) {
        features.subgroup_operations = subgroup.supported_operations.as_raw();
    }
    // On processors arguments may be pointers into the middle of shared virtual memory.
    let limited = maintenance3.max_memory_allocation_size <= 1 << 32 && !workarounds.allocation_limit_is_heap;
    features.buffers_below_4_gib = limited && !features.is_cpu;
    info.target.quirks = crate::device::workarounds::quirks(info.driver_id, &info.driver);
    info.target.features = features;
    info.target.limits = limits(&info.properties.limits, &subgroup, &maintenance3, &sizes);
}

fn float_controls(
    float: &vk::PhysicalDeviceFloatControlsProperties<'_>,
    features: &mut lower::target::TargetFeatures,
) {
    let flags = |a: [vk::Bool32; 3]| a.map(|b| b == vk::TRUE);
    features.shader_signed_zero_inf_nan_preserve = flags([
        float.shader_signed_zero_inf_nan_preserve_float16,
        float.shader_signed_zero_inf_nan_preserve_float32,
        float.shader_signed_zero_inf_nan_preserve_float64,
    ]);
    features.shader_denorm_preserve = flags([
        float.shader_denorm_preserve_float16,
        float.shader_denorm_preserve_float32,
        float.shader_denorm_preserve_float64,
    ]);
    features.shader_rounding_mode_rte = flags([
        float.shader_rounding_mode_rte_float16,
        float.shader_rounding_mode_rte_float32,
        float.shader_rounding_mode_rte_float64,
    ]);
    let all = vk::ShaderFloatControlsIndependence::ALL;
    features.denorm_behavior_independence_all = float.denorm_behavior_independence == all;
    features.rounding_mode_independence_all = float.rounding_mode_independence == all;
}

fn limits(
    l: &vk::PhysicalDeviceLimits,
    subgroup: &vk::PhysicalDeviceSubgroupProperties<'_>,
    maintenance3: &vk::PhysicalDeviceMaintenance3Properties<'_>,
    sizes: &vk::PhysicalDeviceSubgroupSizeControlProperties<'_>,
) -> TargetLimits {
    let requires = sizes.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE);
    TargetLimits {
        max_storage_buffer_range: l.max_storage_buffer_range.into(),
        max_uniform_buffer_range: l.max_uniform_buffer_range.into(),
        max_push_constants_size: l.max_push_constants_size,
        max_compute_shared_memory_size: l.max_compute_shared_memory_size,
        max_compute_work_group_count: l.max_compute_work_group_count,
        max_compute_work_group_invocations: l.max_compute_work_group_invocations,
        max_compute_work_group_size: l.max_compute_work_group_size,
        max_per_stage_descriptor_storage_buffers: l.max_per_stage_descriptor_storage_buffers,
        max_per_stage_descriptor_uniform_buffers: l.max_per_stage_descriptor_uniform_buffers,
        max_per_stage_descriptor_sampled_images: l.max_per_stage_descriptor_sampled_images,
        max_per_stage_descriptor_storage_images: l.max_per_stage_descriptor_storage_images,
        max_per_stage_descriptor_samplers: l.max_per_stage_descriptor_samplers,
        max_per_stage_resources: l.max_per_stage_resources,
        max_memory_allocation_size: maintenance3.max_memory_allocation_size,
        min_storage_buffer_offset_alignment: l.min_storage_buffer_offset_alignment,
        min_uniform_buffer_offset_alignment: l.min_uniform_buffer_offset_alignment,
        subgroup_size: subgroup.subgroup_size.max(1),
        required_subgroup_sizes: if requires {
            [sizes.min_subgroup_size, sizes.max_subgroup_size]
        } else {
            [0; 2]
        },
        max_compute_workgroup_subgroups: sizes.max_compute_workgroup_subgroups,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compute_goes_where_no_graphics_is() {
        let family = |queue_flags, queue_count, timestamp_valid_bits| vk::QueueFamilyProperties {
            queue_flags,
            queue_count,
            timestamp_valid_bits,
            ..Default::default()
        };
        let (graphics, compute, transfer) =
            (vk::QueueFlags::GRAPHICS, vk::QueueFlags::COMPUTE, vk::QueueFlags::TRANSFER);
        let chosen = |families: &[_]| Family::for_compute(families).map(|f| (f.index, f.queues));
        let all = family(graphics | compute | transfer, 16, 64);
        let copies = family(transfer, 2, 64);
        assert_eq!(chosen(&[all, copies, family(compute | transfer, 8, 64)]), Some((2, 8)), "as on an H200");
        assert_eq!(chosen(&[all, copies]), Some((0, 16)));
        assert_eq!(chosen(&[all, family(compute, 4, 0)]), Some((0, 16)), "no timestamps there");
        assert_eq!(chosen(&[all, family(compute, 0, 64)]), Some((0, 16)), "no queue there");
        assert_eq!(chosen(&[copies]), None);
    }
}
