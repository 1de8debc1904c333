//! What the tests of queues, events and memory share: a context on the first device, and short forms of C functions.
#![allow(dead_code)] // each test file uses a part

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use crate::open;
use opencl_sys as cl;
use pumice::entry::context::clReleaseContext;
use pumice::entry::event::*;
use pumice::entry::memory::*;
use pumice::entry::queue::*;
use pumice::entry::transfer::*;

pub type Handle = *mut c_void;

/// A context with a device, released at the end.
pub struct Setup {
    pub context: Handle,
    pub device: Handle,
}

/// The setup, or a visible skip.
pub fn setup() -> Option<Setup> {
    let (device, context) = open::context()?;
    Some(Setup { context, device })
}

impl Drop for Setup {
    fn drop(&mut self) {
        // SAFETY: a handle.
        assert_eq!(unsafe { clReleaseContext(self.context) }, 0);
    }
}

impl Setup {
    pub fn queue(&self, properties: u64) -> Handle {
        let mut error = 1;
        let list = [u64::from(cl::CL_QUEUE_PROPERTIES), properties, 0];
        // SAFETY: the list is whole; the place is valid.
        let queue = unsafe {
            clCreateCommandQueueWithProperties(self.context, self.device, list.as_ptr(), &mut error)
        };
        assert_eq!(error, 0);
        queue
    }

    /// A buffer of so many 32-bit numbers.
    pub fn buffer(&self, flags: u64, numbers: usize) -> Handle {
        let mut error = 1;
        // SAFETY: the place is valid.
        let buffer = unsafe { clCreateBuffer(self.context, flags, numbers * 4, null_mut(), &mut error) };
        assert_eq!(error, 0);
        buffer
    }

    pub fn user(&self) -> Handle {
        let mut error = 1;
        // SAFETY: the place is valid.
        let event = unsafe { clCreateUserEvent(self.context, &mut error) };
        assert_eq!(error, 0);
        event
    }
}

pub const IN_ORDER: u64 = 0;
pub const OUT_OF_ORDER: u64 = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
pub const PROFILED: u64 = cl::CL_QUEUE_PROFILING_ENABLE;

pub fn status(event: Handle) -> i32 {
    let mut status = 77i32;
    // SAFETY: four bytes.
    let code = unsafe {
        clGetEventInfo(event, cl::CL_EVENT_COMMAND_EXECUTION_STATUS, 4, (&raw mut status).cast(), null_mut())
    };
    assert_eq!(code, 0);
    status
}

/// A marker that waits for a list, or for all before it.
pub fn marker(queue: Handle, waits: &[Handle]) -> Handle {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: the list has as many elements; the place is valid.
    let code = unsafe { clEnqueueMarkerWithWaitList(queue, waits.len() as u32, list, &mut event) };
    assert_eq!(code, 0);
    event
}

pub fn wait(events: &[Handle]) -> i32 {
    // SAFETY: the list has as many elements.
    unsafe { clWaitForEvents(events.len() as u32, events.as_ptr()) }
}

pub fn set(event: Handle, status: i32) -> i32 {
    // SAFETY: a handle.
    unsafe { clSetUserEventStatus(event, status) }
}

pub fn release(events: &[Handle], queues: &[Handle]) {
    // SAFETY: handles.
    unsafe {
        events.iter().for_each(|e| assert_eq!(clReleaseEvent(*e), 0));
        queues.iter().for_each(|q| assert_eq!(clReleaseCommandQueue(*q), 0));
    }
}

/// A handle on its way to another thread.
pub fn shared(handle: Handle) -> usize {
    handle.expose_provenance()
}

pub fn handle(shared: usize) -> Handle {
    std::ptr::with_exposed_provenance_mut(shared)
}

/// Until it holds, but not for ever.
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Enqueues a write of numbers from the start of a buffer.
pub fn write(queue: Handle, buffer: Handle, blocking: bool, data: &[u32], waits: &[Handle]) -> Handle {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: sizes are those of the slices; the caller keeps the data.
    let code = unsafe {
        clEnqueueWriteBuffer(
            queue,
            buffer,
            blocking.into(),
            0,
            data.len() * 4,
            data.as_ptr().cast(),
            waits.len() as u32,
            list,
            &mut event,
        )
    };
    assert_eq!(code, 0);
    event
}

/// Enqueues a read of numbers from the start of a buffer; its code and its event. The caller keeps the place.
pub fn try_read(
    queue: Handle,
    buffer: Handle,
    blocking: bool,
    data: *mut [u32],
    waits: &[Handle],
) -> (i32, Handle) {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: sizes are those of the slices; the caller keeps the data.
    let code = unsafe {
        clEnqueueReadBuffer(
            queue,
            buffer,
            blocking.into(),
            0,
            data.len() * 4,
            data.cast(),
            waits.len() as u32,
            list,
            &mut event,
        )
    };
    (code, event)
}

/// As [`try_read`], which must work.
pub fn read(queue: Handle, buffer: Handle, blocking: bool, data: *mut [u32], waits: &[Handle]) -> Handle {
    let (code, event) = try_read(queue, buffer, blocking, data, waits);
    assert_eq!(code, 0);
    event
}

/// Enqueues a copy of a whole buffer.
pub fn copy(queue: Handle, from: Handle, to: Handle, numbers: usize, waits: &[Handle]) -> Handle {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: the list has as many elements; the place is valid.
    let code = unsafe {
        clEnqueueCopyBuffer(queue, from, to, 0, 0, numbers * 4, waits.len() as u32, list, &mut event)
    };
    assert_eq!(code, 0);
    event
}

pub fn release_buffers(buffers: &[Handle]) {
    // SAFETY: handles.
    buffers.iter().for_each(|b| assert_eq!(unsafe { clReleaseMemObject(*b) }, 0));
}
