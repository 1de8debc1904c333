//! Shared virtual memory and device addresses, on the first device.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{again, cl};
use cl::{Handle, Setup, arg, info, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{device::*, kernel::*, memory::*, svm::*};

/// Returns whether the device has shared virtual memory.
fn capabilities(s: &Setup) -> u64 {
    let mut value = 0u64;
    // SAFETY: eight bytes.
    let code = unsafe {
        clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, 8, (&raw mut value).cast(), null_mut())
    };
    assert_eq!(code, 0);
    value
}

fn setup() -> Option<Setup> {
    let s = Setup::new()?;
    if capabilities(&s) == 0 {
        println!("SKIP: no shared virtual memory");
        let mut x = 0u32;
        let p = (&raw mut x).cast::<c_void>();
        // SAFETY: four bytes; all of this is refused.
        unsafe {
            assert!(clSVMAlloc(s.context, 0, 64, 0).is_null());
            let refused = CL_INVALID_OPERATION;
            assert_eq!(clEnqueueSVMMap(s.queue, 1, CL_MAP_READ, p, 4, 0, null(), null_mut()), refused);
            assert_eq!(clEnqueueSVMUnmap(s.queue, p, 0, null(), null_mut()), refused);
            assert_eq!(clEnqueueSVMMemFill(s.queue, p, p, 4, 4, 0, null(), null_mut()), refused);
            assert_eq!(
                clEnqueueSVMFree(s.queue, 0, null_mut(), None, null_mut(), 0, null(), null_mut()),
                refused
            );
        }
        return None;
    }
    Some(s)
}

#[repr(C)]
struct Node {
    next: *mut Node,
    value: u64,
}

const LISTS: &str = "
typedef struct node { global struct node *next; ulong value; } node;
kernel void walk(global node *list, global ulong *sum) {
    ulong total = 0;
    for (; list; list = list->next) { total = total * 3 + list->value; list->value = total; }
    *sum = total;
}
kernel void build(global node *nodes, uint count, global ulong *first) {
    for (uint i = 0; i < count; i++) {
        nodes[i].value = i * 7;
        nodes[i].next = i ? &nodes[i - 1] : 0;
    }
    *first = (ulong)&nodes[count - 1];
}";

fn alloc<T>(s: &Setup, flags: u64, count: usize) -> *mut T {
    // SAFETY: a valid context.
    let p = unsafe { clSVMAlloc(s.context, flags, count * size_of::<T>(), 0) };
    assert!(!p.is_null() && p.addr().is_multiple_of(128));
    p.cast()
}

#[test]
fn the_kernel_walks_the_hosts_list_and_the_host_the_kernels() {
    let Some(s) = setup() else { return };
    let (walk, build) = (kernel(s.context, LISTS, c"walk"), kernel(s.context, LISTS, c"build"));
    // Each node of the list in an allocation of its own.
    let nodes: Vec<*mut Node> = (0..20).map(|_| alloc(&s, CL_MEM_SVM_FINE_GRAIN_BUFFER, 1)).collect();
    let out = alloc::<u64>(&s, 0, 2);
    let mut total = 0u64;
    // SAFETY: fine-grain memory that no command uses while the host does.
    unsafe {
        for (i, node) in nodes.iter().enumerate() {
            let next = nodes.get(i + 1).copied().unwrap_or(null_mut());
            node.write(Node { next, value: i as u64 + 100 });
            total = total * 3 + i as u64 + 100;
        }
        assert_eq!(clSetKernelArgSVMPointer(walk, 0, nodes[0].cast_const().cast()), 0);
        assert_eq!(clSetKernelArgSVMPointer(walk, 1, out.cast_const().cast()), 0);
        let size = nodes.len() * 8;
        let code = clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, size, nodes.as_ptr().cast());
        assert_eq!(code, 0);
        launch(s.queue, walk, 1);
        let code = clEnqueueSVMMap(s.queue, 1, CL_MAP_READ, out.cast(), 16, 0, null(), null_mut());
        assert_eq!(code, 0);
        assert_eq!(out.read(), total);
        assert_eq!((**nodes.last().expect("nodes")).value, total);
        assert_eq!(clEnqueueSVMUnmap(s.queue, out.cast(), 0, null(), null_mut()), 0);
        // The reverse.
        let array = alloc::<Node>(&s, CL_MEM_SVM_FINE_GRAIN_BUFFER, 50);
        assert_eq!(clSetKernelArgSVMPointer(build, 0, array.cast_const().cast()), 0);
        arg(build, 1, &50u32);
        assert_eq!(clSetKernelArgSVMPointer(build, 2, out.add(1).cast_const().cast()), 0);
        launch(s.queue, build, 1);
        let code = clEnqueueSVMMap(s.queue, 1, CL_MAP_READ, out.cast(), 16, 0, null(), null_mut());
        assert_eq!(code, 0);
        let mut node = std::ptr::with_exposed_provenance_mut::<Node>(out.add(1).read() as usize);
        assert_eq!(node, array.add(49), "the device's pointers are the host's");
        for i in (0..50).rev() {
            assert_eq!((*node).value, i * 7);
            node = (*node).next;
        }
        assert!(node.is_null());
        assert_eq!(clEnqueueSVMUnmap(s.queue, out.cast(), 0, null(), null_mut()), 0);
        s.finish();
        clReleaseKernel(walk);
        clReleaseKernel(build);
        clSVMFree(s.context, array.cast());
        clSVMFree(s.context, out.cast());
        clSVMFree(s.context, null_mut());
        nodes.iter().for_each(|n| clSVMFree(s.context, n.cast()));
    }
}

static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn freed(_: Handle, count: u32, list: *mut *mut c_void, user: *mut c_void) {
    // SAFETY: the list that was given; the user data is the context.
    for p in unsafe { std::slice::from_raw_parts(list, count as usize) } {
        // SAFETY: as above.
        unsafe { clSVMFree(user, *p) };
    }
    FREED.fetch_add(count as usize, Ordering::Relaxed);
}

#[test]
fn commands_on_shared_memory() {
    let Some(s) = setup() else { return };
    let q = s.queue;
    let (a, b) = (alloc::<u8>(&s, 0, 5000), alloc::<u8>(&s, CL_MEM_READ_ONLY, 5000));
    let data = noise(5000, 5);
    let mut back = vec![0u8; 5000];
    // SAFETY: ranges inside the memory; the host looks when the commands are done.
    unsafe {
        let (pa, pb) = (a.cast::<c_void>(), b.cast::<c_void>());
        let copy = |to, from: *const c_void, n| clEnqueueSVMMemcpy(q, 1, to, from, n, 0, null(), null_mut());
        assert_eq!(copy(pa, data.as_ptr().cast(), 5000), 0);
        assert_eq!(copy(pb, pa, 5000), 0);
        let p = [1u8, 2, 3, 4];
        let fill =
            |to, n, size| clEnqueueSVMMemFill(q, to, p.as_ptr().cast(), n, size, 0, null(), null_mut());
        assert_eq!(fill(b.add(8).cast(), 4, 400), 0);
        assert_eq!(copy(back.as_mut_ptr().cast(), pb, 5000), 0);
        assert!(back[..8] == data[..8] && back[408..] == data[408..]);
        assert!(back[8..408].chunks(4).all(|c| c == p));
        assert_eq!(copy(pa, a.add(10).cast(), 11), CL_MEM_COPY_OVERLAP);
        assert_eq!(copy(null_mut(), pa, 1), CL_INVALID_VALUE);
        assert_eq!(copy(pa, null(), 1), CL_INVALID_VALUE);
        assert_eq!(fill(a.add(2).cast(), 4, 8), CL_INVALID_VALUE);
        assert_eq!(fill(pa, 3, 9), CL_INVALID_VALUE);
        assert_eq!(fill(pa, 4, 7), CL_INVALID_VALUE);
        let map = |flags, p, n| clEnqueueSVMMap(q, 1, flags, p, n, 0, null(), null_mut());
        assert_eq!(map(CL_MAP_WRITE, null_mut(), 1), CL_INVALID_VALUE);
        assert_eq!(map(CL_MAP_WRITE, pa, 0), CL_INVALID_VALUE);
        assert_eq!(map(1 << 9, pa, 1), CL_INVALID_VALUE);
        assert_eq!(clEnqueueSVMUnmap(q, null_mut(), 0, null(), null_mut()), CL_INVALID_VALUE);
        let migrate = |list: &mut [*const c_void], sizes: *const usize, flags| {
            let n = list.len() as u32;
            clEnqueueSVMMigrateMem(q, n, list.as_mut_ptr(), sizes, flags, 0, null(), null_mut())
        };
        assert_eq!(migrate(&mut [pa, pb], null(), 0), 0);
        assert_eq!(migrate(&mut [pa, b.add(4000).cast_const().cast()], [0, 1000].as_ptr(), 1), 0);
        assert_eq!(
            migrate(&mut [pa, b.add(4000).cast_const().cast()], [0, 1001].as_ptr(), 1),
            CL_INVALID_VALUE
        );
        assert_eq!(migrate(&mut [pa], null(), 4), CL_INVALID_VALUE);
        assert_eq!(migrate(&mut [], null(), 0), CL_INVALID_VALUE);
        let free =
            |list: *mut *mut c_void, n, f, u| clEnqueueSVMFree(q, n, list, f, u, 0, null(), null_mut());
        assert_eq!(free(null_mut(), 1, None, null_mut()), CL_INVALID_VALUE);
        assert_eq!(free([pa, pb].as_mut_ptr(), 2, Some(freed), s.context), 0);
        s.finish();
        assert_eq!(FREED.load(Ordering::Relaxed), 2);
        let c = alloc::<u8>(&s, 0, 100);
        assert_eq!(free([c.cast()].as_mut_ptr(), 1, None, null_mut()), 0);
        s.finish();
        // What clSVMAlloc refuses.
        for (flags, size, align) in [
            (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0),
            (CL_MEM_SVM_ATOMICS, 64, 0),
            (CL_MEM_USE_HOST_PTR, 64, 0),
            (0, 0, 0),
            (0, usize::MAX, 0),
            (0, 64, 3),
            (0, 64, 256),
        ] {
            assert!(clSVMAlloc(s.context, flags, size, align).is_null(), "{flags:#x} {size} {align}");
        }
        assert!(clSVMAlloc(q, 0, 64, 0).is_null());
    }
}

#[test]
fn buffers_of_shared_memory() {
    let Some(s) = setup() else { return };
    buffers_of(&s, CL_MEM_SVM_FINE_GRAIN_BUFFER);
    buffers_of(&s, 0);
}

fn buffers_of(s: &Setup, flags: u64) {
    let p = alloc::<u8>(s, flags, 8192);
    let host: *mut c_void = p.cast();
    // SAFETY: the memory is of this size.
    let map = |flags| unsafe {
        assert_eq!(clEnqueueSVMMap(s.queue, 1, flags, p.cast(), 8192, 0, null(), null_mut()), 0);
    };
    // SAFETY: mapped.
    let unmap = || unsafe { assert_eq!(clEnqueueSVMUnmap(s.queue, p.cast(), 0, null(), null_mut()), 0) };
    assert_eq!(s.try_buffer(CL_MEM_USE_HOST_PTR, 8193, host), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(s.try_buffer(CL_MEM_COPY_HOST_PTR, 8193, host), Err(CL_INVALID_BUFFER_SIZE));
    map(CL_MAP_WRITE_INVALIDATE_REGION);
    // SAFETY: mapped.
    unsafe { p.write_bytes(3, 8192) };
    unmap();
    let buffer = s.try_buffer(CL_MEM_USE_HOST_PTR, 8192, host).expect("buffer");
    let sub = s.sub(buffer, 0, 4096, 1024).expect("sub-buffer");
    assert_eq!(info(buffer, CL_MEM_USES_SVM_POINTER), Ok(1u32));
    assert_eq!(info(sub, CL_MEM_USES_SVM_POINTER), Ok(1u32));
    assert_eq!(info(sub, CL_MEM_HOST_PTR), Ok(p.addr() + 4096));
    assert_eq!(s.read(sub, 0, 1024), vec![3; 1024]);
    s.write(sub, 1, &[9; 10]);
    map(CL_MAP_READ);
    // SAFETY: mapped.
    assert_eq!(unsafe { (p.add(4096).read(), p.add(4097).read(), p.add(4107).read()) }, (3, 9, 3));
    unmap();
    let mapped = s.map(sub, CL_MAP_WRITE, 8, 8).expect("map");
    assert_eq!(mapped, p.wrapping_add(4104));
    // SAFETY: mapped, eight bytes.
    unsafe {
        assert_eq!((mapped.read(), mapped.add(2).read()), (9, 9));
        mapped.add(7).write(50);
    }
    assert_eq!(s.unmap(sub, mapped), 0);
    assert_eq!(s.read(sub, 14, 3), [3, 50, 3]);
    let twice =
        kernel(s.context, "kernel void twice(global uchar *p) { p[get_global_id(0)] *= 2; }", c"twice");
    arg(twice, 0, &sub);
    for round in 1..=3 {
        // The same launch again and again.
        launch(s.queue, twice, 1024);
        map(CL_MAP_READ);
        // SAFETY: mapped; the kernel is done.
        let seen = unsafe { [4095, 4096, 4097, 4111].map(|i| p.add(i).read()) };
        assert_eq!(seen, [3, 3 << round, 9 << round, ((50 << round) & 255) as u8]);
        unmap();
    }
    // A part that begins at an odd byte.
    let odd = s.try_buffer(CL_MEM_USE_HOST_PTR, 100, host.wrapping_byte_add(5001)).expect("buffer");
    arg(twice, 0, &odd);
    for round in 1..=3 {
        launch(s.queue, twice, 100);
        assert_eq!(s.read(odd, 0, 100), vec![3 << (3 + round); 100]);
    }
    assert_eq!(s.read(buffer, 5000, 2), [24, 192]);
    s.write(odd, 0, &[24; 100]);
    release(odd);
    let mapped = s.map(buffer, CL_MAP_READ, 4096, 2).expect("map");
    // SAFETY: mapped, two bytes.
    assert_eq!(unsafe { (mapped.read(), mapped.add(1).read()) }, (24, 72));
    assert_eq!(s.unmap(buffer, mapped), 0);
    s.finish();
    // SAFETY: a handle.
    unsafe { clReleaseKernel(twice) };
    release(sub);
    release(buffer);
    // SAFETY: allocated above.
    unsafe { clSVMFree(s.context, p.cast()) };
}

/// Arguments that are beginnings of allocations, and such as are not; what lies at a pointer becomes another allocation.
#[test]
fn pointers_as_arguments() {
    let Some(s) = setup() else { return };
    let source = "
        kernel void shift(global uint *a, global uint *b, uint n) {
            size_t i = get_global_id(0);
            b[i] = a[i] + n;
        }
        kernel void before(global uint *p) { p[-1] = p[0] + 1; }
        kernel void back(global uint *p, int by) {
            int i = get_global_id(0);
            p[by - i] = 3 * i;
        }
        kernel void where(global uint *p, global const uint *q, global ulong *out) {
            out[0] = (ulong)p;
            out[1] = (ulong)(q + 3);
            out[2] = p == q;
        }";
    let names = [c"shift", c"before", c"where", c"back"];
    let [shift, before, place, back] = names.map(|name| kernel(s.context, source, name));
    let fine = CL_MEM_SVM_FINE_GRAIN_BUFFER;
    let set = |kernel, index, p: *const u32| {
        // SAFETY: a valid kernel.
        assert_eq!(unsafe { clSetKernelArgSVMPointer(kernel, index, p.cast()) }, 0);
    };
    // SAFETY: fine-grain memory that no command uses while the host does.
    unsafe {
        let out = alloc::<u64>(&s, fine, 3);
        let other = alloc::<u32>(&s, fine, 100);
        let a = alloc::<u32>(&s, fine, 100);
        (0..100).for_each(|i| a.add(i).write(i as u32));
        // Two parts of one allocation, the first of which begins it; then neither; then the same twice.
        for (from, to, n) in [(0, 50, 7u32), (20, 70, 9), (0, 0, 1)] {
            let wanted: Vec<u32> = (0..30).map(|i| a.add(from + i).read() + n).collect();
            set(shift, 0, a.add(from));
            set(shift, 1, a.add(to));
            arg(shift, 2, &n);
            launch(s.queue, shift, 30);
            s.finish();
            assert_eq!((0..30).map(|i| a.add(to + i).read()).collect::<Vec<_>>(), wanted);
        }
        set(before, 0, a.add(10));
        launch(s.queue, before, 1);
        s.finish();
        assert_eq!(a.add(9).read(), a.add(10).read() + 1);
        // From the start, then from within, as aligned as a start and not, and from the start again, each twice: what lies before is
        // reached (§5.6.2: any pointer into the region).
        for (from, by) in [(0, 29), (64, -1), (96, -40), (61, -2), (0, 30)] {
            set(back, 0, a.add(from));
            arg(back, 1, &by);
            for _ in 0..2 {
                (0..100).for_each(|i| a.add(i).write(7));
                launch(s.queue, back, 30);
                s.finish();
                let last = from as i32 + by;
                for i in 0..100 {
                    let wanted = if (last - 29..=last).contains(&i) { 3 * (last - i) as u32 } else { 7 };
                    assert_eq!(a.add(i as usize).read(), wanted, "{from} {by} {i}");
                }
            }
        }
        for (p, q) in [(a, a), (a, a.add(1)), (a.add(5), a), (other, a)] {
            set(place, 0, p);
            set(place, 1, q);
            assert_eq!(clSetKernelArgSVMPointer(place, 2, out.cast_const().cast()), 0);
            launch(s.queue, place, 1);
            s.finish();
            let same = u64::from(p == q);
            assert_eq!(std::slice::from_raw_parts(out, 3), [p.addr() as u64, q.add(3).addr() as u64, same]);
        }
        // The kernels keep their arguments; what lies there is freed, and is a part of something else, or larger.
        let mut last = null_mut();
        for size in [64usize, 64, 16, 4096, 32, 64] {
            let p = alloc::<u32>(&s, fine, size);
            (0..size).for_each(|i| p.add(i).write(i as u32));
            if p != last {
                set(shift, 0, p);
                set(shift, 1, p);
            }
            arg(shift, 2, &1u32);
            launch(s.queue, shift, size);
            launch(s.queue, shift, size);
            s.finish();
            (0..size).for_each(|i| assert_eq!(p.add(i).read(), i as u32 + 2));
            clSVMFree(s.context, p.cast());
            last = p;
        }
        for p in [out.cast(), other.cast(), a.cast()] {
            clSVMFree(s.context, p);
        }
        [shift, before, place, back].iter().for_each(|k| assert_eq!(clReleaseKernel(*k), 0));
    }
}

/// cl_ext_buffer_device_address: a buffer that a kernel reaches by an address alone.
#[test]
fn addresses_reach_buffers() {
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
    s.write(buffer, 0, &[0; 4096]);
    let address = info::<u64>(buffer, 0x5001).expect("address");
    let source = "
        kernel void direct(global int *p) { p[get_global_id(0)] += (int)get_global_id(0); }
        kernel void back(global int *p) { p[-1 - (int)get_global_id(0)] -= 5; }
        kernel void behind(global ulong *p) { ((global int *)p[0])[get_global_id(0)] += 1; }";
    let [direct, behind, back] = [c"direct", c"behind", c"back"].map(|name| kernel(s.context, source, name));
    // SAFETY: the address is the buffer's.
    unsafe {
        assert_eq!(clSetKernelArgDevicePointerEXT(direct, 0, address), 0);
        launch(s.queue, direct, 1024);
        let pointers = s.filled(&(address + 4).to_ne_bytes());
        arg(behind, 0, &pointers);
        assert_eq!(clSetKernelExecInfo(behind, 0x5002, 8, (&raw const address).cast()), 0);
        launch(s.queue, behind, 100);
        let words: Vec<i32> =
            s.read(buffer, 0, 4096).chunks(4).map(|c| i32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect();
        for (i, word) in words.iter().enumerate() {
            assert_eq!(*word, i as i32 + i32::from((1..=100).contains(&i)), "{i}");
        }
        assert_eq!(clSetKernelArgDevicePointerEXT(back, 0, address + 2048), 0);
        launch(s.queue, back, 512);
        for (i, bytes) in s.read(buffer, 0, 4096).chunks(4).enumerate() {
            let wanted = i as i32 + i32::from((1..=100).contains(&i)) - if i < 512 { 5 } else { 0 };
            assert_eq!(bytes, wanted.to_ne_bytes(), "{i}");
        }
        [direct, behind, back].iter().for_each(|k| assert_eq!(clReleaseKernel(*k), 0));
        release(pointers);
    }
    release(buffer);
}

/// A write map seen by a kernel, and its result by a read map; a buffer that is one of several arguments.
#[test]
fn maps_and_kernels() {
    let Some(s) = Setup::new() else { return };
    let add = kernel(
        s.context,
        "kernel void add(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] += a[i]; }",
        c"add",
    );
    let mut memory = vec![0i32; 1024];
    let a = s.buffer(CL_MEM_ALLOC_HOST_PTR, 4096);
    let b = s.try_buffer(CL_MEM_USE_HOST_PTR, 4096, memory.as_mut_ptr().cast()).expect("buffer");
    arg(add, 0, &a);
    arg(add, 1, &b);
    for round in 1..=3 {
        let p = s.map(a, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4096).expect("map").cast::<i32>();
        for i in 0..1024 {
            // SAFETY: mapped for writing.
            unsafe { p.add(i).write(i as i32) };
        }
        assert_eq!(s.unmap(a, p.cast()), 0);
        launch(s.queue, add, 1024);
        let p = s.map(b, CL_MAP_READ, 0, 4096).expect("map").cast::<i32>();
        assert_eq!(p, memory.as_mut_ptr());
        for i in 0..1024 {
            // SAFETY: mapped for reading.
            assert_eq!(unsafe { p.add(i).read() }, round * i as i32);
        }
        assert_eq!(s.unmap(b, p.cast()), 0);
    }
    s.finish();
    // SAFETY: a handle.
    unsafe { clReleaseKernel(add) };
    release(a);
    release(b);
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}

/// As where no buffer has 4 GiB.
#[test]
fn the_same_in_small_memory() {
    again::again_in(module_path!(), &["below"]);
}

/// Where nothing speaks against it a processor's driver shares its memory: a probe that fails must not go unseen.
#[test]
fn processors_share_their_memory() {
    let Some(s) = Setup::new() else { return };
    let mut kind = 0u64;
    // SAFETY: eight bytes.
    let code = unsafe { clGetDeviceInfo(s.device, CL_DEVICE_TYPE, 8, (&raw mut kind).cast(), null_mut()) };
    assert_eq!(code, 0);
    let mut bits = 0u32;
    // SAFETY: four bytes.
    unsafe { clGetDeviceInfo(s.device, CL_DEVICE_ADDRESS_BITS, 4, (&raw mut bits).cast(), null_mut()) };
    let copies = std::env::var("PUMICE_TEST_MODES").is_ok_and(|modes| modes.contains("shadow"));
    let off = std::env::var("PUMICE_SVM").is_ok_and(|way| way != "identity" && way != "arena");
    if kind & CL_DEVICE_TYPE_CPU != 0 && bits == 64 && !copies && !off {
        assert_ne!(capabilities(&s), 0);
    }
}

#[test]
fn the_same_in_other_ways() {
    again::again_in_ways(module_path!(), &["arena", "placed", "off"]);
}
