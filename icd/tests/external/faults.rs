//! Wrong descriptors: a refusal leaves them as they are, and nothing crashes.

use std::io::{Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use opencl_sys::*;

use crate::cl::release;
use crate::{Both, descriptors};

const SIZE: usize = 1 << 16;

fn is_open(descriptor: i32) -> bool {
    // SAFETY: a query about a number.
    unsafe { libc::fcntl(descriptor, libc::F_GETFD) != -1 }
}

/// Closed and negative descriptors, files of other kinds, and files that look like memory.
#[test]
fn descriptors_of_something_else() {
    let Some(both) = Both::new() else { return };
    let before = descriptors();
    let refused = |what: &str, descriptor: i32| {
        let code = both.try_import(descriptor, SIZE).expect_err(what);
        assert_eq!(code, CL_INVALID_PROPERTY, "{what}");
    };
    refused("-1", -1);
    refused("no number of the process's", 1 << 20);
    let closed = {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        for (what, end) in [("a pipe to read", reader.as_raw_fd()), ("a pipe to write", writer.as_raw_fd())] {
            refused(what, end);
            assert!(is_open(end), "{what} stays open");
        }
        reader.as_raw_fd()
    };
    refused("closed", closed);
    for path in ["/dev/null", "/dev/zero", "/proc/self/status", "/"] {
        let file = std::fs::File::open(path).expect("opened");
        let code = both.try_import(file.as_raw_fd(), SIZE).expect_err(path);
        assert!(matches!(code, CL_INVALID_PROPERTY | CL_INVALID_BUFFER_SIZE), "{path}: {code}");
        assert!(is_open(file.as_raw_fd()), "{path} stays open");
    }
    assert_eq!(descriptors(), before);
}

/// A number that was the memory's and is another file's when it is given.
#[test]
fn a_number_that_is_used_again() {
    let Some(both) = Both::new() else { return };
    let (buffer, shared) = both.peer.shared_buffer(SIZE as u64);
    let descriptor = both.peer.export(&shared);
    let number = descriptor.as_raw_fd();
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    // SAFETY: both are open; the old file of the number is closed by it.
    assert_eq!(unsafe { libc::dup2(reader.as_raw_fd(), number) }, number);
    let before = descriptors();
    assert_eq!(both.try_import(number, SIZE), Err(CL_INVALID_PROPERTY));
    assert!(is_open(number));
    assert_eq!(descriptors(), before);
    drop(descriptor);
    // SAFETY: given back once.
    unsafe { both.peer.device.destroy_buffer(buffer, None) };
    both.peer.free(shared);
}

/// Memory that the other side frees while kernels use it: it lives until OpenCL has given its own up, and nothing stays open.
#[test]
fn memory_that_is_freed_while_kernels_use_it() {
    let Some(both) = Both::new() else { return };
    let source = "kernel void f(global uint *p) { p[get_global_id(0)] += get_global_id(0) + 1; }";
    let kernel = crate::cl::kernel(both.cl.context, source, c"f");
    let round = || {
        let (buffer, shared) = both.peer.shared_buffer(SIZE as u64);
        both.peer.write(buffer, &[0; SIZE]);
        let memory = both.import(both.peer.export(&shared), SIZE);
        crate::cl::arg(kernel, 0, &memory);
        both.acquire(&[memory]);
        (0..20).for_each(|_| crate::cl::launch(both.cl.queue, kernel, SIZE / 4));
        // SAFETY: given back once; the peer's commands have ended.
        unsafe { both.peer.device.destroy_buffer(buffer, None) };
        both.peer.free(shared);
        (0..20).for_each(|_| crate::cl::launch(both.cl.queue, kernel, SIZE / 4));
        let words: Vec<u32> =
            both.cl.read(memory, 0, SIZE).as_chunks().0.iter().map(|w| u32::from_ne_bytes(*w)).collect();
        assert!((1..).zip(&words).all(|(n, word)| *word == 40 * n));
        release(memory);
    };
    round();
    let before = descriptors();
    (0..10).for_each(|_| round());
    assert_eq!(descriptors(), before);
    // SAFETY: a handle.
    assert_eq!(unsafe { pumice::entry::kernel::clReleaseKernel(kernel) }, 0);
}

/// A buffer that is larger than the memory.
#[test]
fn more_than_the_memory_has() {
    let Some(both) = Both::new() else { return };
    let (buffer, shared) = both.peer.shared_buffer(SIZE as u64);
    let descriptor = both.peer.export(&shared);
    let before = descriptors();
    for size in [SIZE * 2, SIZE + 8192, 1 << 28] {
        let code = both.try_import(descriptor.as_raw_fd(), size).expect_err("refused");
        let expected = [CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_PROPERTY];
        assert!(expected.contains(&code), "{size}: {code}");
        assert!(is_open(descriptor.as_raw_fd()), "it is the application's");
    }
    assert_eq!(descriptors(), before);
    let memory = both.import(descriptor, SIZE);
    release(memory);
    // SAFETY: given back once.
    unsafe { both.peer.device.destroy_buffer(buffer, None) };
    both.peer.free(shared);
}

/// Memory whose file was cut short.
#[test]
fn a_truncated_file() {
    let Some(both) = Both::new() else { return };
    let (buffer, shared) = both.peer.shared_buffer(SIZE as u64);
    let descriptor = both.peer.export(&shared);
    // SAFETY: an open file, copied to memory of the process's own so that the driver's stays whole.
    let short = unsafe { OwnedFd::from_raw_fd(libc::memfd_create(c"short".as_ptr(), libc::MFD_CLOEXEC)) };
    let mut head = vec![0u8; 4096];
    // SAFETY: room for so many bytes.
    let got = unsafe { libc::pread(descriptor.as_raw_fd(), head.as_mut_ptr().cast(), head.len(), 0) };
    if got > 0 {
        let mut file = std::fs::File::from(short.try_clone().expect("duplicated"));
        file.write_all(&head[..got as usize]).expect("written");
        file.rewind().expect("rewound");
    }
    let before = descriptors();
    let code = both.try_import(short.as_raw_fd(), SIZE).expect_err("refused");
    assert!(matches!(code, CL_INVALID_BUFFER_SIZE | CL_INVALID_PROPERTY), "{code}");
    assert!(is_open(short.as_raw_fd()));
    assert_eq!(descriptors(), before);
    // SAFETY: given back once.
    unsafe { both.peer.device.destroy_buffer(buffer, None) };
    both.peer.free(shared);
}
