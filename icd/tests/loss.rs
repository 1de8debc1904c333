//! A lost device, injected at each submission and wait that each kind of command and call comes to: every event ends with a
//! negative status, waits return, callbacks come, releases work and leave nothing behind, and a new context works.
//!
//! A test arms the loss for the first submission or wait after its start, then for the second, and so on until none is left
//! that would be struck. Each has a time limit: past it the process is aborted.

mod again;
#[path = "loss/commands.rs"]
mod commands;
mod common;
#[path = "loss/lacking.rs"]
mod lacking;
#[path = "loss/left_out.rs"]
mod left_out;
mod open;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use common::*;
use opencl_sys as cl;
use pumice::entry::context::*;
use pumice::entry::event::*;
use pumice::entry::image::*;
use pumice::entry::kernel::*;
use pumice::entry::launch::*;
use pumice::entry::memory::*;
use pumice::entry::program::*;
use pumice::entry::queue::*;
use pumice::entry::svm::*;
use pumice::entry::transfer::*;
use pumice::testing;

/// Numbers in a buffer: more than a read takes at once.
const SIZE: usize = 40_000;
const BYTES: usize = SIZE * 4;
/// What a test may take.
const LIMIT: Duration = Duration::from_secs(120);

/// The tests share the Vulkan device that is lost: one at a time.
static SERIAL: Mutex<()> = Mutex::new(());
/// Which events' callbacks were called, and with which status.
static CALLS: Mutex<Vec<(usize, i32)>> = Mutex::new(Vec::new());
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Log;

impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let text = record.args().to_string();
        if text.starts_with("validation") || text.contains("bug in Pumice") {
            eprintln!("{text}");
        }
        lock(&LOG).push(text);
    }

    fn flush(&self) {}
}

unsafe extern "C" fn note(event: Handle, status: i32, _: Handle) {
    lock(&CALLS).push((event.addr(), status));
}

unsafe extern "C" fn set_user(_: Handle, status: i32, user: Handle) {
    set(user, status.min(0));
}

/// Returns what a call may say when the device is lost.
fn is_loss(code: i32) -> bool {
    const EXPECTED: [i32; 4] = [
        cl::CL_OUT_OF_RESOURCES,
        cl::CL_MEM_OBJECT_ALLOCATION_FAILURE,
        cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        cl::CL_MAP_FAILURE,
    ];
    assert!(code == 0 || EXPECTED.contains(&code), "{code}");
    code != 0
}

const SOURCE: &str = "
constant uint table[4] = { 1, 2, 3, 4 };
kernel void scale(global uint *a, global const uint *b) { size_t i = get_global_id(0); a[i] = b[i] * 3u + table[i % 4]; }
kernel void say(global uint *a) { if (get_global_id(0) == 0) printf(\"\"); a[get_global_id(0)] += 1u; }
";

/// A context with a device that is not lost yet, and all objects that the commands need.
struct World {
    /// In order, out of order, with profiling.
    queues: [Handle; 3],
    a: Handle,
    b: Handle,
    program: Handle,
    kernel: Handle,
    say: Handle,
    svm: *mut c_void,
    user: Handle,
    data: Vec<u32>,
    out: Vec<u32>,
    events: Vec<Handle>,
    failed: usize,
    s: Setup,
}

impl World {
    /// `None`, said aloud, without a device.
    fn new() -> Option<World> {
        let s = setup()?;
        let queues = [s.queue(IN_ORDER), s.queue(OUT_OF_ORDER), s.queue(PROFILED)];
        let (a, b, user) = (s.buffer(0, SIZE), s.buffer(0, SIZE), s.user());
        let data: Vec<u32> = (7..).take(SIZE).collect();
        let mut error = 1;
        // SAFETY: the text has its length; places are valid.
        let (program, kernel, say, svm) = unsafe {
            let (mut text, length) = (SOURCE.as_ptr().cast(), SOURCE.len());
            let program = clCreateProgramWithSource(s.context, 1, &mut text, &length, &mut error);
            assert_eq!(error, 0);
            assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), 0);
            let kernel = clCreateKernel(program, c"scale".as_ptr(), &mut error);
            assert_eq!(error, 0);
            let say = clCreateKernel(program, c"say".as_ptr(), &mut error);
            assert_eq!(error, 0);
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const a).cast()), 0);
            assert_eq!(clSetKernelArg(kernel, 1, 8, (&raw const b).cast()), 0);
            assert_eq!(clSetKernelArg(say, 0, 8, (&raw const a).cast()), 0);
            (program, kernel, say, clSVMAlloc(s.context, 0, BYTES, 0))
        };
        let out = vec![0; SIZE];
        let events = Vec::new();
        Some(World { queues, a, b, program, kernel, say, svm, user, data, out, events, failed: 0, s })
    }

    /// Takes a command's result in: an event, with a callback on it, or an error and no event.
    fn took(&mut self, code: i32, event: Handle) -> Option<Handle> {
        if is_loss(code) {
            assert!(event.is_null());
            self.failed += 1;
            return None;
        }
        // SAFETY: a function for this.
        assert_eq!(unsafe { clSetEventCallback(event, cl::CL_COMPLETE, Some(note), null_mut()) }, 0);
        self.events.push(event);
        Some(event)
    }

    /// Enqueues a command.
    fn enqueue(&mut self, call: impl FnOnce(&mut Self, *mut Handle) -> i32) -> Option<Handle> {
        let mut event = null_mut();
        let code = call(self, &mut event);
        self.took(code, event)
    }

    fn done(&mut self, code: i32) {
        self.failed += usize::from(is_loss(code));
    }

    /// Checks that the device is not lost: every queue works, fails nothing more, and computes what is right.
    fn all_queues_work(&mut self) {
        let failed = self.failed;
        for q in 0..3 {
            self.fill(q);
            self.launch(q, self.kernel);
            self.finish(q);
            self.read(q, 1);
            assert_eq!((self.failed, self.out[5]), (failed, self.data[5] * 3 + 2), "queue {q}");
        }
    }

    /// The statuses of all events, after each was waited for.
    fn statuses(&self) -> Vec<i32> {
        self.events.iter().map(|e| wait(&[*e])).for_each(drop);
        self.events.iter().map(|e| status(*e)).collect()
    }

    /// Waits until everything has ended, and checks how. Whether the device was lost.
    fn end(&mut self) -> bool {
        let waits: Vec<i32> = self.events.iter().map(|e| wait(&[*e])).collect();
        for (event, code) in self.events.iter().zip(waits) {
            let status = status(*event);
            assert!(status <= 0, "waited for, and not ended");
            assert_eq!(is_loss(code), status < 0);
        }
        (0..3).for_each(|q| self.finish(q));
        eventually("all callbacks", || lock(&CALLS).len() >= self.events.len());
        for (event, told) in lock(&CALLS).drain(..) {
            let event = self.events.iter().find(|e| e.addr() == event).expect("an event of this run");
            assert_eq!(told, status(*event));
        }
        let negative = self.events.iter().filter(|e| status(**e) < 0).count();
        release(&self.events, &[]);
        self.events.clear();
        self.failed + negative > 0
    }

    /// A launch that the device is lost with when it is waited for. On a busy machine one may have ended before anything
    /// looks for it.
    fn lose_waiting(&mut self) {
        for _ in 0..100 {
            self.launch(0, self.kernel);
            assert!(testing::lose_after(self.s.device, 2));
            self.finish(0);
            if self.end() {
                return;
            }
        }
        panic!("the device is not lost");
    }

    /// Releases everything, which must work whatever has happened.
    fn drop(self) {
        assert!(self.events.is_empty());
        release(&[self.user], &self.queues);
        // SAFETY: handles.
        unsafe {
            assert_eq!((clReleaseKernel(self.kernel), clReleaseKernel(self.say)), (0, 0));
            assert_eq!(clReleaseProgram(self.program), 0);
            clSVMFree(self.s.context, self.svm);
        }
        release_buffers(&[self.a, self.b]);
    }
}

/// Runs with a time limit, alone.
fn limited(run: impl FnOnce()) {
    let _serial = lock(&SERIAL);
    static START: Once = Once::new();
    START.call_once(|| {
        log::set_logger(&Log).expect("the first");
        log::set_max_level(log::LevelFilter::Warn);
        testing::set_modes("count,tune.watch=4000");
    });
    lock(&CALLS).clear();
    let (send, receive) = channel::<()>();
    let watch = std::thread::spawn(move || {
        if receive.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("a test of device loss hangs");
            std::process::abort();
        }
    });
    run();
    drop(send);
    watch.join().expect("no hang");
}

/// How the driver tells of a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Every call fails.
    AtOnce,
    /// Timelines stand still, submissions succeed, and a fence fails after a while: NVIDIA's driver.
    ByFences,
}

impl Told {
    /// The n-th submission or wait from now loses the device; 0 takes that back.
    fn lose_after(self, device: Handle, n: u64) -> bool {
        match self {
            Told::AtOnce => testing::lose_after(device, n),
            Told::ByFences => testing::fall_silent_after(device, n, true),
        }
    }
}

/// What is at risk in a test: the loss strikes at its first submission or wait, then at the second, and so on. At least
/// `least` must be struck, however the driver tells of it.
fn strike(least: u64, point: impl Fn(&mut World)) {
    let Some(struck) = strike_told(Told::AtOnce, u64::MAX, &point) else { return };
    assert!(struck >= least, "struck {struck} times");
    // What was done before the timelines stand still is not struck.
    let struck = strike_told(Told::ByFences, struck, &point);
    assert!(struck.is_some_and(|struck| struck >= 1), "struck {struck:?} times");
}

/// Strikes at most so often, and until an immediate loss finds nothing left; how often it did. `None` without a device.
fn strike_told(told: Told, most: u64, point: &dyn Fn(&mut World)) -> Option<u64> {
    let (mut struck, mut devices) = (0, true);
    limited(|| {
        for n in 1..=most {
            let Some(mut w) = World::new() else {
                devices = false;
                return;
            };
            // What came before was lost, perhaps: this one works.
            w.write(0, 1);
            w.launch(0, w.kernel);
            w.read(0, 1);
            assert_eq!(w.out[5], w.data[5] * 3 + 2);
            assert!(!w.end(), "the new context works");
            assert!(told.lose_after(w.s.device, n));
            point(&mut w);
            let lost = w.end();
            told.lose_after(w.s.device, 0);
            if lost {
                // Whatever is asked of the lost device is refused; nothing hangs.
                w.failed = 0;
                w.everything();
                assert!(w.failed > 0);
                assert!(w.end());
            }
            w.drop();
            eventually("nothing is left", || testing::alive().is_empty());
            struck += u64::from(lost);
            if !lost && told == Told::AtOnce {
                break;
            }
        }
        println!("struck {struck} times, told: {told:?}");
    });
    devices.then_some(struck)
}

#[test]
fn at_a_launch() {
    strike(1, |w| w.launch(0, w.kernel));
}

#[test]
fn at_launches_of_all_queues() {
    strike(1, |w| (0..9).for_each(|i| w.launch(i % 3, w.kernel)));
}

#[test]
fn at_a_launch_that_prints() {
    strike(1, |w| w.launch(2, w.say));
}

#[test]
fn at_a_read() {
    strike(1, |w| w.read(0, 0));
}

#[test]
fn at_a_blocking_read() {
    strike(1, |w| {
        // Busy, so that it is not read in place.
        w.fill(0);
        w.read(1, 1);
    });
}

#[test]
fn at_a_write() {
    strike(1, |w| {
        // Busy, so that it is not written in place.
        w.copy(0);
        w.write(0, 0);
    });
}

#[test]
fn at_a_blocking_write() {
    strike(1, |w| {
        w.copy(1);
        w.write(2, 1);
    });
}

#[test]
fn at_a_copy() {
    strike(1, |w| w.copy(0));
}

#[test]
fn at_a_fill() {
    strike(1, |w| w.fill(0));
}

#[test]
fn at_copies_of_boxes() {
    strike(1, |w| w.rects(0));
}

#[test]
fn at_a_map() {
    strike(1, |w| {
        w.fill(0);
        w.map(0, 0, cl::CL_MAP_READ);
    });
}

#[test]
fn at_a_blocking_map() {
    strike(1, |w| {
        w.fill(0);
        w.map(0, 1, cl::CL_MAP_READ | cl::CL_MAP_WRITE);
    });
}

#[test]
fn at_an_unmap() {
    strike(1, |w| {
        let pointer = w.map(0, 1, cl::CL_MAP_WRITE);
        w.unmap(0, pointer);
        w.launch(0, w.kernel);
    });
}

#[test]
fn at_a_migration() {
    strike(1, |w| {
        w.launch(0, w.kernel);
        w.migrate(0);
    });
}

#[test]
fn at_commands_on_images() {
    strike(1, |w| {
        w.launch(0, w.kernel);
        w.images(0);
    });
}

#[test]
fn at_commands_on_shared_memory() {
    strike(1, |w| {
        w.launch(0, w.kernel);
        w.svm(0);
    });
}

#[test]
fn at_a_marker() {
    strike(1, |w| {
        w.launch(1, w.kernel);
        w.marker(1, &[]);
    });
}

#[test]
fn at_a_barrier() {
    strike(1, |w| {
        w.launch(1, w.kernel);
        // SAFETY: a handle.
        let code = unsafe { clEnqueueBarrier(w.queues[1]) };
        w.done(code);
        w.launch(1, w.say);
    });
}

#[test]
fn at_a_flush() {
    strike(1, |w| {
        w.launch(0, w.kernel);
        w.flush(0);
    });
}

#[test]
fn at_a_finish() {
    strike(1, |w| {
        w.launch(0, w.kernel);
        w.finish(0);
    });
}

#[test]
fn at_a_wait_for_events_of_several_queues() {
    strike(1, |w| {
        (0..3).for_each(|q| w.launch(q, w.kernel));
        let code = wait(&w.events.clone());
        w.done(code);
    });
}

#[test]
fn at_polling() {
    strike(1, |w| {
        w.launch(0, w.kernel);
        w.copy(1);
        let events = w.events.clone();
        eventually("polling ends", || events.iter().all(|e| status(*e) <= 0));
    });
}

#[test]
fn at_the_release_of_a_user_event() {
    strike(1, |w| {
        let first = w.marker(0, &[w.user]);
        w.launch(0, w.kernel);
        w.read(0, 0);
        if let Some(first) = first {
            w.marker(1, &[first]);
        }
        set(w.user, 0);
    });
}

#[test]
fn at_a_callback_that_releases_a_user_event() {
    strike(1, |w| {
        w.marker(1, &[w.user]);
        w.marker(2, &[w.user]);
        w.copy(2);
        w.launch(0, w.kernel);
        if let Some(last) = w.events.last() {
            // SAFETY: the function's argument is a user event.
            let code = unsafe { clSetEventCallback(*last, cl::CL_COMPLETE, Some(set_user), w.user) };
            assert_eq!(code, 0);
        } else {
            set(w.user, -1);
        }
    });
}

/// Nobody ever completes the user event.
#[test]
fn with_commands_that_are_held_for_ever() {
    limited(|| {
        for n in 1..=2 {
            let Some(mut w) = World::new() else { return };
            for q in 0..3 {
                w.marker(q, &[w.user]);
                w.write(q, 0);
                w.launch(q, w.kernel);
                w.read(q, 0);
            }
            let (held, queue) = (shared(w.events[3]), shared(w.queues[0]));
            let device = w.s.device;
            assert!(w.events.iter().all(|e| status(*e) > 0 || q_of(*e) == w.queues[1]));
            std::thread::scope(|scope| {
                let waits = scope.spawn(move || wait(&[handle(held)]));
                // SAFETY: a handle.
                let finishes = scope.spawn(move || unsafe { clFinish(handle(queue)) });
                std::thread::sleep(Duration::from_millis(20));
                let other = w.s.queue(IN_ORDER);
                assert!(testing::lose_after(device, n));
                let mut event = null_mut();
                // SAFETY: handles.
                unsafe {
                    let code = clEnqueueCopyBuffer(other, w.b, w.a, 0, 0, BYTES, 0, null(), &mut event);
                    w.took(code, event);
                    is_loss(clFinish(other));
                }
                release(&[], &[other]);
                assert_eq!(waits.join().expect("returns"), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
                is_loss(finishes.join().expect("returns"));
            });
            let held = |w: &World| w.events.iter().filter(|e| status(**e) < 0).count();
            eventually("all that was held ends", || held(&w) >= 9);
            assert!(w.end());
            assert_eq!(set(w.user, 0), 0, "for nobody");
            w.drop();
            eventually("nothing is left", || testing::alive().is_empty());
        }
    });
}

/// An event's queue.
fn q_of(event: Handle) -> Handle {
    let mut queue: Handle = null_mut();
    // SAFETY: eight bytes.
    let code =
        // SAFETY: sizes and places are valid, and live until everything has ended.
        unsafe { clGetEventInfo(event, cl::CL_EVENT_COMMAND_QUEUE, 8, (&raw mut queue).cast(), null_mut()) };
    assert_eq!(code, 0);
    queue
}

#[test]
fn at_the_release_of_a_queue() {
    strike(1, |w| {
        w.launch(0, w.kernel);
        let old = std::mem::replace(&mut w.queues[0], w.s.queue(IN_ORDER));
        release(&[], &[old]);
    });
}

#[test]
fn at_a_build_and_its_first_launch() {
    strike(1, |w| {
        let (mut error, source) = (1, SOURCE.replace("3u", "5u"));
        let (mut text, length) = (source.as_ptr().cast(), source.len());
        w.fill(0);
        w.flush(0);
        // SAFETY: the text has its length; places are valid.
        unsafe {
            let program = clCreateProgramWithSource(w.s.context, 1, &mut text, &length, &mut error);
            assert_eq!(error, 0);
            assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), 0, "the host's work");
            let kernel = clCreateKernel(program, c"scale".as_ptr(), &mut error);
            assert_eq!(error, 0);
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const w.a).cast()), 0);
            assert_eq!(clSetKernelArg(kernel, 1, 8, (&raw const w.b).cast()), 0);
            w.launch(0, kernel);
            assert_eq!((clReleaseKernel(kernel), clReleaseProgram(program)), (0, 0));
        }
    });
}

#[test]
fn at_the_making_of_buffers() {
    strike(1, |w| {
        let flags = [cl::CL_MEM_COPY_HOST_PTR, cl::CL_MEM_USE_HOST_PTR, cl::CL_MEM_ALLOC_HOST_PTR];
        for flags in flags {
            let mut error = 1;
            let host =
                if flags == cl::CL_MEM_ALLOC_HOST_PTR { null_mut() } else { w.out.as_mut_ptr().cast() };
            // SAFETY: the memory has the size, and lives longer.
            let buffer = unsafe { clCreateBuffer(w.s.context, flags, BYTES, host, &mut error) };
            w.done(error);
            if buffer.is_null() {
                continue;
            }
            // SAFETY: sizes and places are valid, and live until everything has ended.
            w.enqueue(|w, e| unsafe {
                clEnqueueCopyBuffer(w.queues[0], w.b, buffer, 0, 0, BYTES, 0, null(), e)
            });
            w.finish(0);
            release_buffers(&[buffer]);
        }
    });
}

#[test]
fn at_everything_in_a_row() {
    strike(12, World::everything);
}

#[test]
fn threads_that_wait_all_return() {
    limited(|| {
        let Some(mut w) = World::new() else { return };
        w.launch(0, w.kernel);
        (0..3).for_each(|q| w.read(q, 0));
        w.marker(1, &[]);
        let events: Vec<usize> = w.events.iter().map(|e| shared(*e)).collect();
        let queues: Vec<usize> = w.queues.iter().map(|q| shared(*q)).collect();
        assert!(testing::lose_after(w.s.device, 2));
        std::thread::scope(|scope| {
            for i in 0..16 {
                let (event, queue) = (events[i % events.len()], queues[i % 3]);
                // SAFETY: handles.
                scope.spawn(move || match i % 3 {
                    // SAFETY: sizes and places are valid, and live until everything has ended.
                    0 => is_loss(unsafe { clFinish(handle(queue)) }),
                    1 => is_loss(wait(&[handle(event)])),
                    _ => {
                        eventually("it ends", || status(handle(event)) <= 0);
                        true
                    }
                });
            }
        });
        w.end();
        w.drop();
    });
}

/// Of a lost device the log names the kernels that were on their way.
#[test]
fn the_log_names_the_kernel() {
    limited(|| {
        let Some(mut w) = World::new() else { return };
        lock(&LOG).clear();
        w.lose_waiting();
        w.drop();
        let log = lock(&LOG).clone();
        assert!(log.iter().any(|l| l.contains("on their way: scale")), "{log:#?}");
    });
}

static REPORTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// A lock of the application's, which its function takes and a thread that waits for commands holds.
static APPLICATION: Mutex<()> = Mutex::new(());

unsafe extern "C" fn hear(text: *const c_char, _: *const c_void, _: usize, user: *mut c_void) {
    assert_eq!(user.addr(), 8);
    // SAFETY: the library gives a string.
    let text = unsafe { CStr::from_ptr(text) };
    let _application = lock(&APPLICATION);
    lock(&REPORTS).push(text.to_string_lossy().into_owned());
}

/// Every context of the device that was made with a function for errors hears of the loss, once (§4.4). No thread that waits calls the function.
#[test]
fn the_contexts_hear_of_it() {
    limited(|| {
        let Some(mut w) = World::new() else { return };
        let user = std::ptr::without_provenance_mut(8);
        // SAFETY: one device; the function fits.
        let context = unsafe { clCreateContext(null(), 1, &w.s.device, Some(hear), user, null_mut()) };
        assert!(!context.is_null());
        let application = lock(&APPLICATION);
        w.lose_waiting();
        drop(application);
        eventually("the report", || !lock(&REPORTS).is_empty());
        w.drop();
        // SAFETY: a handle.
        assert_eq!(unsafe { clReleaseContext(context) }, 0);
        eventually("nothing is left", || testing::alive().is_empty());
        let reports = lock(&REPORTS).clone();
        assert!(reports.len() == 1 && reports[0].contains("lost"), "{reports:?}");
    });
}

#[test]
fn the_same_with_several_streams() {
    again::again_in(module_path!(), &["streams=3", "wander,streams=3"]);
}
