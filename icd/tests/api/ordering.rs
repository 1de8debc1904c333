//! What order queues, wait lists and events give to commands that move data.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::{again, common};
use common::*;
use opencl_sys as cl;
use pumice::entry::event::*;
use pumice::entry::queue::*;

/// Small, staged by size, and large enough to be moved in place.
const SIZES: [usize; 3] = [64, 20_000, 600_000];

fn numbers(first: u32, count: usize) -> Vec<u32> {
    (first..).take(count).collect()
}

#[test]
fn an_in_order_queue_keeps_the_order_held_or_not() {
    let Some(s) = setup() else { return };
    for size in SIZES {
        for held in [false, true] {
            let (queue, user) = (s.queue(IN_ORDER), s.user());
            let (a, b) = (s.buffer(0, size), s.buffer(0, size));
            let (first, second) = (numbers(1, size), numbers(1_000_000, size));
            let (mut x, mut y) = (vec![0; size], vec![0; size]);
            let waits: &[Handle] = if held { &[user] } else { &[] };
            let events = [
                write(queue, a, false, &first, waits),
                copy(queue, a, b, size, &[]),
                read(queue, b, false, &raw mut x[..], &[]),
                write(queue, a, false, &second, &[]),
                copy(queue, a, b, size, &[]),
                read(queue, b, false, &raw mut y[..], &[]),
                marker(queue, &[]),
            ];
            if held {
                assert!(events.iter().all(|e| status(*e) == cl::CL_QUEUED));
                assert_eq!(set(user, 0), 0);
            }
            // The marker is complete only when the reads before it are.
            assert_eq!(wait(&events[6..]), 0);
            assert_eq!((&x, &y), (&first, &second), "{size} {held}");
            assert!(events.iter().all(|e| status(*e) == 0));
            release(&events, &[queue]);
            release(&[user], &[]);
            release_buffers(&[a, b]);
        }
    }
}

#[test]
fn an_out_of_order_queue_has_no_order_but_that_of_events() {
    let Some(s) = setup() else { return };
    for size in SIZES {
        let (queue, user) = (s.queue(OUT_OF_ORDER), s.user());
        let (a, b) = (s.buffer(0, size), s.buffer(0, size));
        let (first, second) = (numbers(1, size), numbers(1_000_000, size));
        let (mut x, mut y) = (vec![0; size], vec![0; size]);
        let held = write(queue, a, false, &first, &[user]);
        let late = read(queue, a, false, &raw mut x[..], &[held]);
        // The second pair does not wait for the first.
        let free = write(queue, b, false, &second, &[]);
        let early = read(queue, b, false, &raw mut y[..], &[free]);
        assert_eq!(wait(&[early]), 0);
        assert_eq!(y, second);
        assert_eq!((status(held), status(late)), (cl::CL_QUEUED, cl::CL_QUEUED));
        // SAFETY: a handle.
        assert_eq!(unsafe { clEnqueueBarrier(queue) }, 0);
        let mut z = vec![0; size];
        let past = read(queue, a, false, &raw mut z[..], &[]);
        assert_eq!(status(past), cl::CL_QUEUED, "behind the barrier");
        assert_eq!(set(user, 0), 0);
        // SAFETY: a handle.
        assert_eq!(unsafe { clFinish(queue) }, 0);
        assert_eq!((&x, &z), (&first, &first));
        assert_eq!((status(late), status(past)), (0, 0));
        release(&[user, held, late, free, early, past], &[queue]);
        release_buffers(&[a, b]);
    }
}

#[test]
fn queues_hand_over_by_events() {
    let Some(s) = setup() else { return };
    let size = 5000;
    let queues = [s.queue(IN_ORDER), s.queue(OUT_OF_ORDER), s.queue(IN_ORDER | PROFILED)];
    let buffers: Vec<Handle> = (0..3).map(|_| s.buffer(0, size)).collect();
    let data = numbers(3, size);
    let user = s.user();
    let mut events = vec![write(queues[0], buffers[0], false, &data, &[user])];
    for i in 0..30 {
        let last = events[events.len() - 1];
        events.push(copy(queues[i % 3], buffers[i % 3], buffers[(i + 1) % 3], size, &[last]));
    }
    let mut out = vec![0; size];
    let last = events[events.len() - 1];
    events.push(read(queues[1], buffers[0], false, &raw mut out[..], &[last]));
    // A marker of another queue, behind the read: complete only with its data.
    let end = marker(queues[2], &[events[events.len() - 1]]);
    assert_eq!(set(user, 0), 0);
    assert_eq!(wait(&[end]), 0);
    assert_eq!(out, data);
    release(&events, &queues);
    release(&[user, end], &[]);
    release_buffers(&buffers);
}

#[test]
fn a_released_queue_still_runs_its_commands() {
    let Some(s) = setup() else { return };
    let size = 1000;
    let (queue, other, user) = (s.queue(IN_ORDER), s.queue(IN_ORDER), s.user());
    let buffer = s.buffer(0, size);
    let data = numbers(9, size);
    let written = write(queue, buffer, false, &data, &[user]);
    release(&[], &[queue]);
    let mut out = vec![0; size];
    let done = read(other, buffer, false, &raw mut out[..], &[written]);
    release(&[], &[other]);
    release(&[written], &[]);
    release_buffers(&[buffer]);
    assert_eq!(set(user, 0), 0);
    assert_eq!(wait(&[done]), 0);
    assert_eq!(out, data);
    release(&[done, user], &[]);
}

#[test]
fn failures_of_what_is_waited_for() {
    let Some(s) = setup() else { return };
    let (queue, user) = (s.queue(IN_ORDER), s.user());
    let buffer = s.buffer(0, 16);
    assert_eq!(set(user, -1), 0);
    let failed = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    let mut out = [7; 16];
    assert_eq!(try_read(queue, buffer, true, &raw mut out[..], &[user]), (failed, null_mut()));
    let (code, event) = try_read(queue, buffer, false, &raw mut out[..], &[user]);
    assert_eq!((code, status(event)), (0, failed));
    assert_eq!(out, [7; 16], "not touched");
    let data = numbers(0, 16);
    let next = write(queue, buffer, true, &data, &[]);
    let read_back = read(queue, buffer, true, &raw mut out[..], &[next]);
    assert_eq!(out[..], data);
    release(&[user, event, next, read_back], &[queue]);
    release_buffers(&[buffer]);
}

#[test]
fn thousands_of_reads_in_one_go() {
    let Some(s) = setup() else { return };
    for (properties, held) in [(IN_ORDER, false), (IN_ORDER, true), (OUT_OF_ORDER, true)] {
        let (queue, buffer, user) = (s.queue(properties), s.buffer(0, 8), s.user());
        let data = numbers(40, 8);
        release(&[write(queue, buffer, true, &data, &[])], &[]);
        let mut out = vec![[0u32; 8]; 5000];
        let waits: &[Handle] = if held { &[user] } else { &[] };
        for place in &mut out {
            release(&[read(queue, buffer, false, &raw mut place[..], waits)], &[]);
        }
        let end = marker(queue, &[]);
        assert_eq!(set(user, 0), 0);
        assert_eq!(wait(&[end]), 0);
        assert!(out.iter().all(|o| o[..] == data));
        release(&[user, end], &[queue]);
        release_buffers(&[buffer]);
    }
}

static SEEN: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn look(_: Handle, status: i32, data: Handle) {
    // SAFETY: the test passes a place with a number that the command has written.
    let value = unsafe { *data.cast::<u32>() };
    SEEN.store(if status == 0 { value } else { 1 }, Ordering::Release);
}

#[test]
fn callbacks_find_the_data_there() {
    let Some(s) = setup() else { return };
    let (queue, buffer) = (s.queue(IN_ORDER), s.buffer(0, 4));
    let written = write(queue, buffer, false, &[77; 4], &[]);
    let mut out = [0; 4];
    let done = read(queue, buffer, false, &raw mut out[..], &[]);
    // SAFETY: the function's argument is as it wants it.
    let code = unsafe { clSetEventCallback(done, cl::CL_COMPLETE, Some(look), out.as_mut_ptr().cast()) };
    assert_eq!(code, 0);
    eventually("without a flush", || SEEN.load(Ordering::Acquire) != 0);
    assert_eq!(SEEN.load(Ordering::Acquire), 77);
    release(&[written, done], &[queue]);
    release_buffers(&[buffer]);
}

#[test]
fn times_are_in_order() {
    let Some(s) = setup() else { return };
    let (queue, user) = (s.queue(PROFILED), s.user());
    let size = 300_000;
    let (a, b) = (s.buffer(0, size), s.buffer(0, size));
    let data = numbers(0, size);
    let mut out = vec![0; size];
    let events = [
        write(queue, a, false, &data, &[user]),
        copy(queue, a, b, size, &[]),
        read(queue, b, false, &raw mut out[..], &[]),
        marker(queue, &[]),
    ];
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(set(user, 0), 0);
    assert_eq!(wait(&events), 0);
    assert_eq!(out, data);
    let time = |event: Handle, param: u32| {
        let mut value = 0u64;
        // SAFETY: eight bytes.
        let code = unsafe { clGetEventProfilingInfo(event, param, 8, (&raw mut value).cast(), null_mut()) };
        assert_eq!(code, 0);
        value
    };
    let mut last_start = 0;
    for (i, event) in events.iter().enumerate() {
        let times: Vec<u64> = (0x1280..=0x1284).map(|p| time(*event, p)).collect();
        assert!(times.is_sorted(), "{i}: {times:?}");
        assert!(times[1] - times[0] >= 4_000_000, "{i} was held: {times:?}");
        assert!(times[2] >= last_start, "{i} starts after the one before: {times:?}");
        assert!(times[3] - times[2] < 10_000_000_000, "{i}: {times:?}");
        last_start = times[2];
    }
    release(&events, &[queue]);
    release(&[user], &[]);
    release_buffers(&[a, b]);
}

#[test]
fn threads_share_a_queue() {
    let Some(s) = setup() else { return };
    for properties in [IN_ORDER, OUT_OF_ORDER] {
        let queue = shared(s.queue(properties));
        let buffers: Vec<usize> = (0..8).map(|_| shared(s.buffer(0, 256))).collect();
        std::thread::scope(|scope| {
            for (i, &buffer) in buffers.iter().enumerate() {
                scope.spawn(move || {
                    let (queue, buffer) = (handle(queue), handle(buffer));
                    let mut out = [0; 256];
                    for n in 0..200 {
                        let data = numbers(i as u32 * 1000 + n, 256);
                        let written = write(queue, buffer, false, &data, &[]);
                        let blocking = n % 2 == 0;
                        let done = read(queue, buffer, blocking, &raw mut out[..], &[written]);
                        if !blocking {
                            assert_eq!(wait(&[done]), 0);
                        }
                        assert_eq!(out[..], data);
                        release(&[written, done], &[]);
                    }
                });
            }
        });
        release(&[], &[handle(queue)]);
        buffers.iter().for_each(|b| release_buffers(&[handle(*b)]));
    }
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}
