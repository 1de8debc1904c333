//! Memory objects made of objects of OpenGL and EGL (cl_khr_gl_sharing, cl_khr_egl_image).
//!
//! A device has a copy of its own, to which clEnqueueAcquireGLObjects brings the contents, and from which clEnqueueReleaseGLObjects gives them back
//! ([`origin`](super::origin)).

use std::sync::Arc;

use frontend::options::Features;
use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::flags;
use crate::abi::handle::Raw;
use crate::abi::param_value::ParamValue;
use crate::device::Device;
use crate::device::context::Context;
use crate::device::gl::functions::{Enum, Name, names as gl};
use crate::device::gl::objects::{BufferForm, Object, Shape, TexelForm, has_samples, shape};
use crate::device::gl::{Foreign, Gl};
use crate::memory::Memory;
use crate::memory::image::{ImageForm, Kind};
use crate::memory::origin::{Origin, Stage, share};
use crate::memory::store::{Form, Place, Store};

/// CL_GL_NUM_SAMPLES (cl_khr_gl_msaa_sharing).
const CL_GL_NUM_SAMPLES: cl::cl_gl_texture_info = 0x2012;

/// Checks the flags of an object that is shared.
///
/// # Errors
/// CL_INVALID_VALUE.
fn check_flags(flags: cl::cl_mem_flags) -> ClResult<()> {
    flags::check_new(flags)?;
    let known = cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY;
    ensure(flags & !known == 0, cl::CL_INVALID_VALUE)
}

/// The context of OpenGL that a context shares with.
///
/// # Errors
/// CL_INVALID_CONTEXT.
fn gl_of(context: &Context) -> ClResult<&Arc<Gl>> {
    context.gl().ok_or(ClError(cl::CL_INVALID_CONTEXT))
}

impl Memory {
    /// clCreateFromGLBuffer.
    ///
    /// # Errors
    /// Those of clCreateFromGLBuffer.
    pub(crate) fn of_gl_buffer(context: &Arc<Context>, flags: cl::cl_mem_flags, name: Name) -> ClResult<Raw> {
        let gl = gl_of(context)?;
        check_flags(flags)?;
        let form = gl.call(move |session| session.buffer(name))?;
        let store = buffer_store(context, gl, flags, form, (name, gl::ARRAY_BUFFER, 0))?;
        Memory::publish(store, None, 0, form.size, flags, Vec::new(), None)
    }

    /// clCreateFromGLTexture, and its forerunners, which take textures of one shape alone.
    ///
    /// # Errors
    /// Those of clCreateFromGLTexture.
    pub(crate) fn of_gl_texture(
        context: &Arc<Context>,
        flags: cl::cl_mem_flags,
        (target, level, name): (Enum, i32, Name),
        only: Option<Shape>,
    ) -> ClResult<Raw> {
        let gl = gl_of(context)?;
        check_flags(flags)?;
        let fits = only.is_none_or(|only| shape(target).is_some_and(|(shape, _)| shape == only));
        ensure(fits && (only.is_none() || !has_samples(target)), cl::CL_INVALID_VALUE)?;
        let shares_samples = |d: &Arc<Device>| d.caps.language.contains(Features::MSAA_IMAGES);
        ensure(!has_samples(target) || context.devices.iter().any(shares_samples), cl::CL_INVALID_VALUE)?;
        let named = (name, target, level);
        if target == gl::TEXTURE_BUFFER {
            let found = gl.call(move |session| session.texture_buffer(level, name))?;
            let form = image_form(&found.format.image, Kind::Buffer, [found.texels, 1, 1], 1)?;
            form.check_devices(context, flags).map_err(not_shared)?;
            let store = buffer_store(context, gl, flags, found.buffer, named)?;
            let size = form.buffer_bytes();
            ensure(size <= store.size, cl::CL_INVALID_GL_OBJECT)?;
            return Memory::publish(store, None, 0, size, flags, Vec::new(), Some(form));
        }
        let levels = context.devices.iter().all(|d| d.caps.has_mipmaps());
        let form = gl.call(move |session| session.texture(target, level, name, levels))?;
        publish_texels(context, Origin::new(context, gl, Object::Texels(form), named), flags, &form)
    }

    /// clCreateFromGLRenderbuffer.
    ///
    /// # Errors
    /// Those of clCreateFromGLRenderbuffer.
    pub(crate) fn of_gl_renderbuffer(
        context: &Arc<Context>,
        flags: cl::cl_mem_flags,
        name: Name,
    ) -> ClResult<Raw> {
        let gl = gl_of(context)?;
        check_flags(flags)?;
        let form = gl.call(move |session| session.renderbuffer(name))?;
        let named = (name, gl::RENDERBUFFER, 0);
        publish_texels(context, Origin::new(context, gl, Object::Texels(form), named), flags, &form)
    }

    /// clCreateFromEGLImageKHR.
    ///
    /// # Errors
    /// Those of clCreateFromEGLImageKHR.
    pub(crate) fn of_egl_image(
        context: &Arc<Context>,
        flags: cl::cl_mem_flags,
        display: Foreign,
        image: Foreign,
    ) -> ClResult<Raw> {
        check_flags(flags)?;
        ensure(context.devices.iter().any(|d| d.caps.images.is_some()), cl::CL_INVALID_OPERATION)?;
        let gl = context.gl_of_display(display)?;
        let form = gl.call(move |session| session.egl_image(image))?;
        let origin = Origin::new(context, &gl, Object::Texels(form), (form.name, gl::NONE, 0));
        publish_texels(context, origin, flags, &form)
            .map_err(|e| if e.0 == not_shared(e).0 { ClError(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED) } else { e })
    }

    /// Returns what it was made of.
    pub(crate) fn origin(&self) -> Option<&Arc<Origin>> {
        match &self.store.place {
            Place::Gl(origin) if self.parent.is_none() => Some(origin),
            _ => None,
        }
    }

    /// clGetGLObjectInfo: the kind of the object and its name.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT.
    pub(crate) fn gl_object(&self) -> ClResult<(cl::cl_gl_object_type, Name)> {
        let origin = self.origin().ok_or(ClError(cl::CL_INVALID_GL_OBJECT))?;
        Ok((origin.kind.ok_or(ClError(cl::CL_INVALID_GL_OBJECT))?, origin.name))
    }

    /// clGetGLTextureInfo.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT for all but textures, CL_INVALID_VALUE for an unknown query.
    pub(crate) fn gl_texture_info(&self, param: cl::cl_gl_texture_info) -> ClResult<ParamValue> {
        let origin = self.origin().ok_or(ClError(cl::CL_INVALID_GL_OBJECT))?;
        let texture = !matches!(origin.target, gl::NONE | gl::ARRAY_BUFFER | gl::RENDERBUFFER);
        ensure(texture, cl::CL_INVALID_GL_OBJECT)?;
        match param {
            cl::CL_GL_TEXTURE_TARGET => Ok(ParamValue::uint(origin.target)),
            cl::CL_GL_MIPMAP_LEVEL => Ok(ParamValue::int(origin.level)),
            CL_GL_NUM_SAMPLES => {
                let samples = self.image.map_or(0, |form| form.samples);
                Ok(ParamValue::int(i32::try_from(samples.max(1)).unwrap_or(i32::MAX)))
            }
            _ => fail(cl::CL_INVALID_VALUE),
        }
    }
}

/// The error of a format that no device of the context has.
fn not_shared(error: ClError) -> ClError {
    match error.0 {
        cl::CL_IMAGE_FORMAT_NOT_SUPPORTED => ClError(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        _ => error,
    }
}

/// The store of a buffer, in memory that OpenGL has, too, where it can be.
fn buffer_store(
    context: &Arc<Context>,
    gl: &Arc<Gl>,
    flags: cl::cl_mem_flags,
    form: BufferForm,
    named: (Name, Enum, i32),
) -> ClResult<Arc<Store>> {
    let origin = Arc::new(Origin::new(context, gl, Object::Buffer(form), named));
    let store = Store::new(context, flags, form.size, Place::Gl(origin.clone()), Form::Bytes);
    for (index, (device, runtime)) in context.devices.iter().zip(context.runtimes()).enumerate() {
        let Some((buffer, shared)) = share(gl, device, runtime, form.size) else { continue };
        store.adopt_buffer(index, buffer.clone())?;
        let stage = Stage { buffer, shared: Some(shared), in_place: true };
        if let Some(cell) = origin.stages.get(index) {
            // Nobody else has it yet.
            let _ = cell.set(stage);
        }
    }
    Ok(Arc::new(store))
}

fn publish_texels(
    context: &Arc<Context>,
    origin: Origin,
    flags: cl::cl_mem_flags,
    texels: &TexelForm,
) -> ClResult<Raw> {
    let kind = match texels.shape {
        Shape::One => Kind::One,
        Shape::OneArray => Kind::OneArray,
        Shape::Two => Kind::Two,
        Shape::TwoArray => Kind::TwoArray,
        Shape::Three => Kind::Three,
    };
    let mut form = image_form(&texels.format.image, kind, texels.size, texels.levels)?;
    if texels.samples > 0 {
        form = form.with_samples(texels.samples)?;
    }
    form.check_devices(context, flags).map_err(not_shared)?;
    let place = Place::Gl(Arc::new(origin));
    let store = Store::new(context, flags, form.bytes(), place, Form::Image(form.desc()));
    Memory::publish(Arc::new(store), None, 0, form.bytes(), flags, Vec::new(), Some(form))
}

/// The form of an image: width, height, and depth or layers.
fn image_form(
    format: &host::image::ImageFormat,
    kind: Kind,
    [width, height, depth]: [u32; 3],
    levels: u32,
) -> ClResult<ImageForm> {
    // SAFETY: the descriptor consists of integers and a pointer, for which zeros are valid.
    let mut desc: cl::cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = kind.raw();
    (desc.image_width, desc.image_height) = (width as usize, height as usize);
    (desc.image_depth, desc.image_array_size) = (depth as usize, depth as usize);
    desc.num_mip_levels = if levels > 1 { levels } else { 0 };
    ImageForm::new(*format, kind, &desc, false).map_err(|_| ClError(cl::CL_INVALID_GL_OBJECT))
}
