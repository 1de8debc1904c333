//! Launches that are waited for again and again, with whatever may change between them, against a model: some of them are submitted as they
//! were recorded before.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use crate::{again, cl};
use cl::{Handle, Setup, arg, kernel, noise, release};
use opencl_sys::*;
use pumice::entry::{event::*, image::*, kernel::*, launch::*, queue::*};

const SOURCE: &str = "
global uint total = 5;
kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
kernel void mix(global const uint *a, global uint *b) { b[get_global_id(0)] = 3 * a[get_global_id(0)] + 1; }
kernel void count(global uint *p, uint n) { if (get_global_id(0) == 0) { total += n; p[0] = total; } }
kernel void say(global uint *p, uint n) { if (n == 77777) printf(\"%u\", n); p[get_global_id(0)] ^= n; }
kernel void texels(read_only image1d_t image, global uint *p) {
    p[get_global_id(0)] += read_imageui(image, (int)get_global_id(0)).x;
}";

/// Words of a buffer.
const N: usize = 64;

struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn is_one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect()
}

/// A buffer, or a part of one, and what is to be in it.
struct Words {
    /// What is released.
    whole: Option<Handle>,
    buffer: Handle,
    want: Vec<u32>,
}

impl Words {
    fn new(s: &Setup, chance: &mut Chance) -> Self {
        let data = noise(4 * N, chance.below(1000) as u32);
        let want = numbers(&data);
        if chance.is_one_in(3) {
            let whole = s.buffer(0, 16384 + 4 * N);
            let buffer = s.sub(whole, 0, 16384, 4 * N).expect("a part");
            s.write(buffer, 0, &data);
            return Words { whole: Some(whole), buffer, want };
        }
        Words { whole: None, buffer: s.filled(&data), want }
    }

    fn check(&self, s: &Setup, chance: &mut Chance, step: u32) {
        match chance.below(3) {
            0 => {
                let pointer = s.map(self.buffer, CL_MAP_READ, 0, 4 * N).expect("a map");
                // SAFETY: mapped.
                let seen = numbers(unsafe { std::slice::from_raw_parts(pointer, 4 * N) });
                assert_eq!(seen, self.want, "step {step}");
                assert_eq!(s.unmap(self.buffer, pointer), 0);
            }
            1 => assert_eq!(numbers(&s.read(self.buffer, 4, 8)), self.want[1..3], "step {step}"),
            _ => assert_eq!(numbers(&s.read(self.buffer, 0, 4 * N)), self.want, "step {step}"),
        }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        release(self.buffer);
        self.whole.into_iter().for_each(release);
    }
}

/// The kernels of a program, and what its variable is to be.
struct Kernels {
    handles: [Handle; 5],
    total: u32,
}

const NAMES: [&CStr; 5] = [c"add", c"mix", c"count", c"say", c"texels"];

impl Kernels {
    fn new(s: &Setup) -> Self {
        let first = kernel(s.context, SOURCE, NAMES[0]);
        let mut program: Handle = null_mut();
        // SAFETY: a kernel; room for a handle.
        let code = unsafe {
            clGetKernelInfo(
                first,
                CL_KERNEL_PROGRAM,
                size_of::<Handle>(),
                (&raw mut program).cast(),
                null_mut(),
            )
        };
        assert_eq!(code, 0);
        let mut handles = [first; 5];
        for (place, name) in handles.iter_mut().zip(NAMES).skip(1) {
            let mut error = 1;
            // SAFETY: the program lives while its kernels do.
            *place = unsafe { pumice::entry::kernel::clCreateKernel(program, name.as_ptr(), &mut error) };
            assert_eq!(error, 0);
        }
        Kernels { handles, total: 5 }
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        for handle in self.handles {
            // SAFETY: a handle.
            assert_eq!(unsafe { clReleaseKernel(handle) }, 0);
        }
    }
}

/// What is launched.
#[derive(Clone, Copy)]
struct Job {
    which: usize,
    from: usize,
    to: usize,
    n: u32,
}

impl Job {
    fn new(chance: &mut Chance) -> Self {
        let (from, to) = (chance.below(4) as usize, chance.below(4) as usize);
        Job { which: chance.below(5) as usize, from, to, n: chance.below(1000) as u32 }
    }

    /// Sets the arguments: each time, as many programs do, or those that changed.
    fn set(self, kernels: &Kernels, all: &[Words], image: Handle) {
        let kernel = kernels.handles[self.which];
        let to = all[self.to].buffer;
        match self.which {
            1 => {
                arg(kernel, 0, &all[self.from].buffer);
                arg(kernel, 1, &to);
            }
            4 => {
                arg(kernel, 0, &image);
                arg(kernel, 1, &to);
            }
            _ => {
                arg(kernel, 0, &to);
                arg(kernel, 1, &self.n);
            }
        }
    }

    fn want(self, kernels: &mut Kernels, all: &mut [Words], texel: u32) {
        let n = self.n;
        let each = |all: &mut [Words], f: &dyn Fn(u32) -> u32| {
            all[self.to].want.iter_mut().for_each(|word| *word = f(*word));
        };
        match self.which {
            0 => each(all, &|word| word.wrapping_add(n)),
            1 => {
                let new = |word: &u32| word.wrapping_mul(3).wrapping_add(1);
                all[self.to].want = all[self.from].want.iter().map(new).collect();
            }
            2 => {
                kernels.total = kernels.total.wrapping_add(n);
                all[self.to].want[0] = kernels.total;
            }
            3 => each(all, &|word| word ^ n),
            _ => each(all, &|word| word.wrapping_add(texel)),
        }
    }
}

fn enqueue(queue: Handle, kernel: Handle, waits: &[Handle], event: Option<&mut Handle>) {
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: handles; one size.
    let code = unsafe {
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            1,
            null(),
            &N,
            null(),
            waits.len() as u32,
            list,
            event.map_or(null_mut(), std::ptr::from_mut),
        )
    };
    assert_eq!(code, 0);
}

fn finish(queue: Handle) {
    // SAFETY: a handle.
    assert_eq!(unsafe { clFinish(queue) }, 0);
}

/// A launch with an event, which is waited for in one of the ways that there are; some are held by a user's event first.
fn with_event(s: &Setup, queue: Handle, kernel: Handle, chance: &mut Chance) {
    let (mut event, mut error) = (null_mut(), 1);
    // SAFETY: handles, each given back once; places are valid.
    unsafe {
        let user = chance.is_one_in(3).then(|| clCreateUserEvent(s.context, &mut error));
        enqueue(queue, kernel, user.as_slice(), Some(&mut event));
        if let Some(user) = user {
            assert_eq!((error, clFlush(queue), clSetUserEventStatus(user, 0)), (0, 0, 0));
            assert_eq!(clReleaseEvent(user), 0);
        }
        match chance.below(3) {
            0 => finish(queue),
            1 => assert_eq!(clWaitForEvents(1, &event), 0),
            _ => {
                let mut status = 1i32;
                assert_eq!(clFlush(queue), 0);
                while status != CL_COMPLETE {
                    let place = (&raw mut status).cast::<c_void>();
                    let code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, place, null_mut());
                    assert!(code == 0 && status >= 0, "{status}");
                }
            }
        }
        assert_eq!(clReleaseEvent(event), 0);
    }
}

fn image(s: &Setup, texel: u32) -> Handle {
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
    // SAFETY: all fields may be zero.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width) = (CL_MEM_OBJECT_IMAGE1D, N);
    let (texels, mut error) = ([texel; N], 1);
    // SAFETY: a handle, and N texels.
    let image = unsafe {
        let host = texels.as_ptr().cast_mut().cast();
        clCreateImage(s.context, CL_MEM_COPY_HOST_PTR, &format, &desc, host, &mut error)
    };
    assert_eq!(error, 0);
    image
}

fn run(properties: u64, seed: u64) {
    let Some(s) = Setup::with(properties) else { return };
    let mut chance = Chance(seed);
    let mut error = 1;
    // SAFETY: handles.
    let other = unsafe { clCreateCommandQueue(s.context, s.device, 0, &mut error) };
    assert_eq!(error, 0);
    let mut kernels = Kernels::new(&s);
    let mut all: Vec<Words> = (0..4).map(|_| Words::new(&s, &mut chance)).collect();
    let mut texel = 3;
    let mut picture = image(&s, texel);
    let mut job = Job::new(&mut chance);
    let mut queue = s.queue;
    job.set(&kernels, &all, picture);
    for step in 0..1200 {
        let mut set = chance.is_one_in(4);
        match chance.below(60) {
            0..5 => (job, set) = (Job::new(&mut chance), true),
            5 => (all[job.to], set) = (Words::new(&s, &mut chance), true),
            6 => (job.n, set) = (job.n + 1, true),
            7 if step % 5 == 0 => (kernels, set) = (Kernels::new(&s), true),
            8 => {
                finish(queue);
                queue = if queue == other { s.queue } else { other };
            }
            9 => {
                release(picture);
                texel += 1;
                (picture, set) = (image(&s, texel), true);
            }
            10 => {
                let data = noise(4 * N, step);
                s.write(all[job.to].buffer, 0, &data);
                all[job.to].want = numbers(&data);
            }
            _ => {}
        }
        if set {
            job.set(&kernels, &all, picture);
        }
        let kernel = kernels.handles[job.which];
        let times = if chance.is_one_in(6) { 1 + chance.below(7) } else { 1 };
        for _ in 0..times {
            match chance.below(8) {
                0 => with_event(&s, queue, kernel, &mut chance),
                _ => enqueue(queue, kernel, &[], None),
            }
            job.want(&mut kernels, &mut all, texel);
        }
        // Queues are ordered by what the host waits for alone.
        if queue == other || !chance.is_one_in(5) {
            finish(queue);
        }
        if chance.is_one_in(4) {
            all[job.to].check(&s, &mut chance, step);
        }
    }
    finish(s.queue);
    all.iter().for_each(|words| words.check(&s, &mut chance, 1200));
    release(picture);
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseCommandQueue(other) }, 0);
}

#[test]
fn on_a_plain_queue() {
    (1..4).for_each(|seed| run(0, seed));
}

#[test]
fn on_a_queue_with_profiling() {
    (4..6).for_each(|seed| run(CL_QUEUE_PROFILING_ENABLE, seed));
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}

#[test]
fn the_same_with_few_kept_and_none() {
    let modes = ["tune.keep=2", "tune.keep=0", "wander,streams=3", "binding=descriptor", "binding=packed"];
    again::again_in(module_path!(), &modes);
}
