//! Two devices: lavapipe under two names.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use opencl_sys::*;
use pumice::entry::{device::*, platform::*};

type Handle = *mut c_void;

const LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

/// The devices, or a visible skip. The environment is set once, before anything else of this process looks at it.
pub fn two_devices() -> Option<[Handle; 2]> {
    static DEVICES: OnceLock<Option<[usize; 2]>> = OnceLock::new();
    let find = || make_two().map(|devices| devices.map(|d| d.expose_provenance()));
    DEVICES.get_or_init(find).map(|devices| devices.map(std::ptr::with_exposed_provenance_mut))
}

/// Makes lavapipe appear twice; its devices.
fn make_two() -> Option<[Handle; 2]> {
    let copy = std::env::temp_dir().join(format!("pumice-test-{}.json", std::process::id()));
    if std::fs::copy(LAVAPIPE, &copy).is_err() {
        println!("SKIP: no lavapipe");
        return None;
    }
    let (mut platform, mut devices, mut count) = (null_mut(), [null_mut(); 2], 0);
    // SAFETY: no other thread of this process looks at the environment before this is done; the places are valid.
    unsafe {
        std::env::set_var("VK_DRIVER_FILES", format!("{LAVAPIPE}:{}", copy.display()));
        std::env::remove_var("PUMICE_DEVICE");
        pumice::testing::validate();
        assert_eq!(clGetPlatformIDs(1, &mut platform, null_mut()), 0);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices.as_mut_ptr(), &mut count);
    }
    let _ = std::fs::remove_file(&copy);
    if count != 2 {
        println!("SKIP: the Vulkan loader shows {count} devices");
        return None;
    }
    Some(devices)
}
