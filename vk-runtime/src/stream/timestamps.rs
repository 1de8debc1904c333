//! Time: the host's clock, the device's timestamps, and how the one becomes the other.
//!
//! Timestamps are reported in nanoseconds of [`host_time`]. With VK_EXT_calibrated_timestamps (or its KHR form) the
//! device's clock is read between two readings of the host's, and again once a second. What is known besides, and without it alone, is
//! that a batch's first timestamp is not before its submission and its last one not after it was seen to be done: the
//! offset is kept inside these bounds.

use crate::device::device_time::DeviceTime;
use crate::device::device_time::TimeBlock;
use crate::device::services::Service;
use crate::process::clock::host_time;
use std::sync::{Arc, PoisonError};
use timeline::sync::Mutex;

use ash::vk;

use crate::device::logical::DeviceInner;
use crate::error::{Call, RuntimeError};
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::Buffer;

/// Timestamps of one query pool.
const QUERIES: u32 = 128;
/// This many are reset at a time: a batch seldom has more than a few.
const RESET: u32 = 8;
/// Bytes of a timestamp.
const TICKS: u64 = 8;
/// After so many nanoseconds clocks may have drifted apart noticeably.
const CALIBRATION_NS: u64 = 1_000_000_000;
/// A bracket of the device's clock by the host's that is no wider than this (nanoseconds) is good enough.
const NARROW_NS: u64 = 10_000;
/// This many brackets are tried: on a busy machine a thread may be suspended within one.
const BRACKETS: u32 = 20;

/// A query pool in use by one batch.
pub(crate) struct Queries {
    raw: vk::QueryPool,
    used: u32,
    times: Arc<TimeBlock>,
    /// Host memory to which the device copies the timestamps, for a driver that cannot be asked
    /// ([`results_wait_for_all`](crate::device::workarounds::Workarounds::results_wait_for_all)).
    copied: Option<Buffer>,
    device: Arc<DeviceInner>,
}

impl Queries {
    pub(crate) fn new(device: &Arc<DeviceInner>) -> Result<Self, RuntimeError> {
        if device.timestamp_bits == 0 {
            return Err(RuntimeError::unsupported(format!(
                "the device '{}' has no timestamps (timestampValidBits is 0)",
                device.target.name
            )));
        }
        let info =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(QUERIES);
        // SAFETY: the device is alive and its queue has timestamps.
        let raw = unsafe { device.raw.create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        device.name(raw, "pumice timestamps");
        // From here on the drop of `queries` cleans up.
        let mut queries =
            Queries { raw, used: 0, times: Arc::default(), copied: None, device: device.clone() };
        if device.workarounds.results_wait_for_all {
            let size = u64::from(QUERIES) * TICKS;
            queries.copied = Some(Buffer::internal(device, size, BufferUse::Download, "timestamps")?);
        }
        queries.reset(QUERIES);
        Ok(queries)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.used >= QUERIES
    }

    /// Records a timestamp: when everything recorded so far has come as far as `stage`.
    pub(crate) fn record(
        &mut self,
        commands: vk::CommandBuffer,
        stage: vk::PipelineStageFlags,
    ) -> DeviceTime {
        // SAFETY: recording under the stream's lock, outside a render pass; the batch owns the pool until it has run;
        // every query is reset before it is written: here, or by the host.
        unsafe {
            if !self.device.resets_queries && self.used.is_multiple_of(RESET) {
                self.device.raw.cmd_reset_query_pool(commands, self.raw, self.used, RESET);
            }
            self.device.raw.cmd_write_timestamp(commands, stage, self.raw, self.used);
        }
        self.used += 1;
        DeviceTime { block: self.times.clone(), index: self.used as usize - 1 }
    }

    /// Records that the device copies what it wrote to host memory, where the driver is not asked for it; whether it does.
    pub(crate) fn copy(&self, commands: vk::CommandBuffer) -> bool {
        let Some(copied) = self.copied.as_ref().filter(|_| self.used > 0) else { return false };
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        let to = copied.inner.raw;
        // SAFETY: recording under the stream's lock, outside a render pass; the queries are written before, in this command buffer;
        // the buffer has room for all of the pool's and lives as long as it.
        unsafe {
            self.device
                .raw
                .cmd_copy_query_pool_results(commands, self.raw, 0, self.used, to, 0, TICKS, flags);
        }
        true
    }

    /// Returns what the device wrote; the batch has run.
    fn ticks(&self) -> Result<Vec<u64>, RuntimeError> {
        let mut ticks = vec![0u64; self.used as usize];
        if let Some(copied) = &self.copied {
            let mut bytes = vec![0; ticks.len() * TICKS as usize];
            self.device.memory.read(copied.inner.part()?, 0, &mut bytes)?;
            let words = bytes.as_chunks().0.iter().map(|b| u64::from_ne_bytes(*b));
            return Ok(words.collect());
        }
        if self.used > 0 {
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: these queries were written by the batch, which has run; the array is what 64-bit results need.
            unsafe { self.device.raw.get_query_pool_results(self.raw, 0, &mut ticks, flags) }
                .call("vkGetQueryPoolResults")?;
        }
        Ok(ticks)
    }

    /// Reads what the device wrote; the batch has run. `submitted_at`: host time of its submission.
    pub(crate) fn read(&mut self, submitted_at: u64) -> Result<(), RuntimeError> {
        let ticks = self.ticks()?;
        let times = self.device.service::<Clock>().to_host(&self.device, &ticks, submitted_at);
        let _ = self.times.nanos.set(Ok(times));
        Ok(())
    }

    pub(crate) fn fail(&mut self, error: &RuntimeError) {
        let _ = self.times.nanos.set(Err(error.clone()));
    }

    /// The host resets the first queries, where it can: of the device's commands each reset takes it some microseconds.
    fn reset(&self, count: u32) {
        if self.device.resets_queries && count > 0 {
            // SAFETY: the feature is enabled; no submission uses the pool, which is the caller's alone.
            unsafe { self.device.raw.reset_query_pool(self.raw, 0, count) };
        }
    }

    /// Ready for another batch.
    pub(crate) fn renew(&mut self) {
        self.reset(self.used);
        self.used = 0;
        self.times = Arc::default();
    }
}

impl Drop for Queries {
    fn drop(&mut self) {
        // SAFETY: a batch that writes it owns it until it has run; destroyed once.
        unsafe { self.device.raw.destroy_query_pool(self.raw, None) };
    }
}

/// The state of a device's clock.
#[derive(Default)]
pub(crate) struct Clock {
    known: Mutex<Option<Calibration>>,
}

/// The same moment by both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Calibration {
    ticks: u64,
    host: u64,
}

impl Service for Clock {
    fn new(_: &DeviceInner) -> Self {
        Self::default()
    }
}

impl Clock {
    /// Timestamps of one batch, in order, to host time.
    fn to_host(&self, device: &DeviceInner, ticks: &[u64], submitted_at: u64) -> Vec<u64> {
        let (Some(first), Some(last)) = (ticks.first(), ticks.last()) else { return Vec::new() };
        let rate = Rate::for_device(device);
        let now = host_time();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = known.is_some_and(|c| now.saturating_sub(c.host) < CALIBRATION_NS);
        let calibration = match *known {
            Some(c) if device.calibrated.is_some() && fresh => Some(c),
            old => device.calibrate().or(old),
        };
        let calibration = rate.bounded(calibration, (*first, submitted_at), (*last, now));
        *known = Some(calibration);
        drop(known);
        ticks.iter().map(|t| rate.convert(calibration, *t)).collect()
    }
}

/// How ticks count.
#[derive(Debug, Clone, Copy)]
struct Rate {
    bits: u32,
    /// Nanoseconds per tick.
    period: f64,
}

impl Rate {
    fn for_device(device: &DeviceInner) -> Self {
        Rate { bits: device.timestamp_bits, period: f64::from(device.timestamp_period) }
    }

    /// Nanoseconds from one tick count to another; only so many bits of a timestamp count, and they may wrap around.
    fn between(self, from: u64, to: u64) -> i64 {
        let shift = 64 - self.bits.clamp(1, 64);
        let ticks = (to.wrapping_sub(from) << shift).cast_signed() >> shift;
        (ticks as f64 * self.period).round() as i64
    }

    fn convert(self, known: Calibration, ticks: u64) -> u64 {
        known.host.saturating_add_signed(self.between(known.ticks, ticks))
    }

    /// A calibration that puts the first timestamp not before the submission and the last not after `end`: the old one
    /// where it does, else the nearest that does (the end counts more, should both not be possible).
    fn bounded(self, old: Option<Calibration>, begin: (u64, u64), end: (u64, u64)) -> Calibration {
        let mut c = old.unwrap_or(Calibration { ticks: end.0, host: end.1 });
        if self.convert(c, begin.0) < begin.1 {
            c = Calibration { ticks: begin.0, host: begin.1 };
        }
        if self.convert(c, end.0) > end.1 {
            c = Calibration { ticks: end.0, host: end.1 };
        }
        c
    }
}

impl DeviceInner {
    /// Reads both clocks at once: the first bracket that is narrow, else the narrowest.
    fn calibrate(&self) -> Option<Calibration> {
        let calibrated = self.calibrated.as_ref()?;
        let info = [vk::CalibratedTimestampInfoKHR::default().time_domain(vk::TimeDomainKHR::DEVICE)];
        let mut best: Option<(u64, Calibration)> = None;
        for _ in 0..BRACKETS {
            let (mut ticks, mut deviation) = ([0u64], 0u64);
            let before = host_time();
            // SAFETY: the extension is enabled and has the DEVICE domain; one info and one result.
            let result = unsafe {
                (calibrated.call)(self.raw.handle(), 1, info.as_ptr(), ticks.as_mut_ptr(), &raw mut deviation)
            };
            let width = host_time() - before;
            if result == vk::Result::SUCCESS && best.is_none_or(|(w, _)| width < w) {
                best = Some((width, Calibration { ticks: ticks[0], host: before + width / 2 }));
            }
            if width <= NARROW_NS {
                break;
            }
        }
        best.map(|(_, c)| c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_to_nanoseconds() {
        let rate = |bits, period| Rate { bits, period };
        assert_eq!(rate(64, 1.0).between(10, 110), 100);
        assert_eq!(rate(36, 2.5).between(10, 110), 250);
        assert_eq!(rate(36, 1.0).between((1 << 36) - 5, 5), 10, "wrapped around");
        assert_eq!(rate(36, 1.0).between(5, (1 << 36) - 5), -10, "before the calibration");
        // Bits beyond the valid ones are undefined.
        assert_eq!(rate(36, 1.0).between(7 << 40 | 1, 9 << 40 | 3), 2);
    }

    #[test]
    fn offsets_stay_within_what_was_seen() {
        let rate = Rate { bits: 64, period: 1.0 };
        let at = |c: Calibration, t| rate.convert(c, t);
        let first = rate.bounded(None, (100, 1000), (200, 1500));
        assert_eq!(at(first, 200), 1500, "seen done at 1500");
        assert_eq!(rate.bounded(Some(first), (300, 1550), (400, 1900)), first, "nothing new");
        let tighter = rate.bounded(Some(first), (500, 1700), (600, 1850));
        assert_eq!(at(tighter, 600), 1850, "done earlier than thought");
        let later = rate.bounded(Some(tighter), (700, 2500), (800, 2700));
        assert_eq!(at(later, 700), 2500, "not before its submission");
    }

    #[test]
    fn host_time_goes_on() {
        let first = host_time();
        assert!(first > 1_600_000_000_000_000_000 && host_time() >= first);
    }
}
