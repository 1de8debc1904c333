//! The streams of a device: what they have in common.

use crate::device::services::Service;
use crate::stream::shared::Shared;
use std::any::Any;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Instant;
use timeline::sync::Condvar;
use timeline::sync::Mutex;
use timeline::sync::MutexGuard;

use crate::device::logical::{Device, DeviceInner};
use crate::error::RuntimeError;
use crate::kernel::helpers::Helpers;
use crate::memory::buffer::Marks;
use crate::process::life;
use crate::stream::command_stream::Stream;
use timeline::{Point, Points};

/// All streams of a device. Its drop waits for everything that was recorded.
pub(crate) struct Streams {
    list: Vec<Arc<Stream>>,
    helpers: OnceLock<Helpers>,
    /// The part that completion words need, which a higher layer defines; `None` where there are none.
    words: OnceLock<Option<Box<dyn Any + Send + Sync>>>,
    device: Arc<DeviceInner>,
}

impl Streams {
    pub(crate) fn new(device: &Arc<DeviceInner>) -> Result<Self, RuntimeError> {
        let shared = Arc::new(Shared::new(device)?);
        let count = u32::try_from(shared.progress.len()).unwrap_or(1);
        let list: Vec<_> = (0..count).map(|index| Arc::new(Stream::new(&shared, index))).collect();
        for stream in &list {
            let _ = stream.progress.stream.set(Arc::downgrade(stream));
        }
        Ok(Streams { list, helpers: OnceLock::new(), words: OnceLock::new(), device: device.clone() })
    }

    /// The stream of a point.
    pub(crate) fn stream(&self, point: Point) -> Result<&Arc<Stream>, RuntimeError> {
        self.list
            .get(point.stream as usize)
            .ok_or_else(|| RuntimeError::bug("a point of a stream that there is not"))
    }

    /// Waits for points, without running callbacks.
    pub(crate) fn wait(&self, points: &Points) -> Result<(), RuntimeError> {
        points.iter().try_for_each(|point| self.stream(point)?.wait(point.value))
    }

    /// Looks at the timelines of points that words told of (`transfer/completion_word.rs`): they are about to be reached.
    pub(crate) fn poll_words(&self, points: &Points) -> Result<(), RuntimeError> {
        for point in points.iter() {
            let stream = self.stream(point)?;
            if stream.progress.word_value.load(Ordering::Acquire) >= point.value {
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
        uses.iter().try_for_each(|point| streams.stream(point)?.submit_up_to(point.value))?;
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
        device.service::<CurrentStreams>().lock().streams.upgrade()
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

    /// Returns what copies need that tell when they are done, made when first needed; `None` where there are none. `make` may lock a stream.
    pub(crate) fn words<T: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> Result<Option<T>, RuntimeError>,
    ) -> Result<Option<&T>, RuntimeError> {
        let words = match self.words.get() {
            Some(words) => words,
            None => {
                let made = make()?;
                self.words.get_or_init(|| made.map(|made| Box::new(made) as Box<dyn Any + Send + Sync>))
            }
        };
        Ok(words.as_ref().and_then(|words| words.downcast_ref()))
    }

    /// The same, if they were made.
    pub(crate) fn made_words<T: Any>(&self) -> Option<&T> {
        self.words.get()?.as_ref()?.downcast_ref()
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
        self.device.pool().close();
        {
            let service = self.device.service::<CurrentStreams>();
            service.lock().alive = false;
            service.ended.notify_all();
        }
        for stream in &self.list {
            stream.progress.run_ready();
            stream.progress.stop();
        }
    }
}

/// The streams that a device has at the moment.
#[derive(Default)]
struct Current {
    streams: std::sync::Weak<Streams>,
    /// Until the last of their commands is done.
    alive: bool,
}

/// The streams of a device, of which there is one set at a time.
#[derive(Default)]
pub(crate) struct CurrentStreams {
    current: Mutex<Current>,
    ended: Condvar,
}

impl Service for CurrentStreams {
    fn new(_: &DeviceInner) -> Self {
        Self::default()
    }
}

impl CurrentStreams {
    fn lock(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The streams that exist, or new ones.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub(crate) fn for_device(device: &Arc<DeviceInner>) -> Result<Arc<Streams>, RuntimeError> {
        let this = device.service::<Self>();
        let mut current = this.lock();
        if let Some(streams) = current.streams.upgrade() {
            return Ok(streams);
        }
        // Streams that are just being dropped still wait for their commands.
        while current.alive {
            current = this.ended.wait(current).unwrap_or_else(PoisonError::into_inner);
        }
        let streams = Arc::new(Streams::new(device)?);
        *current = Current { streams: Arc::downgrade(&streams), alive: true };
        device.pool().open();
        Ok(streams)
    }
}
