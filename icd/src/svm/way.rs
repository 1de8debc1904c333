//! How a device comes to share its addresses with the host. What it has says which way is worth trying, `PUMICE_SVM` may name
//! another; what is claimed is what the probe's kernels showed.

use lower::Target;
use opencl_sys as cl;
use vk_runtime::{DeviceKind, PhysicalDevice, SharedWay};

use super::probe::{self, Seen};
use crate::device::Device;

/// What a device was seen to share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    /// CL_DEVICE_SVM_CAPABILITIES.
    pub(crate) capabilities: cl::cl_device_svm_capabilities,
}

impl Shared {
    /// Whether kernels reach all of the host's memory.
    pub(crate) fn reaches_system(self) -> bool {
        self.capabilities & cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0
    }
}

/// The way that is tried on a device.
pub(crate) fn wanted(physical: &PhysicalDevice, target: &Target) -> Option<SharedWay> {
    if !target.features.buffer_device_address || !target.features.shader_int64 {
        return None;
    }
    let ways = physical.shared_ways();
    let forced = match host::settings::get("PUMICE_SVM").as_deref() {
        None => return ways.first().copied(),
        Some("off") => return None,
        Some("identity") => SharedWay::Identity,
        Some("placed") => SharedWay::Placed,
        Some("arena") => SharedWay::Arena,
        Some(other) => {
            log::error!("PUMICE_SVM={other} is ignored: identity, placed, arena and off are known");
            return ways.first().copied();
        }
    };
    ways.contains(&forced).then_some(forced)
}

/// What kernels show of a device.
pub(crate) fn find(device: &Device) -> Shared {
    let Some(way) = wanted(&device.physical, &device.target) else { return Shared::default() };
    match probe::run(device) {
        Ok(Seen { shared: true, system }) => {
            log::debug!("shared virtual memory: {way:?} was seen to work");
            let coarse = cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
            // The memory is coherent: what either wrote is there for the other when commands begin and end.
            let fine = cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
            let all = if system { cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM } else { 0 };
            Shared { capabilities: coarse | fine | all }
        }
        Ok(_) => {
            log::warn!("no shared virtual memory: {way:?} did not work");
            Shared::default()
        }
        Err(error) => {
            log::warn!("no shared virtual memory: the kernels that show it ({way:?}) failed ({})", error.0);
            Shared::default()
        }
    }
}

/// Whether it is worth letting a kernel follow pointers to memory that Vulkan does not know: where the driver is a part of the process,
/// and its addresses are the process's.
pub(super) fn may_reach_system(device: &Device) -> bool {
    device.physical.kind() == DeviceKind::Cpu
        && wanted(&device.physical, &device.target) == Some(SharedWay::Identity)
}
