//! Buffers (OpenCL API §5.2.1) and what all memory objects have (§5.5.1, §5.5.6).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::callbacks::{DestructorFunction, in_release};
use crate::abi::error::{ClError, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::CL_MEM_DEVICE_HANDLE_LIST_KHR;
use crate::abi::{ffi, handle};
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::memory::Memory;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![clImportMemoryARM];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateBuffer = Some(clCreateBuffer);
    table.clCreateBufferWithProperties = Some(clCreateBufferWithProperties);
    table.clCreateSubBuffer = Some(clCreateSubBuffer);
    table.clRetainMemObject = Some(clRetainMemObject);
    table.clReleaseMemObject = Some(clReleaseMemObject);
    table.clGetMemObjectInfo = Some(clGetMemObjectInfo);
    table.clSetMemObjectDestructorCallback = Some(clSetMemObjectDestructorCallback);
}

/// Makes a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateBuffer(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateBuffer, error, {
        let context = handle::get(context)?;
        Memory::create(&context, Vec::new(), flags, size, host_ptr)
    })
}

/// Makes a buffer with properties.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateBufferWithProperties(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateBufferWithProperties, error, {
        let context = handle::get(context)?;
        Memory::create(&context, memory_properties(properties), flags, size, host_ptr)
    })
}

/// The properties of a new buffer or image.
///
/// # Safety
/// The list is NULL or ends with a 0.
pub(crate) unsafe fn memory_properties(list: *const cl::cl_mem_properties) -> Vec<cl::cl_mem_properties> {
    // SAFETY: by the caller's promise.
    unsafe { ffi::properties_with_lists(list, &[CL_MEM_DEVICE_HANDLE_LIST_KHR]) }
}

/// Makes a buffer of a part of a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSubBuffer(
    buffer: cl::cl_mem,
    flags: cl::cl_mem_flags,
    create_type: cl::cl_buffer_create_type,
    create_info: *const c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateSubBuffer, error, {
        let buffer: Arc<Memory> = handle::get(buffer)?;
        ensure(create_type == cl::CL_BUFFER_CREATE_TYPE_REGION, cl::CL_INVALID_VALUE)?;
        ensure(!create_info.is_null(), cl::CL_INVALID_VALUE)?;
        // SAFETY: not NULL; for this type it points to a region.
        let region = create_info.cast::<cl::cl_buffer_region>().read_unaligned();
        buffer.create_sub(flags, region.origin, region.size)
    })
}

/// Makes a buffer of memory of the host, or of a dma-buf (cl_arm_import_memory).
///
/// # Safety
/// The list is NULL or ends with a 0; `memory` points to `size` bytes that stay as long as the buffer, or to a descriptor; the place is valid, or
/// NULL.
pub unsafe extern "C" fn clImportMemoryARM(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    properties: *const cl::cl_import_properties_arm,
    memory: *mut c_void,
    size: usize,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clImportMemoryARM, error, {
        let context = handle::get(context)?;
        Memory::import(&context, flags, &ffi::properties(properties), memory, size)
    })
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainMemObject(object: cl::cl_mem) -> cl::cl_int {
    entry!(clRetainMemObject, handle::retain::<Memory>(object))
}

/// One reference less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseMemObject(object: cl::cl_mem) -> cl::cl_int {
    entry!(clReleaseMemObject, in_release(|| handle::release::<Memory>(object).map(drop)))
}

/// Answers a query about a memory object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetMemObjectInfo(
    object: cl::cl_mem,
    param: cl::cl_mem_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetMemObjectInfo, {
        let reply = handle::get::<Memory>(object)?.info(param)?;
        reply.give(size, value, size_ret)
    })
}

/// Registers a function that is called when the object is deleted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetMemObjectDestructorCallback(
    object: cl::cl_mem,
    notify: Option<DestructorFunction>,
    user_data: *mut c_void,
) -> cl::cl_int {
    entry!(clSetMemObjectDestructorCallback, {
        let object = handle::get::<Memory>(object)?;
        let notify = notify.ok_or(ClError(cl::CL_INVALID_VALUE))?;
        object.on_destruction((notify, UserPointer(user_data)));
        Ok(())
    })
}
