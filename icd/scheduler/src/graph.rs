//! The graph of commands that are not complete. It knows nothing of API objects.
//!
//! A [`Node`] is a command or a user event, a [`CommandQueue`] what a command queue is to the scheduler. A node goes through these
//! phases:
//!
//! | phase | meaning | status |
//! |---|---|---|
//! | `User` | a user event that is not set | CL_SUBMITTED |
//! | `Blocked` | a command that waits to be recorded: `pending` counts what for | CL_QUEUED |
//! | `Recorded` | in its device's streams; complete when they have reached its points, the nodes in `after` have ended and its host work is done | CL_SUBMITTED |
//! | `Ended` | complete, or failed with a negative status | that |
//!
//! A command may be recorded as soon as what it waits for has ended, or is recorded for the same device and does not hold: its
//! queue's stream then waits for the points of other streams, on the device.
//! Its predecessors may still have host work to do then; such nodes go to `after`, so that a complete command implies
//! that what it waited for is complete.
//!
//! Only nodes with host work, or with something of another queue in `after`, are *persistent*: the stream says
//! when they can end, and stay in their queue's `open` until then. The others are evaluated when somebody asks: nothing is spent on
//! their completion. They become *watched* when a callback or a command of another device needs to know.
//!
//! Order within a queue is an edge like one from a wait list, but failures do not pass along it: what a queue's order waits
//! for is completion, which a negative status is (§5.11).
//!
//! # Locks
//! Each node and each queue has one. No thread holds two of them, and none is blocked while a closure, a callback or a stream is
//! called, or anything foreign is dropped. Steps that one step makes possible are collected in a [`FollowUp`] and done after it,
//! so that long chains need no stack.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use timeline::sync::{Condvar, Mutex, MutexGuard};

use smallvec::SmallVec;
use timeline::{DeferredLaunch, Point, Points};

use crate::follow_up::{FollowUp, take_calls};
use crate::queue::CommandQueue;
use crate::status::{self, Failure, LOST, Result, Status};
use crate::streams::same;
use crate::work::{Done, HostWork, Work};

/// A command of any kind.
pub type BoxedWork = Box<dyn Work>;
/// Hears of a status: what was registered for, or a negative one.
pub type Callback = Box<dyn FnOnce(Status) + Send>;

/// The order in which a command waits, besides its wait list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The queue's order.
    Plain,
    /// Everything before it in the queue.
    All,
}

/// A command or a user event.
pub struct Node {
    /// `None` for user events.
    pub(crate) queue: Option<Arc<CommandQueue>>,
    /// Its key in the queue's `open`.
    pub(crate) seq: OnceLock<u64>,
    /// The status as the API has it.
    status: AtomicI32,
    /// How many nodes it waits for to be recorded; one more while it is being enqueued.
    pending: AtomicUsize,
    /// Something in its wait list failed.
    failed: AtomicBool,
    /// A thread waits for it: the stream need not tell.
    awaited: bool,
    /// It has an event: what is recorded later must not delay it.
    observed: bool,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    phase: Phase,
    /// The points of what it waits for.
    floor: Points,
    /// The points of what it waits for by its wait list, and of what that waits for so: if one finds no memory, it fails.
    relies: Relies,
    /// The nodes that must have ended before it ends, each with true if failure passes on.
    after: Vec<(Arc<Node>, bool)>,
    /// Commands that wait for it to be recorded or to end, and whether failure passes on.
    waiters: Vec<(Arc<Node>, bool)>,
    /// Recorded commands that can end only after it.
    followers: Vec<Arc<Node>>,
    callbacks: Vec<(Status, Callback)>,
    /// True if the stream will tell.
    watched: bool,
    /// Threads that wait for `changed`.
    sleepers: u32,
}

/// Points, each once.
pub type Relies = SmallVec<[Point; 2]>;

enum Phase {
    User,
    /// `None` while it is being recorded.
    Blocked(Option<BoxedWork>),
    Recorded(Recorded),
    Ended,
}

struct Recorded {
    /// The points that the streams must reach.
    points: Points,
    /// The ones that are its own commands'.
    own: Points,
    work: Option<HostWork>,
    holds: bool,
    persistent: bool,
    /// The stream's result when it reached the value.
    reached: Option<Result<()>>,
    /// Somebody is doing the host work.
    claimed: bool,
    /// It is a deferred launch.
    deferred: Option<DeferredLaunch>,
    /// Its host work is a function of the application.
    calls: bool,
}

impl State {
    /// See [`Node::relied_on`].
    fn relied_on(&self, queue: &CommandQueue, relies: &mut Relies) {
        let Phase::Recorded(recorded) = &self.phase else { return };
        for point in recorded.own.iter().chain(self.relies.iter().copied()) {
            let at = Points::from(point);
            let settled = queue.streams.has_reached(&at) && !queue.streams.has_failed(&at);
            if !settled && !relies.contains(&point) {
                relies.push(point);
            }
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a closure of another crate; a panic (a bug of Pumice) must not leave waiting threads behind.
fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        log::error!("internal error in a command (this is a bug in Pumice)");
        Err(Failure(status::OUT_OF_RESOURCES))
    })
}

impl Node {
    fn new(
        queue: Option<Arc<CommandQueue>>,
        phase: Phase,
        status: Status,
        awaited: bool,
        observed: bool,
    ) -> Arc<Self> {
        let state = State {
            phase,
            floor: Points::none(),
            relies: Relies::new(),
            after: Vec::new(),
            waiters: Vec::new(),
            followers: Vec::new(),
            callbacks: Vec::new(),
            watched: false,
            sleepers: 0,
        };
        Arc::new(Node {
            queue,
            seq: OnceLock::new(),
            status: AtomicI32::new(status),
            pending: AtomicUsize::new(1),
            failed: AtomicBool::new(false),
            awaited,
            observed,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    /// A user event's.
    pub fn user() -> Arc<Self> {
        Self::new(None, Phase::User, status::SUBMITTED, false, true)
    }

    /// A command's, before it is [enqueued](Self::enqueue). `awaited`: the thread that enqueues it calls
    /// [`wait`](Self::wait) right after.
    pub fn command(queue: &Arc<CommandQueue>, awaited: bool) -> Arc<Self> {
        Self::new(Some(queue.clone()), Phase::Blocked(None), status::QUEUED, awaited, false)
    }

    /// The same for one with an event.
    pub fn observed(queue: &Arc<CommandQueue>, awaited: bool) -> Arc<Self> {
        Self::new(Some(queue.clone()), Phase::Blocked(None), status::QUEUED, awaited, true)
    }

    /// That of a command that was recorded just now in a queue that [admits](CommandQueue::admits) it and, if it is in-order, is
    /// [clear](CommandQueue::is_clear): it has nothing to wait for but the streams.
    /// `relies`: what what it waits for [relies on](Self::relied_on).
    pub fn recorded_now(
        queue: &Arc<CommandQueue>,
        points: Points,
        deferred: Option<DeferredLaunch>,
        relies: Relies,
    ) -> Arc<Self> {
        let recorded = Recorded {
            own: points.clone(),
            points,
            work: None,
            holds: false,
            persistent: false,
            reached: None,
            claimed: false,
            deferred,
            calls: false,
        };
        let node = Self::new(Some(queue.clone()), Phase::Recorded(recorded), status::SUBMITTED, false, true);
        lock(&node.state).relies = relies;
        node
    }

    /// Adds the points that a command which waits for this one relies on, as far as they may still find no memory.
    pub fn relied_on(&self, relies: &mut Relies) {
        let Some(queue) = &self.queue else { return };
        lock(&self.state).relied_on(queue, relies);
    }

    /// The status as it was last seen.
    pub fn status(&self) -> Status {
        self.status.load(Ordering::Acquire)
    }

    /// Its points while it is recorded and has not ended; none otherwise.
    pub fn points(&self) -> Points {
        match &lock(&self.state).phase {
            Phase::Recorded(recorded) => recorded.points.clone(),
            Phase::User | Phase::Blocked(_) | Phase::Ended => Points::none(),
        }
    }

    /// The deferred launch that it is, while it has not ended.
    pub fn deferred(&self) -> Option<DeferredLaunch> {
        match &lock(&self.state).phase {
            Phase::Recorded(recorded) => recorded.deferred,
            Phase::User | Phase::Blocked(_) | Phase::Ended => None,
        }
    }

    /// Returns whether it has failed, or is a launch that is dropped. That is known from now on.
    pub fn is_dropped(&self) -> bool {
        // One that has ended is not noted any more, and has its status.
        let (Some(launch), Some(queue)) = (self.deferred(), &self.queue) else { return self.status() < 0 };
        queue.streams.catch_up(launch);
        queue.dropped_launches.cause(launch).is_some()
    }

    fn has_ended(&self) -> bool {
        self.status() <= status::COMPLETE
    }

    /// Returns whether a command recorded now into a queue's stream would run after it, without anything else to watch.
    pub(crate) fn is_plainly_before(&self, queue: &CommandQueue) -> bool {
        match self.status() {
            status::COMPLETE => return true,
            status if status < 0 => return false,
            _ => {}
        }
        let state = lock(&self.state);
        match &state.phase {
            Phase::Recorded(r) => {
                !r.persistent
                    && self.queue.as_ref().is_some_and(|l| same(&l.streams, &queue.streams))
                    && state.after.iter().all(|(a, _)| a.has_ended())
            }
            _ => self.status() == status::COMPLETE,
        }
    }

    /// Enqueues a command: records it now if it can be.
    ///
    /// # Errors
    /// Those of `record` when it is called now. The node has ended then.
    pub fn enqueue<'a>(
        self: &Arc<Self>,
        waits: impl Iterator<Item = &'a Arc<Node>>,
        order: Order,
        barrier: bool,
        record: BoxedWork,
    ) -> Result<()> {
        let Some(queue) = &self.queue else { return Err(Failure(status::INVALID_OPERATION)) };
        lock(&self.state).phase = Phase::Blocked(Some(record));
        let before = queue.enter(self, order, barrier);
        if queue.streams.is_lost() {
            // Entered before this was looked at, or CommandQueue::abandon might miss it.
            let mut follow_up = FollowUp::default();
            self.abandon(&mut follow_up);
            follow_up.run();
            return Err(LOST);
        }
        if order == Order::All {
            lock(&self.state).floor.merge(&queue.last());
        }
        let mut follow_up = FollowUp::default();
        for node in &before {
            self.depend(node, false, &mut follow_up);
        }
        for node in waits {
            self.depend(node, true, &mut follow_up);
        }
        let result = if self.arrive() { self.record(&mut follow_up) } else { Ok(()) };
        follow_up.run();
        result
    }

    /// One thing less to wait for; whether it was the last.
    fn arrive(&self) -> bool {
        self.pending.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Makes this blocked node wait for another one, as far as that is needed.
    fn depend(self: &Arc<Self>, on: &Arc<Node>, passes: bool, follow_up: &mut FollowUp) {
        if passes && on.is_dropped() {
            self.failed.store(true, Ordering::Release);
        }
        let mut state = lock(&on.state);
        match &state.phase {
            Phase::Ended => {
                drop(state);
                if passes && on.status() < 0 {
                    self.failed.store(true, Ordering::Release);
                }
            }
            Phase::Recorded(r) if on.lets(self, r) => {
                let points = r.points.clone();
                let after = on.contribution(&state, r.persistent, passes);
                let mut relies = Relies::new();
                if let Some(queue) = on.queue.as_ref().filter(|_| passes) {
                    state.relied_on(queue, &mut relies);
                }
                drop(state);
                let mut own = lock(&self.state);
                own.relies.append(&mut relies);
                own.floor.merge(&points);
                own.after.extend(after);
            }
            _ => {
                self.pending.fetch_add(1, Ordering::AcqRel);
                state.waiters.push((self.clone(), passes));
                on.watch(state, follow_up);
            }
        }
    }

    /// Returns whether a command may be recorded behind this recorded one.
    fn lets(&self, other: &Node, recorded: &Recorded) -> bool {
        match (&self.queue, &other.queue) {
            (Some(a), Some(b)) => !recorded.holds && same(&a.streams, &b.streams),
            _ => false,
        }
    }

    /// Returns what a command that is recorded behind this recorded one can only end after.
    fn contribution(
        self: &Arc<Self>,
        state: &State,
        persistent: bool,
        passes: bool,
    ) -> Vec<(Arc<Node>, bool)> {
        if persistent {
            return vec![(self.clone(), passes)];
        }
        state.after.iter().filter(|(a, _)| !a.has_ended()).map(|(a, p)| (a.clone(), *p && passes)).collect()
    }

    /// Asks the stream to tell when a recorded node that somebody needs to know of has been reached.
    fn watch(self: &Arc<Self>, mut state: MutexGuard<'_, State>, follow_up: &mut FollowUp) {
        let Phase::Recorded(recorded) = &state.phase else { return };
        if state.watched || self.awaited || recorded.claimed {
            return;
        }
        let points = recorded.points.clone();
        state.watched = true;
        let after: Vec<Arc<Node>> = state.after.iter().map(|(a, _)| a.clone()).collect();
        drop(state);
        for node in after {
            let mut state = lock(&node.state);
            if !matches!(state.phase, Phase::Ended) {
                state.followers.push(self.clone());
            }
        }
        let Some(queue) = &self.queue else { return };
        let node = self.clone();
        queue.streams.on_complete(
            &points,
            Box::new(move |reached| {
                if reached.is_ok()
                    && node.has_heavy_work()
                    && let Some(queue) = &node.queue
                {
                    let node = node.clone();
                    return queue.streams.work(Box::new(move || node.conclude_alone(Some(reached))));
                }
                node.conclude_alone(Some(reached));
            }),
        );
        // One of `after` may have ended before this followed it.
        follow_up.check.push_back(self.clone());
    }

    /// Returns whether its host work is not for a thread that others wait for.
    fn has_heavy_work(&self) -> bool {
        match &lock(&self.state).phase {
            Phase::Recorded(recorded) => recorded.work.as_ref().is_some_and(HostWork::is_heavy),
            Phase::Blocked(_) | Phase::User | Phase::Ended => false,
        }
    }

    /// Ends a blocked node whose device is lost.
    pub(crate) fn abandon(self: &Arc<Self>, follow_up: &mut FollowUp) {
        let record = match &mut lock(&self.state).phase {
            Phase::Blocked(record) => record.take(),
            _ => None,
        };
        if let Some(record) = record {
            drop(record);
            self.end(LOST.0, follow_up);
        }
    }

    /// Records a node whose time has come.
    pub(crate) fn record(self: &Arc<Self>, follow_up: &mut FollowUp) -> Result<()> {
        let record = match &mut lock(&self.state).phase {
            Phase::Blocked(record) => record.take(),
            _ => None,
        };
        let (Some(record), Some(queue)) = (record, &self.queue) else { return Ok(()) };
        if self.failed.load(Ordering::Acquire) {
            drop(record);
            self.end(status::WAIT_LIST_FAILED, follow_up);
            return Ok(());
        }
        let floor = lock(&self.state).floor.clone();
        // The queue stays where it is until the command's points are noted.
        let place = match queue.choose_stream(&floor) {
            Ok(place) => place,
            Err(e) => {
                drop(record);
                self.end(e.0, follow_up);
                return Err(e);
            }
        };
        match guarded(|| record.record(place.stream)) {
            Ok(Done::Host) => self.recorded(queue, floor, Points::none(), (None, false), follow_up),
            Ok(Done::Device(own)) => self.recorded(queue, floor, own, (None, false), follow_up),
            Ok(Done::Then { points, work, holds }) => {
                self.recorded(queue, floor, points, (Some(work), holds), follow_up);
            }
            Err(e) => {
                self.end(e.0, follow_up);
                return Err(e);
            }
        }
        Ok(())
    }

    /// Notes that the streams have it: its points, what it waits for included.
    fn recorded(
        self: &Arc<Self>,
        queue: &Arc<CommandQueue>,
        floor: Points,
        own: Points,
        (work, holds): (Option<HostWork>, bool),
        follow_up: &mut FollowUp,
    ) {
        let mut points = floor.and(&own);
        // A command that is itself done at once, or has host work only, is not complete before what it waits for.
        if queue.in_order {
            points.merge(&queue.last());
        }
        queue.note(&points);
        if self.observed || work.is_some() {
            queue.streams.seal(&points);
        }
        let mut state = lock(&self.state);
        let (after, ended): (Vec<_>, Vec<_>) = std::mem::take(&mut state.after)
            .into_iter()
            .partition(|(a, passes)| !a.has_ended() || (*passes && a.status() < 0));
        state.after = after;
        if points.is_empty() && work.is_none() && state.after.is_empty() {
            drop(state);
            drop(ended);
            return self.end(status::COMPLETE, follow_up);
        }
        // What is in `after` and in this queue keeps itself open there; what is elsewhere is waited for through this node.
        let foreign = |a: &Node| a.queue.as_ref().is_none_or(|l| !Arc::ptr_eq(l, queue));
        let persistent = work.is_some() || state.after.iter().any(|(a, _)| foreign(a));
        let reached = points.is_empty().then_some(Ok(()));
        let (deferred, claimed) = (None, false);
        let calls = work.as_ref().is_some_and(HostWork::calls_application);
        let points_of = points.clone();
        let recorded =
            Recorded { points: points_of, own, work, holds, persistent, reached, claimed, deferred, calls };
        state.phase = Phase::Recorded(recorded);
        self.status.store(status::SUBMITTED, Ordering::Release);
        // Later commands may look for it in the queue only until here: what follows is behind it in the stream anyway.
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut state.waiters)
            .into_iter()
            .partition(|(w, _)| !holds && w.queue.as_ref().is_some_and(|l| same(&l.streams, &queue.streams)));
        state.waiters = kept;
        let after = self.contribution(&state, persistent, true);
        let mut relies = Relies::new();
        if !gone.is_empty() {
            state.relied_on(queue, &mut relies);
        }
        follow_up.calls.extend(take_calls(&mut state.callbacks, status::SUBMITTED));
        if state.sleepers > 0 {
            self.changed.notify_all();
        }
        let wanted = persistent || !state.waiters.is_empty() || !state.callbacks.is_empty();
        if wanted {
            self.watch(state, follow_up);
        } else {
            drop(state);
        }
        if !persistent {
            queue.leave(self, true);
        } else if !holds {
            queue.unblock();
        }
        drop(ended);
        for (waiter, passes) in gone {
            let mut state = lock(&waiter.state);
            state.floor.merge(&points);
            if passes {
                state.relies.extend(relies.iter().copied());
            }
            state.after.extend(after.iter().map(|(a, p)| (a.clone(), *p && passes)));
            drop(state);
            if waiter.arrive() {
                follow_up.ready.push_back(waiter);
            }
        }
    }

    /// Ends a recorded node if everything that it needs is there. `reached`: what the stream says of its value.
    pub(crate) fn conclude(self: &Arc<Self>, reached: Option<Result<()>>, follow_up: &mut FollowUp) {
        let (reached, work, failed, (points, own), deferred, relies) = {
            let mut guard = lock(&self.state);
            let state = &mut *guard;
            let Phase::Recorded(recorded) = &mut state.phase else { return };
            if recorded.claimed {
                return;
            }
            if reached.is_some() {
                recorded.reached = reached;
            }
            let Some(reached) = recorded.reached else { return };
            if reached.is_ok() && state.after.iter().any(|(a, _)| !a.has_ended()) {
                return;
            }
            recorded.claimed = true;
            let failed = state.after.iter().any(|(a, passes)| *passes && a.status() < 0);
            let relies = std::mem::take(&mut state.relies);
            let points = (recorded.points.clone(), std::mem::take(&mut recorded.own));
            (reached, recorded.work.take(), failed, points, recorded.deferred, relies)
        };
        let lacks =
            |queue: &Arc<CommandQueue>| relies.iter().any(|point| queue.streams.has_failed(&(*point).into()));
        let relied_failed = self.queue.as_ref().is_some_and(lacks);
        // Nobody knows which commands of the queue were terminated, nor what the others made of their results.
        let before =
            self.queue.as_ref().map_or(Ok(()), |queue| match deferred.map(|n| queue.was_dropped(n)) {
                Some(Err(own)) => Err(own),
                _ => queue.found_memory(&own).and_then(|()| queue.failure(&points)),
            });
        let status = match (reached.and(before), work) {
            _ if relied_failed => status::WAIT_LIST_FAILED,
            (Err(e), _) => e.0,
            _ if failed => status::WAIT_LIST_FAILED,
            (Ok(()), Some(work)) => {
                let node = self.clone();
                let own = work.delegate(move || {
                    let mut follow_up = FollowUp::default();
                    node.end(status::COMPLETE, &mut follow_up);
                    follow_up.run();
                });
                // The executor ends it, when the function has returned.
                let Some(work) = own else { return };
                guarded(|| work.run()).map_or_else(|e| e.0, |()| status::COMPLETE)
            }
            (Ok(()), None) => status::COMPLETE,
        };
        self.end(status, follow_up);
    }

    /// Ends a node. The caller is the only one to: it took the command, claimed the host work or the user event.
    fn end(self: &Arc<Self>, status: Status, follow_up: &mut FollowUp) {
        if let Some(queue) = &self.queue {
            // Before it shows in the status: who sees it complete sees the queue without it.
            let blocking = match &lock(&self.state).phase {
                Phase::Recorded(r) => r.persistent && r.holds,
                Phase::Blocked(_) => true,
                Phase::User | Phase::Ended => false,
            };
            queue.leave(self, blocking);
        }
        let mut state = lock(&self.state);
        let old = std::mem::replace(&mut state.phase, Phase::Ended);
        self.status.store(status, Ordering::Release);
        let after = std::mem::take(&mut state.after);
        let waiters = std::mem::take(&mut state.waiters);
        follow_up.check.extend(std::mem::take(&mut state.followers));
        follow_up.calls.extend(take_calls(&mut state.callbacks, status));
        if state.sleepers > 0 {
            self.changed.notify_all();
        }
        drop(state);
        drop((old, after));
        for (waiter, passes) in waiters {
            if passes && status < 0 {
                waiter.failed.store(true, Ordering::Release);
            }
            if waiter.arrive() {
                follow_up.ready.push_back(waiter);
            }
        }
    }

    /// Sets a user event's status.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if it has been set, or is none (§5.11).
    pub fn set(self: &Arc<Self>, status: Status) -> Result<()> {
        {
            let mut state = lock(&self.state);
            if !matches!(state.phase, Phase::User) {
                return Err(Failure(status::INVALID_OPERATION));
            }
            state.phase = Phase::Blocked(None);
        }
        let mut follow_up = FollowUp::default();
        self.end(status, &mut follow_up);
        follow_up.run();
        Ok(())
    }

    /// Calls a function when the status is as far as `level`, or negative: now, on this thread, if it is already.
    pub fn on_status(self: &Arc<Self>, level: Status, callback: Callback) {
        let mut follow_up = FollowUp::default();
        let mut state = lock(&self.state);
        state.callbacks.push((level, callback));
        let status = self.status();
        follow_up.calls.extend(take_calls(&mut state.callbacks, status));
        if state.callbacks.is_empty() {
            drop(state);
        } else {
            self.watch(state, &mut follow_up);
        }
        follow_up.run();
    }

    /// The status as far as its streams were seen to have come: nothing is submitted for it, and nobody is asked.
    pub fn seen(self: &Arc<Self>) -> Status {
        let Some(queue) = &self.queue else { return self.status() };
        let reached = match &lock(&self.state).phase {
            Phase::Recorded(recorded) => queue.streams.has_reached(&recorded.points),
            Phase::User | Phase::Blocked(_) | Phase::Ended => false,
        };
        if reached { self.poll() } else { self.status() }
    }

    /// The status now. Asking again and again comes to an end.
    pub fn poll(self: &Arc<Self>) -> Status {
        let mut stack = vec![self.clone()];
        while let Some(node) = stack.last().cloned() {
            match node.next(false) {
                Next::Ended => drop(stack.pop()),
                Next::First(other) => stack.push(other),
                Next::Reach(queue, points) => match queue.streams.is_done(&points) {
                    Ok(false) => break,
                    Ok(true) => node.conclude_alone(Some(Ok(()))),
                    Err(e) => node.conclude_alone(Some(Err(e))),
                },
                Next::Conclude => node.conclude_alone(None),
                Next::Changed => break,
            }
        }
        self.status()
    }

    /// Waits until it has ended; returns its status.
    pub fn wait(self: &Arc<Self>) -> Status {
        let mut stack = vec![self.clone()];
        while let Some(node) = stack.last().cloned() {
            match node.next(true) {
                Next::Ended => drop(stack.pop()),
                Next::First(other) => stack.push(other),
                Next::Reach(queue, points) => node.conclude_alone(Some(queue.streams.wait(&points))),
                Next::Conclude => node.conclude_alone(None),
                Next::Changed => {}
            }
        }
        self.status()
    }

    /// Waits until it is recorded or has ended.
    pub fn wait_until_recorded(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        while matches!(state.phase, Phase::Blocked(_)) {
            state.sleepers += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.sleepers -= 1;
        }
    }

    /// Waits for it if it may use shared memory at these addresses: as a command that is blocked, or with host work. What is only in a stream is the
    /// caller's to wait for.
    pub(crate) fn wait_for_use(self: &Arc<Self>, memory: &Range<usize>) {
        let mut state = lock(&self.state);
        let uses = loop {
            match &state.phase {
                Phase::Blocked(Some(work)) => break work.may_use(memory),
                // It is being recorded.
                Phase::Blocked(None) => {
                    state.sleepers += 1;
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.sleepers -= 1;
                }
                Phase::Recorded(recorded) => {
                    break !recorded.calls && (recorded.claimed || recorded.work.is_some());
                }
                Phase::User | Phase::Ended => break false,
            }
        };
        drop(state);
        if uses {
            self.wait();
        }
    }

    fn conclude_alone(self: &Arc<Self>, reached: Option<Result<()>>) {
        let mut follow_up = FollowUp::default();
        self.conclude(reached, &mut follow_up);
        follow_up.run();
    }

    /// Returns what there is to do for its end; with `sleep`, waits for a change where that is for others to do.
    fn next(&self, sleep: bool) -> Next {
        let mut state = lock(&self.state);
        match &state.phase {
            Phase::Ended => return Next::Ended,
            Phase::Recorded(r) if !r.claimed => {
                let failed = r.reached.is_some_and(|r| r.is_err());
                let first = state.after.iter().find(|(a, _)| !a.has_ended());
                return match (first, r.reached, &self.queue) {
                    (Some((first, _)), _, _) if !failed => Next::First(first.clone()),
                    (_, None, Some(queue)) => Next::Reach(queue.clone(), r.points.clone()),
                    _ => Next::Conclude,
                };
            }
            _ => {}
        }
        if sleep {
            state.sleepers += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.sleepers -= 1;
        }
        Next::Changed
    }
}

/// See [`Node::next`].
enum Next {
    Ended,
    /// Another node must end first.
    First(Arc<Node>),
    /// The streams of its queue's device must reach points.
    Reach(Arc<CommandQueue>, Points),
    /// All is there.
    Conclude,
    /// Commands of others are at work.
    Changed,
}
