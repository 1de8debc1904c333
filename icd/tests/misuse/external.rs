//! Memory of other APIs and semaphores (cl_khr_external_memory, cl_khr_semaphore): handles, and the lists of errors. The program `external` has what a device demands that claims it.

use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::external_memory::*;
use pumice::entry::memory::clImportMemoryARM;
use pumice::entry::semaphore::*;

use crate::world::{Handle, Kind, Verdict, World, made};

type Change = unsafe extern "C" fn(Handle, u32, *const Handle, u32, *const Handle, *mut Handle) -> i32;

pub fn memory(w: &World, v: &mut Verdict) {
    let list: [(&str, Change); 2] = [
        ("clEnqueueAcquireExternalMemObjectsKHR", clEnqueueAcquireExternalMemObjectsKHR),
        ("clEnqueueReleaseExternalMemObjectsKHR", clEnqueueReleaseExternalMemObjectsKHR),
    ];
    for (name, change) in list {
        let (q, own) = (w.here.queue, w.here.buffer);
        // SAFETY: the lists have as many elements as is said, or are NULL.
        unsafe {
            let none = change(q, 0, null(), 0, null(), null_mut());
            v.expect(name, "nothing", none, cl::CL_SUCCESS);
            let objects = [own, own];
            let call = |q, count, waits| change(q, count, objects.as_ptr(), waits, null(), null_mut());
            v.expect(name, "a buffer of the device's memory", call(q, 1, 0), cl::CL_INVALID_MEM_OBJECT);
            v.expect(name, "a list of none", call(q, 0, 0), cl::CL_INVALID_VALUE);
            let missing = change(q, 1, null(), 0, null(), null_mut());
            v.expect(name, "no list of one", missing, cl::CL_INVALID_VALUE);
            let waits = change(q, 0, null(), 1, null(), null_mut());
            v.expect(name, "no list of one event", waits, cl::CL_INVALID_EVENT_WAIT_LIST);
            for (what, bad) in w.bad(Kind::Queue) {
                v.expect(name, what, call(bad, 1, 0), cl::CL_INVALID_COMMAND_QUEUE);
            }
            for (what, bad) in w.bad(Kind::Memory) {
                let code = change(q, 1, &bad, 0, null(), null_mut());
                v.expect(name, what, code, cl::CL_INVALID_MEM_OBJECT);
            }
            for (what, bad) in w.bad(Kind::Event) {
                let code = change(q, 0, null(), 1, &bad, null_mut());
                v.expect(name, what, code, cl::CL_INVALID_EVENT_WAIT_LIST);
            }
        }
    }
}

/// Handles of semaphores, and the lists of errors of "Semaphores" of §5.
pub fn semaphores(w: &World, v: &mut Verdict) {
    let kind = [u64::from(cl::CL_SEMAPHORE_TYPE_KHR), u64::from(cl::CL_SEMAPHORE_TYPE_BINARY_KHR), 0];
    let make = |c: Handle, list: &[u64]| {
        let list = if list.is_empty() { null() } else { list.as_ptr() };
        // SAFETY: the list ends with a 0, or is NULL; the place is valid.
        made(|e| unsafe { clCreateSemaphoreWithPropertiesKHR(c, list, e) })
    };
    for (what, bad) in w.bad(Kind::Context) {
        let mut page = [0u8; 64];
        let place = page.as_mut_ptr().cast();
        // SAFETY: the memory outlives the call; the place is valid.
        let code = made(|e| unsafe { clImportMemoryARM(bad, 0, null(), place, 64, e) });
        v.expect("clImportMemoryARM", what, code, cl::CL_INVALID_CONTEXT);
    }
    // SAFETY: no memory; the place is valid.
    let code = made(|e| unsafe { clImportMemoryARM(w.here.context, 0, null(), null_mut(), 64, e) });
    v.expect("clImportMemoryARM", "no memory", code, cl::CL_INVALID_VALUE);
    let name = "clCreateSemaphoreWithPropertiesKHR";
    for (what, bad) in w.bad(Kind::Context) {
        v.expect(name, what, make(bad, &kind), cl::CL_INVALID_CONTEXT);
    }
    let c = w.here.context;
    v.expect(name, "no list", make(c, &[]), cl::CL_INVALID_VALUE);
    v.expect(name, "no type", make(c, &[0]), cl::CL_INVALID_VALUE);
    v.expect(name, "another type", make(c, &[kind[0], 2, 0]), cl::CL_INVALID_PROPERTY);
    v.expect(name, "twice", make(c, &[kind[0], 1, kind[0], 1, 0]), cl::CL_INVALID_PROPERTY);
    v.expect(name, "an unknown name", make(c, &[kind[0], 1, 77, 1, 0]), cl::CL_INVALID_PROPERTY);
    let list = u64::from(cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR);
    v.expect(name, "no device", make(c, &[kind[0], 1, list, 0, 0]), cl::CL_INVALID_DEVICE);
    v.expect(name, "a wrong device", make(c, &[kind[0], 1, list, 64, 0, 0]), cl::CL_INVALID_DEVICE);
    let exports = cl::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
    let unknown = make(c, &[kind[0], 1, exports, 77, 0, 0]);
    v.expect(name, "an unknown export", unknown, cl::CL_INVALID_PROPERTY);
    let mut error = 1;
    // SAFETY: as above; handles need no promise, and the lists have as many elements as is said, or are NULL.
    unsafe {
        let s = clCreateSemaphoreWithPropertiesKHR(c, kind.as_ptr(), &mut error);
        v.expect(name, "all right", error, cl::CL_SUCCESS);
        let q = w.here.queue;
        type Enqueue = unsafe extern "C" fn(
            Handle,
            u32,
            *const Handle,
            *const u64,
            u32,
            *const Handle,
            *mut Handle,
        ) -> i32;
        let list: [(&str, Enqueue); 2] = [
            ("clEnqueueSignalSemaphoresKHR", clEnqueueSignalSemaphoresKHR),
            ("clEnqueueWaitSemaphoresKHR", clEnqueueWaitSemaphoresKHR),
        ];
        for (name, enqueue) in list {
            let call =
                |q, count, of: *const Handle, waits| enqueue(q, count, of, null(), waits, null(), null_mut());
            v.expect(name, "all right", call(q, 1, &s, 0), cl::CL_SUCCESS);
            v.expect(name, "none", call(q, 0, &s, 0), cl::CL_INVALID_VALUE);
            v.expect(name, "no list", call(q, 1, null(), 0), cl::CL_INVALID_VALUE);
            v.expect(name, "no list of one event", call(q, 1, &s, 1), cl::CL_INVALID_EVENT_WAIT_LIST);
            for (what, bad) in w.bad(Kind::Queue) {
                v.expect(name, what, call(bad, 1, &s, 0), cl::CL_INVALID_COMMAND_QUEUE);
            }
            for (what, bad) in w.bad(Kind::Memory) {
                v.expect(name, what, call(q, 1, &bad, 0), cl::CL_INVALID_SEMAPHORE_KHR);
            }
        }
        for (what, bad) in w.bad(Kind::Memory) {
            let wrong = cl::CL_INVALID_SEMAPHORE_KHR;
            let info = clGetSemaphoreInfoKHR(bad, cl::CL_SEMAPHORE_TYPE_KHR, 0, null_mut(), null_mut());
            v.expect("clGetSemaphoreInfoKHR", &what, info, wrong);
            let kind = cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
            let got = clGetSemaphoreHandleForTypeKHR(bad, w.device, kind, 0, null_mut(), null_mut());
            v.expect("clGetSemaphoreHandleForTypeKHR", &what, got, wrong);
            let again = clReImportSemaphoreSyncFdKHR(bad, null_mut(), -1);
            v.expect("clReImportSemaphoreSyncFdKHR", &what, again, wrong);
            v.expect("clRetainSemaphoreKHR", &what, clRetainSemaphoreKHR(bad), wrong);
            v.expect("clReleaseSemaphoreKHR", &what, clReleaseSemaphoreKHR(bad), wrong);
        }
        let info = clGetSemaphoreInfoKHR(s, 0x1234, 0, null_mut(), null_mut());
        v.expect("clGetSemaphoreInfoKHR", "an unknown query", info, cl::CL_INVALID_VALUE);
        for (what, bad) in w.bad(Kind::Device) {
            let kind = cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
            let got = clGetSemaphoreHandleForTypeKHR(s, bad, kind, 0, null_mut(), null_mut());
            v.expect("clGetSemaphoreHandleForTypeKHR", what, got, cl::CL_INVALID_DEVICE);
        }
        let again = clReImportSemaphoreSyncFdKHR(s, null_mut(), -1);
        v.expect("clReImportSemaphoreSyncFdKHR", "not imported", again, cl::CL_INVALID_SEMAPHORE_KHR);
        v.expect("clRetainSemaphoreKHR", "all right", clRetainSemaphoreKHR(s), cl::CL_SUCCESS);
        v.expect("clReleaseSemaphoreKHR", "all right", clReleaseSemaphoreKHR(s), cl::CL_SUCCESS);
        v.expect("clReleaseSemaphoreKHR", "all right", clReleaseSemaphoreKHR(s), cl::CL_SUCCESS);
    }
}
