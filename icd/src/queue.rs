//! Command queues.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use opencl_sys as cl;

use crate::context::Context;
use crate::device::{Device, Runtime};
use crate::error::{ClResult, ensure};
use crate::handle::{self, Own, Raw, object};

/// A command queue.
pub(crate) struct Queue {
    own: Own<Queue>,
    pub(crate) context: Arc<Context>,
    pub(crate) device: Arc<Device>,
    pub(crate) runtime: Arc<Runtime>,
    /// CL_QUEUE_PROPERTIES.
    pub(crate) properties: cl::cl_command_queue_properties,
    /// CL_QUEUE_PROPERTIES_ARRAY, as given.
    pub(crate) array: Vec<cl::cl_queue_properties>,
    /// The last value of the stream that a command of this queue has.
    pub(crate) last: AtomicU64,
}
object!(Queue, cl::CL_INVALID_COMMAND_QUEUE);

impl Queue {
    /// Makes a queue and gives it to the application.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE for a device that the context does not have (§5.1).
    pub(crate) fn create(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl::cl_command_queue_properties,
        array: Vec<cl::cl_queue_properties>,
    ) -> ClResult<Raw> {
        ensure(context.has(&device), cl::CL_INVALID_DEVICE)?;
        let runtime = context.runtime(&device)?.clone();
        let own = Own::reserve()?;
        let last = AtomicU64::new(0);
        Ok(handle::publish(&Arc::new(Queue { own, context, device, runtime, properties, array, last })))
    }

    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }
}
