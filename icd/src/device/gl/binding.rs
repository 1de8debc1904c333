//! The ways to a context of OpenGL, EGL and GLX: a context of our own that shares its objects with one of the application's.
//!
//! The libraries are opened when a context asks for them. Before that it is only looked whether their files are there, since the queries of a device
//! say so.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::sync::OnceLock;

use vk_runtime::library::Library;

use crate::abi::ffi::UserPointer;
use crate::device::gl::functions::table;

/// Why there is no sharing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The system has not that way to OpenGL.
    NoLibrary,
    /// The display or the context is none, or OpenGL does not share with it.
    NotShared,
}

/// The application's context. With EGL it may be NULL: then there is nothing to share but what belongs to the display (EGLImage).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Application {
    Egl { display: UserPointer, context: UserPointer },
    Glx { display: UserPointer, context: UserPointer },
}

const EGL_FILE: &CStr = c"libEGL.so.1";
const GLX_FILES: [&CStr; 2] = [c"libGL.so.1", c"libGLX.so.0"];
const X11_FILE: &CStr = c"libX11.so.6";

/// Returns whether the files of EGL or GLX are there: in the folders of the dynamic linker. It is looked once.
pub(crate) fn is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| cfg!(target_os = "linux") && (has(EGL_FILE) || GLX_FILES.iter().any(|f| has(f))))
}

/// Returns whether EGL's file is there.
pub(crate) fn has_egl() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| cfg!(target_os = "linux") && has(EGL_FILE))
}

/// Returns whether the dynamic linker would find a file: in LD_LIBRARY_PATH, in the usual folders, or by its cache.
fn has(file: &CStr) -> bool {
    let Ok(name) = file.to_str() else { return false };
    let set = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = [
        format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH),
        "/usr/lib64".to_owned(),
        "/usr/lib".to_owned(),
        "/lib".to_owned(),
        "/usr/local/lib".to_owned(),
    ];
    let folders = std::env::split_paths(&set).chain(usual.into_iter().map(Into::into));
    folders.into_iter().any(|folder| folder.join(name).exists())
        || std::fs::read(Path::new("/etc/ld.so.cache"))
            .is_ok_and(|cache| cache.windows(name.len()).any(|part| part == name.as_bytes()))
}

table! {
    /// The functions of EGL.
    EglFunctions {
        proc_address c"eglGetProcAddress" (*const c_char) -> *const c_void;
        initialize c"eglInitialize" (*mut c_void, *mut i32, *mut i32) -> u32;
        query_string c"eglQueryString" (*mut c_void, i32) -> *const c_char;
        choose_config c"eglChooseConfig" (*mut c_void, *const i32, *mut *mut c_void, i32, *mut i32) -> u32;
        query_context c"eglQueryContext" (*mut c_void, *mut c_void, i32, *mut i32) -> u32;
        create_context c"eglCreateContext" (*mut c_void, *mut c_void, *mut c_void, *const i32) -> *mut c_void;
        destroy_context c"eglDestroyContext" (*mut c_void, *mut c_void) -> u32;
        create_pbuffer c"eglCreatePbufferSurface" (*mut c_void, *mut c_void, *const i32) -> *mut c_void;
        destroy_surface c"eglDestroySurface" (*mut c_void, *mut c_void) -> u32;
        make_current c"eglMakeCurrent" (*mut c_void, *mut c_void, *mut c_void, *mut c_void) -> u32;
        current_context c"eglGetCurrentContext" () -> *mut c_void;
        bind_api c"eglBindAPI" (u32) -> u32;
    }
}

table! {
    /// The functions of EGL_KHR_fence_sync.
    EglSyncFunctions {
        wait c"eglClientWaitSyncKHR" (*mut c_void, *mut c_void, i32, u64) -> i32;
        attribute c"eglGetSyncAttribKHR" (*mut c_void, *mut c_void, i32, *mut i32) -> u32;
    }
}

table! {
    /// The functions of GLX.
    GlxFunctions {
        proc_address c"glXGetProcAddressARB" (*const c_char) -> *const c_void;
        query_context c"glXQueryContext" (*mut c_void, *mut c_void, i32, *mut i32) -> i32;
        choose_config c"glXChooseFBConfig" (*mut c_void, i32, *const i32, *mut i32) -> *mut *mut c_void;
        create_context c"glXCreateNewContext" (*mut c_void, *mut c_void, i32, *mut c_void, i32) -> *mut c_void;
        destroy_context c"glXDestroyContext" (*mut c_void, *mut c_void);
        create_pbuffer c"glXCreatePbuffer" (*mut c_void, *mut c_void, *const i32) -> usize;
        destroy_pbuffer c"glXDestroyPbuffer" (*mut c_void, usize);
        make_current c"glXMakeContextCurrent" (*mut c_void, usize, usize, *mut c_void) -> i32;
        current_context c"glXGetCurrentContext" () -> *mut c_void;
    }
}

mod egl {
    pub(super) const NONE: i32 = 0x3038;
    pub(super) const EXTENSIONS: i32 = 0x3055;
    pub(super) const CONFIG_ID: i32 = 0x3028;
    pub(super) const SURFACE_TYPE: i32 = 0x3033;
    pub(super) const PBUFFER_BIT: i32 = 1;
    pub(super) const RENDERABLE_TYPE: i32 = 0x3040;
    pub(super) const OPENGL_BIT: i32 = 8;
    pub(super) const HEIGHT: i32 = 0x3056;
    pub(super) const WIDTH: i32 = 0x3057;
    pub(super) const CONTEXT_CLIENT_TYPE: i32 = 0x3097;
    pub(super) const CONTEXT_CLIENT_VERSION: i32 = 0x3098;
    pub(super) const OPENGL_API: i32 = 0x30A2;
    pub(super) const OPENGL_ES_API: i32 = 0x30A0;
}

mod glx {
    pub(super) const FBCONFIG_ID: i32 = 0x8013;
    pub(super) const SCREEN: i32 = 0x800C;
    pub(super) const RGBA_TYPE: i32 = 0x8014;
    pub(super) const DRAWABLE_TYPE: i32 = 0x8010;
    pub(super) const PBUFFER_BIT: i32 = 4;
    pub(super) const PBUFFER_HEIGHT: i32 = 0x8040;
    pub(super) const PBUFFER_WIDTH: i32 = 0x8041;
}

/// EGL or GLX, with what is made current to a thread.
enum Way {
    Egl { calls: EglFunctions, api: u32, surface: UserPointer },
    Glx { calls: GlxFunctions, pbuffer: usize },
}

/// A context of our own. One thread at a time has it.
pub(crate) struct Binding {
    way: Way,
    /// It stays open: its driver has exit handlers.
    library: Library,
    display: UserPointer,
    /// The application's context.
    application: UserPointer,
    context: UserPointer,
    /// The application's context has sync objects: OpenGL ES 2 has none.
    pub(crate) has_fences: bool,
}

impl Binding {
    /// Makes the context.
    ///
    /// # Errors
    /// What the display, the context or the driver is not.
    pub(crate) fn new(application: Application) -> Result<Self, Refusal> {
        match application {
            Application::Egl { display, context } => Self::by_egl(display, context),
            Application::Glx { display, context } => Self::by_glx(display, context),
        }
    }

    fn by_egl(display: UserPointer, application: UserPointer) -> Result<Self, Refusal> {
        if !has_egl() {
            return Err(Refusal::NoLibrary);
        }
        // SAFETY: the system's EGL, whose initialisers are trusted as its driver's are.
        let library = unsafe { Library::open(EGL_FILE) }.ok_or(Refusal::NoLibrary)?;
        // SAFETY: the library's functions of these names.
        let calls = unsafe { EglFunctions::load(|name| find(&library, name)) }.map_err(missing)?;
        // A display with a context of the application's is initialised.
        // SAFETY: EGL checks displays against those that it has made.
        let ready = !application.0.is_null()
            || unsafe { (calls.initialize)(display.0, std::ptr::null_mut(), std::ptr::null_mut()) } != 0;
        if !ready {
            return Err(Refusal::NotShared);
        }
        let ask = |name: i32| {
            let mut value = 0;
            // SAFETY: as above.
            let known = unsafe { (calls.query_context)(display.0, application.0, name, &mut value) } != 0;
            known.then_some(value)
        };
        let (mut api, mut id) = (egl::OPENGL_API, 0);
        if !application.0.is_null() {
            api = ask(egl::CONTEXT_CLIENT_TYPE).ok_or(Refusal::NotShared)?;
            id = ask(egl::CONFIG_ID).ok_or(Refusal::NotShared)?;
        }
        // Our own context is one of OpenGL beside one of OpenGL ES, too: Mesa shares between the two. OpenGL ES has no glGetTexImage.
        let is_es = api == egl::OPENGL_ES_API;
        let has_fences = !is_es || ask(egl::CONTEXT_CLIENT_VERSION).is_some_and(|version| version >= 3);
        // SAFETY: a string of the display's, or NULL.
        let extensions = unsafe {
            let text = (calls.query_string)(display.0, egl::EXTENSIONS);
            if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        };
        let has = |name: &str| extensions.split(' ').any(|e| e == name);
        let surfaceless = has("EGL_KHR_surfaceless_context");
        let config = match id {
            _ if (id == 0 || is_es) && surfaceless && has("EGL_KHR_no_config_context") => {
                std::ptr::null_mut()
            }
            _ if id == 0 || is_es => {
                let wanted =
                    [egl::SURFACE_TYPE, egl::PBUFFER_BIT, egl::RENDERABLE_TYPE, egl::OPENGL_BIT, egl::NONE];
                choose(&calls, display, &wanted)?
            }
            id => choose(&calls, display, &[egl::CONFIG_ID, id, egl::NONE])?,
        };
        let (api, attributes) = (egl::OPENGL_API.cast_unsigned(), [egl::NONE]);
        // SAFETY: the display is initialised; the list ends with NONE.
        let context = unsafe {
            (calls.bind_api)(api);
            (calls.create_context)(display.0, config, application.0, attributes.as_ptr())
        };
        if context.is_null() {
            log::info!("EGL makes no context that shares with the application's");
            return Err(Refusal::NotShared);
        }
        let mut surface = std::ptr::null_mut();
        if !surfaceless {
            let size = [egl::WIDTH, 1, egl::HEIGHT, 1, egl::NONE];
            // SAFETY: as above.
            surface = unsafe { (calls.create_pbuffer)(display.0, config, size.as_ptr()) };
        }
        let way = Way::Egl { calls, api, surface: UserPointer(surface) };
        Ok(Binding { way, library, display, application, context: UserPointer(context), has_fences })
    }

    fn by_glx(display: UserPointer, application: UserPointer) -> Result<Self, Refusal> {
        if display.0.is_null() || application.0.is_null() {
            return Err(Refusal::NotShared);
        }
        // SAFETY: the system's GLX, as in `by_egl`.
        let library = GLX_FILES.iter().find_map(|file| unsafe { Library::open(file) });
        let library = library.ok_or(Refusal::NoLibrary)?;
        // SAFETY: the library's functions of these names.
        let calls = unsafe { GlxFunctions::load(|name| find(&library, name)) }.map_err(missing)?;
        let ask = |name: i32| {
            let mut value = 0;
            // SAFETY: the application's promise: a display and a context of GLX.
            let code = unsafe { (calls.query_context)(display.0, application.0, name, &mut value) };
            (code == 0).then_some(value)
        };
        let id = ask(glx::FBCONFIG_ID).ok_or(Refusal::NotShared)?;
        let screen = ask(glx::SCREEN).unwrap_or(0);
        let own = [glx::FBCONFIG_ID, id, glx::DRAWABLE_TYPE, glx::PBUFFER_BIT, 0];
        let any = [glx::DRAWABLE_TYPE, glx::PBUFFER_BIT, 0];
        let config = [own.as_slice(), &any].into_iter().find_map(|wanted| {
            let mut count = 0;
            // SAFETY: as above; the list ends with None. GLX's list is freed by X11's function.
            unsafe {
                let list = (calls.choose_config)(display.0, screen, wanted.as_ptr(), &mut count);
                let first = (!list.is_null() && count > 0).then(|| *list);
                free(list.cast());
                first
            }
        });
        let config = config.ok_or(Refusal::NotShared)?;
        let size = [glx::PBUFFER_WIDTH, 1, glx::PBUFFER_HEIGHT, 1, 0];
        // SAFETY: as above; a configuration of the screen.
        let (context, pbuffer) = unsafe {
            let context = (calls.create_context)(display.0, config, glx::RGBA_TYPE, application.0, 1);
            if context.is_null() {
                return Err(Refusal::NotShared);
            }
            (context, (calls.create_pbuffer)(display.0, config, size.as_ptr()))
        };
        let way = Way::Glx { calls, pbuffer };
        Ok(Binding { way, library, display, application, context: UserPointer(context), has_fences: true })
    }

    /// A function of OpenGL, or of an extension of EGL's, by its name; NULL where there is none.
    pub(crate) fn function(&self, name: &CStr) -> *const c_void {
        // SAFETY: a string.
        let found = unsafe {
            match &self.way {
                Way::Egl { calls, .. } => (calls.proc_address)(name.as_ptr()),
                Way::Glx { calls, .. } => (calls.proc_address)(name.as_ptr()),
            }
        };
        // Old drivers give those of extensions alone.
        if found.is_null() { find(&self.library, name) } else { found }
    }

    /// Makes the context current to this thread; whether it is.
    pub(crate) fn make_current(&self) -> bool {
        // SAFETY: of this display; no other thread has it.
        unsafe {
            match &self.way {
                Way::Egl { calls, api, surface } => {
                    (calls.bind_api)(*api);
                    (calls.make_current)(self.display.0, surface.0, surface.0, self.context.0) != 0
                }
                Way::Glx { calls, pbuffer } => {
                    (calls.make_current)(self.display.0, *pbuffer, *pbuffer, self.context.0) != 0
                }
            }
        }
    }

    /// Leaves this thread without a context.
    pub(crate) fn release(&self) {
        let none = std::ptr::null_mut();
        // SAFETY: as above.
        unsafe {
            match &self.way {
                Way::Egl { calls, .. } => _ = (calls.make_current)(self.display.0, none, none, none),
                Way::Glx { calls, .. } => _ = (calls.make_current)(self.display.0, 0, 0, none),
            }
        }
    }

    /// Returns which context of the application's the calling thread has: `Some(true)` for the one that is shared with, `Some(false)` for another one.
    pub(crate) fn thread_has(&self) -> Option<bool> {
        // SAFETY: asks for the thread's own state.
        let current = unsafe {
            match &self.way {
                Way::Egl { calls, .. } => (calls.current_context)(),
                Way::Glx { calls, .. } => (calls.current_context)(),
            }
        };
        (!current.is_null()).then_some(current == self.application.0)
    }

    /// The display, if it is EGL's.
    pub(crate) fn egl_display(&self) -> Option<*mut c_void> {
        matches!(self.way, Way::Egl { .. }).then_some(self.display.0)
    }
}

impl Drop for Binding {
    fn drop(&mut self) {
        if !crate::abi::process::may_call() {
            return;
        }
        // SAFETY: made by us, current to no thread.
        unsafe {
            match &self.way {
                Way::Egl { calls, surface, .. } => {
                    (calls.destroy_context)(self.display.0, self.context.0);
                    if !surface.0.is_null() {
                        (calls.destroy_surface)(self.display.0, surface.0);
                    }
                }
                Way::Glx { calls, pbuffer } => {
                    (calls.destroy_context)(self.display.0, self.context.0);
                    (calls.destroy_pbuffer)(self.display.0, *pbuffer);
                }
            }
        }
    }
}

/// A function that a library exports; NULL where it does not.
fn find(library: &Library, name: &CStr) -> *const c_void {
    // SAFETY: as a plain address, which nobody calls as it is.
    unsafe { library.function::<*const c_void>(name) }.unwrap_or(std::ptr::null())
}

fn missing(name: &'static CStr) -> Refusal {
    log::info!("OpenGL is not shared: its library lacks {}", name.to_string_lossy());
    Refusal::NoLibrary
}

/// The first configuration with some attributes.
fn choose(calls: &EglFunctions, display: UserPointer, wanted: &[i32]) -> Result<*mut c_void, Refusal> {
    let (mut config, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: the display is initialised; the list ends with NONE; room for one.
    let done = unsafe { (calls.choose_config)(display.0, wanted.as_ptr(), &mut config, 1, &mut count) };
    if done != 0 && count > 0 { Ok(config) } else { Err(Refusal::NotShared) }
}

/// XFree.
fn free(list: *mut c_void) {
    // SAFETY: GLX depends on this library, which is loaded already.
    let Some(library) = (unsafe { Library::open(X11_FILE) }) else { return };
    // SAFETY: the function has this type.
    let call = unsafe { library.function::<unsafe extern "C" fn(*mut c_void) -> i32>(c"XFree") };
    if let (Some(call), false) = (call, list.is_null()) {
        // SAFETY: a list of X11's that nobody uses any more.
        unsafe { call(list) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_as_the_linker_finds_them() {
        assert!(!has(c"libnobody-has-this.so.1"));
        #[cfg(target_os = "linux")]
        assert!(has(c"libc.so.6") || has(c"libc.so"), "the C library");
    }

    #[test]
    fn a_display_that_is_none_is_refused() {
        let nothing = UserPointer(std::ptr::null_mut());
        for application in [
            Application::Egl { display: nothing, context: nothing },
            Application::Glx { display: nothing, context: nothing },
        ] {
            assert!(Binding::new(application).is_err());
        }
    }
}
