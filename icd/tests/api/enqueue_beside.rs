//! Device-side enqueue beside the rest of OpenCL: variables of the program, pipes, text, queues of other properties, blocks that are refused,
//! and kernels that never come to an end.

use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use crate::enqueue::{Enqueue, make_queue};
use crate::support::{kernel, number, query, set};
use opencl_sys::*;
use pumice::entry::{event::*, launch::*, pipe::*, queue::*};

const SOURCE: &str = r#"
global uint total = 5;
constant uint steps[4] = {1, 10, 100, 1000};
// A variable of the program, constants, and a generation without the host's help.
void add(global uint *out, uint left) {
    atomic_add(&total, steps[left & 3]);
    if (get_global_id(0) == 0 && left > 0 && enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(3), ^{ add(out, left - 1); })) atomic_inc(out);
}
kernel void adding(global uint *out, uint left) { add(out, left); }
kernel void tell(global uint *out) { out[1] = total; }

// A pipe that a block captures.
kernel void from_pipe(read_only pipe uint p, global uint *out) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
        uint n = 0;
        if (read_pipe(p, &n) == 0) atomic_add(out, n);
    });
}
kernel void into_pipe(write_only pipe uint p) { uint n = get_global_id(0) + 1; write_pipe(p, &n); }

void again(global uint *out) {
    atomic_inc(out);
    if (out[1] == 0) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ again(out); });
}
kernel void endless(global volatile uint *out) { again((global uint *)out); }
"#;

impl Enqueue {
    fn beside(options: &str) -> Option<Self> {
        let e = Enqueue::new(None, "")?;
        let program = e.s.built(SOURCE, &format!("-cl-std=CL3.0 {options}"));
        Some(Enqueue { program, ..e })
    }
}

/// Kernels that others enqueue see the program's variables, and what they write the next launch sees.
#[test]
fn variables_of_the_program() {
    let Some(e) = Enqueue::beside("") else { return };
    let [adding, tell] = ["adding", "tell"].map(|name| kernel(&e.program, name).expect("the kernel"));
    let out = e.zeros(2);
    assert_eq!((set(&adding, 0, out.0), set(&adding, 1, 21u32), set(&tell, 0, out.0)), (0, 0, 0));
    let once = 10 + 3 * (0..21u32).map(|left| 10u32.pow(left & 3)).sum::<u32>();
    for times in 1..=3 {
        e.launch(&adding, &[1]);
        e.launch(&tell, &[1]);
        assert_eq!(e.s.read(&out, 2), [0, 5 + times * once]);
    }
}

#[test]
fn pipes() {
    let Some(e) = Enqueue::beside("") else { return };
    let [into, from] = ["into_pipe", "from_pipe"].map(|name| kernel(&e.program, name).expect("the kernel"));
    let (out, mut code) = (e.zeros(1), 1);
    // SAFETY: the place is valid.
    let pipe = unsafe { clCreatePipe(e.s.context.0, CL_MEM_HOST_NO_ACCESS, 4, 16, null(), &mut code) };
    assert_eq!(code, 0);
    assert_eq!((set(&into, 0, pipe), set(&from, 0, pipe), set(&from, 1, out.0)), (0, 0, 0));
    e.launch(&into, &[4]);
    e.launch(&from, &[1]);
    assert_eq!(e.s.read(&out, 1), [10]);
    // SAFETY: the pipe's only reference.
    assert_eq!(unsafe { pumice::entry::memory::clReleaseMemObject(pipe) }, 0);
}

/// Host queues of every kind launch kernels that enqueue, and commands behind them see all that was enqueued.
#[test]
fn queues_of_the_host() {
    let Some(e) = Enqueue::beside("") else { return };
    for properties in [0, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = make_queue(&e.s, properties, None).expect("a queue");
        let [adding, tell] = ["adding", "tell"].map(|name| kernel(&e.program, name).expect("the kernel"));
        let (out, one) = (e.zeros(2), 1usize);
        assert_eq!((set(&adding, 0, out.0), set(&adding, 1, 2u32), set(&tell, 0, out.0)), (0, 0, 0));
        let (mut first, mut last) = (null_mut(), null_mut());
        let size = &raw const one;
        // SAFETY: handles, sizes and places are valid.
        unsafe {
            let code =
                clEnqueueNDRangeKernel(queue.0, adding.0, 1, null(), size, null(), 0, null(), &mut first);
            assert_eq!(code, 0);
            let code = clEnqueueNDRangeKernel(queue.0, tell.0, 1, null(), size, null(), 1, &first, &mut last);
            assert_eq!((code, clWaitForEvents(1, &last)), (0, 0));
            let found = e.s.read(&out, 2);
            assert_eq!((found[0], (found[1] - 5) % 133), (0, 0), "100 + 3 * (10 + 1) each time: {found:?}");
            assert_eq!((clReleaseEvent(first), clReleaseEvent(last), clFinish(queue.0)), (0, 0, 0));
        }
    }
}

/// A block cannot capture an image or a sampler here: the build says so.
#[test]
fn images_are_refused() {
    let Some(e) = Enqueue::beside("") else { return };
    let source = "kernel void k(read_only image2d_t image, global float *out) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{
            out[get_global_id(0)] = read_imagef(image, (int2)(get_global_id(0), 0)).x;
        });
    }";
    let program = e.s.program(source);
    assert_eq!(e.s.build(&program, "-cl-std=CL3.0"), CL_BUILD_PROGRAM_FAILURE);
    let log = e.s.log(&program);
    assert!(log.contains("k: ") && log.contains("a block that captures an image"), "{log}");
}

/// A kernel that enqueues itself for ever leaves the host free: other queues go on, and the host ends it by what it writes.
#[test]
fn endless() {
    let Some(e) = Enqueue::beside("") else { return };
    let (endless, out, one) = (kernel(&e.program, "endless").expect("the kernel"), e.zeros(2), 1usize);
    assert_eq!(set(&endless, 0, out.0), 0);
    let mut event = null_mut();
    // SAFETY: handles, sizes and places are valid.
    unsafe {
        let size = &raw const one;
        let code =
            clEnqueueNDRangeKernel(e.s.queue.0, endless.0, 1, null(), size, null(), 0, null(), &mut event);
        assert_eq!((code, clFlush(e.s.queue.0)), (0, 0));
    }
    let other = e.s.another_queue();
    let begun = Instant::now();
    while other.read(&out, 1)[0] < 500 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it goes on, and other queues see it");
    }
    let status = query(|size, value, ret| {
        // SAFETY: the reply's place is valid.
        unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, ret) }
    });
    assert!(number(status) > 0, "it is not complete");
    other.write(&out, &[0, 1]);
    // SAFETY: one event, whose only reference this is.
    unsafe {
        assert_eq!((clWaitForEvents(1, &event), clReleaseEvent(event)), (0, 0));
    }
}
