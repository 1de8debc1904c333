//! Buffers and kernels of a session.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys as cl;

use super::images::{Image, Sampler};
use super::{Result, Session, check};

/// A buffer.
pub struct Buffer<'a> {
    pub(super) session: &'a Session,
    pub(super) raw: cl::cl_mem,
    /// Its size in bytes.
    pub size: usize,
}

/// A kernel.
pub struct Kernel<'a> {
    pub(super) session: &'a Session,
    pub(super) raw: cl::cl_kernel,
}

// SAFETY: OpenCL's functions may be called by several threads (OpenCL API, appendix A.2); the buffer is the library's.
unsafe impl Send for Buffer<'_> {}
// SAFETY: as above.
unsafe impl Sync for Buffer<'_> {}
// SAFETY: as above; clSetKernelArg is the exception, so that a kernel is one thread's at a time and not Sync.
unsafe impl Send for Kernel<'_> {}

/// A kernel argument.
pub enum Arg<'a> {
    /// A buffer.
    Buffer(&'a Buffer<'a>),
    /// An image.
    Image(&'a Image<'a>),
    /// A sampler.
    Sampler(&'a Sampler<'a>),
    /// A value.
    Value(&'a [u8]),
    /// This many bytes of local memory.
    Local(usize),
    /// A NULL buffer.
    Null,
}

/// The place of a buffer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The device's memory.
    Device,
    /// CL_MEM_ALLOC_HOST_PTR.
    Pinned,
}

impl Buffer<'_> {
    /// Writes, blocking.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn write(&self, offset: usize, data: &[u8]) -> Result<()> {
        let s = self.session;
        call!(
            &s.library,
            clEnqueueWriteBuffer(
                s.queue,
                self.raw,
                cl::CL_TRUE,
                offset,
                data.len(),
                data.as_ptr().cast(),
                0,
                null(),
                null_mut()
            )
        )
    }

    /// Reads, blocking.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn read(&self, offset: usize, data: &mut [u8]) -> Result<()> {
        let s = self.session;
        call!(
            &s.library,
            clEnqueueReadBuffer(
                s.queue,
                self.raw,
                cl::CL_TRUE,
                offset,
                data.len(),
                data.as_mut_ptr().cast(),
                0,
                null(),
                null_mut()
            )
        )
    }

    /// Maps the whole buffer, lets the memory be used, unmaps it.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn with_map(&self, flags: cl::cl_map_flags, work: impl FnOnce(&mut [u8])) -> Result<()> {
        let s = self.session;
        let pointer = make!(
            &s.library,
            clEnqueueMapBuffer(s.queue, self.raw, cl::CL_TRUE, flags, 0, self.size, 0, null(), null_mut())
        )?;
        // SAFETY: the mapping is `size` bytes until it is unmapped.
        work(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), self.size) });
        call!(&s.library, clEnqueueUnmapMemObject(s.queue, self.raw, pointer, 0, null(), null_mut()))?;
        s.finish()
    }

    /// Fills a part with a pattern; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn fill(&self, pattern: &[u8], offset: usize, size: usize) -> Result<()> {
        let s = self.session;
        let (data, length) = (pattern.as_ptr().cast(), pattern.len());
        call!(
            &s.library,
            clEnqueueFillBuffer(s.queue, self.raw, data, length, offset, size, 0, null(), null_mut())
        )
    }

    /// Copies a part to another part of it; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn copy_within(&self, from: usize, to: usize, size: usize) -> Result<()> {
        let s = self.session;
        call!(
            &s.library,
            clEnqueueCopyBuffer(s.queue, self.raw, self.raw, from, to, size, 0, null(), null_mut())
        )
    }

    /// Copies it into another one; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn copy_to(&self, to: &Buffer<'_>, size: usize) -> Result<()> {
        let s = self.session;
        call!(&s.library, clEnqueueCopyBuffer(s.queue, self.raw, to.raw, 0, 0, size, 0, null(), null_mut()))
    }
}

impl Kernel<'_> {
    /// Sets all arguments.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn set(&self, args: &[Arg<'_>]) -> Result<()> {
        (0..).zip(args).try_for_each(|(index, arg)| self.set_one(index, arg))
    }

    /// Sets one argument.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn set_one(&self, index: u32, arg: &Arg<'_>) -> Result<()> {
        let (size, pointer): (usize, *const c_void) = match arg {
            Arg::Buffer(buffer) => (size_of::<cl::cl_mem>(), (&raw const buffer.raw).cast()),
            Arg::Image(image) => (size_of::<cl::cl_mem>(), (&raw const image.raw).cast()),
            Arg::Sampler(sampler) => (size_of::<cl::cl_sampler>(), (&raw const sampler.raw).cast()),
            Arg::Value(bytes) => (bytes.len(), bytes.as_ptr().cast()),
            Arg::Local(size) => (*size, null()),
            Arg::Null => (size_of::<cl::cl_mem>(), null()),
        };
        call!(&self.session.library, clSetKernelArg(self.raw, index, size, pointer))
    }

    /// Enqueues a launch.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn launch(&self, global: &[usize], local: Option<&[usize]>) -> Result<()> {
        self.launch_from(None, global, local)
    }

    /// Enqueues a launch with a global offset.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn launch_from(
        &self,
        offset: Option<&[usize]>,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<()> {
        let s = self.session;
        call!(
            &s.library,
            clEnqueueNDRangeKernel(
                s.queue,
                self.raw,
                global.len() as cl::cl_uint,
                offset.map_or(null(), <[usize]>::as_ptr),
                global.as_ptr(),
                local.map_or(null(), <[usize]>::as_ptr),
                0,
                null(),
                null_mut()
            )
        )
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        let _ = call!(&self.session.library, clReleaseMemObject(self.raw));
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        let _ = call!(&self.session.library, clReleaseKernel(self.raw));
    }
}
