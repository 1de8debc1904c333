//! A lost device: what is said about it, and the injected loss of the test mode.

use ash::vk;

use crate::batch::Batch;
use crate::device::DeviceInner;
use crate::error::RuntimeError;

/// Marks a loss that a test asked for: the device is not lost really.
const INJECTED: &str = " (injected)";

/// What a Vulkan call returns whose loss a test asked for.
pub(crate) fn injected(call: &'static str) -> RuntimeError {
    log::warn!("{call}{INJECTED}: the device counts as lost");
    RuntimeError::Driver { call, result: vk::Result::ERROR_DEVICE_LOST }
}

/// Writes to the log what was running when the stream failed, and what the driver knows of the cause.
pub(crate) fn report<'a>(
    device: &DeviceInner,
    error: &RuntimeError,
    batches: impl Iterator<Item = &'a Batch>,
) {
    let mut names: Vec<&str> = Vec::new();
    for name in batches.flat_map(Batch::kernel_names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let kernels = if names.is_empty() { "no kernel".to_owned() } else { names.join(", ") };
    log::error!("device '{}': {error}; on their way: {kernels}", device.target.name);
    if error.is_device_lost() && !device.modes.injects_loss() {
        for line in fault(device) {
            log::error!("device '{}': {line}", device.target.name);
        }
    }
}

/// VK_EXT_device_fault's account of a loss.
fn fault(device: &DeviceInner) -> Vec<String> {
    let Some(calls) = &device.fault else { return Vec::new() };
    let get = calls.fp().get_device_fault_info_ext;
    let mut counts = vk::DeviceFaultCountsEXT::default();
    // SAFETY: the extension and its feature are enabled, the device is lost; a null info asks for the counts.
    let result = unsafe { get(device.raw.handle(), &raw mut counts, std::ptr::null_mut()) };
    if result != vk::Result::SUCCESS {
        return Vec::new();
    }
    // No binary: it is for the vendor's tools.
    counts.vendor_binary_size = 0;
    let mut addresses = vec![vk::DeviceFaultAddressInfoEXT::default(); counts.address_info_count as usize];
    let mut vendor = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
    let mut info = vk::DeviceFaultInfoEXT {
        p_address_infos: addresses.as_mut_ptr(),
        p_vendor_infos: vendor.as_mut_ptr(),
        ..Default::default()
    };
    // SAFETY: as above; the arrays have the counts' lengths.
    let result = unsafe { get(device.raw.handle(), &raw mut counts, &raw mut info) };
    if result != vk::Result::SUCCESS && result != vk::Result::INCOMPLETE {
        return Vec::new();
    }
    let text =
        |t: Result<&std::ffi::CStr, _>| t.map(|t| t.to_string_lossy().into_owned()).unwrap_or_default();
    let mut lines = vec![format!("fault: {}", text(info.description_as_c_str()))];
    for a in addresses.iter().take(counts.address_info_count as usize) {
        lines.push(format!(
            "fault address {:#x} (precision {:#x}): {:?}",
            a.reported_address, a.address_precision, a.address_type
        ));
    }
    for v in vendor.iter().take(counts.vendor_info_count as usize) {
        let what = text(v.description_as_c_str());
        lines.push(format!("{what}: code {:#x}, data {:#x}", v.vendor_fault_code, v.vendor_fault_data));
    }
    lines
}
