//! Pipes (OpenCL API §5.4), which no device has. The answers of queries about them are in `device/info.rs`.

use std::ffi::c_void;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::fail;
use crate::abi::handle;
use crate::device::context::Context;
use crate::entry::guard::entry;

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreatePipe = Some(clCreatePipe);
    table.clGetPipeInfo = Some(clGetPipeInfo);
}

/// No device supports pipes (§5.4.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreatePipe(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _pipe_packet_size: cl::cl_uint,
    _pipe_max_packets: cl::cl_uint,
    _properties: *const cl::cl_pipe_properties,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreatePipe, error, {
        handle::get::<Context>(context)?;
        fail(cl::CL_INVALID_OPERATION)
    })
}

/// No memory object is a pipe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPipeInfo(
    _pipe: cl::cl_mem,
    _param: cl::cl_pipe_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetPipeInfo, fail(cl::CL_INVALID_MEM_OBJECT))
}
