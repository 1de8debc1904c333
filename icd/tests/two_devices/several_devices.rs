//! A context of two devices: lavapipe under two names.

use std::ptr::{null, null_mut};

use crate::{again, cl, two};
use cl::{Handle, arg, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{
    context::*, device::*, image::*, kernel::*, launch::*, memory::*, program::*, queue::*,
    sampler::clCreateSamplerWithProperties, transfer::*,
};
use two::two_devices;

const SIZE: usize = 100_000;

/// No kernel object is made of a function that is not the same on all devices (§5.9.1, clCreateKernelsInProgram), and none is counted.
#[test]
fn kernels_that_differ_between_the_devices() {
    let Some(devices) = two_devices() else { return };
    let source = c"kernel void first(global int *p) { *p = 1; }
        kernel void other(global int *p
        #ifdef TWO
            , int n
        #endif
        ) { *p = 2; }
        kernel void last(global int *p) { *p = 3; }";
    let mut error = 1;
    // SAFETY: handles, lists and places are valid.
    unsafe {
        let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut error);
        assert_eq!(error, 0);
        let program = clCreateProgramWithSource(context, 1, &mut source.as_ptr(), null(), &mut error);
        assert_eq!(error, 0);
        for (device, options) in devices.iter().zip([c"", c"-DTWO"]) {
            assert_eq!(clBuildProgram(program, 1, device, options.as_ptr(), None, null_mut()), 0);
        }
        let mut count = 77;
        assert_eq!(clCreateKernelsInProgram(program, 0, null_mut(), &mut count), 0);
        assert_eq!(count, 2);
        let mut kernels = [null_mut(); 3];
        assert_eq!(clCreateKernelsInProgram(program, 1, kernels.as_mut_ptr(), null_mut()), CL_INVALID_VALUE);
        count = 77;
        assert_eq!(clCreateKernelsInProgram(program, 2, kernels.as_mut_ptr(), &mut count), 0);
        assert_eq!(count, 2);
        assert!(!kernels[0].is_null() && !kernels[1].is_null() && kernels[2].is_null());
        kernels[..2].iter().for_each(|k| assert_eq!(clReleaseKernel(*k), 0));
        assert!(clCreateKernel(program, c"other".as_ptr(), &mut error).is_null());
        assert_eq!(error, CL_INVALID_KERNEL_DEFINITION);
        assert_eq!((clReleaseProgram(program), clReleaseContext(context)), (0, 0));
    }
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
            queues.iter().for_each(|q| assert_eq!(clFinish(*q), 0));
            assert!(read(0, b, SIZE) == model);
            parts.into_iter().for_each(release);
            release(other);
            release(b);
        }
        pumice::entry::kernel::clReleaseKernel(inc);
        queues.iter().for_each(|q| assert_eq!(clReleaseCommandQueue(*q), 0));
        assert_eq!(clReleaseContext(context), 0);
    }
}

/// Buffers of many pieces go from device to device and back, without waits of the program's, beside one that is as long as a piece.
#[test]
fn large_buffers_cross_in_pieces() {
    let Some(devices) = two_devices() else { return };
    let mut error = 1;
    // SAFETY: handles, lists and places are valid; transfers stay inside; what is not waited for lives until the end.
    unsafe {
        let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut error);
        assert_eq!(error, 0);
        let queues = devices.map(|d| clCreateCommandQueue(context, d, 0, &mut error));
        assert_eq!(error, 0);
        let source = "kernel void step(global uint *p) { size_t i = get_global_id(0); p[i] = p[i] * 5 + i; }";
        let step = kernel(context, source, c"step");
        for words in [65_536, 2 << 20, 1_310_723, (40 << 18) + 1] {
            let size = words * 4;
            let mut model: Vec<u32> = (0..words as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let data = model.as_mut_ptr().cast();
            let b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, data, &mut error);
            assert_eq!(error, 0);
            arg(step, 0, &b);
            let mut before: cl_event = null_mut();
            for round in 0..5 {
                let (count, list) = if before.is_null() { (0, null()) } else { (1, &raw const before) };
                let mut after = null_mut();
                let queue = queues[round % 2];
                let run =
                    clEnqueueNDRangeKernel(queue, step, 1, null(), &words, null(), count, list, &mut after);
                assert_eq!(run, 0);
                assert_eq!(clFlush(queue), 0);
                if !before.is_null() {
                    assert_eq!(pumice::entry::event::clReleaseEvent(before), 0);
                }
                before = after;
                model.iter_mut().zip(0u32..).for_each(|(x, i)| *x = x.wrapping_mul(5).wrapping_add(i));
            }
            for queue in queues {
                let mut out = vec![0u32; words];
                let place = out.as_mut_ptr().cast();
                assert_eq!(clEnqueueReadBuffer(queue, b, 1, 0, size, place, 1, &before, null_mut()), 0);
                assert!(out == model, "{words} words");
            }
            assert_eq!(pumice::entry::event::clReleaseEvent(before), 0);
            release(b);
        }
        pumice::entry::kernel::clReleaseKernel(step);
        queues.iter().for_each(|q| assert_eq!(clReleaseCommandQueue(*q), 0));
        assert_eq!(clReleaseContext(context), 0);
    }
}

/// Images go from device to device as buffers do, in kernels and transfers.
#[test]
fn images_follow_the_commands() {
    let Some(devices) = two_devices() else { return };
    let source = "kernel void inc(read_only image2d_t in, write_only image2d_t out) {
        int2 p = (int2)(get_global_id(0), get_global_id(1));
        write_imageui(out, p, read_imageui(in, p) + 1);
    }";
    let (mut error, mut has) = (1, 0u32);
    // SAFETY: handles, lists and places are valid; transfers stay inside and are waited for.
    unsafe {
        clGetDeviceInfo(devices[0], CL_DEVICE_IMAGE_SUPPORT, 4, (&raw mut has).cast(), null_mut());
        if has == 0 {
            println!("SKIP: the devices have no images");
            return;
        }
        let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut error);
        assert_eq!(error, 0);
        let queues = devices.map(|d| clCreateCommandQueue(context, d, 0, &mut error));
        let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT8 };
        let mut desc: cl_image_desc = std::mem::zeroed();
        (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, 21, 9);
        let mut model = noise(21 * 9, 3);
        let host = model.as_mut_ptr().cast();
        let make = |flags, host| {
            let mut error = 1;
            let made = clCreateImage(context, flags, &format, &desc, host, &mut error);
            assert_eq!(error, 0);
            made
        };
        let images = [make(CL_MEM_COPY_HOST_PTR, host), make(0, null_mut())];
        let inc = kernel(context, source, c"inc");
        let (zero, region, size) = ([0usize; 3], [21usize, 9, 1], [21usize, 9]);
        for round in 0..6 {
            let queue = queues[round % 2];
            arg(inc, 0, &images[round % 2]);
            arg(inc, 1, &images[(round + 1) % 2]);
            let code =
                clEnqueueNDRangeKernel(queue, inc, 2, null(), size.as_ptr(), null(), 0, null(), null_mut());
            assert_eq!(code, 0);
            assert_eq!(clFinish(queue), 0);
            model.iter_mut().for_each(|x| *x = x.saturating_add(1));
        }
        for queue in queues {
            let mut out = vec![0u8; 21 * 9];
            let code = clEnqueueReadImage(
                queue,
                images[0],
                1,
                zero.as_ptr(),
                region.as_ptr(),
                0,
                0,
                out.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            );
            assert_eq!(code, 0);
            assert!(out == model);
        }
        images.into_iter().for_each(release);
        pumice::entry::kernel::clReleaseKernel(inc);
        queues.iter().for_each(|q| assert_eq!(clReleaseCommandQueue(*q), 0));
        assert_eq!(clReleaseContext(context), 0);
    }
}

/// Images of a buffer's bytes: each device has one of its own, and whatever was changed on one is seen on the other.
#[test]
fn images_of_buffers_follow_the_commands() {
    let Some(devices) = two_devices() else { return };
    let source = "
        kernel void look(read_only image2d_t image, global uint *out) {
            int i = get_global_id(0); out[i] = read_imageui(image, (int2)(i % 16, i / 16)).x;
        }
        kernel void point(write_only image2d_t image, uint n) { write_imageui(image, (int2)(n, 3), (uint4)(n)); }
        kernel void add(global uint *p) { p[get_global_id(0)] += 1; }";
    let (mut error, mut has) = (1, 0u32);
    // SAFETY: handles, lists and places are valid; transfers stay inside and are waited for.
    unsafe {
        clGetDeviceInfo(devices[0], CL_DEVICE_IMAGE_SUPPORT, 4, (&raw mut has).cast(), null_mut());
        if has == 0 {
            println!("SKIP: the devices have no images");
            return;
        }
        let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut error);
        let queues = devices.map(|d| clCreateCommandQueue(context, d, 0, &mut error));
        let mut model: Vec<u32> = (0..128).map(|n| n * 1000).collect();
        let host = model.as_mut_ptr().cast();
        let buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 512, host, &mut error);
        let out = clCreateBuffer(context, 0, 512, null_mut(), &mut error);
        let format =
            cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
        let mut desc: cl_image_desc = std::mem::zeroed();
        (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, 16, 8);
        desc.__bindgen_anon_1.mem_object = buffer;
        let image = clCreateImage(context, 0, &format, &desc, null_mut(), &mut error);
        assert_eq!(error, 0);
        let [look, point, add] = [c"look", c"point", c"add"].map(|name| kernel(context, source, name));
        arg(look, 0, &image);
        arg(look, 1, &out);
        arg(point, 0, &image);
        arg(add, 0, &buffer);
        for round in 0..16u32 {
            let on = queues[(round / 2 % 2) as usize];
            if round % 4 < 2 {
                arg(point, 1, &round);
                launch(on, point, 1);
                model[48 + round as usize] = round;
            } else {
                launch(on, add, 128);
                model.iter_mut().for_each(|n| *n += 1);
            }
            assert_eq!(clFinish(on), 0);
            for queue in [queues[0], queues[1], queues[0]] {
                launch(queue, look, 128);
                let mut found = vec![0u32; 128];
                let at = found.as_mut_ptr().cast();
                assert_eq!(clEnqueueReadBuffer(queue, out, 1, 0, 512, at, 0, null(), null_mut()), 0);
                assert!(found == model, "round {round}");
            }
        }
        for k in [look, point, add] {
            pumice::entry::kernel::clReleaseKernel(k);
        }
        [image, buffer, out].into_iter().for_each(release);
        queues.iter().for_each(|q| assert_eq!(clReleaseCommandQueue(*q), 0));
        assert_eq!(clReleaseContext(context), 0);
    }
}

/// Every level of an image goes from device to device: each is written and changed on one and read on the other, by transfers and by kernels
/// that read one level.
#[test]
fn levels_follow_the_commands() {
    const SIDE: usize = 21;
    const LEVELS: usize = 5;
    let Some(devices) = two_devices() else { return };
    let source = "kernel void get(read_only image2d_t in, sampler_t s, global float *out, int level) {
        int2 p = (int2)(get_global_id(0), get_global_id(1)), n = (int2)(get_global_size(0), get_global_size(1));
        out[p.y * n.x + p.x] = read_imagef(in, s, (convert_float2(p) + 0.5f) / convert_float2(n), (float)level).x;
    }";
    let (mut error, mut length) = (1, 0usize);
    // SAFETY: handles, lists and places are valid; transfers stay inside and are waited for; origins have the level behind two coordinates.
    unsafe {
        let mut names = vec![0u8; 8192];
        let names_at = names.as_mut_ptr().cast();
        clGetDeviceInfo(devices[0], CL_DEVICE_EXTENSIONS, names.len(), names_at, &mut length);
        if !String::from_utf8_lossy(&names[..length]).contains("cl_khr_mipmap_image") {
            println!("SKIP: the devices have no images with levels");
            return;
        }
        let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut error);
        assert_eq!(error, 0);
        let queues = devices.map(|d| clCreateCommandQueue(context, d, 0, &mut error));
        let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_FLOAT };
        let mut desc: cl_image_desc = std::mem::zeroed();
        (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, SIDE, SIDE);
        desc.num_mip_levels = LEVELS as u32;
        let image = clCreateImage(context, 0, &format, &desc, null_mut(), &mut error);
        assert_eq!(error, 0);
        let side = |level: usize| SIDE >> level;
        let write = |q: usize, level: usize, data: &[f32]| {
            let (at, size) = ([0, 0, level], [side(level), data.len() / side(level), 1]);
            let (at, size, data) = (at.as_ptr(), size.as_ptr(), data.as_ptr().cast());
            let code = clEnqueueWriteImage(queues[q], image, 1, at, size, 0, 0, data, 0, null(), null_mut());
            assert_eq!(code, 0);
        };
        let read = |q: usize, level: usize| {
            let mut out = vec![0f32; side(level) * side(level)];
            let (at, size) = ([0, 0, level], [side(level), side(level), 1]);
            let (at, size, data) = (at.as_ptr(), size.as_ptr(), out.as_mut_ptr().cast());
            let code = clEnqueueReadImage(queues[q], image, 1, at, size, 0, 0, data, 0, null(), null_mut());
            assert_eq!(code, 0);
            out
        };
        // Levels by turns on the two devices, so that neither has all of them itself.
        let mut model: Vec<Vec<f32>> = (0..LEVELS)
            .map(|level| (0..side(level) * side(level)).map(|i| (1000 * level + i) as f32).collect())
            .collect();
        for (level, data) in model.iter().enumerate() {
            write(level % 2, level, data);
        }
        let get = kernel(context, source, c"get");
        let keys = [CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE];
        let [normalized, mode, filter] = keys.map(cl_sampler_properties::from);
        let properties =
            [normalized, 1, mode, CL_ADDRESS_CLAMP_TO_EDGE.into(), filter, CL_FILTER_NEAREST.into(), 0];
        let sampler = clCreateSamplerWithProperties(context, properties.as_ptr(), &mut error);
        assert_eq!(error, 0);
        let out = clCreateBuffer(context, 0, SIDE * SIDE * 4, null_mut(), &mut error);
        for round in 0..4 {
            let q = round % 2;
            for level in 0..LEVELS {
                assert!(read(q, level) == model[level], "round {round}, level {level}, read on device {q}");
                arg(get, 0, &image);
                arg(get, 1, &sampler);
                arg(get, 2, &out);
                arg(get, 3, &(level as i32));
                let size = [side(level); 2];
                let (none, size) = (null(), size.as_ptr());
                let code =
                    clEnqueueNDRangeKernel(queues[q], get, 2, none, size, null(), 0, null(), null_mut());
                assert_eq!(code, 0);
                let mut found = vec![0f32; model[level].len()];
                let (bytes, to) = (found.len() * 4, found.as_mut_ptr().cast());
                let code = clEnqueueReadBuffer(queues[q], out, 1, 0, bytes, to, 0, null(), null_mut());
                assert_eq!(code, 0);
                assert!(found == model[level], "round {round}, level {level}, in a kernel on device {q}");
            }
            // The first row of one level changes on this device; the other has all else.
            let level = (round + 1) % LEVELS;
            model[level][..side(level)].fill(-(round as f32));
            write(q, level, &model[level][..side(level)]);
        }
        pumice::entry::sampler::clReleaseSampler(sampler);
        [out, image].into_iter().for_each(release);
        pumice::entry::kernel::clReleaseKernel(get);
        queues.iter().for_each(|q| assert_eq!(clReleaseCommandQueue(*q), 0));
        assert_eq!(clReleaseContext(context), 0);
    }
}

/// A device that is not the object's, and no device where there are two: CL_INVALID_DEVICE (§5.1, §5.8, §5.9.4); a queue on a
/// device that the program was not built for: CL_INVALID_PROGRAM_EXECUTABLE (§5.10).
#[test]
fn the_wrong_device() {
    const BAD: i32 = CL_INVALID_DEVICE;
    const UNBUILT: i32 = CL_INVALID_PROGRAM_EXECUTABLE;
    let Some([first, second]) = two_devices() else { return };
    let both = [first, second];
    let (mut error, mut n, global) = (1, 0usize, 8usize);
    let text = c"kernel void k(int n) {}".as_ptr();
    // SAFETY: handles, lists and places are valid or NULL.
    unsafe {
        let context = clCreateContext(null(), 1, &first, None, null_mut(), &mut error);
        let pair = clCreateContext(null(), 2, both.as_ptr(), None, null_mut(), &mut error);
        let program = |c, e| clCreateProgramWithSource(c, 1, (&raw const text).cast_mut(), null(), e);
        let p = program(context, &mut error);
        let code = |made: Handle, error: i32| {
            assert!(made.is_null());
            error
        };
        let queue = clCreateCommandQueue(context, second, 0, &mut error);
        assert_eq!(code(queue, error), BAD);
        let queue = clCreateCommandQueueWithProperties(context, second, null(), &mut error);
        assert_eq!(code(queue, error), BAD);
        assert_eq!(clSetDefaultDeviceCommandQueue(context, second, null_mut()), BAD);
        for list in [&both[1..], &both] {
            let (count, list) = (list.len() as u32, list.as_ptr());
            assert_eq!(clBuildProgram(p, count, list, null(), None, null_mut()), BAD);
            let compiled = clCompileProgram(p, count, list, null(), 0, null(), null_mut(), None, null_mut());
            assert_eq!(compiled, BAD);
            let linked = clLinkProgram(context, count, list, null(), 1, &p, None, null_mut(), &mut error);
            assert_eq!(code(linked, error), BAD);
            let (sizes, binaries) = ([8usize; 2], [c"binary1".as_ptr().cast::<u8>(); 2]);
            let (sizes, binaries) = (sizes.as_ptr(), binaries.as_ptr().cast_mut());
            let loaded =
                clCreateProgramWithBinary(context, count, list, sizes, binaries, null_mut(), &mut error);
            assert_eq!(code(loaded, error), BAD);
            let names = c"name".as_ptr();
            let loaded = clCreateProgramWithBuiltInKernels(context, count, list, names, &mut error);
            assert_eq!(code(loaded, error), BAD);
        }
        let log = CL_PROGRAM_BUILD_LOG;
        assert_eq!(clGetProgramBuildInfo(p, second, log, 0, null_mut(), null_mut()), BAD);
        assert_eq!(clReleaseProgram(p), 0);

        let p = program(pair, &mut error);
        assert_eq!(clBuildProgram(p, 1, &first, null(), None, null_mut()), 0);
        let k = clCreateKernel(p, c"k".as_ptr(), &mut error);
        assert_eq!(error, 0);
        arg(k, 0, &7i32);
        let size = CL_KERNEL_WORK_GROUP_SIZE;
        for (device, expected) in [(first, 0), (second, BAD), (null_mut(), BAD)] {
            assert_eq!(clGetKernelWorkGroupInfo(k, device, size, 0, null_mut(), null_mut()), expected);
            // 0 names no query.
            let expected = if expected == 0 { CL_INVALID_VALUE } else { expected };
            let groups = clGetKernelSubGroupInfo(k, device, 0, 0, null(), 0, null_mut(), null_mut());
            assert_eq!(groups, expected);
        }
        for (device, expected) in [(first, 0), (second, UNBUILT)] {
            let q = clCreateCommandQueue(pair, device, 0, &mut error);
            assert_eq!(error, 0);
            let run = clEnqueueNDRangeKernel(q, k, 1, null(), &global, null(), 0, null(), null_mut());
            assert_eq!(run, expected);
            assert_eq!(clEnqueueTask(q, k, 0, null(), null_mut()), expected);
            assert_eq!(clGetKernelSuggestedLocalWorkSize(q, k, 1, null(), &global, &mut n), expected);
            assert_eq!((clFinish(q), clReleaseCommandQueue(q)), (0, 0));
        }
        assert_eq!((clReleaseKernel(k), clReleaseProgram(p)), (0, 0));
        assert_eq!((clReleaseContext(pair), clReleaseContext(context)), (0, 0));
    }
}

#[test]
fn the_same_with_several_streams() {
    again::again_in(module_path!(), &["streams=3"]);
}
