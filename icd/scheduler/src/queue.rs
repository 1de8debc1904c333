//! A command queue as the scheduler knows it.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use timeline::sync::Mutex;

use timeline::{Cause, DeferredLaunch, DroppedLaunches, Point, Points};

use crate::follow_up::FollowUp;
use crate::graph::{Node, Order, lock};
use crate::status::{self, Failure, LOST, Result, Status};
use crate::streams::Streams;

/// A queue's part of the graph.
pub struct CommandQueue {
    pub(crate) streams: Arc<dyn Streams>,
    /// The number of the stream that is its own: with its first command it is chosen, so that queues that are not used take none.
    pub(crate) home: OnceLock<u32>,
    /// The stream that it records in; `u32::MAX`: at home.
    pub(crate) current: AtomicU32,
    /// How many threads record in it, and whether it is moving ([`place`](crate::stream_choice)).
    pub(crate) recording: AtomicU32,
    /// How many more commands that wait for nobody it records as a guest.
    pub(crate) credit: AtomicU32,
    /// It may move: in-order, and there is more than one stream.
    pub(crate) moves: bool,
    /// A test wants it to move with each command.
    pub(crate) always_moves: bool,
    pub(crate) in_order: bool,
    /// The last point that a command of this queue has in the stream that it records in, or recorded in before.
    last: LastPoint,
    /// The points of other streams that commands of this queue are complete after.
    elsewhere: Mutex<Points>,
    has_elsewhere: AtomicBool,
    /// Nothing is in the way of a command without a wait list: what `state` says, to be read without the lock.
    free: AtomicBool,
    /// The status of a command that was terminated on the device, once there was one.
    failed: AtomicI32,
    /// The points of its commands for which it is not known yet whether they found memory.
    submitted: Mutex<Submitted>,
    /// Tells of launches that could not be recorded after their enqueue.
    pub dropped_launches: DroppedLaunches,
    /// The functions that say if a command that has ended was terminated, and that report it to the application.
    watch: OnceLock<Watch>,
    pub(crate) state: Mutex<QueueState>,
}

#[derive(Default)]
pub(crate) struct QueueState {
    /// Commands that are blocked, being recorded, or persistent; by age.
    pub(crate) open: BTreeMap<u64, Arc<Node>>,
    pub(crate) next: u64,
    /// How many of them later commands of an in-order queue cannot be recorded behind.
    pub(crate) blocking: usize,
    /// The last barrier of an out-of-order queue while it is open.
    pub(crate) barrier: Option<Arc<Node>>,
}

/// See [`CommandQueue::watch`].
struct Watch {
    terminated: Box<dyn Fn() -> bool + Send + Sync>,
    tell: Box<dyn Fn() + Send + Sync>,
}

/// See [`CommandQueue::submitted`].
#[derive(Default)]
struct Submitted {
    /// The points that were not seen to be reached, each once.
    points: VecDeque<Point>,
    /// The points whose commands found no memory, before a call has reported it.
    failed: Vec<Point>,
}

impl Submitted {
    /// Looks at the points that were reached since.
    fn settle(&mut self, streams: &dyn Streams) {
        while let Some(point) = self.points.front().copied()
            && streams.has_reached(&point.into())
        {
            self.points.pop_front();
            if streams.has_failed(&point.into()) && !self.failed.contains(&point) {
                self.failed.push(point);
            }
        }
    }
}

/// The result of noting a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Note {
    /// It is the last one now.
    Last,
    /// There is one that is as late.
    Known,
    /// The last one is of another stream.
    Elsewhere,
}

/// A point that only grows while its stream is the same one.
#[derive(Default)]
struct LastPoint(AtomicU64);

impl LastPoint {
    /// Values have so many bits.
    const BITS: u32 = 56;

    fn pack(point: Point) -> u64 {
        u64::from(point.stream) << Self::BITS | point.value
    }

    fn unpack(packed: u64) -> Point {
        Point { stream: (packed >> Self::BITS) as u32, value: packed & ((1 << Self::BITS) - 1) }
    }

    fn get(&self) -> Point {
        Self::unpack(self.0.load(Ordering::Acquire))
    }

    /// Notes a point of the same stream, or of any stream if there is none yet. The result tells of the point that was there at that moment:
    /// another thread may move it to another stream at any time.
    #[inline]
    fn note(&self, point: Point) -> Note {
        self.note_beside(point, || ())
    }

    /// The same; `meanwhile` runs between the look at the point and its update, for tests of what another thread does there.
    #[inline]
    fn note_beside(&self, point: Point, mut meanwhile: impl FnMut()) -> Note {
        let noted = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |packed| {
            meanwhile();
            let known = Self::unpack(packed);
            let grows = known.value == 0 || (known.stream == point.stream && known.value < point.value);
            grows.then_some(Self::pack(point))
        });
        match noted {
            Ok(_) => Note::Last,
            Err(known) if Self::unpack(known).stream == point.stream => Note::Known,
            Err(_) => Note::Elsewhere,
        }
    }

    /// Moves to a point of another stream if it is still at `from`. Returns the point where it is, if not.
    fn move_to(&self, from: Point, point: Point) -> Result<(), Point> {
        let (old, new) = (Self::pack(from), Self::pack(point));
        let moved = self.0.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire);
        moved.map(drop).map_err(Self::unpack)
    }
}

impl CommandQueue {
    /// Creates the state of a command queue. It has no stream before its first command.
    pub fn new(streams: Arc<dyn Streams>, in_order: bool) -> Arc<Self> {
        Arc::new(CommandQueue {
            home: OnceLock::new(),
            current: AtomicU32::new(u32::MAX),
            recording: AtomicU32::new(0),
            credit: AtomicU32::new(0),
            moves: in_order && streams.count() > 1,
            always_moves: streams.always_moves(),
            in_order,
            last: LastPoint::default(),
            elsewhere: Mutex::default(),
            has_elsewhere: AtomicBool::new(false),
            free: AtomicBool::new(true),
            failed: AtomicI32::new(status::COMPLETE),
            submitted: Mutex::default(),
            streams,
            dropped_launches: DroppedLaunches::default(),
            watch: OnceLock::new(),
            state: Mutex::default(),
        })
    }

    /// The points of all commands of this queue.
    pub fn last(&self) -> Points {
        // Before the others: what it was before it moved is noted there first.
        let own = self.last.get();
        self.elsewhere().and(own)
    }

    /// The points of other streams, as far as they were not seen to be reached.
    fn elsewhere(&self) -> Points {
        if !self.has_elsewhere.load(Ordering::Acquire) {
            return Points::none();
        }
        let mut elsewhere = lock(&self.elsewhere);
        elsewhere.retain(|point| !self.streams.has_reached(&point.into()));
        self.has_elsewhere.store(!elsewhere.is_empty(), Ordering::Release);
        elsewhere.clone()
    }

    /// The points at which a command with this one in its stream is complete, by the queue's order.
    pub fn complete_at(&self, point: Point) -> Points {
        if self.in_order { self.elsewhere().and(point) } else { point.into() }
    }

    /// Returns whether a command that is recorded now has nothing before it in the queue but what its stream orders.
    pub fn is_plain(&self) -> bool {
        !self.in_order || self.is_clear()
    }

    /// The number of the stream that is its own.
    pub(crate) fn home(&self) -> u32 {
        *self.home.get_or_init(|| self.streams.join())
    }

    /// Notes a command's point.
    #[inline]
    pub fn note_own(&self, point: Point) {
        if point.value > 0 {
            match self.last.note(point) {
                Note::Known => {}
                Note::Last => self.rely(point),
                Note::Elsewhere => {
                    self.rely(point);
                    self.note_elsewhere(point);
                }
            }
        }
    }

    /// Records that this queue reports a failure of a point's commands.
    pub fn rely(&self, point: Point) {
        let mut submitted = lock(&self.submitted);
        submitted.settle(&*self.streams);
        if submitted.points.back() != Some(&point) {
            submitted.points.push_back(point);
        }
    }

    /// Notes a point of a stream that is not the one of the last point.
    fn note_elsewhere(&self, point: Point) {
        let mut elsewhere = lock(&self.elsewhere);
        let mut known = self.last.get();
        while known.stream != point.stream && Some(point.stream) == self.guest_or_home() {
            // It has moved. Who reads finds the old point there before the new one here.
            elsewhere.add(known);
            self.has_elsewhere.store(true, Ordering::Release);
            match self.last.move_to(known, point) {
                Ok(()) => return,
                // Another thread noted a later one of the old stream meanwhile, which is to be found there, too.
                Err(now) => known = now,
            }
        }
        elsewhere.add(point);
        self.has_elsewhere.store(true, Ordering::Release);
    }

    /// The stream that it records in, if it has one yet.
    fn guest_or_home(&self) -> Option<u32> {
        match self.current.load(Ordering::Acquire) {
            u32::MAX => self.home.get().copied(),
            stream => Some(stream),
        }
    }

    /// Notes the points of a command.
    pub fn note(&self, points: &Points) {
        points.iter().for_each(|point| self.note_own(point));
    }

    /// Returns whether a command that waits for nothing but the queue's order may be recorded at once, without a node of its own.
    pub fn is_free(&self) -> bool {
        self.free.load(Ordering::Acquire)
    }

    /// The same for what is done at once, on the host; `blocking`: the call returns when what is before it is complete.
    pub fn takes_at_once(&self, blocking: bool) -> bool {
        self.is_free() && (!blocking || self.is_clear()) && !self.streams.is_lost()
    }

    /// Returns whether its commands run in order.
    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// The same for a command that waits for `waits`.
    pub fn admits<'a>(&self, mut waits: impl Iterator<Item = &'a Arc<Node>>) -> bool {
        self.is_free() && waits.all(|wait| wait.is_plainly_before(self))
    }

    /// After each change of `state`, under its lock.
    fn note_free(&self, state: &QueueState) {
        let free = if self.in_order { state.blocking == 0 } else { state.barrier.is_none() };
        self.free.store(free, Ordering::Release);
    }

    /// Returns whether nothing is blocked or persistent.
    pub fn is_clear(&self) -> bool {
        lock(&self.state).open.is_empty()
    }

    /// Waits for a command that has no node, and for what the queue's order puts before it.
    ///
    /// # Errors
    /// The device is lost, or the command found no memory.
    pub fn wait(&self, points: &Points) -> Result<()> {
        self.streams.wait(points)?;
        self.found_memory(points)
    }

    /// Waits for points, also of commands that found no memory.
    ///
    /// # Errors
    /// The device is lost.
    pub fn wait_for_points(&self, points: &Points) -> Result<()> {
        self.streams.wait(points)
    }

    /// A command was terminated with this code: what comes after it in the queue has no ground to stand on. The
    /// queue is not available any more (§5.11 lets it be), so that nobody takes what was computed for results.
    pub fn fail(&self, code: Status) {
        self.failed.store(code, Ordering::Release);
    }

    /// Fails if a command was terminated, or a launch never begun though its enqueue succeeded: the
    /// first who wait for something behind the latter get the error, and the queue goes on. In an out-of-order queue what comes after a launch with an event is not behind it.
    ///
    /// # Errors
    /// What it ended with.
    pub fn failure(&self, points: &Points) -> Result<()> {
        self.ended_early(points, self.in_order)
    }

    /// Returns whether a launch was dropped, and counts it as reported.
    ///
    /// # Errors
    /// What it ends with.
    pub(crate) fn was_dropped(&self, launch: DeferredLaunch) -> Result<()> {
        let Some(cause) = self.dropped_launches.cause(launch) else { return Ok(()) };
        self.dropped_launches.mark_reported(launch);
        Err(Failure(match cause {
            Cause::NoMemory => status::OUT_OF_RESOURCES,
            Cause::Waits => status::WAIT_LIST_FAILED,
        }))
    }

    /// Checks that the commands of exactly these points were executed. A submission that found no memory fails its own commands alone.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if they were not. The caller reports it, so the queue does not report it again.
    pub(crate) fn found_memory(&self, points: &Points) -> Result<()> {
        if !self.streams.has_failed(points) {
            return Ok(());
        }
        let told = |point: &Point| points.iter().any(|p| p == *point);
        let mut submitted = lock(&self.submitted);
        submitted.failed.retain(|point| !told(point));
        submitted.points.retain(|point| !told(point));
        Err(LOST)
    }

    /// The result of all commands so far, for a call that waits for all of them. Failures of commands without an event are reported here.
    ///
    /// # Errors
    /// As [`failure`](Self::failure); CL_OUT_OF_RESOURCES, once, where commands found no memory.
    pub fn outcome(&self) -> Result<()> {
        self.all_found_memory()?;
        self.failure(&self.last())
    }

    fn all_found_memory(&self) -> Result<()> {
        let mut submitted = lock(&self.submitted);
        submitted.settle(&*self.streams);
        let failed = std::mem::take(&mut submitted.failed);
        if failed.is_empty() { Ok(()) } else { Err(LOST) }
    }

    fn ended_early(&self, points: &Points, observed: bool) -> Result<()> {
        let code = self.failed.load(Ordering::Acquire);
        if code != status::COMPLETE {
            return Err(Failure(code));
        }
        if self.dropped_launches.report(points, observed) {
            return Err(Failure(status::OUT_OF_RESOURCES));
        }
        match self.watch.get().filter(|watch| (watch.terminated)()) {
            None => Ok(()),
            Some(watch) => {
                let code = status::OUT_OF_RESOURCES;
                if self.failed.swap(code, Ordering::AcqRel) == status::COMPLETE {
                    (watch.tell)();
                }
                Err(Failure(code))
            }
        }
    }

    /// From now on `terminated` is asked whenever somebody is about to learn that commands have ended, and `tell` called once if it
    /// says that one was terminated.
    pub fn watch(
        &self,
        terminated: impl Fn() -> bool + Send + Sync + 'static,
        tell: impl Fn() + Send + Sync + 'static,
    ) {
        let _ = self.watch.set(Watch { terminated: Box::new(terminated), tell: Box::new(tell) });
    }

    /// Submits what is recorded.
    ///
    /// # Errors
    /// The device is lost.
    pub fn flush(&self) -> Result<()> {
        self.guest_or_home().map_or(Ok(()), |stream| self.streams.flush(stream))
    }

    /// Sees to it that what is recorded is submitted, for an application that goes on: soon, as the device needs it.
    ///
    /// # Errors
    /// The device is lost.
    pub fn submit_soon(&self) -> Result<()> {
        self.guest_or_home().map_or(Ok(()), |stream| self.streams.submit_soon(stream))
    }

    /// Waits for everything enqueued so far.
    ///
    /// # Errors
    /// The device is lost, or a command was [terminated](Self::fail). Failed commands are none: they are complete.
    pub fn finish(&self) -> Result<()> {
        let last = self.last();
        let open: Vec<Arc<Node>> = lock(&self.state).open.values().cloned().collect();
        for node in open {
            node.wait();
        }
        self.wait_for_points(&last)?;
        self.all_found_memory()?;
        self.ended_early(&last, true)?;
        // What the host does for a command may be what found the loss.
        if self.streams.is_lost() { Err(LOST) } else { Ok(()) }
    }

    /// Waits for those commands enqueued so far that may use shared memory at these addresses and are not recorded. Their errors are not
    /// returned.
    pub fn wait_for_uses(&self, memory: &Range<usize>) {
        let open: Vec<Arc<Node>> = lock(&self.state).open.values().cloned().collect();
        open.iter().for_each(|node| node.wait_for_use(memory));
    }

    /// The device is lost: what is blocked ends, for nothing that it waits for could let it run any more.
    pub fn abandon(&self) {
        let blocked: Vec<Arc<Node>> = lock(&self.state).open.values().cloned().collect();
        let mut follow_up = FollowUp::default();
        for node in blocked {
            node.abandon(&mut follow_up);
        }
        follow_up.run();
    }

    /// Enters a node; returns what it waits for by the queue's order.
    pub(crate) fn enter(&self, node: &Arc<Node>, order: Order, barrier: bool) -> Vec<Arc<Node>> {
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
    pub(crate) fn leave(&self, node: &Arc<Node>, blocking: bool) {
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

    /// Later commands may be recorded behind a persistent node.
    pub(crate) fn unblock(&self) {
        let mut state = lock(&self.state);
        state.blocking -= 1;
        self.note_free(&state);
    }
}

impl Drop for CommandQueue {
    fn drop(&mut self) {
        if let Some(home) = self.home.get() {
            self.streams.leave(*home);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Fake;

    const ROUNDS: u64 = 5_000;

    fn at(stream: u32, value: u64) -> Point {
        Point { stream, value }
    }

    #[test]
    fn a_last_point_grows_and_stays_in_its_stream() {
        let last = LastPoint::default();
        assert_eq!((last.note(at(1, 5)), last.note(at(1, 3))), (Note::Last, Note::Known));
        assert_eq!(last.get(), at(1, 5), "an earlier one is noted with it");
        assert_eq!(last.note(at(0, 9)), Note::Elsewhere);
        assert_eq!(last.note(at(1, 6)), Note::Last);
        assert_eq!(last.get(), at(1, 6));
    }

    /// Another thread notes a smaller point, or moves, between the look at the last point and its update.
    #[test]
    fn a_point_is_kept_beside_another_thread() {
        let beside = |point: Point, other: Point| {
            let last = LastPoint::default();
            last.note(at(1, 5));
            let mut once = Some(other);
            let noted = last.note_beside(point, || {
                if let Some(other) = once.take() {
                    last.0.store(LastPoint::pack(other), Ordering::Release);
                }
            });
            (noted, last.get())
        };
        assert_eq!(beside(at(1, 9), at(1, 7)), (Note::Last, at(1, 9)));
        assert_eq!(beside(at(1, 7), at(1, 9)), (Note::Known, at(1, 9)));
        assert_eq!(beside(at(1, 9), at(2, 7)), (Note::Elsewhere, at(2, 7)));
        // A move does not overwrite what was noted meanwhile.
        let last = LastPoint::default();
        last.note(at(1, 5));
        let known = last.get();
        last.note(at(1, 6));
        assert_eq!((last.move_to(known, at(2, 7)), last.get()), (Err(at(1, 6)), at(1, 6)));
        assert_eq!((last.move_to(at(1, 6), at(2, 7)), last.get()), (Ok(()), at(2, 7)));
    }

    /// Two threads note points of a queue that moves from its first stream to the second meanwhile.
    fn race(rounds: u64, first: impl Fn(u64) -> Point + Sync, second: impl Fn(u64) -> Point + Sync) {
        let queue = CommandQueue::new(Arc::new(Fake::default()), true);
        // They begin as nearly at once as can be: neither sleeps.
        let (met, both) = (AtomicU64::new(0), AtomicU64::new(0));
        let meet = || {
            let meeting = both.load(Ordering::SeqCst);
            if met.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
                both.store(meeting + 1, Ordering::SeqCst);
            }
            for looks in 0.. {
                if both.load(Ordering::SeqCst) != meeting {
                    return;
                }
                // Other tests have the cores, too.
                if looks > 1000 { std::thread::yield_now() } else { std::hint::spin_loop() }
            }
        };
        let run = |point: &dyn Fn(u64) -> Point, begins: bool| {
            for round in 1..=rounds {
                let start = at(0, round * 10);
                if begins {
                    queue.current.store(1, Ordering::Release);
                    queue.last.0.store(LastPoint::pack(start), Ordering::Release);
                    *lock(&queue.elsewhere) = Points::none();
                }
                meet();
                queue.note_own(point(start.value));
                meet();
                let kept = queue.last();
                for point in [start, first(start.value), second(start.value)] {
                    assert!(kept.value_in(point.stream) >= point.value, "{point:?} of {kept:?}");
                }
                meet();
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| run(&first, true));
            run(&second, false);
        });
    }

    #[test]
    fn points_are_kept_that_threads_note_at_once() {
        // Both have moved, and the one with the smaller value is the first to say so.
        race(ROUNDS, |v| at(1, v + 9), |v| at(1, v + 3));
        // One has moved, and the other notes what it recorded before.
        race(ROUNDS, |v| at(1, v), |v| at(0, v + 5));
    }
}
