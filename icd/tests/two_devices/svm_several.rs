//! Shared memory in contexts of two devices: one pointer for the host and for both.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::{again, cl, full, two};
use cl::{Handle, arg, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{context::*, device::*, kernel::*, memory::*, queue::*, svm::*, transfer::*, usm::*};
use two::two_devices;

const SOURCE: &str = "
typedef struct node { global struct node *next; ulong value; } node;
global node *global kept;
kernel void walk(global node *list, global ulong *sum) {
    ulong total = 0;
    for (; list; list = list->next) { total = total * 3 + list->value; list->value += 1; }
    *sum = total;
}
kernel void build(global node *nodes, uint count, global ulong *first) {
    for (uint i = 0; i < count; i++) {
        nodes[i].value = i * 7;
        nodes[i].next = i ? &nodes[i - 1] : 0;
    }
    *first = (ulong)&nodes[count - 1];
}
kernel void keep(global node *list) { kept = list; }
kernel void recall(global ulong *out) { out[0] = kept->value; out[1] = (ulong)kept; }
kernel void plain(global int *p) { p[get_global_id(0)] += 1; }";

#[repr(C)]
struct Node {
    next: *mut Node,
    value: u64,
}

/// A context of both devices with a queue on each.
struct Both {
    devices: [Handle; 2],
    context: Handle,
    queues: [Handle; 2],
}

impl Both {
    fn new() -> Option<Self> {
        let devices = two_devices()?;
        let mut error = 1;
        // SAFETY: handles and places are valid.
        let both = unsafe {
            let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut error);
            assert_eq!(error, 0);
            let queues = devices.map(|d| clCreateCommandQueue(context, d, 0, &mut error));
            Both { devices, context, queues }
        };
        assert_eq!(error, 0);
        for device in devices {
            let mut has = 0u64;
            // SAFETY: eight bytes.
            unsafe {
                clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, 8, (&raw mut has).cast(), null_mut())
            };
            if has == 0 {
                println!("SKIP: no shared virtual memory");
                // SAFETY: allocated for nobody.
                unsafe { assert!(clSVMAlloc(both.context, 0, 64, 0).is_null()) };
                return None;
            }
        }
        Some(both)
    }

    fn alloc<T>(&self, flags: u64, count: usize) -> *mut T {
        // SAFETY: a valid context.
        let p = unsafe { clSVMAlloc(self.context, flags, count * size_of::<T>(), 0) };
        assert!(!p.is_null() && p.addr().is_multiple_of(128));
        p.cast()
    }

    fn free<T>(&self, pointer: *mut T) {
        // SAFETY: allocated here; nothing uses it any more.
        unsafe { clSVMFree(self.context, pointer.cast()) };
    }

    fn finish(&self) {
        // SAFETY: handles.
        self.queues.iter().for_each(|q| assert_eq!(unsafe { clFinish(*q) }, 0));
    }
}

impl Drop for Both {
    fn drop(&mut self) {
        // SAFETY: handles of our own.
        unsafe {
            self.queues.iter().for_each(|q| assert_eq!(clReleaseCommandQueue(*q), 0));
            assert_eq!(clReleaseContext(self.context), 0);
        }
    }
}

fn pointer<T>(kernel: Handle, index: u32, value: *mut T) {
    // SAFETY: a kernel.
    assert_eq!(unsafe { clSetKernelArgSVMPointer(kernel, index, value.cast_const().cast()) }, 0);
}

#[test]
fn lists_go_from_device_to_device() {
    let Some(both) = Both::new() else { return };
    let [walk, build, plain] = [c"walk", c"build", c"plain"].map(|name| kernel(both.context, SOURCE, name));
    // A launch before there is any shared memory.
    let before = both.alloc_free_launch(plain);
    for flags in [CL_MEM_READ_WRITE, CL_MEM_SVM_FINE_GRAIN_BUFFER] {
        let nodes: Vec<*mut Node> = (0..20).map(|_| both.alloc(flags, 1)).collect();
        let out = both.alloc::<u64>(flags, 4);
        let expected = |round: u64| {
            (0..20u64).fold(0u64, |total, i| total.wrapping_mul(3).wrapping_add(i + 100 + round))
        };
        // SAFETY: no command uses it while the host does.
        unsafe {
            for (i, node) in nodes.iter().enumerate() {
                let next = nodes.get(i + 1).copied().unwrap_or(null_mut());
                node.write(Node { next, value: i as u64 + 100 });
            }
            let list = nodes.iter().map(|n| n.addr()).collect::<Vec<_>>();
            let code =
                clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, list.len() * 8, list.as_ptr().cast());
            assert_eq!(code, 0);
            for round in 0..6 {
                let at = out.add(round % 4);
                pointer(walk, 0, nodes[0]);
                pointer(walk, 1, at);
                launch(both.queues[round % 2], walk, 1);
                let map = clEnqueueSVMMap(
                    both.queues[round % 2],
                    1,
                    CL_MAP_READ,
                    at.cast(),
                    8,
                    0,
                    null(),
                    null_mut(),
                );
                assert_eq!((map, at.read()), (0, expected(round as u64)), "round {round}");
                clEnqueueSVMUnmap(both.queues[round % 2], at.cast(), 0, null(), null_mut());
                both.finish();
            }
            // One builds, the other walks without the host between: the event orders them.
            for (first, second) in [(0, 1), (1, 0)] {
                let array = both.alloc::<Node>(flags, 50);
                pointer(build, 0, array);
                arg(build, 1, &50u32);
                pointer(build, 2, out);
                let mut built = null_mut();
                let one = 1usize;
                let code = pumice::entry::launch::clEnqueueNDRangeKernel(
                    both.queues[first],
                    build,
                    1,
                    null(),
                    &one,
                    null(),
                    0,
                    null(),
                    &mut built,
                );
                assert_eq!(code, 0);
                pointer(walk, 0, array.add(49));
                pointer(walk, 1, out.add(1));
                let code = pumice::entry::launch::clEnqueueNDRangeKernel(
                    both.queues[second],
                    walk,
                    1,
                    null(),
                    &one,
                    null(),
                    1,
                    &built,
                    null_mut(),
                );
                assert_eq!(code, 0);
                both.finish();
                pumice::entry::event::clReleaseEvent(built);
                let sum = (0..50u64).rev().fold(0u64, |total, i| total.wrapping_mul(3).wrapping_add(i * 7));
                assert_eq!((out.read(), out.add(1).read()), (array.add(49).addr() as u64, sum));
                both.free(array);
            }
        }
        both.free(out);
        nodes.into_iter().for_each(|n| both.free(n));
    }
    // SAFETY: handles.
    unsafe { [walk, build, plain].iter().for_each(|k| assert_eq!(clReleaseKernel(*k), 0)) };
    release(before);
}

impl Both {
    /// A buffer that both devices have counted up.
    fn alloc_free_launch(&self, plain: Handle) -> Handle {
        let mut error = 1;
        let zeros = [0u8; 4096];
        // SAFETY: memory of this size.
        let buffer = unsafe {
            clCreateBuffer(
                self.context,
                CL_MEM_COPY_HOST_PTR,
                4096,
                zeros.as_ptr().cast_mut().cast(),
                &mut error,
            )
        };
        assert_eq!(error, 0);
        arg(plain, 0, &buffer);
        for queue in self.queues {
            launch(queue, plain, 1024);
            self.finish();
        }
        let mut back = [0i32; 1024];
        // SAFETY: memory of this size.
        let code = unsafe {
            clEnqueueReadBuffer(
                self.queues[0],
                buffer,
                1,
                0,
                4096,
                back.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!((code, back), (0, [2; 1024]));
        buffer
    }
}

/// Variables keep pointers from launch to launch, each device its own.
#[test]
fn variables_keep_pointers() {
    let Some(both) = Both::new() else { return };
    // Two kernels of one program.
    let keep = kernel(both.context, SOURCE, c"keep");
    let mut program: Handle = null_mut();
    let mut error = 1;
    // SAFETY: handles; no command uses the memory while the host does.
    unsafe {
        clGetKernelInfo(keep, CL_KERNEL_PROGRAM, size_of::<Handle>(), (&raw mut program).cast(), null_mut());
        let recall = clCreateKernel(program, c"recall".as_ptr(), &mut error);
        assert_eq!(error, 0);
        let (node, out) = (both.alloc::<Node>(0, 1), both.alloc::<u64>(0, 2));
        node.write(Node { next: null_mut(), value: 41 });
        for queue in both.queues {
            pointer(keep, 0, node);
            launch(queue, keep, 1);
            pointer(recall, 0, out);
            let list = [node.addr()];
            assert_eq!(clSetKernelExecInfo(recall, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, list.as_ptr().cast()), 0);
            launch(queue, recall, 1);
            both.finish();
            assert_eq!((out.read(), out.add(1).read()), (41, node.addr() as u64));
            out.write_bytes(0, 2);
        }
        both.free(node);
        both.free(out);
        clReleaseKernel(keep);
        clReleaseKernel(recall);
    }
}

#[test]
fn commands_of_both_devices() {
    let Some(both) = Both::new() else { return };
    let data = noise(5000, 3);
    let (a, b) = (both.alloc::<u8>(0, 5000), both.alloc::<u8>(0, 5000));
    let mut back = vec![0u8; 5000];
    // SAFETY: ranges inside the memory; all is waited for.
    unsafe {
        let copy = |q: usize, to: *mut u8, from: *const u8, n| {
            clEnqueueSVMMemcpy(both.queues[q], 1, to.cast(), from.cast(), n, 0, null(), null_mut())
        };
        for (first, second) in [(0, 1), (1, 0)] {
            assert_eq!(copy(first, a, data.as_ptr(), 5000), 0);
            assert_eq!(copy(second, b, a, 5000), 0);
            let pattern = [1u8, 2, 3, 4];
            let code = clEnqueueSVMMemFill(
                both.queues[first],
                b.add(8).cast(),
                pattern.as_ptr().cast(),
                4,
                400,
                0,
                null(),
                null_mut(),
            );
            assert_eq!(code, 0);
            both.finish();
            assert_eq!(copy(second, back.as_mut_ptr(), b, 5000), 0);
            assert!(
                back[..8] == data[..8]
                    && back[408..] == data[408..]
                    && back[8..408].chunks(4).all(|c| c == pattern)
            );
        }
        // A buffer of it is the same memory on both.
        let mut error = 1;
        let buffer = clCreateBuffer(both.context, CL_MEM_USE_HOST_PTR, 4096, a.cast(), &mut error);
        assert_eq!(error, 0);
        a.write_bytes(0, 5000);
        let plain = kernel(both.context, SOURCE, c"plain");
        for round in 0..4 {
            arg(plain, 0, &buffer);
            launch(both.queues[round % 2], plain, 1024);
            both.finish();
            pointer(plain, 0, a);
            launch(both.queues[(round + 1) % 2], plain, 1024);
            both.finish();
        }
        let p = clEnqueueMapBuffer(
            both.queues[1],
            buffer,
            1,
            CL_MAP_READ,
            0,
            4096,
            0,
            null(),
            null_mut(),
            &mut error,
        );
        assert_eq!((error, p.cast::<u8>()), (0, a));
        assert!((0..1024).all(|i| p.cast::<i32>().add(i).read() == 8));
        assert_eq!(clEnqueueUnmapMemObject(both.queues[0], buffer, p, 0, null(), null_mut()), 0);
        both.finish();
        release(buffer);
        clReleaseKernel(plain);
        let list = [a.cast::<c_void>(), b.cast()];
        let free = clEnqueueSVMFree(
            both.queues[1],
            2,
            list.as_ptr().cast_mut(),
            None,
            null_mut(),
            0,
            null(),
            null_mut(),
        );
        assert_eq!(free, 0);
        both.finish();
    }
}

/// Freed while kernels of both devices use it, and had again.
#[test]
fn memory_that_is_freed_is_nobodys_before_it_is_done_with() {
    let Some(both) = Both::new() else { return };
    let plain = kernel(both.context, SOURCE, c"plain");
    for round in 0..300 {
        let p = both.alloc::<i32>(0, 4096);
        // SAFETY: nobody else has it, whatever was freed before.
        unsafe {
            p.write_bytes(0, 4096);
            pointer(plain, 0, p);
            launch(both.queues[round % 2], plain, 4096);
            if round % 16 == 0 {
                both.finish();
                assert!((0..4096).all(|i| p.add(i).read() == 1), "round {round}");
            }
        }
        let list = [p.cast::<c_void>()];
        // SAFETY: the list is read at once; the command waits for the kernel.
        let code = unsafe {
            clEnqueueSVMFree(
                both.queues[round % 2],
                1,
                list.as_ptr().cast_mut(),
                None,
                null_mut(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, 0);
    }
    both.finish();
    // SAFETY: a handle.
    unsafe { clReleaseKernel(plain) };
}

#[test]
fn unified_memory_of_both_devices() {
    let Some(both) = Both::new() else { return };
    let walk = kernel(both.context, SOURCE, c"walk");
    let mut error = 1;
    // SAFETY: handles; no command uses the memory while the host does.
    unsafe {
        let host = clHostMemAllocINTEL(both.context, null(), 64, 0, &mut error).cast::<Node>();
        assert_eq!(error, 0);
        let shared =
            clSharedMemAllocINTEL(both.context, both.devices[1], null(), 64, 0, &mut error).cast::<Node>();
        assert_eq!(error, 0);
        let out = clSharedMemAllocINTEL(both.context, null_mut(), null(), 64, 0, &mut error).cast::<u64>();
        assert_eq!(error, 0);
        let own = both
            .devices
            .map(|d| clDeviceMemAllocINTEL(both.context, d, null(), 64, 0, &mut error).cast::<Node>());
        assert_eq!(error, 0);
        for (q, own) in own.iter().enumerate() {
            host.write(Node { next: shared, value: 5 });
            shared.write(Node { next: *own, value: 6 });
            let last = Node { next: null_mut(), value: 7 };
            let queue = both.queues[q];
            let code = clEnqueueMemcpyINTEL(
                queue,
                1,
                own.cast(),
                (&raw const last).cast(),
                16,
                0,
                null(),
                null_mut(),
            );
            assert_eq!(code, 0);
            assert_eq!(clSetKernelArgMemPointerINTEL(walk, 0, host.cast_const().cast()), 0);
            assert_eq!(clSetKernelArgMemPointerINTEL(walk, 1, out.cast_const().cast()), 0);
            let list = [shared.addr(), own.addr()];
            assert_eq!(
                clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 16, list.as_ptr().cast()),
                0
            );
            launch(queue, walk, 1);
            both.finish();
            assert_eq!((out.read(), (*host).value, (*shared).value), (5 * 9 + 6 * 3 + 7, 6, 7));
        }
        for p in [host, shared, out.cast(), own[0], own[1]] {
            assert_eq!(clMemBlockingFreeINTEL(both.context, p.cast()), 0);
        }
        clReleaseKernel(walk);
    }
}

/// The memory of several devices has an end that a test reaches.
#[test]
fn a_callback_frees_memory_while_an_allocation_waits() {
    if !again::alone("svm_several::a_callback_frees_memory_while_an_allocation_waits") {
        return;
    }
    let Some(both) = Both::new() else { return };
    full::a_callback_frees_memory_while_an_allocation_waits(both.context, both.queues[0]);
}

#[test]
fn the_same_in_other_ways() {
    again::again_in_ways(module_path!(), &["arena", "placed", "off"]);
}
