//! Copies of host memory by several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::process::life::without_signals;

/// From so many bytes on several threads copy: what they take to start is small beside it.
pub(crate) const THREADED: usize = 4 << 20;

/// Bytes that a thread copies between looks at what is left.
const STRIP: usize = 1 << 20;

/// More threads copy no faster than memory and bus allow.
const THREADS: usize = 4;

/// Returns how many threads copy on this machine.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| (n.get() / 2).clamp(1, THREADS))
}

/// Runs the same work on several threads, of which this is one; what they give. If threads cannot be had, fewer do it.
pub(crate) fn side_by_side<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let start = |_| {
            let thread = std::thread::Builder::new().name("pumice copy".to_owned());
            thread.spawn_scoped(scope, &work).ok()
        };
        let others: Vec<_> = without_signals(|| (1..threads).filter_map(start).collect());
        let mut results = vec![work()];
        results.extend(others.into_iter().filter_map(|thread| thread.join().ok()));
        results
    })
}

/// The places of a copy, for several threads.
struct Places {
    from: *const u8,
    to: *mut u8,
}

// SAFETY: only `copy` uses it, whose caller lends the memory for as long as its threads run; each takes strips of its own.
unsafe impl Sync for Places {}

/// Copies memory, a large amount by several threads.
///
/// # Safety
/// As for [`std::ptr::copy_nonoverlapping`].
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, size: usize, threads: usize) {
    if size < THREADED || threads < 2 {
        // SAFETY: by the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from, to, size) };
        return;
    }
    let (places, next) = (Places { from, to }, AtomicUsize::new(0));
    let places = &places;
    side_by_side(threads, || {
        loop {
            let at = next.fetch_add(STRIP, Ordering::Relaxed);
            if at >= size {
                break;
            }
            // SAFETY: within the ranges, by the caller's promise; no other thread has this strip.
            unsafe {
                std::ptr::copy_nonoverlapping(places.from.add(at), places.to.add(at), STRIP.min(size - at));
            }
        }
    });
}
