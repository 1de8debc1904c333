//! The end of a process on Windows, for a library.
//!
//! ExitProcess ends all other threads first, and calls the libraries then: work under way is cut off, locks of ended threads stay held, and a
//! library must do nothing any more. The handlers of the C library's `exit` run before that, on the thread that ends the process. A library's own
//! `atexit` is called too late, because each library has a list of its own. So handlers are given to the program's C library itself. A program with
//! a static C library, or one that calls ExitProcess, ends without them.

use std::ffi::c_int;

use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN, GetModuleHandleA,
    GetModuleHandleExW, GetProcAddress,
};

#[link(name = "ntdll")]
unsafe extern "system" {
    /// Whether ExitProcess has ended the other threads. winternl.h declares it.
    safe fn RtlDllShutdownInProgress() -> u8;
}

/// Returns whether the process is past its exit handlers: nothing is called any more.
pub(crate) fn is_past() -> bool {
    RtlDllShutdownInProgress() != 0
}

/// The library stays loaded until the process ends: its threads and handlers outlive FreeLibrary.
pub(crate) fn stay_loaded() {
    let here: fn() = stay_loaded;
    let mut module = std::ptr::null_mut();
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
    // SAFETY: the flags say that the name is an address, which is that of a function of this library; the place is valid.
    unsafe { GetModuleHandleExW(flags, (here as *const ()).cast(), &raw mut module) };
}

/// Registers a handler with each C library that the process has: the newest runs first.
pub(crate) fn at_exit(handler: extern "C" fn() -> c_int) {
    type Register = unsafe extern "C" fn(extern "C" fn() -> c_int) -> usize;
    for (library, register) in [(c"ucrtbase.dll", c"_crt_atexit"), (c"msvcrt.dll", c"_onexit")] {
        // SAFETY: names. The library is not unloaded, as the program or this library uses it.
        let found = unsafe {
            let module = GetModuleHandleA(library.as_ptr().cast());
            if module.is_null() { None } else { GetProcAddress(module, register.as_ptr().cast()) }
        };
        let Some(found) = found else { continue };
        // SAFETY: both take a function without arguments, whose result _onexit ignores and _crt_atexit does not look at. They return an int
        // and a pointer, which are not looked at here. The handler stays loaded, and does not unwind.
        unsafe { std::mem::transmute::<_, Register>(found)(handler) };
    }
}
