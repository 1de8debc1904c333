//! Events (§5.11): what the application holds of a node of the [`schedule`](crate::commands::request).

use std::sync::Arc;

use opencl_sys as cl;

use crate::abi::callbacks::{Callback, EventFunction, KeptAlive};
use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::abi::param_value::ParamValue;
use crate::device::context::Context;
use crate::device::gl::Gl;
use crate::device::gl::fences::Fence;
use crate::device::profiling::Times;
use crate::device::queue::Queue;
use scheduler::Node;

/// An event.
pub(crate) struct Event {
    own: Own<Event>,
    pub(crate) context: Arc<Context>,
    /// `None` for user events.
    pub(crate) queue: Option<Arc<Queue>>,
    /// CL_EVENT_COMMAND_TYPE.
    pub(crate) command: cl::cl_command_type,
    pub(crate) node: Arc<Node>,
    /// For queues with profiling.
    pub(crate) times: Option<Arc<Times>>,
}
object!(Event, cl::CL_INVALID_EVENT);

impl Event {
    /// A command's, before it is enqueued.
    pub(crate) fn command(
        queue: &Arc<Queue>,
        command: cl::cl_command_type,
        node: Arc<Node>,
    ) -> ClResult<Arc<Self>> {
        Ok(Arc::new(Event {
            own: Own::reserve()?,
            context: queue.context.clone(),
            queue: Some(queue.clone()),
            command,
            node,
            times: queue.is_profiled().then(|| Arc::new(Times::new())),
        }))
    }

    /// A command's that was recorded just now.
    pub(crate) fn recorded(
        own: Own<Event>,
        queue: Arc<Queue>,
        command: cl::cl_command_type,
        node: Arc<Node>,
        times: Option<Arc<Times>>,
    ) -> Arc<Self> {
        let context = queue.context.clone();
        Arc::new(Event { own, context, queue: Some(queue), command, node, times })
    }

    /// Makes a user event and gives it to the application.
    pub(crate) fn user(context: Arc<Context>) -> ClResult<Raw> {
        let (own, node) = (Own::reserve()?, Node::user());
        let event = Event { own, context, queue: None, command: cl::CL_COMMAND_USER, node, times: None };
        Ok(handle::publish(&Arc::new(event)))
    }

    /// Makes an event that is complete when a fence of OpenGL or EGL has been reached, and gives it to the application.
    pub(crate) fn of_fence(context: Arc<Context>, gl: &Arc<Gl>, fence: Fence) -> ClResult<Raw> {
        let (own, node) = (Own::reserve()?, Node::user());
        let command = match fence {
            Fence::Gl(_) => cl::CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR,
            Fence::Egl(_) => cl::cl_egl::CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR,
        };
        let reached = node.clone();
        let runtime = context.runtimes().first().cloned().ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
        gl.when_reached(
            fence,
            Box::new(move |result| {
                let status = result.map_or_else(|e| e.0, |()| cl::CL_COMPLETE);
                // The acquisition that waits for it may go on where it is told, and needs OpenGL's thread for that.
                let tell = move || {
                    if let Err(e) = reached.set(status) {
                        log::debug!("a fence was reached twice: {e:?}");
                    }
                };
                runtime.workers.give(Box::new(tell));
            }),
        );
        let event = Event { own, context, queue: None, command, node, times: None };
        Ok(handle::publish(&Arc::new(event)))
    }

    /// Returns whether it is the application's, which sets its status.
    pub(crate) fn is_user(&self) -> bool {
        self.command == cl::CL_COMMAND_USER
    }

    /// Returns whether it is a fence of OpenGL or EGL. Only acquisitions of their objects wait for it.
    pub(crate) fn is_fence(&self) -> bool {
        self.queue.is_none() && !self.is_user()
    }

    /// clSetUserEventStatus.
    ///
    /// # Errors
    /// CL_INVALID_EVENT for a command's event, CL_INVALID_VALUE for a status that is none, CL_INVALID_OPERATION the second
    /// time (§5.11).
    pub(crate) fn set(&self, status: cl::cl_int) -> ClResult<()> {
        ensure(self.is_user(), cl::CL_INVALID_EVENT)?;
        ensure(status <= cl::CL_COMPLETE, cl::CL_INVALID_VALUE)?;
        Ok(self.node.set(status)?)
    }

    /// clSetEventCallback. A status that is reached already is reported at once, by this thread: so do ROCm's, Intel's and Mesa's
    /// drivers. A status that is reached later is reported by a thread that does nothing else; the event lives until then. Both are
    /// allowed (§5.11: "may be called asynchronously").
    ///
    /// # Errors
    /// CL_INVALID_VALUE for a status that has no callbacks (§5.11).
    pub(crate) fn on(
        self: &Arc<Self>,
        status: cl::cl_int,
        notify: EventFunction,
        user: UserPointer,
    ) -> ClResult<()> {
        ensure(matches!(status, cl::CL_SUBMITTED | cl::CL_RUNNING | cl::CL_COMPLETE), cl::CL_INVALID_VALUE)?;
        let now = self.node.seen();
        if now <= status {
            let reported = if now < 0 { now } else { status };
            Callback::Event(notify, KeptAlive::new(self.clone()), reported, user).call_here();
            return Ok(());
        }
        let event = self.clone();
        self.node.on_status(
            status,
            Box::new(move |status| {
                let executor = event.context.executor.clone();
                executor.give(Callback::Event(notify, KeptAlive::new(event), status, user));
            }),
        );
        Ok(())
    }

    /// clGetEventInfo.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query.
    pub(crate) fn info(&self, param: cl::cl_event_info) -> ClResult<ParamValue> {
        Ok(match param {
            cl::CL_EVENT_COMMAND_QUEUE => {
                ParamValue::pointer(self.queue.as_ref().map_or(std::ptr::null_mut(), |q| q.raw()))
            }
            cl::CL_EVENT_CONTEXT => ParamValue::pointer(self.context.raw()),
            cl::CL_EVENT_COMMAND_TYPE => ParamValue::uint(self.command),
            cl::CL_EVENT_COMMAND_EXECUTION_STATUS => ParamValue::int(self.node.poll()),
            cl::CL_EVENT_REFERENCE_COUNT => ParamValue::uint(self.own.references()),
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }

    /// clGetEventProfilingInfo.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query, CL_PROFILING_INFO_NOT_AVAILABLE for user events, queues without profiling and
    /// commands that are not complete (§5.14).
    pub(crate) fn profiling(&self, param: cl::cl_profiling_info) -> ClResult<ParamValue> {
        ensure(
            (cl::CL_PROFILING_COMMAND_QUEUED..=cl::CL_PROFILING_COMMAND_COMPLETE).contains(&param),
            cl::CL_INVALID_VALUE,
        )?;
        let times = match &self.times {
            Some(times) if self.node.poll() == cl::CL_COMPLETE => times.profile(),
            _ => None,
        };
        let Some(times) = times else { return fail(cl::CL_PROFILING_INFO_NOT_AVAILABLE) };
        Ok(ParamValue::ulong(match param {
            cl::CL_PROFILING_COMMAND_QUEUED => times.queued,
            cl::CL_PROFILING_COMMAND_SUBMIT => times.submit,
            cl::CL_PROFILING_COMMAND_START => times.start,
            cl::CL_PROFILING_COMMAND_END => times.end,
            _ => times.complete,
        }))
    }
}

/// clWaitForEvents.
///
/// # Errors
/// CL_INVALID_CONTEXT for events of several contexts, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST when one failed (§5.11).
pub(crate) fn wait_for(events: &[Arc<Event>]) -> ClResult<()> {
    for (a, b) in events.iter().zip(events.iter().skip(1)) {
        a.context.same(&b.context)?;
    }
    if events.len() > 1 {
        // All are submitted before the first is waited for.
        for event in events {
            event.node.poll();
        }
    }
    let failed = events.iter().filter(|e| e.node.wait() < 0).count();
    ensure(failed == 0, cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
}
