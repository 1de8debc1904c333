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
        let handle = system::open(name);
        (!handle.is_null()).then_some(Library { handle })
    }

    /// Opens any library and leaves it open; gives why that does not work, in the dynamic linker's words. Its action when it is
    /// opened may end the process: `pumice doctor` does this in a process of its own.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn probe(name: &CStr) -> Result<(), String> {
        if system::open(name).is_null() { Err(system::last_error(name)) } else { Ok(()) }
    }

    /// A function by its name.
    ///
    /// # Safety
    /// `F` is a pointer to a function of that function's type.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: the library is open.
        let found = unsafe { system::function(self.handle, name) };
        // SAFETY: by the caller's promise; of the size of a pointer, and not NULL.
        (!found.is_null()).then(|| unsafe { std::mem::transmute_copy(&found) })
    }

    /// Closes it.
    ///
    /// # Safety
    /// Nothing of it is used from now on.
    pub unsafe fn close(&self) {
        // SAFETY: by the caller's promise.
        unsafe { system::close(self.handle) };
    }
}

/// The dynamic linker.
#[cfg(unix)]
mod system {
    use std::ffi::{CStr, c_void};

    pub(super) fn open(name: &CStr) -> *mut c_void {
        // SAFETY: a name; the initialisers are trusted as whoever named the library does.
        unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) }
    }

    pub(super) fn last_error(_: &CStr) -> String {
        // SAFETY: gives a string that stays until this thread's next call, or NULL.
        let message = unsafe { libc::dlerror() };
        if message.is_null() {
            return "it cannot be opened".to_owned();
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()
    }

    pub(super) unsafe fn function(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the library is open, by the caller's promise; the name is a string.
        unsafe { libc::dlsym(library, name.as_ptr()) }
    }

    pub(super) unsafe fn close(library: *mut c_void) {
        // SAFETY: by the caller's promise.
        unsafe { libc::dlclose(library) };
    }
}

/// The loader of DLLs.
#[cfg(windows)]
mod system {
    use std::ffi::{CStr, c_void};
    use std::io;

    use windows_sys::Win32::Foundation::FreeLibrary;
    use windows_sys::Win32::System::LibraryLoader::{
        GetProcAddress, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LoadLibraryExA,
    };

    /// In the folders of the application and of the system. The current folder and PATH are not looked at.
    pub(super) fn open(name: &CStr) -> *mut c_void {
        // SAFETY: a name; the initialisers are trusted as whoever named the library does.
        unsafe {
            LoadLibraryExA(name.as_ptr().cast(), std::ptr::null_mut(), LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
        }
    }

    pub(super) fn last_error(name: &CStr) -> String {
        format!("{}: {}", name.to_string_lossy(), io::Error::last_os_error())
    }

    pub(super) unsafe fn function(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the library is open, by the caller's promise; the name is a string.
        let found = unsafe { GetProcAddress(library, name.as_ptr().cast()) };
        found.map_or(std::ptr::null_mut(), |function| function as *mut c_void)
    }

    pub(super) unsafe fn close(library: *mut c_void) {
        // SAFETY: by the caller's promise.
        unsafe { FreeLibrary(library) };
    }
}
