//! Whether what a stream runs takes long: who shares the stream waits for that.
//!
//! What is known is what somebody saw: the timeline stood still for so long while there was work. That is at least how long a batch ran
//! (or waited for another stream, which is as bad).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::time::host_time;

/// A batch that runs for so long is long, in nanoseconds: ten times what it takes to wait for another stream.
const LONG: u64 = 100_000;
/// A stream counts as one with long batches for so many times as long as one ran: then at most a hundredth of the time is lost by
/// another try.
const REMEMBERED: u64 = 100;

/// How long a stream's batches run.
#[derive(Default)]
pub(crate) struct Pace {
    /// Until then, in the host's time, it counts as one with long batches.
    long_until: AtomicU64,
}

impl Pace {
    /// A batch was seen to run for at least so many nanoseconds.
    pub(crate) fn saw(&self, nanos: u64) {
        if nanos >= LONG {
            self.long_until.fetch_max(host_time() + nanos.saturating_mul(REMEMBERED), Ordering::Relaxed);
        }
    }

    /// Whether a long one was seen of late.
    pub(crate) fn is_long(&self) -> bool {
        let until = self.long_until.load(Ordering::Relaxed);
        until > 0 && until > host_time()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_batches_are_remembered_for_a_while() {
        let pace = Pace::default();
        pace.saw(LONG - 1);
        assert!(!pace.is_long());
        pace.saw(LONG);
        assert!(pace.is_long());
        std::thread::sleep(std::time::Duration::from_nanos(LONG * (REMEMBERED + 1)));
        assert!(!pace.is_long());
    }
}
