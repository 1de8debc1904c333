//! Several streams: commands of several queues and contexts beside each other, and in order where events say so.

use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use crate::{again, cl};
use cl::{Handle, Setup, arg, kernel, release};
use opencl_sys::*;
use pumice::entry::{event::*, kernel::*, launch::*, queue::*, svm::*, transfer::*};

const SOURCE: &str = "
    kernel void add(global uint *a, uint n) { size_t i = get_global_id(0); a[i] = a[i] * 3 + n; }
    kernel void busy(global uint *a, uint turns) {
        size_t i = get_global_id(0);
        uint v = a[i];
        for (uint k = 0; k < turns; k++) v = v * 1664525 + 1013904223;
        a[i] = v;
    }";

/// Launches a kernel; its event.
fn enqueue(queue: Handle, kernel: Handle, size: usize, waits: &[Handle]) -> Handle {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: the lists are whole.
    let code = unsafe {
        let n = waits.len() as u32;
        clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), n, list, &mut event)
    };
    assert_eq!(code, 0);
    event
}

fn queue(s: &Setup, properties: u64) -> Handle {
    let mut error = 1;
    // SAFETY: the place is valid.
    let queue = unsafe { clCreateCommandQueue(s.context, s.device, properties, &mut error) };
    assert_eq!(error, 0);
    queue
}

fn status(event: Handle) -> i32 {
    let mut status = 77i32;
    // SAFETY: room for the answer.
    let code = unsafe {
        let place = (&raw mut status).cast();
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, place, null_mut())
    };
    assert_eq!(code, 0);
    status
}

fn wait(events: &[Handle]) {
    // SAFETY: the list is whole.
    assert_eq!(unsafe { clWaitForEvents(events.len() as u32, events.as_ptr()) }, 0);
}

fn drop_events(events: &[Handle]) {
    // SAFETY: handles that are given back once.
    events.iter().for_each(|event| assert_eq!(unsafe { clReleaseEvent(*event) }, 0));
}

fn drop_all(queues: &[Handle], kernels: &[Handle]) {
    // SAFETY: handles that are given back once.
    unsafe {
        queues.iter().for_each(|queue| assert_eq!(clReleaseCommandQueue(*queue), 0));
        kernels.iter().for_each(|kernel| assert_eq!(clReleaseKernel(*kernel), 0));
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// A launch that takes a while: about a tenth of a second or more.
struct Long {
    kernel: Handle,
    buffer: Handle,
    size: usize,
}

impl Long {
    fn new(s: &Setup) -> Self {
        let long =
            Long { kernel: kernel(s.context, SOURCE, c"busy"), buffer: s.buffer(0, 4 << 16), size: 1 << 16 };
        arg(long.kernel, 0, &long.buffer);
        arg(long.kernel, 1, &1u32);
        drop_events(&[enqueue(s.queue, long.kernel, long.size, &[])]);
        s.finish();
        let mut turns = 1000u32;
        loop {
            arg(long.kernel, 1, &turns);
            let begin = Instant::now();
            drop_events(&[enqueue(s.queue, long.kernel, long.size, &[])]);
            s.finish();
            // Some drivers end loops after 65,535 turns.
            if begin.elapsed() > Duration::from_millis(100) || turns > 30_000 {
                return long;
            }
            turns *= 2;
        }
    }

    fn enqueue(&self, queue: Handle) -> Handle {
        enqueue(queue, self.kernel, self.size, &[])
    }
}

#[test]
fn an_event_is_complete_before_what_follows_it() {
    let Some(s) = Setup::new() else { return };
    let (long, add) = (Long::new(&s), kernel(s.context, SOURCE, c"add"));
    let small = s.filled(&[1; 64]);
    arg(add, 0, &small);
    arg(add, 1, &7u32);
    for flush in [false, true] {
        let first_comes_first = || {
            let first = enqueue(s.queue, add, 16, &[]);
            let last: Vec<Handle> = (0..3).map(|_| long.enqueue(s.queue)).collect();
            if flush {
                // SAFETY: a queue.
                assert_eq!(unsafe { clFlush(s.queue) }, 0);
            }
            wait(&[first]);
            let goes_on = status(last[2]) > CL_COMPLETE;
            wait(&last);
            drop_events(&last);
            drop_events(&[first]);
            goes_on
        };
        // This thread may be suspended until the long ones are done, which may be short: they were measured beside others.
        assert!((0..50).any(|_| first_comes_first()), "the first is complete with the last");
    }
    release(small);
    release(long.buffer);
    drop_all(&[], &[add, long.kernel]);
}

#[test]
fn two_queues_take_turns() {
    for order in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE] {
        let Some(s) = Setup::new() else { return };
        let (a, b) = (queue(&s, order), queue(&s, order));
        let add = kernel(s.context, SOURCE, c"add");
        let data = cl::noise(4096, 5);
        let (x, y) = (s.filled(&data), s.buffer(0, 4096));
        let mut want = words(&data);
        arg(add, 0, &x);
        let mut last: Vec<Handle> = Vec::new();
        for i in 0..200u32 {
            arg(add, 1, &i);
            let event = enqueue(if i % 2 == 0 { a } else { b }, add, 1024, &last);
            drop_events(&last);
            last = vec![event];
            want.iter_mut().for_each(|v| *v = v.wrapping_mul(3).wrapping_add(i));
        }
        // A marker in one queue, a copy behind it, a read in a third.
        let (mut marker, mut copied) = (null_mut(), null_mut());
        // SAFETY: the lists are whole.
        unsafe {
            assert_eq!(clEnqueueMarkerWithWaitList(a, 1, last.as_ptr(), &mut marker), 0);
            assert_eq!(clEnqueueCopyBuffer(a, x, y, 0, 0, 4096, 1, &marker, &mut copied), 0);
            let mut out = vec![0u8; 4096];
            let place = out.as_mut_ptr().cast();
            let code = clEnqueueReadBuffer(s.queue, y, 1, 0, 4096, place, 1, &copied, null_mut());
            assert_eq!(code, 0);
            assert!(words(&out) == want);
        }
        drop_events(&last);
        drop_events(&[marker, copied]);
        release(x);
        release(y);
        drop_all(&[a, b], &[add]);
    }
}

#[test]
fn contents_of_creation_are_there_on_every_queue() {
    let Some(s) = Setup::new() else { return };
    let queues: Vec<Handle> = (0..5).map(|_| queue(&s, 0)).collect();
    for (queue, seed) in queues.iter().zip(1..) {
        let data = cl::noise(300_000, seed);
        let buffer = s.filled(&data);
        let mut out = vec![0u8; data.len()];
        // SAFETY: blocking, into memory of the size.
        let code = unsafe {
            let place = out.as_mut_ptr().cast();
            clEnqueueReadBuffer(*queue, buffer, 1, 0, data.len(), place, 0, null(), null_mut())
        };
        assert_eq!(code, 0);
        assert!(out == data);
        release(buffer);
    }
    drop_all(&queues, &[]);
}

/// Memory that is released while one queue uses it serves another one only after that.
#[test]
fn reused_memory_is_not_used_twice_at_a_time() {
    let Some(s) = Setup::new() else { return };
    let (a, b) = (queue(&s, 0), queue(&s, 0));
    let add = kernel(s.context, SOURCE, c"add");
    let long = Long::new(&s);
    let size = long.size * 4;
    for round in 0..6u32 {
        let first = s.buffer(0, size);
        arg(long.kernel, 0, &first);
        let event = long.enqueue(a);
        release(first);
        // Another queue, no event: a new buffer has nothing to do with the old one.
        let data = cl::noise(size, round);
        let second = s.buffer(0, size);
        let mut out = vec![0u8; size];
        // SAFETY: blocking, from and into memory of the size.
        unsafe {
            let from = data.as_ptr().cast();
            assert_eq!(clEnqueueWriteBuffer(b, second, 1, 0, size, from, 0, null(), null_mut()), 0);
            arg(add, 0, &second);
            arg(add, 1, &round);
            let run = enqueue(b, add, long.size, &[]);
            let place = out.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadBuffer(b, second, 1, 0, size, place, 0, null(), null_mut()), 0);
            drop_events(&[run]);
        }
        let want: Vec<u32> = words(&data).iter().map(|v| v.wrapping_mul(3).wrapping_add(round)).collect();
        assert!(words(&out) == want, "round {round}");
        release(second);
        wait(&[event]);
        drop_events(&[event]);
    }
    release(long.buffer);
    drop_all(&[a, b], &[add, long.kernel]);
}

/// Where the device runs queues beside each other: told by how long a small launch takes beside a long one.
#[test]
fn a_small_launch_beside_a_long_one() {
    let (Some(s), Some(other)) = (Setup::new(), Setup::new()) else { return };
    let long = Long::new(&s);
    let one = [kernel(s.context, SOURCE, c"add"), kernel(other.context, SOURCE, c"add")];
    let small = [s.filled(&[1; 64]), other.filled(&[1; 64])];
    let second = queue(&s, 0);
    for ((kernel, buffer), queue) in one.iter().zip(&small).zip([second, other.queue]) {
        arg(*kernel, 0, buffer);
        arg(*kernel, 1, &1u32);
        let warm = enqueue(queue, *kernel, 16, &[]);
        wait(&[warm]);
        let event = long.enqueue(s.queue);
        // SAFETY: a queue.
        assert_eq!(unsafe { clFlush(s.queue) }, 0);
        let begin = Instant::now();
        let run = enqueue(queue, *kernel, 16, &[]);
        wait(&[run]);
        println!("{:?} beside a long launch, which is {}", begin.elapsed(), status(event));
        wait(&[event]);
        drop_events(&[warm, event, run]);
    }
    release(long.buffer);
    small.into_iter().for_each(release);
    drop_all(&[second], &[one[0], one[1], long.kernel]);
}

#[test]
fn threads_wait_for_one_launch() {
    let Some(s) = Setup::new() else { return };
    let long = Long::new(&s);
    let event = long.enqueue(s.queue) as usize;
    let begin = Instant::now();
    let ends: Vec<Duration> = std::thread::scope(|scope| {
        let waits = (0..8).map(|_| {
            scope.spawn(move || {
                wait(&[event as Handle]);
                begin.elapsed()
            })
        });
        let threads: Vec<_> = waits.collect();
        threads.into_iter().map(|t| t.join().expect("ended")).collect()
    });
    println!("{ends:?}");
    let (first, last) = (ends.iter().min().expect("some"), ends.iter().max().expect("some"));
    // None is forgotten.
    assert!(*last - *first < Duration::from_secs(60));
    drop_events(&[event as Handle]);
    release(long.buffer);
    drop_all(&[], &[long.kernel]);
}

/// Two threads launch kernels without events on one in-order queue, which may move from stream to stream meanwhile. clFinish waits for all of
/// them (§5.15), which the host sees in memory that it shares.
#[test]
fn two_threads_launch_on_one_queue() {
    let Some(s) = Setup::new() else { return };
    // SAFETY: a context.
    let memory = unsafe { clSVMAlloc(s.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 8, 0) };
    if memory.is_null() {
        println!("SKIP: no fine-grain memory");
        return;
    }
    const EACH: u32 = 30;
    let counters = memory.cast::<u32>();
    // SAFETY: eight bytes that no command uses yet.
    unsafe { counters.cast::<u64>().write(0) };
    let source = "kernel void count(volatile global uint *p, uint n) {
        uint x = n;
        for (uint i = 0; i < 3000; i++) x = x * 1664525u + 1013904223u;
        p[0] += x == 1 ? 2 : 1;
    }";
    let kernels = [0, 1].map(|i| {
        let k = kernel(s.context, source, c"count");
        let at = counters.wrapping_add(i).cast_const().cast();
        // SAFETY: inside the memory.
        let code = unsafe { clSetKernelArgSVMPointer(k, 0, at) };
        assert_eq!(code, 0);
        arg(k, 1, &0u32);
        k
    });
    for round in 1..=30 {
        let one = queue(&s, 0);
        let at = kernels.map(|k| [k as usize, one as usize]);
        std::thread::scope(|scope| {
            for [kernel, queue] in at {
                scope.spawn(move || (0..EACH).for_each(|_| cl::launch(queue as Handle, kernel as Handle, 1)));
            }
        });
        // SAFETY: a queue; no command uses the memory afterwards.
        unsafe {
            assert_eq!(clFinish(one), 0);
            let counted = [0, 1].map(|i| counters.add(i).read_volatile());
            assert_eq!(counted, [round * EACH; 2], "round {round}");
        }
        drop_all(&[one], &[]);
    }
    drop_all(&[], &kernels);
    // SAFETY: allocated here.
    unsafe { clSVMFree(s.context, memory) };
}

#[test]
fn the_same_in_test_modes() {
    again::again_in(module_path!(), &["streams=4", "stage,shadow,streams=3", "wander,streams=3"]);
}
