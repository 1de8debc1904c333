//! Optional parts of OpenCL that no device has: pipes (OpenCL API §5.4), native kernels (§5.11), device queues (§5.1). What the
//! queries say of them is in `device/info.rs`.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::context::Context;
use crate::device::Device;
use crate::error::{ensure, fail};
use crate::queue::Queue;
use crate::{ffi, handle};

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreatePipe = Some(clCreatePipe);
    table.clGetPipeInfo = Some(clGetPipeInfo);
    table.clEnqueueNativeKernel = Some(clEnqueueNativeKernel);
    table.clSetDefaultDeviceCommandQueue = Some(clSetDefaultDeviceCommandQueue);
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
    // SAFETY: the application's promise.
    unsafe {
        ffi::object("clCreatePipe", error, || {
            handle::get::<Context>(context)?;
            fail(cl::CL_INVALID_OPERATION)
        })
    }
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
    ffi::code("clGetPipeInfo", || fail(cl::CL_INVALID_MEM_OBJECT))
}

/// No device runs native kernels (§5.11, CL_EXEC_NATIVE_KERNEL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueNativeKernel(
    queue: cl::cl_command_queue,
    _user_func: Option<unsafe extern "C" fn(arg1: *mut c_void)>,
    _args: *mut c_void,
    _cb_args: usize,
    _num_mem_objects: cl::cl_uint,
    _mem_list: *const cl::cl_mem,
    _args_mem_loc: *mut *const c_void,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    ffi::code("clEnqueueNativeKernel", || {
        handle::get::<Queue>(queue)?;
        fail(cl::CL_INVALID_OPERATION)
    })
}

/// No device has queues of its own, nor a default one that could be replaced (§5.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetDefaultDeviceCommandQueue(
    context: cl::cl_context,
    device: cl::cl_device_id,
    _queue: cl::cl_command_queue,
) -> cl::cl_int {
    ffi::code("clSetDefaultDeviceCommandQueue", || {
        let context: Arc<Context> = handle::get(context)?;
        let device: Arc<Device> = handle::get(device)?;
        ensure(context.has(&device), cl::CL_INVALID_DEVICE)?;
        fail(cl::CL_INVALID_OPERATION)
    })
}
