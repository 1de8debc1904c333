//! Host memory that commands which are recorded have yet to write.
//!
//! A read that is not waited for copies to the application's memory when the device has come so far; commands that depend on it
//! are recorded before that. Commands which take data from the application's memory then look here whether it is to be written
//! first: if so they, too, do their part as host work, which runs in the order of dependence.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

/// The ranges of a context, by their starts and numbers.
#[derive(Default)]
pub(crate) struct Pending {
    ranges: Mutex<(u64, BTreeMap<u64, Range<usize>>)>,
    /// How many there are: changed under the lock, read without it.
    count: AtomicUsize,
}

/// A range that is to be written; until this is dropped.
pub(crate) struct Mark {
    pending: Arc<Pending>,
    number: u64,
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Range<usize>>)> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a byte of a range is to be written.
    pub(crate) fn overlaps(&self, start: usize, size: u64) -> bool {
        // Whoever enqueued the command that a range is of comes here afterwards.
        if self.count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        self.lock().1.values().any(|r| r.start < end && start < r.end)
    }
}

impl Mark {
    /// Notes a range.
    pub(crate) fn new(pending: &Arc<Pending>, start: usize, size: u64) -> Self {
        let end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        let mut guard = pending.lock();
        let (next, ranges) = &mut *guard;
        *next += 1;
        let number = *next;
        ranges.insert(number, start..end);
        pending.count.store(ranges.len(), Ordering::Release);
        drop(guard);
        Mark { pending: pending.clone(), number }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let mut guard = self.pending.lock();
        guard.1.remove(&self.number);
        self.pending.count.store(guard.1.len(), Ordering::Release);
    }
}
