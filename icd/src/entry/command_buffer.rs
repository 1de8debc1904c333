//! Command buffers (cl_khr_command_buffer). The loader knows nothing of these functions: clGetExtensionFunctionAddress gives them.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::{ffi, handle};
use crate::commands::command::Marker;
use crate::commands::command_buffer::{
    Changes, CommandBuffer, Dispatch, Extras, MutableCommand, OF_BUFFERS, OF_LAUNCHES, Recording,
};
use crate::commands::request::Request;
use crate::commands::transfer;
use crate::device::queue::Queue;
use crate::device::svm;
use crate::entry::functions::{Function, functions};
use crate::entry::guard;
use crate::entry::guard::entry;
use crate::entry::transfer::{copy_boxes, pattern_of};
use crate::entry::{image, kernel as kernels};
use crate::kernel::Kernel;
use crate::kernel::args::Arg;
use crate::kernel::dimensions::Dimensions;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![
    clCommandBarrierWithWaitListKHR,
    clCommandCopyBufferKHR,
    clCommandCopyBufferRectKHR,
    clCommandCopyBufferToImageKHR,
    clCommandCopyImageKHR,
    clCommandCopyImageToBufferKHR,
    clCommandFillBufferKHR,
    clCommandFillImageKHR,
    clCommandNDRangeKernelKHR,
    clCommandSVMMemFillKHR,
    clCommandSVMMemcpyKHR,
    clCreateCommandBufferKHR,
    clEnqueueCommandBufferKHR,
    clFinalizeCommandBufferKHR,
    clGetCommandBufferInfoKHR,
    clGetMutableCommandInfoKHR,
    clReleaseCommandBufferKHR,
    clRetainCommandBufferKHR,
    clUpdateMutableCommandsKHR,
];

/// Makes a command buffer for a queue.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCreateCommandBufferKHR(
    count: cl::cl_uint,
    queues: *const cl::cl_command_queue,
    properties: *const cl::cl_command_buffer_properties_khr,
    error: *mut cl::cl_int,
) -> cl::cl_command_buffer_khr {
    entry!(clCreateCommandBufferKHR, error, {
        ensure(count == 1 && !queues.is_null(), cl::CL_INVALID_VALUE)?;
        // SAFETY: not NULL; the application's promise: one handle.
        let queue = handle::get::<Queue>(unsafe { queues.read_unaligned() })?;
        CommandBuffer::create(queue, properties_of(properties, &OF_BUFFERS)?)
    })
}

/// A list of properties, read no further than it is valid: names that there are, each once, with bits that they have.
///
/// # Safety
/// `list` is NULL or, as far as it is valid, ends with a 0 at an even place.
///
/// # Errors
/// CL_INVALID_VALUE.
unsafe fn properties_of(list: *const u64, known: &[(u64, u64)]) -> ClResult<Vec<u64>> {
    let mut out = Vec::new();
    if list.is_null() {
        return Ok(out);
    }
    loop {
        // SAFETY: the end has not been seen yet.
        let name = unsafe { list.add(out.len()).read_unaligned() };
        if name == 0 {
            out.push(0);
            return Ok(out);
        }
        let seen = out.chunks_exact(2).any(|pair| pair.first() == Some(&name));
        let bits = known.iter().find(|(known, _)| *known == name && !seen).map(|(_, bits)| *bits);
        let bits = bits.ok_or(ClError(cl::CL_INVALID_VALUE))?;
        // SAFETY: a name is followed by its value.
        let value = unsafe { list.add(out.len() + 1).read_unaligned() };
        ensure(value & !bits == 0, cl::CL_INVALID_VALUE)?;
        out.extend([name, value]);
    }
}

/// One more reference.
pub extern "C" fn clRetainCommandBufferKHR(buffer: cl::cl_command_buffer_khr) -> cl::cl_int {
    entry!(clRetainCommandBufferKHR, handle::retain::<CommandBuffer>(buffer))
}

/// One reference less.
pub extern "C" fn clReleaseCommandBufferKHR(buffer: cl::cl_command_buffer_khr) -> cl::cl_int {
    entry!(clReleaseCommandBufferKHR, handle::release::<CommandBuffer>(buffer).map(drop))
}

/// Ends the recording.
pub extern "C" fn clFinalizeCommandBufferKHR(buffer: cl::cl_command_buffer_khr) -> cl::cl_int {
    entry!(clFinalizeCommandBufferKHR, handle::get::<CommandBuffer>(buffer)?.finalize())
}

/// Enqueues the commands, as one.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clEnqueueCommandBufferKHR(
    queue_count: cl::cl_uint,
    queues: *mut cl::cl_command_queue,
    buffer: cl::cl_command_buffer_khr,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueCommandBufferKHR, {
        let buffer = handle::get::<CommandBuffer>(buffer)?;
        buffer.check_executable()?;
        ensure((queue_count == 0) == queues.is_null() && queue_count <= 1, cl::CL_INVALID_VALUE)?;
        let own = &buffer.queue;
        let queue = match queue_count {
            0 => own.clone(),
            // SAFETY: not NULL; the application's promise: one handle.
            _ => handle::get::<Queue>(unsafe { queues.read_unaligned() })?,
        };
        own.context.same(&queue.context)?;
        // All properties that a queue can have are supported, none is required.
        ensure(Arc::ptr_eq(&own.device, &queue.device), cl::CL_INVALID_DEVICE)?;
        let command = cl::CL_COMMAND_COMMAND_BUFFER_KHR;
        let request = Request::new(&queue, command, false, count, list, event)?;
        buffer.enqueue(&queue, request)
    })
}

/// Answers a query about a command buffer.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clGetCommandBufferInfoKHR(
    buffer: cl::cl_command_buffer_khr,
    param: cl::cl_command_buffer_info_khr,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetCommandBufferInfoKHR, {
        let reply = handle::get::<CommandBuffer>(buffer)?.info(param)?;
        reply.give(size, value, size_ret)
    })
}

/// The arguments that all clCommand* functions have.
struct Arguments {
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    waits: (cl::cl_uint, *const cl::cl_sync_point_khr),
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
}

impl Arguments {
    /// Checks it but for properties and handle; the command buffer, and that a command is to be recorded in it.
    ///
    /// # Safety
    /// The wait list is NULL or has as many elements; `point` is NULL or may be written to.
    unsafe fn recording(&self) -> ClResult<(Arc<CommandBuffer>, Recording<'static>)> {
        let buffer = handle::get::<CommandBuffer>(self.buffer)?;
        // There are no command buffers of several queues.
        ensure(self.queue.is_null(), cl::CL_INVALID_COMMAND_QUEUE)?;
        let (count, list) = self.waits;
        ensure((count == 0) == list.is_null(), cl::CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)?;
        ensure(list.is_aligned() && self.point.is_aligned(), cl::CL_INVALID_VALUE)?;
        // SAFETY: by the caller's promise; aligned.
        let (waits, point) = unsafe { (ffi::slice(list, count as usize), self.point.as_mut()) };
        let recording = buffer.recording(waits, point)?;
        Ok((buffer, recording))
    }

    /// The queue that the command buffer was made for, and the request that a command of a type, which is no launch, be recorded.
    ///
    /// # Safety
    /// As [`recording`](Self::recording); the properties are NULL or a list.
    unsafe fn request(self, command: cl::cl_command_type) -> ClResult<(Arc<Queue>, Request<'static>)> {
        // SAFETY: by the caller's promise.
        let (buffer, recording) = unsafe { self.recording() }?;
        // Such a command has no properties, and no handle by which it is changed.
        // SAFETY: by the caller's promise.
        unsafe { properties_of(self.properties, &[]) }?;
        ensure(self.handle.is_null(), cl::CL_INVALID_VALUE)?;
        let (waits, blocking, event, label, recording) =
            (Vec::new(), false, None, None, Some(Box::new(recording) as _));
        Ok((buffer.queue.clone(), Request { command, waits, blocking, event, label, recording }))
    }

    /// Records what `record` makes of the request.
    ///
    /// # Safety
    /// As [`request`](Self::request).
    unsafe fn record(
        self,
        name: &'static str,
        command: cl::cl_command_type,
        record: impl FnOnce(&Arc<Queue>, Request<'static>) -> ClResult<()>,
    ) -> cl::cl_int {
        guard::code(name, || {
            // SAFETY: by the caller's promise.
            let (queue, request) = unsafe { self.request(command) }?;
            record(&queue, request)
        })
    }
}

/// Records a barrier.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandBarrierWithWaitListKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| queue.enqueue(request, Marker);
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandBarrierWithWaitListKHR", cl::CL_COMMAND_BARRIER, record) }
}

/// Records a copy between buffers.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandCopyBufferKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    src: cl::cl_mem,
    dst: cl::cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| {
        let (src, dst) = (crate::entry::buffer(src)?, crate::entry::buffer(dst)?);
        transfer::copy(queue, || Ok(request), (src, src_offset), (dst, dst_offset), size)
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandCopyBufferKHR", cl::CL_COMMAND_COPY_BUFFER, record) }
}

/// Records a copy of a box between buffers.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandCopyBufferRectKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    src: cl::cl_mem,
    dst: cl::cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    src_row_pitch: usize,
    src_slice_pitch: usize,
    dst_row_pitch: usize,
    dst_slice_pitch: usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let pitches = [[src_row_pitch, src_slice_pitch], [dst_row_pitch, dst_slice_pitch]];
    let record = |queue: &Arc<Queue>, request| {
        let origins = [src_origin, dst_origin];
        // SAFETY: the application's promise.
        unsafe { copy_boxes(queue, || Ok(request), [src, dst], origins, region, pitches) }
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandCopyBufferRectKHR", cl::CL_COMMAND_COPY_BUFFER_RECT, record) }
}

/// Records a copy of bytes of a buffer to a box of an image.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandCopyBufferToImageKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    src: cl::cl_mem,
    dst: cl::cl_mem,
    src_offset: usize,
    dst_origin: *const usize,
    region: *const usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| {
        let (from, to) = ((src, src_offset), (dst, dst_origin));
        // SAFETY: the application's promise.
        unsafe { image::copy_from_buffer(queue, || Ok(request), from, to, region) }
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandCopyBufferToImageKHR", cl::CL_COMMAND_COPY_BUFFER_TO_IMAGE, record) }
}

/// Records a copy between images.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandCopyImageKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    src: cl::cl_mem,
    dst: cl::cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| {
        // SAFETY: the application's promise.
        unsafe { image::copy(queue, || Ok(request), (src, src_origin), (dst, dst_origin), region) }
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandCopyImageKHR", cl::CL_COMMAND_COPY_IMAGE, record) }
}

/// Records a copy of a box of an image to a buffer.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandCopyImageToBufferKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    src: cl::cl_mem,
    dst: cl::cl_mem,
    src_origin: *const usize,
    region: *const usize,
    dst_offset: usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| {
        let (from, to) = ((src, src_origin), (dst, dst_offset));
        // SAFETY: the application's promise.
        unsafe { image::copy_to_buffer(queue, || Ok(request), from, region, to) }
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandCopyImageToBufferKHR", cl::CL_COMMAND_COPY_IMAGE_TO_BUFFER, record) }
}

/// Records a fill of a buffer.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandFillBufferKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    target: cl::cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| {
        let target = crate::entry::buffer(target)?;
        // SAFETY: the application's promise.
        let pattern = unsafe { pattern_of(pattern, pattern_size) }?;
        transfer::fill(queue, || Ok(request), target, pattern, offset, size)
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandFillBufferKHR", cl::CL_COMMAND_FILL_BUFFER, record) }
}

/// Records a fill of a box of an image.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandFillImageKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    target: cl::cl_mem,
    fill_color: *const c_void,
    origin: *const usize,
    region: *const usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| {
        // SAFETY: the application's promise.
        unsafe { image::fill_with(queue, || Ok(request), target, fill_color, origin, region) }
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandFillImageKHR", cl::CL_COMMAND_FILL_IMAGE, record) }
}

/// Records a launch, with the kernel's arguments as they are now.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandNDRangeKernelKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    kernel: cl::cl_kernel,
    work_dim: cl::cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    entry!(clCommandNDRangeKernelKHR, {
        let (_, recording) = given.recording()?;
        ensure(handle.is_aligned(), cl::CL_INVALID_VALUE)?;
        // SAFETY: the application's promise; aligned.
        let (properties, handle) = unsafe { (properties_of(properties, &OF_LAUNCHES)?, handle.as_mut()) };
        let kernel = handle::get::<Kernel>(kernel)?;
        let dims = Dimensions::read(work_dim, offset, global, local)?;
        recording.launch(&kernel, dims, Extras { properties, handle })
    })
}

/// Records a copy of memory.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandSVMMemcpyKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| {
        svm::check(&queue.device)?;
        let (to, from) = (UserPointer(to), UserPointer(from.cast_mut()));
        crate::commands::svm_transfer::copy(queue, || Ok(request), to, from, size)
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandSVMMemcpyKHR", cl::CL_COMMAND_SVM_MEMCPY, record) }
}

/// Records a fill of memory.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clCommandSVMMemFillKHR(
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_command_properties_khr,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_sync_point_khr,
    point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let given = Arguments { buffer, queue, properties, waits: (count, list), point, handle };
    let record = |queue: &Arc<Queue>, request| {
        svm::check(&queue.device)?;
        // SAFETY: the application's promise.
        let pattern = unsafe { pattern_of(pattern, pattern_size) }?;
        crate::commands::svm_transfer::fill(queue, || Ok(request), UserPointer(to), pattern, size)
    };
    // SAFETY: the application's promise.
    unsafe { given.record("clCommandSVMMemFillKHR", cl::CL_COMMAND_SVM_MEMFILL, record) }
}

/// Changes launches.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clUpdateMutableCommandsKHR(
    buffer: cl::cl_command_buffer_khr,
    count: cl::cl_uint,
    types: *const cl::cl_command_buffer_update_type_khr,
    configs: *mut *const c_void,
) -> cl::cl_int {
    entry!(clUpdateMutableCommandsKHR, {
        let buffer = handle::get::<CommandBuffer>(buffer)?;
        buffer.check_changeable()?;
        let none = count == 0;
        ensure((types.is_null(), configs.is_null()) == (none, none), cl::CL_INVALID_VALUE)?;
        let (types, configs) =
            (ffi::slice(types, count as usize), ffi::slice(configs.cast_const(), count as usize));
        let mut changes = Changes::new();
        for (kind, config) in types.iter().zip(configs) {
            let known = *kind == cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
            ensure(known && !config.is_null(), cl::CL_INVALID_VALUE)?;
            // SAFETY: the application's promise: its type says what it is.
            let config = unsafe { config.cast::<cl::cl_mutable_dispatch_config_khr>().read_unaligned() };
            let command = handle::get::<MutableCommand>(config.command)?;
            ensure(command.is_of(&buffer), cl::CL_INVALID_MUTABLE_COMMAND_KHR)?;
            let known = changes.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &command));
            let now = known.as_ref().map_or_else(|| command.dispatch(), |(_, now)| now.clone());
            let changed = changed(&command, &config, now)?;
            match known {
                Some((_, now)) => *now = changed,
                None => changes.push((command, changed)),
            }
        }
        buffer.change(changes)
    })
}

/// Returns what a launch becomes.
///
/// # Safety
/// The lists are NULL or have as many elements as the structure says, or as there are dimensions.
unsafe fn changed(
    command: &MutableCommand,
    config: &cl::cl_mutable_dispatch_config_khr,
    mut now: Dispatch,
) -> ClResult<Dispatch> {
    let counts = [config.num_args, config.num_svm_args, config.num_exec_infos];
    let lists = [config.arg_list.is_null(), config.arg_svm_list.is_null(), config.exec_info_list.is_null()];
    ensure(counts.map(|count| count == 0) == lists, cl::CL_INVALID_VALUE)?;
    ensure([0, now.dims.work_dim()].contains(&config.work_dim), cl::CL_INVALID_OPERATION)?;
    let [arguments, pointers, infos] = counts.map(|count| count > 0);
    let (offset, global, local) =
        (config.global_work_offset, config.global_work_size, config.local_work_size);
    for (given, field) in [
        (!offset.is_null(), cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR),
        (!global.is_null(), cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),
        (!local.is_null(), cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR),
        (arguments || pointers, cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
        (infos, cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR),
    ] {
        if given {
            command.check(field)?;
        }
    }
    // SAFETY: by the caller's promise.
    let dims = unsafe { now.dims.changed(offset, global, local) }?;
    ensure(dims.is_uniform() == now.dims.is_uniform(), cl::CL_INVALID_OPERATION)?;
    now.dims = dims;
    if arguments || pointers || infos {
        // What stays if this fails has the old one.
        now.kernel = now.kernel.copy()?;
        // SAFETY: by the caller's promise.
        unsafe { set_arguments(&now.kernel, config) }?;
    }
    Ok(now)
}

/// Sets what a structure says on a kernel.
///
/// # Safety
/// As [`changed`].
unsafe fn set_arguments(kernel: &Kernel, config: &cl::cl_mutable_dispatch_config_khr) -> ClResult<()> {
    // SAFETY: by the caller's promise.
    let (arguments, pointers, infos) = unsafe {
        (
            ffi::slice(config.arg_list, config.num_args as usize),
            ffi::slice(config.arg_svm_list, config.num_svm_args as usize),
            ffi::slice(config.exec_info_list, config.num_exec_infos as usize),
        )
    };
    for argument in arguments {
        // SAFETY: by the caller's promise: as clSetKernelArg.
        unsafe { kernel.set_arg(argument.arg_index, argument.arg_size, argument.arg_value) }?;
    }
    ensure(pointers.is_empty() || kernels::any_svm(kernel), cl::CL_INVALID_OPERATION)?;
    for pointer in pointers {
        let address = pointer.arg_value.addr() as u64;
        kernel.set_pointer(pointer.arg_index, address, Arg::Svm, cl::CL_INVALID_ARG_VALUE)?;
    }
    for info in infos {
        // SAFETY: by the caller's promise: as clSetKernelExecInfo.
        unsafe { kernels::set_exec_info(kernel, info.param_name, info.param_value_size, info.param_value) }?;
    }
    Ok(())
}

/// Answers a query about a launch that can be changed.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clGetMutableCommandInfoKHR(
    command: cl::cl_mutable_command_khr,
    param: cl::cl_mutable_command_info_khr,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetMutableCommandInfoKHR, {
        let reply = handle::get::<MutableCommand>(command)?.info(param)?;
        reply.give(size, value, size_ret)
    })
}
