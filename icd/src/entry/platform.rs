//! Platforms (OpenCL API §4.1) and the functions that the ICD loader looks for (cl_khr_icd).

use std::ffi::c_void;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::error::{ensure, fail};
use crate::platform::{check, platform};
use crate::reply::Reply;
use crate::{device, ffi};

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clGetPlatformIDs = Some(clGetPlatformIDs);
    table.clGetPlatformInfo = Some(clGetPlatformInfo);
}

/// Gives the one platform.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformIDs(
    entries: cl::cl_uint,
    platforms: *mut cl::cl_platform_id,
    count: *mut cl::cl_uint,
) -> cl::cl_int {
    ffi::code("clGetPlatformIDs", || {
        ensure((entries == 0) == platforms.is_null(), cl::CL_INVALID_VALUE)?;
        ensure(!platforms.is_null() || !count.is_null(), cl::CL_INVALID_VALUE)?;
        let platform = platform()?;
        // SAFETY: NULL, or room for at least one (checked), or for the count.
        unsafe {
            ffi::write(platforms, platform.raw());
            ffi::write(count, 1);
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

/// Answers a query about the platform.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformInfo(
    platform: cl::cl_platform_id,
    param: cl::cl_platform_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    ffi::code("clGetPlatformInfo", || {
        check(platform)?;
        let reply = match param {
            cl::CL_PLATFORM_PROFILE => Reply::text(device::PROFILE),
            cl::CL_PLATFORM_VERSION => Reply::text(device::PLATFORM_VERSION),
            cl::CL_PLATFORM_NAME | cl::CL_PLATFORM_VENDOR => Reply::text("Pumice"),
            _ => return fail(cl::CL_INVALID_VALUE),
        };
        // SAFETY: the application's promise.
        unsafe { reply.give(size, value, size_ret) }
    })
}
