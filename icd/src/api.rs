//! The functions behind the dispatch table. Safe inner functions under C edges; the table and the exported names
//! both call these, never each other (an exported name may be interposed by the loader's own).

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cl;
use crate::info;
use crate::objects::{Handle, platform};

/// A context's error callback.
pub(crate) type Notify = Option<extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

/// No panic crosses the C ABI.
fn guard(f: impl FnOnce() -> Result<(), i32>) -> i32 {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => cl::SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => cl::OUT_OF_HOST_MEMORY,
    }
}

/// Writes through an out-parameter unless it is NULL.
///
/// # Safety
/// `place` is NULL or valid for a write of T.
unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not NULL, so valid by the caller's promise; C callers may pass unaligned storage for bytes only, T's are
        // aligned by the API's types.
        unsafe { place.write(value) };
    }
}

/// Answers a clGet*Info query (OpenCL API specification: param_value_size must hold the value unless param_value is
/// NULL).
///
/// # Safety
/// `value` is NULL or valid for `size` bytes; `size_ret` is NULL or valid.
unsafe fn answer(bytes: &[u8], size: usize, value: *mut c_void, size_ret: *mut usize) -> Result<(), i32> {
    if !value.is_null() {
        if size < bytes.len() {
            return Err(cl::INVALID_VALUE);
        }
        // SAFETY: valid for `size` bytes by the caller's promise, which are enough.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast::<u8>(), bytes.len()) };
    }
    // SAFETY: by the caller's promise.
    unsafe { put(size_ret, bytes.len()) };
    Ok(())
}

/// Writes a list of handles and its length, as clGetPlatformIDs and clGetDeviceIDs do.
///
/// # Safety
/// `out` is NULL or valid for `entries` handles; `count` is NULL or valid.
unsafe fn list(found: &[Handle], entries: u32, out: *mut Handle, count: *mut u32) -> Result<(), i32> {
    if (entries == 0 && !out.is_null()) || (out.is_null() && count.is_null()) {
        return Err(cl::INVALID_VALUE);
    }
    if !out.is_null() {
        for (i, handle) in found.iter().take(entries as usize).enumerate() {
            // SAFETY: i < entries, for which `out` is valid by the caller's promise.
            unsafe { out.add(i).write(*handle) };
        }
    }
    // SAFETY: by the caller's promise.
    unsafe { put(count, u32::try_from(found.len()).unwrap_or(u32::MAX)) };
    Ok(())
}

/// clGetPlatformIDs and clIcdGetPlatformIDsKHR.
pub(crate) unsafe extern "C" fn get_platform_ids(entries: u32, out: *mut Handle, count: *mut u32) -> i32 {
    guard(|| {
        let platform = platform();
        if platform.devices.is_empty() {
            // SAFETY: `count` is NULL or valid, as the API demands.
            unsafe { put(count, 0) };
            return Err(cl::PLATFORM_NOT_FOUND_KHR);
        }
        // SAFETY: the API demands what `list` does.
        unsafe { list(&[platform.handle()], entries, out, count) }
    })
}

/// clGetPlatformInfo.
pub(crate) unsafe extern "C" fn get_platform_info(
    handle: Handle,
    param: u32,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> i32 {
    guard(|| {
        platform().check(handle)?;
        // SAFETY: the API demands what `answer` does.
        unsafe { answer(&info::platform(param)?, size, value, size_ret) }
    })
}

/// clGetDeviceIDs.
pub(crate) unsafe extern "C" fn get_device_ids(
    handle: Handle,
    kind: u64,
    entries: u32,
    out: *mut Handle,
    count: *mut u32,
) -> i32 {
    guard(|| {
        let platform = platform();
        platform.check(handle)?;
        let found: Vec<Handle> = platform
            .devices_of_type(kind)?
            .into_iter()
            .filter_map(|i| platform.devices.get(i).map(crate::objects::Device::handle))
            .collect();
        // SAFETY: the API demands what `list` does.
        unsafe { list(&found, entries, out, count) }
    })
}

/// clGetDeviceInfo.
pub(crate) unsafe extern "C" fn get_device_info(
    handle: Handle,
    param: u32,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> i32 {
    guard(|| {
        let platform = platform();
        let index = platform.device(handle)?;
        let device = platform.devices.get(index).ok_or(cl::INVALID_DEVICE)?;
        // SAFETY: the API demands what `answer` does.
        unsafe { answer(&info::device(platform, device, param)?, size, value, size_ret) }
    })
}

/// clRetainDevice and clReleaseDevice: no effect on a root device.
pub(crate) unsafe extern "C" fn retain_release_device(handle: Handle) -> i32 {
    guard(|| platform().device(handle).map(|_| ()))
}

/// A context's properties: pairs up to a 0.
///
/// # Safety
/// `list` is NULL or points to pairs that end with a 0.
unsafe fn properties(list: *const isize) -> Result<Vec<isize>, i32> {
    let mut out = Vec::new();
    if list.is_null() {
        return Ok(out);
    }
    loop {
        // SAFETY: no 0 was met yet, so the list goes on, by the caller's promise.
        let name = unsafe { list.add(out.len()).read() };
        out.push(name);
        if name == 0 {
            return Ok(out);
        }
        // SAFETY: a name that is not 0 has a value after it.
        let value = unsafe { list.add(out.len()).read() };
        out.push(value);
        if name != cl::CONTEXT_PLATFORM {
            return Err(cl::INVALID_PROPERTY);
        }
        platform().check(std::ptr::without_provenance_mut(value.cast_unsigned()))?;
    }
}

/// Gives a new context out, or an error.
///
/// # Safety
/// `error` is NULL or valid.
unsafe fn make_context(error: *mut i32, f: impl FnOnce() -> Result<(Vec<usize>, Vec<isize>), i32>) -> Handle {
    let mut made = std::ptr::null_mut();
    let code = guard(|| {
        let (devices, properties) = f()?;
        made = platform().new_context(devices, properties);
        Ok(())
    });
    // SAFETY: by the caller's promise.
    unsafe { put(error, code) };
    made
}

/// clCreateContext.
pub(crate) unsafe extern "C" fn create_context(
    list: *const isize,
    count: u32,
    devices: *const Handle,
    notify: Notify,
    user: *mut c_void,
    error: *mut i32,
) -> Handle {
    let make = || {
        // SAFETY: the API demands what `properties` does.
        let properties = unsafe { properties(list) }?;
        if count == 0 || devices.is_null() || (notify.is_none() && !user.is_null()) {
            return Err(cl::INVALID_VALUE);
        }
        let mut found = Vec::new();
        for i in 0..count as usize {
            // SAFETY: the API demands `count` devices.
            let index = platform().device(unsafe { devices.add(i).read() })?;
            if !found.contains(&index) {
                found.push(index);
            }
        }
        Ok((found, properties))
    };
    // SAFETY: `error` is NULL or valid, as the API demands.
    unsafe { make_context(error, make) }
}

/// clCreateContextFromType.
pub(crate) unsafe extern "C" fn create_context_from_type(
    list: *const isize,
    kind: u64,
    notify: Notify,
    user: *mut c_void,
    error: *mut i32,
) -> Handle {
    let make = || {
        // SAFETY: the API demands what `properties` does.
        let properties = unsafe { properties(list) }?;
        if notify.is_none() && !user.is_null() {
            return Err(cl::INVALID_VALUE);
        }
        Ok((platform().devices_of_type(kind)?, properties))
    };
    // SAFETY: `error` is NULL or valid, as the API demands.
    unsafe { make_context(error, make) }
}

/// clRetainContext.
pub(crate) unsafe extern "C" fn retain_context(handle: Handle) -> i32 {
    guard(|| platform().retain_context(handle))
}

/// clReleaseContext.
pub(crate) unsafe extern "C" fn release_context(handle: Handle) -> i32 {
    guard(|| platform().release_context(handle))
}

/// clGetContextInfo.
pub(crate) unsafe extern "C" fn get_context_info(
    handle: Handle,
    param: u32,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> i32 {
    guard(|| {
        let platform = platform();
        let context = platform.context(handle)?;
        // SAFETY: the API demands what `answer` does.
        unsafe { answer(&info::context(platform, &context, param)?, size, value, size_ret) }
    })
}

/// clGetExtensionFunctionAddress.
pub(crate) unsafe extern "C" fn get_extension_function_address(name: *const c_char) -> *mut c_void {
    if name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: a NUL-terminated string, as the API demands.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"clIcdGetPlatformIDsKHR" => get_platform_ids as *mut c_void,
        b"clGetPlatformInfo" => get_platform_info as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}

/// clGetExtensionFunctionAddressForPlatform.
pub(crate) unsafe extern "C" fn get_extension_function_address_for_platform(
    handle: Handle,
    name: *const c_char,
) -> *mut c_void {
    if handle.is_null() || guard(|| platform().check(handle)) != cl::SUCCESS {
        return std::ptr::null_mut();
    }
    // SAFETY: the same demands.
    unsafe { get_extension_function_address(name) }
}
