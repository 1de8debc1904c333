//! What the scheduler needs of a device's stream. Tests have another one.

use std::sync::Arc;

use opencl_sys as cl;

use crate::device::Runtime;
use crate::error::ClError;

/// What runs when a value is reached, or will not be.
pub(super) type Then = Box<dyn FnOnce(Result<(), ClError>) + Send>;

/// A device's stream: commands in it run as if in order, and are done when their value is reached.
pub(crate) trait Stream: Send + Sync {
    /// Waits until a value is reached; submits what is needed.
    fn wait(&self, value: u64) -> Result<(), ClError>;
    /// Whether a value is reached; asking again and again comes to an end.
    fn is_done(&self, value: u64) -> Result<bool, ClError>;
    /// Runs `then` when a value is reached, never in this call; submits what is needed.
    fn on_complete(&self, value: u64, then: Then);
    /// Submits.
    fn flush(&self) -> Result<(), ClError>;
    /// Whether its device is gone. Once it is, every line's [`abandon`](super::Line::abandon) is called some time.
    fn is_lost(&self) -> bool;
}

/// The status of commands that a lost device or a failed submission ends.
pub(super) const LOST: ClError = ClError(cl::CL_OUT_OF_RESOURCES);

impl Stream for Runtime {
    fn wait(&self, value: u64) -> Result<(), ClError> {
        if self.stream.completed() >= value {
            return Ok(());
        }
        self.stream.wait(value).map_err(|_| LOST)
    }

    fn is_done(&self, value: u64) -> Result<bool, ClError> {
        if self.stream.completed() >= value {
            return Ok(true);
        }
        self.stream.is_done(value).map_err(|_| LOST)
    }

    fn on_complete(&self, value: u64, then: Then) {
        self.stream.on_complete(value, Box::new(move |result| then(result.map_err(|_| LOST))));
    }

    fn flush(&self) -> Result<(), ClError> {
        self.stream.flush().map(drop).map_err(|_| LOST)
    }

    fn is_lost(&self) -> bool {
        self.stream.lost().is_some()
    }
}

/// Whether two are the same.
pub(super) fn same(a: &Arc<dyn Stream>, b: &Arc<dyn Stream>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
}
