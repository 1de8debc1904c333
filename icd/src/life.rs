//! The end of the process, and children by fork, as the API sees them.
//!
//! Programs release their objects in destructors of static objects and in exit handlers, which run before ours or after; threads
//! of theirs may be in any call meanwhile. Once ours has run, no call does anything any more: releases and retains
//! succeed, everything else fails with a code that the specification has for it. A child by fork finds the same. Objects are
//! left to the system, and no callback of the application comes any more.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};
use vk_runtime::sync::Mutex;

use opencl_sys as cl;
use vk_runtime::life::{self, Life};

use crate::device::Runtime;

/// How long the end of the process waits for the device.
const FOR_DEVICE: Duration = Duration::from_secs(1);
/// How long for one that is the CPU, whose driver may be in its compiler when it executes (llvmpipe).
const FOR_CPU: Duration = FOR_COMPILERS;
/// How long for a driver's compiler, which may not be pulled away under a thread.
const FOR_COMPILERS: Duration = Duration::from_secs(5);
/// How long for threads that are in a call, and for our own.
const FOR_THREADS: Duration = Duration::from_millis(500);

/// A counter alone in its cache line.
#[repr(align(64))]
struct Shard(AtomicUsize);

/// How many calls are under way, in several counters so that threads do not fight for one.
static CALLS: [Shard; 16] = [const { Shard(AtomicUsize::new(0)) }; 16];

/// A call that is under way.
pub(crate) struct Inside {
    shard: &'static Shard,
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        self.shard.0.fetch_sub(1, Ordering::Release);
    }
}

/// Begins a call; `None` when nothing may be done any more.
#[inline]
pub(crate) fn enter() -> Option<Inside> {
    // Threads have their own stacks: an address on this one tells them apart well enough.
    let here = 0u8;
    let place = (std::ptr::from_ref(&here).addr() >> 16).wrapping_mul(0x9e37_79b9) >> 12;
    let inside = Inside { shard: &CALLS[place % CALLS.len()] };
    // Before the look at the state, which `end` changes before it counts.
    inside.shard.0.fetch_add(1, Ordering::SeqCst);
    (life::life() == Life::Running).then_some(inside)
}

/// What a function returns when nothing may be done any more.
#[cold]
pub(crate) fn refusal(name: &str) -> cl::cl_int {
    match name {
        name if name.starts_with("clRelease") || name.starts_with("clRetain") => cl::CL_SUCCESS,
        // The only one of its codes that fits (§4.1).
        "clGetPlatformIDs" | "clGetPlatformInfo" => cl::CL_OUT_OF_HOST_MEMORY,
        _ => cl::CL_OUT_OF_RESOURCES,
    }
}

/// Whether functions of the application may still be called.
pub(crate) fn may_call() -> bool {
    life::life() == Life::Running
}

/// The Vulkan devices there are.
static RUNTIMES: Mutex<Vec<Weak<Runtime>>> = Mutex::new(Vec::new());

/// From now on the end of the process takes care of a Vulkan device.
pub(crate) fn register(runtime: &Arc<Runtime>) {
    let mut runtimes = RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner);
    runtimes.retain(|r| r.strong_count() > 0);
    runtimes.push(Arc::downgrade(runtime));
}

/// From now on the end of the process is noticed. To be called after the instance was made.
pub(crate) fn watch() {
    life::watch(life::Hooks { settle, end });
}

/// The device had its time, and was not done.
static HAD_ITS_TIME: AtomicBool = AtomicBool::new(false);

fn for_device(runtime: &Runtime) -> Duration {
    match HAD_ITS_TIME.load(Ordering::Relaxed) {
        true => Duration::ZERO,
        false if runtime.target.features.is_cpu => FOR_CPU,
        false => FOR_DEVICE,
    }
}

/// The process is about to end: waits, within bounds, for what drivers do, while everything works still. Handlers of the application come
/// between this and [`end`].
fn settle() {
    // As in `end`.
    let runtimes: Vec<Arc<Runtime>> = match RUNTIMES.try_lock() {
        Ok(runtimes) => runtimes.iter().filter_map(Weak::upgrade).collect(),
        Err(_) => return,
    };
    let start = Instant::now();
    for runtime in &runtimes {
        if !runtime.stream.settle(start + for_device(runtime)) {
            HAD_ITS_TIME.store(true, Ordering::Relaxed);
        }
    }
    if !HAD_ITS_TIME.load(Ordering::Relaxed)
        && !runtimes.is_empty()
        && !life::wait_for_present_compilers(FOR_COMPILERS)
    {
        HAD_ITS_TIME.store(true, Ordering::Relaxed);
    }
}

/// The process ends: waits for what is under way, within bounds, and takes the library down.
fn end() {
    let runtimes: Vec<Arc<Runtime>> = match RUNTIMES.try_lock() {
        Ok(runtimes) => runtimes.iter().filter_map(Weak::upgrade).collect(),
        Err(TryLockError::Poisoned(runtimes)) => {
            runtimes.into_inner().iter().filter_map(Weak::upgrade).collect()
        }
        // By this very thread, in a signal's handler, or another one that makes a device just now.
        Err(TryLockError::WouldBlock) => Vec::new(),
    };
    let start = Instant::now();
    for runtime in &runtimes {
        runtime.stream.retire(start + for_device(runtime));
    }
    if life::wait_for_compilers(FOR_COMPILERS) {
        for runtime in &runtimes {
            if let Err(e) = runtime.device.save_pipeline_cache() {
                log::info!("{e}");
            }
        }
    }
    let deadline = Instant::now() + FOR_THREADS;
    life::wait_for_threads(FOR_THREADS);
    while CALLS.iter().any(|shard| shard.0.load(Ordering::SeqCst) > 0) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_micros(200));
    }
    crate::trace::flush_at_end(FOR_THREADS);
    // The driver goes, too: nothing of it is destroyed from here on.
    std::mem::forget(runtimes);
}
