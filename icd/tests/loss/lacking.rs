//! A submission that finds no memory: what can be freed is, and it is tried again; where that does not help its commands fail, and nothing
//! else. The device is not lost (Vulkan specification, "Command Buffer Submission": such a vkQueueSubmit changes nothing).

use super::*;

const FAILED: i32 = cl::CL_OUT_OF_RESOURCES;
/// More attempts than there are for a submission.
const ALWAYS: u64 = 1_000;

/// Runs with a world whose next submission finds no memory so many times, or whose next command buffer does.
fn lacking(at_end: bool, times: u64, run: impl Fn(&mut World)) {
    limited(|| {
        let Some(mut w) = World::new() else { return };
        w.write(0, 1);
        w.finish(0);
        assert!(!w.end(), "it begins well");
        assert!(testing::lack_memory(w.s.device, at_end, 1, times));
        run(&mut w);
        testing::lack_memory(w.s.device, at_end, 0, 0);
        w.end();
        w.failed = 0;
        w.all_queues_work();
        assert!(!w.end());
        w.drop();
        eventually("nothing is left", || testing::alive().is_empty());
    });
}

/// The memory is there when what can be freed was freed.
#[test]
fn once() {
    for q in 0..3 {
        lacking(false, 1, |w| {
            w.launch(q, w.kernel);
            w.finish(q);
            w.read(q, 1);
            assert_eq!((w.failed, w.out[5]), (0, w.data[5] * 3 + 2), "queue {q}");
            assert_eq!(w.statuses(), [0, 0]);
        });
    }
}

/// It is there when what is on its way has ended.
#[test]
fn until_something_ends() {
    lacking(false, 0, |w| {
        w.launch(0, w.kernel);
        // SAFETY: a queue.
        assert_eq!(unsafe { clFlush(w.queues[0]) }, 0);
        assert!(testing::lack_memory(w.s.device, false, 1, 2));
        w.fill(0);
        w.launch(0, w.kernel);
        w.finish(0);
        assert_eq!((w.failed, w.statuses()), (0, vec![0, 0, 0]));
    });
}

/// It is never there: the command fails, and its queue goes on.
#[test]
fn for_good() {
    for (at_end, q) in [(false, 0), (false, 1), (true, 0), (true, 1), (true, 2)] {
        let times = if at_end { 1 } else { ALWAYS };
        lacking(at_end, times, |w| {
            w.copy(q);
            assert_eq!(w.statuses(), [FAILED], "at the end: {at_end}, queue {q}");
            w.finish(q);
            assert_eq!(w.failed, 0, "who asked for the event was told");
            testing::lack_memory(w.s.device, at_end, 0, 0);
            w.fill(q);
            w.launch(q, w.kernel);
            assert_eq!(w.statuses(), [FAILED, 0, 0], "at the end: {at_end}, queue {q}");
            w.finish(q);
            assert_eq!(w.failed, 0);
        });
    }
}

/// A command without an event: who finishes is told, once.
#[test]
fn without_an_event() {
    for q in 0..2 {
        lacking(true, 1, |w| {
            w.launch_plainly(q, w.kernel);
            w.finish(q);
            assert_eq!(w.failed, 1, "queue {q}");
            w.finish(q);
            assert_eq!(w.failed, 1, "queue {q}");
        });
    }
}

/// A read that is waited for fails with its own submission, and tells so; or the fill before it does.
#[test]
fn at_a_blocking_read() {
    lacking(true, 1, |w| {
        w.fill(0);
        w.read(0, 1);
        // The fill may have been submitted alone, and then fails alone.
        assert!(w.failed > 0 || w.statuses().contains(&FAILED));
        w.read(0, 1);
    });
}

/// What waits for a command that failed fails with the code for that, and other queues go on.
#[test]
fn before_what_waits() {
    lacking(true, 1, |w| {
        let first = w.launch_behind(1, w.kernel, &[]).expect("an event");
        assert_eq!(wait(&[first]), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        w.launch_behind(1, w.kernel, &[first]);
        w.copy(0);
        let waits = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        assert_eq!(w.statuses(), [FAILED, waits, 0]);
    });
}

/// Submissions that find no memory now and then, in all kinds of commands: each command ends, and the device is not lost.
#[test]
fn now_and_then() {
    for at_end in [false, true] {
        for n in [1, 2, 3, 5, 8, 13] {
            limited(|| {
                let Some(mut w) = World::new() else { return };
                assert!(testing::lack_memory(w.s.device, at_end, n, 2));
                w.all_kinds(false);
                w.end();
                testing::lack_memory(w.s.device, at_end, 0, 0);
                w.failed = 0;
                w.write(0, 1);
                w.write(1, 1);
                w.fill(0);
                w.launch(0, w.kernel);
                w.read(0, 1);
                assert_eq!((w.failed, w.out[5]), (0, w.data[5] * 3 + 2), "at the end: {at_end}, the {n}th");
                assert!(!w.end());
                w.drop();
                eventually("nothing is left", || testing::alive().is_empty());
            });
        }
    }
}

/// The same on a device without timeline semaphores, where each batch is a submission of its own, with a fence.
#[test]
fn the_same_with_fences() {
    again::again_masked(module_path!(), "phone-1.1.json");
}
