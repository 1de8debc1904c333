//! The streams of a device: what they have in common.

use crate::stream::shared::Shared;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Instant;

use crate::device::logical::{Device, DeviceInner};
use crate::error::RuntimeError;
use crate::kernel::helpers::Helpers;
use crate::memory::buffer::Marks;
use crate::process::life;
use crate::stream::command_stream::Stream;
use crate::transfer::completion_word::Told;
use timeline::{PerStream, Point, Points};

/// All streams of a device. Its drop waits for everything that was recorded.
pub(crate) struct Streams {
    list: Vec<Arc<Stream>>,
    helpers: OnceLock<Helpers>,
    told: OnceLock<Option<Told>>,
    device: Arc<DeviceInner>,
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

/// The streams that a device has at the moment.
#[derive(Default)]
pub(crate) struct Current {
    pub(crate) streams: std::sync::Weak<Streams>,
    /// Until the last of their commands is done.
    pub(crate) alive: bool,
}

/// The last value of each stream, for the streams that follow.
pub(crate) type LastValues = PerStream;
