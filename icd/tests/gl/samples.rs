//! Textures with several samples for each texel (cl_khr_gl_msaa_sharing).

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use pumice::entry::gl::{clCreateFromGLTexture2D, clGetGLObjectInfo, clGetGLTextureInfo};
use pumice::entry::image::{clCreateImage, clEnqueueReadImage, clGetImageInfo};
use pumice::entry::kernel::{clReleaseKernel, clSetKernelArg};
use pumice::entry::launch::clEnqueueNDRangeKernel;

use crate::cl::{Handle, arg, kernel};
use crate::peer::*;
use crate::{Both, cl};

const SAMPLES: i32 = 4;
const MULTISAMPLE: u32 = 0x9100;
const MULTISAMPLE_ARRAY: u32 = 0x9102;
const NUM_SAMPLES: u32 = 0x2012;
const DEPTH32F: u32 = 0x8CAC;
const RGBA8UI: u32 = 0x8D7C;
const FRAMEBUFFER: u32 = 0x8D40;

/// A texel of a layer as tests make it: in each sample another one.
fn value([x, y]: [u32; 2], layer: u32, sample: u32) -> [u8; 4] {
    [(x * 7) as u8, (y * 5) as u8, (layer * 40) as u8, (sample * 50 + 1) as u8]
}

/// The program that draws a sample of a layer: whole numbers, numbers from 0 to 1, or depths.
fn fragment(internal: u32) -> String {
    let texel = "uvec4(uint(gl_FragCoord.x) * 7u, uint(gl_FragCoord.y) * 5u, uint(layer) * 40u, uint(number) * 50u + 1u)";
    let head = "#version 150\nuniform int layer, number;\n";
    match internal {
        RGBA8UI => format!("{head}out uvec4 texel;\nvoid main() {{ texel = {texel}; }}"),
        DEPTH32F => format!(
            "{head}void main() {{ uvec4 v = {texel}; gl_FragDepth = float(v.x + v.y * 8u + v.z * 64u + v.w * 1024u) / 1048576.0; }}"
        ),
        _ => format!("{head}out vec4 texel;\nvoid main() {{ texel = vec4({texel}) / 255.0; }}"),
    }
}

const VERTEX: &str = "#version 150
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }";

/// A texture whose samples have values of their own.
fn texture(peer: &Peer, target: u32, internal: u32, [width, height, layers]: [i32; 3]) -> u32 {
    let name = peer.name(c"glGenTextures");
    peer.bind(c"glBindTexture", target, name);
    // SAFETY: the functions have these types; the texts are as long as is said.
    unsafe {
        match target {
            MULTISAMPLE => {
                let make: unsafe extern "C" fn(u32, i32, u32, i32, i32, u8) =
                    peer.gl(c"glTexImage2DMultisample");
                make(target, SAMPLES, internal, width, height, 1);
            }
            _ => {
                let make: unsafe extern "C" fn(u32, i32, u32, i32, i32, i32, u8) =
                    peer.gl(c"glTexImage3DMultisample");
                make(target, SAMPLES, internal, width, height, layers, 1);
            }
        }
        peer.check();
        let one = |function: &CStr, n: u32| peer.gl::<unsafe extern "C" fn(u32)>(function)(n);
        let two = |function: &CStr, a: u32, b: u32| peer.gl::<unsafe extern "C" fn(u32, u32)>(function)(a, b);
        let program = peer.gl::<unsafe extern "C" fn() -> u32>(c"glCreateProgram")();
        for (kind, text) in [(0x8B31, VERTEX.to_owned()), (0x8B30, fragment(internal))] {
            let shader = peer.gl::<unsafe extern "C" fn(u32) -> u32>(c"glCreateShader")(kind);
            let set: unsafe extern "C" fn(u32, i32, *const *const c_char, *const i32) =
                peer.gl(c"glShaderSource");
            set(shader, 1, &text.as_ptr().cast(), &(text.len() as i32));
            one(c"glCompileShader", shader);
            two(c"glAttachShader", program, shader);
            one(c"glDeleteShader", shader);
        }
        one(c"glLinkProgram", program);
        one(c"glUseProgram", program);
        let array = peer.name(c"glGenVertexArrays");
        one(c"glBindVertexArray", array);
        let framebuffer = peer.name(c"glGenFramebuffers");
        peer.bind(c"glBindFramebuffer", FRAMEBUFFER, framebuffer);
        let attachment = if internal == DEPTH32F { 0x8D00 } else { 0x8CE0 };
        peer.gl::<unsafe extern "C" fn(i32, i32, i32, i32)>(c"glViewport")(0, 0, width, height);
        // The depth test is on so that depths are written, and passes always. A mask chooses the sample.
        [0x0B71, 0x8E51].iter().for_each(|what| one(c"glEnable", *what));
        one(c"glDepthFunc", 0x0207);
        let place: unsafe extern "C" fn(u32, *const c_char) -> i32 = peer.gl(c"glGetUniformLocation");
        let set: unsafe extern "C" fn(i32, i32) = peer.gl(c"glUniform1i");
        for layer in 0..layers {
            match target {
                MULTISAMPLE => {
                    let attach: unsafe extern "C" fn(u32, u32, u32, u32, i32) =
                        peer.gl(c"glFramebufferTexture2D");
                    attach(FRAMEBUFFER, attachment, target, name, 0);
                }
                _ => {
                    let attach: unsafe extern "C" fn(u32, u32, u32, i32, i32) =
                        peer.gl(c"glFramebufferTextureLayer");
                    attach(FRAMEBUFFER, attachment, name, 0, layer);
                }
            }
            for sample in 0..SAMPLES {
                set(place(program, c"layer".as_ptr()), layer);
                set(place(program, c"number".as_ptr()), sample);
                two(c"glSampleMaski", 0, 1 << sample);
                peer.gl::<unsafe extern "C" fn(u32, i32, i32)>(c"glDrawArrays")(4, 0, 3);
            }
        }
        peer.check();
        [0x0B71, 0x8E51].iter().for_each(|what| one(c"glDisable", *what));
        peer.bind(c"glBindFramebuffer", FRAMEBUFFER, 0);
        peer.delete(c"glDeleteFramebuffers", framebuffer);
        one(c"glUseProgram", 0);
        peer.delete(c"glDeleteVertexArrays", array);
        one(c"glDeleteProgram", program);
    }
    peer.check();
    name
}

/// A kernel that copies all samples to a buffer, the layers' one after the other, and tells what it hears of the image.
fn source(ty: &str, read: &str, at: &str, layers: &str) -> String {
    format!(
        "kernel void f(read_only {ty} from, global {read} *to, global int *told) {{
            int x = get_global_id(0), y = get_global_id(1), w = get_image_width(from), h = get_image_height(from);
            int samples = get_image_num_samples(from), layers = {layers};
            for (int layer = 0; layer < layers; layer++)
                for (int n = 0; n < samples; n++)
                    to[((layer * samples + n) * h + y) * w + x] = READ(from, {at}, n);
            if (x + y == 0) {{ told[0] = w; told[1] = h; told[2] = samples; told[3] = layers; told[4] = all(get_image_dim(from) == (int2)(w, h)); }}
        }}"
    )
}

fn number(image: Handle, param: u32) -> u64 {
    let mut bytes = [0u8; 8];
    let mut size = 0;
    // SAFETY: room for eight bytes.
    let code = unsafe { clGetImageInfo(image, param, 8, bytes.as_mut_ptr().cast(), &mut size) };
    assert_eq!(code, 0, "{param:#x}");
    u64::from_ne_bytes(bytes)
}

fn texture_number(image: Handle, param: u32) -> Result<i32, i32> {
    let mut value = 0i32;
    // SAFETY: room for four bytes.
    let code = unsafe { clGetGLTextureInfo(image, param, 4, (&raw mut value).cast(), null_mut()) };
    if code == 0 { Ok(value) } else { Err(code) }
}

/// What the kernel finds: words, and what it was told of the image.
fn found(both: &Both, image: Handle, source: &str, [width, height, words]: [usize; 3]) -> (Vec<u8>, Vec<u8>) {
    let kernel = kernel(both.cl.context, source, c"f");
    let (out, told) = (both.cl.buffer(0, words * 4), both.cl.buffer(0, 20));
    arg(kernel, 0, &image);
    arg(kernel, 1, &out);
    arg(kernel, 2, &told);
    both.acquire(&[image]);
    let size = [width, height];
    // SAFETY: two sizes.
    let code = unsafe {
        clEnqueueNDRangeKernel(both.cl.queue, kernel, 2, null(), size.as_ptr(), null(), 0, null(), null_mut())
    };
    assert_eq!(code, 0);
    both.release(&[image]);
    let answer = (both.cl.read(out, 0, words * 4), both.cl.read(told, 0, 20));
    [out, told].into_iter().for_each(cl::release);
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
    answer
}

#[test]
fn kernels_read_every_sample() {
    let Some(both) = Both::new() else { return };
    if !crate::extensions(both.cl.device).contains("cl_khr_gl_msaa_sharing") {
        return println!("SKIP: the device shares no textures with several samples");
    }
    let kinds = [
        (MULTISAMPLE, "image2d_msaa_t", "(int2)(x, y)", "1", 1, RGBA8),
        (
            MULTISAMPLE_ARRAY,
            "image2d_array_msaa_t",
            "(int4)(x, y, layer, 0)",
            "get_image_array_size(from)",
            3,
            RGBA8,
        ),
        (MULTISAMPLE, "image2d_msaa_t", "(int2)(x, y)", "1", 1, RGBA8UI),
        (MULTISAMPLE, "image2d_msaa_depth_t", "(int2)(x, y)", "1", 1, DEPTH32F),
        (
            MULTISAMPLE_ARRAY,
            "image2d_array_msaa_depth_t",
            "(int4)(x, y, layer, 0)",
            "get_image_array_size(from)",
            2,
            DEPTH32F,
        ),
    ];
    for (target, ty, at, layers, count, internal) in kinds {
        let [width, height] = [19usize, 11];
        let name = texture(&both.peer, target, internal, [19, 11, count]);
        let image = both.of_texture(CL_MEM_READ_ONLY, target, 0, name).expect("an image");
        let told = [19, 11, SAMPLES, count, 1].map(i32::to_ne_bytes).concat();
        let words = width * height * SAMPLES as usize * count as usize;
        let (read, text) = match internal {
            RGBA8UI => ("uchar4", "convert_uchar4(read_imageui"),
            DEPTH32F => ("float", "(read_imagef"),
            _ => ("uchar4", "convert_uchar4_rte(255.0f * read_imagef"),
        };
        let source =
            source(ty, read, at, layers).replace("READ(", &format!("{text}(")).replace(", n);", ", n));");
        let (texels, heard) = found(&both, image, &source, [width, height, words]);
        assert_eq!(heard, told, "{ty}");
        let mut places = texels.chunks(4);
        for layer in 0..count as u32 {
            for sample in 0..SAMPLES as u32 {
                for (y, x) in (0..height as u32).flat_map(|y| (0..width as u32).map(move |x| (y, x))) {
                    let texel = places.next().expect("a texel");
                    let value = value([x, y], layer, sample);
                    let [a, b, c, d] = value.map(u32::from);
                    let depth = (a + b * 8 + c * 64 + d * 1024) as f32 / 1_048_576.0;
                    let wanted = if internal == DEPTH32F { depth.to_ne_bytes() } else { value };
                    assert_eq!(texel, wanted, "{ty} {internal:#x}: {x}, {y}, layer {layer}, sample {sample}");
                }
            }
        }
        assert_eq!(texture_number(image, NUM_SAMPLES), Ok(SAMPLES));
        assert_eq!(number(image, CL_IMAGE_NUM_SAMPLES), SAMPLES as u64);
        let layers = if target == MULTISAMPLE { 0 } else { count as u64 };
        assert_eq!((number(image, CL_IMAGE_ARRAY_SIZE), number(image, CL_IMAGE_HEIGHT)), (layers, 11));
        let (mut kind, mut same) = (0, 0);
        // SAFETY: both places are valid.
        assert_eq!(unsafe { clGetGLObjectInfo(image, &mut kind, &mut same) }, 0);
        let wanted =
            if target == MULTISAMPLE { CL_GL_OBJECT_TEXTURE2D } else { CL_GL_OBJECT_TEXTURE2D_ARRAY };
        assert_eq!((kind, same), (wanted, name));
        cl::release(image);
        both.peer.delete(c"glDeleteTextures", name);
    }
}

/// Only kernels take such an image, and only those that ask for one ("Restrictions on Multi-Sample Images").
#[test]
fn other_uses_are_refused() {
    let Some(both) = Both::new() else { return };
    if !crate::extensions(both.cl.device).contains("cl_khr_gl_msaa_sharing") {
        return println!("SKIP: the device shares no textures with several samples");
    }
    let name = texture(&both.peer, MULTISAMPLE, RGBA8, [8, 8, 1]);
    let image = both.of_texture(CL_MEM_READ_ONLY, MULTISAMPLE, 0, name).expect("an image");
    let plain = both.peer.texture(TEXTURE_2D);
    both.peer.image_2d(TEXTURE_2D, 0, RGBA8, [8, 8], (RGBA, UNSIGNED_BYTE), &[]);
    let single = both.of_texture(CL_MEM_READ_ONLY, TEXTURE_2D, 0, plain).expect("an image");
    assert_eq!((texture_number(single, NUM_SAMPLES), number(single, CL_IMAGE_NUM_SAMPLES)), (Ok(1), 0));
    assert_eq!(both.of_texture(CL_MEM_READ_ONLY, MULTISAMPLE, 1, name), Err(CL_INVALID_MIP_LEVEL));
    assert_eq!(both.of_texture(CL_MEM_READ_ONLY, MULTISAMPLE, 0, plain), Err(CL_INVALID_GL_OBJECT));
    let kernels = ["image2d_msaa_t", "image2d_t"].map(|ty| {
        let source =
            format!("kernel void f(read_only {ty} from, global int *to) {{ *to = get_image_width(from); }}");
        kernel(both.cl.context, &source, c"f")
    });
    let mut data = [0u8; 4];
    // SAFETY: handles; the places are valid; one texel.
    unsafe {
        let (origin, region) = ([0usize; 3], [1usize; 3]);
        let place = data.as_mut_ptr().cast();
        let queue = both.cl.queue;
        let code = clEnqueueReadImage(
            queue,
            image,
            1,
            origin.as_ptr(),
            region.as_ptr(),
            0,
            0,
            place,
            0,
            null(),
            null_mut(),
        );
        assert_eq!(code, CL_INVALID_OPERATION);
        let set =
            |kernel: Handle, image: &Handle| clSetKernelArg(kernel, 0, 8, std::ptr::from_ref(image).cast());
        assert_eq!((set(kernels[0], &image), set(kernels[1], &single)), (0, 0));
        assert_eq!(set(kernels[0], &single), CL_INVALID_MEM_OBJECT);
        assert_eq!(set(kernels[1], &image), CL_INVALID_MEM_OBJECT);
        let mut error = 0;
        let flags = CL_MEM_READ_ONLY;
        assert!(clCreateFromGLTexture2D(both.cl.context, flags, MULTISAMPLE, 0, name, &mut error).is_null());
        assert_eq!(error, CL_INVALID_VALUE);
        // Nor is it another image's parent.
        let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
        let mut desc: cl_image_desc = std::mem::zeroed();
        (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, 8, 8);
        desc.__bindgen_anon_1.mem_object = image;
        assert!(clCreateImage(both.cl.context, flags, &format, &desc, null_mut(), &mut error).is_null());
        assert_eq!(error, CL_INVALID_IMAGE_DESCRIPTOR);
        kernels.iter().for_each(|k| assert_eq!(clReleaseKernel(*k), 0));
    }
    [image, single].into_iter().for_each(cl::release);
    [name, plain].iter().for_each(|n| both.peer.delete(c"glDeleteTextures", *n));
}
