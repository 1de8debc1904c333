//! What tests of the exported functions share: a context and a queue on the first device.
#![allow(dead_code)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::open;
use opencl_sys as cl;
use pumice::entry::{context::*, memory::*, queue::*, transfer::*};

pub type Handle = *mut c_void;

/// A context with a queue.
pub struct Setup {
    pub device: Handle,
    pub context: Handle,
    pub queue: Handle,
}

impl Setup {
    /// On the first device; `None`, said aloud, without one.
    pub fn new() -> Option<Self> {
        Self::with(0)
    }

    /// With properties of the queue.
    pub fn with(properties: u64) -> Option<Self> {
        let (device, context) = open::context()?;
        let mut error = 1;
        // SAFETY: handles; the place is valid.
        let queue = unsafe { clCreateCommandQueue(context, device, properties, &mut error) };
        assert_eq!(error, 0);
        Some(Setup { device, context, queue })
    }

    pub fn try_buffer(&self, flags: u64, size: usize, host: *mut c_void) -> Result<Handle, i32> {
        let mut error = 1;
        // SAFETY: the tests give host memory of the size.
        let buffer = unsafe { clCreateBuffer(self.context, flags, size, host, &mut error) };
        assert_eq!(buffer.is_null(), error != 0);
        if error == 0 { Ok(buffer) } else { Err(error) }
    }

    pub fn buffer(&self, flags: u64, size: usize) -> Handle {
        self.try_buffer(flags, size, null_mut()).expect("a buffer")
    }

    /// A buffer with a copy of data.
    pub fn filled(&self, data: &[u8]) -> Handle {
        let host = data.as_ptr().cast_mut().cast();
        self.try_buffer(cl::CL_MEM_COPY_HOST_PTR, data.len(), host).expect("a buffer")
    }

    pub fn sub(&self, buffer: Handle, flags: u64, origin: usize, size: usize) -> Result<Handle, i32> {
        let mut error = 1;
        let region = cl::cl_buffer_region { origin, size };
        // SAFETY: the region is valid.
        let sub = unsafe { clCreateSubBuffer(buffer, flags, 0x1220, (&raw const region).cast(), &mut error) };
        if error == 0 { Ok(sub) } else { Err(error) }
    }

    pub fn read(&self, buffer: Handle, offset: usize, size: usize) -> Vec<u8> {
        let mut out = vec![0xee; size];
        // SAFETY: blocking, into memory of the size.
        let code = unsafe {
            clEnqueueReadBuffer(
                self.queue,
                buffer,
                1,
                offset,
                size,
                out.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, 0);
        out
    }

    pub fn write(&self, buffer: Handle, offset: usize, data: &[u8]) {
        // SAFETY: blocking, from memory of the size.
        let code = unsafe {
            clEnqueueWriteBuffer(
                self.queue,
                buffer,
                1,
                offset,
                data.len(),
                data.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, 0);
    }

    pub fn map(&self, buffer: Handle, flags: u64, offset: usize, size: usize) -> Result<*mut u8, i32> {
        let mut error = 1;
        // SAFETY: handles and places are valid.
        let pointer = unsafe {
            clEnqueueMapBuffer(self.queue, buffer, 1, flags, offset, size, 0, null(), null_mut(), &mut error)
        };
        if error == 0 { Ok(pointer.cast()) } else { Err(error) }
    }

    pub fn unmap(&self, buffer: Handle, pointer: *mut u8) -> i32 {
        // SAFETY: handles are valid, the pointer is checked.
        unsafe { clEnqueueUnmapMemObject(self.queue, buffer, pointer.cast(), 0, null(), null_mut()) }
    }

    pub fn finish(&self) {
        // SAFETY: a valid queue.
        assert_eq!(unsafe { clFinish(self.queue) }, 0);
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        // SAFETY: handles that are given back once.
        unsafe {
            assert_eq!(clReleaseCommandQueue(self.queue), 0);
            assert_eq!(clReleaseContext(self.context), 0);
        }
    }
}

pub fn release(object: Handle) {
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseMemObject(object) }, 0);
}

/// A query's answer.
pub fn info<T: Copy + Default>(object: Handle, param: u32) -> Result<T, i32> {
    let mut value = T::default();
    // SAFETY: room for a T.
    let code =
        unsafe { clGetMemObjectInfo(object, param, size_of::<T>(), (&raw mut value).cast(), null_mut()) };
    if code == 0 { Ok(value) } else { Err(code) }
}

/// Bytes that look like nothing else.
pub fn noise(size: usize, seed: u32) -> Vec<u8> {
    let mut state = u64::from(seed) * 2 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..size).map(|_| next()).collect()
}

/// A kernel of a program that is built for all devices of a context.
pub fn kernel(context: Handle, source: &str, name: &std::ffi::CStr) -> Handle {
    use pumice::entry::{kernel::*, program::*};
    let (mut text, length, mut error) = (source.as_ptr().cast(), source.len(), 1);
    // SAFETY: handles and places are valid; the text has its length.
    unsafe {
        let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut error);
        assert_eq!(error, 0);
        let options = c"-cl-std=CL3.0 -cl-kernel-arg-info";
        let code = clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut());
        assert_eq!(code, 0, "build");
        let kernel = clCreateKernel(program, name.as_ptr(), &mut error);
        assert_eq!(error, 0);
        assert_eq!(clReleaseProgram(program), 0);
        kernel
    }
}

/// Sets an argument to a value.
pub fn arg<T>(kernel: Handle, index: u32, value: &T) {
    // SAFETY: a value of its size.
    let code = unsafe {
        pumice::entry::kernel::clSetKernelArg(kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast())
    };
    assert_eq!(code, 0, "argument {index}");
}

/// Launches a kernel in one dimension.
pub fn launch(queue: Handle, kernel: Handle, size: usize) {
    // SAFETY: one size.
    let code = unsafe {
        pumice::entry::launch::clEnqueueNDRangeKernel(
            queue,
            kernel,
            1,
            null(),
            &size,
            null(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, 0, "launch");
}
