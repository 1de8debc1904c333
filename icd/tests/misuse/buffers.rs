//! The functions of cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch: handles, and the errors that all of them have.

use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::command_buffer::*;

use crate::world::{Handle, Kind, Verdict, World, good, made};

const NO_BUFFER: i32 = cl::CL_INVALID_COMMAND_BUFFER_KHR;
const POINTS: i32 = cl::CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;

/// What all functions that record have: command buffer, queue, properties, wait list, handle.
type Common = (Handle, Handle, *const u64, (u32, *const u32), *mut Handle);
type Record<'a> = (&'static str, Box<dyn Fn(Common) -> i32 + 'a>);

/// Everything else is right, but for images, which are asked for last.
fn recorders(w: &World) -> Vec<Record<'_>> {
    let (m, to, one) = (w.here.buffer, [2048usize, 0, 0], [8usize, 1, 1]);
    let (zero, word) = ([0usize; 3], 7u32);
    // SAFETY: the handles are valid; what is pointed to lives as long as each call.
    unsafe {
        vec![
            (
                "clCommandBarrierWithWaitListKHR",
                Box::new(|(b, q, p, (n, l), h)| {
                    clCommandBarrierWithWaitListKHR(b, q, p, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandCopyBufferKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    clCommandCopyBufferKHR(b, q, p, m, m, 0, 2048, 8, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandCopyBufferRectKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    let (from, to, size) = (zero.as_ptr(), to.as_ptr(), one.as_ptr());
                    clCommandCopyBufferRectKHR(b, q, p, m, m, from, to, size, 0, 0, 0, 0, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandFillBufferKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    let pattern = (&raw const word).cast();
                    clCommandFillBufferKHR(b, q, p, m, pattern, 4, 0, 8, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandNDRangeKernelKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    let (k, size) = (w.here.kernel, one.as_ptr());
                    clCommandNDRangeKernelKHR(b, q, p, k, 1, null(), size, null(), n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandCopyBufferToImageKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    let (at, size) = (zero.as_ptr(), one.as_ptr());
                    clCommandCopyBufferToImageKHR(b, q, p, m, m, 0, at, size, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandCopyImageKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    let (at, size) = (zero.as_ptr(), one.as_ptr());
                    clCommandCopyImageKHR(b, q, p, m, m, at, at, size, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandCopyImageToBufferKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    let (at, size) = (zero.as_ptr(), one.as_ptr());
                    clCommandCopyImageToBufferKHR(b, q, p, m, m, at, size, 0, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandFillImageKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    let (at, size, colour) = (zero.as_ptr(), one.as_ptr(), [0u32; 4]);
                    clCommandFillImageKHR(b, q, p, m, colour.as_ptr().cast(), at, size, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandSVMMemcpyKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    clCommandSVMMemcpyKHR(b, q, p, null_mut(), null(), 8, n, l, null_mut(), h)
                }),
            ),
            (
                "clCommandSVMMemFillKHR",
                Box::new(move |(b, q, p, (n, l), h)| {
                    let pattern = (&raw const word).cast();
                    clCommandSVMMemFillKHR(b, q, p, null_mut(), pattern, 4, 8, n, l, null_mut(), h)
                }),
            ),
        ]
    }
}

pub fn buffers(w: &World, v: &mut Verdict) {
    let queue = w.here.queue;
    // SAFETY: apart from handles, which need no promise, all pointers are NULL or valid.
    unsafe {
        for (what, h) in w.bad(Kind::Queue) {
            let created = made(|e| clCreateCommandBufferKHR(1, &h, null(), e));
            v.expect("clCreateCommandBufferKHR", &what, created, cl::CL_INVALID_COMMAND_QUEUE);
            v.expect("clRetainCommandBufferKHR", &what, clRetainCommandBufferKHR(h), NO_BUFFER);
            v.expect("clReleaseCommandBufferKHR", &what, clReleaseCommandBufferKHR(h), NO_BUFFER);
            v.expect("clFinalizeCommandBufferKHR", &what, clFinalizeCommandBufferKHR(h), NO_BUFFER);
            let enqueued = clEnqueueCommandBufferKHR(0, null_mut(), h, 0, null(), null_mut());
            v.expect("clEnqueueCommandBufferKHR", &what, enqueued, NO_BUFFER);
            let info = cl::CL_COMMAND_BUFFER_STATE_KHR;
            let told = clGetCommandBufferInfoKHR(h, info, 0, null_mut(), null_mut());
            v.expect("clGetCommandBufferInfoKHR", &what, told, NO_BUFFER);
            let changed = clUpdateMutableCommandsKHR(h, 0, null(), null_mut());
            v.expect("clUpdateMutableCommandsKHR", &what, changed, NO_BUFFER);
            let info = cl::CL_MUTABLE_DISPATCH_DIMENSIONS_KHR;
            let told = clGetMutableCommandInfoKHR(h, info, 0, null_mut(), null_mut());
            v.expect("clGetMutableCommandInfoKHR", &what, told, cl::CL_INVALID_MUTABLE_COMMAND_KHR);
            for (name, record) in recorders(w) {
                v.expect(name, &what, record((h, null_mut(), null(), (0, null()), null_mut())), NO_BUFFER);
            }
        }
        let buffer = good(|e| clCreateCommandBufferKHR(1, &queue, null(), e));
        let (unknown, mut handle, point) = ([77u64, 0, 0], null_mut(), 1000u32);
        let (none, no) = (null_mut(), (0, null()));
        for (index, (name, record)) in recorders(w).into_iter().enumerate() {
            let images_or_shared = index > 4;
            let plain = record((buffer, none, null(), no, null_mut()));
            v.holds(name, "all right, but for images and shared memory", (plain != 0) == images_or_shared);
            let code = record((buffer, queue, null(), no, null_mut()));
            v.expect(name, "a queue", code, cl::CL_INVALID_COMMAND_QUEUE);
            let code = record((buffer, none, unknown.as_ptr(), no, null_mut()));
            v.expect(name, "an unknown property", code, cl::CL_INVALID_VALUE);
            v.expect(name, "no list of one", record((buffer, none, null(), (1, null()), null_mut())), POINTS);
            v.expect(name, "a list of none", record((buffer, none, null(), (0, &point), null_mut())), POINTS);
            v.expect(
                name,
                "an unknown point",
                record((buffer, none, null(), (1, &point), null_mut())),
                POINTS,
            );
            if index != 4 {
                let code = record((buffer, none, null(), no, &mut handle));
                v.expect(name, "a handle", code, cl::CL_INVALID_VALUE);
            }
        }
        v.expect("clFinalizeCommandBufferKHR", "once", clFinalizeCommandBufferKHR(buffer), 0);
        let again = clFinalizeCommandBufferKHR(buffer);
        v.expect("clFinalizeCommandBufferKHR", "twice", again, cl::CL_INVALID_OPERATION);
        for (name, record) in recorders(w) {
            let code = record((buffer, none, null(), no, null_mut()));
            v.expect(name, "after the end", code, cl::CL_INVALID_OPERATION);
        }
        let changed = clUpdateMutableCommandsKHR(buffer, 0, null(), null_mut());
        v.expect("clUpdateMutableCommandsKHR", "not mutable", changed, cl::CL_INVALID_OPERATION);
        v.expect("clReleaseCommandBufferKHR", "the last reference", clReleaseCommandBufferKHR(buffer), 0);
        v.expect("clReleaseCommandBufferKHR", "a released one", clReleaseCommandBufferKHR(buffer), NO_BUFFER);
    }
}
