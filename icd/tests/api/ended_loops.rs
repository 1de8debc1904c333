//! Mesa's llvmpipe before version 25 ends loops after 65,535 turns: kernels go on in another launch, those with barriers as single vectors. Where
//! a kernel cannot, the launch fails, with all that comes after it in its queue, and the context's function hears why. Elsewhere, and for loops
//! that are short enough, the results are right.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use crate::{bounded::bounded, cl, common};
use cl::{Handle, Setup, arg, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{context::*, event::*, kernel::*, launch::*, queue::*, transfer::*};

/// The first kernel does not resume as it is where the driver ends its loop: a barrier stands behind it.
const SOURCE: &str = "kernel void turns(uint n, global uint *out) {
    local uint none[1];
    none[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = none[0];
    for (uint i = 0; i < n; i++) sum += i ^ (sum == 0xffffffff);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum + none[0];
}
kernel void alone(uint n, global uint *out) {
    uint sum = 0;
    for (uint i = 0; i < n; i++) sum += i ^ (sum == 0xffffffff);
    out[get_global_id(0)] = sum;
}
kernel void few(global uint *out) {
    uint sum = 0;
    for (uint i = 0; i < 100; i++) sum += i * out[i & 3];
    out[get_global_id(0)] = sum;
}";

/// Returns what the turns of the loop add up to.
fn sum(n: u32) -> u32 {
    (0..n).fold(0u32, u32::wrapping_add)
}

/// Launches the loop with events; the status of the launch, that of a read behind it, what was read, and what clFinish says.
fn turns(queue: Handle, kernel: Handle, buffer: Handle, n: u32) -> (i32, i32, u32, i32) {
    arg(kernel, 0, &n);
    arg(kernel, 1, &buffer);
    let (mut launched, mut read, mut out) = (null_mut(), null_mut(), [0u32; 4]);
    let status = |event: cl_event| {
        let mut status = 1i32;
        // SAFETY: an event, which is waited for and given back; room for its status.
        unsafe {
            clWaitForEvents(1, &event);
            let place = (&raw mut status).cast();
            assert_eq!(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, place, null_mut()), 0);
            assert_eq!(clReleaseEvent(event), 0);
        }
        status
    };
    // SAFETY: one size; memory that is read into until the end of the read's event.
    unsafe {
        let size = 4;
        let code = clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), &mut launched);
        assert_eq!(code, 0);
        let place = out.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadBuffer(queue, buffer, 0, 0, 16, place, 0, null(), &mut read), 0);
        let (read, launched) = (status(read), status(launched));
        (launched, read, out[3], clFinish(queue))
    }
}

#[test]
fn a_launch_whose_loops_were_ended_fails() {
    let Some(s) = Setup::new() else { return };
    let k = kernel(s.context, SOURCE, c"turns");
    let buffer = s.filled(&noise(16, 1));
    assert_eq!(turns(s.queue, k, buffer, 1000), (0, 0, sum(1000), 0));
    assert_eq!(turns(s.queue, k, buffer, 60_000), (0, 0, sum(60_000), 0));
    let found = turns(s.queue, k, buffer, 3_000_000);
    let ended = found.0 < 0;
    if ended {
        assert_eq!(
            (found.0, found.1, found.3),
            (CL_OUT_OF_RESOURCES, CL_OUT_OF_RESOURCES, CL_OUT_OF_RESOURCES)
        );
    } else {
        assert_eq!(found, (0, 0, sum(3_000_000), 0));
    }
    // Another queue is what it was.
    let mut error = 1;
    // SAFETY: handles; a place for the code.
    let other = unsafe { clCreateCommandQueue(s.context, s.device, 0, &mut error) };
    assert_eq!(error, 0);
    assert_eq!(turns(other, k, buffer, 60_000), (0, 0, sum(60_000), 0));
    // Without an event the next blocking call tells.
    arg(k, 0, &4_000_000u32);
    launch(other, k, 4);
    let mut out = [0u32; 4];
    // SAFETY: blocking, into memory of the size; handles that are given back once.
    unsafe {
        let place = out.as_mut_ptr().cast();
        let code = clEnqueueReadBuffer(other, buffer, 1, 0, 16, place, 0, null(), null_mut());
        assert_eq!(code, if ended { CL_OUT_OF_RESOURCES } else { 0 });
        assert!(ended || out == [sum(4_000_000); 4]);
        assert_eq!(clReleaseCommandQueue(other), 0);
        assert_eq!(clReleaseKernel(k), 0);
    }
    release(buffer);
}

/// Launches of one kernel iterate seldom and often: the formula is evaluated for each, repeated ones too.
#[test]
fn launches_go_on() {
    let Some(s) = Setup::new() else { return };
    let k = kernel(s.context, SOURCE, c"alone");
    let buffer = s.filled(&noise(16, 1));
    for n in [1000, 1_000_000, 1000, 64_000, 70_000, 10, 10, 65_534, 65_535, 65_536, 300_000] {
        assert_eq!(turns(s.queue, k, buffer, n), (0, 0, sum(n), 0), "{n}");
    }
    // Without events, one behind the other.
    for n in [100, 100, 200_000, 100, 150_000, 150_000, 60_000] {
        arg(k, 0, &n);
        launch(s.queue, k, 4);
        assert_eq!(s.read(buffer, 12, 4), sum(n).to_le_bytes(), "{n}");
    }
    // SAFETY: a kernel.
    assert_eq!(unsafe { clReleaseKernel(k) }, 0);
    release(buffer);
}

#[test]
fn few_turns_are_not_watched() {
    let Some(s) = Setup::new() else { return };
    let k = kernel(s.context, SOURCE, c"few");
    let buffer = s.filled(&[1, 0, 0, 0].repeat(4));
    arg(k, 0, &buffer);
    launch(s.queue, k, 1);
    assert_eq!(s.read(buffer, 0, 4), 4950u32.to_le_bytes());
    // SAFETY: a kernel.
    assert_eq!(unsafe { clReleaseKernel(k) }, 0);
    release(buffer);
}

/// What the context's function heard.
static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// A lock of the application's, which its function takes and a thread that waits for commands holds.
static APPLICATION: Mutex<()> = Mutex::new(());

extern "C" fn hear(text: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
    // SAFETY: the library's text.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    let _application = APPLICATION.lock().expect("no panic");
    HEARD.lock().expect("no panic").push(text);
}

#[test]
fn the_context_hears_of_it() {
    let Some(s) = Setup::new() else { return };
    let mut error = 1;
    // SAFETY: a device; a place for the code.
    let context = unsafe { clCreateContext(null(), 1, &s.device, Some(hear), null_mut(), &mut error) };
    assert_eq!(error, 0);
    // SAFETY: handles; a place for the code.
    let queue = unsafe { clCreateCommandQueue(context, s.device, 0, &mut error) };
    assert_eq!(error, 0);
    let heard = Setup { device: s.device, context, queue };
    let k = kernel(heard.context, SOURCE, c"turns");
    let buffer = heard.buffer(0, 16);
    let ended = bounded("a lock of the application's", || {
        let _application = APPLICATION.lock().expect("no panic");
        turns(heard.queue, k, buffer, 3_000_000).0 < 0
    });
    // SAFETY: a kernel.
    assert_eq!(unsafe { clReleaseKernel(k) }, 0);
    release(buffer);
    drop(heard);
    let told = || {
        let heard = HEARD.lock().expect("no panic");
        heard.iter().filter(|t| t.contains("kernel 'turns': the driver ended")).count()
    };
    // It is told on another thread.
    common::eventually("the context hears", || told() == usize::from(ended));
}
