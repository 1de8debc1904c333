//! Textures and renderbuffers of OpenGL.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use pumice::entry::gl::*;
use pumice::entry::image::{clEnqueueReadImage, clEnqueueWriteImage, clGetImageInfo};
use pumice::entry::kernel::clReleaseKernel;
use pumice::entry::launch::clEnqueueNDRangeKernel;

use crate::cl::{Handle, arg, kernel, noise};
use crate::peer::*;
use crate::{Both, cl};

const BYTES: (u32, u32) = (RGBA, UNSIGNED_BYTE);

fn read_image(both: &Both, image: Handle, region: [usize; 3], size: usize) -> Vec<u8> {
    let mut data = vec![0u8; size];
    let place = data.as_mut_ptr().cast();
    // SAFETY: blocking; room for the texels.
    let code = unsafe {
        let (origin, queue) = ([0; 3].as_ptr(), both.cl.queue);
        clEnqueueReadImage(queue, image, 1, origin, region.as_ptr(), 0, 0, place, 0, null(), null_mut())
    };
    assert_eq!(code, 0);
    data
}

fn write_image(both: &Both, image: Handle, region: [usize; 3], data: &[u8]) {
    let place = data.as_ptr().cast();
    // SAFETY: blocking; as many texels as the data has.
    let code = unsafe {
        let (origin, queue) = ([0; 3].as_ptr(), both.cl.queue);
        clEnqueueWriteImage(queue, image, 1, origin, region.as_ptr(), 0, 0, place, 0, null(), null_mut())
    };
    assert_eq!(code, 0);
}

fn image_info<T: Copy + Default>(image: Handle, param: u32) -> T {
    let mut value = T::default();
    // SAFETY: room for a T.
    let code = unsafe { clGetImageInfo(image, param, size_of::<T>(), (&raw mut value).cast(), null_mut()) };
    assert_eq!(code, 0, "{param:#x}");
    value
}

/// A kernel writes a texture from another one, many rounds; odd sizes, levels above the first.
#[test]
fn a_kernel_reads_and_writes() {
    let Some(both) = Both::new() else { return };
    let kernel = kernel(
        both.cl.context,
        "kernel void f(read_only image2d_t from, write_only image2d_t to) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(to, at, 1.0f - read_imagef(from, at));
        }",
        c"f",
    );
    for (level, [width, height]) in [(0, [61, 37]), (1, [32, 16]), (0, [1, 1])] {
        let names = [both.peer.texture(TEXTURE_2D), both.peer.texture(TEXTURE_2D)];
        for name in names {
            both.peer.bind(c"glBindTexture", TEXTURE_2D, name);
            for l in 0..=level {
                let size = [width << (level - l), height << (level - l)];
                both.peer.image_2d(TEXTURE_2D, l, RGBA8, size, BYTES, &[]);
            }
        }
        let of = |flags, name| both.of_texture(flags, TEXTURE_2D, level, name).expect("an image");
        let images = [of(CL_MEM_READ_ONLY, names[0]), of(CL_MEM_WRITE_ONLY, names[1])];
        assert_eq!(image_info::<usize>(images[0], CL_IMAGE_WIDTH), width as usize);
        assert_eq!(image_info::<usize>(images[0], CL_IMAGE_HEIGHT), height as usize);
        arg(kernel, 0, &images[0]);
        arg(kernel, 1, &images[1]);
        for round in 0..3 {
            let texels = noise((width * height * 4) as usize, round);
            both.peer.bind(c"glBindTexture", TEXTURE_2D, names[0]);
            both.peer.image_2d(TEXTURE_2D, level, RGBA8, [width, height], BYTES, &texels);
            both.acquire(&images);
            let size = [width as usize, height as usize];
            // SAFETY: two sizes.
            let code = unsafe {
                let (queue, none) = (both.cl.queue, null());
                clEnqueueNDRangeKernel(queue, kernel, 2, none, size.as_ptr(), none, 0, null(), null_mut())
            };
            assert_eq!(code, 0);
            both.release(&images);
            both.peer.bind(c"glBindTexture", TEXTURE_2D, names[1]);
            let found = both.peer.read_texture(TEXTURE_2D, level, BYTES, texels.len());
            assert!(
                found.iter().zip(&texels).all(|(new, old)| *new == !*old),
                "level {level}, round {round}"
            );
        }
        images.iter().for_each(|image| cl::release(*image));
        names.iter().for_each(|name| both.peer.delete(c"glDeleteTextures", *name));
    }
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
}

/// Each kind of texture has its kind of image, and its texels in the same order.
#[test]
fn all_kinds() {
    let Some(both) = Both::new() else { return };
    let peer = &both.peer;
    type Make = fn(&Peer, &[u8]);
    let kinds: [(u32, u32, [usize; 3], u32, u32, Make); 6] = [
        (TEXTURE_1D, TEXTURE_1D, [19, 1, 1], CL_MEM_OBJECT_IMAGE1D, CL_GL_OBJECT_TEXTURE1D, |p, d| {
            p.image_1d(19, d);
        }),
        (
            TEXTURE_1D_ARRAY,
            TEXTURE_1D_ARRAY,
            [19, 5, 1],
            CL_MEM_OBJECT_IMAGE1D_ARRAY,
            CL_GL_OBJECT_TEXTURE1D_ARRAY,
            |p, d| p.image_2d(TEXTURE_1D_ARRAY, 0, RGBA8, [19, 5], BYTES, d),
        ),
        (
            TEXTURE_RECTANGLE,
            TEXTURE_RECTANGLE,
            [19, 5, 1],
            CL_MEM_OBJECT_IMAGE2D,
            CL_GL_OBJECT_TEXTURE2D,
            |p, d| p.image_2d(TEXTURE_RECTANGLE, 0, RGBA8, [19, 5], BYTES, d),
        ),
        (
            TEXTURE_CUBE_MAP,
            CUBE_NEGATIVE_Y,
            [8, 8, 1],
            CL_MEM_OBJECT_IMAGE2D,
            CL_GL_OBJECT_TEXTURE2D,
            |p, d| (0..6).for_each(|face| p.image_2d(0x8515 + face, 0, RGBA8, [8, 8], BYTES, d)),
        ),
        (
            TEXTURE_2D_ARRAY,
            TEXTURE_2D_ARRAY,
            [7, 5, 3],
            CL_MEM_OBJECT_IMAGE2D_ARRAY,
            CL_GL_OBJECT_TEXTURE2D_ARRAY,
            |p, d| p.image_3d(TEXTURE_2D_ARRAY, [7, 5, 3], d),
        ),
        (TEXTURE_3D, TEXTURE_3D, [7, 5, 3], CL_MEM_OBJECT_IMAGE3D, CL_GL_OBJECT_TEXTURE3D, |p, d| {
            p.image_3d(TEXTURE_3D, [7, 5, 3], d);
        }),
    ];
    for (bound, target, region, kind, object, make) in kinds {
        let size = region.iter().product::<usize>() * 4;
        let (texels, others) = (noise(size, target), noise(size, target + 1));
        let name = peer.texture(bound);
        make(peer, &texels);
        let image = both.of_texture(CL_MEM_READ_WRITE, target, 0, name);
        let image = image.or_else(|_| both.of_texture(CL_MEM_READ_ONLY, target, 0, name)).expect("an image");
        let (mut found_kind, mut found_name, mut info) = (0, 0, [0u32; 2]);
        // SAFETY: the places are valid.
        unsafe {
            assert_eq!(clGetGLObjectInfo(image, &mut found_kind, &mut found_name), 0);
            for (value, param) in info.iter_mut().zip([CL_GL_TEXTURE_TARGET, CL_GL_MIPMAP_LEVEL]) {
                let place = std::ptr::from_mut(value).cast();
                assert_eq!(clGetGLTextureInfo(image, param, 4, place, null_mut()), 0);
            }
            let none = clGetGLTextureInfo(image, CL_GL_MIPMAP_LEVEL, 0, null_mut(), null_mut());
            assert_eq!(none, CL_INVALID_VALUE);
        }
        assert_eq!((found_kind, found_name, info), (object, name, [target, 0]));
        assert_eq!(crate::cl::info::<u32>(image, CL_MEM_TYPE), Ok(kind));
        both.acquire(&[image]);
        assert_eq!(read_image(&both, image, region, size), texels, "{target:#x}");
        let written = crate::cl::info::<u64>(image, CL_MEM_FLAGS) == Ok(CL_MEM_READ_WRITE);
        write_image(&both, image, region, &others);
        both.release(&[image]);
        peer.bind(c"glBindTexture", bound, name);
        let expected = if written { others } else { texels };
        assert_eq!(peer.read_texture(target, 0, BYTES, size), expected, "{target:#x}");
        cl::release(image);
        peer.delete(c"glDeleteTextures", name);
    }
}

/// Whole numbers and depths keep their bits.
#[test]
fn other_formats() {
    let Some(both) = Both::new() else { return };
    let peer = &both.peer;
    let depth: Vec<u8> = (0..12).flat_map(|n| (n as f32 / 16.0).to_ne_bytes()).collect();
    for (internal, packed, data, order, channel) in [
        (RGBA32UI, (RGBA_INTEGER, UNSIGNED_INT), noise(12 * 16, 3), CL_RGBA, CL_UNSIGNED_INT32),
        (DEPTH_COMPONENT32F, (DEPTH_COMPONENT, FLOAT), depth, CL_DEPTH, CL_FLOAT),
    ] {
        let name = peer.texture(TEXTURE_2D);
        peer.image_2d(TEXTURE_2D, 0, internal, [4, 3], packed, &data);
        let image = both.of_texture(CL_MEM_READ_ONLY, TEXTURE_2D, 0, name).expect("an image");
        let format = image_info::<[u32; 2]>(image, CL_IMAGE_FORMAT);
        assert_eq!(format, [order, channel]);
        both.acquire(&[image]);
        assert_eq!(read_image(&both, image, [4, 3, 1], data.len()), data, "{internal:#x}");
        both.release(&[image]);
        cl::release(image);
        peer.delete(c"glDeleteTextures", name);
    }
}

/// A texture of a buffer is an image of a buffer.
#[test]
fn texture_buffers() {
    let Some(both) = Both::new() else { return };
    let peer = &both.peer;
    let data = noise(64 * 4, 11);
    let bytes = peer.buffer(&data);
    let name = peer.name(c"glGenTextures");
    peer.bind(c"glBindTexture", TEXTURE_BUFFER, name);
    // SAFETY: the function has this type.
    unsafe { peer.gl::<unsafe extern "C" fn(u32, u32, u32)>(c"glTexBuffer")(TEXTURE_BUFFER, RGBA8, bytes) };
    peer.check();
    assert_eq!(both.of_texture(CL_MEM_READ_WRITE, TEXTURE_BUFFER, 1, name), Err(CL_INVALID_MIP_LEVEL));
    let image = both.of_texture(CL_MEM_READ_WRITE, TEXTURE_BUFFER, 0, name).expect("an image");
    assert_eq!(crate::cl::info::<u32>(image, CL_MEM_TYPE), Ok(CL_MEM_OBJECT_IMAGE1D_BUFFER));
    assert_eq!(image_info::<usize>(image, CL_IMAGE_WIDTH), 64);
    let (mut kind, mut found) = (0, 0);
    // SAFETY: the places are valid.
    assert_eq!(unsafe { clGetGLObjectInfo(image, &mut kind, &mut found) }, 0);
    assert_eq!((kind, found), (CL_GL_OBJECT_TEXTURE_BUFFER, name));
    both.acquire(&[image]);
    assert_eq!(read_image(&both, image, [64, 1, 1], data.len()), data);
    let others = noise(64 * 4, 12);
    write_image(&both, image, [64, 1, 1], &others);
    both.release(&[image]);
    assert_eq!(peer.read_buffer(bytes, data.len()), others);
    cl::release(image);
}

/// All levels of a texture as one image (cl_khr_mipmap_image).
#[test]
fn all_levels() {
    let Some(both) = Both::new() else { return };
    let peer = &both.peer;
    if !crate::extensions(both.cl.device).contains("cl_khr_mipmap_image") {
        return println!("SKIP: no mip levels");
    }
    let name = peer.texture(TEXTURE_2D);
    let levels: Vec<_> = (0..4).map(|l| noise((8 >> l) * (8 >> l) * 4, l as u32)).collect();
    for (level, data) in levels.iter().enumerate() {
        let side = 8 >> level;
        peer.image_2d(TEXTURE_2D, level as i32, RGBA8, [side, side], BYTES, data);
    }
    let image = both.of_texture(CL_MEM_READ_WRITE, TEXTURE_2D, -1, name).expect("an image");
    assert_eq!(image_info::<u32>(image, CL_IMAGE_NUM_MIP_LEVELS), 4);
    both.acquire(&[image]);
    for (level, data) in levels.iter().enumerate() {
        let (side, mut found) = (8 >> level, vec![0u8; data.len()]);
        let (origin, place) = ([0, 0, level], found.as_mut_ptr().cast());
        // SAFETY: blocking; room for the texels.
        let code = unsafe {
            let (queue, region) = (both.cl.queue, [side, side, 1]);
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            clEnqueueReadImage(queue, image, 1, origin, region, 0, 0, place, 0, null(), null_mut())
        };
        assert_eq!((code, &found), (0, data), "level {level}");
    }
    both.release(&[image]);
    assert_eq!(peer.read_texture(TEXTURE_2D, 2, BYTES, 16), levels[2]);
    cl::release(image);
}

/// A renderbuffer goes to OpenCL and back.
#[test]
fn renderbuffers() {
    let Some(both) = Both::new() else { return };
    let peer = &both.peer;
    let name = peer.renderbuffer(RGBA8, 0, [13, 7]);
    peer.clear_renderbuffer(name, [1.0, 0.0, 1.0, 1.0]);
    let image = both.of_renderbuffer(CL_MEM_READ_WRITE, name).expect("an image");
    let (mut kind, mut found) = (0, 0);
    // SAFETY: the places are valid.
    assert_eq!(unsafe { clGetGLObjectInfo(image, &mut kind, &mut found) }, 0);
    assert_eq!((kind, found), (CL_GL_OBJECT_RENDERBUFFER, name));
    both.acquire(&[image]);
    let size = 13 * 7 * 4;
    assert_eq!(read_image(&both, image, [13, 7, 1], size), [255, 0, 255, 255].repeat(13 * 7));
    let texels = noise(size, 1);
    write_image(&both, image, [13, 7, 1], &texels);
    both.release(&[image]);
    assert_eq!(peer.read_renderbuffer(name, [13, 7]), texels);
    cl::release(image);
    peer.delete(c"glDeleteRenderbuffers", name);
}
