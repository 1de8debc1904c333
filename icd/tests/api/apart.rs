//! Kernels are lowered for arguments that share no memory, and anew for launches in which some do: whatever is bound, a kernel sees
//! through one argument what it has written through another.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::{again, cl};
use cl::{Handle, Setup, arg, kernel, launch, release};
use opencl_sys::*;
use pumice::entry::{device::*, image::*, kernel::*, launch::*, svm::*};

/// What is read again was stored over, or not: the compiler may know the first value.
const SOURCE: &str = "
kernel void again(global uint *a, global uint *b, global uint *out, uint i, uint k) {
    uint x = b[k];
    a[i] = x + 1;
    uint y = b[k];
    out[0] = x;
    out[1] = y;
    out[2] = b[k] + 10 * a[i];
}
kernel void bytes(global uchar *a, global uint *b, global uint *out, uint i, uint k) {
    uint x = b[k];
    a[i] = x + 1;
    out[0] = x;
    out[1] = b[k];
    out[2] = a[i];
}
kernel void either(global uint *a, global uint *b, global uint *c, uint which) {
    global uint *p = which ? b : a;
    uint x = *c;
    *p = x + 7;
    c[1] = x + *c;
}
kernel void restricted(global uint *restrict a, global uint *b, global uint *c) {
    uint x = b[0];
    c[0] = x + 1;
    a[0] = b[0] + 10 * x;
}
kernel void texels(write_only image1d_buffer_t image, global uint *b, global uint *out) {
    uint x = b[3];
    write_imageui(image, 3, (uint4)(x + 1));
    out[0] = x;
}";

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect()
}

fn set(s: &Setup, buffer: Handle, count: u32) {
    let bytes: Vec<u8> = (0..count).flat_map(|n| (100 * (n + 1)).to_ne_bytes()).collect();
    s.write(buffer, 0, &bytes);
}

/// Buffers as parts of one memory: the arguments begin at these words of it, or `None`: of another.
#[derive(Clone, Copy)]
struct Case {
    a: Option<usize>,
    b: Option<usize>,
    i: u32,
    k: u32,
}

/// Returns what `again` writes to `out`, where that is memory of its own.
fn expected(case: Case) -> [u32; 3] {
    let first = |base: Option<usize>| base.unwrap_or(0) as u32;
    let x = 100 * (first(case.b) + case.k + 1);
    let same = case.a.is_some() == case.b.is_some()
        && first(case.a) + case.i == first(case.b) + case.k
        && case.a.is_some();
    let y = if same { x + 1 } else { x };
    [x, y, y + 10 * (x + 1)]
}

const CASES: [Case; 8] = [
    // The same bytes, by the same object or by several.
    Case { a: Some(0), b: Some(0), i: 5, k: 5 },
    Case { a: Some(0), b: Some(0), i: 5, k: 6 },
    // Parts that overlap, and those that do not.
    Case { a: Some(0), b: Some(64), i: 69, k: 5 },
    Case { a: Some(64), b: Some(0), i: 3, k: 67 },
    Case { a: Some(64), b: Some(128), i: 63, k: 0 },
    Case { a: Some(64), b: Some(128), i: 64, k: 0 },
    // Other memory.
    Case { a: None, b: Some(0), i: 5, k: 5 },
    Case { a: Some(0), b: None, i: 5, k: 5 },
];

/// Sub-buffers of one buffer, each launched twice: what is like the launch before is recorded from what was kept.
#[test]
fn parts_of_a_buffer() {
    let Some(s) = Setup::new() else { return };
    let again = kernel(s.context, SOURCE, c"again");
    let mut align = 0u32;
    // SAFETY: four bytes; bits, at most the 64 words of the cases.
    let code = unsafe {
        clGetDeviceInfo(s.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, (&raw mut align).cast(), null_mut())
    };
    assert!(code == 0 && align <= 64 * 32);
    let (whole, other, out) = (s.buffer(0, 256 * 4), s.buffer(0, 256 * 4), s.buffer(0, 16));
    arg(again, 2, &out);
    for round in 0..3 {
        for case in CASES {
            let part = |base: Option<usize>| match base {
                // Once the buffer itself, once a part that is all of it.
                Some(0) if round == 0 => whole,
                Some(base) => {
                    let size = if base == 64 { 65 } else { 256 - base };
                    s.sub(whole, 0, base * 4, size * 4).expect("a part")
                }
                None => other,
            };
            let (a, b) = (part(case.a), part(case.b));
            arg(again, 0, &a);
            arg(again, 1, &b);
            arg(again, 3, &case.i);
            arg(again, 4, &case.k);
            for _ in 0..2 {
                set(&s, whole, 256);
                set(&s, other, 256);
                launch(s.queue, again, 1);
                assert_eq!(numbers(&s.read(out, 0, 12)), expected(case), "{:?} {:?}", case.a, case.b);
            }
            [a, b].iter().filter(|p| ![whole, other].contains(*p)).for_each(|p| release(*p));
        }
    }
    [whole, other, out].iter().for_each(|b| release(*b));
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseKernel(again) }, 0);
}

/// Launches that are like the one before but for a buffer: two change places, one becomes the other and another one again. A clone
/// has arguments of its own.
#[test]
fn buffers_that_change() {
    let Some(s) = Setup::new() else { return };
    let again = kernel(s.context, SOURCE, c"again");
    let (x, y, out) = (s.buffer(0, 64), s.buffer(0, 64), s.buffer(0, 64));
    let run = |kernel: Handle, [a, b, c]: [Handle; 3]| {
        for (index, buffer) in [a, b, c].iter().enumerate() {
            arg(kernel, index as u32, buffer);
        }
        [x, y, out].iter().for_each(|b| set(&s, *b, 16));
        launch(s.queue, kernel, 1);
        let [x, same] = [100, u32::from(a == b)];
        // What `out` is given is seen by `b`, and by `a`.
        let mut wanted = [x, x + same, 0];
        let (last, first) = (if c == b { x } else { wanted[1] }, if c == a { x } else { x + 1 });
        wanted[2] = last + 10 * first;
        assert_eq!(numbers(&s.read(c, 0, 12)), wanted, "{a:?} {b:?} {c:?}");
    };
    arg(again, 3, &0u32);
    arg(again, 4, &0u32);
    let cases =
        [[x, y, out], [y, x, out], [x, x, out], [y, x, out], [x, y, y], [x, y, out], [x, y, x], [y, y, out]];
    for case in cases.iter().chain(&cases) {
        run(again, *case);
    }
    let mut error = 1;
    // SAFETY: a kernel, which is given back below.
    let clone = unsafe { clCloneKernel(again, &mut error) };
    assert_eq!(error, 0);
    for case in cases {
        run(clone, case);
        run(again, [x, y, out]);
    }
    [x, y, out].iter().for_each(|b| release(*b));
    // SAFETY: handles.
    assert_eq!(unsafe { [clReleaseKernel(again), clReleaseKernel(clone)] }, [0; 2]);
}

/// A pointer that is one of two arguments; bytes of the words that another argument has; `restrict` where it is true.
#[test]
fn other_ways_to_the_same_memory() {
    let Some(s) = Setup::new() else { return };
    let [bytes, either, restricted] =
        [c"bytes", c"either", c"restricted"].map(|name| kernel(s.context, SOURCE, name));
    let (x, y, z) = (s.buffer(0, 64), s.buffer(0, 64), s.buffer(0, 64));
    let fill = || [x, y, z].iter().for_each(|b| set(&s, *b, 16));
    for (a, i, wanted) in
        [(x, 20u32, [600, 0x0200 + 89, 89]), (x, 21, [600, (89 << 8) + 88, 89]), (y, 20, [600, 600, 89])]
    {
        fill();
        arg(bytes, 0, &a);
        arg(bytes, 1, &x);
        arg(bytes, 2, &z);
        arg(bytes, 3, &i);
        arg(bytes, 4, &5u32);
        launch(s.queue, bytes, 1);
        assert_eq!(numbers(&s.read(z, 0, 12)), wanted);
    }
    for (a, b, c, which, wanted) in
        [(x, y, z, 0u32, 200), (z, y, z, 0, 207), (z, y, z, 1, 200), (x, z, z, 1, 207), (z, z, z, 0, 207)]
    {
        fill();
        arg(either, 0, &a);
        arg(either, 1, &b);
        arg(either, 2, &c);
        arg(either, 3, &which);
        launch(s.queue, either, 1);
        assert_eq!(numbers(&s.read(c, 4, 4)), [wanted]);
    }
    for (b, c, wanted) in [(y, z, 1100), (y, y, 1101)] {
        fill();
        arg(restricted, 0, &x);
        arg(restricted, 1, &b);
        arg(restricted, 2, &c);
        launch(s.queue, restricted, 1);
        assert_eq!(numbers(&s.read(x, 0, 4)), [wanted]);
    }
    [x, y, z].iter().for_each(|b| release(*b));
    // SAFETY: handles.
    [bytes, either, restricted].iter().for_each(|k| assert_eq!(unsafe { clReleaseKernel(*k) }, 0));
}

/// Pointers into shared virtual memory: into one allocation, at an odd distance, and where another allocation has come to lie.
#[test]
fn pointers_into_shared_memory() {
    let Some(s) = Setup::new() else { return };
    let mut capabilities = 0u64;
    // SAFETY: eight bytes.
    let code = unsafe {
        clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, 8, (&raw mut capabilities).cast(), null_mut())
    };
    assert_eq!(code, 0);
    if capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER == 0 {
        println!("SKIP: no fine-grain shared memory");
        return;
    }
    let [again, other_way, bytes] =
        [c"again", c"again", c"bytes"].map(|name| kernel(s.context, SOURCE, name));
    // SAFETY: a context.
    let alloc = |words: usize| unsafe {
        let p = clSVMAlloc(s.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, words * 4, 0);
        assert!(!p.is_null());
        p.cast::<u32>()
    };
    let point = |kernel, index, p: *const c_void| {
        // SAFETY: a kernel.
        assert_eq!(unsafe { clSetKernelArgSVMPointer(kernel, index, p) }, 0);
    };
    let out = alloc(4);
    let seen = || {
        s.finish();
        // SAFETY: three words that nobody writes.
        unsafe { std::slice::from_raw_parts(out, 3) }.to_vec()
    };
    // SAFETY: within the allocations, which nobody else uses.
    unsafe {
        let fill = |p: *mut u32| (0..256).for_each(|n| p.add(n).write(100 * (n as u32 + 1)));
        let (whole, other) = (alloc(256), alloc(256));
        // From launches that share memory to such that do not, and the other way.
        let cases = CASES.iter().chain(&CASES).map(|case| (again, case));
        for (again, case) in cases.chain(CASES.iter().rev().chain(&CASES).map(|case| (other_way, case))) {
            fill(whole);
            fill(other);
            let place = |base: Option<usize>| base.map_or(other, |b| whole.add(b)).cast_const().cast();
            point(again, 0, place(case.a));
            point(again, 1, place(case.b));
            point(again, 2, out.cast_const().cast());
            arg(again, 3, &case.i);
            arg(again, 4, &case.k);
            launch(s.queue, again, 1);
            assert_eq!(seen(), expected(*case), "{:?} {:?}", case.a, case.b);
        }
        fill(whole);
        point(bytes, 0, whole.cast::<u8>().add(3).cast_const().cast());
        point(bytes, 1, whole.cast_const().cast());
        point(bytes, 2, out.cast_const().cast());
        arg(bytes, 3, &18u32);
        arg(bytes, 4, &5u32);
        launch(s.queue, bytes, 1);
        assert_eq!(seen(), [600, (89 << 8) + 88, 89]);
        // Two allocations, which go; one comes to lie where both were. The kernel keeps its arguments.
        let mut parts = [alloc(64), alloc(64)];
        parts.sort();
        point(again, 0, parts[0].cast_const().cast());
        point(again, 1, parts[1].cast_const().cast());
        let distance = (parts[1].addr() - parts[0].addr()) / 4;
        arg(again, 3, &0u32);
        arg(again, 4, &0u32);
        [parts[0], parts[1]].iter().for_each(|p| p.write(500));
        launch(s.queue, again, 1);
        assert_eq!(seen(), [500, 500, 5510]);
        parts.iter().for_each(|p| clSVMFree(s.context, p.cast()));
        let large = alloc(distance + 64);
        if large == parts[0] {
            arg(again, 3, &(distance as u32));
            large.add(distance).write(500);
            launch(s.queue, again, 1);
            assert_eq!(seen(), [500, 501, 5511]);
        }
        [large, whole, other, out].iter().for_each(|p| clSVMFree(s.context, p.cast()));
        [again, other_way, bytes].iter().for_each(|k| assert_eq!(clReleaseKernel(*k), 0));
    }
}

/// A buffer beside an image of it, and as another argument: the launches are taken, and write what they should.
#[test]
fn a_buffer_and_its_image() {
    let Some(s) = Setup::new() else { return };
    let mut images = 0u32;
    // SAFETY: four bytes.
    let code = unsafe {
        clGetDeviceInfo(s.device, CL_DEVICE_IMAGE_SUPPORT, 4, (&raw mut images).cast(), null_mut())
    };
    assert_eq!(code, 0);
    if images == 0 {
        println!("SKIP: the device has no images");
        return;
    }
    let texels = kernel(s.context, SOURCE, c"texels");
    let (x, y, z) = (s.buffer(0, 64), s.buffer(0, 64), s.buffer(0, 64));
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
    // SAFETY: integers and pointers, for which zeros are valid.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    desc.image_width = 16;
    desc.__bindgen_anon_1.mem_object = x;
    let mut error = 1;
    // SAFETY: a buffer of the size.
    let image = unsafe { clCreateImage(s.context, 0, &format, &desc, null_mut(), &mut error) };
    assert_eq!(error, 0);
    for (b, out) in [(y, z), (x, z), (y, x), (x, x), (y, z)] {
        [x, y, z].iter().for_each(|b| set(&s, *b, 16));
        arg(texels, 0, &image);
        arg(texels, 1, &b);
        arg(texels, 2, &out);
        launch(s.queue, texels, 1);
        assert_eq!(numbers(&s.read(out, 0, 4)), [400]);
        assert_eq!(numbers(&s.read(x, 12, 4)), [401]);
    }
    [image, x, y, z].iter().for_each(|b| release(*b));
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseKernel(texels) }, 0);
}

/// With an event and a wait list, as the launch before.
#[test]
fn launches_with_events() {
    let Some(s) = Setup::new() else { return };
    let again = kernel(s.context, SOURCE, c"again");
    let (x, y, out) = (s.buffer(0, 64), s.buffer(0, 64), s.buffer(0, 64));
    arg(again, 2, &out);
    arg(again, 3, &0u32);
    arg(again, 4, &0u32);
    let mut before: Handle = null_mut();
    for (a, b) in [(x, y), (x, y), (x, x), (x, x), (y, x), (y, x)] {
        [x, y].iter().for_each(|b| set(&s, *b, 16));
        arg(again, 0, &a);
        arg(again, 1, &b);
        let (mut event, size, waits) = (null_mut(), 1usize, u32::from(!before.is_null()));
        let list = if before.is_null() { null() } else { &raw const before };
        // SAFETY: handles, one size, a list of the length.
        unsafe {
            let code = clEnqueueNDRangeKernel(
                s.queue,
                again,
                1,
                null(),
                &size,
                null(),
                waits,
                list.cast(),
                &mut event,
            );
            assert_eq!(code, 0);
            if !before.is_null() {
                assert_eq!(pumice::entry::event::clReleaseEvent(before), 0);
            }
        }
        before = event;
        let same = u32::from(a == b);
        assert_eq!(numbers(&s.read(out, 0, 12)), [100, 100 + same, 100 + same + 1010]);
    }
    [x, y, out].iter().for_each(|b| release(*b));
    // SAFETY: handles.
    assert_eq!(unsafe { [pumice::entry::event::clReleaseEvent(before), clReleaseKernel(again)] }, [0; 2]);
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}
