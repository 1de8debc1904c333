//! A launch whose recording finds no memory after its enqueue succeeded: its event fails, and what waits for that. The device is not lost.
//! Its queue goes on once somebody was told; what ran in between ran without it.

use super::*;

const LOST: i32 = cl::CL_OUT_OF_RESOURCES;
const WAITS: i32 = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

/// Runs with a world whose next launch but `before` is left out, behind what is written and has ended.
fn left_out(before: u64, run: impl Fn(&mut World)) {
    limited(|| {
        let Some(mut w) = World::new() else { return };
        w.write(0, 1);
        w.finish(0);
        assert!(testing::leave_out(w.s.device, before + 1));
        run(&mut w);
        testing::leave_out(w.s.device, 0);
        w.all_queues_work();
        w.end();
        w.drop();
        eventually("nothing is left", || testing::alive().is_empty());
    });
}

/// Its own event fails, and nothing of another queue; the queue that finishes next has nothing to tell any more.
#[test]
fn with_an_event() {
    left_out(0, |w| {
        w.launch(0, w.kernel);
        w.copy(1);
        assert_eq!(w.statuses(), [0, LOST, 0], "a write, the launch, a copy");
        assert_eq!(wait(&[w.events[1]]), WAITS);
        w.finish(0);
        assert_eq!(w.failed, 0);
    });
}

/// Nobody has asked for it: who finishes is told, once.
#[test]
fn without_an_event() {
    for q in 0..2 {
        left_out(0, |w| {
            w.launch_plainly(q, w.kernel);
            w.finish(q);
            assert_eq!(w.failed, 1, "queue {q}");
            w.finish(q);
            assert_eq!(w.failed, 1, "queue {q}");
        });
    }
}

/// The same for who reads behind it, and whose event comes after it.
#[test]
fn before_what_is_asked_for() {
    left_out(0, |w| {
        w.launch_plainly(0, w.kernel);
        w.read(0, 1);
        assert_eq!(w.failed, 1);
        w.read(0, 1);
        assert_eq!(w.failed, 1);
    });
    left_out(0, |w| {
        w.launch_plainly(0, w.kernel);
        w.read(0, 0);
        w.copy(0);
        assert_eq!(w.statuses(), [0, LOST, 0], "a write, a read, a copy");
    });
}

/// What waits for it is not executed, however far away; what does not wait for it is, and ends well where the queue has no order.
#[test]
fn before_what_waits() {
    left_out(0, |w| {
        let first = w.launch_behind(1, w.kernel, &[]).expect("an event");
        w.launch_behind(1, w.kernel, &[]);
        let second = w.launch_behind(1, w.kernel, &[first]).expect("an event");
        let third = w.marker(0, &[second]).expect("an event");
        w.launch_behind(2, w.kernel, &[third]);
        w.copy(1);
        // The last first: nobody has asked for the others then.
        w.events.iter().rev().map(|e| wait(&[*e])).for_each(drop);
        assert_eq!(w.statuses(), [0, LOST, 0, WAITS, WAITS, WAITS, 0]);
        w.finish(1);
        assert_eq!(w.failed, 0);
    });
}

/// Reads that wait for it fail, and nothing is read.
#[test]
fn before_a_read_that_waits() {
    left_out(0, |w| {
        let launch = w.launch_behind(1, w.kernel, &[]).expect("an event");
        w.out[5] = 77;
        // SAFETY: sizes and places are valid, and live until everything has ended.
        let code = unsafe {
            let to = w.out.as_mut_ptr().cast();
            clEnqueueReadBuffer(w.queues[1], w.a, 1, 0, BYTES, to, 1, &launch, null_mut())
        };
        assert_eq!((code, w.out[5]), (WAITS, 77));
        assert_eq!(w.statuses(), [0, LOST]);
    });
}

/// One in the middle, in an order that the program gives by events alone.
#[test]
fn in_a_chain() {
    left_out(1, |w| {
        let mut last = w.launch_behind(1, w.kernel, &[]).expect("an event");
        for _ in 0..3 {
            last = w.launch_behind(1, w.kernel, &[last]).expect("an event");
        }
        let statuses = w.statuses();
        // A launch that is recorded at its enqueue does not count.
        let at = statuses.iter().position(|s| *s == LOST).expect("one is left out");
        assert!(at >= 2, "{statuses:?}");
        assert!(statuses[..at].iter().all(|s| *s == 0), "{statuses:?}");
        assert!(statuses[at + 1..].iter().all(|s| *s == WAITS), "{statuses:?}");
    });
}

/// Memory that is freed when its commands are done has nothing to do with it: the queue's own call is told.
#[test]
fn before_memory_is_freed() {
    use pumice::entry::usm::{clDeviceMemAllocINTEL, clMemBlockingFreeINTEL};
    left_out(0, |w| {
        let mut error = 1;
        // SAFETY: handles; the place is valid.
        let memory = unsafe { clDeviceMemAllocINTEL(w.s.context, w.s.device, null(), 64, 0, &mut error) };
        assert_eq!(error, 0);
        w.launch_plainly(0, w.kernel);
        assert_eq!(clMemBlockingFreeINTEL(w.s.context, memory), 0);
        assert_eq!(w.failed, 0);
        w.finish(0);
        assert_eq!(w.failed, 1);
    });
}
