//! Sync objects of OpenGL as events, and the order of commands of both sides (cl_khr_gl_event).

use std::ptr::{null, null_mut};

use opencl_sys::*;
use pumice::entry::event::*;
use pumice::entry::gl::*;
use pumice::entry::queue::clEnqueueMarkerWithWaitList;

use crate::Both;
use crate::cl::{Handle, release};
use crate::peer::{RENDERBUFFER, RGBA8};

fn event_info<T: Copy + Default>(event: Handle, param: u32) -> T {
    let mut value = T::default();
    // SAFETY: room for a T.
    let code = unsafe { clGetEventInfo(event, param, size_of::<T>(), (&raw mut value).cast(), null_mut()) };
    assert_eq!(code, 0);
    value
}

/// A fence becomes an event, which acquisitions wait for and nothing else.
#[test]
fn fences_are_events() {
    let Some(both) = Both::new() else { return };
    let (peer, queue) = (&both.peer, both.cl.queue);
    let name = peer.buffer(&[1; 64]);
    let buffer = both.of_buffer(0, name).expect("a buffer");
    let fence = peer.fence();
    let mut error = 1;
    // SAFETY: handles; the places are valid.
    unsafe {
        let event = clCreateEventFromGLsyncKHR(both.cl.context, fence, &mut error);
        assert_eq!(error, 0);
        assert_eq!(event_info::<u32>(event, CL_EVENT_COMMAND_TYPE), CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR);
        assert_eq!(event_info::<usize>(event, CL_EVENT_COMMAND_QUEUE), 0);
        assert_eq!(clSetUserEventStatus(event, 0), CL_INVALID_EVENT);
        let marker = clEnqueueMarkerWithWaitList(queue, 1, &event, null_mut());
        assert_eq!(marker, CL_INVALID_EVENT, "it is for acquisitions alone");
        assert_eq!(crate::release(queue, &[buffer], &[event], null_mut()), CL_INVALID_EVENT);
        assert_eq!(crate::acquire(queue, &[buffer], &[event], null_mut()), 0);
        assert_eq!(both.cl.read(buffer, 0, 4), [1; 4]);
        assert_eq!(clWaitForEvents(1, &event), 0);
        assert_eq!(event_info::<i32>(event, CL_EVENT_COMMAND_EXECUTION_STATUS), CL_COMPLETE);
        assert_eq!(clReleaseEvent(event), 0);
        for wrong in [null_mut(), std::ptr::without_provenance_mut(0x1000)] {
            assert!(clCreateEventFromGLsyncKHR(both.cl.context, wrong, &mut error).is_null());
            assert_eq!(error, CL_INVALID_GL_OBJECT);
        }
    }
    both.release(&[buffer]);
    peer.delete_fence(fence);
    release(buffer);
}

/// Without glFinish and clFinish: what this thread's context was given comes before an acquisition, and behind a release.
#[test]
fn commands_of_one_thread_are_in_order() {
    let Some(both) = Both::new() else { return };
    let peer = &both.peer;
    let size = [64, 64];
    let name = peer.renderbuffer(RGBA8, 0, size);
    let image = both.of_renderbuffer(CL_MEM_READ_WRITE, name).expect("an image");
    let kernel = crate::cl::kernel(
        both.cl.context,
        "kernel void f(read_write image2d_t i) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(i, at, read_imagef(i, at).yxzw);
        }",
        c"f",
    );
    crate::cl::arg(kernel, 0, &image);
    for round in 0..50u8 {
        let red = f32::from(round) / 255.0;
        peer.bind(c"glBindRenderbuffer", RENDERBUFFER, name);
        peer.clear_renderbuffer(name, [red, 0.0, 0.0, 1.0]);
        both.acquire(&[image]);
        // SAFETY: two sizes.
        let code = unsafe {
            let (queue, none, size) = (both.cl.queue, null(), [64usize, 64]);
            pumice::entry::launch::clEnqueueNDRangeKernel(
                queue,
                kernel,
                2,
                none,
                size.as_ptr(),
                none,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, 0);
        both.release(&[image]);
        assert_eq!(peer.read_renderbuffer(name, size), [0, round, 0, 255].repeat(64 * 64), "round {round}");
    }
    release(image);
    // SAFETY: a handle.
    assert_eq!(unsafe { pumice::entry::kernel::clReleaseKernel(kernel) }, 0);
}

/// A release that waits for an event of the application's does not hold the thread that is to set it.
#[test]
fn a_release_behind_a_user_event_returns() {
    let Some(both) = Both::new() else { return };
    let name = both.peer.buffer(&[1; 64]);
    let buffer = both.of_buffer(0, name).expect("a buffer");
    both.acquire(&[buffer]);
    both.cl.write(buffer, 0, &[2; 64]);
    let mut error = 1;
    // SAFETY: handles; the places are valid.
    unsafe {
        let user = clCreateUserEvent(both.cl.context, &mut error);
        assert_eq!(error, 0);
        assert_eq!(crate::release(both.cl.queue, &[buffer], &[user], null_mut()), 0);
        assert_eq!(both.peer.read_buffer(name, 64), [1; 64], "it has not happened yet");
        assert_eq!(clSetUserEventStatus(user, 0), 0);
        assert_eq!(clReleaseEvent(user), 0);
    }
    both.cl.finish();
    assert_eq!(both.peer.read_buffer(name, 64), [2; 64]);
    release(buffer);
}
