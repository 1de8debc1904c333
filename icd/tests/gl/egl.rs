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

/// A texture's pixels, RGBA with 8 bits, as OpenGL ES reads them: by a framebuffer.
fn read_by_framebuffer(peer: &Peer, texture: u32, [width, height]: [i32; 2]) -> Vec<u8> {
    let mut data = vec![0u8; (width * height * 4) as usize];
    let framebuffer = peer.name(c"glGenFramebuffers");
    peer.bind(c"glBindFramebuffer", 0x8D40, framebuffer);
    // SAFETY: the functions have these types; room for the pixels.
    unsafe {
        let attach: unsafe extern "C" fn(u32, u32, u32, u32, i32) = peer.gl(c"glFramebufferTexture2D");
        attach(0x8D40, 0x8CE0, TEXTURE_2D, texture, 0);
        let read: unsafe extern "C" fn(i32, i32, i32, i32, u32, u32, *mut u8) = peer.gl(c"glReadPixels");
        read(0, 0, width, height, RGBA, UNSIGNED_BYTE, data.as_mut_ptr());
    }
    peer.bind(c"glBindFramebuffer", 0x8D40, 0);
    peer.delete(c"glDeleteFramebuffers", framebuffer);
    peer.check();
    data
}

/// Textures and buffers of a context of OpenGL ES go to OpenCL and back, where the driver shares them with one of OpenGL; elsewhere the context is refused.
#[test]
fn objects_of_opengl_es() {
    let Some(mut both) = Both::new() else { return };
    let es = both.peer.es_context();
    if es.is_null() {
        return println!("SKIP: EGL has no OpenGL ES 3 without a surface");
    }
    let [gl, _, egl, display, _] = both.peer.properties();
    let list = [gl, es.expose_provenance().cast_signed(), egl, display, 0];
    let device = both.cl.device;
    let context = match crate::context(device, &list) {
        Ok(context) => context,
        Err(code) => {
            assert_eq!(code, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
            both.peer.destroy_context(es);
            return println!("SKIP: the driver does not share between OpenGL ES and OpenGL");
        }
    };
    let mut error = 1;
    // SAFETY: handles; the place is valid.
    let queue = unsafe { pumice::entry::queue::clCreateCommandQueue(context, device, 0, &mut error) };
    assert_eq!(error, 0);
    both.cl = Setup { device, context, queue };
    let desktop = both.peer.make_es_current(es);
    let size = [40, 24];
    let names = [both.peer.texture(TEXTURE_2D), both.peer.texture(TEXTURE_2D)];
    let kernel = crate::cl::kernel(
        context,
        "kernel void f(read_only image2d_t from, write_only image2d_t to, global uint *sums) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(to, at, 1.0f - read_imagef(from, at));
            if (at.y == 0) sums[at.x] += at.x + 1;
        }",
        c"f",
    );
    let words: Vec<u8> = (0..40u32).flat_map(|n| (n * 1000).to_ne_bytes()).collect();
    let buffer_name = both.peer.buffer(&words);
    let buffer = both.of_buffer(CL_MEM_READ_WRITE, buffer_name).expect("a buffer");
    for name in names {
        both.peer.bind(c"glBindTexture", TEXTURE_2D, name);
        both.peer.image_2d(TEXTURE_2D, 0, RGBA8, size, BYTES, &noise(40 * 24 * 4, name));
    }
    let from = both.of_texture(CL_MEM_READ_ONLY, TEXTURE_2D, 0, names[0]).expect("an image");
    let to = both.of_texture(CL_MEM_WRITE_ONLY, TEXTURE_2D, 0, names[1]).expect("an image");
    [from, to, buffer].iter().enumerate().for_each(|(n, object)| crate::cl::arg(kernel, n as u32, object));
    for round in 1..4u32 {
        let texels = noise(40 * 24 * 4, round + 100);
        both.peer.image_write(names[0], size, &texels);
        both.acquire(&[from, to, buffer]);
        // SAFETY: two sizes.
        let code = unsafe {
            let global = size.map(|n| n as usize);
            pumice::entry::launch::clEnqueueNDRangeKernel(
                queue,
                kernel,
                2,
                null(),
                global.as_ptr(),
                null(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, 0);
        both.release(&[from, to, buffer]);
        let found = read_by_framebuffer(&both.peer, names[1], size);
        assert!(found.iter().zip(&texels).all(|(new, old)| *new == !*old), "round {round}");
        let sums = both.peer.map_buffer(buffer_name, words.len());
        let wanted: Vec<u8> = (0..40u32).flat_map(|n| (n * 1000 + round * (n + 1)).to_ne_bytes()).collect();
        assert_eq!(sums, wanted, "round {round}");
    }
    [from, to, buffer].into_iter().for_each(release);
    // SAFETY: a handle.
    assert_eq!(unsafe { pumice::entry::kernel::clReleaseKernel(kernel) }, 0);
    desktop(&both.peer);
    both.peer.destroy_context(es);
}
