//! Sharing with Direct3D: extensions that no device has. Their functions are in the loader's table, so that a program that calls one unasked gets
//! an error.

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

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
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
    table.clEnqueueAcquireD3D10ObjectsKHR = Some(change_owner_of_d3d);
    table.clEnqueueReleaseD3D10ObjectsKHR = Some(change_owner_of_d3d);
    table.clEnqueueAcquireD3D11ObjectsKHR = Some(change_owner_of_d3d);
    table.clEnqueueReleaseD3D11ObjectsKHR = Some(change_owner_of_d3d);
    table.clEnqueueAcquireDX9MediaSurfacesKHR = Some(change_owner_of_d3d);
    table.clEnqueueReleaseDX9MediaSurfacesKHR = Some(change_owner_of_d3d);
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

/// clEnqueueAcquireD3D10ObjectsKHR and its kin.
unsafe extern "C" fn change_owner_of_d3d(
    queue: cl::cl_command_queue,
    _num_objects: cl::cl_uint,
    _mem_objects: *const cl::cl_mem,
    _waits: cl::cl_uint,
    _wait_list: *const cl::cl_event,
    _event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueAcquireD3D10ObjectsKHR, refuse_on(queue))
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
