//! Nothing leaks: after the last release there is no object of the API's and none of Vulkan's, in typical use and after errors.
//! (After a lost device: `loss.rs`.)

mod again;
mod open;
mod support;

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use opencl_sys as cl;
use pumice::entry::command_buffer::*;
use pumice::entry::context::*;
use pumice::entry::event::*;
use pumice::entry::image::*;
use pumice::entry::kernel::*;
use pumice::entry::launch::*;
use pumice::entry::memory::*;
use pumice::entry::program::*;
use pumice::entry::queue::*;
use pumice::entry::sampler::*;
use pumice::entry::svm::*;
use pumice::entry::transfer::*;
use pumice::testing;
use support::*;

/// Counts are the process's: one test at a time.
static SERIAL: Mutex<()> = Mutex::new(());

const SOURCE: &str = "
constant int table[3] = { 4, 5, 6 };
kernel void work(global int *a, local int *l, int n) {
    size_t i = get_local_id(0);
    l[i] = a[get_global_id(0)] + table[i % 3] + n;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = l[get_local_size(0) - 1 - i];
    if (get_global_id(0) == 0) printf(\"\");
}";

const SIZE: usize = 1 << 16;

/// Runs something that releases all it makes; then nothing must be left.
fn leaves_nothing(run: impl Fn(Setup)) {
    let _serial = SERIAL.lock().unwrap_or_else(PoisonError::into_inner);
    testing::set_modes("count");
    // The second time with warm caches.
    for _ in 0..2 {
        let Some(s) = setup() else { return };
        run(s);
        let since = Instant::now();
        while !testing::alive().is_empty() {
            assert!(since.elapsed() < Duration::from_secs(20), "left: {:?}", testing::alive());
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn ok(code: Code) {
    assert_eq!(code, 0);
}

fn user(s: &Setup) -> Handle {
    let mut error = 1;
    // SAFETY: the place is valid.
    let event = unsafe { clCreateUserEvent(s.context.0, &mut error) };
    ok(error);
    event
}

fn release_events(events: &[Handle]) {
    // SAFETY: handles.
    events.iter().for_each(|e| ok(unsafe { clReleaseEvent(*e) }));
}

/// A launch, a copy and a read behind some events, with events of their own.
fn commands(s: &Setup, queue: Handle, out: &mut [u8], waits: &[Handle]) -> Vec<Handle> {
    let program = s.built(SOURCE, "");
    let kernel = kernel(&program, "work").expect("kernel");
    let (a, b) = (s.buffer(SIZE), s.buffer(SIZE));
    ok(set(&kernel, 0, a.0));
    ok(set_local(&kernel, 1, 256));
    ok(set(&kernel, 2, 7));
    let mut events = [null_mut(); 4];
    let (global, local) = (SIZE / 4, 64usize);
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: sizes and places are valid; the caller keeps `out` until the events have ended.
    unsafe {
        let n = waits.len() as u32;
        let e = &raw mut events[0];
        ok(clEnqueueNDRangeKernel(queue, kernel.0, 1, null(), &global, &local, n, list, e));
        ok(clEnqueueCopyBuffer(queue, a.0, b.0, 0, 0, SIZE, 1, &events[0], &mut events[1]));
        let p = out.as_mut_ptr().cast();
        ok(clEnqueueReadBuffer(queue, b.0, 0, 0, out.len(), p, 1, &events[1], &mut events[2]));
        ok(clEnqueueMarkerWithWaitList(queue, 1, &events[2], &mut events[3]));
    }
    // Everything but the events goes before the commands have run.
    events.to_vec()
}

fn wait(events: &[Handle]) -> Code {
    // SAFETY: the list has as many elements.
    unsafe { clWaitForEvents(events.len() as u32, events.as_ptr()) }
}

#[test]
fn command_buffers() {
    leaves_nothing(|s| {
        let program = s.built("kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }", "");
        let (add, a) = (kernel(&program, "add").expect("kernel"), s.buffer(SIZE));
        let other = s.another_queue();
        let flags = [cl::CL_COMMAND_BUFFER_FLAGS_KHR, cl::CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
        let (mut error, mut handle, none) = (1, null_mut(), null_mut::<c_void>());
        let (mut event, global) = (null_mut(), 64usize);
        ok(set(&add, 0, a.0));
        ok(set(&add, 1, 7));
        // SAFETY: sizes and places are valid.
        unsafe {
            let buffer = clCreateCommandBufferKHR(1, &s.queue.0, flags.as_ptr(), &mut error);
            ok(error);
            for _ in 0..6 {
                let (k, h) = (add.0, &raw mut handle);
                ok(clCommandNDRangeKernelKHR(
                    buffer,
                    none,
                    null(),
                    k,
                    1,
                    null(),
                    &global,
                    null(),
                    0,
                    null(),
                    null_mut(),
                    h,
                ));
            }
            ok(clFinalizeCommandBufferKHR(buffer));
            for mut queue in [s.queue.0, other.queue.0, s.queue.0] {
                ok(clEnqueueCommandBufferKHR(1, &mut queue, buffer, 0, null(), null_mut()));
            }
            ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), &mut event));
            // It goes before the commands have run.
            ok(clReleaseCommandBufferKHR(buffer));
        }
        ok(wait(&[event]));
        release_events(&[event]);
        // One that is never enqueued, or finalized.
        // SAFETY: as above.
        unsafe {
            let buffer = clCreateCommandBufferKHR(1, &s.queue.0, null(), &mut error);
            ok(error);
            ok(clReleaseCommandBufferKHR(buffer));
        }
    });
}

#[test]
fn what_is_alive_is_counted() {
    leaves_nothing(|s| {
        let buffer = s.buffer(SIZE);
        s.write(&buffer, &[1; 100]);
        let found = testing::alive();
        for kind in ["context", "queue", "memory", "buffers", "device", "device memory", "buffer"] {
            assert!(found.iter().any(|(k, count)| *k == kind && *count > 0), "{kind}: {found:?}");
        }
    });
}

#[test]
fn typical_use() {
    leaves_nothing(|s| {
        let mut out = vec![0; SIZE];
        let events = commands(&s, s.queue.0, &mut out, &[]);
        ok(wait(&events));
        release_events(&events);
    });
}

#[test]
fn queues_of_all_kinds() {
    leaves_nothing(|s| {
        let mut out = vec![0; SIZE];
        for properties in 0..4 {
            let mut error = 1;
            // SAFETY: the place is valid.
            let queue = unsafe { clCreateCommandQueue(s.context.0, s.device, properties, &mut error) };
            ok(error);
            for held in [false, true] {
                let user = user(&s);
                let waits = [user];
                let events = commands(&s, queue, &mut out, if held { &waits } else { &[] });
                // SAFETY: a handle.
                ok(unsafe { clSetUserEventStatus(user, 0) });
                ok(wait(&events));
                release_events(&events);
                release_events(&[user]);
            }
            // SAFETY: a handle.
            ok(unsafe { clReleaseCommandQueue(queue) });
        }
    });
}

/// The context first, then the queue, the events last: each lives while another one needs it.
#[test]
fn releases_in_the_wrong_order() {
    leaves_nothing(|s| {
        let mut out = vec![0; SIZE];
        let (user, program, buffer) = (user(&s), s.built(SOURCE, ""), s.buffer(SIZE));
        let mut error = 1;
        let region = cl::cl_buffer_region { origin: 0, size: 256 };
        // SAFETY: the region is valid.
        let sub = unsafe {
            let kind = cl::CL_BUFFER_CREATE_TYPE_REGION;
            clCreateSubBuffer(buffer.0, 0, kind, (&raw const region).cast(), &mut error)
        };
        ok(error);
        let kernel = kernel(&program, "work").expect("kernel");
        let events = commands(&s, s.queue.0, &mut out, &[user]);
        let Setup { queue, context, .. } = s;
        drop((context, queue, program, buffer));
        drop(kernel);
        // SAFETY: handles.
        unsafe {
            ok(clReleaseMemObject(sub));
            ok(clSetUserEventStatus(user, 0));
        }
        ok(wait(&events));
        release_events(&events);
        release_events(&[user]);
    });
}

/// The events go first, and nobody waits.
#[test]
fn commands_that_nobody_waits_for() {
    static OUT: Mutex<[u8; 64]> = Mutex::new([0; 64]);
    leaves_nothing(|s| {
        let user = user(&s);
        let mut out = OUT.lock().unwrap_or_else(PoisonError::into_inner);
        for waits in [&[][..], &[user]] {
            release_events(&commands(&s, s.queue.0, &mut out[..], waits));
        }
        // SAFETY: a handle.
        ok(unsafe { clSetUserEventStatus(user, 0) });
        release_events(&[user]);
    });
}

static CALLED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(_: Handle, _: i32, _: *mut c_void) {
    CALLED.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn count_objects(_: Handle, _: *mut c_void) {
    CALLED.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn callbacks_that_are_pending_at_the_release() {
    leaves_nothing(|s| {
        CALLED.store(0, Ordering::SeqCst);
        let mut out = vec![0; SIZE];
        let (first, failing, buffer) = (user(&s), user(&s), s.buffer(SIZE));
        // SAFETY: functions for this.
        unsafe {
            ok(clSetMemObjectDestructorCallback(buffer.0, Some(count_objects), null_mut()));
            ok(clSetContextDestructorCallback(s.context.0, Some(count_objects), null_mut()));
        }
        let mut all = commands(&s, s.queue.0, &mut out, &[first]);
        all.extend(commands(&s, s.queue.0, &mut out, &[failing]));
        for event in &all {
            for level in [cl::CL_SUBMITTED, cl::CL_RUNNING, cl::CL_COMPLETE] {
                // SAFETY: a function for this.
                ok(unsafe { clSetEventCallback(*event, level, Some(count), null_mut()) });
            }
        }
        release_events(&all);
        drop((buffer, s));
        // SAFETY: handles.
        unsafe {
            ok(clSetUserEventStatus(failing, -9));
            ok(clSetUserEventStatus(first, 0));
        }
        release_events(&[first, failing]);
        let since = Instant::now();
        while CALLED.load(Ordering::SeqCst) < 3 * all.len() + 2 {
            assert!(since.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

#[test]
fn failed_builds_and_links() {
    leaves_nothing(|s| {
        let broken = s.program("kernel void k(global int *a) { a[0] = nothing; }");
        assert_eq!(s.build(&broken, ""), cl::CL_BUILD_PROGRAM_FAILURE);
        assert_eq!(s.compile(&broken, "", &[]), cl::CL_COMPILE_PROGRAM_FAILURE);
        assert_eq!(s.build(&broken, "-no-such-option"), cl::CL_INVALID_BUILD_OPTIONS);
        assert!(kernel(&broken, "k").is_err());
        let source = "int absent(int); kernel void k(global int *a) { a[0] = absent(1); }";
        let missing = s.program(source);
        ok(s.compile(&missing, "", &[]));
        let (linked, code) = s.link("", &[&missing]);
        assert_eq!(code, cl::CL_LINK_PROGRAM_FAILURE);
        drop(linked);
        assert!(s.load_binary(b"no binary").is_err());
        let good = s.built(SOURCE, "");
        assert!(kernel(&good, "absent").is_err());
        // Built again after a failure, with a kernel of before.
        let binary = s.binary(&good);
        let again = s.load_binary(&binary).expect("a binary");
        ok(s.build(&again, ""));
        let first = kernel(&again, "work").expect("kernel");
        // SAFETY: a handle; the place may be NULL.
        let clone = unsafe { clCloneKernel(first.0, null_mut()) };
        assert!(!clone.is_null());
        drop((again, first));
        // SAFETY: a handle.
        ok(unsafe { clReleaseKernel(clone) });
    });
}

/// Events and queues live on as long as commands need them, and no longer. Handles may not tell: another object may get a slot at once.
#[test]
fn released_events_and_queues_live_on_while_they_are_needed() {
    leaves_nothing(|s| {
        let (queue, mut events) = (s.another_queue(), [null_mut(); 2]);
        let user = user(&s);
        let alive =
            |kind: &str| testing::alive().iter().find(|(k, _)| *k == kind).map_or(0, |(_, count)| *count);
        let eventually = |what: &str, holds: &dyn Fn() -> bool| {
            let since = Instant::now();
            while !holds() {
                assert!(since.elapsed() < Duration::from_secs(60), "{what}");
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        // SAFETY: handles; the list has an element; the places are valid.
        unsafe {
            ok(clEnqueueMarkerWithWaitList(queue.queue.0, 1, &user, &mut events[0]));
            ok(clEnqueueMarkerWithWaitList(queue.queue.0, 0, null(), &mut events[1]));
        }
        assert_eq!((alive("event"), alive("queue")), (3, 2));
        release_events(&[user, events[0]]);
        drop(queue);
        let mut status = 77i32;
        // SAFETY: a handle, which a command needs; room for the answer.
        unsafe {
            let place = (&raw mut status).cast();
            ok(clGetEventInfo(user, cl::CL_EVENT_COMMAND_EXECUTION_STATUS, 4, place, null_mut()));
            assert_eq!((status, alive("queue")), (cl::CL_SUBMITTED, 2), "a command waits for it");
            ok(clSetUserEventStatus(user, 0));
            ok(clWaitForEvents(1, &events[1]));
        }
        eventually("the first events are gone", &|| alive("event") == 1);
        release_events(&events[1..]);
        eventually("the queue is gone", &|| alive("queue") == 1);
    });
}

unsafe extern "C" fn built(_: Handle, _: *mut c_void) {
    CALLED.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn builds_with_callbacks() {
    leaves_nothing(|s| {
        CALLED.store(0, Ordering::SeqCst);
        for n in 0..4 {
            let source = if n % 2 == 0 { SOURCE.replace("+ n", "- n") } else { "broken".to_owned() };
            let (mut text, length, mut error) = (source.as_ptr().cast::<c_char>(), source.len(), 1);
            // SAFETY: the text has its length; places are valid.
            unsafe {
                let program = clCreateProgramWithSource(s.context.0, 1, &mut text, &length, &mut error);
                ok(error);
                clBuildProgram(program, 0, null(), null(), Some(built), null_mut());
                ok(clReleaseProgram(program));
            }
        }
        assert_eq!(CALLED.load(Ordering::SeqCst), 4);
    });
}

#[test]
fn failed_creations_and_commands() {
    leaves_nothing(|s| {
        let (context, queue, mut error) = (s.context.0, s.queue.0, 0);
        let (buffer, program) = (s.buffer(SIZE), s.built(SOURCE, ""));
        let kernel = kernel(&program, "work").expect("kernel");
        // SAFETY: what is wrong is refused before it is used.
        unsafe {
            assert!(clCreateBuffer(context, 0, 0, null_mut(), &mut error).is_null() && error != 0);
            assert!(clCreateBuffer(context, 0, usize::MAX / 2, null_mut(), &mut error).is_null());
            assert!(clCreateBuffer(context, cl::CL_MEM_USE_HOST_PTR, 64, null_mut(), &mut error).is_null());
            let region = cl::cl_buffer_region { origin: 0, size: 2 * SIZE };
            let (kind, region) = (cl::CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
            assert!(clCreateSubBuffer(buffer.0, 0, kind, region, &mut error).is_null());
            assert!(clCreateCommandQueue(context, s.device, 1 << 40, &mut error).is_null());
            assert!(clCreateContext(null(), 1, &queue, None, null_mut(), &mut error).is_null());
            let mut event = null_mut();
            // Arguments are missing; ranges are wrong.
            assert_ne!(s.launch(&kernel, &[64], None), 0);
            assert_ne!(s.launch(&kernel, &[64], Some(&[0])), 0);
            let copy =
                |from, to, e| clEnqueueCopyBuffer(queue, buffer.0, buffer.0, from, to, SIZE, 0, null(), e);
            assert_ne!(copy(0, 4, &raw mut event), 0);
            assert!(event.is_null());
            let user = user(&s);
            ok(clSetUserEventStatus(user, -4));
            let mut out = [0u8; 64];
            let p = out.as_mut_ptr().cast();
            let failed = clEnqueueReadBuffer(queue, buffer.0, 1, 0, 64, p, 1, &user, &mut event);
            assert_eq!(failed, cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            let read = cl::CL_MAP_READ;
            let map = clEnqueueMapBuffer(queue, buffer.0, 1, read, 0, 64, 1, &user, &mut event, &mut error);
            assert!(map.is_null() && error != 0);
            let map = clEnqueueMapBuffer(queue, buffer.0, 0, read, 0, 64, 1, &user, &mut event, &mut error);
            if !map.is_null() {
                assert_ne!(wait(&[event]), 0);
                release_events(&[event]);
            }
            release_events(&[user]);
        }
    });
}

#[test]
fn buffers_of_all_kinds() {
    leaves_nothing(|s| {
        let mut host = vec![1u8; SIZE];
        let kinds = [
            0,
            cl::CL_MEM_COPY_HOST_PTR,
            cl::CL_MEM_USE_HOST_PTR,
            cl::CL_MEM_ALLOC_HOST_PTR,
            cl::CL_MEM_ALLOC_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR,
        ];
        for flags in kinds {
            let mut error = 1;
            let pointer = host.as_mut_ptr().cast();
            let with = flags & (cl::CL_MEM_COPY_HOST_PTR | cl::CL_MEM_USE_HOST_PTR) != 0;
            // SAFETY: the memory has the size and lives longer; mapped memory is not touched.
            unsafe {
                let pointer = if with { pointer } else { null_mut() };
                let buffer = clCreateBuffer(s.context.0, flags, SIZE, pointer, &mut error);
                ok(error);
                let q = s.queue.0;
                let (n, none) = (null_mut(), null());
                let first = clEnqueueMapBuffer(q, buffer, 1, cl::CL_MAP_WRITE, 0, 64, 0, none, n, &mut error);
                ok(error);
                ok(clEnqueueUnmapMemObject(q, buffer, first, 0, none, n));
                // This one is mapped when it is released.
                clEnqueueMapBuffer(q, buffer, 0, cl::CL_MAP_READ, 64, 64, 0, none, n, &mut error);
                ok(error);
                ok(clReleaseMemObject(buffer));
            }
        }
        ok(s.finish());
    });
}

/// Shared virtual memory that is not freed goes with its context.
#[test]
fn shared_virtual_memory() {
    leaves_nothing(|s| {
        // SAFETY: a handle; the memory is not touched.
        unsafe {
            let (a, b) = (clSVMAlloc(s.context.0, 0, SIZE, 0), clSVMAlloc(s.context.0, 0, SIZE, 0));
            if a.is_null() {
                println!("SKIP: no shared virtual memory");
                return;
            }
            let (q, none) = (s.queue.0, null_mut());
            ok(clEnqueueSVMMemcpy(q, 0, b, a, SIZE, 0, null(), none));
            ok(clEnqueueSVMMap(q, 0, cl::CL_MAP_READ, b, SIZE, 0, null(), none));
            ok(clEnqueueSVMFree(q, 1, [b].as_mut_ptr(), None, null_mut(), 0, null(), none));
        }
    });
}

/// More than one context, with what they share of the device.
#[test]
fn contexts_that_come_and_go() {
    leaves_nothing(|s| {
        let other = setup().expect("another context");
        let mut out = vec![0; SIZE];
        let events = commands(&s, s.queue.0, &mut out, &[]);
        drop(s);
        let mut more = vec![0; SIZE];
        let later = commands(&other, other.queue.0, &mut more, &[]);
        drop(other);
        ok(wait(&events));
        ok(wait(&later));
        release_events(&events);
        release_events(&later);
    });
}

#[test]
fn the_same_with_several_streams() {
    again::again_in(module_path!(), &["streams=3"]);
}

/// Images, their views, samplers and stand-ins; what is in flight when the last reference goes.
#[test]
fn images_and_samplers() {
    let source = "kernel void k(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
        int2 p = (int2)(get_global_id(0), get_global_id(1));
        if (get_image_channel_data_type(in) == CLK_SIGNED_INT32)
            write_imagei(out, p, read_imagei(in, s, convert_float2(p)));
        else
            write_imagef(out, p, read_imagef(in, s, convert_float2(p) / 8.0f));
    }";
    leaves_nothing(|s| {
        let (mut error, mut has) = (1, 0u32);
        // SAFETY: handles and places are valid.
        unsafe {
            let place = (&raw mut has).cast();
            ok(pumice::entry::device::clGetDeviceInfo(
                s.device,
                cl::CL_DEVICE_IMAGE_SUPPORT,
                4,
                place,
                null_mut(),
            ));
            if has == 0 {
                return println!("SKIP: the device has no images");
            }
            let program = s.built(source, "");
            let kernel = kernel(&program, "k").expect("kernel");
            let format =
                cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: cl::CL_FLOAT };
            let mut desc: cl::cl_image_desc = std::mem::zeroed();
            desc.image_type = cl::CL_MEM_OBJECT_IMAGE2D;
            (desc.image_width, desc.image_height) = (8, 8);
            let mut make = || {
                let image = clCreateImage(s.context.0, 0, &format, &desc, null_mut(), &mut error);
                ok(error);
                image
            };
            let images = [make(), make()];
            let sampler =
                clCreateSampler(s.context.0, 1, cl::CL_ADDRESS_CLAMP, cl::CL_FILTER_LINEAR, &mut error);
            ok(error);
            for (index, handle) in [images[0], images[1], sampler].iter().enumerate() {
                ok(set(&kernel, index as u32, *handle));
            }
            let size = [8usize, 8];
            for _ in 0..3 {
                ok(clEnqueueNDRangeKernel(
                    s.queue.0,
                    kernel.0,
                    2,
                    null(),
                    size.as_ptr(),
                    null(),
                    0,
                    null(),
                    null_mut(),
                ));
            }
            images.iter().for_each(|image| ok(clReleaseMemObject(*image)));
            ok(clReleaseSampler(sampler));
        }
    });
}
