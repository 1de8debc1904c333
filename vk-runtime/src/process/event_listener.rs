//! What takes time in the runtime, for who wants to show it.

use std::sync::OnceLock;

use crate::process::clock::host_time;

/// What it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A pipeline was made.
    Pipeline,
    /// Memory was allocated; how many bytes.
    Allocation(u64),
    /// A thread waited for the device.
    Wait,
    /// The device had a segment of commands, from its submission until it was seen to be done: the stream, the value at its end, how
    /// many commands.
    Segment {
        /// The stream.
        stream: u64,
        /// The value that it ended with.
        value: u64,
        /// How many commands it had.
        commands: u32,
    },
}

/// What happened, and when, in nanoseconds of [`host_time`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Happening {
    /// What it was.
    pub what: What,
    /// When it began.
    pub start: u64,
    /// When it was over.
    pub end: u64,
}

static OBSERVER: OnceLock<fn(&Happening)> = OnceLock::new();

/// From now on `observer` is called for whatever happens, on the thread that noticed, perhaps with a lock of the runtime
/// held: it may not call the runtime. Only the first one counts.
pub fn observe(observer: fn(&Happening)) {
    // A second one is as good as none.
    let _ = OBSERVER.set(observer);
}

/// Returns whether anybody observes.
pub(crate) fn is_observed() -> bool {
    OBSERVER.get().is_some()
}

/// The time now, for a happening's start; 0 when nobody observes.
pub(crate) fn start() -> u64 {
    if is_observed() { host_time() } else { 0 }
}

/// Something is over that began at `start`.
pub(crate) fn over(what: What, start: u64) {
    if let Some(observer) = OBSERVER.get() {
        observer(&Happening { what, start, end: host_time() });
    }
}
