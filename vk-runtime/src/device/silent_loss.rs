//! A loss that timelines do not tell of, injected for tests: what NVIDIA's driver does ([`loss_watch`](crate::stream::loss_watch)).
//!
//! From the loss on timelines stand still: what is submitted later is not seen to be done, although it is. Fences tell of it a moment later, or never:
//! that is a kernel that hangs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError};
use std::time::{Duration, Instant};
use timeline::sync::Mutex;

use ash::vk;

use crate::device::options::is_the_last;

/// So long after the loss a fence tells of it. NVIDIA's driver takes a second.
const TOLD_AFTER: Duration = Duration::from_millis(10);

/// The silence of a lost device.
#[derive(Default)]
pub(crate) struct SilentLoss {
    /// How many submissions and waits are left before it begins; 0: it does not.
    left: AtomicU64,
    /// Fences tell.
    fence_reports: AtomicBool,
    begun: OnceLock<Instant>,
    /// The value of each timeline when it was first looked at, which a submission does first.
    stand: Mutex<Vec<(vk::Semaphore, u64)>>,
}

impl SilentLoss {
    /// It begins with the n-th submission or wait from now.
    pub(crate) fn begin_after(&self, n: u64, fence_reports: bool) {
        self.fence_reports.store(fence_reports, Ordering::Relaxed);
        self.left.store(n, Ordering::Relaxed);
    }

    /// A submission or wait is about to happen.
    pub(crate) fn count(&self) {
        if is_the_last(&self.left) {
            log::warn!("timelines stand still (injected)");
            let _ = self.begun.set(Instant::now());
        }
    }

    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.get().is_some()
    }

    /// Returns whether a fence tells of the loss by now.
    pub(crate) fn fence_reports(&self) -> bool {
        self.fence_reports.load(Ordering::Relaxed)
            && self.begun.get().is_some_and(|begun| begun.elapsed() >= TOLD_AFTER)
    }

    /// Returns where a timeline stands.
    pub(crate) fn stands<E>(
        &self,
        timeline: vk::Semaphore,
        look: impl FnOnce() -> Result<u64, E>,
    ) -> Result<u64, E> {
        let mut stand = self.stand.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = stand.iter().find(|(known, _)| *known == timeline) {
            return Ok(*value);
        }
        let value = look()?;
        stand.push((timeline, value));
        Ok(value)
    }
}
