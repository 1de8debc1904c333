//! The watch for the loss of a device that gets no further.
//!
//! Vulkan tells of a loss by what its commands return, but NVIDIA's driver not by all: vkGetSemaphoreCounterValue goes on to succeed, and so does
//! vkQueueSubmit, while vkWaitForFences fails a second after the fault ([`timelines_hide_loss`](crate::Workarounds::timelines_hide_loss)). So once
//! a stream has stood still for a while, whoever waits for it or polls it also asks a fence behind all that its VkQueue has. A kernel that runs long costs one
//! empty submission by that, and is never taken for a fault.
//!
//! NVIDIA's driver tells of a write to no memory, not of a read ([`hides_faults`](crate::Workarounds::hides_faults)): where a stream has stood still for a second, the
//! device is [probed](crate::stream::fault_probe).
//!
//! Nothing tells a kernel that never ends from one that runs long. The user may set a limit ([`DeviceOptions::watchdog`](crate::DeviceOptions::watchdog)):
//! a device on which nothing ends for longer counts as lost.

use std::time::Duration;

use ash::vk;

use crate::device::logical::DeviceInner;
use crate::device::loss::injected;
use crate::error::{Call, RuntimeError};
use crate::process::clock::{host_time, nanos};
use crate::stream::fault_probe::Verdict;
use crate::stream::state::State;

/// A stream's observations of a device that stands still.
#[derive(Default)]
pub(crate) struct LossWatch {
    /// A fence behind everything that the VkQueue had when the fence was submitted; null until it is needed.
    fence: vk::Fence,
    /// The fence is on its way.
    pending: bool,
    /// When the device last got on, or was given work after it had none, in the host's time.
    pub(crate) alive: u64,
    /// When it was last asked.
    asked: u64,
    /// Somebody was told that it may hang.
    warned: bool,
}

/// A kernel that takes longer may be one that hangs.
const LONG: Duration = Duration::from_secs(10);

impl State {
    /// The device has not got on since the last look: asks whether it is lost, if it has stood still for long enough.
    ///
    /// # Errors
    /// The loss, which has been seen to.
    pub(crate) fn watch(&mut self) -> Result<(), RuntimeError> {
        let (now, every) = (host_time(), nanos(self.device.tune.watch));
        let still = now.saturating_sub(self.watch.alive);
        if self.in_flight.is_empty() || still < every || now.saturating_sub(self.watch.asked) < every / 2 {
            return Ok(());
        }
        self.watch.asked = now;
        if still >= nanos(LONG) && self.device.workarounds.hides_faults && !self.watch.warned {
            self.watch.warned = true;
            log::warn!(
                "device '{}': nothing has ended for {LONG:?}; on their way: {}. PUMICE_WATCHDOG=SECONDS limits the wait for a kernel that never ends",
                self.device.target.name,
                self.kernels_under_way()
            );
        }
        let result = match self.device.watchdog {
            Some(limit) if still >= nanos(limit) => Err(RuntimeError::Hung { time: limit }),
            _ => self.ask().and_then(|()| self.probe(still, now)),
        };
        result.map_err(|e| self.lose(e))
    }

    /// Asks the device itself, where the driver hides faults: what executes nothing any more is lost.
    fn probe(&self, still: u64, now: u64) -> Result<(), RuntimeError> {
        if self.device.for_probes.is_none() || still < nanos(self.device.tune.probe) {
            return Ok(());
        }
        match self.shared.probe(now)? {
            Verdict::Unknown => Ok(()),
            Verdict::Dead => Err(RuntimeError::Faulted { time: Duration::from_nanos(still) }),
        }
    }

    /// Asks the driver whether the device is lost.
    fn ask(&mut self) -> Result<(), RuntimeError> {
        let device = &self.device;
        if let Some(silence) = device.modes.silence() {
            return if silence.fence_reports() { Err(injected("vkWaitForFences")) } else { Ok(()) };
        }
        if !device.asks_fences {
            return Ok(());
        }
        if !self.watch.pending {
            self.watch.renew(device)?;
            let queue = device.lock_queue(self.index);
            // SAFETY: the VkQueue is locked; the fence is unsignalled and in no submission.
            unsafe { device.raw.queue_submit(*queue, &[], self.watch.fence) }.call("vkQueueSubmit")?;
            self.watch.pending = true;
        }
        // SAFETY: the fence is alive, by the stream's lock.
        match unsafe { device.raw.wait_for_fences(&[self.watch.fence], true, 0) } {
            Err(vk::Result::TIMEOUT) => Ok(()),
            other => {
                self.watch.pending = false;
                other.call("vkWaitForFences")
            }
        }
    }
}

impl LossWatch {
    /// A fence that is not signalled.
    fn renew(&mut self, device: &DeviceInner) -> Result<(), RuntimeError> {
        if self.fence == vk::Fence::null() {
            let info = vk::FenceCreateInfo::default();
            // SAFETY: the device is alive.
            self.fence = unsafe { device.raw.create_fence(&info, None) }.call("vkCreateFence")?;
            return Ok(());
        }
        // SAFETY: the fence is in no submission any more.
        unsafe { device.raw.reset_fences(&[self.fence]) }.call("vkResetFences")
    }

    /// Destroys the fence, with the stream, whose work was waited for; a fence that is on its way for longer stays.
    pub(crate) fn clear(&mut self, device: &DeviceInner) {
        /// The work before it has ended, so that it comes at once.
        const SOON: Duration = Duration::from_secs(1);
        if self.fence == vk::Fence::null() {
            return;
        }
        let fence = std::mem::take(&mut self.fence);
        // SAFETY: the fence is alive; it is destroyed once, and only if no submission has it.
        unsafe {
            if !self.pending || device.raw.wait_for_fences(&[fence], true, nanos(SOON)).is_ok() {
                device.raw.destroy_fence(fence, None);
            }
        }
    }

    /// The VkQueue has nothing any more.
    pub(crate) fn is_idle(&mut self) {
        self.pending = false;
    }
}
