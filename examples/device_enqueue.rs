//! The cost of kernels that kernels enqueue (OpenCL C §6.15.17), beside launches by the host.
//!
//! ```text
//! cargo run --release -p pumice-icd --example device_enqueue        one table
//! cargo run --release -p pumice-icd --example device_enqueue 9      each row the least of 9 repetitions
//! ```
//!
//! Each row is checked: the kernels count themselves. The functions of OpenCL are libpumice.so's, called directly. Errors end the program.
#![allow(clippy::undocumented_unsafe_blocks)] // All of it is OpenCL, as its specification says.

use std::error::Error;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::Instant;

use opencl_sys::*;
use pumice::entry::{
    context::*, device::*, kernel::*, launch::*, memory::*, platform::*, program::*, queue::*, transfer::*,
};

const SOURCE: &str = "
    kernel void plain(global uint *count) { atomic_inc(count); }
    // Each work-item enqueues one kernel.
    kernel void many(global uint *count, global uint *refused, global uint *spread) {
        uint g = get_global_id(0);
        if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ spread[g & 255] = g; atomic_inc(count); }))
            atomic_inc(refused);
    }
    void next(global uint *count, global uint *refused, uint left, uint size) {
        if (get_global_id(0) == 0 && left > 0
            && enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(size), ^{ next(count, refused, left - 1, size); }))
            atomic_inc(refused);
        if (get_global_id(0) == 0) atomic_inc(count);
    }
    // One after the other: each kernel enqueues the next one.
    kernel void chain(global uint *count, global uint *refused, uint left, uint size) { next(count, refused, left - 1, size); }
    void node(global uint *count, global uint *refused, uint level) {
        atomic_inc(count);
        if (level > 0
            && enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ node(count, refused, level - 1); }))
            atomic_inc(refused);
    }
    // Each work-item enqueues a kernel of four.
    kernel void tree(global uint *count, global uint *refused, uint level) { node(count, refused, level); }";

type Handle = *mut c_void;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn check(what: &str, code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(format!("{what}: error {code}").into()) }
}

struct Bench {
    queue: Handle,
    program: Handle,
    /// The count, what was refused, and words that kernels write.
    memory: [Handle; 3],
    repetitions: usize,
}

impl Bench {
    unsafe fn new(repetitions: usize) -> Result<Self> {
        let (mut platform, mut device, mut code) = (null_mut(), null_mut(), 0);
        unsafe {
            check("clGetPlatformIDs", clGetPlatformIDs(1, &mut platform, null_mut()))?;
            let found = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut());
            check("clGetDeviceIDs", found)?;
            let mut name = [0u8; 128];
            clGetDeviceInfo(device, CL_DEVICE_NAME, 128, name.as_mut_ptr().cast(), null_mut());
            println!("{}", String::from_utf8_lossy(&name).trim_end_matches('\0'));
            let context = clCreateContext(null(), 1, &device, None, null_mut(), &mut code);
            check("clCreateContext", code)?;
            let queue = clCreateCommandQueueWithProperties(context, device, null(), &mut code);
            check("clCreateCommandQueueWithProperties", code)?;
            let kind =
                CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
            let list = [CL_QUEUE_PROPERTIES.into(), kind, CL_QUEUE_SIZE.into(), 64 << 20, 0];
            clCreateCommandQueueWithProperties(context, device, list.as_ptr(), &mut code);
            check("an on-device queue", code)?;
            let mut text = SOURCE.as_ptr().cast();
            let program = clCreateProgramWithSource(context, 1, &mut text, &SOURCE.len(), &mut code);
            check("clCreateProgramWithSource", code)?;
            let options = c"-cl-std=CL3.0".as_ptr();
            check("clBuildProgram", clBuildProgram(program, 1, &device, options, None, null_mut()))?;
            let mut memory = [null_mut(); 3];
            for place in &mut memory {
                *place = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, null_mut(), &mut code);
                check("clCreateBuffer", code)?;
            }
            Ok(Bench { queue, program, memory, repetitions })
        }
    }

    unsafe fn kernel(&self, name: &std::ffi::CStr, values: &[u32], memories: &[Handle]) -> Result<Handle> {
        let mut code = 0;
        unsafe {
            let kernel = clCreateKernel(self.program, name.as_ptr(), &mut code);
            check("clCreateKernel", code)?;
            for (n, memory) in (0..).zip(memories) {
                check("clSetKernelArg", clSetKernelArg(kernel, n, 8, (&raw const *memory).cast()))?;
            }
            for (n, value) in (memories.len() as u32..).zip(values) {
                check("clSetKernelArg", clSetKernelArg(kernel, n, 4, (&raw const *value).cast()))?;
            }
            Ok(kernel)
        }
    }

    /// Launches a kernel some times, each to its end where asked: the least time of the repetitions in microseconds.
    unsafe fn row(
        &self,
        name: &str,
        kernel: Handle,
        (size, launches, waits): (usize, usize, bool),
        kernels: u32,
    ) -> Result<f64> {
        let mut least = f64::MAX;
        for repetition in 0..=self.repetitions {
            let zero = 0u32;
            unsafe {
                for memory in &self.memory[..2] {
                    let from = (&raw const zero).cast();
                    let code =
                        clEnqueueWriteBuffer(self.queue, *memory, CL_TRUE, 0, 4, from, 0, null(), null_mut());
                    check("clEnqueueWriteBuffer", code)?;
                }
                let begun = Instant::now();
                for _ in 0..launches {
                    let none = (null(), null_mut());
                    let code = clEnqueueNDRangeKernel(
                        self.queue,
                        kernel,
                        1,
                        null(),
                        &size,
                        null(),
                        0,
                        none.0,
                        none.1,
                    );
                    check("clEnqueueNDRangeKernel", code)?;
                    if waits {
                        check("clFinish", clFinish(self.queue))?;
                    }
                }
                check("clFinish", clFinish(self.queue))?;
                // The first one makes the pipelines.
                if repetition > 0 {
                    least = least.min(begun.elapsed().as_secs_f64() * 1e6);
                }
                let mut counted = [0u32; 2];
                for (memory, place) in self.memory.iter().zip(&mut counted) {
                    let to = (place as *mut u32).cast();
                    let code =
                        clEnqueueReadBuffer(self.queue, *memory, CL_TRUE, 0, 4, to, 0, null(), null_mut());
                    check("clEnqueueReadBuffer", code)?;
                }
                if counted != [kernels, 0] {
                    return Err(
                        format!("{name}: {counted:?} kernels and refusals, {kernels} expected").into()
                    );
                }
            }
        }
        println!("{name:48} {kernels:>8} {least:>12.0} {:>12.3}", least / f64::from(kernels));
        Ok(least)
    }
}

fn main() -> Result<()> {
    let repetitions = std::env::args().nth(1).map_or(Ok(5), |n| n.parse())?;
    unsafe {
        let b = Bench::new(repetitions)?;
        println!("{:48} {:>8} {:>12} {:>12}", "", "kernels", "µs", "µs each");
        let [count, refused, spread] = b.memory;
        let plain = b.kernel(c"plain", &[], &[count])?;
        b.row("launches by the host", plain, (1, 1000, false), 1000)?;
        b.row("launches by the host, each waited for", plain, (1, 1000, true), 1000)?;
        let many = b.kernel(c"many", &[], &[count, refused, spread])?;
        for children in [1u32, 100, 10_000, 100_000] {
            let name = format!("{children} children of one launch");
            b.row(&name, many, (children as usize, 1, false), children)?;
        }
        for (left, size) in [(10, 1), (1000, 1), (1000, 1024)] {
            let chain = b.kernel(c"chain", &[left, size], &[count, refused])?;
            let name = format!("a chain of {left}, each of {size} work-items");
            b.row(&name, chain, (1, 1, false), left)?;
        }
        let tree = b.kernel(c"tree", &[7], &[count, refused])?;
        b.row(
            "a tree of 4 children, 8 levels",
            tree,
            (1, 1, false),
            (0..=7).map(|level| 4u32.pow(level)).sum(),
        )?;
    }
    Ok(())
}
