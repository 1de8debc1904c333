//! The end of the process: what Vulkan devices do is waited for, within bounds, and the devices are destroyed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};
use vk_runtime::sync::Mutex;

use vk_runtime::life;

use crate::abi::{process, trace};
use crate::device::{Runtime, checking};

/// How long the end of the process waits for the device.
const FOR_DEVICE: Duration = Duration::from_secs(1);
/// How long for one that is the CPU, whose driver may be in its compiler when it executes (llvmpipe).
const FOR_CPU: Duration = FOR_COMPILERS;
/// How long for a driver's compiler, which may not be pulled away under a thread.
const FOR_COMPILERS: Duration = Duration::from_secs(5);
/// How long for threads that are in a call, and for our own.
const FOR_THREADS: Duration = Duration::from_millis(500);

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
    process::wait_for_calls(deadline);
    trace::flush_at_end(FOR_THREADS);
    // The driver goes, too: nothing of it is destroyed from here on.
    std::mem::forget(runtimes);
    checking::end();
}
