//! A probe that shows if a device that gets no further executes anything at all: the way to notice a fault of which the driver tells by no call
//! ([`hides_faults`](crate::Workarounds::hides_faults)).
//!
//! A probe is a dispatch of many small work-groups that count themselves, some for each multiprocessor, in a VkQueue that nothing else uses. On NVIDIA's driver (580,
//! H200; docs/explanation/faults.md) three things may become of it:
//!
//! - All work-groups run, within a millisecond: the device works, and what it does not end runs long. This is so while any multiprocessor has room.
//! - Some run and the others never do. A multiprocessor whose kernel has faulted keeps its place and takes work-groups, but executes nothing.
//! - None run: either right work-groups leave no room, or a faulted one holds up the launch of others. A [`Meter`](crate::process::nvml::Meter) tells which it is, where there is one:
//!   after a fault nothing is executed.
//!
//! A right kernel is never taken for one that has faulted: it lets probes through, or it executes something. Without a meter nothing is concluded: a right kernel
//! whose work-groups take seconds each may let some of a probe's through and hold up the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ash::vk;
use smallvec::SmallVec;

use crate::device::logical::{Device, DeviceInner};
use crate::error::{Call, RuntimeError};
use crate::kernel::helpers::load_probe;
use crate::kernel::program::{Kernel, Pipeline};
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::Buffer;
use crate::process::clock::nanos;

/// Work-items of a work-group.
const GROUP: u32 = 32;
/// Work-groups for each multiprocessor: more than it takes at once.
const EACH: u32 = 64;
/// Multiprocessors, where the driver does not tell.
const MANY: u32 = 256;
/// A probe counts as stuck when nothing has come of it for so long.
const STUCK: Duration = Duration::from_millis(500);
/// Another process may keep the GPU for so long: the driver (580) ends work-groups that run for 4.3 s while others wait.
const TURN: Duration = Duration::from_secs(5);
/// The largest number of processes that are waited for. A desktop has more, most of them idle.
const MAX_TURNS: u32 = 6;
/// From one probe to the next.
const APART: Duration = Duration::from_secs(1);

/// The state of a device that gets no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It works, or may do so.
    Unknown,
    /// It executes nothing any more.
    Dead,
}

/// How far a probe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    /// Work-groups that ran.
    ran: u32,
    /// The sum of the streams' values.
    values: u64,
}

/// The verdict on a probe that has not ended, after some time without a change. `idle`: what the GPU's meter says of that time. `others`: how
/// many other processes may have had the GPU then, `None` if that is not known. One small work-group of theirs executes so little that the meter shows nothing.
fn judged(still: Duration, idle: Option<bool>, others: Option<u32>) -> Verdict {
    let stuck = STUCK + TURN * others.unwrap_or(MAX_TURNS).min(MAX_TURNS);
    if still >= stuck && idle == Some(true) { Verdict::Dead } else { Verdict::Unknown }
}

/// A probe that is under way.
struct Running {
    seen: Seen,
    /// When that was seen first, in the host's time.
    since: u64,
    /// When the meter's first look was.
    looked: Option<u64>,
}

/// Probes of a device, one after the other.
pub(crate) struct Probe {
    device: Arc<DeviceInner>,
    kernel: Kernel,
    pipeline: Arc<Pipeline>,
    word: Buffer,
    groups: u32,
    pool: vk::CommandPool,
    commands: [vk::CommandBuffer; 1],
    fence: vk::Fence,
    running: Option<Running>,
    /// When the next one may begin.
    next: u64,
    #[cfg(unix)]
    meter: Option<crate::process::nvml::Meter>,
}

/// Probes, if the device can have them; they are made when they are first needed.
#[derive(Default)]
pub(crate) enum Probes {
    #[default]
    NotYet,
    Without,
    With(Box<Probe>),
}

impl Probes {
    /// Looks at a device that gets no further, whose streams have reached values of this sum. It does not wait.
    ///
    /// # Errors
    /// Driver, when a call fails.
    pub(crate) fn look(
        &mut self,
        device: &Arc<DeviceInner>,
        values: u64,
        now: u64,
    ) -> Result<Verdict, RuntimeError> {
        if let Probes::NotYet = self {
            *self = Probe::new(device)?.map_or(Probes::Without, |probe| Probes::With(Box::new(probe)));
        }
        match self {
            Probes::With(probe) => probe.look(values, now),
            _ => Ok(Verdict::Unknown),
        }
    }
}

impl Probe {
    /// `None` where there is no VkQueue for it, or kernels have no addresses.
    fn new(device: &Arc<DeviceInner>) -> Result<Option<Self>, RuntimeError> {
        if device.for_probes.is_none() || !device.target.has_address_model() {
            return Ok(None);
        }
        let word = Buffer::internal(device, 4, BufferUse::Download, "probe")?;
        if !word.is_coherent() || word.inner.part()?.host_ptr().is_none() {
            return Ok(None);
        }
        let kernel = load_probe(&Device { inner: device.clone() })?;
        let key = kernel.inner.key([GROUP, 1, 1], &SmallVec::new(), (false, &[], &[]), &SmallVec::new());
        let pipeline = kernel.inner.pipeline(&key)?;
        let identity = device.physical.identity()?;
        let most = device.target.limits.max_compute_work_group_count[0];
        let mut probe = Probe {
            device: device.clone(),
            kernel,
            pipeline,
            word,
            groups: (identity.compute_units.unwrap_or(MANY) * EACH).min(most),
            pool: vk::CommandPool::null(),
            commands: [vk::CommandBuffer::null()],
            fence: vk::Fence::null(),
            running: None,
            next: 0,
            #[cfg(unix)]
            meter: identity.pci.and_then(crate::process::nvml::Meter::open),
        };
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: the device is alive and was made with this family; what is made is destroyed by the probe's drop.
        unsafe {
            probe.pool = device.raw.create_command_pool(&pool, None).call("vkCreateCommandPool")?;
            let fence = vk::FenceCreateInfo::default();
            probe.fence = device.raw.create_fence(&fence, None).call("vkCreateFence")?;
        }
        probe.record()?;
        Ok(Some(probe))
    }

    /// Records the dispatch.
    fn record(&mut self) -> Result<(), RuntimeError> {
        let (raw, kernel) = (&self.device.raw, &self.kernel.inner);
        let address =
            self.word.inner.address.ok_or_else(|| RuntimeError::bug("a buffer without an address"))?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: the pool, the pipeline, its layout and the buffer live as long as the probe; the push constants are the layout's.
        unsafe {
            let list = raw.allocate_command_buffers(&info).call("vkAllocateCommandBuffers")?;
            self.commands[0] = *list.first().ok_or_else(|| RuntimeError::bug("no command buffer"))?;
            let commands = self.commands[0];
            raw.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .call("vkBeginCommandBuffer")?;
            raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, self.pipeline.raw);
            let compute = vk::ShaderStageFlags::COMPUTE;
            raw.cmd_push_constants(commands, kernel.layout, compute, 0, &address.to_le_bytes());
            raw.cmd_dispatch(commands, self.groups, 1, 1);
            raw.end_command_buffer(commands).call("vkEndCommandBuffer")
        }
    }

    /// The word that work-groups count in.
    fn word(&self) -> Result<&AtomicU32, RuntimeError> {
        let place =
            self.word.inner.part()?.host_ptr().ok_or_else(|| RuntimeError::bug("a probe's memory"))?;
        // SAFETY: mapped memory of a buffer of four bytes that the probe keeps, aligned as every buffer is, and touched by the host as an atomic alone. What the
        // device writes meanwhile is another processor's atomic operation.
        Ok(unsafe { AtomicU32::from_ptr(place.cast()) })
    }

    fn look(&mut self, values: u64, now: u64) -> Result<Verdict, RuntimeError> {
        let Some(mut running) = self.running.take() else {
            if now >= self.next {
                self.begin()?;
                let seen = Seen { ran: 0, values };
                self.running = Some(Running { seen, since: now, looked: None });
            }
            return Ok(Verdict::Unknown);
        };
        // SAFETY: the fence is alive, and of the submission that `begin` made.
        if unsafe { self.device.raw.get_fence_status(self.fence) }.call("vkGetFenceStatus")? {
            self.next = now + nanos(APART);
            return Ok(Verdict::Unknown);
        }
        let seen = Seen { ran: self.word()?.load(Ordering::Acquire), values };
        if seen != running.seen {
            running = Running { seen, since: now, looked: None };
        }
        if running.looked.is_none() {
            running.looked = self.measure().then_some(now);
        }
        let still = now.saturating_sub(running.since);
        let mut verdict = Verdict::Unknown;
        if still >= nanos(STUCK) {
            let idle = match running.looked {
                Some(at) if now.saturating_sub(at) >= nanos(STUCK) => {
                    running.looked = None;
                    self.did_nothing()
                }
                Some(_) => Some(false),
                None => None,
            };
            let others = if idle == Some(true) { self.others() } else { None };
            verdict = judged(Duration::from_nanos(still), idle, others);
            if verdict == Verdict::Dead {
                log::warn!(
                    "device '{}': {} of {} work-groups of a probe ran, and no more for {:?}; the device executes nothing: {idle:?}",
                    self.device.target.name,
                    seen.ran,
                    self.groups,
                    Duration::from_nanos(still)
                );
            }
        }
        self.running = Some(running);
        Ok(verdict)
    }

    /// Submits a probe.
    fn begin(&mut self) -> Result<(), RuntimeError> {
        self.word()?.store(0, Ordering::Release);
        let Some(queue) = self.device.lock_probe_queue() else { return Ok(()) };
        self.device.probes.fetch_add(1, Ordering::Relaxed);
        let submit = vk::SubmitInfo::default().command_buffers(&self.commands);
        // SAFETY: the last submission of the fence and the command buffer has ended; they live as long as the probe, which waits for the submission or leaves all as it is;
        // the VkQueue is locked.
        unsafe {
            self.device.raw.reset_fences(&[self.fence]).call("vkResetFences")?;
            self.device.raw.queue_submit(*queue, &[submit], self.fence).call("vkQueueSubmit")
        }
    }

    /// Has the meter look, if there is one.
    fn measure(&self) -> bool {
        #[cfg(unix)]
        return self.meter.as_ref().is_some_and(crate::process::nvml::Meter::look);
        #[cfg(not(unix))]
        false
    }

    /// The number of other processes on the GPU.
    fn others(&self) -> Option<u32> {
        #[cfg(unix)]
        return self.meter.as_ref()?.others();
        #[cfg(not(unix))]
        None
    }

    /// Returns what the meter says of the time since.
    fn did_nothing(&self) -> Option<bool> {
        #[cfg(unix)]
        return self.meter.as_ref()?.did_nothing();
        #[cfg(not(unix))]
        None
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let raw = &self.device.raw;
        // SAFETY: the objects are the probe's own and destroyed once. A submission that has not ended by now, although the streams' has, is about to; one that does not is
        // left what it uses.
        unsafe {
            let ended =
                self.running.is_none() || raw.wait_for_fences(&[self.fence], true, nanos(APART)).is_ok();
            if ended {
                raw.destroy_fence(self.fence, None);
                raw.destroy_command_pool(self.pool, None);
            } else {
                std::mem::forget((self.word.clone(), self.pipeline.clone(), self.kernel.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dead(ms: u64, idle: Option<bool>) -> bool {
        judged(Duration::from_millis(ms), idle, Some(0)) == Verdict::Dead
    }

    /// Six processes with long work-groups took turns of seconds on an H200 (John the Ripper's tests): none had faulted.
    #[test]
    fn other_processes_have_their_turns() {
        let dead = |ms, others| judged(Duration::from_millis(ms), Some(true), others) == Verdict::Dead;
        assert!(!dead(1_700, Some(1)) && !dead(20_000, Some(5)));
        assert!(dead(5_500, Some(1)) && dead(25_500, Some(5)) && dead(30_500, Some(40)));
        assert!(!dead(30_000, None) && dead(30_500, None), "nobody knows how many there are");
    }

    #[test]
    fn a_device_that_executes_nothing_is_dead() {
        assert!(dead(500, Some(true)));
        assert!(!dead(400, Some(true)));
    }

    #[test]
    fn a_device_that_works_or_may_work_is_not() {
        assert!(!dead(60_000, Some(false)) && !dead(60_000, None));
    }
}
