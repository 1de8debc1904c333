//! Memory and semaphores that OpenCL shares with Vulkan (cl_khr_external_memory, cl_khr_external_semaphore): a program of its own, because it counts the
//! process's file descriptors.
//!
//! | module | what it is |
//! |---|---|
//! | [`buffers`] | buffers, their properties and errors |
//! | [`cuda`] | CUDA as a third side |
//! | [`dma_bufs`] | dma-bufs |
//! | [`faults`] | wrong descriptors, and what becomes of descriptors |
//! | [`images`] | images |
//! | [`peer`] | the other API |
//! | [`processes`] | memory of another process |
//! | [`semaphores`] | semaphores |

#[path = "../again/mod.rs"]
mod again;
mod buffers;
#[path = "../cl/mod.rs"]
mod cl;
mod cuda;
mod dma_bufs;
mod faults;
mod images;
#[path = "../open/mod.rs"]
mod open;
mod peer;
mod processes;
mod semaphores;

use std::ffi::{CString, c_void};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cl::{Handle, Setup};
use opencl_sys::*;
use peer::Peer;
use pumice::entry::device::clGetDeviceInfo;
use pumice::entry::extension::clGetExtensionFunctionAddress;
use pumice::entry::memory::clCreateBufferWithProperties;

pub(crate) const FD: u64 = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64;

/// Both sides, in the test's turn: descriptors are counted for the process.
pub(crate) struct Both {
    pub(crate) peer: Peer,
    pub(crate) cl: Setup,
    _turn: MutexGuard<'static, ()>,
}

/// The answer to a query about a device.
pub(crate) fn device_info(device: Handle, param: u32) -> Option<Vec<u8>> {
    let mut size = 0;
    // SAFETY: the places are valid, and have the sizes that they are said to have.
    unsafe {
        if clGetDeviceInfo(device, param, 0, null_mut(), &mut size) != 0 {
            return None;
        }
        let mut bytes = vec![0u8; size];
        assert_eq!(clGetDeviceInfo(device, param, size, bytes.as_mut_ptr().cast(), null_mut()), 0);
        Some(bytes)
    }
}

/// Returns whether a device claims an extension.
pub(crate) fn claims(device: Handle, name: &str) -> bool {
    let text = device_info(device, CL_DEVICE_EXTENSIONS).expect("extensions");
    String::from_utf8_lossy(&text).trim_end_matches('\0').split(' ').any(|n| n == name)
}

impl Both {
    /// `None`, said aloud, where the device does not import memory by descriptors.
    pub(crate) fn new() -> Option<Self> {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let cl = Setup::new()?;
        if !claims(cl.device, "cl_khr_external_memory_opaque_fd") {
            println!("SKIP: the device imports no memory by descriptors");
            return None;
        }
        let uuid = device_info(cl.device, CL_DEVICE_UUID).expect("a UUID");
        let peer = Peer::new(&uuid).expect("Vulkan on the same device");
        Some(Both { peer, cl, _turn: turn })
    }

    /// Makes a buffer of a descriptor, which is OpenCL's then.
    pub(crate) fn import(&self, descriptor: OwnedFd, size: usize) -> Handle {
        let made = self.try_import(descriptor.as_raw_fd(), size).expect("a buffer");
        let _ = descriptor.into_raw_fd();
        made
    }

    pub(crate) fn try_import(&self, descriptor: i32, size: usize) -> Result<Handle, i32> {
        self.with_properties(&[FD, descriptor as u64, 0], 0, size, null_mut())
    }

    pub(crate) fn with_properties(
        &self,
        list: &[u64],
        flags: u64,
        size: usize,
        host: *mut c_void,
    ) -> Result<Handle, i32> {
        let mut error = 1;
        // SAFETY: the list ends with a 0; no host memory is used.
        let buffer = unsafe {
            clCreateBufferWithProperties(self.cl.context, list.as_ptr(), flags, size, host, &mut error)
        };
        assert_eq!(buffer.is_null(), error != 0);
        if error == 0 { Ok(buffer) } else { Err(error) }
    }

    pub(crate) fn acquire(&self, objects: &[Handle]) {
        assert_eq!(change_owner(self.cl.queue, objects, true, null_mut()), 0);
    }

    pub(crate) fn release(&self, objects: &[Handle]) {
        assert_eq!(change_owner(self.cl.queue, objects, false, null_mut()), 0);
    }
}

/// A function of an extension.
///
/// # Safety
/// `F` is the type of the function of this name.
pub(crate) unsafe fn function<F: Copy>(name: &str) -> F {
    let text = CString::new(name).expect("no NUL");
    // SAFETY: a string.
    let address = unsafe { clGetExtensionFunctionAddress(text.as_ptr()) };
    assert!(!address.is_null(), "{name}");
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the caller's promise.
    unsafe { std::mem::transmute_copy(&address) }
}

type Change = unsafe extern "C" fn(Handle, u32, *const Handle, u32, *const Handle, *mut Handle) -> i32;

/// clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR.
pub(crate) fn change_owner(queue: Handle, objects: &[Handle], acquire: bool, event: *mut Handle) -> i32 {
    let name = match acquire {
        true => "clEnqueueAcquireExternalMemObjectsKHR",
        false => "clEnqueueReleaseExternalMemObjectsKHR",
    };
    let list = if objects.is_empty() { null() } else { objects.as_ptr() };
    // SAFETY: the function has this type; the list has so many elements.
    unsafe { function::<Change>(name)(queue, objects.len() as u32, list, 0, null(), event) }
}

/// The process's open descriptors.
pub(crate) fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

pub(crate) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

pub(crate) fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The same with SwiftShader, which shares semaphores, too, if `./test` obtained it.
#[test]
fn the_same_with_swiftshader() {
    let icd = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../target/swiftshader/vk_swiftshader_icd.json");
    if std::env::var_os("VK_DRIVER_FILES").is_some() {
        return println!("SKIP: another driver was chosen");
    }
    if !icd.exists() {
        return println!("SKIP: no SwiftShader (`. scripts/setup; setup_swiftshader`)");
    }
    let icd = icd.to_str().expect("UTF-8");
    again::again(module_path!(), &[("VK_DRIVER_FILES", icd), ("VK_ICD_FILENAMES", icd)]);
}

/// `examples/frames.rs` draws its frames, and its trace has neither reads nor writes nor copies.
#[test]
fn the_example_runs() {
    let Some(_both) = Both::new() else { return };
    let own = std::env::current_exe().expect("this executable");
    // target/debug/deps/external-…: examples lie beside the folder of tests.
    let example = own.parent().and_then(|p| p.parent()).expect("a folder").join("examples/frames");
    let trace = tempfile::NamedTempFile::new().expect("a file");
    let mut command = std::process::Command::new(&example);
    command.arg("30").env("PUMICE_TRACE", trace.path());
    let output = command.output().expect("cargo test builds the example");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.starts_with("30 frames"), "{text}{errors}");
    let trace = std::fs::read_to_string(trace.path()).expect("a trace");
    assert!(trace.contains("acquire") && trace.contains("release"), "{trace}");
    for name in ["\"read\"", "\"write\"", "\"copy\"", "\"map\""] {
        assert!(!trace.contains(name), "{name} in {trace}");
    }
}
