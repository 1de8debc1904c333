//! Buffers of Vulkan's memory: contents both ways, properties, errors.

use std::os::fd::{AsRawFd, IntoRawFd};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use pumice::entry::event::{clGetEventInfo, clReleaseEvent, clWaitForEvents};
use pumice::entry::kernel::clReleaseKernel;
use pumice::entry::memory::clGetMemObjectInfo;
use pumice::entry::platform::clGetPlatformInfo;

use crate::cl::{Handle, arg, info, kernel, launch, release};
use crate::{Both, FD, bytes_of, change_owner, claims, device_info, words_of};

const COUNT: usize = 5000;
const LIST: u64 = 0x2051;

/// Vulkan writes, a kernel reads and writes, Vulkan reads; then with transfers in place of the kernel.
#[test]
fn contents_go_both_ways() {
    let Some(both) = Both::new() else { return };
    let (buffer, shared) = both.peer.shared_buffer(COUNT as u64 * 4);
    let memory = both.import(both.peer.export(&shared), COUNT * 4);
    let kernel = kernel(
        both.cl.context,
        "kernel void f(global uint* x) { size_t i = get_global_id(0); x[i] = x[i] * 3 + 1; }",
        c"f",
    );
    arg(kernel, 0, &memory);
    let mut wanted: Vec<u32> = (0..COUNT as u32).collect();
    both.peer.write(buffer, &bytes_of(&wanted));
    for _ in 0..3 {
        both.acquire(&[memory]);
        launch(both.cl.queue, kernel, COUNT);
        both.release(&[memory]);
        both.cl.finish();
        wanted.iter_mut().for_each(|w| *w = *w * 3 + 1);
        assert_eq!(words_of(&both.peer.read(buffer, COUNT * 4)), wanted);
        wanted.iter_mut().for_each(|w| *w ^= 0x55);
        both.peer.write(buffer, &bytes_of(&wanted));
    }
    both.acquire(&[memory]);
    assert_eq!(words_of(&both.cl.read(memory, 0, COUNT * 4)), wanted);
    both.cl.write(memory, 400, &bytes_of(&[7; 10]));
    wanted[100..110].fill(7);
    let map = both.cl.map(memory, CL_MAP_READ | CL_MAP_WRITE, 800, 8).expect("mapped");
    // SAFETY: eight bytes are mapped.
    unsafe {
        assert_eq!(map.cast::<u32>().read_unaligned(), wanted[200]);
        map.cast::<u32>().write_unaligned(1234);
    }
    wanted[200] = 1234;
    assert_eq!(both.cl.unmap(memory, map), 0);
    both.release(&[memory]);
    both.cl.finish();
    assert_eq!(words_of(&both.peer.read(buffer, COUNT * 4)), wanted);
    // SAFETY: given back once; the peer's commands have ended.
    unsafe {
        assert_eq!(clReleaseKernel(kernel), 0);
        both.peer.device.destroy_buffer(buffer, None);
    }
    release(memory);
    both.peer.free(shared);
}

/// Memory that is imported twice is one memory: commands that follow each other see it, and on a processor so does one kernel that has both
/// buffers. A GPU's caches know memory by its addresses, which differ (an H200 keeps the old value).
#[test]
fn memory_that_is_imported_twice_is_one() {
    let Some(both) = Both::new() else { return };
    let (buffer, shared) = both.peer.shared_buffer(4096);
    both.peer.write(buffer, &[0; 4096]);
    let (one, two) =
        (both.import(both.peer.export(&shared), 4096), both.import(both.peer.export(&shared), 4096));
    assert_ne!(one, two, "each import is an object of its own");
    let source = "
        kernel void set(global uint *a) { a[get_global_id(0)] = 7; }
        kernel void step(global uint *b) { b[get_global_id(0)] += 1; }
        kernel void twice(global uint *a) { a[get_global_id(0)] *= 2; }
        kernel void all(global uint *a, global uint *b) {
            size_t i = get_global_id(0);
            a[i] = 7;
            uint x = b[i];
            b[i] = x + 1;
            a[i] *= 2;
        }";
    let is_processor = device_info(both.cl.device, CL_DEVICE_TYPE)
        .is_some_and(|kind| kind.first().is_some_and(|bits| u64::from(*bits) & CL_DEVICE_TYPE_CPU != 0));
    let kernels = if is_processor { vec![c"all"] } else { vec![c"set", c"step", c"twice"] };
    for name in kernels {
        let kernel = kernel(both.cl.context, source, name);
        arg(kernel, 0, if name == c"step" { &two } else { &one });
        if name == c"all" {
            arg(kernel, 1, &two);
        }
        both.acquire(&[one, two]);
        launch(both.cl.queue, kernel, 1024);
        both.release(&[one, two]);
        both.cl.finish();
        // SAFETY: given back once.
        assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
    }
    assert_eq!(words_of(&both.peer.read(buffer, 4096)), [16; 1024]);
    // The payload lives as long as somebody has it.
    // SAFETY: given back once; the peer's commands have ended.
    unsafe { both.peer.device.destroy_buffer(buffer, None) };
    both.peer.free(shared);
    release(one);
    both.acquire(&[two]);
    assert_eq!(words_of(&both.cl.read(two, 0, 4096)), [16; 1024]);
    release(two);
}

/// Descriptors of the memory go through a process's hands: OpenCL owns one after an import, and closes it.
#[test]
fn no_descriptor_is_left() {
    let Some(both) = Both::new() else { return };
    let (buffer, shared) = both.peer.shared_buffer(1 << 16);
    both.peer.write(buffer, &[3; 1 << 16]);
    let round = || {
        let descriptor = both.peer.export(&shared);
        let raw = descriptor.as_raw_fd();
        let memory = both.import(descriptor, 1 << 16);
        // SAFETY: a query about a number.
        assert_eq!(unsafe { libc::fcntl(raw, libc::F_GETFD) }, -1, "it is closed");
        both.acquire(&[memory]);
        assert_eq!(both.cl.read(memory, 77, 3), [3; 3]);
        both.release(&[memory]);
        both.cl.finish();
        release(memory);
    };
    round();
    let before = crate::descriptors();
    (0..100).for_each(|_| round());
    assert_eq!(crate::descriptors(), before);
    // SAFETY: given back once; the peer's commands have ended.
    unsafe { both.peer.device.destroy_buffer(buffer, None) };
    both.peer.free(shared);
}

/// What clGetDeviceInfo, clGetPlatformInfo, clGetMemObjectInfo and clGetEventInfo tell.
#[test]
fn queries() {
    let Some(both) = Both::new() else { return };
    assert!(claims(both.cl.device, "cl_khr_external_memory"));
    let types = words_of(
        &device_info(both.cl.device, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR).expect("types"),
    );
    assert!(types.contains(&CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR));
    let dma = types.contains(&CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
    assert_eq!(dma, claims(both.cl.device, "cl_khr_external_memory_dma_buf"));
    let linear = CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR;
    let linear = words_of(&device_info(both.cl.device, linear).expect("types"));
    assert!(linear.iter().all(|t| types.contains(t)));
    let mut of_all = [0u32; 4];
    let mut size = 0;
    let param = CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR;
    // SAFETY: room for what is asked for.
    let code = unsafe { clGetPlatformInfo(null_mut(), param, 16, of_all.as_mut_ptr().cast(), &mut size) };
    assert_eq!(code, 0);
    assert!(of_all[..size / 4].iter().all(|t| types.contains(t)));

    let (buffer, shared) = both.peer.shared_buffer(256);
    let descriptor = both.peer.export(&shared).into_raw_fd();
    let list = [FD, descriptor as u64, LIST, both.cl.device.expose_provenance() as u64, 0, 0];
    let memory = both.with_properties(&list, 0, 256, null_mut()).expect("a buffer");
    let mut given = [0u64; 8];
    // SAFETY: room for the list.
    let code =
        unsafe { clGetMemObjectInfo(memory, CL_MEM_PROPERTIES, 64, given.as_mut_ptr().cast(), &mut size) };
    assert_eq!((code, &given[..size / 8]), (0, &list[..]));
    assert_eq!(info::<usize>(memory, CL_MEM_SIZE), Ok(256));
    for (acquire, command) in [
        (true, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR),
        (false, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR),
    ] {
        let mut event = null_mut();
        assert_eq!(change_owner(both.cl.queue, &[memory], acquire, &mut event), 0);
        let mut found = 0u32;
        // SAFETY: a handle; room for an enumeration.
        unsafe {
            let place = (&raw mut found).cast();
            assert_eq!(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, place, null_mut()), 0);
            assert_eq!(clWaitForEvents(1, &event), 0);
            assert_eq!(clReleaseEvent(event), 0);
        }
        assert_eq!(found, command);
    }
    release(memory);
    // SAFETY: given back once; the peer's commands have ended.
    unsafe { both.peer.device.destroy_buffer(buffer, None) };
    both.peer.free(shared);
}

/// The errors of §5.2.1 and of the commands.
#[test]
fn errors() {
    let Some(both) = Both::new() else { return };
    let (buffer, shared) = both.peer.shared_buffer(256);
    let descriptor = both.peer.export(&shared);
    let fd = descriptor.as_raw_fd() as u64;
    let device = both.cl.device.expose_provenance() as u64;
    let mut host = [0u8; 256];
    let make = |list: &[u64], flags, size| both.with_properties(list, flags, size, null_mut());
    assert_eq!(make(&[FD, fd, 0], 0, 0), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(make(&[FD, fd, FD, fd, 0], 0, 256), Err(CL_INVALID_PROPERTY));
    assert_eq!(make(&[LIST, device, 0, 0], 0, 256), Err(CL_INVALID_PROPERTY), "devices of no handle");
    assert_eq!(make(&[FD, fd, LIST, 0, 0], 0, 256), Err(CL_INVALID_DEVICE), "an empty list");
    assert_eq!(make(&[FD, fd, LIST, 64, 0, 0], 0, 256), Err(CL_INVALID_DEVICE), "no device");
    for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
        assert_eq!(make(&[FD, fd, 0], flags, 256), Err(CL_INVALID_VALUE), "{flags:#x}");
    }
    let pointer = host.as_mut_ptr().cast();
    assert_eq!(both.with_properties(&[FD, fd, 0], 0, 256, pointer), Err(CL_INVALID_HOST_PTR));
    // None of these took the descriptor.
    let memory = both.import(descriptor, 256);

    let own = both.cl.buffer(0, 256);
    let sub = both.cl.sub(memory, 0, 0, 128).expect("a part");
    let queue = both.cl.queue;
    for acquire in [true, false] {
        assert_eq!(change_owner(queue, &[own], acquire, null_mut()), CL_INVALID_MEM_OBJECT);
        assert_eq!(change_owner(queue, &[memory, null_mut()], acquire, null_mut()), CL_INVALID_MEM_OBJECT);
        assert_eq!(change_owner(queue, &[sub], acquire, null_mut()), CL_INVALID_MEM_OBJECT, "a part");
        assert_eq!(change_owner(null_mut(), &[memory], acquire, null_mut()), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(change_owner(queue, &[], acquire, null_mut()), 0, "nothing");
        let name = match acquire {
            true => "clEnqueueAcquireExternalMemObjectsKHR",
            false => "clEnqueueReleaseExternalMemObjectsKHR",
        };
        // SAFETY: the function's type; the list has one element.
        let call = |count, list: &[Handle]| unsafe {
            let pointer = if list.is_empty() { null() } else { list.as_ptr() };
            crate::function::<crate::Change>(name)(queue, count, pointer, 0, null(), null_mut())
        };
        assert_eq!(call(1, &[]), CL_INVALID_VALUE);
        assert_eq!(call(0, &[memory]), CL_INVALID_VALUE);
        // Twice is once.
        assert_eq!(change_owner(queue, &[memory, memory], acquire, null_mut()), 0);
        assert_eq!(change_owner(queue, &[memory], acquire, null_mut()), 0);
    }
    let other = crate::cl::Setup::new().expect("another context");
    assert_eq!(change_owner(other.queue, &[memory], true, null_mut()), CL_INVALID_COMMAND_QUEUE);
    both.cl.finish();
    for object in [sub, own, memory] {
        release(object);
    }
    // SAFETY: given back once; the peer's commands have ended.
    unsafe { both.peer.device.destroy_buffer(buffer, None) };
    both.peer.free(shared);
}
