//! Where buffers live (OpenCL API §5.2.1, §5.5): the application's memory, imported or copied; pinned memory; the device's; and how
//! kernels, maps and transfers keep the two sides the same.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::{again, cl};
use cl::{Handle, Setup, arg, info, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{device::*, kernel::*, memory::*, transfer::*};

const HOST_PTR: u64 = CL_MEM_USE_HOST_PTR;
const SIZE: usize = 64 << 10;
/// CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT and CL_MEM_DEVICE_ADDRESS_EXT.
const ADDRESS: u64 = 0x5000;
const ADDRESSES: u32 = 0x5001;

/// Memory that begins at a page.
struct Pages {
    memory: Vec<u8>,
    start: usize,
}

impl Pages {
    fn new(size: usize) -> Self {
        let memory = vec![0u8; size + 8192];
        let start = memory.as_ptr().addr().next_multiple_of(4096) - memory.as_ptr().addr();
        Pages { memory, start }
    }

    /// So many bytes behind the page's start.
    fn at(&mut self, offset: usize) -> *mut u8 {
        self.memory[self.start + offset..].as_mut_ptr()
    }
}

fn bytes<'a>(start: *const u8, size: usize) -> &'a [u8] {
    // SAFETY: the tests ask for memory that they have, when no command uses it.
    unsafe { std::slice::from_raw_parts(start, size) }
}

fn fill(start: *mut u8, data: &[u8]) {
    // SAFETY: as above.
    unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), start, data.len()) };
}

fn query<T: Default>(device: Handle, param: u32) -> T {
    let mut value = T::default();
    // SAFETY: room for the value.
    let code = unsafe { clGetDeviceInfo(device, param, size_of::<T>(), (&raw mut value).cast(), null_mut()) };
    assert_eq!(code, 0);
    value
}

fn modes_are(word: &str) -> bool {
    std::env::var("PUMICE_TEST_MODES").is_ok_and(|m| m.contains(word))
}

/// On a CPU the device's address of imported memory is the host's: so it shows which buffers are imported.
#[test]
fn the_applications_memory_is_imported_where_it_is_aligned_and_shared() {
    let Some(s) = Setup::new() else { return };
    let mut pages = Pages::new(SIZE);
    let is_cpu = query::<u64>(s.device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU != 0;
    let unified = query::<u32>(s.device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    for (offset, aligned) in [(0, true), (4, false), (1, false)] {
        let host = pages.at(offset);
        let mut error = 1;
        // SAFETY: the list is whole; the memory outlives the buffer.
        let buffer = unsafe {
            let list = [ADDRESS, 1, 0];
            clCreateBufferWithProperties(s.context, list.as_ptr(), HOST_PTR, SIZE, host.cast(), &mut error)
        };
        if error == CL_INVALID_OPERATION {
            println!("SKIP: no device addresses");
            return;
        }
        assert_eq!(error, 0);
        let address = info::<u64>(buffer, ADDRESSES).expect("address");
        let same = address == host.addr() as u64;
        if !unified || !aligned || modes_are("shadow") {
            assert!(!same, "offset {offset}: a copy");
        } else if is_cpu {
            assert!(same, "offset {offset}: imported");
        }
        release(buffer);
    }
}

/// Kernels, reads, writes, copies, fills and maps of a buffer of the application's memory, imported or not.
#[test]
fn the_applications_memory_is_the_same_at_map_unmap_read_and_write() {
    let Some(s) = Setup::new() else { return };
    let inc = kernel(s.context, "kernel void inc(global uchar *p) { p[get_global_id(0)] += 1; }", c"inc");
    let mut pages = Pages::new(SIZE);
    for offset in [0, 1, 64] {
        let mut model = noise(SIZE, offset as u32);
        let host = pages.at(offset);
        fill(host, &model);
        let buffer = s.try_buffer(HOST_PTR, SIZE, host.cast()).expect("buffer");
        assert_eq!(info(buffer, CL_MEM_HOST_PTR), Ok(host.addr()));
        arg(inc, 0, &buffer);
        let run = |model: &mut [u8]| {
            launch(s.queue, inc, SIZE);
            model.iter_mut().for_each(|x| *x = x.wrapping_add(1));
        };
        run(&mut model);
        // A map for reading brings it: host_ptr + offset.
        let p = s.map(buffer, CL_MAP_READ, 100, 5000).expect("map");
        assert_eq!(p, host.wrapping_add(100));
        assert!(bytes(p, 5000) == &model[100..5100], "offset {offset}");
        assert_eq!(s.unmap(buffer, p), 0);
        run(&mut model);
        assert!(s.read(buffer, 7, 1000) == model[7..1007]);
        // What the host writes while it is mapped is the device's after the unmap.
        let p = s.map(buffer, CL_MAP_READ | CL_MAP_WRITE, 1, 3000).expect("map");
        assert!(bytes(p, 3000) == &model[1..3001]);
        fill(p, &noise(3000, 77));
        model[1..3001].copy_from_slice(&noise(3000, 77));
        assert_eq!(s.unmap(buffer, p), 0);
        run(&mut model);
        let p = s.map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 4000, 96).expect("map");
        assert_eq!(p, host.wrapping_add(4000));
        fill(p, &[5; 96]);
        model[4000..4096].fill(5);
        assert_eq!(s.unmap(buffer, p), 0);
        run(&mut model);
        s.write(buffer, 9, &[3; 99]);
        model[9..108].fill(3);
        run(&mut model);
        let other = s.buffer(0, SIZE);
        // SAFETY: ranges inside.
        unsafe {
            let code = clEnqueueCopyBuffer(s.queue, buffer, other, 0, 0, SIZE, 0, null(), null_mut());
            assert_eq!(code, 0);
            let x = 0x0403_0201u32;
            let x = (&raw const x).cast();
            assert_eq!(clEnqueueFillBuffer(s.queue, buffer, x, 4, 4, 400, 0, null(), null_mut()), 0);
        }
        assert!(s.read(other, 0, SIZE) == model, "offset {offset}");
        model[4..404].copy_from_slice(&[1, 2, 3, 4].repeat(100));
        let p = s.map(buffer, CL_MAP_READ, 0, SIZE).expect("map");
        assert!(p == host && bytes(p, SIZE) == model, "offset {offset}");
        assert_eq!(s.unmap(buffer, p), 0);
        s.finish();
        release(other);
        release(buffer);
    }
    // SAFETY: a handle.
    unsafe { clReleaseKernel(inc) };
}

/// A sub-buffer of the application's memory, as an argument and mapped.
#[test]
fn parts_of_the_applications_memory() {
    let Some(s) = Setup::new() else { return };
    let inc = kernel(s.context, "kernel void inc(global uchar *p) { p[get_global_id(0)] += 1; }", c"inc");
    let align = query::<u32>(s.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let mut pages = Pages::new(SIZE);
    for offset in [0, 1] {
        let mut model = noise(SIZE, 3);
        let host = pages.at(offset);
        fill(host, &model);
        let buffer = s.try_buffer(HOST_PTR, SIZE, host.cast()).expect("buffer");
        assert_eq!(s.sub(buffer, 0, align / 2, 64), Err(CL_MISALIGNED_SUB_BUFFER_OFFSET));
        let sub = s.sub(buffer, 0, align * 3, 1000).expect("sub-buffer");
        arg(inc, 0, &sub);
        launch(s.queue, inc, 1000);
        let part = align * 3..align * 3 + 1000;
        model[part.clone()].iter_mut().for_each(|x| *x = x.wrapping_add(1));
        let p = s.map(sub, CL_MAP_READ | CL_MAP_WRITE, 10, 900).expect("map");
        assert_eq!(p, host.wrapping_add(part.start + 10));
        assert!(bytes(p, 900) == &model[part.start + 10..][..900]);
        fill(p, &[1; 900]);
        model[part.start + 10..][..900].fill(1);
        assert_eq!(s.unmap(sub, p), 0);
        assert!(s.read(buffer, 0, SIZE) == model);
        release(sub);
        release(buffer);
    }
    // SAFETY: a handle.
    unsafe { clReleaseKernel(inc) };
}

/// CL_MEM_ALLOC_HOST_PTR: each map shows the same place.
#[test]
fn pinned_memory_is_mapped_where_it_is() {
    let Some(s) = Setup::new() else { return };
    let buffer = s.buffer(CL_MEM_ALLOC_HOST_PTR, SIZE);
    assert_eq!(info(buffer, CL_MEM_HOST_PTR), Ok(0usize), "for CL_MEM_USE_HOST_PTR alone");
    let whole = s.map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE).expect("map");
    fill(whole, &noise(SIZE, 4));
    assert_eq!(s.unmap(buffer, whole), 0);
    let part = s.map(buffer, CL_MAP_READ, 1000, 10).expect("map");
    assert_eq!(part, whole.wrapping_add(1000));
    assert!(bytes(part, 10) == &noise(SIZE, 4)[1000..1010]);
    assert_eq!(s.unmap(buffer, part), 0);
    s.finish();
    release(buffer);
}

/// What a map writes may be on its way to the device while the next map of the same place begins: none sees the other's bytes.
#[test]
fn pinned_memory_is_written_again_and_again() {
    let Some(s) = Setup::new() else { return };
    let (buffer, all) = (s.buffer(CL_MEM_ALLOC_HOST_PTR, SIZE), s.buffer(0, 40 * SIZE));
    let inc = kernel(s.context, "kernel void inc(global uchar *p) { p[get_global_id(0)] += 1; }", c"inc");
    arg(inc, 0, &buffer);
    let sub = s.sub(buffer, 0, SIZE / 2, SIZE / 2).expect("sub-buffer");
    for round in 0..20u8 {
        let data = noise(SIZE, u32::from(round));
        let p = s.map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE).expect("map");
        fill(p, &data);
        assert_eq!(s.unmap(buffer, p), 0);
        let copy = |to: usize| {
            // SAFETY: handles of this context, ranges within the buffers.
            let code = unsafe {
                clEnqueueCopyBuffer(s.queue, buffer, all, 0, to * SIZE, SIZE, 0, null(), null_mut())
            };
            assert_eq!(code, 0);
        };
        copy(2 * usize::from(round));
        // A part is written behind a kernel that changes all of it.
        launch(s.queue, inc, SIZE);
        let p = s.map(sub, CL_MAP_READ | CL_MAP_WRITE, 100, 1000).expect("map");
        assert!(bytes(p, 1000).iter().zip(&data[SIZE / 2 + 100..]).all(|(x, y)| *x == y.wrapping_add(1)));
        fill(p, &[round; 1000]);
        assert_eq!(s.unmap(sub, p), 0);
        copy(2 * usize::from(round) + 1);
    }
    let found = s.read(all, 0, 40 * SIZE);
    for (round, pair) in (0u8..).zip(found.chunks(2 * SIZE)) {
        let mut right = noise(SIZE, u32::from(round));
        assert!(pair[..SIZE] == right, "{round}");
        right.iter_mut().for_each(|x| *x = x.wrapping_add(1));
        right[SIZE / 2 + 100..][..1000].fill(round);
        assert!(pair[SIZE..] == right, "{round}");
    }
    // SAFETY: a handle.
    unsafe { clReleaseKernel(inc) };
    [sub, buffer, all].into_iter().for_each(release);
}

/// Maps show the newest contents, whether or not anything changed them since the last map: the host, a copy, a kernel that is launched again and
/// again, here or in another queue.
#[test]
fn pinned_memory_is_mapped_again_and_again() {
    let Some(s) = Setup::new() else { return };
    let buffer = s.buffer(CL_MEM_ALLOC_HOST_PTR, SIZE);
    let other = s.filled(&noise(SIZE, 3));
    let inc = kernel(s.context, "kernel void inc(global uchar *p) { p[get_global_id(0)] += 1; }", c"inc");
    arg(inc, 0, &buffer);
    // SAFETY: a context and its device.
    let second = unsafe { pumice::entry::queue::clCreateCommandQueue(s.context, s.device, 0, null_mut()) };
    let mut model = noise(SIZE, 1);
    s.write(buffer, 0, &model);
    let look = |model: &[u8], offset: usize, size: usize| {
        let p = s.map(buffer, CL_MAP_READ, offset, size).expect("map");
        assert!(bytes(p, size) == &model[offset..offset + size], "{offset}, {size}");
        assert_eq!(s.unmap(buffer, p), 0);
    };
    for round in 0..12u8 {
        look(&model, 0, SIZE);
        look(&model, 100, 50);
        // Twice in a row, with nothing between that tells of it, and a map between.
        for queue in [s.queue, second] {
            for launches in 1..3 {
                (0..launches).for_each(|_| launch(queue, inc, SIZE));
                // SAFETY: a handle.
                assert_eq!(unsafe { pumice::entry::queue::clFinish(queue) }, 0);
                model.iter_mut().for_each(|x| *x = x.wrapping_add(launches));
                look(&model, 0, SIZE);
                look(&model, SIZE / 2, 1000);
            }
        }
        // Written here, partly over what was written before; then by a copy.
        for (offset, size) in [(1000, 2000), (2500, 1000), (9000, 10), (0, SIZE)] {
            let p = s.map(buffer, CL_MAP_WRITE, offset, size).expect("map");
            assert!(bytes(p, size) == &model[offset..offset + size], "{offset}, {size}, to be written");
            fill(p, &noise(size, 7 + u32::from(round)));
            model[offset..offset + size].copy_from_slice(&noise(size, 7 + u32::from(round)));
            assert_eq!(s.unmap(buffer, p), 0);
            look(&model, offset, size);
            look(&model, offset / 2, size / 2);
        }
        // SAFETY: handles of this context, ranges within the buffers.
        let code = unsafe { clEnqueueCopyBuffer(s.queue, other, buffer, 0, 500, 700, 0, null(), null_mut()) };
        assert_eq!(code, 0);
        model[500..1200].copy_from_slice(&noise(SIZE, 3)[..700]);
        look(&model, 0, SIZE);
        let p = s.map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 300, 400).expect("map");
        fill(p, &[round; 400]);
        model[300..700].fill(round);
        assert_eq!(s.unmap(buffer, p), 0);
        assert!(s.read(buffer, 0, SIZE) == model);
    }
    // SAFETY: handles.
    unsafe {
        clReleaseKernel(inc);
        pumice::entry::queue::clReleaseCommandQueue(second);
    }
    [buffer, other].into_iter().for_each(release);
}

/// clEnqueueMigrateMemObjects: the contents stay, unless they are given up.
#[test]
fn migration_keeps_the_contents() {
    let Some(s) = Setup::new() else { return };
    let data = noise(SIZE, 6);
    let (a, b) = (s.filled(&data), s.buffer(CL_MEM_ALLOC_HOST_PTR, SIZE));
    let inc = kernel(s.context, "kernel void inc(global uchar *p) { p[get_global_id(0)] += 1; }", c"inc");
    let migrate = |list: &[Handle], flags: u64| {
        let mut event = null_mut();
        // SAFETY: a list of its length.
        let code = unsafe {
            let (n, p) = (list.len() as u32, list.as_ptr());
            clEnqueueMigrateMemObjects(s.queue, n, p, flags, 0, null(), &mut event)
        };
        assert_eq!(code, 0);
        // SAFETY: a handle.
        unsafe {
            let mut kind = 0u32;
            let place: *mut c_void = (&raw mut kind).cast();
            let code =
                pumice::entry::event::clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, place, null_mut());
            assert_eq!((code, kind), (0, CL_COMMAND_MIGRATE_MEM_OBJECTS));
            pumice::entry::event::clReleaseEvent(event);
        }
    };
    migrate(&[a, b], CL_MIGRATE_MEM_OBJECT_HOST);
    arg(inc, 0, &a);
    launch(s.queue, inc, SIZE);
    migrate(&[a], 0);
    let sub = s.sub(a, 0, 4096, 4096).expect("sub-buffer");
    migrate(&[sub], CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    migrate(&[a], CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    let out = s.read(a, 0, 4096);
    assert!(out.iter().zip(&data).all(|(x, y)| *x == y.wrapping_add(1)), "what was not given up");
    // SAFETY: a handle.
    unsafe { clReleaseKernel(inc) };
    [sub, a, b].into_iter().for_each(release);
}

/// The largest buffer that the device allows is refused above its limit and never crashes below it.
#[test]
fn sizes_up_to_the_limit() {
    let Some(s) = Setup::new() else { return };
    let max = query::<u64>(s.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    let all = query::<u64>(s.device, CL_DEVICE_GLOBAL_MEM_SIZE);
    assert!(max <= all);
    let above = usize::try_from(max).expect("size") + 1;
    assert_eq!(s.try_buffer(0, above, null_mut()), Err(CL_INVALID_BUFFER_SIZE));
    // Not the limit itself: a CPU's memory is everybody's.
    match s.try_buffer(0, usize::try_from(max.min(700 << 20)).expect("size"), null_mut()) {
        Ok(buffer) => {
            let end = info::<usize>(buffer, CL_MEM_SIZE).expect("size");
            s.write(buffer, end - 5, &[1, 2, 3, 4, 5]);
            assert_eq!(s.read(buffer, end - 5, 5), [1, 2, 3, 4, 5]);
            release(buffer);
        }
        Err(code) => assert_eq!(code, CL_MEM_OBJECT_ALLOCATION_FAILURE),
    }
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}
