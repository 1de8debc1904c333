//! Which stream a queue's commands are recorded in.
//!
//! Each queue has a stream of its own, its *home*, as far as the device has enough. What waits for another stream on the device
//! costs a semaphore between two VkQueues, several times what a barrier costs; so a queue whose commands wait for another queue's
//! goes to that one's stream as a *guest*, and things follow each other there. Commands in one stream wait for each other, though: so a
//! guest goes home when nothing of its own is under way, when it has recorded some commands that wait for nobody, or when
//! something that took long was seen in the stream.
//!
//! | the queue | its command waits | it is recorded |
//! |---|---|---|
//! | at home | for nothing that is under way, or for something in this stream | at home |
//! | at home | for another stream, and nothing of its own is under way | there, unless one of the two had something long |
//! | a guest | whatever for, and something here took long | at home |
//! | a guest | for something in this stream | here |
//! | a guest | for nothing; something of its own is under way | here, so many times ([`CREDIT`]); then at home |
//! | a guest | for nothing, and nothing of its own is under way | at home |
//!
//! Wherever an in-order queue goes, the stream is first put behind all that the queue has recorded. A queue moves only while no other
//! thread records in it: otherwise a command might go to the old stream that the new one does not wait for.

use std::sync::atomic::Ordering;

use timeline::Points;

use crate::queue::CommandQueue;
use crate::status::Result;

/// This many commands a guest may record that wait for nobody.
const CREDIT: u32 = 8;
/// In `recording`: the queue is moving.
const MOVING: u32 = 1 << 31;

/// A stream to record a command in. The queue does not move as long as this lives.
pub struct StreamChoice<'a> {
    queue: &'a CommandQueue,
    /// The stream's number.
    pub stream: u32,
}

impl Drop for StreamChoice<'_> {
    fn drop(&mut self) {
        if self.queue.moves {
            self.queue.recording.fetch_sub(1, Ordering::Release);
        }
    }
}

impl CommandQueue {
    /// [`place`](Self::choose_stream) for a command that waits for nothing.
    ///
    /// # Errors
    /// The device is lost.
    #[inline]
    pub fn choose_stream_at_once(&self) -> Result<StreamChoice<'_>> {
        match self.moves {
            false => Ok(StreamChoice { queue: self, stream: self.home() }),
            true => self.choose_stream(&Points::none()),
        }
    }

    /// Returns where to record a command that waits for these points: a stream that is behind them, and behind what an in-order queue has
    /// recorded.
    ///
    /// # Errors
    /// The device is lost.
    #[inline]
    pub fn choose_stream(&self, waits: &Points) -> Result<StreamChoice<'_>> {
        let home = self.home();
        if !self.moves {
            let place = StreamChoice { queue: self, stream: home };
            if !waits.is_empty() {
                self.streams.behind(home, waits)?;
            }
            return Ok(place);
        }
        while self.recording.fetch_add(1, Ordering::Acquire) & MOVING != 0 {
            self.recording.fetch_sub(1, Ordering::Release);
            std::thread::yield_now();
        }
        let mut place = StreamChoice { queue: self, stream: self.current(home) };
        if place.stream == home && waits.is_empty() && !self.always_moves {
            return Ok(place);
        }
        if let Some(stream) = self.better_stream(home, place.stream, waits)
            && self.move_to_stream(stream)?
        {
            place.stream = stream;
        }
        if !waits.is_empty() {
            self.streams.behind(place.stream, waits)?;
        }
        Ok(place)
    }

    /// The stream that it is in.
    fn current(&self, home: u32) -> u32 {
        match self.current.load(Ordering::Acquire) {
            u32::MAX => home,
            stream => stream,
        }
    }

    /// Another stream that a command with these waits had better be recorded in.
    fn better_stream(&self, home: u32, here: u32, waits: &Points) -> Option<u32> {
        if self.always_moves {
            return Some((here + 1) % self.streams.count());
        }
        let guest = here != home;
        if guest && self.streams.runs_long(here) {
            return Some(home);
        }
        let ahead = |stream| {
            let mut points = waits.clone();
            points.retain(|p| (p.stream == here) == stream);
            points.iter().find(|p| !self.streams.has_come_to(&(*p).into()))
        };
        if ahead(true).is_some() {
            self.credit.store(CREDIT, Ordering::Relaxed);
            return None;
        }
        let there = ahead(false).map(|point| point.stream);
        if !guest && there.is_none() {
            return None;
        }
        if self.streams.has_come_to(&self.last()) {
            let there = there.unwrap_or(home);
            let long = |stream| self.streams.runs_long(stream);
            if there != home && (long(there) || long(home)) {
                return guest.then_some(home);
            }
            self.credit.store(CREDIT, Ordering::Relaxed);
            return Some(there);
        }
        let spent =
            self.credit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        (guest && spent.is_err()).then_some(home)
    }

    /// Moves to another stream, if this thread is the only one that records; whether it did.
    fn move_to_stream(&self, stream: u32) -> Result<bool> {
        if self.recording.compare_exchange(1, MOVING | 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return Ok(false);
        }
        let behind = self.streams.behind(stream, &self.last());
        if behind.is_ok() {
            self.current.store(stream, Ordering::Release);
        }
        self.recording.fetch_and(!MOVING, Ordering::Release);
        behind.map(|()| true)
    }
}
