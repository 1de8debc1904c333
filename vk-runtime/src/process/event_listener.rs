//! Activities of the runtime that take time, reported to a listener that shows them.

use std::sync::OnceLock;

use crate::process::clock::host_time;

/// An activity that takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
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

/// An activity with its begin and end, in nanoseconds of [`host_time`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedEvent {
    /// The activity.
    pub activity: Activity,
    /// When it began.
    pub start: u64,
    /// When it was over.
    pub end: u64,
}

static LISTENER: OnceLock<fn(&TimedEvent)> = OnceLock::new();

/// Sets the function that is called for each activity, on the thread that noticed its end, perhaps with a lock of the runtime held: it may not call
/// the runtime. Only the first one counts.
pub fn set_listener(listener: fn(&TimedEvent)) {
    // A second one is as good as none.
    let _ = LISTENER.set(listener);
}

/// Returns whether there is a listener.
pub(crate) fn has_listener() -> bool {
    LISTENER.get().is_some()
}

/// The time now, for the begin of an activity; 0 without a listener.
pub(crate) fn start() -> u64 {
    if has_listener() { host_time() } else { 0 }
}

/// Reports the end of an activity that began at `start`.
pub(crate) fn report(activity: Activity, start: u64) {
    if let Some(listener) = LISTENER.get() {
        listener(&TimedEvent { activity, start, end: host_time() });
    }
}
