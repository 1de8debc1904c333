//! The table that the ICD loader calls through (cl_khr_icd), and what the loader tells us.

use std::ffi::c_void;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::entry;

/// The loader's data for our objects (cl_khr_icd 2.0); NULL without such a loader.
static LOADER_DATA: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The loader's data, for the second word of every object.
pub(crate) fn loader_data() -> *mut c_void {
    LOADER_DATA.load(Ordering::Relaxed)
}

/// clIcdSetPlatformDispatchDataKHR: before any other object is made.
pub(crate) fn set_loader_data(data: *mut c_void) {
    LOADER_DATA.store(data, Ordering::Relaxed);
}

/// The table.
pub(crate) fn table() -> &'static cl_icd_dispatch {
    static TABLE: LazyLock<cl_icd_dispatch> = LazyLock::new(entry::table);
    &TABLE
}
