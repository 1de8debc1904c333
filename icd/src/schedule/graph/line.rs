//! What a command queue is to the scheduler.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use vk_runtime::{Point, Points};

use super::super::stream::Streams;
use super::pass::Pass;
use super::{Node, Order, lock};
use crate::error::ClResult;

/// A queue's part of the graph.
pub(crate) struct Line {
    pub(super) streams: Arc<dyn Streams>,
    /// The number of the stream that its commands are recorded in: with the first one it is chosen, so that queues that are not
    /// used take none.
    pub(super) stream: OnceLock<u32>,
    pub(super) in_order: bool,
    /// The highest value of the stream that a command of this queue has.
    last: AtomicU64,
    /// The points of other streams that commands of this queue are complete after.
    elsewhere: Mutex<Points>,
    has_elsewhere: AtomicBool,
    /// Nothing is in the way of a command without a wait list: what `state` says, to be read without the lock.
    free: AtomicBool,
    pub(super) state: Mutex<LineState>,
}

#[derive(Default)]
pub(super) struct LineState {
    /// Commands that are held, being recorded, or lasting; by age.
    pub(super) open: BTreeMap<u64, Arc<Node>>,
    pub(super) next: u64,
    /// How many of them later commands of an in-order queue cannot be recorded behind.
    pub(super) blocking: usize,
    /// The last barrier of an out-of-order queue while it is open.
    pub(super) barrier: Option<Arc<Node>>,
}

impl Line {
    pub(crate) fn new(streams: Arc<dyn Streams>, in_order: bool) -> Arc<Self> {
        Arc::new(Line {
            streams,
            stream: OnceLock::new(),
            in_order,
            last: AtomicU64::new(0),
            elsewhere: Mutex::default(),
            has_elsewhere: AtomicBool::new(false),
            free: AtomicBool::new(true),
            state: Mutex::default(),
        })
    }

    /// The points of all commands of this queue.
    pub(crate) fn last(&self) -> Points {
        // Without a stream there is no value either.
        let stream = self.stream.get().copied().unwrap_or(0);
        let own = Point { stream, value: self.last.load(Ordering::Acquire) };
        match self.has_elsewhere.load(Ordering::Acquire) {
            true => lock(&self.elsewhere).clone().and(own),
            false => own.into(),
        }
    }

    /// The points at which a command with this one in its stream is complete, by the queue's order.
    pub(crate) fn complete_at(&self, point: Point) -> Points {
        match self.in_order && self.has_elsewhere.load(Ordering::Acquire) {
            true => lock(&self.elsewhere).clone().and(point),
            false => point.into(),
        }
    }

    /// Whether a command that is recorded now has nothing before it in the queue but what its stream orders.
    pub(crate) fn is_plain(&self) -> bool {
        !self.in_order || self.is_clear()
    }

    /// The number of its stream, for a command to be recorded.
    pub(crate) fn stream(&self) -> u32 {
        *self.stream.get_or_init(|| self.streams.join())
    }

    /// Notes a command's point in its stream.
    pub(crate) fn note_own(&self, value: u64) {
        if self.last.load(Ordering::Acquire) < value {
            self.last.fetch_max(value, Ordering::AcqRel);
        }
    }

    /// Notes the points of a command.
    pub(crate) fn note(&self, points: &Points) {
        for point in points.iter() {
            if Some(&point.stream) == self.stream.get() {
                self.note_own(point.value);
            } else {
                lock(&self.elsewhere).add(point);
                self.has_elsewhere.store(true, Ordering::Release);
            }
        }
    }

    /// What is recorded in its stream from now on runs after points of other streams.
    ///
    /// # Errors
    /// The device is lost.
    pub(crate) fn behind(&self, points: &Points) -> ClResult<()> {
        if points.is_empty() {
            return Ok(());
        }
        self.streams.behind(self.stream(), points)
    }

    /// Whether a command that waits for nothing but the queue's order may be recorded at once, without a node of its own.
    pub(crate) fn is_free(&self) -> bool {
        self.free.load(Ordering::Acquire)
    }

    /// The same for a command that waits for `waits`.
    pub(crate) fn admits<'a>(&self, mut waits: impl Iterator<Item = &'a Arc<Node>>) -> bool {
        self.is_free() && waits.all(|wait| wait.is_plainly_before(self))
    }

    /// After each change of `state`, under its lock.
    fn note_free(&self, state: &LineState) {
        let free = if self.in_order { state.blocking == 0 } else { state.barrier.is_none() };
        self.free.store(free, Ordering::Release);
    }

    /// Whether nothing is held or lasting.
    pub(crate) fn is_clear(&self) -> bool {
        lock(&self.state).open.is_empty()
    }

    /// Waits for a command that has no node, and for what the queue's order puts before it.
    ///
    /// # Errors
    /// The device is lost.
    pub(crate) fn wait(&self, points: &Points) -> ClResult<()> {
        self.streams.wait(points)
    }

    /// Submits what is recorded.
    ///
    /// # Errors
    /// The device is lost.
    pub(crate) fn flush(&self) -> ClResult<()> {
        self.stream.get().map_or(Ok(()), |stream| self.streams.flush(*stream))
    }

    /// Waits for everything enqueued so far.
    ///
    /// # Errors
    /// The device is lost. Failed commands are none: they are complete.
    pub(crate) fn finish(&self) -> ClResult<()> {
        let last = self.last();
        let open: Vec<Arc<Node>> = lock(&self.state).open.values().cloned().collect();
        for node in open {
            node.wait();
        }
        self.streams.wait(&last)
    }

    /// The device is lost: what is held ends, for nothing that it waits for could let it run any more.
    pub(crate) fn abandon(&self) {
        let held: Vec<Arc<Node>> = lock(&self.state).open.values().cloned().collect();
        let mut pass = Pass::default();
        for node in held {
            node.abandon(&mut pass);
        }
        pass.run();
    }

    /// Enters a node; returns what it waits for by the queue's order.
    pub(super) fn enter(&self, node: &Arc<Node>, order: Order, barrier: bool) -> Vec<Arc<Node>> {
        let mut state = lock(&self.state);
        let before = if self.in_order {
            state.open.values().next_back().cloned().into_iter().collect()
        } else if order == Order::All {
            state.open.values().cloned().collect()
        } else {
            state.barrier.iter().cloned().collect()
        };
        let seq = state.next;
        state.next += 1;
        let _ = node.seq.set(seq);
        state.open.insert(seq, node.clone());
        state.blocking += 1;
        if barrier && !self.in_order {
            // The old one is older than this one, which is behind it.
            state.barrier = Some(node.clone());
        }
        self.note_free(&state);
        before
    }

    /// Takes a node out. `blocking`: it was in the way of later ones until now.
    pub(super) fn leave(&self, node: &Arc<Node>, blocking: bool) {
        let Some(seq) = node.seq.get() else { return };
        let mut state = lock(&self.state);
        let gone = state.open.remove(seq);
        if blocking && gone.is_some() {
            state.blocking -= 1;
        }
        let barrier = if state.barrier.as_ref().is_some_and(|b| Arc::ptr_eq(b, node)) {
            state.barrier.take()
        } else {
            None
        };
        self.note_free(&state);
        drop(state);
        drop((gone, barrier));
    }

    /// Later commands may be recorded behind a lasting node.
    pub(super) fn unblock(&self) {
        let mut state = lock(&self.state);
        state.blocking -= 1;
        self.note_free(&state);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.get() {
            self.streams.leave(*stream);
        }
    }
}
