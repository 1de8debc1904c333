//! Addresses of the process: reserved, and memory that lies at several of them.

use std::ffi::c_void;

/// Addresses that nothing else in the process gets. Given back when dropped.
pub(crate) struct Reservation {
    start: *mut c_void,
    size: usize,
}

// SAFETY: a range of addresses without memory: nothing is read or written through the pointer.
unsafe impl Send for Reservation {}
// SAFETY: as above.
unsafe impl Sync for Reservation {}

/// Memory that can be mapped at any number of addresses: all zeros at first, taken page by page when it is used.
pub(crate) struct Pages {
    #[cfg(target_os = "linux")]
    file: std::os::fd::OwnedFd,
    size: usize,
}

/// One of the places where such memory lies. It stays when the [`Pages`] are gone.
pub(crate) struct Mapping {
    start: *mut c_void,
    #[cfg(unix)]
    size: usize,
}

// SAFETY: the pointer is to a shared mapping, which any thread may access, by raw copies; the object only unmaps it.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

/// Below this and from this on no process has memory.
const LOWEST: u64 = 1 << 16;
const HIGHEST: u64 = 1 << 47;
/// Pages of the system, as far as reservations go: where they are larger, reserving fails, and nothing else.
const PAGE: u64 = 4 << 10;

impl Reservation {
    /// True if this system lets addresses be chosen without taking what is there.
    pub(crate) const POSSIBLE: bool = cfg!(target_os = "linux");

    /// Returns whether a process can have this address at all.
    pub(crate) fn is_possible(address: u64) -> bool {
        (LOWEST..HIGHEST).contains(&address)
    }

    /// Reserves the pages, and multiples of `page`, of a range, if all of them are free.
    pub(crate) fn around(address: u64, size: u64, page: u64) -> Option<Self> {
        let page = page.max(PAGE);
        let start = address / page * page;
        let end = address.checked_add(size)?.checked_next_multiple_of(page)?;
        Self::at(start, end - start, page)
    }

    /// Bytes of it.
    pub(crate) fn size(&self) -> u64 {
        self.size as u64
    }

    /// Returns where it begins.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.cast()
    }

    /// Forgets the mapping: its replacement unmaps itself.
    pub(crate) fn forget(self) {
        std::mem::forget(self);
    }
}

#[cfg(target_os = "linux")]
impl Reservation {
    /// Reserves a range, if all of it is free and begins at a multiple of `align`.
    pub(crate) fn at(address: u64, size: u64, align: u64) -> Option<Self> {
        let end = address.checked_add(size)?;
        if !address.is_multiple_of(align) || !Self::is_possible(address) || end > HIGHEST || size == 0 {
            return None;
        }
        let wanted = std::ptr::with_exposed_provenance_mut::<c_void>(usize::try_from(address).ok()?);
        let size = usize::try_from(size).ok()?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new mapping without access rights, which replaces none that is there.
        let start = unsafe { libc::mmap(wanted, size, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let reservation = Reservation { start, size };
        // Kernels before 4.17 take the address for a wish.
        (start == wanted).then_some(reservation)
    }

    /// Makes it ordinary memory, all zeros, taken page by page when it is used. Children by fork do not have it: a page that a device
    /// knows would be the child's or the parent's from then on. Returns whether the system gives it.
    pub(crate) fn open(&self) -> bool {
        // SAFETY: the range is this object's, and nobody has a pointer into it yet that could be followed.
        unsafe {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let opened = libc::mprotect(self.start, self.size, rights) == 0;
            // Larger pages take less to fault in and to pin; without them it is slower.
            libc::madvise(self.start, self.size, libc::MADV_HUGEPAGE);
            opened && libc::madvise(self.start, self.size, libc::MADV_DONTFORK) == 0
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Reservation {
    pub(crate) fn at(_address: u64, _size: u64, _align: u64) -> Option<Self> {
        None
    }

    pub(crate) fn open(&self) -> bool {
        false
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `at` and nothing has replaced it (`forget`); once.
        #[cfg(unix)]
        unsafe {
            libc::munmap(self.start, self.size);
        }
    }
}

impl Mapping {
    /// Returns where it begins.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.cast()
    }
}

impl Pages {
    /// Bytes of each mapping.
    pub(crate) fn size(&self) -> u64 {
        self.size as u64
    }
}

#[cfg(target_os = "linux")]
impl Pages {
    /// This many bytes, or a few more.
    pub(crate) fn new(size: u64) -> Option<Self> {
        use std::os::fd::{AsRawFd, FromRawFd};
        let size = usize::try_from(size.checked_next_multiple_of(64 << 10)?).ok()?;
        let length = libc::off_t::try_from(size).ok()?;
        // SAFETY: a name that ends in 0, and a known flag.
        let file = unsafe { libc::memfd_create(c"pumice shared memory".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return None;
        }
        // SAFETY: just opened, and nobody else has it.
        let file = unsafe { std::os::fd::OwnedFd::from_raw_fd(file) };
        // SAFETY: an open file of our own.
        let sized = unsafe { libc::ftruncate(file.as_raw_fd(), length) } == 0;
        sized.then_some(Pages { file, size })
    }

    /// One more place for it, which the system chooses.
    pub(crate) fn map(&self) -> Option<Mapping> {
        self.map_at(std::ptr::null_mut())
    }

    /// The same far below where the system puts such things: around what lies as far below these as that does there is nothing.
    pub(crate) fn map_afar(&self) -> Option<Mapping> {
        const FAR: usize = 1 << 38;
        let usual = self.map()?;
        self.map_at(usual.start.wrapping_byte_sub(FAR))
    }

    fn map_at(&self, wish: *mut c_void) -> Option<Mapping> {
        use std::os::fd::AsRawFd;
        let (rights, file) = (libc::PROT_READ | libc::PROT_WRITE, self.file.as_raw_fd());
        // SAFETY: a new mapping of an open file, which is as large; a wish is not granted where something is.
        let start = unsafe { libc::mmap(wish, self.size, rights, libc::MAP_SHARED, file, 0) };
        (start != libc::MAP_FAILED).then_some(Mapping { start, size: self.size })
    }
}

#[cfg(not(target_os = "linux"))]
impl Pages {
    pub(crate) fn new(_size: u64) -> Option<Self> {
        None
    }

    pub(crate) fn map(&self) -> Option<Mapping> {
        None
    }

    pub(crate) fn map_afar(&self) -> Option<Mapping> {
        None
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `Pages::map`, of this size; whoever used it kept this object.
        #[cfg(unix)]
        unsafe {
            libc::munmap(self.start, self.size);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_not_reserved() {
        let twin = Pages::new(1 << 20).and_then(|pages| pages.map()).expect("memory");
        let address = twin.start().addr() as u64;
        assert!(Reservation::at(address, 64 << 10, 4096).is_none());
        assert!(Reservation::at(address + 1, 64 << 10, 4096).is_none() && !Reservation::is_possible(0));
        drop(twin);
        let reserved = Reservation::at(address, 1 << 20, 4096);
        // Another thread may have taken the addresses meanwhile.
        if let Some(reserved) = reserved {
            assert_eq!(reserved.start().addr() as u64, address);
            assert!(Reservation::at(address + (512 << 10), 4096, 4096).is_none());
        }
    }

    #[test]
    fn all_mappings_are_one_memory() {
        let pages = Pages::new(100).expect("memory");
        let [first, second] = [(); 2].map(|()| pages.map().expect("a mapping"));
        assert!(pages.size() >= 100 && first.start() != second.start());
        drop(pages);
        // SAFETY: both are mapped, and hold eight bytes.
        unsafe {
            first.start().cast::<u64>().write(0x1234_5678_9abc_def0);
            assert_eq!(second.start().cast::<u64>().read(), 0x1234_5678_9abc_def0);
        }
    }
}
