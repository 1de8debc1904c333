//! Timestamps around a launch.

use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

use crate::device::DeviceInner;
use crate::error::{Call, RuntimeError};
use crate::queue::{Queue, State};

/// Pairs of timestamps in one query pool.
const SLOTS: u32 = 128;

/// How long a command took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Nanoseconds by the device's clock.
    pub ns: u64,
}

/// A launch that is being measured.
pub struct TimedDispatch {
    queue: Queue,
    slot: Arc<TimingSlot>,
    value: u64,
}

/// A query pool with pairs of timestamps.
pub(crate) struct TimingPool {
    pub(crate) raw: vk::QueryPool,
    free: Mutex<Vec<u32>>,
    device: Arc<DeviceInner>,
}

/// A pair of timestamps; goes back to its pool when the launch is done and nobody asks any more.
pub(crate) struct TimingSlot {
    pub(crate) pool: Arc<TimingPool>,
    pub(crate) first: u32,
}

impl std::fmt::Debug for TimedDispatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimedDispatch").field("value", &self.value).finish_non_exhaustive()
    }
}

impl TimedDispatch {
    pub(crate) fn new(queue: Queue, slot: Arc<TimingSlot>, value: u64) -> Self {
        TimedDispatch { queue, slot, value }
    }

    /// The value to [`Queue::wait`] for.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Waits for the launch and returns its time.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn wait(&self) -> Result<Timing, RuntimeError> {
        self.queue.wait(self.value)?;
        let device = &self.slot.pool.device;
        let mut ticks = [0u64; 2];
        // SAFETY: both queries were written by the launch, which is done; the array is what 64-bit results need.
        unsafe {
            device.raw.get_query_pool_results(
                self.slot.pool.raw,
                self.slot.first,
                &mut ticks,
                vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT,
            )
        }
        .call("vkGetQueryPoolResults")?;
        Ok(Timing { ns: elapsed(ticks, device.timestamp_bits, device.timestamp_period) })
    }
}

/// Nanoseconds between two timestamps of so many valid bits, which may have wrapped around once.
fn elapsed([start, end]: [u64; 2], bits: u32, period: f32) -> u64 {
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let ticks = end.wrapping_sub(start) & mask;
    (ticks as f64 * f64::from(period)).round() as u64
}

impl TimingPool {
    /// A free pair, from a new pool where needed.
    pub(crate) fn slot(state: &mut State) -> Result<Arc<TimingSlot>, RuntimeError> {
        let device = &state.device;
        if device.timestamp_bits == 0 {
            return Err(RuntimeError::unsupported(format!(
                "the device '{}' has no timestamps (timestampValidBits is 0)",
                device.target.name
            )));
        }
        let take = |pool: &Arc<TimingPool>| {
            let first = pool.free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            Some(Arc::new(TimingSlot { pool: pool.clone(), first }))
        };
        if let Some(slot) = state.timings.as_ref().and_then(take) {
            return Ok(slot);
        }
        let info =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(SLOTS * 2);
        // SAFETY: the device is alive and its queue has timestamps.
        let raw = unsafe { device.raw.create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        device.name(raw, "pumice timestamps");
        let free = Mutex::new((0..SLOTS).map(|i| i * 2).collect());
        let pool = Arc::new(TimingPool { raw, free, device: device.clone() });
        let slot = take(&pool).ok_or_else(|| RuntimeError::bug("a new query pool is full"))?;
        state.timings = Some(pool);
        Ok(slot)
    }
}

impl Drop for TimingSlot {
    fn drop(&mut self) {
        self.pool.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.first);
    }
}

impl Drop for TimingPool {
    fn drop(&mut self) {
        // SAFETY: batches that write its queries hold an Arc of a slot, and so of the pool; destroyed once.
        unsafe { self.device.raw.destroy_query_pool(self.raw, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::elapsed;

    #[test]
    fn ticks_to_nanoseconds() {
        assert_eq!(elapsed([10, 110], 64, 1.0), 100);
        assert_eq!(elapsed([10, 110], 36, 2.5), 250);
        assert_eq!(elapsed([(1 << 36) - 5, 5], 36, 1.0), 10, "wrapped around");
        // Bits beyond the valid ones are undefined.
        assert_eq!(elapsed([7 << 40 | 1, 9 << 40 | 3], 36, 1.0), 2);
    }
}
