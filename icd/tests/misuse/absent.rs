//! Functions of features and extensions that no device has: images, samplers, pipes, sub-groups, sharing
//! with other interfaces, and sharing of contexts that share nothing. They refuse, whatever they are given.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::extension::*;
use pumice::entry::gl::*;
use pumice::entry::image::*;
use pumice::entry::kernel::*;
use pumice::entry::pipe::*;

use crate::handles::no_sub_group_query;
use crate::objects::formats;
use crate::world::{Handle, Kind, Verdict, World, made};

pub fn absent(w: &World, v: &mut Verdict) {
    formats(w, v);
    image_commands(w, v);
    queries(w, v);
    sharing_objects(w, v);
    sharing_commands(w, v);
    sharing_devices(w, v);
}

type ImageCommand<'a> = (&'static str, Box<dyn Fn(Handle, Handle) -> i32 + 'a>);

/// §5.3.3 to §5.3.6: a buffer is no image.
fn image_commands(w: &World, v: &mut Verdict) {
    let (zero, one) = ([0usize; 3], [1usize; 3]);
    let (zero, one) = (zero.as_ptr(), one.as_ptr());
    let mut host = [0u64; 64];
    let host: *mut c_void = host.as_mut_ptr().cast();
    let (no, ev) = (null(), null_mut());
    let b = w.here.buffer;
    // SAFETY, of all: places are valid or NULL.
    let list: [ImageCommand; 7] = unsafe {
        [
            (
                "clEnqueueReadImage",
                Box::new(|q, m| clEnqueueReadImage(q, m, 1, zero, one, 0, 0, host, 0, no, ev)),
            ),
            (
                "clEnqueueWriteImage",
                Box::new(|q, m| clEnqueueWriteImage(q, m, 1, zero, one, 0, 0, host, 0, no, ev)),
            ),
            ("clEnqueueCopyImage", Box::new(|q, m| clEnqueueCopyImage(q, m, m, zero, zero, one, 0, no, ev))),
            (
                "clEnqueueCopyImageToBuffer",
                Box::new(|q, m| clEnqueueCopyImageToBuffer(q, m, b, zero, one, 0, 0, no, ev)),
            ),
            (
                "clEnqueueCopyBufferToImage",
                Box::new(|q, m| clEnqueueCopyBufferToImage(q, b, m, 0, zero, one, 0, no, ev)),
            ),
            ("clEnqueueFillImage", Box::new(|q, m| clEnqueueFillImage(q, m, host, zero, one, 0, no, ev))),
            (
                "clEnqueueMapImage",
                Box::new(|q, m| {
                    made(|e| clEnqueueMapImage(q, m, 1, 1, zero, one, null_mut(), null_mut(), 0, no, ev, e))
                }),
            ),
        ]
    };
    for (name, call) in list {
        v.expect(name, "a buffer", call(w.here.queue, b), cl::CL_INVALID_MEM_OBJECT);
        for (what, bad) in w.bad(Kind::Memory) {
            v.expect(name, what, call(w.here.queue, bad), cl::CL_INVALID_MEM_OBJECT);
        }
        for (what, bad) in w.bad(Kind::Queue) {
            v.expect(name, what, call(bad, b), cl::CL_INVALID_COMMAND_QUEUE);
        }
    }
}

fn queries(w: &World, v: &mut Verdict) {
    let b = w.here.buffer;
    let (k, d) = (w.here.kernel, w.device);
    // SAFETY: places are NULL.
    unsafe {
        for param in [0, cl::CL_IMAGE_FORMAT, cl::CL_IMAGE_WIDTH] {
            let code = clGetImageInfo(b, param, 0, null_mut(), null_mut());
            v.expect("clGetImageInfo", format!("{param:#x} of a buffer"), code, cl::CL_INVALID_MEM_OBJECT);
        }
        let code = clGetPipeInfo(b, cl::CL_PIPE_PACKET_SIZE, 0, null_mut(), null_mut());
        v.expect("clGetPipeInfo", "a buffer", code, cl::CL_INVALID_MEM_OBJECT);
        let code = clGetGLObjectInfo(b, null_mut(), null_mut());
        v.expect("clGetGLObjectInfo", "a buffer of ours", code, cl::CL_INVALID_GL_OBJECT);
        let code = clGetGLTextureInfo(b, 0, 0, null_mut(), null_mut());
        v.expect("clGetGLTextureInfo", "a buffer of ours", code, cl::CL_INVALID_GL_OBJECT);
        // Without an input of the right size, and one that there is not (§5.9.4).
        let refused = no_sub_group_query(d);
        for param in [
            cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
            cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
            cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
            0,
        ] {
            let code = clGetKernelSubGroupInfo(k, d, param, 0, null(), 0, null_mut(), null_mut());
            v.expect("clGetKernelSubGroupInfo", format!("{param:#x}"), code, refused);
            let code = clGetKernelSubGroupInfoKHR(k, d, param, 0, null(), 0, null_mut(), null_mut());
            v.expect("clGetKernelSubGroupInfoKHR", format!("{param:#x}"), code, refused);
        }
        for (what, bad) in w.bad(Kind::Kernel) {
            let code = clGetKernelSubGroupInfoKHR(bad, d, 0, 0, null(), 0, null_mut(), null_mut());
            v.expect("clGetKernelSubGroupInfoKHR", what, code, cl::CL_INVALID_KERNEL);
        }
    }
}

/// A function that only the loader's table has.
///
/// # Safety
/// `F` is the type of the function of this name.
unsafe fn function<F: Copy>(name: &str) -> F {
    let text = std::ffi::CString::new(name).expect("no NUL");
    let text: &CStr = &text;
    // SAFETY: a string.
    let address = unsafe { clGetExtensionFunctionAddress(text.as_ptr()) };
    assert!(!address.is_null(), "{name}");
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the caller's promise.
    unsafe { std::mem::transmute_copy(&address) }
}

type Create3 = unsafe extern "C" fn(Handle, u64, *mut c_void, *mut i32) -> Handle;
type Create4 = unsafe extern "C" fn(Handle, u64, *mut c_void, u32, *mut i32) -> Handle;
type CreateSurface = unsafe extern "C" fn(Handle, u64, u32, *mut c_void, u32, *mut i32) -> Handle;
type CreateImage =
    unsafe extern "C" fn(Handle, *mut c_void, *mut c_void, u64, *const isize, *mut i32) -> Handle;
type EventOf1 = unsafe extern "C" fn(Handle, *mut c_void, *mut i32) -> Handle;
type EventOf2 = unsafe extern "C" fn(Handle, *mut c_void, *mut c_void, *mut i32) -> Handle;

fn sharing_objects(w: &World, v: &mut Verdict) {
    let none: *mut c_void = null_mut();
    type Call = Box<dyn Fn(Handle) -> i32>;
    // With what it gives for a context that shares nothing.
    let mut list: Vec<(&str, i32, Call)> = Vec::new();
    let absent = cl::CL_INVALID_OPERATION;
    let no_egl = cl::cl_egl::CL_INVALID_EGL_OBJECT_KHR;
    // SAFETY, of all: the types are those of the functions; places are valid or NULL.
    unsafe {
        for name in ["clCreateFromD3D10BufferKHR", "clCreateFromD3D11BufferKHR"] {
            let f: Create3 = function(name);
            list.push((name, absent, Box::new(move |c| made(|e| f(c, 0, none, e)))));
        }
        for name in [
            "clCreateFromD3D10Texture2DKHR",
            "clCreateFromD3D10Texture3DKHR",
            "clCreateFromD3D11Texture2DKHR",
            "clCreateFromD3D11Texture3DKHR",
        ] {
            let f: Create4 = function(name);
            list.push((name, absent, Box::new(move |c| made(|e| f(c, 0, none, 0, e)))));
        }
        let f: CreateSurface = function("clCreateFromDX9MediaSurfaceKHR");
        list.push((
            "clCreateFromDX9MediaSurfaceKHR",
            absent,
            Box::new(move |c| made(|e| f(c, 0, 0, none, 0, e))),
        ));
        let f: CreateImage = function("clCreateFromEGLImageKHR");
        let call: Call = Box::new(move |c| made(|e| f(c, none, none, 1 << 40, null(), e)));
        list.push(("clCreateFromEGLImageKHR", cl::CL_INVALID_VALUE, call));
        let f: EventOf1 = function("clCreateEventFromGLsyncKHR");
        list.push((
            "clCreateEventFromGLsyncKHR",
            cl::CL_INVALID_CONTEXT,
            Box::new(move |c| made(|e| f(c, none, e))),
        ));
        let f: EventOf2 = function("clCreateEventFromEGLSyncKHR");
        list.push(("clCreateEventFromEGLSyncKHR", no_egl, Box::new(move |c| made(|e| f(c, none, none, e)))));
    }
    for (name, code, call) in list {
        v.expect(name, "a context without sharing", call(w.here.context), code);
        for (what, bad) in w.bad(Kind::Context) {
            v.expect(name, what, call(bad), cl::CL_INVALID_CONTEXT);
        }
    }
}

type Objects = unsafe extern "C" fn(Handle, u32, *const Handle, u32, *const Handle, *mut Handle) -> i32;

fn sharing_commands(w: &World, v: &mut Verdict) {
    for name in [
        "clEnqueueAcquireGLObjects",
        "clEnqueueReleaseGLObjects",
        "clEnqueueAcquireD3D10ObjectsKHR",
        "clEnqueueReleaseD3D10ObjectsKHR",
        "clEnqueueAcquireD3D11ObjectsKHR",
        "clEnqueueReleaseD3D11ObjectsKHR",
        "clEnqueueAcquireDX9MediaSurfacesKHR",
        "clEnqueueReleaseDX9MediaSurfacesKHR",
        "clEnqueueAcquireEGLObjectsKHR",
        "clEnqueueReleaseEGLObjectsKHR",
    ] {
        let b = w.here.buffer;
        // SAFETY: the type is that of the functions; the list has one element.
        let call = |q| unsafe { function::<Objects>(name)(q, 1, &b, 0, null(), null_mut()) };
        let code = match name {
            _ if name.ends_with("GLObjects") => cl::CL_INVALID_CONTEXT,
            _ if name.contains("EGL") => cl::cl_egl::CL_INVALID_EGL_OBJECT_KHR,
            _ => cl::CL_INVALID_OPERATION,
        };
        v.expect(name, "a buffer of ours", call(w.here.queue), code);
        for (what, bad) in w.bad(Kind::Queue) {
            v.expect(name, what, call(bad), cl::CL_INVALID_COMMAND_QUEUE);
        }
    }
}

type DevicesOf = unsafe extern "C" fn(Handle, u32, *mut c_void, u32, u32, *mut Handle, *mut u32) -> i32;
type AdaptersOf =
    unsafe extern "C" fn(Handle, u32, *mut u32, *mut c_void, u32, u32, *mut Handle, *mut u32) -> i32;
type Query = unsafe extern "C" fn(*const isize, u32, usize, *mut c_void, *mut usize) -> i32;

fn sharing_devices(w: &World, v: &mut Verdict) {
    let mut n = 0;
    let n = &raw mut n;
    type Call = Box<dyn Fn(Handle) -> i32>;
    let mut list: Vec<(&str, Call)> = Vec::new();
    // SAFETY, of all: the types are those of the functions; places are valid or NULL.
    unsafe {
        for name in ["clGetDeviceIDsFromD3D10KHR", "clGetDeviceIDsFromD3D11KHR"] {
            let f: DevicesOf = function(name);
            list.push((name, Box::new(move |p| f(p, 0, null_mut(), 0, 0, null_mut(), n))));
        }
        let name = "clGetDeviceIDsFromDX9MediaAdapterKHR";
        let f: AdaptersOf = function(name);
        list.push((name, Box::new(move |p| f(p, 0, null_mut(), null_mut(), 0, 0, null_mut(), n))));
    }
    for (name, call) in list {
        v.expect(name, "no sharing", call(w.platform), cl::CL_INVALID_OPERATION);
        for (what, bad) in w.bad(Kind::Platform) {
            v.expect(name, what, call(bad), cl::CL_INVALID_PLATFORM);
        }
    }
    // SAFETY: as above.
    unsafe {
        let f: Query = function("clGetGLContextInfoKHR");
        let code = f([0].as_ptr(), 0x2006, 0, null_mut(), null_mut());
        let none = cl::CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
        v.expect("clGetGLContextInfoKHR", "no sharing", code, none);
        let code = f(null(), 0, 0, null_mut(), null_mut());
        v.expect("clGetGLContextInfoKHR", "no properties", code, none);
    }
}
