//! Coarse-grain shared memory, which the host uses between maps and unmaps alone. Where it lies twice, these copy.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::{again, cl};
use cl::{Handle, Setup, arg, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{device::*, event::*, kernel::*, queue::*, svm::*, transfer::*};

const SOURCE: &str = "
kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
kernel void sum(global const uint *p, uint n, global uint *out) {
    uint s = 0;
    for (uint i = 0; i < n && i < 5000; i++) s += p[i];
    *out = s;
}
kernel void through(global uint *global *p, uint n) { p[0][get_global_id(0)] += n; }";

fn setup() -> Option<Setup> {
    let s = Setup::new()?;
    let mut value = 0u64;
    // SAFETY: eight bytes.
    let code = unsafe {
        clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, 8, (&raw mut value).cast(), null_mut())
    };
    assert_eq!(code, 0);
    if value == 0 {
        println!("SKIP: no shared virtual memory");
        return None;
    }
    Some(s)
}

/// Words of coarse-grain memory.
struct Words<'a> {
    s: &'a Setup,
    p: *mut u32,
    count: usize,
}

impl<'a> Words<'a> {
    fn new(s: &'a Setup, count: usize) -> Self {
        // SAFETY: a valid context.
        let p: *mut u32 = unsafe { clSVMAlloc(s.context, 0, count * 4, 0) }.cast();
        assert!(!p.is_null());
        Words { s, p, count }
    }

    /// Given these by a map.
    fn with_contents(s: &'a Setup, words: &[u32]) -> Self {
        let new = Words::new(s, words.len());
        new.map(CL_MAP_WRITE_INVALIDATE_REGION, 0, words.len());
        (0..words.len()).for_each(|i| new.set(i, words[i]));
        new.unmap(0);
        new
    }

    fn at(&self, i: usize) -> *mut c_void {
        assert!(i <= self.count);
        self.p.wrapping_add(i).cast()
    }

    fn map_on(&self, queue: Handle, flags: u64, first: usize, count: usize) {
        // SAFETY: in the memory.
        let code =
            unsafe { clEnqueueSVMMap(queue, 1, flags, self.at(first), count * 4, 0, null(), null_mut()) };
        assert_eq!(code, 0);
    }

    fn map(&self, flags: u64, first: usize, count: usize) {
        self.map_on(self.s.queue, flags, first, count);
    }

    fn unmap(&self, first: usize) {
        // SAFETY: mapped.
        assert_eq!(unsafe { clEnqueueSVMUnmap(self.s.queue, self.at(first), 0, null(), null_mut()) }, 0);
    }

    fn get(&self, i: usize) -> u32 {
        assert!(i < self.count);
        // SAFETY: the tests have mapped it.
        unsafe { self.p.add(i).read_volatile() }
    }

    fn set(&self, i: usize, value: u32) {
        assert!(i < self.count);
        // SAFETY: the tests have mapped it.
        unsafe { self.p.add(i).write_volatile(value) }
    }

    /// Some words as a map for reading shows them.
    fn seen(&self, first: usize, count: usize) -> Vec<u32> {
        self.map(CL_MAP_READ, first, count);
        let seen = (first..first + count).map(|i| self.get(i)).collect();
        self.unmap(first);
        seen
    }

    fn set_as(&self, kernel: Handle, index: u32) {
        // SAFETY: a valid kernel.
        assert_eq!(unsafe { clSetKernelArgSVMPointer(kernel, index, self.at(0)) }, 0);
    }
}

impl Drop for Words<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated here.
        unsafe { clSVMFree(self.s.context, self.at(0)) };
    }
}

/// A kernel that is released with it.
struct Kernel(Handle);

impl Kernel {
    fn new(s: &Setup, name: &std::ffi::CStr) -> Self {
        Kernel(kernel(s.context, SOURCE, name))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: a handle.
        unsafe { clReleaseKernel(self.0) };
    }
}

fn words(count: usize, seed: u32) -> Vec<u32> {
    noise(count * 4, seed).chunks(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect()
}

#[test]
fn parts_are_mapped_one_by_one() {
    let Some(s) = setup() else { return };
    // In a slab, and memory of its own.
    for count in [4096usize, 3 << 20] {
        let mut model = words(count, 1);
        let (a, add) = (Words::with_contents(&s, &model), Kernel::new(&s, c"add"));
        a.set_as(add.0, 0);
        arg(add.0, 1, &3u32);
        launch(s.queue, add.0, count);
        model.iter_mut().for_each(|w| *w = w.wrapping_add(3));
        // What one map brings is there for it alone.
        for (first, n) in [(100, 50), (0, 10), (90, 100), (1000, 1), (count - 7, 7)] {
            assert_eq!(a.seen(first, n), model[first..first + n], "{n} from {first}");
        }
        // Written in parts, with two maps at a time.
        a.map(CL_MAP_WRITE, 200, 100);
        a.map(CL_MAP_READ | CL_MAP_WRITE, 400, 10);
        a.set(250, 77);
        a.set(405, a.get(404));
        (model[250], model[405]) = (77, model[404]);
        a.unmap(200);
        a.unmap(400);
        launch(s.queue, add.0, count);
        model.iter_mut().for_each(|w| *w = w.wrapping_add(3));
        assert_eq!(a.seen(0, count), model);
        // A part whose old contents are of no use, all of it overwritten, beside others.
        a.map(CL_MAP_WRITE_INVALIDATE_REGION, 64, 64);
        (64..128).for_each(|i| a.set(i, i as u32));
        a.unmap(64);
        (64..128).for_each(|i| model[i] = i as u32);
        launch(s.queue, add.0, 100);
        model[..100].iter_mut().for_each(|w| *w = w.wrapping_add(3));
        assert_eq!(a.seen(0, count), model);
        s.finish();
    }
}

#[test]
fn kernels_use_what_is_not_mapped_for_writing() {
    let Some(s) = setup() else { return };
    let mut model = words(4096, 2);
    let (a, out) = (Words::with_contents(&s, &model), Words::new(&s, 4));
    let (add, sum) = (Kernel::new(&s, c"add"), Kernel::new(&s, c"sum"));
    // Read by both at the same time.
    a.map(CL_MAP_READ, 0, 4096);
    a.set_as(sum.0, 0);
    arg(sum.0, 1, &4096u32);
    out.set_as(sum.0, 2);
    launch(s.queue, sum.0, 1);
    let total = model.iter().fold(0u32, |sum, w| sum.wrapping_add(*w));
    assert_eq!((out.seen(0, 1), a.get(4000)), (vec![total], model[4000]));
    a.unmap(0);
    // The host writes the end while the kernel writes the beginning, and others map that.
    a.map(CL_MAP_WRITE, 3000, 500);
    (3000..3500).for_each(|i| a.set(i, i as u32));
    a.set_as(add.0, 0);
    arg(add.0, 1, &1u32);
    launch(s.queue, add.0, 1000);
    model[..1000].iter_mut().for_each(|w| *w = w.wrapping_add(1));
    assert_eq!(a.seen(0, 2000), model[..2000]);
    assert_eq!(a.seen(3600, 10), model[3600..3610]);
    a.unmap(3000);
    (3000..3500).for_each(|i| model[i] = i as u32);
    assert_eq!(a.seen(0, 4096), model);
    // By a pointer that is in memory alone.
    let holder = Words::new(&s, 4);
    holder.map(CL_MAP_WRITE, 0, 2);
    // SAFETY: mapped, eight bytes, aligned for all types.
    unsafe { holder.p.cast::<u64>().write(a.p.addr() as u64) };
    holder.unmap(0);
    let through = Kernel::new(&s, c"through");
    holder.set_as(through.0, 0);
    arg(through.0, 1, &5u32);
    let reached = [a.at(0).cast_const()];
    let what = CL_KERNEL_EXEC_INFO_SVM_PTRS;
    // SAFETY: one pointer.
    assert_eq!(unsafe { clSetKernelExecInfo(through.0, what, 8, reached.as_ptr().cast()) }, 0);
    for _ in 0..3 {
        launch(s.queue, through.0, 4096);
        model.iter_mut().for_each(|w| *w = w.wrapping_add(5));
        assert_eq!(a.seen(0, 4096), model);
    }
}

#[test]
fn copies_and_fills_between_maps() {
    let Some(s) = setup() else { return };
    let (mut model, other) = (words(3000, 3), words(3000, 4));
    let (a, b) = (Words::with_contents(&s, &model), Words::with_contents(&s, &other));
    let mut out = vec![0u32; 3000];
    // SAFETY: ranges inside the memory, which lives until they are done.
    unsafe {
        let copy = |to: *mut c_void, from: *const c_void, n: usize| {
            assert_eq!(clEnqueueSVMMemcpy(s.queue, 0, to, from, n * 4, 0, null(), null_mut()), 0);
        };
        // Memory of the host's into a part; a part of the other; a fill.
        copy(a.at(10), other.as_ptr().cast(), 100);
        model[10..110].copy_from_slice(&other[..100]);
        assert_eq!(a.seen(0, 200), model[..200]);
        copy(a.at(150), b.at(1000), 1000);
        model[150..1150].copy_from_slice(&other[1000..2000]);
        assert_eq!(a.seen(100, 1500), model[100..1600]);
        let p = 7u32;
        let code =
            clEnqueueSVMMemFill(s.queue, a.at(40), (&raw const p).cast(), 4, 80, 0, null(), null_mut());
        assert_eq!(code, 0);
        model[40..60].fill(7);
        assert_eq!(a.seen(0, 3000), model);
        // What the host wrote through a map goes along.
        a.map(CL_MAP_WRITE, 500, 5);
        a.set(502, 1);
        a.unmap(500);
        model[502] = 1;
        copy(b.at(0), a.at(0), 3000);
        copy(out.as_mut_ptr().cast(), b.at(0), 3000);
        s.finish();
        assert_eq!((&out, b.seen(0, 3000)), (&model, model.clone()));
    }
    // The memory of one command, the host's of another.
    let buffer = s.buffer(0, 12000);
    // SAFETY: as above.
    unsafe {
        let (q, none) = (s.queue, null_mut());
        assert_eq!(clEnqueueWriteBuffer(q, buffer, 0, 0, 12000, a.at(0), 0, null(), none), 0);
        let code = clEnqueueReadBuffer(q, buffer, 0, 400, 800, b.at(7), 0, null(), none);
        assert_eq!(code, 0);
        let mut wanted = model.clone();
        wanted[7..207].copy_from_slice(&model[100..300]);
        assert_eq!(b.seen(0, 3000), wanted);
        let add = Kernel::new(&s, c"add");
        b.set_as(add.0, 0);
        arg(add.0, 1, &2u32);
        assert_eq!(clEnqueueReadBuffer(q, buffer, 0, 0, 400, b.at(0), 0, null(), none), 0);
        launch(q, add.0, 3000);
        wanted[..100].copy_from_slice(&model[..100]);
        wanted.iter_mut().for_each(|w| *w = w.wrapping_add(2));
        assert_eq!(b.seen(0, 3000), wanted);
    }
    release(buffer);
}

#[test]
fn maps_that_are_not_waited_for() {
    let Some(s) = setup() else { return };
    let mut error = 1;
    // SAFETY: handles and places are valid.
    let second = unsafe {
        clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &mut error)
    };
    assert_eq!(error, 0);
    let mut model = words(2000, 5);
    let (a, add) = (Words::with_contents(&s, &model), Kernel::new(&s, c"add"));
    a.set_as(add.0, 0);
    for round in 0..20u32 {
        arg(add.0, 1, &round);
        launch(s.queue, add.0, 2000);
        model.iter_mut().for_each(|w| *w = w.wrapping_add(round));
        let mut events = [null_mut(); 3];
        // SAFETY: handles and places are valid; the host looks when the events say so.
        unsafe {
            let [mapped, read, unmapped] = &mut events;
            let (n, flags) = (8000, CL_MAP_READ | CL_MAP_WRITE);
            assert_eq!(clEnqueueSVMMap(s.queue, 0, flags, a.at(0), n, 0, null(), mapped), 0);
            // The other queue maps the same, behind it.
            let wait: *const Handle = &raw const *mapped;
            assert_eq!(clEnqueueSVMMap(second, 0, CL_MAP_READ, a.at(5), 40, 1, wait, read), 0);
            assert_eq!(clFlush(s.queue), 0);
            assert_eq!(clWaitForEvents(1, &*read), 0);
            assert_eq!((5..15).map(|i| a.get(i)).collect::<Vec<_>>(), model[5..15]);
            assert_eq!(clEnqueueSVMUnmap(second, a.at(5), 0, null(), null_mut()), 0);
            let at = (round as usize * 97) % 2000;
            assert_eq!(a.get(at), model[at]);
            a.set(at, round);
            model[at] = round;
            // Unmapped by the other queue; the next kernel waits for that.
            assert_eq!(clEnqueueSVMUnmap(second, a.at(0), 0, null(), unmapped), 0);
            let (size, list) = (2000usize, &raw const *unmapped);
            let code = pumice::entry::launch::clEnqueueNDRangeKernel(
                s.queue,
                add.0,
                1,
                null(),
                &size,
                null(),
                1,
                list,
                null_mut(),
            );
            assert_eq!(code, 0);
            model.iter_mut().for_each(|w| *w = w.wrapping_add(round));
            events.iter().for_each(|e| assert_eq!(clReleaseEvent(*e), 0));
        }
    }
    assert_eq!(a.seen(0, 2000), model);
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseCommandQueue(second) }, 0);
}

/// Maps, unmaps and copies that nobody asks for an event of, behind commands that are held and beside another thread's.
#[test]
fn without_events() {
    let Some(s) = setup() else { return };
    let mut model = words(3000, 9);
    let (a, b, add) = (Words::with_contents(&s, &model), Words::new(&s, 3000), Kernel::new(&s, c"add"));
    a.set_as(add.0, 0);
    for round in 0..20u32 {
        let mut error = 1;
        // SAFETY: handles and places are valid; what is mapped is looked at when the queue is finished.
        unsafe {
            let held = clCreateUserEvent(s.context, &mut error);
            arg(add.0, 1, &round);
            let (size, wait) = (3000usize, &raw const held);
            let code = pumice::entry::launch::clEnqueueNDRangeKernel(
                s.queue,
                add.0,
                1,
                null(),
                &size,
                null(),
                if round % 2 == 0 { 1 } else { 0 },
                if round % 2 == 0 { wait } else { null() },
                null_mut(),
            );
            assert_eq!(code, 0);
            assert_eq!(clEnqueueSVMMemcpy(s.queue, 0, b.at(0), a.at(0), 12000, 0, null(), null_mut()), 0);
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            assert_eq!(clEnqueueSVMMap(s.queue, 0, flags, b.at(7), 4000, 0, null(), null_mut()), 0);
            assert_eq!(clSetUserEventStatus(held, 0), 0);
            assert_eq!(clReleaseEvent(held), 0);
        }
        s.finish();
        model.iter_mut().for_each(|w| *w = w.wrapping_add(round));
        assert_eq!((7..1007).map(|i| b.get(i)).collect::<Vec<_>>(), model[7..1007]);
        b.set(8, round);
        b.unmap(7);
        // SAFETY: in the memory; the host looks when it was waited for.
        unsafe {
            assert_eq!(clEnqueueSVMMemcpy(s.queue, 0, a.at(8), b.at(8), 4, 0, null(), null_mut()), 0);
            assert_eq!(clEnqueueSVMMemcpy(s.queue, 1, a.at(9), b.at(9), 4000, 0, null(), null_mut()), 0);
        }
        model[8] = round;
        assert_eq!(a.seen(0, 3000), model);
    }
    // One queue of two threads: each sees what it wrote itself.
    let (queue, p) = (s.queue.expose_provenance(), b.p.expose_provenance());
    let other = std::thread::spawn(move || {
        let (queue, p) = (
            std::ptr::with_exposed_provenance_mut(queue),
            std::ptr::with_exposed_provenance_mut::<c_void>(p),
        );
        for round in 0..200u32 {
            // SAFETY: the memory lives until this thread has ended, and the other one does not use it.
            unsafe {
                let flags = CL_MAP_WRITE_INVALIDATE_REGION;
                assert_eq!(clEnqueueSVMMap(queue, 1, flags, p, 64, 0, null(), null_mut()), 0);
                p.cast::<u32>().write_volatile(round);
                assert_eq!(clEnqueueSVMUnmap(queue, p, 0, null(), null_mut()), 0);
                assert_eq!(clEnqueueSVMMap(queue, 1, CL_MAP_READ, p, 64, 0, null(), null_mut()), 0);
                assert_eq!(p.cast::<u32>().read_volatile(), round);
                assert_eq!(clEnqueueSVMUnmap(queue, p, 0, null(), null_mut()), 0);
            }
        }
    });
    for round in 0..200u32 {
        arg(add.0, 1, &round);
        launch(s.queue, add.0, 3000);
        model.iter_mut().for_each(|w| *w = w.wrapping_add(round));
        let at = round as usize * 13;
        assert_eq!(a.seen(at, 20), model[at..at + 20]);
    }
    other.join().expect("the other thread");
}

#[test]
fn freed_while_mapped_and_in_use() {
    let Some(s) = setup() else { return };
    let add = Kernel::new(&s, c"add");
    for round in 0..50u32 {
        let model = words(500, round);
        let a = Words::with_contents(&s, &model);
        // Whoever had the memory before has left nothing behind in it.
        assert_eq!(a.seen(0, 500), model);
        a.set_as(add.0, 0);
        arg(add.0, 1, &1u32);
        launch(s.queue, add.0, 500);
        let flags = if round % 2 == 0 { CL_MAP_READ } else { CL_MAP_WRITE };
        // SAFETY: in the memory; not waited for.
        let code = unsafe { clEnqueueSVMMap(s.queue, 0, flags, a.at(0), 400, 0, null(), null_mut()) };
        assert_eq!(code, 0);
        if round % 3 == 0 {
            a.unmap(0);
        }
        // Its kernel argument is left there, as many programs leave it.
        if round % 5 == 0 {
            s.finish();
        }
        drop(a);
    }
    s.finish();
}

#[test]
fn what_is_not_mapped_is_unmapped_without_harm() {
    let Some(s) = setup() else { return };
    let model = words(100, 6);
    let a = Words::with_contents(&s, &model);
    a.unmap(0);
    a.unmap(50);
    a.map(CL_MAP_READ, 10, 10);
    a.unmap(11);
    a.unmap(10);
    a.unmap(10);
    // Twice at one place: the last one is the first to end.
    a.map(CL_MAP_READ, 0, 100);
    a.map(CL_MAP_WRITE, 0, 50);
    a.set(3, 9);
    a.unmap(0);
    a.unmap(0);
    let mut wanted = model;
    wanted[3] = 9;
    let mut out = vec![0u32; 100];
    // SAFETY: memory of the size.
    let code = unsafe {
        let to = out.as_mut_ptr().cast();
        clEnqueueSVMMemcpy(s.queue, 1, to, a.at(0), 400, 0, null(), null_mut())
    };
    assert_eq!((code, out), (0, wanted));
}

/// Copies that are waited for take what the device has, whoever makes them: the host, where it has the same.
#[test]
fn waited_copies_see_what_the_device_has() {
    let Some(s) = setup() else { return };
    for count in [300usize, 5000, 60_000, 100_000] {
        let (mut model, mut other) = (words(count, 9), words(count, 10));
        let (a, b, add) =
            (Words::with_contents(&s, &model), Words::with_contents(&s, &other), Kernel::new(&s, c"add"));
        a.set_as(add.0, 0);
        let copy = |to: &Words<'_>, at: usize, from: &Words<'_>, first: usize, n: usize| {
            let (to, from) = (to.at(at), from.at(first));
            // SAFETY: in the memory.
            assert_eq!(unsafe { clEnqueueSVMMemcpy(s.queue, 1, to, from, n * 4, 0, null(), null_mut()) }, 0);
        };
        for round in 0..6u32 {
            // Both sides have the same.
            assert_eq!(a.seen(0, count), model);
            copy(&b, 1, &a, 0, count - 1);
            other[1..].copy_from_slice(&model[..count - 1]);
            if round % 2 == 0 {
                assert_eq!(b.seen(0, count), other);
            }
            // The device has newer, or will have.
            arg(add.0, 1, &round);
            launch(s.queue, add.0, count);
            model.iter_mut().for_each(|w| *w = w.wrapping_add(round));
            copy(&b, 0, &a, 0, count);
            other.copy_from_slice(&model);
            assert_eq!(b.seen(0, count), other);
            // The host has newer, and has not said so.
            assert_eq!(a.seen(0, count), model);
            a.map(CL_MAP_WRITE, 10, 20);
            a.set(15, round + 1);
            copy(&b, 0, &a, 40, 200);
            other[..200].copy_from_slice(&model[40..240]);
            copy(&b, 210, &a, 100, 9);
            other[210..219].copy_from_slice(&model[100..109]);
            a.unmap(10);
            model[15] = round + 1;
            copy(&b, 3, &a, 0, 30);
            other[3..33].copy_from_slice(&model[..30]);
            // Within one; and what was copied is copied on.
            copy(&a, 0, &a, count / 2, count / 2);
            model.copy_within(count / 2..count / 2 * 2, 0);
            copy(&b, 0, &a, 0, count);
            other.copy_from_slice(&model);
            assert_eq!((a.seen(0, count), b.seen(0, count)), (model.clone(), other.clone()));
        }
    }
}

/// Copies that are waited for, one after the other, among all that may come before and behind them: what another queue does without an event
/// (the copy is complete), queues out of order, events, profiles, odd places and sizes, memory that is freed behind them.
#[test]
fn waited_copies_and_their_neighbours() {
    let Some(s) = setup() else { return };
    let queue = |properties| {
        let mut error = 1;
        // SAFETY: handles and places are valid.
        let queue = unsafe { clCreateCommandQueue(s.context, s.device, properties, &mut error) };
        assert_eq!(error, 0);
        queue
    };
    let queues =
        [s.queue, queue(0), queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), queue(CL_QUEUE_PROFILING_ENABLE)];
    let copy = |queue: Handle, to: *mut c_void, from: *mut c_void, size: usize, event: *mut Handle| {
        // SAFETY: in memory of the tests'.
        assert_eq!(unsafe { clEnqueueSVMMemcpy(queue, 1, to, from, size, 0, null(), event) }, 0);
    };
    for count in [4096usize, 20_000, 70_000] {
        let (mut model, mut other) = (words(count, 11), words(count, 12));
        let (a, b, add) =
            (Words::with_contents(&s, &model), Words::with_contents(&s, &other), Kernel::new(&s, c"add"));
        s.finish();
        for round in 0..24u32 {
            let (first, second) = (queues[round as usize % 4], queues[(round / 4) as usize % 4]);
            let out_of_order = queues[2];
            // Behind a kernel of the same queue, or of another one that was waited for.
            a.set_as(add.0, 0);
            arg(add.0, 1, &round);
            launch(second, add.0, count);
            model.iter_mut().for_each(|w| *w = w.wrapping_add(round));
            if first != second || first == out_of_order {
                // SAFETY: a handle.
                assert_eq!(unsafe { clFinish(second) }, 0);
            }
            copy(first, b.at(0), a.at(0), count * 4, null_mut());
            other.copy_from_slice(&model);
            // One after the other: what the first wrote is copied on, and what was read is written.
            let half = count / 2 / 4 * 4;
            copy(first, a.at(0), b.at(half), half * 4, null_mut());
            model[..half].copy_from_slice(&other[half..2 * half]);
            copy(first, b.at(half), a.at(4), half * 4 - 16, null_mut());
            other[half..2 * half - 4].copy_from_slice(&model[4..half]);
            // Nothing, odd places, odd sizes.
            copy(first, b.at(0), a.at(0), 0, null_mut());
            copy(first, b.at(1), a.at(0), 4096, null_mut());
            other[1..1025].copy_from_slice(&model[..1024]);
            copy(first, b.at(2000), a.at(1027), 2052, null_mut());
            other[2000..2513].copy_from_slice(&model[1027..1540]);
            // A kernel of another queue behind it, without an event: the copy is complete.
            b.set_as(add.0, 0);
            launch(second, add.0, count);
            other.iter_mut().for_each(|w| *w = w.wrapping_add(round));
            // SAFETY: a handle.
            assert_eq!(unsafe { clFinish(second) }, 0);
            if round % 3 == 0 {
                let mut event: Handle = null_mut();
                copy(first, a.at(8), b.at(16), 8192, &raw mut event);
                model[8..2056].copy_from_slice(&other[16..2064]);
                let mut status = 1i32;
                // SAFETY: handles and places are valid.
                let code = unsafe {
                    clGetEventInfo(
                        event,
                        CL_EVENT_COMMAND_EXECUTION_STATUS,
                        4,
                        (&raw mut status).cast(),
                        null_mut(),
                    )
                };
                assert_eq!((code, status), (0, CL_COMPLETE));
                // SAFETY: a handle.
                assert_eq!(unsafe { clReleaseEvent(event) }, 0);
            }
            if round % 2 == 0 {
                // Freed as soon as it was copied from, and given to another one.
                let c = Words::with_contents(&s, &words(count, round));
                s.finish();
                copy(first, a.at(0), c.at(0), count * 4, null_mut());
                drop(c);
                let d = Words::with_contents(&s, &words(count, round + 100));
                model = words(count, round);
                assert_eq!(d.seen(0, count), words(count, round + 100));
            }
            // SAFETY: a handle.
            assert_eq!(unsafe { clFinish(first) }, 0);
            assert_eq!((a.seen(0, count), b.seen(0, count)), (model.clone(), other.clone()), "{round}");
        }
    }
    // SAFETY: handles.
    queues[1..].iter().for_each(|queue| assert_eq!(unsafe { clReleaseCommandQueue(*queue) }, 0));
}

/// Launches that are like the one before, in memory that is mapped, freed and given to others meanwhile.
#[test]
fn launches_again() {
    let Some(s) = setup() else { return };
    let (add, sum) = (Kernel::new(&s, c"add"), Kernel::new(&s, c"sum"));
    let out = Words::with_contents(&s, &[0; 4]);
    out.set_as(sum.0, 2);
    for round in 0..4u32 {
        let mut model = words(1000, 20 + round);
        let a = Words::with_contents(&s, &model);
        a.set_as(add.0, 0);
        a.set_as(sum.0, 0);
        arg(sum.0, 1, &1000u32);
        for turn in 0..12u32 {
            arg(add.0, 1, &(turn / 3 * round));
            for _ in 0..=turn % 3 {
                launch(s.queue, add.0, 1000);
                model.iter_mut().for_each(|w| *w = w.wrapping_add(turn / 3 * round));
            }
            launch(s.queue, sum.0, 1);
            let total = model.iter().fold(0u32, |sum, w| sum.wrapping_add(*w));
            if turn % 2 == 0 {
                a.map(CL_MAP_READ | CL_MAP_WRITE, 7, 3);
                assert_eq!(a.get(8), model[8]);
                a.set(8, turn);
                a.unmap(7);
                model[8] = turn;
            }
            assert_eq!(out.seen(0, 1), [total], "round {round}, turn {turn}");
        }
        // Pointers in turn, to whole allocations and into one.
        let mut others = words(1000, 30 + round);
        let c = Words::with_contents(&s, &others);
        arg(add.0, 1, &9u32);
        for turn in 0..9 {
            let (model, at) = [(&mut model, &a), (&mut others, &c)].into_iter().nth(turn % 2).expect("two");
            let first = turn % 3 * 50;
            // SAFETY: a valid kernel.
            assert_eq!(unsafe { clSetKernelArgSVMPointer(add.0, 0, at.at(first)) }, 0);
            launch(s.queue, add.0, 700);
            model[first..first + 700].iter_mut().for_each(|w| *w = w.wrapping_add(9));
            if turn % 4 == 3 {
                assert_eq!(at.seen(0, 1000), *model);
            }
        }
        assert_eq!((a.seen(0, 1000), c.seen(0, 1000)), (model.clone(), others));
        a.set_as(add.0, 0);
        // Both arguments the same memory.
        a.set_as(sum.0, 2);
        for _ in 0..3 {
            let total = model.iter().fold(0u32, |sum, w| sum.wrapping_add(*w));
            launch(s.queue, sum.0, 1);
            model[0] = total;
            assert_eq!(a.seen(0, 1000), model);
        }
        out.set_as(sum.0, 2);
        launch(s.queue, add.0, 1000);
        drop(a);
        let b = Words::with_contents(&s, &[1; 1000]);
        b.set_as(add.0, 0);
        arg(add.0, 1, &1u32);
        launch(s.queue, add.0, 1000);
        assert_eq!(b.seen(0, 1000), [2; 1000]);
    }
}

/// What a program maps again and again is there before it asks; what it does otherwise then is right, too.
#[test]
fn habits_and_their_ends() {
    let Some(s) = setup() else { return };
    let mut error = 1;
    // SAFETY: handles and places are valid.
    let second = unsafe { clCreateCommandQueue(s.context, s.device, 0, &mut error) };
    assert_eq!(error, 0);
    for count in [1000usize, 5000, 100_000] {
        let (mut model, add) = (words(count, 7), Kernel::new(&s, c"add"));
        let (a, b) = (Words::with_contents(&s, &model), Words::with_contents(&s, &words(count, 8)));
        a.set_as(add.0, 0);
        let kernel = |model: &mut Vec<u32>, first: usize, last: usize, n: u32| {
            arg(add.0, 1, &n);
            let (offset, size) = (first, last - first);
            // SAFETY: one dimension.
            let code = unsafe {
                let (q, o, g) = (s.queue, &raw const offset, &raw const size);
                pumice::entry::launch::clEnqueueNDRangeKernel(
                    q,
                    add.0,
                    1,
                    o,
                    g,
                    null(),
                    0,
                    null(),
                    null_mut(),
                )
            };
            assert_eq!(code, 0);
            model[first..last].iter_mut().for_each(|w| *w = w.wrapping_add(n));
        };
        for round in 0..60u32 {
            let half = count / 2;
            kernel(&mut model, 0, count, round);
            match round % 12 {
                // The habit.
                0..=3 | 6 => {}
                4 => kernel(&mut model, 0, half, 1),
                // The host writes the end of what it has mapped while a kernel writes the beginning.
                5 => {
                    a.map(CL_MAP_WRITE, half, count - half);
                    (half..count).for_each(|i| a.set(i, round));
                    kernel(&mut model, 0, half, 2);
                    a.unmap(half);
                    model[half..].fill(round);
                }
                // The device writes it otherwise.
                7 | 8 => {
                    let p = 7u32;
                    // SAFETY: in the memory.
                    unsafe {
                        let (q, to) = (s.queue, a.at(20));
                        let code = match round % 12 {
                            7 => clEnqueueSVMMemcpy(q, 0, to, b.at(0), 400, 0, null(), null_mut()),
                            _ => clEnqueueSVMMemFill(
                                q,
                                to,
                                (&raw const p).cast(),
                                4,
                                400,
                                0,
                                null(),
                                null_mut(),
                            ),
                        };
                        assert_eq!(code, 0);
                    }
                    match round % 12 {
                        7 => model[20..120].copy_from_slice(&words(count, 8)[..100]),
                        _ => model[20..120].fill(7),
                    }
                }
                // Another queue has a part, which the kernel of this one does not write.
                9 | 10 => {
                    s.finish();
                    a.map_on(second, CL_MAP_WRITE_INVALIDATE_REGION, half, 100);
                    (half..half + 100).for_each(|i| a.set(i, 3 * round));
                    // SAFETY: mapped.
                    unsafe { clEnqueueSVMUnmap(second, a.at(half), 0, null(), null_mut()) };
                    model[half..half + 100].fill(3 * round);
                    kernel(&mut model, 0, half, 5);
                    // SAFETY: a handle.
                    assert_eq!(unsafe { clFinish(second) }, 0);
                }
                // Another region.
                _ => assert_eq!(a.seen(7, 90), model[7..97]),
            }
            // The kernels are waited for first, half of the time.
            if round % 24 >= 12 {
                s.finish();
            }
            assert_eq!(a.seen(0, count), model, "round {round}");
            if round % 5 == 0 {
                a.map(CL_MAP_READ | CL_MAP_WRITE, 0, count);
                a.set(3, round);
                model[3] = round;
                a.unmap(0);
            }
        }
    }
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseCommandQueue(second) }, 0);
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}

/// On a processor the arena's coarse-grain memory lies twice.
#[test]
fn the_same_in_the_arena() {
    again::again_in_arena(
        module_path!(),
        &["", "stage,reorder", "stage,streams=4", "window", "wander,streams=4"],
    );
}
