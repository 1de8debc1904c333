//! Images with levels (cl_khr_mipmap_image) through the exported functions: transfers of levels against a model, reads of kernels by a level of
//! detail and by gradients.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use crate::cl;
use cl::{Handle, Setup, arg, kernel, noise, release};
use opencl_sys::*;
use pumice::entry::{device::*, image::*, kernel::*, launch::*, sampler::*};

fn setup() -> Option<Setup> {
    let s = Setup::new()?;
    if !has(&s, "cl_khr_mipmap_image") {
        println!("SKIP: the device has no images");
        return None;
    }
    Some(s)
}

/// Returns whether the device has an extension.
fn has(s: &Setup, name: &str) -> bool {
    let mut text = vec![0u8; 8192];
    // SAFETY: room for the answer.
    let code = unsafe {
        clGetDeviceInfo(s.device, CL_DEVICE_EXTENSIONS, text.len(), text.as_mut_ptr().cast(), null_mut())
    };
    assert_eq!(code, 0);
    let text = CStr::from_bytes_until_nul(&text).expect("text").to_string_lossy().into_owned();
    text.split(' ').any(|word| word == name)
}

fn desc(kind: u32, size: [usize; 4], levels: u32) -> cl_image_desc {
    // SAFETY: integers and a pointer, for which zeros are valid.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.num_mip_levels) = (kind, levels);
    [desc.image_width, desc.image_height, desc.image_depth, desc.image_array_size] = size;
    desc
}

fn image(s: &Setup, (order, data_type): (u32, u32), desc: &cl_image_desc) -> Handle {
    let format = cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
    let mut error = 1;
    // SAFETY: valid structures.
    let image = unsafe { clCreateImage(s.context, 0, &format, desc, null_mut(), &mut error) };
    assert_eq!(error, 0);
    image
}

/// An image and the texels of its levels, packed.
struct Levels<'a> {
    s: &'a Setup,
    image: Handle,
    texel: usize,
    kind: u32,
    sizes: Vec<[usize; 3]>,
    model: Vec<Vec<u8>>,
}

impl Drop for Levels<'_> {
    fn drop(&mut self) {
        release(self.image);
    }
}

impl<'a> Levels<'a> {
    fn new(s: &'a Setup, kind: u32, size: [usize; 4], seed: u32) -> Self {
        let [w, h, d, n] = size;
        let count = [w, h, d].into_iter().max().expect("sizes").ilog2() + 1;
        let image = image(s, (CL_RG, CL_UNORM_INT8), &desc(kind, size, count));
        let half = |n: usize, level: u32| (n >> level).max(1);
        let sizes: Vec<[usize; 3]> = (0..count)
            .map(|l| match kind {
                CL_MEM_OBJECT_IMAGE1D_ARRAY => [half(w, l), n, 1],
                CL_MEM_OBJECT_IMAGE2D_ARRAY => [half(w, l), half(h, l), n],
                _ => [half(w, l), half(h, l), half(d, l)],
            })
            .collect();
        let model = sizes
            .iter()
            .enumerate()
            .map(|(l, size)| noise(size.iter().product::<usize>() * 2, seed + l as u32));
        let model = model.collect();
        let levels = Levels { s, image, texel: 2, kind, sizes, model };
        for (level, data) in levels.model.iter().enumerate() {
            let (origin, region) = (levels.origin([0; 3], level), levels.sizes[level]);
            let (at, size, from) = (origin.as_ptr(), region.as_ptr(), data.as_ptr().cast());
            // SAFETY: blocking, from memory of the size; the origin has four elements.
            let code = unsafe {
                clEnqueueWriteImage(s.queue, levels.image, 1, at, size, 0, 0, from, 0, null(), null_mut())
            };
            assert_eq!(code, 0, "level {level}");
        }
        assert_eq!(levels.info(CL_IMAGE_NUM_MIP_LEVELS), count);
        levels
    }

    fn info(&self, param: u32) -> u32 {
        let mut value = 0;
        // SAFETY: room for the answer.
        let code = unsafe { clGetImageInfo(self.image, param, 4, (&raw mut value).cast(), null_mut()) };
        assert_eq!(code, 0);
        value
    }

    /// A place in a level.
    fn origin(&self, at: [usize; 3], level: usize) -> [usize; 4] {
        let mut origin = [at[0], at[1], at[2], 0];
        let place = match self.kind {
            CL_MEM_OBJECT_IMAGE1D => 1,
            CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D => 2,
            _ => 3,
        };
        origin[place] = level;
        origin
    }

    fn put(&mut self, level: usize, (at, region): ([usize; 3], [usize; 3]), packed: &[u8]) {
        let [w, h, _] = self.sizes[level];
        let row = region[0] * self.texel;
        for (n, line) in packed.chunks(row).enumerate() {
            let (y, z) = (at[1] + n % region[1], at[2] + n / region[1]);
            let first = ((z * h + y) * w + at[0]) * self.texel;
            self.model[level][first..first + row].copy_from_slice(line);
        }
    }

    fn check(&self, what: &str) {
        for (level, expected) in self.model.iter().enumerate() {
            let (origin, region) = (self.origin([0; 3], level), self.sizes[level]);
            let mut found = vec![0xee; expected.len()];
            let (at, size, to) = (origin.as_ptr(), region.as_ptr(), found.as_mut_ptr().cast());
            // SAFETY: blocking, into memory of the size; the origin has four elements.
            let code = unsafe {
                clEnqueueReadImage(self.s.queue, self.image, 1, at, size, 0, 0, to, 0, null(), null_mut())
            };
            assert_eq!(code, 0);
            assert!(found == *expected, "{what}: level {level} of {:#x}", self.kind);
        }
    }
}

const KINDS: [(u32, [usize; 4]); 5] = [
    (CL_MEM_OBJECT_IMAGE1D, [13, 0, 0, 0]),
    (CL_MEM_OBJECT_IMAGE1D_ARRAY, [9, 0, 0, 3]),
    (CL_MEM_OBJECT_IMAGE2D, [13, 6, 0, 0]),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY, [9, 11, 0, 3]),
    (CL_MEM_OBJECT_IMAGE3D, [9, 5, 6, 0]),
];

#[test]
fn transfers_of_levels() {
    let Some(s) = setup() else { return };
    for (kind, size) in KINDS {
        let source = Levels::new(&s, kind, size, 40);
        let mut target = Levels::new(&s, kind, size, 60);
        source.check("written");
        let (q, none) = (s.queue, null_mut());
        // From level 1 to a corner of level 0, level 2 to a buffer and from it to level 1, level 1 filled, the last level mapped.
        let region = source.sizes[1];
        let (from, to) = (source.origin([0; 3], 1), target.origin([0; 3], 0));
        // SAFETY: valid handles; places of four elements.
        let code = unsafe {
            clEnqueueCopyImage(
                q,
                source.image,
                target.image,
                from.as_ptr(),
                to.as_ptr(),
                region.as_ptr(),
                0,
                null(),
                none,
            )
        };
        assert_eq!(code, 0);
        target.put(0, ([0; 3], region), &source.model[1]);
        target.check("copied");
        let region = source.sizes[2];
        let (from, to) = (source.origin([0; 3], 2), target.origin([0; 3], 1));
        let buffer = s.buffer(0, source.model[2].len() + 4);
        // SAFETY: as above.
        unsafe {
            let (at, size) = (from.as_ptr(), region.as_ptr());
            let code = clEnqueueCopyImageToBuffer(q, source.image, buffer, at, size, 4, 0, null(), none);
            assert_eq!(code, 0);
            let at = to.as_ptr();
            let code = clEnqueueCopyBufferToImage(q, buffer, target.image, 4, at, size, 0, null(), none);
            assert_eq!(code, 0);
        }
        target.put(1, ([0; 3], region), &source.model[2]);
        release(buffer);
        let last = target.sizes.len() - 1;
        let (at, region) = (target.origin([0; 3], last), target.sizes[last]);
        let colour = [1f32, 0.2, 0.0, 0.0];
        // SAFETY: as above.
        let code = unsafe {
            clEnqueueFillImage(
                q,
                target.image,
                colour.as_ptr().cast(),
                at.as_ptr(),
                region.as_ptr(),
                0,
                null(),
                none,
            )
        };
        assert_eq!(code, 0);
        let texels = region.iter().product();
        target.put(last, ([0; 3], region), &[255, 51].repeat(texels));
        target.check("filled");
        let (mut row, mut slice, mut error) = (0, 0, 1);
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: as above.
        let pointer = unsafe {
            clEnqueueMapImage(
                q,
                target.image,
                1,
                flags,
                at.as_ptr(),
                region.as_ptr(),
                &mut row,
                &mut slice,
                0,
                null(),
                none,
                &mut error,
            )
        };
        assert_eq!(error, 0);
        // SAFETY: the first texel is mapped.
        unsafe {
            assert_eq!(pointer.cast::<u8>().read(), 255);
            pointer.cast::<u8>().write(3);
        }
        assert_eq!(s.unmap(target.image, pointer.cast()), 0);
        target.put(last, ([0; 3], [1; 3]), &[3, 51]);
        target.check("mapped");
        // There is no such level, and no such place in a small one.
        for (at, error) in [
            (target.origin([0; 3], last + 1), CL_INVALID_MIP_LEVEL),
            (target.origin([target.sizes[1][0], 0, 0], 1), CL_INVALID_VALUE),
        ] {
            // SAFETY: as above.
            let code = unsafe {
                let (colour, one) = (colour.as_ptr().cast(), [1usize; 3]);
                clEnqueueFillImage(q, target.image, colour, at.as_ptr(), one.as_ptr(), 0, null(), none)
            };
            assert_eq!(code, error);
        }
    }
    s.finish();
}

const SOURCE: &str = "
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
kernel void by_level(read_only image2d_t im, sampler_t s, global const float4 *at, global float4 *out) {
    size_t i = get_global_id(0);
    out[i] = read_imagef(im, s, at[i].xy, at[i].z);
}
kernel void by_gradients(read_only image2d_t im, sampler_t s, global const float4 *at, global float4 *out) {
    size_t i = get_global_id(0);
    float2 dx = (float2)(exp2(at[i].z) / get_image_width(im), 0), dy = (float2)(0, exp2(at[i].z) / get_image_height(im));
    out[i] = read_imagef(im, s, at[i].xy, dx, dy);
}
constant sampler_t own = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void in_source(read_only image2d_t im, sampler_t s, global const float4 *at, global float4 *out) {
    size_t i = get_global_id(0);
    out[i] = read_imagef(im, own, at[i].xy, at[i].z) + (float4)(0, 0, get_image_num_mip_levels(im) - 5, 0);
}
kernel void without(read_only image2d_t im, sampler_t s, global const float4 *at, global float4 *out) {
    size_t i = get_global_id(0);
    out[i] = read_imagef(im, s, at[i].xy);
}
kernel void uints(read_only image2d_t im, sampler_t s, global const float4 *at, global float4 *out) {
    size_t i = get_global_id(0);
    uint4 a = read_imageui(im, s, at[i].xy, at[i].z);
    float2 dx = (float2)(exp2(at[i].z) / get_image_width(im), 0), dy = (float2)(0, exp2(at[i].z) / get_image_height(im));
    uint4 b = read_imageui(im, s, at[i].xy, dx, dy);
    out[i] = (float4)(a.x, b.x, a.y, b.y);
}
#ifdef cl_khr_mipmap_image_writes
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
kernel void mark(write_only image2d_t im) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    int level = p.x & 7;
    write_imagef(im, (int2)(p.x >> 3, p.y), level, (float4)(level + 100, p.x >> 3, p.y, 1));
    write_imagef(im, p - 1, 3, (float4)(-1));
}
#endif
kernel void stamp(write_only image2d_t im) { write_imagef(im, (int2)(get_global_id(0), 0), (float4)(9)); }
";

/// A sampler of clamped coordinates.
fn sampler(s: &Setup, filter: u32, between: u32, bounds: [f32; 2]) -> Handle {
    let bits = |lod: f32| u64::from(lod.to_bits());
    let list = [
        CL_SAMPLER_ADDRESSING_MODE.into(),
        CL_ADDRESS_CLAMP_TO_EDGE.into(),
        CL_SAMPLER_FILTER_MODE.into(),
        filter.into(),
        CL_SAMPLER_MIP_FILTER_MODE.into(),
        between.into(),
        CL_SAMPLER_LOD_MIN.into(),
        bits(bounds[0]),
        CL_SAMPLER_LOD_MAX.into(),
        bits(bounds[1]),
        0u64,
    ];
    let mut error = 1;
    // SAFETY: a list of properties.
    let made = unsafe { clCreateSamplerWithProperties(s.context, list.as_ptr(), &mut error) };
    assert_eq!(error, 0);
    made
}

/// An image of 16 by 8 and five levels. Of floats: the texel (x, y) of level l has the channels l + 1, x, y, 7; of integers l + 1, x.
fn pyramid(s: &Setup, floats: bool) -> Handle {
    let format = if floats { (CL_RGBA, CL_FLOAT) } else { (CL_RG, CL_UNSIGNED_INT32) };
    let made = image(s, format, &desc(CL_MEM_OBJECT_IMAGE2D, [16, 8, 0, 0], 5));
    for level in 0..5usize {
        let (w, h) = ((16 >> level).max(1), (8usize >> level).max(1));
        let mut words = Vec::new();
        for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
            match floats {
                true => words.extend([level + 1, x, y, 7].map(|n| (n as f32).to_bits())),
                false => words.extend([level as u32 + 1, x as u32]),
            }
        }
        let (at, region) = ([0, 0, level], [w, h, 1]);
        let (at, size, from) = (at.as_ptr(), region.as_ptr(), words.as_ptr().cast());
        // SAFETY: blocking, from memory of the size.
        let code =
            unsafe { clEnqueueWriteImage(s.queue, made, 1, at, size, 0, 0, from, 0, null(), null_mut()) };
        assert_eq!(code, 0);
    }
    made
}

fn read_at(s: &Setup, name: &CStr, image: Handle, sampler: Handle, at: &[[f32; 3]]) -> Vec<[f32; 4]> {
    let bytes: Vec<u8> = at.iter().flat_map(|p| [p[0], p[1], p[2], 0.0]).flat_map(f32::to_le_bytes).collect();
    let (places, out) = (s.filled(&bytes), s.buffer(0, bytes.len()));
    let k = kernel(s.context, SOURCE, name);
    arg(k, 0, &image);
    arg(k, 1, &sampler);
    arg(k, 2, &places);
    arg(k, 3, &out);
    cl::launch(s.queue, k, at.len());
    let found = s.read(out, 0, bytes.len());
    [places, out].into_iter().for_each(release);
    // SAFETY: the kernel is its owner's.
    assert_eq!(unsafe { clReleaseKernel(k) }, 0);
    let floats: Vec<f32> = found.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    floats.as_chunks::<4>().0.to_vec()
}

#[test]
fn reads_of_levels() {
    let Some(s) = setup() else { return };
    let (floats, uints) = (pyramid(&s, true), pyramid(&s, false));
    let (nearest, linear) = (CL_FILTER_NEAREST, CL_FILTER_LINEAR);
    let sharp = sampler(&s, nearest, nearest, [0.0, f32::MAX]);
    let smooth = sampler(&s, nearest, linear, [0.0, f32::MAX]);
    let bounded = sampler(&s, nearest, nearest, [1.0, 2.0]);
    // The centres of texels of each level, at the level and a little off it.
    let mut at = Vec::new();
    let mut expected = Vec::new();
    for level in 0..5usize {
        let (w, h) = ((16 >> level).max(1), (8usize >> level).max(1));
        for (x, y) in [(0, 0), (w - 1, 0), (w / 2, h - 1), (w - 1, h / 2)] {
            for off in [-0.25, 0.0, 0.25] {
                at.push([(x as f32 + 0.5) / w as f32, (y as f32 + 0.5) / h as f32, level as f32 + off]);
                expected.push([(level + 1) as f32, x as f32, y as f32, 7.0]);
            }
        }
    }
    for name in [c"by_level", c"by_gradients", c"in_source"] {
        assert_eq!(read_at(&s, name, floats, sharp, &at), expected, "{name:?}");
    }
    let whole: Vec<[f32; 4]> = expected.iter().map(|e| [e[0], e[0], e[1], e[1]]).collect();
    assert_eq!(read_at(&s, c"uints", uints, sharp, &at), whole);
    for (name, image) in [(c"by_level", floats), (c"by_gradients", floats), (c"uints", uints)] {
        for (found, place) in read_at(&s, name, image, bounded, &at).iter().zip(&at) {
            let level = place[2].clamp(1.0, 2.0).round() + 1.0;
            assert_eq!(found[0], level, "{name:?} at {place:?}, between 1 and 2");
            assert!(name != c"uints" || found[1] == level, "{name:?} at {place:?}, by gradients");
        }
    }
    for (found, place) in read_at(&s, c"by_level", floats, smooth, &at).iter().zip(&at) {
        let level = place[2].clamp(0.0, 4.0) + 1.0;
        assert!((found[0] - level).abs() < 0.02, "{found:?} at {place:?}, between two levels");
    }
    // A read without a level is of level 0, and so is a write.
    let k = kernel(s.context, SOURCE, c"stamp");
    arg(k, 0, &floats);
    cl::launch(s.queue, k, 1);
    // SAFETY: the kernel is its owner's.
    assert_eq!(unsafe { clReleaseKernel(k) }, 0);
    let corner = [[0.01, 0.01, 0.0]];
    assert_eq!(read_at(&s, c"without", floats, sharp, &corner), [[9.0; 4]]);
    let below = [[0.01, 0.01, 1.0]];
    assert_eq!(read_at(&s, c"by_level", floats, sharp, &below), [[2.0, 0.0, 0.0, 7.0]]);
    if has(&s, "cl_khr_mipmap_image_writes") {
        let k = kernel(s.context, SOURCE, c"mark");
        arg(k, 0, &floats);
        // Eight levels, two of which there are not; twice as many places as the first has.
        let size = [8 * 32, 16];
        let none = null();
        // SAFETY: two sizes.
        let code = unsafe {
            clEnqueueNDRangeKernel(s.queue, k, 2, none, size.as_ptr(), none, 0, null(), null_mut())
        };
        assert_eq!(code, 0);
        // SAFETY: the kernel is its owner's.
        assert_eq!(unsafe { clReleaseKernel(k) }, 0);
        for (found, before) in read_at(&s, c"by_level", floats, sharp, &at).iter().zip(&expected) {
            let level = before[0] - 1.0;
            let written = [level + 100.0, before[1], before[2], 1.0];
            // Of level 3 both writes wrote all texels.
            assert!(*found == written || (level == 3.0 && *found == [-1.0; 4]), "{found:?} {before:?}");
        }
    }
    [floats, uints].into_iter().for_each(release);
    for made in [sharp, smooth, bounded] {
        // SAFETY: each is given back once.
        assert_eq!(unsafe { clReleaseSampler(made) }, 0);
    }
}
