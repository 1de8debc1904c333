//! The guard of every entry point ([`ffi`]), which prepares at the first call what all entry points need.

use opencl_sys as cl;

use crate::abi::error::ClResult;
use crate::abi::ffi;
use crate::abi::handle::Raw;
use crate::abi::logging;

/// The body of an entry point. It carries the guard, the application's promise about its pointers and the mapping of errors:
///
/// | form | returns |
/// |---|---|
/// | `entry!(NAME, BODY)` | CL_SUCCESS, or the code of the error |
/// | `entry!(NAME, error, BODY)` | a handle; NULL with the code at `error`, unless that is NULL |
/// | `entry!(NAME, failed = VALUE, BODY)` | the value of the body, or VALUE |
///
/// The body is a block of type `ClResult`. It may follow the pointers that the entry point was given, within the application's promise: each
/// is NULL where the specification allows that, or points to as many elements as the parameters say. An `unsafe` block in a body says what else
/// it relies on.
macro_rules! entry {
    ($name:ident, failed = $failed:expr, $body:expr) => {
        $crate::entry::guard::value(stringify!($name), $failed, || {
            // SAFETY: the application's promise.
            #[allow(unused_unsafe)]
            let result = unsafe { $body };
            result
        })
    };
    ($name:ident, $error:expr, $body:expr) => {{
        let make = || {
            // SAFETY: the application's promise.
            #[allow(unused_unsafe)]
            let result = unsafe { $body };
            result
        };
        // SAFETY: the application's promise: NULL, or a place for the code.
        #[allow(unused_unsafe)]
        let handle = unsafe { $crate::entry::guard::object(stringify!($name), $error, make) };
        handle
    }};
    ($name:ident, $body:expr) => {
        $crate::entry::guard::code(stringify!($name), || {
            // SAFETY: the application's promise.
            #[allow(unused_unsafe)]
            let result = unsafe { $body };
            result
        })
    };
}
pub(crate) use entry;

/// See [`ffi::code`].
#[inline]
pub(crate) fn code(name: &'static str, run: impl FnOnce() -> ClResult<()>) -> cl::cl_int {
    logging::start();
    ffi::code(name, run)
}

/// See [`ffi::object`].
///
/// # Safety
/// `error` is NULL or may be written to.
#[inline]
pub(crate) unsafe fn object(
    name: &'static str,
    error: *mut cl::cl_int,
    run: impl FnOnce() -> ClResult<Raw>,
) -> Raw {
    logging::start();
    // SAFETY: by the caller's promise.
    unsafe { ffi::object(name, error, run) }
}

/// See [`ffi::value`].
#[inline]
pub(crate) fn value<T>(name: &'static str, failed: T, run: impl FnOnce() -> ClResult<T>) -> T {
    logging::start();
    ffi::value(name, failed, run)
}
