//! Threads that build, enqueue, map, wait, fail and release at random, all on the same few queues. What each thread computes in
//! its own buffer is checked; what all do to the shared buffers only has to be survived.
//!
//! `PUMICE_STRESS_SECONDS` is how long (5), `PUMICE_STRESS_SEED` where the random numbers begin, `PUMICE_STRESS_THREADS` how
//! many threads (16). `scripts/stress` runs it for a minute under the thread sanitizer.

mod common;
mod open;

use std::ffi::c_char;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::*;
use opencl_sys as cl;
use pumice::entry::event::*;
use pumice::entry::kernel::*;
use pumice::entry::launch::*;
use pumice::entry::memory::*;
use pumice::entry::program::*;
use pumice::entry::queue::*;
use pumice::entry::transfer::*;
use pumice::testing;

/// How many numbers a thread's buffer has, at most.
const MAX: usize = 3000;
const SHARED: usize = 512;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// What all threads use.
struct World {
    context: usize,
    device: usize,
    queues: Vec<usize>,
    buffers: Vec<usize>,
    program: usize,
    end: Instant,
}

static CALLED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(_: Handle, _: i32, _: Handle) {
    CALLED.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C" fn set_it(event: Handle, status: i32, user: Handle) {
    // SAFETY: handles; the user event is released by this.
    unsafe {
        assert!(status <= 0 && !event.is_null());
        assert_eq!(set(user, 0), 0);
        assert_eq!(clReleaseEvent(user), 0);
    }
    CALLED.fetch_add(1, Ordering::Relaxed);
}

fn build(context: Handle, device: Handle, constant: u32) -> Handle {
    let source = format!(
        "__kernel void add(__global uint *a, uint n) {{ a[get_global_id(0)] += n + {constant}u; }}\n\
         __kernel void mix(__global uint *a, __global const uint *b) {{\n\
           size_t i = get_global_id(0); a[i] = a[i] * 3u + b[i];\n\
         }}\n"
    );
    let (mut text, length, mut error) = (source.as_ptr().cast::<c_char>(), source.len(), 1);
    // SAFETY: the string has its length; places are valid.
    unsafe {
        let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut error);
        assert_eq!(error, 0);
        assert_eq!(clBuildProgram(program, 1, &device, null(), None, null_mut()), 0);
        program
    }
}

/// One thread.
struct Worker<'a> {
    world: &'a World,
    random: Random,
    buffer: Handle,
    /// What the buffer has.
    data: Vec<u32>,
    /// With the constant that its program adds.
    kernel: Handle,
    constant: u32,
    mix: Handle,
}

impl<'a> Worker<'a> {
    fn new(world: &'a World, seed: u64) -> Self {
        let mut random = Random(seed | 1);
        for _ in 0..20 {
            random.below(2);
        }
        let (kernel, mix) = kernels(handle(world.program));
        let mut worker =
            Worker { world, random, buffer: null_mut(), data: Vec::new(), kernel, constant: 0, mix };
        worker.renew_buffer();
        worker
    }

    fn queue(&mut self) -> Handle {
        let i = self.random.below(self.world.queues.len());
        handle(self.world.queues[i])
    }

    fn shared_buffer(&mut self) -> Handle {
        let i = self.random.below(self.world.buffers.len());
        handle(self.world.buffers[i])
    }

    fn renew_buffer(&mut self) {
        let size = 1 + self.random.below(MAX);
        self.data = (0..size as u32).map(|i| i * 7).collect();
        let flags = [cl::CL_MEM_COPY_HOST_PTR, cl::CL_MEM_COPY_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR]
            [self.random.below(2)];
        let (mut error, old) = (1, self.buffer);
        // SAFETY: the data has the size; the place is valid.
        unsafe {
            let data = self.data.as_mut_ptr().cast();
            self.buffer = clCreateBuffer(handle(self.world.context), flags, size * 4, data, &mut error);
            assert_eq!(error, 0);
            if !old.is_null() {
                assert_eq!(clReleaseMemObject(old), 0);
            }
        }
    }

    /// Adds to every number by the kernel, after some events.
    fn launch(&mut self, queue: Handle, waits: &[Handle]) -> Handle {
        let n = self.random.below(1000) as u32;
        let (size, mut event) = (self.data.len(), null_mut());
        // SAFETY: arguments have their sizes; lists and places are valid.
        unsafe {
            assert_eq!(clSetKernelArg(self.kernel, 0, 8, (&raw const self.buffer).cast()), 0);
            assert_eq!(clSetKernelArg(self.kernel, 1, 4, (&raw const n).cast()), 0);
            let list = if waits.is_empty() { null() } else { waits.as_ptr() };
            let code = clEnqueueNDRangeKernel(
                queue,
                self.kernel,
                1,
                null(),
                &size,
                null(),
                waits.len() as u32,
                list,
                &mut event,
            );
            assert_eq!(code, 0);
        }
        let n = n.wrapping_add(self.constant);
        self.data.iter_mut().for_each(|v| *v = v.wrapping_add(n));
        event
    }

    /// Launches one after the other on any queues, at times held by a user event; then reads.
    fn chain(&mut self) {
        let context = handle(self.world.context);
        let mut error = 0;
        // SAFETY: the place is valid.
        let user = unsafe { clCreateUserEvent(context, &mut error) };
        let mut held = self.random.one_in(2);
        let mut last = if held { vec![user] } else { Vec::new() };
        let mut events = vec![user];
        for _ in 0..=self.random.below(6) {
            let queue = self.queue();
            let next = match self.random.below(4) {
                0 => {
                    let factor = self.random.below(100);
                    self.data.iter_mut().enumerate().for_each(|(i, v)| *v = (i * factor) as u32);
                    let event = write(queue, self.buffer, false, &self.data, &last);
                    if std::mem::take(&mut held) {
                        assert_eq!(set(user, 0), 0);
                    }
                    // Until it is complete, the command may read the data.
                    assert_eq!(wait(&[event]), 0);
                    event
                }
                1 => marker(queue, &last),
                _ => self.launch(queue, &last),
            };
            if self.random.one_in(8) {
                // SAFETY: a function for this.
                let code = unsafe { clSetEventCallback(next, cl::CL_COMPLETE, Some(count), null_mut()) };
                assert_eq!(code, 0);
            }
            if last != [user] {
                release(&last, &[]);
            }
            last = vec![next];
        }
        let queue = self.queue();
        let mut out = vec![0; self.data.len()];
        let blocking = !held && self.random.one_in(2);
        let done = read(queue, self.buffer, blocking, &raw mut out[..], &last);
        if held {
            assert_eq!(set(user, 0), 0);
        }
        match self.random.below(3) {
            _ if blocking => {}
            0 => eventually("polling ends", || status(done) == 0),
            _ => assert_eq!(wait(&[done]), 0),
        }
        assert_eq!(out, self.data);
        events.append(&mut last);
        events.push(done);
        release(&events, &[]);
    }

    /// Writes through a mapping.
    fn map(&mut self) {
        let (queue, size) = (self.queue(), self.data.len());
        let (from, count) = (self.random.below(size), self.random.below(400));
        let count = (count + 1).min(size - from);
        let (mut error, mut events) = (1, [null_mut(); 2]);
        // SAFETY: the region lies in the buffer; places are valid; the pointer has the region's size until it is unmapped.
        unsafe {
            let pointer = clEnqueueMapBuffer(
                queue,
                self.buffer,
                1,
                cl::CL_MAP_READ | cl::CL_MAP_WRITE,
                from * 4,
                count * 4,
                0,
                null(),
                &mut events[0],
                &mut error,
            );
            assert_eq!(error, 0);
            let region = std::slice::from_raw_parts_mut(pointer.cast::<u32>(), count);
            for (place, value) in region.iter_mut().zip(&mut self.data[from..]) {
                assert_eq!(*place, *value);
                *value = value.wrapping_mul(5);
                *place = *value;
            }
            let code = clEnqueueUnmapMemObject(queue, self.buffer, pointer, 1, &events[0], &mut events[1]);
            assert_eq!(code, 0);
        }
        let mut out = vec![0; size];
        let done = read(self.queue(), self.buffer, true, &raw mut out[..], &events[1..]);
        assert_eq!(out, self.data);
        release(&events, &[]);
        release(&[done], &[]);
    }

    /// Commands on shared buffers, with and without events, some of which fail.
    fn noise(&mut self) {
        let (queue, a, b) = (self.queue(), self.shared_buffer(), self.shared_buffer());
        let (size, pattern) = (SHARED, 9u32);
        let mut error = 0;
        // SAFETY: sizes and places are valid.
        unsafe {
            let user = clCreateUserEvent(handle(self.world.context), &mut error);
            let failing = marker(queue, &[user]);
            for _ in 0..self.random.below(20) {
                let code = match self.random.below(3) {
                    0 if a != b => clEnqueueCopyBuffer(queue, a, b, 0, 0, size * 4, 0, null(), null_mut()),
                    1 => {
                        let pattern = (&raw const pattern).cast();
                        clEnqueueFillBuffer(queue, b, pattern, 4, 0, size * 4, 0, null(), null_mut())
                    }
                    _ => {
                        assert_eq!(clSetKernelArg(self.mix, 0, 8, (&raw const a).cast()), 0);
                        assert_eq!(clSetKernelArg(self.mix, 1, 8, (&raw const b).cast()), 0);
                        clEnqueueNDRangeKernel(
                            queue,
                            self.mix,
                            1,
                            null(),
                            &size,
                            null(),
                            0,
                            null(),
                            null_mut(),
                        )
                    }
                };
                assert_eq!(code, 0);
            }
            if self.random.one_in(2) {
                assert_eq!(clEnqueueBarrier(queue), 0);
            }
            assert_eq!(set(user, if self.random.one_in(2) { -7 } else { 0 }), 0);
            if self.random.one_in(4) {
                assert_eq!(clFinish(queue), 0);
            }
            release(&[user, failing], &[]);
        }
    }

    /// A queue of its own that is released with commands in it; a callback lets them go.
    fn own_queue(&mut self) {
        let mut error = 0;
        let properties = self.random.below(4) as u64;
        // SAFETY: places are valid.
        unsafe {
            let (context, device) = (handle(self.world.context), handle(self.world.device));
            let queue = clCreateCommandQueue(context, device, properties, &mut error);
            assert_eq!(error, 0);
            let user = clCreateUserEvent(context, &mut error);
            let first = marker(self.queue(), &[]);
            let event = self.launch(queue, &[user]);
            let last = self.launch(queue, &[event]);
            release(&[], &[queue]);
            assert_eq!(clSetEventCallback(first, cl::CL_COMPLETE, Some(set_it), user), 0);
            let mut out = vec![0; self.data.len()];
            let done = read(self.queue(), self.buffer, false, &raw mut out[..], &[last]);
            assert_eq!(wait(&[done]), 0);
            assert_eq!(out, self.data);
            release(&[first, event, last, done], &[]);
        }
    }

    /// Another program in place of the old one.
    fn rebuild(&mut self) {
        self.constant = self.random.below(50) as u32;
        let program = build(handle(self.world.context), handle(self.world.device), self.constant);
        self.drop_kernels();
        (self.kernel, self.mix) = kernels(program);
        // SAFETY: a handle.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }

    fn drop_kernels(&self) {
        // SAFETY: handles.
        unsafe {
            assert_eq!((clReleaseKernel(self.kernel), clReleaseKernel(self.mix)), (0, 0));
        }
    }

    fn run(mut self) -> u64 {
        let mut rounds = 0;
        while Instant::now() < self.world.end {
            match self.random.below(40) {
                0..16 => self.chain(),
                16..24 => self.map(),
                24..34 => self.noise(),
                34..38 => self.own_queue(),
                38 => self.renew_buffer(),
                _ => self.rebuild(),
            }
            rounds += 1;
        }
        self.drop_kernels();
        release_buffers(&[self.buffer]);
        rounds
    }
}

fn kernels(program: Handle) -> (Handle, Handle) {
    let mut error = 1;
    // SAFETY: names end with NUL; the place is valid.
    unsafe {
        let kernel = clCreateKernel(program, c"add".as_ptr(), &mut error);
        assert_eq!(error, 0);
        let mix = clCreateKernel(program, c"mix".as_ptr(), &mut error);
        assert_eq!(error, 0);
        (kernel, mix)
    }
}

#[test]
fn threads_do_anything_at_random() {
    testing::set_modes("count");
    let Some(s) = setup() else { return };
    let seconds = setting("PUMICE_STRESS_SECONDS", 5);
    let seed = setting("PUMICE_STRESS_SEED", 1);
    let threads = setting("PUMICE_STRESS_THREADS", 16);
    let queues = [IN_ORDER, IN_ORDER, OUT_OF_ORDER, OUT_OF_ORDER, PROFILED, PROFILED | OUT_OF_ORDER];
    let world = World {
        context: shared(s.context),
        device: shared(s.device),
        queues: queues.iter().map(|p| shared(s.queue(*p))).collect(),
        buffers: (0..4).map(|_| shared(s.buffer(0, SHARED))).collect(),
        program: shared(build(s.context, s.device, 0)),
        end: Instant::now() + Duration::from_secs(seconds),
    };
    let rounds = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for i in 0..threads {
            let (world, rounds) = (&world, &rounds);
            scope.spawn(move || {
                let worker = Worker::new(world, (seed * 1000 + i).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                rounds.fetch_add(worker.run(), Ordering::Relaxed);
            });
        }
    });
    let queues: Vec<Handle> = world.queues.iter().map(|q| handle(*q)).collect();
    release(&[], &queues);
    world.buffers.iter().for_each(|b| release_buffers(&[handle(*b)]));
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseProgram(handle(world.program)) }, 0);
    drop(s);
    eventually("nothing is left", || testing::alive().is_empty());
    println!("{} rounds, {} callbacks", rounds.into_inner(), CALLED.load(Ordering::Relaxed));
}
