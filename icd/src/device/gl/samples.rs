//! Textures with several samples for each texel: OpenGL has no way to read the samples but a shader.
//!
//! A triangle over the whole of a texture of one sample fetches one sample of one layer, and the texels of that texture are packed as those of others. The
//! samples of a layer come one after the other, as kernels find them
//! ([`ImageShape::is_layered`](lower::kernel_info::ImageShape::is_layered)).

use std::ffi::{CStr, CString, c_void};

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult};
use crate::device::gl::Session;
use crate::device::gl::functions::{Enum, Name, names as gl};
use crate::device::gl::objects::{Shape, TexelForm};

const VERTEX: &CStr = c"#version 150
void main() {
    gl_Position = vec4(vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0), 0.0, 1.0);
}
";

/// The shader of the fragments: `class` is the letter in front of types of integers.
fn fragment(class: &str, arrayed: bool) -> CString {
    let (suffix, at) = match arrayed {
        true => ("Array", "ivec3(gl_FragCoord.xy, layer)"),
        false => ("", "ivec2(gl_FragCoord.xy)"),
    };
    let text = format!(
        "#version 150
uniform {class}sampler2DMS{suffix} texels;
uniform int layer, number;
out {class}vec4 texel;
void main() {{
    texel = texelFetch(texels, {at}, number);
}}
"
    );
    CString::new(text).unwrap_or_default()
}

/// The names of what a fetch of samples makes. They are deleted at its end.
#[derive(Default)]
struct Made {
    program: Name,
    texture: Name,
    framebuffer: Name,
    vertices: Name,
}

impl Session {
    /// Copies the samples of the texture that is bound to staging memory, which is bound, too, if it is a buffer.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if OpenGL does not take the shader.
    pub(super) fn read_samples(&self, form: &TexelForm, place: *mut c_void) -> ClResult<()> {
        let arrayed = form.shape == Shape::TwoArray;
        let class = match form.format.image.class {
            lower::kernel_info::TexelClass::Float => "",
            lower::kernel_info::TexelClass::Sint => "i",
            lower::kernel_info::TexelClass::Uint => "u",
        };
        let program = self.program(VERTEX, &fragment(class, arrayed))?;
        let mut made = Made { program, ..Made::default() };
        let calls = &self.calls;
        let [w, h, layers] = form.size.map(u32::cast_signed);
        // Depths become colours of one channel, which are packed as numbers.
        let depth = form.format.is_depth();
        let (internal, format) = match depth {
            true => (gl::R32F, gl::RED),
            false => (form.format.internal, form.format.format),
        };
        let one = form.level_bytes(0) / (form.samples.max(1) * form.size[2].max(1)) as usize;
        let attachment = gl::COLOR_ATTACHMENT0;
        // SAFETY: the context is current; the staging memory has room for all samples; names are this function's.
        unsafe {
            (calls.gen_textures)(1, &mut made.texture);
            (calls.bind_texture)(gl::TEXTURE_2D, made.texture);
            for filter in [gl::TEXTURE_MIN_FILTER, gl::TEXTURE_MAG_FILTER] {
                (calls.set_texture_parameter)(gl::TEXTURE_2D, filter, gl::NEAREST.cast_signed());
            }
            let (nothing, channel) = (std::ptr::null(), form.format.channel);
            (calls.texture_image_2d)(
                gl::TEXTURE_2D,
                0,
                internal.cast_signed(),
                w,
                h,
                0,
                format,
                channel,
                nothing,
            );
            (calls.gen_framebuffers)(1, &mut made.framebuffer);
            (calls.bind_framebuffer)(gl::FRAMEBUFFER, made.framebuffer);
            (calls.attach_texture_2d)(gl::FRAMEBUFFER, attachment, gl::TEXTURE_2D, made.texture, 0);
            (calls.draw_buffers)(1, &attachment);
            (calls.gen_vertex_arrays)(1, &mut made.vertices);
            (calls.bind_vertex_array)(made.vertices);
            (calls.use_program)(program);
            (calls.viewport)(0, 0, w, h);
            (calls.disable)(gl::DITHER);
            (calls.enable)(gl::FRAMEBUFFER_SRGB);
            let uniform = |name: &CStr, value: i32| {
                (calls.set_uniform)((calls.uniform_location)(program, name.as_ptr()), value);
            };
            uniform(c"texels", 0);
            let mut offset = 0;
            for layer in 0..layers {
                for sample in 0..form.samples.cast_signed() {
                    uniform(c"layer", layer);
                    uniform(c"number", sample);
                    (calls.draw_arrays)(gl::TRIANGLES, 0, 3);
                    let to = place.wrapping_byte_add(offset);
                    (calls.get_texture_image)(gl::TEXTURE_2D, 0, format, channel, to);
                    offset += one;
                }
            }
        }
        self.delete(&made);
        Ok(())
    }

    /// A program of two shaders.
    fn program(&self, vertex: &CStr, fragment: &CStr) -> ClResult<Name> {
        let calls = &self.calls;
        // SAFETY: the context is current; the texts end in NUL.
        let (program, linked) = unsafe {
            let program = (calls.create_program)();
            for (kind, text) in [(gl::VERTEX_SHADER, vertex), (gl::FRAGMENT_SHADER, fragment)] {
                self.add_shader(program, kind, text);
            }
            (calls.link_program)(program);
            let mut linked = 0;
            (calls.get_program)(program, gl::LINK_STATUS, &mut linked);
            (program, linked)
        };
        if linked != 0 {
            return Ok(program);
        }
        log::info!("OpenGL does not take the shader that reads samples");
        self.delete(&Made { program, ..Made::default() });
        Err(ClError(cl::CL_OUT_OF_RESOURCES))
    }

    /// Compiles a shader, and attaches it to a program, with which it goes.
    ///
    /// # Safety
    /// The context is current.
    unsafe fn add_shader(&self, program: Name, kind: Enum, text: &CStr) {
        let calls = &self.calls;
        // SAFETY: by the caller's promise; the text ends in NUL.
        unsafe {
            let shader = (calls.create_shader)(kind);
            (calls.shader_source)(shader, 1, &text.as_ptr(), std::ptr::null());
            (calls.compile_shader)(shader);
            (calls.attach_shader)(program, shader);
            (calls.delete_shader)(shader);
        }
    }

    /// Takes back what a fetch made and changed.
    fn delete(&self, made: &Made) {
        let calls = &self.calls;
        // SAFETY: the context is current; names are the fetch's, or 0, which is ignored.
        unsafe {
            (calls.disable)(gl::FRAMEBUFFER_SRGB);
            (calls.use_program)(0);
            (calls.bind_vertex_array)(0);
            (calls.bind_framebuffer)(gl::FRAMEBUFFER, 0);
            (calls.delete_program)(made.program);
            (calls.delete_framebuffers)(1, &made.framebuffer);
            (calls.delete_textures)(1, &made.texture);
            (calls.delete_vertex_arrays)(1, &made.vertices);
        }
    }
}
