//! Clocks, in nanoseconds.

/// The time that passes.
pub fn wall() -> f64 {
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// The time that this thread was running.
pub fn cpu() -> f64 {
    nanoseconds(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The time that all threads of this process were running: on a CPU driver what the work costs, whatever else the machine does.
pub fn process() -> f64 {
    nanoseconds(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn nanoseconds(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the time; the clocks exist.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
