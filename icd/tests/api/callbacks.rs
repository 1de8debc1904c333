//! Functions of the application: what they may do, on every path that they are called on. The application's thread may hold a lock that they
//! take, in any call that waits: the specification lets them come from any thread ("may be called asynchronously", §4.4, §5.5.1, §5.6.1, §5.11).

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{again, bounded::bounded, cl};
use cl::{Handle, Setup, arg, kernel, release};
use opencl_sys::*;
use pumice::entry::{context::*, device::*, event::*, kernel::*, launch::*, memory::*, queue::*, svm::*};

const SIZE: usize = 1 << 20;
const SLOW: &str = "kernel void slow(global uint *p) {
    uint x = get_global_id(0);
    for (int i = 0; i < 2000; i++) x = x * 1664525u + 1013904223u;
    p[get_global_id(0)] = x;
}";

/// What a callback is given: the application's lock, how often it was called, and what else it does.
struct Notice {
    lock: Mutex<()>,
    calls: AtomicUsize,
    then: Box<dyn Fn() + Send + Sync>,
}

impl Notice {
    fn new(then: impl Fn() + Send + Sync + 'static) -> Box<Self> {
        Box::new(Notice { lock: Mutex::default(), calls: AtomicUsize::new(0), then: Box::new(then) })
    }

    fn user(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn wait_for(&self, calls: usize) {
        let since = Instant::now();
        while self.calls() < calls {
            assert!(since.elapsed() < Duration::from_secs(20), "it is not called");
            std::thread::yield_now();
        }
    }
}

fn called(user: *mut c_void) {
    // SAFETY: the tests wait for the calls before the data go.
    let notice = unsafe { &*user.cast::<Notice>() };
    let guard = notice.lock.lock().unwrap_or_else(PoisonError::into_inner);
    (notice.then)();
    drop(guard);
    notice.calls.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn on_event(_: Handle, _: i32, user: *mut c_void) {
    called(user);
}

unsafe extern "C" fn on_end(_: Handle, user: *mut c_void) {
    called(user);
}

unsafe extern "C" fn on_free(queue: Handle, count: u32, list: *mut *mut c_void, user: *mut c_void) {
    let mut context: Handle = null_mut();
    // SAFETY: the list that was given; a place of the size.
    unsafe {
        let place = (&raw mut context).cast();
        assert_eq!(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, 8, place, null_mut()), 0);
        for p in std::slice::from_raw_parts(list, count as usize) {
            clSVMFree(context, *p);
        }
    }
    called(user);
}

fn buffer(s: &Setup, notice: &Notice) -> Handle {
    let buffer = s.buffer(0, SIZE);
    // SAFETY: a function for this.
    assert_eq!(unsafe { clSetMemObjectDestructorCallback(buffer, Some(on_end), notice.user()) }, 0);
    buffer
}

/// A launch that takes a while on a buffer; its event.
fn launch(s: &Setup, slow: Handle, buffer: Handle) -> Handle {
    let (size, mut event) = (SIZE / 4, null_mut());
    arg(slow, 0, &buffer);
    // SAFETY: handles; one dimension; the place is valid.
    let code =
        unsafe { clEnqueueNDRangeKernel(s.queue, slow, 1, null(), &size, null(), 0, null(), &mut event) };
    assert_eq!(code, 0);
    event
}

fn shares(s: &Setup) -> bool {
    let mut has = 0u64;
    // SAFETY: eight bytes.
    unsafe { clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, 8, (&raw mut has).cast(), null_mut()) };
    has != 0
}

fn gone(kernel: Handle, event: Handle) {
    // SAFETY: handles.
    unsafe { assert_eq!((clReleaseKernel(kernel), clReleaseEvent(event)), (0, 0)) };
}

/// How a test learns that commands are done.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Path {
    /// A thread that waits, in clFinish.
    Waiting,
    /// Nobody waits: the thread that sees to completion.
    Completion,
    /// They are done already when the call is made that tells.
    Call,
}

const PATHS: [Path; 3] = [Path::Waiting, Path::Completion, Path::Call];

/// The application's thread waits with its lock held; the callbacks take it.
#[test]
fn callbacks_take_a_lock_that_a_waiting_thread_holds() {
    let Some(s) = Setup::new() else { return };
    bounded("a lock of the application's", || {
        for _ in 0..3 {
            let (ended, complete, freed) = (Notice::new(|| ()), Notice::new(|| ()), Notice::new(|| ()));
            let slow = kernel(s.context, SLOW, c"slow");
            let buffer = buffer(&s, &ended);
            let event = launch(&s, slow, buffer);
            let held = [&ended, &complete].map(|t| t.lock.lock().unwrap_or_else(PoisonError::into_inner));
            // SAFETY: a function for this.
            unsafe {
                let code = clSetEventCallback(event, CL_COMPLETE, Some(on_event), complete.user());
                assert_eq!(code, 0);
            }
            release(buffer);
            s.finish();
            drop(held);
            ended.wait_for(1);
            complete.wait_for(1);
            gone(slow, event);
            if shares(&s) {
                frees_while_another_waits(&s, &freed);
            }
        }
    });
}

/// The function of clEnqueueSVMFree in one queue, and a thread that holds its lock and waits for another queue.
fn frees_while_another_waits(s: &Setup, freed: &Notice) {
    let slow = kernel(s.context, SLOW, c"slow");
    let plain = s.buffer(0, SIZE);
    let mut error = 1;
    // SAFETY: handles; places are valid; the memory is allocated here.
    unsafe {
        let other = clCreateCommandQueue(s.context, s.device, 0, &mut error);
        assert_eq!(error, 0);
        let mut memory = clSVMAlloc(s.context, 0, 64, 0);
        let held = freed.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let event = launch(s, slow, plain);
        let (place, user) = (&raw mut memory, freed.user());
        let code = clEnqueueSVMFree(other, 1, place, Some(on_free), user, 1, &event, null_mut());
        assert_eq!(code, 0);
        assert_eq!(clFlush(other), 0);
        s.finish();
        drop(held);
        freed.wait_for(1);
        assert_eq!(clFinish(other), 0);
        assert_eq!(clReleaseCommandQueue(other), 0);
        gone(slow, event);
    }
    release(plain);
}

/// A thread waits for a command behind clEnqueueSVMFree with a lock held that another callback takes.
#[test]
fn a_function_that_frees_is_not_called_by_the_thread_that_waits() {
    let Some(s) = Setup::new() else { return };
    if !shares(&s) {
        println!("SKIP: no shared virtual memory");
        return;
    }
    bounded("the thread that frees", || {
        let own = std::thread::current().id();
        let notice = Notice::new(move || assert_ne!(std::thread::current().id(), own));
        for _ in 0..20 {
            let before = notice.calls();
            // SAFETY: allocated here; the place is valid.
            unsafe {
                let mut memory = clSVMAlloc(s.context, 0, 64, 0);
                let (place, user, mut event) = (&raw mut memory, notice.user(), null_mut());
                let code = clEnqueueSVMFree(s.queue, 1, place, Some(on_free), user, 0, null(), &mut event);
                assert_eq!(code, 0);
                assert_eq!(clWaitForEvents(1, &event), 0);
                assert_eq!(
                    notice.calls(),
                    before + 1,
                    "the command is complete when the function has returned"
                );
                clReleaseEvent(event);
            }
        }
    });
}

/// Callbacks that release the last references of objects, and use shared memory.
#[test]
fn callbacks_release_objects_and_use_shared_memory() {
    let Some(s) = Setup::new() else { return };
    let shares = shares(&s);
    for path in PATHS {
        bounded("callbacks that release", || {
            let second = Notice::new(|| ());
            let (slow, spare) = (kernel(s.context, SLOW, c"slow"), kernel(s.context, SLOW, c"slow"));
            let (last, other) = (buffer(&s, &second), buffer(&s, &second));
            let context = s.context.expose_provenance();
            let handles = [last, spare, other].map(|h| h.expose_provenance());
            let memory = move || {
                let context = std::ptr::with_exposed_provenance_mut::<c_void>(context);
                if shares {
                    // SAFETY: a context, which the test has; allocated here.
                    unsafe {
                        let p = clSVMAlloc(context, 0, 1000, 0);
                        assert!(!p.is_null());
                        clSVMFree(context, p);
                    }
                }
            };
            let ended = Notice::new(move || {
                memory();
                release(std::ptr::with_exposed_provenance_mut(handles[0]));
            });
            let complete = Notice::new(move || {
                memory();
                // SAFETY: a kernel of this test.
                unsafe { clReleaseKernel(std::ptr::with_exposed_provenance_mut(handles[1])) };
                release(std::ptr::with_exposed_provenance_mut(handles[2]));
            });
            let first = buffer(&s, &ended);
            let event = launch(&s, slow, first);
            if path == Path::Call {
                s.finish();
            }
            // SAFETY: a function for this.
            unsafe {
                let code = clSetEventCallback(event, CL_COMPLETE, Some(on_event), complete.user());
                assert_eq!(code, 0);
            }
            release(first);
            if path == Path::Waiting {
                s.finish();
            }
            ended.wait_for(1);
            complete.wait_for(1);
            second.wait_for(2);
            gone(slow, event);
        });
    }
}

/// The last reference of a context goes in a callback of its own, and its destructor callbacks come.
#[test]
fn a_callback_releases_its_context() {
    for path in PATHS {
        let Some(s) = Setup::new() else { return };
        bounded("a callback that releases its context", || {
            let end = Notice::new(|| ());
            let slow = kernel(s.context, SLOW, c"slow");
            // SAFETY: handles; functions for this. The setup's own references are given up by the callback.
            unsafe {
                let code = clSetContextDestructorCallback(s.context, Some(on_end), end.user());
                assert_eq!(code, 0);
                let handles = [s.context, s.queue, slow].map(|h| h.expose_provenance());
                let ended = Notice::new(move || {
                    let [context, queue, kernel] = handles.map(std::ptr::with_exposed_provenance_mut);
                    assert_eq!(clReleaseKernel(kernel), 0);
                    assert_eq!(clReleaseCommandQueue(queue), 0);
                    assert_eq!(clReleaseContext(context), 0);
                });
                let buffer = buffer(&s, &ended);
                let event = launch(&s, slow, buffer);
                assert_eq!(clReleaseEvent(event), 0);
                match path {
                    Path::Waiting => {
                        assert_eq!(clRetainCommandQueue(s.queue), 0);
                        release(buffer);
                        s.finish();
                        assert_eq!(clReleaseCommandQueue(s.queue), 0);
                    }
                    Path::Completion => {
                        assert_eq!(clFlush(s.queue), 0);
                        release(buffer);
                    }
                    Path::Call => {
                        s.finish();
                        release(buffer);
                    }
                }
                ended.wait_for(1);
                end.wait_for(1);
            }
            std::mem::forget(s);
        });
    }
}

/// A part of a buffer is deleted before the buffer (§5.5.1, clReleaseMemObject: "memobj cannot be deleted until all sub-buffer objects
/// associated with memobj are deleted"), and so are its callbacks called.
#[test]
fn a_part_ends_before_its_buffer() {
    static ORDER: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let Some(s) = Setup::new() else { return };
    for busy in [false, true] {
        let note = |what| move || ORDER.lock().unwrap_or_else(PoisonError::into_inner).push(what);
        let (of_whole, of_part) = (Notice::new(note("whole")), Notice::new(note("part")));
        let slow = kernel(s.context, SLOW, c"slow");
        let whole = buffer(&s, &of_whole);
        let part = s.sub(whole, 0, 0, SIZE).expect("a part");
        // SAFETY: a function for this.
        unsafe {
            let code = clSetMemObjectDestructorCallback(part, Some(on_end), of_part.user());
            assert_eq!(code, 0);
        }
        let event = launch(&s, slow, part);
        if !busy {
            s.finish();
        }
        release(whole);
        release(part);
        s.finish();
        of_whole.wait_for(1);
        of_part.wait_for(1);
        let order = std::mem::take(&mut *ORDER.lock().unwrap_or_else(PoisonError::into_inner));
        assert_eq!(order, ["part", "whole"], "busy: {busy}");
        gone(slow, event);
    }
}

#[test]
fn the_same_in_the_arena() {
    again::again_in_ways(module_path!(), &["arena"]);
}

#[test]
fn the_same_with_several_streams() {
    again::again_in(module_path!(), &["streams=4"]);
}
