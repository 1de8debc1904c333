//! The properties of a context of OpenCL that name a context of OpenGL (clCreateContext, clGetGLContextInfoKHR).

use std::sync::Arc;

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::device::gl::Gl;
use crate::device::gl::binding::{self, Application, Refusal};

/// The contexts and displays that a list of properties names; 0 is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SharingProperties {
    context: isize,
    egl: isize,
    glx: isize,
    /// CL_WGL_HDC_KHR, CL_CGL_SHAREGROUP_KHR.
    other: isize,
    /// One of the names was there.
    named: bool,
}

impl SharingProperties {
    /// Takes a property; whether it is one of these.
    pub(crate) fn take(&mut self, name: isize, value: isize) -> bool {
        let place = match name {
            cl::CL_GL_CONTEXT_KHR => &mut self.context,
            cl::CL_EGL_DISPLAY_KHR => &mut self.egl,
            cl::CL_GLX_DISPLAY_KHR => &mut self.glx,
            cl::CL_WGL_HDC_KHR | cl::CL_CGL_SHAREGROUP_KHR => &mut self.other,
            _ => return false,
        };
        // Of two the one that is set.
        *place |= value;
        self.named = true;
        true
    }

    /// Returns whether one of the names was there.
    pub(crate) fn is_named(&self) -> bool {
        self.named
    }

    /// The context that is named; `None` where there is none.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION for two displays and for WGL and CGL; CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR for a context without a display.
    fn application(&self) -> ClResult<Option<Application>> {
        let displays = [self.egl, self.glx, self.other].iter().filter(|d| **d != 0).count();
        ensure(displays <= 1 && self.other == 0, cl::CL_INVALID_OPERATION)?;
        if self.context == 0 {
            return Ok(None);
        }
        let pointer =
            |value: isize| UserPointer(std::ptr::with_exposed_provenance_mut(value.cast_unsigned()));
        let context = pointer(self.context);
        match (self.egl, self.glx) {
            (0, 0) => fail(cl::CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR),
            (0, display) => Ok(Some(Application::Glx { display: pointer(display), context })),
            (display, _) => Ok(Some(Application::Egl { display: pointer(display), context })),
        }
    }

    /// Makes a context of OpenGL that shares with the one that is named, if one is.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION where the system has not that way to OpenGL, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR where OpenGL does not share.
    pub(crate) fn start(&self) -> ClResult<Option<Arc<Gl>>> {
        let Some(application) = self.application()? else { return Ok(None) };
        ensure(binding::is_there(), cl::CL_INVALID_OPERATION)?;
        let made = Gl::start(application).map_err(|refusal| match refusal {
            Refusal::NoLibrary => ClError(cl::CL_INVALID_OPERATION),
            Refusal::NotShared => ClError(cl::CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR),
        });
        made.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(isize, isize)]) -> Result<bool, i32> {
        let mut read = SharingProperties::default();
        assert!(pairs.iter().all(|(name, value)| read.take(*name, *value)));
        read.application().map(|found| found.is_some()).map_err(|e| e.0)
    }

    #[test]
    fn contexts_and_displays() {
        const GL: isize = cl::CL_GL_CONTEXT_KHR;
        const EGL: isize = cl::CL_EGL_DISPLAY_KHR;
        const GLX: isize = cl::CL_GLX_DISPLAY_KHR;
        assert!(!SharingProperties::default().take(cl::CL_CONTEXT_PLATFORM, 1));
        assert_eq!(read(&[]), Ok(false));
        assert_eq!(read(&[(EGL, 8)]), Ok(false), "a display alone");
        assert_eq!(read(&[(GL, 8), (EGL, 16)]), Ok(true));
        assert_eq!(read(&[(GL, 8), (GLX, 16), (EGL, 0)]), Ok(true));
        assert_eq!(read(&[(GL, 8)]), Err(cl::CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR));
        assert_eq!(read(&[(GL, 8), (GLX, 16), (EGL, 16)]), Err(cl::CL_INVALID_OPERATION));
        assert_eq!(read(&[(GL, 8), (cl::CL_WGL_HDC_KHR, 16)]), Err(cl::CL_INVALID_OPERATION));
        assert_eq!(read(&[(GL, 8), (cl::CL_CGL_SHAREGROUP_KHR, 16)]), Err(cl::CL_INVALID_OPERATION));
    }
}
