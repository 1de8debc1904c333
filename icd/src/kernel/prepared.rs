//! Kernels with their arguments, ready to launch.
//!
//! A [`Prepared`] has all that a launch needs of the arguments. It is made once and kept until an argument is set.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use vk_runtime::sync::Mutex;

use lower::BindingModel;
use lower::kernel_info::{ArgKind, ImageAccess};
use lower::target::MAX_BUFFER_SIZE;
use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{ArgValue, Buffer, DispatchExtras, NdRange, Touch};

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::device::Runtime;
use crate::device::device_queue::DeviceQueue;
use crate::device::loop_watch;
use crate::device::queue::Queue;
use crate::device::svm::Allocation;
use crate::kernel::args::{Arg, Args, Bytes};
use crate::kernel::dimensions::Dimensions;
use crate::kernel::repeat::Repeated;
use crate::kernel::{Kernel, Part as OnDevice};
use crate::memory::{DeviceImage, Memory, addresses};
use crate::program::executable::{Executable, Form};
use crate::program::printf_buffers::Spare;

/// A kernel with its arguments for one device, ready to launch.
pub(crate) struct Prepared {
    /// In the binding model that the arguments need.
    pub(crate) kernel: vk_runtime::Kernel,
    pub(crate) args: Box<[Ready]>,
    /// Memory that is reached by other pointers than arguments: shared virtual memory, and device addresses.
    pub(crate) svm: Vec<u64>,
    pub(crate) addresses: Vec<u64>,
    /// The difference that is added to such pointers.
    pub(crate) base: u64,
    /// Kernels may touch what no argument names: unified shared memory, or any memory of the host's.
    pub(crate) anything: bool,
    /// It is in the form for arguments that share memory.
    pub(crate) together: bool,
    /// It is in the form for arguments that start anywhere, in buffers of any size.
    pub(crate) anywhere: bool,
    /// For arguments that are pointers: the state of the context's shared memory in which they were found to share memory, or not to.
    pub(crate) looked: Option<AtomicU64>,
    /// The program lets work-groups be smaller at the NDRange's ends.
    pub(crate) non_uniform: bool,
    /// The last NDRange without a work-group size, and the size that was chosen for it.
    pub(crate) chosen: Mutex<Option<(NdRange, [u64; 3])>>,
    /// Buffers for printf that no launch uses.
    pub(crate) spare: Spare,
    /// The executable of the kernel that goes on, its binding model and its form.
    pub(crate) executable: Arc<Executable>,
    pub(crate) by_address: bool,
    pub(crate) form: Form,
    /// The device queues among the arguments, of a kernel that enqueues.
    pub(crate) queues: Vec<Weak<DeviceQueue>>,
}

/// The argument that names them if it is a pointer, the buffer, its first byte, and the one behind the last.
pub(crate) type Part = (Option<u32>, Buffer, u64, u64);

/// The shared memory that pointers among the arguments point to.
pub(crate) type Pointed = SmallVec<[Pointer; 4]>;

/// A pointer among the arguments, by its number.
pub(crate) struct Pointer {
    pub(crate) arg: u32,
    pub(crate) memory: Weak<Allocation>,
    /// The kernel may write there.
    pub(crate) written: bool,
    /// The memory is bound as a buffer is.
    pub(crate) bound: bool,
}

/// The buffers and images among the arguments, in order, on a device.
pub(crate) type Objects = SmallVec<[Object; 8]>;

/// A buffer or an image on a device.
pub(crate) enum Object {
    /// Vulkan buffer, first byte, size.
    Buffer(Buffer, u64, u64),
    Image(Box<DeviceImage>),
}

impl Object {
    pub(crate) fn from_memory(memory: &Memory, runtime: &Arc<Runtime>) -> ClResult<Self> {
        if memory.image.is_some() {
            return Ok(Object::Image(Box::new(memory.device_image(runtime)?)));
        }
        let (buffer, offset, size) = memory.device_buffer(runtime)?;
        Ok(Object::Buffer(buffer, offset, size))
    }
}

impl Object {
    /// The memory of a buffer.
    pub(crate) fn part(&self) -> Option<Part> {
        match self {
            Object::Buffer(buffer, start, size) => Some((None, buffer.clone(), *start, start + size)),
            Object::Image(_) => None,
        }
    }
}

/// An argument.
pub(crate) enum Ready {
    Buffer {
        memory: Weak<Memory>,
        written: bool,
    },
    Image {
        memory: Weak<Memory>,
        written: bool,
    },
    Sampler(u32),
    /// `bound`: as the buffer's range that the allocation is, which begins there.
    Svm {
        address: u64,
        written: bool,
        bound: bool,
        /// The bytes of the allocation before the address, and all of them; for kernels that check their accesses.
        memory: Option<(u64, u64)>,
    },
    Address {
        address: u64,
        written: bool,
        /// The same of the buffer.
        memory: Option<(u64, u64)>,
    },
    Null,
    Value(Bytes),
    Local(u64),
    /// The launch's record, which is among its objects.
    Record,
}

impl Kernel {
    /// Keeps a launch to be repeated, unless the arguments have changed meanwhile.
    pub(crate) fn keep(&self, prepared: &Arc<Prepared>, repeated: Repeated) -> bool {
        let args = self.args();
        let current = args.prepared.iter().any(|(_, p)| Arc::ptr_eq(p, prepared));
        if current {
            self.own.beside().set(repeated);
        }
        current
    }

    /// clGetKernelSuggestedLocalWorkSize: what a launch would choose, or could, if the kernel cannot notice it.
    ///
    /// # Errors
    /// Those of §5.9.4.
    pub(crate) fn suggested(&self, queue: &Arc<Queue>, dims: &Dimensions) -> ClResult<[u64; 3]> {
        let prepared = self.prepare_form(queue, dims.form(&queue.device.target))?;
        for memory in &prepared.memories()? {
            memory.check_alignment(&queue.device)?;
        }
        let range = dims.range(prepared.non_uniform).ok_or(ClError(cl::CL_INVALID_GLOBAL_WORK_SIZE))?;
        Ok(queue.runtime.stream.suggested_work_group_size(&prepared.kernel, &range)?.map(u64::from))
    }

    /// The arguments, and the allocations that they bind. The memory at a pointer may have become another one since they were prepared.
    pub(crate) fn prepare_bound(&self, queue: &Arc<Queue>, form: Form) -> ClResult<(Arc<Prepared>, Bound)> {
        for _ in 0..2 {
            let prepared = self.prepare_form(queue, form)?;
            if let Some(bound) = prepared.bound(queue)
                && prepared.is_current(queue)?
            {
                return Ok((prepared, bound));
            }
            self.args().prepared.clear();
        }
        // Another thread frees what this one launches with.
        fail(cl::CL_INVALID_KERNEL_ARGS)
    }

    /// The arguments for a queue's device, as they are now.
    pub(crate) fn prepare(&self, queue: &Arc<Queue>) -> ClResult<Arc<Prepared>> {
        self.program.context.same(&queue.context)?;
        let part = self.part(Some(&queue.device)).map_err(|_| ClError(cl::CL_INVALID_PROGRAM_EXECUTABLE))?;
        let mut args = self.args();
        let known = args.prepared.iter().find(|(p, _)| std::ptr::eq(*p, Arc::as_ptr(&queue.device)));
        if let Some((_, prepared)) = known {
            return Ok(prepared.clone());
        }
        let prepared = Arc::new(Prepared::new(part, &args, queue, Form::default())?);
        args.prepared.push((Arc::as_ptr(&queue.device), prepared.clone()));
        Ok(prepared)
    }

    /// The same with the kernel in the form that a launch needs; what is not the usual one is not kept.
    pub(crate) fn prepare_form(&self, queue: &Arc<Queue>, form: Form) -> ClResult<Arc<Prepared>> {
        if form == Form::default() {
            return self.prepare(queue);
        }
        self.program.context.same(&queue.context)?;
        let part = self.part(Some(&queue.device)).map_err(|_| ClError(cl::CL_INVALID_PROGRAM_EXECUTABLE))?;
        Ok(Arc::new(Prepared::new(part, &self.args(), queue, form)?))
    }
}

impl Prepared {
    pub(crate) fn new(part: &OnDevice, args: &Args, queue: &Queue, mut form: Form) -> ClResult<Self> {
        let runtime = &queue.runtime;
        let info = part.kernel.info();
        let limits = &part.device.target.limits;
        let (mut ready, mut by_address, local) = ready(part, args, queue)?;
        let most = limits.max_compute_shared_memory_size;
        if local > u64::from(most) {
            // The call's code cannot say how far off it is.
            log::error!("{}: {local} bytes of local memory, of which the device has {most}", info.name);
            return Err(ClError(cl::CL_OUT_OF_RESOURCES));
        }
        by_address |= ready.iter().any(|a| match a {
            Ready::Svm { address, .. } => bindable(queue, *address).is_none(),
            Ready::Address { .. } => true,
            _ => false,
        });
        // A descriptor of nothing does not compare equal to the null pointer (§5.9.2, clSetKernelArg: the kernel
        // sees NULL); the address 0 does.
        let null = ready
            .iter()
            .zip(&info.args)
            .any(|(arg, info)| matches!((arg, &info.kind), (Ready::Null, ArgKind::Buffer { .. })));
        by_address |= null && part.device.target.has_address_model();
        let other = by_address && info.binding_model == BindingModel::Descriptor;
        // One that requires such a size runs in pieces as it is.
        form.large &= info.work_item_loops.is_none();
        let in_form = |form| match (form != Form::default(), other) {
            (true, _) => part.executable.kernel_in_form(&info.name, other, form),
            (false, true) => part.executable.kernel_by_address(&info.name),
            (false, false) => Ok(part.kernel.clone()),
        };
        let mut kernel = in_form(form)?;
        let looked = queue.context.svm.changes();
        form.anywhere = kernel.info().aligned && start_anywhere(&ready, queue);
        form.together = kernel.info().noalias && share_memory(&kernel, &ready, queue)?;
        if form.anywhere || form.together {
            kernel = in_form(form)?;
        }
        let by_pointer = ready.iter().any(|a| matches!(a, Ready::Svm { .. } | Ready::Address { .. }));
        let info = kernel.info();
        let depends = by_pointer && (info.noalias || form.together || info.aligned || form.anywhere);
        let descriptors = kernel.info().binding_model == BindingModel::Descriptor;
        let enqueues = kernel.info().record().is_some();
        for (arg, info) in ready.iter_mut().zip(&kernel.info().args) {
            if let Ready::Svm { bound, .. } = arg {
                *bound = descriptors;
            }
            if let Ready::Buffer { written, .. }
            | Ready::Svm { written, .. }
            | Ready::Address { written, .. } = arg
            {
                // What the kernel does not write the kernels may that it enqueues.
                *written = enqueues || matches!(info.kind, ArgKind::Buffer { written: true, .. });
            }
        }
        Ok(Prepared {
            kernel,
            args: ready.into(),
            together: form.together,
            anywhere: form.anywhere,
            looked: depends.then(|| AtomicU64::new(looked)),
            base: runtime.base_of_launch(),
            anything: args.indirect != 0
                || ((!args.svm.is_empty()
                    || args.list.iter().any(|a| matches!(a, Some(Arg::Svm(_) | Arg::Unified(_)))))
                    && part.device.shared().reaches_system()),
            svm: args.svm.iter().chain(&args.unified).copied().collect(),
            addresses: args.addresses.clone(),
            non_uniform: part.executable.module.traits.non_uniform,
            chosen: Mutex::default(),
            spare: part.executable.printf.clone(),
            executable: part.executable.clone(),
            by_address: other,
            form,
            queues: args.list.iter().filter_map(device_queue).collect(),
        })
    }

    /// A block that a kernel enqueued: what it captured is in its record at an address, and local arguments have these sizes.
    ///
    /// # Errors
    /// As of a kernel in another form.
    pub(crate) fn of_block(
        executable: &Arc<Executable>,
        name: &str,
        form: Form,
        (record, base): (u64, u64),
        locals: impl Iterator<Item = u64>,
    ) -> ClResult<Self> {
        let kernel = match form == Form::default() {
            true => executable.kernel(name)?,
            false => executable.kernel_in_form(name, true, form)?,
        };
        Self::of_address(executable, kernel, form, (record, base), locals)
    }

    /// A block whose dispatch runs a batch of kernels, with the batch's header at an address.
    ///
    /// # Errors
    /// CL_INVALID_KERNEL_ARGS for a block that has no such form, or other local arguments.
    pub(crate) fn of_batch(
        executable: &Arc<Executable>,
        block: u32,
        header: (u64, u64),
        locals: impl Iterator<Item = u64>,
    ) -> ClResult<Self> {
        let kernel = executable.batch(block).ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?;
        let form = Form { batch: true, ..Form::default() };
        Self::of_address(executable, kernel, form, header, locals)
    }

    /// A kernel that takes an address, and local arguments.
    fn of_address(
        executable: &Arc<Executable>,
        kernel: vk_runtime::Kernel,
        form: Form,
        (address, base): (u64, u64),
        locals: impl Iterator<Item = u64>,
    ) -> ClResult<Self> {
        let record = Ready::Address { address, written: true, memory: None };
        let args: Box<[Ready]> = std::iter::once(record).chain(locals.map(Ready::Local)).collect();
        ensure(args.len() == kernel.info().args.len(), cl::CL_INVALID_KERNEL_ARGS)?;
        Ok(Prepared {
            kernel,
            args,
            together: false,
            anywhere: false,
            looked: None,
            base,
            anything: true,
            svm: Vec::new(),
            addresses: Vec::new(),
            non_uniform: executable.module.traits.non_uniform,
            chosen: Mutex::default(),
            spare: executable.printf.clone(),
            executable: executable.clone(),
            by_address: true,
            form,
            queues: Vec::new(),
        })
    }

    /// Returns whether the kernel enqueues kernels.
    pub(crate) fn enqueues(&self) -> bool {
        self.kernel.info().record().is_some()
    }

    /// Returns whether its arguments share memory as little, or as much, as when it was prepared, and start where they did: what lies at a pointer
    /// may have become another allocation.
    pub(crate) fn is_current(&self, queue: &Queue) -> ClResult<bool> {
        let Some(looked) = &self.looked else { return Ok(true) };
        let now = queue.context.svm.changes();
        if looked.load(Ordering::Acquire) == now {
            return Ok(true);
        }
        let info = self.kernel.info();
        let together = (info.noalias || self.together) && share_memory(&self.kernel, &self.args, queue)?;
        let anywhere = (info.aligned || self.anywhere) && start_anywhere(&self.args, queue);
        let same = (together, anywhere) == (self.together, self.anywhere);
        if same {
            looked.store(now, Ordering::Release);
        }
        Ok(same)
    }

    /// The allocations that are bound, in order; `None` where one cannot be any more.
    pub(crate) fn bound(&self, queue: &Queue) -> Option<Bound> {
        let bound = self.args.iter().filter_map(|arg| match arg {
            Ready::Svm { address, bound: true, .. } => Some(bindable(queue, *address)),
            _ => None,
        });
        bound.collect()
    }

    /// The buffers and images among the arguments; one that was released since is no argument any more.
    pub(crate) fn memories(&self) -> ClResult<SmallVec<[Arc<Memory>; 8]>> {
        let buffers = self.args.iter().filter_map(|arg| match arg {
            Ready::Buffer { memory, .. } | Ready::Image { memory, .. } => {
                Some(memory.upgrade().ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS)))
            }
            _ => None,
        });
        buffers.collect()
    }

    /// Returns what a launch would record, where that is the same each time. `lasting`: it is recorded once for all times.
    ///
    /// # Errors
    /// As the launch.
    pub(crate) fn repeat(
        &self,
        memories: &[Arc<Memory>],
        queue: &Queue,
        range: &NdRange,
        lasting: bool,
    ) -> ClResult<Option<(vk_runtime::Repeat, Pointed)>> {
        let runtime = &queue.runtime;
        // Each launch has to note what it writes, or copy.
        let noted = memories.iter().any(|m| m.is_mirrored() || m.store.lies_twice());
        let elsewhere = noted
            || self.anything
            || !self.svm.is_empty()
            || !self.addresses.is_empty()
            || self.args.iter().any(|arg| matches!(arg, Ready::Address { .. }));
        if elsewhere {
            return Ok(None);
        }
        // The queue's: whoever asks for the same launch asks of this queue.
        if self.resumes() || self.enqueues() {
            return Ok(None);
        }
        let watched = loop_watch::watched(queue, &self.kernel)?;
        if watched.is_none() && self.kernel.info().takes_buffer() {
            return Ok(None);
        }
        let (mut objects, mut memories) = (Objects::new(), memories.iter());
        let (mut pointed, mut touched) = (Pointed::new(), SmallVec::<[(Part, bool); 4]>::new());
        for (index, arg) in (0..).zip(&self.args) {
            match arg {
                Ready::Buffer { .. } | Ready::Image { .. } => {
                    let memory = memories.next().ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?;
                    objects.push(Object::from_memory(memory, runtime)?);
                }
                Ready::Svm { address, written, bound, .. } => {
                    let found = match bound {
                        true => bindable(queue, *address),
                        false => usize::try_from(*address).ok().and_then(|a| queue.context.svm.find(a)),
                    };
                    let Some(found) = found else { return Ok(None) };
                    let Some(buffer) = found.on(runtime).cloned() else { return Ok(None) };
                    let (start, end) = found.span();
                    match bound {
                        true => objects.push(Object::Buffer(buffer, start, end - start)),
                        false => touched.push(((Some(index), buffer, start, end), *written)),
                    }
                    let (memory, written, bound) = (Arc::downgrade(&found), *written, *bound);
                    pointed.push(Pointer { arg: index, memory, written, bound });
                }
                _ => {}
            }
        }
        let mut values = self.values(&objects)?;
        values.extend(watched.as_ref().map(ArgValue::Printf));
        let dropped_launches = Some(&queue.commands.dropped_launches);
        let touches = touches(&touched);
        let extras = DispatchExtras { touches: &touches, anything: false, dropped_launches, lasting };
        let repeat = runtime.stream.repeat(&self.kernel, &values, range, &extras)?;
        Ok(repeat.map(|repeat| (repeat, pointed)))
    }

    /// Returns whether the loops iterate as seldom as the kernel takes them to.
    pub(crate) fn iterates_few_times(&self, range: &NdRange) -> bool {
        let value = |index: u32| match self.args.get(index as usize) {
            Some(Ready::Value(bytes)) => Some(&bytes[..]),
            _ => None,
        };
        self.kernel.iterates_few_times(range, &value)
    }

    /// As [`KernelInfo::may_be_ended`](lower::KernelInfo::may_be_ended) for a launch.
    pub(crate) fn may_be_ended(&self, range: &NdRange) -> bool {
        let value = |index: u32| match self.args.get(index as usize) {
            Some(Ready::Value(bytes)) => Some(&bytes[..]),
            _ => None,
        };
        self.kernel.may_be_ended(range, &value)
    }

    /// The arguments that are values, where they tell how often loops iterate.
    pub(crate) fn counted(&self) -> SmallVec<[(u32, Bytes); 4]> {
        let value = |(index, arg): (u32, &Ready)| match arg {
            Ready::Value(bytes) => Some((index, bytes.clone())),
            _ => None,
        };
        match self.kernel.info().iterations {
            Some(_) => (0..).zip(&self.args).filter_map(value).collect(),
            None => SmallVec::new(),
        }
    }

    /// Returns whether the kernel goes on where the driver ended its loops.
    pub(crate) fn resumes(&self) -> bool {
        self.kernel.info().resumes.is_some()
    }

    /// The kernel that goes on, of the kernel in a form.
    ///
    /// # Errors
    /// As of another form.
    pub(crate) fn resuming(&self, form: Form) -> ClResult<vk_runtime::Kernel> {
        let form = Form { resume: true, ..form };
        self.executable.kernel_in_form(&self.kernel.info().name, self.by_address, form)
    }

    /// The numbers of the buffers and images among the arguments.
    pub(crate) fn object_args(&self) -> impl Iterator<Item = u32> {
        let is_object = |arg: &Ready| matches!(arg, Ready::Buffer { .. } | Ready::Image { .. });
        (0..).zip(&self.args).filter(move |(_, arg)| is_object(arg)).map(|(index, _)| index)
    }

    /// The arguments as the runtime takes them.
    pub(crate) fn values<'a>(&'a self, objects: &'a Objects) -> ClResult<SmallVec<[ArgValue<'a>; 16]>> {
        let mut next = objects.iter();
        let mut values = SmallVec::with_capacity(self.args.len() + 1);
        for arg in &self.args {
            values.push(match arg {
                Ready::Buffer { .. }
                | Ready::Image { .. }
                | Ready::Svm { bound: true, .. }
                | Ready::Record => match next.next() {
                    Some(Object::Buffer(buffer, offset, size)) => {
                        ArgValue::BufferRange { buffer, offset: *offset, size: *size }
                    }
                    Some(Object::Image(image)) => ArgValue::Image(image.value()),
                    None => return fail(cl::CL_INVALID_KERNEL_ARGS),
                },
                Ready::Sampler(bits) => ArgValue::Sampler(*bits),
                Ready::Svm { address, memory, .. } | Ready::Address { address, memory, .. } => {
                    let address = address.wrapping_add(self.base);
                    ArgValue::Address(vk_runtime::Pointer { address, memory: *memory })
                }
                Ready::Null => ArgValue::NullBuffer,
                Ready::Value(bytes) => ArgValue::Value(bytes),
                Ready::Local(size) => ArgValue::Local(*size),
            });
        }
        Ok(values)
    }

    /// Checks an NDRange and settles its work-group size.
    pub(crate) fn work_group(&self, queue: &Queue, range: &NdRange) -> ClResult<[u64; 3]> {
        let lock = || self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        if range.local_size.is_none()
            && let Some((_, chosen)) = lock().filter(|(known, _)| known == range)
        {
            return Ok(chosen);
        }
        let local = queue.runtime.stream.work_group_size(&self.kernel, range)?.map(u64::from);
        if range.local_size.is_none() {
            *lock() = Some((*range, local));
        }
        Ok(local)
    }
}

/// Returns what the arguments are on the device, whether they take a kernel that reaches its buffers by device addresses, and how much local memory they use with what
/// the kernel has.
pub(crate) fn ready(part: &OnDevice, args: &Args, queue: &Queue) -> ClResult<(Vec<Ready>, bool, u64)> {
    let (runtime, info) = (&queue.runtime, part.kernel.info());
    let limits = &part.device.target.limits;
    // Only kernels that check their accesses ask for the memory around an address.
    let checks = !info.printf.checks.is_empty();
    let around =
        |find: fn(&Queue, u64) -> Option<(u64, u64)>, address| checks.then(|| find(queue, address)).flatten();
    let mut ready = Vec::with_capacity(args.list.len());
    let mut by_address = false;
    let mut local = u64::from(info.local_memory_size);
    // What is written is asked of the kernel that is launched.
    let written = true;
    let (mut queues, queue_of_launch) = (0, queue);
    for (arg, info) in args.list.iter().zip(&info.args) {
        ready.push(match arg.as_ref().ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))? {
            Arg::Buffer(memory) => {
                let held = memory.upgrade().ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?;
                let (_, offset, size) = held.device_buffer(runtime)?;
                // What no descriptor can bind needs an address.
                by_address |= size > limits.max_storage_buffer_range
                    || !offset.is_multiple_of(limits.min_storage_buffer_offset_alignment.max(1));
                Ready::Buffer { memory: memory.clone(), written }
            }
            Arg::Image(memory) => {
                let held = memory.upgrade().ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?;
                held.form()?.check_device(&part.device)?;
                held.device_image(runtime)?;
                let reads = matches!(&info.kind, ArgKind::Image(i) if i.access == ImageAccess::ReadOnly);
                Ready::Image { memory: memory.clone(), written: !reads }
            }
            Arg::Sampler(bits) => Ready::Sampler(*bits),
            Arg::Svm(address) => {
                ensure(part.device.svm_capabilities() != 0, cl::CL_INVALID_OPERATION)?;
                Ready::Svm {
                    address: *address,
                    written,
                    bound: false,
                    memory: around(shared_memory_at, *address),
                }
            }
            Arg::Unified(address) => Ready::Svm {
                address: *address,
                written,
                bound: false,
                memory: around(shared_memory_at, *address),
            },
            Arg::Address(address) => {
                Ready::Address { address: *address, written, memory: around(buffer_at, *address) }
            }
            Arg::Null => {
                // A descriptor is never NULL; without addresses a kernel cannot tell.
                by_address |= part.device.target.has_address_model();
                Ready::Null
            }
            Arg::Value(bytes) => Ready::Value(bytes.clone()),
            Arg::Queue(queue) => {
                let held = queue.upgrade().ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?;
                ensure(held.is_of(&queue_of_launch.device), cl::CL_INVALID_KERNEL_ARGS)?;
                queues += 1;
                Ready::Value(Bytes::from_slice(&(DEFAULT_QUEUE + queues).to_le_bytes()))
            }
            Arg::Record => Ready::Record,
            Arg::Local(size) => {
                if matches!(info.kind, ArgKind::Local { spec_id: Some(_), .. }) {
                    local = local.saturating_add(*size);
                }
                Ready::Local(*size)
            }
        });
    }
    Ok((ready, by_address, local))
}

/// The number of the default device queue in a launch's arena. Those among the arguments follow.
const DEFAULT_QUEUE: u64 = 1;

/// The device queue that an argument is.
fn device_queue(arg: &Option<Arg>) -> Option<Weak<DeviceQueue>> {
    match arg {
        Some(Arg::Queue(queue)) => Some(queue.clone()),
        _ => None,
    }
}

/// The bytes of an allocation of shared memory before an address, and all of them.
fn shared_memory_at(queue: &Queue, address: u64) -> Option<(u64, u64)> {
    let found = queue.context.svm.find(usize::try_from(address).ok()?)?;
    let (start, end) = found.span();
    Some((address - found.pointer.0.addr() as u64, end - start))
}

/// The bytes of a buffer before a device address, and all of them.
fn buffer_at(queue: &Queue, address: u64) -> Option<(u64, u64)> {
    let (_, buffer) = addresses::find(&queue.context, &queue.runtime, address)?;
    Some((address.checked_sub(buffer.device_address()?)?, buffer.size()))
}

pub(crate) type Bound = SmallVec<[Arc<Allocation>; 4]>;
/// Allocations that lie twice, each once.
pub(crate) type Coarse = SmallVec<[Arc<Allocation>; 4]>;

/// The allocation of shared memory that begins at an address, if a descriptor can bind it: these are the faster ones where drivers are
/// processors, and the kernel is the one that works on buffers.
pub(crate) fn bindable(queue: &Queue, address: u64) -> Option<Arc<Allocation>> {
    let limits = &queue.device.target.limits;
    let found = queue.context.svm.find(usize::try_from(address).ok()?)?;
    found.on(&queue.runtime)?;
    let (start, end) = found.span();
    let begins = found.pointer.0.addr() as u64 == address;
    let fits = start.is_multiple_of(limits.min_storage_buffer_offset_alignment.max(1))
        && end - start <= limits.max_storage_buffer_range;
    (begins && fits).then_some(found)
}

/// Parts of buffers as the runtime takes them.
pub(crate) fn touches(parts: &[(Part, bool)]) -> SmallVec<[Touch<'_>; 4]> {
    parts
        .iter()
        .map(|((arg, buffer, start, end), written)| Touch {
            arg: *arg,
            buffer,
            start: *start,
            end: *end,
            written: *written,
        })
        .collect()
}

/// Returns whether some argument starts where no buffer does that is a buffer of its own, or within some memory: kernels may go back from there
/// (§5.6.2, clSetKernelArgSVMPointer: any pointer into the region). An argument of more than 4 GiB counts too.
pub(crate) fn start_anywhere(args: &[Ready], queue: &Queue) -> bool {
    let (context, runtime) = (&queue.context, &queue.runtime);
    args.iter().any(|arg| {
        let (address, begins) = match arg {
            // A part of shared memory may begin at any byte.
            Ready::Buffer { memory, .. } => {
                let found = memory.upgrade().and_then(|held| held.device_buffer(runtime).ok());
                return found.is_some_and(|(buffer, offset, size)| {
                    let start = buffer.device_address().map(|start| start + offset);
                    size > MAX_BUFFER_SIZE || start.is_some_and(|start| !vk_runtime::is_aligned(start))
                });
            }
            Ready::Svm { address, .. } => {
                let found = usize::try_from(*address).ok().and_then(|at| context.svm.find(at));
                let is_start = found.is_some_and(|found| {
                    found.pointer.0.addr() as u64 == *address && found.size as u64 <= MAX_BUFFER_SIZE
                });
                (*address, is_start)
            }
            Ready::Address { address, .. } => {
                (*address, context.addresses.begins(runtime, context.runtimes(), *address))
            }
            _ => return false,
        };
        !begins || !vk_runtime::is_aligned(address.wrapping_add(runtime.base_of_launch()))
    })
}

/// Returns whether arguments of a launch share memory that the kernel writes; of pointers into nothing that is known that is to be feared.
pub(crate) fn share_memory(kernel: &vk_runtime::Kernel, args: &[Ready], queue: &Queue) -> ClResult<bool> {
    let runtime = &queue.runtime;
    let mut found: SmallVec<[Option<Object>; 8]> = SmallVec::new();
    for (arg, info) in args.iter().zip(&kernel.info().args) {
        let used = !matches!(info.kind, ArgKind::Buffer { read: false, written: false, .. });
        let object = match arg {
            Ready::Buffer { memory, .. } | Ready::Image { memory, .. } => {
                let held = memory.upgrade().ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?;
                Some(Object::from_memory(&held, runtime)?)
            }
            Ready::Svm { address, .. } => {
                let at = usize::try_from(*address).unwrap_or(0);
                let allocation = queue.context.svm.find(at);
                let placed = allocation.and_then(|a| Some((a.on(runtime)?.clone(), a.span())));
                let Some((buffer, (start, end))) = placed else {
                    if used {
                        return Ok(true);
                    }
                    found.push(None);
                    continue;
                };
                Some(Object::Buffer(buffer, start, end - start))
            }
            Ready::Address { .. } if used => return Ok(true),
            _ => None,
        };
        found.push(object);
    }
    let values: SmallVec<[ArgValue<'_>; 8]> = found
        .iter()
        .map(|object| match object {
            Some(Object::Buffer(buffer, offset, size)) => {
                ArgValue::BufferRange { buffer, offset: *offset, size: *size }
            }
            Some(Object::Image(image)) => ArgValue::Image(image.value()),
            None => ArgValue::NullBuffer,
        })
        .collect();
    Ok(kernel.shares_memory(&values))
}

/// Notes that a launch may write an allocation, once.
pub(crate) fn note_written(allocation: &Arc<Allocation>, coarse: &mut Coarse) {
    if allocation.coarse().is_some() && !coarse.iter().any(|known| Arc::ptr_eq(known, allocation)) {
        let (start, end) = allocation.span();
        allocation.written(start..end);
        coarse.push(allocation.clone());
    }
}
