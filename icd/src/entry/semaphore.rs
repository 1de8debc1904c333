//! Semaphores (cl_khr_semaphore, cl_khr_external_semaphore): "Semaphores" of §5.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::os_handle::{self, RawOsHandle};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::param_value::ParamValue;
use crate::abi::{ffi, handle};
use crate::commands::request::Request;
use crate::commands::semaphore;
use crate::device::Device;
use crate::device::queue::Queue;
use crate::device::semaphore::{LISTS, Semaphore};
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![
    clCreateSemaphoreWithPropertiesKHR,
    clEnqueueSignalSemaphoresKHR,
    clEnqueueWaitSemaphoresKHR,
    clGetSemaphoreHandleForTypeKHR,
    clGetSemaphoreInfoKHR,
    clReImportSemaphoreSyncFdKHR,
    clReleaseSemaphoreKHR,
    clRetainSemaphoreKHR,
];

/// Makes a semaphore.
///
/// # Safety
/// The list is NULL or ends with a 0, the lists in it, too; the place is valid, or NULL.
pub unsafe extern "C" fn clCreateSemaphoreWithPropertiesKHR(
    context: cl::cl_context,
    properties: *const cl::cl_semaphore_properties_khr,
    error: *mut cl::cl_int,
) -> cl::cl_semaphore_khr {
    entry!(clCreateSemaphoreWithPropertiesKHR, error, {
        let context = handle::get(context)?;
        ensure(!properties.is_null(), cl::CL_INVALID_VALUE)?;
        Semaphore::create(context, ffi::properties_with_lists(properties, &LISTS))
    })
}

/// Signals semaphores when what is before it is complete.
///
/// # Safety
/// The lists have as many elements as is said, or are NULL; the event's place is valid, or NULL.
pub unsafe extern "C" fn clEnqueueSignalSemaphoresKHR(
    queue: cl::cl_command_queue,
    semaphore_count: cl::cl_uint,
    semaphores: *const cl::cl_semaphore_khr,
    _payloads: *const cl::cl_semaphore_payload_khr,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueSignalSemaphoresKHR, {
        let (queue, semaphores) = arguments(queue, semaphore_count, semaphores)?;
        let command = cl::CL_COMMAND_SEMAPHORE_SIGNAL_KHR;
        let request = Request::new(&queue, command, false, count, list, event)?.without_failed_waits()?;
        semaphore::signal(&queue, request, &semaphores)
    })
}

/// Waits for semaphores, and takes their signals with it.
///
/// # Safety
/// As [`clEnqueueSignalSemaphoresKHR`].
pub unsafe extern "C" fn clEnqueueWaitSemaphoresKHR(
    queue: cl::cl_command_queue,
    semaphore_count: cl::cl_uint,
    semaphores: *const cl::cl_semaphore_khr,
    _payloads: *const cl::cl_semaphore_payload_khr,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueWaitSemaphoresKHR, {
        let (queue, semaphores) = arguments(queue, semaphore_count, semaphores)?;
        let command = cl::CL_COMMAND_SEMAPHORE_WAIT_KHR;
        let request = Request::new(&queue, command, false, count, list, event)?.without_failed_waits()?;
        semaphore::wait(&queue, request, &semaphores)
    })
}

/// # Safety
/// The list has so many elements, or is NULL.
unsafe fn arguments(
    queue: cl::cl_command_queue,
    count: cl::cl_uint,
    list: *const cl::cl_semaphore_khr,
) -> ClResult<(Arc<Queue>, Vec<Arc<Semaphore>>)> {
    let queue = handle::get::<Queue>(queue)?;
    ensure(count > 0 && !list.is_null(), cl::CL_INVALID_VALUE)?;
    // SAFETY: by the caller's promise.
    let semaphores = unsafe { handle::get_all::<Semaphore>(count, list) }
        .map_err(|_| ClError(cl::CL_INVALID_SEMAPHORE_KHR))?;
    Ok((queue, semaphores))
}

/// Answers a query about a semaphore.
///
/// # Safety
/// The places have the sizes that they are said to have, or are NULL.
pub unsafe extern "C" fn clGetSemaphoreInfoKHR(
    semaphore: cl::cl_semaphore_khr,
    param: cl::cl_semaphore_info_khr,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetSemaphoreInfoKHR, {
        let reply = handle::get::<Semaphore>(semaphore)?.info(param)?;
        reply.give(size, value, size_ret)
    })
}

/// Exports a semaphore.
///
/// # Safety
/// As [`clGetSemaphoreInfoKHR`].
pub unsafe extern "C" fn clGetSemaphoreHandleForTypeKHR(
    semaphore: cl::cl_semaphore_khr,
    device: cl::cl_device_id,
    handle_type: cl::cl_external_semaphore_handle_type_khr,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetSemaphoreHandleForTypeKHR, {
        let semaphore = handle::get::<Semaphore>(semaphore)?;
        let device = handle::get::<Device>(device)?;
        // A descriptor that nobody gets would stay open.
        let fits = place.is_null() || size >= size_of::<RawOsHandle>();
        let wanted = !place.is_null() && fits;
        let descriptor = semaphore.export(&device, handle_type.into(), wanted)?;
        ensure(fits, cl::CL_INVALID_VALUE)?;
        ParamValue(os_handle::to_bytes(descriptor).to_vec()).give(size, place, size_ret)
    })
}

/// Imports another sync file into a semaphore that was made of one.
///
/// # Safety
/// The list is NULL or ends with a 0.
pub unsafe extern "C" fn clReImportSemaphoreSyncFdKHR(
    semaphore: cl::cl_semaphore_khr,
    properties: *mut cl::cl_semaphore_reimport_properties_khr,
    descriptor: c_int,
) -> cl::cl_int {
    entry!(clReImportSemaphoreSyncFdKHR, {
        let semaphore = handle::get::<Semaphore>(semaphore)?;
        // There are no such properties.
        let none = ffi::properties(properties.cast_const()).len() <= 1;
        ensure(none, cl::CL_INVALID_VALUE)?;
        semaphore.import_again(os_handle::of_descriptor(descriptor))
    })
}

/// One more reference.
///
/// # Safety
/// None is demanded: handles are checked.
pub unsafe extern "C" fn clRetainSemaphoreKHR(semaphore: cl::cl_semaphore_khr) -> cl::cl_int {
    entry!(clRetainSemaphoreKHR, handle::retain::<Semaphore>(semaphore))
}

/// One reference less.
///
/// # Safety
/// None is demanded: handles are checked.
pub unsafe extern "C" fn clReleaseSemaphoreKHR(semaphore: cl::cl_semaphore_khr) -> cl::cl_int {
    entry!(clReleaseSemaphoreKHR, handle::release::<Semaphore>(semaphore).map(drop))
}
