//! A kernel that never ends, and the watchdog: who waits hears of it in each kind of wait, a new context works, and the process ends. The first test has a device
//! that gets no further; the second a loop, which goes on in other dispatches where the driver ends it.
//!
//! What the device may still use is left to it, so that these tests have a process of their own.

mod common;
mod open;

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use common::*;
use opencl_sys as cl;
use pumice::entry::event::*;
use pumice::entry::kernel::*;
use pumice::entry::launch::*;
use pumice::entry::program::*;
use pumice::entry::queue::*;
use pumice::entry::transfer::*;
use pumice::testing;

const SIZE: usize = 20_000;
const BYTES: usize = SIZE * 4;
/// What a wait may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The modes are the process's: one test at a time.
static ONE: Mutex<()> = Mutex::new(());

static TOLD: AtomicI32 = AtomicI32::new(1);

unsafe extern "C" fn tell(_: Handle, status: i32, _: Handle) {
    TOLD.store(status, Ordering::SeqCst);
}

/// Waits for a command's event, in one way of many; the error.
fn wait_in(way: usize, s: &Setup, queue: Handle, event: Handle, buffer: Handle) -> i32 {
    let mut words = vec![0u32; SIZE];
    // SAFETY: handles, places for all bytes, and calls that return when they are done.
    unsafe {
        match way {
            0 => clFinish(queue),
            1 => clWaitForEvents(1, &event),
            2 => {
                let place = words.as_mut_ptr().cast();
                clEnqueueReadBuffer(queue, buffer, 1, 0, BYTES, place, 0, null(), null_mut())
            }
            3 => {
                let mut error = 0;
                let flags = cl::CL_MAP_READ;
                clEnqueueMapBuffer(queue, buffer, 1, flags, 0, BYTES, 0, null(), null_mut(), &mut error);
                error
            }
            4 => {
                TOLD.store(1, Ordering::SeqCst);
                assert_eq!(clSetEventCallback(event, cl::CL_COMPLETE, Some(tell), null_mut()), 0);
                assert_eq!(clFlush(queue), 0);
                eventually("the callback", || TOLD.load(Ordering::SeqCst) <= 0);
                TOLD.load(Ordering::SeqCst)
            }
            5 => {
                assert_eq!(clFlush(queue), 0);
                eventually("the status", || status(event) <= 0);
                status(event)
            }
            _ => {
                let other = s.queue(IN_ORDER);
                let code = clEnqueueMarkerWithWaitList(other, 1, &event, null_mut());
                let code = if code == 0 { clFinish(other) } else { code };
                release(&[], &[other]);
                code
            }
        }
    }
}

#[test]
fn every_wait_ends() {
    let _one = ONE.lock();
    testing::set_modes("watchdog=1000,tune.watch=4000");
    for way in 0..7 {
        let Some(s) = setup() else { return };
        let queue = s.queue(IN_ORDER);
        let buffer = s.buffer(0, SIZE);
        // SAFETY: a handle.
        assert_eq!(unsafe { clFinish(queue) }, 0);
        assert!(testing::fall_silent_after(s.device, 1, false));
        let begin = Instant::now();
        let (pattern, mut event) = (7u32, null_mut());
        // SAFETY: handles, and a pattern of four bytes.
        let code = unsafe {
            let pattern = (&raw const pattern).cast();
            clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, BYTES, 0, null(), &mut event)
        };
        assert_eq!(code, 0);
        let code = wait_in(way, &s, queue, event, buffer);
        assert!(code < 0, "way {way}: {code}");
        assert!(status(event) < 0, "way {way}");
        assert!(begin.elapsed() < LIMIT, "way {way}");
        release(&[event], &[queue]);
        release_buffers(&[buffer]);
    }
    testing::set_modes("");
    let Some(s) = setup() else { return };
    let (queue, buffer) = (s.queue(IN_ORDER), s.buffer(0, SIZE));
    release(&[write(queue, buffer, true, &[5; SIZE], &[])], &[]);
    let mut words = vec![0u32; SIZE];
    // SAFETY: a place for all bytes.
    let code = unsafe {
        let place = words.as_mut_ptr().cast();
        clEnqueueReadBuffer(queue, buffer, 1, 0, BYTES, place, 0, null(), null_mut())
    };
    assert_eq!((code, words[SIZE - 1]), (0, 5), "a new context works");
    release(&[], &[queue]);
    release_buffers(&[buffer]);
}

/// A loop that ends when the host writes, which it does not.
const NEVER: &CStr = c"kernel void never(global volatile uint *a) { while (a[0] != 7) a[1] += 1; a[2] = 3; }";

/// Launches that kernel; its event.
fn launch_never(s: &Setup, queue: Handle, buffer: Handle) -> Handle {
    let (mut error, mut event) = (0, null_mut());
    let (mut text, size) = (NEVER.as_ptr(), 1usize);
    // SAFETY: handles, a source with its end, an argument of a handle's size, and one size.
    unsafe {
        let program = clCreateProgramWithSource(s.context, 1, &mut text, null(), &mut error);
        assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), 0);
        let kernel = clCreateKernel(program, c"never".as_ptr(), &mut error);
        assert_eq!(clSetKernelArg(kernel, 0, size_of::<Handle>(), (&raw const buffer).cast()), 0);
        let code = clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), &mut event);
        assert_eq!((code, error), (0, 0));
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
    event
}

#[test]
fn a_loop_that_never_ends() {
    let _one = ONE.lock();
    testing::set_modes("watchdog=1000");
    // Where it is one dispatch the driver goes on with it until the process ends.
    for way in [0, 1, 2, 4, 5, 6] {
        let Some(s) = setup() else { return };
        let (queue, buffer) = (s.queue(IN_ORDER), s.buffer(0, SIZE));
        release(&[write(queue, buffer, true, &[5; SIZE], &[])], &[]);
        let begin = Instant::now();
        let event = launch_never(&s, queue, buffer);
        let code = wait_in(way, &s, queue, event, buffer);
        assert!(code < 0, "way {way}: {code}");
        // The launch's own end may come behind that of the device.
        eventually("the status", || status(event) < 0);
        assert!(begin.elapsed() < LIMIT, "way {way}");
        // SAFETY: a handle.
        assert!(unsafe { clFinish(queue) } < 0, "way {way}: the device is lost");
        release(&[event], &[queue]);
        release_buffers(&[buffer]);
    }
    testing::set_modes("");
}
