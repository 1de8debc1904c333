//! Command queues (OpenCL API §5.1), markers and barriers (§5.12), flush and finish (§5.15).

use std::sync::atomic::Ordering;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::error::{ClError, ensure};
use crate::queue::Queue;
use crate::{ffi, handle};

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateCommandQueue = Some(clCreateCommandQueue);
    table.clCreateCommandQueueWithProperties = Some(clCreateCommandQueueWithProperties);
    table.clRetainCommandQueue = Some(clRetainCommandQueue);
    table.clReleaseCommandQueue = Some(clReleaseCommandQueue);
    table.clFlush = Some(clFlush);
    table.clFinish = Some(clFinish);
}

/// What Pumice's queues can be.
const KNOWN: cl::cl_command_queue_properties =
    cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;

/// Makes a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateCommandQueue(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: cl::cl_command_queue_properties,
    error: *mut cl::cl_int,
) -> cl::cl_command_queue {
    // SAFETY: the application's promise.
    unsafe {
        ffi::object("clCreateCommandQueue", error, || {
            let (context, device) = (handle::get(context)?, handle::get(device)?);
            ensure(properties & !KNOWN == 0, cl::CL_INVALID_VALUE)?;
            Queue::create(context, device, properties, Vec::new())
        })
    }
}

/// Makes a queue from a list of properties.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateCommandQueueWithProperties(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: *const cl::cl_queue_properties,
    error: *mut cl::cl_int,
) -> cl::cl_command_queue {
    // SAFETY: the application's promise.
    unsafe {
        ffi::object("clCreateCommandQueueWithProperties", error, || {
            let (context, device) = (handle::get(context)?, handle::get(device)?);
            let list = ffi::properties(properties);
            let mut set = 0;
            for pair in list.chunks_exact(2) {
                match pair {
                    [name, value] if *name == cl::cl_queue_properties::from(cl::CL_QUEUE_PROPERTIES) => {
                        set = *value;
                    }
                    _ => return Err(ClError(cl::CL_INVALID_VALUE)),
                }
            }
            ensure(set & !KNOWN == 0, cl::CL_INVALID_QUEUE_PROPERTIES)?;
            Queue::create(context, device, set, list)
        })
    }
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainCommandQueue(queue: cl::cl_command_queue) -> cl::cl_int {
    ffi::code("clRetainCommandQueue", || handle::retain::<Queue>(queue))
}

/// One reference less, after a flush.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseCommandQueue(queue: cl::cl_command_queue) -> cl::cl_int {
    ffi::code("clReleaseCommandQueue", || {
        // A lost device is no reason not to release.
        let _ = handle::get::<Queue>(queue)?.runtime.stream.flush();
        handle::release::<Queue>(queue).map(drop)
    })
}

/// Hands what is recorded to the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clFlush(queue: cl::cl_command_queue) -> cl::cl_int {
    ffi::code("clFlush", || {
        handle::get::<Queue>(queue)?.runtime.stream.flush()?;
        Ok(())
    })
}

/// Waits for the queue's commands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clFinish(queue: cl::cl_command_queue) -> cl::cl_int {
    ffi::code("clFinish", || {
        let queue = handle::get::<Queue>(queue)?;
        queue.runtime.stream.wait(queue.last.load(Ordering::Relaxed))?;
        Ok(())
    })
}
