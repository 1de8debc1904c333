//! Libraries that come with a driver and are opened when they are wanted.

use std::ffi::{CStr, c_void};

/// A library that was opened. It stays open unless it is [closed](Self::close).
#[derive(Debug)]
pub struct Library {
    handle: *mut c_void,
}

impl Library {
    /// Opens it; `None` where there is none.
    ///
    /// # Safety
    /// It is a driver's own, whose initialisers are trusted as the driver's are.
    pub unsafe fn open(name: &CStr) -> Option<Self> {
        // SAFETY: a name; by the caller's promise.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        (!handle.is_null()).then_some(Library { handle })
    }

    /// Opens any library and leaves it open; gives why that does not work, in the dynamic linker's words. Its action when it is
    /// opened may end the process: `pumice doctor` does this in a process of its own.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn probe(name: &CStr) -> Result<(), String> {
        // SAFETY: a name; the initialisers are trusted as whoever named the library does.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Ok(());
        }
        // SAFETY: gives a string that stays until this thread's next call, or NULL.
        let message = unsafe { libc::dlerror() };
        if message.is_null() {
            return Err("it cannot be opened".to_owned());
        }
        // SAFETY: as above.
        Err(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned())
    }

    /// A function by its name.
    ///
    /// # Safety
    /// `F` is a pointer to a function of that function's type.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: the library is open; the name is a string.
        let found = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        // SAFETY: by the caller's promise; of the size of a pointer, and not NULL.
        (!found.is_null()).then(|| unsafe { std::mem::transmute_copy(&found) })
    }

    /// Closes it.
    ///
    /// # Safety
    /// Nothing of it is used from now on.
    pub unsafe fn close(&self) {
        // SAFETY: by the caller's promise.
        unsafe { libc::dlclose(self.handle) };
    }
}
