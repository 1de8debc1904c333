//! Memory of other APIs (cl_khr_external_memory): "Acquiring and Releasing External Memory Objects" of §5.

use std::sync::Arc;

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::handle;
use crate::commands::external_memory::change_owner;
use crate::commands::request::Request;
use crate::device::queue::Queue;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::memory::Memory;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] =
    functions![clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR];

/// Takes external memory over from other APIs.
///
/// # Safety
/// The lists have as many elements as is said, or are NULL; the event's place is valid, or NULL.
pub unsafe extern "C" fn clEnqueueAcquireExternalMemObjectsKHR(
    queue: cl::cl_command_queue,
    object_count: cl::cl_uint,
    objects: *const cl::cl_mem,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueAcquireExternalMemObjectsKHR, {
        enqueue(queue, (object_count, objects), true, (count, list, event))
    })
}

/// Leaves external memory to other APIs.
///
/// # Safety
/// As [`clEnqueueAcquireExternalMemObjectsKHR`].
pub unsafe extern "C" fn clEnqueueReleaseExternalMemObjectsKHR(
    queue: cl::cl_command_queue,
    object_count: cl::cl_uint,
    objects: *const cl::cl_mem,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueReleaseExternalMemObjectsKHR, {
        enqueue(queue, (object_count, objects), false, (count, list, event))
    })
}

/// # Safety
/// As [`clEnqueueAcquireExternalMemObjectsKHR`].
unsafe fn enqueue(
    queue: cl::cl_command_queue,
    (object_count, objects): (cl::cl_uint, *const cl::cl_mem),
    acquire: bool,
    (count, list, event): (cl::cl_uint, *const cl::cl_event, *mut cl::cl_event),
) -> ClResult<()> {
    let queue: Arc<Queue> = handle::get(queue)?;
    ensure((object_count == 0) == objects.is_null(), cl::CL_INVALID_VALUE)?;
    // SAFETY: by the caller's promise.
    let objects = unsafe { handle::get_all::<Memory>(object_count, objects) }
        .map_err(|_| ClError(cl::CL_INVALID_MEM_OBJECT))?;
    let command = if acquire {
        cl::CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR
    } else {
        cl::CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR
    };
    // SAFETY: by the caller's promise.
    let request = unsafe { Request::new(&queue, command, false, count, list, event) }?;
    change_owner(&queue, request, objects, acquire)
}
