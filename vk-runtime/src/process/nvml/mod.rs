//! Facts about a GPU from NVIDIA's management library, a part of its driver, that Vulkan does not tell. It is opened when it is asked, and
//! closed again; a [`Meter`] keeps it open.

mod meter;

pub use meter::Meter;

use crate::process::library;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};

type Device = *mut c_void;
/// The library's file.
const FILE: &std::ffi::CStr = if cfg!(windows) { c"nvml.dll" } else { c"libnvidia-ml.so.1" };

/// NVML_CLOCK_SM.
const CLOCK_SM: c_int = 1;

/// The library, initialised.
struct Library {
    code: library::Library,
    device: Device,
}

impl Library {
    /// Opens it for the GPU at a PCI address; `None` where it is not there or does not know the GPU.
    fn open(pci: [u32; 4]) -> Option<Self> {
        // SAFETY: the driver's own library.
        let code = unsafe { library::Library::open(FILE) }?;
        let mut library = Library { code, device: std::ptr::null_mut() };
        type Init = unsafe extern "C" fn() -> c_int;
        // SAFETY: the function has this type.
        let init = unsafe { library.code.function::<Init>(c"nvmlInit_v2") }?;
        // SAFETY: it may be called at any time; each call is matched by one of nvmlShutdown, in `drop`.
        if unsafe { init() } != 0 {
            return None;
        }
        type ByPci = unsafe extern "C" fn(*const c_char, *mut Device) -> c_int;
        // SAFETY: the function has this type.
        let find = unsafe { library.code.function::<ByPci>(c"nvmlDeviceGetHandleByPciBusId_v2") }?;
        let [domain, bus, device, function] = pci;
        let name = CString::new(format!("{domain:08x}:{bus:02x}:{device:02x}.{function:x}")).ok()?;
        // SAFETY: a string, and a place for a handle.
        (unsafe { find(name.as_ptr(), &mut library.device) } == 0).then_some(library)
    }
}

/// nvmlProcessInfo_t, of version 2.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Process {
    pid: c_uint,
    memory: u64,
    instances: [c_uint; 2],
}

/// The largest number of processes that are counted.
const MAX_PROCESSES: usize = 256;

impl Library {
    /// The number of other processes that have a context on the GPU; `None` if that is not known.
    fn others(&self) -> Option<u32> {
        type Running = unsafe extern "C" fn(Device, *mut c_uint, *mut Process) -> c_int;
        let mut pids = Vec::new();
        for name in [c"nvmlDeviceGetComputeRunningProcesses_v3", c"nvmlDeviceGetGraphicsRunningProcesses_v3"]
        {
            // SAFETY: the function has this type.
            let list = unsafe { self.code.function::<Running>(name) }?;
            let (mut count, mut found) = (MAX_PROCESSES as c_uint, [Process::default(); MAX_PROCESSES]);
            // SAFETY: a handle of the library, and room for as many as is said.
            if unsafe { list(self.device, &mut count, found.as_mut_ptr()) } != 0 {
                return None;
            }
            pids.extend(found.iter().take(count as usize).map(|process| process.pid));
        }
        pids.sort_unstable();
        pids.dedup();
        // In a container the driver may know this process by another number: it counts as one more then.
        let own = std::process::id();
        Some(u32::try_from(pids.iter().filter(|pid| **pid != own).count()).unwrap_or(u32::MAX))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        type Shutdown = unsafe extern "C" fn() -> c_int;
        // SAFETY: the function has this type.
        if let Some(shutdown) = unsafe { self.code.function::<Shutdown>(c"nvmlShutdown") } {
            // SAFETY: without nvmlInit before, it returns an error.
            unsafe { shutdown() };
        }
        // SAFETY: opened by us; nothing of it is used any more.
        unsafe { self.code.close() };
    }
}

/// The highest clock of the multiprocessors in MHz.
pub fn clock(pci: [u32; 4]) -> Option<u32> {
    let library = Library::open(pci)?;
    type MaxClock = unsafe extern "C" fn(Device, c_int, *mut c_uint) -> c_int;
    // SAFETY: the function has this type.
    let ask = unsafe { library.code.function::<MaxClock>(c"nvmlDeviceGetMaxClockInfo") }?;
    let mut mhz = 0;
    // SAFETY: a handle of the library, and a place for the answer.
    let result = unsafe { ask(library.device, CLOCK_SM, &mut mhz) };
    (result == 0 && mhz > 0).then_some(mhz)
}

/// Returns whether errors of the memory are corrected.
pub fn corrects_errors(pci: [u32; 4]) -> Option<bool> {
    let library = Library::open(pci)?;
    type EccMode = unsafe extern "C" fn(Device, *mut c_int, *mut c_int) -> c_int;
    // SAFETY: the function has this type.
    let ask = unsafe { library.code.function::<EccMode>(c"nvmlDeviceGetEccMode") }?;
    let (mut now, mut pending) = (0, 0);
    // SAFETY: a handle of the library, and places for the answers.
    let result = unsafe { ask(library.device, &mut now, &mut pending) };
    (result == 0).then_some(now == 1)
}

/// The compute capability.
pub fn capability(pci: [u32; 4]) -> Option<(u32, u32)> {
    let library = Library::open(pci)?;
    type Capability = unsafe extern "C" fn(Device, *mut c_int, *mut c_int) -> c_int;
    // SAFETY: the function has this type.
    let ask = unsafe { library.code.function::<Capability>(c"nvmlDeviceGetCudaComputeCapability") }?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: a handle of the library, and places for the answers.
    let result = unsafe { ask(library.device, &mut major, &mut minor) };
    let numbers = || Some((u32::try_from(major).ok()?, u32::try_from(minor).ok()?));
    if result == 0 { numbers().filter(|(major, _)| *major > 0) } else { None }
}
