//! The guard around every entry point, and reading what the application's pointers point to.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult};
use crate::abi::handle::Raw;
use crate::abi::{process, trace};

/// Runs an entry point that returns a code. A panic (a bug of Pumice) becomes CL_OUT_OF_RESOURCES and a log message.
pub(crate) fn code(name: &'static str, run: impl FnOnce() -> ClResult<()>) -> cl::cl_int {
    let Some(_inside) = process::enter() else { return process::refusal(name) };
    match guard(name, run) {
        Ok(()) => cl::CL_SUCCESS,
        Err(ClError(code)) => code,
    }
}

/// Runs an entry point that makes an object: its handle or NULL, and the code at `error` unless that is NULL.
///
/// # Safety
/// `error` is NULL or may be written to.
pub(crate) unsafe fn object(
    name: &'static str,
    error: *mut cl::cl_int,
    run: impl FnOnce() -> ClResult<Raw>,
) -> Raw {
    let Some(_inside) = process::enter() else {
        // SAFETY: by the caller's promise.
        unsafe { write(error, process::refusal(name)) };
        return std::ptr::null_mut();
    };
    vk_runtime::life::thread_came();
    let (handle, code) = match guard(name, run) {
        Ok(handle) => (handle, cl::CL_SUCCESS),
        Err(ClError(code)) => (std::ptr::null_mut(), code),
    };
    // SAFETY: by the caller's promise.
    unsafe { write(error, code) };
    handle
}

/// Runs an entry point that returns something else, with what it returns when it fails.
pub(crate) fn value<T>(name: &'static str, failed: T, run: impl FnOnce() -> ClResult<T>) -> T {
    let Some(_inside) = process::enter() else { return failed };
    guard(name, run).unwrap_or(failed)
}

fn guard<T>(name: &'static str, run: impl FnOnce() -> ClResult<T>) -> ClResult<T> {
    let start = trace::now();
    // Objects that a panic leaves half changed are protected by their locks, which are taken over when poisoned.
    let result = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        log::error!("{name}: internal error (this is a bug in Pumice)");
        Err(ClError(cl::CL_OUT_OF_RESOURCES))
    });
    if let Err(ClError(code)) = &result {
        log::debug!("{name} fails: {code}");
    }
    if trace::is_on() {
        let code = result.as_ref().map_or_else(|e| e.0, |_| cl::CL_SUCCESS);
        trace::span("api", name, start, ("code", code.into()));
    }
    result
}

/// Writes to a place of the application unless it is NULL.
///
/// # Safety
/// `place` is NULL or may be written to.
pub(crate) unsafe fn write<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: by the caller's promise; the application's pointers need not be aligned for us to be safe.
        unsafe { place.write_unaligned(value) };
    }
}

/// The elements that an array of the application has; none for NULL.
///
/// # Safety
/// `data` is NULL or points to `count` elements that nobody changes during the call.
pub(crate) unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: by the caller's promise.
    unsafe { std::slice::from_raw_parts(data, count) }
}

/// A string of the application; `None` for NULL.
///
/// # Safety
/// `text` is NULL or NUL-terminated.
pub(crate) unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: by the caller's promise.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// A list of properties: pairs of name and value, ended by a 0; with the 0, as queries give it back. NULL is an empty list.
///
/// # Safety
/// `list` is NULL or ends with a 0 at an even place.
pub(crate) unsafe fn properties<T: Copy + PartialEq + Default>(list: *const T) -> Vec<T> {
    // SAFETY: the caller's promise.
    unsafe { properties_with_lists(list, &[]) }
}

/// The same where the values of some names are lists, each ended by a 0 of its own.
///
/// # Safety
/// `list` is NULL or ends with a 0 in place of a name.
pub(crate) unsafe fn properties_with_lists<T: Copy + PartialEq + Default>(
    list: *const T,
    lists: &[T],
) -> Vec<T> {
    let mut out = Vec::new();
    if list.is_null() {
        return out;
    }
    loop {
        // SAFETY: the end has not been seen yet.
        let name = unsafe { list.add(out.len()).read_unaligned() };
        out.push(name);
        if name == T::default() {
            return out;
        }
        loop {
            // SAFETY: a name is followed by its value, or by a list up to its 0.
            let value = unsafe { list.add(out.len()).read_unaligned() };
            out.push(value);
            if value == T::default() || !lists.contains(&name) {
                break;
            }
        }
    }
}

/// A pointer of the application that crosses threads: the application promises that it stays valid, as the
/// specification asks of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UserPointer(pub(crate) *mut c_void);

// SAFETY: it is an address; whoever reads or writes through it says why that is sound.
unsafe impl Send for UserPointer {}
// SAFETY: as above.
unsafe impl Sync for UserPointer {}
