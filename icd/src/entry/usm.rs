//! cl_intel_unified_shared_memory. The loader knows nothing of these functions: clGetExtensionFunctionAddress gives them.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;

use crate::abi::error::{ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::{ffi, handle};
use crate::commands::request::Request;
use crate::commands::svm_transfer;
use crate::device::Device;
use crate::device::context::Context;
use crate::device::queue::Queue;
use crate::device::svm::Kind;
use crate::entry::functions::{Function, functions};
use crate::entry::guard;
use crate::entry::guard::entry;
use crate::entry::transfer::pattern_of;
use crate::kernel::Kernel;
use crate::kernel::args::Arg;
use crate::memory::usm;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![
    clDeviceMemAllocINTEL,
    clEnqueueMemAdviseINTEL,
    clEnqueueMemFillINTEL,
    clEnqueueMemcpyINTEL,
    clEnqueueMigrateMemINTEL,
    clGetMemAllocInfoINTEL,
    clHostMemAllocINTEL,
    clMemBlockingFreeINTEL,
    clMemFreeINTEL,
    clSetKernelArgMemPointerINTEL,
    clSharedMemAllocINTEL,
];

/// Returns what the three functions that allocate do.
///
/// # Safety
/// `properties` is NULL or a list that ends with a 0 at an even place; `error` is NULL or may be written to.
unsafe fn allocate(
    name: &'static str,
    context: cl::cl_context,
    (kind, device): (Kind, cl::cl_device_id),
    properties: *const cl::cl_mem_properties_intel,
    (size, alignment): (usize, cl::cl_uint),
    error: *mut cl::cl_int,
) -> *mut c_void {
    let make = || {
        let context = handle::get::<Context>(context)?;
        let device: Option<Arc<Device>> = match device.is_null() {
            true => None,
            false => Some(handle::get::<Device>(device)?),
        };
        // SAFETY: the caller's promise.
        let properties = unsafe { ffi::properties(properties) };
        usm::allocate(&context, kind, device, &properties, size, alignment).map(|pointer| pointer.0)
    };
    // SAFETY: the caller's promise.
    unsafe { guard::object(name, error, make) }
}

/// Allocates memory of the host's that devices reach.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clHostMemAllocINTEL(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties_intel,
    size: usize,
    alignment: cl::cl_uint,
    error: *mut cl::cl_int,
) -> *mut c_void {
    let what = (Kind::Host, std::ptr::null_mut());
    // SAFETY: the application's promise.
    unsafe { allocate("clHostMemAllocINTEL", context, what, properties, (size, alignment), error) }
}

/// Allocates memory of a device.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clDeviceMemAllocINTEL(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: *const cl::cl_mem_properties_intel,
    size: usize,
    alignment: cl::cl_uint,
    error: *mut cl::cl_int,
) -> *mut c_void {
    let what = (Kind::Device, device);
    // SAFETY: the application's promise.
    unsafe { allocate("clDeviceMemAllocINTEL", context, what, properties, (size, alignment), error) }
}

/// Allocates memory of a device that the host reaches.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clSharedMemAllocINTEL(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: *const cl::cl_mem_properties_intel,
    size: usize,
    alignment: cl::cl_uint,
    error: *mut cl::cl_int,
) -> *mut c_void {
    let what = (Kind::Shared, device);
    // SAFETY: the application's promise.
    unsafe { allocate("clSharedMemAllocINTEL", context, what, properties, (size, alignment), error) }
}

/// Frees memory.
pub extern "C" fn clMemFreeINTEL(context: cl::cl_context, pointer: *mut c_void) -> cl::cl_int {
    entry!(clMemFreeINTEL, usm::free(&*handle::get::<Context>(context)?, pointer.addr(), false))
}

/// Waits for the commands that were enqueued, then frees memory.
pub extern "C" fn clMemBlockingFreeINTEL(context: cl::cl_context, pointer: *mut c_void) -> cl::cl_int {
    entry!(clMemBlockingFreeINTEL, usm::free(&*handle::get::<Context>(context)?, pointer.addr(), true))
}

/// Answers a query about the allocation that a pointer is into.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clGetMemAllocInfoINTEL(
    context: cl::cl_context,
    pointer: *const c_void,
    param: cl::cl_mem_info_intel,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetMemAllocInfoINTEL, {
        let context = handle::get::<Context>(context)?;
        usm::info(&context, pointer.addr(), param)?.give(size, value, size_ret)
    })
}

/// Sets an argument to a pointer.
pub extern "C" fn clSetKernelArgMemPointerINTEL(
    kernel: cl::cl_kernel,
    index: cl::cl_uint,
    value: *const c_void,
) -> cl::cl_int {
    entry!(clSetKernelArgMemPointerINTEL, {
        let kernel = handle::get::<Kernel>(kernel)?;
        kernel.set_pointer(index, value.addr() as u64, Arg::Unified, cl::CL_INVALID_ARG_VALUE)
    })
}

/// Fills memory with a pattern.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clEnqueueMemFillINTEL(
    queue: cl::cl_command_queue,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueMemFillINTEL, {
        let queue = handle::get::<Queue>(queue)?;
        let pattern = pattern_of(pattern, pattern_size)?;
        let command = cl::CL_COMMAND_MEMFILL_INTEL;
        let request = || Request::new(&queue, command, false, count, list, event);
        svm_transfer::fill(&queue, request, UserPointer(to), pattern, size)
    })
}

/// Copies memory.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clEnqueueMemcpyINTEL(
    queue: cl::cl_command_queue,
    blocking: cl::cl_bool,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueMemcpyINTEL, {
        let queue = handle::get::<Queue>(queue)?;
        let command = cl::CL_COMMAND_MEMCPY_INTEL;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        svm_transfer::copy(&queue, request, UserPointer(to), UserPointer(from.cast_mut()), size)
    })
}

/// Hints that do nothing: nothing migrates.
///
/// # Safety
/// As [`Request::new`].
unsafe fn hint(
    queue: cl::cl_command_queue,
    command: cl::cl_command_type,
    allowed: bool,
    (count, list, event): (cl::cl_uint, *const cl::cl_event, *mut cl::cl_event),
) -> ClResult<()> {
    let queue = handle::get::<Queue>(queue)?;
    ensure(allowed, cl::CL_INVALID_VALUE)?;
    // SAFETY: the caller's promise.
    let request = unsafe { Request::new(&queue, command, false, count, list, event) }?;
    queue.enqueue(request, crate::commands::command::Marker)
}

/// Asks for memory to be moved to the queue's device.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clEnqueueMigrateMemINTEL(
    queue: cl::cl_command_queue,
    _pointer: *const c_void,
    _size: usize,
    flags: cl::cl_mem_migration_flags,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    const KNOWN: u64 = cl::CL_MIGRATE_MEM_OBJECT_HOST | cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    entry!(clEnqueueMigrateMemINTEL, {
        hint(queue, cl::CL_COMMAND_MIGRATEMEM_INTEL, flags & !KNOWN == 0, (count, list, event))
    })
}

/// Gives advice. The extension reserves sixteen values and defines none: what is not known is ignored.
///
/// # Safety
/// The pointers are as the extension demands.
pub unsafe extern "C" fn clEnqueueMemAdviseINTEL(
    queue: cl::cl_command_queue,
    _pointer: *const c_void,
    _size: usize,
    advice: cl::cl_mem_advice_intel,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueMemAdviseINTEL, {
        let known = advice == 0 || (0x4208..=0x420F).contains(&advice);
        hint(queue, cl::CL_COMMAND_MEMADVISE_INTEL, known, (count, list, event))
    })
}
