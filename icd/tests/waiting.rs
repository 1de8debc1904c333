//! What a wait costs the host while the device works. Alone in its process: other tests' threads would be counted.
#![cfg(target_os = "linux")]

mod cl;
mod open;

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use cl::{Setup, arg, kernel, launch, release};
use opencl_sys::*;
use pumice::entry::{event::*, queue::*};

extern "C" fn nothing(_: *mut c_void, _: cl_int, _: *mut c_void) {}

/// Returns how often the threads of that name went to sleep so far.
fn sleeps(name: &str) -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads").flatten();
    let read =
        |path: &std::path::Path, file: &str| std::fs::read_to_string(path.join(file)).unwrap_or_default();
    let sleeps = |path: &std::path::Path| {
        let status = read(path, "status");
        let line = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
        line.and_then(|n| n.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    let mine = tasks.map(|t| t.path()).filter(|path| read(path, "comm").trim() == name);
    mine.map(|path| sleeps(&path)).sum()
}

/// A thread of the application waits for a command that has a callback: the background thread, which would call it, leaves the wait
/// to that one, and does not look again and again whether it still waits.
#[test]
fn a_wait_keeps_no_other_thread_awake() {
    let Some(s) = Setup::new() else { return };
    let turns = "kernel void turns(uint n, global uint *out) {
        uint x = get_global_id(0);
        for (uint i = 0; i < n; i++) x = x * 1664525u + (i ^ x >> 7);
        out[get_global_id(0)] = x; }";
    let (turns, out) = (kernel(s.context, turns, c"turns"), s.buffer(CL_MEM_READ_WRITE, 4 << 15));
    arg(turns, 0, &60_000u32);
    arg(turns, 1, &out);
    launch(s.queue, turns, 1 << 15);
    let mut event = null_mut();
    // SAFETY: handles; the function takes what it is given.
    unsafe {
        assert_eq!(clEnqueueMarkerWithWaitList(s.queue, 0, null(), &mut event), 0);
        assert_eq!(clSetEventCallback(event, CL_COMPLETE, Some(nothing), null_mut()), 0);
    }
    let (before, start) = (sleeps("pumice stream"), Instant::now());
    // SAFETY: one event.
    assert_eq!(unsafe { clWaitForEvents(1, &event) }, 0);
    let (slept, took) = (sleeps("pumice stream") - before, start.elapsed());
    // Every 150 µs would be 6 a millisecond.
    let most = 60 + took.as_millis() / 4;
    assert!(u128::from(slept) <= most, "{slept} times in {took:?}");
    if took < Duration::from_millis(50) {
        println!("SKIP: the device is too fast for this ({took:?})");
    }
    // SAFETY: an event of ours.
    assert_eq!(unsafe { clReleaseEvent(event) }, 0);
    release(out);
}
