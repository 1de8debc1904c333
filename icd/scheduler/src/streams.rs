//! The streams of a device, as the scheduler sees them.

use std::sync::Arc;

use timeline::{DeferredLaunch, Points};

use crate::status::Result;

/// A function that runs when points are reached, or never will be.
pub type Then = Box<dyn FnOnce(Result<()>) + Send>;

/// A device's streams. Commands in one of them run as if in order, and are done when their point is reached.
pub trait Streams: Send + Sync {
    /// Returns how many there are.
    fn count(&self) -> u32;
    /// A stream for a queue: the one that the fewest queues use.
    fn join(&self) -> u32;
    /// A queue that used a stream is gone.
    fn leave(&self, stream: u32);
    /// Waits until points are reached, also those of commands that found no memory. Submits first where needed.
    fn wait(&self, points: &Points) -> Result<()>;
    /// Returns whether points are reached; asking again and again comes to an end.
    fn is_done(&self, points: &Points) -> Result<bool>;
    /// Returns whether points were seen to be reached, without a look.
    fn has_reached(&self, points: &Points) -> bool;
    /// Returns whether points are reached; submits nothing.
    fn has_come_to(&self, points: &Points) -> bool;
    /// Returns whether something that a stream had of late took long.
    fn runs_long(&self, stream: u32) -> bool;
    /// Returns whether a test wants queues to change their streams with each command.
    fn always_moves(&self) -> bool;
    /// Runs `then` when points are reached, never in this call; submits what is needed.
    fn on_complete(&self, points: &Points, then: Then);
    /// Orders commands that are recorded in a stream from now on after points of others.
    fn behind(&self, stream: u32, points: &Points) -> Result<()>;
    /// Closes a batch, so that commands recorded from now on do not delay points that somebody watches.
    fn seal(&self, points: &Points);
    /// Records the deferred launches of a launch's batch. After it the launch is known to be dropped or not.
    fn catch_up(&self, launch: DeferredLaunch);
    /// Submits what a stream has.
    fn flush(&self, stream: u32) -> Result<()>;
    /// The same soon, as the device needs it: nobody waits.
    fn submit_soon(&self, stream: u32) -> Result<()>;
    /// Returns whether commands of exactly one of these points found no memory and were not executed. The points are reached.
    fn has_failed(&self, points: &Points) -> bool;
    /// Does something soon, on a thread that nobody waits for else.
    fn work(&self, job: Box<dyn FnOnce() + Send>);
    /// Returns whether the device is gone. Once it is, every queue's [`abandon`](crate::CommandQueue::abandon) is called some time.
    fn is_lost(&self) -> bool;
}

/// Returns whether two are the same device's.
pub(crate) fn same(a: &Arc<dyn Streams>, b: &Arc<dyn Streams>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
}
