//! Images of Vulkan's memory.

use std::os::fd::{AsRawFd, IntoRawFd};
use std::ptr::{null, null_mut};

use ash::vk;
use opencl_sys::*;
use pumice::entry::image::{clCreateImageWithProperties, clEnqueueReadImage};
use pumice::entry::kernel::clReleaseKernel;
use pumice::entry::launch::clEnqueueNDRangeKernel;

use crate::cl::{Handle, arg, kernel, release};
use crate::peer::{Peer, Side};
use crate::{Both, FD, device_info};

const WIDTH: usize = 61;
const HEIGHT: usize = 37;

fn import(both: &Both, descriptor: i32, [width, height]: [usize; 2], flags: u64) -> Result<Handle, i32> {
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
    // SAFETY: the descriptor consists of integers and a pointer, for which zeros are valid.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    (desc.image_width, desc.image_height) = (width, height);
    desc.image_row_pitch = width * 4;
    let list = [FD, descriptor as u64, 0];
    let mut error = 1;
    // SAFETY: all places are valid; the list ends with a 0.
    let image = unsafe {
        let (context, list) = (both.cl.context, list.as_ptr());
        clCreateImageWithProperties(context, list, flags, &format, &desc, null_mut(), &mut error)
    };
    assert_eq!(image.is_null(), error != 0);
    if error == 0 { Ok(image) } else { Err(error) }
}

/// Vulkan fills an image, a kernel writes another from it, Vulkan reads that one; OpenCL's own reads see the same.
#[test]
fn texels_go_both_ways() {
    let Some(both) = Both::new() else { return };
    if device_info(both.cl.device, CL_DEVICE_IMAGE_SUPPORT) != Some(1u32.to_ne_bytes().to_vec()) {
        return println!("SKIP: no images");
    }
    let peer = &both.peer;
    let flags = vk::ImageCreateFlags::MUTABLE_FORMAT;
    let (width, height) = (WIDTH as u32, HEIGHT as u32);
    let images = [peer.shared_image(width, height, flags), peer.shared_image(width, height, flags)];
    let memories = images.each_ref().map(|(_, shared)| {
        let descriptor = peer.export(shared);
        let image = import(&both, descriptor.as_raw_fd(), [WIDTH, HEIGHT], 0).expect("an image");
        let _ = descriptor.into_raw_fd();
        image
    });
    let kernel = kernel(
        both.cl.context,
        "kernel void f(read_only image2d_t from, write_only image2d_t to) {
            const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(to, at, 1.0f - read_imagef(from, s, at));
        }",
        c"f",
    );
    arg(kernel, 0, &memories[0]);
    arg(kernel, 1, &memories[1]);
    for seed in 1..4 {
        let mut texels = crate::cl::noise(WIDTH * HEIGHT * 4, seed);
        peer.with_staging(&mut texels, |staging| {
            peer.run(&[], &[], |device, commands| {
                for (image, _) in &images {
                    match seed {
                        1 => peer.owner_of_image(commands, *image, None),
                        _ => peer.owner_of_image(commands, *image, Some(Side::Acquire)),
                    }
                }
                let whole = [Peer::texels(width, height)];
                let general = vk::ImageLayout::GENERAL;
                // SAFETY: the staging buffer has all texels.
                unsafe { device.cmd_copy_buffer_to_image(commands, staging, images[0].0, general, &whole) };
                images.iter().for_each(|(i, _)| peer.owner_of_image(commands, *i, Some(Side::Release)));
            });
        });
        both.acquire(&memories);
        let size = [WIDTH, HEIGHT];
        let (queue, none) = (both.cl.queue, null_mut());
        // SAFETY: two sizes.
        let code = unsafe {
            clEnqueueNDRangeKernel(queue, kernel, 2, null(), size.as_ptr(), null(), 0, null(), none)
        };
        assert_eq!(code, 0);
        let mut seen = vec![0u8; texels.len()];
        let (origin, region) = ([0usize; 3], [WIDTH, HEIGHT, 1]);
        // SAFETY: blocking, into room for all texels.
        let code = unsafe {
            let place = seen.as_mut_ptr().cast();
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            clEnqueueReadImage(queue, memories[1], 1, origin, region, 0, 0, place, 0, null(), none)
        };
        assert_eq!(code, 0);
        both.release(&memories);
        both.cl.finish();
        let wanted: Vec<u8> = texels.iter().map(|b| 255 - b).collect();
        assert_eq!(seen, wanted);
        let mut read = vec![0u8; texels.len()];
        peer.with_staging(&mut read, |staging| {
            peer.run(&[], &[], |device, commands| {
                peer.owner_of_image(commands, images[1].0, Some(Side::Acquire));
                let (general, whole) = (vk::ImageLayout::GENERAL, [Peer::texels(width, height)]);
                // SAFETY: the staging buffer has room for all texels.
                unsafe { device.cmd_copy_image_to_buffer(commands, images[1].0, general, staging, &whole) };
                peer.owner_of_image(commands, images[1].0, Some(Side::Release));
            });
        });
        assert_eq!(read, wanted);
    }
    memories.into_iter().for_each(release);
    // SAFETY: given back once; the peer's commands have ended.
    unsafe {
        assert_eq!(clReleaseKernel(kernel), 0);
        images.iter().for_each(|(image, _)| peer.device.destroy_image(*image, None));
    }
    images.into_iter().for_each(|(_, shared)| peer.free(shared));
}

/// The errors of §5.3.1; a refusal leaves the descriptor as it is.
#[test]
fn errors() {
    let Some(both) = Both::new() else { return };
    if device_info(both.cl.device, CL_DEVICE_IMAGE_SUPPORT) != Some(1u32.to_ne_bytes().to_vec()) {
        return println!("SKIP: no images");
    }
    let (image, shared) = both.peer.shared_image(WIDTH as u32, HEIGHT as u32, vk::ImageCreateFlags::empty());
    let descriptor = both.peer.export(&shared);
    let raw = descriptor.as_raw_fd();
    let before = crate::descriptors();
    let size = [WIDTH, HEIGHT];
    assert_eq!(import(&both, raw, size, CL_MEM_ALLOC_HOST_PTR), Err(CL_INVALID_VALUE));
    assert_eq!(import(&both, -1, size, 0), Err(CL_INVALID_PROPERTY));
    let code = import(&both, raw, [WIDTH * 16, HEIGHT * 16], 0).expect_err("more than there is");
    let expected = [CL_INVALID_IMAGE_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_PROPERTY];
    assert!(expected.contains(&code), "{code}");
    assert_eq!(crate::descriptors(), before);
    let made = import(&both, raw, size, 0).expect("an image");
    let _ = descriptor.into_raw_fd();
    release(made);
    // SAFETY: given back once.
    unsafe { both.peer.device.destroy_image(image, None) };
    both.peer.free(shared);
}
