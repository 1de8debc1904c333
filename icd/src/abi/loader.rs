//! The table that the ICD loader calls through (cl_khr_icd), and the loader's data.
//!
//! Under cl_khr_icd 2.0 the table's places of clGetPlatformIDs and clUnloadCompiler, which no loader calls through it, hold a
//! tag: such a loader asks for each entry point by name once ([`clIcdGetFunctionAddressForPlatformKHR`]) and keeps
//! its own table at each object's second word. Older loaders use this table as before.
//!
//! [`clIcdGetFunctionAddressForPlatformKHR`]: crate::entry::platform::clIcdGetFunctionAddressForPlatformKHR

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Once, OnceLock};

use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::loaded_files;

/// The tag for the table, or none where cl_khr_icd 2.0 is not offered.
///
/// ocl-icd 2.3.3 (Debian 13, Ubuntu 25.04) gives the platform a pointer into an array, and moves the array when the next driver
/// comes and when it sorts the platforms. Calls then go through freed memory, or through another driver's table
/// (github.com/OCL-dev/ocl-icd/issues/39). That loader gets a driver of cl_khr_icd 1, which is not concerned.
pub(crate) fn tag() -> Option<isize> {
    static FAULTY: OnceLock<bool> = OnceLock::new();
    let find = || loaded_files::is_loaded("libOpenCL", &[b"OCL Icd free software", b"\x002.3.3\x00"]);
    (!*FAULTY.get_or_init(find)).then_some(ICD2_TAG)
}

/// CL_ICD2_TAG_KHR: "OPENCL31", or "CL31" where pointers have 32 bits.
const ICD2_TAG: isize = 0x4f50_454e_434c_3331_u64 as isize;

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

/// The table. Its address is the first word of each object; its contents are written once.
struct Table {
    filled: Once,
    contents: UnsafeCell<MaybeUninit<cl_icd_dispatch>>,
}

// SAFETY: the contents are written once, by `fill`, and are read only after it.
unsafe impl Sync for Table {}

static TABLE: Table = Table { filled: Once::new(), contents: UnsafeCell::new(MaybeUninit::zeroed()) };

/// The address of the table. The ICD loader reads it when a platform was given to it, so it must be [filled](fill) then.
pub(crate) fn table() -> *mut cl_icd_dispatch {
    TABLE.contents.get().cast()
}

/// Fills the table at the first call.
pub(crate) fn fill(make: impl FnOnce() -> cl_icd_dispatch) -> &'static cl_icd_dispatch {
    // SAFETY: written once, under the lock of `filled`, and nobody reads before it.
    TABLE.filled.call_once(|| unsafe { table().write(make()) });
    // SAFETY: it has been written, and is not written again.
    unsafe { &*table() }
}
