//! A frame loop without host copies: an OpenCL kernel writes an image of Vulkan's memory, and Vulkan copies it into its own target, as a
//! renderer would draw it. Semaphores order the two on the device where it shares them; elsewhere each side waits for the other on the host.
//!
//! ```text
//! cargo run -p pumice-icd --example frames              1,000 frames
//! cargo run -p pumice-icd --example frames 50 last.ppm  50 frames, and the last one as a picture
//! ```
//!
//! The functions of OpenCL are libpumice.so's, called directly; a C program finds the same in libOpenCL.so. Errors end the program.
#![allow(clippy::undocumented_unsafe_blocks)] // All of it is OpenCL and Vulkan, as their specifications say.

use std::error::Error;
use std::ffi::c_void;
use std::os::fd::IntoRawFd;
use std::ptr::{null, null_mut};

use ash::vk;
use opencl_sys::*;
use pumice::entry::{
    context::*, device::*, external_memory::*, image::*, kernel::*, launch::*, platform::*, program::*,
    queue::*, semaphore::*,
};

// The Vulkan side: a device, and memory, images and semaphores that it exports.
#[allow(dead_code)]
#[path = "../icd/tests/external/peer.rs"]
mod peer;
use peer::{Peer, Side};

const WIDTH: usize = 256;
const HEIGHT: usize = 192;

const SOURCE: &str = "
    kernel void draw(write_only image2d_t out, uint frame) {
        uint x = get_global_id(0), y = get_global_id(1);
        uint3 c = (uint3)(x + frame, y + 2 * frame, x ^ y) & 255u;
        write_imagef(out, (int2)(x, y), (float4)(convert_float3(c) / 255.0f, 1.0f));
    }";

/// The colour of a pixel, as the kernel and the check compute it.
fn colour(x: usize, y: usize, frame: u32) -> [u8; 4] {
    let frame = frame as usize;
    [(x + frame) as u8, (y + 2 * frame) as u8, (x ^ y) as u8, 255]
}

type Handle = *mut c_void;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn check(what: &str, code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(format!("{what}: error {code}").into()) }
}

/// OpenCL's side.
struct Drawer {
    queue: Handle,
    kernel: Handle,
    image: Handle,
    /// The semaphores of both sides, where the device shares them.
    semaphores: Option<[Handle; 2]>,
}

impl Drawer {
    /// Draws a frame: acquires the image, writes it, releases it.
    unsafe fn draw(&self, frame: u32) -> Result<()> {
        let (none, no_event) = (null(), null_mut());
        let size = [WIDTH, HEIGHT];
        unsafe {
            if let Some([taken, _]) = &self.semaphores
                && frame > 0
            {
                let code = clEnqueueWaitSemaphoresKHR(self.queue, 1, taken, null(), 0, none, no_event);
                check("clEnqueueWaitSemaphoresKHR", code)?;
            }
            let code = clEnqueueAcquireExternalMemObjectsKHR(self.queue, 1, &self.image, 0, none, no_event);
            check("clEnqueueAcquireExternalMemObjectsKHR", code)?;
            check("clSetKernelArg", clSetKernelArg(self.kernel, 1, 4, (&raw const frame).cast()))?;
            let (global, local) = (size.as_ptr(), null());
            let code =
                clEnqueueNDRangeKernel(self.queue, self.kernel, 2, null(), global, local, 0, none, no_event);
            check("clEnqueueNDRangeKernel", code)?;
            let code = clEnqueueReleaseExternalMemObjectsKHR(self.queue, 1, &self.image, 0, none, no_event);
            check("clEnqueueReleaseExternalMemObjectsKHR", code)?;
            match &self.semaphores {
                Some([_, drawn]) => {
                    let code = clEnqueueSignalSemaphoresKHR(self.queue, 1, drawn, null(), 0, none, no_event);
                    check("clEnqueueSignalSemaphoresKHR", code)
                }
                None => check("clFinish", clFinish(self.queue)),
            }
        }
    }
}

unsafe fn device_text(device: Handle, param: u32) -> Result<Vec<u8>> {
    let mut size = 0;
    unsafe {
        check("clGetDeviceInfo", clGetDeviceInfo(device, param, 0, null_mut(), &mut size))?;
        let mut bytes = vec![0u8; size];
        let place = bytes.as_mut_ptr().cast();
        check("clGetDeviceInfo", clGetDeviceInfo(device, param, size, place, null_mut()))?;
        Ok(bytes)
    }
}

/// An exported semaphore of Vulkan's, in both APIs.
unsafe fn semaphore(peer: &Peer, context: Handle) -> Result<(vk::Semaphore, Handle)> {
    let theirs = peer.semaphore(true);
    let descriptor = peer.export_semaphore(theirs).into_raw_fd() as u64;
    let list = [
        CL_SEMAPHORE_TYPE_KHR.into(),
        CL_SEMAPHORE_TYPE_BINARY_KHR.into(),
        CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR.into(),
        descriptor,
        0,
    ];
    let mut error = 0;
    let ours = unsafe { clCreateSemaphoreWithPropertiesKHR(context, list.as_ptr(), &mut error) };
    check("clCreateSemaphoreWithPropertiesKHR", error)?;
    Ok((theirs, ours))
}

unsafe fn run(frames: u32, picture: Option<&str>) -> Result<()> {
    unsafe {
        let (mut platform, mut device, mut error) = (null_mut(), null_mut(), 0);
        check("clIcdGetPlatformIDsKHR", clIcdGetPlatformIDsKHR(1, &mut platform, null_mut()))?;
        let code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut());
        check("clGetDeviceIDs", code)?;
        let extensions = String::from_utf8_lossy(&device_text(device, CL_DEVICE_EXTENSIONS)?).into_owned();
        let has = |name: &str| extensions.trim_end_matches('\0').split(' ').any(|n| n == name);
        if !has("cl_khr_external_memory_opaque_fd") {
            return Err("the device imports no memory of Vulkan's".into());
        }
        let context = clCreateContext(null(), 1, &device, None, null_mut(), &mut error);
        check("clCreateContext", error)?;
        let queue = clCreateCommandQueueWithProperties(context, device, null(), &mut error);
        check("clCreateCommandQueueWithProperties", error)?;

        let peer = Peer::new(&device_text(device, CL_DEVICE_UUID)?).ok_or("no Vulkan on that device")?;
        let (width, height) = (WIDTH as u32, HEIGHT as u32);
        let mutable = vk::ImageCreateFlags::MUTABLE_FORMAT;
        let (image, memory) = peer.shared_image(width, height, mutable);
        // The target, which stays Vulkan's own: nobody imports it.
        let (target, target_memory) = peer.shared_image(width, height, mutable);

        let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
        let mut desc: cl_image_desc = std::mem::zeroed();
        desc.image_type = CL_MEM_OBJECT_IMAGE2D;
        (desc.image_width, desc.image_height) = (WIDTH, HEIGHT);
        let descriptor = peer.export(&memory).into_raw_fd() as u64;
        let list = [CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR.into(), descriptor, 0];
        let shared = clCreateImageWithProperties(
            context,
            list.as_ptr(),
            CL_MEM_WRITE_ONLY,
            &format,
            &desc,
            null_mut(),
            &mut error,
        );
        check("clCreateImageWithProperties", error)?;

        let (mut text, length) = (SOURCE.as_ptr().cast(), SOURCE.len());
        let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut error);
        check("clCreateProgramWithSource", error)?;
        check("clBuildProgram", clBuildProgram(program, 1, &device, null(), None, null_mut()))?;
        let kernel = clCreateKernel(program, c"draw".as_ptr(), &mut error);
        check("clCreateKernel", error)?;
        check("clSetKernelArg", clSetKernelArg(kernel, 0, 8, (&raw const shared).cast()))?;

        let pairs = match has("cl_khr_external_semaphore_opaque_fd") {
            true => Some([semaphore(&peer, context)?, semaphore(&peer, context)?]),
            false => None,
        };
        let semaphores = pairs.map(|[(_, taken), (_, drawn)]| [taken, drawn]);
        let drawer = Drawer { queue, kernel, image: shared, semaphores };
        let how = if semaphores.is_some() { "semaphores" } else { "the host" };

        // The image's first layout, and the first release to OpenCL.
        peer.run(&[], &[], |_, commands| {
            peer.owner_of_image(commands, image, None);
            peer.owner_of_image(commands, target, None);
            peer.owner_of_image(commands, image, Some(Side::Release));
        });
        let start = std::time::Instant::now();
        let mut checked = 0;
        let mut pixels = vec![0u8; WIDTH * HEIGHT * 4];
        let mut under_way = std::collections::VecDeque::new();
        for frame in 0..frames {
            drawer.draw(frame)?;
            let (waits, signals) = match &pairs {
                Some([(taken, _), (drawn, _)]) => (vec![*drawn], vec![*taken]),
                None => (vec![], vec![]),
            };
            under_way.push_back(peer.submit(&waits, &signals, |device, commands| {
                peer.owner_of_image(commands, image, Some(Side::Acquire));
                let region = Peer::texels(width, height);
                let whole = vk::ImageCopy::default()
                    .src_subresource(region.image_subresource)
                    .dst_subresource(region.image_subresource)
                    .extent(region.image_extent);
                // The target's last copy is before this one.
                let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
                let barrier = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
                let (stage, no) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
                device.cmd_pipeline_barrier(commands, stage, stage, no, &barrier, &[], &[]);
                let general = vk::ImageLayout::GENERAL;
                device.cmd_copy_image(commands, image, general, target, general, &[whole]);
                peer.owner_of_image(commands, image, Some(Side::Release));
            }));
            // Three frames may be under way; without semaphores one.
            while under_way.len() > if pairs.is_some() { 3 } else { 0 } {
                under_way.pop_front().into_iter().for_each(|frame| peer.finish(frame));
            }
            // Each tenth of the frames is checked, and the last: only then are pixels brought to the host.
            if (frame + 1) % frames.div_ceil(10).max(1) == 0 || frame + 1 == frames {
                under_way.drain(..).for_each(|frame| peer.finish(frame));
                peer.with_staging(&mut pixels, |staging| {
                    peer.run(&[], &[], |device, commands| {
                        let (general, whole) = (vk::ImageLayout::GENERAL, [Peer::texels(width, height)]);
                        device.cmd_copy_image_to_buffer(commands, target, general, staging, &whole);
                    });
                });
                for (i, pixel) in pixels.chunks_exact(4).enumerate() {
                    let wanted = colour(i % WIDTH, i / WIDTH, frame);
                    if pixel != wanted {
                        let at = (i % WIDTH, i / WIDTH);
                        return Err(format!("frame {frame}, {at:?}: {pixel:?}, not {wanted:?}").into());
                    }
                }
                checked += 1;
            }
        }
        check("clFinish", clFinish(queue))?;
        let time = start.elapsed();
        println!("{frames} frames ordered by {how}, {checked} checked, in {time:.1?}");
        if let Some(path) = picture {
            let rgb: Vec<u8> = pixels.chunks_exact(4).flat_map(|p| p[..3].to_vec()).collect();
            std::fs::write(path, [format!("P6 {WIDTH} {HEIGHT} 255\n").as_bytes(), &rgb].concat())?;
        }
        pumice::entry::memory::clReleaseMemObject(shared);
        peer.device.destroy_image(image, None);
        peer.device.destroy_image(target, None);
        peer.free(memory);
        peer.free(target_memory);
        if let Some(pairs) = pairs {
            for (theirs, ours) in pairs {
                clReleaseSemaphoreKHR(ours);
                peer.device.destroy_semaphore(theirs, None);
            }
        }
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
    }
    Ok(())
}

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let frames = args.next().map_or(Ok(1000), |n| n.parse())?;
    unsafe { run(frames, args.next().as_deref()) }
}
