//! The first device and a context with it, opened through the exported functions: the start of nearly every test here.
#![allow(dead_code)] // each test file uses its part

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::context::clCreateContext;
use pumice::entry::device::clGetDeviceIDs;
use pumice::entry::platform::clIcdGetPlatformIDsKHR;

/// The first device and a context with it, which the caller releases; `None`, said aloud, without one. Validation is on.
pub fn context() -> Option<(*mut c_void, *mut c_void)> {
    context_with(&[])
}

/// The same with properties, a pair each.
pub fn context_with(properties: &[[isize; 2]]) -> Option<(*mut c_void, *mut c_void)> {
    pumice::testing::validate();
    let (mut platform, mut count) = (null_mut(), 0);
    // SAFETY: both places are valid.
    if unsafe { clIcdGetPlatformIDsKHR(1, &mut platform, &mut count) } != 0 {
        pumice::testing::no_device();
        return None;
    }
    let (mut device, mut error) = (null_mut(), 1);
    let list: Vec<isize> = properties.iter().flatten().copied().chain([0]).collect();
    let list = if properties.is_empty() { null() } else { list.as_ptr() };
    // SAFETY: all places are valid; the lists have one device, and properties that end in 0.
    let context = unsafe {
        assert_eq!(clGetDeviceIDs(platform, cl::CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()), 0);
        clCreateContext(list, 1, &device, None, null_mut(), &mut error)
    };
    assert_eq!(error, 0);
    Some((device, context))
}
