//! What issue 4 says of queues, where no other test has it: progress that needs no clFlush, seen without a call; blocking calls that
//! stall nobody else; times by the host's clock. The rest: `ordering.rs` (the order of commands, markers, barriers,
//! handing over between queues), `events.rs` (user events, callbacks, failures), `stress.rs` (threads).

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use crate::{again, cl};
use cl::{Handle, Setup, arg, kernel, launch, release};
use opencl_sys::*;
use pumice::entry::{device::*, event::*, kernel::*, launch::*, queue::*, svm::*, transfer::*};

/// Memory that host and device see at the same time: its first number is a gate that opens when it is not 0, the second what
/// kernels write.
struct Shared {
    memory: *mut u32,
    write: Handle,
    gate: Handle,
    s: Setup,
}

impl Shared {
    /// `None`, said aloud, without a device that has such memory.
    fn new() -> Option<Shared> {
        let s = Setup::new()?;
        // SAFETY: a context.
        let memory = unsafe { clSVMAlloc(s.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0) };
        if memory.is_null() {
            println!("SKIP: no fine-grain shared memory");
            return None;
        }
        let source = "
            kernel void put(volatile global uint *a, uint value) { a[1] = value; }
            kernel void gate(volatile global uint *a) { for (uint i = 0; i < 60000 && a[0] == 0; i++); }";
        let (write, gate) = (kernel(s.context, source, c"put"), kernel(s.context, source, c"gate"));
        let shared = Shared { memory: memory.cast(), write, gate, s };
        shared.set(0, 0);
        shared.set(1, 0);
        // SAFETY: the memory was just allocated.
        unsafe {
            assert_eq!(clSetKernelArgSVMPointer(write, 0, memory), 0);
            assert_eq!(clSetKernelArgSVMPointer(gate, 0, memory), 0);
        }
        Some(shared)
    }

    fn set(&self, index: usize, value: u32) {
        // SAFETY: the memory has 16 numbers; the device may look at the same time.
        unsafe { self.memory.add(index).write_volatile(value) };
    }

    fn get(&self, index: usize) -> u32 {
        // SAFETY: as above.
        unsafe { self.memory.add(index).read_volatile() }
    }

    /// Launches a kernel that writes a number; its event.
    fn put(&self, queue: Handle, value: u32, waits: &[Handle]) -> Handle {
        arg(self.write, 1, &value);
        let (size, mut event) = (1usize, null_mut());
        let list = if waits.is_empty() { null() } else { waits.as_ptr() };
        let n = waits.len() as u32;
        // SAFETY: the lists are whole.
        let code = unsafe {
            clEnqueueNDRangeKernel(queue, self.write, 1, null(), &size, null(), n, list, &mut event)
        };
        assert_eq!(code, 0);
        event
    }

    fn queue(&self, properties: u64) -> Handle {
        let mut error = 1;
        // SAFETY: the place is valid.
        let queue = unsafe { clCreateCommandQueue(self.s.context, self.s.device, properties, &mut error) };
        assert_eq!(error, 0);
        queue
    }

    fn user(&self) -> Handle {
        let mut error = 1;
        // SAFETY: the place is valid.
        let event = unsafe { clCreateUserEvent(self.s.context, &mut error) };
        assert_eq!(error, 0);
        event
    }

    /// Waits until a kernel has written a number, without a call of the API.
    fn sees(&self, value: u32) {
        eventually("the kernel runs", || self.get(1) == value);
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.set(0, 1);
        self.s.finish();
        // SAFETY: handles; nothing uses the memory any more.
        unsafe {
            assert_eq!((clReleaseKernel(self.write), clReleaseKernel(self.gate)), (0, 0));
            clSVMFree(self.s.context, self.memory.cast());
        }
    }
}

fn eventually(what: &str, holds: impl Fn() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn status(event: Handle) -> i32 {
    let mut status = 77i32;
    let param = CL_EVENT_COMMAND_EXECUTION_STATUS;
    // SAFETY: four bytes.
    assert_eq!(unsafe { clGetEventInfo(event, param, 4, (&raw mut status).cast(), null_mut()) }, 0);
    status
}

fn drop_events(events: &[Handle]) {
    // SAFETY: handles.
    events.iter().for_each(|e| assert_eq!(unsafe { clReleaseEvent(*e) }, 0));
}

fn drop_queue(queue: Handle) {
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseCommandQueue(queue) }, 0);
}

#[test]
fn a_flush_makes_work_run() {
    let Some(h) = Shared::new() else { return };
    let event = h.put(h.s.queue, 7, &[]);
    // SAFETY: a handle.
    assert_eq!(unsafe { clFlush(h.s.queue) }, 0);
    h.sees(7);
    // What a flush found held runs when it can, without another one.
    let user = h.user();
    let held = h.put(h.s.queue, 8, &[user]);
    // SAFETY: handles.
    unsafe {
        assert_eq!(clFlush(h.s.queue), 0);
        assert_eq!(clSetUserEventStatus(user, 0), 0);
    }
    h.sees(8);
    drop_events(&[event, user, held]);
}

#[test]
fn work_runs_that_nobody_asks_for() {
    let Some(h) = Shared::new() else { return };
    // The later ones are repeated launches, with and without an event.
    for value in 1..20 {
        let event = h.put(h.s.queue, value, &[]);
        h.sees(value);
        drop_events(&[event]);
        arg(h.write, 1, &(value + 100));
        let size = 1usize;
        // SAFETY: handles and a size.
        let code = unsafe {
            clEnqueueNDRangeKernel(h.s.queue, h.write, 1, null(), &size, null(), 0, null(), null_mut())
        };
        assert_eq!(code, 0);
        h.sees(value + 100);
    }
    // The thread that sees to it rests by now.
    std::thread::sleep(Duration::from_millis(100));
    let event = h.put(h.s.queue, 7, &[]);
    h.sees(7);
    drop_events(&[event]);
}

#[test]
fn polling_makes_work_run() {
    let Some(h) = Shared::new() else { return };
    for properties in 0..4 {
        let queue = h.queue(properties);
        let (other, user) = (h.queue(0), h.user());
        let first = h.put(queue, 10, &[]);
        let second = h.put(other, 11, &[first, user]);
        let third = h.put(queue, 12, &[second]);
        // SAFETY: a handle.
        assert_eq!(unsafe { clSetUserEventStatus(user, 0) }, 0);
        eventually("polling ends", || status(third) == CL_COMPLETE);
        assert_eq!((status(first), status(second), h.get(1)), (0, 0, 12));
        drop_events(&[first, second, third, user]);
        drop_queue(queue);
        drop_queue(other);
    }
}

#[test]
fn waiting_on_another_queue_makes_work_run() {
    let Some(h) = Shared::new() else { return };
    let (other, third) = (h.queue(0), h.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    let first = h.put(h.s.queue, 20, &[]);
    let second = h.put(third, 21, &[first]);
    let last = h.put(other, 22, &[second]);
    // SAFETY: handles.
    unsafe {
        assert_eq!(clWaitForEvents(1, &last), 0);
        assert_eq!(h.get(1), 22);
        let more = h.put(h.s.queue, 23, &[]);
        let marker = {
            let mut event = null_mut();
            assert_eq!(clEnqueueMarkerWithWaitList(other, 1, &more, &mut event), 0);
            event
        };
        assert_eq!(clFinish(other), 0);
        assert_eq!(h.get(1), 23);
        drop_events(&[more, marker]);
    }
    drop_events(&[first, second, last]);
    drop_queue(other);
    drop_queue(third);
}

unsafe extern "C" fn open(_: Handle, status: i32, user: *mut c_void) {
    // SAFETY: the user event that the test gave.
    assert_eq!((status, unsafe { clSetUserEventStatus(user, 0) }), (0, 0));
}

#[test]
fn callbacks_that_set_user_events_make_work_run() {
    let Some(h) = Shared::new() else { return };
    let other = h.queue(0);
    let users = [h.user(), h.user()];
    let first = h.put(h.s.queue, 30, &[]);
    let second = h.put(other, 31, &users[..1]);
    let third = h.put(h.s.queue, 32, &users[1..]);
    // SAFETY: the function takes a user event.
    unsafe {
        assert_eq!(clSetEventCallback(first, CL_COMPLETE, Some(open), users[0]), 0);
        assert_eq!(clSetEventCallback(second, CL_COMPLETE, Some(open), users[1]), 0);
    }
    // No call of the API from here on.
    h.sees(32);
    drop_events(&[first, second, third, users[0], users[1]]);
    drop_queue(other);
}

#[test]
fn releasing_the_queue_makes_work_run() {
    let Some(h) = Shared::new() else { return };
    let queue = h.queue(0);
    drop_events(&[h.put(queue, 40, &[])]);
    drop_queue(queue);
    h.sees(40);
    // With something that is still held.
    let (queue, user) = (h.queue(0), h.user());
    drop_events(&[h.put(queue, 41, &[user])]);
    drop_queue(queue);
    // SAFETY: a handle.
    assert_eq!(unsafe { clSetUserEventStatus(user, 0) }, 0);
    h.sees(41);
    drop_events(&[user]);
}

/// Wrappers that pass queues by value retain and release one around each call.
#[test]
fn releasing_one_of_several_references_makes_work_run() {
    let Some(h) = Shared::new() else { return };
    let put = |value: u32| {
        // SAFETY: a handle.
        assert_eq!(unsafe { clRetainCommandQueue(h.s.queue) }, 0);
        drop_events(&[h.put(h.s.queue, value, &[])]);
        drop_queue(h.s.queue);
    };
    for value in 50..90 {
        put(value);
        if value % 7 == 0 {
            h.sees(value);
        }
    }
    h.sees(89);
    // Nobody may be awake who would see to it.
    std::thread::sleep(Duration::from_millis(20));
    (90..95).for_each(put);
    h.sees(94);
}

/// Opens the gate at its end, come what may, and waits for a queue whose commands use memory of the test.
struct Open<'a>(&'a Shared, Option<Handle>);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.set(0, 1);
        if let Some(queue) = self.1 {
            // SAFETY: a handle.
            unsafe { clFinish(queue) };
        }
    }
}

/// A kernel that runs until the host lets it end, a thread that waits for it, and others that go on meanwhile.
#[test]
fn blocking_calls_do_not_stall_other_queues() {
    if !again::alone("queues::blocking_calls_do_not_stall_other_queues") {
        return;
    }
    let Some(h) = Shared::new() else { return };
    let other = h.queue(0);
    let buffer = h.s.buffer(CL_MEM_READ_WRITE, 4096);
    // llvmpipe ends loops after 65,535 rounds: so many work-items make it long enough, and not endless.
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    launch(h.s.queue, h.gate, cores << 18);
    let busy = h.put(h.s.queue, 50, &[]);
    let waiting = h.s.queue.expose_provenance();
    std::thread::scope(|scope| {
        let _open = Open(&h, None);
        scope.spawn(move || {
            // SAFETY: a handle.
            assert_eq!(unsafe { clFinish(std::ptr::with_exposed_provenance_mut(waiting)) }, 0);
        });
        std::thread::sleep(Duration::from_millis(20));
        // All of this returns while the kernel runs.
        let (data, mut out) = (vec![5u8; 4096], vec![0u8; 4096]);
        let (mut events, mut error) = ([null_mut(); 4], 1);
        let _end = Open(&h, Some(other));
        // SAFETY: sizes and places are valid until the end of the function.
        unsafe {
            let (p, o) = (data.as_ptr().cast(), out.as_mut_ptr().cast());
            let [a, b, c, d] = &mut events;
            assert_eq!(clEnqueueWriteBuffer(other, buffer, 0, 0, 4096, p, 0, null(), a), 0);
            assert_eq!(clEnqueueReadBuffer(other, buffer, 0, 0, 4096, o, 0, null(), b), 0);
            let map = clEnqueueMapBuffer(other, buffer, 0, CL_MAP_READ, 0, 64, 0, null(), c, &mut error);
            assert!(!map.is_null() && error == 0);
            assert_eq!(clEnqueueUnmapMemObject(other, buffer, map, 0, null(), d), 0);
            assert_eq!(clFlush(other), 0);
        }
        let made = h.s.buffer(CL_MEM_READ_WRITE, 64);
        release(made);
        assert!(status(busy) > 0 && h.get(1) != 50, "the kernel still runs");
        h.set(0, 1);
        // SAFETY: handles.
        assert_eq!(unsafe { clWaitForEvents(4, events.as_ptr()) }, 0);
        assert_eq!(out, data);
        drop_events(&events);
    });
    h.sees(50);
    drop_events(&[busy]);
    release(buffer);
    drop_queue(other);
}

/// A thread in a blocking read of what is held; others are served.
#[test]
fn a_blocking_call_that_is_held_stalls_nobody() {
    let Some(s) = Setup::new() else { return };
    let mut error = 1;
    // SAFETY: places are valid.
    let (user, other) = unsafe {
        (clCreateUserEvent(s.context, &mut error), clCreateCommandQueue(s.context, s.device, 0, &mut error))
    };
    assert_eq!(error, 0);
    let buffer = s.filled(&[9; 4096]);
    let [held, queue, from] = [user, other, buffer].map(<*mut c_void>::expose_provenance);
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut out = [0u8; 4096];
            let [user, queue, from] = [held, queue, from].map(std::ptr::with_exposed_provenance_mut);
            let o = out.as_mut_ptr().cast();
            // SAFETY: sizes and places are valid.
            let code = unsafe { clEnqueueReadBuffer(queue, from, 1, 0, 4096, o, 1, &user, null_mut()) };
            assert_eq!(code, 0);
            out
        });
        for _ in 0..50 {
            s.write(buffer, 0, &[3; 4096]);
            assert_eq!(s.read(buffer, 0, 4096), [3; 4096]);
            s.finish();
        }
        assert!(!reader.is_finished());
        // SAFETY: a handle.
        assert_eq!(unsafe { clSetUserEventStatus(user, 0) }, 0);
        assert_eq!(reader.join().expect("read"), [3; 4096]);
    });
    drop_events(&[user]);
    release(buffer);
    drop_queue(other);
}

/// Times of commands are on the clock of clGetHostTimer, and so is the device's timer.
#[test]
fn times_are_by_the_hosts_clock() {
    let Some(s) = Setup::with(CL_QUEUE_PROFILING_ENABLE) else { return };
    let now = || {
        let (mut device, mut host, mut first, mut last) = (0u64, 0u64, 0u64, 0u64);
        // SAFETY: the places are valid.
        let codes = unsafe {
            let first = clGetHostTimer(s.device, &mut first);
            let both = clGetDeviceAndHostTimer(s.device, &mut device, &mut host);
            [first, both, clGetHostTimer(s.device, &mut last)]
        };
        if codes[1] == CL_INVALID_OPERATION {
            return None;
        }
        assert_eq!(codes, [0; 3]);
        assert!(first <= host && host <= last, "{first} {host} {last}");
        Some((device, host))
    };
    let (a, b) = (s.buffer(CL_MEM_READ_WRITE, 1 << 20), s.buffer(CL_MEM_READ_WRITE, 1 << 20));
    for _ in 0..5 {
        let Some(before) = now() else { return println!("SKIP: no timer") };
        let mut event = null_mut();
        // SAFETY: the sizes fit.
        unsafe {
            let size = 1 << 20;
            assert_eq!(clEnqueueCopyBuffer(s.queue, a, b, 0, 0, size, 0, null(), &mut event), 0);
            assert_eq!(clWaitForEvents(1, &event), 0);
        }
        let after = now().expect("a timer");
        let times = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ]
        .map(|param| {
            let mut value = 0u64;
            let place = (&raw mut value).cast();
            // SAFETY: eight bytes.
            assert_eq!(unsafe { clGetEventProfilingInfo(event, param, 8, place, null_mut()) }, 0);
            value
        });
        // The device's clock is compared with the host's now and then: they may be a little apart.
        const APART: u64 = 1_000_000;
        assert!(times.is_sorted(), "{times:?}");
        assert!(before.1 <= times[0] && times[3] <= after.1 + APART, "{before:?} {times:?} {after:?}");
        assert!(
            before.0 <= times[2] + APART && times[3] <= after.0 + APART,
            "{before:?} {times:?} {after:?}"
        );
        drop_events(&[event]);
    }
    release(a);
    release(b);
}

#[test]
fn the_same_with_several_streams() {
    again::again_in(module_path!(), &["streams=3", "wander,streams=3", "tune.ahead_of_it=0"]);
}
