//! Command queues (OpenCL API §5.1), markers and barriers (§5.12), flush and finish (§5.15), native kernels (§5.10).

use std::ffi::c_void;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::callbacks::NativeFunction;
use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::{ffi, handle};
use crate::commands::native::{self, Arguments};
use crate::commands::request::Request;
use crate::device::Device;
use crate::device::context::Context;
use crate::device::device_queue::{self, DeviceQueue};
use crate::device::queue::Queue;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![
    // cl_khr_create_command_queue: the function of OpenCL 2.0.
    clCreateCommandQueueWithPropertiesKHR = clCreateCommandQueueWithProperties,
];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateCommandQueue = Some(clCreateCommandQueue);
    table.clCreateCommandQueueWithProperties = Some(clCreateCommandQueueWithProperties);
    table.clRetainCommandQueue = Some(clRetainCommandQueue);
    table.clReleaseCommandQueue = Some(clReleaseCommandQueue);
    table.clGetCommandQueueInfo = Some(clGetCommandQueueInfo);
    table.clSetCommandQueueProperty = Some(clSetCommandQueueProperty);
    table.clSetDefaultDeviceCommandQueue = Some(clSetDefaultDeviceCommandQueue);
    table.clFlush = Some(clFlush);
    table.clFinish = Some(clFinish);
    table.clEnqueueMarker = Some(clEnqueueMarker);
    table.clEnqueueMarkerWithWaitList = Some(clEnqueueMarkerWithWaitList);
    table.clEnqueueBarrier = Some(clEnqueueBarrier);
    table.clEnqueueBarrierWithWaitList = Some(clEnqueueBarrierWithWaitList);
    table.clEnqueueWaitForEvents = Some(clEnqueueWaitForEvents);
    table.clEnqueueNativeKernel = Some(clEnqueueNativeKernel);
}

/// Makes a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateCommandQueue(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: cl::cl_command_queue_properties,
    error: *mut cl::cl_int,
) -> cl::cl_command_queue {
    entry!(clCreateCommandQueue, error, {
        Queue::from_bits(handle::get(context)?, handle::get(device)?, properties)
    })
}

/// Makes a queue from a list of properties.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateCommandQueueWithProperties(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: *const cl::cl_queue_properties,
    error: *mut cl::cl_int,
) -> cl::cl_command_queue {
    entry!(clCreateCommandQueueWithProperties, error, {
        let (context, device) = (handle::get(context)?, handle::get(device)?);
        Queue::from_list(context, device, ffi::properties(properties))
    })
}

/// As [`clCreateCommandQueueWithProperties`] (cl_khr_create_command_queue).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateCommandQueueWithPropertiesKHR(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: *const cl::cl_queue_properties,
    error: *mut cl::cl_int,
) -> cl::cl_command_queue {
    // SAFETY: the same demands.
    unsafe { clCreateCommandQueueWithProperties(context, device, properties, error) }
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainCommandQueue(queue: cl::cl_command_queue) -> cl::cl_int {
    entry!(clRetainCommandQueue, {
        handle::retain::<Queue>(queue).or_else(|_| handle::retain::<DeviceQueue>(queue))
    })
}

/// One reference less, after a flush (§5.1), which need only see to it that what was enqueued is submitted some time (§5.13). Wrappers that pass
/// queues by value retain and release one around each call: only the last release submits at once. Enqueued commands still run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseCommandQueue(queue: cl::cl_command_queue) -> cl::cl_int {
    entry!(clReleaseCommandQueue, {
        let Ok(found) = handle::get::<Queue>(queue) else {
            return handle::release::<DeviceQueue>(queue).map(drop);
        };
        // A lost device is no reason not to release.
        let _ = if found.is_shared() { found.commands.submit_soon() } else { found.commands.flush() };
        drop(found);
        handle::release::<Queue>(queue).map(drop)
    })
}

/// Answers a query about a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetCommandQueueInfo(
    queue: cl::cl_command_queue,
    param: cl::cl_command_queue_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetCommandQueueInfo, {
        let reply = match handle::get::<Queue>(queue) {
            Ok(queue) => queue.info(param)?,
            Err(_) => handle::get::<DeviceQueue>(queue)?.info(param)?,
        };
        reply.give(size, value, size_ret)
    })
}

/// Refuses: only OpenCL 1.0 devices must be able to change a queue's properties (§5.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetCommandQueueProperty(
    queue: cl::cl_command_queue,
    _properties: cl::cl_command_queue_properties,
    _enable: cl::cl_bool,
    _old: *mut cl::cl_command_queue_properties,
) -> cl::cl_int {
    entry!(clSetCommandQueueProperty, {
        handle::get::<Queue>(queue)?;
        fail(cl::CL_INVALID_OPERATION)
    })
}

/// Makes a device queue the default one of its device (§5.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetDefaultDeviceCommandQueue(
    context: cl::cl_context,
    device: cl::cl_device_id,
    queue: cl::cl_command_queue,
) -> cl::cl_int {
    entry!(clSetDefaultDeviceCommandQueue, {
        let (context, device) = (handle::get::<Context>(context)?, handle::get::<Device>(device)?);
        ensure(context.has(&device), cl::CL_INVALID_DEVICE)?;
        ensure(device_queue::is_supported(&device), cl::CL_INVALID_OPERATION)?;
        handle::get::<DeviceQueue>(queue)?.set_default(&context, &device)
    })
}

/// Hands what is recorded to the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clFlush(queue: cl::cl_command_queue) -> cl::cl_int {
    entry!(clFlush, Ok(handle::get::<Queue>(queue)?.commands.flush()?))
}

/// Waits for the queue's commands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clFinish(queue: cl::cl_command_queue) -> cl::cl_int {
    entry!(clFinish, Ok(handle::get::<Queue>(queue)?.commands.finish()?))
}

/// The common part of all markers and barriers.
///
/// # Safety
/// As [`Request::new`].
unsafe fn marker(
    queue: cl::cl_command_queue,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
    barrier: bool,
) -> ClResult<()> {
    let queue = handle::get::<Queue>(queue)?;
    let command = if barrier { cl::CL_COMMAND_BARRIER } else { cl::CL_COMMAND_MARKER };
    // SAFETY: the caller's promise.
    let request = unsafe { Request::new(&queue, command, false, count, list, event) }?;
    queue.enqueue_marker(request, barrier)
}

/// Enqueues a marker, complete when everything before it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMarker(
    queue: cl::cl_command_queue,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueMarker, {
        handle::get::<Queue>(queue)?;
        ensure(!event.is_null(), cl::CL_INVALID_VALUE)?;
        marker(queue, 0, std::ptr::null(), event, false)
    })
}

/// Enqueues a marker, complete when its wait list is, or everything before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMarkerWithWaitList(
    queue: cl::cl_command_queue,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueMarkerWithWaitList, marker(queue, count, list, event, false))
}

/// Enqueues a barrier: later commands wait for everything before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueBarrier(queue: cl::cl_command_queue) -> cl::cl_int {
    entry!(clEnqueueBarrier, marker(queue, 0, std::ptr::null(), std::ptr::null_mut(), true))
}

/// Enqueues a barrier: later commands wait for its wait list, or for everything before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueBarrierWithWaitList(
    queue: cl::cl_command_queue,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueBarrierWithWaitList, marker(queue, count, list, event, true))
}

/// Enqueues a wait: later commands wait for some events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueWaitForEvents(
    queue: cl::cl_command_queue,
    count: cl::cl_uint,
    list: *const cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueWaitForEvents, {
        handle::get::<Queue>(queue)?;
        ensure(count > 0 && !list.is_null(), cl::CL_INVALID_VALUE)?;
        marker(queue, count, list, std::ptr::null_mut(), true).map_err(|ClError(code)| {
            // The function is older than wait lists and their error.
            ClError(if code == cl::CL_INVALID_EVENT_WAIT_LIST { cl::CL_INVALID_EVENT } else { code })
        })
    })
}

/// Enqueues a call of a function of the application, where the device is the processor (CL_EXEC_NATIVE_KERNEL, §5.10).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueNativeKernel(
    queue: cl::cl_command_queue,
    function: Option<NativeFunction>,
    args: *mut c_void,
    args_size: usize,
    buffers: cl::cl_uint,
    list: *const cl::cl_mem,
    places: *mut *const c_void,
    count: cl::cl_uint,
    waits: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueNativeKernel, {
        let queue = handle::get::<Queue>(queue)?;
        let function = function.ok_or(ClError(cl::CL_INVALID_VALUE))?;
        let blocks = args.is_null() == (args_size == 0) && (buffers == 0 || args_size > 0);
        let lists = list.is_null() == (buffers == 0) && places.is_null() == (buffers == 0);
        ensure(blocks && lists, cl::CL_INVALID_VALUE)?;
        let arguments = Arguments::new(ffi::slice(args.cast::<u8>(), args_size));
        let handles = ffi::slice(list, buffers as usize);
        let places = ffi::slice(places.cast_const(), buffers as usize);
        // A handle that is NULL leaves NULL in its place.
        let named = handles.iter().zip(places).filter(|(handle, _)| !handle.is_null());
        let offset = |place: &*const c_void| place.addr().wrapping_sub(args.addr());
        let memories = named.map(|(handle, place)| Ok((crate::entry::buffer(*handle)?, offset(place))));
        let memories = memories.collect::<ClResult<Vec<_>>>()?;
        let request = Request::new(&queue, cl::CL_COMMAND_NATIVE_KERNEL, false, count, waits, event)?;
        native::enqueue(&queue, request, function, arguments, memories)
    })
}
