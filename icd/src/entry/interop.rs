//! Sharing with OpenGL, EGL and Direct3D: extensions that no device has. Functions that a stock libOpenCL exports are
//! exported here; all are in the loader's table, so that a program that calls one unasked gets an error.

use std::ffi::c_void;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::{ClResult, fail};
use crate::abi::handle;
use crate::device::context::Context;
use crate::device::platform;
use crate::device::queue::Queue;
use crate::entry::guard;
use crate::entry::guard::entry;
use crate::memory::Memory;

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateFromGLBuffer = Some(clCreateFromGLBuffer);
    table.clCreateFromGLTexture = Some(clCreateFromGLTexture);
    table.clCreateFromGLTexture2D = Some(clCreateFromGLTexture2D);
    table.clCreateFromGLTexture3D = Some(clCreateFromGLTexture3D);
    table.clCreateFromGLRenderbuffer = Some(clCreateFromGLRenderbuffer);
    table.clGetGLObjectInfo = Some(clGetGLObjectInfo);
    table.clGetGLTextureInfo = Some(clGetGLTextureInfo);
    table.clEnqueueAcquireGLObjects = Some(clEnqueueAcquireGLObjects);
    table.clEnqueueReleaseGLObjects = Some(clEnqueueReleaseGLObjects);
    table.clGetGLContextInfoKHR = Some(clGetGLContextInfoKHR);
    table.clCreateEventFromGLsyncKHR = Some(clCreateEventFromGLsyncKHR);
    table.clGetDeviceIDsFromD3D10KHR = Some(devices_of_d3d);
    table.clGetDeviceIDsFromD3D11KHR = Some(devices_of_d3d);
    table.clGetDeviceIDsFromDX9MediaAdapterKHR = Some(devices_of_dx9);
    table.clCreateFromD3D10BufferKHR = Some(buffer_of_d3d);
    table.clCreateFromD3D11BufferKHR = Some(buffer_of_d3d);
    table.clCreateFromD3D10Texture2DKHR = Some(texture_of_d3d);
    table.clCreateFromD3D10Texture3DKHR = Some(texture_of_d3d);
    table.clCreateFromD3D11Texture2DKHR = Some(texture_of_d3d);
    table.clCreateFromD3D11Texture3DKHR = Some(texture_of_d3d);
    table.clCreateFromDX9MediaSurfaceKHR = Some(surface_of_dx9);
    table.clEnqueueAcquireD3D10ObjectsKHR = Some(clEnqueueAcquireGLObjects);
    table.clEnqueueReleaseD3D10ObjectsKHR = Some(clEnqueueAcquireGLObjects);
    table.clEnqueueAcquireD3D11ObjectsKHR = Some(clEnqueueAcquireGLObjects);
    table.clEnqueueReleaseD3D11ObjectsKHR = Some(clEnqueueAcquireGLObjects);
    table.clEnqueueAcquireDX9MediaSurfacesKHR = Some(clEnqueueAcquireGLObjects);
    table.clEnqueueReleaseDX9MediaSurfacesKHR = Some(clEnqueueAcquireGLObjects);
    table.clEnqueueAcquireEGLObjectsKHR = Some(clEnqueueAcquireEGLObjectsKHR);
    table.clEnqueueReleaseEGLObjectsKHR = Some(clEnqueueReleaseEGLObjectsKHR);
    table.clCreateFromEGLImageKHR = Some(clCreateFromEGLImageKHR);
    table.clCreateEventFromEGLSyncKHR = Some(clCreateEventFromEGLSyncKHR);
}

/// No context shares objects with another interface.
fn refuse_in<T>(context: cl::cl_context) -> ClResult<T> {
    handle::get::<Context>(context)?;
    fail(cl::CL_INVALID_OPERATION)
}

/// No queue hands objects to another interface.
fn refuse_on<T>(queue: cl::cl_command_queue) -> ClResult<T> {
    handle::get::<Queue>(queue)?;
    fail(cl::CL_INVALID_OPERATION)
}

/// Sharing with OpenGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLBuffer(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _bufobj: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLBuffer, error, refuse_in(context))
}

/// Sharing with OpenGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLTexture(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _target: cl::cl_GLenum,
    _miplevel: cl::cl_GLint,
    _texture: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLTexture, error, refuse_in(context))
}

/// Sharing with OpenGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLTexture2D(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _target: cl::cl_GLenum,
    _miplevel: cl::cl_GLint,
    _texture: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLTexture2D, error, refuse_in(context))
}

/// Sharing with OpenGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLTexture3D(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _target: cl::cl_GLenum,
    _miplevel: cl::cl_GLint,
    _texture: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLTexture3D, error, refuse_in(context))
}

/// Sharing with OpenGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLRenderbuffer(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _renderbuffer: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLRenderbuffer, error, refuse_in(context))
}

/// No memory object was made from one of OpenGL.
fn no_gl_object(memory: cl::cl_mem) -> ClResult<()> {
    handle::get::<Memory>(memory)?;
    fail(cl::CL_INVALID_GL_OBJECT)
}

/// No memory object was made from one of OpenGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetGLObjectInfo(
    memobj: cl::cl_mem,
    _gl_object_type: *mut cl::cl_gl_object_type,
    _gl_object_name: *mut cl::cl_GLuint,
) -> cl::cl_int {
    entry!(clGetGLObjectInfo, no_gl_object(memobj))
}

/// No memory object was made from one of OpenGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetGLTextureInfo(
    memobj: cl::cl_mem,
    _param: cl::cl_gl_texture_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetGLTextureInfo, no_gl_object(memobj))
}

/// Sharing with OpenGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueAcquireGLObjects(
    queue: cl::cl_command_queue,
    _num_objects: cl::cl_uint,
    _mem_objects: *const cl::cl_mem,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueAcquireGLObjects, refuse_on(queue))
}

/// Sharing with OpenGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReleaseGLObjects(
    queue: cl::cl_command_queue,
    _num_objects: cl::cl_uint,
    _mem_objects: *const cl::cl_mem,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueReleaseGLObjects, refuse_on(queue))
}

/// Sharing with EGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueAcquireEGLObjectsKHR(
    queue: cl::cl_command_queue,
    _num_objects: cl::cl_uint,
    _mem_objects: *const cl::cl_mem,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueAcquireEGLObjectsKHR, refuse_on(queue))
}

/// Sharing with EGL is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReleaseEGLObjectsKHR(
    queue: cl::cl_command_queue,
    _num_objects: cl::cl_uint,
    _mem_objects: *const cl::cl_mem,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueReleaseEGLObjectsKHR, refuse_on(queue))
}

/// Sharing is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetGLContextInfoKHR(
    _properties: *const cl::cl_context_properties,
    _param: cl::cl_gl_context_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetGLContextInfoKHR, fail(cl::CL_INVALID_OPERATION))
}

/// Sharing is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateEventFromGLsyncKHR(
    context: cl::cl_context,
    _sync: cl::cl_GLsync,
    error: *mut cl::cl_int,
) -> cl::cl_event {
    entry!(clCreateEventFromGLsyncKHR, error, refuse_in(context))
}

/// Sharing is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateEventFromEGLSyncKHR(
    context: cl::cl_context,
    _sync: cl::cl_egl::CLeglSyncKHR,
    _display: cl::cl_egl::CLeglDisplayKHR,
    error: *mut cl::cl_int,
) -> cl::cl_event {
    entry!(clCreateEventFromEGLSyncKHR, error, refuse_in(context))
}

/// Sharing is not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromEGLImageKHR(
    context: cl::cl_context,
    _egldisplay: cl::cl_egl::CLeglDisplayKHR,
    _eglimage: cl::cl_egl::CLeglImageKHR,
    _flags: cl::cl_mem_flags,
    _properties: *const cl::cl_egl::cl_egl_image_properties_khr,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromEGLImageKHR, error, refuse_in(context))
}

/// clGetDeviceIDsFromD3D10KHR and its successor.
unsafe extern "C" fn devices_of_d3d(
    platform: cl::cl_platform_id,
    _d3d_device_source: cl::cl_d3d10::cl_d3d10_device_source_khr,
    _d3d_object: *mut c_void,
    _d3d_device_set: cl::cl_d3d10::cl_d3d10_device_set_khr,
    _num_entries: cl::cl_uint,
    _devices: *mut cl::cl_device_id,
    _num_devices: *mut cl::cl_uint,
) -> cl::cl_int {
    entry!(clGetDeviceIDsFromD3D10KHR, {
        platform::check(platform)?;
        fail(cl::CL_INVALID_OPERATION)
    })
}

/// clGetDeviceIDsFromDX9MediaAdapterKHR.
unsafe extern "C" fn devices_of_dx9(
    platform: cl::cl_platform_id,
    _num_media_adapters: cl::cl_uint,
    _media_adapter_type: *mut cl::cl_dx9_media_sharing::cl_dx9_media_adapter_type_khr,
    _media_adapters: *mut c_void,
    _media_adapter_set: cl::cl_dx9_media_sharing::cl_dx9_media_adapter_set_khr,
    _num_entries: cl::cl_uint,
    _devices: *mut cl::cl_device_id,
    _num_devices: *mut cl::cl_uint,
) -> cl::cl_int {
    entry!(clGetDeviceIDsFromDX9MediaAdapterKHR, {
        platform::check(platform)?;
        fail(cl::CL_INVALID_OPERATION)
    })
}

/// clCreateFromD3D10BufferKHR and its successor.
unsafe extern "C" fn buffer_of_d3d(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _resource: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the application's promise.
    unsafe { guard::object("clCreateFromD3D10BufferKHR", error, || refuse_in(context)) }
}

/// clCreateFromD3D10Texture2DKHR and its kin.
unsafe extern "C" fn texture_of_d3d(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _resource: *mut c_void,
    _subresource: cl::cl_uint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the application's promise.
    unsafe { guard::object("clCreateFromD3D10Texture2DKHR", error, || refuse_in(context)) }
}

/// clCreateFromDX9MediaSurfaceKHR.
unsafe extern "C" fn surface_of_dx9(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _adapter_type: cl::cl_dx9_media_sharing::cl_dx9_media_adapter_type_khr,
    _surface_info: *mut c_void,
    _plane: cl::cl_uint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the application's promise.
    unsafe { guard::object("clCreateFromDX9MediaSurfaceKHR", error, || refuse_in(context)) }
}
