//! The timelines and the progress of all streams of a device, which each stream knows.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use timeline::sync::Mutex;

use ash::vk;
use timeline::{Point, Points};

use crate::device::logical::DeviceInner;
use crate::error::{Call, RuntimeError};
use crate::memory::buffer::Marks;
use crate::stream::fault_probe::{Probes, Verdict};
use crate::stream::progress::{Loss, Progress};

/// The state that each stream knows of all.
pub(crate) struct Shared {
    /// Null without timeline semaphores: then there is one stream, and each batch has a fence.
    timelines: Vec<vk::Semaphore>,
    pub(crate) progress: Vec<Arc<Progress>>,
    pub(crate) loss: Arc<Loss>,
    /// The probes of the device, when a stream stands still ([`fault_probe`](crate::stream::fault_probe)).
    probes: Mutex<Probes>,
    pub(crate) device: Arc<DeviceInner>,
}

impl Shared {
    /// Returns whether the device, on which a stream gets no further, executes anything.
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

    pub(crate) fn new(device: &Arc<DeviceInner>) -> Result<Self, RuntimeError> {
        let mut shared = Shared {
            timelines: Vec::new(),
            progress: Vec::new(),
            loss: Arc::default(),
            probes: Mutex::default(),
            device: device.clone(),
        };
        for index in 0..device.stream_count {
            // Values go on from where an earlier stream of this number ended: buffers remember them.
            let first = device.last_values.stream(index).load(Ordering::Acquire);
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

    /// Returns whether a point was seen to be reached.
    pub(crate) fn has_reached(&self, point: Point) -> bool {
        point.value <= self.completed(point.stream)
    }

    /// Returns where the commands that use a buffer end, as far as they were not seen to be done.
    pub(crate) fn last_use(&self, marks: &Marks) -> Points {
        self.last(marks, last_use)
    }

    /// Returns where the commands that may have written a buffer end, as far as they were not seen to be done.
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

    /// Returns whether all commands that use a buffer were seen to be done.
    pub(crate) fn is_idle(&self, marks: &Marks) -> bool {
        self.is_over(marks, last_use)
    }

    /// Returns whether all commands that may write a buffer were seen to be done.
    pub(crate) fn is_unwritten(&self, marks: &Marks) -> bool {
        self.is_over(marks, last_write)
    }

    /// Returns whether the host sees what commands wrote to a buffer that it reaches and that was seen to be done: a barrier for its reads was behind
    /// them. These commands get one for a while from now on.
    pub(crate) fn is_for_host(&self, marks: &Marks) -> bool {
        marks.note_host_read();
        (0..)
            .zip(&self.progress)
            .all(|(stream, progress)| last_write(marks, stream) <= progress.for_host.load(Ordering::Acquire))
    }

    /// Returns what [`last`](Self::last) is none of.
    fn is_over(&self, marks: &Marks, value: impl Fn(&Marks, u32) -> u64) -> bool {
        (0..).zip(&self.progress).all(|(stream, progress)| {
            value(marks, stream).max(progress.anything.load(Ordering::Acquire)) <= progress.completed()
        })
    }
}

/// The value of the last command of a stream that uses a buffer.
fn last_use(marks: &Marks, stream: u32) -> u64 {
    marks.stream(stream).last_use.load(Ordering::Acquire)
}

/// The same of those that write it.
fn last_write(marks: &Marks, stream: u32) -> u64 {
    marks.stream(stream).last_write.load(Ordering::Acquire)
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
