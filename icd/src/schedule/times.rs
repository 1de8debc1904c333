//! Profiling (§5.14): when a command was enqueued, submitted, started and ended, by the clock of clGetHostTimer.

use std::sync::{Mutex, PoisonError};

use vk_runtime::{DeviceTime, RuntimeError, host_time};

use super::Done;
use crate::error::ClResult;

/// The times of one command.
pub(crate) struct Times {
    queued: u64,
    marks: Mutex<Marks>,
}

#[derive(Default)]
struct Marks {
    submit: u64,
    start: Option<Moment>,
    end: Option<Moment>,
}

/// A moment by one of the two clocks.
enum Moment {
    Host(u64),
    Device(DeviceTime),
}

impl Moment {
    fn now() -> Self {
        Moment::Host(host_time())
    }

    fn nanos(&self) -> Option<u64> {
        match self {
            Moment::Host(nanos) => Some(*nanos),
            Moment::Device(time) => time.nanos().ok().flatten(),
        }
    }
}

/// CL_PROFILING_COMMAND_*; each not before the one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Profile {
    pub(crate) queued: u64,
    pub(crate) submit: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Times {
    /// Of a command that is being enqueued.
    pub(crate) fn new() -> Self {
        Times { queued: host_time(), marks: Mutex::default() }
    }

    fn set(&self, change: impl FnOnce(&mut Marks)) {
        change(&mut self.marks.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Records a command between two timestamps of the device, after everything before it. Where the device has no
    /// timestamps, and for host work, the host's clock serves.
    pub(crate) fn record(
        self: std::sync::Arc<Self>,
        stream: &vk_runtime::Queue,
        record: impl FnOnce(&vk_runtime::Queue) -> ClResult<Done>,
    ) -> ClResult<Done> {
        let submit = host_time();
        stream.barrier()?;
        let start = timestamp(stream)?;
        self.set(|m| m.submit = submit);
        let done = match record(stream)? {
            // Nothing to do, after everything before it.
            Done::Host => Done::Device(stream.barrier()?.into()),
            done => done,
        };
        let end = timestamp(stream)?;
        match done {
            Done::Device(points) if end.is_some() => {
                self.set(|m| (m.start, m.end) = (start.map(Moment::Device), end.map(Moment::Device)));
                // The end's own value.
                Ok(Done::Device(points.and(stream.barrier()?)))
            }
            Done::Device(points) => {
                self.set(|m| m.start = Some(Moment::Host(submit)));
                let work = Box::new(move || {
                    self.set(|m| m.end = Some(Moment::now()));
                    Ok(())
                });
                Ok(Done::Then { points, work, holds: false })
            }
            Done::Host => Ok(Done::Host),
            Done::Then { points, work, holds } => {
                let start = start.map_or(Moment::Host(submit), Moment::Device);
                self.set(|m| m.start = Some(start));
                let points = points.and(stream.barrier()?);
                let work = Box::new(move || {
                    let result = work();
                    self.set(|m| m.end = Some(Moment::now()));
                    result
                });
                Ok(Done::Then { points, work, holds })
            }
        }
    }

    /// The times of a complete command; `None` if they are not known.
    pub(crate) fn profile(&self) -> Option<Profile> {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let submit = marks.submit.max(self.queued);
        let start = marks.start.as_ref()?.nanos()?.max(submit);
        let end = marks.end.as_ref()?.nanos()?.max(start);
        Some(Profile { queued: self.queued, submit, start, end })
    }
}

/// A timestamp; `None` where the device has none.
fn timestamp(stream: &vk_runtime::Queue) -> ClResult<Option<DeviceTime>> {
    match stream.timestamp() {
        Ok(time) => Ok(Some(time)),
        Err(RuntimeError::Unsupported(_)) => Ok(None),
        Err(e) => Err(e.into()),
    }
}
