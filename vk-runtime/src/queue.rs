//! Queues: the public face of a device's stream.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError, Weak};

use crate::args::{ArgValue, bind};
use crate::buffer::Buffer;
use crate::device::{Device, DeviceInner};
use crate::error::{RuntimeError, UserError};
use crate::helpers::Helpers;
use crate::kernel::Kernel;
use crate::ndrange::{NdRange, Plan};
use crate::progress::Progress;
use crate::record::{self, Launch};
use crate::stream::{State, Stream};
use crate::time::{DeviceTime, TimedDispatch};

/// The stream of a device: its commands run as if in order. Cheap to clone; all queues of a device are the same stream,
/// which any number of threads may use. Dropping the last handle waits for its commands.
///
/// Recording calls return a *value*: the stream reaches it when the command (and everything before it) is done. They
/// hold the stream's lock only while they record.
#[derive(Clone)]
pub struct Queue {
    pub(crate) inner: Arc<QueueInner>,
}

pub(crate) struct QueueInner {
    pub(crate) stream: Arc<Stream>,
    helpers: OnceLock<Helpers>,
    pub(crate) device: Device,
}

/// The stream that a device has at the moment.
#[derive(Default)]
pub(crate) struct CurrentStream {
    queue: Weak<QueueInner>,
    /// Until the last of its commands is done.
    alive: bool,
}

/// What a launch does beyond its arguments.
#[derive(Debug, Clone, Copy, Default)]
pub struct DispatchExtras<'a> {
    /// Buffers that the kernel reaches by addresses, and whether it may write them. They are ordered and kept alive
    /// like arguments.
    pub touches: &'a [(&'a Buffer, bool)],
    /// The kernel may touch any memory: everything before is ordered before it, everything after, after it. The caller
    /// keeps alive what it touches.
    pub anything: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("device", &self.inner.device).finish_non_exhaustive()
    }
}

impl Queue {
    /// The device's queue: the one that exists, or a new one.
    pub(crate) fn of(device: &Device) -> Result<Self, RuntimeError> {
        let mut current = device.inner.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = current.queue.upgrade() {
            return Ok(Queue { inner });
        }
        // A queue that is just being dropped still waits for its commands.
        while current.alive {
            current = device.inner.stream_ended.wait(current).unwrap_or_else(PoisonError::into_inner);
        }
        let stream = Arc::new(Stream::new(&device.inner)?);
        let inner = Arc::new(QueueInner { stream, helpers: OnceLock::new(), device: device.clone() });
        *current = CurrentStream { queue: Arc::downgrade(&inner), alive: true };
        device.inner.pool.open();
        Ok(Queue { inner })
    }

    /// Waits for all that the device's stream has, and runs no callbacks: then what only its commands kept is gone.
    pub(crate) fn settle(device: &DeviceInner) -> Result<(), RuntimeError> {
        let current = device.stream.lock().unwrap_or_else(PoisonError::into_inner).queue.upgrade();
        let Some(inner) = current else { return Ok(()) };
        let value = inner.stream.lock()?.flush()?;
        inner.stream.wait(value)
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Records a launch. Buffers, kernel and value bytes may be dropped or changed at once.
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
        self.dispatch_with(kernel, args, range, &DispatchExtras::default())
    }

    /// As [`dispatch`](Self::dispatch), for a kernel that touches more than its arguments.
    ///
    /// # Errors
    /// As `dispatch`.
    pub fn dispatch_with(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
        extras: &DispatchExtras<'_>,
    ) -> Result<u64, RuntimeError> {
        let launch = self.prepare(kernel, args, range, extras)?;
        if let Some(ms) = self.device_inner().modes.max_dispatch_ms {
            return self.dispatch_in_parts(&launch, ms).map(|(value, _, _)| value);
        }
        let ((), value) = self.inner.stream.record(|state| record::dispatch(state, &launch))?;
        Ok(value)
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
        self.prepare(kernel, args, range, &DispatchExtras::default()).map(|_| ())
    }

    /// The work-group size that a dispatch would use: the given one, the required one, or the runtime's choice.
    ///
    /// # Errors
    /// User when the NDRange is wrong.
    pub fn work_group_size(&self, kernel: &Kernel, range: &NdRange) -> Result<[u32; 3], RuntimeError> {
        Plan::new(range, kernel.inner.wishes(), &self.inner.device.target().limits).map(|p| p.local)
    }

    /// Checks a launch, and makes its pipeline where needed: all that needs no lock.
    pub(crate) fn prepare<'a>(
        &self,
        kernel: &'a Kernel,
        args: &[ArgValue<'a>],
        range: &NdRange,
        extras: &DispatchExtras<'a>,
    ) -> Result<Launch<'a>, RuntimeError> {
        let inner = &kernel.inner;
        if !Arc::ptr_eq(inner.device(), self.device_inner()) {
            return Err(RuntimeError::user(UserError::InvalidContext, "a kernel of another device"));
        }
        for (buffer, _) in extras.touches {
            self.own(&buffer.inner)?;
        }
        let mut plan = Plan::new(range, inner.wishes(), &self.inner.device.target().limits)?;
        if range.local_size.is_some() {
            inner.take_made_size(&mut plan);
        }
        let bound = bind(inner, args)?;
        let pipeline = inner.pipeline(&inner.key(plan.local, &bound.local_args))?;
        let anything = extras.anything || (extras.touches.is_empty() && bound.has_addresses());
        Ok(Launch { kernel: inner, pipeline, bound, plan, touches: extras.touches, anything })
    }

    /// Orders everything recorded before, before everything after: execution and memory. Returns the value at which
    /// everything before is done.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn barrier(&self) -> Result<u64, RuntimeError> {
        let ((), value) = self.inner.stream.record(|state| state.alone())?;
        Ok(value)
    }

    /// Records a timestamp after everything recorded before it.
    ///
    /// # Errors
    /// Unsupported when the device's queue has no timestamps; Driver when Vulkan fails.
    pub fn timestamp(&self) -> Result<DeviceTime, RuntimeError> {
        self.inner.stream.record(State::timestamp).map(|(time, _)| time)
    }

    /// Records what `record` records between two timestamps, ordered after everything before: what it gives, the start,
    /// the end. Other threads may record in between.
    ///
    /// # Errors
    /// As [`timestamp`](Self::timestamp), and those of `record`.
    pub fn profiled<T>(
        &self,
        record: impl FnOnce(&Queue) -> Result<T, RuntimeError>,
    ) -> Result<(T, DeviceTime, DeviceTime), RuntimeError> {
        let (start, _) = self.inner.stream.record(|state| {
            state.alone()?;
            state.timestamp()
        })?;
        let result = record(self)?;
        let end = self.timestamp()?;
        Ok((result, start, end))
    }

    /// As [`dispatch`](Self::dispatch), after everything before, between two timestamps: the value, the start, the end.
    ///
    /// # Errors
    /// As `dispatch`; Unsupported when the device's queue has no timestamps.
    pub fn dispatch_profiled(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<(u64, DeviceTime, DeviceTime), RuntimeError> {
        self.dispatch_profiled_with(kernel, args, range, &DispatchExtras::default())
    }

    /// As [`dispatch_profiled`](Self::dispatch_profiled), for a kernel that touches more than its arguments.
    ///
    /// # Errors
    /// As `dispatch_profiled`.
    pub fn dispatch_profiled_with(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
        extras: &DispatchExtras<'_>,
    ) -> Result<(u64, DeviceTime, DeviceTime), RuntimeError> {
        let launch = self.prepare(kernel, args, range, extras)?;
        if let Some(ms) = self.device_inner().modes.max_dispatch_ms {
            return self.dispatch_in_parts(&launch, ms);
        }
        let ((start, end), value) = self.inner.stream.record(|state| {
            state.alone()?;
            let start = state.timestamp()?;
            record::dispatch(state, &launch)?;
            Ok((start, state.timestamp()?))
        })?;
        Ok((value, start, end))
    }

    /// As [`dispatch_profiled`](Self::dispatch_profiled), with nothing after it beside it either.
    ///
    /// # Errors
    /// As `dispatch_profiled`.
    pub fn dispatch_timed(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<TimedDispatch, RuntimeError> {
        let (_, start, end) = self.dispatch_profiled(kernel, args, range)?;
        let value = self.barrier()?;
        Ok(TimedDispatch { queue: self.clone(), value, start, end })
    }

    /// Hands the recorded commands to the driver. Returns the value to wait for.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn flush(&self) -> Result<u64, RuntimeError> {
        let stream = &self.inner.stream;
        let mut state = stream.lock()?;
        let value = state.flush()?;
        stream.leave(state)?;
        Ok(value)
    }

    /// Waits until the stream reaches a value; submits first where needed. Other threads record meanwhile. Then runs the
    /// [`on_complete`](Self::on_complete) callbacks that are due, unless another thread is running callbacks: so one
    /// for this very value may still be under way, there, when this returns.
    ///
    /// # Errors
    /// User (InvalidValue) for a value that no command has; Driver when Vulkan fails, device loss included.
    pub fn wait(&self, value: u64) -> Result<(), RuntimeError> {
        let progress = &self.inner.stream.progress;
        progress.foreground.store(value, Ordering::Relaxed);
        let result = self.inner.stream.wait(value);
        progress.foreground.store(0, Ordering::Relaxed);
        progress.run_ready();
        result
    }

    /// Runs `then` when the device is lost, with the error, on another thread; never, if the queue is dropped before.
    pub fn on_loss(&self, then: Box<dyn FnOnce(Result<(), RuntimeError>) + Send>) {
        self.inner.stream.progress.on_loss(then);
    }

    /// The process is ending: waits until the deadline for what the driver has, and ends the stream, as if the device were
    /// lost. Nothing is destroyed that the device may still use.
    pub fn retire(&self, deadline: std::time::Instant) {
        self.inner.stream.retire(deadline);
    }

    /// Whether the stream has reached a value. Submits the command where that is still to be done, so that asking again
    /// and again comes to an end; does not wait.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn is_done(&self, value: u64) -> Result<bool, RuntimeError> {
        let stream = &self.inner.stream;
        stream.progress.check()?;
        if stream.progress.completed() >= value {
            return Ok(true);
        }
        if stream.progress.submitted() < value {
            stream.submit_up_to(value)?;
        } else if stream.may_have_reached(value) {
            stream.poll()?;
        }
        Ok(stream.progress.completed() >= value)
    }

    /// Waits for everything recorded so far, as [`wait`](Self::wait) does.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn finish(&self) -> Result<(), RuntimeError> {
        let value = self.flush()?;
        self.wait(value)
    }

    /// The last value that the stream is known to have reached.
    #[must_use]
    pub fn completed(&self) -> u64 {
        self.inner.stream.progress.completed()
    }

    /// The value at which nothing that is recorded uses a buffer any more.
    #[must_use]
    pub fn last_use(&self, buffer: &Buffer) -> u64 {
        self.inner.stream.lock().map_or(0, |state| state.last_use(&buffer.inner))
    }

    /// The value at which nothing that is recorded writes a buffer any more.
    #[must_use]
    pub fn last_write(&self, buffer: &Buffer) -> u64 {
        self.inner.stream.lock().map_or(0, |state| state.last_write(&buffer.inner))
    }

    /// The error that ended the stream (device loss, a failed submission); every later call returns it too.
    #[must_use]
    pub fn lost(&self) -> Option<RuntimeError> {
        self.inner.stream.progress.lost.get().cloned()
    }

    /// Runs `then` when the stream reaches a value, with an error when that will not come to pass (device loss). It runs
    /// on whichever thread notices first: one in [`wait`](Self::wait) or [`finish`](Self::finish), or the stream's
    /// background thread; never in this call, never with a lock of the runtime held, one at a time, in the order of the
    /// values. The background thread starts with the first registration; it submits what is recorded after a short
    /// moment, so progress never needs a flush. A callback may use the queue, `wait` included.
    pub fn on_complete(&self, value: u64, then: Box<dyn FnOnce(Result<(), RuntimeError>) + Send>) {
        Progress::register(&self.inner.stream, value, then);
    }

    pub(crate) fn own(&self, buffer: &crate::buffer::BufferInner) -> Result<(), RuntimeError> {
        if Arc::ptr_eq(&buffer.device, &self.inner.device.inner) {
            Ok(())
        } else {
            Err(RuntimeError::user(UserError::InvalidContext, "a buffer of another device"))
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

    pub(crate) fn device_inner(&self) -> &Arc<DeviceInner> {
        &self.inner.device.inner
    }
}

impl Drop for QueueInner {
    fn drop(&mut self) {
        // As clReleaseCommandQueue: what was enqueued still runs. A failure has gone to the callbacks.
        let last = self.stream.lock().and_then(|mut state| state.flush());
        let _ = last.and_then(|value| self.stream.wait(value));
        let device = &self.device.inner;
        // Storage that is kept keeps the device.
        device.pool.close();
        device.stream.lock().unwrap_or_else(PoisonError::into_inner).alive = false;
        device.stream_ended.notify_all();
        self.stream.progress.run_ready();
        self.stream.progress.stop();
    }
}
