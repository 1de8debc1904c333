//! The host's clock.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A time in nanoseconds.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The host's clock: monotonic nanoseconds, the same for the whole process, near the time since 1970.
#[must_use]
pub fn host_time() -> u64 {
    static START: OnceLock<(Instant, u64)> = OnceLock::new();
    let (start, base) = START.get_or_init(|| {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (Instant::now(), u64::try_from(unix.as_nanos()).unwrap_or(1))
    });
    base.saturating_add(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
}
