//! Queues, events and user events through the C functions, on whatever Vulkan device there is.

use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::{again, common};
use common::*;
use opencl_sys as cl;
use pumice::entry::event::*;
use pumice::entry::queue::*;

#[test]
fn user_events_hold_commands() {
    let Some(s) = setup() else { return };
    let (queue, user) = (s.queue(IN_ORDER), s.user());
    let (a, b) = (marker(queue, &[user]), marker(queue, &[]));
    assert_eq!((status(user), status(a), status(b)), (cl::CL_SUBMITTED, cl::CL_QUEUED, cl::CL_QUEUED));
    // SAFETY: a handle.
    assert_eq!(unsafe { clFlush(queue) }, 0);
    assert_eq!(set(user, 1), cl::CL_INVALID_VALUE);
    assert_eq!(set(a, 0), cl::CL_INVALID_EVENT, "not a user event");
    assert_eq!(set(user, 0), 0);
    assert_eq!(set(user, 0), cl::CL_INVALID_OPERATION, "the second time");
    assert_eq!(wait(&[a, b, user]), 0);
    assert_eq!((status(user), status(a), status(b)), (0, 0, 0));
    release(&[user, a, b], &[queue]);
}

#[test]
fn failures_pass_along_wait_lists() {
    let Some(s) = setup() else { return };
    let (queue, user) = (s.queue(OUT_OF_ORDER), s.user());
    let a = marker(queue, &[user]);
    let b = marker(queue, &[a]);
    let free = marker(queue, &[]);
    assert_eq!(set(user, -42), 0);
    let failed = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    assert_eq!((status(user), status(a), status(b)), (-42, failed, failed));
    assert_eq!(wait(&[free]), 0);
    assert_eq!(wait(&[free, b]), failed);
    assert_eq!(wait(&[user]), failed);
    // SAFETY: a handle.
    assert_eq!(unsafe { clFinish(queue) }, 0, "failed commands are complete");
    release(&[user, a, b, free], &[queue]);
}

static CALLS: Mutex<Vec<(usize, i32)>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(_: Handle, status: i32, user: Handle) {
    CALLS.lock().expect("calls").push((user.addr(), status));
}

unsafe extern "C" fn open_gate(_: Handle, status: i32, gate: Handle) {
    assert_eq!((status, set(gate, 0)), (0, 0));
}

#[test]
fn callbacks_come_once_for_each_status() {
    let Some(s) = setup() else { return };
    let (queue, user, gate) = (s.queue(IN_ORDER), s.user(), s.user());
    let a = marker(queue, &[user]);
    let tag = |n: usize| std::ptr::without_provenance_mut(n);
    // SAFETY: the functions take what they are given.
    unsafe {
        for (n, level) in [(1, cl::CL_SUBMITTED), (2, cl::CL_RUNNING), (3, cl::CL_COMPLETE)] {
            assert_eq!(clSetEventCallback(a, level, Some(note), tag(n)), 0);
        }
        assert_eq!(clSetEventCallback(a, cl::CL_COMPLETE, Some(open_gate), gate), 0);
        assert_eq!(clSetEventCallback(a, cl::CL_QUEUED, Some(note), tag(9)), cl::CL_INVALID_VALUE);
        assert_eq!(clSetEventCallback(a, cl::CL_COMPLETE, None, tag(9)), cl::CL_INVALID_VALUE);
    }
    let behind = marker(queue, &[gate]);
    assert_eq!(set(user, 0), 0);
    assert_eq!(wait(&[behind]), 0, "a callback set what it waits for, without a flush");
    let mine = |calls: &[(usize, i32)]| calls.iter().filter(|(n, _)| *n <= 9).copied().collect::<Vec<_>>();
    eventually("all calls", || mine(&CALLS.lock().expect("calls")).len() == 3);
    assert_eq!(mine(&CALLS.lock().expect("calls")), [(1, 2), (2, 1), (3, 0)]);
    // A failed one tells its code, to late-comers too.
    let broken = s.user();
    let b = marker(queue, &[broken]);
    // SAFETY: as above.
    unsafe {
        assert_eq!(clSetEventCallback(b, cl::CL_COMPLETE, Some(note), tag(11)), 0);
        assert_eq!(set(broken, -5), 0);
        assert_eq!(clSetEventCallback(b, cl::CL_RUNNING, Some(note), tag(12)), 0);
    }
    let late = || CALLS.lock().expect("calls").iter().filter(|(n, _)| *n > 9).copied().collect::<Vec<_>>();
    eventually("the late calls", || late().len() == 2);
    // The second is told by the call, the first by another thread.
    let mut late = late();
    late.sort_unstable();
    assert_eq!(late, [(11, -14), (12, -14)]);
    release(&[user, gate, a, b, behind, broken], &[queue]);
}

/// What a callback heard, and where.
struct Heard {
    statuses: Vec<i32>,
    here: std::thread::ThreadId,
}

unsafe extern "C" fn hear(_: Handle, status: i32, user: Handle) {
    // SAFETY: the test gives the place of a `Heard`, which lives until the call returns that this is called in.
    let heard = unsafe { &mut *user.cast::<Heard>() };
    assert_eq!(std::thread::current().id(), heard.here);
    heard.statuses.push(status);
}

/// What has come to pass is told by the call that asks for it, before it returns.
#[test]
fn callbacks_of_complete_events_come_at_once() {
    let Some(s) = setup() else { return };
    for properties in [IN_ORDER, OUT_OF_ORDER, PROFILED] {
        let (queue, buffer) = (s.queue(properties), s.buffer(0, 4));
        let written = write(queue, buffer, false, &[7; 4], &[]);
        let user = s.user();
        let failed = s.user();
        // SAFETY: a handle.
        assert_eq!((unsafe { clFinish(queue) }, set(user, 0), set(failed, -7)), (0, 0, 0));
        let mut heard = Heard { statuses: Vec::new(), here: std::thread::current().id() };
        let place: Handle = (&raw mut heard).cast();
        for event in [written, user, failed] {
            for level in [cl::CL_COMPLETE, cl::CL_RUNNING, cl::CL_SUBMITTED] {
                // SAFETY: the function takes the place.
                assert_eq!(unsafe { clSetEventCallback(event, level, Some(hear), place) }, 0);
            }
        }
        assert_eq!(heard.statuses, [0, 1, 2, 0, 1, 2, -7, -7, -7]);
        release(&[written, user, failed], &[queue]);
        release_buffers(&[buffer]);
    }
}

#[test]
fn queues_wait_for_each_other_without_a_flush() {
    let Some(s) = setup() else { return };
    let queues = [s.queue(IN_ORDER), s.queue(OUT_OF_ORDER), s.queue(PROFILED)];
    let user = s.user();
    let mut events = vec![marker(queues[0], &[user])];
    for i in 1..60 {
        events.push(marker(queues[i % 3], &[events[i - 1]]));
    }
    let (last, second) = (shared(events[59]), shared(queues[1]));
    std::thread::scope(|scope| {
        scope.spawn(move || assert_eq!(wait(&[handle(last)]), 0));
        // SAFETY: a handle.
        scope.spawn(move || assert_eq!(unsafe { clFinish(handle(second)) }, 0));
        std::thread::sleep(Duration::from_millis(10));
        assert_eq!(set(user, 0), 0);
    });
    // Polling alone comes to an end as well.
    let last = marker(queues[2], &[]);
    eventually("polling", || status(last) == 0);
    release(&events, &queues);
    release(&[user, last], &[]);
}

#[test]
fn queries_answer() {
    let Some(s) = setup() else { return };
    let (queue, user) = (s.queue(PROFILED), s.user());
    let event = marker(queue, &[]);
    let get = |event: Handle, param: u32, size: usize| {
        let mut value = 0u64;
        let mut real = 0;
        // SAFETY: the place has eight bytes.
        let code = unsafe { clGetEventInfo(event, param, size, (&raw mut value).cast(), &mut real) };
        (code, value, real)
    };
    assert_eq!(get(event, cl::CL_EVENT_COMMAND_QUEUE, 8), (0, queue.addr() as u64, 8));
    assert_eq!(get(user, cl::CL_EVENT_COMMAND_QUEUE, 8), (0, 0, 8));
    assert_eq!(get(user, cl::CL_EVENT_CONTEXT, 8), (0, s.context.addr() as u64, 8));
    assert_eq!(get(event, cl::CL_EVENT_COMMAND_TYPE, 8), (0, u64::from(cl::CL_COMMAND_MARKER), 4));
    assert_eq!(get(user, cl::CL_EVENT_COMMAND_TYPE, 4), (0, u64::from(cl::CL_COMMAND_USER), 4));
    assert_eq!(get(user, cl::CL_EVENT_REFERENCE_COUNT, 4), (0, 1, 4));
    assert_eq!(get(user, cl::CL_EVENT_COMMAND_TYPE, 2).0, cl::CL_INVALID_VALUE);
    assert_eq!(get(user, 1, 8).0, cl::CL_INVALID_VALUE);
    let queue_info = |param: u32| {
        let (mut value, mut real) = ([0u64; 4], 0);
        // SAFETY: the place has 32 bytes.
        let code = unsafe { clGetCommandQueueInfo(queue, param, 32, (&raw mut value).cast(), &mut real) };
        (code, value[0], real)
    };
    assert_eq!(queue_info(cl::CL_QUEUE_CONTEXT), (0, s.context.addr() as u64, 8));
    assert_eq!(queue_info(cl::CL_QUEUE_DEVICE), (0, s.device.addr() as u64, 8));
    assert_eq!(queue_info(cl::CL_QUEUE_PROPERTIES), (0, PROFILED, 8));
    assert_eq!(queue_info(cl::CL_QUEUE_PROPERTIES_ARRAY), (0, u64::from(cl::CL_QUEUE_PROPERTIES), 24));
    assert_eq!(queue_info(cl::CL_QUEUE_DEVICE_DEFAULT), (0, 0, 8));
    assert_eq!(queue_info(cl::CL_QUEUE_SIZE).0, cl::CL_INVALID_COMMAND_QUEUE);
    assert_eq!(queue_info(7).0, cl::CL_INVALID_VALUE);
    // Profiling.
    assert_eq!(wait(&[event]), 0);
    let time = |event: Handle, param: u32| {
        let mut value = 0u64;
        // SAFETY: eight bytes.
        let code = unsafe { clGetEventProfilingInfo(event, param, 8, (&raw mut value).cast(), null_mut()) };
        (code, value)
    };
    let times: Vec<u64> = (0x1280..=0x1284)
        .map(|param| {
            let (code, value) = time(event, param);
            assert_eq!(code, 0);
            value
        })
        .collect();
    assert!(times[0] > 0 && times.is_sorted() && times[3] == times[4], "{times:?}");
    assert_eq!(time(user, 0x1280).0, cl::CL_PROFILING_INFO_NOT_AVAILABLE);
    assert_eq!(time(event, 7).0, cl::CL_INVALID_VALUE);
    let plain = s.queue(IN_ORDER);
    let unprofiled = marker(plain, &[]);
    assert_eq!(wait(&[unprofiled]), 0);
    assert_eq!(time(unprofiled, 0x1283).0, cl::CL_PROFILING_INFO_NOT_AVAILABLE);
    let held = marker(queue, &[user]);
    assert_eq!(time(held, 0x1280).0, cl::CL_PROFILING_INFO_NOT_AVAILABLE);
    assert_eq!(set(user, 0), 0);
    assert_eq!(wait(&[held]), 0);
    release(&[event, user, unprofiled, held], &[queue, plain]);
}

#[test]
fn wrong_uses_have_their_codes() {
    let Some(s) = setup() else { return };
    let Some(other) = setup() else { return };
    let (queue, foreign) = (s.queue(IN_ORDER), other.user());
    let bad: Handle = std::ptr::without_provenance_mut(0x5678);
    let mut event = bad;
    // SAFETY: lists and places are whole; bad handles are not dereferenced.
    unsafe {
        let lists = cl::CL_INVALID_EVENT_WAIT_LIST;
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 1, null(), &mut event), lists);
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 0, &foreign, &mut event), lists);
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 1, &bad, &mut event), lists);
        assert_eq!(clEnqueueBarrierWithWaitList(queue, 1, &foreign, &mut event), cl::CL_INVALID_CONTEXT);
        assert_eq!(event, bad, "nothing returned");
        assert_eq!(clEnqueueMarker(queue, null_mut()), cl::CL_INVALID_VALUE);
        assert_eq!(clEnqueueWaitForEvents(queue, 0, null()), cl::CL_INVALID_VALUE);
        assert_eq!(clEnqueueWaitForEvents(queue, 1, &bad), cl::CL_INVALID_EVENT);
        assert_eq!(clEnqueueWaitForEvents(bad, 0, null()), cl::CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clWaitForEvents(0, null()), cl::CL_INVALID_VALUE);
        assert_eq!(clWaitForEvents(1, &bad), cl::CL_INVALID_EVENT);
        let mine = s.user();
        assert_eq!(clWaitForEvents(2, [mine, foreign].as_ptr()), cl::CL_INVALID_CONTEXT);
        assert_eq!(clFinish(mine), cl::CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clFlush(null_mut()), cl::CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clSetCommandQueueProperty(queue, 1, 1, null_mut()), cl::CL_INVALID_OPERATION);
        assert_eq!(clReleaseEvent(mine), 0);
        assert_eq!(clReleaseEvent(mine), cl::CL_INVALID_EVENT);
        let mut error = 0;
        assert!(clCreateCommandQueue(s.context, s.device, 1 << 9, &mut error).is_null());
        assert_eq!(error, cl::CL_INVALID_VALUE);
        assert!(clCreateCommandQueue(s.context, queue, 0, &mut error).is_null());
        assert_eq!(error, cl::CL_INVALID_DEVICE);
        assert!(clCreateCommandQueue(bad, s.device, 0, null_mut()).is_null());
    }
    release(&[foreign], &[queue]);
}

#[test]
fn many_queues_and_finishes() {
    let Some(s) = setup() else { return };
    let done = AtomicU32::new(0);
    let queues: Vec<usize> = (0..40).map(|i| shared(s.queue([IN_ORDER, OUT_OF_ORDER][i % 2]))).collect();
    let since = Instant::now();
    std::thread::scope(|scope| {
        for &queue in &queues {
            let done = &done;
            scope.spawn(move || {
                let queue = handle(queue);
                for _ in 0..10_000 {
                    // SAFETY: a handle.
                    assert_eq!(unsafe { clFinish(queue) }, 0);
                }
                let event = marker(queue, &[]);
                assert_eq!(wait(&[event]), 0);
                release(&[event], &[queue]);
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 40);
    println!("400,000 clFinish: {:?}", since.elapsed());
}

#[test]
fn the_same_with_several_streams() {
    again::again_in(module_path!(), &["streams=3", "wander,streams=3"]);
}
