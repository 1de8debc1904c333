//! A context of CUDA, which is a part of NVIDIA's driver: nothing is done in it. A process that has one keeps the GPU's clocks; one that has the GPU by Vulkan alone loses
//! them whenever the GPU has nothing to do for a moment (docs/results/performance.md, "Real programs against NVIDIA's OpenCL").

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::{Arc, PoisonError};
use vk_runtime::library::Library;
use vk_runtime::life;
use vk_runtime::sync::Mutex;

/// The driver's file.
const FILE: &std::ffi::CStr = if cfg!(windows) { c"nvcuda.dll" } else { c"libcuda.so.1" };

/// CU_LIMIT_STACK_SIZE.
const STACK_SIZE: c_int = 0;

/// `cuCtxDestroy`.
type Destroy = unsafe extern "C" fn(*mut c_void) -> c_int;

/// A context of its own: the primary one's limits are for those who use CUDA.
struct Context {
    handle: *mut c_void,
    destroy: Destroy,
}

// SAFETY: contexts of CUDA may be destroyed by any thread.
unsafe impl Send for Context {}

impl Context {
    /// Makes the context of the GPU with this UUID, or tells why there is none.
    fn open(uuid: [u8; 16]) -> Result<Self, String> {
        // SAFETY: the driver's own library. It stays open: it has threads and exit handlers.
        let library = unsafe { Library::open(FILE) }.ok_or("there is no CUDA driver")?;
        type Init = unsafe extern "C" fn(c_uint) -> c_int;
        type Number = unsafe extern "C" fn(*mut c_int) -> c_int;
        type Get = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
        type Uuid = unsafe extern "C" fn(*mut [c_char; 16], c_int) -> c_int;
        type Create = unsafe extern "C" fn(*mut *mut c_void, c_uint, c_int) -> c_int;
        type Limit = unsafe extern "C" fn(c_int, usize) -> c_int;
        type Pop = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
        // SAFETY: the functions have these types.
        let functions = unsafe {
            library.function::<Init>(c"cuInit").zip(library.function::<Number>(c"cuDeviceGetCount")).zip(
                library.function::<Get>(c"cuDeviceGet").zip(library.function::<Uuid>(c"cuDeviceGetUuid")),
            )
        };
        // SAFETY: the functions have these types.
        let of_context = unsafe {
            let create = library.function::<Create>(c"cuCtxCreate_v2");
            let limit = library.function::<Limit>(c"cuCtxSetLimit");
            let pop = library.function::<Pop>(c"cuCtxPopCurrent_v2");
            create.zip(limit).zip(pop.zip(library.function::<Destroy>(c"cuCtxDestroy_v2")))
        };
        let (Some(((init, number), (get, uuid_of))), Some(((create, limit), (pop, destroy)))) =
            (functions, of_context)
        else {
            return Err("the CUDA driver lacks a function".to_owned());
        };
        let fine = |name: &str, result: c_int| match result {
            0 => Ok(()),
            error => Err(format!("{name} returned {error}")),
        };
        let mut count = 0;
        // SAFETY: initialised before all else; each place is for what the function writes.
        unsafe {
            fine("cuInit", init(0))?;
            fine("cuDeviceGetCount", number(&mut count))?;
        }
        for index in 0..count {
            let (mut device, mut found) = (0, [0; 16]);
            // SAFETY: as above; there are so many devices.
            unsafe {
                fine("cuDeviceGet", get(&mut device, index))?;
                fine("cuDeviceGetUuid", uuid_of(&mut found, device))?;
            }
            if found.map(|byte| byte.to_ne_bytes()[0]) == uuid {
                let mut handle = std::ptr::null_mut();
                // SAFETY: as above; `drop` destroys what this makes.
                fine("cuCtxCreate", unsafe { create(&mut handle, 0, device) })?;
                // SAFETY: it is this thread's context, which no kernel will run in: without stacks it takes half of the memory. The thread is left
                // without one.
                unsafe {
                    limit(STACK_SIZE, 0);
                    pop(&mut std::ptr::null_mut());
                }
                return Ok(Context { handle, destroy });
            }
        }
        Err("CUDA does not show the device".to_owned())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if crate::abi::process::may_call() {
            // SAFETY: made in `open`; the library stays open, and its exit handlers have not run while calls may be made.
            unsafe { (self.destroy)(self.handle) };
        }
    }
}

/// How far a [`Kept`]'s thread is.
enum State {
    Wanted,
    There(#[expect(dead_code, reason = "it is kept")] Context),
    Unwanted,
}

/// Keeps a GPU's clocks while it lives.
pub(crate) struct Kept(Arc<Mutex<State>>);

impl Kept {
    /// Has a thread make the context, which takes longer than all else that makes a device.
    pub(crate) fn start(uuid: [u8; 16]) -> Option<Self> {
        let kept = Kept(Arc::new(Mutex::new(State::Wanted)));
        let state = kept.0.clone();
        let work = move || match Context::open(uuid) {
            Ok(context) => {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                if matches!(*state, State::Wanted) {
                    *state = State::There(context);
                }
            }
            Err(why) => log::error!("PUMICE_KEEP_CLOCKS: {why}"),
        };
        life::spawn("pumice clocks", None, work).ok().map(|_| kept)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = State::Unwanted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_device_has_no_context() {
        assert!(Context::open([0; 16]).is_err());
        drop(Kept::start([0; 16]));
    }
}
