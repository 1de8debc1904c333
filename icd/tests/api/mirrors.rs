//! Images of buffers' bytes (cl_khr_image2d_from_buffer): whatever changes either is seen in the other by the next command, by whichever way
//! it comes, and what has not changed is not copied.

use std::ptr::{null, null_mut};

use crate::{again, cl};
use cl::{Handle, Setup, arg, info, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{event::*, image::*, kernel::*, launch::*, memory::*, queue::*, svm::*, transfer::*};
use pumice::testing::brought_to_mirrors;

const WIDTH: usize = 13;
/// Words of a row.
const PITCH: usize = 16;
const HEIGHT: usize = 8;
const WORDS: usize = PITCH * HEIGHT;

const SOURCE: &str = "
kernel void look(read_only image2d_t image, global uint *out) {
    int i = get_global_id(0); out[i] = read_imageui(image, (int2)(i % 13, i / 13)).x;
}
kernel void paint(write_only image2d_t image, uint seed) {
    int i = get_global_id(0); write_imageui(image, (int2)(i % 13, i / 13), (uint4)(seed + i * 7));
}
kernel void point(write_only image2d_t image, uint seed) { write_imageui(image, (int2)(5, 3), (uint4)(seed)); }
kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
kernel void both(read_only image2d_t from, write_only image2d_t to) {
    int i = get_global_id(0); int2 at = (int2)(i % 13, i / 13);
    write_imageui(to, at, read_imageui(from, at) + 1);
}
kernel void behind(global ulong *p, uint n) { ((global uint *)p[0])[get_global_id(0)] += n; }";

/// A buffer, an image of it, what both should hold, and the kernels.
struct Scene<'a> {
    s: &'a Setup,
    buffer: Handle,
    image: Handle,
    out: Handle,
    model: Vec<u32>,
    look: Handle,
    paint: Handle,
    point: Handle,
    add: Handle,
}

fn setup() -> Option<Setup> {
    let s = Setup::new()?;
    let mut has = 0u32;
    let (asked, at) = (CL_DEVICE_IMAGE_SUPPORT, (&raw mut has).cast());
    // SAFETY: room for the answer.
    let code = unsafe { pumice::entry::device::clGetDeviceInfo(s.device, asked, 4, at, null_mut()) };
    assert_eq!(code, 0);
    if has == 0 {
        println!("SKIP: the device has no images");
        return None;
    }
    Some(s)
}

fn image_of(s: &Setup, buffer: Handle) -> Handle {
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
    // SAFETY: integers and a pointer, for which zeros are valid.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    (desc.image_width, desc.image_height, desc.image_row_pitch) = (WIDTH, HEIGHT, PITCH * 4);
    desc.__bindgen_anon_1.mem_object = buffer;
    let mut error = 1;
    // SAFETY: valid structures.
    let made = unsafe { clCreateImage(s.context, 0, &format, &desc, null_mut(), &mut error) };
    assert_eq!(error, 0);
    made
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The place of the n-th texel in the buffer.
fn at(texel: usize) -> usize {
    texel / WIDTH * PITCH + texel % WIDTH
}

impl<'a> Scene<'a> {
    /// Of a buffer of as many words, which hold anything.
    fn new(s: &'a Setup, buffer: Handle) -> Self {
        let made = |name| kernel(s.context, SOURCE, name);
        let mut scene = Scene {
            s,
            buffer,
            image: image_of(s, buffer),
            out: s.buffer(0, WIDTH * HEIGHT * 4),
            model: Vec::new(),
            look: made(c"look"),
            paint: made(c"paint"),
            point: made(c"point"),
            add: made(c"add"),
        };
        arg(scene.look, 0, &scene.image);
        arg(scene.look, 1, &scene.out);
        arg(scene.add, 0, &scene.buffer);
        scene.write(21);
        scene
    }

    fn write(&mut self, seed: u32) {
        let data = noise(WORDS * 4, seed);
        self.model = words(&data);
        self.s.write(self.buffer, 0, &data);
    }

    /// What a kernel sees in the image, and what the buffer has.
    fn check(&self, what: &str) {
        self.check_on(self.s.queue, what);
    }

    fn check_on(&self, queue: Handle, what: &str) {
        for again in ["", ", again"] {
            launch(queue, self.look, WIDTH * HEIGHT);
            // SAFETY: a valid queue.
            assert_eq!(unsafe { clFinish(queue) }, 0);
            let found = words(&self.s.read(self.out, 0, WIDTH * HEIGHT * 4));
            let expected: Vec<u32> = (0..WIDTH * HEIGHT).map(|i| self.model[at(i)]).collect();
            assert!(found == expected, "{what}{again}: the image");
        }
        assert!(words(&self.s.read(self.buffer, 0, WORDS * 4)) == self.model, "{what}: the buffer");
    }

    fn painted(&mut self, image: Handle, seed: u32) {
        arg(self.paint, 0, &image);
        arg(self.paint, 1, &seed);
        launch(self.s.queue, self.paint, WIDTH * HEIGHT);
        (0..WIDTH * HEIGHT).for_each(|i| self.model[at(i)] = seed + i as u32 * 7);
    }

    fn pointed(&mut self, image: Handle, seed: u32) {
        arg(self.point, 0, &image);
        arg(self.point, 1, &seed);
        launch(self.s.queue, self.point, 1);
        self.model[3 * PITCH + 5] = seed;
    }

    fn added(&mut self, queue: Handle, n: u32, times: u32) {
        arg(self.add, 1, &n);
        (0..times).for_each(|_| launch(queue, self.add, WORDS));
        self.model.iter_mut().for_each(|w| *w = w.wrapping_add(n * times));
    }

    fn brought(&self) -> u64 {
        brought_to_mirrors(self.s.context).expect("a context")
    }
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        self.s.finish();
        [self.image, self.out, self.buffer].into_iter().for_each(release);
        for kernel in [self.look, self.paint, self.point, self.add] {
            // SAFETY: made by `new`.
            assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
        }
    }
}

/// Commands on the buffer: writes of every kind, fills, copies, maps, kernels that are launched once and again, a sub-buffer's.
fn buffer_commands(t: &mut Scene) {
    let (s, buffer, q, none) = (t.s, t.buffer, t.s.queue, null_mut());
    t.check("made");
    t.write(1);
    t.check("written");
    let line = noise(40, 2);
    // SAFETY: valid handles and ranges; what is not waited for lives until `check`.
    unsafe {
        assert_eq!(clEnqueueWriteBuffer(q, buffer, 0, 80, 40, line.as_ptr().cast(), 0, null(), none), 0);
        t.model[20..30].copy_from_slice(&words(&line));
        t.check("written without waiting");
        let pattern = 0xabcd_1234u32;
        assert_eq!(
            clEnqueueFillBuffer(q, buffer, (&raw const pattern).cast(), 4, 8, 100, 0, null(), none),
            0
        );
        t.model[2..27].fill(pattern);
        t.check("filled");
        let other = s.filled(&noise(WORDS * 4, 3));
        assert_eq!(clEnqueueCopyBuffer(q, other, buffer, 16, 32, 96, 0, null(), none), 0);
        t.model[8..32].copy_from_slice(&words(&noise(WORDS * 4, 3))[4..28]);
        t.check("copied");
        release(other);
        let (origin, region) = ([8usize, 2, 0], [12usize, 3, 1]);
        let (to, from, rows) = (origin.as_ptr(), [0usize; 3], noise(36, 4));
        let code = clEnqueueWriteBufferRect(
            q,
            buffer,
            1,
            to,
            from.as_ptr(),
            region.as_ptr(),
            PITCH * 4,
            0,
            12,
            0,
            rows.as_ptr().cast(),
            0,
            null(),
            none,
        );
        assert_eq!(code, 0);
        for (y, row) in words(&rows).chunks(3).enumerate() {
            t.model[(y + 2) * PITCH + 2..][..3].copy_from_slice(row);
        }
        t.check("rows written");
        for flags in [CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION] {
            let pointer = s.map(buffer, flags, 64, 128).expect("map").cast::<u32>();
            (0..32).for_each(|i| pointer.add(i).write(i as u32 + flags as u32));
            assert_eq!(s.unmap(buffer, pointer.cast()), 0);
            (0..32).for_each(|i| t.model[16 + i] = i as u32 + flags as u32);
            t.check("mapped");
        }
    }
    for n in 1..4 {
        // The launches are the same: the runtime repeats them.
        t.added(q, 3, n);
        launch(q, t.look, WIDTH * HEIGHT);
        t.added(q, 3, 2);
        t.check("changed by kernels");
    }
    let sub = s.sub(buffer, 0, 0, 64).expect("sub-buffer");
    s.write(sub, 4, &line);
    t.model[1..11].copy_from_slice(&words(&line));
    t.check("written in a part");
    arg(t.add, 0, &sub);
    arg(t.add, 1, &5u32);
    launch(q, t.add, 16);
    t.model[..16].iter_mut().for_each(|w| *w = w.wrapping_add(5));
    t.check("a part changed by a kernel");
    arg(t.add, 0, &buffer);
    release(sub);
}

/// Commands on the image, and on another one of the same bytes.
fn image_commands(t: &mut Scene) {
    let (s, q, none) = (t.s, t.s.queue, null_mut());
    let other = image_of(s, t.buffer);
    for (image, what) in [(t.image, "by itself"), (other, "by another image")] {
        t.painted(image, 5);
        t.check(&format!("painted {what}"));
        t.pointed(image, 6);
        t.pointed(image, 7);
        t.check(&format!("a texel {what}"));
        t.added(q, 9, 1);
        t.pointed(image, 8);
        t.added(q, 9, 1);
        t.check(&format!("changed, and a texel {what}"));
        let (origin, region) = ([2usize, 1, 0], [3usize, 2, 1]);
        let (at, size) = (origin.as_ptr(), region.as_ptr());
        let colour = [77u32; 4];
        let mut error = 1;
        let (mut row, mut data) = (0, noise(24, 8));
        // SAFETY: valid handles and boxes; memory of the boxes' size.
        unsafe {
            assert_eq!(clEnqueueFillImage(q, image, colour.as_ptr().cast(), at, size, 0, null(), none), 0);
            let box_of = |model: &mut Vec<u32>, texels: &[u32]| {
                for (i, word) in texels.iter().enumerate() {
                    model[(1 + i / 3) * PITCH + 2 + i % 3] = *word;
                }
            };
            box_of(&mut t.model, &[77; 6]);
            t.check(&format!("filled {what}"));
            let from = data.as_mut_ptr().cast();
            assert_eq!(clEnqueueWriteImage(q, image, 1, at, size, 0, 0, from, 0, null(), none), 0);
            box_of(&mut t.model, &words(&data));
            t.check(&format!("written {what}"));
            let flags = CL_MAP_WRITE;
            let pointer = clEnqueueMapImage(
                q,
                image,
                1,
                flags,
                at,
                size,
                &mut row,
                null_mut(),
                0,
                null(),
                none,
                &mut error,
            );
            assert_eq!(error, 0);
            for (i, word) in (60..66u32).enumerate() {
                pointer.cast::<u8>().add(i / 3 * row + i % 3 * 4).cast::<u32>().write(word);
            }
            assert_eq!(clEnqueueUnmapMemObject(q, image, pointer, 0, null(), none), 0);
            box_of(&mut t.model, &[60, 61, 62, 63, 64, 65]);
            t.check(&format!("mapped {what}"));
        }
    }
    // One kernel with both, and with one twice.
    let both = kernel(s.context, SOURCE, c"both");
    for (from, to) in [(t.image, other), (other, t.image), (t.image, other)] {
        arg(both, 0, &from);
        arg(both, 1, &to);
        launch(q, both, WIDTH * HEIGHT);
        (0..WIDTH * HEIGHT).for_each(|i| t.model[at(i)] = t.model[at(i)].wrapping_add(1));
        t.check("by a kernel with two images");
    }
    // SAFETY: made above.
    assert_eq!(unsafe { clReleaseKernel(both) }, 0);
    release(other);
}

/// Several queues, which may be several streams.
fn queues(t: &mut Scene) {
    let mut error = 1;
    // SAFETY: valid handles; the events are given back once.
    unsafe {
        let queues: [Handle; 3] =
            std::array::from_fn(|_| clCreateCommandQueue(t.s.context, t.s.device, 0, &mut error));
        for round in 0..12u32 {
            let (a, b) = (queues[round as usize % 3], queues[(round as usize + 1) % 3]);
            t.added(a, 11, 2);
            assert_eq!(clFinish(a), 0);
            t.check_on(b, "changed on another queue");
            // The same launch again, with nothing of another kind before it in its queue.
            t.added(a, 11, 1);
            assert_eq!(clFinish(a), 0);
            t.check_on(b, "changed again on another queue");
            // By an event.
            let (mut event, size) = (null_mut(), 1usize);
            arg(t.point, 0, &t.image);
            arg(t.point, 1, &round);
            let code = clEnqueueNDRangeKernel(a, t.point, 1, null(), &size, null(), 0, null(), &mut event);
            assert_eq!(code, 0);
            t.model[3 * PITCH + 5] = round;
            let all = WIDTH * HEIGHT;
            let code = clEnqueueNDRangeKernel(b, t.look, 1, null(), &all, null(), 1, &event, null_mut());
            assert_eq!(code, 0);
            // Readers on all queues at once, whichever brings it.
            queues.iter().for_each(|q| assert_eq!(clFlush(*q), 0));
            assert_eq!(clFinish(b), 0);
            t.check_on(b, "a texel on another queue");
            assert_eq!(clReleaseEvent(event), 0);
        }
        queues.iter().for_each(|q| assert_eq!(clReleaseCommandQueue(*q), 0));
    }
}

#[test]
fn changes_of_either_are_seen() {
    let Some(s) = setup() else { return };
    let mut memory = noise(WORDS * 4 + 4096, 5);
    let first = memory.as_ptr().align_offset(4096);
    let host: *mut u8 = memory[first..].as_mut_ptr();
    for flags in [0, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR] {
        let given = if flags == CL_MEM_USE_HOST_PTR { host.cast() } else { null_mut() };
        let mut t = Scene::new(&s, s.try_buffer(flags, WORDS * 4, given).expect("buffer"));
        buffer_commands(&mut t);
        image_commands(&mut t);
        queues(&mut t);
    }
}

/// What has not changed is not copied; a change of what is beside the image counts as one.
#[test]
fn what_has_not_changed_is_not_copied() {
    if !again::alone("mirrors::what_has_not_changed_is_not_copied") {
        return;
    }
    let Some(s) = setup() else { return };
    let mut t = Scene::new(&s, s.buffer(0, WORDS * 4));
    let count = |t: &mut Scene, what: &str, times: u64, work: &mut dyn FnMut(&mut Scene)| {
        let before = t.brought();
        work(t);
        assert_eq!(t.brought() - before, times, "{what}");
    };
    count(&mut t, "first", 1, &mut |t| t.check("first"));
    count(&mut t, "read", 0, &mut |t| (0..5).for_each(|_| t.check("read")));
    count(&mut t, "written by kernels, and read", 0, &mut |t| {
        for seed in 0..4 {
            t.painted(t.image, seed);
            t.pointed(t.image, seed);
            t.check("written by kernels");
        }
    });
    count(&mut t, "changed", 1, &mut |t| {
        t.write(4);
        t.check("changed");
    });
    count(&mut t, "changed by a kernel each time", 3, &mut |t| {
        for _ in 0..3 {
            t.added(t.s.queue, 3, 1);
            t.check("changed by a kernel");
        }
    });
    let other = image_of(&s, t.buffer);
    count(&mut t, "by another image, which is new", 2, &mut |t| {
        t.pointed(other, 6);
        t.check("by another image");
    });
    release(other);
    count(&mut t, "mapped to be read", 0, &mut |t| {
        let pointer = t.s.map(t.buffer, CL_MAP_READ, 0, 64).expect("map");
        t.check("mapped to be read");
        assert_eq!(t.s.unmap(t.buffer, pointer), 0);
        t.check("unmapped");
    });
    count(&mut t, "parts", 1, &mut |t| {
        t.write(9);
        launch(t.s.queue, t.look, WIDTH * HEIGHT);
        t.pointed(t.image, 6);
        t.pointed(t.image, 7);
        t.check("parts");
    });
}

/// The host's own memory, which it changes as it likes: by shared virtual memory, and where CL_MEM_USE_HOST_PTR's is the device's.
#[test]
fn what_is_not_counted_is_copied() {
    let Some(s) = setup() else { return };
    let mut caps = 0u64;
    let (asked, place) = (CL_DEVICE_SVM_CAPABILITIES, (&raw mut caps).cast());
    // SAFETY: room for the answer; memory of the size; it is given back when nothing uses it any more.
    unsafe {
        pumice::entry::device::clGetDeviceInfo(s.device, asked, 8, place, null_mut());
        if caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER == 0 {
            println!("SKIP: no fine-grain buffers");
            return;
        }
        let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
        let memory = clSVMAlloc(s.context, flags, WORDS * 4, 0);
        let mut t = Scene::new(&s, s.try_buffer(CL_MEM_USE_HOST_PTR, WORDS * 4, memory).expect("buffer"));
        assert_eq!(info(t.buffer, CL_MEM_USES_SVM_POINTER), Ok(1u32));
        for n in 0..3u32 {
            t.check("before");
            memory.cast::<u32>().add(17).write(n);
            t.model[17] = n;
            t.check("by the host");
            let add = kernel(s.context, SOURCE, c"add");
            assert_eq!(clSetKernelArgSVMPointer(add, 0, memory), 0);
            arg(add, 1, &n);
            launch(s.queue, add, WORDS);
            t.model.iter_mut().for_each(|w| *w = w.wrapping_add(n));
            t.check("by a kernel with the pointer");
            assert_eq!(clReleaseKernel(add), 0);
        }
        buffer_commands(&mut t);
        image_commands(&mut t);
        drop(t);
        clSVMFree(s.context, memory);
    }
}

/// Kernels that reach the buffer by its address alone.
#[test]
fn by_device_addresses() {
    let Some(s) = setup() else { return };
    let mut error = 1;
    // SAFETY: the list is whole; the address is the buffer's.
    unsafe {
        let list = [0x5000, 1, 0];
        let buffer =
            clCreateBufferWithProperties(s.context, list.as_ptr(), 0, WORDS * 4, null_mut(), &mut error);
        if error == CL_INVALID_OPERATION {
            println!("SKIP: no device addresses");
            return;
        }
        let mut t = Scene::new(&s, buffer);
        let address = info::<u64>(buffer, 0x5001).expect("address");
        let pointers = s.filled(&address.to_ne_bytes());
        let behind = kernel(s.context, SOURCE, c"behind");
        arg(behind, 0, &pointers);
        assert_eq!(clSetKernelExecInfo(behind, 0x5002, 8, (&raw const address).cast()), 0);
        for n in 0..4u32 {
            arg(behind, 1, &n);
            launch(s.queue, behind, WORDS);
            t.model.iter_mut().for_each(|w| *w = w.wrapping_add(n));
            t.check("by its address");
        }
        image_commands(&mut t);
        release(pointers);
        assert_eq!(clReleaseKernel(behind), 0);
    }
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}

/// With copies by kernels.
#[test]
fn the_same_in_kernels() {
    again::again_in(module_path!(), &["stage,tune.image_copy=1", "stage,streams=4,tune.image_copy=1"]);
}
