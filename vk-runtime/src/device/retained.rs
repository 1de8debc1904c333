//! Objects that batches of commands keep alive.

use std::any::Any;
use std::sync::atomic::AtomicU64;

/// An object that batches keep alive.
pub(crate) trait Retained: Any + Send + Sync {
    /// The value of the last batch of a stream that keeps it.
    fn kept_by(&self, stream: u32) -> &AtomicU64;
}
