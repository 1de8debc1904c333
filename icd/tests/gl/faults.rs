//! Wrong objects, names and contexts: the errors of the specification, and nothing is lost.

use std::ptr::null_mut;

use opencl_sys::*;
use pumice::entry::context::clReleaseContext;
use pumice::entry::event::{clGetEventInfo, clReleaseEvent, clWaitForEvents};
use pumice::entry::gl::*;
use pumice::entry::queue::{clCreateCommandQueue, clFinish, clReleaseCommandQueue};

use crate::cl::{Handle, info, release};
use crate::peer::*;
use crate::{Both, context, descriptors};

const BYTES: (u32, u32) = (RGBA, UNSIGNED_BYTE);

/// What a texture and a buffer must not be.
#[test]
fn objects_that_are_none() {
    let Some(both) = Both::new() else { return };
    let peer = &both.peer;
    for name in [0, 77_777, u32::MAX] {
        assert_eq!(both.of_buffer(0, name), Err(CL_INVALID_GL_OBJECT));
        assert_eq!(both.of_texture(0, TEXTURE_2D, 0, name), Err(CL_INVALID_GL_OBJECT));
        assert_eq!(both.of_renderbuffer(0, name), Err(CL_INVALID_GL_OBJECT));
    }
    let empty = peer.name(c"glGenBuffers");
    peer.bind(c"glBindBuffer", 0x8892, empty);
    assert_eq!(both.of_buffer(0, empty), Err(CL_INVALID_GL_OBJECT), "no memory");
    let buffer = peer.buffer(&[1; 64]);
    for flags in [CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 1 << 40] {
        assert_eq!(both.of_buffer(flags, buffer), Err(CL_INVALID_VALUE), "{flags:#x}");
    }
    let bare = peer.texture(TEXTURE_2D);
    assert_eq!(both.of_texture(0, TEXTURE_2D, 0, bare), Err(CL_INVALID_GL_OBJECT), "no texels");
    let name = peer.texture(TEXTURE_2D);
    peer.image_2d(TEXTURE_2D, 0, RGBA8, [8, 8], BYTES, &[]);
    assert_eq!(both.of_texture(0, TEXTURE_3D, 0, name), Err(CL_INVALID_GL_OBJECT), "another kind");
    assert_eq!(both.of_texture(0, TEXTURE_CUBE_MAP, 0, name), Err(CL_INVALID_VALUE), "no face");
    assert_eq!(both.of_texture(0, 0x1234, 0, name), Err(CL_INVALID_VALUE));
    assert_eq!(both.of_texture(0, TEXTURE_2D, 4, name), Err(CL_INVALID_MIP_LEVEL));
    assert_eq!(both.of_texture(0, TEXTURE_2D, -2, bare), Err(CL_INVALID_GL_OBJECT));
    assert_eq!(both.of_texture(0, TEXTURE_2D, 1, name), Err(CL_INVALID_GL_OBJECT), "no such level");
    let rgb = peer.texture(TEXTURE_2D);
    peer.image_2d(TEXTURE_2D, 0, 0x8051, [8, 8], BYTES, &[]);
    assert_eq!(
        both.of_texture(0, TEXTURE_2D, 0, rgb),
        Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        "three bytes"
    );
    let many = peer.renderbuffer(RGBA8, 4, [8, 8]);
    assert_eq!(both.of_renderbuffer(0, many), Err(CL_INVALID_OPERATION), "several samples");
    let mut error = 0;
    // SAFETY: a handle; the place is valid.
    unsafe {
        let made = clCreateFromGLTexture2D(both.cl.context, 0, TEXTURE_3D, 0, name, &mut error);
        assert_eq!((made, error), (null_mut(), CL_INVALID_VALUE));
        let made = clCreateFromGLTexture3D(both.cl.context, 0, TEXTURE_2D, 0, name, &mut error);
        assert_eq!((made, error), (null_mut(), CL_INVALID_VALUE));
        let made = clCreateFromGLTexture2D(both.cl.context, 0, TEXTURE_2D, 0, name, &mut error);
        assert_eq!(error, 0);
        release(made);
    }
    peer.check();
}

/// The status of a command.
fn outcome(event: Handle) -> i32 {
    let mut status = 1;
    // SAFETY: a handle, given back once; four bytes.
    unsafe {
        clWaitForEvents(1, &event);
        let place = (&raw mut status).cast();
        assert_eq!(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, place, null_mut()), 0);
        assert_eq!(clReleaseEvent(event), 0);
    }
    status
}

/// Objects that were deleted, or are smaller, when they are acquired: the commands fail, memory of others is not touched, and what comes later works.
#[test]
fn objects_that_have_gone() {
    let Some(both) = Both::new() else { return };
    let peer = &both.peer;
    let other = peer.buffer(&[5; 4096]);
    let kept = both.of_buffer(0, other).expect("a buffer");
    let buffer = peer.buffer(&[1; 4096]);
    let texture = peer.texture(TEXTURE_2D);
    peer.image_2d(TEXTURE_2D, 0, RGBA8, [64, 64], BYTES, &[]);
    let smaller = peer.texture(TEXTURE_2D);
    peer.image_2d(TEXTURE_2D, 0, RGBA8, [64, 64], BYTES, &[]);
    let memories = [
        both.of_buffer(0, buffer).expect("a buffer"),
        both.of_texture(0, TEXTURE_2D, 0, texture).expect("an image"),
        both.of_texture(0, TEXTURE_2D, 0, smaller).expect("an image"),
    ];
    both.acquire(&memories);
    both.cl.finish();
    peer.delete(c"glDeleteBuffers", buffer);
    peer.delete(c"glDeleteTextures", texture);
    peer.bind(c"glBindTexture", TEXTURE_2D, smaller);
    peer.image_2d(TEXTURE_2D, 0, RGBA8, [2, 2], BYTES, &[]);
    for memory in memories {
        for acquires in [false, true] {
            let mut event = null_mut();
            let call = if acquires { crate::acquire } else { crate::release };
            assert_eq!(call(both.cl.queue, &[memory], &[], &mut event), 0);
            assert!(outcome(event) < 0, "acquires: {acquires}");
        }
        release(memory);
    }
    // SAFETY: a handle. Whether the failures show here is the implementation's choice.
    unsafe { clFinish(both.cl.queue) };
    both.acquire(&[kept]);
    assert_eq!(both.cl.read(kept, 0, 16), [5; 16]);
    both.release(&[kept]);
    release(kept);
    peer.check();
}

/// Commands with objects of others, and lists that are none.
#[test]
fn wrong_lists() {
    let Some(both) = Both::new() else { return };
    let queue = both.cl.queue;
    let own = both.cl.buffer(0, 64);
    for call in [crate::acquire, crate::release] {
        assert_eq!(call(queue, &[own], &[], null_mut()), CL_INVALID_GL_OBJECT);
        assert_eq!(call(queue, &[queue], &[], null_mut()), CL_INVALID_MEM_OBJECT);
        assert_eq!(call(queue, &[], &[], null_mut()), 0);
        assert_eq!(call(own, &[own], &[], null_mut()), CL_INVALID_COMMAND_QUEUE);
    }
    // SAFETY: wrong on purpose; nothing is followed.
    unsafe {
        let none = std::ptr::null();
        assert_eq!(clEnqueueAcquireGLObjects(queue, 1, none, 0, none, null_mut()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueReleaseGLObjects(queue, 0, &own, 0, none, null_mut()), CL_INVALID_VALUE);
    }
    let plain = crate::cl::Setup::new().expect("a context");
    let name = both.peer.buffer(&[1; 64]);
    let buffer = both.of_buffer(0, name).expect("a buffer");
    assert_eq!(crate::acquire(plain.queue, &[buffer], &[], null_mut()), CL_INVALID_CONTEXT);
    release(buffer);
    release(own);
}

/// The properties of contexts.
#[test]
fn contexts_that_are_none() {
    let Some(both) = Both::new() else { return };
    let device = both.cl.device;
    let [gl, own, egl, display, _] = both.peer.properties();
    let wrong = CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    assert_eq!(context(device, &[gl, own, 0]), Err(wrong), "no display");
    assert_eq!(context(device, &[gl, 0x1000, egl, display, 0]), Err(wrong));
    assert_eq!(context(device, &[gl, own, egl, 0x1000, 0]), Err(wrong));
    let both_displays = [gl, own, egl, display, CL_GLX_DISPLAY_KHR, 64, 0];
    assert_eq!(context(device, &both_displays), Err(CL_INVALID_OPERATION));
    assert_eq!(context(device, &[gl, own, CL_WGL_HDC_KHR, 64, 0]), Err(CL_INVALID_OPERATION));
    let synced = [gl, own, egl, display, CL_CONTEXT_INTEROP_USER_SYNC, 1, 0];
    assert_eq!(context(device, &synced), Err(CL_INVALID_PROPERTY));
    assert_eq!(context(device, &[gl, own, gl, own, egl, display, 0]), Err(CL_INVALID_PROPERTY));
    // A display alone is no wish to share.
    let plain = context(device, &[egl, display, 0]).expect("a context");
    let mut error = 0;
    // SAFETY: handles; the places are valid.
    unsafe {
        assert!(clCreateFromGLBuffer(plain, 0, 1, &mut error).is_null());
        assert_eq!((error, clReleaseContext(plain)), (CL_INVALID_CONTEXT, 0));
    }
    for (param, least) in [(CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, 1), (CL_DEVICES_FOR_GL_CONTEXT_KHR, 1)] {
        let (mut devices, mut size): ([Handle; 64], usize) = ([null_mut(); 64], 0);
        let properties = both.peer.properties();
        // SAFETY: the list ends with a 0; the places have their sizes.
        let code = unsafe {
            let (place, room) = (devices.as_mut_ptr().cast(), size_of_val(&devices));
            clGetGLContextInfoKHR(properties.as_ptr(), param, room, place, &mut size)
        };
        assert_eq!(code, 0);
        assert!(size >= least * 8 && devices[..size / 8].contains(&device), "{param:#x}: {size}");
    }
    // SAFETY: as above.
    unsafe {
        let ask =
            |list: &[isize], param| clGetGLContextInfoKHR(list.as_ptr(), param, 0, null_mut(), null_mut());
        assert_eq!(ask(&both.peer.properties(), 0), CL_INVALID_VALUE);
        assert_eq!(ask(&[0x7777, 1, 0], CL_DEVICES_FOR_GL_CONTEXT_KHR), CL_INVALID_VALUE);
        assert_eq!(ask(&[gl, 0x1000, egl, display, 0], CL_DEVICES_FOR_GL_CONTEXT_KHR), wrong);
    }
}

/// The application's context ends before OpenCL's objects: they still have their memory, and are given back.
#[test]
fn a_context_that_ends_first() {
    let Some(both) = Both::new() else { return };
    let before = descriptors();
    for destroys in [false, true] {
        let peer = Peer::new().expect("OpenGL");
        let own = context(both.cl.device, &peer.properties()).expect("a context");
        let mut error = 1;
        // SAFETY: handles; the places are valid.
        unsafe {
            let queue = clCreateCommandQueue(own, both.cl.device, 0, &mut error);
            assert_eq!(error, 0);
            let name = peer.buffer(&[3; 4096]);
            let buffer = clCreateFromGLBuffer(own, 0, name, &mut error);
            assert_eq!(error, 0);
            assert_eq!(crate::acquire(queue, &[buffer], &[], null_mut()), 0);
            if destroys {
                drop(peer);
            }
            assert_eq!(crate::release(queue, &[buffer], &[], null_mut()), 0);
            assert_eq!(clFinish(queue), 0);
            assert_eq!(info::<usize>(buffer, CL_MEM_SIZE), Ok(4096));
            release(buffer);
            assert_eq!(clReleaseCommandQueue(queue), 0);
            assert_eq!(clReleaseContext(own), 0);
        }
    }
    // Contexts of OpenGL are destroyed behind the calls.
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while descriptors() > before && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(descriptors() <= before, "{} descriptors, {before} before", descriptors());
}
