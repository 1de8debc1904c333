//! Profiling (§5.14): when a command was enqueued, submitted, started and ended, by the clock of clGetHostTimer.

use std::sync::PoisonError;
use vk_runtime::sync::Mutex;

use vk_runtime::{DeviceTime, Point, RuntimeError, host_time};

use crate::abi::error::ClResult;
use crate::device::host_work;
use scheduler::Done;

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
    /// With what its kernel enqueued, where that is later than the end.
    complete: Option<Moment>,
}

impl Marks {
    /// It starts, unless it has.
    fn begin(&mut self, at: impl FnOnce() -> Moment) {
        self.start.get_or_insert_with(at);
    }
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
    pub(crate) complete: u64,
}

impl Times {
    /// Creates the times of a command that is being enqueued.
    pub(crate) fn new() -> Self {
        Times { queued: host_time(), marks: Mutex::default() }
    }

    fn set(&self, change: impl FnOnce(&mut Marks)) {
        change(&mut self.marks.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Records a command between two timestamps of the device: one when the device begins it, behind the barrier that it needs, and
    /// one when it is done. Commands that nothing orders still run beside each other. If the device has no timestamps, and for
    /// what the host does, the host's clock serves.
    pub(crate) fn record(
        self: std::sync::Arc<Self>,
        stream: &vk_runtime::Queue,
        record: impl FnOnce(&vk_runtime::Queue) -> ClResult<Done>,
    ) -> ClResult<Done> {
        let submit = host_time();
        let (timed, span) = stream.timed();
        // Of several that are one command, the first began.
        self.set(|m| m.submit = if m.submit == 0 { submit } else { m.submit });
        let done = match record(&timed)? {
            // Nothing to do, after everything before it.
            Done::Host => match timestamp(stream)? {
                Some((time, point)) => {
                    self.set(|m| {
                        m.begin(|| Moment::Device(time.clone()));
                        m.end = Some(Moment::Device(time));
                    });
                    return Ok(Done::Device(point.into()));
                }
                None => Done::Device(stream.barrier()?.into()),
            },
            done => done,
        };
        let times = span.times();
        if let Some((start, _)) = &times {
            self.set(|m| m.begin(|| Moment::Device(start.clone())));
        }
        match (done, times) {
            (Done::Host, _) => Ok(Done::Host),
            (Done::Device(points), Some((_, end))) => {
                self.set(|m| m.end = Some(Moment::Device(end)));
                Ok(Done::Device(points))
            }
            // The host has done it just now.
            (Done::Device(points), None) if points.is_empty() => {
                self.set(|m| {
                    m.begin(|| Moment::Host(submit));
                    m.end = Some(Moment::now());
                });
                Ok(Done::Device(points))
            }
            (Done::Device(points), None) => {
                let work = host_work::light(move || {
                    self.set(|m| {
                        m.begin(Moment::now);
                        m.end = Some(Moment::now());
                    });
                    Ok(())
                });
                Ok(Done::Then { points, work, holds: false })
            }
            (Done::Then { points, work, holds }, _) => {
                let work = work.within(move |run| {
                    self.set(|m| m.begin(Moment::now));
                    let result = run();
                    // A launch that goes on ends with the last of its own dispatches, and is complete with the kernels that it enqueued.
                    let end = if holds { span.times().map(|(_, end)| Moment::Device(end)) } else { None };
                    self.set(|m| {
                        m.complete = end.is_some().then(Moment::now);
                        m.end = Some(end.unwrap_or_else(Moment::now));
                    });
                    result
                });
                Ok(Done::Then { points, work, holds })
            }
        }
    }

    /// Takes in what the device's clock will say of a command that was recorded just now, which was begun at `submit`.
    pub(crate) fn take(&self, times: Option<(DeviceTime, DeviceTime)>, submit: u64) {
        self.set(|m| {
            m.submit = submit;
            if let Some((start, end)) = times {
                (m.start, m.end) = (Some(Moment::Device(start)), Some(Moment::Device(end)));
            }
        });
    }

    /// When it started and ended by the device's clock, once it is recorded; `None` where the host's serves.
    pub(crate) fn by_device(&self) -> Option<(DeviceTime, DeviceTime)> {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        match (&marks.start, &marks.end) {
            (Some(Moment::Device(start)), Some(Moment::Device(end))) => Some((start.clone(), end.clone())),
            _ => None,
        }
    }

    /// The times of a complete command; `None` if they are not known.
    pub(crate) fn profile(&self) -> Option<Profile> {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let submit = marks.submit.max(self.queued);
        let start = marks.start.as_ref()?.nanos()?.max(submit);
        let end = marks.end.as_ref()?.nanos()?.max(start);
        let complete = marks.complete.as_ref().and_then(Moment::nanos).unwrap_or(end).max(end);
        Some(Profile { queued: self.queued, submit, start, end, complete })
    }
}

/// A timestamp and the point at which it is known; `None` where the device has none.
fn timestamp(stream: &vk_runtime::Queue) -> ClResult<Option<(DeviceTime, Point)>> {
    match stream.timestamp_at() {
        Ok(time) => Ok(Some(time)),
        Err(RuntimeError::Unsupported(_)) => Ok(None),
        Err(e) => Err(e.into()),
    }
}
