//! Buffers of OpenGL.

use std::ptr::null_mut;

use opencl_sys::*;
use pumice::entry::gl::*;

use crate::cl::{arg, info, kernel, launch, noise};
use crate::{Both, cl};

const SOURCE: &str = "kernel void f(global uint *p) { p[get_global_id(0)] = ~p[get_global_id(0)]; }";

/// A kernel changes what OpenGL wrote, OpenGL sees it; sizes of all kinds, many rounds.
#[test]
fn bytes_go_both_ways() {
    let Some(both) = Both::new() else { return };
    let kernel = kernel(both.cl.context, SOURCE, c"f");
    for words in [1usize, 3, 1000, 70_000] {
        let data = noise(words * 4, words as u32);
        let name = both.peer.buffer(&data);
        let buffer = both.of_buffer(CL_MEM_READ_WRITE, name).expect("a buffer");
        assert_eq!(info::<usize>(buffer, CL_MEM_SIZE), Ok(words * 4));
        let mut expected = data;
        arg(kernel, 0, &buffer);
        for _ in 0..3 {
            both.acquire(&[buffer]);
            launch(both.cl.queue, kernel, words);
            both.release(&[buffer]);
            expected.iter_mut().for_each(|byte| *byte = !*byte);
            assert_eq!(both.peer.read_buffer(name, words * 4), expected, "{words}");
        }
        cl::release(buffer);
        both.peer.delete(c"glDeleteBuffers", name);
    }
    // SAFETY: a handle.
    assert_eq!(unsafe { pumice::entry::kernel::clReleaseKernel(kernel) }, 0);
}

/// OpenCL's own reads and writes, an odd size, and a buffer that is only read: what OpenCL does to it does not come back.
#[test]
fn reads_and_writes() {
    let Some(both) = Both::new() else { return };
    let data = noise(1003, 5);
    let name = both.peer.buffer(&data);
    let buffer = both.of_buffer(CL_MEM_READ_WRITE, name).expect("a buffer");
    both.acquire(&[buffer]);
    assert_eq!(both.cl.read(buffer, 0, 1003), data);
    both.cl.write(buffer, 1000, &[1, 2, 3]);
    both.release(&[buffer]);
    assert_eq!(&both.peer.read_buffer(name, 1003)[999..], [data[999], 1, 2, 3]);
    cl::release(buffer);
    let only = both.of_buffer(CL_MEM_READ_ONLY, name).expect("a buffer");
    both.acquire(&[only]);
    both.cl.write(only, 0, &[9; 16]);
    both.release(&[only]);
    assert_eq!(both.peer.read_buffer(name, 16), data[..16]);
    cl::release(only);
}

/// clGetGLObjectInfo, clGetGLTextureInfo; a part of a buffer is none of OpenGL's.
#[test]
fn queries() {
    let Some(both) = Both::new() else { return };
    let name = both.peer.buffer(&[7; 4096]);
    let buffer = both.of_buffer(CL_MEM_READ_WRITE, name).expect("a buffer");
    let (mut kind, mut found) = (0, 0);
    // SAFETY: the places are valid.
    unsafe {
        assert_eq!(clGetGLObjectInfo(buffer, &mut kind, &mut found), 0);
        assert_eq!((kind, found), (CL_GL_OBJECT_BUFFER, name));
        assert_eq!(clGetGLObjectInfo(buffer, null_mut(), null_mut()), 0);
        let code = clGetGLTextureInfo(buffer, CL_GL_TEXTURE_TARGET, 4, (&raw mut kind).cast(), null_mut());
        assert_eq!(code, CL_INVALID_GL_OBJECT);
    }
    let part = both.cl.sub(buffer, 0, 0, 128).expect("a part");
    // SAFETY: as above.
    assert_eq!(unsafe { clGetGLObjectInfo(part, null_mut(), null_mut()) }, CL_INVALID_GL_OBJECT);
    assert_eq!(crate::acquire(both.cl.queue, &[part], &[], null_mut()), CL_INVALID_GL_OBJECT);
    cl::release(part);
    cl::release(buffer);
}

/// The trace tells who copied: the device wherever OpenGL imports its memory.
#[test]
fn descriptors_are_given_back() {
    let Some(both) = Both::new() else { return };
    let name = both.peer.buffer(&[7; 1 << 16]);
    let round = || {
        let buffer = both.of_buffer(CL_MEM_READ_WRITE, name).expect("a buffer");
        both.acquire(&[buffer]);
        both.release(&[buffer]);
        cl::release(buffer);
        both.cl.finish();
    };
    round();
    // The worker deletes its names later.
    let before = settled();
    (0..20).for_each(|_| round());
    assert_eq!(settled(), before);
}

/// The number of descriptors when it stays the same.
fn settled() -> usize {
    let mut last = crate::descriptors();
    for _ in 0..100 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        let now = crate::descriptors();
        if now == last {
            break;
        }
        last = now;
    }
    last
}
