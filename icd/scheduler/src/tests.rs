//! The graph without a device: a stream that reaches what the test says.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use timeline::sync::{Condvar, Mutex};
use timeline::{DeferredLaunch, Point, Points};

use crate::graph::{BoxedWork, Node, Order, lock};
use crate::queue::CommandQueue;
use crate::status::{self, Failure, LOST, Result};
use crate::streams::{Streams, Then};
use crate::work::{Done, HostWork, Work};

impl<F: FnOnce(u32) -> Result<Done> + Send> Work for F {
    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }

    fn record(self: Box<Self>, stream: u32) -> Result<Done> {
        self(stream)
    }
}

/// How many streams a fake device has.
const STREAMS: u32 = 2;

/// A device: records of each stream are numbered; the test says up to which one it is.
#[derive(Default)]
pub(crate) struct Fake {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    recorded: Vec<&'static str>,
    /// The point, and the points that the stream waits for there.
    places: Vec<(Point, Points)>,
    streams: [FakeStream; STREAMS as usize],
    lost: bool,
    /// Streams that had something long, and what the device is asked for.
    long: [bool; STREAMS as usize],
    always_moves: bool,
    pending: Vec<(Points, Then)>,
    flushes: u32,
}

#[derive(Default)]
struct FakeStream {
    /// The points of the other stream for which each record waits.
    records: Vec<Points>,
    behind: Points,
    reached: u64,
}

impl Inner {
    fn reached(&self, points: &Points) -> bool {
        points.iter().all(|p| self.streams[p.stream as usize].reached >= p.value)
    }

    /// The device gets on, as far as waits allow.
    fn advance(&mut self, stream: u32, value: u64) {
        loop {
            let at = &self.streams[stream as usize];
            let next = at.records.get(at.reached as usize);
            if at.reached >= value || next.is_none_or(|waits| !self.reached(waits)) {
                return;
            }
            self.streams[stream as usize].reached += 1;
        }
    }
}

impl Fake {
    fn record(&self, stream: u32, name: &'static str) -> Point {
        let mut inner = lock(&self.inner);
        inner.recorded.push(name);
        let stream_state = &mut inner.streams[stream as usize];
        stream_state.records.push(stream_state.behind.clone());
        let point = Point { stream, value: stream_state.records.len() as u64 };
        let behind = stream_state.behind.clone();
        inner.places.push((point, behind));
        point
    }

    fn recorded(&self) -> Vec<&'static str> {
        lock(&self.inner).recorded.clone()
    }

    /// The device gets as far as this in its first stream.
    fn reach(&self, value: u64) {
        self.reach_in(0, value);
    }

    fn reach_in(&self, stream: u32, value: u64) {
        let mut inner = lock(&self.inner);
        inner.advance(stream, value);
        let (due, rest) =
            std::mem::take(&mut inner.pending).into_iter().partition(|(points, _)| inner.reached(points));
        inner.pending = rest;
        drop(inner);
        self.changed.notify_all();
        let due: Vec<(Points, Then)> = due;
        due.into_iter().for_each(|(_, then)| then(Ok(())));
    }

    /// The same without a notice.
    fn reach_quietly(&self, value: u64) {
        lock(&self.inner).advance(0, value);
    }

    fn lose(&self) {
        let mut inner = lock(&self.inner);
        inner.lost = true;
        let due = std::mem::take(&mut inner.pending);
        drop(inner);
        self.changed.notify_all();
        due.into_iter().for_each(|(_, then)| then(Err(LOST)));
    }
}

impl Streams for Fake {
    fn count(&self) -> u32 {
        STREAMS
    }

    fn has_failed(&self, _: &Points) -> bool {
        false
    }

    fn has_reached(&self, points: &Points) -> bool {
        lock(&self.inner).reached(points)
    }

    fn has_come_to(&self, points: &Points) -> bool {
        self.has_reached(points)
    }

    fn runs_long(&self, stream: u32) -> bool {
        lock(&self.inner).long[stream as usize]
    }

    fn always_moves(&self) -> bool {
        lock(&self.inner).always_moves
    }

    fn join(&self) -> u32 {
        0
    }

    fn leave(&self, _: u32) {}

    fn wait(&self, points: &Points) -> Result<()> {
        let mut inner = lock(&self.inner);
        while !inner.reached(points) && !inner.lost {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        if inner.reached(points) { Ok(()) } else { Err(LOST) }
    }

    fn is_done(&self, points: &Points) -> Result<bool> {
        let inner = lock(&self.inner);
        if inner.lost { Err(LOST) } else { Ok(inner.reached(points)) }
    }

    fn on_complete(&self, points: &Points, then: Then) {
        let mut inner = lock(&self.inner);
        // Never in this call: a test that needs it calls reach again.
        inner.pending.push((points.clone(), then));
    }

    fn behind(&self, stream: u32, points: &Points) -> Result<()> {
        let mut inner = lock(&self.inner);
        let others = points.iter().filter(|p| p.stream != stream);
        for point in others {
            let known = inner.streams[point.stream as usize].records.len() as u64;
            assert!(point.value <= known, "what is waited for is recorded");
            inner.streams[stream as usize].behind.add(point);
        }
        Ok(())
    }

    fn seal(&self, _: &Points) {}

    fn catch_up(&self, _: DeferredLaunch) {}

    fn flush(&self, _: u32) -> Result<()> {
        lock(&self.inner).flushes += 1;
        Ok(())
    }

    fn submit_soon(&self, stream: u32) -> Result<()> {
        self.flush(stream)
    }

    fn work(&self, job: Box<dyn FnOnce() + Send>) {
        job();
    }

    fn is_lost(&self) -> bool {
        lock(&self.inner).lost
    }
}

/// The behaviour of a test's command.
#[derive(Clone, Copy)]
enum Kind {
    Host,
    Device,
    Then { holds: bool },
}

struct Bench {
    stream: Arc<Fake>,
    queue: Arc<CommandQueue>,
    log: Arc<Mutex<Vec<String>>>,
}

impl Bench {
    fn new(in_order: bool) -> Self {
        Self::on(&Arc::default(), in_order)
    }

    fn on(stream: &Arc<Fake>, in_order: bool) -> Self {
        Self::in_stream(stream, 0, in_order)
    }

    fn in_stream(device: &Arc<Fake>, stream: u32, in_order: bool) -> Self {
        let queue = CommandQueue::new(device.clone(), in_order);
        queue.home.set(stream).expect("not chosen yet");
        Bench { stream: device.clone(), queue, log: Arc::default() }
    }

    fn add(&self, name: &'static str, kind: Kind, waits: &[&Arc<Node>]) -> Arc<Node> {
        self.add_with(name, kind, waits, Order::Plain, false)
    }

    fn marker(&self, barrier: bool) -> Arc<Node> {
        self.add_with("marker", Kind::Device, &[], Order::All, barrier)
    }

    fn add_with(
        &self,
        name: &'static str,
        kind: Kind,
        waits: &[&Arc<Node>],
        order: Order,
        barrier: bool,
    ) -> Arc<Node> {
        let node = Node::command(&self.queue, false);
        let (device, log) = (self.stream.clone(), self.log.clone());
        let record = Box::new(move |stream| {
            let points = device.record(stream, name).into();
            Ok(match kind {
                Kind::Host => Done::Host,
                Kind::Device => Done::Device(points),
                Kind::Then { holds } => {
                    let work = HostWork::light(move || {
                        lock(&log).push(name.to_owned());
                        Ok(())
                    });
                    Done::Then { points, work, holds }
                }
            })
        });
        node.enqueue(waits.iter().copied(), order, barrier, record).expect("enqueued");
        node
    }

    fn log(&self) -> Vec<String> {
        lock(&self.log).clone()
    }

    fn open(&self) -> usize {
        let state = lock(&self.queue.state);
        assert!(state.blocking <= state.open.len());
        state.open.len()
    }

    /// Nothing is left behind.
    fn assert_clear(&self) {
        let state = lock(&self.queue.state);
        assert!(state.open.is_empty() && state.blocking == 0 && state.barrier.is_none());
    }
}

const HOST: Kind = Kind::Then { holds: true };
const READ: Kind = Kind::Then { holds: false };

#[test]
fn device_commands_are_recorded_at_once_and_asked_for_later() {
    let b = Bench::new(true);
    let x = b.add("x", Kind::Device, &[]);
    let y = b.add("y", Kind::Device, &[&x]);
    assert_eq!(b.stream.recorded(), ["x", "y"]);
    b.assert_clear();
    assert!(lock(&b.stream.inner).pending.is_empty(), "nobody needs to be told");
    assert_eq!((x.poll(), y.poll()), (status::SUBMITTED, status::SUBMITTED));
    b.stream.reach(1);
    assert_eq!((x.poll(), y.poll()), (status::COMPLETE, status::SUBMITTED));
    b.stream.reach(2);
    assert_eq!(y.wait(), status::COMPLETE);
    assert!(b.queue.admits([&x, &y].into_iter()) && b.queue.is_clear());
}

#[test]
fn user_events_hold_an_in_order_queue() {
    let b = Bench::new(true);
    let user = Node::user();
    let x = b.add("x", Kind::Device, &[&user]);
    let y = b.add("y", Kind::Device, &[]);
    assert!(b.stream.recorded().is_empty() && b.open() == 2);
    assert!(!b.queue.admits(std::iter::empty()));
    assert_eq!((user.poll(), x.poll(), y.poll()), (status::SUBMITTED, status::QUEUED, status::QUEUED));
    user.set(status::COMPLETE).expect("first");
    assert_eq!(user.set(status::COMPLETE), Err(Failure(status::INVALID_OPERATION)));
    assert_eq!(b.stream.recorded(), ["x", "y"]);
    assert!(lock(&b.stream.inner).flushes > 0, "the flush before could not flush them");
    b.assert_clear();
    b.stream.reach(2);
    assert_eq!((x.poll(), y.poll()), (0, 0));
    assert_eq!(x.set(0), Err(Failure(status::INVALID_OPERATION)), "no user event");
}

#[test]
fn out_of_order_queues_are_held_by_wait_lists_and_barriers_only() {
    let b = Bench::new(false);
    let user = Node::user();
    b.add("blocked", Kind::Device, &[&user]);
    b.add("free", Kind::Device, &[]);
    assert_eq!(b.stream.recorded(), ["free"]);
    let marker = b.marker(false);
    b.add("past marker", Kind::Device, &[]);
    assert_eq!(b.stream.recorded(), ["free", "past marker"]);
    b.marker(true);
    assert!(!b.queue.admits(std::iter::empty()));
    b.add("past barrier", Kind::Device, &[]);
    assert_eq!(b.stream.recorded(), ["free", "past marker"]);
    b.stream.reach(2);
    assert_eq!(marker.poll(), status::QUEUED);
    user.set(0).expect("first");
    let recorded = b.stream.recorded();
    assert_eq!(recorded[2], "blocked");
    assert_eq!(recorded.last(), Some(&"past barrier"));
    b.assert_clear();
    b.stream.reach(6);
    assert_eq!(marker.poll(), 0);
}

#[test]
fn a_failure_passes_along_wait_lists_but_not_along_the_order() {
    let b = Bench::new(true);
    let user = Node::user();
    let x = b.add("x", Kind::Device, &[&user]);
    let y = b.add("y", Kind::Device, &[&x]);
    let z = b.add("z", Kind::Device, &[]);
    user.set(-7).expect("first");
    let failed = status::WAIT_LIST_FAILED;
    assert_eq!((user.poll(), x.poll(), y.poll()), (-7, failed, failed));
    assert_eq!(b.stream.recorded(), ["z"]);
    b.assert_clear();
    b.stream.reach(1);
    assert_eq!(z.wait(), 0);
    let late = b.add("late", Kind::Device, &[&x]);
    assert_eq!(late.wait(), failed, "failed before");
    assert!(!b.queue.admits([&x].into_iter()));
}

#[test]
fn complete_commands_imply_that_what_they_waited_for_is_complete() {
    let b = Bench::new(true);
    let read = b.add("read", READ, &[]);
    assert!(b.queue.admits(std::iter::empty()), "later ones may be recorded behind it");
    let next = b.add("next", Kind::Device, &[]);
    let other = Bench::on(&b.stream, true);
    let cross = other.add("cross", Kind::Device, &[&next]);
    let later = other.add("later", Kind::Device, &[]);
    assert_eq!(b.stream.recorded(), ["read", "next", "cross", "later"]);
    assert_eq!((b.open(), other.open()), (1, 1), "the read, and what comes after another queue's read");
    // The device is done, but the read's host work is not: nothing is complete.
    b.stream.reach_quietly(4);
    assert!(b.log().is_empty());
    // Asking for the last one does the read's host work.
    assert_eq!(later.poll(), 0);
    assert_eq!((read.status(), cross.status()), (0, 0));
    assert_eq!(b.log(), ["read"]);
    assert_eq!(next.poll(), 0);
    b.stream.reach(4);
    assert_eq!(b.log(), ["read"], "once");
    b.assert_clear();
    other.assert_clear();
}

#[test]
fn work_that_holds_keeps_later_commands_on_the_host() {
    let b = Bench::new(true);
    b.add("x", HOST, &[]);
    let y = b.add("y", Kind::Device, &[]);
    assert_eq!(b.stream.recorded(), ["x"]);
    b.stream.reach(1);
    assert_eq!((b.log(), b.stream.recorded()), (vec!["x".to_owned()], vec!["x", "y"]));
    b.stream.reach(2);
    assert_eq!(y.wait(), 0);
    b.assert_clear();
}

#[test]
fn host_works_of_an_in_order_queue_run_in_order() {
    let b = Bench::new(true);
    let nodes: Vec<_> = ["a", "b", "c", "d"].map(|n| b.add(n, READ, &[])).into();
    b.stream.reach_quietly(4);
    assert_eq!(nodes[3].wait(), 0);
    assert_eq!(b.log(), ["a", "b", "c", "d"]);
    b.assert_clear();
}

#[test]
fn long_chains_need_no_stack() {
    let b = Bench::new(true);
    let user = Node::user();
    let first = b.add("first", Kind::Host, &[&user]);
    let mut last = first;
    for _ in 0..50_000 {
        last = b.add("n", Kind::Host, &[&last]);
    }
    let mut reads = Vec::new();
    for _ in 0..50_000 {
        reads.push(b.add("r", READ, &[]));
    }
    user.set(0).expect("first");
    assert_eq!(last.poll(), 0);
    b.stream.reach_quietly(1 << 20);
    assert_eq!(reads.last().expect("many").wait(), 0);
    b.assert_clear();
}

#[test]
fn commands_of_other_devices_wait_on_the_host() {
    let (a, b) = (Bench::new(true), Bench::new(true));
    let x = a.add("x", Kind::Device, &[]);
    let y = b.add("y", Kind::Device, &[&x]);
    assert!(b.stream.recorded().is_empty());
    a.stream.reach(1);
    assert_eq!(b.stream.recorded(), ["y"], "told without anybody asking");
    // Both ways round, and when the first one is blocked itself.
    let user = Node::user();
    let p = b.add("p", Kind::Device, &[&user, &y]);
    let q = a.add("q", Kind::Device, &[&p]);
    user.set(0).expect("first");
    b.stream.reach(2);
    assert_eq!((a.stream.recorded(), b.stream.recorded()), (vec!["x", "q"], vec!["y", "p"]));
    a.stream.reach(2);
    assert_eq!((y.poll(), q.wait()), (0, 0));
    a.assert_clear();
    b.assert_clear();
}

#[test]
fn commands_of_other_streams_wait_on_the_device() {
    let device = Fake::with_long_things();
    let (a, b) = (Bench::on(&device, true), Bench::in_stream(&device, 1, true));
    let x = a.add("x", Kind::Device, &[]);
    let y = b.add("y", Kind::Device, &[&x]);
    let z = b.add("z", Kind::Device, &[]);
    assert_eq!(device.recorded(), ["x", "y", "z"], "nothing waits on the host");
    assert!(lock(&device.inner).pending.is_empty(), "nobody needs to be told");
    device.reach_in(1, 2);
    assert_eq!((y.poll(), z.poll()), (status::SUBMITTED, status::SUBMITTED), "not before x");
    device.reach(1);
    device.reach_in(1, 1);
    assert_eq!((x.poll(), y.poll(), z.poll()), (0, 0, status::SUBMITTED));
    device.reach_in(1, 2);
    assert_eq!(z.wait(), 0);
    a.assert_clear();
    b.assert_clear();
}

impl Fake {
    /// One where nobody is a guest.
    fn with_long_things() -> Arc<Self> {
        let device = Self::default();
        lock(&device.inner).long = [true; STREAMS as usize];
        Arc::new(device)
    }

    /// The streams of what was recorded so far.
    fn streams(&self) -> Vec<u32> {
        lock(&self.inner).places.iter().map(|(point, _)| point.stream).collect()
    }

    fn finish(&self) {
        let reached = || lock(&self.inner).streams.iter().map(|s| s.reached).sum::<u64>();
        let mut before = u64::MAX;
        while before != reached() {
            before = reached();
            (0..STREAMS).for_each(|stream| self.reach_in(stream, u64::MAX));
        }
    }
}

#[test]
fn what_waits_for_another_stream_goes_there_and_comes_back() {
    let device = Arc::default();
    let (a, b) = (Bench::on(&device, true), Bench::in_stream(&device, 1, true));
    let mut last = a.add("a", Kind::Device, &[]);
    for (bench, name) in [(&b, "b"), (&a, "a"), (&b, "b"), (&a, "a")] {
        last = bench.add(name, Kind::Device, &[&last]);
    }
    assert_eq!(device.streams(), [0; 5], "they follow each other");
    device.finish();
    b.add("alone", Kind::Device, &[]);
    assert_eq!(device.streams().last(), Some(&1), "at home");
    // Something of its own is under way: it stays, and waits on the device.
    let x = a.add("x", Kind::Device, &[]);
    b.add("y", Kind::Device, &[&x]);
    assert_eq!(device.streams().last(), Some(&1));
    device.finish();
    // As a guest it records no more than a few commands that wait for nobody.
    let x = a.add("x", Kind::Device, &[]);
    for _ in 0..20 {
        last = b.add("y", Kind::Device, &[&x]);
    }
    assert!(device.streams().ends_with(&[0; 20]));
    for _ in 0..20 {
        last = b.add("z", Kind::Device, &[]);
    }
    assert!(device.streams().ends_with(&[0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]));
    device.reach_in(1, u64::MAX);
    assert_eq!(last.poll(), status::SUBMITTED, "behind what it recorded as a guest");
    device.finish();
    assert_eq!((last.poll(), a.queue.finish(), b.queue.finish()), (0, Ok(()), Ok(())));
}

#[test]
fn nobody_is_a_guest_where_things_take_long() {
    let device = Arc::default();
    let (a, b) = (Bench::on(&device, true), Bench::in_stream(&device, 1, true));
    let long = |stream: usize, is: bool| lock(&device.inner).long[stream] = is;
    let x = a.add("x", Kind::Device, &[]);
    long(0, true);
    b.add("apart", Kind::Device, &[&x]);
    device.finish();
    long(0, false);
    long(1, true);
    let x = a.add("x", Kind::Device, &[]);
    b.add("apart", Kind::Device, &[&x]);
    assert_eq!(device.streams(), [0, 1, 0, 1]);
    device.finish();
    long(1, false);
    let x = a.add("x", Kind::Device, &[]);
    b.add("together", Kind::Device, &[&x]);
    b.add("together", Kind::Device, &[]);
    long(0, true);
    let last = b.add("home", Kind::Device, &[]);
    assert_eq!(device.streams()[4..], [0, 0, 0, 1]);
    device.reach_in(1, u64::MAX);
    assert_eq!(last.poll(), status::SUBMITTED);
    device.finish();
    assert_eq!(last.poll(), 0);
}

#[test]
fn a_queue_that_moves_is_in_order_whoever_records() {
    for in_order in [true, false] {
        let device: Arc<Fake> = Arc::default();
        lock(&device.inner).always_moves = true;
        let b = Bench::on(&device, in_order);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..500).for_each(|_| drop(b.add("n", Kind::Device, &[]))));
            }
        });
        let inner = lock(&device.inner);
        let moves = inner.places.windows(2).filter(|two| two[0].0.stream != two[1].0.stream).count();
        assert!(if in_order { moves > 100 } else { moves == 0 }, "{moves}");
        for two in inner.places.windows(2) {
            let [(before, _), (after, waits)] = two else { continue };
            assert!(before.stream == after.stream || waits.value_in(before.stream) >= before.value);
        }
        drop(inner);
        let last = b.queue.last();
        assert!(!device.has_reached(&last));
        device.finish();
        assert!(device.has_reached(&last));
        assert_eq!(b.queue.finish(), Ok(()));
        b.assert_clear();
    }
}

#[test]
fn a_marker_of_another_streams_command_is_complete_with_it() {
    for in_order in [true, false] {
        let device = Fake::with_long_things();
        let (a, b) = (Bench::on(&device, true), Bench::in_stream(&device, 1, in_order));
        let x = a.add("x", Kind::Device, &[]);
        let marker = b.add("marker", Kind::Host, &[&x]);
        let barrier = b.add_with("barrier", Kind::Host, &[], Order::All, true);
        let after = b.add("after", Kind::Device, &[]);
        device.reach_in(1, 3);
        for node in [&marker, &barrier, &after] {
            assert_eq!(node.poll(), status::SUBMITTED, "x is not complete");
        }
        device.reach(1);
        device.reach_in(1, 3);
        assert_eq!((marker.poll(), barrier.poll(), after.poll(), b.queue.finish()), (0, 0, 0, Ok(())));
        b.assert_clear();
    }
}

#[test]
fn callbacks_are_called_once_and_may_use_the_graph() {
    let b = Bench::new(true);
    let (gate, user) = (Node::user(), Node::user());
    let x = b.add("x", Kind::Device, &[&gate]);
    let calls = Arc::new(Mutex::new(Vec::new()));
    for level in [status::COMPLETE, status::RUNNING, status::SUBMITTED] {
        let (calls, user) = (calls.clone(), user.clone());
        x.on_status(
            level,
            Box::new(move |status| {
                lock(&calls).push(status);
                if status == status::COMPLETE {
                    user.set(0).expect("first");
                }
            }),
        );
    }
    let y = b.add("y", Kind::Device, &[&user]);
    assert!(lock(&calls).is_empty());
    gate.set(0).expect("first");
    assert_eq!(*lock(&calls), [status::SUBMITTED]);
    assert_eq!(b.stream.recorded(), ["x"]);
    b.stream.reach(1);
    assert_eq!(*lock(&calls), [status::SUBMITTED, status::RUNNING, status::COMPLETE]);
    assert_eq!(b.stream.recorded(), ["x", "y"]);
    b.stream.reach(2);
    assert_eq!(y.poll(), 0);
    let late = calls.clone();
    y.on_status(status::RUNNING, Box::new(move |status| lock(&late).push(status + 100)));
    assert_eq!(lock(&calls).last(), Some(&101), "at once, with its own status");
    let failing = Node::user();
    let seen = calls.clone();
    failing.on_status(status::COMPLETE, Box::new(move |status| lock(&seen).push(status)));
    failing.set(-3).expect("first");
    assert_eq!(lock(&calls).last(), Some(&-3));
}

#[test]
fn a_lost_device_ends_everything() {
    let b = Bench::new(true);
    let read = b.add("read", READ, &[]);
    let x = b.add("x", Kind::Device, &[&read]);
    let user = Node::user();
    let blocked = b.add("blocked", Kind::Device, &[&x, &user]);
    b.stream.lose();
    assert_eq!((read.poll(), x.poll()), (LOST.0, LOST.0));
    assert!(b.log().is_empty(), "no host work on what the device did not do");
    assert_eq!(b.queue.finish_without_held(), Err(LOST));
    user.set(-1).expect("first");
    assert_eq!(blocked.wait(), status::WAIT_LIST_FAILED);
    b.assert_clear();
}

impl CommandQueue {
    fn finish_without_held(&self) -> Result<()> {
        self.streams.wait(&self.last())
    }
}

#[test]
fn what_is_held_ends_with_the_device() {
    for in_order in [true, false] {
        let b = Bench::new(in_order);
        let user = Node::user();
        let x = b.add("x", Kind::Device, &[&user]);
        let y = b.add("y", HOST, &[&x]);
        let marker = b.marker(true);
        let z = b.add("z", Kind::Device, &[]);
        b.stream.lose();
        b.queue.abandon();
        let statuses = [&x, &y, &marker, &z].map(|node| node.wait());
        assert!(statuses.iter().all(|s| *s < 0), "{statuses:?}");
        b.assert_clear();
        // Later ones are refused, whatever they wait for; what they waited for may still happen.
        let late = Node::command(&b.queue, false);
        let waits = [&user];
        assert_eq!(
            late.enqueue(waits.into_iter(), Order::Plain, false, Box::new(|_| Ok(Done::Host))),
            Err(LOST)
        );
        assert_eq!((late.wait(), user.set(0)), (LOST.0, Ok(())));
        assert!(b.stream.recorded().is_empty() && b.queue.is_clear());
        b.assert_clear();
    }
}

#[test]
fn errors_of_recording() {
    let b = Bench::new(true);
    let broken = || -> BoxedWork { Box::new(|_| Err(Failure(-5))) };
    let now = Node::command(&b.queue, false);
    assert_eq!(now.enqueue(std::iter::empty(), Order::Plain, false, broken()), Err(Failure(-5)));
    b.assert_clear();
    let user = Node::user();
    let later = Node::command(&b.queue, false);
    assert_eq!(later.enqueue([&user].into_iter(), Order::Plain, false, broken()), Ok(()));
    let panics = Node::command(&b.queue, false);
    let record: BoxedWork = Box::new(|_| panic!("in a test"));
    assert_eq!(panics.enqueue(std::iter::empty(), Order::Plain, false, record), Ok(()));
    user.set(0).expect("first");
    assert_eq!((later.poll(), panics.poll()), (-5, status::OUT_OF_RESOURCES));
    b.assert_clear();
}

#[test]
fn threads_wait_and_finish() {
    let b = Bench::new(false);
    let user = Node::user();
    let blocked = b.add("blocked", READ, &[&user]);
    let marker = b.marker(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(blocked.wait(), 0));
            scope.spawn(|| assert_eq!(marker.wait(), 0));
            scope.spawn(|| assert_eq!(b.queue.finish(), Ok(())));
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        user.set(0).expect("first");
        std::thread::sleep(std::time::Duration::from_millis(20));
        b.stream.reach(2);
    });
    assert_eq!(b.log(), ["blocked"]);
    b.assert_clear();
}

#[test]
fn random_graphs_end_in_order() {
    // Two devices with two streams each, eight queues, user events: whatever the order in which things happen, everything ends, and a complete command's
    // wait list is complete before it.
    let mut seed = 7u64;
    let mut random = move |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    for _ in 0..300 {
        let streams: [Arc<Fake>; 2] = Default::default();
        streams.iter().for_each(|s| lock(&s.inner).always_moves = random(3) == 0);
        let of = |i: u32| Bench::in_stream(&streams[i as usize % 2], i / 2 % STREAMS, i < 4);
        let benches: Vec<Bench> = (0..8).map(of).collect();
        let mut users = Vec::new();
        let mut nodes: Vec<(Arc<Node>, Vec<Arc<Node>>)> = Vec::new();
        let check = |nodes: &[(Arc<Node>, Vec<Arc<Node>>)]| {
            for (node, waits) in nodes {
                if node.poll() == status::COMPLETE {
                    assert!(waits.iter().all(|w| w.poll() == status::COMPLETE));
                }
            }
        };
        for _ in 0..40 {
            match random(8) {
                0 => {
                    users.push(Node::user());
                    nodes.push((users[users.len() - 1].clone(), Vec::new()));
                }
                1 => {
                    let some = random(2) as usize;
                    streams[some].reach_in(random(2) as u32, random(40));
                }
                2 if !users.is_empty() => {
                    let user = users.swap_remove(random(users.len() as u64) as usize);
                    user.set(if random(6) == 0 { -1 } else { 0 }).expect("first");
                }
                3 => check(&nodes),
                _ => {
                    let mut waits = Vec::new();
                    for _ in 0..random(3) {
                        if !nodes.is_empty() {
                            waits.push(nodes[random(nodes.len() as u64) as usize].0.clone());
                        }
                    }
                    let kind = [Kind::Host, Kind::Device, Kind::Device, READ, HOST][random(5) as usize];
                    let bench = &benches[random(8) as usize];
                    let order = if waits.is_empty() && random(4) == 0 { Order::All } else { Order::Plain };
                    let refs: Vec<&Arc<Node>> = waits.iter().collect();
                    let node = bench.add_with("n", kind, &refs, order, random(6) == 0);
                    nodes.push((node, waits));
                }
            }
        }
        for user in users {
            user.set(0).expect("first");
        }
        // Commands recorded late need another go.
        for _ in 0..100 {
            for stream in 0..STREAMS {
                streams.iter().for_each(|s| s.reach_in(stream, s.recorded().len() as u64));
            }
        }
        check(&nodes);
        for (node, waits) in &nodes {
            let failed = waits.iter().any(|w| w.status() < 0);
            let status = node.wait();
            assert!(if waits.is_empty() { status <= 0 } else { (status < 0) == failed }, "{status}");
        }
        benches.iter().for_each(Bench::assert_clear);
    }
}
