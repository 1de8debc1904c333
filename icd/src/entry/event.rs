//! Events (OpenCL API §5.11) and profiling (§5.14).

use std::ffi::c_void;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::callbacks::EventFunction;
use crate::abi::error::{ClError, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::handle;
use crate::device::event::{Event, wait_for};
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clRetainEvent = Some(clRetainEvent);
    table.clReleaseEvent = Some(clReleaseEvent);
    table.clWaitForEvents = Some(clWaitForEvents);
    table.clGetEventInfo = Some(clGetEventInfo);
    table.clGetEventProfilingInfo = Some(clGetEventProfilingInfo);
    table.clCreateUserEvent = Some(clCreateUserEvent);
    table.clSetUserEventStatus = Some(clSetUserEventStatus);
    table.clSetEventCallback = Some(clSetEventCallback);
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainEvent(event: cl::cl_event) -> cl::cl_int {
    entry!(clRetainEvent, handle::retain::<Event>(event))
}

/// One reference less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseEvent(event: cl::cl_event) -> cl::cl_int {
    entry!(clReleaseEvent, handle::release::<Event>(event).map(drop))
}

/// Waits until events are complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clWaitForEvents(count: cl::cl_uint, list: *const cl::cl_event) -> cl::cl_int {
    entry!(clWaitForEvents, {
        ensure(count > 0 && !list.is_null(), cl::CL_INVALID_VALUE)?;
        wait_for(&handle::get_all::<Event>(count, list)?)
    })
}

/// Answers a query about an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetEventInfo(
    event: cl::cl_event,
    param: cl::cl_event_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetEventInfo, {
        let reply = handle::get::<Event>(event)?.info(param)?;
        reply.give(size, value, size_ret)
    })
}

/// Tells when an event's command was enqueued, submitted, started and ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetEventProfilingInfo(
    event: cl::cl_event,
    param: cl::cl_profiling_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetEventProfilingInfo, {
        let reply = handle::get::<Event>(event)?.profiling(param)?;
        reply.give(size, value, size_ret)
    })
}

/// Makes an event that the application completes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateUserEvent(context: cl::cl_context, error: *mut cl::cl_int) -> cl::cl_event {
    entry!(clCreateUserEvent, error, Event::user(handle::get(context)?))
}

/// Completes a user event, or fails it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetUserEventStatus(event: cl::cl_event, status: cl::cl_int) -> cl::cl_int {
    entry!(clSetUserEventStatus, handle::get::<Event>(event)?.set(status))
}

/// Calls a function when an event is as far as a status: now, if it is, else from another thread (§5.11 allows both).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetEventCallback(
    event: cl::cl_event,
    status: cl::cl_int,
    notify: Option<EventFunction>,
    user: *mut c_void,
) -> cl::cl_int {
    entry!(clSetEventCallback, {
        let event = handle::get::<Event>(event)?;
        let notify = notify.ok_or(ClError(cl::CL_INVALID_VALUE))?;
        event.on(status, notify, UserPointer(user))
    })
}
