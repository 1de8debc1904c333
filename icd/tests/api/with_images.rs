//! Kernels with images and samplers through the exported functions: launches again and again with other images, misuse of arguments.

use std::ptr::{null, null_mut};

use crate::cl;
use cl::{Handle, Setup, arg, kernel, noise, release};
use opencl_sys::*;
use pumice::entry::{image::*, kernel::*, launch::*, sampler::*};

const SOURCE: &str = "
kernel void flip(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 q = (float2)(get_image_width(in) - 1 - p.x + 0.5f, p.y + 0.5f);
    write_imagef(out, p, read_imagef(in, s, q));
}
kernel void pick(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, p, read_imagef(in, s, p - (int2)(1, 0)));
}
kernel void lines(read_only image1d_array_t in, global uint *out) { out[0] = get_image_array_size(in); }
kernel void buffers(global uint *out) { out[0] = 1; }
kernel void count(global uchar *bytes) { bytes[get_global_id(0)] += 1; }
";

/// The tests ask for what a device without images has not.
fn setup() -> Option<Setup> {
    let s = Setup::new()?;
    let mut has = 0u32;
    // SAFETY: room for the answer.
    let code = unsafe {
        pumice::entry::device::clGetDeviceInfo(
            s.device,
            CL_DEVICE_IMAGE_SUPPORT,
            4,
            (&raw mut has).cast(),
            null_mut(),
        )
    };
    assert_eq!(code, 0);
    if has == 0 {
        println!("SKIP: the device has no images");
        return None;
    }
    Some(s)
}

fn image(s: &Setup, flags: u64, kind: u32, size: [usize; 2], data: Option<&[u8]>) -> Handle {
    image_of(s, CL_RGBA, flags, kind, size, data)
}

fn image_of(s: &Setup, order: u32, flags: u64, kind: u32, size: [usize; 2], data: Option<&[u8]>) -> Handle {
    let format = cl_image_format { image_channel_order: order, image_channel_data_type: CL_UNORM_INT8 };
    // SAFETY: integers and a pointer, for which zeros are valid.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = kind;
    (desc.image_width, desc.image_height, desc.image_array_size) = (size[0], size[1], size[1]);
    let (copy, host) = data.map_or((0, null()), |d| (CL_MEM_COPY_HOST_PTR, d.as_ptr()));
    let mut error = 1;
    // SAFETY: the data is as large as the image.
    let made =
        unsafe { clCreateImage(s.context, flags | copy, &format, &desc, host.cast_mut().cast(), &mut error) };
    assert_eq!(error, 0);
    made
}

fn read(s: &Setup, image: Handle, size: [usize; 2]) -> Vec<u8> {
    let mut out = vec![0xee; size[0] * size[1] * 4];
    let (zero, region) = ([0usize; 3], [size[0], size[1], 1]);
    // SAFETY: blocking, into memory of the size.
    let code = unsafe {
        clEnqueueReadImage(
            s.queue,
            image,
            1,
            zero.as_ptr(),
            region.as_ptr(),
            0,
            0,
            out.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, 0);
    out
}

fn launch(s: &Setup, kernel: Handle, size: [usize; 2]) -> i32 {
    // SAFETY: two sizes.
    unsafe {
        clEnqueueNDRangeKernel(s.queue, kernel, 2, null(), size.as_ptr(), null(), 0, null(), null_mut())
    }
}

fn sampler(s: &Setup, addressing: u32) -> Handle {
    let mut error = 1;
    // SAFETY: a valid place.
    let made = unsafe { clCreateSampler(s.context, 0, addressing, CL_FILTER_NEAREST, &mut error) };
    assert_eq!(error, 0);
    made
}

fn flipped(data: &[u8], width: usize) -> Vec<u8> {
    data.chunks(width * 4)
        .flat_map(|row| row.chunks(4).rev().flatten().copied().collect::<Vec<_>>())
        .collect()
}

/// clGetKernelArgInfo of images, of one that the kernel does not use, and of what is no image.
#[test]
fn access_qualifiers() {
    let Some(s) = setup() else { return };
    let source = "kernel void k(read_only image2d_t a, write_only image1d_buffer_t b, image3d_t c, sampler_t d, global int *e) {
        *e = get_image_width(a);
    }";
    let k = kernel(s.context, source, c"k");
    let (read, write, none) =
        (CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ACCESS_NONE);
    for (index, expected) in [(0, read), (1, write), (2, read), (3, none), (4, none)] {
        let mut found = 0u32;
        let place = (&raw mut found).cast();
        // SAFETY: room for the answer.
        let code =
            unsafe { clGetKernelArgInfo(k, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, 4, place, null_mut()) };
        assert_eq!((code, found), (0, expected), "argument {index}");
    }
    // SAFETY: the kernel is its owner's.
    assert_eq!(unsafe { clReleaseKernel(k) }, 0);
}

#[test]
fn launches_again_with_other_images() {
    let Some(s) = setup() else { return };
    const SIZE: [usize; 2] = [13, 7];
    let flip = kernel(s.context, SOURCE, c"flip");
    let one = sampler(&s, CL_ADDRESS_CLAMP_TO_EDGE);
    arg(flip, 2, &one);
    let data: Vec<_> = (0..3).map(|i| noise(SIZE[0] * SIZE[1] * 4, i)).collect();
    let sources: Vec<_> =
        data.iter().map(|d| image(&s, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, SIZE, Some(d))).collect();
    let targets: Vec<_> =
        (0..3).map(|_| image(&s, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, SIZE, None)).collect();
    for round in 0..9 {
        let (from, to) = (round % 3, (round / 3 + round) % 3);
        arg(flip, 0, &sources[from]);
        arg(flip, 1, &targets[to]);
        // The second and third launch are the same as the first.
        for _ in 0..3 {
            assert_eq!(launch(&s, flip, SIZE), 0);
        }
        assert!(read(&s, targets[to], SIZE) == flipped(&data[from], SIZE[0]), "round {round}");
    }
    // A chain without waiting: each launch reads what the one before wrote.
    for round in 0..8 {
        let (from, to) = (targets[round % 2], targets[(round + 1) % 2]);
        arg(flip, 0, &from);
        arg(flip, 1, &to);
        assert_eq!(launch(&s, flip, SIZE), 0);
    }
    let first = read(&s, targets[1], SIZE);
    assert!(read(&s, targets[0], SIZE) == flipped(&first, SIZE[0]));
    // A released image is no argument any more.
    arg(flip, 0, &sources[0]);
    assert_eq!(launch(&s, flip, SIZE), 0);
    sources.into_iter().chain(targets).for_each(release);
    assert_eq!(launch(&s, flip, SIZE), CL_INVALID_KERNEL_ARGS);
    s.finish();
    // SAFETY: handles that are given back once.
    unsafe {
        assert_eq!(clReleaseSampler(one), 0);
        assert_eq!(clReleaseKernel(flip), 0);
    }
}

/// Pipelines are told the formats and samplers of a few launches; those that come after have one that asks.
#[test]
fn launches_with_many_formats_and_samplers() {
    let Some(s) = setup() else { return };
    const SIZE: [usize; 2] = [4, 1];
    let flip = kernel(s.context, SOURCE, c"pick");
    let samplers = [CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE].map(|mode| sampler(&s, mode));
    let data = noise(SIZE[0] * 4, 7);
    let orders = [CL_RGBA, CL_BGRA];
    let from =
        orders.map(|order| image_of(&s, order, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, SIZE, Some(&data)));
    let to = orders.map(|order| image_of(&s, order, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, SIZE, None));
    for round in 0..24usize {
        let [source, target, mode] = [round & 1, (round >> 1) & 1, ((round >> 2) % 3) & 1];
        // Pixels from one to the left of the image on.
        arg(flip, 0, &from[source]);
        arg(flip, 1, &to[target]);
        arg(flip, 2, &samplers[mode]);
        for _ in 0..2 {
            assert_eq!(launch(&s, flip, SIZE), 0);
        }
        let mut wanted: Vec<u8> = match mode {
            0 => [&[0; 4], &data[..12]].concat(),
            _ => [&data[..4], &data[..12]].concat(),
        };
        if source != target {
            wanted.chunks_mut(4).for_each(|texel| texel.swap(0, 2));
        }
        assert_eq!(read(&s, to[target], SIZE), wanted, "round {round}");
    }
    from.into_iter().chain(to).for_each(release);
    // SAFETY: handles that are given back once.
    unsafe {
        samplers.iter().for_each(|one| assert_eq!(clReleaseSampler(*one), 0));
        assert_eq!(clReleaseKernel(flip), 0);
    }
}

#[test]
fn arguments_that_do_not_fit() {
    let Some(s) = setup() else { return };
    let flip = kernel(s.context, SOURCE, c"flip");
    let lines = kernel(s.context, SOURCE, c"lines");
    let buffers = kernel(s.context, SOURCE, c"buffers");
    let of = |flags, kind| image(&s, flags, kind, [4, 4], None);
    let (reads, writes) =
        (of(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D), of(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D));
    let (both, array) = (of(0, CL_MEM_OBJECT_IMAGE2D), of(0, CL_MEM_OBJECT_IMAGE1D_ARRAY));
    let buffer = s.buffer(0, 64);
    let one = sampler(&s, CL_ADDRESS_CLAMP);
    let none: Handle = null_mut();
    let set = |kernel, index, size, value: *const Handle| {
        // SAFETY: NULL or a handle.
        unsafe { clSetKernelArg(kernel, index, size, value.cast()) }
    };
    for (what, kernel, index, value, error) in [
        ("an image", flip, 0, both, 0),
        ("one that is read", flip, 0, reads, 0),
        ("one that is written", flip, 1, writes, 0),
        ("one for writing, to be read", flip, 0, writes, CL_INVALID_ARG_VALUE),
        ("one for reading, to be written", flip, 1, reads, CL_INVALID_ARG_VALUE),
        ("an array", flip, 0, array, CL_INVALID_MEM_OBJECT),
        ("no array", lines, 0, both, CL_INVALID_MEM_OBJECT),
        ("a buffer", flip, 0, buffer, CL_INVALID_MEM_OBJECT),
        ("an image for a buffer", buffers, 0, both, CL_INVALID_MEM_OBJECT),
        ("a sampler for an image", flip, 0, one, CL_INVALID_MEM_OBJECT),
        ("none", flip, 0, none, CL_INVALID_MEM_OBJECT),
        ("a sampler", flip, 2, one, 0),
        ("an image for a sampler", flip, 2, both, CL_INVALID_SAMPLER),
        ("no sampler", flip, 2, none, CL_INVALID_SAMPLER),
    ] {
        assert_eq!(set(kernel, index, 8, &value), error, "{what}");
    }
    assert_eq!(set(flip, 0, 4, &both), CL_INVALID_ARG_SIZE);
    assert_eq!(set(flip, 2, 4, &one), CL_INVALID_ARG_SIZE);
    assert_eq!(set(flip, 0, 8, null()), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(flip, 2, 8, null()), CL_INVALID_SAMPLER);
    // What was set before the mistakes still holds.
    assert_eq!(launch(&s, flip, [4, 4]), 0);
    s.finish();
    [reads, writes, both, array, buffer].into_iter().for_each(release);
    // SAFETY: handles that are given back once.
    unsafe {
        assert_eq!(clReleaseSampler(one), 0);
        for kernel in [flip, lines, buffers] {
            assert_eq!(clReleaseKernel(kernel), 0);
        }
    }
}

/// Images of buffers: what kernels write to either is seen in the other by the next, launches that are repeated included.
#[test]
fn images_of_buffers() {
    let Some(s) = setup() else { return };
    const SIZE: [usize; 2] = [13, 7];
    const PITCH: usize = 64;
    let flip = kernel(s.context, SOURCE, c"flip");
    let count = kernel(s.context, SOURCE, c"count");
    let one = sampler(&s, CL_ADDRESS_CLAMP_TO_EDGE);
    arg(flip, 2, &one);
    let of = |buffer: Handle| {
        let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
        // SAFETY: integers and a pointer, for which zeros are valid.
        let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
        desc.image_type = CL_MEM_OBJECT_IMAGE2D;
        (desc.image_width, desc.image_height, desc.image_row_pitch) = (SIZE[0], SIZE[1], PITCH);
        desc.__bindgen_anon_1.mem_object = buffer;
        let mut error = 1;
        // SAFETY: valid structures.
        let made = unsafe { clCreateImage(s.context, 0, &format, &desc, null_mut(), &mut error) };
        assert_eq!(error, 0);
        made
    };
    let (mut from, mut to) = (noise(PITCH * SIZE[1], 1), noise(PITCH * SIZE[1], 2));
    let buffers = [s.filled(&from), s.filled(&to)];
    let images = buffers.map(of);
    arg(flip, 0, &images[0]);
    arg(flip, 1, &images[1]);
    for (round, size) in [SIZE, SIZE, SIZE, [13, 3]].into_iter().enumerate() {
        arg(count, 0, &buffers[0]);
        cl::launch(s.queue, count, from.len());
        from.iter_mut().for_each(|b| *b = b.wrapping_add(1));
        assert_eq!(launch(&s, flip, size), 0);
        for (to, from) in to.chunks_mut(PITCH).zip(from.chunks(PITCH)).take(size[1]) {
            to[..SIZE[0] * 4].copy_from_slice(&flipped(&from[..SIZE[0] * 4], SIZE[0]));
        }
        if round == 1 {
            // What was written to the image is there for a kernel that takes the buffer.
            arg(count, 0, &buffers[1]);
            cl::launch(s.queue, count, to.len());
            to.iter_mut().for_each(|b| *b = b.wrapping_add(1));
        }
        assert!(s.read(buffers[1], 0, to.len()) == to, "round {round}");
        assert!(s.read(buffers[0], 0, from.len()) == from, "round {round}, the source");
    }
    images.into_iter().chain(buffers).for_each(release);
    s.finish();
    // SAFETY: handles that are given back once.
    unsafe {
        assert_eq!(clReleaseSampler(one), 0);
        assert_eq!(clReleaseKernel(flip), 0);
        assert_eq!(clReleaseKernel(count), 0);
    }
}

/// As many images as CL_DEVICE_MAX_READ_IMAGE_ARGS says, beside a buffer: a device may have no more descriptors of all kinds than that.
#[test]
fn as_many_as_the_device_says() {
    let Some(s) = setup() else { return };
    let mut most = 0u32;
    let (asked, at) = (CL_DEVICE_MAX_READ_IMAGE_ARGS, (&raw mut most).cast());
    // SAFETY: room for the answer.
    unsafe { pumice::entry::device::clGetDeviceInfo(s.device, asked, 4, at, null_mut()) };
    let params: Vec<String> = (0..most).map(|n| format!("read_only image2d_t i{n}")).collect();
    let sum: String = (0..most).map(|n| format!(" + read_imagef(i{n}, (int2)(0)).x * {n}")).collect();
    let source = format!("kernel void all({}, global float *out) {{ *out = 0{sum}; }}", params.join(", "));
    let all = kernel(s.context, &source, c"all");
    let (one, out) = (image(&s, 0, CL_MEM_OBJECT_IMAGE2D, [1, 1], Some(&[255; 4])), s.buffer(0, 4));
    (0..most).for_each(|n| arg(all, n, &one));
    arg(all, most, &out);
    cl::launch(s.queue, all, 1);
    let found = s.read(out, 0, 4);
    let sum: u32 = (0..most).sum();
    assert_eq!(f32::from_ne_bytes([found[0], found[1], found[2], found[3]]), sum as f32);
    // SAFETY: made above.
    assert_eq!(unsafe { clReleaseKernel(all) }, 0);
    release(one);
    release(out);
}
