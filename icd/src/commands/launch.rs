//! clEnqueueNDRangeKernel (§5.10).
//!
//! The launch takes references to the buffers of its [`Prepared`] arguments, so that it is a snapshot of them, and records a dispatch.

use std::ops::Range;
use std::sync::Arc;

use lower::check::Checks;
use lower::kernel_info::ArgKind;
use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{ArgValue, DispatchExtras, NdRange, Points, SaveArea};

use crate::abi::error::{ClError, ClResult};
use crate::abi::trace;
use crate::commands::command::{Command, EmptyCommand, Recordable};
use crate::commands::launch_contents;
use crate::commands::request::Request;
use crate::device::checking;
use crate::device::creation::Creation;
use crate::device::host_work;
use crate::device::loop_watch;
use crate::device::queue::Queue;
use crate::kernel::Kernel;
use crate::kernel::dimensions::Dimensions;
use crate::kernel::enqueue::arena::Arena;
use crate::kernel::enqueue::iterations::{self, Iterations};
use crate::kernel::enqueue::start::Start;
use crate::kernel::prepared::*;
use crate::kernel::repeat::{Asked, Repeated};
use crate::kernel::{printf, repeat, resume, trial};
use crate::memory::addresses;
use crate::memory::map::Map;
use crate::memory::{Access, Memory};
use crate::program::executable::Form;
use scheduler::{Done, HostWork};

/// A launch, with what it holds until it is recorded.
pub(crate) struct Launch {
    prepared: Arc<Prepared>,
    /// The buffers and images among the arguments, in order.
    memories: SmallVec<[Arc<Memory>; 8]>,
    /// The allocations of shared memory that are bound.
    bound: Bound,
    queue: Arc<Queue>,
    range: NdRange,
    /// The driver may end its loops.
    unsure: bool,
}

impl Kernel {
    /// Enqueues a launch, for clEnqueueNDRangeKernel and clEnqueueTask.
    ///
    /// # Errors
    /// Those of §5.10.
    pub(crate) fn enqueue(
        &self,
        queue: &Arc<Queue>,
        mut request: Request<'_>,
        dims: &Dimensions,
    ) -> ClResult<()> {
        if trace::is_on() {
            request.label = Some(self.definition().name.clone());
        }
        let launch = self.launch(queue, dims);
        if launch.as_ref().err() == Some(&ClError(cl::CL_INVALID_KERNEL_ARGS)) {
            self.report_missing();
        }
        let Some(launch) = launch? else {
            // Nothing to run (§5.10): it is complete when what is before it is.
            return queue.enqueue(request, EmptyCommand);
        };
        let Launch { prepared, memories, range, .. } = &launch;
        let name = &self.definition().name;
        // What it waits for may unmap memory.
        launch.report_lifetime(name, request.waits.is_empty());
        if dims.form(&queue.device.target) == Form::default()
            && !prepared.form.long
            && !launch.unsure
            && queue.commands.is_free()
            && let Some(repeated) = Repeated::new(prepared, memories, queue, name, dims, range)?
            && self.keep(prepared, repeated)
        {
            let (command, event) = (request.command, request.event.as_deref_mut());
            let asked = Asked { command, waits: &request.waits, event };
            if let Some(result) = repeat::again(queue.raw(), self.own.raw(), |known| known == dims, asked) {
                return result;
            }
        }
        queue.enqueue(request, launch)
    }

    /// A launch with the arguments as they are now; `None` where there is nothing to run.
    ///
    /// # Errors
    /// Those of §5.10.
    pub(crate) fn launch(&self, queue: &Arc<Queue>, dims: &Dimensions) -> ClResult<Option<Launch>> {
        let form = dims.form(&queue.device.target);
        let launch = match self.launch_in(queue, dims, form)? {
            Some(launch) if !launch.prepared.iterates_few_times(&launch.range) => {
                self.launch_in(queue, dims, Form { long: true, ..form })?
            }
            launch => launch,
        };
        let Some(mut launch) = launch else { return Ok(None) };
        if !launch.prepared.may_be_ended(&launch.range) {
            return Ok(Some(launch));
        }
        let prepared = &launch.prepared;
        if prepared.executable.trials.ended(&prepared.kernel.info().name) {
            return Ok(Some(self.in_single_vectors(queue, dims, form, &launch.range)?.unwrap_or(launch)));
        }
        launch.unsure = true;
        Ok(Some(launch))
    }

    /// A launch of which each work-group is one vector, which goes on where the driver ended its loops, also around barriers. `None`
    /// where the kernel has no such form.
    fn in_single_vectors(
        &self,
        queue: &Arc<Queue>,
        dims: &Dimensions,
        form: Form,
        range: &NdRange,
    ) -> ClResult<Option<Launch>> {
        let Some(local) = range.local_size else { return Ok(None) };
        let items = local.iter().fold(1u64, |items, n| items.saturating_mul(*n));
        let Ok(single_vector) = u32::try_from(items) else { return Ok(None) };
        let form = Form { long: true, single_vector, ..form };
        match self.launch_in(queue, &dims.with_local(local), form) {
            Ok(launch) => Ok(launch.filter(|launch| !launch.prepared.may_be_ended(&launch.range))),
            Err(ClError(cl::CL_OUT_OF_RESOURCES)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn launch_in(&self, queue: &Arc<Queue>, dims: &Dimensions, form: Form) -> ClResult<Option<Launch>> {
        let (prepared, bound) = self.prepare_bound(queue, form)?;
        let memories = prepared.memories()?;
        for memory in &memories {
            memory.check_alignment(&queue.device)?;
        }
        let Some(mut range) = dims.range(prepared.non_uniform) else {
            if let Some(range) = dims.stand_in(prepared.non_uniform) {
                prepared.work_group(queue, &range)?;
            }
            return Ok(None);
        };
        let local = prepared.work_group(queue, &range)?;
        range.chosen = range.local_size.is_none();
        range.local_size = Some(local);
        Ok(Some(Launch { prepared, memories, bound, queue: queue.clone(), range, unsure: false }))
    }
}

impl Launch {
    /// The same with the same arguments on another queue of the device.
    fn again(&self, queue: &Arc<Queue>) -> Self {
        let Launch { prepared, memories, bound, range, unsure, .. } = self;
        let (prepared, memories, bound) = (prepared.clone(), memories.clone(), bound.clone());
        Launch { prepared, memories, bound, queue: queue.clone(), range: *range, unsure: *unsure }
    }

    /// In the checking mode, reports memory that was freed, and memory that the host has mapped (§5.5.4).
    fn report_lifetime(&self, kernel: &str, starts_now: bool) {
        if !host::check::checks().contains(Checks::LIFETIME) {
            return;
        }
        let info = self.prepared.kernel.info();
        let mut memories = self.memories.iter();
        for (n, (arg, ready)) in info.args.iter().zip(&self.prepared.args).enumerate() {
            let argument = || format!("argument {n} '{}' ({})", arg.name, arg.type_name);
            let writes = match ready {
                Ready::Svm { address, memory: None, .. } => {
                    if let Some(size) = self.queue.context.svm.freed_at(*address) {
                        checking::report_lifetime(kernel, || {
                            format!("{} points into shared memory of {size} bytes that was freed", argument())
                        });
                    } else if let Some(size) = self.size_elsewhere(*address) {
                        checking::report_lifetime(kernel, || {
                            format!(
                                "{} points into shared memory of {size} bytes of another context",
                                argument()
                            )
                        });
                    }
                    continue;
                }
                Ready::Buffer { written, .. } | Ready::Image { written, .. } => *written,
                _ => continue,
            };
            let Some(memory) = memories.next() else { break };
            let (start, end) = (memory.offset, memory.offset + memory.size);
            let unused = matches!(arg.kind, ArgKind::Buffer { read: false, written: false, .. });
            let clash = |map: &Map| map.start < end && start < map.end && (writes || map.purpose.writes());
            if starts_now && !unused && memory.store.maps().iter().any(clash) {
                checking::report_lifetime(kernel, || {
                    format!("{} is launched with memory that the host has mapped", argument())
                });
            }
        }
    }

    /// Where the memory objects among the arguments were made, if reports name it.
    fn creations(&self) -> Vec<(u32, Arc<Creation>)> {
        let memories = self.prepared.object_args().zip(&self.memories);
        memories.filter_map(|(arg, memory)| Some((arg, memory.store.creation.clone()?))).collect()
    }

    /// The size of the shared memory of another context that an address is in.
    fn size_elsewhere(&self, address: u64) -> Option<usize> {
        let address = usize::try_from(address).ok()?;
        let contexts = self.queue.runtime.contexts();
        let mut others = contexts.iter().filter(|context| !Arc::ptr_eq(context, &self.queue.context));
        others.find_map(|context| context.svm.find(address)).map(|allocation| allocation.size)
    }

    /// Returns what it would record on a queue, where that is the same each time.
    ///
    /// # Errors
    /// As the launch.
    fn repeat(&self, queue: &Queue) -> ClResult<Option<vk_runtime::Repeat>> {
        if queue.context.runtimes().len() != 1 {
            return Ok(None);
        }
        let repeat = self.prepared.repeat(&self.memories, queue, &self.range, true)?;
        // What lies twice each launch has to note that writes it.
        let notes = |p: &Pointer| p.written && p.memory.upgrade().is_none_or(|a| a.coarse().is_some());
        Ok(repeat.filter(|(_, pointed)| !pointed.iter().any(notes)).map(|(repeat, _)| repeat))
    }

    /// Returns whether it may use the shared memory at these addresses: as an argument, by a pointer that clSetKernelExecInfo named, or by any
    /// pointer if the kernel may follow pointers (§5.9.2, clSetKernelExecInfo).
    fn may_use(&self, memory: &Range<usize>) -> bool {
        let prepared = &self.prepared;
        let there = |address: &u64| usize::try_from(*address).is_ok_and(|at| memory.contains(&at));
        // A buffer with a device address may be made of shared memory.
        let addressed = !prepared.addresses.is_empty();
        let by_argument = |arg: &Ready| match arg {
            Ready::Svm { address, .. } => there(address),
            Ready::Address { .. } => true,
            _ => false,
        };
        prepared.anything
            || addressed
            || prepared.svm.iter().any(there)
            || prepared.args.iter().any(by_argument)
            || self.memories.iter().any(|object| object.lies_at(memory))
    }

    /// Returns whether its kernel goes on where the driver ended its loops, or enqueues kernels: the host sees to that.
    pub(crate) fn goes_on(&self) -> bool {
        self.prepared.resumes() || self.prepared.enqueues()
    }

    /// Records the launch.
    fn record(self, stream: &vk_runtime::Queue) -> ClResult<Done> {
        let (prepared, runtime) = (&*self.prepared, &self.queue.runtime);
        let mut objects = Objects::new();
        let mut touched: SmallVec<[(Part, bool); 4]> = SmallVec::new();
        let mut anything = prepared.anything;
        // What it may write of shared memory that lies twice.
        let mut coarse = Coarse::new();
        let mut touch = |found: Option<Part>, written| match found {
            Some(part) => touched.push((part, written)),
            None => anything = true,
        };
        let (mut memories, mut allocations) = (self.memories.iter(), self.bound.iter());
        let all: SmallVec<[&Memory; 8]> = self.memories.iter().map(|m| &**m).collect();
        let _order = Memory::order(&all);
        let mut changed: SmallVec<[&Memory; 2]> = SmallVec::new();
        let mut arena = None;
        for arg in &prepared.args {
            match arg {
                Ready::Buffer { written, .. } | Ready::Image { written, .. } => {
                    let memory = memories.next().ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?;
                    memory.before_kernel((runtime, stream), *written)?;
                    objects.push(Object::from_memory(memory, runtime)?);
                    if *written && memory.is_mirrored() {
                        changed.push(memory);
                    }
                }
                Ready::Svm { written, bound: true, .. } => {
                    let found = allocations.next().and_then(|a| Some((a, a.on(runtime)?)));
                    let (allocation, buffer) = found.ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?;
                    let (start, end) = allocation.span();
                    if *written {
                        note_written(allocation, &mut coarse);
                    }
                    objects.push(Object::Buffer(buffer.clone(), start, end - start));
                }
                Ready::Svm { address, written, .. } => {
                    touch(self.shared(*address, *written, &mut coarse), *written);
                }
                Ready::Address { address, written, .. } => {
                    touch(self.addressed(*address, *written)?, *written)
                }
                Ready::Record => {
                    let made = iterations::arena(prepared, &self.queue, stream)?;
                    let buffer = made.buffer().clone();
                    let size = buffer.size();
                    objects.push(Object::Buffer(buffer, 0, size));
                    arena = Some(made);
                }
                Ready::Null | Ready::Value(_) | Ready::Local(_) | Ready::Sampler(_) => {}
            }
        }
        for address in &prepared.svm {
            touch(self.shared(*address, true, &mut coarse), true);
        }
        for address in &prepared.addresses {
            touch(self.addressed(*address, true)?, true);
        }
        if anything {
            self.queue.context.svm.anything_written();
        }
        let is_simple = self.unsure && arena.is_none() && !anything && touched.is_empty();
        let tried = match is_simple.then(|| trial::written(prepared, &objects)).flatten() {
            // Those of which the launch knows that their loops are long need none.
            None if self.unsure && prepared.form.long && arena.is_none() => trial::Choice::SingleVectors,
            None => trial::Choice::Untried,
            Some(choice) => choice,
        };
        if prepared.resumes() || arena.is_some() || !matches!(tried, trial::Choice::Untried) {
            // The launch goes on in others, which get no records.
            for memory in &self.memories {
                memory.store.contents.all_written();
            }
            let (points, work) = match tried {
                trial::Choice::Tried(parts) => self.try_out(stream, objects, parts)?,
                trial::Choice::SingleVectors => {
                    self.begin_in_single_vectors(stream, (objects, touched, anything))?
                }
                trial::Choice::Untried => self.begin(stream, (objects, touched, anything), arena)?,
            };
            if changed.is_empty() && coarse.is_empty() {
                return Ok(Done::Then { points, work, holds: true });
            }
            // What comes after the kernel is recorded after all of it.
            stream.wait_only(points)?;
            work.run()?;
            let mut points = stream.flush()?.into();
            for memory in changed {
                points = memory.after_kernel((runtime, stream), points)?;
            }
            let plain = runtime.stream(stream.stream());
            coarse.iter().try_for_each(|allocation| allocation.after_kernel(plain))?;
            return Ok(Done::Device(points));
        }
        let gathered = launch_contents::LaunchContents::new(prepared, &self.memories, stream)?;
        let watched = loop_watch::watched(&self.queue, &prepared.kernel)?;
        let given = prepared.values(&objects)?;
        let printf = match watched.is_none() && prepared.kernel.info().takes_buffer() {
            true => Some(printf::Output::new(
                &prepared.spare,
                stream,
                &prepared.kernel,
                &self.range,
                (SaveArea::default(), &given, gathered.bytes()),
                self.creations(),
            )?),
            false => None,
        };
        let (contents, records) = match &printf {
            Some(printf) => gathered.before(stream, printf.buffer(), printf.contents())?,
            None => gathered.without_buffer(),
        };
        drop(given);
        let mut values = prepared.values(&objects)?;
        if !contents.is_empty() {
            values.push(ArgValue::Contents(&contents));
        }
        let extras = DispatchExtras { touches: &touches(&touched), anything, ..Default::default() };
        values.extend(watched.as_ref().or(printf.as_ref().map(printf::Output::buffer)).map(ArgValue::Printf));
        let mut points = stream.dispatch_with(&prepared.kernel, &values, &self.range, &extras)?.into();
        drop(values);
        if let Some(printf) = &printf {
            records.after(stream, printf.buffer())?;
        }
        for memory in changed {
            points = memory.after_kernel((runtime, stream), points)?;
        }
        if anything {
            // Whoever looked meanwhile looked too early.
            self.queue.context.svm.anything_written();
        }
        if !coarse.is_empty() {
            let plain = runtime.stream(stream.stream());
            coarse.iter().try_for_each(|allocation| allocation.after_kernel(plain))?;
        }
        Ok(match printf {
            None => Done::Device(points),
            Some(printf) => Done::Then { points, work: printf.work(stream, &self.queue), holds: false },
        })
    }

    /// Records a trial: its points, and what the host does then.
    fn try_out(
        &self,
        stream: &vk_runtime::Queue,
        objects: Objects,
        parts: SmallVec<[trial::Written; 4]>,
    ) -> ClResult<(Points, HostWork)> {
        let copy = trial::Copy::new(&self.prepared, stream, parts)?;
        let items = self.items()?;
        let launched =
            resume::Launched::new(self.prepared.clone(), objects, SmallVec::new(), false, self.range);
        launched.try_out(stream, &self.queue, (copy, items))
    }

    /// The work-items of a work-group.
    fn items(&self) -> ClResult<u32> {
        let local = self.range.local_size.unwrap_or([1; 3]);
        let items = local.iter().fold(1u64, |items, n| items.saturating_mul(*n));
        u32::try_from(items).map_err(|_| ClError(cl::CL_INVALID_WORK_GROUP_SIZE))
    }

    /// Records the first dispatch of a launch as single vectors, or as it is where the kernel has no such form.
    fn begin_in_single_vectors(
        &self,
        stream: &vk_runtime::Queue,
        (objects, touched, anything): (Objects, SmallVec<[(Part, bool); 4]>, bool),
    ) -> ClResult<(Points, HostWork)> {
        let mut launched =
            resume::Launched::new(self.prepared.clone(), objects, touched, anything, self.range);
        launched.become_single_vectors(self.items()?);
        launched.begin(stream, &self.queue)
    }

    /// Records the first dispatch of a launch that the host has to go on with: its points, and what the host does then.
    fn begin(
        &self,
        stream: &vk_runtime::Queue,
        (objects, touched, anything): (Objects, SmallVec<[(Part, bool); 4]>, bool),
        arena: Option<Arena>,
    ) -> ClResult<(Points, HostWork)> {
        let (prepared, range) = (self.prepared.clone(), self.range);
        let Some(arena) = arena else {
            let launch = resume::Launched::new(prepared, objects, touched, anything, range);
            return launch.begin(stream, &self.queue);
        };
        // Kernels reach what the launch touches by the pointers that they are given.
        let reached = objects.iter().filter_map(Object::part);
        let kept = touched.iter().cloned().chain(reached.map(|part| (part, true))).collect();
        // The times of the command are those of its own kernel.
        let plain = self.queue.runtime.stream(stream.stream());
        let mut iterations = Iterations::new(&prepared, &self.queue, plain, arena, kept);
        let (mut points, work) =
            Start { prepared, objects, touched, anything, range }.record(stream, &self.queue)?;
        if work.is_none()
            && let Some(more) = iterations.follow()?
        {
            points.merge(&more);
        }
        let context = self.queue.context.clone();
        let all = host_work::heavy(move || {
            if let Some(work) = work {
                work.run()?;
            }
            let result = iterations.run();
            // Whoever looked meanwhile looked too early.
            context.svm.anything_written();
            result
        });
        Ok((points, all))
    }

    /// The shared virtual memory at an address.
    fn shared(&self, address: u64, written: bool, coarse: &mut Coarse) -> Option<Part> {
        let found = self.queue.context.svm.find(usize::try_from(address).ok()?)?;
        let (start, end) = found.span();
        if written {
            note_written(&found, coarse);
        }
        found.on(&self.queue.runtime).map(|buffer| (None, buffer.clone(), start, end))
    }

    /// The buffer at a device address, with its newest contents on the device.
    fn addressed(&self, address: u64, written: bool) -> ClResult<Option<Part>> {
        let context = &self.queue.context;
        let found = addresses::find(context, &self.queue.runtime, address);
        let Some((store, buffer)) = found else { return Ok(None) };
        let access = if written { Access::Write } else { Access::Read };
        store.prepare(store.index(&self.queue.runtime)?, access)?;
        let end = buffer.size();
        Ok(Some((None, buffer, 0, end)))
    }
}

impl Command for Launch {
    fn record(self, stream: &vk_runtime::Queue) -> ClResult<Done> {
        Launch::record(self, stream)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        Launch::may_use(self, memory)
    }

    fn waits_for_host(&self) -> bool {
        self.goes_on() || self.unsure
    }

    fn into_recordable(self) -> Option<Arc<dyn Recordable>> {
        Some(Arc::new(self))
    }
}

impl Recordable for Launch {
    fn record_again(&self, queue: &Arc<Queue>, stream: &vk_runtime::Queue) -> ClResult<Done> {
        self.again(queue).record(stream)
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        Launch::may_use(self, memory)
    }

    fn waits_for_host(&self) -> bool {
        self.goes_on() || self.unsure
    }

    fn repeat(&self, queue: &Arc<Queue>) -> ClResult<Option<vk_runtime::Repeat>> {
        Launch::repeat(self, queue)
    }
}
