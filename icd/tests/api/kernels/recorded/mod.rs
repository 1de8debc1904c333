//! Command buffers (cl_khr_command_buffer): states, every command, enqueues on several queues, errors.

use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::command_buffer::*;
use pumice::entry::device::clGetDeviceInfo;
use pumice::entry::event::*;
use pumice::entry::image::{clCreateImage, clEnqueueReadImage};
use pumice::entry::kernel::*;
use pumice::entry::queue::{clCreateCommandQueueWithProperties, clReleaseCommandQueue};
use pumice::entry::svm::*;

use crate::support::*;

mod changed;

/// A command buffer that is being recorded.
struct Recording {
    buffer: Owned,
}

const OUT_OF_ORDER: u64 = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;

fn queue(s: &Setup, properties: u64) -> Owned {
    let (mut error, list) = (1, [u64::from(cl::CL_QUEUE_PROPERTIES), properties, 0]);
    // SAFETY: the list is whole; the place is valid.
    let queue =
        unsafe { clCreateCommandQueueWithProperties(s.context.0, s.device, list.as_ptr(), &mut error) };
    assert_eq!(error, 0);
    Owned(queue, clReleaseCommandQueue)
}

unsafe extern "C" fn release(buffer: Handle) -> Code {
    clReleaseCommandBufferKHR(buffer)
}

/// Returns what the wait list is.
fn list(points: &[u32]) -> (u32, *const u32) {
    (points.len() as u32, if points.is_empty() { null() } else { points.as_ptr() })
}

impl Recording {
    fn new(queue: &Owned) -> Self {
        let mut error = 1;
        // SAFETY: one queue; the place is valid.
        let buffer = unsafe { clCreateCommandBufferKHR(1, &queue.0, null(), &mut error) };
        assert_eq!(error, 0);
        Recording { buffer: Owned(buffer, release) }
    }

    fn launch(&self, kernel: &Owned, global: usize, waits: &[u32]) -> Result<u32, Code> {
        let (mut point, (count, list)) = (0, list(waits));
        let none = null_mut();
        // SAFETY: one dimension; the list has as many elements.
        let code = unsafe {
            clCommandNDRangeKernelKHR(
                self.buffer.0,
                none,
                null(),
                kernel.0,
                1,
                null(),
                &global,
                null(),
                count,
                list,
                &mut point,
                none.cast(),
            )
        };
        if code == 0 { Ok(point) } else { Err(code) }
    }

    fn copy(&self, from: &Owned, to: &Owned, size: usize, waits: &[u32]) -> Result<u32, Code> {
        let (mut point, (count, list)) = (0, list(waits));
        let (b, none) = (self.buffer.0, null_mut());
        // SAFETY: the list has as many elements.
        let code = unsafe {
            clCommandCopyBufferKHR(
                b,
                none,
                null(),
                from.0,
                to.0,
                0,
                0,
                size,
                count,
                list,
                &mut point,
                none.cast(),
            )
        };
        if code == 0 { Ok(point) } else { Err(code) }
    }

    fn fill(&self, of: &Owned, value: u32, size: usize) -> Result<u32, Code> {
        let (mut point, none, pattern) = (0, null_mut(), (&raw const value).cast());
        // SAFETY: the pattern has four bytes.
        let code = unsafe {
            clCommandFillBufferKHR(
                self.buffer.0,
                none,
                null(),
                of.0,
                pattern,
                4,
                0,
                size,
                0,
                null(),
                &mut point,
                none.cast(),
            )
        };
        if code == 0 { Ok(point) } else { Err(code) }
    }

    fn barrier(&self, waits: &[u32]) -> Result<u32, Code> {
        let (mut point, (count, list), none) = (0, list(waits), null_mut());
        // SAFETY: the list has as many elements.
        let code = unsafe {
            clCommandBarrierWithWaitListKHR(self.buffer.0, none, null(), count, list, &mut point, none.cast())
        };
        if code == 0 { Ok(point) } else { Err(code) }
    }

    fn finalized(self) -> Owned {
        assert_eq!(clFinalizeCommandBufferKHR(self.buffer.0), 0);
        self.buffer
    }
}

/// Enqueues it on a queue, or its own; the event, or the code.
fn enqueue(buffer: &Owned, queue: Option<&Owned>, waits: &[Handle]) -> Result<Owned, Code> {
    let mut event = null_mut();
    let mut queue = queue.map(|q| q.0);
    let (queues, place) = (u32::from(queue.is_some()), queue.as_mut().map_or(null_mut(), |q| &raw mut *q));
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: the lists have as many elements.
    let code =
        unsafe { clEnqueueCommandBufferKHR(queues, place, buffer.0, waits.len() as u32, list, &mut event) };
    if code == 0 { Ok(Owned(event, clReleaseEvent)) } else { Err(code) }
}

fn wait(event: &Owned) {
    // SAFETY: one event.
    assert_eq!(unsafe { clWaitForEvents(1, &event.0) }, 0);
}

fn info(buffer: &Owned, param: u32) -> Result<Vec<u8>, Code> {
    // SAFETY: the place has the size that it is said to have.
    query(|n, v, s| unsafe { clGetCommandBufferInfoKHR(buffer.0, param, n, v, s) })
}

const SOURCE: &str = "
kernel void add(global uint *a, uint n) { a[get_global_id(0)] += n; }
kernel void sums(global uint *a, local uint *l) {
    size_t i = get_local_id(0);
    l[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (size_t n = 0; n < get_local_size(0); n++) sum += l[n];
    a[get_global_id(0)] = sum;
}
kernel void say(uint n) { printf(\"%u\\n\", n); }
";

#[test]
fn a_command_buffer_is_recorded_once_and_enqueued_often() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let add = kernel(&program, "add").expect("a kernel");
    for properties in [0, OUT_OF_ORDER] {
        let (own, other) = (queue(&s, properties), queue(&s, OUT_OF_ORDER - properties));
        let (a, b) = (s.buffer(256), s.buffer(256));
        s.write(&a, &[0; 64]);
        let recording = Recording::new(&own);
        assert_eq!((set(&add, 0, a.0), set(&add, 1, 3u32)), (0, 0));
        let first = recording.launch(&add, 64, &[]).expect("recorded");
        // What was recorded has the arguments as they were.
        assert_eq!(set(&add, 1, 5u32), 0);
        let second = recording.launch(&add, 64, &[first]).expect("recorded");
        assert_eq!(set(&add, 1, 1000u32), 0);
        let barrier = recording.barrier(&[]).expect("recorded");
        recording.copy(&a, &b, 256, &[first, second, barrier]).expect("recorded");
        assert_eq!(number(info(&recording.buffer, cl::CL_COMMAND_BUFFER_STATE_KHR)), 0);
        assert_eq!(enqueue(&recording.buffer, None, &[]).err(), Some(cl::CL_INVALID_OPERATION));
        let buffer = recording.finalized();
        assert_eq!(number(info(&buffer, cl::CL_COMMAND_BUFFER_STATE_KHR)), 1);
        // Nothing has run yet.
        assert_eq!(s.read(&a, 64), [0; 64]);
        let mut event = enqueue(&buffer, None, &[]).expect("enqueued");
        for round in 1..=40u32 {
            wait(&event);
            if round % 13 == 0 {
                assert_eq!(s.read(&b, 64), [8 * round; 64]);
            }
            event = enqueue(&buffer, (round % 3 == 0).then_some(&other), &[event.0]).expect("enqueued");
        }
        // Several at once, each behind the one before.
        for _ in 0..40 {
            event = enqueue(&buffer, None, &[event.0]).expect("enqueued");
        }
        drop((a, buffer));
        wait(&event);
        assert_eq!(s.read(&b, 64), [8 * 81; 64]);
    }
}

#[test]
fn commands_of_all_kinds_are_recorded() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let sums = kernel(&program, "sums").expect("a kernel");
    let (a, b) = (s.buffer(256), s.buffer(256));
    let recording = Recording::new(&s.queue);
    recording.fill(&a, 7, 256).expect("recorded");
    assert_eq!((set(&sums, 0, a.0), set_local(&sums, 1, 256)), (0, 0));
    recording.launch(&sums, 64, &[]).expect("recorded");
    let (c, none, zero) = (recording.buffer.0, null_mut::<std::ffi::c_void>(), [0usize; 3]);
    // Four rows of four numbers to every other place of a row twice as long.
    // SAFETY: three elements each.
    let code = unsafe {
        clCommandCopyBufferRectKHR(
            c,
            none,
            null(),
            a.0,
            b.0,
            zero.as_ptr(),
            zero.as_ptr(),
            [16usize, 4, 1].as_ptr(),
            16,
            0,
            32,
            0,
            0,
            null(),
            null_mut(),
            none.cast(),
        )
    };
    assert_eq!(code, 0);
    let buffer = recording.finalized();
    s.write(&b, &[1; 64]);
    for _ in 0..3 {
        wait(&enqueue(&buffer, None, &[]).expect("enqueued"));
        // The work-group's size is the driver's to choose.
        let sum = s.read(&a, 1)[0];
        assert!(sum.is_multiple_of(7) && (7..=7 * 64).contains(&sum), "{sum}");
        let expected: Vec<u32> = (0..64).map(|i| if i < 32 && i % 8 < 4 { sum } else { 1 }).collect();
        assert_eq!(s.read(&b, 64), expected);
    }
}

#[test]
fn images_are_copied_and_filled_by_command_buffers() {
    let Some(s) = setup() else { return };
    let format = cl::cl_image_format {
        image_channel_order: cl::CL_RGBA,
        image_channel_data_type: cl::CL_UNSIGNED_INT8,
    };
    // SAFETY: plain data, for which zeros are valid.
    let mut desc: cl::cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (cl::CL_MEM_OBJECT_IMAGE2D, 8, 4);
    let image = || {
        let mut error = 1;
        // SAFETY: the places are valid.
        let image = unsafe {
            clCreateImage(s.context.0, cl::CL_MEM_READ_WRITE, &format, &desc, null_mut(), &mut error)
        };
        (error == 0).then(|| Owned(image, pumice::entry::memory::clReleaseMemObject))
    };
    let (Some(x), Some(y)) = (image(), image()) else {
        eprintln!("skipped: no images");
        return;
    };
    let (from, to) = (s.buffer(128), s.buffer(128));
    let texels: Vec<u32> = (0..32).map(|i| i * 0x0101_0203).collect();
    s.write(&from, &texels);
    s.write(&to, &[0; 32]);
    let recording = Recording::new(&s.queue);
    let (c, none, zero, whole) =
        (recording.buffer.0, null_mut(), [0usize; 3].as_ptr(), [8usize, 4, 1].as_ptr());
    let colour = [9u32, 8, 7, 6];
    let (at, part) = ([2usize, 1, 0].as_ptr(), [3usize, 2, 1].as_ptr());
    let point: *mut u32 = null_mut();
    // SAFETY: the lists have three elements each, the colour four.
    let codes = unsafe {
        [
            clCommandCopyBufferToImageKHR(
                c,
                none,
                null(),
                from.0,
                x.0,
                0,
                zero,
                whole,
                0,
                null(),
                point,
                none.cast(),
            ),
            clCommandCopyImageKHR(
                c,
                none,
                null(),
                x.0,
                y.0,
                zero,
                zero,
                whole,
                0,
                null(),
                point,
                none.cast(),
            ),
            clCommandFillImageKHR(
                c,
                none,
                null(),
                y.0,
                colour.as_ptr().cast(),
                at,
                part,
                0,
                null(),
                point,
                none.cast(),
            ),
            clCommandCopyImageToBufferKHR(
                c,
                none,
                null(),
                y.0,
                to.0,
                zero,
                whole,
                0,
                0,
                null(),
                point,
                none.cast(),
            ),
        ]
    };
    assert_eq!(codes, [0; 4]);
    let buffer = recording.finalized();
    for round in 0..3u32 {
        let texels: Vec<u32> = texels.iter().map(|t| t ^ round).collect();
        s.write(&from, &texels);
        wait(&enqueue(&buffer, None, &[]).expect("enqueued"));
        let inside = |i: usize| (2..5).contains(&(i % 8)) && (1..3).contains(&(i / 8));
        let expected: Vec<u32> =
            texels.iter().enumerate().map(|(i, t)| if inside(i) { 0x0607_0809 } else { *t }).collect();
        assert_eq!(s.read(&to, 32), expected);
        let mut seen = vec![0u32; 32];
        // SAFETY: room for all texels.
        let code = unsafe {
            let place = seen.as_mut_ptr().cast();
            clEnqueueReadImage(s.queue.0, y.0, 1, zero, whole, 0, 0, place, 0, null(), null_mut())
        };
        assert_eq!((code, seen), (0, expected));
    }
}

#[test]
fn shared_memory_is_copied_and_filled_by_command_buffers() {
    let Some(s) = setup() else { return };
    let mut capabilities = 0u64;
    // SAFETY: eight bytes.
    unsafe {
        let place = (&raw mut capabilities).cast();
        clGetDeviceInfo(s.device, cl::CL_DEVICE_SVM_CAPABILITIES, 8, place, null_mut());
    }
    if capabilities == 0 {
        eprintln!("skipped: no shared virtual memory");
        return;
    }
    let program = s.built(SOURCE, "");
    let add = kernel(&program, "add").expect("a kernel");
    // SAFETY: the context is alive.
    let [x, y] = [(); 2].map(|()| unsafe { clSVMAlloc(s.context.0, cl::CL_MEM_READ_WRITE, 256, 0) });
    // Memory of the application's alone is taken where devices reach it.
    let reached = capabilities & cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0;
    let (mut host, mut back) = ([100u32; 64], [0u32; 64]);
    let recording = Recording::new(&s.queue);
    let (c, none, point, pattern) = (recording.buffer.0, null_mut(), null_mut(), 5u32);
    let copy = |to: *mut std::ffi::c_void, from: *const std::ffi::c_void| {
        // SAFETY: ranges of 256 bytes.
        unsafe { clCommandSVMMemcpyKHR(c, none, null(), to, from, 256, 0, null(), point, none.cast()) }
    };
    // SAFETY: a pattern of four bytes.
    let filled = unsafe {
        clCommandSVMMemFillKHR(
            c,
            none,
            null(),
            x,
            (&raw const pattern).cast(),
            4,
            256,
            0,
            null(),
            point,
            none.cast(),
        )
    };
    assert_eq!((filled, copy(y, x)), (0, 0));
    // SAFETY: a pointer into shared memory.
    assert_eq!((unsafe { clSetKernelArgSVMPointer(add.0, 0, y) }, set(&add, 1, 2u32)), (0, 0));
    recording.launch(&add, 64, &[]).expect("recorded");
    assert_eq!(copy(x, y), 0);
    if reached {
        // To the host, from it, and on.
        assert_eq!(copy((&raw mut back).cast(), x), 0);
        assert_eq!(copy(x, (&raw const host).cast()), 0);
        assert_eq!(copy(y, x), 0);
        recording.launch(&add, 64, &[]).expect("recorded");
    }
    let buffer = recording.finalized();
    for properties in [0, OUT_OF_ORDER] {
        let own = queue(&s, properties);
        host = [host[0] + 1; 64];
        back = [0; 64];
        let event = enqueue(&buffer, Some(&own), &[]).expect("enqueued");
        wait(&event);
        let read = |from: *const std::ffi::c_void| {
            let mut numbers = [0u32; 64];
            // SAFETY: ranges of 256 bytes.
            let code = unsafe {
                clEnqueueSVMMemcpy(own.0, 1, (&raw mut numbers).cast(), from, 256, 0, null(), null_mut())
            };
            assert_eq!(code, 0);
            numbers
        };
        if reached {
            assert_eq!((back, read(x), read(y)), ([7; 64], host, [host[0] + 2; 64]));
        } else {
            assert_eq!((read(x), read(y)), ([7; 64], [7; 64]));
        }
    }
    // SAFETY: allocations of this context.
    unsafe {
        clSVMFree(s.context.0, x);
        clSVMFree(s.context.0, y);
    }
}

#[test]
fn a_command_buffer_is_one_command() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (add, say) = (kernel(&program, "add").expect("a kernel"), kernel(&program, "say").expect("a kernel"));
    let (own, a) = (queue(&s, OUT_OF_ORDER), s.buffer(256));
    s.write(&a, &[0; 64]);
    let recording = Recording::new(&own);
    assert_eq!((set(&add, 0, a.0), set(&add, 1, 1u32), set(&say, 0, 4711u32)), (0, 0, 0));
    for _ in 0..5 {
        recording.launch(&add, 64, &[]).expect("recorded");
    }
    recording.launch(&say, 1, &[]).expect("recorded");
    let buffer = recording.finalized();
    let mut error = 1;
    // SAFETY: the place is valid.
    let user = Owned(unsafe { clCreateUserEvent(s.context.0, &mut error) }, clReleaseEvent);
    let event = enqueue(&buffer, None, &[user.0]).expect("enqueued");
    // SAFETY: the place has the size that it is said to have.
    let asked = |param| query(|n, v, s| unsafe { clGetEventInfo(event.0, param, n, v, s) });
    assert_eq!(number(asked(cl::CL_EVENT_COMMAND_TYPE)), u64::from(cl::CL_COMMAND_COMMAND_BUFFER_KHR));
    assert_eq!(number(asked(cl::CL_EVENT_COMMAND_EXECUTION_STATUS)), u64::from(cl::CL_QUEUED as u32));
    assert_eq!(number(asked(cl::CL_EVENT_COMMAND_QUEUE)), own.0.addr() as u64);
    // SAFETY: a handle.
    assert_eq!(unsafe { clSetUserEventStatus(user.0, 0) }, 0);
    wait(&event);
    assert_eq!(s.read(&a, 64), [5; 64]);
    // SAFETY: the place has the size that it is said to have.
    let time = |param| number(query(|n, v, s| unsafe { clGetEventProfilingInfo(event.0, param, n, v, s) }));
    let times: Vec<u64> =
        (cl::CL_PROFILING_COMMAND_QUEUED..=cl::CL_PROFILING_COMMAND_COMPLETE).map(time).collect();
    assert!(times.is_sorted() && times[0] > 0 && times[2] < times[3], "{times:?}");
    // A failure that it waits for passes on.
    // SAFETY: the place is valid.
    let user = Owned(unsafe { clCreateUserEvent(s.context.0, &mut error) }, clReleaseEvent);
    let event = enqueue(&buffer, None, &[user.0]).expect("enqueued");
    // SAFETY: handles.
    unsafe {
        assert_eq!(clSetUserEventStatus(user.0, -7), 0);
        assert_eq!(clWaitForEvents(1, &event.0), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    assert_eq!(s.read(&a, 64), [5; 64]);
    // One with nothing in it.
    let empty = Recording::new(&own).finalized();
    wait(&enqueue(&empty, None, &[]).expect("enqueued"));
}

#[test]
fn command_buffers_refuse_what_the_extension_does() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (add, a) = (kernel(&program, "add").expect("a kernel"), s.buffer(256));
    let create = |count: u32, queues: *const Handle, properties: &[u64]| {
        let mut error = 1;
        let list = if properties.is_empty() { null() } else { properties.as_ptr() };
        // SAFETY: the lists have as many elements.
        let buffer = unsafe { clCreateCommandBufferKHR(count, queues, list, &mut error) };
        if error == 0 { Ok(Owned(buffer, release)) } else { Err(error) }
    };
    let (own, flags) = (&raw const s.queue.0, cl::CL_COMMAND_BUFFER_FLAGS_KHR);
    for (count, queues, properties, code) in [
        (0, own, &[][..], cl::CL_INVALID_VALUE),
        (2, [s.queue.0, s.queue.0].as_ptr(), &[], cl::CL_INVALID_VALUE),
        (1, null(), &[], cl::CL_INVALID_VALUE),
        (1, [a.0].as_ptr(), &[], cl::CL_INVALID_COMMAND_QUEUE),
        (1, own, &[77, 0, 0], cl::CL_INVALID_VALUE),
        (1, own, &[flags, 1 << 20, 0], cl::CL_INVALID_VALUE),
        (1, own, &[flags, 0, flags, 0, 0], cl::CL_INVALID_VALUE),
        (1, own, &[flags, cl::CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0], cl::CL_INVALID_PROPERTY),
    ] {
        assert_eq!(create(count, queues, properties).err(), Some(code), "{properties:?}");
    }
    let given = create(1, own, &[flags, 0, 0]).expect("made");
    assert_eq!(numbers(info(&given, cl::CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR)), [flags, 0, 0]);
    assert_eq!(numbers(info(&given, cl::CL_COMMAND_BUFFER_QUEUES_KHR)), [s.queue.0.addr() as u64]);
    assert_eq!(number(info(&given, cl::CL_COMMAND_BUFFER_NUM_QUEUES_KHR)), 1);
    assert_eq!(number(info(&given, cl::CL_COMMAND_BUFFER_CONTEXT_KHR)), s.context.0.addr() as u64);
    assert_eq!(clRetainCommandBufferKHR(given.0), 0);
    assert_eq!(number(info(&given, cl::CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR)), 2);
    assert_eq!(clReleaseCommandBufferKHR(given.0), 0);
    assert_eq!(info(&given, 0).err(), Some(cl::CL_INVALID_VALUE));

    let recording = Recording::new(&s.queue);
    let c = recording.buffer.0;
    assert_eq!(recording.launch(&add, 64, &[]), Err(cl::CL_INVALID_KERNEL_ARGS));
    assert_eq!((set(&add, 0, a.0), set(&add, 1, 1u32)), (0, 0));
    assert_eq!(recording.launch(&add, 64, &[0]), Err(cl::CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
    assert_eq!(recording.launch(&add, 64, &[1]), Err(cl::CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
    assert_eq!(recording.copy(&a, &a, 256, &[]), Err(cl::CL_MEM_COPY_OVERLAP));
    assert_eq!(recording.fill(&a, 1, 260), Err(cl::CL_INVALID_VALUE));
    let (point, none) = (recording.barrier(&[]).expect("recorded"), null_mut());
    recording.launch(&add, 64, &[point]).expect("recorded");
    let mut handle = null_mut();
    let barrier = |buffer, queue, properties: &[u64], waits: (u32, *const u32), handle| {
        let list = if properties.is_empty() { null() } else { properties.as_ptr() };
        // SAFETY: the lists have as many elements.
        unsafe { clCommandBarrierWithWaitListKHR(buffer, queue, list, waits.0, waits.1, null_mut(), handle) }
    };
    assert_eq!(barrier(s.queue.0, none, &[], (0, null()), null_mut()), cl::CL_INVALID_COMMAND_BUFFER_KHR);
    assert_eq!(barrier(c, s.queue.0, &[], (0, null()), null_mut()), cl::CL_INVALID_COMMAND_QUEUE);
    assert_eq!(barrier(c, none, &[1, 1, 0], (0, null()), null_mut()), cl::CL_INVALID_VALUE);
    assert_eq!(barrier(c, none, &[], (0, null()), &mut handle), cl::CL_INVALID_VALUE);
    let bad = cl::CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    assert_eq!(barrier(c, none, &[], (1, null()), null_mut()), bad);
    assert_eq!(barrier(c, none, &[], (0, &point), null_mut()), bad);
    let buffer = recording.finalized();
    let again = barrier(buffer.0, none, &[], (0, null()), null_mut());
    assert_eq!(
        (clFinalizeCommandBufferKHR(buffer.0), again),
        (cl::CL_INVALID_OPERATION, cl::CL_INVALID_OPERATION)
    );

    let Some(elsewhere) = setup() else { return };
    assert_eq!(enqueue(&buffer, Some(&elsewhere.queue), &[]).err(), Some(cl::CL_INVALID_CONTEXT));
    assert_eq!(enqueue(&buffer, Some(&a), &[]).err(), Some(cl::CL_INVALID_COMMAND_QUEUE));
    assert_eq!(enqueue(&buffer, None, &[a.0]).err(), Some(cl::CL_INVALID_EVENT_WAIT_LIST));
    let mut two = [s.queue.0; 2];
    // SAFETY: as many queues as are said.
    unsafe {
        let (list, p, ev) = (two.as_mut_ptr(), null(), null_mut());
        assert_eq!(clEnqueueCommandBufferKHR(2, list, buffer.0, 0, p, ev), cl::CL_INVALID_VALUE);
        assert_eq!(clEnqueueCommandBufferKHR(0, list, buffer.0, 0, p, ev), cl::CL_INVALID_VALUE);
        assert_eq!(clEnqueueCommandBufferKHR(1, null_mut(), buffer.0, 0, p, ev), cl::CL_INVALID_VALUE);
        let none = clEnqueueCommandBufferKHR(0, null_mut(), a.0, 0, p, ev);
        assert_eq!(none, cl::CL_INVALID_COMMAND_BUFFER_KHR);
    }
}
