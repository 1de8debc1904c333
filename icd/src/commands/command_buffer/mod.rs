//! Command buffers (cl_khr_command_buffer 0.9.8; API, "Command-Buffers"): commands that are recorded once and enqueued again and again.
//!
//! A clCommand* function checks what its clEnqueue* twin checks, by the same code, which makes the same [`Command`]; its [`Request`] says that
//! the command is not enqueued but kept here, with all that it needs: arguments as they were, references to buffers and images. To enqueue
//! a command buffer is one command, which records the others, one after the other, into the queue's stream: it has one event, one place in
//! the queue, one start and end.
//!
//! Commands of a stream run as if in order, side by side where they touch different memory. A sync point can only be an earlier command's:
//! wait lists, barriers and the order of an in-order queue hold by themselves.
//!
//! Work that only the host can do (copies to and from memory that is the application's alone, where devices reach that) ends a *segment*: what is
//! behind it is recorded when the host is done. Each segment is a command of its own then, which waits for the one before. What other threads
//! enqueue meanwhile may come between two segments.
//!
//! Several launches in a row that are the same each time are recorded once for a queue, into a Vulkan command buffer that is submitted as it is
//! ([`Sequence`]), fewer from what they were found to be made of ([`Repeat`]); everything else is recorded again. Launches can be changed ([`mutable`]): what was enqueued before keeps the old ones, so one
//! command buffer may be under way several times.

mod mutable;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;
use vk_runtime::{Points, Queue as Stream, Repeat, Sequence};

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::handle;
use crate::abi::handle::{Mark, Own, Raw, object};
use crate::abi::param_value::ParamValue;
use crate::commands::command::{Command, Marker, Recordable, Recorder};
use crate::commands::launch::Launch;
use crate::commands::request::Request;
use crate::device::queue::Queue;
use crate::kernel::Kernel;
use crate::kernel::dimensions::Dimensions;
use scheduler::{Done, HostWork};

pub(crate) use mutable::{Dispatch, FIELDS, MutableCommand};

/// Changes of launches: the last of each is what it becomes.
pub(crate) type Changes = Vec<(Arc<MutableCommand>, Dispatch)>;

/// A command buffer.
pub(crate) struct CommandBuffer {
    own: Own<CommandBuffer>,
    /// The one that it was made for.
    pub(crate) queue: Arc<Queue>,
    /// CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, as given.
    properties: Vec<cl::cl_command_buffer_properties_khr>,
    /// CL_COMMAND_BUFFER_FLAGS_KHR.
    flags: cl::cl_command_buffer_flags_khr,
    /// The application promises that launches get no more work-groups: it gives their size.
    promises: bool,
    state: Mutex<State>,
    /// The commands that have handles.
    handles: Mutex<Vec<Arc<MutableCommand>>>,
}
object!(CommandBuffer, cl::CL_INVALID_COMMAND_BUFFER_KHR);

enum State {
    Recording(Commands),
    Finalized(Arc<Recorded>),
}

#[derive(Clone, Default)]
struct Commands {
    list: Vec<Arc<dyn Recordable>>,
    /// The places of launches that lack arguments.
    missing: BTreeSet<usize>,
}

/// The commands of a finalized one.
struct Recorded {
    commands: Commands,
    /// The ranges of commands that are recorded at once.
    segments: Vec<Range<usize>>,
    /// The steps for the queues that it was enqueued on last.
    steps: Mutex<Known>,
    /// It was changed, and not enqueued since. Launches that change each time are not recorded ahead.
    changed: AtomicBool,
}

/// Steps, by the queue that they are for.
type Known = Vec<(Mark<Queue>, Arc<[Step]>)>;

/// Commands that are handed on at once, by their places.
struct Step {
    range: Range<usize>,
    again: Replays,
}

/// How commands are handed on.
enum Replays {
    /// Recorded as if for the first time.
    Anew,
    /// A launch that is the same each time.
    Launch(Box<Repeat>),
    /// Launches that were recorded.
    Sequence(Sequence),
}

impl Step {
    /// One command by itself.
    fn one(place: usize) -> Self {
        Step { range: place..place + 1, again: Replays::Anew }
    }
}

/// From so many launches in a row on, a command buffer of their own costs less than to record them.
const LAUNCHES: usize = 4;
/// The steps for so many queues are kept.
const QUEUES: usize = 4;

/// That a command goes into a command buffer.
pub(crate) struct Recording<'a> {
    buffer: Arc<CommandBuffer>,
    /// The place for the sync point.
    point: Option<&'a mut cl::cl_sync_point_khr>,
}

/// The further arguments of a recorded launch.
pub(crate) struct Extras<'a> {
    /// As given.
    pub(crate) properties: Vec<cl::cl_command_properties_khr>,
    /// The place for its handle.
    pub(crate) handle: Option<&'a mut cl::cl_mutable_command_khr>,
}

/// Properties of command buffers, and of launches, with their bits.
pub(crate) const OF_BUFFERS: [(u64, u64); 2] = [
    (cl::CL_COMMAND_BUFFER_FLAGS_KHR, FLAGS | cl::CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR),
    (BUFFER_ASSERTS, ASSERTS),
];
pub(crate) const OF_LAUNCHES: [(u64, u64); 2] =
    [(cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, FIELDS), (cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR, ASSERTS)];
/// CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, for which opencl-sys 0.6.5 has another number than the registry (cl.xml).
const BUFFER_ASSERTS: u64 = 0x12b7;
/// The flags that there are; the other one is for several queues.
const FLAGS: u64 = cl::CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | cl::CL_COMMAND_BUFFER_MUTABLE_KHR;
const ASSERTS: u64 = cl::CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;

/// The value of a property in a list.
fn value(list: &[u64], name: u64) -> Option<u64> {
    list.chunks_exact(2).find(|pair| pair.first() == Some(&name)).and_then(|pair| pair.get(1).copied())
}

impl CommandBuffer {
    /// clCreateCommandBufferKHR, for its one queue, with properties that there are.
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY for a flag of an extension that is not supported.
    pub(crate) fn create(
        queue: Arc<Queue>,
        properties: Vec<cl::cl_command_buffer_properties_khr>,
    ) -> ClResult<Raw> {
        let flags = value(&properties, cl::CL_COMMAND_BUFFER_FLAGS_KHR).unwrap_or(0);
        ensure(flags & !FLAGS == 0, cl::CL_INVALID_PROPERTY)?;
        let promises = value(&properties, BUFFER_ASSERTS).unwrap_or(0) != 0;
        let state = Mutex::new(State::Recording(Commands::default()));
        let (own, handles) = (Own::reserve()?, Mutex::default());
        let buffer = CommandBuffer { own, queue, properties, flags, promises, state, handles };
        Ok(handle::publish(&Arc::new(buffer)))
    }

    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A command that is to be recorded; `waits`: the sync points of its wait list.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION once it is finalized, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR for a sync point that no command has.
    pub(crate) fn recording<'a>(
        self: &Arc<Self>,
        waits: &[cl::cl_sync_point_khr],
        point: Option<&'a mut cl::cl_sync_point_khr>,
    ) -> ClResult<Recording<'a>> {
        let count = match &*self.lock() {
            State::Recording(commands) => commands.list.len() as u64,
            State::Finalized(_) => return fail(cl::CL_INVALID_OPERATION),
        };
        let known = |wait: &u32| (1..=count).contains(&u64::from(*wait));
        ensure(waits.iter().all(known), cl::CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)?;
        Ok(Recording { buffer: self.clone(), point })
    }

    /// clFinalizeCommandBufferKHR.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION the second time.
    pub(crate) fn finalize(&self) -> ClResult<()> {
        let mut state = self.lock();
        let State::Recording(commands) = &mut *state else { return fail(cl::CL_INVALID_OPERATION) };
        let commands = std::mem::take(commands);
        let mut segments = Vec::new();
        let mut start = 0;
        for (index, _) in commands.list.iter().enumerate().filter(|(_, command)| command.waits_for_host()) {
            segments.push(start..index + 1);
            start = index + 1;
        }
        if start < commands.list.len() || segments.is_empty() {
            segments.push(start..commands.list.len());
        }
        let changed = AtomicBool::new(!commands.missing.is_empty());
        let recorded = Arc::new(Recorded { commands, segments, steps: Mutex::default(), changed });
        if recorded.commands.missing.is_empty() {
            // What can be done now need not be done when it is enqueued.
            recorded.new_steps_for(&self.queue);
        }
        *state = State::Finalized(recorded);
        Ok(())
    }

    /// Checks that it may be enqueued.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION while it is recorded, or lacks arguments.
    pub(crate) fn check_executable(&self) -> ClResult<()> {
        self.recorded().map(drop)
    }

    fn recorded(&self) -> ClResult<Arc<Recorded>> {
        match &*self.lock() {
            State::Finalized(recorded) if recorded.commands.missing.is_empty() => Ok(recorded.clone()),
            _ => fail(cl::CL_INVALID_OPERATION),
        }
    }

    /// Checks that launches may be changed.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION while it is recorded, and without CL_COMMAND_BUFFER_MUTABLE_KHR.
    pub(crate) fn check_changeable(&self) -> ClResult<()> {
        let finalized = matches!(&*self.lock(), State::Finalized(_));
        ensure(finalized && self.is_mutable(), cl::CL_INVALID_OPERATION)
    }

    fn is_mutable(&self) -> bool {
        self.flags & cl::CL_COMMAND_BUFFER_MUTABLE_KHR != 0
    }

    /// clUpdateMutableCommandsKHR: all of the changes, or none.
    ///
    /// # Errors
    /// Those of launches.
    pub(crate) fn change(&self, changes: Changes) -> ClResult<()> {
        let made = changes.into_iter().map(|(handle, dispatch)| {
            let command = dispatch.command(&self.queue)?;
            Ok((handle, dispatch, command))
        });
        let made = made.collect::<ClResult<Vec<_>>>()?;
        let mut state = self.lock();
        let State::Finalized(recorded) = &*state else { return fail(cl::CL_INVALID_OPERATION) };
        let mut commands = recorded.commands.clone();
        for (handle, dispatch, command) in made {
            commands.put(handle.place, command);
            handle.set(dispatch);
        }
        let (segments, steps, changed) = (recorded.segments.clone(), Mutex::default(), AtomicBool::new(true));
        let old = std::mem::replace(
            &mut *state,
            State::Finalized(Arc::new(Recorded { commands, segments, steps, changed })),
        );
        drop(state);
        drop(old);
        Ok(())
    }

    /// clEnqueueCommandBufferKHR, on a queue of its context and device.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION while it is recorded or lacks arguments; what its commands' recording gives.
    pub(crate) fn enqueue(&self, queue: &Arc<Queue>, request: Request<'_>) -> ClResult<()> {
        let recorded = self.recorded()?;
        let steps = recorded.steps(queue);
        let replay = |range: &Range<usize>| {
            let (recorded, steps, range) = (recorded.clone(), steps.clone(), range.clone());
            Replay { recorded, steps, range, queue: queue.clone() }
        };
        match recorded.segments.as_slice() {
            [whole] => queue.enqueue(request, replay(whole)),
            segments => queue.enqueue_chain(request, segments.iter().map(replay)),
        }
    }

    /// clGetCommandBufferInfoKHR.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query.
    pub(crate) fn info(&self, param: cl::cl_command_buffer_info_khr) -> ClResult<ParamValue> {
        Ok(match param {
            cl::CL_COMMAND_BUFFER_NUM_QUEUES_KHR => ParamValue::uint(1),
            cl::CL_COMMAND_BUFFER_QUEUES_KHR => ParamValue::pointer(self.queue.raw()),
            cl::CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => ParamValue::uint(self.own.references()),
            cl::CL_COMMAND_BUFFER_STATE_KHR => ParamValue::uint(match &*self.lock() {
                State::Recording(_) => cl::CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
                State::Finalized(recorded) if recorded.commands.missing.is_empty() => {
                    cl::CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
                }
                State::Finalized(_) => cl::CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
            }),
            cl::CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => ParamValue::ulongs(&self.properties),
            cl::CL_COMMAND_BUFFER_CONTEXT_KHR => ParamValue::pointer(self.queue.context.raw()),
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}

impl Commands {
    /// Puts a command in its place, or that it lacks arguments.
    fn put(&mut self, place: usize, command: Option<Arc<dyn Recordable>>) {
        if command.is_some() {
            self.missing.remove(&place);
        } else {
            self.missing.insert(place);
        }
        // What lacks arguments is not enqueued.
        let command = command.unwrap_or_else(|| Arc::new(Marker));
        if let Some(known) = self.list.get_mut(place) {
            *known = command;
        } else {
            self.list.push(command);
        }
    }
}

impl Recorded {
    /// Returns what is handed on at once on a queue.
    fn steps(&self, queue: &Arc<Queue>) -> Arc<[Step]> {
        if self.changed.swap(false, Ordering::AcqRel) {
            return (0..self.commands.list.len()).map(Step::one).collect();
        }
        let known = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|(mark, _)| mark.names(queue.raw())).map(|(_, steps)| steps.clone());
        drop(known);
        found.unwrap_or_else(|| self.new_steps_for(queue))
    }

    fn new_steps_for(&self, queue: &Arc<Queue>) -> Arc<[Step]> {
        let steps: Arc<[Step]> = self.new_steps(queue).into();
        let mut known = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        known.truncate(QUEUES - 1);
        known.insert(0, (queue.mark(), steps.clone()));
        steps
    }

    fn new_steps(&self, queue: &Arc<Queue>) -> Vec<Step> {
        let (mut steps, mut launches, mut start) = (Vec::new(), Vec::new(), 0);
        for (index, command) in self.commands.list.iter().enumerate() {
            if command.is_marker() {
                // Launches are in order without it.
                continue;
            }
            match command.repeat(queue).unwrap_or_default() {
                Some(launch) => launches.push((index, launch)),
                None => {
                    steps.extend(steps_of(queue, start..index, std::mem::take(&mut launches)));
                    steps.push(Step::one(index));
                    start = index + 1;
                }
            }
        }
        steps.extend(steps_of(queue, start..self.commands.list.len(), launches));
        steps
    }
}

/// Launches that can be repeated, by their places; there are only markers between them.
fn steps_of(queue: &Queue, range: Range<usize>, launches: Vec<(usize, Repeat)>) -> Vec<Step> {
    if launches.len() < LAUNCHES {
        let one = |(place, launch)| Step { again: Replays::Launch(Box::new(launch)), ..Step::one(place) };
        return launches.into_iter().map(one).collect();
    }
    let launches = launches.into_iter().map(|(_, launch)| launch).collect();
    // What cannot be recorded ahead is recorded as ever: that tells what is wrong.
    match queue.runtime.stream.sequence(launches).unwrap_or_default() {
        Some(sequence) => vec![Step { range, again: Replays::Sequence(sequence) }],
        None => range.map(Step::one).collect(),
    }
}

impl Recorder for Recording<'_> {
    fn add(self: Box<Self>, command: Arc<dyn Recordable>) -> ClResult<()> {
        self.put(Some(command)).map(drop)
    }
}

/// The launch as a command of a command buffer. An empty NDRange does nothing.
fn recordable_launch(launch: Option<Launch>) -> Arc<dyn Recordable> {
    launch.map_or_else(|| Arc::new(Marker) as Arc<dyn Recordable>, |launch| Arc::new(launch))
}

impl Recording<'_> {
    /// Keeps a command, or notes that it lacks arguments; its place. Its sync point is its number, from 1 on.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if the command buffer was finalized meanwhile, CL_OUT_OF_RESOURCES when it is full.
    fn put(self, command: Option<Arc<dyn Recordable>>) -> ClResult<usize> {
        let mut state = self.buffer.lock();
        let State::Recording(commands) = &mut *state else { return fail(cl::CL_INVALID_OPERATION) };
        let place = commands.list.len();
        let number = u32::try_from(place + 1).map_err(|_| ClError(cl::CL_OUT_OF_RESOURCES))?;
        commands.put(place, command);
        drop(state);
        if let Some(point) = self.point {
            *point = number;
        }
        Ok(place)
    }

    /// Keeps a launch, with the kernel's arguments as they are.
    ///
    /// # Errors
    /// Those of launches; CL_INVALID_OPERATION for a kernel that enqueues, for which no device has
    /// CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR; CL_INVALID_VALUE where the number of work-groups is promised and their size is not given.
    pub(crate) fn launch(self, kernel: &Arc<Kernel>, dims: Dimensions, extras: Extras<'_>) -> ClResult<()> {
        let Extras { properties, handle } = extras;
        ensure(kernel.definition().record().is_none(), cl::CL_INVALID_OPERATION)?;
        let buffer = self.buffer.clone();
        let promises = value(&properties, cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR).unwrap_or(0) != 0;
        ensure(dims.has_local() || !(promises || buffer.promises), cl::CL_INVALID_VALUE)?;
        let fields = value(&properties, cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR);
        let later = buffer.is_mutable() && fields.unwrap_or(0) & cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0;
        let command = match kernel.launch(&buffer.queue, &dims) {
            Err(ClError(cl::CL_INVALID_KERNEL_ARGS)) if later && kernel.lacks_arguments() => None,
            launch => Some(recordable_launch(launch?)),
        };
        let Some(handle) = handle else { return self.put(command).map(drop) };
        let (own, dispatch) = (Own::reserve()?, Dispatch::from_kernel(kernel, dims)?);
        let place = self.put(command)?;
        let fields = fields.unwrap_or(FIELDS);
        let made = MutableCommand::new(own, &buffer, place, (properties, fields), (kernel.clone(), dispatch));
        *handle = made.lend();
        buffer.handles.lock().unwrap_or_else(PoisonError::into_inner).push(made);
        Ok(())
    }
}

/// Commands of a command buffer that are recorded at once, on a queue.
pub(crate) struct Replay {
    recorded: Arc<Recorded>,
    steps: Arc<[Step]>,
    range: Range<usize>,
    queue: Arc<Queue>,
}

impl Replay {
    fn commands(&self, range: &Range<usize>) -> &[Arc<dyn Recordable>] {
        self.recorded.commands.list.get(range.clone()).unwrap_or_default()
    }

    /// Returns whether one of the commands may use the shared memory at these addresses.
    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.commands(&self.range).iter().any(|command| command.may_use(memory))
    }

    /// Returns whether what is behind it waits for the host.
    fn waits_for_host(&self) -> bool {
        self.commands(&self.range).last().is_some_and(|command| command.waits_for_host())
    }

    /// Records them, in their order.
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let mut all = Completion::default();
        let (start, end) = (self.range.start, self.range.end);
        for step in self.steps.iter().filter(|step| start <= step.range.start && step.range.end <= end) {
            if let Err(error) = self.record_step(step, stream, &mut all) {
                // Those before it run nevertheless: the queue is not done before they are.
                self.queue.commands.note(&all.points);
                return Err(error);
            }
        }
        let Completion { points, works, holds } = all;
        Ok(match (works.is_empty(), points.is_empty()) {
            (true, true) => Done::Host,
            (true, false) => Done::Device(points),
            (false, _) => Done::Then { points, work: HostWork::all(works), holds },
        })
    }

    fn record_step(&self, step: &Step, stream: &Stream, all: &mut Completion) -> ClResult<()> {
        let point = match &step.again {
            Replays::Sequence(sequence) => stream.submit_again(sequence)?,
            Replays::Launch(launch) if !stream.is_timed() => {
                stream.dispatch_again(launch, false, &[])?.map(|launched| launched.point)
            }
            Replays::Launch(_) | Replays::Anew => None,
        };
        if let Some(point) = point {
            all.points.merge(&point.into());
            return Ok(());
        }
        for command in self.commands(&step.range) {
            match command.record_again(&self.queue, stream)? {
                Done::Host => {}
                Done::Device(points) => all.points.merge(&points),
                Done::Then { points, work, holds } => {
                    all.points.merge(&points);
                    all.works.push(work);
                    all.holds |= holds;
                }
            }
        }
        Ok(())
    }
}

/// When several commands are complete.
#[derive(Default)]
struct Completion {
    points: Points,
    works: Vec<HostWork>,
    holds: bool,
}

impl Command for Replay {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        Replay::record(self, stream)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        Replay::may_use(self, memory)
    }

    fn is_direct(&self) -> bool {
        !Replay::waits_for_host(self)
    }
}
