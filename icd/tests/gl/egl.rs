//! Images and fences of EGL (cl_khr_egl_image, cl_khr_egl_event).

use std::ptr::{null, null_mut};

use opencl_sys::cl_egl::*;
use opencl_sys::*;
use pumice::entry::event::*;
use pumice::entry::gl::*;
use pumice::entry::image::{clEnqueueReadImage, clEnqueueWriteImage};

use crate::Both;
use crate::cl::{Handle, Setup, noise, release};
use crate::peer::*;

const BYTES: (u32, u32) = (RGBA, UNSIGNED_BYTE);

/// An EGLImage goes to OpenCL and back: in a context that shares with OpenGL, and in one that knows nothing of it.
#[test]
fn images_go_both_ways() {
    let Some(both) = Both::new() else { return };
    let plain = Setup::new().expect("a context");
    let peer = &both.peer;
    let name = peer.texture(TEXTURE_2D);
    let texels = noise(32 * 16 * 4, 1);
    peer.image_2d(TEXTURE_2D, 0, RGBA8, [32, 16], BYTES, &texels);
    let egl_image = peer.egl_image(name);
    assert!(!egl_image.is_null());
    for setup in [&both.cl, &plain] {
        peer.bind(c"glBindTexture", TEXTURE_2D, name);
        peer.image_write(name, [32, 16], &texels);
        peer.finish();
        let mut error = 1;
        let (context, display, queue) = (setup.context, peer.display, setup.queue);
        // SAFETY: handles; the places are valid; both transfers are blocking, and have room for the texels.
        unsafe {
            let image = clCreateFromEGLImageKHR(context, display, egl_image, 0, null(), &mut error);
            assert_eq!(error, 0);
            assert_eq!(clGetGLObjectInfo(image, null_mut(), null_mut()), CL_INVALID_GL_OBJECT);
            assert_eq!(clEnqueueAcquireEGLObjectsKHR(queue, 1, &image, 0, null(), null_mut()), 0);
            let (origin, region, mut found) = ([0; 3], [32, 16, 1], vec![0u8; texels.len()]);
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            let place = found.as_mut_ptr().cast();
            let code =
                clEnqueueReadImage(queue, image, 1, origin, region, 0, 0, place, 0, null(), null_mut());
            assert_eq!((code, &found), (0, &texels));
            found.iter_mut().for_each(|byte| *byte = !*byte);
            let place = found.as_ptr().cast();
            let code =
                clEnqueueWriteImage(queue, image, 1, origin, region, 0, 0, place, 0, null(), null_mut());
            assert_eq!(code, 0);
            assert_eq!(clEnqueueReleaseEGLObjectsKHR(queue, 1, &image, 0, null(), null_mut()), 0);
            setup.finish();
            peer.bind(c"glBindTexture", TEXTURE_2D, name);
            assert_eq!(peer.read_texture(TEXTURE_2D, 0, BYTES, texels.len()), found);
            release(image);
        }
    }
    peer.destroy_egl_image(egl_image);
    peer.delete(c"glDeleteTextures", name);
}

/// What an EGLImage and its commands must not be.
#[test]
fn images_that_are_none() {
    let Some(both) = Both::new() else { return };
    let own = both.cl.buffer(0, 64);
    let queue = both.cl.queue;
    let mut error = 0;
    let make = |display: Handle, image: Handle, flags: u64, error: &mut i32| {
        // SAFETY: EGL and OpenGL check the handles; the place is valid.
        let made = unsafe { clCreateFromEGLImageKHR(both.cl.context, display, image, flags, null(), error) };
        assert!(made.is_null());
        *error
    };
    assert_eq!(make(both.peer.display, null_mut(), 0, &mut error), CL_INVALID_EGL_OBJECT_KHR);
    assert_eq!(make(null_mut(), null_mut(), 0, &mut error), CL_INVALID_VALUE);
    assert_eq!(make(both.peer.display, null_mut(), CL_MEM_COPY_HOST_PTR, &mut error), CL_INVALID_VALUE);
    // SAFETY: handles.
    unsafe {
        let (acquire, give) = (clEnqueueAcquireEGLObjectsKHR, clEnqueueReleaseEGLObjectsKHR);
        assert_eq!(acquire(queue, 1, &own, 0, null(), null_mut()), CL_INVALID_EGL_OBJECT_KHR);
        assert_eq!(give(queue, 1, &own, 0, null(), null_mut()), CL_INVALID_EGL_OBJECT_KHR);
        assert_eq!(acquire(queue, 0, null(), 0, null(), null_mut()), 0);
    }
    release(own);
}

/// A fence of EGL's becomes an event.
#[test]
fn fences_are_events() {
    let Some(both) = Both::new() else { return };
    let fence = both.peer.egl_fence();
    assert!(!fence.is_null());
    let mut error = 1;
    // SAFETY: EGL checks the handles; the places are valid.
    unsafe {
        let (context, display) = (both.cl.context, both.peer.display);
        let event = clCreateEventFromEGLSyncKHR(context, fence, display, &mut error);
        assert_eq!(error, 0);
        let mut kind = 0u32;
        let place = (&raw mut kind).cast();
        assert_eq!(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, place, null_mut()), 0);
        assert_eq!(kind, CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR);
        assert_eq!(clWaitForEvents(1, &event), 0);
        assert_eq!(clReleaseEvent(event), 0);
        assert!(clCreateEventFromEGLSyncKHR(context, null_mut(), display, &mut error).is_null());
        assert_eq!(error, CL_INVALID_EGL_OBJECT_KHR);
    }
    both.peer.destroy_egl_fence(fence);
}
