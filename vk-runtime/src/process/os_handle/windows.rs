//! HANDLEs that are handed to a driver: NT handles, which the driver duplicates.

use std::os::windows::io::{AsRawHandle, BorrowedHandle, IntoRawHandle, OwnedHandle, RawHandle};

/// A HANDLE as an application has it.
pub type RawOsHandle = RawHandle;
/// A HANDLE that is closed when it is dropped.
pub type OsHandle = OwnedHandle;
/// A HANDLE that stays somebody else's.
pub type BorrowedOsHandle<'a> = BorrowedHandle<'a>;

/// The value that stands for no handle.
pub const NO_HANDLE: RawOsHandle = std::ptr::null_mut();

/// The handle in a list of properties.
#[must_use]
pub fn of_property(value: u64) -> RawOsHandle {
    std::ptr::with_exposed_provenance_mut(usize::try_from(value).unwrap_or(0))
}

/// None: Windows has no descriptors that APIs pass.
#[must_use]
pub fn of_descriptor(_: std::ffi::c_int) -> RawOsHandle {
    NO_HANDLE
}

/// The bytes of a handle, as a query gives it: a `void *`.
#[must_use]
pub fn to_bytes(handle: RawOsHandle) -> [u8; size_of::<RawOsHandle>()] {
    handle.expose_provenance().to_ne_bytes()
}

/// Returns whether a number can be an open handle: neither NULL nor INVALID_HANDLE_VALUE.
#[must_use]
pub fn is_possible(handle: RawOsHandle) -> bool {
    !matches!(handle.addr(), 0 | usize::MAX)
}

/// A handle that stays the application's.
///
/// # Safety
/// It is [possible](is_possible), and open while it is borrowed.
pub unsafe fn borrow<'a>(handle: RawOsHandle) -> BorrowedOsHandle<'a> {
    // SAFETY: by the caller's promise.
    unsafe { BorrowedHandle::borrow_raw(handle) }
}

/// Does nothing: "importing … from Windows handles does not transfer ownership of the handle to the OpenCL implementation" ("NT Handle Types").
///
/// # Safety
/// None is needed; on other systems it is.
pub unsafe fn take_over(_: RawOsHandle) {}

/// The number of a handle that the caller owns from now on.
#[must_use]
pub fn into_raw(handle: OsHandle) -> RawOsHandle {
    handle.into_raw_handle()
}

/// The number of a handle.
pub(crate) fn raw(handle: BorrowedOsHandle<'_>) -> RawOsHandle {
    handle.as_raw_handle()
}

/// The kind of object that a handle names. Windows tells nothing that imports could use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct File {
    /// The bytes of a regular file, which no handle of a driver's is.
    pub(crate) regular: Option<u64>,
    /// An object that no driver exports. The driver itself finds that.
    pub(crate) is_foreign: bool,
}

impl File {
    /// Looks at an open handle.
    #[allow(clippy::unnecessary_wraps)]
    pub(crate) fn inspect(_: RawOsHandle) -> Option<Self> {
        Some(File { regular: None, is_foreign: false })
    }
}

/// Lends a handle to a driver, which duplicates it ("Importing Memory" in the Vulkan specification).
///
/// # Errors
/// That of `take`.
#[allow(clippy::unnecessary_wraps)]
pub(crate) fn lend<T, E>(
    handle: BorrowedHandle<'_>,
    take: impl FnOnce(RawHandle) -> Result<T, E>,
) -> std::io::Result<Result<T, E>> {
    Ok(take(handle.as_raw_handle()))
}

/// The bytes of an object that tells them. A handle tells none.
pub(crate) fn end(_: BorrowedHandle<'_>) -> Option<u64> {
    None
}
