//! What the scheduler needs of a device's streams. Tests have others.

use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::sync::assert_no_lock;
use vk_runtime::{Noted, Points, RuntimeError};

use crate::device::Runtime;
use crate::error::ClError;

/// What runs when points are reached, or will not be.
pub(super) type Then = Box<dyn FnOnce(Result<(), ClError>) + Send>;

/// A device's streams. Commands in one of them run as if in order, and are done when their point is reached.
pub(crate) trait Streams: Send + Sync {
    /// How many there are.
    fn count(&self) -> u32;
    /// A stream for a line: the one that the fewest lines use.
    fn join(&self) -> u32;
    /// A line that used a stream is gone.
    fn leave(&self, stream: u32);
    /// Waits until points are reached, also those of commands that found no memory. Submits first where needed.
    fn wait(&self, points: &Points) -> Result<(), ClError>;
    /// Whether points are reached; asking again and again comes to an end.
    fn is_done(&self, points: &Points) -> Result<bool, ClError>;
    /// Whether points were seen to be reached, without a look.
    fn has_reached(&self, points: &Points) -> bool;
    /// Whether points are reached; submits nothing.
    fn has_come_to(&self, points: &Points) -> bool;
    /// Whether something that a stream had of late took long.
    fn runs_long(&self, stream: u32) -> bool;
    /// Whether a test wants lines to change their streams with each command.
    fn wanders(&self) -> bool;
    /// Runs `then` when points are reached, never in this call; submits what is needed.
    fn on_complete(&self, points: &Points, then: Then);
    /// What is recorded in a stream from now on runs after points of others.
    fn behind(&self, stream: u32, points: &Points) -> Result<(), ClError>;
    /// What is recorded from now on does not delay points: somebody watches them.
    fn seal(&self, points: &Points);
    /// What was noted with a launch is recorded: whether the launch is left out is known then.
    fn catch_up(&self, launch: Noted);
    /// Submits what a stream has.
    fn flush(&self, stream: u32) -> Result<(), ClError>;
    /// The same soon, as the device needs it: nobody waits.
    fn hand_over(&self, stream: u32) -> Result<(), ClError>;
    /// Returns whether commands of exactly one of these points found no memory and were not executed. The points are reached.
    fn has_failed(&self, points: &Points) -> bool;
    /// Does something soon, on a thread that nobody waits for else.
    fn work(&self, job: Box<dyn FnOnce() + Send>);
    /// Whether the device is gone. Once it is, every line's [`abandon`](super::Line::abandon) is called some time.
    fn is_lost(&self) -> bool;
}

/// The status of commands that a lost device or a failed submission ends.
pub(super) const LOST: ClError = ClError(cl::CL_OUT_OF_RESOURCES);

impl Streams for Runtime {
    fn count(&self) -> u32 {
        self.device.streams()
    }

    fn join(&self) -> u32 {
        self.join_stream()
    }

    fn has_reached(&self, points: &Points) -> bool {
        self.stream.has_reached(points)
    }

    fn has_come_to(&self, points: &Points) -> bool {
        self.stream.has_come_to(points)
    }

    fn runs_long(&self, stream: u32) -> bool {
        self.stream(stream).runs_long()
    }

    fn wanders(&self) -> bool {
        self.device.wanders()
    }

    fn leave(&self, stream: u32) {
        self.leave_stream(stream);
    }

    fn wait(&self, points: &Points) -> Result<(), ClError> {
        assert_no_lock("commands are waited for");
        if self.stream.has_reached(points) {
            return Ok(());
        }
        reached(&self.stream, self.stream.wait(points), ())
    }

    fn is_done(&self, points: &Points) -> Result<bool, ClError> {
        if self.stream.has_reached(points) {
            return Ok(true);
        }
        reached(&self.stream, self.stream.is_done(points), true)
    }

    fn on_complete(&self, points: &Points, then: Then) {
        let stream = self.stream.clone();
        self.stream.on_complete(points, Box::new(move |result| then(reached(&stream, result, ()))));
    }

    fn behind(&self, stream: u32, points: &Points) -> Result<(), ClError> {
        if points.iter().all(|p| p.stream == stream) {
            return Ok(());
        }
        self.stream(stream).behind(points).map_err(|_| LOST)
    }

    fn seal(&self, points: &Points) {
        // A loss shows in the statuses.
        let _ = self.stream.seal(points);
    }

    fn catch_up(&self, launch: Noted) {
        // A loss shows in the statuses.
        let _ = self.stream.catch_up(launch);
    }

    fn flush(&self, stream: u32) -> Result<(), ClError> {
        self.stream(stream).flush().map(drop).map_err(|_| LOST)
    }

    fn hand_over(&self, stream: u32) -> Result<(), ClError> {
        self.stream(stream).hand_over().map_err(|_| LOST)
    }

    fn has_failed(&self, points: &Points) -> bool {
        self.stream.has_failed(points)
    }

    fn work(&self, job: Box<dyn FnOnce() + Send>) {
        self.workers.give(job);
    }

    fn is_lost(&self) -> bool {
        self.stream.lost().is_some()
    }
}

/// The result of a wait. Points whose commands found no memory are reached, too; [`Streams::has_failed`] reports these.
fn reached<T>(stream: &vk_runtime::Queue, result: Result<T, RuntimeError>, done: T) -> Result<T, ClError> {
    match result {
        Err(e) if e.is_out_of_memory() && stream.lost().is_none() => Ok(done),
        result => result.map_err(|_| LOST),
    }
}

/// Whether two are the same device's.
pub(super) fn same(a: &Arc<dyn Streams>, b: &Arc<dyn Streams>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
}
