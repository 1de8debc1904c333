//! Buffers of OpenGL whose memory Vulkan exported (GL_EXT_memory_object_fd): both copy to and from them on the device.

use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::os_handle::{self, OsHandle};

use crate::abi::error::{ClError, ClResult};
use crate::device::gl::functions::{Name, names as gl};
use crate::device::gl::{Gl, Session, Uuids};

/// Such a buffer. Its names are given back when it is dropped.
pub(crate) struct SharedBuffer {
    gl: Arc<Gl>,
    memory: Name,
    pub(crate) name: Name,
}

impl Gl {
    /// Returns whether OpenGL imports what a device of Vulkan exports: both are the same, with the same driver.
    pub(crate) fn imports_from(&self, device: [u8; 16], driver: [u8; 16]) -> bool {
        let same = |uuids: &Uuids| uuids.devices.contains(&device) && uuids.driver == driver;
        cfg!(unix) && self.session().uuids.as_ref().is_some_and(same)
    }

    /// Makes a buffer of exported memory. `allocation`: the bytes of the memory; `dedicated`: it is the buffer's alone.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT if OpenGL does not import it; the descriptor is closed in any case.
    pub(crate) fn import(
        self: &Arc<Self>,
        handle: OsHandle,
        (size, allocation): (u64, u64),
        dedicated: bool,
    ) -> ClResult<SharedBuffer> {
        let (memory, name) =
            self.call(move |session| import(session, handle, (size, allocation), dedicated))?;
        Ok(SharedBuffer { gl: self.clone(), memory, name })
    }
}

#[cfg(unix)]
fn import(
    session: &Session,
    handle: OsHandle,
    (size, allocation): (u64, u64),
    dedicated: bool,
) -> ClResult<(Name, Name)> {
    use std::os::fd::{AsRawFd, FromRawFd};

    let functions = session.memory.as_ref().ok_or(ClError(cl::CL_INVALID_GL_OBJECT))?;
    let length = isize::try_from(size).map_err(|_| ClError(cl::CL_OUT_OF_RESOURCES))?;
    let (mut memory, mut name) = (0, 0);
    session.clear();
    let raw = os_handle::into_raw(handle);
    // SAFETY: the context is current and has the extension; the places are valid. An import takes the descriptor, a failure leaves it.
    let imported = unsafe {
        (functions.create)(1, &mut memory);
        let dedicated = i32::from(dedicated);
        (functions.set_parameter)(memory, gl::DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
        (functions.import_fd)(memory, allocation, gl::HANDLE_TYPE_OPAQUE_FD_EXT, raw);
        session.check()
    };
    if let Err(e) = imported {
        // SAFETY: it is still ours.
        drop(unsafe { OsHandle::from_raw_fd(raw.as_raw_fd()) });
        delete(session, memory, 0);
        return Err(e);
    }
    // SAFETY: as above.
    unsafe {
        (session.calls.gen_buffers)(1, &mut name);
        (session.calls.bind_buffer)(gl::COPY_WRITE_BUFFER, name);
        (functions.buffer_storage)(gl::COPY_WRITE_BUFFER, length, memory, 0);
        (session.calls.bind_buffer)(gl::COPY_WRITE_BUFFER, 0);
    }
    session.check().inspect_err(|_| delete(session, memory, name))?;
    Ok((memory, name))
}

/// There are descriptors on Unix alone.
#[cfg(not(unix))]
fn import(_: &Session, _: OsHandle, _: (u64, u64), _: bool) -> ClResult<(Name, Name)> {
    Err(ClError(cl::CL_INVALID_GL_OBJECT))
}

fn delete(session: &Session, memory: Name, name: Name) {
    // SAFETY: the context is current; names of its own, or 0.
    unsafe {
        (session.calls.delete_buffers)(1, &name);
        if let Some(functions) = &session.memory {
            (functions.delete)(1, &memory);
        }
    }
}

impl Drop for SharedBuffer {
    fn drop(&mut self) {
        let (memory, name) = (self.memory, self.name);
        self.gl.later(move |session| delete(session, memory, name));
    }
}
