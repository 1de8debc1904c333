//! cl_intel_unified_shared_memory's functions: handles, and the lists of errors.

use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};

use opencl_sys as cl;
use pumice::entry::kernel::*;
use pumice::entry::usm::*;

use crate::memory::device_number;
use crate::world::{Kind, Verdict, World, good};

const VALUE: i32 = cl::CL_INVALID_VALUE;

/// Returns what a function that makes something says.
fn code(make: impl FnOnce(*mut i32) -> *mut c_void) -> i32 {
    let mut code = 1;
    let made = make(&mut code);
    assert_eq!(made.is_null(), code != 0, "an allocation, or an error");
    code
}

pub fn handles(w: &World, v: &mut Verdict) {
    // SAFETY: apart from handles, which need no promise, all pointers are NULL or valid.
    unsafe {
        for (what, h) in w.bad(Kind::Context) {
            const CONTEXT: i32 = cl::CL_INVALID_CONTEXT;
            let d = w.device;
            v.expect(
                "clHostMemAllocINTEL",
                &what,
                code(|e| clHostMemAllocINTEL(h, null(), 64, 0, e)),
                CONTEXT,
            );
            let made = code(|e| clDeviceMemAllocINTEL(h, d, null(), 64, 0, e));
            v.expect("clDeviceMemAllocINTEL", &what, made, CONTEXT);
            let made = code(|e| clSharedMemAllocINTEL(h, d, null(), 64, 0, e));
            v.expect("clSharedMemAllocINTEL", &what, made, CONTEXT);
            v.expect("clMemFreeINTEL", &what, clMemFreeINTEL(h, null_mut()), CONTEXT);
            v.expect("clMemBlockingFreeINTEL", &what, clMemBlockingFreeINTEL(h, null_mut()), CONTEXT);
            let size = cl::CL_MEM_ALLOC_SIZE_INTEL;
            let told = clGetMemAllocInfoINTEL(h, null(), size, 0, null_mut(), null_mut());
            v.expect("clGetMemAllocInfoINTEL", &what, told, CONTEXT);
        }
        for (what, h) in w.bad(Kind::Queue) {
            const QUEUE: i32 = cl::CL_INVALID_COMMAND_QUEUE;
            let (mut to, from) = (0u64, 7u64);
            let (to, from) = ((&raw mut to).cast(), (&raw const from).cast());
            let filled = clEnqueueMemFillINTEL(h, to, from, 4, 8, 0, null(), null_mut());
            v.expect("clEnqueueMemFillINTEL", &what, filled, QUEUE);
            let copied = clEnqueueMemcpyINTEL(h, 1, to, from, 8, 0, null(), null_mut());
            v.expect("clEnqueueMemcpyINTEL", &what, copied, QUEUE);
            let moved = clEnqueueMigrateMemINTEL(h, to, 8, 0, 0, null(), null_mut());
            v.expect("clEnqueueMigrateMemINTEL", &what, moved, QUEUE);
            let advised = clEnqueueMemAdviseINTEL(h, to, 8, 0, 0, null(), null_mut());
            v.expect("clEnqueueMemAdviseINTEL", &what, advised, QUEUE);
        }
        for (what, h) in w.bad(Kind::Kernel) {
            let set = clSetKernelArgMemPointerINTEL(h, 0, null());
            v.expect("clSetKernelArgMemPointerINTEL", &what, set, cl::CL_INVALID_KERNEL);
        }
    }
}

pub fn errors(w: &World, v: &mut Verdict) {
    let (c, q) = (w.here.context, w.here.queue);
    let shares: u64 = device_number(w, cl::CL_DEVICE_SVM_CAPABILITIES);
    let has = shares != 0;
    // SAFETY: valid handles; lists that end, and places that are large enough, but for what the call is to refuse.
    unsafe {
        for (what, device) in w.bad(Kind::Device) {
            let made = code(|e| clDeviceMemAllocINTEL(c, device, null(), 64, 0, e));
            v.expect("clDeviceMemAllocINTEL", what, made, cl::CL_INVALID_DEVICE);
        }
        if has {
            const BYTES: i32 = cl::CL_INVALID_BUFFER_SIZE;
            let unknown: [u64; 3] = [1 << 40, 0, 0];
            let host = |size, align| code(|e| clHostMemAllocINTEL(c, null(), size, align, e));
            v.expect("clHostMemAllocINTEL", "no bytes", host(0, 0), BYTES);
            v.expect("clHostMemAllocINTEL", "all the bytes there are", host(usize::MAX, 0), BYTES);
            v.expect("clHostMemAllocINTEL", "an alignment of 3", host(64, 3), VALUE);
            let made = code(|e| clSharedMemAllocINTEL(c, w.device, unknown.as_ptr().cast(), 64, 0, e));
            v.expect("clSharedMemAllocINTEL", "an unknown property", made, cl::CL_INVALID_PROPERTY);
        }
        let mut stack = 0u64;
        let stack: *mut c_void = (&raw mut stack).cast();
        for at in [stack, w.here.buffer, without_provenance_mut(8)] {
            v.expect("clMemFreeINTEL", "never allocated", clMemFreeINTEL(c, at), VALUE);
            v.expect("clMemBlockingFreeINTEL", "never allocated", clMemBlockingFreeINTEL(c, at), VALUE);
        }
        let told = clGetMemAllocInfoINTEL(c, stack, 0, 0, null_mut(), null_mut());
        v.expect("clGetMemAllocInfoINTEL", "an unknown query", told, VALUE);
        for size in [0, 3, 256] {
            let filled = clEnqueueMemFillINTEL(q, stack, stack, size, 8, 0, null(), null_mut());
            v.expect("clEnqueueMemFillINTEL", format!("a pattern of {size} bytes"), filled, VALUE);
        }
        let filled = clEnqueueMemFillINTEL(q, stack, null(), 4, 8, 0, null(), null_mut());
        v.expect("clEnqueueMemFillINTEL", "no pattern", filled, VALUE);
        let copied = clEnqueueMemcpyINTEL(q, 1, null_mut(), stack, 8, 0, null(), null_mut());
        v.expect("clEnqueueMemcpyINTEL", "to nowhere", copied, VALUE);
        let moved = clEnqueueMigrateMemINTEL(q, stack, 8, 1 << 40, 0, null(), null_mut());
        v.expect("clEnqueueMigrateMemINTEL", "unknown flags", moved, VALUE);
        let advised = clEnqueueMemAdviseINTEL(q, stack, 8, 1 << 20, 0, null(), null_mut());
        v.expect("clEnqueueMemAdviseINTEL", "unknown advice", advised, VALUE);
        let kernel = good(|e| clCloneKernel(w.here.kernel, e));
        for index in [3, 1000, u32::MAX] {
            let set = clSetKernelArgMemPointerINTEL(kernel, index, null());
            v.expect("clSetKernelArgMemPointerINTEL", index, set, cl::CL_INVALID_ARG_INDEX);
        }
        let set = clSetKernelArgMemPointerINTEL(kernel, 1, stack);
        v.expect("clSetKernelArgMemPointerINTEL", "an int", set, cl::CL_INVALID_ARG_VALUE);
        assert_eq!(clReleaseKernel(kernel), 0);
    }
}
