//! Images (OpenCL API §5.3) and samplers (§5.7), on devices that have none: CL_DEVICE_IMAGE_SUPPORT is false, and every function
//! returns what the specification says then.

use std::ffi::c_void;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::context::Context;
use crate::error::{ClResult, ensure, fail};
use crate::queue::Queue;
use crate::{ffi, handle};

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateImage = Some(clCreateImage);
    table.clCreateImageWithProperties = Some(clCreateImageWithProperties);
    table.clCreateImage2D = Some(clCreateImage2D);
    table.clCreateImage3D = Some(clCreateImage3D);
    table.clGetSupportedImageFormats = Some(clGetSupportedImageFormats);
    table.clGetImageInfo = Some(clGetImageInfo);
    table.clCreateSampler = Some(clCreateSampler);
    table.clCreateSamplerWithProperties = Some(clCreateSamplerWithProperties);
    table.clRetainSampler = Some(clRetainSampler);
    table.clReleaseSampler = Some(clReleaseSampler);
    table.clGetSamplerInfo = Some(clGetSamplerInfo);
    table.clEnqueueReadImage = Some(clEnqueueReadImage);
    table.clEnqueueWriteImage = Some(clEnqueueWriteImage);
    table.clEnqueueCopyImage = Some(clEnqueueCopyImage);
    table.clEnqueueCopyImageToBuffer = Some(clEnqueueCopyImageToBuffer);
    table.clEnqueueCopyBufferToImage = Some(clEnqueueCopyBufferToImage);
    table.clEnqueueFillImage = Some(clEnqueueFillImage);
    table.clEnqueueMapImage = Some(clEnqueueMapImage);
}

/// No device of any context supports images (§5.3.1, §5.7.1: CL_INVALID_OPERATION).
fn refuse_in<T>(context: cl::cl_context) -> ClResult<T> {
    handle::get::<Context>(context)?;
    fail(cl::CL_INVALID_OPERATION)
}

/// A command for an image: whatever handle it has, it is not that of an image (§5.3.3 and others).
fn no_image<T>(queue: cl::cl_command_queue) -> ClResult<T> {
    handle::get::<Queue>(queue)?;
    fail(cl::CL_INVALID_MEM_OBJECT)
}

/// Lists the formats of images: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetSupportedImageFormats(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    kind: cl::cl_mem_object_type,
    entries: cl::cl_uint,
    formats: *mut cl::cl_image_format,
    count: *mut cl::cl_uint,
) -> cl::cl_int {
    ffi::code("clGetSupportedImageFormats", || {
        handle::get::<Context>(context)?;
        ensure(are_flags(flags), cl::CL_INVALID_VALUE)?;
        let is_kind = matches!(
            kind,
            cl::CL_MEM_OBJECT_IMAGE2D
                | cl::CL_MEM_OBJECT_IMAGE3D
                | cl::CL_MEM_OBJECT_IMAGE2D_ARRAY
                | cl::CL_MEM_OBJECT_IMAGE1D
                | cl::CL_MEM_OBJECT_IMAGE1D_ARRAY
                | cl::CL_MEM_OBJECT_IMAGE1D_BUFFER
        );
        ensure(is_kind, cl::CL_INVALID_VALUE)?;
        ensure(entries > 0 || formats.is_null(), cl::CL_INVALID_VALUE)?;
        // SAFETY: the application's promise.
        unsafe { ffi::write(count, 0) };
        Ok(())
    })
}

/// Whether flags are valid for a query of formats: known ones, and at most one kind of access.
fn are_flags(flags: cl::cl_mem_flags) -> bool {
    const ACCESS: cl::cl_mem_flags = cl::CL_MEM_READ_WRITE
        | cl::CL_MEM_WRITE_ONLY
        | cl::CL_MEM_READ_ONLY
        | cl::CL_MEM_KERNEL_READ_AND_WRITE;
    const REST: cl::cl_mem_flags = cl::CL_MEM_USE_HOST_PTR
        | cl::CL_MEM_ALLOC_HOST_PTR
        | cl::CL_MEM_COPY_HOST_PTR
        | cl::CL_MEM_HOST_WRITE_ONLY
        | cl::CL_MEM_HOST_READ_ONLY
        | cl::CL_MEM_HOST_NO_ACCESS;
    flags & !(ACCESS | REST) == 0 && (flags & ACCESS).count_ones() <= 1
}

/// Images are not supported by any device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _image_format: *const cl::cl_image_format,
    _image_desc: *const cl::cl_image_desc,
    _host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the application's promise.
    unsafe { ffi::object("clCreateImage", error, || refuse_in(context)) }
}

/// As [`clCreateImage`], with properties.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImageWithProperties(
    context: cl::cl_context,
    _properties: *const cl::cl_mem_properties,
    _flags: cl::cl_mem_flags,
    _image_format: *const cl::cl_image_format,
    _image_desc: *const cl::cl_image_desc,
    _host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the application's promise.
    unsafe { ffi::object("clCreateImageWithProperties", error, || refuse_in(context)) }
}

/// As [`clCreateImage`], of OpenCL 1.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage2D(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _image_format: *const cl::cl_image_format,
    _image_width: usize,
    _image_height: usize,
    _image_row_pitch: usize,
    _host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the application's promise.
    unsafe { ffi::object("clCreateImage2D", error, || refuse_in(context)) }
}

/// As [`clCreateImage`], of OpenCL 1.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage3D(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _image_format: *const cl::cl_image_format,
    _image_width: usize,
    _image_height: usize,
    _image_depth: usize,
    _image_row_pitch: usize,
    _image_slice_pitch: usize,
    _host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the application's promise.
    unsafe { ffi::object("clCreateImage3D", error, || refuse_in(context)) }
}

/// Samplers belong to images.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSampler(
    context: cl::cl_context,
    _normalized_coords: cl::cl_bool,
    _addressing_mode: cl::cl_addressing_mode,
    _filter_mode: cl::cl_filter_mode,
    error: *mut cl::cl_int,
) -> cl::cl_sampler {
    // SAFETY: the application's promise.
    unsafe { ffi::object("clCreateSampler", error, || refuse_in(context)) }
}

/// As [`clCreateSampler`], with properties.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSamplerWithProperties(
    context: cl::cl_context,
    _sampler_properties: *const cl::cl_sampler_properties,
    error: *mut cl::cl_int,
) -> cl::cl_sampler {
    // SAFETY: the application's promise.
    unsafe { ffi::object("clCreateSamplerWithProperties", error, || refuse_in(context)) }
}

/// No memory object is an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetImageInfo(
    _image: cl::cl_mem,
    _param: cl::cl_image_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl::cl_int {
    ffi::code("clGetImageInfo", || fail(cl::CL_INVALID_MEM_OBJECT))
}

/// There are no samplers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainSampler(_sampler: cl::cl_sampler) -> cl::cl_int {
    ffi::code("clRetainSampler", || fail(cl::CL_INVALID_SAMPLER))
}

/// There are no samplers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseSampler(_sampler: cl::cl_sampler) -> cl::cl_int {
    ffi::code("clReleaseSampler", || fail(cl::CL_INVALID_SAMPLER))
}

/// There are no samplers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetSamplerInfo(
    _sampler: cl::cl_sampler,
    _param: cl::cl_sampler_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl::cl_int {
    ffi::code("clGetSamplerInfo", || fail(cl::CL_INVALID_SAMPLER))
}

/// No memory object is an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReadImage(
    queue: cl::cl_command_queue,
    _image: cl::cl_mem,
    _blocking_read: cl::cl_bool,
    _origin: *const usize,
    _region: *const usize,
    _row_pitch: usize,
    _slice_pitch: usize,
    _ptr: *mut c_void,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    ffi::code("clEnqueueReadImage", || no_image(queue))
}

/// No memory object is an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueWriteImage(
    queue: cl::cl_command_queue,
    _image: cl::cl_mem,
    _blocking_write: cl::cl_bool,
    _origin: *const usize,
    _region: *const usize,
    _input_row_pitch: usize,
    _input_slice_pitch: usize,
    _ptr: *const c_void,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    ffi::code("clEnqueueWriteImage", || no_image(queue))
}

/// No memory object is an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyImage(
    queue: cl::cl_command_queue,
    _src_image: cl::cl_mem,
    _dst_image: cl::cl_mem,
    _src_origin: *const usize,
    _dst_origin: *const usize,
    _region: *const usize,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    ffi::code("clEnqueueCopyImage", || no_image(queue))
}

/// No memory object is an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyImageToBuffer(
    queue: cl::cl_command_queue,
    _src_image: cl::cl_mem,
    _dst_buffer: cl::cl_mem,
    _src_origin: *const usize,
    _region: *const usize,
    _dst_offset: usize,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    ffi::code("clEnqueueCopyImageToBuffer", || no_image(queue))
}

/// No memory object is an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyBufferToImage(
    queue: cl::cl_command_queue,
    _src_buffer: cl::cl_mem,
    _dst_image: cl::cl_mem,
    _src_offset: usize,
    _dst_origin: *const usize,
    _region: *const usize,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    ffi::code("clEnqueueCopyBufferToImage", || no_image(queue))
}

/// No memory object is an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueFillImage(
    queue: cl::cl_command_queue,
    _image: cl::cl_mem,
    _fill_color: *const c_void,
    _origin: *const usize,
    _region: *const usize,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    ffi::code("clEnqueueFillImage", || no_image(queue))
}

/// No memory object is an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMapImage(
    queue: cl::cl_command_queue,
    _image: cl::cl_mem,
    _blocking_map: cl::cl_bool,
    _map_flags: cl::cl_map_flags,
    _origin: *const usize,
    _region: *const usize,
    _image_row_pitch: *mut usize,
    _image_slice_pitch: *mut usize,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
    error: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the application's promise.
    unsafe { ffi::object("clEnqueueMapImage", error, || no_image(queue)) }
}
