//! A kernel that never ends, and the watchdog: who waits hears of it in each kind of wait, a new context works, and the process ends.
//!
//! What the device may still use is left to it, so that these tests have a process of their own.

mod common;
mod open;

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use common::*;
use opencl_sys as cl;
use pumice::entry::event::*;
use pumice::entry::queue::*;
use pumice::entry::transfer::*;
use pumice::testing;

const SIZE: usize = 20_000;
const BYTES: usize = SIZE * 4;
/// What a wait may take.
const LIMIT: Duration = Duration::from_secs(60);

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
