//! The table that the ICD loader calls through (cl_khr_icd), what the loader tells us, and entry points by their names.
//!
//! Under cl_khr_icd 2.0 the table's places of clGetPlatformIDs and clUnloadCompiler, which no loader calls through it, hold a
//! tag: such a loader asks for each entry point by name once ([`clIcdGetFunctionAddressForPlatformKHR`]) and keeps
//! its own table at each object's second word. Older loaders use this table as ever.
//!
//! [`clIcdGetFunctionAddressForPlatformKHR`]: crate::entry::platform::clIcdGetFunctionAddressForPlatformKHR

pub(crate) mod names;

use std::ffi::c_void;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::entry;
use names::NAMES;

/// CL_ICD2_TAG_KHR: "OPENCL31", or "CL31" where pointers have 32 bits.
pub(crate) const ICD2_TAG: isize = 0x4f50_454e_434c_3331_u64 as isize;

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

/// The address of an entry point of the table; `None` when there is none of this name.
pub(crate) fn by_name(name: &str) -> Option<*const c_void> {
    let tagged: [(&str, *const c_void); 2] = [
        ("clGetPlatformIDs", entry::platform::clGetPlatformIDs as *const c_void),
        ("clUnloadCompiler", entry::platform::clUnloadCompiler as *const c_void),
    ];
    if let Some((_, address)) = tagged.iter().find(|(n, _)| *n == name) {
        return Some(*address);
    }
    let index = NAMES.iter().position(|n| *n == name)?;
    words().get(index).copied().filter(|address| !address.is_null())
}

/// The table as words, in the order of [`NAMES`].
fn words() -> &'static [*const c_void; NAMES.len()] {
    const { assert!(size_of::<cl_icd_dispatch>() == size_of::<[*const c_void; NAMES.len()]>()) };
    // SAFETY: the table is a structure of the C layout whose members are all of a pointer's size (asserted), functions
    // or integers; it lives for ever.
    unsafe { &*std::ptr::from_ref(table()).cast() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_table_is_there() {
        let empty: Vec<&str> =
            NAMES.iter().zip(words()).filter(|(_, w)| w.is_null()).map(|(name, _)| *name).collect();
        assert!(empty.is_empty(), "{empty:?}");
        assert_eq!(words().first().map(|w| w.addr().cast_signed()), Some(ICD2_TAG));
    }

    #[test]
    fn entry_points_have_names() {
        assert_eq!(by_name("clGetPlatformInfo"), Some(entry::platform::clGetPlatformInfo as *const c_void));
        assert_eq!(by_name("clGetPlatformIDs"), Some(entry::platform::clGetPlatformIDs as *const c_void));
        assert_eq!(by_name("clNoSuchFunction"), None);
        for name in names::EXTENSIONS {
            assert!(entry::extension::address(name).is_some(), "{name}");
        }
        for (node, names) in crate::versions::NODES {
            for name in names {
                assert!(entry::extension::address(name).is_some(), "{name} of {node}");
            }
        }
    }
}
