//! Every command with bad queues, buffers, wait lists: the errors that all clEnqueue* functions have in common (§5.2.2 and the
//! others: CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST,
//! CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST).

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::event::*;
use pumice::entry::launch::*;
use pumice::entry::memory::*;
use pumice::entry::queue::*;
use pumice::entry::svm::*;
use pumice::entry::transfer::*;

use crate::world::{Handle, Kind, SIZE, Verdict, World, good, made, wild};

/// What all commands are given.
#[derive(Clone, Copy)]
struct Ask {
    queue: Handle,
    buffer: Handle,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
}

struct Command<'a> {
    name: &'static str,
    /// What the call gives when all is right.
    right: i32,
    /// True if it uses the buffer.
    buffer: bool,
    /// True if it returns when it is complete.
    blocking: bool,
    call: Box<dyn Fn(Ask) -> i32 + 'a>,
}

impl Command<'_> {
    fn on_buffer(mut self) -> Self {
        self.buffer = true;
        self
    }

    fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }

    fn refused(mut self, code: i32) -> Self {
        self.right = code;
        self
    }
}

fn command<'a>(name: &'static str, call: impl Fn(Ask) -> i32 + 'a) -> Command<'a> {
    Command { name, right: 0, buffer: false, blocking: false, call: Box::new(call) }
}

/// Memory of the host for transfers.
struct Host(UnsafeCell<[u64; SIZE / 8]>);

impl Host {
    fn at(&self) -> *mut c_void {
        self.0.get().cast()
    }
}

const ORIGIN: [usize; 3] = [0; 3];
const REGION: [usize; 3] = [16, 4, 2];

pub fn commands(w: &World, verdict: &mut Verdict) {
    let host = Host(UnsafeCell::new([0; SIZE / 8]));
    // SAFETY: handles.
    let other = unsafe { good(|e| clCreateBuffer(w.here.context, 0, SIZE, null_mut(), e)) };
    let mut list = transfers(&host);
    list.extend(copies(other));
    list.extend(maps());
    list.extend(launches(w, &host));
    list.extend(markers());
    for command in &list {
        queues(w, verdict, command);
        wait_lists(w, verdict, command);
        if command.buffer {
            buffers(w, verdict, command);
        }
    }
    shared(w, verdict, &host);
    without_lists(w, verdict);
    // SAFETY: handles.
    unsafe { assert_eq!((clFinish(w.here.queue), clReleaseMemObject(other)), (0, 0)) };
}

fn transfers(host: &Host) -> Vec<Command<'_>> {
    let (origin, region) = (ORIGIN.as_ptr(), REGION.as_ptr());
    let read = move |a: Ask, blocking| {
        // SAFETY: apart from what is asked, all places are valid for their sizes.
        unsafe {
            clEnqueueReadBuffer(a.queue, a.buffer, blocking, 0, 64, host.at(), a.count, a.list, a.event)
        }
    };
    let write = move |a: Ask, blocking| {
        // SAFETY: as above.
        unsafe {
            clEnqueueWriteBuffer(a.queue, a.buffer, blocking, 0, 64, host.at(), a.count, a.list, a.event)
        }
    };
    let read_rect = move |a: Ask, blocking| {
        let Ask { queue, buffer, count, list, event } = a;
        let at = host.at();
        // SAFETY: as above.
        unsafe {
            clEnqueueReadBufferRect(
                queue, buffer, blocking, origin, origin, region, 0, 0, 0, 0, at, count, list, event,
            )
        }
    };
    let write_rect = move |a: Ask, blocking| {
        let Ask { queue, buffer, count, list, event } = a;
        let at = host.at();
        // SAFETY: as above.
        unsafe {
            clEnqueueWriteBufferRect(
                queue, buffer, blocking, origin, origin, region, 0, 0, 0, 0, at, count, list, event,
            )
        }
    };
    vec![
        command("clEnqueueReadBuffer", move |a| read(a, 0)).on_buffer(),
        command("clEnqueueReadBuffer's blocking form", move |a| read(a, 1)).on_buffer().blocking(),
        command("clEnqueueWriteBuffer", move |a| write(a, 0)).on_buffer(),
        command("clEnqueueWriteBuffer's blocking form", move |a| write(a, 1)).on_buffer().blocking(),
        command("clEnqueueReadBufferRect", move |a| read_rect(a, 0)).on_buffer(),
        command("clEnqueueReadBufferRect's blocking form", move |a| read_rect(a, 1)).on_buffer().blocking(),
        command("clEnqueueWriteBufferRect", move |a| write_rect(a, 0)).on_buffer(),
        command("clEnqueueWriteBufferRect's blocking form", move |a| write_rect(a, 1)).on_buffer().blocking(),
    ]
}

/// Commands between two buffers.
fn copies(other: Handle) -> Vec<Command<'static>> {
    let (origin, region) = (ORIGIN.as_ptr(), REGION.as_ptr());
    let copy = |a: Ask, from, to| {
        // SAFETY: all places are valid or what is asked.
        unsafe { clEnqueueCopyBuffer(a.queue, from, to, 0, 0, 64, a.count, a.list, a.event) }
    };
    let copy_rect = move |a: Ask, from, to| {
        let Ask { queue, count, list, event, .. } = a;
        // SAFETY: as above.
        unsafe {
            clEnqueueCopyBufferRect(queue, from, to, origin, origin, region, 0, 0, 0, 0, count, list, event)
        }
    };
    let fill = |a: Ask| {
        let pattern = 7u32;
        let pattern = (&raw const pattern).cast();
        // SAFETY: as above.
        unsafe { clEnqueueFillBuffer(a.queue, a.buffer, pattern, 4, 0, 64, a.count, a.list, a.event) }
    };
    let migrate = |a: Ask| {
        // SAFETY: as above.
        unsafe { clEnqueueMigrateMemObjects(a.queue, 1, &a.buffer, 0, a.count, a.list, a.event) }
    };
    vec![
        command("clEnqueueCopyBuffer's source", move |a| copy(a, a.buffer, other)).on_buffer(),
        command("clEnqueueCopyBuffer's destination", move |a| copy(a, other, a.buffer)).on_buffer(),
        command("clEnqueueCopyBufferRect's source", move |a| copy_rect(a, a.buffer, other)).on_buffer(),
        command("clEnqueueCopyBufferRect's destination", move |a| copy_rect(a, other, a.buffer)).on_buffer(),
        command("clEnqueueFillBuffer", fill).on_buffer(),
        command("clEnqueueMigrateMemObjects", migrate).on_buffer(),
    ]
}

fn map(
    queue: Handle,
    buffer: Handle,
    blocking: u32,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> (i32, Handle) {
    let mut pointer = null_mut();
    let code = made(|e| {
        // SAFETY: the places are valid, or what is asked.
        pointer = unsafe {
            clEnqueueMapBuffer(queue, buffer, blocking, cl::CL_MAP_READ, 0, 64, count, list, event, e)
        };
        pointer
    });
    (code, pointer)
}

fn unmap(queue: Handle, buffer: Handle, pointer: Handle) {
    // SAFETY: handles, and a mapped pointer.
    assert_eq!(unsafe { clEnqueueUnmapMemObject(queue, buffer, pointer, 0, null(), null_mut()) }, 0);
}

fn maps() -> Vec<Command<'static>> {
    let mapped = |a: Ask, blocking| {
        let (code, pointer) = map(a.queue, a.buffer, blocking, a.count, a.list, a.event);
        if code == 0 {
            unmap(a.queue, a.buffer, pointer);
        }
        code
    };
    vec![
        command("clEnqueueMapBuffer", move |a| mapped(a, 0)).on_buffer(),
        command("clEnqueueMapBuffer's blocking form", move |a| mapped(a, 1)).on_buffer().blocking(),
    ]
}

/// The code of a native kernel: processors run it.
fn native_code(device: Handle) -> i32 {
    let mut capabilities = 0u64;
    let (what, place) = (cl::CL_DEVICE_EXECUTION_CAPABILITIES, (&raw mut capabilities).cast());
    // SAFETY: room for the answer.
    let code = unsafe { pumice::entry::device::clGetDeviceInfo(device, what, 8, place, null_mut()) };
    assert_eq!(code, 0);
    if capabilities & cl::CL_EXEC_NATIVE_KERNEL != 0 { 0 } else { cl::CL_INVALID_OPERATION }
}

fn launches<'a>(w: &'a World, host: &'a Host) -> Vec<Command<'a>> {
    unsafe extern "C" fn native(_: *mut c_void) {}
    let kernel = w.here.kernel;
    let unmapped = move |a: Ask| {
        let (code, pointer) = map(w.here.queue, w.here.buffer, 1, 0, null(), null_mut());
        assert_eq!(code, 0);
        // SAFETY: the pointer is a mapped one; the rest is what is asked.
        let code = unsafe { clEnqueueUnmapMemObject(a.queue, a.buffer, pointer, a.count, a.list, a.event) };
        if code != 0 {
            unmap(w.here.queue, w.here.buffer, pointer);
        }
        code
    };
    let launch = move |a: Ask| {
        let global = 8usize;
        // SAFETY: one size.
        unsafe {
            clEnqueueNDRangeKernel(a.queue, kernel, 1, null(), &global, null(), a.count, a.list, a.event)
        }
    };
    // SAFETY: handles, and what is asked.
    let task = move |a: Ask| unsafe { clEnqueueTask(a.queue, kernel, a.count, a.list, a.event) };
    let native = move |a: Ask| {
        let Ask { queue, count, list, event, .. } = a;
        // SAFETY: the memory is of the size.
        unsafe {
            clEnqueueNativeKernel(
                queue,
                Some(native),
                host.at(),
                8,
                0,
                null(),
                null_mut(),
                count,
                list,
                event,
            )
        }
    };
    vec![
        command("clEnqueueUnmapMemObject", unmapped).on_buffer(),
        command("clEnqueueNDRangeKernel", launch),
        command("clEnqueueTask", task),
        // §5.10: where the device has CL_EXEC_NATIVE_KERNEL.
        command("clEnqueueNativeKernel", native).refused(native_code(w.device)),
    ]
}

fn markers() -> Vec<Command<'static>> {
    // SAFETY: what is asked.
    let marker = |a: Ask| unsafe { clEnqueueMarkerWithWaitList(a.queue, a.count, a.list, a.event) };
    // SAFETY: what is asked.
    let barrier = |a: Ask| unsafe { clEnqueueBarrierWithWaitList(a.queue, a.count, a.list, a.event) };
    vec![command("clEnqueueMarkerWithWaitList", marker), command("clEnqueueBarrierWithWaitList", barrier)]
}

unsafe extern "C" fn keep(_: Handle, _: u32, _: *mut *mut c_void, _: *mut c_void) {}

/// §5.6.1: with a device that has shared virtual memory; CL_INVALID_OPERATION otherwise.
fn shared(w: &World, verdict: &mut Verdict, host: &Host) {
    // SAFETY: a handle.
    let memory = unsafe { clSVMAlloc(w.here.context, 0, SIZE, 0) };
    let right = if memory.is_null() { cl::CL_INVALID_OPERATION } else { 0 };
    let memory = if memory.is_null() { host.at() } else { memory };
    let pattern = 7u32;
    let pattern = (&raw const pattern).cast();
    // SAFETY, of all: the memory has its size; the rest is what is asked.
    let copy = |a: Ask, blocking| unsafe {
        clEnqueueSVMMemcpy(a.queue, blocking, memory, host.at(), 64, a.count, a.list, a.event)
    };
    let map = |a: Ask, blocking| unsafe {
        clEnqueueSVMMap(a.queue, blocking, cl::CL_MAP_READ, memory, 64, a.count, a.list, a.event)
    };
    let free = |a: Ask| unsafe {
        let mut pointers = [memory];
        clEnqueueSVMFree(a.queue, 1, pointers.as_mut_ptr(), Some(keep), null_mut(), a.count, a.list, a.event)
    };
    let fill =
        |a: Ask| unsafe { clEnqueueSVMMemFill(a.queue, memory, pattern, 4, 64, a.count, a.list, a.event) };
    let unmap = |a: Ask| unsafe { clEnqueueSVMUnmap(a.queue, memory, a.count, a.list, a.event) };
    let migrate = |a: Ask| unsafe {
        let mut pointers = [memory.cast_const()];
        clEnqueueSVMMigrateMem(a.queue, 1, pointers.as_mut_ptr(), null(), 0, a.count, a.list, a.event)
    };
    let list = [
        command("clEnqueueSVMMemcpy", move |a| copy(a, 0)),
        command("clEnqueueSVMMemcpy's blocking form", move |a| copy(a, 1)).blocking(),
        command("clEnqueueSVMMap", move |a| map(a, 0)),
        command("clEnqueueSVMMap's blocking form", move |a| map(a, 1)).blocking(),
        command("clEnqueueSVMFree", free),
        command("clEnqueueSVMMemFill", fill),
        command("clEnqueueSVMUnmap", unmap),
        command("clEnqueueSVMMigrateMem", migrate),
    ]
    .map(|c| c.refused(right));
    for command in &list {
        queues(w, verdict, command);
        if right == 0 {
            wait_lists(w, verdict, command);
        }
    }
    // SAFETY: handles; the memory is unused after this.
    unsafe {
        assert_eq!(clFinish(w.here.queue), 0);
        if right == 0 {
            clSVMFree(w.here.context, memory);
        }
    }
}

/// Calls a command: its code, whether it gave an event; a refused command leaves the place as it was.
fn call(w: &World, verdict: &mut Verdict, command: &Command, what: &str, ask: Ask, expected: i32) {
    let untouched = wild(0x5e47);
    let mut event = untouched;
    let code = (command.call)(Ask { event: &raw mut event, ..ask });
    verdict.expect(command.name, what, code, expected);
    verdict.holds(command.name, format!("{what}: the event"), (event == untouched) == (code != 0));
    if code == 0 && event != untouched {
        // SAFETY: handles.
        unsafe { assert_eq!((clFinish(w.here.queue), clReleaseEvent(event)), (0, 0)) };
    }
}

fn right(w: &World) -> Ask {
    Ask { queue: w.here.queue, buffer: w.here.buffer, count: 0, list: null(), event: null_mut() }
}

fn queues(w: &World, verdict: &mut Verdict, command: &Command) {
    let ask = right(w);
    call(w, verdict, command, "all right", ask, command.right);
    for (what, queue) in w.bad(Kind::Queue) {
        let what = format!("queue: {what}");
        call(w, verdict, command, &what, Ask { queue, ..ask }, cl::CL_INVALID_COMMAND_QUEUE);
    }
    if command.buffer || command.name == "clEnqueueNDRangeKernel" || command.name == "clEnqueueTask" {
        let ask = Ask { queue: w.there.queue, ..ask };
        call(w, verdict, command, "queue of another context", ask, cl::CL_INVALID_CONTEXT);
    }
}

fn wait_lists(w: &World, verdict: &mut Verdict, command: &Command) {
    let ask = right(w);
    let events = [w.here.event, w.here.event, null_mut()];
    let list = events.as_ptr();
    const BAD: i32 = cl::CL_INVALID_EVENT_WAIT_LIST;
    call(w, verdict, command, "two good events", Ask { count: 2, list, ..ask }, command.right);
    call(w, verdict, command, "events without a list", Ask { count: 1, ..ask }, BAD);
    call(w, verdict, command, "a list without events", Ask { list, ..ask }, BAD);
    call(w, verdict, command, "NULL in the list", Ask { count: 3, list, ..ask }, BAD);
    for (what, event) in w.bad(Kind::Event) {
        let events = [w.here.event, event];
        let ask = Ask { count: 2, list: events.as_ptr(), ..ask };
        call(w, verdict, command, &format!("wait list: {what}"), ask, BAD);
    }
    let events = [w.here.event, w.there.event];
    let foreign = Ask { count: 2, list: events.as_ptr(), ..ask };
    call(w, verdict, command, "an event of another context", foreign, cl::CL_INVALID_CONTEXT);
    if command.blocking {
        // SAFETY: handles.
        let failed = unsafe { good(|e| clCreateUserEvent(w.here.context, e)) };
        // SAFETY: as above.
        assert_eq!(unsafe { clSetUserEventStatus(failed, -77) }, 0);
        let events = [failed];
        let mut event = null_mut();
        let ask = Ask { count: 1, list: events.as_ptr(), event: &raw mut event, ..ask };
        let expected = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        verdict.expect(command.name, "after an event that failed", (command.call)(ask), expected);
        // SAFETY: as above.
        unsafe {
            assert_eq!(clReleaseEvent(failed), 0);
            if !event.is_null() {
                assert_eq!(clReleaseEvent(event), 0);
            }
        }
    }
}

fn buffers(w: &World, verdict: &mut Verdict, command: &Command) {
    let ask = right(w);
    for (what, buffer) in w.bad(Kind::Memory) {
        let what = format!("buffer: {what}");
        call(w, verdict, command, &what, Ask { buffer, ..ask }, cl::CL_INVALID_MEM_OBJECT);
    }
    let ask = Ask { buffer: w.there.buffer, ..ask };
    call(w, verdict, command, "a buffer of another context", ask, cl::CL_INVALID_CONTEXT);
}

/// The commands of OpenCL 1.0 and 1.1 that have no wait lists (§5.12).
fn without_lists(w: &World, verdict: &mut Verdict) {
    let q = w.here.queue;
    let mut event = null_mut();
    // SAFETY: handles; places are valid or NULL.
    unsafe {
        verdict.expect("clEnqueueMarker", "all right", clEnqueueMarker(q, &mut event), 0);
        assert_eq!(clReleaseEvent(event), 0);
        verdict.expect("clEnqueueMarker", "no place", clEnqueueMarker(q, null_mut()), cl::CL_INVALID_VALUE);
        verdict.expect("clEnqueueBarrier", "all right", clEnqueueBarrier(q), 0);
        let wait = |list: &[Handle]| clEnqueueWaitForEvents(q, list.len() as u32, list.as_ptr());
        let (here, there) = (w.here.event, w.there.event);
        verdict.expect("clEnqueueWaitForEvents", "all right", wait(&[here, here]), 0);
        let code = clEnqueueWaitForEvents(q, 0, &here);
        verdict.expect("clEnqueueWaitForEvents", "no events", code, cl::CL_INVALID_VALUE);
        let code = clEnqueueWaitForEvents(q, 1, null());
        verdict.expect("clEnqueueWaitForEvents", "no list", code, cl::CL_INVALID_VALUE);
        let code = wait(&[here, there]);
        verdict.expect("clEnqueueWaitForEvents", "another context", code, cl::CL_INVALID_CONTEXT);
        for (what, bad) in w.bad(Kind::Event) {
            verdict.expect("clEnqueueWaitForEvents", what, wait(&[here, bad]), cl::CL_INVALID_EVENT);
        }
        for (what, bad) in w.bad(Kind::Queue) {
            const BAD: i32 = cl::CL_INVALID_COMMAND_QUEUE;
            verdict.expect("clEnqueueMarker", &what, clEnqueueMarker(bad, &mut event), BAD);
            verdict.expect("clEnqueueBarrier", &what, clEnqueueBarrier(bad), BAD);
            let code = clEnqueueWaitForEvents(bad, 1, &here);
            verdict.expect("clEnqueueWaitForEvents", &what, code, BAD);
        }
    }
}
