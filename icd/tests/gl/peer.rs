//! The other API: OpenGL in a context of EGL without a surface, of which Pumice knows nothing but what the properties of its contexts say.
#![allow(dead_code)] // the example uses a part

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

/// A context of OpenGL, current to the thread that made it.
pub struct Peer {
    library: *mut c_void,
    pub display: *mut c_void,
    pub context: *mut c_void,
}

pub const TEXTURE_1D: u32 = 0x0DE0;
pub const TEXTURE_2D: u32 = 0x0DE1;
pub const TEXTURE_3D: u32 = 0x806F;
pub const TEXTURE_RECTANGLE: u32 = 0x84F5;
pub const TEXTURE_CUBE_MAP: u32 = 0x8513;
pub const CUBE_NEGATIVE_Y: u32 = 0x8518;
pub const TEXTURE_1D_ARRAY: u32 = 0x8C18;
pub const TEXTURE_2D_ARRAY: u32 = 0x8C1A;
pub const TEXTURE_BUFFER: u32 = 0x8C2A;
pub const RENDERBUFFER: u32 = 0x8D41;
pub const RGBA: u32 = 0x1908;
pub const RGBA8: u32 = 0x8058;
pub const RGBA32UI: u32 = 0x8D70;
pub const RGBA_INTEGER: u32 = 0x8D99;
pub const DEPTH_COMPONENT: u32 = 0x1902;
pub const DEPTH_COMPONENT32F: u32 = 0x8CAC;
pub const UNSIGNED_BYTE: u32 = 0x1401;
pub const UNSIGNED_INT: u32 = 0x1405;
pub const FLOAT: u32 = 0x1406;
const ARRAY_BUFFER: u32 = 0x8892;
const FRAMEBUFFER: u32 = 0x8D40;
const COLOR_ATTACHMENT0: u32 = 0x8CE0;
const EGL_OPENGL_API: u32 = 0x30A2;
const EGL_OPENGL_ES_API: u32 = 0x30A0;
const EGL_PLATFORM_SURFACELESS_MESA: u32 = 0x31DD;

type Pointer = *mut c_void;

impl Peer {
    /// `None` without EGL, or where it has no OpenGL without a surface.
    pub fn new() -> Option<Self> {
        // SAFETY: the system's EGL; the functions have these types.
        unsafe {
            let library = libc::dlopen(c"libEGL.so.1".as_ptr(), libc::RTLD_NOW);
            if library.is_null() {
                return None;
            }
            let mut peer = Peer { library, display: null_mut(), context: null_mut() };
            let display: unsafe extern "C" fn(u32, Pointer, *const isize) -> Pointer =
                peer.egl(c"eglGetPlatformDisplay");
            peer.display = display(EGL_PLATFORM_SURFACELESS_MESA, null_mut(), null());
            let start: unsafe extern "C" fn(Pointer, *mut i32, *mut i32) -> u32 = peer.egl(c"eglInitialize");
            if peer.display.is_null() || start(peer.display, null_mut(), null_mut()) == 0 {
                return None;
            }
            peer.context = peer.another_context(null_mut());
            if peer.context.is_null() {
                return None;
            }
            assert!(peer.make_current(peer.context));
            Some(peer)
        }
    }

    /// A context of the display that shares with another one, current to no thread; NULL where there is none.
    pub fn another_context(&self, shared: Pointer) -> Pointer {
        // SAFETY: as above.
        unsafe {
            let bind: unsafe extern "C" fn(u32) -> u32 = self.egl(c"eglBindAPI");
            bind(EGL_OPENGL_API);
            let make: unsafe extern "C" fn(Pointer, Pointer, Pointer, *const i32) -> Pointer =
                self.egl(c"eglCreateContext");
            make(self.display, null_mut(), shared, null())
        }
    }

    /// A context of OpenGL ES 3 that shares with none, current to no thread; NULL where there is none.
    pub fn es_context(&self) -> Pointer {
        // SAFETY: as above; the list ends with EGL_NONE.
        unsafe {
            let bind: unsafe extern "C" fn(u32) -> u32 = self.egl(c"eglBindAPI");
            bind(EGL_OPENGL_ES_API);
            let make: unsafe extern "C" fn(Pointer, Pointer, Pointer, *const i32) -> Pointer =
                self.egl(c"eglCreateContext");
            let made = make(self.display, null_mut(), null_mut(), [0x3098, 3, 0x3038].as_ptr());
            bind(EGL_OPENGL_API);
            made
        }
    }

    pub fn make_current(&self, context: Pointer) -> bool {
        // SAFETY: as above.
        unsafe {
            let call: unsafe extern "C" fn(Pointer, Pointer, Pointer, Pointer) -> u32 =
                self.egl(c"eglMakeCurrent");
            call(self.display, null_mut(), null_mut(), context) != 0
        }
    }

    /// Makes a context of OpenGL ES current, as a program for it has it. The result brings the first context back.
    pub fn make_es_current(&self, context: Pointer) -> impl Fn(&Peer) {
        let bind = |peer: &Peer, api: u32| {
            // SAFETY: the function has this type.
            unsafe { peer.egl::<unsafe extern "C" fn(u32) -> u32>(c"eglBindAPI")(api) };
        };
        assert!(self.make_current(null_mut()));
        bind(self, EGL_OPENGL_ES_API);
        assert!(self.make_current(context));
        move |peer| {
            assert!(peer.make_current(null_mut()));
            bind(peer, EGL_OPENGL_API);
            assert!(peer.make_current(peer.context));
        }
    }

    pub fn destroy_context(&self, context: Pointer) {
        // SAFETY: as above.
        unsafe {
            let call: unsafe extern "C" fn(Pointer, Pointer) -> u32 = self.egl(c"eglDestroyContext");
            assert_ne!(call(self.display, context), 0);
        }
    }

    /// The properties of a context of OpenCL that shares with this one.
    pub fn properties(&self) -> [isize; 5] {
        use opencl_sys::{CL_EGL_DISPLAY_KHR, CL_GL_CONTEXT_KHR};
        let number = |pointer: Pointer| pointer.expose_provenance().cast_signed();
        [CL_GL_CONTEXT_KHR, number(self.context), CL_EGL_DISPLAY_KHR, number(self.display), 0]
    }

    /// A function of EGL.
    ///
    /// # Safety
    /// `F` is its type.
    pub unsafe fn egl<F: Copy>(&self, name: &CStr) -> F {
        // SAFETY: the library is open.
        let found = unsafe { libc::dlsym(self.library, name.as_ptr()) };
        assert!(!found.is_null(), "{name:?}");
        const { assert!(size_of::<F>() == size_of::<Pointer>()) };
        // SAFETY: the caller's promise.
        unsafe { std::mem::transmute_copy(&found) }
    }

    /// A function of OpenGL, or of an extension.
    ///
    /// # Safety
    /// `F` is its type.
    pub unsafe fn gl<F: Copy>(&self, name: &CStr) -> F {
        // SAFETY: as above.
        let found = unsafe {
            let find: unsafe extern "C" fn(*const std::ffi::c_char) -> Pointer =
                self.egl(c"eglGetProcAddress");
            find(name.as_ptr())
        };
        assert!(!found.is_null(), "{name:?}");
        const { assert!(size_of::<F>() == size_of::<Pointer>()) };
        // SAFETY: the caller's promise.
        unsafe { std::mem::transmute_copy(&found) }
    }

    /// Panics if a call failed.
    pub fn check(&self) {
        // SAFETY: the function has this type.
        let error = unsafe { self.gl::<unsafe extern "C" fn() -> u32>(c"glGetError")() };
        assert_eq!(error, 0, "OpenGL's error {error:#x}");
    }

    /// The name of what it runs on.
    pub fn renderer(&self) -> String {
        // SAFETY: the function has this type; a string of the context's.
        unsafe {
            let call: unsafe extern "C" fn(u32) -> *const std::ffi::c_char = self.gl(c"glGetString");
            CStr::from_ptr(call(0x1F01)).to_string_lossy().into_owned()
        }
    }

    pub fn finish(&self) {
        // SAFETY: the function has this type.
        unsafe { self.gl::<unsafe extern "C" fn()>(c"glFinish")() };
    }

    /// A new name: of `glGenTextures` and its like.
    pub fn name(&self, function: &CStr) -> u32 {
        let mut name = 0;
        // SAFETY: the function has this type; room for one.
        unsafe { self.gl::<unsafe extern "C" fn(i32, *mut u32)>(function)(1, &mut name) };
        name
    }

    /// Deletes a name: by `glDeleteTextures` and its like.
    pub fn delete(&self, function: &CStr, name: u32) {
        // SAFETY: as above.
        unsafe { self.gl::<unsafe extern "C" fn(i32, *const u32)>(function)(1, &name) };
    }

    pub fn bind(&self, function: &CStr, target: u32, name: u32) {
        // SAFETY: the function has this type.
        unsafe { self.gl::<unsafe extern "C" fn(u32, u32)>(function)(target, name) };
    }

    /// A buffer with data.
    pub fn buffer(&self, data: &[u8]) -> u32 {
        let name = self.name(c"glGenBuffers");
        self.bind(c"glBindBuffer", ARRAY_BUFFER, name);
        // SAFETY: the function has this type; so many bytes.
        unsafe {
            let call: unsafe extern "C" fn(u32, isize, *const u8, u32) = self.gl(c"glBufferData");
            call(ARRAY_BUFFER, data.len() as isize, data.as_ptr(), 0x88E8);
        }
        self.check();
        name
    }

    pub fn read_buffer(&self, name: u32, size: usize) -> Vec<u8> {
        let mut data = vec![0u8; size];
        self.bind(c"glBindBuffer", ARRAY_BUFFER, name);
        // SAFETY: the function has this type; room for so many bytes.
        unsafe {
            let call: unsafe extern "C" fn(u32, isize, isize, *mut u8) = self.gl(c"glGetBufferSubData");
            call(ARRAY_BUFFER, 0, size as isize, data.as_mut_ptr());
        }
        self.check();
        data
    }

    /// A buffer's bytes, as OpenGL ES has them: by a map.
    pub fn map_buffer(&self, name: u32, size: usize) -> Vec<u8> {
        self.bind(c"glBindBuffer", ARRAY_BUFFER, name);
        // SAFETY: the functions have these types; the buffer has so many bytes.
        let data = unsafe {
            let map: unsafe extern "C" fn(u32, isize, isize, u32) -> *const u8 = self.gl(c"glMapBufferRange");
            let place = map(ARRAY_BUFFER, 0, size as isize, 1);
            assert!(!place.is_null());
            let data = std::slice::from_raw_parts(place, size).to_vec();
            self.gl::<unsafe extern "C" fn(u32) -> u8>(c"glUnmapBuffer")(ARRAY_BUFFER);
            data
        };
        self.check();
        data
    }

    /// A texture with nearest filters, bound.
    pub fn texture(&self, target: u32) -> u32 {
        let name = self.name(c"glGenTextures");
        self.bind(c"glBindTexture", target, name);
        // SAFETY: the function has this type.
        unsafe {
            let call: unsafe extern "C" fn(u32, u32, i32) = self.gl(c"glTexParameteri");
            call(target, 0x2800, 0x2600);
            call(target, 0x2801, 0x2600);
        }
        self.check();
        name
    }

    /// glTexImage2D of the texture that is bound: of a target, or a face.
    pub fn image_2d(
        &self,
        target: u32,
        level: i32,
        internal: u32,
        [width, height]: [i32; 2],
        (format, kind): (u32, u32),
        data: &[u8],
    ) {
        let data = if data.is_empty() { null() } else { data.as_ptr() };
        self.unaligned();
        // SAFETY: the function has this type; the tests give as many bytes as the texels have, or none.
        unsafe {
            let call: unsafe extern "C" fn(u32, i32, i32, i32, i32, i32, u32, u32, *const u8) =
                self.gl(c"glTexImage2D");
            call(target, level, internal as i32, width, height, 0, format, kind, data);
        }
        self.check();
    }

    /// New texels for a texture that is there, RGBA with 8 bits: an EGLImage of it stays one.
    pub fn image_write(&self, name: u32, [width, height]: [i32; 2], data: &[u8]) {
        self.bind(c"glBindTexture", TEXTURE_2D, name);
        // SAFETY: the function has this type; as many bytes as the texels have.
        unsafe {
            let call: unsafe extern "C" fn(u32, i32, i32, i32, i32, i32, u32, u32, *const u8) =
                self.gl(c"glTexSubImage2D");
            call(TEXTURE_2D, 0, 0, 0, width, height, RGBA, UNSIGNED_BYTE, data.as_ptr());
        }
        self.check();
    }

    /// glTexImage1D, RGBA with 8 bits.
    pub fn image_1d(&self, width: i32, data: &[u8]) {
        // SAFETY: as above.
        unsafe {
            let call: unsafe extern "C" fn(u32, i32, i32, i32, i32, u32, u32, *const u8) =
                self.gl(c"glTexImage1D");
            call(TEXTURE_1D, 0, RGBA8 as i32, width, 0, RGBA, UNSIGNED_BYTE, data.as_ptr());
        }
        self.check();
    }

    /// glTexImage3D, RGBA with 8 bits.
    pub fn image_3d(&self, target: u32, [width, height, depth]: [i32; 3], data: &[u8]) {
        // SAFETY: as above.
        unsafe {
            let call: unsafe extern "C" fn(u32, i32, i32, i32, i32, i32, i32, u32, u32, *const u8) =
                self.gl(c"glTexImage3D");
            let internal = RGBA8 as i32;
            call(target, 0, internal, width, height, depth, 0, RGBA, UNSIGNED_BYTE, data.as_ptr());
        }
        self.check();
    }

    /// The texels of the texture that is bound.
    pub fn read_texture(&self, target: u32, level: i32, (format, kind): (u32, u32), size: usize) -> Vec<u8> {
        let mut data = vec![0u8; size];
        self.unaligned();
        // SAFETY: the function has this type; the tests give room for the texels.
        unsafe {
            let call: unsafe extern "C" fn(u32, i32, u32, u32, *mut u8) = self.gl(c"glGetTexImage");
            call(target, level, format, kind, data.as_mut_ptr());
        }
        self.check();
        data
    }

    fn unaligned(&self) {
        // SAFETY: the function has this type.
        unsafe {
            let call: unsafe extern "C" fn(u32, i32) = self.gl(c"glPixelStorei");
            call(0x0D05, 1);
            call(0x0CF5, 1);
        }
    }

    /// A renderbuffer, bound; `samples` above 0: of several samples.
    pub fn renderbuffer(&self, internal: u32, samples: i32, [width, height]: [i32; 2]) -> u32 {
        let name = self.name(c"glGenRenderbuffers");
        self.bind(c"glBindRenderbuffer", RENDERBUFFER, name);
        // SAFETY: the function has this type.
        unsafe {
            let call: unsafe extern "C" fn(u32, i32, u32, i32, i32) =
                self.gl(c"glRenderbufferStorageMultisample");
            call(RENDERBUFFER, samples, internal, width, height);
        }
        self.check();
        name
    }

    /// Clears a renderbuffer to a colour.
    pub fn clear_renderbuffer(&self, name: u32, [r, g, b, a]: [f32; 4]) {
        self.with_renderbuffer(name, || {
            // SAFETY: the functions have these types.
            unsafe {
                self.gl::<unsafe extern "C" fn(f32, f32, f32, f32)>(c"glClearColor")(r, g, b, a);
                self.gl::<unsafe extern "C" fn(u32)>(c"glClear")(0x4000);
            }
        });
    }

    /// Reads a renderbuffer, RGBA with 8 bits.
    pub fn read_renderbuffer(&self, name: u32, [width, height]: [i32; 2]) -> Vec<u8> {
        let mut data = vec![0u8; (width * height * 4) as usize];
        let place = data.as_mut_ptr();
        self.with_renderbuffer(name, || {
            // SAFETY: the function has this type; room for the pixels.
            unsafe {
                let call: unsafe extern "C" fn(i32, i32, i32, i32, u32, u32, *mut u8) =
                    self.gl(c"glReadPixels");
                call(0, 0, width, height, RGBA, UNSIGNED_BYTE, place);
            }
        });
        data
    }

    /// Runs something with a framebuffer of a renderbuffer.
    pub fn with_renderbuffer(&self, name: u32, run: impl FnOnce()) {
        let framebuffer = self.name(c"glGenFramebuffers");
        self.bind(c"glBindFramebuffer", FRAMEBUFFER, framebuffer);
        // SAFETY: the function has this type.
        unsafe {
            let call: unsafe extern "C" fn(u32, u32, u32, u32) = self.gl(c"glFramebufferRenderbuffer");
            call(FRAMEBUFFER, COLOR_ATTACHMENT0, RENDERBUFFER, name);
        }
        run();
        self.bind(c"glBindFramebuffer", FRAMEBUFFER, 0);
        self.delete(c"glDeleteFramebuffers", framebuffer);
        self.check();
    }

    /// A fence behind what the context was given.
    pub fn fence(&self) -> Pointer {
        // SAFETY: the function has this type.
        unsafe { self.gl::<unsafe extern "C" fn(u32, u32) -> Pointer>(c"glFenceSync")(0x9117, 0) }
    }

    pub fn delete_fence(&self, fence: Pointer) {
        // SAFETY: the function has this type.
        unsafe { self.gl::<unsafe extern "C" fn(Pointer)>(c"glDeleteSync")(fence) };
    }

    /// An EGLImage of a two-dimensional texture.
    pub fn egl_image(&self, texture: u32) -> Pointer {
        // SAFETY: the function has this type; the list ends with EGL_NONE.
        unsafe {
            let call: unsafe extern "C" fn(Pointer, Pointer, u32, Pointer, *const i32) -> Pointer =
                self.gl(c"eglCreateImageKHR");
            let buffer = std::ptr::without_provenance_mut(texture as usize);
            call(self.display, self.context, 0x30B1, buffer, [0x3038].as_ptr())
        }
    }

    pub fn destroy_egl_image(&self, image: Pointer) {
        // SAFETY: the function has this type.
        unsafe {
            let call: unsafe extern "C" fn(Pointer, Pointer) -> u32 = self.gl(c"eglDestroyImageKHR");
            assert_ne!(call(self.display, image), 0);
        }
    }

    /// A fence of EGL's.
    pub fn egl_fence(&self) -> Pointer {
        // SAFETY: the function has this type.
        unsafe {
            let call: unsafe extern "C" fn(Pointer, u32, *const i32) -> Pointer =
                self.gl(c"eglCreateSyncKHR");
            call(self.display, 0x30F9, null())
        }
    }

    pub fn destroy_egl_fence(&self, fence: Pointer) {
        // SAFETY: the function has this type.
        unsafe {
            let call: unsafe extern "C" fn(Pointer, Pointer) -> u32 = self.gl(c"eglDestroySyncKHR");
            assert_ne!(call(self.display, fence), 0);
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.make_current(null_mut());
        if !self.context.is_null() {
            self.destroy_context(self.context);
        }
    }
}
