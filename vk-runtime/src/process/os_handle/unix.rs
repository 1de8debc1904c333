//! File descriptors that are handed to a driver.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

/// A file descriptor as an application has it.
pub type RawOsHandle = RawFd;
/// A file descriptor that is closed when it is dropped.
pub type OsHandle = OwnedFd;
/// A file descriptor that stays somebody else's.
pub type BorrowedOsHandle<'a> = BorrowedFd<'a>;

/// The value that stands for no descriptor.
pub const NO_HANDLE: RawOsHandle = -1;

/// The descriptor in a list of properties: an int, which was converted to 64 bits with its sign or without.
#[must_use]
#[allow(clippy::cast_possible_truncation)]
pub fn of_property(value: u64) -> RawOsHandle {
    value as RawFd
}

/// The descriptor that a function's argument of type int is.
#[must_use]
pub fn of_descriptor(number: std::ffi::c_int) -> RawOsHandle {
    number
}

/// The bytes of a descriptor, as a query gives it: an int.
#[must_use]
pub fn to_bytes(handle: RawOsHandle) -> [u8; size_of::<RawOsHandle>()] {
    handle.to_ne_bytes()
}

/// Returns whether a number can be an open descriptor.
#[must_use]
pub fn is_possible(handle: RawOsHandle) -> bool {
    handle >= 0
}

/// A descriptor that stays the application's.
///
/// # Safety
/// It is [possible](is_possible), and open while it is borrowed, or is looked at by [`File::inspect`] before all else.
pub unsafe fn borrow<'a>(handle: RawOsHandle) -> BorrowedOsHandle<'a> {
    // SAFETY: not -1; by the caller's promise.
    unsafe { BorrowedFd::borrow_raw(handle) }
}

/// Ends the application's ownership of a descriptor whose object was imported: "importing … from a file descriptor transfers ownership of the
/// file descriptor from the application to the OpenCL implementation" ("File Descriptor Handle Types"). The driver has a duplicate.
///
/// # Safety
/// It is open and nobody else's, or not [possible](is_possible).
pub unsafe fn take_over(handle: RawOsHandle) {
    if is_possible(handle) {
        // SAFETY: by the caller's promise.
        drop(unsafe { OwnedFd::from_raw_fd(handle) });
    }
}

/// The number of a descriptor that the caller owns from now on.
#[must_use]
pub fn into_raw(handle: OsHandle) -> RawOsHandle {
    handle.into_raw_fd()
}

/// The number of a descriptor.
pub(crate) fn raw(handle: BorrowedOsHandle<'_>) -> RawOsHandle {
    handle.as_raw_fd()
}

/// The kind of file that a descriptor names, as far as imports need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct File {
    device: u64,
    node: u64,
    /// A regular file, of so many bytes: memory that a driver made by memfd_create.
    pub(crate) regular: Option<u64>,
    /// A pipe, a socket, a folder, a disk, or a device such as /dev/null: reading it may wait, and no driver exports memory so.
    pub(crate) is_foreign: bool,
}

impl File {
    /// Looks at an open file; `None` for a descriptor that is closed.
    pub(crate) fn inspect(descriptor: RawFd) -> Option<Self> {
        // SAFETY: the structure consists of integers, for which zeros are valid.
        let mut found: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: any number may be asked for; the place is valid.
        if unsafe { libc::fstat(descriptor, &raw mut found) } != 0 {
            return None;
        }
        // The types of all of these differ between systems.
        #[allow(clippy::unnecessary_cast, clippy::cast_lossless, clippy::cast_sign_loss)]
        let (device, node, size, mode) = (
            found.st_dev as u64,
            found.st_ino as u64,
            u64::try_from(found.st_size).unwrap_or(0),
            found.st_mode as u32 & libc::S_IFMT as u32,
        );
        #[allow(clippy::unnecessary_cast, clippy::cast_lossless, clippy::cast_sign_loss)]
        let is = |kind| mode == kind as u32;
        let is_foreign = is(libc::S_IFIFO)
            || is(libc::S_IFSOCK)
            || is(libc::S_IFDIR)
            || is(libc::S_IFBLK)
            || is(libc::S_IFLNK)
            || (is(libc::S_IFCHR) && is_memory_device(found.st_rdev));
        Some(File { device, node, regular: is(libc::S_IFREG).then_some(size), is_foreign })
    }
}

/// Returns whether a character device is one of Linux's own (/dev/null, /dev/zero, /dev/random …): its first number is 1.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_memory_device(device: libc::dev_t) -> bool {
    const MEM_MAJOR: u64 = 1;
    // The type of the number differs between systems.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, clippy::cast_sign_loss)]
    let major = libc::major(device) as u64;
    major == MEM_MAJOR
}

/// Elsewhere these numbers are not known.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_memory_device(_: libc::dev_t) -> bool {
    false
}

/// Hands a duplicate of a descriptor to a driver.
///
/// # Errors
/// That of the duplication, or of `take`.
pub(crate) fn lend<T, E>(
    descriptor: BorrowedFd<'_>,
    take: impl FnOnce(RawFd) -> Result<T, E>,
) -> std::io::Result<Result<T, E>> {
    Ok(give(descriptor.try_clone_to_owned()?, take))
}

/// Hands a descriptor to a driver, which owns it if `take` succeeds. Otherwise it is closed, unless the driver has done so against the rules
/// (lavapipe of Mesa 22.3): then its number is free, or already another file's.
fn give<T, E>(descriptor: OwnedFd, take: impl FnOnce(RawFd) -> Result<T, E>) -> Result<T, E> {
    let before = File::inspect(descriptor.as_raw_fd());
    let raw = descriptor.into_raw_fd();
    let taken = take(raw);
    if taken.is_err() && before.is_some() && File::inspect(raw) == before {
        // SAFETY: the driver did not take it, and it still names the file that it named before: it is this function's.
        drop(unsafe { OwnedFd::from_raw_fd(raw) });
    }
    taken
}

/// The bytes of a file that only tells by its end, as Linux's dma-bufs do; `None` for one that does not.
pub(crate) fn end(descriptor: BorrowedFd<'_>) -> Option<u64> {
    let raw = descriptor.as_raw_fd();
    // SAFETY: an open descriptor; the place that its readers are at is moved to its end and back.
    let at = unsafe { libc::lseek(raw, 0, libc::SEEK_END) };
    if at >= 0 {
        // SAFETY: as above.
        unsafe { libc::lseek(raw, 0, libc::SEEK_SET) };
    }
    u64::try_from(at).ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    fn file(bytes: &[u8]) -> OwnedFd {
        // SAFETY: a string; the result is checked.
        let raw = unsafe { libc::memfd_create(c"pumice-test".as_ptr(), libc::MFD_CLOEXEC) };
        assert!(raw >= 0);
        // SAFETY: new, and nobody else's.
        let owned = unsafe { OwnedFd::from_raw_fd(raw) };
        // SAFETY: so many bytes.
        assert_eq!(unsafe { libc::write(raw, bytes.as_ptr().cast(), bytes.len()) }, bytes.len() as isize);
        owned
    }

    #[test]
    fn a_descriptor_that_is_not_taken_is_closed_once() {
        let raw = give(file(b"abc"), Err::<(), _>).expect_err("not taken");
        assert_eq!(File::inspect(raw).filter(|file| file.regular == Some(3)), None, "closed");
        // The driver closes it, and its number becomes another file's, which stays open.
        let other = give(file(b"abc"), |raw| {
            // SAFETY: given to this function.
            drop(unsafe { OwnedFd::from_raw_fd(raw) });
            Err::<(), _>(file(b"another"))
        })
        .expect_err("not taken");
        assert_eq!(File::inspect(other.as_raw_fd()).and_then(|file| file.regular), Some(7));
        let taken: Result<OwnedFd, ()> = give(file(b"ab"), |raw| {
            // SAFETY: given to this function.
            Ok(unsafe { OwnedFd::from_raw_fd(raw) })
        });
        assert_eq!(end(taken.expect("taken").as_fd()), Some(2));
    }

    #[test]
    fn foreign_files_are_recognised() {
        let of = |raw: RawFd| File::inspect(raw).expect("open");
        assert!(!of(file(b"1").as_raw_fd()).is_foreign);
        let (reader, _writer) = std::io::pipe().expect("a pipe");
        assert!(of(reader.as_raw_fd()).is_foreign);
        for path in ["/", "/dev/null", "/dev/zero"] {
            assert!(of(std::fs::File::open(path).expect(path).as_raw_fd()).is_foreign, "{path}");
        }
    }
}
