//! When a command is handed to the device.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use opencl_sys as cl;

use crate::error::{ClError, ClResult, ensure};
use crate::event::Event;
use crate::handle::{self, Own};
use crate::queue::Queue;

/// What a clEnqueue* call says besides its command.
pub(crate) struct Request<'a> {
    pub(crate) command: cl::cl_command_type,
    /// The wait list.
    pub(crate) waits: Vec<Arc<Event>>,
    /// Whether the call returns when the command is complete.
    pub(crate) blocking: bool,
    /// Where to return the event.
    pub(crate) event: Option<&'a mut cl::cl_event>,
}

/// What the host does when the device has done its part.
pub(crate) type HostWork = Box<dyn FnOnce() -> ClResult<()> + Send>;

/// When a recorded command is complete.
pub(crate) enum Done {
    /// It is already.
    Host,
    /// When the stream reaches this value.
    Device(u64),
    /// When the stream has reached the value and then the host's work is done.
    Then {
        value: u64,
        work: HostWork,
        /// Whether commands that wait for this one may be recorded only after the host's work. Otherwise they are
        /// recorded behind it, and only complete after it.
        holds: bool,
    },
}

impl<'a> Request<'a> {
    /// Checks and reads what all clEnqueue* functions have at their end.
    ///
    /// # Safety
    /// `list` is NULL or has `count` elements; `event` is NULL or may be written to for `'a`.
    ///
    /// # Errors
    /// CL_INVALID_EVENT_WAIT_LIST and CL_INVALID_CONTEXT as every clEnqueue* function has them (§5.2.2 and others).
    pub(crate) unsafe fn new(
        queue: &Queue,
        command: cl::cl_command_type,
        blocking: bool,
        count: cl::cl_uint,
        list: *const cl::cl_event,
        event: *mut cl::cl_event,
    ) -> ClResult<Self> {
        ensure((count == 0) == list.is_null(), cl::CL_INVALID_EVENT_WAIT_LIST)?;
        // SAFETY: by the caller's promise.
        let waits = unsafe { handle::get_all::<Event>(count, list) }
            .map_err(|_| ClError(cl::CL_INVALID_EVENT_WAIT_LIST))?;
        for wait in &waits {
            queue.context.same(&wait.context)?;
        }
        // A misplaced pointer is nothing that C could have made without undefined behaviour.
        ensure(event.is_aligned(), cl::CL_INVALID_VALUE)?;
        // SAFETY: by the caller's promise; aligned.
        Ok(Request { command, waits, blocking, event: unsafe { event.as_mut() } })
    }
}

impl Queue {
    /// Enqueues a command: `record` is called when everything that it waits for is recorded in this device's stream or
    /// complete: at once, or later on another thread.
    ///
    /// # Errors
    /// What `record` gives when it is called at once (later its error becomes the event's status); for blocking commands
    /// their outcome.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        request: Request<'_>,
        record: impl FnOnce(&vk_runtime::Queue) -> ClResult<Done> + Send + 'static,
    ) -> ClResult<()> {
        let stream = &self.runtime.stream;
        let event = match &request.event {
            Some(_) => Some(Arc::new(Event {
                own: Own::reserve()?,
                context: self.context.clone(),
                queue: Some(self.clone()),
                command: request.command,
            })),
            None => None,
        };
        match record(stream)? {
            Done::Host => {}
            Done::Device(value) => {
                self.last.fetch_max(value, Ordering::Relaxed);
                if request.blocking {
                    stream.wait(value)?;
                }
            }
            Done::Then { value, work, .. } => {
                self.last.fetch_max(value, Ordering::Relaxed);
                stream.wait(value)?;
                work()?;
            }
        }
        if let (Some(event), Some(place)) = (&event, request.event) {
            *place = handle::publish(event);
        }
        Ok(())
    }
}
