//! The streams of a device: what they have in common.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Instant;
use timeline::sync::Mutex;

use ash::vk;

use crate::device::fault_probe::{Probes, Verdict};
use crate::device::logical::{Device, DeviceInner};
use crate::error::{Call, RuntimeError};
use crate::kernel::helpers::Helpers;
use crate::memory::buffer::Marks;
use crate::process::life;
use crate::stream::command_stream::Stream;
use crate::stream::point::{PerStream, Point, Points};
use crate::stream::progress::{Progress, Then};
use crate::transfer::completion_word::Told;

/// All streams of a device. Its drop waits for everything that was recorded.
pub(crate) struct Streams {
    list: Vec<Arc<Stream>>,
    helpers: OnceLock<Helpers>,
    told: OnceLock<Option<Told>>,
    device: Arc<DeviceInner>,
}

/// What each stream knows of all.
pub(crate) struct Shared {
    /// Null without timeline semaphores: then there is one stream, and each batch has a fence.
    timelines: Vec<vk::Semaphore>,
    pub(crate) progress: Vec<Arc<Progress>>,
    pub(crate) loss: Arc<Loss>,
    /// Of the device, when a stream stands still ([`probe`](crate::device::fault_probe)).
    probes: Mutex<Probes>,
    pub(crate) device: Arc<DeviceInner>,
}

/// The end of a device.
#[derive(Default)]
pub(crate) struct Loss {
    /// A lost device stays lost, with all its streams.
    pub(crate) error: OnceLock<RuntimeError>,
    /// What is known of it: the kernels that were on their way in the stream that noticed, and what the driver says.
    pub(crate) account: OnceLock<String>,
    /// What runs when it is lost.
    then: Mutex<Vec<Then>>,
}

impl Loss {
    /// The error that every call gives once the device is lost.
    pub(crate) fn check(&self) -> Result<(), RuntimeError> {
        self.error.get().map_or(Ok(()), |e| Err(e.clone()))
    }

    pub(crate) fn push(&self, then: Then) {
        self.then.lock().unwrap_or_else(PoisonError::into_inner).push(then);
    }

    pub(crate) fn take(&self) -> Vec<Then> {
        std::mem::take(&mut *self.then.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Streams {
    pub(crate) fn new(device: &Arc<DeviceInner>) -> Result<Self, RuntimeError> {
        let shared = Arc::new(Shared::new(device)?);
        let count = u32::try_from(shared.progress.len()).unwrap_or(1);
        let list = (0..count).map(|index| Arc::new(Stream::new(&shared, index))).collect();
        Ok(Streams { list, helpers: OnceLock::new(), told: OnceLock::new(), device: device.clone() })
    }

    /// The stream of a point.
    pub(crate) fn of(&self, point: Point) -> Result<&Arc<Stream>, RuntimeError> {
        self.list
            .get(point.stream as usize)
            .ok_or_else(|| RuntimeError::bug("a point of a stream that there is not"))
    }

    /// Waits for points, without running callbacks.
    pub(crate) fn wait(&self, points: &Points) -> Result<(), RuntimeError> {
        points.iter().try_for_each(|point| self.of(point)?.wait(point.value))
    }

    /// Looks at the timelines of points that words told of ([`Told`]): they are about to be reached.
    pub(crate) fn poll_told(&self, points: &Points) -> Result<(), RuntimeError> {
        for point in points.iter() {
            let stream = self.of(point)?;
            if stream.progress.told.load(Ordering::Acquire) >= point.value {
                stream.poll()?;
            }
        }
        Ok(())
    }

    /// Submits what uses a storage, by its marks; where that ends in each stream.
    pub(crate) fn submit_uses(device: &DeviceInner, marks: &Marks) -> Result<Points, RuntimeError> {
        let Some(streams) = Self::current(device) else { return Ok(Points::none()) };
        let Some(first) = streams.list.first() else { return Ok(Points::none()) };
        let uses = first.shared.last_use(marks);
        uses.iter().try_for_each(|point| streams.of(point)?.submit_up_to(point.value))?;
        Ok(uses)
    }

    /// Waits for all that a device's streams have, and runs no callbacks: then what only their commands kept is gone.
    pub(crate) fn settle(device: &DeviceInner) -> Result<(), RuntimeError> {
        let Some(streams) = Self::current(device) else { return Ok(()) };
        for stream in &streams.list {
            let value = stream.lock()?.flush()?;
            stream.wait_reached(value)?;
        }
        Ok(())
    }

    fn current(device: &DeviceInner) -> Option<Arc<Self>> {
        device.streams.lock().unwrap_or_else(PoisonError::into_inner).streams.upgrade()
    }

    /// Waits until the deadline for what the driver has; whether it has nothing left.
    pub(crate) fn settle_until(&self, deadline: Instant) -> bool {
        // Each is waited for, whatever the ones before have left.
        let left = self.list.iter().filter(|stream| !stream.settle(deadline)).count();
        left == 0
    }

    /// The process is ending: waits until the deadline for what the driver has, and ends all streams.
    pub(crate) fn retire(&self, deadline: Instant) {
        if !self.settle_until(deadline) && self.device.workarounds.waits_for_work_at_exit {
            life::leave_drivers_out();
        }
        let error = life::too_late();
        for stream in &self.list {
            let _ = stream.shared.loss.error.set(error.clone());
            stream.retire(&error);
        }
    }

    /// The helper kernels, loaded when first needed.
    pub(crate) fn helpers(&self, device: &Device) -> Result<&Helpers, RuntimeError> {
        if let Some(helpers) = self.helpers.get() {
            return Ok(helpers);
        }
        let made = Helpers::new(device)?;
        Ok(self.helpers.get_or_init(|| made))
    }

    /// What copies need that tell when they are done, made when first needed; `None` where there are none. `make` may lock a stream.
    pub(crate) fn told(
        &self,
        make: impl FnOnce() -> Result<Option<Told>, RuntimeError>,
    ) -> Result<Option<&Told>, RuntimeError> {
        if let Some(told) = self.told.get() {
            return Ok(told.as_ref());
        }
        let made = make()?;
        Ok(self.told.get_or_init(|| made).as_ref())
    }

    /// The same, if they were made.
    pub(crate) fn known_told(&self) -> Option<&Told> {
        self.told.get()?.as_ref()
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        // As clReleaseCommandQueue: what was enqueued still runs. A failure has gone to the callbacks.
        let last: Vec<_> =
            self.list.iter().map(|stream| stream.lock().and_then(|mut state| state.flush())).collect();
        for (stream, last) in self.list.iter().zip(last) {
            let _ = last.and_then(|value| stream.wait(value));
        }
        // Storage that is kept keeps the device.
        self.device.pool.close();
        {
            let mut current = self.device.streams.lock().unwrap_or_else(PoisonError::into_inner);
            current.alive = false;
            self.device.streams_ended.notify_all();
        }
        for stream in &self.list {
            stream.progress.run_ready();
            stream.progress.stop();
        }
    }
}

impl Shared {
    /// Whether the device, on which a stream gets no further, executes anything.
    ///
    /// # Errors
    /// Driver, when a call fails.
    pub(crate) fn probe(&self, now: u64) -> Result<Verdict, RuntimeError> {
        let mut values = 0;
        for timeline in &self.timelines {
            values += self.device.timeline_value(*timeline)?;
        }
        self.probes.lock().unwrap_or_else(PoisonError::into_inner).look(&self.device, values, now)
    }

    fn new(device: &Arc<DeviceInner>) -> Result<Self, RuntimeError> {
        let mut shared = Shared {
            timelines: Vec::new(),
            progress: Vec::new(),
            loss: Arc::default(),
            probes: Mutex::default(),
            device: device.clone(),
        };
        for index in 0..device.stream_count {
            // Values go on from where an earlier stream of this number ended: buffers remember them.
            let first = device.last_values.of(index).load(Ordering::Acquire);
            let mut timeline = vk::Semaphore::null();
            if device.target.features.timeline_semaphore {
                let mut kind = vk::SemaphoreTypeCreateInfo::default()
                    .semaphore_type(vk::SemaphoreType::TIMELINE)
                    .initial_value(first);
                let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
                // SAFETY: the device is alive and has the feature enabled.
                timeline = unsafe { device.raw.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
                device.name(timeline, &format!("pumice timeline {index}"));
            }
            shared.timelines.push(timeline);
            shared.progress.push(Arc::new(Progress::new(&shared.loss, first)));
        }
        Ok(shared)
    }

    /// A stream's timeline; null without timeline semaphores.
    pub(crate) fn timeline(&self, stream: u32) -> vk::Semaphore {
        self.timelines.get(stream as usize).copied().unwrap_or_default()
    }

    /// A stream's progress, for the number of one.
    pub(crate) fn completed(&self, stream: u32) -> u64 {
        self.progress.get(stream as usize).map_or(0, |progress| progress.completed())
    }

    /// Whether a point was seen to be reached.
    pub(crate) fn has_reached(&self, point: Point) -> bool {
        point.value <= self.completed(point.stream)
    }

    /// Where the commands that use a buffer end, as far as they were not seen to be done.
    pub(crate) fn last_use(&self, marks: &Marks) -> Points {
        self.last(marks, last_use)
    }

    /// Where the commands that may have written a buffer end, as far as they were not seen to be done.
    pub(crate) fn last_write(&self, marks: &Marks) -> Points {
        self.last(marks, last_write)
    }

    /// A number that is another one when anything may have written a buffer since.
    pub(crate) fn writes(&self, marks: &Marks) -> u64 {
        let unknown = self.progress.iter().map(|p| p.anything_count.load(Ordering::Acquire));
        marks.writes() + unknown.sum::<u64>()
    }

    fn last(&self, marks: &Marks, value: impl Fn(&Marks, u32) -> u64) -> Points {
        let mut points = Points::none();
        for (stream, progress) in (0..).zip(&self.progress) {
            let value = value(marks, stream).max(progress.anything.load(Ordering::Acquire));
            if value > progress.completed() {
                points.add(Point { stream, value });
            }
        }
        points
    }

    /// Whether all commands that use a buffer were seen to be done.
    pub(crate) fn is_idle(&self, marks: &Marks) -> bool {
        self.is_over(marks, last_use)
    }

    /// Whether all commands that may write a buffer were seen to be done.
    pub(crate) fn is_unwritten(&self, marks: &Marks) -> bool {
        self.is_over(marks, last_write)
    }

    /// Whether the host sees what commands wrote to a buffer that it reaches and that was seen to be done: a barrier for its reads was behind
    /// them. Such commands get one for a while from now on.
    pub(crate) fn is_for_host(&self, marks: &Marks) -> bool {
        marks.note_host_read();
        (0..)
            .zip(&self.progress)
            .all(|(stream, progress)| last_write(marks, stream) <= progress.for_host.load(Ordering::Acquire))
    }

    /// What [`last`](Self::last) is none of.
    fn is_over(&self, marks: &Marks, value: impl Fn(&Marks, u32) -> u64) -> bool {
        (0..).zip(&self.progress).all(|(stream, progress)| {
            value(marks, stream).max(progress.anything.load(Ordering::Acquire)) <= progress.completed()
        })
    }
}

/// The value of the last command of a stream that uses a buffer.
fn last_use(marks: &Marks, stream: u32) -> u64 {
    marks.of(stream).last_use.load(Ordering::Acquire)
}

/// The same of those that write it.
fn last_write(marks: &Marks, stream: u32) -> u64 {
    marks.of(stream).last_write.load(Ordering::Acquire)
}

impl Drop for Shared {
    fn drop(&mut self) {
        for timeline in self.timelines.drain(..) {
            // SAFETY: the streams, which hold an Arc of this, have waited for their submissions; of this device (or null),
            // destroyed once.
            unsafe { self.device.raw.destroy_semaphore(timeline, None) };
        }
    }
}

/// The streams that a device has at the moment.
#[derive(Default)]
pub(crate) struct Current {
    pub(crate) streams: std::sync::Weak<Streams>,
    /// Until the last of their commands is done.
    pub(crate) alive: bool,
}

/// The last value of each stream, for the streams that follow.
pub(crate) type LastValues = PerStream;
