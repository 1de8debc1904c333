//! The order of commands on images of a context's buffers.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use vk_runtime::sync::{Mutex, MutexGuard};

/// A lock that commands on mirrors hold while they are recorded: none comes between the copies of another one in and back.
#[derive(Default)]
pub(crate) struct MirrorOrder {
    lock: Mutex<()>,
    /// How often something was copied to a mirror.
    brought: AtomicU64,
}

impl MirrorOrder {
    /// To be held from the first copy to a mirror until its texels are back in the buffer.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a copy to a mirror.
    pub(crate) fn count(&self) {
        self.brought.fetch_add(1, Ordering::Relaxed);
    }

    /// For tests: how often something was copied to a mirror.
    pub(crate) fn brought(&self) -> u64 {
        self.brought.load(Ordering::Relaxed)
    }
}
