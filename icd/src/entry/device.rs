//! Devices (OpenCL API §4.2), sub-devices (§4.3), clocks.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::{ensure, fail};
use crate::abi::{ffi, handle};
use crate::device::Device;
use crate::device::platform;
use crate::entry::device_info;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clGetDeviceIDs = Some(clGetDeviceIDs);
    table.clGetDeviceInfo = Some(clGetDeviceInfo);
    table.clCreateSubDevices = Some(clCreateSubDevices);
    table.clRetainDevice = Some(clRetainDevice);
    table.clReleaseDevice = Some(clReleaseDevice);
    table.clCreateSubDevicesEXT = Some(clCreateSubDevicesEXT);
    table.clRetainDeviceEXT = Some(clRetainDeviceEXT);
    table.clReleaseDeviceEXT = Some(clReleaseDeviceEXT);
    table.clGetDeviceAndHostTimer = Some(clGetDeviceAndHostTimer);
    table.clGetHostTimer = Some(clGetHostTimer);
}

/// Lists the devices of a type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetDeviceIDs(
    platform: cl::cl_platform_id,
    kind: cl::cl_device_type,
    entries: cl::cl_uint,
    devices: *mut cl::cl_device_id,
    count: *mut cl::cl_uint,
) -> cl::cl_int {
    entry!(clGetDeviceIDs, {
        let platform = platform::check(platform)?;
        ensure(entries > 0 || devices.is_null(), cl::CL_INVALID_VALUE)?;
        ensure(!devices.is_null() || !count.is_null(), cl::CL_INVALID_VALUE)?;
        let found = platform.devices_of_type(kind)?;
        // SAFETY: NULL, or room for as many as the application says, or for the count.
        unsafe {
            for (i, device) in found.iter().enumerate().take(entries as usize) {
                if !devices.is_null() {
                    ffi::write(devices.add(i), device.raw());
                }
            }
            ffi::write(count, cl::cl_uint::try_from(found.len()).unwrap_or(cl::cl_uint::MAX));
        }
        Ok(())
    })
}

/// Answers a query about a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetDeviceInfo(
    device: cl::cl_device_id,
    param: cl::cl_device_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetDeviceInfo, {
        let device: Arc<Device> = handle::get(device)?;
        let reply = device_info::answer(&device, param)?;
        reply.give(size, value, size_ret)
    })
}

/// Partitions a device: Vulkan devices cannot be, so every way of partitioning is one that the device does not
/// support (§4.3: CL_INVALID_VALUE).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSubDevices(
    device: cl::cl_device_id,
    _properties: *const cl::cl_device_partition_property,
    _count: cl::cl_uint,
    _devices: *mut cl::cl_device_id,
    _count_ret: *mut cl::cl_uint,
) -> cl::cl_int {
    entry!(clCreateSubDevices, {
        handle::get::<Device>(device)?;
        fail(cl::CL_INVALID_VALUE)
    })
}

/// As [`clCreateSubDevices`], of cl_ext_device_fission, which is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSubDevicesEXT(
    device: cl::cl_device_id,
    _properties: *const cl::cl_device_partition_property_ext,
    _entries: cl::cl_uint,
    _devices: *mut cl::cl_device_id,
    _count: *mut cl::cl_uint,
) -> cl::cl_int {
    entry!(clCreateSubDevicesEXT, {
        handle::get::<Device>(device)?;
        fail(cl::CL_INVALID_VALUE)
    })
}

/// Nothing, for a root device (§4.3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainDevice(device: cl::cl_device_id) -> cl::cl_int {
    entry!(clRetainDevice, handle::get::<Device>(device).map(drop))
}

/// Nothing, for a root device (§4.3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseDevice(device: cl::cl_device_id) -> cl::cl_int {
    entry!(clReleaseDevice, handle::get::<Device>(device).map(drop))
}

/// As [`clRetainDevice`], of cl_ext_device_fission.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainDeviceEXT(device: cl::cl_device_id) -> cl::cl_int {
    // SAFETY: the same demands.
    unsafe { clRetainDevice(device) }
}

/// As [`clReleaseDevice`], of cl_ext_device_fission.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseDeviceEXT(device: cl::cl_device_id) -> cl::cl_int {
    // SAFETY: the same demands.
    unsafe { clReleaseDevice(device) }
}

/// The device's clock and the host's. The device's timestamps are converted to the host's clock when they are read, so
/// both are one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetDeviceAndHostTimer(
    device: cl::cl_device_id,
    device_time: *mut cl::cl_ulong,
    host_time: *mut cl::cl_ulong,
) -> cl::cl_int {
    entry!(clGetDeviceAndHostTimer, {
        handle::get::<Device>(device)?;
        ensure(!device_time.is_null() && !host_time.is_null(), cl::CL_INVALID_VALUE)?;
        let now = vk_runtime::host_time();
        {
            ffi::write(device_time, now);
            ffi::write(host_time, now);
        }
        Ok(())
    })
}

/// The host's clock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetHostTimer(
    device: cl::cl_device_id,
    host_time: *mut cl::cl_ulong,
) -> cl::cl_int {
    entry!(clGetHostTimer, {
        handle::get::<Device>(device)?;
        ensure(!host_time.is_null(), cl::CL_INVALID_VALUE)?;
        ffi::write(host_time, vk_runtime::host_time());
        Ok(())
    })
}
