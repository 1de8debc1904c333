//! Events.

use std::sync::Arc;

use opencl_sys as cl;

use crate::context::Context;
use crate::handle::{Own, Raw, object};
use crate::queue::Queue;

/// An event.
pub(crate) struct Event {
    pub(crate) own: Own<Event>,
    pub(crate) context: Arc<Context>,
    /// `None` for user events.
    pub(crate) queue: Option<Arc<Queue>>,
    pub(crate) command: cl::cl_command_type,
}
object!(Event, cl::CL_INVALID_EVENT);

impl Event {
    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }
}
