//! The clGet*Info queries: values as bytes.

use crate::cl;
use crate::objects::{Context, Device, Platform};

/// OpenCL 3.0 as cl_version.
const VERSION: u32 = 3 << 22;

/// An extension as cl_name_version.
fn named_version(name: &str, version: u32) -> Vec<u8> {
    let mut out = version.to_ne_bytes().to_vec();
    let mut text = name.as_bytes().to_vec();
    text.resize(64, 0);
    out.extend_from_slice(&text);
    out
}

fn text(value: &str) -> Vec<u8> {
    let mut out = value.as_bytes().to_vec();
    out.push(0);
    out
}

/// clGetPlatformInfo.
pub(crate) fn platform(param: u32) -> Result<Vec<u8>, i32> {
    Ok(match param {
        0x0900 => text("EMBEDDED_PROFILE"),
        0x0901 => text("OpenCL 3.0 Pumice"),
        0x0902 | 0x0903 => text("Pumice"),
        0x0904 => text("cl_khr_icd"),
        0x0905 => 0u64.to_ne_bytes().to_vec(),
        0x0906 => VERSION.to_ne_bytes().to_vec(),
        0x0907 => named_version("cl_khr_icd", 2 << 22),
        0x0920 => text("PUMICE"),
        _ => return Err(cl::INVALID_VALUE),
    })
}

/// clGetDeviceInfo: what is true of the device today.
pub(crate) fn device(platform: &Platform, device: &Device, param: u32) -> Result<Vec<u8>, i32> {
    let physical = &device.physical;
    let target = physical.target();
    let limits = &target.limits;
    let int = |v: u32| Ok(v.to_ne_bytes().to_vec());
    let long = |v: u64| Ok(v.to_ne_bytes().to_vec());
    let size = |v: u64| Ok(usize::try_from(v).unwrap_or(usize::MAX).to_ne_bytes().to_vec());
    let (no, yes) = (0, 1);
    match param {
        0x1000 => long(device.device_type()),
        0x1001 => int(physical.vendor_id()),
        // Vulkan does not say how many; there is at least one.
        0x1002 => int(1),
        0x1003 => int(3),
        0x1004 => size(limits.max_compute_work_group_invocations.into()),
        0x1005 => {
            let sizes = limits.max_compute_work_group_size;
            Ok(sizes.iter().flat_map(|s| (*s as usize).to_ne_bytes()).collect())
        }
        0x100d => int(target.address_bits()),
        0x1010 => long(limits.max_memory_allocation_size.min(physical.memory_size())),
        // CL_DEVICE_IMAGE_SUPPORT.
        0x1016 => int(no),
        0x101f => long(physical.memory_size()),
        // CL_DEVICE_LOCAL_MEM_TYPE: CL_LOCAL.
        0x1022 => int(1),
        0x1023 => long(limits.max_compute_shared_memory_size.into()),
        0x1026 => int(if cfg!(target_endian = "little") { yes } else { no }),
        // CL_DEVICE_AVAILABLE, COMPILER_AVAILABLE, LINKER_AVAILABLE: only discovery is there yet.
        0x1027 | 0x1028 | 0x103e => int(no),
        // CL_DEVICE_EXECUTION_CAPABILITIES: CL_EXEC_KERNEL.
        0x1029 => long(1),
        0x102b => Ok(text(physical.name())),
        0x102c => Ok(text("Pumice")),
        0x102d => Ok(text(env!("CARGO_PKG_VERSION"))),
        0x102e => Ok(text("EMBEDDED_PROFILE")),
        0x102f => Ok(text(&format!("OpenCL 3.0 Pumice ({})", physical.driver()))),
        0x1030 => Ok(text("")),
        0x1031 => Ok(platform.handle().addr().to_ne_bytes().to_vec()),
        0x103d => Ok(text("OpenCL C 1.2 Pumice")),
        // CL_DEVICE_PARENT_DEVICE: none.
        0x1042 => Ok(0usize.to_ne_bytes().to_vec()),
        // CL_DEVICE_REFERENCE_COUNT: 1 for a root device.
        0x1047 => int(1),
        0x105e => int(VERSION),
        _ => Err(cl::INVALID_VALUE),
    }
}

/// clGetContextInfo.
pub(crate) fn context(platform: &Platform, context: &Context, param: u32) -> Result<Vec<u8>, i32> {
    Ok(match param {
        0x1080 => context.references.to_ne_bytes().to_vec(),
        0x1081 => {
            let handles = context.devices.iter().filter_map(|i| platform.devices.get(*i));
            handles.flat_map(|d| d.handle().addr().to_ne_bytes()).collect()
        }
        0x1082 => context.properties.iter().flat_map(|p| p.to_ne_bytes()).collect(),
        0x1083 => u32::try_from(context.devices.len()).unwrap_or(u32::MAX).to_ne_bytes().to_vec(),
        _ => return Err(cl::INVALID_VALUE),
    })
}
