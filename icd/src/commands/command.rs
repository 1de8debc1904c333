//! The trait of all commands.
//!
//! The result of a clEnqueue* function's checks is a [`Command`]: a value that holds all that it needs, and is recorded into its queue's stream when
//! its time comes. The host's part, then, if anything, is the work of [`Done::Then`].

use std::ops::Range;
use std::sync::Arc;

use scheduler::Done;
use vk_runtime::{Queue as Stream, Repeat};

use crate::abi::error::ClResult;
use crate::device::queue::Queue;

/// A command of a queue.
pub(crate) trait Command: Send + Sync + 'static {
    /// Records it in a stream. The result tells when it is complete.
    ///
    /// # Errors
    /// The error becomes the command's status.
    fn record(self, stream: &Stream) -> ClResult<Done>
    where
        Self: Sized;

    /// Returns whether it may use the shared memory at these addresses when it is recorded. A kernel with indirect access counts as using all
    /// of it (cl_intel_unified_shared_memory, "Freeing Unified Shared Memory Allocations").
    fn may_use(&self, memory: &Range<usize>) -> bool;

    /// Returns whether it may be recorded without a node when nobody asks for its event. Points tell when it is complete, or the caller of a map
    /// that is waited for does what is left.
    fn is_direct(&self) -> bool {
        false
    }

    /// Returns whether those behind it in a command buffer may be recorded only when the host has done its part.
    fn waits_for_host(&self) -> bool {
        false
    }

    /// Returns it for a command buffer, if that may have it.
    fn into_recordable(self) -> Option<Arc<dyn Recordable>>
    where
        Self: Sized,
    {
        None
    }
}

/// A command that a command buffer may have: it is recorded once more with each enqueue.
pub(crate) trait Recordable: Send + Sync + 'static {
    /// Records it once more, on a queue of the same device.
    ///
    /// # Errors
    /// As [`Command::record`].
    fn record_again(&self, queue: &Arc<Queue>, stream: &Stream) -> ClResult<Done>;

    /// As [`Command::may_use`].
    fn may_use(&self, memory: &Range<usize>) -> bool;

    /// As [`Command::waits_for_host`].
    fn waits_for_host(&self) -> bool;

    /// Returns whether it does nothing between launches, which are in order without it.
    fn is_marker(&self) -> bool {
        false
    }

    /// Returns a launch that is the same each time.
    ///
    /// # Errors
    /// Those of a launch.
    fn repeat(&self, _queue: &Arc<Queue>) -> ClResult<Option<Repeat>> {
        Ok(None)
    }
}

/// Implements [`Recordable`] for commands that are recorded again from a copy.
macro_rules! recordable {
    ($($type:ty),+) => {$(
        impl $crate::commands::command::Recordable for $type {
            fn record_again(
                &self,
                _queue: &std::sync::Arc<$crate::device::queue::Queue>,
                stream: &vk_runtime::Queue,
            ) -> $crate::abi::error::ClResult<scheduler::Done> {
                $crate::commands::command::Command::record(self.clone(), stream)
            }

            fn may_use(&self, memory: &std::ops::Range<usize>) -> bool {
                $crate::commands::command::Command::may_use(self, memory)
            }

            fn waits_for_host(&self) -> bool {
                $crate::commands::command::Command::waits_for_host(self)
            }
        }
    )+};
}
pub(crate) use recordable;

/// The command buffer that takes a command in place of a queue.
pub(crate) trait Recorder {
    /// Keeps a command.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if the command buffer was finalized meanwhile, CL_OUT_OF_RESOURCES when it is full.
    fn add(self: Box<Self>, command: Arc<dyn Recordable>) -> ClResult<()>;
}

/// Nothing: complete when what is before it in its stream is.
pub(crate) struct EmptyCommand;

impl Command for EmptyCommand {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        Ok(Done::Device(stream.barrier()?.into()))
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }
}

/// A marker or barrier (§5.12), or a command that has nothing to do: complete when what it waits for is.
pub(crate) struct Marker;

impl Command for Marker {
    fn record(self, _: &Stream) -> ClResult<Done> {
        // It has no part of its own in the stream.
        Ok(Done::Host)
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }

    fn is_direct(&self) -> bool {
        true
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

impl Recordable for Marker {
    fn record_again(&self, _: &Arc<Queue>, _: &Stream) -> ClResult<Done> {
        Ok(Done::Host)
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }

    fn waits_for_host(&self) -> bool {
        false
    }

    fn is_marker(&self) -> bool {
        true
    }
}
