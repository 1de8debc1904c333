//! A device's streams, as the scheduler asks for them.

use scheduler::{LOST, Result, Streams, Then};
use vk_runtime::sync::assert_no_lock;
use vk_runtime::{DeferredLaunch, Points, RuntimeError};

use crate::device::Runtime;

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

    fn always_moves(&self) -> bool {
        self.device.wanders()
    }

    fn leave(&self, stream: u32) {
        self.leave_stream(stream);
    }

    fn wait(&self, points: &Points) -> Result<()> {
        assert_no_lock("commands are waited for");
        if self.stream.has_reached(points) {
            return Ok(());
        }
        reached(&self.stream, self.stream.wait(points), ())
    }

    fn is_done(&self, points: &Points) -> Result<bool> {
        if self.stream.has_reached(points) {
            return Ok(true);
        }
        reached(&self.stream, self.stream.is_done(points), true)
    }

    fn on_complete(&self, points: &Points, then: Then) {
        let stream = self.stream.clone();
        self.stream.on_complete(points, Box::new(move |result| then(reached(&stream, result, ()))));
    }

    fn behind(&self, stream: u32, points: &Points) -> Result<()> {
        if points.iter().all(|p| p.stream == stream) {
            return Ok(());
        }
        self.stream(stream).behind(points).map_err(|_| LOST)
    }

    fn seal(&self, points: &Points) {
        // A loss shows in the statuses.
        let _ = self.stream.seal(points);
    }

    fn catch_up(&self, launch: DeferredLaunch) {
        // A loss shows in the statuses.
        let _ = self.stream.catch_up(launch);
    }

    fn flush(&self, stream: u32) -> Result<()> {
        self.stream(stream).flush().map(drop).map_err(|_| LOST)
    }

    fn submit_soon(&self, stream: u32) -> Result<()> {
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
fn reached<T>(stream: &vk_runtime::Queue, result: Result<T, RuntimeError>, done: T) -> Result<T> {
    match result {
        Err(e) if e.is_out_of_memory() && stream.lost().is_none() => Ok(done),
        result => result.map_err(|_| LOST),
    }
}
