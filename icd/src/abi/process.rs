//! The end of the process, and children by fork, as the API sees them.
//!
//! Programs release their objects in destructors of static objects and in exit handlers, which run before ours or after; threads
//! of theirs may be in any call meanwhile. Once ours has run, no call does anything any more: releases and retains
//! succeed, everything else fails with a code that the specification has for it. A child by fork finds the same. Objects are
//! left to the system, and no callback of the application comes any more.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use opencl_sys as cl;
use vk_runtime::life::{self, Life};

/// A counter alone in its cache line.
#[repr(align(64))]
struct Shard(AtomicUsize);

/// How many calls are under way, in several counters so that threads do not fight for one.
static CALLS: [Shard; 16] = [const { Shard(AtomicUsize::new(0)) }; 16];

/// A call that is under way.
pub(crate) struct CallGuard {
    shard: &'static Shard,
}

impl Drop for CallGuard {
    #[inline]
    fn drop(&mut self) {
        self.shard.0.fetch_sub(1, Ordering::Release);
    }
}

/// Begins a call; `None` when nothing may be done any more.
#[inline]
pub(crate) fn enter() -> Option<CallGuard> {
    // Threads have their own stacks: an address on this one tells them apart well enough.
    let here = 0u8;
    let place = (std::ptr::from_ref(&here).addr() >> 16).wrapping_mul(0x9e37_79b9) >> 12;
    let inside = CallGuard { shard: &CALLS[place % CALLS.len()] };
    // Before the look at the state, which `end` changes before it counts.
    inside.shard.0.fetch_add(1, Ordering::SeqCst);
    (life::life() == Life::Running).then_some(inside)
}

/// Returns what a function returns when nothing may be done any more.
#[cold]
pub(crate) fn refusal(name: &str) -> cl::cl_int {
    match name {
        name if name.starts_with("clRelease") || name.starts_with("clRetain") => cl::CL_SUCCESS,
        // The only one of its codes that fits (§4.1).
        "clGetPlatformIDs" | "clGetPlatformInfo" => cl::CL_OUT_OF_HOST_MEMORY,
        _ => cl::CL_OUT_OF_RESOURCES,
    }
}

/// Returns whether functions of the application may still be called.
pub(crate) fn may_call() -> bool {
    life::life() == Life::Running
}

/// Waits until no call is under way, but not after a deadline.
pub(crate) fn wait_for_calls(deadline: Instant) {
    while CALLS.iter().any(|shard| shard.0.load(Ordering::SeqCst) > 0) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_micros(200));
    }
}
