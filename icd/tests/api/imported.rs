//! Buffers of the host's memory without copies, and without maps (cl_arm_import_memory). Dma-bufs are in the program `external`.

use std::ffi::c_void;
use std::ptr::null_mut;

use opencl_sys::*;
use pumice::entry::kernel::clReleaseKernel;
use pumice::entry::memory::clImportMemoryARM;

use crate::cl::{Handle, Setup, arg, info, kernel, launch, release};

const PAGE: usize = 4096;

/// Pages of memory, zeros at first.
struct Pages(std::alloc::Layout, *mut u8);

impl Pages {
    fn new(count: usize) -> Self {
        let layout = std::alloc::Layout::from_size_align(count * PAGE, PAGE).expect("a layout");
        // SAFETY: its size is not 0.
        Pages(layout, unsafe { std::alloc::alloc_zeroed(layout) })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: allocated so.
        unsafe { std::alloc::dealloc(self.1, self.0) };
    }
}

fn import(
    setup: &Setup,
    flags: u64,
    list: &[isize],
    memory: *mut c_void,
    size: usize,
) -> Result<Handle, i32> {
    let mut error = 1;
    // SAFETY: the list ends with a 0; the tests give memory of the size, which outlives the buffer.
    let made = unsafe { clImportMemoryARM(setup.context, flags, list.as_ptr(), memory, size, &mut error) };
    assert_eq!(made.is_null(), error != 0);
    if error == 0 { Ok(made) } else { Err(error) }
}

#[test]
fn kernels_and_the_host_see_the_same() {
    let Some(setup) = Setup::new() else { return };
    let pages = Pages::new(2);
    let host = [CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0];
    let made = import(&setup, CL_MEM_READ_WRITE, &host, pages.1.cast(), 2 * PAGE);
    if made == Err(CL_INVALID_OPERATION) {
        return println!("SKIP: the device has memory of its own, or does not import the host's");
    }
    let buffer = made.expect("a buffer");
    assert_eq!(info::<u64>(buffer, CL_MEM_FLAGS), Ok(CL_MEM_READ_WRITE));
    let kernel = kernel(
        setup.context,
        "kernel void f(global uint* x) { size_t i = get_global_id(0); x[i] = x[i] * 2 + 1; }",
        c"f",
    );
    arg(kernel, 0, &buffer);
    let words = pages.1.cast::<u32>();
    let count = 2 * PAGE / 4;
    for round in 0..3u32 {
        for i in 0..count {
            // SAFETY: a word of the pages, which no command uses now.
            unsafe { words.add(i).write_volatile(i as u32 + round) };
        }
        launch(setup.queue, kernel, count);
        setup.finish();
        for i in 0..count {
            // SAFETY: as above.
            assert_eq!(unsafe { words.add(i).read_volatile() }, (i as u32 + round) * 2 + 1);
        }
    }
    release(buffer);
    // SAFETY: a handle that is given back once.
    assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
}

#[test]
fn errors() {
    let Some(setup) = Setup::new() else { return };
    let pages = Pages::new(1);
    let place = pages.1.cast::<c_void>();
    let host = [CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0];
    assert_eq!(import(&setup, 0, &host, null_mut(), PAGE), Err(CL_INVALID_VALUE));
    assert_eq!(import(&setup, CL_MEM_USE_HOST_PTR, &host, place, PAGE), Err(CL_INVALID_VALUE));
    assert_eq!(import(&setup, 0, &host, place, 0), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(import(&setup, 0, &host, place, usize::MAX), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(import(&setup, 0, &[77, 1, 0], place, PAGE), Err(CL_INVALID_PROPERTY));
    assert_eq!(import(&setup, 0, &[CL_IMPORT_TYPE_ARM, 77, 0], place, PAGE), Err(CL_INVALID_PROPERTY));
    // A word within a page is no place that devices import, and nothing is copied.
    let odd = place.wrapping_byte_add(4);
    assert_eq!(import(&setup, 0, &host, odd, 64), Err(CL_INVALID_OPERATION));
}
