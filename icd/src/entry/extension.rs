//! Functions by their names (OpenCL API §4.5): those of extensions, which have no place in the loader's table.

use std::ffi::{c_char, c_void};

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::entry::platform;
use crate::{dispatch, ffi};

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clGetExtensionFunctionAddress = Some(clGetExtensionFunctionAddress);
    table.clGetExtensionFunctionAddressForPlatform = Some(clGetExtensionFunctionAddressForPlatform);
}

/// The functions of extensions that are there.
fn extension(name: &str) -> Option<*const c_void> {
    Some(match name {
        "clIcdGetPlatformIDsKHR" => platform::clIcdGetPlatformIDsKHR as *const c_void,
        "clIcdGetFunctionAddressForPlatformKHR" => {
            platform::clIcdGetFunctionAddressForPlatformKHR as *const c_void
        }
        "clIcdSetPlatformDispatchDataKHR" => platform::clIcdSetPlatformDispatchDataKHR as *const c_void,
        // cl_khr_create_command_queue, cl_khr_suggested_local_work_size: the functions of OpenCL 2.0 and 3.1.
        "clCreateCommandQueueWithPropertiesKHR" => {
            return dispatch::by_name("clCreateCommandQueueWithProperties");
        }
        "clGetKernelSuggestedLocalWorkSizeKHR" => {
            return dispatch::by_name("clGetKernelSuggestedLocalWorkSize");
        }
        _ => return None,
    })
}

/// The address of a function of an extension or of the API.
pub(crate) fn address(name: &str) -> Option<*const c_void> {
    extension(name).or_else(|| dispatch::by_name(name))
}

/// The address of a function, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    ffi::value("clGetExtensionFunctionAddress", std::ptr::null_mut(), || {
        // SAFETY: the application's promise.
        let name = unsafe { ffi::text(name) };
        Ok(name.and_then(|n| address(&n)).unwrap_or(std::ptr::null()).cast_mut())
    })
}

/// The address of a function for a platform, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl::cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    ffi::value("clGetExtensionFunctionAddressForPlatform", std::ptr::null_mut(), || {
        crate::platform::check(platform)?;
        // SAFETY: the application's promise.
        let name = unsafe { ffi::text(name) };
        Ok(name.and_then(|n| address(&n)).unwrap_or(std::ptr::null()).cast_mut())
    })
}
