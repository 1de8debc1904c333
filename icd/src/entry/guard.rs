//! The guard of every entry point ([`ffi`]), which prepares at the first call what all entry points need.

use std::sync::Once;

use opencl_sys as cl;

use crate::abi::error::ClResult;
use crate::abi::ffi;
use crate::abi::handle::Raw;

/// See [`ffi::code`].
#[inline]
pub(crate) fn code(name: &'static str, run: impl FnOnce() -> ClResult<()>) -> cl::cl_int {
    start();
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
    start();
    // SAFETY: by the caller's promise.
    unsafe { ffi::object(name, error, run) }
}

/// See [`ffi::value`].
#[inline]
pub(crate) fn value<T>(name: &'static str, failed: T, run: impl FnOnce() -> ClResult<T>) -> T {
    start();
    ffi::value(name, failed, run)
}

/// Prepares log messages at the first call. They go to standard error, errors or what `PUMICE_LOG` says; a host program that has a logger for
/// us keeps it.
#[inline]
fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = env_logger::Builder::new().parse_filters(&host::settings::log_filter()).try_init();
    });
}
