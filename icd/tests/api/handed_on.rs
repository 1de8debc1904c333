//! Host memory that one command writes and the next one takes data from: nothing waits in between.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::{again, cl};
use cl::{Handle, Setup, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{event::*, kernel::*, svm::*, transfer::*};

/// Small and staged; in place where the host reaches the memory; piece by piece (slow where mappings are copies).
fn sizes() -> &'static [usize] {
    let shadows = std::env::var("PUMICE_TEST_MODES").is_ok_and(|m| m.contains("shadow"));
    if shadows { &[5000, 3 << 20] } else { &[5000, 3 << 20, 50 << 20] }
}

/// Bytes that differ from place to place.
fn data(size: usize, seed: u32) -> Vec<u8> {
    let mut bytes = noise(70_001, seed).repeat(size.div_ceil(70_001));
    bytes.truncate(size);
    bytes
}

/// Keeps the device busy with a buffer, so that what follows is recorded long before it is done.
fn busy(s: &Setup, buffer: Handle, size: usize) {
    for i in 0..20u8 {
        let pattern = [i, 1, 2];
        // SAFETY: a range inside the buffer.
        let code = unsafe {
            let p = pattern.as_ptr().cast();
            clEnqueueFillBuffer(s.queue, buffer, p, 1, 0, size.min(1 << 20), 0, null(), null_mut())
        };
        assert_eq!(code, 0);
    }
}

/// a → host → b → host → c, each by its own event or by the queue's order.
#[test]
fn what_is_read_is_written() {
    for out_of_order in [false, true] {
        let mode = if out_of_order { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE } else { 0 };
        let Some(s) = Setup::with(mode) else { return };
        for &size in sizes() {
            let data = data(size, 1);
            let (a, b, c) = (s.filled(&data), s.buffer(0, size), s.buffer(0, size));
            let mut host = vec![0u8; size];
            let p: *mut c_void = host.as_mut_ptr().cast();
            if !out_of_order {
                busy(&s, b, size);
            }
            let mut events: Vec<Handle> = Vec::new();
            let mut step = |command: &dyn Fn(u32, *const Handle, *mut Handle) -> i32| {
                let mut event = null_mut();
                let list = events.last().map_or(null(), std::ptr::from_ref);
                let count = u32::from(out_of_order && !list.is_null());
                let list = if count == 0 { null() } else { list };
                assert_eq!(command(count, list, if out_of_order { &mut event } else { null_mut() }), 0);
                if out_of_order {
                    events.push(event);
                }
            };
            // SAFETY: the memory lives until the queue is finished; ranges and handles are valid.
            unsafe {
                step(&|n, l, e| clEnqueueReadBuffer(s.queue, a, 0, 0, size, p, n, l, e));
                step(&|n, l, e| clEnqueueWriteBuffer(s.queue, b, 0, 0, size, p, n, l, e));
                let pattern = 7u32;
                let x = (&raw const pattern).cast();
                step(&|n, l, e| clEnqueueFillBuffer(s.queue, b, x, 4, 0, 1000, n, l, e));
                let (o, r) = ([0usize; 3], [size, 1, 1]);
                let (o, r) = (o.as_ptr(), r.as_ptr());
                step(&|n, l, e| clEnqueueReadBufferRect(s.queue, b, 0, o, o, r, 0, 0, 0, 0, p, n, l, e));
                step(&|n, l, e| clEnqueueWriteBufferRect(s.queue, c, 0, o, o, r, 0, 0, 0, 0, p, n, l, e));
                s.finish();
                for event in events {
                    assert_eq!(clReleaseEvent(event), 0);
                }
            }
            let mut model = data;
            model[..1000].copy_from_slice(&7u32.to_ne_bytes().repeat(250));
            assert!(s.read(c, 0, size) == model, "{size} bytes, out of order: {out_of_order}");
            [a, b, c].into_iter().for_each(release);
        }
    }
}

/// A buffer is read to a region of another one that is mapped for writing, and the region is unmapped.
#[test]
fn what_is_read_to_a_mapped_region_arrives() {
    let Some(s) = Setup::new() else { return };
    for &size in sizes() {
        let data = data(size, 2);
        let mut memory = vec![0u8; size + 1];
        for flags in [0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR] {
            let host =
                if flags == CL_MEM_USE_HOST_PTR { memory[1..].as_mut_ptr().cast() } else { null_mut() };
            let (a, b) = (s.filled(&data), s.try_buffer(flags, size, host).expect("buffer"));
            let mapped = s.map(b, CL_MAP_WRITE_INVALIDATE_REGION, 0, size).expect("map");
            busy(&s, a, 1);
            let mut model = data.clone();
            model[0] = 19;
            // SAFETY: the region is mapped until the read is done; ranges are inside.
            unsafe {
                let code = clEnqueueReadBuffer(s.queue, a, 0, 0, size, mapped.cast(), 0, null(), null_mut());
                assert_eq!(code, 0);
            }
            assert_eq!(s.unmap(b, mapped), 0);
            assert!(s.read(b, 0, size) == model, "{size} bytes, flags {flags:#x}");
            release(a);
            release(b);
        }
    }
}

/// Shared virtual memory that kernels write, as source, and that they read, as target.
#[test]
fn shared_memory_as_source_and_target() {
    let Some(s) = Setup::new() else { return };
    let size = 1 << 20;
    // SAFETY: a valid context.
    let p = unsafe { clSVMAlloc(s.context, 0, size, 0) };
    if p.is_null() {
        println!("SKIP: no shared virtual memory");
        return;
    }
    let step = kernel(
        s.context,
        "kernel void step(global uint *p) { size_t i = get_global_id(0); p[i] = p[i] * 3 + 1; }",
        c"step",
    );
    let words: Vec<u32> = (0..size as u32 / 4).collect();
    // SAFETY: the words are read as bytes.
    let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size) };
    let (a, b) = (s.filled(bytes), s.buffer(0, size));
    // SAFETY: ranges inside the memory, which lives until the queue is finished.
    unsafe {
        assert_eq!(clSetKernelArgSVMPointer(step, 0, p), 0);
        for _ in 0..3 {
            // a → p, by the kernel, → b → a
            assert_eq!(clEnqueueReadBuffer(s.queue, a, 0, 0, size, p, 0, null(), null_mut()), 0);
            launch(s.queue, step, size / 4);
            assert_eq!(clEnqueueWriteBuffer(s.queue, b, 0, 0, size, p, 0, null(), null_mut()), 0);
            let (o, r) = ([0usize; 3], [64usize, size / 64, 1]);
            let (o, r) = (o.as_ptr(), r.as_ptr());
            let (z, n) = (0, null_mut());
            assert_eq!(clEnqueueReadBufferRect(s.queue, b, 0, o, o, r, 0, 0, 0, 0, p, z, null(), n), 0);
            launch(s.queue, step, size / 4);
            assert_eq!(clEnqueueWriteBufferRect(s.queue, a, 0, o, o, r, 0, 0, 0, 0, p, z, null(), n), 0);
        }
    }
    let out = s.read(a, 0, size);
    for (i, word) in out.chunks_exact(4).enumerate() {
        let expected = (0..6).fold(i as u32, |v, _| v.wrapping_mul(3).wrapping_add(1));
        assert_eq!(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]), expected, "{i}");
    }
    release(a);
    release(b);
    // SAFETY: handles that are given back once; no command is under way.
    unsafe {
        assert_eq!(clReleaseKernel(step), 0);
        clSVMFree(s.context, p);
    }
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}
