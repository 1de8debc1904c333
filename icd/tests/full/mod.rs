//! Shared virtual memory of which there is none left: what was freed under commands is waited for, without a lock that their ends need.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{bounded::bounded, cl};
use cl::{Handle, arg, kernel, release};
use opencl_sys::*;
use pumice::entry::{kernel::*, launch::*, memory::*, queue::*, svm::*};

const MIB: usize = 1 << 20;
const SLOW: &str = "kernel void slow(global uint *p) {
    uint x = get_global_id(0);
    for (int i = 0; i < 4000; i++) x = x * 1664525u + 1013904223u;
    p[get_global_id(0)] = x;
}";

static FREED: AtomicUsize = AtomicUsize::new(0);

struct Owned {
    context: Handle,
    memory: *mut c_void,
}

/// Frees what a buffer was made of, as its destructor callback may (§5.5.1, clSetMemObjectDestructorCallback: it tells when "the memory referenced
/// by host_ptr … can be reused or freed").
unsafe extern "C" fn free_memory(_: Handle, user: *mut c_void) {
    // SAFETY: what the test gave, once.
    let Owned { context, memory } = *unsafe { Box::from_raw(user.cast::<Owned>()) };
    // SAFETY: nothing uses it any more.
    unsafe { clSVMFree(context, memory) };
    FREED.fetch_add(1, Ordering::SeqCst);
}

fn fine(context: Handle, size: usize) -> Option<*mut c_void> {
    // SAFETY: a context.
    let p = unsafe { clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0) };
    (!p.is_null()).then_some(p)
}

/// Memory until there is none left.
fn fill(context: Handle) -> Vec<*mut c_void> {
    let mut all: Vec<_> = std::iter::from_fn(|| fine(context, 64 * MIB)).collect();
    all.extend(fill_small(context));
    all
}

fn fill_small(context: Handle) -> Vec<*mut c_void> {
    std::iter::from_fn(|| fine(context, MIB)).collect()
}

/// A slow kernel on a buffer over memory that the buffer's destructor callback frees; the buffer is released.
fn use_and_release(context: Handle, queue: Handle, slow: Handle, memory: *mut c_void) {
    let (mut error, size) = (1, MIB / 4);
    let user = Box::into_raw(Box::new(Owned { context, memory }));
    // SAFETY: handles; the memory has the size; one dimension; the callback is for this.
    unsafe {
        let buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, MIB, memory, &mut error);
        assert_eq!(error, 0);
        arg(slow, 0, &buffer);
        assert_eq!(clSetMemObjectDestructorCallback(buffer, Some(free_memory), user.cast()), 0);
        let code = clEnqueueNDRangeKernel(queue, slow, 1, null(), &size, null(), 0, null(), null_mut());
        assert_eq!(code, 0);
        release(buffer);
    }
}

/// An allocation waits for the kernel, at whose end a callback frees other memory.
pub fn a_callback_frees_memory_while_an_allocation_waits(context: Handle, queue: Handle) {
    let slow = kernel(context, SLOW, c"slow");
    bounded("clSVMAlloc beside a destructor callback", || {
        let mut all = fill(context);
        assert!(all.len() > 4);
        // Two parts of the size that is asked for.
        for large in [all.swap_remove(0), all.swap_remove(0)] {
            // SAFETY: allocated here; nothing uses it.
            unsafe { clSVMFree(context, large) };
        }
        all.extend(fill_small(context));
        for round in 1..4 {
            let (used, other) = (all.pop().expect("small"), all.pop().expect("small"));
            use_and_release(context, queue, slow, used);
            // SAFETY: its only commands are those of the buffer over other memory.
            unsafe { clSVMFree(context, other) };
            all.push(fine(context, MIB).expect("what was freed"));
            // SAFETY: a queue.
            assert_eq!(unsafe { clFinish(queue) }, 0);
            while FREED.load(Ordering::SeqCst) < round {
                std::thread::yield_now();
            }
            all.push(fine(context, MIB).expect("what the callback freed"));
        }
        // SAFETY: allocated here; nothing uses it.
        all.into_iter().for_each(|p| unsafe { clSVMFree(context, p) });
    });
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseKernel(slow) }, 0);
}
