//! A frame loop with OpenGL: an OpenCL kernel writes a texture, and OpenGL draws it on a triangle, turned and shaded. EGL gives a context without a surface.
//! Every frame's pixels are checked.
//!
//! ```text
//! cargo run -p pumice-icd --example gl_frames              1,000 frames
//! cargo run -p pumice-icd --example gl_frames 50 last.ppm  50 frames, and the last one as a picture
//! ```
//!
//! The functions of OpenCL are libpumice.so's, called directly; a C program finds the same in libOpenCL.so. Errors end the program.
#![allow(clippy::undocumented_unsafe_blocks)] // All of it is OpenCL and OpenGL, as their specifications say.

use std::error::Error;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use pumice::entry::{context::*, gl::*, kernel::*, launch::*, memory::*, platform::*, program::*, queue::*};

#[path = "../icd/tests/gl/peer.rs"]
mod peer;
use peer::{Peer, RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE};

const WIDTH: usize = 256;
const HEIGHT: usize = 192;
const SIZE: [i32; 2] = [WIDTH as i32, HEIGHT as i32];

/// Rings that move outwards.
const KERNEL: &str = "
    kernel void draw(write_only image2d_t out, uint frame) {
        int x = get_global_id(0), y = get_global_id(1);
        int dx = x - 128, dy = y - 96;
        uint ring = ((uint)(dx * dx + dy * dy) / 64u - frame) & 255u;
        uint4 c = (uint4)(ring, (ring * 3u) & 255u, 255u - ring, 255u);
        write_imagef(out, (int2)(x, y), convert_float4(c) / 255.0f);
    }";

/// One triangle that covers the target.
const VERTEX: &std::ffi::CStr = c"#version 150
    void main() {
        vec2 at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
        gl_Position = vec4(at, 0.0, 1.0);
    }";

/// The texture upside down, darker towards the bottom.
const FRAGMENT: &std::ffi::CStr = c"#version 150
    uniform sampler2D image;
    out vec4 colour;
    void main() {
        ivec2 at = ivec2(gl_FragCoord.xy);
        vec4 texel = texelFetch(image, ivec2(at.x, 191 - at.y), 0);
        colour = at.y < 96 ? vec4(texel.bgr, 1.0) : texel;
    }";

/// The colour of a pixel of the target, as kernel and shader make it.
fn colour(x: usize, y: usize, frame: u32) -> [u8; 4] {
    let (dx, dy) = (x as i32 - 128, (191 - y) as i32 - 96);
    let ring = (((dx * dx + dy * dy) as u32) / 64).wrapping_sub(frame) & 255;
    let [r, g, b] = [ring as u8, (ring * 3) as u8, 255 - ring as u8];
    if y < 96 { [b, g, r, 255] } else { [r, g, b, 255] }
}

type Handle = *mut c_void;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn check(what: &str, code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(format!("{what}: error {code}").into()) }
}

/// OpenGL's side: a program that draws the texture on a renderbuffer.
struct Target<'a> {
    peer: &'a Peer,
    renderbuffer: u32,
}

impl<'a> Target<'a> {
    unsafe fn new(peer: &'a Peer) -> Result<Self> {
        unsafe {
            let create: unsafe extern "C" fn() -> u32 = peer.gl(c"glCreateProgram");
            let shader: unsafe extern "C" fn(u32) -> u32 = peer.gl(c"glCreateShader");
            let source: unsafe extern "C" fn(u32, i32, *const *const std::ffi::c_char, *const i32) =
                peer.gl(c"glShaderSource");
            let compile: unsafe extern "C" fn(u32) = peer.gl(c"glCompileShader");
            let attach: unsafe extern "C" fn(u32, u32) = peer.gl(c"glAttachShader");
            let link: unsafe extern "C" fn(u32) = peer.gl(c"glLinkProgram");
            let ask: unsafe extern "C" fn(u32, u32, *mut i32) = peer.gl(c"glGetProgramiv");
            let program = create();
            for (kind, text) in [(0x8B31, VERTEX), (0x8B30, FRAGMENT)] {
                let name = shader(kind);
                source(name, 1, &text.as_ptr(), null());
                compile(name);
                attach(program, name);
            }
            link(program);
            let mut linked = 0;
            ask(program, 0x8B82, &mut linked);
            if linked == 0 {
                return Err("OpenGL links no program of these shaders".into());
            }
            peer.gl::<unsafe extern "C" fn(u32)>(c"glUseProgram")(program);
            let array = peer.name(c"glGenVertexArrays");
            peer.gl::<unsafe extern "C" fn(u32)>(c"glBindVertexArray")(array);
            let [width, height] = SIZE;
            peer.gl::<unsafe extern "C" fn(i32, i32, i32, i32)>(c"glViewport")(0, 0, width, height);
        }
        Ok(Target { peer, renderbuffer: peer.renderbuffer(RGBA8, 0, SIZE) })
    }

    /// Draws the texture, and reads what it has drawn.
    unsafe fn draw(&self, texture: u32) -> Vec<u8> {
        self.peer.bind(c"glBindTexture", TEXTURE_2D, texture);
        self.peer.with_renderbuffer(self.renderbuffer, || unsafe {
            self.peer.gl::<unsafe extern "C" fn(u32, i32, i32)>(c"glDrawArrays")(4, 0, 3);
        });
        self.peer.read_renderbuffer(self.renderbuffer, SIZE)
    }
}

unsafe fn run(frames: u32, picture: Option<&str>) -> Result<()> {
    unsafe {
        let peer = Peer::new().ok_or("EGL has no OpenGL without a surface")?;
        let target = Target::new(&peer)?;
        let texture = peer.texture(TEXTURE_2D);
        peer.image_2d(TEXTURE_2D, 0, RGBA8, SIZE, (RGBA, UNSIGNED_BYTE), &[]);

        let (mut platform, mut device, mut error): (Handle, Handle, i32) = (null_mut(), null_mut(), 0);
        check("clIcdGetPlatformIDsKHR", clIcdGetPlatformIDsKHR(1, &mut platform, null_mut()))?;
        // The device that OpenGL runs on.
        let properties = peer.properties();
        let (of, place) = (CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, (&raw mut device).cast());
        let code = clGetGLContextInfoKHR(properties.as_ptr(), of, 8, place, null_mut());
        check("clGetGLContextInfoKHR", code)?;
        let context = clCreateContext(properties.as_ptr(), 1, &device, None, null_mut(), &mut error);
        check("clCreateContext", error)?;
        let queue = clCreateCommandQueueWithProperties(context, device, null(), &mut error);
        check("clCreateCommandQueueWithProperties", error)?;
        let image = clCreateFromGLTexture(context, CL_MEM_WRITE_ONLY, TEXTURE_2D, 0, texture, &mut error);
        check("clCreateFromGLTexture", error)?;

        let (mut text, length) = (KERNEL.as_ptr().cast(), KERNEL.len());
        let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut error);
        check("clCreateProgramWithSource", error)?;
        check("clBuildProgram", clBuildProgram(program, 1, &device, null(), None, null_mut()))?;
        let kernel = clCreateKernel(program, c"draw".as_ptr(), &mut error);
        check("clCreateKernel", error)?;
        check("clSetKernelArg", clSetKernelArg(kernel, 0, 8, (&raw const image).cast()))?;

        let start = std::time::Instant::now();
        let mut pixels = Vec::new();
        for frame in 0..frames {
            let (none, no_event, size) = (null(), null_mut(), [WIDTH, HEIGHT]);
            // OpenGL's commands of this thread come before, those after the release behind (cl_khr_gl_event).
            let code = clEnqueueAcquireGLObjects(queue, 1, &image, 0, none, no_event);
            check("clEnqueueAcquireGLObjects", code)?;
            check("clSetKernelArg", clSetKernelArg(kernel, 1, 4, (&raw const frame).cast()))?;
            let (global, local) = (size.as_ptr(), null());
            let code = clEnqueueNDRangeKernel(queue, kernel, 2, null(), global, local, 0, none, no_event);
            check("clEnqueueNDRangeKernel", code)?;
            let code = clEnqueueReleaseGLObjects(queue, 1, &image, 0, none, no_event);
            check("clEnqueueReleaseGLObjects", code)?;
            pixels = target.draw(texture);
            for (i, pixel) in pixels.chunks_exact(4).enumerate() {
                let (x, y) = (i % WIDTH, i / WIDTH);
                let wanted = colour(x, y, frame);
                if pixel != wanted {
                    return Err(format!("frame {frame}, {x}, {y}: {pixel:?}, not {wanted:?}").into());
                }
            }
        }
        println!("{frames} frames, all checked, in {:.1?}", start.elapsed());
        if let Some(path) = picture {
            let rows = pixels.chunks_exact(WIDTH * 4).rev().flat_map(|row| row.chunks_exact(4));
            let rgb: Vec<u8> = rows.flat_map(|p| p[..3].to_vec()).collect();
            std::fs::write(path, [format!("P6 {WIDTH} {HEIGHT} 255\n").as_bytes(), &rgb].concat())?;
        }
        clReleaseMemObject(image);
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
