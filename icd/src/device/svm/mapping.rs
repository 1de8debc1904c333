//! The mapping between the addresses of a device and those of the host. The device's features say which one is worth trying, `PUMICE_SVM` may name
//! another; what is claimed is what the probe's kernels showed.

use frontend::options::Features;
use lower::Target;
use opencl_sys as cl;
use vk_runtime::{AddressMapping, DeviceKind, PhysicalDevice};

use crate::abi::error::ClResult;
use crate::device::svm::probe;
use crate::device::svm::probe::Seen;
use crate::device::{Device, DeviceCount, Runtime};

/// The kinds of memory that a device was seen to share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    /// CL_DEVICE_SVM_CAPABILITIES.
    pub(crate) capabilities: cl::cl_device_svm_capabilities,
    /// Coarse-grain memory lies twice.
    pub(crate) copies: bool,
}

impl Shared {
    /// Returns whether kernels reach all of the host's memory.
    pub(crate) fn reaches_system(self) -> bool {
        self.capabilities & cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0
    }
}

/// The mappings that are tried on a device, in this order. On a processor only the first: what makes its memory no shared one speaks against the
/// others as well.
pub(crate) fn wanted(physical: &PhysicalDevice, target: &Target) -> Vec<AddressMapping> {
    if !target.features.buffer_device_address || !target.features.shader_int64 {
        return Vec::new();
    }
    let mappings = physical.address_mappings();
    let best = match mappings.first() {
        Some(AddressMapping::Identity) => vec![AddressMapping::Identity],
        _ => mappings.clone(),
    };
    let forced = match host::settings::get("PUMICE_SVM").as_deref() {
        Some("off") => return Vec::new(),
        Some("identity") => AddressMapping::Identity,
        Some("placed") => AddressMapping::Placed,
        Some("arena") => AddressMapping::Arena,
        // Another value is told with the other settings' problems.
        _ => return best,
    };
    // Where a process has the addresses, or the device lacks the extension, the arena takes the place of placed memory.
    let may = |mapping: &AddressMapping| {
        *mapping == forced || (forced == AddressMapping::Placed && *mapping == AddressMapping::Arena)
    };
    mappings.into_iter().filter(may).collect()
}

/// Returns what kernels show of a device.
pub(crate) fn find(device: &Device) -> Shared {
    if !device.target.has_address_model() {
        return Shared::default();
    }
    loop {
        let Ok(runtime) = device.runtime(DeviceCount::One) else { return Shared::default() };
        let Some(mapping) = runtime.mapping() else { return Shared::default() };
        let found = seen(mapping, probe::run(&runtime, may_count(device, &runtime)));
        // Programs are lowered for one mapping: existing contexts stay without.
        if found.capabilities != 0 || mapping != AddressMapping::Placed {
            return found;
        }
        device.give_up(mapping);
    }
}

fn seen(mapping: AddressMapping, seen: ClResult<Seen>) -> Shared {
    match seen {
        Ok(Seen { shared: true, system, copies, atomics }) => {
            log::debug!("shared virtual memory: {mapping:?} was seen to work");
            let coarse = cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
            // The memory is coherent: what either wrote is there for the other when commands begin and end.
            let fine = cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
            let all = if system { cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM } else { 0 };
            let atomics = if atomics { cl::CL_DEVICE_SVM_ATOMICS } else { 0 };
            Shared { capabilities: coarse | fine | all | atomics, copies }
        }
        Ok(_) => {
            log::warn!("no shared virtual memory: {mapping:?} did not work");
            Shared::default()
        }
        Err(error) => {
            log::warn!(
                "no shared virtual memory: the kernels that show it ({mapping:?}) failed ({})",
                error.0
            );
            Shared::default()
        }
    }
}

/// Returns whether host and kernels may be one another's in atomics at all scopes and orders: where kernels are x86-64's own instructions, stores are seen in
/// their order, every read-modify-write is locked, and what makes seq_cst of kernels' accesses (docs/explanation/memory-model.md) is such a one between
/// a store and the load behind it, as the host's is. Nothing is known of other devices' atomics in the host's memory.
fn may_count(device: &Device, runtime: &Runtime) -> bool {
    cfg!(target_arch = "x86_64")
        && runtime.device.physical().kind() == DeviceKind::Cpu
        && device.caps.language.contains(Features::ATOMIC_SCOPE_ALL_DEVICES | Features::ATOMIC_ORDER_SEQ_CST)
}

/// Returns whether it is worth letting a kernel follow pointers to memory that Vulkan does not know: where the driver is a part of the process,
/// and its addresses are the process's.
pub(crate) fn may_reach_system(runtime: &Runtime) -> bool {
    runtime.device.physical().kind() == DeviceKind::Cpu && runtime.mapping() == Some(AddressMapping::Identity)
}
