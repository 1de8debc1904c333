//! The exported names: what the ICD loader looks up, and what a program that uses libpumice.so directly can call.
//! OpenCL API specification for the meaning of each.

use std::ffi::{c_char, c_void};

use crate::api;

/// clGetExtensionFunctionAddress.
///
/// # Safety
/// `name` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    // SAFETY: the same demands.
    unsafe { api::get_extension_function_address(name) }
}

/// clIcdGetPlatformIDsKHR (cl_khr_icd).
///
/// # Safety
/// Pointers are NULL or valid for what the API writes there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    entries: u32,
    platforms: *mut *mut c_void,
    count: *mut u32,
) -> i32 {
    // SAFETY: the same demands.
    unsafe { api::get_platform_ids(entries, platforms, count) }
}

/// clGetPlatformIDs.
///
/// # Safety
/// Pointers are NULL or valid for what the API writes there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformIDs(entries: u32, platforms: *mut *mut c_void, count: *mut u32) -> i32 {
    // SAFETY: the same demands.
    unsafe { api::get_platform_ids(entries, platforms, count) }
}

/// clGetPlatformInfo.
///
/// # Safety
/// Pointers are NULL or valid for what the API writes there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformInfo(
    platform: *mut c_void,
    param: u32,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> i32 {
    // SAFETY: the same demands.
    unsafe { api::get_platform_info(platform, param, size, value, size_ret) }
}

/// clGetDeviceIDs.
///
/// # Safety
/// Pointers are NULL or valid for what the API writes there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetDeviceIDs(
    platform: *mut c_void,
    kind: u64,
    entries: u32,
    devices: *mut *mut c_void,
    count: *mut u32,
) -> i32 {
    // SAFETY: the same demands.
    unsafe { api::get_device_ids(platform, kind, entries, devices, count) }
}

/// clGetDeviceInfo.
///
/// # Safety
/// Pointers are NULL or valid for what the API writes there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetDeviceInfo(
    device: *mut c_void,
    param: u32,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> i32 {
    // SAFETY: the same demands.
    unsafe { api::get_device_info(device, param, size, value, size_ret) }
}

/// clCreateContext.
///
/// # Safety
/// Pointers are NULL or valid for what the API reads and writes there; `properties` ends with a 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateContext(
    properties: *const isize,
    count: u32,
    devices: *const *mut c_void,
    notify: Option<extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
    user: *mut c_void,
    error: *mut i32,
) -> *mut c_void {
    // SAFETY: the same demands.
    unsafe { api::create_context(properties, count, devices, notify, user, error) }
}

/// clRetainContext.
///
/// # Safety
/// None beyond the C ABI's: a bad handle is an error code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainContext(context: *mut c_void) -> i32 {
    // SAFETY: handles are looked up, not dereferenced.
    unsafe { api::retain_context(context) }
}

/// clReleaseContext.
///
/// # Safety
/// None beyond the C ABI's: a bad handle is an error code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseContext(context: *mut c_void) -> i32 {
    // SAFETY: handles are looked up, not dereferenced.
    unsafe { api::release_context(context) }
}

/// clGetContextInfo.
///
/// # Safety
/// Pointers are NULL or valid for what the API writes there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetContextInfo(
    context: *mut c_void,
    param: u32,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> i32 {
    // SAFETY: the same demands.
    unsafe { api::get_context_info(context, param, size, value, size_ret) }
}
