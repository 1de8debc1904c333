//! What NVIDIA's management library, a part of its driver, tells of a GPU and Vulkan does not. It is opened when it is asked, and
//! closed again.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

type Device = *mut c_void;
/// NVML_CLOCK_SM.
const CLOCK_SM: c_int = 1;

/// The library, initialised.
struct Library {
    handle: *mut c_void,
    device: Device,
}

impl Library {
    /// Opens it for the GPU at a PCI address; `None` where it is not there or does not know the GPU.
    fn open(pci: [u32; 4]) -> Option<Self> {
        // SAFETY: a name; the driver's own library, whose initialisers are trusted as the driver's are.
        let handle =
            unsafe { libc::dlopen(c"libnvidia-ml.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return None;
        }
        let mut library = Library { handle, device: std::ptr::null_mut() };
        type Init = unsafe extern "C" fn() -> c_int;
        // SAFETY: the function has this type.
        let init = unsafe { library.function::<Init>(c"nvmlInit_v2") }?;
        // SAFETY: it may be called at any time; each call is matched by one of nvmlShutdown, in `drop`.
        if unsafe { init() } != 0 {
            return None;
        }
        type ByPci = unsafe extern "C" fn(*const c_char, *mut Device) -> c_int;
        // SAFETY: the function has this type.
        let find = unsafe { library.function::<ByPci>(c"nvmlDeviceGetHandleByPciBusId_v2") }?;
        let [domain, bus, device, function] = pci;
        let name = CString::new(format!("{domain:08x}:{bus:02x}:{device:02x}.{function:x}")).ok()?;
        // SAFETY: a string, and a place for a handle.
        (unsafe { find(name.as_ptr(), &mut library.device) } == 0).then_some(library)
    }

    /// A function by its name.
    ///
    /// # Safety
    /// `F` is a pointer to a function of that function's type.
    unsafe fn function<F: Copy>(&self, name: &CStr) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: the library is open; the name is a string.
        let found = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        // SAFETY: by the caller's promise; of the size of a pointer, and not NULL.
        (!found.is_null()).then(|| unsafe { std::mem::transmute_copy(&found) })
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        type Shutdown = unsafe extern "C" fn() -> c_int;
        // SAFETY: the function has this type.
        if let Some(shutdown) = unsafe { self.function::<Shutdown>(c"nvmlShutdown") } {
            // SAFETY: without nvmlInit before, it returns an error.
            unsafe { shutdown() };
        }
        // SAFETY: opened once, by us; nothing of it is used any more.
        unsafe { libc::dlclose(self.handle) };
    }
}

/// The highest clock of the multiprocessors in MHz.
pub(super) fn clock(pci: [u32; 4]) -> Option<u32> {
    let library = Library::open(pci)?;
    type MaxClock = unsafe extern "C" fn(Device, c_int, *mut c_uint) -> c_int;
    // SAFETY: the function has this type.
    let ask = unsafe { library.function::<MaxClock>(c"nvmlDeviceGetMaxClockInfo") }?;
    let mut mhz = 0;
    // SAFETY: a handle of the library, and a place for the answer.
    let result = unsafe { ask(library.device, CLOCK_SM, &mut mhz) };
    (result == 0 && mhz > 0).then_some(mhz)
}

/// Whether errors of the memory are corrected.
pub(super) fn corrects_errors(pci: [u32; 4]) -> Option<bool> {
    let library = Library::open(pci)?;
    type EccMode = unsafe extern "C" fn(Device, *mut c_int, *mut c_int) -> c_int;
    // SAFETY: the function has this type.
    let ask = unsafe { library.function::<EccMode>(c"nvmlDeviceGetEccMode") }?;
    let (mut now, mut pending) = (0, 0);
    // SAFETY: a handle of the library, and places for the answers.
    let result = unsafe { ask(library.device, &mut now, &mut pending) };
    (result == 0).then_some(now == 1)
}

/// The compute capability.
pub(super) fn capability(pci: [u32; 4]) -> Option<(u32, u32)> {
    let library = Library::open(pci)?;
    type Capability = unsafe extern "C" fn(Device, *mut c_int, *mut c_int) -> c_int;
    // SAFETY: the function has this type.
    let ask = unsafe { library.function::<Capability>(c"nvmlDeviceGetCudaComputeCapability") }?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: a handle of the library, and places for the answers.
    let result = unsafe { ask(library.device, &mut major, &mut minor) };
    let numbers = || Some((u32::try_from(major).ok()?, u32::try_from(minor).ok()?));
    if result == 0 { numbers().filter(|(major, _)| *major > 0) } else { None }
}
