//! Queues: commands in order, collected into batches.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ash::vk;

use crate::args::{ArgValue, BoundArgs, bind};
use crate::batch::{Batch, Recycler};
use crate::device::{Device, DeviceInner};
use crate::error::{Call, RuntimeError, UserError};
use crate::hazards::{Access, FULL_BARRIER, HOST_READ_BARRIER, Hazards};
use crate::helpers::Helpers;
use crate::kernel::Kernel;
use crate::ndrange::{NdRange, Plan};
use crate::record;
use crate::timing::{TimedDispatch, TimingPool};

/// A batch is submitted after so many commands.
const BATCH_COMMANDS: u32 = 64;
/// So many batches may be on their way; then the oldest is waited for.
const IN_FLIGHT: usize = 16;

/// An in-order queue. Cheap to clone: a clone is the same queue. Dropping the last handle waits for its
/// commands.
#[derive(Clone)]
pub struct Queue {
    pub(crate) inner: Arc<QueueInner>,
}

pub(crate) struct QueueInner {
    state: Mutex<State>,
    helpers: OnceLock<Helpers>,
    pub(crate) device: Device,
}

/// Everything behind the queue's lock.
pub(crate) struct State {
    pub(crate) device: Arc<DeviceInner>,
    /// Null without timeline semaphores: then each batch has a fence.
    timeline: vk::Semaphore,
    submitted: u64,
    completed: u64,
    open: Option<Batch>,
    in_flight: VecDeque<Batch>,
    pub(crate) recycler: Recycler,
    hazards: Hazards,
    /// Per buffer: the values of the batches that used it last and wrote it last.
    uses: HashMap<u64, Uses>,
    pub(crate) timings: Option<Arc<TimingPool>>,
    /// DeviceInner::other_writers at the last full barrier; at first, with this queue only.
    writers_seen: u64,
    /// A lost device stays lost.
    lost: Option<RuntimeError>,
}

#[derive(Clone, Copy, Default)]
struct Uses {
    any: u64,
    write: u64,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("device", &self.inner.device).finish_non_exhaustive()
    }
}

impl Queue {
    pub(crate) fn new(device: &Device) -> Result<Self, RuntimeError> {
        let inner = &device.inner;
        let mut timeline = vk::Semaphore::null();
        if inner.target.features.timeline_semaphore {
            let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
            // SAFETY: the device is alive and has the feature enabled.
            timeline = unsafe { inner.raw.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
            inner.name(timeline, "pumice timeline");
        }
        inner.other_writers.fetch_add(1, Ordering::Relaxed);
        let state = State {
            device: inner.clone(),
            timeline,
            submitted: 0,
            completed: 0,
            open: None,
            in_flight: VecDeque::new(),
            recycler: Recycler::default(),
            hazards: Hazards::default(),
            uses: HashMap::new(),
            timings: None,
            writers_seen: 1,
            lost: None,
        };
        Ok(Queue {
            inner: Arc::new(QueueInner {
                state: Mutex::new(state),
                helpers: OnceLock::new(),
                device: device.clone(),
            }),
        })
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Records a launch. Returns the value to [`wait`](Self::wait) for. Buffers, kernel and value bytes may be dropped
    /// or changed at once.
    ///
    /// # Errors
    /// User for wrong arguments or a wrong NDRange (OpenCL's clEnqueueNDRangeKernel errors); Unsupported for
    /// what the device cannot bind; Driver when Vulkan fails.
    pub fn dispatch(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<u64, RuntimeError> {
        let (bound, plan) = self.prepare(kernel, args, range)?;
        let pipeline = kernel.inner.pipeline(&bound.key(&plan))?;
        let mut state = self.lock()?;
        record::dispatch(&mut state, kernel, &pipeline, &bound, &plan)?;
        state.recorded()
    }

    /// As [`dispatch`](Self::dispatch), alone on the queue (after what came before, with nothing beside it) and
    /// measured by the device's clock.
    ///
    /// # Errors
    /// As `dispatch`; Unsupported when the device's queue has no timestamps.
    pub fn dispatch_timed(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<TimedDispatch, RuntimeError> {
        let (bound, plan) = self.prepare(kernel, args, range)?;
        let pipeline = kernel.inner.pipeline(&bound.key(&plan))?;
        let mut state = self.lock()?;
        let slot = TimingPool::slot(&mut state)?;
        state.alone()?;
        record::timestamp(&mut state, &slot, false)?;
        record::dispatch(&mut state, kernel, &pipeline, &bound, &plan)?;
        record::timestamp(&mut state, &slot, true)?;
        state.alone()?;
        let value = state.recorded()?;
        drop(state);
        Ok(TimedDispatch::new(self.clone(), slot, value))
    }

    /// Makes the pipeline that a dispatch would use, so that the first launch is not slow.
    ///
    /// # Errors
    /// As [`dispatch`](Self::dispatch).
    pub fn prepare_pipeline(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<(), RuntimeError> {
        let (bound, plan) = self.prepare(kernel, args, range)?;
        kernel.inner.pipeline(&bound.key(&plan)).map(|_| ())
    }

    /// The work-group size that a dispatch would use: the given one, the required one, or the runtime's choice.
    ///
    /// # Errors
    /// User when the NDRange is wrong.
    pub fn work_group_size(&self, kernel: &Kernel, range: &NdRange) -> Result<[u32; 3], RuntimeError> {
        Plan::new(range, kernel.inner.wishes(), &self.inner.device.target().limits).map(|p| p.local)
    }

    fn prepare<'a>(
        &self,
        kernel: &'a Kernel,
        args: &[ArgValue<'a>],
        range: &NdRange,
    ) -> Result<(BoundArgs<'a>, Plan), RuntimeError> {
        if !Arc::ptr_eq(kernel.inner.device(), &self.inner.device.inner) {
            return Err(RuntimeError::user(UserError::InvalidContext, "a kernel of another device"));
        }
        let plan = Plan::new(range, kernel.inner.wishes(), &self.inner.device.target().limits)?;
        Ok((bind(&kernel.inner, args)?, plan))
    }

    /// Hands the recorded commands to the driver. Returns the value to wait for.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn flush(&self) -> Result<u64, RuntimeError> {
        self.lock()?.flush()
    }

    /// Waits until the commands up to a value are done; submits them first where needed.
    ///
    /// # Errors
    /// User (InvalidValue) for a value that no command has; Driver when Vulkan fails, device loss included.
    pub fn wait(&self, value: u64) -> Result<(), RuntimeError> {
        self.lock()?.wait(value)
    }

    /// Whether the commands up to a value are done. Does not submit.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn is_done(&self, value: u64) -> Result<bool, RuntimeError> {
        let mut state = self.lock()?;
        state.poll()?;
        Ok(state.completed >= value)
    }

    /// Waits for everything.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn finish(&self) -> Result<(), RuntimeError> {
        let mut state = self.lock()?;
        let value = state.flush()?;
        state.wait(value)
    }

    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, State>, RuntimeError> {
        let state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &state.lost {
            Some(error) => Err(error.clone()),
            None => Ok(state),
        }
    }

    /// The helper kernels, loaded when first needed.
    pub(crate) fn helpers(&self) -> Result<&Helpers, RuntimeError> {
        if let Some(helpers) = self.inner.helpers.get() {
            return Ok(helpers);
        }
        let made = Helpers::new(&self.inner.device)?;
        Ok(self.inner.helpers.get_or_init(|| made))
    }
}

impl State {
    /// The batch that is being recorded, and what its parts come from.
    pub(crate) fn open(&mut self) -> Result<(&mut Batch, &mut Recycler), RuntimeError> {
        let fresh = self.open.is_none();
        if fresh {
            self.open = Some(self.recycler.begin(&self.device, self.submitted + 1)?);
        }
        // What other queues of the device wrote (and the host waited for) becomes visible by a barrier.
        let writers = self.device.other_writers.load(Ordering::Relaxed);
        if (fresh && writers > 1) || writers != self.writers_seen {
            self.hazards.everything();
            if let Some(batch) = &self.open {
                self.device.barrier(batch.commands, &FULL_BARRIER);
            }
            self.writers_seen = writers;
        }
        match &mut self.open {
            Some(batch) => Ok((batch, &mut self.recycler)),
            None => Err(RuntimeError::bug("no open batch")),
        }
    }

    /// Opens a batch for a command, puts the barrier that its accesses need, notes them.
    pub(crate) fn command(&mut self, accesses: &[Access]) -> Result<vk::CommandBuffer, RuntimeError> {
        let (batch, _) = self.open()?;
        let (commands, value) = (batch.commands, batch.value);
        batch.count += 1;
        if let Some(barrier) = self.hazards.command(accesses) {
            self.device.barrier(commands, &barrier);
        }
        for access in accesses {
            let uses = self.uses.entry(access.buffer).or_default();
            uses.any = value;
            if access.write {
                uses.write = value;
            }
        }
        Ok(commands)
    }

    /// Puts a barrier after everything recorded so far.
    fn alone(&mut self) -> Result<(), RuntimeError> {
        let (batch, _) = self.open()?;
        let commands = batch.commands;
        if let Some(barrier) = self.hazards.everything() {
            self.device.barrier(commands, &barrier);
        }
        Ok(())
    }

    /// After a command: its value; submits a full batch.
    pub(crate) fn recorded(&mut self) -> Result<u64, RuntimeError> {
        match &self.open {
            Some(batch) if batch.count >= BATCH_COMMANDS => self.flush(),
            Some(batch) => Ok(batch.value),
            None => Ok(self.submitted),
        }
    }

    /// Submits the open batch.
    pub(crate) fn flush(&mut self) -> Result<u64, RuntimeError> {
        if self.open.as_ref().is_none_or(|b| b.count == 0) {
            return Ok(self.submitted);
        }
        let Some(batch) = self.open.take() else { return Ok(self.submitted) };
        match self.submit(&batch) {
            Ok(()) => {
                self.submitted = batch.value;
                self.in_flight.push_back(batch);
            }
            Err(e) => {
                // Nothing of it runs; its commands are lost, which the caller learns by this error.
                drop(batch);
                return Err(self.note(e));
            }
        }
        self.poll()?;
        if self.in_flight.len() > IN_FLIGHT
            && let Some(oldest) = self.in_flight.front().map(|b| b.value)
        {
            self.wait(oldest)?;
        }
        Ok(self.submitted)
    }

    fn submit(&self, batch: &Batch) -> Result<(), RuntimeError> {
        let device = &self.device;
        if batch.host_reads {
            device.barrier(batch.commands, &HOST_READ_BARRIER);
        }
        // SAFETY: the command buffer is being recorded, under the queue's lock.
        unsafe { device.raw.end_command_buffer(batch.commands) }.call("vkEndCommandBuffer")?;
        let (commands, semaphores, values) = ([batch.commands], [self.timeline], [batch.value]);
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let mut info = vk::SubmitInfo::default().command_buffers(&commands);
        if self.timeline != vk::Semaphore::null() {
            info = info.signal_semaphores(&semaphores).push_next(&mut timeline);
        }
        let queue = device.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the VkQueue is locked; the command buffer is complete, and what it uses is kept alive by the batch
        // until the value (or the fence) is reached; values of the timeline only grow.
        unsafe { device.raw.queue_submit(*queue, &[info], batch.fence) }.call("vkQueueSubmit")
    }

    /// Waits for a value, submitting first where needed.
    pub(crate) fn wait(&mut self, value: u64) -> Result<(), RuntimeError> {
        if value > self.submitted {
            self.flush()?;
        }
        if value > self.submitted {
            let text = format!("waiting for {value}, but the last command has {}", self.submitted);
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        if value <= self.completed {
            return Ok(());
        }
        let waited = if self.timeline == vk::Semaphore::null() {
            let fences: Vec<vk::Fence> =
                self.in_flight.iter().filter(|b| b.value <= value).map(|b| b.fence).collect();
            // SAFETY: fences of submitted batches, alive.
            unsafe { self.device.raw.wait_for_fences(&fences, true, u64::MAX) }.call("vkWaitForFences")
        } else {
            self.device.wait_timeline(self.timeline, value)
        };
        if let Err(e) = waited {
            return Err(self.note(e));
        }
        self.retire(value);
        Ok(())
    }

    /// Looks what is done, without waiting.
    pub(crate) fn poll(&mut self) -> Result<(), RuntimeError> {
        if self.in_flight.is_empty() {
            return Ok(());
        }
        let reached = if self.timeline == vk::Semaphore::null() {
            let mut reached = Ok(self.completed);
            for batch in &self.in_flight {
                // SAFETY: the fence of a submitted batch, alive.
                match unsafe { self.device.raw.get_fence_status(batch.fence) } {
                    Ok(true) => reached = Ok(batch.value),
                    Ok(false) => break,
                    Err(result) => {
                        reached = Err(RuntimeError::Driver { call: "vkGetFenceStatus", result });
                        break;
                    }
                }
            }
            reached
        } else {
            self.device.timeline_value(self.timeline)
        };
        match reached {
            Ok(value) => {
                self.retire(value);
                Ok(())
            }
            Err(e) => Err(self.note(e)),
        }
    }

    fn retire(&mut self, value: u64) {
        self.completed = self.completed.max(value.min(self.submitted));
        while self.in_flight.front().is_some_and(|b| b.value <= self.completed)
            && let Some(batch) = self.in_flight.pop_front()
        {
            self.recycler.recycle(batch);
        }
        if self.uses.len() > 1024 {
            let completed = self.completed;
            self.uses.retain(|_, uses| uses.any > completed);
        }
    }

    /// Whether no unfinished command uses a buffer.
    pub(crate) fn is_idle(&self, buffer: u64) -> bool {
        self.uses.get(&buffer).is_none_or(|u| u.any <= self.completed)
    }

    /// The value of the last command that used a buffer.
    pub(crate) fn last_use(&self, buffer: u64) -> u64 {
        self.uses.get(&buffer).map_or(0, |u| u.any)
    }

    /// The value of the last command that wrote a buffer.
    pub(crate) fn last_write(&self, buffer: u64) -> u64 {
        self.uses.get(&buffer).map_or(0, |u| u.write)
    }

    /// Remembers the loss of the device.
    fn note(&mut self, error: RuntimeError) -> RuntimeError {
        if error.is_device_lost() {
            self.lost = Some(error.clone());
        }
        error
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // As clReleaseCommandQueue: what was enqueued still runs.
        let done = self.lost.is_some() || self.flush().and_then(|value| self.wait(value)).is_ok();
        if !done && self.lost.is_none() {
            let queue = self.device.queue.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the VkQueue is locked. After a loss or a failure nothing is pending either.
            let _ = unsafe { self.device.raw.queue_wait_idle(*queue) };
        }
        self.open = None;
        self.in_flight.clear();
        self.recycler.destroy(&self.device);
        // SAFETY: no submission that signals it is pending; of this device (or null), destroyed once.
        unsafe { self.device.raw.destroy_semaphore(self.timeline, None) };
    }
}
