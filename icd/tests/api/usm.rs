//! cl_intel_unified_shared_memory on the first device.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::{again, cl};
use cl::{Setup, arg, kernel, launch, noise};
use opencl_sys::*;
use pumice::entry::{device::*, kernel::*, svm::*, transfer::*, usm::*};

fn query(s: &Setup, param: u32) -> u64 {
    let mut value = 0u64;
    // SAFETY: eight bytes.
    let code = unsafe { clGetDeviceInfo(s.device, param, 8, (&raw mut value).cast(), null_mut()) };
    assert_eq!(code, 0);
    value
}

/// A device that has allocations of its own; whether it shares others with the host.
fn setup() -> Option<(Setup, bool)> {
    let s = Setup::new()?;
    if query(&s, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) == 0 {
        println!("SKIP: no device addresses");
        return None;
    }
    let shares = query(&s, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL) != 0;
    assert_eq!(shares, query(&s, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL) != 0);
    assert_eq!(query(&s, CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL), 0);
    Some((s, shares))
}

#[derive(Clone, Copy, PartialEq)]
enum Of {
    Host,
    Device,
    Shared,
}

fn allocate(s: &Setup, of: Of, properties: &[u64], size: usize, align: u32) -> Result<*mut c_void, i32> {
    let mut error = 1;
    let list = if properties.is_empty() { null() } else { properties.as_ptr() };
    // SAFETY: the list ends with a 0.
    let pointer = unsafe {
        match of {
            Of::Host => clHostMemAllocINTEL(s.context, list, size, align, &mut error),
            Of::Device => clDeviceMemAllocINTEL(s.context, s.device, list, size, align, &mut error),
            Of::Shared => clSharedMemAllocINTEL(s.context, s.device, list, size, align, &mut error),
        }
    };
    assert_eq!(pointer.is_null(), error != 0);
    if error == 0 { Ok(pointer) } else { Err(error) }
}

fn copy(s: &Setup, to: *mut c_void, from: *const c_void, size: usize) -> i32 {
    // SAFETY: the tests give ranges of the size.
    unsafe { clEnqueueMemcpyINTEL(s.queue, 1, to, from, size, 0, null(), null_mut()) }
}

fn fill(s: &Setup, to: *mut c_void, pattern: &[u8], size: usize) -> i32 {
    let p = pattern.as_ptr().cast();
    // SAFETY: as above.
    unsafe { clEnqueueMemFillINTEL(s.queue, to, p, pattern.len(), size, 0, null(), null_mut()) }
}

/// A query about an allocation.
fn about<T: Copy + Default>(s: &Setup, pointer: *const c_void, param: u32) -> T {
    let mut value = T::default();
    let mut size = 0;
    // SAFETY: a place of the size.
    let code = unsafe {
        let place = (&raw mut value).cast();
        clGetMemAllocInfoINTEL(s.context, pointer, param, size_of::<T>(), place, &mut size)
    };
    assert_eq!((code, size), (0, size_of::<T>()));
    value
}

#[test]
fn memory_is_copied_filled_and_reached_by_kernels() {
    let Some((s, shares)) = setup() else { return };
    let source = "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }
        kernel void through(global ulong *p) { ((global int *)p[0])[get_global_id(0)] *= 2; }";
    let (add, through) = (kernel(s.context, source, c"add"), kernel(s.context, source, c"through"));
    arg(add, 1, &5i32);
    let all = if shares { vec![Of::Device, Of::Host, Of::Shared] } else { vec![Of::Device] };
    let data = noise(4096, 3);
    let word =
        |bytes: &[u8], i: usize| i32::from_ne_bytes(bytes[4 * i..4 * i + 4].try_into().expect("4 bytes"));
    for of in all {
        let p = allocate(&s, of, &[], 4096, 0).expect("memory");
        let pointers = allocate(&s, of, &[], 64, 64).expect("memory");
        assert!(p.addr().is_multiple_of(128));
        assert_eq!(copy(&s, p, data.as_ptr().cast(), 4096), 0);
        assert_eq!(clSetKernelArgMemPointerINTEL(add, 0, p.wrapping_byte_add(16)), 0);
        launch(s.queue, add, 1000);
        assert_eq!(copy(&s, pointers, (&raw const p).cast(), 8), 0);
        assert_eq!(clSetKernelArgMemPointerINTEL(through, 0, pointers), 0);
        let param = match of {
            Of::Host => CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
            Of::Device => CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
            Of::Shared => CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
        };
        let (yes, no) = (1u32, 0u32);
        // SAFETY: four bytes, and one pointer.
        unsafe {
            assert_eq!(clSetKernelExecInfo(through, param, 4, (&raw const yes).cast()), 0);
            launch(s.queue, through, 1024);
            assert_eq!(clSetKernelExecInfo(through, param, 4, (&raw const no).cast()), 0);
            let list = CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL;
            assert_eq!(clSetKernelExecInfo(through, list, 8, (&raw const p).cast()), 0);
            launch(s.queue, through, 1024);
        }
        let mut back = vec![0u8; 4096];
        assert_eq!(copy(&s, back.as_mut_ptr().cast(), p, 4096), 0);
        for i in 0..1024 {
            let added = if (4..1004).contains(&i) { 5 } else { 0 };
            assert_eq!(word(&back, i), word(&data, i).wrapping_add(added).wrapping_mul(4), "{i}");
        }
        if of != Of::Device {
            // SAFETY: the host's pointer, too; nothing uses it.
            let here = unsafe { std::slice::from_raw_parts(p.cast::<u8>(), 4096) };
            assert_eq!(here, back);
        }
        assert_eq!(fill(&s, p.wrapping_byte_add(8), &[7, 8], 64), 0);
        assert_eq!(copy(&s, p.wrapping_byte_add(2048), p, 1024), 0, "within it");
        assert_eq!(copy(&s, back.as_mut_ptr().cast(), p.wrapping_byte_add(2048), 128), 0);
        assert!(back[8..72].chunks(2).all(|c| c == [7, 8]));
        assert_eq!(clMemBlockingFreeINTEL(s.context, p), 0);
        assert_eq!(clMemFreeINTEL(s.context, pointers), 0);
    }
    // SAFETY: handles.
    unsafe {
        clReleaseKernel(add);
        clReleaseKernel(through);
    }
}

#[test]
fn allocations_are_known() {
    let Some((s, shares)) = setup() else { return };
    let mut all = vec![(Of::Device, CL_MEM_TYPE_DEVICE_INTEL)];
    if shares {
        all.extend([(Of::Host, CL_MEM_TYPE_HOST_INTEL), (Of::Shared, CL_MEM_TYPE_SHARED_INTEL)]);
    }
    for (of, kind) in all {
        let p = allocate(&s, of, &[CL_MEM_ALLOC_FLAGS_INTEL, 1, 0], 1000, 16).expect("memory");
        let inside = p.wrapping_byte_add(999);
        assert_eq!(about::<u32>(&s, inside, CL_MEM_ALLOC_TYPE_INTEL), kind);
        assert_eq!(about::<usize>(&s, inside, CL_MEM_ALLOC_BASE_PTR_INTEL), p.addr());
        assert_eq!(about::<usize>(&s, inside, CL_MEM_ALLOC_SIZE_INTEL), 1000);
        let device = if of == Of::Host { 0 } else { s.device.addr() };
        assert_eq!(about::<usize>(&s, inside, CL_MEM_ALLOC_DEVICE_INTEL), device);
        assert_eq!(about::<u64>(&s, inside, CL_MEM_ALLOC_FLAGS_INTEL as u32), 1);
        let outside = p.wrapping_byte_add(1000);
        assert_eq!(about::<u32>(&s, outside, CL_MEM_ALLOC_TYPE_INTEL), CL_MEM_TYPE_UNKNOWN_INTEL);
        assert_eq!(about::<usize>(&s, outside, CL_MEM_ALLOC_SIZE_INTEL), 0);
        assert_eq!(clMemFreeINTEL(s.context, inside), CL_INVALID_VALUE);
        assert_eq!(clMemFreeINTEL(s.context, p), 0);
        assert_eq!(clMemFreeINTEL(s.context, p), CL_INVALID_VALUE, "once");
    }
    assert_eq!(clMemFreeINTEL(s.context, null_mut()), 0);
}

/// Pointers to unified memory where commands on buffers and on shared virtual memory take the host's.
#[test]
fn pointers_stand_for_the_hosts() {
    let Some((s, shares)) = setup() else { return };
    let data = noise(5000, 11);
    let q = s.queue;
    let buffer = s.filled(&data[..4096]);
    let all = if shares { vec![Of::Device, Of::Host, Of::Shared] } else { vec![Of::Device] };
    for of in all {
        let p = allocate(&s, of, &[], 4096, 0).expect("memory");
        let mut back = vec![0u8; 4096];
        // SAFETY: ranges inside the memory; all is waited for.
        unsafe {
            // From the buffer by the pointer, and back to another place of the buffer.
            assert_eq!(clEnqueueReadBuffer(q, buffer, 0, 100, 1000, p, 0, null(), null_mut()), 0);
            let there = p.wrapping_byte_add(10);
            assert_eq!(clEnqueueWriteBuffer(q, buffer, 1, 2000, 900, there, 0, null(), null_mut()), 0);
            assert_eq!(s.read(buffer, 2000, 900), data[110..1010]);
            assert_eq!(copy(&s, back.as_mut_ptr().cast(), p, 1000), 0);
            assert_eq!(back[..1000], data[100..1100]);
            s.write(buffer, 2000, &data[2000..2900]);
            // Boxes.
            let (zero, region) = ([0usize; 3], [16usize, 4, 2]);
            let read = clEnqueueReadBufferRect(
                q,
                buffer,
                1,
                zero.as_ptr(),
                zero.as_ptr(),
                region.as_ptr(),
                64,
                512,
                16,
                64,
                p,
                0,
                null(),
                null_mut(),
            );
            let write = clEnqueueWriteBufferRect(
                q,
                buffer,
                1,
                zero.as_ptr(),
                zero.as_ptr(),
                region.as_ptr(),
                64,
                512,
                16,
                64,
                p,
                0,
                null(),
                null_mut(),
            );
            let refused = if of == Of::Device { CL_INVALID_VALUE } else { 0 };
            assert_eq!((read, write), (refused, refused));
            assert_eq!(s.read(buffer, 0, 4096), data[..4096]);
            if of == Of::Device {
                let beyond = p.wrapping_byte_add(4000);
                let read = clEnqueueReadBuffer(q, buffer, 1, 0, 97, beyond, 0, null(), null_mut());
                let write = clEnqueueWriteBuffer(q, buffer, 1, 0, 97, beyond, 0, null(), null_mut());
                assert_eq!((read, write), (CL_INVALID_VALUE, CL_INVALID_VALUE), "beyond its end");
                assert_eq!(s.try_buffer(CL_MEM_COPY_HOST_PTR, 64, p), Err(CL_INVALID_HOST_PTR));
            }
        }
        if shares {
            shared_virtual_and(&s, p, &data);
        }
        assert_eq!(clMemFreeINTEL(s.context, p), 0);
    }
    cl::release(buffer);
}

/// clEnqueueSVMMemcpy and clEnqueueSVMMemFill with a pointer to 4096 bytes, the host's, and shared virtual memory.
fn shared_virtual_and(s: &Setup, p: *mut c_void, data: &[u8]) {
    let q = s.queue;
    // SAFETY: ranges inside the memory; all is waited for.
    unsafe {
        let v = clSVMAlloc(s.context, 0, 4096, 0);
        assert!(!v.is_null());
        let copy = |to: *mut c_void, from: *const c_void| {
            clEnqueueSVMMemcpy(q, 0, to, from, 4000, 0, null(), null_mut())
        };
        let mut back = vec![0u8; 4000];
        assert_eq!(copy(v, data.as_ptr().cast()), 0);
        assert_eq!(copy(p, v), 0);
        let pattern = 0x0708_0910u32.to_ne_bytes();
        let fill = clEnqueueSVMMemFill(q, p, pattern.as_ptr().cast(), 4, 40, 0, null(), null_mut());
        assert_eq!(fill, 0);
        assert_eq!(copy(v, p), 0);
        assert_eq!(copy(back.as_mut_ptr().cast(), v), 0);
        s.finish();
        assert!(back[..40].chunks(4).all(|c| c == pattern) && back[40..] == data[40..4000]);
        clSVMFree(s.context, v);
    }
}

#[test]
fn what_is_refused() {
    let Some((s, shares)) = setup() else { return };
    let of = Of::Device;
    for (properties, size, align, error) in [
        (&[][..], 0, 0, CL_INVALID_BUFFER_SIZE),
        (&[], usize::MAX, 0, CL_INVALID_BUFFER_SIZE),
        (&[], 64, 3, CL_INVALID_VALUE),
        (&[], 64, 256, CL_INVALID_VALUE),
        (&[77, 0, 0], 64, 0, CL_INVALID_PROPERTY),
        (&[CL_MEM_ALLOC_FLAGS_INTEL, 8, 0], 64, 0, CL_INVALID_PROPERTY),
        (&[CL_MEM_ALLOC_FLAGS_INTEL, 2, 0], 64, 0, CL_INVALID_PROPERTY),
        (&[CL_MEM_ALLOC_FLAGS_INTEL, 1, CL_MEM_ALLOC_FLAGS_INTEL, 1, 0], 64, 0, CL_INVALID_PROPERTY),
    ] {
        assert_eq!(allocate(&s, of, properties, size, align), Err(error), "{properties:?} {size} {align}");
    }
    if shares {
        assert!(allocate(&s, Of::Shared, &[CL_MEM_ALLOC_FLAGS_INTEL, 6, 0], 64, 0).is_err(), "both places");
        let p = allocate(&s, Of::Shared, &[CL_MEM_ALLOC_FLAGS_INTEL, 4, 0], 64, 0).expect("memory");
        assert_eq!(clMemFreeINTEL(s.context, p), 0);
    } else {
        assert_eq!(allocate(&s, Of::Host, &[], 64, 0), Err(CL_INVALID_OPERATION));
        assert_eq!(allocate(&s, Of::Shared, &[], 64, 0), Err(CL_INVALID_OPERATION));
    }
    let p = allocate(&s, of, &[], 64, 0).expect("memory");
    let mut x = [0u8; 64];
    let here: *mut c_void = x.as_mut_ptr().cast();
    assert_eq!(copy(&s, null_mut(), here, 4), CL_INVALID_VALUE);
    assert_eq!(copy(&s, here, p, 65), CL_INVALID_VALUE, "beyond its end");
    assert_eq!(copy(&s, p.wrapping_byte_add(8), p, 9), CL_MEM_COPY_OVERLAP);
    assert_eq!(fill(&s, p.wrapping_byte_add(2), &[0; 4], 8), CL_INVALID_VALUE);
    assert_eq!(fill(&s, p, &[0; 3], 9), CL_INVALID_VALUE);
    assert_eq!(
        s.try_buffer(CL_MEM_USE_HOST_PTR, 64, p),
        Err(CL_INVALID_HOST_PTR),
        "the host has no such pointer"
    );
    // SAFETY: hints about memory that is there.
    unsafe {
        let q = s.queue;
        assert_eq!(clEnqueueMigrateMemINTEL(q, p, 64, 0, 0, null(), null_mut()), 0);
        assert_eq!(clEnqueueMigrateMemINTEL(q, p, 64, 4, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueMemAdviseINTEL(q, p, 64, 0x4208, 0, null(), null_mut()), 0);
        assert_eq!(clEnqueueMemAdviseINTEL(q, p, 64, 1, 0, null(), null_mut()), CL_INVALID_VALUE);
    }
    s.finish();
    assert_eq!(clMemFreeINTEL(s.context, p), 0);
}

#[test]
fn the_same_in_other_ways() {
    again::again_in_ways(module_path!(), &["arena", "placed", "off"]);
}
