//! Moments on a device, in the host's time once they are known.

use std::sync::{Arc, OnceLock, PoisonError};
use timeline::sync::Mutex;

use crate::error::RuntimeError;

/// A moment on the device: when everything recorded before it was done.
#[derive(Clone)]
pub struct DeviceTime {
    pub(crate) block: Arc<TimeBlock>,
    pub(crate) index: usize,
}

impl std::fmt::Debug for DeviceTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DeviceTime").field(&self.nanos()).finish()
    }
}

impl DeviceTime {
    /// The moment in nanoseconds of [`host_time`](crate::process::clock::host_time); `None` while the stream has not been seen to reach its value.
    ///
    /// # Errors
    /// Driver when the device was lost before.
    pub fn nanos(&self) -> Result<Option<u64>, RuntimeError> {
        match self.block.nanos.get() {
            None => Ok(None),
            Some(Err(e)) => Err(e.clone()),
            Some(Ok(times)) => Ok(times.get(self.index).copied()),
        }
    }
}

/// When something started and when it ended.
pub type StartEnd = (DeviceTime, DeviceTime);

/// The timestamps of one query pool's use, in host time, once they are there.
#[derive(Default)]
pub(crate) struct TimeBlock {
    pub(crate) nanos: OnceLock<Result<Vec<u64>, RuntimeError>>,
}

/// When commands started and ended that were recorded by [`Queue::timed`](crate::Queue::timed).
#[derive(Debug, Default)]
pub struct Span {
    times: Mutex<Option<(DeviceTime, DeviceTime)>>,
}

impl Span {
    /// The start of the first of them and the end of the last; `None` where nothing was recorded for the device.
    #[must_use]
    pub fn times(&self) -> Option<(DeviceTime, DeviceTime)> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes more of them.
    pub(crate) fn note(&self, start: DeviceTime, end: DeviceTime) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let start = times.take().map_or(start, |(first, _)| first);
        *times = Some((start, end));
    }
}
