//! Pipes (OpenCL API §5.4): buffers whose contents kernels alone see. `lower/src/pipes` has their layout.

use std::ffi::c_void;

use frontend::options::Features;
use lower::pipes::PipeLayout;
use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::{ensure, fail};
use crate::abi::handle;
use crate::abi::param_value::ParamValue;
use crate::device::context::Context;
use crate::entry::guard::entry;
use crate::memory::Memory;

/// CL_DEVICE_PIPE_MAX_PACKET_SIZE. Packets are copied by loops, so that larger ones would be slow alone.
pub(crate) const MAX_PACKET_SIZE: u32 = 64 << 10;
/// CL_DEVICE_MAX_PIPE_ARGS: the minimum. A pipe is an argument as any buffer.
pub(crate) const MAX_PIPE_ARGS: u32 = 16;

/// CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: a reservation takes no memory, so this is a number that no work-item reaches.
pub(crate) const MAX_RESERVATIONS: u32 = 1 << 16;

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreatePipe = Some(clCreatePipe);
    table.clGetPipeInfo = Some(clGetPipeInfo);
}

/// Creates an empty pipe (§5.4.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreatePipe(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    packet_bytes: cl::cl_uint,
    packets: cl::cl_uint,
    properties: *const cl::cl_pipe_properties,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreatePipe, error, {
        let context = handle::get::<Context>(context)?;
        let has_pipes = context.devices.iter().any(|d| d.caps.language.contains(Features::PIPES));
        ensure(has_pipes, cl::CL_INVALID_OPERATION)?;
        // "Only CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS can be specified", which is also what 0 means.
        let all = cl::CL_MEM_READ_WRITE | cl::CL_MEM_HOST_NO_ACCESS;
        ensure(flags & !all == 0, cl::CL_INVALID_VALUE)?;
        // "properties must be NULL": a list that says nothing is taken, too.
        // SAFETY: the list is NULL or ends with 0 by the caller's promise.
        ensure(properties.is_null() || unsafe { properties.read_unaligned() } == 0, cl::CL_INVALID_VALUE)?;
        let has_size = (1..=MAX_PACKET_SIZE).contains(&packet_bytes) && packets > 0;
        ensure(has_size, cl::CL_INVALID_PIPE_SIZE)?;
        let flags = if flags == 0 { all } else { flags };
        Memory::create_pipe(&context, flags, PipeLayout { packet_bytes, packets })
    })
}

/// Answers a query about a pipe (§5.4.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPipeInfo(
    pipe: cl::cl_mem,
    param: cl::cl_pipe_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetPipeInfo, {
        let memory = handle::get::<Memory>(pipe)?;
        let Some(layout) = memory.pipe else { return fail(cl::CL_INVALID_MEM_OBJECT) };
        let reply = match param {
            cl::CL_PIPE_PACKET_SIZE => ParamValue::uint(layout.packet_bytes),
            cl::CL_PIPE_MAX_PACKETS => ParamValue::uint(layout.packets),
            cl::CL_PIPE_PROPERTIES => ParamValue(Vec::new()),
            _ => return fail(cl::CL_INVALID_VALUE),
        };
        reply.give(size, value, size_ret)
    })
}
