//! Memory of other APIs (cl_khr_external_memory): handles, and the lists of errors. The program `external` has what a device demands that claims it.

use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::external_memory::*;

use crate::world::{Handle, Kind, Verdict, World};

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
