//! The application's memory on a device whose kernels reach bytes and shorts by the whole word: lavapipe masked as SwiftShader. Where it ends
//! within a word, the rest of that word is not the buffer's.

mod cl;
mod open;

use std::ptr::{null, null_mut};
use std::sync::Once;

use cl::{Setup, arg, kernel, launch, release};
use opencl_sys::*;
use pumice::entry::{kernel::*, memory::*, transfer::*};

/// On the masked device.
fn of_words() -> Option<Setup> {
    static MASK: Once = Once::new();
    MASK.call_once(|| {
        let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/profiles/swiftshader.json");
        // SAFETY: before any thread reads the environment: every test begins here.
        unsafe { std::env::set_var("PUMICE_TARGET", profile) };
    });
    Setup::new()
}

#[repr(align(4096))]
struct Page([u8; 4096]);

#[test]
fn the_last_bytes_are_written_and_their_neighbours_are_left() {
    let Some(s) = of_words() else { return };
    let k = kernel(
        s.context,
        "kernel void k(global uchar *p) { p[get_global_id(0)] = get_global_id(0) + 1; }",
        c"k",
    );
    for size in 1..=9usize {
        let mut page = Box::new(Page([0xee; 4096]));
        let host = page.0.as_mut_ptr();
        let mut error = 1;
        // SAFETY: the memory outlives the buffer.
        let buffer = unsafe { clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, size, host.cast(), &mut error) };
        assert_eq!(error, 0);
        arg(k, 0, &buffer);
        launch(s.queue, k, size);
        // SAFETY: the buffer has these bytes; they are the program's while they are mapped, and the page is read by nobody else then.
        let found = unsafe {
            let mapped = clEnqueueMapBuffer(
                s.queue,
                buffer,
                1,
                CL_MAP_READ,
                0,
                size,
                0,
                null(),
                null_mut(),
                &mut error,
            );
            assert_eq!((error, mapped), (0, host.cast()));
            let found = std::slice::from_raw_parts(host, 16).to_vec();
            assert_eq!(clEnqueueUnmapMemObject(s.queue, buffer, mapped, 0, null(), null_mut()), 0);
            found
        };
        let expected: Vec<u8> = (0..16).map(|i| if i < size { i as u8 + 1 } else { 0xee }).collect();
        assert_eq!(found, expected, "{size} bytes");
        release(buffer);
    }
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseKernel(k) }, 0);
}
