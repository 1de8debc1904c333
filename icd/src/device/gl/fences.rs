//! Sync objects of OpenGL and EGL: waiting for what the application's contexts have been given, without a context of the application's.

use std::sync::Arc;

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::device::gl::binding::EglSyncFunctions;
use crate::device::gl::functions::names as gl;
use crate::device::gl::{Foreign, Gl, Session};

/// How long the thread waits for a fence before it looks for other jobs, in nanoseconds.
const MOMENT: u64 = 1_000_000;

/// EGL_SYNC_TYPE, EGL_SYNC_FENCE, EGL_TIMEOUT_EXPIRED, EGL_CONDITION_SATISFIED.
mod egl {
    pub(super) const SYNC_TYPE: i32 = 0x30F7;
    pub(super) const SYNC_FENCE: i32 = 0x30F9;
    pub(super) const TIMEOUT_EXPIRED: i32 = 0x30F5;
    pub(super) const CONDITION_SATISFIED: i32 = 0x30F6;
}

/// What is called when a fence has been reached, or will not be.
pub(crate) type Reached = Box<dyn FnOnce(ClResult<()>) + Send>;

/// A fence that is not ours.
#[derive(Clone, Copy)]
pub(crate) enum Fence {
    Gl(Foreign),
    Egl(Foreign),
}

impl Gl {
    /// Orders what the calling thread's context of the application was given so far before what jobs do from now on: a fence for [`Session::wait_for`] if
    /// it is the context that is shared with. Other contexts, and those without fences, are waited for.
    pub(crate) fn fence_here(&self) -> Option<Foreign> {
        let session = self.session();
        let shared = session.binding.thread_has()?;
        // SAFETY: a context is current to this thread, of the same library.
        unsafe {
            if !shared || !session.binding.has_fences {
                (session.calls.finish)();
                return None;
            }
            let fence = (session.calls.fence)(gl::SYNC_GPU_COMMANDS_COMPLETE, 0);
            (session.calls.flush)();
            (!fence.is_null()).then_some(Foreign(fence))
        }
    }

    /// Hands to the device what the calling thread's context was given, if it has one: its fences are reached then.
    pub(crate) fn flush_here(&self) {
        if self.session().binding.thread_has().is_some() {
            // SAFETY: a context is current to this thread, of the same library.
            unsafe { (self.session().calls.flush)() };
        }
    }

    /// Checks that the application's sync object is one of OpenGL's.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT.
    pub(crate) fn check_fence(self: &Arc<Self>, fence: Foreign) -> ClResult<()> {
        self.call(move |session| {
            let fence = fence;
            // SAFETY: the context is current; OpenGL checks the name.
            let known = !fence.0.is_null() && unsafe { (session.calls.is_sync)(fence.0) } == gl::TRUE;
            ensure(known, cl::CL_INVALID_GL_OBJECT)
        })
    }

    /// Checks that a sync object is a fence of the display.
    ///
    /// # Errors
    /// CL_INVALID_EGL_OBJECT_KHR.
    pub(crate) fn check_egl_fence(self: &Arc<Self>, fence: Foreign) -> ClResult<()> {
        self.call(move |session| {
            let fence = fence;
            let wrong = cl::cl_egl::CL_INVALID_EGL_OBJECT_KHR;
            let (Some(calls), Some(display)) = (egl_calls(session), session.binding.egl_display()) else {
                return fail(wrong);
            };
            let mut kind = 0;
            // SAFETY: EGL checks the sync object against those of the display; the place is valid.
            let known = unsafe { (calls.attribute)(display, fence.0, egl::SYNC_TYPE, &mut kind) } != 0;
            ensure(known && kind == egl::SYNC_FENCE, wrong)
        })
    }

    /// Calls a function when a fence has been reached. The thread does other jobs meanwhile.
    pub(crate) fn when_reached(self: &Arc<Self>, fence: Fence, reached: Reached) {
        let this = Arc::downgrade(self);
        let kept = Kept(Some(reached));
        self.later(move |session| {
            let mut kept = kept;
            match look(session, fence) {
                Ok(false) => {
                    if let (Some(this), Some(reached)) = (this.upgrade(), kept.0.take()) {
                        this.when_reached(fence, reached);
                    }
                }
                Ok(true) => kept.tell(Ok(())),
                Err(e) => kept.tell(Err(e)),
            }
        });
    }
}

/// A function that is called even where its job is not done.
struct Kept(Option<Reached>);

impl Kept {
    fn tell(&mut self, result: ClResult<()>) {
        if let Some(reached) = self.0.take() {
            reached(result);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.tell(Err(ClError(cl::CL_INVALID_GL_OBJECT)));
    }
}

fn egl_calls(session: &Session) -> Option<EglSyncFunctions> {
    // SAFETY: functions of EGL by their names.
    unsafe { EglSyncFunctions::load(|name| session.binding.function(name)) }.ok()
}

/// Waits a moment for a fence; whether it has been reached.
fn look(session: &Session, fence: Fence) -> ClResult<bool> {
    match fence {
        Fence::Gl(Foreign(fence)) => {
            // SAFETY: the context is current; OpenGL checks the name.
            match unsafe { (session.calls.client_wait_sync)(fence, 0, MOMENT) } {
                gl::TIMEOUT_EXPIRED => Ok(false),
                gl::WAIT_FAILED => fail(cl::CL_INVALID_GL_OBJECT),
                _ => Ok(true),
            }
        }
        Fence::Egl(Foreign(fence)) => {
            let wrong = ClError(cl::cl_egl::CL_INVALID_EGL_OBJECT_KHR);
            let calls = egl_calls(session).ok_or(wrong)?;
            let display = session.binding.egl_display().ok_or(wrong)?;
            // SAFETY: EGL checks both.
            match unsafe { (calls.wait)(display, fence, 0, MOMENT) } {
                egl::TIMEOUT_EXPIRED => Ok(false),
                egl::CONDITION_SATISFIED => Ok(true),
                _ => Err(wrong),
            }
        }
    }
}

impl Session {
    /// Lets the device wait for a fence of [`Gl::fence_here`] before what follows, and deletes it.
    pub(crate) fn wait_for(&self, fence: Foreign) {
        // SAFETY: the context is current; the fence is of the contexts that share, and ours.
        unsafe {
            (self.calls.wait_sync)(fence.0, 0, gl::TIMEOUT_IGNORED);
            (self.calls.delete_sync)(fence.0);
        }
    }
}
