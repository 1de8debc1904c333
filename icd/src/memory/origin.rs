//! What a memory object of OpenGL's or EGL's was made of, and the staging memory that its contents go through.
//!
//! Staging memory is what the device exports and OpenGL imports, where both are the same device, and the host's elsewhere. A buffer that is exported is its
//! own staging memory.

use std::sync::{Arc, OnceLock};

use opencl_sys as cl;
use vk_runtime::{Buffer, BufferUse, MemoryHandle};

use crate::abi::error::{ClError, ClResult};
use crate::device::context::Context;
use crate::device::gl::functions::{Enum, Name, names as gl};
use crate::device::gl::objects::{Object, Staging};
use crate::device::gl::shared_buffer::SharedBuffer;
use crate::device::gl::{Foreign, Gl};
use crate::device::{Device, Runtime};

/// The object that a memory object was made of.
pub(crate) struct Origin {
    pub(crate) gl: Arc<Gl>,
    pub(crate) object: Object,
    /// CL_GL_OBJECT_*; `None` for an EGLImage.
    pub(crate) kind: Option<cl::cl_gl_object_type>,
    /// As the application named it.
    pub(crate) name: Name,
    pub(crate) target: Enum,
    pub(crate) level: i32,
    /// By the context's devices.
    pub(crate) stages: Vec<OnceLock<Stage>>,
}

/// Staging memory of a device.
pub(crate) struct Stage {
    pub(crate) buffer: Buffer,
    /// The same memory as OpenGL has it; `None` where the host copies.
    pub(crate) shared: Option<SharedBuffer>,
    /// It is the memory object's own memory.
    pub(crate) in_place: bool,
}

impl Stage {
    /// As OpenGL's side copies to and from it.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if it is memory that the host does not reach.
    pub(crate) fn staging(&self) -> ClResult<Staging> {
        if let Some(shared) = &self.shared {
            return Ok(Staging::Buffer(shared.name));
        }
        let memory = self.buffer.host_ptr().ok_or(ClError(cl::CL_OUT_OF_RESOURCES))?;
        Ok(Staging::Host(Foreign(memory.cast())))
    }

    /// Returns whether the device copies.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }
}

/// Makes a buffer that a device and OpenGL share; `None` where they do not.
pub(crate) fn share(
    gl: &Arc<Gl>,
    device: &Device,
    runtime: &Runtime,
    size: u64,
) -> Option<(Buffer, SharedBuffer)> {
    let identity = &device.caps.identity;
    if !gl.imports_from(identity.device_uuid, identity.driver_uuid) {
        return None;
    }
    let made = runtime.device.export_buffer(MemoryHandle::OpaqueFd, size);
    let made = made.inspect_err(|e| log::info!("no memory is shared with OpenGL: {e}")).ok()?;
    let sizes = (size, made.allocation);
    let shared = gl.import(made.handle, sizes, made.dedicated);
    let shared = shared.inspect_err(|_| log::info!("OpenGL does not import the device's memory")).ok()?;
    Some((made.buffer, shared))
}

impl Origin {
    /// For an object that was looked at; `named`: its name, target and level as the application gave them.
    pub(crate) fn new(context: &Context, gl: &Arc<Gl>, object: Object, named: (Name, Enum, i32)) -> Self {
        let (name, target, level) = named;
        let stages = context.runtimes().iter().map(|_| OnceLock::new()).collect();
        Origin { gl: gl.clone(), object, kind: kind_of(target), name, target, level, stages }
    }

    /// The staging memory of a device of the context, by its number.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES and others where there is no memory.
    pub(crate) fn stage(&self, context: &Context, index: usize) -> ClResult<&Stage> {
        const NONE: ClError = ClError(cl::CL_INVALID_CONTEXT);
        let cell = self.stages.get(index).ok_or(NONE)?;
        if let Some(stage) = cell.get() {
            return Ok(stage);
        }
        let runtime = context.runtimes().get(index).ok_or(NONE)?;
        let device = context.devices.get(index).ok_or(NONE)?;
        let size = self.object.bytes();
        let stage = match share(&self.gl, device, runtime, size) {
            Some((buffer, shared)) => Stage { buffer, shared: Some(shared), in_place: false },
            None => Stage {
                buffer: runtime.device.create_buffer(size, BufferUse::HostPinned)?,
                shared: None,
                in_place: false,
            },
        };
        Ok(cell.get_or_init(|| stage))
    }

    /// Returns whether it is an EGLImage.
    pub(crate) fn is_egl(&self) -> bool {
        self.kind.is_none()
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        // The texture of an EGLImage is ours.
        if let (None, Object::Texels(form)) = (self.kind, self.object) {
            self.gl.later(move |session| session.delete_texture(form.name));
        }
    }
}

/// CL_GL_OBJECT_* of a target; `None` for that of an EGLImage.
fn kind_of(target: Enum) -> Option<cl::cl_gl_object_type> {
    Some(match target {
        gl::NONE => return None,
        gl::ARRAY_BUFFER => cl::CL_GL_OBJECT_BUFFER,
        gl::RENDERBUFFER => cl::CL_GL_OBJECT_RENDERBUFFER,
        gl::TEXTURE_1D => cl::CL_GL_OBJECT_TEXTURE1D,
        gl::TEXTURE_1D_ARRAY => cl::CL_GL_OBJECT_TEXTURE1D_ARRAY,
        gl::TEXTURE_2D_ARRAY | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => cl::CL_GL_OBJECT_TEXTURE2D_ARRAY,
        gl::TEXTURE_3D => cl::CL_GL_OBJECT_TEXTURE3D,
        gl::TEXTURE_BUFFER => cl::CL_GL_OBJECT_TEXTURE_BUFFER,
        _ => cl::CL_GL_OBJECT_TEXTURE2D,
    })
}
