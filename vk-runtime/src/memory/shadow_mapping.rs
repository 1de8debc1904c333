//! The copy in place of a mapping in the test mode of [`DeviceOptions::shadow_mappings`](crate::DeviceOptions).

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use crate::error::RuntimeError;

/// The byte that it is filled with at first: nothing that the device wrote.
const POISON: u8 = 0xa5;

/// Host memory of the size of a mapping.
pub(crate) struct Shadow {
    start: NonNull<u8>,
    layout: Layout,
}

impl Shadow {
    /// `None` when memory runs out.
    pub(crate) fn new(size: u64) -> Option<Self> {
        let layout = Layout::from_size_align(usize::try_from(size.max(1)).ok()?, 4096).ok()?;
        // SAFETY: the layout's size is not 0.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        // SAFETY: just allocated with this size.
        unsafe { start.as_ptr().write_bytes(POISON, layout.size()) };
        Some(Shadow { start, layout })
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Checks that a range is inside.
    pub(crate) fn check(&self, offset: u64, size: u64) -> Result<(), RuntimeError> {
        match offset.checked_add(size) {
            Some(end) if end <= self.layout.size() as u64 => Ok(()),
            _ => Err(RuntimeError::bug("a range outside a mapping")),
        }
    }

    /// Copies a range to the same place of the mapping.
    ///
    /// # Safety
    /// The range passed `check`; the mapping is as large and elsewhere.
    pub(crate) unsafe fn copy_to(&self, mapping: *mut u8, offset: u64, size: u64) {
        // SAFETY: by the caller's promise.
        unsafe {
            let from = self.start.as_ptr().add(offset as usize);
            std::ptr::copy_nonoverlapping(from, mapping.add(offset as usize), size as usize);
        }
    }

    /// Copies a range from the same place of the mapping.
    ///
    /// # Safety
    /// As [`copy_to`](Self::copy_to).
    pub(crate) unsafe fn copy_from(&self, mapping: *const u8, offset: u64, size: u64) {
        // SAFETY: by the caller's promise.
        unsafe {
            let to = self.start.as_ptr().add(offset as usize);
            std::ptr::copy_nonoverlapping(mapping.add(offset as usize), to, size as usize);
        }
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
