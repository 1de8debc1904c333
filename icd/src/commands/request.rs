//! When a command is handed to the device.
//!
//! | module | what it is |
//! |---|---|
//! | [`host_work`] | what the host does for a command |
//! | [`stream`] | a device's streams, as the scheduler asks for them |
//! | [`times`] | profiling |
//! | [`workers`] | the threads that do the host's heavy work and call the application |

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{DeviceTime, Points};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::handle;
use crate::abi::trace;
use crate::commands::command::{Command, Marker, Recorder};
use crate::device::Runtime;
use crate::device::event::Event;
use crate::device::queue::Queue;

use scheduler::{Done, Node, Order, Relies, Work};

/// The arguments of a clEnqueue* call besides its command.
pub(crate) struct Request<'a> {
    pub(crate) command: cl::cl_command_type,
    /// The wait list.
    pub(crate) waits: Vec<Arc<Event>>,
    /// True if the call returns when the command is complete.
    pub(crate) blocking: bool,
    /// The place for the event.
    pub(crate) event: Option<&'a mut cl::cl_event>,
    /// Its name in a trace, if its type does not say enough.
    pub(crate) label: Option<String>,
    /// It is not enqueued, but goes into a command buffer.
    pub(crate) recording: Option<Box<dyn Recorder + 'a>>,
}

impl<'a> Request<'a> {
    /// Checks and reads what all clEnqueue* functions have at their end.
    ///
    /// # Safety
    /// `list` is NULL or has `count` elements; `event` is NULL or may be written to for `'a`.
    ///
    /// # Errors
    /// CL_INVALID_EVENT_WAIT_LIST and CL_INVALID_CONTEXT as every clEnqueue* function has them (§5.2.2 and others). CL_INVALID_EVENT for a fence of OpenGL or
    /// EGL that something else than an acquisition of their objects is to wait for.
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
            ensure(!wait.is_fence() || acquires(command), cl::CL_INVALID_EVENT)?;
        }
        // A misplaced pointer is nothing that C could have made without undefined behaviour.
        ensure(event.is_aligned(), cl::CL_INVALID_VALUE)?;
        // SAFETY: by the caller's promise; aligned.
        let event = unsafe { event.as_mut() };
        Ok(Request { command, waits, blocking, event, label: None, recording: None })
    }

    /// Refuses a wait list with an event that failed, where a command does so when it is enqueued (cl_khr_semaphore).
    ///
    /// # Errors
    /// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.
    pub(crate) fn without_failed_waits(self) -> ClResult<Self> {
        let failed = self.waits.iter().any(|event| event.node.status() < 0);
        ensure(!failed, cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)?;
        Ok(self)
    }
}

impl Queue {
    /// Enqueues a command: it is recorded when everything that it waits for is recorded in one of this device's streams or
    /// complete: at once, or later on another thread.
    ///
    /// # Errors
    /// What its recording gives when that is at once (later its error becomes the event's status); for blocking commands
    /// their outcome, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST where what they wait for failed.
    pub(crate) fn enqueue(self: &Arc<Self>, mut request: Request<'_>, command: impl Command) -> ClResult<()> {
        if let Some(recording) = request.recording.take() {
            let command = command.into_recordable().ok_or(ClError(cl::CL_INVALID_OPERATION))?;
            return recording.add(command);
        }
        let direct = request.event.is_none()
            && (may_be_direct(request.command) || command.is_direct())
            && !command.waits_for_host()
            && self.commands.admits(request.waits.iter().map(|e| &e.node))
            && !request.waits.iter().any(|e| e.node.is_dropped())
            && (!request.blocking || self.commands.is_clear());
        if direct {
            return self.enqueue_directly(request, command);
        }
        self.enqueue_node(request, (Order::Plain, false), &[], command).map(drop)
    }

    /// The same for a command that also waits for these, and whose node the caller wants.
    ///
    /// # Errors
    /// As [`enqueue`](Self::enqueue).
    pub(crate) fn enqueue_after(
        self: &Arc<Self>,
        request: Request<'_>,
        after: &[Arc<Node>],
        command: impl Command,
    ) -> ClResult<Arc<Node>> {
        self.enqueue_node(request, (Order::Plain, false), after, command)
    }

    /// Returns whether a transfer that the host makes at the enqueue needs no command: nobody asks for its event, it waits for nothing, and
    /// nothing before it in the queue is held. Contexts of several devices have more to see to.
    pub(crate) fn takes_at_once(&self, request: &Request<'_>) -> bool {
        request.event.is_none()
            && request.recording.is_none()
            && request.waits.is_empty()
            && self.context.runtimes().len() == 1
            && self.commands.takes_at_once(request.blocking)
            && !trace::is_on()
    }

    /// Waits for what is before a blocking call in its queue, which the call has to wait for in any case: it may be made at once then. Whether
    /// that was done.
    ///
    /// # Errors
    /// The device is lost.
    pub(crate) fn settles(&self, blocking: bool) -> ClResult<bool> {
        let settles = blocking && self.commands.is_in_order();
        if settles {
            self.commands.wait_for_points(&self.commands.last())?;
        }
        Ok(settles)
    }

    /// After such a transfer. A blocking call returns when all before it in the queue is complete, too, as it does otherwise.
    ///
    /// # Errors
    /// The device is lost.
    pub(crate) fn after_at_once(&self, blocking: bool) -> ClResult<()> {
        if blocking && self.commands.is_in_order() {
            self.commands.wait_for_points(&self.commands.last())?;
        }
        if blocking { Ok(self.commands.outcome()?) } else { Ok(()) }
    }

    /// Enqueues one command that is several, each of which waits for the one before, the host's part included.
    ///
    /// # Errors
    /// As [`enqueue`](Self::enqueue).
    pub(crate) fn enqueue_chain(
        self: &Arc<Self>,
        request: Request<'_>,
        commands: impl ExactSizeIterator<Item = impl Command>,
    ) -> ClResult<()> {
        let Request { command, waits, event: place, .. } = request;
        let count = commands.len();
        let observed = place.is_some();
        let nodes = (1..=count).map(|n| match observed && n == count {
            true => Node::observed(&self.commands, false),
            false => Node::command(&self.commands, false),
        });
        let nodes: Vec<_> = nodes.collect();
        let event = match (&place, nodes.last()) {
            (Some(_), Some(last)) => Some(Event::command(self, command, last.clone())?),
            _ => None,
        };
        let mut before: Vec<Arc<Node>> = waits.iter().map(|e| e.node.clone()).collect();
        for (node, what) in nodes.iter().zip(commands) {
            let (runtime, shown) = (self.runtime.clone(), TracedCommand::for_command(self, command, None));
            let held =
                BlockedCommand { command: what, runtime, shown, event: event.clone(), _waits: waits.clone() };
            node.enqueue(before.iter(), Order::Plain, false, Box::new(held))?;
            before = vec![node.clone()];
        }
        if let (Some(event), Some(place)) = (&event, place) {
            *place = handle::publish(event);
        }
        Ok(())
    }

    /// Enqueues a marker (§5.12), which is complete when its wait list is, or everything before it where that is empty.
    /// `barrier`: later commands wait for it.
    ///
    /// # Errors
    /// As [`enqueue`](Self::enqueue).
    pub(crate) fn enqueue_marker(self: &Arc<Self>, request: Request<'_>, barrier: bool) -> ClResult<()> {
        let order = if request.waits.is_empty() { Order::All } else { Order::Plain };
        self.enqueue_node(request, (order, barrier), &[], Marker).map(drop)
    }

    /// Without a node: what comes later is behind it in the stream, and nobody asks for its status.
    fn enqueue_directly(self: &Arc<Self>, request: Request<'_>, command: impl Command) -> ClResult<()> {
        let blocking = request.blocking;
        // What other threads do to memory while it is being mapped is undefined: there is nobody who must see it being fetched.
        let mapped = request.command == cl::CL_COMMAND_SVM_MAP;
        let shown = TracedCommand::for_command(self, request.command, request.label);
        let mut waits = Points::none();
        request.waits.iter().for_each(|e| waits.merge(&e.node.points()));
        let mut relies = Relies::new();
        request.waits.iter().for_each(|e| e.node.relied_on(&mut relies));
        let place = self.commands.choose_stream(&waits)?;
        let done = record_shown(self.runtime.stream(place.stream), shown, command)?;
        match &done {
            Done::Device(points) | Done::Then { points, .. } => {
                if points.value_in(place.stream) == 0 {
                    // Nothing in the stream says that what comes later waits for them, too.
                    self.commands.note(&waits);
                }
                self.commands.note(points);
            }
            Done::Host => self.commands.note(&waits),
        }
        relies.into_iter().for_each(|point| self.commands.rely(point));
        drop(place);
        match done {
            Done::Host if blocking => self.commands.wait_for_points(&self.commands.last().and(&waits))?,
            Done::Host => {}
            Done::Device(points) => {
                if blocking {
                    self.commands.wait(&points)?;
                }
            }
            Done::Then { points, work, holds } if blocking && (!holds || mapped) => {
                self.commands.wait(&points)?;
                work.run()?;
            }
            Done::Then { points, work, holds } => {
                let node = Node::command(&self.commands, blocking);
                let done = Done::Then { points, work, holds };
                node.enqueue(std::iter::empty(), Order::Plain, false, Box::new(Recorded(done)))?;
                if blocking {
                    outcome(node.wait())?;
                }
            }
        }
        if blocking { Ok(self.commands.outcome()?) } else { Ok(()) }
    }

    fn enqueue_node(
        self: &Arc<Self>,
        request: Request<'_>,
        (order, barrier): (Order, bool),
        after: &[Arc<Node>],
        what: impl Command,
    ) -> ClResult<Arc<Node>> {
        let Request { command, waits, blocking, event: place, label, .. } = request;
        let node = match place {
            Some(_) => Node::observed(&self.commands, blocking),
            None => Node::command(&self.commands, blocking),
        };
        let event = match place {
            Some(_) => Some(Event::command(self, command, node.clone())?),
            None => None,
        };
        let nodes: SmallVec<[Arc<Node>; 4]> =
            waits.iter().map(|e| e.node.clone()).chain(after.iter().cloned()).collect();
        let (runtime, shown) = (self.runtime.clone(), TracedCommand::for_command(self, command, label));
        let held = BlockedCommand { command: what, runtime, shown, event: event.clone(), _waits: waits };
        node.enqueue(nodes.iter(), order, barrier, Box::new(held))?;
        if blocking {
            outcome(node.wait())?;
        }
        if let (Some(event), Some(place)) = (&event, place) {
            *place = handle::publish(event);
        }
        Ok(node)
    }
}

/// A command that waits to be recorded.
struct BlockedCommand<C> {
    command: C,
    runtime: Arc<Runtime>,
    shown: Option<TracedCommand>,
    /// Until it is recorded the command holds references to the events, its own among them (§5.11).
    event: Option<Arc<Event>>,
    _waits: Vec<Arc<Event>>,
}

impl<C: Command> Work for BlockedCommand<C> {
    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.command.may_use(memory)
    }

    fn record(self: Box<Self>, stream: u32) -> scheduler::Result<Done> {
        let BlockedCommand { command, runtime, shown, event, _waits } = *self;
        let stream = runtime.stream(stream);
        let Some(times) = event.as_ref().and_then(|e| e.times.clone()) else {
            return Ok(record_shown(stream, shown, command)?);
        };
        let done = times.clone().record(stream, |timed| command.record(timed));
        if let (Some(shown), Some(times)) = (shown, times.by_device()) {
            shown.note(times);
        }
        Ok(done?)
    }
}

/// One that is recorded already.
struct Recorded(Done);

impl Work for Recorded {
    // It is about to have host work, which is waited for, whatever it is.
    fn may_use(&self, _: &Range<usize>) -> bool {
        true
    }

    fn record(self: Box<Self>, _: u32) -> scheduler::Result<Done> {
        Ok(self.0)
    }
}

/// A command that the trace shows.
struct TracedCommand {
    queue: u64,
    name: Cow<'static, str>,
    queued: u64,
}

impl TracedCommand {
    /// A command that is being enqueued, where there is a trace.
    fn for_command(queue: &Queue, command: cl::cl_command_type, label: Option<String>) -> Option<Self> {
        trace::is_on().then(|| TracedCommand {
            queue: queue.raw().addr() as u64,
            name: label.map_or(Cow::Borrowed(command_name(command)), Cow::Owned),
            queued: trace::now(),
        })
    }

    /// It has been recorded between these.
    fn note(self, times: (DeviceTime, DeviceTime)) {
        trace::command(self.queue, self.name, self.queued, times);
    }
}

/// Records a command: between two timestamps, which nothing waits for, where the trace shows it.
fn record_shown(
    stream: &vk_runtime::Queue,
    shown: Option<TracedCommand>,
    command: impl Command,
) -> ClResult<Done> {
    let Some(shown) = shown else { return command.record(stream) };
    let (timed, span) = stream.timed();
    let done = command.record(&timed)?;
    if let Some(times) = span.times() {
        shown.note(times);
    }
    Ok(done)
}

/// Returns whether commands of a type acquire objects of OpenGL or EGL.
fn acquires(command: cl::cl_command_type) -> bool {
    matches!(command, cl::CL_COMMAND_ACQUIRE_GL_OBJECTS | cl::cl_egl::CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR)
}

/// Returns what a type of command is called in a trace.
fn command_name(command: cl::cl_command_type) -> &'static str {
    match command {
        cl::CL_COMMAND_NDRANGE_KERNEL | cl::CL_COMMAND_TASK => "kernel",
        cl::CL_COMMAND_READ_BUFFER | cl::CL_COMMAND_READ_BUFFER_RECT | cl::CL_COMMAND_READ_IMAGE => "read",
        cl::CL_COMMAND_WRITE_BUFFER | cl::CL_COMMAND_WRITE_BUFFER_RECT | cl::CL_COMMAND_WRITE_IMAGE => {
            "write"
        }
        cl::CL_COMMAND_COPY_BUFFER
        | cl::CL_COMMAND_COPY_BUFFER_RECT
        | cl::CL_COMMAND_COPY_IMAGE
        | cl::CL_COMMAND_COPY_IMAGE_TO_BUFFER
        | cl::CL_COMMAND_COPY_BUFFER_TO_IMAGE
        | cl::CL_COMMAND_SVM_MEMCPY
        | cl::CL_COMMAND_MEMCPY_INTEL => "copy",
        cl::CL_COMMAND_FILL_BUFFER
        | cl::CL_COMMAND_FILL_IMAGE
        | cl::CL_COMMAND_SVM_MEMFILL
        | cl::CL_COMMAND_MEMFILL_INTEL => "fill",
        cl::CL_COMMAND_MAP_BUFFER | cl::CL_COMMAND_MAP_IMAGE | cl::CL_COMMAND_SVM_MAP => "map",
        cl::CL_COMMAND_UNMAP_MEM_OBJECT | cl::CL_COMMAND_SVM_UNMAP => "unmap",
        cl::CL_COMMAND_MIGRATE_MEM_OBJECTS | cl::CL_COMMAND_SVM_MIGRATE_MEM => "migrate",
        cl::CL_COMMAND_SVM_FREE => "free",
        cl::CL_COMMAND_SEMAPHORE_SIGNAL_KHR => "signal",
        cl::CL_COMMAND_SEMAPHORE_WAIT_KHR => "wait",
        cl::CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR
        | cl::CL_COMMAND_ACQUIRE_GL_OBJECTS
        | cl::cl_egl::CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR => "acquire",
        cl::CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR
        | cl::CL_COMMAND_RELEASE_GL_OBJECTS
        | cl::cl_egl::CL_COMMAND_RELEASE_EGL_OBJECTS_KHR => "release",
        cl::CL_COMMAND_MARKER | cl::CL_COMMAND_BARRIER => "marker",
        cl::CL_COMMAND_COMMAND_BUFFER_KHR => "command buffer",
        _ => "command",
    }
}

/// Returns whether commands of a type may be recorded without a node when nobody asks for their event. Not those which may hold
/// others for host work: these others must see them from the moment of recording. [Some](Command::is_direct) are known by their kinds.
fn may_be_direct(command: cl::cl_command_type) -> bool {
    matches!(
        command,
        cl::CL_COMMAND_NDRANGE_KERNEL
            | cl::CL_COMMAND_TASK
            | cl::CL_COMMAND_COPY_BUFFER
            | cl::CL_COMMAND_COPY_BUFFER_RECT
            | cl::CL_COMMAND_FILL_BUFFER
            | cl::CL_COMMAND_COPY_IMAGE
            | cl::CL_COMMAND_COPY_IMAGE_TO_BUFFER
            | cl::CL_COMMAND_COPY_BUFFER_TO_IMAGE
            | cl::CL_COMMAND_FILL_IMAGE
    )
}

/// Returns the result of a blocking command for a status.
fn outcome(status: cl::cl_int) -> ClResult<()> {
    if status < 0 { Err(ClError(status)) } else { Ok(()) }
}
