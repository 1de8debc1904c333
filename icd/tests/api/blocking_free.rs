//! clMemBlockingFreeINTEL waits for the commands that may use the memory, and for nothing else (cl_intel_unified_shared_memory,
//! "Freeing Unified Shared Memory Allocations").

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::cl;
use cl::{Handle, Setup, arg, kernel, release};
use opencl_sys::*;
use pumice::entry::{device::*, event::*, kernel::*, launch::*, queue::*, transfer::*, usm::*};

const SIZE: usize = 4096;
/// What a call may take that waits for nothing.
const LIMIT: Duration = Duration::from_secs(20);

/// Memory of a device, and where the host shares it, of the host.
fn memories(s: &Setup) -> Option<Vec<*mut c_void>> {
    let query = |param| {
        let mut value = 0u64;
        // SAFETY: eight bytes.
        let code = unsafe { clGetDeviceInfo(s.device, param, 8, (&raw mut value).cast(), null_mut()) };
        assert_eq!(code, 0);
        value
    };
    if query(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) == 0 {
        println!("SKIP: no device addresses");
        return None;
    }
    let mut error = 1;
    // SAFETY: handles; no properties; the place is valid.
    unsafe {
        let mut all = vec![clDeviceMemAllocINTEL(s.context, s.device, null(), SIZE, 0, &mut error)];
        assert_eq!(error, 0);
        if query(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL) != 0 {
            all.push(clHostMemAllocINTEL(s.context, null(), SIZE, 0, &mut error));
            assert_eq!(error, 0);
        }
        Some(all)
    }
}

fn is_device(s: &Setup, memory: *mut c_void) -> bool {
    let (mut kind, param) = (0u32, CL_MEM_ALLOC_TYPE_INTEL);
    let place = (&raw mut kind).cast();
    // SAFETY: four bytes.
    assert_eq!(unsafe { clGetMemAllocInfoINTEL(s.context, memory, param, 4, place, null_mut()) }, 0);
    kind == CL_MEM_TYPE_DEVICE_INTEL
}

fn user(s: &Setup) -> Handle {
    let mut error = 1;
    // SAFETY: a handle; the place is valid.
    let event = unsafe { clCreateUserEvent(s.context, &mut error) };
    assert_eq!(error, 0);
    event
}

fn complete(event: Handle) {
    // SAFETY: a user event that was not set.
    unsafe {
        assert_eq!(clSetUserEventStatus(event, 0), 0);
        assert_eq!(clReleaseEvent(event), 0);
    }
}

fn status(event: Handle) -> i32 {
    let mut status = 77;
    let place = (&raw mut status).cast();
    // SAFETY: four bytes.
    let code = unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, place, null_mut()) };
    assert_eq!(code, 0);
    status
}

/// Commands that a test holds back: they wait for the event and give one.
type Enqueue<'a> = dyn Fn(*const Handle, *mut Handle) -> i32 + 'a;

/// The same on memory.
type EnqueueOn<'a> = dyn Fn(*mut c_void, *const Handle, *mut Handle) -> i32 + 'a;

/// Frees memory on another thread; `then` runs meanwhile, with what hears of the end. What the free gave, and the status of `event` when it returned.
fn freed(s: &Setup, memory: *mut c_void, event: Handle, then: impl FnOnce(&dyn Fn() -> bool)) -> (i32, i32) {
    let (send, receive) = channel();
    let parts = [s.context.addr(), memory.addr(), event.addr()];
    let thread = std::thread::spawn(move || {
        let [context, memory, event] = parts.map(std::ptr::with_exposed_provenance_mut);
        let code = clMemBlockingFreeINTEL(context, memory);
        let at_end = status(event);
        let _ = send.send(());
        (code, at_end)
    });
    let (_, _, _) = (s.context.expose_provenance(), memory.expose_provenance(), event.expose_provenance());
    then(&|| receive.recv_timeout(LIMIT).is_ok());
    thread.join().expect("it does not panic")
}

#[test]
fn commands_that_do_not_use_the_memory_are_not_waited_for() {
    let (Some(s), Some(other)) = (Setup::new(), Setup::new()) else { return };
    let Some(first) = memories(&s) else { return };
    let source = "kernel void add(global int *p) { p[get_global_id(0)] += 1; }";
    let add = kernel(s.context, source, c"add");
    let (mine, theirs) = (s.buffer(0, SIZE), other.buffer(0, SIZE));
    arg(add, 0, &mine);
    let unrelated = memories(&s).expect("as before");
    let word = 7u32;
    let word = (&raw const word).cast::<c_void>();
    for memory in first {
        let size = SIZE / 4;
        let mut host = vec![1u8; SIZE];
        let host = host.as_mut_ptr().cast::<c_void>();
        // SAFETY: ranges inside of what is used; all of it lives until it was waited for.
        let cases: [(&str, &Setup, &Enqueue<'_>); 6] = unsafe {
            [
                ("another context", &other, &|list, event| {
                    clEnqueueFillBuffer(other.queue, theirs, word, 4, 0, SIZE, 1, list, event)
                }),
                ("a marker", &s, &|list, event| clEnqueueMarkerWithWaitList(s.queue, 1, list, event)),
                ("a fill of a buffer", &s, &|list, event| {
                    clEnqueueFillBuffer(s.queue, mine, word, 4, 0, SIZE, 1, list, event)
                }),
                ("a read", &s, &|list, event| {
                    clEnqueueReadBuffer(s.queue, mine, 0, 0, SIZE, host, 1, list, event)
                }),
                ("a kernel", &s, &|list, event| {
                    clEnqueueNDRangeKernel(s.queue, add, 1, null(), &size, null(), 1, list, event)
                }),
                ("other unified memory", &s, &|list, event| {
                    clEnqueueMemFillINTEL(s.queue, unrelated[0], word, 4, SIZE, 1, list, event)
                }),
            ]
        };
        let mut memory = memory;
        for (what, of, enqueue) in cases {
            let (held, mut event) = (user(of), null_mut());
            assert_eq!(enqueue(&held, &mut event), 0, "{what}");
            let (mut returned, mut now) = (false, 0);
            let device = is_device(&s, memory);
            let (code, at_end) = freed(&s, memory, event, |returns| {
                returned = returns();
                now = status(event);
                complete(held);
            });
            assert!(returned, "{what}: it waits for what does not use the memory");
            assert!(now > 0 && at_end > 0, "{what}: {now}, {at_end}");
            assert_eq!(code, 0, "{what}");
            // SAFETY: an event.
            unsafe {
                assert_eq!(clWaitForEvents(1, &event), 0);
                clReleaseEvent(event);
            }
            let again = memories(&s).expect("as before");
            memory = again[usize::from(!device)];
        }
    }
    [mine, theirs].into_iter().for_each(release);
    // SAFETY: a handle.
    unsafe { clReleaseKernel(add) };
}

#[test]
fn commands_that_may_use_the_memory_are_waited_for() {
    let Some(s) = Setup::new() else { return };
    let Some(all) = memories(&s) else { return };
    let source = "kernel void add(global int *p) { p[get_global_id(0)] += 1; }
        kernel void through(global ulong *p) { p[get_global_id(0)] = 1; }";
    let add = kernel(s.context, source, c"add");
    let listed = kernel(s.context, source, c"through");
    let indirect = kernel(s.context, source, c"through");
    let buffer = s.buffer(0, SIZE);
    arg(listed, 0, &buffer);
    arg(indirect, 0, &buffer);
    let word = 7u32;
    let word = (&raw const word).cast::<c_void>();
    for first in all {
        let device = is_device(&s, first);
        let size = 16usize;
        let launch = |kernel, list, event| {
            // SAFETY: handles; the size is one dimension's.
            unsafe { clEnqueueNDRangeKernel(s.queue, kernel, 1, null(), &size, null(), 1, list, event) }
        };
        let cases: [(&str, &EnqueueOn<'_>); 8] = [
            // SAFETY: ranges inside of what is used; all of it lives until it was waited for.
            ("a fill", &|p, list, event| unsafe {
                clEnqueueMemFillINTEL(s.queue, p, word, 4, SIZE, 1, list, event)
            }),
            // SAFETY: as above.
            ("a copy within", &|p, list, event| unsafe {
                let to = p.wrapping_byte_add(SIZE / 2);
                clEnqueueMemcpyINTEL(s.queue, 0, to, p, 64, 1, list, event)
            }),
            // SAFETY: as above.
            ("a read of a buffer", &|p, list, event| unsafe {
                clEnqueueReadBuffer(s.queue, buffer, 0, 0, SIZE, p, 1, list, event)
            }),
            // SAFETY: as above.
            ("a write of a buffer", &|p, list, event| unsafe {
                clEnqueueWriteBuffer(s.queue, buffer, 0, 0, SIZE, p, 1, list, event)
            }),
            ("an argument", &|p, list, event| {
                assert_eq!(clSetKernelArgMemPointerINTEL(add, 0, p.wrapping_byte_add(64)), 0);
                launch(add, list, event)
            }),
            ("a pointer that is named", &|p, list, event| {
                let param = CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL;
                // SAFETY: one pointer.
                assert_eq!(unsafe { clSetKernelExecInfo(listed, param, 8, (&raw const p).cast()) }, 0);
                launch(listed, list, event)
            }),
            ("indirect access", &|_, list, event| {
                let yes = 1u32;
                let param = match device {
                    true => CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                    false => CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                };
                // SAFETY: four bytes.
                assert_eq!(unsafe { clSetKernelExecInfo(indirect, param, 4, (&raw const yes).cast()) }, 0);
                launch(indirect, list, event)
            }),
            ("a buffer over it", &|p, list, event| {
                if device {
                    // There is none.
                    // SAFETY: as above.
                    return unsafe { clEnqueueMemFillINTEL(s.queue, p, word, 4, 64, 1, list, event) };
                }
                let over = s.try_buffer(CL_MEM_USE_HOST_PTR, SIZE, p).expect("a buffer");
                // SAFETY: as above.
                let code = unsafe { clEnqueueFillBuffer(s.queue, over, word, 4, 0, SIZE, 1, list, event) };
                release(over);
                code
            }),
        ];
        let mut memory = first;
        for (what, enqueue) in cases {
            let (held, mut event) = (user(&s), null_mut());
            assert_eq!(enqueue(memory, &held, &mut event), 0, "{what}");
            let (code, at_end) = freed(&s, memory, event, |_| {
                std::thread::sleep(Duration::from_millis(30));
                complete(held);
            });
            assert_eq!((code, at_end), (0, 0), "{what}: freed under a command");
            // SAFETY: an event.
            unsafe { clReleaseEvent(event) };
            let again = memories(&s).expect("as before");
            memory = again[usize::from(!device)];
        }
    }
    release(buffer);
    // SAFETY: handles.
    unsafe { [add, listed, indirect].into_iter().for_each(|k| assert_eq!(clReleaseKernel(k), 0)) };
}

/// What fails has ended: the memory is freed, and the error is the command's.
#[test]
fn a_command_that_fails_is_none_to_wait_for_longer() {
    let Some(s) = Setup::new() else { return };
    let Some(all) = memories(&s) else { return };
    let word = 7u32;
    for memory in all {
        let (held, mut event) = (user(&s), null_mut());
        let pattern = (&raw const word).cast();
        // SAFETY: inside the memory; a user event.
        unsafe {
            let code = clEnqueueMemFillINTEL(s.queue, memory, pattern, 4, SIZE, 1, &held, &mut event);
            assert_eq!(code, 0);
            assert_eq!(clSetUserEventStatus(held, -5), 0);
            clReleaseEvent(held);
            assert_eq!(clMemBlockingFreeINTEL(s.context, memory), 0);
            assert_eq!(status(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            clReleaseEvent(event);
        }
    }
}
