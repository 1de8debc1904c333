//! Work-groups that are larger than the device's: lavapipe masked as a phone with Vulkan 1.1, whose work-groups have 128 work-items.

mod cl;
mod open;

use std::ptr::{null, null_mut};

use cl::{Handle, Setup, arg, kernel, release};
use opencl_sys::*;
use pumice::entry::{device::*, kernel::*, launch::*};

const SOURCE: &str = "kernel void turned(global int *p, local int *l) {
    int i = get_local_id(0), n = get_local_size(0);
    l[i] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = l[n - 1 - i];
}
kernel void plane(global int *p) {
    p[get_global_id(0) + 64 * get_global_id(1)] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_group_id(1);
}
kernel __attribute__((reqd_work_group_size(200, 1, 1))) void fixed(global int *p) { p[get_global_id(0)] = get_local_id(0); }
kernel void chosen(global int *p, global int *q, int n) {
    global int *r = p;
    for (int k = 0; k < n; k++) {
        r[get_global_id(0)] = k;
        barrier(CLK_GLOBAL_MEM_FENCE);
        r = r == p ? q : p;
    }
}";

fn size_of_group(k: Handle) -> usize {
    let mut size = 0usize;
    // SAFETY: a kernel, and room for a size.
    let code = unsafe {
        let to = (&raw mut size).cast();
        clGetKernelWorkGroupInfo(k, null_mut(), CL_KERNEL_WORK_GROUP_SIZE, size_of::<usize>(), to, null_mut())
    };
    assert_eq!(code, 0);
    size
}

fn enqueue<const N: usize>(s: &Setup, k: Handle, global: [usize; N], local: [usize; N]) -> i32 {
    // SAFETY: as many sizes as dimensions.
    unsafe {
        let (global, local) = (global.as_ptr(), local.as_ptr());
        clEnqueueNDRangeKernel(s.queue, k, N as u32, null(), global, local, 0, null(), null_mut())
    }
}

#[test]
fn larger_work_groups_run_in_pieces() {
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/profiles/phone-1.1.json");
    // SAFETY: the only test of this program, before any thread reads the environment.
    unsafe { std::env::set_var("PUMICE_TARGET", profile) };
    let Some(s) = Setup::new() else { return };
    let mut sizes = [0usize; 3];
    let mut most = 0usize;
    // SAFETY: the device, and room for what is asked.
    unsafe {
        let (all, one) = ((&raw mut sizes).cast(), (&raw mut most).cast());
        assert_eq!(clGetDeviceInfo(s.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, 24, all, null_mut()), 0);
        assert_eq!(clGetDeviceInfo(s.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, one, null_mut()), 0);
    }
    // What programs take for granted, though a Vulkan work-group has 128.
    assert_eq!((most, sizes), (256, [1024; 3]));
    let data: Vec<u8> = (0..4096i32).flat_map(i32::to_le_bytes).collect();
    let buffer = s.filled(&data);
    let ints = || -> Vec<i32> {
        s.read(buffer, 0, 4 * 4096)
            .chunks_exact(4)
            .map(|c| i32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect()
    };

    let turned = kernel(s.context, SOURCE, c"turned");
    arg(turned, 0, &buffer);
    // SAFETY: local memory has no value.
    assert_eq!(unsafe { clSetKernelArg(turned, 1, 4096, null()) }, 0);
    assert_eq!(size_of_group(turned), 1024);
    assert_eq!(enqueue(&s, turned, [2048], [1024]), 0);
    assert!(ints()[..2048].iter().zip(0..).all(|(value, i)| *value == i / 1024 * 1024 + 1023 - i % 1024));
    // Again, in small ones, as before.
    assert_eq!(enqueue(&s, turned, [2048], [64]), 0);
    assert_eq!(ints()[..3], [1023 - 63, 1023 - 62, 1023 - 61]);
    assert_eq!(enqueue(&s, turned, [4096], [2048]), CL_INVALID_WORK_ITEM_SIZE);

    let plane = kernel(s.context, SOURCE, c"plane");
    arg(plane, 0, &buffer);
    assert_eq!(enqueue(&s, plane, [64, 64], [32, 32]), 0);
    let expected = |i: i32| i % 64 % 32 + 100 * (i / 64 % 32) + 10000 * (i / 64 / 32);
    assert!(ints().iter().zip(0..).all(|(value, i)| *value == expected(i)));
    assert_eq!(enqueue(&s, plane, [64, 64], [64, 64]), CL_INVALID_WORK_GROUP_SIZE);

    let fixed = kernel(s.context, SOURCE, c"fixed");
    arg(fixed, 0, &buffer);
    assert_eq!(size_of_group(fixed), 200);
    assert_eq!(enqueue(&s, fixed, [400], [200]), 0);
    assert!(ints()[..400].iter().zip(0..).all(|(value, i)| *value == i % 200));

    // Which of two buffers the pointer is in is kept over the barrier.
    let (chosen, other) = (kernel(s.context, SOURCE, c"chosen"), s.filled(&data));
    arg(chosen, 0, &buffer);
    arg(chosen, 1, &other);
    arg(chosen, 2, &4i32);
    assert_eq!(size_of_group(chosen), 1024);
    for local in [1024, 256, 128] {
        assert_eq!(enqueue(&s, chosen, [1024], [local]), 0);
        let of_other = s.read(other, 0, 4096);
        assert!(ints()[..1024].iter().all(|value| *value == 2), "{local}");
        assert!(of_other.chunks_exact(4).all(|value| value == 3i32.to_le_bytes()), "{local}");
    }
    for k in [turned, plane, fixed, chosen] {
        // SAFETY: a handle.
        assert_eq!(unsafe { clReleaseKernel(k) }, 0);
    }
    release(buffer);
    release(other);
}
