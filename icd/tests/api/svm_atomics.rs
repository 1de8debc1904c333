//! Atomics of the host and of kernels at one place, at once, where a device claims them.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::{again, cl};
use cl::{Handle, Setup, arg, kernel};
use opencl_sys::*;
use pumice::entry::{device::*, event::*, kernel::*, launch::*, queue::*, svm::*};

const SOURCE: &str = "
#define S memory_scope_all_svm_devices
kernel void add(volatile global atomic_int *sum, volatile global atomic_int *bits, int n) {
    for (int i = 0; i < n; i++) {
        atomic_fetch_add_explicit(sum, 3, memory_order_relaxed, S);
        atomic_fetch_xor_explicit(bits, 2, memory_order_relaxed, S);
    }
}
kernel void hear(global int *data, volatile global atomic_int *flag, int n, global int *wrong) {
    int last = 0;
    for (int i = 0; i < n; i++) {
        int f = atomic_load_explicit(flag, memory_order_acquire, S);
        if (f < last || data[f] != f) wrong[get_global_id(0)]++;
        last = f;
    }
}
kernel void tell(global int *data, volatile global atomic_int *flag, int from, int n) {
    for (int i = from; i < from + n; i++) {
        data[i] = i;
        atomic_store_explicit(flag, i, memory_order_release, S);
    }
}
kernel void token(volatile global atomic_int *t, global int *payload, int turns, int end) {
    for (int i = 0; i < turns; i++) {
        int v = atomic_load_explicit(t, memory_order_acquire, S);
        if (v >= end) break;
        if (v & 1) {
            if (payload[0] != v) payload[1]++;
            payload[0] = v + 1;
            atomic_store_explicit(t, v + 1, memory_order_release, S);
        }
    }
}
kernel void buffered(volatile global atomic_int *x, volatile global atomic_int *y, int n, global int *seen) {
    for (int i = 0; i < n; i++) {
        atomic_store_explicit(x + i, 1, memory_order_seq_cst, S);
        seen[i] = atomic_load_explicit(y + i, memory_order_seq_cst, S);
    }
}";

/// Turns of a kernel's loop: fewer than the drivers that count them allow.
const TURNS: i32 = 60_000;

struct World {
    setup: Setup,
    allocations: std::cell::RefCell<Vec<*mut AtomicI32>>,
}

impl World {
    fn new() -> Option<Self> {
        let setup = Setup::new()?;
        let mut has = 0u64;
        // SAFETY: eight bytes.
        let code = unsafe {
            clGetDeviceInfo(setup.device, CL_DEVICE_SVM_CAPABILITIES, 8, (&raw mut has).cast(), null_mut())
        };
        assert_eq!(code, 0);
        if has & CL_DEVICE_SVM_ATOMICS == 0 {
            println!("SKIP: no atomics between host and device");
            let flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
            // SAFETY: a valid context.
            assert!(unsafe { clSVMAlloc(setup.context, flags, 64, 0) }.is_null());
            return None;
        }
        Some(World { setup, allocations: Default::default() })
    }

    /// Zeros.
    fn words(&self, count: usize) -> &[AtomicI32] {
        let flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
        // SAFETY: a valid context; memory of this size, which lives as long as this object.
        unsafe {
            let p: *mut AtomicI32 = clSVMAlloc(self.setup.context, flags, count * 4, 0).cast();
            assert!(!p.is_null());
            p.write_bytes(0, count);
            self.allocations.borrow_mut().push(p);
            std::slice::from_raw_parts(p, count)
        }
    }

    fn kernel(&self, name: &std::ffi::CStr, memory: &[&[AtomicI32]]) -> Handle {
        let kernel = kernel(self.setup.context, SOURCE, name);
        for (index, words) in (0..).zip(memory) {
            // SAFETY: a kernel.
            assert_eq!(unsafe { clSetKernelArgSVMPointer(kernel, index, words.as_ptr().cast()) }, 0);
        }
        kernel
    }

    /// Starts a kernel.
    fn start(&self, kernel: Handle, items: usize) -> Handle {
        let mut event = null_mut();
        let (q, size) = (self.setup.queue, &raw const items);
        // SAFETY: handles; the places are valid.
        unsafe {
            assert_eq!(clEnqueueNDRangeKernel(q, kernel, 1, null(), size, null(), 0, null(), &mut event), 0);
            assert_eq!(clFlush(q), 0);
        }
        event
    }

    fn is_done(&self, event: Handle) -> bool {
        let mut status = 1i32;
        let param = CL_EVENT_COMMAND_EXECUTION_STATUS;
        // SAFETY: four bytes.
        assert_eq!(unsafe { clGetEventInfo(event, param, 4, (&raw mut status).cast(), null_mut()) }, 0);
        assert!(status >= 0, "the kernel failed: {status}");
        status == CL_COMPLETE
    }

    /// Does something until the kernel is done, and once more.
    fn meanwhile(&self, event: Handle, mut step: impl FnMut()) {
        loop {
            let done = self.is_done(event);
            step();
            if done {
                break;
            }
        }
        // SAFETY: a handle of our own.
        assert_eq!(unsafe { clReleaseEvent(event) }, 0);
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.setup.finish();
        for p in self.allocations.borrow().iter() {
            // SAFETY: allocated by `words`; the kernels are done.
            unsafe { clSVMFree(self.setup.context, p.cast()) };
        }
    }
}

#[test]
fn nothing_is_lost_that_both_count() {
    let Some(w) = World::new() else { return };
    let (sum, bits) = (w.words(1), w.words(1));
    let add = w.kernel(c"add", &[sum, bits]);
    arg(add, 2, &20_001i32);
    let mut own = 0i32;
    for _ in 0..4 {
        let event = w.start(add, 33);
        w.meanwhile(event, || {
            for _ in 0..101 {
                sum[0].fetch_add(5, Ordering::Relaxed);
                bits[0].fetch_xor(1, Ordering::Relaxed);
                own += 1;
            }
        });
    }
    let counted = 4 * 33 * 20_001;
    assert_eq!(sum[0].load(Ordering::SeqCst), counted * 3 + own * 5);
    assert_eq!(bits[0].load(Ordering::SeqCst), (counted & 1) * 2 + (own & 1));
    // SAFETY: a handle.
    unsafe { clReleaseKernel(add) };
}

#[test]
fn messages_arrive_with_what_they_tell_of() {
    let Some(w) = World::new() else { return };
    const N: i32 = 500_000;
    let (data, flag, wrong) = (w.words(N as usize + 1), w.words(1), w.words(32));
    let hear = w.kernel(c"hear", &[data, flag]);
    arg(hear, 2, &TURNS);
    // SAFETY: a kernel.
    unsafe { clSetKernelArgSVMPointer(hear, 3, wrong.as_ptr().cast()) };
    let mut told = 0;
    let event = w.start(hear, 32);
    w.meanwhile(event, || {
        for _ in 0..8 {
            if told < N {
                told += 1;
                data[told as usize].store(told, Ordering::Relaxed);
                flag[0].store(told, Ordering::Release);
            }
        }
    });
    assert!(wrong.iter().all(|w| w.load(Ordering::SeqCst) == 0), "after {told} messages");
    // To the host.
    let (data, flag) = (w.words(N as usize + 1), w.words(1));
    let tell = w.kernel(c"tell", &[data, flag]);
    arg(tell, 3, &50_000i32);
    let mut last = 0;
    for from in (1..N).step_by(50_000) {
        arg(tell, 2, &from);
        let event = w.start(tell, 1);
        w.meanwhile(event, || {
            for _ in 0..64 {
                let now = flag[0].load(Ordering::Acquire);
                assert!(now >= last && data[now as usize].load(Ordering::Relaxed) == now);
                last = now;
            }
        });
    }
    assert_eq!(last, N);
    // SAFETY: handles.
    unsafe { [hear, tell].iter().for_each(|k| assert_eq!(clReleaseKernel(*k), 0)) };
}

#[test]
fn a_token_goes_to_and_fro() {
    let Some(w) = World::new() else { return };
    const END: i32 = 2000;
    let (token, payload) = (w.words(1), w.words(2));
    let pass = w.kernel(c"token", &[token, payload]);
    arg(pass, 2, &TURNS);
    arg(pass, 3, &END);
    let (mut wrong, mut launches) = (0, 0);
    while token[0].load(Ordering::Acquire) < END && launches < 20_000 {
        launches += 1;
        let event = w.start(pass, 1);
        w.meanwhile(event, || {
            for _ in 0..64 {
                let v = token[0].load(Ordering::Acquire);
                if v < END && v & 1 == 0 {
                    wrong += i32::from(payload[0].load(Ordering::Relaxed) != v);
                    payload[0].store(v + 1, Ordering::Relaxed);
                    token[0].store(v + 1, Ordering::Release);
                }
            }
        });
    }
    let at = token[0].load(Ordering::SeqCst);
    assert_eq!((at, wrong, payload[1].load(Ordering::SeqCst)), (END, 0, 0), "in {launches} launches");
    // SAFETY: a handle.
    unsafe { clReleaseKernel(pass) };
}

/// Each stores to its own place and loads the other's: with seq_cst one of them sees the other's store.
#[test]
fn one_of_two_stores_is_seen() {
    let Some(w) = World::new() else { return };
    const N: usize = 50_000;
    for round in 0..10u32 {
        let (x, y, seen) = (w.words(N), w.words(N), w.words(N));
        let buffered = w.kernel(c"buffered", &[x, y]);
        arg(buffered, 2, &(N as i32));
        // SAFETY: a kernel.
        unsafe { clSetKernelArgSVMPointer(buffered, 3, seen.as_ptr().cast()) };
        let mut own = vec![None; N];
        let (mut front, mut random) = (0, round);
        let event = w.start(buffered, 1);
        w.meanwhile(event, || {
            for _ in 0..64 {
                while front < N && x[front].load(Ordering::Relaxed) != 0 {
                    front += 1;
                }
                random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                // Where the kernel is about to come.
                let at = front + (random >> 16) as usize % 48;
                if at < N && own[at].is_none() {
                    y[at].store(1, Ordering::SeqCst);
                    own[at] = Some(x[at].load(Ordering::SeqCst));
                }
            }
        });
        let neither =
            own.iter().zip(seen).filter(|(own, seen)| **own == Some(0) && seen.load(Ordering::SeqCst) == 0);
        assert_eq!(neither.count(), 0, "round {round}");
        // SAFETY: a handle.
        unsafe { clReleaseKernel(buffered) };
    }
}

#[test]
fn the_same_in_other_ways() {
    again::again_in_ways(module_path!(), &["arena", "placed", "off"]);
}
