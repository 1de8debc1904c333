//! The files that are loaded into this process: this library's own, its build ID, and the read-only data of others.

#[cfg(unix)]
use std::ffi::CStr;
use std::ffi::c_void;
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::ops::ControlFlow;

/// The file that this library was loaded from.
#[cfg(unix)]
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

/// The file that this library was loaded from.
#[cfg(windows)]
pub(crate) fn own_file() -> Option<std::path::PathBuf> {
    use std::os::windows::ffi::OsStringExt;
    use windows_sys::Win32::System::LibraryLoader::{
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
        GetModuleFileNameW, GetModuleHandleExW,
    };
    let here: fn() -> Option<std::path::PathBuf> = own_file;
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    let mut module = std::ptr::null_mut();
    // SAFETY: the flags say that the name is an address, which is that of a function of this library; the place is valid.
    if unsafe { GetModuleHandleExW(flags, (here as *const c_void).cast(), &raw mut module) } == 0 {
        return None;
    }
    // The longest path that Windows has.
    let mut name = vec![0; 1 << 15];
    // SAFETY: an open module, and a place for as many characters as are told.
    let length = unsafe { GetModuleFileNameW(module, name.as_mut_ptr(), name.len() as u32) } as usize;
    (0 < length && length < name.len()).then(|| std::ffi::OsString::from_wide(&name[..length]).into())
}

/// The build ID of the file that this library was loaded from: a hash of its contents that the linker noted there. `None` where it has
/// none.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn build_id() -> Option<&'static [u8]> {
    let here: fn() -> Option<&'static [u8]> = build_id;
    let mut id = None;
    each_file(|file| {
        if !file.holds(here as usize) {
            return ControlFlow::Continue(());
        }
        for header in file.headers.iter().filter(|header| header.p_type == libc::PT_NOTE) {
            let notes = std::ptr::with_exposed_provenance::<u8>(file.start(header));
            // SAFETY: the segment is mapped, and stays so: this library is never unloaded (`-z nodelete`).
            let notes = unsafe { std::slice::from_raw_parts(notes, header.p_memsz as usize) };
            id = id.or_else(|| build_id_among(notes));
        }
        ControlFlow::Break(())
    });
    id
}

/// Elsewhere files have none.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn build_id() -> Option<&'static [u8]> {
    None
}

/// A file whose name begins with `name` is loaded, and its read-only data hold all of the texts.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn is_loaded(name: &str, texts: &[&[u8]]) -> bool {
    let mut found = false;
    each_file(|file| {
        let file_name = file.path.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        if file_name.starts_with(name.as_bytes()) {
            found = texts.iter().all(|text| file.read_only().any(|data| contains(data, text)));
        }
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// Elsewhere nothing is known of other files.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn is_loaded(_: &str, _: &[&[u8]]) -> bool {
    false
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn contains(data: &[u8], text: &[u8]) -> bool {
    data.windows(text.len()).any(|window| window == text)
}

/// A loaded file, while [`each_file`] shows it.
#[cfg(any(target_os = "linux", target_os = "android"))]
struct LoadedFile<'a> {
    path: &'a CStr,
    /// The difference between addresses here and those in the file.
    base: usize,
    headers: &'a [Header],
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl LoadedFile<'_> {
    fn start(&self, header: &Header) -> usize {
        self.base.wrapping_add(header.p_vaddr as usize)
    }

    /// The segments that are mapped.
    fn mapped(&self) -> impl Iterator<Item = &Header> {
        self.headers.iter().filter(|header| header.p_type == libc::PT_LOAD)
    }

    fn holds(&self, address: usize) -> bool {
        self.mapped().any(|header| address.wrapping_sub(self.start(header)) < header.p_memsz as usize)
    }

    /// The segments that can be read and never written.
    fn read_only(&self) -> impl Iterator<Item = &[u8]> {
        // ELF's flags of segments, which the libc crate does not have for Android.
        const WRITABLE: u32 = 2;
        const READABLE: u32 = 4;
        let is = |header: &&Header| header.p_flags & (READABLE | WRITABLE) == READABLE;
        self.mapped().filter(is).map(|header| {
            let data = std::ptr::with_exposed_provenance::<u8>(self.start(header));
            // SAFETY: the segment is mapped for reading and never written. No file is unloaded while `each_file` shows it:
            // dl_iterate_phdr holds the dynamic linker's lock.
            unsafe { std::slice::from_raw_parts(data, header.p_memsz as usize) }
        })
    }
}

/// Shows each loaded file to a function, until that says to stop.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn each_file<F: FnMut(&LoadedFile<'_>) -> ControlFlow<()>>(mut visit: F) {
    unsafe extern "C" fn look<F: FnMut(&LoadedFile<'_>) -> ControlFlow<()>>(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        visit: *mut c_void,
    ) -> libc::c_int {
        // SAFETY: dl_iterate_phdr gives a file's description, and the function that was given to it.
        let (info, visit) = unsafe { (&*info, &mut *visit.cast::<F>()) };
        if info.dlpi_phdr.is_null() || info.dlpi_name.is_null() {
            return 0;
        }
        // SAFETY: the description has a NUL-terminated name, and so many program headers.
        let (path, headers) = unsafe {
            let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            (CStr::from_ptr(info.dlpi_name), headers)
        };
        visit(&LoadedFile { path, base: info.dlpi_addr as usize, headers }).is_break().into()
    }
    // SAFETY: the function takes what it is given here.
    unsafe { libc::dl_iterate_phdr(Some(look::<F>), (&raw mut visit).cast()) };
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
    fn loaded_files_are_known_by_name_and_text() {
        assert!(is_loaded("libc", &[b"GNU C Library"]) || is_loaded("libc", &[b"GLIBC_2"]));
        assert!(!is_loaded("libc", &[b"GLIBC_2", b"a text that \x00no library has"]));
        assert!(!is_loaded("libnosuch", &[]));
    }

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
