//! The time that a stream's commands take: others that share the stream wait for it.
//!
//! The known facts are what somebody saw: the timeline stood still for so long while there was work. That is at least how long a batch ran
//! (or waited for another stream, which is as bad).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::process::clock::host_time;

/// The time, in nanoseconds, below which commands are of no interest: ten times what it takes to wait for another stream.
const LONG: u64 = 100_000;
/// The stream counts as one with long things from so much on: more than a device takes, now and then, to turn from one program's
/// work to another's (200 µs on an H200).
const MUCH: u64 = 1_000_000;
/// The factor of the time after which an observation is forgotten: so much at most is lost by another try.
const REMEMBERED: u64 = 20;

/// How long a stream's batches run.
#[derive(Default)]
pub(crate) struct RunTime {
    /// When all will be forgotten, in the host's time.
    until: AtomicU64,
}

impl RunTime {
    /// A batch was seen to run for at least so many nanoseconds. Returns whether that is of interest: it is not to be told again.
    pub(crate) fn saw(&self, nanos: u64) -> bool {
        if nanos < LONG {
            return false;
        }
        let (now, more) = (host_time(), nanos.saturating_mul(REMEMBERED));
        // Not for longer than the last one is worth: programs do one thing after another.
        let most = now.saturating_add(more.max(2 * MUCH * REMEMBERED));
        let add = |until: u64| Some(until.max(now).saturating_add(more).min(most.max(until)));
        let _ = self.until.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        true
    }

    /// Returns whether what took long of late was much.
    pub(crate) fn is_long(&self) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        until > 0 && until.saturating_sub(host_time()) >= MUCH * REMEMBERED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_remembered_for_a_while() {
        let pace = RunTime::default();
        for _ in 0..1000 {
            pace.saw(LONG - 1);
        }
        pace.saw(MUCH / 2);
        assert!(!pace.is_long());
        pace.saw(MUCH);
        assert!(pace.is_long());
        let pace = RunTime::default();
        for _ in 0..1000 {
            pace.saw(MUCH);
        }
        assert!(pace.is_long());
        assert!(pace.until.load(Ordering::Relaxed) <= host_time() + 2 * MUCH * REMEMBERED);
        let pace = RunTime::default();
        pace.saw(MUCH + 100_000);
        assert!(pace.is_long());
        std::thread::sleep(std::time::Duration::from_millis(3));
        assert!(!pace.is_long());
    }
}
