//! Command queues beside the session's own, and events.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use opencl_sys as cl;

use super::{Buffer, Kernel, Result, Session, check};

/// An in-order command queue. When it goes, its commands are complete.
pub struct Queue<'s> {
    session: &'s Session,
    raw: cl::cl_command_queue,
}

// SAFETY: OpenCL's functions may be called by several threads (OpenCL API, appendix A.2); the queue is the library's.
unsafe impl Send for Queue<'_> {}
// SAFETY: as above.
unsafe impl Sync for Queue<'_> {}

/// An event of a command.
pub struct Event<'s> {
    session: &'s Session,
    raw: cl::cl_event,
}

// SAFETY: as for `Queue`.
unsafe impl Send for Event<'_> {}
// SAFETY: as for `Queue`.
unsafe impl Sync for Event<'_> {}

/// The function of an event's callback.
pub type Callback = dyn Fn() + Send + Sync;

impl Session {
    /// One more command queue of the session's context.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn new_queue(&self) -> Result<Queue<'_>> {
        let raw = make!(&self.library, clCreateCommandQueue(self.context, self.device_id, 0))?;
        Ok(Queue { session: self, raw })
    }
}

impl<'s> Queue<'s> {
    /// Enqueues a launch of so many work-items, with or without an event.
    fn enqueue(
        &self,
        kernel: &Kernel<'_>,
        global: usize,
        local: usize,
        after: &[&Event<'_>],
        event: *mut cl::cl_event,
    ) -> Result<()> {
        with_list(after, |count, list| {
            call!(
                &self.session.library,
                clEnqueueNDRangeKernel(self.raw, kernel.raw, 1, null(), &global, &local, count, list, event)
            )
        })
    }

    /// Enqueues a launch that nobody watches.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn launch(
        &self,
        kernel: &Kernel<'_>,
        global: usize,
        local: usize,
        after: &[&Event<'_>],
    ) -> Result<()> {
        self.enqueue(kernel, global, local, after, null_mut())
    }

    /// Enqueues a launch with an event.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn watched(
        &self,
        kernel: &Kernel<'_>,
        global: usize,
        local: usize,
        after: &[&Event<'_>],
    ) -> Result<Event<'s>> {
        let mut raw = null_mut();
        self.enqueue(kernel, global, local, after, &mut raw)?;
        Ok(Event { session: self.session, raw })
    }

    /// Reads, blocking, after some events.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn read(
        &self,
        buffer: &Buffer<'_>,
        offset: usize,
        data: &mut [u8],
        after: &[&Event<'_>],
    ) -> Result<()> {
        // SAFETY: the command is complete when the call returns.
        unsafe { self.read_with(buffer, offset, data, cl::CL_TRUE, after) }
    }

    /// Reads without waiting.
    ///
    /// # Errors
    /// What the library fails with.
    ///
    /// # Safety
    /// The memory lives, and nobody uses it, until the command is complete.
    pub unsafe fn read_later(&self, buffer: &Buffer<'_>, offset: usize, data: &mut [u8]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.read_with(buffer, offset, data, cl::CL_FALSE, &[]) }
    }

    unsafe fn read_with(
        &self,
        buffer: &Buffer<'_>,
        offset: usize,
        data: &mut [u8],
        blocking: cl::cl_bool,
        after: &[&Event<'_>],
    ) -> Result<()> {
        let (size, place) = (data.len(), data.as_mut_ptr().cast::<c_void>());
        with_list(after, |count, list| {
            call!(
                &self.session.library,
                clEnqueueReadBuffer(
                    self.raw,
                    buffer.raw,
                    blocking,
                    offset,
                    size,
                    place,
                    count,
                    list,
                    null_mut()
                )
            )
        })
    }

    /// Writes, blocking.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn write(&self, buffer: &Buffer<'_>, offset: usize, data: &[u8]) -> Result<()> {
        // SAFETY: the data is taken when the call returns.
        unsafe { self.write_with(buffer, offset, data, cl::CL_TRUE) }
    }

    /// Writes without waiting.
    ///
    /// # Errors
    /// What the library fails with.
    ///
    /// # Safety
    /// The data lives, and nobody changes it, until the command is complete.
    pub unsafe fn write_later(&self, buffer: &Buffer<'_>, offset: usize, data: &[u8]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.write_with(buffer, offset, data, cl::CL_FALSE) }
    }

    unsafe fn write_with(
        &self,
        buffer: &Buffer<'_>,
        offset: usize,
        data: &[u8],
        blocking: cl::cl_bool,
    ) -> Result<()> {
        let (size, place) = (data.len(), data.as_ptr().cast::<c_void>());
        call!(
            &self.session.library,
            clEnqueueWriteBuffer(self.raw, buffer.raw, blocking, offset, size, place, 0, null(), null_mut())
        )
    }

    /// Does something, and waits for everything in the queue whatever came of it: memory that was lent to commands is free then.
    ///
    /// # Errors
    /// What the work or the library fails with.
    pub fn settled<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let result = work();
        self.finish()?;
        result
    }

    /// Waits for everything in it.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn finish(&self) -> Result<()> {
        call!(&self.session.library, clFinish(self.raw))
    }

    /// Hands everything in it to the device.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn flush(&self) -> Result<()> {
        call!(&self.session.library, clFlush(self.raw))
    }
}

impl Event<'_> {
    /// Waits for it.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn wait(&self) -> Result<()> {
        call!(&self.session.library, clWaitForEvents(1, &self.raw))
    }

    /// Runs something when the command is complete.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn on_complete(&self, callback: &Arc<Callback>) -> Result<()> {
        let data = Box::into_raw(Box::new(callback.clone()));
        let set = call!(
            &self.session.library,
            clSetEventCallback(self.raw, cl::CL_COMPLETE, Some(called), data.cast())
        );
        if set.is_err() {
            // SAFETY: the library did not take it.
            drop(unsafe { Box::from_raw(data) });
        }
        set
    }
}

extern "C" fn called(_: cl::cl_event, _: cl::cl_int, data: *mut c_void) {
    // SAFETY: `on_complete` made it, and a callback is called once.
    let callback = unsafe { Box::from_raw(data.cast::<Arc<Callback>>()) };
    callback();
}

/// Hands out a wait list as the API wants it.
fn with_list(
    after: &[&Event<'_>],
    call: impl FnOnce(cl::cl_uint, *const cl::cl_event) -> Result<()>,
) -> Result<()> {
    let list: Vec<cl::cl_event> = after.iter().map(|e| e.raw).collect();
    call(list.len() as cl::cl_uint, if list.is_empty() { null() } else { list.as_ptr() })
}

impl Drop for Queue<'_> {
    fn drop(&mut self) {
        let _ = call!(&self.session.library, clFinish(self.raw));
        let _ = call!(&self.session.library, clReleaseCommandQueue(self.raw));
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        let _ = call!(&self.session.library, clReleaseEvent(self.raw));
    }
}
