//! Buffers, textures and renderbuffers of OpenGL: what they are, and their contents to and fro.
//!
//! Contents go through staging memory, packed as images of OpenCL are copied: a [shared buffer](super::shared_buffer), so that the device copies, or
//! memory of the host.

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure};
use crate::device::gl::formats::SharedFormat;
use crate::device::gl::functions::{Enum, Name, names as gl};
use crate::device::gl::{Foreign, Session};

const WRONG: ClError = ClError(cl::CL_INVALID_GL_OBJECT);

/// The kinds of textures, as far as images of OpenCL differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    OneArray,
    /// A face of a cube and a rectangle among them.
    Two,
    TwoArray,
    Three,
}

/// A buffer, as far as it is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BufferForm {
    pub(crate) name: Name,
    /// Bytes from the beginning on.
    pub(crate) size: u64,
}

/// The texels of a texture or a renderbuffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TexelForm {
    pub(crate) name: Name,
    /// The target of a texture, a face of a cube among them; RENDERBUFFER.
    pub(crate) target: Enum,
    pub(crate) shape: Shape,
    pub(crate) format: SharedFormat,
    /// Width, height, and depth or layers of the first level; 1 where there is none.
    pub(crate) size: [u32; 3],
    /// The first level.
    pub(crate) level: i32,
    /// How many levels from there on.
    pub(crate) levels: u32,
    /// How many samples each texel has; 0 for a texture without several.
    pub(crate) samples: u32,
}

/// What a texture buffer is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextureBuffer {
    pub(crate) buffer: BufferForm,
    pub(crate) format: SharedFormat,
    pub(crate) texels: u32,
}

/// An object that is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    Buffer(BufferForm),
    Texels(TexelForm),
}

/// Memory that contents go through.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Staging {
    /// A buffer of OpenGL.
    Buffer(Name),
    /// Memory of the host, which lives as long as the job.
    Host(Foreign),
}

/// The shape of a target's textures, and the target that they are bound to.
pub(crate) fn shape(target: Enum) -> Option<(Shape, Enum)> {
    Some(match target {
        gl::TEXTURE_1D => (Shape::One, target),
        gl::TEXTURE_1D_ARRAY => (Shape::OneArray, target),
        gl::TEXTURE_2D | gl::TEXTURE_RECTANGLE | gl::TEXTURE_2D_MULTISAMPLE => (Shape::Two, target),
        gl::TEXTURE_2D_ARRAY | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => (Shape::TwoArray, target),
        gl::TEXTURE_3D => (Shape::Three, target),
        gl::TEXTURE_CUBE_MAP_POSITIVE_X..=gl::TEXTURE_CUBE_MAP_NEGATIVE_Z => {
            (Shape::Two, gl::TEXTURE_CUBE_MAP)
        }
        _ => return None,
    })
}

/// Returns whether a target's textures have several samples for each texel.
pub(crate) fn has_samples(target: Enum) -> bool {
    matches!(target, gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY)
}

impl Session {
    /// Looks at a buffer.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT for none, and for one without memory.
    pub(crate) fn buffer(&self, name: Name) -> ClResult<BufferForm> {
        self.clear();
        let mut size = 0;
        // SAFETY: the context is current; the place is valid.
        unsafe {
            ensure((self.calls.is_buffer)(name) == gl::TRUE, WRONG.0)?;
            (self.calls.bind_buffer)(gl::COPY_READ_BUFFER, name);
            (self.calls.get_buffer_parameter)(gl::COPY_READ_BUFFER, gl::BUFFER_SIZE, &mut size);
            (self.calls.bind_buffer)(gl::COPY_READ_BUFFER, 0);
        }
        self.check()?;
        let size = u64::try_from(size).ok().filter(|size| *size > 0).ok_or(WRONG)?;
        Ok(BufferForm { name, size })
    }

    /// Looks at a texture. `level` below 0: all levels, if `mipmaps`.
    ///
    /// # Errors
    /// Those of clCreateFromGLTexture.
    pub(crate) fn texture(&self, target: Enum, level: i32, name: Name, mipmaps: bool) -> ClResult<TexelForm> {
        let (shape, bound) = shape(target).ok_or(ClError(cl::CL_INVALID_VALUE))?;
        self.bind(bound, name)?;
        let (base, most) = match target {
            gl::TEXTURE_RECTANGLE => (0, 0),
            _ if has_samples(target) => (0, 0),
            _ => (
                self.texture_parameter(bound, gl::TEXTURE_BASE_LEVEL),
                self.texture_parameter(bound, gl::TEXTURE_MAX_LEVEL),
            ),
        };
        let longest = self.level_size(shape, target, base).into_iter().max().unwrap_or(0);
        ensure(longest > 0, WRONG.0)?;
        let last = most.min(base.saturating_add(longest.ilog2().cast_signed()));
        let all = level < 0 && mipmaps;
        let level = if all { base } else { level };
        ensure((base..=last).contains(&level), cl::CL_INVALID_MIP_LEVEL)?;
        let size = self.level_size(shape, target, level);
        ensure(!size.contains(&0), WRONG.0)?;
        // All levels are those that have been specified, one after the other.
        let there = |n: &i32| !self.level_size(shape, target, *n).contains(&0);
        let levels = if all { (level..=last).take_while(there).count() } else { 1 };
        ensure(self.level_parameter(target, level, gl::TEXTURE_BORDER) == 0, cl::CL_INVALID_OPERATION)?;
        let format = self.texture_format(target, level)?;
        let samples = match has_samples(target) {
            true => {
                u32::try_from(self.level_parameter(target, level, gl::TEXTURE_SAMPLES)).unwrap_or(0).max(1)
            }
            false => 0,
        };
        self.check()?;
        let levels = u32::try_from(levels).unwrap_or(1);
        Ok(TexelForm { name, target, shape, format, size, level, levels, samples })
    }

    /// Looks at a texture buffer.
    ///
    /// # Errors
    /// As [`texture`](Self::texture).
    pub(crate) fn texture_buffer(&self, level: i32, name: Name) -> ClResult<TextureBuffer> {
        ensure(level == 0, cl::CL_INVALID_MIP_LEVEL)?;
        self.bind(gl::TEXTURE_BUFFER, name)?;
        let ask = |what| self.level_parameter(gl::TEXTURE_BUFFER, 0, what);
        let texels = u32::try_from(ask(gl::TEXTURE_WIDTH)).unwrap_or(0);
        let format = self.texture_format(gl::TEXTURE_BUFFER, 0)?;
        let bound = ask(gl::TEXTURE_BUFFER_DATA_STORE_BINDING).cast_unsigned();
        // What begins within a buffer would be a part of another object.
        let begins = ask(gl::TEXTURE_BUFFER_OFFSET);
        self.clear();
        ensure(texels > 0 && begins == 0, WRONG.0)?;
        Ok(TextureBuffer { buffer: self.buffer(bound)?, format, texels })
    }

    /// Looks at a renderbuffer.
    ///
    /// # Errors
    /// Those of clCreateFromGLRenderbuffer.
    pub(crate) fn renderbuffer(&self, name: Name) -> ClResult<TexelForm> {
        self.clear();
        let ask = |what| {
            let mut value = 0;
            // SAFETY: the context is current; the place is valid.
            unsafe { (self.calls.get_renderbuffer_parameter)(gl::RENDERBUFFER, what, &mut value) };
            value
        };
        // SAFETY: as above.
        unsafe {
            ensure((self.calls.is_renderbuffer)(name) == gl::TRUE, WRONG.0)?;
            (self.calls.bind_renderbuffer)(gl::RENDERBUFFER, name);
        }
        let size = [ask(gl::RENDERBUFFER_WIDTH), ask(gl::RENDERBUFFER_HEIGHT)].map(i32::cast_unsigned);
        ensure(!size.contains(&0), WRONG.0)?;
        ensure(ask(gl::RENDERBUFFER_SAMPLES) == 0, cl::CL_INVALID_OPERATION)?;
        let internal = ask(gl::RENDERBUFFER_INTERNAL_FORMAT).cast_unsigned();
        let bits = match internal {
            gl::DEPTH_COMPONENT => gl::RENDERBUFFER_DEPTH_SIZE,
            _ => gl::RENDERBUFFER_RED_SIZE,
        };
        let format = SharedFormat::find(internal, ask(bits));
        self.check()?;
        let format = format.ok_or(ClError(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
        Ok(TexelForm {
            name,
            target: gl::RENDERBUFFER,
            shape: Shape::Two,
            format,
            size: [size[0], size[1], 1],
            level: 0,
            levels: 1,
            samples: 0,
        })
    }

    /// Makes a texture of our own of an EGLImage, and looks at it.
    ///
    /// # Errors
    /// CL_INVALID_EGL_OBJECT_KHR for none, CL_IMAGE_FORMAT_NOT_SUPPORTED for one of texels that are not shared.
    pub(crate) fn egl_image(&self, image: Foreign) -> ClResult<TexelForm> {
        let wrong = cl::cl_egl::CL_INVALID_EGL_OBJECT_KHR;
        let functions = self.images.as_ref().ok_or(ClError(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED))?;
        ensure(!image.0.is_null(), wrong)?;
        self.clear();
        let mut name = 0;
        // SAFETY: the context is current; OpenGL asks EGL for the image, which knows its own.
        unsafe {
            (self.calls.gen_textures)(1, &mut name);
            (self.calls.bind_texture)(gl::TEXTURE_2D, name);
            (functions.image_target)(gl::TEXTURE_2D, image.0);
        }
        let form = self.check().map_err(|_| ClError(wrong)).and_then(|()| {
            self.texture(gl::TEXTURE_2D, 0, name, false)
                .map_err(|_| ClError(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED))
        });
        form.inspect_err(|_| self.delete_texture(name))
    }

    /// Deletes a texture of our own.
    pub(crate) fn delete_texture(&self, name: Name) {
        // SAFETY: the context is current; a name of ours.
        unsafe { (self.calls.delete_textures)(1, &name) };
    }

    /// Binds a texture that is there to the target of its kind.
    fn bind(&self, bound: Enum, name: Name) -> ClResult<()> {
        self.clear();
        // SAFETY: the context is current.
        unsafe {
            // Binding a name without a texture would make one.
            ensure((self.calls.is_texture)(name) == gl::TRUE, WRONG.0)?;
            (self.calls.bind_texture)(bound, name);
        }
        self.check()
    }

    fn texture_parameter(&self, bound: Enum, what: Enum) -> i32 {
        let mut value = 0;
        // SAFETY: the context is current; the place is valid.
        unsafe { (self.calls.get_texture_parameter)(bound, what, &mut value) };
        value
    }

    pub(super) fn level_parameter(&self, target: Enum, level: i32, what: Enum) -> i32 {
        let mut value = 0;
        // SAFETY: the context is current; the place is valid.
        unsafe { (self.calls.get_level_parameter)(target, level, what, &mut value) };
        value
    }

    /// The size of a level of the texture that is bound; zeros for one that is not there.
    fn level_size(&self, shape: Shape, target: Enum, level: i32) -> [u32; 3] {
        let ask = |what| u32::try_from(self.level_parameter(target, level, what)).unwrap_or(0);
        let (width, height) = (ask(gl::TEXTURE_WIDTH), ask(gl::TEXTURE_HEIGHT));
        match shape {
            Shape::One => [width, 1, 1],
            Shape::OneArray => [width, 1, height],
            Shape::Two => [width, height, 1],
            Shape::TwoArray | Shape::Three => [width, height, ask(gl::TEXTURE_DEPTH)],
        }
    }

    fn texture_format(&self, target: Enum, level: i32) -> ClResult<SharedFormat> {
        let internal = self.level_parameter(target, level, gl::TEXTURE_INTERNAL_FORMAT).cast_unsigned();
        let bits = match internal {
            gl::DEPTH_COMPONENT => gl::TEXTURE_DEPTH_SIZE,
            _ => gl::TEXTURE_RED_SIZE,
        };
        let found = SharedFormat::find(internal, self.level_parameter(target, level, bits));
        found.ok_or_else(|| {
            log::info!("textures of internal format {internal:#x} are not shared");
            ClError(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
        })
    }

    /// Copies the contents of an object to staging memory, and waits for that.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT if it is gone, or is another one now; CL_OUT_OF_RESOURCES.
    pub(crate) fn fetch(&self, object: &Object, staging: Staging) -> ClResult<()> {
        match object {
            Object::Buffer(form) => self.move_buffer(form, staging, true)?,
            Object::Texels(form) => self.move_texels(form, staging, true)?,
        }
        // SAFETY: the context is current.
        unsafe { (self.calls.finish)() };
        self.check()
    }

    /// Gives an object the contents of staging memory, and waits for that.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch).
    pub(crate) fn store(&self, object: &Object, staging: Staging) -> ClResult<()> {
        match object {
            Object::Buffer(form) => self.move_buffer(form, staging, false)?,
            Object::Texels(form) => self.move_texels(form, staging, false)?,
        }
        // SAFETY: the context is current.
        unsafe { (self.calls.finish)() };
        self.check()
    }

    fn move_buffer(&self, form: &BufferForm, staging: Staging, fetch: bool) -> ClResult<()> {
        let now = self.buffer(form.name)?;
        ensure(now.size >= form.size, WRONG.0)?;
        let size = isize::try_from(form.size).map_err(|_| WRONG)?;
        let calls = &self.calls;
        // SAFETY: the context is current; both have so many bytes, by the look above and as they were made.
        unsafe {
            match staging {
                Staging::Buffer(name) => {
                    let (from, to) = if fetch { (form.name, name) } else { (name, form.name) };
                    (calls.bind_buffer)(gl::COPY_READ_BUFFER, from);
                    (calls.bind_buffer)(gl::COPY_WRITE_BUFFER, to);
                    (calls.copy_buffer)(gl::COPY_READ_BUFFER, gl::COPY_WRITE_BUFFER, 0, 0, size);
                    (calls.bind_buffer)(gl::COPY_WRITE_BUFFER, 0);
                }
                Staging::Host(Foreign(memory)) => {
                    (calls.bind_buffer)(gl::COPY_READ_BUFFER, form.name);
                    match fetch {
                        true => (calls.get_buffer_data)(gl::COPY_READ_BUFFER, 0, size, memory),
                        false => (calls.set_buffer_data)(gl::COPY_READ_BUFFER, 0, size, memory),
                    }
                }
            }
            (calls.bind_buffer)(gl::COPY_READ_BUFFER, 0);
        }
        Ok(())
    }

    fn move_texels(&self, form: &TexelForm, staging: Staging, fetch: bool) -> ClResult<()> {
        let now = match form.target {
            gl::RENDERBUFFER => self.renderbuffer(form.name)?,
            target => self.texture(target, form.level, form.name, false)?,
        };
        let same = (now.size, now.format, now.samples) == (form.size, form.format, form.samples);
        ensure(same, WRONG.0)?;
        let (slot, aligned) = match fetch {
            true => (gl::PIXEL_PACK_BUFFER, gl::PACK_ALIGNMENT),
            false => (gl::PIXEL_UNPACK_BUFFER, gl::UNPACK_ALIGNMENT),
        };
        let (name, start) = match staging {
            Staging::Buffer(name) => (name, std::ptr::null_mut()),
            Staging::Host(Foreign(memory)) => (0, memory.cast::<u8>()),
        };
        // SAFETY: the context is current.
        unsafe {
            (self.calls.bind_buffer)(slot, name);
            (self.calls.pixel_store)(aligned, 1);
        }
        let mut offset = 0;
        for level in 0..form.levels {
            let size = form.level_size(level);
            let place = start.wrapping_add(offset).cast();
            match (form.target, fetch) {
                (gl::RENDERBUFFER, true) => self.read_renderbuffer(form, place),
                (gl::RENDERBUFFER, false) => self.write_renderbuffer(form, place),
                (target, true) if has_samples(target) => self.read_samples(form, place)?,
                // They are never written.
                (target, false) if has_samples(target) => {}
                _ => self.move_level(form, (level, size), place, fetch),
            }
            offset += form.level_bytes(level);
        }
        // SAFETY: as above.
        unsafe { (self.calls.bind_buffer)(slot, 0) };
        self.check()
    }

    /// Copies a level of the texture that is bound.
    fn move_level(
        &self,
        form: &TexelForm,
        (level, size): (u32, [u32; 3]),
        place: *mut std::ffi::c_void,
        fetch: bool,
    ) {
        let (calls, level) = (&self.calls, form.level + level.cast_signed());
        let (target, format, channel) = (form.target, form.format.format, form.format.channel);
        let [w, h, d] = size.map(u32::cast_signed);
        // SAFETY: the context is current; the texture has this level of this size, and the staging memory room for it.
        unsafe {
            match form.shape {
                _ if fetch => (calls.get_texture_image)(target, level, format, channel, place),
                Shape::One => (calls.write_1d)(target, level, 0, w, format, channel, place),
                Shape::OneArray => (calls.write_2d)(target, level, 0, 0, w, d, format, channel, place),
                Shape::Two => (calls.write_2d)(target, level, 0, 0, w, h, format, channel, place),
                Shape::TwoArray | Shape::Three => {
                    (calls.write_3d)(target, level, 0, 0, 0, w, h, d, format, channel, place);
                }
            }
        }
    }

    /// Reads a renderbuffer by a framebuffer.
    fn read_renderbuffer(&self, form: &TexelForm, place: *mut std::ffi::c_void) {
        let calls = &self.calls;
        let [w, h, _] = form.size.map(u32::cast_signed);
        let mut framebuffer = 0;
        // SAFETY: the context is current; the staging memory has room for the texels.
        unsafe {
            (calls.gen_framebuffers)(1, &mut framebuffer);
            (calls.bind_framebuffer)(gl::FRAMEBUFFER, framebuffer);
            (calls.attach_renderbuffer)(gl::FRAMEBUFFER, form.attachment(), gl::RENDERBUFFER, form.name);
            (calls.read_buffer)(if form.format.is_depth() { gl::NONE } else { gl::COLOR_ATTACHMENT0 });
            (calls.clamp_color)(gl::CLAMP_READ_COLOR, 0);
            (calls.read_pixels)(0, 0, w, h, form.format.format, form.format.channel, place);
            (calls.bind_framebuffer)(gl::FRAMEBUFFER, 0);
            (calls.delete_framebuffers)(1, &framebuffer);
        }
    }

    /// Gives a renderbuffer its texels: those of a texture, which is copied.
    fn write_renderbuffer(&self, form: &TexelForm, place: *mut std::ffi::c_void) {
        let calls = &self.calls;
        let [w, h, _] = form.size.map(u32::cast_signed);
        let (format, channel) = (form.format.format, form.format.channel);
        let (mut texture, mut framebuffers) = (0, [0; 2]);
        let (attachment, none) = (form.attachment(), gl::NONE);
        let depth = form.format.is_depth();
        // SAFETY: the context is current; the staging memory has the texels; names are this function's.
        unsafe {
            (calls.gen_textures)(1, &mut texture);
            (calls.bind_texture)(gl::TEXTURE_2D, texture);
            for filter in [gl::TEXTURE_MIN_FILTER, gl::TEXTURE_MAG_FILTER] {
                (calls.set_texture_parameter)(gl::TEXTURE_2D, filter, gl::NEAREST.cast_signed());
            }
            let internal = form.format.internal.cast_signed();
            (calls.texture_image_2d)(gl::TEXTURE_2D, 0, internal, w, h, 0, format, channel, place);
            (calls.gen_framebuffers)(2, framebuffers.as_mut_ptr());
            (calls.bind_framebuffer)(gl::READ_FRAMEBUFFER, framebuffers[0]);
            (calls.attach_texture_2d)(gl::READ_FRAMEBUFFER, attachment, gl::TEXTURE_2D, texture, 0);
            (calls.read_buffer)(if depth { none } else { attachment });
            (calls.bind_framebuffer)(gl::DRAW_FRAMEBUFFER, framebuffers[1]);
            (calls.attach_renderbuffer)(gl::DRAW_FRAMEBUFFER, attachment, gl::RENDERBUFFER, form.name);
            (calls.draw_buffers)(1, if depth { &none } else { &attachment });
            let what = if depth { gl::DEPTH_BUFFER_BIT } else { gl::COLOR_BUFFER_BIT };
            (calls.blit)(0, 0, w, h, 0, 0, w, h, what, gl::NEAREST);
            (calls.bind_framebuffer)(gl::FRAMEBUFFER, 0);
            (calls.delete_framebuffers)(2, framebuffers.as_ptr());
            (calls.delete_textures)(1, &texture);
        }
    }
}

impl TexelForm {
    /// Width, height, and depth or layers of a level, counted from the first one that is shared.
    pub(crate) fn level_size(&self, level: u32) -> [u32; 3] {
        let [w, h, d] = self.size;
        let half = |n: u32| n.checked_shr(level).unwrap_or(0).max(1);
        [half(w), half(h), if self.shape == Shape::Three { half(d) } else { d }]
    }

    /// Bytes of a level, packed.
    pub(crate) fn level_bytes(&self, level: u32) -> usize {
        let texels: usize = self.level_size(level).iter().map(|n| *n as usize).product();
        texels * self.samples.max(1) as usize * self.format.image.texel as usize
    }

    /// Bytes of all levels.
    pub(crate) fn bytes(&self) -> u64 {
        (0..self.levels).map(|level| self.level_bytes(level) as u64).sum()
    }

    fn attachment(&self) -> Enum {
        if self.format.is_depth() { gl::DEPTH_ATTACHMENT } else { gl::COLOR_ATTACHMENT0 }
    }
}

impl Object {
    /// Bytes of its staging memory.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Object::Buffer(form) => form.size,
            Object::Texels(form) => form.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_get_smaller_in_their_dimensions() {
        let format = SharedFormat::find(0x8058, 8).expect("RGBA8");
        let form = |shape, size| TexelForm {
            name: 1,
            target: 0,
            shape,
            format,
            size,
            level: 1,
            levels: 3,
            samples: 0,
        };
        assert_eq!(form(Shape::Three, [9, 4, 5]).level_size(1), [4, 2, 2]);
        assert_eq!(form(Shape::TwoArray, [9, 4, 5]).level_size(2), [2, 1, 5]);
        assert_eq!(form(Shape::OneArray, [8, 1, 5]).bytes(), (8 + 4 + 2) * 5 * 4);
    }
}
