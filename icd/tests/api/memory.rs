//! Buffers: creation, queries, transfers, maps, on the first device (lavapipe in CI), against a model in host memory.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use crate::{again, cl};
use cl::{Handle, Setup, info, noise, release};
use opencl_sys::*;
use pumice::entry::{device::*, event::*, kernel::*, memory::*, transfer::*};

const HOST_PTR: u64 = CL_MEM_USE_HOST_PTR;

#[test]
fn creation_is_validated() {
    let Some(s) = Setup::new() else { return };
    let mut data = [0u8; 256];
    let host: *mut c_void = data.as_mut_ptr().cast();
    let none = null_mut();
    for (flags, size, host, expected) in [
        (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 256, none, CL_INVALID_VALUE),
        (HOST_PTR | CL_MEM_COPY_HOST_PTR, 256, host, CL_INVALID_VALUE),
        (HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 256, host, CL_INVALID_VALUE),
        (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 256, none, CL_INVALID_VALUE),
        (1 << 33, 256, none, CL_INVALID_VALUE),
        (0, 0, none, CL_INVALID_BUFFER_SIZE),
        (0, usize::MAX, none, CL_INVALID_BUFFER_SIZE),
        (0, 256, host, CL_INVALID_HOST_PTR),
        (HOST_PTR, 256, none, CL_INVALID_HOST_PTR),
        (CL_MEM_COPY_HOST_PTR, 256, none, CL_INVALID_HOST_PTR),
        (CL_MEM_ALLOC_HOST_PTR, 256, host, CL_INVALID_HOST_PTR),
    ] {
        assert_eq!(s.try_buffer(flags, size, host), Err(expected), "{flags:#x} {size}");
    }
    let mut error = 0;
    // SAFETY: bad handles and lists are checked.
    unsafe {
        assert!(clCreateBuffer(s.queue, 0, 256, none, &mut error).is_null());
        assert_eq!(error, CL_INVALID_CONTEXT);
        assert!(clCreateBuffer(null_mut(), 0, 256, none, null_mut()).is_null());
        for list in [&[1u64, 1, 0][..], &[0x5000, 2, 0], &[0x5000, 1, 0x5000, 1, 0]] {
            clCreateBufferWithProperties(s.context, list.as_ptr(), 0, 256, none, &mut error);
            assert_eq!(error, CL_INVALID_PROPERTY, "{list:?}");
        }
        assert_eq!(clReleaseMemObject(s.context), CL_INVALID_MEM_OBJECT);
        assert_eq!(clRetainMemObject(null_mut()), CL_INVALID_MEM_OBJECT);
    }
}

#[test]
fn queries_answer() {
    let Some(s) = Setup::new() else { return };
    let mut data = vec![7u8; 4096];
    let host: *mut c_void = data.as_mut_ptr().cast();
    let flags = HOST_PTR | CL_MEM_READ_ONLY;
    let buffer = s.try_buffer(flags, 4096, host).expect("buffer");
    let sub = s.sub(buffer, 0, 1024, 512).expect("sub-buffer");
    assert_eq!(info::<u32>(buffer, CL_MEM_TYPE), Ok(CL_MEM_OBJECT_BUFFER));
    assert_eq!(info::<u64>(buffer, CL_MEM_FLAGS), Ok(flags));
    assert_eq!(info::<u64>(sub, CL_MEM_FLAGS), Ok(flags));
    assert_eq!((info(buffer, CL_MEM_SIZE), info(sub, CL_MEM_SIZE)), (Ok(4096usize), Ok(512usize)));
    assert_eq!(info(buffer, CL_MEM_HOST_PTR), Ok(host.addr()));
    assert_eq!(info(sub, CL_MEM_HOST_PTR), Ok(host.addr() + 1024));
    assert_eq!((info(buffer, CL_MEM_OFFSET), info(sub, CL_MEM_OFFSET)), (Ok(0usize), Ok(1024usize)));
    assert_eq!(info(sub, CL_MEM_ASSOCIATED_MEMOBJECT), Ok(buffer.addr()));
    assert_eq!(info(buffer, CL_MEM_ASSOCIATED_MEMOBJECT), Ok(0usize));
    assert_eq!(info(buffer, CL_MEM_CONTEXT), Ok(s.context.addr()));
    assert_eq!(info(buffer, CL_MEM_REFERENCE_COUNT), Ok(1u32));
    assert_eq!(info(buffer, CL_MEM_USES_SVM_POINTER), Ok(0u32));
    assert_eq!(info::<u64>(buffer, 0x5001), Err(CL_INVALID_OPERATION), "no address was asked for");
    assert_eq!(info::<u64>(buffer, 0xdead), Err(CL_INVALID_VALUE));
    assert_eq!(info::<u8>(buffer, CL_MEM_SIZE), Err(CL_INVALID_VALUE), "too small a place");
    let mut size = 9;
    // SAFETY: valid places.
    assert_eq!(unsafe { clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, 0, null_mut(), &mut size) }, 0);
    assert_eq!(size, 0);
    // A buffer lives as long as its sub-buffers.
    release(buffer);
    assert_eq!(info(buffer, CL_MEM_SIZE), Ok(4096usize));
    assert_eq!(s.read(sub, 0, 512), vec![7; 512]);
    release(sub);
    assert_eq!(info::<usize>(buffer, CL_MEM_SIZE), Err(CL_INVALID_MEM_OBJECT));
}

#[test]
fn sub_buffers_are_validated() {
    let Some(s) = Setup::new() else { return };
    let buffer = s.buffer(CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 4096);
    for (flags, origin, size, expected) in [
        (CL_MEM_READ_WRITE, 0, 64, CL_INVALID_VALUE),
        (CL_MEM_WRITE_ONLY, 0, 64, CL_INVALID_VALUE),
        (CL_MEM_HOST_READ_ONLY, 0, 64, CL_INVALID_VALUE),
        (CL_MEM_COPY_HOST_PTR, 0, 64, CL_INVALID_VALUE),
        (0, 4096, 1, CL_INVALID_VALUE),
        (0, 0, 4097, CL_INVALID_VALUE),
        (0, usize::MAX, 2, CL_INVALID_VALUE),
        (0, 0, 0, CL_INVALID_BUFFER_SIZE),
        (0, 1, 64, CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ] {
        assert_eq!(s.sub(buffer, flags, origin, size), Err(expected), "{flags:#x} {origin} {size}");
    }
    let sub = s.sub(buffer, CL_MEM_HOST_NO_ACCESS, 1024, 1024).expect("sub-buffer");
    assert_eq!(s.sub(sub, 0, 0, 64), Err(CL_INVALID_MEM_OBJECT), "of a sub-buffer");
    let mut error = 0;
    // SAFETY: NULL is checked.
    unsafe { clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, null(), &mut error) };
    assert_eq!(error, CL_INVALID_VALUE);
    release(sub);
    release(buffer);
}

#[test]
fn host_access_flags_hold() {
    let Some(s) = Setup::new() else { return };
    let mut data = [0u8; 64];
    let p: *mut c_void = data.as_mut_ptr().cast();
    for (flags, reads, writes) in [
        (CL_MEM_HOST_READ_ONLY, true, false),
        (CL_MEM_HOST_WRITE_ONLY, false, true),
        (CL_MEM_HOST_NO_ACCESS, false, false),
    ] {
        let b = s.buffer(flags, 64);
        let code = |allowed: bool| if allowed { 0 } else { CL_INVALID_OPERATION };
        let (o, r) = ([0usize; 3].as_ptr(), [8usize, 2, 1].as_ptr());
        // SAFETY: blocking transfers of 64 bytes.
        unsafe {
            assert_eq!(clEnqueueReadBuffer(s.queue, b, 1, 0, 64, p, 0, null(), null_mut()), code(reads));
            assert_eq!(clEnqueueWriteBuffer(s.queue, b, 1, 0, 64, p, 0, null(), null_mut()), code(writes));
            assert_eq!(
                clEnqueueReadBufferRect(s.queue, b, 1, o, o, r, 0, 0, 0, 0, p, 0, null(), null_mut()),
                code(reads)
            );
            assert_eq!(
                clEnqueueWriteBufferRect(s.queue, b, 1, o, o, r, 0, 0, 0, 0, p, 0, null(), null_mut()),
                code(writes)
            );
        }
        for (map, allowed) in
            [(CL_MAP_READ, reads), (CL_MAP_WRITE, writes), (CL_MAP_WRITE_INVALIDATE_REGION, writes)]
        {
            match s.map(b, map, 0, 64) {
                Ok(pointer) => assert!(allowed && s.unmap(b, pointer) == 0),
                Err(code) => assert!(!allowed && code == CL_INVALID_OPERATION),
            }
        }
        s.finish();
        release(b);
    }
}

#[test]
fn transfers_are_validated() {
    let Some(s) = Setup::new() else { return };
    let (a, b) = (s.buffer(0, 256), s.buffer(0, 256));
    let mut data = [0u8; 256];
    let p: *mut c_void = data.as_mut_ptr().cast();
    let none = null_mut::<c_void>();
    let q = s.queue;
    // SAFETY: what is wrong is checked before anything is touched.
    unsafe {
        let read =
            |q, b, offset, size, p, n, l| clEnqueueReadBuffer(q, b, 1, offset, size, p, n, l, null_mut());
        assert_eq!(read(none, a, 0, 256, p, 0, null()), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(read(q, none, 0, 256, p, 0, null()), CL_INVALID_MEM_OBJECT);
        assert_eq!(read(q, s.context, 0, 256, p, 0, null()), CL_INVALID_MEM_OBJECT);
        assert_eq!(read(q, a, 1, 256, p, 0, null()), CL_INVALID_VALUE);
        assert_eq!(read(q, a, usize::MAX, 2, p, 0, null()), CL_INVALID_VALUE);
        assert_eq!(read(q, a, 0, 256, none, 0, null()), CL_INVALID_VALUE);
        assert_eq!(read(q, a, 0, 256, p, 1, null()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(read(q, a, 0, 256, p, 0, &none), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(read(q, a, 0, 256, p, 1, &a), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(read(q, a, 256, 0, p, 0, null()), 0, "nothing at the end");
        let copy = |a, b, x, y, size| clEnqueueCopyBuffer(q, a, b, x, y, size, 0, null(), null_mut());
        assert_eq!(copy(a, b, 0, 1, 256), CL_INVALID_VALUE);
        assert_eq!(copy(a, a, 0, 100, 101), CL_MEM_COPY_OVERLAP);
        assert_eq!(copy(a, a, 100, 0, 100), 0);
        assert_eq!(copy(a, b, 0, 0, 0), 0);
        let fill = |pattern: &[u8], offset, size| {
            clEnqueueFillBuffer(
                q,
                a,
                pattern.as_ptr().cast(),
                pattern.len(),
                offset,
                size,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(fill(&[0; 3], 0, 9), CL_INVALID_VALUE);
        assert_eq!(fill(&[0; 256], 0, 256), CL_INVALID_VALUE);
        assert_eq!(fill(&[0; 4], 2, 8), CL_INVALID_VALUE);
        assert_eq!(fill(&[0; 4], 0, 6), CL_INVALID_VALUE);
        assert_eq!(fill(&[0; 4], 256, 4), CL_INVALID_VALUE);
        assert_eq!(fill(&[0; 4], 256, 0), 0);
        assert_eq!(clEnqueueFillBuffer(q, a, null(), 4, 0, 4, 0, null(), null_mut()), CL_INVALID_VALUE);
        let o = [0usize; 3];
        let rect = |r: [usize; 3], row, slice| {
            let (o, r) = (o.as_ptr(), r.as_ptr());
            clEnqueueReadBufferRect(q, a, 1, o, o, r, row, slice, 0, 0, p, 0, null(), null_mut())
        };
        assert_eq!(rect([16, 16, 1], 0, 0), 0);
        assert_eq!(rect([16, 17, 1], 0, 0), CL_INVALID_VALUE);
        assert_eq!(rect([16, 0, 1], 0, 0), CL_INVALID_VALUE);
        assert_eq!(rect([16, 2, 1], 15, 0), CL_INVALID_VALUE);
        assert_eq!(rect([16, 2, 1], 16, 31), CL_INVALID_VALUE);
        let n = null();
        assert_eq!(
            clEnqueueReadBufferRect(q, a, 1, n, o.as_ptr(), o.as_ptr(), 0, 0, 0, 0, p, 0, null(), null_mut()),
            CL_INVALID_VALUE
        );
        let move_rect = |a, b, x: usize, y: usize, row, row2| {
            let (from, to, r) = ([x, 0, 0], [y, 0, 0], [8usize, 4, 1]);
            let (f, t, r) = (from.as_ptr(), to.as_ptr(), r.as_ptr());
            clEnqueueCopyBufferRect(q, a, b, f, t, r, row, 0, row2, 0, 0, null(), null_mut())
        };
        assert_eq!(move_rect(a, b, 0, 0, 16, 8), 0);
        assert_eq!(move_rect(a, a, 0, 128, 16, 8), CL_INVALID_VALUE, "one buffer, other pitches");
        assert_eq!(move_rect(a, a, 0, 7, 16, 16), CL_MEM_COPY_OVERLAP);
        assert_eq!(move_rect(a, a, 0, 8, 16, 16), 0, "beside each other");
        let migrate = |n, list: *const Handle, flags| {
            clEnqueueMigrateMemObjects(q, n, list, flags, 0, null(), null_mut())
        };
        assert_eq!(migrate(0, &a, 0), CL_INVALID_VALUE);
        assert_eq!(migrate(1, null(), 0), CL_INVALID_VALUE);
        assert_eq!(migrate(1, &none, 0), CL_INVALID_MEM_OBJECT);
        assert_eq!(migrate(1, &a, 8), CL_INVALID_VALUE);
        assert_eq!(migrate(2, [a, b].as_ptr(), 1), 0);
    }
    s.finish();
    release(a);
    release(b);
}

/// Reads and writes of many sizes at odd places, in and out of order of completion, against a model.
#[test]
fn data_arrives() {
    let Some(s) = Setup::new() else { return };
    const SIZE: usize = 3 << 20;
    let mut model = noise(SIZE, 1);
    let buffer = s.filled(&model);
    let other = s.buffer(CL_MEM_ALLOC_HOST_PTR, SIZE);
    for (i, (offset, size)) in
        [(0, 1), (3, 5), (1000, 70_000), (17, 1 << 20), (5, (2 << 20) + 1)].into_iter().enumerate()
    {
        let data = noise(size, i as u32 + 10);
        s.write(buffer, offset, &data);
        model[offset..offset + size].copy_from_slice(&data);
        // SAFETY: handles; ranges inside.
        unsafe {
            assert_eq!(clEnqueueCopyBuffer(s.queue, buffer, other, 0, 0, SIZE, 0, null(), null_mut()), 0);
            let pattern = [i as u8, 1, 2, 3, 4, 5, 6, 7];
            let p = pattern.as_ptr().cast();
            assert_eq!(clEnqueueFillBuffer(s.queue, buffer, p, 8, 800, 400, 0, null(), null_mut()), 0);
            assert_eq!(clEnqueueFillBuffer(s.queue, buffer, p, 1, 77, 1001, 0, null(), null_mut()), 0);
            assert_eq!(model, s.read(other, 0, SIZE));
            for (k, byte) in model[800..1200].iter_mut().enumerate() {
                *byte = pattern[k % 8];
            }
            model[77..77 + 1001].fill(i as u8);
        }
        // Many reads at once, waited for together.
        let mut outs: Vec<Vec<u8>> = (0..8).map(|k| vec![0; 1 + k * 200_000]).collect();
        for (k, out) in outs.iter_mut().enumerate() {
            let (p, n) = (out.as_mut_ptr().cast(), out.len());
            // SAFETY: the vectors live until the queue is finished.
            let code = unsafe { clEnqueueReadBuffer(s.queue, buffer, 0, k * 7, n, p, 0, null(), null_mut()) };
            assert_eq!(code, 0);
        }
        s.finish();
        for (k, out) in outs.iter().enumerate() {
            assert!(*out == model[k * 7..k * 7 + out.len()], "round {i}, read {k}");
        }
    }
    release(buffer);
    release(other);
}

/// Buffers that are to lie in host memory (cl_intel_mem_force_host_memory): their contents by kernels, maps, sub-buffers and after a release.
#[test]
fn buffers_in_host_memory() {
    const FORCE: u64 = CL_MEM_FORCE_HOST_MEMORY_INTEL;
    const SIZE: usize = 4096;
    #[repr(align(4096))]
    struct Lines([u8; 2 * SIZE]);
    let Some(s) = Setup::new() else { return };
    let add = cl::kernel(s.context, "kernel void add(global uchar *p) { p[get_global_id(0)] += 3; }", c"add");
    let mut lines = Box::new(Lines([0; 2 * SIZE]));
    let host: *mut c_void = lines.0.as_mut_ptr().cast();
    for (flags, host) in [
        (FORCE, null_mut()),
        (FORCE | CL_MEM_ALLOC_HOST_PTR, null_mut()),
        (FORCE | CL_MEM_COPY_HOST_PTR, host),
        (FORCE | HOST_PTR, host),
    ] {
        let buffer = s.try_buffer(flags, SIZE, host).expect("a buffer");
        let part = s.sub(buffer, 0, 1024, 1024).expect("a part");
        let own = |object| info::<u64>(object, CL_MEM_FLAGS);
        assert_eq!((own(buffer), own(part)), (Ok(flags), Ok(flags)));
        assert_eq!(s.sub(buffer, FORCE, 0, 1024), Err(CL_INVALID_VALUE));
        let mut model = noise(SIZE, 7);
        s.write(buffer, 0, &model);
        cl::arg(add, 0, &buffer);
        cl::launch(s.queue, add, SIZE);
        cl::arg(add, 0, &part);
        cl::launch(s.queue, add, 1024);
        model.iter_mut().for_each(|byte| *byte = byte.wrapping_add(3));
        model[1024..2048].iter_mut().for_each(|byte| *byte = byte.wrapping_add(3));
        let at = s.map(buffer, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE).expect("a map");
        // SAFETY: mapped, of this size.
        let seen = unsafe { std::slice::from_raw_parts_mut(at, SIZE) };
        assert!(*seen == *model, "{flags:#x}");
        seen[5] = 77;
        assert_eq!(s.unmap(buffer, at), 0);
        cl::launch(s.queue, add, 1024);
        model[5] = 77;
        model[1024..2048].iter_mut().for_each(|byte| *byte = byte.wrapping_add(3));
        // The last reference goes while the kernel may run.
        let other = s.buffer(0, SIZE);
        // SAFETY: handles; ranges inside.
        let code = unsafe { clEnqueueCopyBuffer(s.queue, buffer, other, 0, 0, SIZE, 0, null(), null_mut()) };
        assert_eq!(code, 0);
        release(part);
        release(buffer);
        assert!(s.read(other, 0, SIZE) == model, "{flags:#x}");
        release(other);
    }
    // Whole cache lines alone, where the device says how long these are.
    let mut line = 0u32;
    // SAFETY: four bytes.
    let code = unsafe {
        clGetDeviceInfo(s.device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, (&raw mut line).cast(), null_mut())
    };
    assert_eq!(code, 0);
    if line > 1 {
        let skewed = host.wrapping_byte_add(1);
        assert_eq!(s.try_buffer(FORCE | HOST_PTR, SIZE, skewed), Err(CL_INVALID_HOST_PTR));
        assert_eq!(s.try_buffer(FORCE | HOST_PTR, SIZE - 1, host), Err(CL_INVALID_BUFFER_SIZE));
        let copied = s.try_buffer(FORCE | CL_MEM_COPY_HOST_PTR, SIZE - 1, skewed).expect("a copy");
        release(copied);
    }
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseKernel(add) }, 0);
}

/// Writes that are not waited for, behind which the host reuses nothing, then events.
#[test]
fn non_blocking_writes_in_order() {
    let Some(s) = Setup::new() else { return };
    let buffer = s.buffer(0, 2 << 20);
    let datas: Vec<Vec<u8>> = (0..20).map(|i| noise((2 << 20) - i * 1000, i as u32)).collect();
    let mut model = vec![0u8; 2 << 20];
    let mut event: Handle = null_mut();
    for data in &datas {
        model[..data.len()].copy_from_slice(data);
        let (p, n) = (data.as_ptr().cast(), data.len());
        // SAFETY: the data lives until the queue is finished.
        unsafe {
            if !event.is_null() {
                clReleaseEvent(event);
            }
            assert_eq!(clEnqueueWriteBuffer(s.queue, buffer, 0, 0, n, p, 0, null(), &mut event), 0);
        }
    }
    // SAFETY: a valid event.
    unsafe {
        assert_eq!(clWaitForEvents(1, &event), 0);
        clReleaseEvent(event);
    }
    assert!(s.read(buffer, 0, 2 << 20) == model);
    release(buffer);
}

/// All forms of rectangles against loops.
#[test]
fn rectangles_arrive() {
    let Some(s) = Setup::new() else { return };
    const SIZE: usize = 64 << 10;
    let (mut a, mut b) = (noise(SIZE, 1), noise(SIZE, 2));
    let (device_a, device_b) = (s.filled(&a), s.filled(&b));
    let place = |o: [usize; 3], row: usize, slice: usize, y: usize, z: usize| {
        (o[2] + z) * slice + (o[1] + y) * row + o[0]
    };
    for (region, from, to, row, slice, row2, slice2) in [
        ([7usize, 5, 3], [1usize, 2, 1], [3usize, 0, 2], 16usize, 160usize, 11usize, 66usize),
        ([64, 30, 2], [0, 0, 0], [64, 1, 0], 256, 256 * 40, 200, 200 * 35),
        ([1, 1, 1], [5, 5, 5], [0, 0, 0], 10, 100, 1, 1),
        ([33, 300, 1], [2, 0, 0], [1, 3, 0], 35, 35 * 300, 40, 40 * 300),
    ] {
        let (f, t, r) = (from.as_ptr(), to.as_ptr(), region.as_ptr());
        // SAFETY: boxes within the buffers and vectors.
        unsafe {
            let q = s.queue;
            assert_eq!(
                clEnqueueCopyBufferRect(
                    q,
                    device_a,
                    device_b,
                    f,
                    t,
                    r,
                    row,
                    slice,
                    row2,
                    slice2,
                    0,
                    null(),
                    null_mut()
                ),
                0
            );
            for z in 0..region[2] {
                for y in 0..region[1] {
                    let (i, j) = (place(from, row, slice, y, z), place(to, row2, slice2, y, z));
                    b[j..j + region[0]].copy_from_slice(&a[i..i + region[0]]);
                }
            }
            assert!(s.read(device_b, 0, SIZE) == b);
            let mut host = noise(SIZE, 7);
            let mut model = host.clone();
            let p = host.as_mut_ptr().cast();
            assert_eq!(
                clEnqueueReadBufferRect(
                    q,
                    device_a,
                    1,
                    f,
                    t,
                    r,
                    row,
                    slice,
                    row2,
                    slice2,
                    p,
                    0,
                    null(),
                    null_mut()
                ),
                0
            );
            for z in 0..region[2] {
                for y in 0..region[1] {
                    let (i, j) = (place(from, row, slice, y, z), place(to, row2, slice2, y, z));
                    model[j..j + region[0]].copy_from_slice(&a[i..i + region[0]]);
                }
            }
            assert!(host == model, "read {region:?}");
            assert_eq!(
                clEnqueueWriteBufferRect(
                    q,
                    device_a,
                    0,
                    f,
                    t,
                    r,
                    row,
                    slice,
                    row2,
                    slice2,
                    p,
                    0,
                    null(),
                    null_mut()
                ),
                0
            );
            for z in 0..region[2] {
                for y in 0..region[1] {
                    let (i, j) = (place(from, row, slice, y, z), place(to, row2, slice2, y, z));
                    a[i..i + region[0]].copy_from_slice(&host[j..j + region[0]]);
                }
            }
            assert!(s.read(device_a, 0, SIZE) == a, "write {region:?}");
        }
    }
    release(device_a);
    release(device_b);
}

#[test]
fn sub_buffers_are_windows() {
    let Some(s) = Setup::new() else { return };
    let mut model = noise(8192, 3);
    let buffer = s.filled(&model);
    let (one, two) = (s.sub(buffer, 0, 1024, 2048).expect("one"), s.sub(buffer, 0, 2048, 4096).expect("two"));
    s.write(one, 1000, &[9; 1048]);
    model[2024..3072].fill(9);
    assert!(s.read(two, 0, 4096) == model[2048..6144]);
    // SAFETY: handles; ranges inside.
    unsafe {
        let copy = |a, b, x, y, n| clEnqueueCopyBuffer(s.queue, a, b, x, y, n, 0, null(), null_mut());
        assert_eq!(copy(one, two, 1024, 0, 1024), CL_MEM_COPY_OVERLAP, "the same bytes");
        assert_eq!(copy(one, two, 0, 1024, 1024), 0);
        model.copy_within(1024..2048, 3072);
        assert_eq!(copy(buffer, two, 0, 0, 2049), CL_MEM_COPY_OVERLAP);
        let pattern = 0x5566_7788u32;
        let p = (&raw const pattern).cast();
        assert_eq!(clEnqueueFillBuffer(s.queue, two, p, 4, 4092, 4, 0, null(), null_mut()), 0);
        model[6140..6144].copy_from_slice(&pattern.to_ne_bytes());
        let mut x = 0u8;
        let x = (&raw mut x).cast();
        assert_eq!(clEnqueueReadBuffer(s.queue, two, 1, 4096, 1, x, 0, null(), null_mut()), CL_INVALID_VALUE);
    }
    assert!(s.read(buffer, 0, 8192) == model);
    let pointer = s.map(two, CL_MAP_WRITE, 100, 50).expect("map");
    // SAFETY: mapped.
    unsafe { pointer.write_bytes(0x33, 50) };
    assert_eq!(s.unmap(buffer, pointer), CL_INVALID_VALUE, "it was the sub-buffer that was mapped");
    assert_eq!(s.unmap(two, pointer), 0);
    model[2148..2198].fill(0x33);
    assert!(s.read(buffer, 0, 8192) == model);
    for b in [buffer, one, two] {
        release(b);
    }
}

/// Maps of buffers in each kind of memory, read, written and overwritten.
#[test]
fn maps_show_the_contents() {
    let Some(s) = Setup::new() else { return };
    const SIZE: usize = 100_000;
    let mut aligned = vec![0u8; SIZE + 8192];
    let skew = aligned.as_ptr().addr().next_multiple_of(4096) - aligned.as_ptr().addr();
    for (flags, offset) in [
        (CL_MEM_COPY_HOST_PTR, 0),
        (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 0),
        (HOST_PTR, skew),
        (HOST_PTR, skew + 4),
        (HOST_PTR, skew + 1),
    ] {
        let mut model = noise(SIZE, offset as u32);
        aligned[offset..offset + SIZE].copy_from_slice(&model);
        let host = aligned[offset..].as_mut_ptr();
        let buffer = s.try_buffer(flags, SIZE, host.cast()).expect("buffer");
        let check = |map: *mut u8, at: usize| {
            if flags & HOST_PTR != 0 {
                assert_eq!(map, host.wrapping_add(at), "derived from the host pointer");
            }
        };
        s.write(buffer, 500, &[1; 1000]);
        model[500..1500].fill(1);
        let read = s.map(buffer, CL_MAP_READ, 333, 5000).expect("map");
        let again = s.map(buffer, CL_MAP_READ, 1000, 600).expect("map");
        check(read, 333);
        assert_eq!(info(buffer, CL_MEM_MAP_COUNT), Ok(2u32));
        // SAFETY: mapped for reading.
        unsafe {
            assert!(std::slice::from_raw_parts(read, 5000) == &model[333..5333]);
            assert!(std::slice::from_raw_parts(again, 600) == &model[1000..1600]);
        }
        assert_eq!(s.unmap(buffer, again), 0);
        assert_eq!(s.unmap(buffer, read), 0);
        assert_eq!(s.unmap(buffer, read), CL_INVALID_VALUE, "unmapped already");
        let write = s.map(buffer, CL_MAP_READ | CL_MAP_WRITE, 128, 300).expect("map");
        if flags & HOST_PTR == 0 {
            assert!(write.addr().is_multiple_of(128), "as aligned as the buffer");
        }
        let clash = s.map(buffer, CL_MAP_WRITE, 427, 1);
        assert_eq!(clash, Err(CL_INVALID_OPERATION), "both would be written");
        let beside = s.map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 428, 72).expect("map");
        check(beside, 428);
        // SAFETY: mapped for writing.
        unsafe {
            assert_eq!(write.read(), model[128]);
            write.write_bytes(5, 300);
            beside.write_bytes(6, 72);
        }
        model[128..428].fill(5);
        model[428..500].fill(6);
        assert_eq!((s.unmap(buffer, beside), s.unmap(buffer, write)), (0, 0));
        assert!(s.read(buffer, 0, SIZE) == model, "flags {flags:#x}");
        assert_eq!(info(buffer, CL_MEM_MAP_COUNT), Ok(0u32));
        for (flags, at, size, expected) in [
            (CL_MAP_READ, 0, 0, CL_INVALID_VALUE),
            (CL_MAP_READ, SIZE, 1, CL_INVALID_VALUE),
            (CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 1, CL_INVALID_VALUE),
            (1 << 5, 0, 1, CL_INVALID_VALUE),
        ] {
            assert_eq!(s.map(buffer, flags, at, size), Err(expected));
        }
        if flags & HOST_PTR != 0 {
            // The application's memory itself as source and destination.
            // SAFETY: 100 bytes inside the vector.
            unsafe {
                let q = s.queue;
                s.write(buffer, 0, &[8; 100]);
                model[..100].fill(8);
                assert_eq!(clEnqueueReadBuffer(q, buffer, 1, 0, 100, host.cast(), 0, null(), null_mut()), 0);
                assert_eq!(host.read(), 8);
                let from = host.wrapping_add(50).cast_const().cast();
                assert_eq!(clEnqueueWriteBuffer(q, buffer, 1, 0, 100, from, 0, null(), null_mut()), 0);
            }
        }
        release(buffer);
    }
}

/// A map that waits for a user event shows what was written meanwhile; events may be released before the unmap.
#[test]
fn maps_wait_for_events() {
    let Some(s) = Setup::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) else { return };
    let buffer = s.filled(&[1; 4096]);
    let mut error = 1;
    // SAFETY: handles and places are valid; the mapping is used after its event.
    unsafe {
        let user = clCreateUserEvent(s.context, &mut error);
        assert_eq!(error, 0);
        let mut mapped = null_mut();
        let p =
            clEnqueueMapBuffer(s.queue, buffer, 0, CL_MAP_READ, 0, 4096, 1, &user, &mut mapped, &mut error);
        assert_eq!(error, 0);
        s.write(buffer, 0, &[2; 4096]);
        assert_eq!(clSetUserEventStatus(user, 0), 0);
        assert_eq!(clWaitForEvents(1, &mapped), 0);
        assert_eq!((clReleaseEvent(mapped), clReleaseEvent(user)), (0, 0));
        assert_eq!(p.cast::<u8>().add(4095).read(), 2);
        assert_eq!(clEnqueueUnmapMemObject(s.queue, buffer, p, 0, null(), null_mut()), 0);
    }
    s.finish();
    release(buffer);
}

#[test]
fn destructors_are_called_last_first() {
    static CALLS: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    unsafe extern "C" fn note(_: Handle, user: *mut c_void) {
        CALLS.lock().expect("calls").push(user.addr());
    }
    let Some(s) = Setup::new() else { return };
    let mut data = vec![0u8; 1 << 20];
    let buffer = s.try_buffer(HOST_PTR, 1 << 20, data.as_mut_ptr().cast()).expect("buffer");
    let sub = s.sub(buffer, 0, 0, 128).expect("sub-buffer");
    // SAFETY: the function is as it must be.
    unsafe {
        for i in 1..=3 {
            let user = std::ptr::without_provenance_mut(i);
            assert_eq!(clSetMemObjectDestructorCallback(buffer, Some(note), user), 0);
        }
        assert_eq!(clSetMemObjectDestructorCallback(buffer, None, null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clSetMemObjectDestructorCallback(null_mut(), Some(note), null_mut()),
            CL_INVALID_MEM_OBJECT
        );
        let p = [1u8, 2, 3, 4];
        for _ in 0..10 {
            let code =
                clEnqueueFillBuffer(s.queue, buffer, p.as_ptr().cast(), 4, 0, 1 << 20, 0, null(), null_mut());
            assert_eq!(code, 0);
        }
    }
    release(buffer);
    s.finish();
    assert!(CALLS.lock().expect("calls").is_empty(), "the sub-buffer needs it");
    release(sub);
    let start = std::time::Instant::now();
    while CALLS.lock().expect("calls").len() < 3 && start.elapsed().as_secs() < 10 {
        std::thread::yield_now();
    }
    assert_eq!(*CALLS.lock().expect("calls"), [3, 2, 1]);
}

#[test]
fn addresses_of_buffers() {
    let Some(s) = Setup::new() else { return };
    let mut error = 1;
    // SAFETY: the list is whole.
    let buffer = unsafe {
        clCreateBufferWithProperties(s.context, [0x5000, 1, 0].as_ptr(), 0, 4096, null_mut(), &mut error)
    };
    if error == CL_INVALID_OPERATION {
        println!("SKIP: no device addresses");
        return;
    }
    assert_eq!(error, 0);
    assert!(info::<u64>(buffer, 0x5001).expect("address") != 0);
    assert_eq!(info::<[u64; 3]>(buffer, CL_MEM_PROPERTIES), Ok([0x5000, 1, 0]));
    let sub = s.sub(buffer, 0, 1024, 1024).expect("sub-buffer");
    assert_eq!(info::<u64>(sub, 0x5001), Err(CL_INVALID_OPERATION));
    release(sub);
    release(buffer);
}

#[test]
fn many_buffers_are_cheap() {
    let Some(s) = Setup::new() else { return };
    let start = std::time::Instant::now();
    for i in 0..10_000 {
        release(s.buffer(0, 64 + i % 1000));
    }
    println!("10,000 buffers: {:?}", start.elapsed());
    let kept: Vec<_> = (0..3000).map(|_| s.buffer(0, 256)).collect();
    kept.into_iter().for_each(release);
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}

/// CL_MEM_IMMUTABLE_EXT of cl_ext.h.
const IMMUTABLE: u64 = 1 << 6;

#[test]
fn immutable_buffers_never_change() {
    let Some(s) = Setup::new() else { return };
    let mut data = noise(4096, 21);
    let host: *mut c_void = data.as_mut_ptr().cast();
    let copied = IMMUTABLE | CL_MEM_COPY_HOST_PTR;
    for flags in [CL_MEM_READ_WRITE | copied, CL_MEM_WRITE_ONLY | copied, CL_MEM_HOST_WRITE_ONLY | copied] {
        assert_eq!(s.try_buffer(flags, 4096, host), Err(CL_INVALID_VALUE), "{flags:#x}");
    }
    assert_eq!(s.try_buffer(IMMUTABLE, 4096, null_mut()), Err(CL_INVALID_VALUE), "without contents");
    let buffer = s.try_buffer(copied | CL_MEM_READ_ONLY, 4096, host).expect("buffer");
    assert_eq!(info::<u64>(buffer, CL_MEM_FLAGS), Ok(copied | CL_MEM_READ_ONLY));
    // A part that says nothing of it, or less, cannot be changed either.
    let sub = s.sub(buffer, 0, 1024, 512).expect("sub-buffer");
    let narrow = s.sub(buffer, CL_MEM_READ_ONLY, 1024, 512).expect("sub-buffer");
    assert_eq!(s.sub(buffer, CL_MEM_READ_WRITE, 0, 512), Err(CL_INVALID_VALUE));
    assert_eq!(s.sub(buffer, CL_MEM_HOST_WRITE_ONLY, 0, 512), Err(CL_INVALID_VALUE));
    let plain = s.buffer(0, 4096);
    let (whole, zero) = ([64usize, 4, 1], [0usize; 3]);
    for (target, size) in [(buffer, 4096usize), (sub, 512), (narrow, 512)] {
        let (q, mut error) = (s.queue, 0);
        // SAFETY: the pointers are to enough bytes; the calls fail.
        unsafe {
            let refused = [
                clEnqueueWriteBuffer(q, target, 1, 0, 4, host, 0, null(), null_mut()),
                clEnqueueFillBuffer(q, target, host, 4, 0, size, 0, null(), null_mut()),
                clEnqueueCopyBuffer(q, plain, target, 0, 0, size, 0, null(), null_mut()),
                clEnqueueCopyBufferRect(
                    q,
                    plain,
                    target,
                    zero.as_ptr(),
                    zero.as_ptr(),
                    whole.as_ptr(),
                    64,
                    256,
                    64,
                    256,
                    0,
                    null(),
                    null_mut(),
                ),
            ];
            assert_eq!(refused, [CL_INVALID_OPERATION; 4]);
            for map in [CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION] {
                let pointer =
                    clEnqueueMapBuffer(q, target, 1, map, 0, size, 0, null(), null_mut(), &mut error);
                assert!(pointer.is_null() && error == CL_INVALID_OPERATION, "{map}");
            }
        }
    }
    assert_eq!(s.read(buffer, 0, 4096), data);
    release(sub);
    release(narrow);
    release(plain);
    release(buffer);
}
