//! The C functions of programs, kernels and buffers, as tests want them: a handle is released at its end, a failure is a code.
#![allow(dead_code)] // each test file uses its part

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

use crate::open;
use opencl_sys as cl;
use pumice::entry::context::{clReleaseContext, clRetainContext};
use pumice::entry::kernel::*;
use pumice::entry::launch::*;
use pumice::entry::memory::{clCreateBuffer, clReleaseMemObject};
use pumice::entry::program::*;
use pumice::entry::queue::{clCreateCommandQueueWithProperties, clFinish, clReleaseCommandQueue};
use pumice::entry::transfer::{clEnqueueReadBuffer, clEnqueueWriteBuffer};

pub type Handle = *mut c_void;
pub type Code = cl::cl_int;

/// A handle that is released at the end.
pub struct Owned(pub Handle, pub unsafe extern "C" fn(Handle) -> Code);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: a handle; the function checks it.
        assert_eq!(unsafe { (self.1)(self.0) }, 0);
    }
}

/// A context with its first device and a queue.
pub struct Setup {
    pub queue: Owned,
    pub context: Owned,
    pub device: Handle,
}

/// The setup, or a visible skip.
pub fn setup() -> Option<Setup> {
    setup_with(&[])
}

/// The same of a context with properties, a pair each.
pub fn setup_with(properties: &[[isize; 2]]) -> Option<Setup> {
    let (device, context) = open::context_with(properties)?;
    let context = Owned(context, clReleaseContext);
    let mut error = 1;
    // SAFETY: no properties; the place is valid.
    let queue = unsafe { clCreateCommandQueueWithProperties(context.0, device, null(), &mut error) };
    assert_eq!(error, 0);
    Some(Setup { queue: Owned(queue, clReleaseCommandQueue), context, device })
}

/// The answer to a query.
pub fn query(ask: impl Fn(usize, *mut c_void, *mut usize) -> Code) -> Result<Vec<u8>, Code> {
    let mut size = 0;
    match ask(0, null_mut(), &mut size) {
        0 => {}
        code => return Err(code),
    }
    let mut bytes = vec![0u8; size];
    if size > 0 {
        assert_eq!(ask(size - 1, bytes.as_mut_ptr().cast(), null_mut()), cl::CL_INVALID_VALUE);
    }
    assert_eq!(ask(size, bytes.as_mut_ptr().cast(), null_mut()), 0);
    Ok(bytes)
}

pub fn text(bytes: Result<Vec<u8>, Code>) -> String {
    let mut bytes = bytes.expect("the query is answered");
    assert_eq!(bytes.pop(), Some(0));
    String::from_utf8(bytes).expect("UTF-8")
}

pub fn number(bytes: Result<Vec<u8>, Code>) -> u64 {
    let bytes = bytes.expect("the query is answered");
    let mut out = [0; 8];
    out[..bytes.len()].copy_from_slice(&bytes);
    u64::from_ne_bytes(out)
}

pub fn numbers(bytes: Result<Vec<u8>, Code>) -> Vec<u64> {
    let bytes = bytes.expect("the query is answered");
    bytes.chunks(8).map(|c| u64::from_ne_bytes(c.try_into().expect("whole"))).collect()
}

impl Setup {
    /// The same with another queue.
    pub fn another_queue(&self) -> Setup {
        let mut error = 1;
        // SAFETY: no properties; the place is valid.
        let queue = unsafe {
            assert_eq!(clRetainContext(self.context.0), 0);
            clCreateCommandQueueWithProperties(self.context.0, self.device, null(), &mut error)
        };
        assert_eq!(error, 0);
        let context = Owned(self.context.0, clReleaseContext);
        Setup { queue: Owned(queue, clReleaseCommandQueue), context, device: self.device }
    }

    pub fn program(&self, source: &str) -> Owned {
        let mut error = 1;
        let (pointer, length) = (source.as_ptr().cast::<std::ffi::c_char>(), source.len());
        // SAFETY: one string of this length.
        let program = unsafe {
            clCreateProgramWithSource(self.context.0, 1, (&raw const pointer).cast_mut(), &length, &mut error)
        };
        assert_eq!(error, 0);
        Owned(program, clReleaseProgram)
    }

    pub fn build(&self, program: &Owned, options: &str) -> Code {
        let options = CString::new(options).expect("no NUL");
        // SAFETY: a string; no callback.
        unsafe { clBuildProgram(program.0, 1, &self.device, options.as_ptr(), None, null_mut()) }
    }

    /// A program that must build.
    pub fn built(&self, source: &str, options: &str) -> Owned {
        let program = self.program(source);
        let code = self.build(&program, options);
        assert_eq!(code, 0, "{}", self.log(&program));
        program
    }

    pub fn compile(&self, program: &Owned, options: &str, headers: &[(&str, &Owned)]) -> Code {
        let options = CString::new(options).expect("no NUL");
        let names: Vec<CString> = headers.iter().map(|h| CString::new(h.0).expect("no NUL")).collect();
        let mut pointers: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
        let handles: Vec<Handle> = headers.iter().map(|h| h.1.0).collect();
        let none = headers.is_empty();
        // SAFETY: as many headers as names.
        unsafe {
            clCompileProgram(
                program.0,
                0,
                null(),
                options.as_ptr(),
                headers.len() as u32,
                if none { null() } else { handles.as_ptr() },
                if none { null_mut() } else { pointers.as_mut_ptr() },
                None,
                null_mut(),
            )
        }
    }

    pub fn link(&self, options: &str, inputs: &[&Owned]) -> (Option<Owned>, Code) {
        let options = CString::new(options).expect("no NUL");
        let handles: Vec<Handle> = inputs.iter().map(|p| p.0).collect();
        let mut error = 1;
        // SAFETY: the arrays have these lengths.
        let program = unsafe {
            clLinkProgram(
                self.context.0,
                0,
                null(),
                options.as_ptr(),
                handles.len() as u32,
                handles.as_ptr(),
                None,
                null_mut(),
                &mut error,
            )
        };
        ((!program.is_null()).then(|| Owned(program, clReleaseProgram)), error)
    }

    pub fn build_info(&self, program: &Owned, param: u32) -> Result<Vec<u8>, Code> {
        // SAFETY: the place has the size that it is said to have.
        query(|n, v, s| unsafe { clGetProgramBuildInfo(program.0, self.device, param, n, v, s) })
    }

    pub fn log(&self, program: &Owned) -> String {
        text(self.build_info(program, cl::CL_PROGRAM_BUILD_LOG))
    }

    pub fn status(&self, program: &Owned) -> i32 {
        number(self.build_info(program, cl::CL_PROGRAM_BUILD_STATUS)) as u32 as i32
    }

    pub fn binary(&self, program: &Owned) -> Vec<u8> {
        let size = numbers(program_info(program, cl::CL_PROGRAM_BINARY_SIZES))[0] as usize;
        let mut bytes = vec![0u8; size];
        let mut pointer = bytes.as_mut_ptr();
        let place = (&raw mut pointer).cast();
        // SAFETY: one pointer to as many bytes as the binary has.
        assert_eq!(unsafe { clGetProgramInfo(program.0, cl::CL_PROGRAM_BINARIES, 8, place, null_mut()) }, 0);
        bytes
    }

    pub fn load_binary(&self, bytes: &[u8]) -> Result<Owned, (Code, Code)> {
        let (pointer, length) = (bytes.as_ptr(), bytes.len());
        let (mut status, mut error) = (1, 1);
        // SAFETY: one binary of this length.
        let program = unsafe {
            clCreateProgramWithBinary(
                self.context.0,
                1,
                &self.device,
                &length,
                (&raw const pointer).cast_mut(),
                &mut status,
                &mut error,
            )
        };
        if error == 0 { Ok(Owned(program, clReleaseProgram)) } else { Err((status, error)) }
    }

    pub fn buffer(&self, size: usize) -> Owned {
        let mut error = 1;
        // SAFETY: no host memory; the place is valid.
        let buffer =
            unsafe { clCreateBuffer(self.context.0, cl::CL_MEM_READ_WRITE, size, null_mut(), &mut error) };
        assert_eq!(error, 0);
        Owned(buffer, clReleaseMemObject)
    }

    pub fn write(&self, buffer: &Owned, data: &[u32]) {
        let (size, data) = (size_of_val(data), data.as_ptr().cast());
        // SAFETY: as many bytes as there are.
        let code =
            unsafe { clEnqueueWriteBuffer(self.queue.0, buffer.0, 1, 0, size, data, 0, null(), null_mut()) };
        assert_eq!(code, 0);
    }

    pub fn read(&self, buffer: &Owned, count: usize) -> Vec<u32> {
        let mut data = vec![0u32; count];
        let place = data.as_mut_ptr().cast();
        // SAFETY: room for as many bytes.
        let code = unsafe {
            clEnqueueReadBuffer(self.queue.0, buffer.0, 1, 0, 4 * count, place, 0, null(), null_mut())
        };
        assert_eq!(code, 0);
        data
    }

    pub fn launch(&self, kernel: &Owned, global: &[usize], local: Option<&[usize]>) -> Code {
        self.launch_at(kernel, None, global, local)
    }

    pub fn launch_at(
        &self,
        kernel: &Owned,
        offset: Option<&[usize]>,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Code {
        let pointer = |list: Option<&[usize]>| list.map_or(null(), <[usize]>::as_ptr);
        let dims = global.len() as u32;
        // SAFETY: the lists have so many elements.
        unsafe {
            clEnqueueNDRangeKernel(
                self.queue.0,
                kernel.0,
                dims,
                pointer(offset),
                global.as_ptr(),
                pointer(local),
                0,
                null(),
                null_mut(),
            )
        }
    }

    pub fn finish(&self) -> Code {
        // SAFETY: a handle.
        unsafe { clFinish(self.queue.0) }
    }
}

pub fn program_info(program: &Owned, param: u32) -> Result<Vec<u8>, Code> {
    // SAFETY: the place has the size that it is said to have.
    query(|n, v, s| unsafe { clGetProgramInfo(program.0, param, n, v, s) })
}

pub fn kernel(program: &Owned, name: &str) -> Result<Owned, Code> {
    let name = CString::new(name).expect("no NUL");
    let mut error = 1;
    // SAFETY: a string; the place is valid.
    let kernel = unsafe { clCreateKernel(program.0, name.as_ptr(), &mut error) };
    if error == 0 { Ok(Owned(kernel, clReleaseKernel)) } else { Err(error) }
}

/// Sets an argument to a value.
pub fn set<T: Copy>(kernel: &Owned, index: u32, value: T) -> Code {
    // SAFETY: the value has its size.
    unsafe { clSetKernelArg(kernel.0, index, size_of::<T>(), (&raw const value).cast()) }
}

pub fn set_local(kernel: &Owned, index: u32, size: usize) -> Code {
    // SAFETY: no value.
    unsafe { clSetKernelArg(kernel.0, index, size, null()) }
}

pub fn kernel_info(kernel: &Owned, param: u32) -> Result<Vec<u8>, Code> {
    // SAFETY: the place has the size that it is said to have.
    query(|n, v, s| unsafe { clGetKernelInfo(kernel.0, param, n, v, s) })
}

pub fn arg_info(kernel: &Owned, index: u32, param: u32) -> Result<Vec<u8>, Code> {
    // SAFETY: the place has the size that it is said to have.
    query(|n, v, s| unsafe { clGetKernelArgInfo(kernel.0, index, param, n, v, s) })
}

pub fn group_info(kernel: &Owned, param: u32) -> Result<Vec<u8>, Code> {
    // SAFETY: the place has the size that it is said to have.
    query(|n, v, s| unsafe { clGetKernelWorkGroupInfo(kernel.0, null_mut(), param, n, v, s) })
}
