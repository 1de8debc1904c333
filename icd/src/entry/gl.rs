//! Sharing with OpenGL and EGL (cl_khr_gl_sharing, cl_khr_gl_event, cl_khr_egl_image, cl_khr_egl_event). All functions are in the table of the ICD loader,
//! and those that a stock libOpenCL exports are exported.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi;
use crate::abi::handle;
use crate::abi::param_value::ParamValue;
use crate::commands::gl::{Api, change_owner};
use crate::commands::request::Request;
use crate::device::Device;
use crate::device::context::Context;
use crate::device::event::Event;
use crate::device::gl::fences::Fence;
use crate::device::gl::objects::Shape;
use crate::device::gl::{Foreign, Gl};
use crate::device::platform::platform;
use crate::device::queue::Queue;
use crate::entry::context::{Properties, read_properties};
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
    table.clEnqueueAcquireEGLObjectsKHR = Some(clEnqueueAcquireEGLObjectsKHR);
    table.clEnqueueReleaseEGLObjectsKHR = Some(clEnqueueReleaseEGLObjectsKHR);
    table.clCreateFromEGLImageKHR = Some(clCreateFromEGLImageKHR);
    table.clCreateEventFromEGLSyncKHR = Some(clCreateEventFromEGLSyncKHR);
}

/// Makes a buffer of a buffer of OpenGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLBuffer(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    buffer: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLBuffer, error, Memory::of_gl_buffer(&handle::get(context)?, flags, buffer))
}

/// Makes an image of a texture of OpenGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLTexture(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    target: cl::cl_GLenum,
    level: cl::cl_GLint,
    texture: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLTexture, error, {
        Memory::of_gl_texture(&handle::get(context)?, flags, (target, level, texture), None)
    })
}

/// Makes an image of a two-dimensional texture (OpenCL 1.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLTexture2D(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    target: cl::cl_GLenum,
    level: cl::cl_GLint,
    texture: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLTexture2D, error, {
        Memory::of_gl_texture(&handle::get(context)?, flags, (target, level, texture), Some(Shape::Two))
    })
}

/// Makes an image of a three-dimensional texture (OpenCL 1.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLTexture3D(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    target: cl::cl_GLenum,
    level: cl::cl_GLint,
    texture: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLTexture3D, error, {
        Memory::of_gl_texture(&handle::get(context)?, flags, (target, level, texture), Some(Shape::Three))
    })
}

/// Makes an image of a renderbuffer of OpenGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromGLRenderbuffer(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    renderbuffer: cl::cl_GLuint,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromGLRenderbuffer, error, {
        Memory::of_gl_renderbuffer(&handle::get(context)?, flags, renderbuffer)
    })
}

/// Tells which object of OpenGL a memory object was made of.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetGLObjectInfo(
    memory: cl::cl_mem,
    kind: *mut cl::cl_gl_object_type,
    name: *mut cl::cl_GLuint,
) -> cl::cl_int {
    entry!(clGetGLObjectInfo, {
        let (kind_of, name_of) = handle::get::<Memory>(memory)?.gl_object()?;
        ffi::write(kind, kind_of);
        ffi::write(name, name_of);
        Ok(())
    })
}

/// Answers a query about the texture that an image was made of.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetGLTextureInfo(
    memory: cl::cl_mem,
    param: cl::cl_gl_texture_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetGLTextureInfo, {
        let reply = handle::get::<Memory>(memory)?.gl_texture_info(param)?;
        ensure(!value.is_null() || !size_ret.is_null(), cl::CL_INVALID_VALUE)?;
        reply.give(size, value, size_ret)
    })
}

/// Takes objects of OpenGL over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueAcquireGLObjects(
    queue: cl::cl_command_queue,
    object_count: cl::cl_uint,
    objects: *const cl::cl_mem,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueAcquireGLObjects, {
        let command = cl::CL_COMMAND_ACQUIRE_GL_OBJECTS;
        enqueue(queue, (object_count, objects), (Api::Gl, true), (command, count, list, event))
    })
}

/// Gives objects back to OpenGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReleaseGLObjects(
    queue: cl::cl_command_queue,
    object_count: cl::cl_uint,
    objects: *const cl::cl_mem,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueReleaseGLObjects, {
        let command = cl::CL_COMMAND_RELEASE_GL_OBJECTS;
        enqueue(queue, (object_count, objects), (Api::Gl, false), (command, count, list, event))
    })
}

/// Takes objects of EGL over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueAcquireEGLObjectsKHR(
    queue: cl::cl_command_queue,
    object_count: cl::cl_uint,
    objects: *const cl::cl_mem,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueAcquireEGLObjectsKHR, {
        let command = cl::cl_egl::CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR;
        enqueue(queue, (object_count, objects), (Api::Egl, true), (command, count, list, event))
    })
}

/// Gives objects back to EGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReleaseEGLObjectsKHR(
    queue: cl::cl_command_queue,
    object_count: cl::cl_uint,
    objects: *const cl::cl_mem,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueReleaseEGLObjectsKHR, {
        let command = cl::cl_egl::CL_COMMAND_RELEASE_EGL_OBJECTS_KHR;
        enqueue(queue, (object_count, objects), (Api::Egl, false), (command, count, list, event))
    })
}

/// # Safety
/// The lists have as many elements as is said, or are NULL; the event's place is valid, or NULL.
unsafe fn enqueue(
    queue: cl::cl_command_queue,
    (object_count, objects): (cl::cl_uint, *const cl::cl_mem),
    change: (Api, bool),
    (command, count, list, event): (cl::cl_command_type, cl::cl_uint, *const cl::cl_event, *mut cl::cl_event),
) -> ClResult<()> {
    let queue: Arc<Queue> = handle::get(queue)?;
    ensure((object_count == 0) == objects.is_null(), cl::CL_INVALID_VALUE)?;
    // SAFETY: by the caller's promise.
    let objects = unsafe { handle::get_all::<Memory>(object_count, objects) }
        .map_err(|_| ClError(cl::CL_INVALID_MEM_OBJECT))?;
    // SAFETY: by the caller's promise.
    let request = unsafe { Request::new(&queue, command, false, count, list, event) }?;
    change_owner(&queue, request, objects, change)
}

/// Makes an image of an EGLImage.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateFromEGLImageKHR(
    context: cl::cl_context,
    display: cl::cl_egl::CLeglDisplayKHR,
    image: cl::cl_egl::CLeglImageKHR,
    flags: cl::cl_mem_flags,
    properties: *const cl::cl_egl::cl_egl_image_properties_khr,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateFromEGLImageKHR, error, {
        let context: Arc<Context> = handle::get(context)?;
        // There are no properties.
        ensure(ffi::properties(properties).len() <= 1, cl::CL_INVALID_VALUE)?;
        Memory::of_egl_image(&context, flags, Foreign(display), Foreign(image))
    })
}

/// Makes an event of a sync object of OpenGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateEventFromGLsyncKHR(
    context: cl::cl_context,
    sync: cl::cl_GLsync,
    error: *mut cl::cl_int,
) -> cl::cl_event {
    entry!(clCreateEventFromGLsyncKHR, error, {
        let context: Arc<Context> = handle::get(context)?;
        let gl = context.gl().ok_or(ClError(cl::CL_INVALID_CONTEXT))?.clone();
        let sync = Foreign(sync);
        gl.flush_here();
        gl.check_fence(sync)?;
        Event::of_fence(context, &gl, Fence::Gl(sync))
    })
}

/// Makes an event of a sync object of EGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateEventFromEGLSyncKHR(
    context: cl::cl_context,
    sync: cl::cl_egl::CLeglSyncKHR,
    display: cl::cl_egl::CLeglDisplayKHR,
    error: *mut cl::cl_int,
) -> cl::cl_event {
    entry!(clCreateEventFromEGLSyncKHR, error, {
        let context: Arc<Context> = handle::get(context)?;
        let wrong = ClError(cl::cl_egl::CL_INVALID_EGL_OBJECT_KHR);
        let gl = context.gl_of_display(Foreign(display)).map_err(|_| wrong)?;
        let sync = Foreign(sync);
        gl.flush_here();
        gl.check_egl_fence(sync)?;
        Event::of_fence(context, &gl, Fence::Egl(sync))
    })
}

/// Tells which devices share with a context of OpenGL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetGLContextInfoKHR(
    properties: *const cl::cl_context_properties,
    param: cl::cl_gl_context_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetGLContextInfoKHR, {
        let Properties { sharing, .. } = read_properties(properties).map_err(|e| match e.0 {
            cl::CL_INVALID_PROPERTY => ClError(cl::CL_INVALID_VALUE),
            _ => e,
        })?;
        let gl = sharing.start()?.ok_or(ClError(cl::CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR))?;
        let mut devices = devices_of(&gl)?;
        match param {
            cl::CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR => devices.truncate(1),
            cl::CL_DEVICES_FOR_GL_CONTEXT_KHR => {}
            _ => return fail(cl::CL_INVALID_VALUE),
        }
        ParamValue::handles(devices.iter().map(|d| d.raw())).give(size, value, size_ret)
    })
}

/// The devices that share with OpenGL, the one that it runs on first, if it says so: contents reach the others through the host.
fn devices_of(gl: &Gl) -> ClResult<Vec<Arc<Device>>> {
    let shares = |d: &&Arc<Device>| d.caps.extensions.iter().any(|(name, _)| *name == "cl_khr_gl_sharing");
    let mut devices: Vec<_> = platform()?.devices.iter().filter(shares).cloned().collect();
    let is_other =
        |d: &Arc<Device>| !gl.imports_from(d.caps.identity.device_uuid, d.caps.identity.driver_uuid);
    devices.sort_by_key(is_other);
    Ok(devices)
}
