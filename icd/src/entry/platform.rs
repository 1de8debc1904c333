//! Platforms (OpenCL API §4.1) and the functions that the ICD loader looks for (cl_khr_icd).

use std::ffi::{c_char, c_void};

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use vk_runtime::{MemoryHandle, SemaphoreHandle};

use crate::abi::error::{ClResult, ensure, fail};
use crate::abi::param_value::ParamValue;
use crate::abi::{ffi, loader};
use crate::device::caps;
use crate::device::platform::{Platform, check, platform};
use crate::device::{Device, semaphore};
use crate::entry::device_info;
use crate::entry::dispatch_table;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::memory::external::code;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![
    clIcdGetFunctionAddressForPlatformKHR,
    clIcdGetPlatformIDsKHR,
    clIcdSetPlatformDispatchDataKHR,
];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    let tag = loader::tag();
    table.clGetPlatformIDs_icd2_tag = tag.unwrap_or(clGetPlatformIDs as *const c_void as isize);
    table.clUnloadCompiler_icd2_tag = tag.unwrap_or(clUnloadCompiler as *const c_void as isize);
    table.clGetPlatformInfo = Some(clGetPlatformInfo);
    table.clUnloadPlatformCompiler = Some(clUnloadPlatformCompiler);
}

/// Gives the one platform.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformIDs(
    entries: cl::cl_uint,
    platforms: *mut cl::cl_platform_id,
    count: *mut cl::cl_uint,
) -> cl::cl_int {
    entry!(clGetPlatformIDs, {
        ensure(entries > 0 || platforms.is_null(), cl::CL_INVALID_VALUE)?;
        ensure(!platforms.is_null() || !count.is_null(), cl::CL_INVALID_VALUE)?;
        let platform = platform()?;
        // The loader reads the table behind the platform that it gets.
        dispatch_table::table();
        let is_there = !platform.devices.is_empty();
        // SAFETY: NULL, or room for at least one (checked), or for the count.
        unsafe {
            ffi::write(count, cl::cl_uint::from(is_there));
            // A platform without devices is none (cl_khr_icd).
            ensure(is_there, cl::CL_PLATFORM_NOT_FOUND_KHR)?;
            ffi::write(platforms, platform.raw());
        }
        Ok(())
    })
}

/// As [`clGetPlatformIDs`], for the loader.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    entries: cl::cl_uint,
    platforms: *mut cl::cl_platform_id,
    count: *mut cl::cl_uint,
) -> cl::cl_int {
    // SAFETY: the same demands.
    unsafe { clGetPlatformIDs(entries, platforms, count) }
}

/// The address of an entry point, for loaders that keep the table themselves (cl_khr_icd 2.0); NULL when there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetFunctionAddressForPlatformKHR(
    platform: cl::cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    entry!(clIcdGetFunctionAddressForPlatformKHR, failed = std::ptr::null_mut(), {
        check(platform)?;
        let name = ffi::text(name);
        let found = name.and_then(|n| crate::entry::extension::address(&n));
        Ok(found.unwrap_or(std::ptr::null()).cast_mut())
    })
}

/// Keeps what such a loader wants to find at the second word of every object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdSetPlatformDispatchDataKHR(
    platform: cl::cl_platform_id,
    data: *mut c_void,
) -> cl::cl_int {
    entry!(clIcdSetPlatformDispatchDataKHR, {
        check(platform)?.set_loader_data(data);
        Ok(())
    })
}

/// Answers a query about the platform.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformInfo(
    platform: cl::cl_platform_id,
    param: cl::cl_platform_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetPlatformInfo, {
        let reply = answer(check(platform)?, param)?;
        reply.give(size, value, size_ret)
    })
}

/// CL_PLATFORM_UNLOADABLE_KHR (cl_khr_icd_unloadable).
const UNLOADABLE: cl::cl_platform_info = 0x0921;

/// The platform's name.
const NAME: &str = "Pumice";

fn answer(platform: &Platform, param: cl::cl_platform_info) -> ClResult<ParamValue> {
    Ok(match param {
        cl::CL_PLATFORM_PROFILE => ParamValue::text(platform.profile()),
        cl::CL_PLATFORM_VERSION => {
            // The newest that a device may be.
            let more = platform.present.platform_version.as_deref().unwrap_or(NAME);
            ParamValue::text(&format!("OpenCL 3.1 {more}"))
        }
        cl::CL_PLATFORM_NUMERIC_VERSION => ParamValue::uint(caps::PLATFORM_VERSION),
        cl::CL_PLATFORM_NAME => ParamValue::text(platform.present.platform_name.as_deref().unwrap_or(NAME)),
        cl::CL_PLATFORM_VENDOR => {
            ParamValue::text(platform.present.platform_vendor.as_deref().unwrap_or(NAME))
        }
        cl::CL_PLATFORM_EXTENSIONS => ParamValue::text(&device_info::names(&platform.extensions())),
        cl::CL_PLATFORM_EXTENSIONS_WITH_VERSION => ParamValue::named_versions(platform.extensions()),
        // Nanoseconds: the clock of clGetHostTimer counts them.
        cl::CL_PLATFORM_HOST_TIMER_RESOLUTION => ParamValue::ulong(1),
        cl::CL_PLATFORM_ICD_SUFFIX_KHR => ParamValue::text("PUMICE"),
        // The loader may close the library at any time. Its code stays, because the driver's threads may be in it (build.rs).
        cl::CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR
            if platform.devices.iter().any(|d| !d.caps.external.memory.is_empty()) =>
        {
            let by_all =
                |h: &MemoryHandle| platform.devices.iter().all(|d| d.caps.external.memory.contains(h));
            ParamValue::uints(MemoryHandle::ALL.into_iter().filter(by_all).map(code))
        }
        cl::CL_PLATFORM_SEMAPHORE_TYPES_KHR => ParamValue::uint(cl::CL_SEMAPHORE_TYPE_BINARY_KHR),
        cl::CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR if platform.has("cl_khr_external_semaphore") => {
            semaphores(platform, |d| &d.caps.external.semaphores_in)
        }
        cl::CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR if platform.has("cl_khr_external_semaphore") => {
            semaphores(platform, |d| &d.caps.external.semaphores_out)
        }
        UNLOADABLE => ParamValue::bool(true),
        _ => return fail(cl::CL_INVALID_VALUE),
    })
}

/// The handle types of semaphores that all devices have.
fn semaphores(platform: &Platform, of: impl Fn(&Device) -> &[SemaphoreHandle]) -> ParamValue {
    let by_all = |handle: &SemaphoreHandle| platform.devices.iter().all(|d| of(d).contains(handle));
    ParamValue::uints(SemaphoreHandle::ALL.into_iter().filter(by_all).map(semaphore::code))
}

/// A hint that the compiler's memory may be freed: there is none to free between builds (§5.8.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clUnloadPlatformCompiler(platform: cl::cl_platform_id) -> cl::cl_int {
    entry!(clUnloadPlatformCompiler, check(platform).map(drop))
}

/// As [`clUnloadPlatformCompiler`], of OpenCL 1.1.
#[unsafe(no_mangle)]
pub extern "C" fn clUnloadCompiler() -> cl::cl_int {
    entry!(clUnloadCompiler, Ok(()))
}
