//! Kernels that enqueue kernels, in a context of two devices: each has queues of its own.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use crate::cl::{Handle, arg};
use crate::two::two_devices;
use opencl_sys::*;
use pumice::entry::{context::*, kernel::*, launch::*, memory::*, program::*, queue::*, svm::*, transfer::*};

const SOURCE: &CStr = c"
    void more(global uint *out, uint left) {
        atomic_inc(out);
        if (left == 0) return;
        if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), ^{ more(out, left - 1); })) atomic_inc(out + 1);
    }
    kernel void tree(global uint *out, uint left) { more(out, left); }
    kernel void named(global uint *out, queue_t q) {
        out[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ atomic_add(out + 3, 1 + get_global_id(0)); });
    }";

fn device_queue(context: Handle, device: Handle, properties: u64) -> Handle {
    let kind = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | properties;
    let (list, mut code) = ([CL_QUEUE_PROPERTIES.into(), kind, 0], 1);
    // SAFETY: a whole list; the place is valid.
    let queue = unsafe { clCreateCommandQueueWithProperties(context, device, list.as_ptr(), &mut code) };
    assert_eq!(code, 0);
    queue
}

/// Kernels run on the device of the launch, with its queues. A queue of another device is no argument of a launch.
#[test]
fn each_device_has_its_queues() {
    let Some(devices) = two_devices() else { return };
    let (mut code, one) = (1, 1usize);
    // SAFETY: handles, lists and places are valid.
    unsafe {
        let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut code);
        assert_eq!(code, 0);
        // With shared memory kernels keep other pointers than device addresses.
        let shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
        let queues = devices.map(|device| clCreateCommandQueue(context, device, 0, &mut code));
        let defaults = devices.map(|device| device_queue(context, device, CL_QUEUE_ON_DEVICE_DEFAULT));
        let others = devices.map(|device| device_queue(context, device, 0));
        assert!(defaults[0] != defaults[1]);
        let program = clCreateProgramWithSource(context, 1, &mut SOURCE.as_ptr(), null(), &mut code);
        let options = c"-cl-std=CL3.0".as_ptr();
        assert_eq!(clBuildProgram(program, 0, null(), options, None, null_mut()), 0);
        let [tree, named] = [c"tree", c"named"].map(|name| clCreateKernel(program, name.as_ptr(), &mut code));
        assert_eq!(code, 0);
        let zeros = [0u32; 4];
        let out =
            clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16, zeros.as_ptr().cast_mut().cast(), &mut code);
        arg(tree, 0, &out);
        arg(tree, 1, &6u32);
        arg(named, 0, &out);
        let launch = |queue, kernel| {
            clEnqueueNDRangeKernel(queue, kernel, 1, null(), &one, null(), 0, null(), null_mut())
        };
        for (n, queue) in queues.iter().enumerate() {
            for _ in 0..2 {
                assert_eq!((launch(*queue, tree), clFinish(*queue)), (0, 0));
            }
            arg(named, 1, &others[1 - n]);
            assert_eq!(launch(*queue, named), CL_INVALID_KERNEL_ARGS, "a queue of the other device");
            arg(named, 1, &others[n]);
            assert_eq!((launch(*queue, named), clFinish(*queue)), (0, 0));
            let mut found = [0u32; 4];
            let to = found.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadBuffer(*queue, out, CL_TRUE, 0, 16, to, 0, null(), null_mut()), 0);
            let times = n as u32 + 1;
            assert_eq!(found, [times * 2 * 127, 0, 0, times * 10]);
        }
        clSVMFree(context, shared);
        for queue in defaults.into_iter().chain(others).chain(queues) {
            assert_eq!(clReleaseCommandQueue(queue), 0);
        }
        assert_eq!((clReleaseKernel(tree), clReleaseKernel(named), clReleaseMemObject(out)), (0, 0, 0));
        assert_eq!((clReleaseProgram(program), clReleaseContext(context)), (0, 0));
    }
}

/// In the arena kernels keep other pointers than device addresses.
#[test]
fn the_same_in_the_arena() {
    crate::again::again_in_ways(module_path!(), &["arena"]);
}
