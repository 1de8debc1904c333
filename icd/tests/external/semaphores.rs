//! Semaphores that both sides have.

use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use pumice::entry::kernel::clReleaseKernel;
use pumice::entry::semaphore::*;

use crate::cl::{Handle, arg, kernel, launch, release};
use crate::peer::Side;
use crate::{Both, bytes_of, claims, descriptors, words_of};

const KIND: [u64; 2] = [CL_SEMAPHORE_TYPE_KHR as u64, CL_SEMAPHORE_TYPE_BINARY_KHR as u64];
const OPAQUE: u64 = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR as u64;

fn make(both: &Both, more: &[u64]) -> Result<Handle, i32> {
    let list = [&KIND[..], more, &[0]].concat();
    let mut error = 1;
    // SAFETY: the list ends with a 0; the place is valid.
    let made = unsafe { clCreateSemaphoreWithPropertiesKHR(both.cl.context, list.as_ptr(), &mut error) };
    assert_eq!(made.is_null(), error != 0);
    if error == 0 { Ok(made) } else { Err(error) }
}

pub(crate) fn give_back(semaphore: Handle) {
    // SAFETY: a handle that is given back once.
    assert_eq!(unsafe { clReleaseSemaphoreKHR(semaphore) }, 0);
}

/// Both sides, where the device shares semaphores.
pub(crate) fn both() -> Option<Both> {
    let both = Both::new()?;
    if !claims(both.cl.device, "cl_khr_external_semaphore_opaque_fd") {
        println!("SKIP: the device shares no semaphores by descriptors");
        return None;
    }
    Some(both)
}

fn export(both: &Both, semaphore: Handle) -> Result<OwnedFd, i32> {
    let (mut descriptor, mut size) = (-1i32, 0);
    // SAFETY: room for a descriptor, which is new.
    unsafe {
        let place = (&raw mut descriptor).cast();
        let device = both.cl.device;
        let code = clGetSemaphoreHandleForTypeKHR(semaphore, device, OPAQUE as u32, 4, place, &mut size);
        if code != 0 {
            return Err(code);
        }
        assert_eq!(size, 4);
        Ok(OwnedFd::from_raw_fd(descriptor))
    }
}

pub(crate) fn signal(both: &Both, semaphore: Handle) {
    // SAFETY: the list has one element.
    let code =
        unsafe { clEnqueueSignalSemaphoresKHR(both.cl.queue, 1, &semaphore, null(), 0, null(), null_mut()) };
    assert_eq!(code, 0);
}

pub(crate) fn wait(both: &Both, semaphore: Handle) {
    // SAFETY: the list has one element.
    let code =
        unsafe { clEnqueueWaitSemaphoresKHR(both.cl.queue, 1, &semaphore, null(), 0, null(), null_mut()) };
    assert_eq!(code, 0);
}

/// A semaphore of OpenCL's, and a descriptor of it.
pub(crate) fn exported(both: &Both) -> (Handle, OwnedFd) {
    let ours = make(both, &[CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE, 0]).expect("a semaphore");
    (ours, export(both, ours).expect("a descriptor"))
}

/// A semaphore of a descriptor, which is OpenCL's then.
pub(crate) fn imported(both: &Both, descriptor: OwnedFd) -> Handle {
    let ours = make(both, &[OPAQUE, descriptor.as_raw_fd() as u64]).expect("a semaphore");
    let _ = descriptor.into_raw_fd();
    ours
}

/// Frames in which each side works on a buffer after the other, ordered by semaphores alone. `exports`: OpenCL's semaphores, or Vulkan's.
fn frames(exports: bool) {
    let Some(both) = both() else { return };
    // What the first kernel opens for good is not counted.
    some_frames(&both, exports);
    let before = descriptors();
    some_frames(&both, exports);
    assert_eq!(descriptors(), before);
}

fn some_frames(both: &Both, exports: bool) {
    const COUNT: usize = 4096;
    const FRAMES: u32 = 40;
    let peer = &both.peer;
    let (buffer, shared) = peer.shared_buffer(COUNT as u64 * 4);
    let memory = both.import(peer.export(&shared), COUNT * 4);
    let pair = || {
        if exports {
            let (ours, descriptor) = exported(both);
            let theirs = peer.semaphore(false);
            peer.import_semaphore(theirs, descriptor);
            (ours, theirs)
        } else {
            let theirs = peer.semaphore(true);
            (imported(both, peer.export_semaphore(theirs)), theirs)
        }
    };
    let ((ready, peer_ready), (done, peer_done)) = (pair(), pair());
    let kernel = kernel(
        both.cl.context,
        "kernel void f(global uint* x) { size_t i = get_global_id(0); x[i] = x[i] * 3 + 1; }",
        c"f",
    );
    arg(kernel, 0, &memory);
    let start: Vec<u32> = (0..COUNT as u32).collect();
    peer.write(buffer, &bytes_of(&start));
    let mut submitted = Vec::new();
    for frame in 0..FRAMES {
        // The peer adds a constant by an update of the first word, and hands the buffer on.
        let waits = if frame == 0 { vec![] } else { vec![peer_done] };
        submitted.push(peer.submit(&waits, &[peer_ready], |device, commands| {
            peer.owner_of_buffer(commands, buffer, Side::Acquire);
            // SAFETY: a word of the buffer.
            unsafe { device.cmd_update_buffer(commands, buffer, 0, &frame.to_ne_bytes()) };
            peer.owner_of_buffer(commands, buffer, Side::Release);
        }));
        wait(both, ready);
        both.acquire(&[memory]);
        launch(both.cl.queue, kernel, COUNT);
        both.release(&[memory]);
        signal(both, done);
    }
    peer.run(&[peer_done], &[], |_, _| {});
    submitted.into_iter().for_each(|s| peer.finish(s));
    let mut wanted = start;
    for frame in 0..FRAMES {
        wanted[0] = frame;
        wanted.iter_mut().for_each(|w| *w = w.wrapping_mul(3).wrapping_add(1));
    }
    assert_eq!(words_of(&peer.read(buffer, COUNT * 4)), wanted);
    both.cl.finish();
    release(memory);
    [ready, done].into_iter().for_each(give_back);
    // SAFETY: given back once; the peer's commands have ended.
    unsafe {
        assert_eq!(clReleaseKernel(kernel), 0);
        peer.device.destroy_buffer(buffer, None);
        [peer_ready, peer_done].into_iter().for_each(|s| peer.device.destroy_semaphore(s, None));
    }
    peer.free(shared);
}

#[test]
fn frames_with_exported_semaphores() {
    frames(true);
}

#[test]
fn frames_with_imported_semaphores() {
    frames(false);
}

/// Properties, queries and errors; a refusal leaves a descriptor as it is, and nothing stays open.
#[test]
fn errors() {
    let Some(both) = both() else { return };
    let before = descriptors();
    let exports = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
    let plain = make(&both, &[]).expect("a semaphore");
    assert_eq!(export(&both, plain).err(), Some(CL_INVALID_VALUE), "it was not made for that");
    let exported = make(&both, &[exports, OPAQUE, 0]).expect("a semaphore");
    let mut is = 0u32;
    // SAFETY: room for what is asked for.
    unsafe {
        let place = (&raw mut is).cast();
        let param = CL_SEMAPHORE_EXPORTABLE_KHR;
        assert_eq!(clGetSemaphoreInfoKHR(exported, param, 4, place, null_mut()), 0);
        assert_eq!(is, 1);
        let param = exports as u32;
        assert_eq!(clGetSemaphoreInfoKHR(exported, param, 4, place, null_mut()), 0);
        assert_eq!(u64::from(is), OPAQUE);
        let (device, kind) = (both.cl.device, OPAQUE as u32);
        let small = clGetSemaphoreHandleForTypeKHR(exported, device, kind, 2, place, null_mut());
        assert_eq!(small, CL_INVALID_VALUE);
        let sync = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
        let other = clGetSemaphoreHandleForTypeKHR(exported, device, sync, 4, place, null_mut());
        assert_eq!(other, CL_INVALID_VALUE);
        assert_eq!(clReImportSemaphoreSyncFdKHR(exported, null_mut(), -1), CL_INVALID_SEMAPHORE_KHR);
    }
    let descriptor = export(&both, exported).expect("a descriptor");
    let raw = descriptor.as_raw_fd() as u64;
    assert_eq!(make(&both, &[OPAQUE, raw, exports, OPAQUE, 0]), Err(CL_INVALID_OPERATION));
    assert_eq!(make(&both, &[OPAQUE, raw, OPAQUE, raw]), Err(CL_INVALID_PROPERTY));
    assert_eq!(make(&both, &[OPAQUE, u64::MAX]), Err(CL_INVALID_PROPERTY), "-1");
    assert_eq!(make(&both, &[OPAQUE, 1 << 20]), Err(CL_INVALID_PROPERTY), "closed");
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    assert_eq!(make(&both, &[OPAQUE, reader.as_raw_fd() as u64]), Err(CL_INVALID_PROPERTY), "a pipe");
    // A number that was a semaphore's and is another file's when it is given.
    let again = export(&both, exported).expect("a descriptor");
    let number = again.as_raw_fd();
    // SAFETY: both are open; the old file of the number is closed by it.
    assert_eq!(unsafe { libc::dup2(reader.as_raw_fd(), number) }, number);
    assert_eq!(
        make(&both, &[OPAQUE, number as u64]),
        Err(CL_INVALID_PROPERTY),
        "a number that is used again"
    );
    drop(again);
    let device = both.cl.device.expose_provenance() as u64;
    let list = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.into();
    let imported = make(&both, &[OPAQUE, raw, list, device, 0]).expect("a semaphore");
    let _ = descriptor.into_raw_fd();
    // Both are one semaphore.
    signal(&both, exported);
    wait(&both, imported);
    both.cl.finish();
    drop(reader);
    drop(_writer);
    [plain, exported, imported].into_iter().for_each(give_back);
    assert_eq!(descriptors(), before);
}

/// A semaphore of the peer's that never was signalled, and a peer that is gone: nothing is left open.
#[test]
fn no_descriptor_is_left() {
    let Some(both) = both() else { return };
    let before = descriptors();
    for _ in 0..50 {
        let theirs = both.peer.semaphore(true);
        let descriptor = both.peer.export_semaphore(theirs);
        let ours = make(&both, &[OPAQUE, descriptor.as_raw_fd() as u64]).expect("a semaphore");
        let _ = descriptor.into_raw_fd();
        // SAFETY: given back once, and no command uses it.
        unsafe { both.peer.device.destroy_semaphore(theirs, None) };
        give_back(ours);
        let ours = make(&both, &[CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE, 0]).expect("a semaphore");
        drop(export(&both, ours).expect("a descriptor"));
        give_back(ours);
    }
    assert_eq!(descriptors(), before);
}
