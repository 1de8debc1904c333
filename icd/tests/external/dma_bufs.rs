//! Dma-bufs. A file of memory stands for one where the device is the processor: lavapipe of Mesa 25 maps both alike, and there may be no kernel module
//! that makes real ones.

use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::null_mut;

use opencl_sys::*;
use pumice::entry::kernel::clReleaseKernel;
use pumice::entry::memory::clImportMemoryARM;

use crate::cl::{arg, kernel, launch, release};
use crate::{Both, bytes_of, claims, descriptors, words_of};

const COUNT: usize = 4096;
const DMA: u64 = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR as u64;

/// A file of memory with the numbers from 0.
fn file() -> OwnedFd {
    // SAFETY: a string; the descriptor is new.
    let made = unsafe { OwnedFd::from_raw_fd(libc::memfd_create(c"dma".as_ptr(), libc::MFD_CLOEXEC)) };
    let bytes = bytes_of(&(0..COUNT as u32).collect::<Vec<_>>());
    // SAFETY: so many bytes.
    let written = unsafe { libc::write(made.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    assert_eq!(written, bytes.len() as isize);
    made
}

fn contents(file: &OwnedFd) -> Vec<u32> {
    let mut bytes = vec![0u8; COUNT * 4];
    // SAFETY: room for so many bytes.
    let read = unsafe { libc::pread(file.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    assert_eq!(read, bytes.len() as isize);
    words_of(&bytes)
}

#[test]
fn kernels_write_them() {
    let Some(both) = Both::new() else { return };
    if !claims(both.cl.device, "cl_khr_external_memory_dma_buf") {
        return println!("SKIP: the device imports no dma-bufs");
    }
    let kernel = kernel(
        both.cl.context,
        "kernel void f(global uint* x) { size_t i = get_global_id(0); x[i] = x[i] * 3 + 1; }",
        c"f",
    );
    let wanted: Vec<u32> = (0..COUNT as u32).map(|i| i * 3 + 1).collect();
    // What the first kernel opens for good is not counted.
    for (round, arm) in [false, false, true].into_iter().enumerate() {
        if arm && !claims(both.cl.device, "cl_arm_import_memory_dma_buf") {
            continue;
        }
        let file = file();
        let before = descriptors();
        let memory = if arm {
            let list = [
                CL_IMPORT_TYPE_ARM,
                CL_IMPORT_TYPE_DMA_BUF_ARM,
                CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM,
                1,
                0,
            ];
            let (mut raw, mut error) = (file.as_raw_fd(), 1);
            // SAFETY: the list ends with a 0; a pointer to a descriptor.
            let made = unsafe {
                let place = (&raw mut raw).cast();
                clImportMemoryARM(both.cl.context, 0, list.as_ptr(), place, COUNT * 4, &mut error)
            };
            assert_eq!(error, 0);
            made
        } else {
            let copy = file.try_clone().expect("duplicated").into_raw_fd();
            both.with_properties(&[DMA, copy as u64, 0], 0, COUNT * 4, null_mut()).expect("a buffer")
        };
        arg(kernel, 0, &memory);
        if !arm {
            both.acquire(&[memory]);
        }
        launch(both.cl.queue, kernel, COUNT);
        if !arm {
            both.release(&[memory]);
        }
        both.cl.finish();
        assert_eq!(contents(&file), wanted);
        release(memory);
        both.cl.finish();
        assert!(round == 0 || descriptors() == before, "arm: {arm}");
    }
    // More than the file has.
    let file = file();
    let made = both.with_properties(&[DMA, file.as_raw_fd() as u64, 0], 0, COUNT * 8, null_mut());
    assert_eq!(made, Err(CL_INVALID_BUFFER_SIZE));
    // SAFETY: a handle that is given back once.
    assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
}
