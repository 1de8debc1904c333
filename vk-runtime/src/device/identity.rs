//! Who a physical device is: identifiers, bus, units; for callers that show it (CL_DEVICE_UUID and others).

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

use ash::{amd, arm, ext, nv, vk};

use crate::device::physical::{DeviceKind, PhysicalDevice};
use crate::error::{Call, RuntimeError};

/// Identifiers of a device, as Vulkan gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// deviceUUID.
    pub device_uuid: [u8; 16],
    /// driverUUID.
    pub driver_uuid: [u8; 16],
    /// deviceLUID and deviceNodeMask, where they are valid.
    pub luid: Option<([u8; 8], u32)>,
    /// Domain, bus, device, function (VK_EXT_pci_bus_info).
    pub pci: Option<[u32; 4]>,
    /// Compute units (multiprocessors, shader cores, processors), where the driver tells.
    pub compute_units: Option<u32>,
    /// VkPhysicalDeviceProperties::deviceID: the PCI device.
    pub device_id: u32,
    /// How many queues only copy.
    pub copy_queues: u32,
    /// The further facts that AMD's drivers tell (VK_AMD_shader_core_properties).
    pub amd: Option<AmdCores>,
}

/// How an AMD GPU is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmdCores {
    /// SIMD units of a compute unit.
    pub simds: u32,
    /// Work-items of a wavefront.
    pub wavefront: u32,
}

impl PhysicalDevice {
    /// Asks the device who it is. For a device below the floor everything is zero or absent.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn identity(&self) -> Result<Identity, RuntimeError> {
        let mut out = Identity {
            device_uuid: [0; 16],
            driver_uuid: [0; 16],
            luid: None,
            pci: None,
            compute_units: (self.kind() == DeviceKind::Cpu).then(processors),
            device_id: self.info.properties.device_id,
            copy_queues: 0,
            amd: None,
        };
        if self.below_floor().is_some() {
            return Ok(out);
        }
        let raw = &self.instance.inner.raw;
        // SAFETY: the handle belongs to the live instance.
        let extensions = unsafe { raw.enumerate_device_extension_properties(self.handle) }
            .call("vkEnumerateDeviceExtensionProperties")?;
        let names: BTreeSet<CString> =
            extensions.iter().filter_map(|e| e.extension_name_as_c_str().ok().map(CStr::to_owned)).collect();
        let has = |name: &CStr| names.contains(name);

        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
        let mut nvidia = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
        let mut amd_cores = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
        let mut amd_active = vk::PhysicalDeviceShaderCoreProperties2AMD::default();
        let mut arm_cores = vk::PhysicalDeviceShaderCoreBuiltinsPropertiesARM::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
        if has(ext::pci_bus_info::NAME) {
            properties = properties.push_next(&mut pci);
        }
        if has(nv::shader_sm_builtins::NAME) {
            properties = properties.push_next(&mut nvidia);
        }
        if has(amd::shader_core_properties::NAME) {
            properties = properties.push_next(&mut amd_cores);
        }
        if has(amd::shader_core_properties2::NAME) {
            properties = properties.push_next(&mut amd_active);
        }
        if has(arm::shader_core_builtins::NAME) {
            properties = properties.push_next(&mut arm_cores);
        }
        // SAFETY: as above; the chain holds only structures of extensions that the device has.
        unsafe { raw.get_physical_device_properties2(self.handle, &mut properties) };

        out.device_uuid = id.device_uuid;
        out.driver_uuid = id.driver_uuid;
        out.luid = (id.device_luid_valid == vk::TRUE).then_some((id.device_luid, id.device_node_mask));
        if has(ext::pci_bus_info::NAME) {
            out.pci = Some([pci.pci_domain, pci.pci_bus, pci.pci_device, pci.pci_function]);
        }
        if has(amd::shader_core_properties::NAME) {
            out.amd = Some(AmdCores {
                simds: amd_cores.simd_per_compute_unit,
                wavefront: amd_cores.wavefront_size,
            });
        }
        // SAFETY: the handle belongs to the live instance.
        let families = unsafe { raw.get_physical_device_queue_family_properties(self.handle) };
        // Not those of the video engines.
        let more = vk::QueueFlags::TRANSFER | vk::QueueFlags::SPARSE_BINDING | vk::QueueFlags::PROTECTED;
        let copies = families
            .iter()
            .filter(|f| f.queue_flags.contains(vk::QueueFlags::TRANSFER) && more.contains(f.queue_flags));
        out.copy_queues = copies.map(|f| f.queue_count).max().unwrap_or(0);
        let amd_total = amd_cores
            .shader_engine_count
            .saturating_mul(amd_cores.shader_arrays_per_engine_count)
            .saturating_mul(amd_cores.compute_units_per_shader_array);
        let reported = [
            nvidia.shader_sm_count,
            amd_active.active_compute_unit_count,
            amd_total,
            arm_cores.shader_core_count,
        ];
        out.compute_units = out.compute_units.or(reported.into_iter().find(|n| *n != 0));
        Ok(out)
    }

    /// The largest buffer that a [`Device`](crate::Device) of this physical device would allow.
    #[must_use]
    pub fn max_buffer_size(&self) -> u64 {
        crate::device::logical::max_buffer_size(self, self.target(), crate::Workarounds::for_device(self))
    }

    /// Nanoseconds per tick of the device's timestamps.
    #[must_use]
    pub fn timestamp_period(&self) -> f32 {
        self.info.properties.limits.timestamp_period
    }
}

fn processors() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
}
