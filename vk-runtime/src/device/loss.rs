//! A lost device: what is said about it, and the injected loss of the test mode.

use ash::vk;

use crate::device::logical::DeviceInner;
use crate::error::RuntimeError;

/// Marks a loss that a test asked for: the device is not lost really.
const INJECTED: &str = " (injected)";

/// Returns what a Vulkan call returns whose loss a test asked for.
pub(crate) fn injected(call: &'static str) -> RuntimeError {
    log::warn!("{call}{INJECTED}: the device counts as lost");
    RuntimeError::Driver { call, result: vk::Result::ERROR_DEVICE_LOST }
}

/// Returns what a Vulkan call returns that a test wants to find no memory.
pub(crate) fn no_memory(call: &'static str) -> RuntimeError {
    log::warn!("{call}{INJECTED}: no memory");
    RuntimeError::Driver { call, result: vk::Result::ERROR_OUT_OF_HOST_MEMORY }
}

/// Writes to the log what was running when the stream failed, and what the driver knows of the cause. The known facts, in a line.
pub(crate) fn report(device: &DeviceInner, error: &RuntimeError, kernels: &str) -> String {
    let kernels = if kernels.is_empty() { "no kernel" } else { kernels };
    let mut account = format!("on their way: {kernels}");
    log::error!("device '{}': {error}; {account}", device.target.name);
    let reported = matches!(error, RuntimeError::Driver { result: vk::Result::ERROR_DEVICE_LOST, .. });
    if let Some(get) = device.fault
        && reported
        && !device.modes.injects_loss()
    {
        // SAFETY: the extension and its feature are enabled, the device is lost.
        for line in unsafe { fault(get, device.raw.handle()) } {
            log::error!("device '{}': {line}", device.target.name);
            account.push_str("; ");
            account.push_str(&line);
        }
    }
    account
}

/// VK_EXT_device_fault's account of a loss.
///
/// # Safety
/// `get` is the function of the device, which is lost.
unsafe fn fault(get: vk::PFN_vkGetDeviceFaultInfoEXT, device: vk::Device) -> Vec<String> {
    let mut counts = vk::DeviceFaultCountsEXT::default();
    // SAFETY: the caller's promise; a null info asks for the counts.
    let result = unsafe { get(device, &raw mut counts, std::ptr::null_mut()) };
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
    let result = unsafe { get(device, &raw mut counts, &raw mut info) };
    if result != vk::Result::SUCCESS && result != vk::Result::INCOMPLETE {
        return Vec::new();
    }
    let text =
        |t: Result<&std::ffi::CStr, _>| t.map(|t| t.to_string_lossy().into_owned()).unwrap_or_default();
    // NVIDIA's driver (580) leaves it empty.
    let description = text(info.description_as_c_str());
    let mut lines = Vec::new();
    if !description.is_empty() {
        lines.push(format!("fault: {description}"));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A driver's account of a loss.
    unsafe extern "system" fn account(
        _: vk::Device,
        counts: *mut vk::DeviceFaultCountsEXT<'_>,
        info: *mut vk::DeviceFaultInfoEXT<'_>,
    ) -> vk::Result {
        // SAFETY: both are as the extension demands; the arrays have the lengths that the first call gave.
        unsafe {
            (*counts).address_info_count = 1;
            (*counts).vendor_info_count = 1;
            let Some(info) = info.as_mut() else {
                (*counts).vendor_binary_size = 77;
                return vk::Result::SUCCESS;
            };
            assert_eq!((*counts).vendor_binary_size, 0, "nobody asks for the binary");
            info.description[..5].copy_from_slice(&b"page\0".map(|b| b as std::ffi::c_char));
            *info.p_address_infos = vk::DeviceFaultAddressInfoEXT {
                address_type: vk::DeviceFaultAddressTypeEXT::WRITE_INVALID,
                reported_address: 0xdead_0000,
                address_precision: 0x1000,
            };
            let vendor = &mut *info.p_vendor_infos;
            vendor.description[..4].copy_from_slice(&b"mmu\0".map(|b| b as std::ffi::c_char));
            vendor.vendor_fault_code = 5;
        }
        vk::Result::SUCCESS
    }

    unsafe extern "system" fn silent(
        _: vk::Device,
        _: *mut vk::DeviceFaultCountsEXT<'_>,
        _: *mut vk::DeviceFaultInfoEXT<'_>,
    ) -> vk::Result {
        vk::Result::ERROR_UNKNOWN
    }

    #[test]
    fn a_drivers_account_of_a_loss() {
        // SAFETY: the function asks nothing of the device.
        let lines = unsafe { fault(account, vk::Device::null()) };
        let want = [
            "fault: page",
            "fault address 0xdead0000 (precision 0x1000): WRITE_INVALID",
            "mmu: code 0x5, data 0x0",
        ];
        assert_eq!(lines, want);
        // SAFETY: as above.
        assert!(unsafe { fault(silent, vk::Device::null()) }.is_empty());
    }
}
