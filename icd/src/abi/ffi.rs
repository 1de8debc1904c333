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
        // SAFETY: a name is followed by its value.
        out.push(unsafe { list.add(out.len()).read_unaligned() });
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

/// The file that this library was loaded from.
pub(crate) fn own_file() -> Option<std::path::PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: an all-zero Dl_info is valid: null pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here: fn() -> Option<std::path::PathBuf> = own_file;
    // SAFETY: the address is that of a function of this library; `info` may be written to.
    if unsafe { libc::dladdr(here as *const c_void, &mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gave a NUL-terminated name that lives as long as the library is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(std::ffi::OsStr::from_bytes(name.to_bytes()).into())
}

/// The build ID of the file that this library was loaded from: a hash of its contents that the linker noted there. `None` where it has
/// none.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn build_id() -> Option<&'static [u8]> {
    /// The address that is looked for, and what was found.
    struct Search {
        address: usize,
        id: Option<&'static [u8]>,
    }
    unsafe extern "C" fn look(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        search: *mut c_void,
    ) -> libc::c_int {
        // SAFETY: dl_iterate_phdr gives a file's description, and the place that was given to it.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        if info.dlpi_phdr.is_null() {
            return 0;
        }
        // SAFETY: the description has so many program headers.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let start = |header: &Header| (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
        let ours = |header: &&Header| {
            header.p_type == libc::PT_LOAD
                && search.address.wrapping_sub(start(header)) < header.p_memsz as usize
        };
        if !headers.iter().any(|header| ours(&header)) {
            return 0;
        }
        for header in headers.iter().filter(|header| header.p_type == libc::PT_NOTE) {
            let notes = std::ptr::with_exposed_provenance::<u8>(start(header));
            // SAFETY: the segment is mapped, and stays so: this library is never unloaded (`-z nodelete`).
            let notes = unsafe { std::slice::from_raw_parts(notes, header.p_memsz as usize) };
            search.id = search.id.or_else(|| build_id_among(notes));
        }
        1
    }
    let here: fn() -> Option<&'static [u8]> = build_id;
    let mut search = Search { address: here as usize, id: None };
    // SAFETY: the function takes what it is given here.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.id
}

/// Elsewhere files have none.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn build_id() -> Option<&'static [u8]> {
    None
}

/// A program header of this machine's files.
#[cfg(all(any(target_os = "linux", target_os = "android"), target_pointer_width = "64"))]
type Header = libc::Elf64_Phdr;
#[cfg(all(any(target_os = "linux", target_os = "android"), target_pointer_width = "32"))]
type Header = libc::Elf32_Phdr;

/// The note GNU's linker writes with a build ID (NT_GNU_BUILD_ID), among notes: each has the lengths of name and contents, a type, the name
/// and the contents, padded to words.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn build_id_among(mut notes: &[u8]) -> Option<&[u8]> {
    const BUILD_ID: u32 = 3;
    loop {
        let word = |at: usize| Some(u32::from_ne_bytes(notes.get(at..at + 4)?.try_into().ok()?));
        let (name, length, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let contents = 12usize.checked_add(name.checked_next_multiple_of(4)?)?;
        let end = contents.checked_add(length)?;
        if kind == BUILD_ID && notes.get(12..12 + name) == Some(b"GNU\0") {
            return notes.get(contents..end).filter(|id| !id.is_empty());
        }
        notes = notes.get(end.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_build_id_is_found_among_notes() {
        let note = |kind: u32, name: &[u8], id: &[u8]| {
            let mut out = Vec::new();
            for word in [name.len() as u32, id.len() as u32, kind] {
                out.extend(word.to_ne_bytes());
            }
            for part in [name, id] {
                out.extend(part);
                out.resize(out.len().next_multiple_of(4), 0);
            }
            out
        };
        let other = note(1, b"GNU\0", b"abi");
        let own = note(3, b"GNU\0", b"12345678901234567890");
        assert_eq!(
            build_id_among(&[other.clone(), own.clone()].concat()),
            Some(b"12345678901234567890".as_slice())
        );
        assert_eq!(build_id_among(&other), None);
        assert_eq!(build_id_among(&note(3, b"Go\0\0", b"1")), None);
        assert!((0..own.len()).all(|n| build_id_among(&own[..n]).is_none()), "cut short");
        assert_eq!(build_id_among(&[0xff; 40]), None);
    }
}
