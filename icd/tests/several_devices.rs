//! A context of two devices: lavapipe under two names. One test, since it sets the environment.

mod cl;

use std::ptr::{null, null_mut};

use cl::{Handle, arg, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{context::*, device::*, memory::*, platform::*, queue::*, transfer::*};

const LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
const SIZE: usize = 100_000;

/// Makes lavapipe appear twice; its devices.
fn two_devices() -> Option<[Handle; 2]> {
    let copy = std::env::temp_dir().join(format!("pumice-test-{}.json", std::process::id()));
    if std::fs::copy(LAVAPIPE, &copy).is_err() {
        println!("SKIP: no lavapipe");
        return None;
    }
    let (mut platform, mut devices, mut count) = (null_mut(), [null_mut(); 2], 0);
    // SAFETY: no other thread of this process looks at the environment; the places are valid.
    unsafe {
        std::env::set_var("VK_DRIVER_FILES", format!("{LAVAPIPE}:{}", copy.display()));
        std::env::remove_var("PUMICE_DEVICE");
        assert_eq!(clGetPlatformIDs(1, &mut platform, null_mut()), 0);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices.as_mut_ptr(), &mut count);
    }
    let _ = std::fs::remove_file(&copy);
    if count != 2 {
        println!("SKIP: the Vulkan loader shows {count} devices");
        return None;
    }
    Some(devices)
}

#[test]
fn contents_follow_the_commands() {
    let Some(devices) = two_devices() else { return };
    let mut error = 1;
    // SAFETY: handles, lists and places are valid; transfers stay inside; what is not waited for lives until the end.
    unsafe {
        let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut error);
        assert_eq!(error, 0);
        let queues = devices.map(|d| clCreateCommandQueue(context, d, 0, &mut error));
        assert_eq!(error, 0);
        let read = |q: usize, b, n: usize| {
            let mut out = vec![0u8; n];
            let p = out.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadBuffer(queues[q], b, 1, 0, n, p, 0, null(), null_mut()), 0);
            out
        };
        let mut model = noise(SIZE, 1);
        let mut host = model.clone();
        let inc = kernel(context, "kernel void inc(global uchar *p) { p[get_global_id(0)] += 1; }", c"inc");
        for flags in [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR]
        {
            host.copy_from_slice(&model);
            let start: *mut u8 = host.as_mut_ptr();
            let b = clCreateBuffer(context, flags, SIZE, start.cast(), &mut error);
            assert_eq!(error, 0);
            assert!(read(1, b, SIZE) == model, "made on one device, read on the other");
            arg(inc, 0, &b);
            for round in 0..4 {
                launch(queues[round % 2], inc, SIZE);
                model.iter_mut().for_each(|x| *x = x.wrapping_add(1));
                clFinish(queues[round % 2]);
            }
            assert!(read(0, b, SIZE) == model);
            let p =
                clEnqueueMapBuffer(queues[1], b, 1, CL_MAP_WRITE, 10, 100, 0, null(), null_mut(), &mut error);
            assert_eq!(error, 0);
            assert_eq!(p.cast::<u8>().read(), model[10]);
            p.cast::<u8>().write_bytes(0, 100);
            model[10..110].fill(0);
            assert_eq!(clEnqueueUnmapMemObject(queues[0], b, p, 0, null(), null_mut()), 0, "another queue");
            clFinish(queues[0]);
            assert!(read(0, b, SIZE) == model && read(1, b, SIZE) == model);
            let other = clCreateBuffer(context, 0, SIZE, null_mut(), &mut error);
            let mut event = null_mut();
            assert_eq!(clEnqueueCopyBuffer(queues[0], b, other, 0, 0, SIZE, 0, null(), &mut event), 0);
            let migrate = clEnqueueMigrateMemObjects(queues[1], 1, &other, 0, 1, &event, null_mut());
            assert_eq!(migrate, 0);
            pumice::entry::event::clReleaseEvent(event);
            assert!(read(1, other, SIZE) == model, "an event of the other device");
            // Disjoint parts on two devices.
            let region =
                [cl_buffer_region { origin: 0, size: 1024 }, cl_buffer_region { origin: 4096, size: 512 }];
            let parts = region.map(|r| clCreateSubBuffer(b, 0, 0x1220, (&raw const r).cast(), &mut error));
            for (i, (part, r)) in parts.iter().zip(&region).enumerate() {
                arg(inc, 0, part);
                launch(queues[i], inc, r.size);
                model[r.origin..r.origin + r.size].iter_mut().for_each(|x| *x = x.wrapping_add(1));
            }
            queues.map(|q| clFinish(q));
            assert!(read(0, b, SIZE) == model);
            parts.map(release);
            release(other);
            release(b);
        }
        pumice::entry::kernel::clReleaseKernel(inc);
        queues.map(|q| clReleaseCommandQueue(q));
        assert_eq!(clReleaseContext(context), 0);
    }
}
