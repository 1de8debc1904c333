//! Queues: the public face of a device's streams.

use std::sync::Arc;
use timeline::DeferredLaunch;

use crate::device::device_time::{DeviceTime, Span};
use crate::device::logical::{Device, DeviceInner};
use crate::error::{RuntimeError, UserError};
use crate::kernel::helpers::Helpers;
use crate::memory::buffer::Buffer;
use crate::stream::command_stream::Stream;
use crate::stream::device_streams::{CurrentStreams, Streams};
use crate::stream::state::State;
use timeline::{Point, Points};

/// A handle on a stream of a device, whose commands run as if in order. Cheap to clone; any number of threads may use it.
/// Dropping the last handle on any of a device's streams waits for all their commands.
///
/// Recording calls return a [`Point`]: the stream reaches it when the command (and everything before it) is done. They hold the
/// stream's lock only while they record. Commands of different streams are ordered by [`behind`](Self::behind) alone.
#[derive(Clone)]
pub struct Queue {
    pub(crate) inner: Arc<QueueInner>,
}

pub(crate) struct QueueInner {
    pub(crate) stream: Arc<Stream>,
    pub(crate) streams: Arc<Streams>,
    pub(crate) device: Device,
    /// The timestamps around commands that are recorded by this handle.
    span: Option<Arc<Span>>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("device", &self.inner.device).finish_non_exhaustive()
    }
}

impl Queue {
    /// A handle on the device's first stream: the one that exists, or a new one.
    pub(crate) fn for_device(device: &Device) -> Result<Self, RuntimeError> {
        let streams = CurrentStreams::for_device(&device.inner)?;
        Self::on(device, streams, 0)
    }

    fn on(device: &Device, streams: Arc<Streams>, index: u32) -> Result<Self, RuntimeError> {
        let stream = streams.stream(Point { stream: index, value: 0 })?.clone();
        Ok(Queue { inner: Arc::new(QueueInner { stream, streams, device: device.clone(), span: None }) })
    }

    /// A handle on another stream of the device, by its number: below [`Device::streams`].
    ///
    /// # Errors
    /// Bug for a number that no stream has.
    pub fn sibling(&self, stream: u32) -> Result<Self, RuntimeError> {
        Self::on(&self.inner.device, self.inner.streams.clone(), stream)
    }

    /// A handle on the same stream that times what is recorded by it.
    #[must_use]
    pub fn timed(&self) -> (Self, Arc<Span>) {
        let QueueInner { stream, streams, device, .. } = &*self.inner;
        let (stream, streams, device) = (stream.clone(), streams.clone(), device.clone());
        let span = Arc::new(Span::default());
        let kept = self.has_timestamps().then(|| span.clone());
        (Queue { inner: Arc::new(QueueInner { stream, streams, device, span: kept }) }, span)
    }

    /// Returns whether the device has timestamps.
    #[must_use]
    pub fn has_timestamps(&self) -> bool {
        self.inner.device.inner.timestamp_bits > 0
    }

    /// Returns whether what is recorded by this handle is timed.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.inner.span.is_some()
    }

    /// Returns what times the commands that are recorded by this handle.
    pub(crate) fn span(&self) -> Option<&Span> {
        self.inner.span.as_deref()
    }

    /// The number of its stream.
    #[must_use]
    pub fn stream(&self) -> u32 {
        self.inner.stream.index
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Orders everything recorded before in this stream, before everything after: execution and memory. Returns the point at
    /// which everything before is done.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn barrier(&self) -> Result<Point, RuntimeError> {
        self.transfer(State::alone)
    }

    /// Orders commands that are recorded in this stream from now on after these points of any streams: execution and memory.
    ///
    /// # Errors
    /// Driver when Vulkan fails; Bug for points that are not recorded.
    pub fn behind(&self, points: &Points) -> Result<(), RuntimeError> {
        let stream = &self.inner.stream;
        let ahead = |p: &Point| p.stream != stream.index && !stream.shared.has_reached(*p);
        let mut elsewhere = false;
        for point in points.iter().filter(ahead) {
            // Nothing reaches a VkQueue before what it waits for.
            let other = self.inner.streams.stream(point)?;
            other.submit_up_to(point.value)?;
            if other.progress.submitted() < point.value {
                return Err(RuntimeError::bug("waiting for a point that no command has"));
            }
            elsewhere = true;
        }
        if elsewhere { stream.behind(points) } else { Ok(()) }
    }

    /// No command that is recorded from now on delays these points: somebody watches them. Of points that come within some tens of
    /// microseconds, only the first is kept apart.
    ///
    /// # Errors
    /// Driver when the device is lost.
    pub fn seal(&self, points: &Points) -> Result<(), RuntimeError> {
        points.iter().try_for_each(|point| self.inner.streams.stream(point)?.seal(point.value))
    }

    /// Copies of so many bytes of a buffer to the host that nobody has asked for yet are recorded next
    /// ([`copy_behind`](Self::copy_behind)), if they are worth it: whether they are. Above a size, or where `alone` says that somebody will wait
    /// for what is before them and for nothing else, they go into a batch of their own, in the same submission: that is seen to be done
    /// without them.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn begin_ahead(&self, buffer: &Buffer, size: u64, alone: bool) -> Result<bool, RuntimeError> {
        let tune = &self.device_inner().tune;
        let few = if alone { tune.ahead_alone } else { tune.ahead_from };
        let reads = size <= few && buffer.is_mapped() && buffer.reads_in_place(size);
        if reads || size > tune.ahead {
            return Ok(false);
        }
        if alone || size > tune.ahead_apart {
            let stream = &self.inner.stream;
            let mut state = stream.lock()?;
            state.close()?;
            stream.leave(state)?;
        }
        Ok(true)
    }

    /// Records a timestamp after everything recorded before it.
    ///
    /// # Errors
    /// Unsupported when the device's queue has no timestamps; Driver when Vulkan fails.
    pub fn timestamp(&self) -> Result<DeviceTime, RuntimeError> {
        self.timestamp_at().map(|(time, _)| time)
    }

    /// The same, and the point at which it is known.
    ///
    /// # Errors
    /// As [`timestamp`](Self::timestamp).
    pub fn timestamp_at(&self) -> Result<(DeviceTime, Point), RuntimeError> {
        self.inner.stream.record(State::timestamp).map(|(time, value)| (time, self.point(value)))
    }

    /// Records what `record` records between two timestamps, ordered after everything before: what it gives, the start,
    /// the end. Threads may record in between.
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

    /// Hands what is recorded in this stream to the driver. Returns the point to wait for.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn flush(&self) -> Result<Point, RuntimeError> {
        let stream = &self.inner.stream;
        let mut state = stream.lock()?;
        let value = state.flush()?;
        stream.leave(state)?;
        Ok(self.point(value))
    }

    /// Hands what is recorded in this stream over, for somebody who goes on without waiting: it reaches the driver at once where the device might
    /// run out of work, and else soon, with what is recorded until then, whether or not anybody asks again.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn hand_over(&self) -> Result<(), RuntimeError> {
        let stream = &self.inner.stream;
        let mut state = stream.lock()?;
        let left = state.hand_over()?;
        stream.leave(state)?;
        if let Some(value) = left {
            stream.progress.want(value);
        }
        Ok(())
    }

    /// Waits until points of any streams are reached; submits first where needed. Threads record meanwhile. Then runs the
    /// [`on_complete`](Self::on_complete) callbacks that are due, unless another thread is running callbacks: so one
    /// for these very points may still be under way, there, when this returns.
    ///
    /// # Errors
    /// User (InvalidValue) for a point that no command has; Driver when Vulkan fails, device loss included, and where the commands of a point
    /// found no memory.
    pub fn wait(&self, points: impl Into<Points>) -> Result<(), RuntimeError> {
        let (points, streams) = (points.into(), &self.inner.streams);
        let result = streams.wait(&points);
        points.iter().filter_map(|p| streams.stream(p).ok()).for_each(|stream| stream.progress.run_ready());
        result
    }

    /// As [`wait`](Self::wait), but runs no callbacks. It is for callers in the midst of a command, perhaps with a lock held. The
    /// background thread runs the callbacks.
    ///
    /// # Errors
    /// As `wait`.
    pub fn wait_only(&self, points: impl Into<Points>) -> Result<(), RuntimeError> {
        self.inner.streams.wait(&points.into())
    }

    /// Runs `then` when the device is lost, with the error, on another thread; never, if the queue is dropped before.
    pub fn on_loss(&self, then: Box<dyn FnOnce(Result<(), RuntimeError>) + Send>) {
        self.inner.stream.progress.on_loss(then);
    }

    /// The process is about to end: waits until the deadline for what the driver has, in all streams. Returns whether it has nothing left. Callbacks are not run.
    pub fn settle(&self, deadline: std::time::Instant) -> bool {
        self.inner.streams.settle_until(deadline)
    }

    /// The process is ending: waits until the deadline for what the driver has, and ends the streams, as if the device were
    /// lost. Nothing is destroyed that the device may still use.
    pub fn retire(&self, deadline: std::time::Instant) {
        self.inner.streams.retire(deadline);
    }

    /// Returns whether points of any streams are reached. Submits commands where that is still to be done, so that asking again and again
    /// comes to an end; does not wait.
    ///
    /// # Errors
    /// Driver when Vulkan fails, or the commands of a point that is reached found no memory.
    pub fn is_done(&self, points: impl Into<Points>) -> Result<bool, RuntimeError> {
        self.inner.stream.shared.loss.check()?;
        let mut done = true;
        for Point { stream, value } in points.into().iter() {
            let stream = self.inner.streams.stream(Point { stream, value })?;
            if stream.progress.completed() < value {
                if stream.progress.submitted() < value {
                    stream.submit_up_to(value)?;
                } else if stream.may_have_reached(value) {
                    stream.poll()?;
                } else {
                    stream.poll_loss()?;
                }
                done &= stream.progress.completed() >= value;
            }
            if stream.progress.completed() >= value {
                stream.progress.outcome(value)?;
            }
        }
        Ok(done)
    }

    /// Returns whether points were seen to be reached. Looks at nothing but what is known.
    #[must_use]
    pub fn has_reached(&self, points: &Points) -> bool {
        points.iter().all(|point| self.inner.stream.shared.has_reached(point))
    }

    /// Returns whether points are reached: looks, but submits nothing and does not wait.
    #[must_use]
    pub fn has_come_to(&self, points: &Points) -> bool {
        points.iter().all(|point| {
            let Ok(stream) = self.inner.streams.stream(point) else { return false };
            let progress = &stream.progress;
            if progress.completed() >= point.value || progress.submitted() < point.value {
                return progress.completed() >= point.value;
            }
            let looked =
                if stream.may_have_reached(point.value) { stream.poll() } else { stream.poll_loss() };
            looked.is_ok() && progress.completed() >= point.value
        })
    }

    /// Returns whether somebody saw of late that what runs in this stream takes long; what else is recorded here waits for such things.
    #[must_use]
    pub fn runs_long(&self) -> bool {
        let stream = &self.inner.stream;
        // A loss shows elsewhere.
        stream.pace.is_long() || (stream.poll().is_ok() && stream.pace.is_long())
    }

    /// Returns how many batches of this stream were submitted in command buffers that are kept: what a program waits for again and again.
    ///
    /// # Errors
    /// Driver when the device is lost.
    pub fn submitted_again(&self) -> Result<u64, RuntimeError> {
        Ok(self.inner.stream.lock()?.kept.used)
    }

    /// Waits for everything recorded so far in this stream, as [`wait`](Self::wait) does.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn finish(&self) -> Result<(), RuntimeError> {
        let point = self.flush()?;
        self.wait(point)
    }

    /// A point that is reached already.
    pub(crate) fn reached(&self) -> Point {
        self.point(0)
    }

    /// A point of this stream.
    pub(crate) fn point(&self, value: u64) -> Point {
        self.inner.stream.point(value)
    }

    /// The points at which nothing that is recorded in any stream uses a buffer any more.
    #[must_use]
    pub fn last_use(&self, buffer: &Buffer) -> Points {
        self.inner.stream.shared.last_use(&buffer.inner.marks)
    }

    /// The points at which nothing that is recorded in any stream writes a buffer any more.
    #[must_use]
    pub fn last_write(&self, buffer: &Buffer) -> Points {
        self.inner.stream.shared.last_write(&buffer.inner.marks)
    }

    /// A number of a buffer's contents: while it is the same, nothing that was recorded in any stream and nothing that the host did
    /// through this crate has changed them. Launches that are repeated ([`dispatch_again`](Self::dispatch_again)) count once for each
    /// command of another kind between them, in their stream, or submission of it. Data that the host writes through a pointer counts when
    /// it is flushed.
    #[must_use]
    pub fn writes_of(&self, buffer: &Buffer) -> u64 {
        self.inner.stream.shared.writes(&buffer.inner.marks)
    }

    /// Returns whether commands of exactly one of these points were not executed, because their submission found no memory. The points are
    /// reached.
    #[must_use]
    pub fn has_failed(&self, points: &Points) -> bool {
        let shared = &self.inner.stream.shared;
        let failed =
            |p: Point| shared.progress.get(p.stream as usize).is_some_and(|s| s.outcome(p.value).is_err());
        points.iter().any(failed)
    }

    /// The error that ended the streams (device loss, a failed submission); every later call returns it too.
    #[must_use]
    pub fn lost(&self) -> Option<RuntimeError> {
        self.inner.stream.shared.loss.error.get().cloned()
    }

    /// Returns what is known of the loss of the device, for people: the kernels that were on their way, and what the driver says of the cause; empty before.
    #[must_use]
    pub fn loss_account(&self) -> &str {
        self.inner.stream.shared.loss.account.get().map_or("", String::as_str)
    }

    /// Runs `then` when points of any streams are reached, with an error when that will not come to pass (device loss). It runs
    /// on whichever thread notices first: one in [`wait`](Self::wait) or [`finish`](Self::finish), or the stream's
    /// background thread; never in this call, never with a lock of the runtime held, one at a time, in the order of the
    /// values of each stream. The background thread starts with the first registration; it submits what is recorded after a short
    /// moment, so progress never needs a flush. A callback may use the queue, `wait` included.
    pub fn on_complete(
        &self,
        points: impl Into<Points>,
        then: Box<dyn FnOnce(Result<(), RuntimeError>) + Send>,
    ) {
        let mut points: Points = points.into();
        points.retain(|point| !self.inner.stream.shared.has_reached(point));
        let first = points.iter().next().unwrap_or_else(|| self.reached());
        let stream = self.inner.streams.stream(first).unwrap_or(&self.inner.stream);
        if points.iter().len() < 2 {
            return stream.progress.register(first.value, then);
        }
        points.retain(|point| point != first);
        // Weak: what is registered must not keep the streams alive, whose drop waits for it.
        let (streams, device) = (Arc::downgrade(&self.inner.streams), self.inner.device.clone());
        let next = move |result: Result<(), RuntimeError>| match (result, streams.upgrade()) {
            (Ok(()), Some(streams)) => match Self::on(&device, streams, first.stream) {
                Ok(queue) => queue.on_complete(points, then),
                Err(e) => then(Err(e)),
            },
            // All streams have waited for everything before they are dropped.
            (result, _) => then(result),
        };
        stream.progress.register(first.value, Box::new(next));
    }

    pub(crate) fn own(&self, buffer: &crate::memory::buffer::BufferInner) -> Result<(), RuntimeError> {
        if Arc::ptr_eq(&buffer.device, &self.inner.device.inner) {
            Ok(())
        } else {
            Err(RuntimeError::user(UserError::InvalidContext, "a buffer of another device"))
        }
    }

    /// The helper kernels, loaded when first needed.
    pub(crate) fn helpers(&self) -> Result<&Helpers, RuntimeError> {
        self.inner.streams.helpers(&self.inner.device)
    }

    pub(crate) fn device_inner(&self) -> &Arc<DeviceInner> {
        &self.inner.device.inner
    }
}

impl Queue {
    /// Records the deferred launches of a launch's batch, if the batch is open. After it the launch is known to be dropped or not.
    ///
    /// # Errors
    /// Driver when the device is lost.
    pub fn catch_up(&self, launch: DeferredLaunch) -> Result<(), RuntimeError> {
        let stream = self.inner.streams.stream(launch.point)?;
        let mut state = stream.lock()?;
        if state.open.as_ref().is_some_and(|batch| batch.value == launch.point.value) {
            state.catch_up()?;
        }
        stream.leave(state)
    }
}
