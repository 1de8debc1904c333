//! Discovery through the C functions and through the dispatch table, as the ICD loader uses them.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use pumice::*;

type Handle = *mut c_void;

/// The platform, or a visible skip.
fn platform() -> Option<Handle> {
    let (mut platform, mut count) = (null_mut(), 7);
    // SAFETY: both places are valid.
    let code = unsafe { clIcdGetPlatformIDsKHR(1, &mut platform, &mut count) };
    if code == -1001 {
        assert_eq!(count, 0);
        println!("SKIP: no Vulkan device");
        return None;
    }
    assert_eq!((code, count), (0, 1));
    Some(platform)
}

fn device(platform: Handle) -> Handle {
    let (mut device, mut count) = (null_mut(), 0);
    // SAFETY: both places are valid.
    let code = unsafe { clGetDeviceIDs(platform, 0xffff_ffff, 1, &mut device, &mut count) };
    assert_eq!(code, 0);
    assert!(count >= 1 && !device.is_null());
    device
}

/// Entry `index` of the dispatch table behind a handle.
fn entry(handle: Handle, index: usize) -> *const c_void {
    // SAFETY: the handle is live; its first word is the table, which has 149 entries.
    unsafe { (*handle.cast::<*const *const c_void>()).add(index).read() }
}

#[test]
fn platform_and_devices_answer() {
    let Some(platform) = platform() else { return };
    let text = |f: &dyn Fn(usize, *mut c_void, *mut usize) -> i32| {
        let mut size = 0;
        assert_eq!(f(0, null_mut(), &mut size), 0);
        let mut bytes = vec![0u8; size];
        assert_eq!(f(size - 1, bytes.as_mut_ptr().cast(), null_mut()), -30, "too small a place");
        assert_eq!(f(size, bytes.as_mut_ptr().cast(), null_mut()), 0);
        CStr::from_bytes_with_nul(&bytes).expect("a string").to_str().expect("UTF-8").to_owned()
    };
    // SAFETY: the places are valid for their sizes; the same for all queries below.
    assert_eq!(text(&|n, v, s| unsafe { clGetPlatformInfo(platform, 0x0902, n, v, s) }), "Pumice");
    let suffix = text(&|n, v, s| {
        // SAFETY: as above.
        unsafe { clGetPlatformInfo(platform, 0x0920, n, v, s) }
    });
    assert_eq!(suffix, "PUMICE");
    let device = device(platform);
    let version = text(&|n, v, s| {
        // SAFETY: as above.
        unsafe { clGetDeviceInfo(device, 0x102f, n, v, s) }
    });
    assert!(version.starts_with("OpenCL 3.0 "));
    let mut available = 5u32;
    // SAFETY: as above.
    let code = unsafe { clGetDeviceInfo(device, 0x1027, 4, (&raw mut available).cast(), null_mut()) };
    assert_eq!((code, available), (0, 0), "nothing is claimed");
    // Bad handles and parameters are error codes.
    let bad = std::ptr::without_provenance_mut(0x1234);
    // SAFETY: bad handles are not dereferenced.
    unsafe {
        assert_eq!(clGetDeviceInfo(bad, 0x1027, 4, null_mut(), null_mut()), -33);
        assert_eq!(clGetDeviceInfo(device, 1, 4, null_mut(), null_mut()), -30);
        assert_eq!(clGetPlatformInfo(bad, 0x0902, 0, null_mut(), null_mut()), -32);
        assert_eq!(clGetDeviceIDs(platform, 0, 0, null_mut(), &mut 0), -31);
        assert_eq!(clGetDeviceIDs(platform, 4 | 2, 0, null_mut(), null_mut()), -30);
        assert_eq!(clGetPlatformIDs(0, null_mut(), null_mut()), -30);
        assert_eq!(clRetainContext(bad), -34);
        assert!(clGetExtensionFunctionAddress(c"clNoSuchFunction".as_ptr()).is_null());
        assert!(!clGetExtensionFunctionAddress(c"clIcdGetPlatformIDsKHR".as_ptr()).is_null());
    }
}

#[test]
fn contexts_are_counted() {
    let Some(platform) = platform() else { return };
    let device = device(platform);
    let properties = [0x1084, platform.addr().cast_signed(), 0];
    let mut error = 1;
    // SAFETY: the lists are whole; the place is valid.
    let context = unsafe { clCreateContext(properties.as_ptr(), 1, &device, None, null_mut(), &mut error) };
    assert_eq!(error, 0);
    let references = || {
        let mut n = 0u32;
        // SAFETY: four bytes.
        let code = unsafe { clGetContextInfo(context, 0x1080, 4, (&raw mut n).cast(), null_mut()) };
        (code, n)
    };
    // SAFETY: handles only.
    unsafe {
        assert_eq!(references(), (0, 1));
        assert_eq!(clRetainContext(context), 0);
        assert_eq!(references(), (0, 2));
        assert_eq!((clReleaseContext(context), clReleaseContext(context)), (0, 0));
        assert_eq!(clReleaseContext(context), -34, "released once too often");
        let wrong = [77, 0, 0];
        assert!(clCreateContext(wrong.as_ptr(), 1, &device, None, null_mut(), &mut error).is_null());
        assert_eq!(error, -64);
        assert!(clCreateContext(null(), 0, null(), None, null_mut(), &mut error).is_null());
        assert_eq!(error, -30);
        assert!(clCreateContext(null(), 1, &null_mut(), None, null_mut(), null_mut()).is_null());
    }
}

#[test]
fn every_entry_of_the_table_is_a_function_and_the_missing_ones_fail() {
    let Some(platform) = platform() else { return };
    assert!((0..149).all(|i| !entry(platform, i).is_null()));
    // SAFETY: entry 14 is clCreateBuffer.
    let create_buffer: unsafe extern "C" fn(Handle, u64, usize, Handle, *mut i32) -> Handle =
        unsafe { std::mem::transmute(entry(platform, 14)) };
    let mut error = 0;
    // SAFETY: the place is valid.
    assert!(unsafe { create_buffer(null_mut(), 0, 64, null_mut(), &mut error) }.is_null());
    assert_eq!(error, -59);
    type Finish = unsafe extern "C" fn(Handle) -> i32;
    type SetKernelArg = unsafe extern "C" fn(Handle, u32, usize, Handle) -> i32;
    // SAFETY: entry 47 is clFinish.
    let finish = unsafe { std::mem::transmute::<*const c_void, Finish>(entry(platform, 47)) };
    // SAFETY: entry 38 is clSetKernelArg.
    let set_kernel_arg = unsafe { std::mem::transmute::<*const c_void, SetKernelArg>(entry(platform, 38)) };
    // SAFETY: neither looks at its arguments.
    unsafe {
        assert_eq!(finish(null_mut()), -36);
        assert_eq!(set_kernel_arg(null_mut(), 0, 0, null_mut()), -48);
    }
}
