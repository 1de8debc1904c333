//! Objects that OpenCL shares with OpenGL and EGL (cl_khr_gl_sharing, cl_khr_gl_event, cl_khr_gl_depth_images, cl_khr_egl_image, cl_khr_egl_event), in EGL
//! without a surface: a program of its own, because it counts the process's file descriptors.
//!
//! | module | what it is |
//! |---|---|
//! | [`buffers`] | buffers |
//! | [`egl`] | EGL's images and fences |
//! | [`faults`] | wrong objects and names, contexts that end too early |
//! | [`fences`] | sync objects, and the order of commands |
//! | [`peer`] | the other API |
//! | [`samples`] | textures with several samples for each texel |
//! | [`textures`] | textures and renderbuffers |
#![cfg(target_os = "linux")]

#[path = "../again/mod.rs"]
mod again;
mod buffers;
#[path = "../cl/mod.rs"]
mod cl;
mod egl;
mod faults;
mod fences;
#[path = "../open/mod.rs"]
mod open;
mod peer;
mod samples;
mod textures;

use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cl::{Handle, Setup};
use opencl_sys::*;
use peer::Peer;
use pumice::entry::context::clCreateContext;
use pumice::entry::device::clGetDeviceInfo;
use pumice::entry::gl::*;
use pumice::entry::queue::clCreateCommandQueue;

/// Both sides, in the test's turn: descriptors are counted for the process.
pub(crate) struct Both {
    pub(crate) cl: Setup,
    pub(crate) peer: Peer,
    _turn: MutexGuard<'static, ()>,
}

/// The answer to a query about a device, as text.
pub(crate) fn extensions(device: Handle) -> String {
    let mut size = 0;
    // SAFETY: the places are valid, and have the sizes that they are said to have.
    unsafe {
        assert_eq!(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, null_mut(), &mut size), 0);
        let mut bytes = vec![0u8; size];
        let place = bytes.as_mut_ptr().cast();
        assert_eq!(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, place, null_mut()), 0);
        String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
    }
}

/// A context of OpenCL on a device.
pub(crate) fn context(device: Handle, properties: &[isize]) -> Result<Handle, i32> {
    let mut error = 1;
    // SAFETY: the list ends with a 0; one device; the place is valid.
    let context = unsafe { clCreateContext(properties.as_ptr(), 1, &device, None, null_mut(), &mut error) };
    assert_eq!(context.is_null(), error != 0);
    if error == 0 { Ok(context) } else { Err(error) }
}

impl Both {
    /// `None`, said aloud, without EGL or where the device has no images.
    pub(crate) fn new() -> Option<Self> {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let plain = Setup::new()?;
        if !extensions(plain.device).split(' ').any(|name| name == "cl_khr_gl_sharing") {
            println!("SKIP: no libEGL.so.1, or a device without images");
            return None;
        }
        let Some(peer) = Peer::new() else {
            println!("SKIP: EGL has no OpenGL without a surface");
            return None;
        };
        let mut error = 1;
        let context = context(plain.device, &peer.properties()).expect("a context");
        // SAFETY: handles; the place is valid.
        let queue = unsafe { clCreateCommandQueue(context, plain.device, 0, &mut error) };
        assert_eq!(error, 0);
        let cl = Setup { device: plain.device, context, queue };
        Some(Both { cl, peer, _turn: turn })
    }

    pub(crate) fn of_buffer(&self, flags: u64, name: u32) -> Result<Handle, i32> {
        let mut error = 1;
        // SAFETY: a handle; the place is valid.
        let made = unsafe { clCreateFromGLBuffer(self.cl.context, flags, name, &mut error) };
        assert_eq!(made.is_null(), error != 0);
        if error == 0 { Ok(made) } else { Err(error) }
    }

    pub(crate) fn of_texture(&self, flags: u64, target: u32, level: i32, name: u32) -> Result<Handle, i32> {
        let mut error = 1;
        // SAFETY: a handle; the place is valid.
        let made = unsafe { clCreateFromGLTexture(self.cl.context, flags, target, level, name, &mut error) };
        assert_eq!(made.is_null(), error != 0);
        if error == 0 { Ok(made) } else { Err(error) }
    }

    pub(crate) fn of_renderbuffer(&self, flags: u64, name: u32) -> Result<Handle, i32> {
        let mut error = 1;
        // SAFETY: a handle; the place is valid.
        let made = unsafe { clCreateFromGLRenderbuffer(self.cl.context, flags, name, &mut error) };
        assert_eq!(made.is_null(), error != 0);
        if error == 0 { Ok(made) } else { Err(error) }
    }

    pub(crate) fn acquire(&self, objects: &[Handle]) {
        assert_eq!(acquire(self.cl.queue, objects, &[], null_mut()), 0);
    }

    pub(crate) fn release(&self, objects: &[Handle]) {
        assert_eq!(release(self.cl.queue, objects, &[], null_mut()), 0);
    }
}

pub(crate) fn acquire(queue: Handle, objects: &[Handle], waits: &[Handle], event: *mut Handle) -> i32 {
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let first = if objects.is_empty() { null() } else { objects.as_ptr() };
    // SAFETY: the lists have so many elements; the place is valid.
    unsafe { clEnqueueAcquireGLObjects(queue, objects.len() as u32, first, waits.len() as u32, list, event) }
}

pub(crate) fn release(queue: Handle, objects: &[Handle], waits: &[Handle], event: *mut Handle) -> i32 {
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let first = if objects.is_empty() { null() } else { objects.as_ptr() };
    // SAFETY: the lists have so many elements; the place is valid.
    unsafe { clEnqueueReleaseGLObjects(queue, objects.len() as u32, first, waits.len() as u32, list, event) }
}

/// The process's open descriptors.
pub(crate) fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// `examples/gl_frames.rs` draws its frames. With zink, which imports the device's memory, the host copies nothing.
#[test]
fn the_example_runs() {
    let Some(both) = Both::new() else { return };
    let own = std::env::current_exe().expect("this executable");
    // target/debug/deps/gl-…: examples lie beside the folder of tests.
    let example = own.parent().and_then(|p| p.parent()).expect("a folder").join("examples/gl_frames");
    let trace = tempfile::NamedTempFile::new().expect("a file");
    let mut command = std::process::Command::new(&example);
    command.arg("30").env("PUMICE_TRACE", trace.path());
    let output = command.output().expect("cargo test builds the example");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.starts_with("30 frames"), "{text}{errors}");
    let trace = std::fs::read_to_string(trace.path()).expect("a trace");
    let [device, host] = ["copy by the device", "copy by the host"].map(|name| trace.matches(name).count());
    assert_eq!(device + host, 60, "an acquisition and a release for each frame");
    let imports = both.peer.renderer().starts_with("zink") && !lacks_memory_objects();
    assert_eq!(host == 0, imports, "{host} copies by the host with {}", both.peer.renderer());
}

const OVERRIDE: &str = "MESA_EXTENSION_OVERRIDE";
const NO_MEMORY_OBJECTS: &str = "-GL_EXT_memory_object_fd";
/// OpenGL on Vulkan's lavapipe, which is the device of OpenCL, too. Mesa's llvmpipe refuses the import for a buffer.
const ZINK: [(&str, &str); 2] = [("GALLIUM_DRIVER", "zink"), ("LIBGL_ALWAYS_SOFTWARE", "1")];

fn lacks_memory_objects() -> bool {
    std::env::var_os(OVERRIDE).is_some_and(|set| set == NO_MEMORY_OBJECTS)
}

/// The same with OpenGL that imports the device's memory.
#[test]
fn the_same_with_zink() {
    again::again(module_path!(), &ZINK);
}

/// The same with one that could but for the extension.
#[test]
fn the_same_with_zink_by_the_host() {
    again::again(module_path!(), &[ZINK[0], ZINK[1], (OVERRIDE, NO_MEMORY_OBJECTS)]);
}
