//! OpenGL, as far as objects are shared with it (cl_khr_gl_sharing, cl_khr_egl_image): a context of our own beside the application's, whose
//! objects it shares, and one thread that uses it.
//!
//! | module | what it is |
//! |---|---|
//! | [`binding`] | EGL and GLX: where the context comes from |
//! | [`functions`] | OpenGL's functions and numbers |
//! | [`formats`] | internal formats, and the image formats that they are |
//! | [`properties`] | the properties of contexts that name one of OpenGL's |
//! | [`objects`] | buffers, textures and renderbuffers: their forms and their contents |
//! | [`samples`] | textures with several samples for each texel |
//! | [`shared_buffer`] | buffers of memory that Vulkan exports |
//! | [`fences`] | sync objects |
//!
//! Our context is current to its thread only while a job runs. The application may therefore destroy its own contexts, and end the display, whenever it
//! likes: jobs fail then.

pub(crate) mod binding;
pub(crate) mod fences;
pub(crate) mod formats;
pub(crate) mod functions;
pub(crate) mod objects;
pub(crate) mod properties;
mod samples;
pub(crate) mod shared_buffer;

use std::ffi::{CStr, c_void};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult};
use crate::abi::process::may_call;
use crate::abi::workers::Workers;
use binding::{Application, Binding, Refusal};
use functions::{Functions, ImageFunctions, MemoryFunctions, names as gl};

/// A context of OpenGL of our own, and its thread.
pub(crate) struct Gl {
    session: Session,
    worker: Workers,
}

/// What jobs find: the functions, of the context that is current to their thread.
pub(crate) struct Session {
    pub(crate) binding: Binding,
    pub(crate) calls: Functions,
    /// GL_EXT_memory_object_fd.
    pub(crate) memory: Option<MemoryFunctions>,
    /// GL_OES_EGL_image.
    pub(crate) images: Option<ImageFunctions>,
    /// The UUIDs of the device and of the driver, as Vulkan has them, where OpenGL tells them.
    pub(crate) uuids: Option<Uuids>,
}

/// What OpenGL runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Uuids {
    pub(crate) devices: Vec<[u8; 16]>,
    pub(crate) driver: [u8; 16],
}

/// A pointer of OpenGL's or EGL's on its way to the thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Foreign(pub(crate) *mut c_void);

// SAFETY: it is a handle, which any thread may name.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

// SAFETY: the functions are addresses, and the handles are used by one thread at a time.
unsafe impl Send for Session {}
// SAFETY: as above.
unsafe impl Sync for Session {}

impl Gl {
    /// Makes a context that shares the objects of the application's.
    ///
    /// # Errors
    /// As [`Binding::new`].
    pub(crate) fn start(application: Application) -> Result<Arc<Self>, Refusal> {
        let worker = Workers::gl();
        let (send, receive) = mpsc::channel();
        worker.give(Box::new(move || {
            // Nobody waits any more when the process is ending.
            let _ = send.send(Session::new(application));
        }));
        let session = wait(&receive).unwrap_or(Err(Refusal::NotShared))?;
        Ok(Arc::new(Gl { session, worker }))
    }

    /// Runs something on its thread, where the context is current, and returns when that is done.
    ///
    /// # Errors
    /// What it gives; CL_INVALID_GL_OBJECT where there is no context any more.
    pub(crate) fn call<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Session) -> ClResult<T> + Send + 'static,
    ) -> ClResult<T> {
        let (send, receive) = mpsc::channel();
        self.later(move |session| {
            let _ = send.send(work(session));
        });
        // Dropped unsent if there is no context.
        wait(&receive).unwrap_or(Err(ClError(cl::CL_INVALID_GL_OBJECT)))
    }

    /// Runs something on its thread, soon.
    pub(crate) fn later(self: &Arc<Self>, work: impl FnOnce(&Session) + Send + 'static) {
        let this = self.clone();
        self.worker.give(Box::new(move || {
            if this.session.binding.make_current() {
                work(&this.session);
                this.session.binding.release();
            } else {
                log::info!("the context of OpenGL is gone");
            }
        }));
    }

    /// Returns what its jobs find. Functions of OpenGL are for jobs, or for a thread with a context of the application's.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }
}

/// Waits for what a job sends; `None` when it sends nothing, or the process is ending.
fn wait<T>(receive: &Receiver<T>) -> Option<T> {
    loop {
        match receive.recv_timeout(Duration::from_millis(100)) {
            Ok(value) => return Some(value),
            Err(RecvTimeoutError::Timeout) if may_call() => {}
            Err(_) => return None,
        }
    }
}

impl Session {
    fn new(application: Application) -> Result<Self, Refusal> {
        let binding = Binding::new(application)?;
        if !binding.make_current() {
            return Err(Refusal::NotShared);
        }
        let session = Self::current(binding);
        if let Ok(session) = &session {
            session.binding.release();
        }
        session
    }

    /// Looks at the context that is current.
    fn current(binding: Binding) -> Result<Self, Refusal> {
        // SAFETY: functions of the library that the context is of.
        let calls = unsafe { Functions::load(|name| binding.function(name)) }.map_err(|name| {
            log::info!("OpenGL is not shared: {} is missing", name.to_string_lossy());
            Refusal::NotShared
        })?;
        let text = |name| {
            // SAFETY: the context is current; a string of its own, or NULL.
            unsafe {
                let text = (calls.get_string)(name);
                if text.is_null() {
                    String::new()
                } else {
                    CStr::from_ptr(text.cast()).to_string_lossy().into_owned()
                }
            }
        };
        let (version, renderer) = (text(gl::VERSION), text(gl::RENDERER));
        if number(&version) < (3, 2) {
            log::error!("objects of '{version}' on '{renderer}' are not shared: that takes OpenGL 3.2");
            return Err(Refusal::NotShared);
        }
        let mut session = Session { binding, calls, memory: None, images: None, uuids: None };
        let has = session.extensions();
        let has = |name: &str| has.iter().any(|e| e == name);
        let find = |name: &CStr| session.binding.function(name);
        // SAFETY: as above.
        let (memory, images) = unsafe { (MemoryFunctions::load(find).ok(), ImageFunctions::load(find).ok()) };
        session.images = images.filter(|_| has("GL_OES_EGL_image") || has("GL_EXT_EGL_image_storage"));
        session.memory = memory.filter(|_| has("GL_EXT_memory_object_fd") && has("GL_EXT_memory_object"));
        session.uuids = session.ask_uuids();
        // Its shared memory is what the next copies go through.
        log::info!(
            "OpenGL '{version}' on '{renderer}': {}",
            if session.uuids.is_some() { "memory objects" } else { "no memory objects" }
        );
        Ok(session)
    }

    fn extensions(&self) -> Vec<String> {
        let mut count = 0;
        // SAFETY: the context is current; there are so many strings.
        unsafe {
            (self.calls.get_integer)(gl::NUM_EXTENSIONS, &mut count);
            let names = (0..count.cast_unsigned()).map(|i| (self.calls.get_stringi)(gl::EXTENSIONS, i));
            names
                .filter(|name| !name.is_null())
                .map(|name| CStr::from_ptr(name.cast()).to_string_lossy().into_owned())
                .collect()
        }
    }

    fn ask_uuids(&self) -> Option<Uuids> {
        let memory = self.memory.as_ref()?;
        let mut count = 0;
        let mut driver = [0; 16];
        // SAFETY: the context is current and has the extension; each place has 16 bytes.
        let devices = unsafe {
            (self.calls.get_integer)(gl::NUM_DEVICE_UUIDS_EXT, &mut count);
            (memory.get_bytes)(gl::DRIVER_UUID_EXT, driver.as_mut_ptr());
            let device = |index| {
                let mut uuid = [0; 16];
                (memory.get_bytes_at)(gl::DEVICE_UUID_EXT, index, uuid.as_mut_ptr());
                uuid
            };
            (0..count.clamp(0, 64).cast_unsigned()).map(device).collect()
        };
        self.check().ok()?;
        Some(Uuids { devices, driver })
    }

    /// Forgets the errors so far.
    pub(crate) fn clear(&self) {
        // SAFETY: the context is current. A lost context has errors without an end.
        (0..32).find(|_| unsafe { (self.calls.get_error)() } == gl::NO_ERROR);
    }

    /// Checks that nothing failed since [`clear`](Self::clear).
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES where memory is short, CL_INVALID_GL_OBJECT for all else.
    pub(crate) fn check(&self) -> ClResult<()> {
        // SAFETY: the context is current.
        match unsafe { (self.calls.get_error)() } {
            gl::NO_ERROR => Ok(()),
            gl::OUT_OF_MEMORY => Err(ClError(cl::CL_OUT_OF_RESOURCES)),
            error => {
                log::info!("OpenGL's error {error:#x}");
                Err(ClError(cl::CL_INVALID_GL_OBJECT))
            }
        }
    }
}

/// The first two numbers in the text of a version.
fn number(version: &str) -> (u32, u32) {
    let version = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(number("4.5 (Compatibility Profile) Mesa 22.3.6"), (4, 5));
        assert_eq!(number("OpenGL ES 3.2 Mesa 22.3.6"), (3, 2));
        assert_eq!(number("3.3.0 NVIDIA 580.1"), (3, 3));
        assert_eq!(number(""), (0, 0));
    }
}
