//! The checking mode through the API: sub-buffers, shared memory, arguments, and what goes to the file of reports. One test, for it
//! sets the settings of the whole process.

mod open;
mod support;

use opencl_sys as cl;
use pumice::entry::{
    image::clCreateImage,
    kernel::clSetKernelArgSVMPointer,
    memory::{clCreateBuffer, clCreateSubBuffer, clReleaseMemObject},
    svm::*,
    transfer::{clEnqueueCopyBuffer, clEnqueueMapBuffer, clEnqueueUnmapMemObject},
};
use support::*;

const KERNELS: &str = "
kernel void copy(global uint *in, global uint *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
kernel void back(global uint *p, global uint *out, int i) { out[get_global_id(0)] = p[i]; }
kernel void both(global uint *p, int write) { int i = get_global_id(0); if (write) p[i] = i; else if (p[i] == 3) p[i] = 4; }
kernel void paint(write_only image2d_t image) { write_imagef(image, (int2)(get_global_id(0), 9), (float4)(1)); }
kernel void loud(global uint *p) { printf(\"%u\\n\", p[0]); p[get_global_id(0)] = 3; }
";

/// The reports since the last call.
fn reports(path: &std::path::Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The class, the object, the offset, the size and the count of a report.
fn parts(report: &serde_json::Value) -> (String, String, i64, u64, u64) {
    let text = |name: &str| report[name].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| report[name].as_u64().unwrap_or_default();
    let offset = report["offset"].as_i64().unwrap_or_default();
    (text("class"), text("object"), offset, number("object_size"), number("count"))
}

fn bounds(object: &str, offset: i64, size: u64, count: u64) -> (String, String, i64, u64, u64) {
    ("bounds".to_owned(), object.to_owned(), offset, size, count)
}

#[test]
fn faults_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("reports.json");
    // SAFETY: no other thread of this program reads the environment yet: it has one test, and this is its beginning.
    unsafe {
        std::env::set_var("PUMICE_CHECK", "1");
        std::env::set_var("PUMICE_CHECK_OUT", &path);
        std::env::set_var("PUMICE_CHECK_ORIGIN", "1");
        std::env::set_var("PUMICE_CACHE_DIR", "");
    }
    let Some(s) = setup() else { return };
    let program = s.built(KERNELS, "");
    let get = |name: &str| kernel(&program, name).expect("a kernel");
    let (input, out) = (s.buffer(2048), s.buffer(4 * 16));
    s.write(&input, &(0..512).collect::<Vec<u32>>());
    s.write(&out, &[9; 16]);

    // Arguments.
    let copy = get("copy");
    assert_eq!(set(&copy, 0, input.0), 0);
    assert_eq!(s.launch(&copy, &[16], None), cl::CL_INVALID_KERNEL_ARGS);
    assert_eq!(set(&copy, 1, 7u8), cl::CL_INVALID_ARG_SIZE);
    let told: Vec<String> = reports(&path).iter().map(|r| r["message"].to_string()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("argument 1 'out' (uint*) was never set"), "{told:?}");
    assert!(told[1].contains("takes 8 bytes, and 1 are given"), "{told:?}");

    // A launch without a fault, and one whose sub-buffer ends early: the buffer goes on behind it.
    assert_eq!(set(&copy, 1, out.0), 0);
    assert_eq!((s.launch(&copy, &[16], None), s.finish()), (0, 0));
    assert_eq!(reports(&path), Vec::<serde_json::Value>::new());
    assert_eq!(s.read(&out, 16), (0..16).collect::<Vec<u32>>());
    let region = cl::cl_buffer_region { origin: 1024, size: 40 };
    let mut error = 1;
    // SAFETY: the region and the place of the error are valid.
    let part = unsafe {
        clCreateSubBuffer(
            input.0,
            0,
            cl::CL_BUFFER_CREATE_TYPE_REGION,
            (&raw const region).cast(),
            &mut error,
        )
    };
    assert_eq!(error, 0);
    assert_eq!(set(&copy, 0, part), 0);
    assert_eq!((s.launch(&copy, &[16], None), s.finish()), (0, 0));
    let found = reports(&path);
    assert_eq!(found.iter().map(parts).collect::<Vec<_>>(), [bounds("in", 40, 40, 6)]);
    assert_eq!(
        (found[0]["line"].as_u64(), found[0]["global_id"][0].as_u64().map(|id| id >= 10)),
        (Some(2), Some(true))
    );
    // Where the buffer of the sub-buffer was made.
    let made_by = found[0]["made_by"].as_str().unwrap_or_default();
    assert!(made_by.contains("buffer"), "{made_by}");
    let expected: Vec<u32> = (256..266).chain([0; 6]).collect();
    assert_eq!(s.read(&out, 16), expected);
    drop(Owned(part, clReleaseMemObject));

    // Text is printed beside reports.
    let loud = get("loud");
    assert_eq!(set(&loud, 0, out.0), 0);
    assert_eq!((s.launch(&loud, &[17], None), s.finish()), (0, 0));
    assert_eq!(reports(&path).iter().map(parts).collect::<Vec<_>>(), [bounds("p", 64, 64, 1)]);
    assert_eq!(s.read(&out, 16), [3; 16]);

    shared_memory(&s, &get("back"), &out, &path);
    origins(&s, (&get("back"), &get("paint")), &out, &path);
    contents(&s, &copy, &path);
    flags(&s, &copy, &get("both"), &path);
    lifetime(&s, &copy, (&input, &out), &path);
    another_context(&s, &copy, &out, &path);
}

/// Reads of what nobody wrote: neither the host, nor a copy, nor a kernel.
fn contents(s: &Setup, copy: &Owned, path: &std::path::Path) {
    let (fresh, other, out) = (s.buffer(64), s.buffer(64), s.buffer(64));
    let launch = |from: &Owned, to: &Owned, size: usize| {
        assert_eq!((set(copy, 0, from.0), set(copy, 1, to.0)), (0, 0));
        assert_eq!((s.launch(copy, &[size], None), s.finish()), (0, 0));
        reports(path).iter().map(parts).collect::<Vec<_>>()
    };
    let never = |count: u64| ("uninitialised".to_owned(), "in".to_owned(), 0, 0, count);
    let first = |found: Vec<(String, String, i64, u64, u64)>| {
        found.into_iter().map(|(class, object, .., count)| (class, object, 0, 0, count)).collect::<Vec<_>>()
    };
    assert_eq!(first(launch(&fresh, &out, 16)), [never(16)]);
    s.write(&fresh, &[1, 2, 3, 4]);
    assert_eq!(first(launch(&fresh, &out, 8)), [never(4)]);
    // A kernel's writes, and a copy of a part that was written.
    assert_eq!(launch(&fresh, &other, 4), []);
    assert_eq!(launch(&other, &out, 4), []);
    assert_eq!(first(launch(&other, &out, 6)), [never(2)]);
    let third = s.buffer(64);
    // SAFETY: the objects are valid, and both places have 16 bytes.
    let copied = unsafe {
        clEnqueueCopyBuffer(s.queue.0, fresh.0, third.0, 0, 32, 16, 0, std::ptr::null(), std::ptr::null_mut())
    };
    assert_eq!(copied, 0);
    assert_eq!(first(launch(&third, &out, 12)), [never(8)]);
    s.write(&fresh, &[5; 16]);
    assert_eq!(launch(&fresh, &out, 16), []);
}

/// Buffers that kernels may not write, or not read: only what a kernel does counts.
fn flags(s: &Setup, copy: &Owned, both: &Owned, path: &std::path::Path) {
    let make = |flags: cl::cl_mem_flags| {
        let mut error = 1;
        // SAFETY: the context is one, and no host memory is used.
        let made = unsafe { clCreateBuffer(s.context.0, flags, 64, std::ptr::null_mut(), &mut error) };
        assert_eq!(error, 0);
        Owned(made, clReleaseMemObject)
    };
    let (constant, sink) = (make(cl::CL_MEM_READ_ONLY), make(cl::CL_MEM_WRITE_ONLY));
    s.write(&constant, &[7; 16]);
    s.write(&sink, &[0; 16]);
    let classes = |kernel: &Owned| {
        assert_eq!((s.launch(kernel, &[16], None), s.finish()), (0, 0));
        let found = reports(path);
        let text = |r: &serde_json::Value, name: &str| r[name].as_str().unwrap_or_default().to_owned();
        found.iter().map(|r| (text(r, "class"), text(r, "access"))).collect::<Vec<_>>()
    };
    assert_eq!((set(copy, 0, constant.0), set(copy, 1, sink.0)), (0, 0));
    assert_eq!(classes(copy), []);
    assert_eq!((set(copy, 0, sink.0), set(copy, 1, constant.0)), (0, 0));
    let fault = |access: &str| ("flags".to_owned(), access.to_owned());
    assert_eq!(classes(copy), [fault("read"), fault("write")]);
    // It writes where the number is 1, and reads otherwise.
    assert_eq!((set(both, 0, constant.0), set(both, 1, 0i32)), (0, 0));
    assert_eq!(classes(both), []);
    assert_eq!(set(both, 1, 1i32), 0);
    assert_eq!(classes(both), [fault("write")]);
}

/// Memory that the host has mapped, or has freed.
fn lifetime(s: &Setup, copy: &Owned, (input, out): (&Owned, &Owned), path: &std::path::Path) {
    let told = || reports(path).iter().map(|r| r["message"].to_string()).collect::<Vec<_>>();
    assert_eq!((set(copy, 0, input.0), set(copy, 1, out.0)), (0, 0));
    for (flags, faulty) in [(cl::CL_MAP_READ, false), (cl::CL_MAP_WRITE, true)] {
        let (none, mut error) = (std::ptr::null(), 1);
        // SAFETY: the objects are valid.
        let pointer = unsafe {
            clEnqueueMapBuffer(s.queue.0, input.0, 1, flags, 0, 64, 0, none, std::ptr::null_mut(), &mut error)
        };
        assert_eq!(error, 0);
        assert_eq!((s.launch(copy, &[16], None), s.finish()), (0, 0));
        let found = told();
        assert_eq!(found.len(), usize::from(faulty), "{found:?}");
        assert!(
            found.iter().all(|m| m.contains("argument 0 'in' (uint*) is launched with memory")),
            "{found:?}"
        );
        // SAFETY: the pointer is the map's.
        let unmapped = unsafe {
            clEnqueueUnmapMemObject(s.queue.0, input.0, pointer, 0, std::ptr::null(), std::ptr::null_mut())
        };
        assert_eq!((unmapped, s.finish()), (0, 0));
    }
    // SAFETY: the context is one; 64 bytes are asked for.
    let memory = unsafe { clSVMAlloc(s.context.0, cl::CL_MEM_READ_WRITE, 64, 0) };
    if memory.is_null() {
        return;
    }
    // SAFETY: the pointer is the allocation's, which nothing uses any more.
    unsafe {
        assert_eq!(clSetKernelArgSVMPointer(copy.0, 0, memory), 0);
        clSVMFree(s.context.0, memory);
    }
    let launched = s.launch(copy, &[16], None);
    s.finish();
    let found = told();
    assert!(
        found.len() == 1 && found[0].contains("shared memory of 64 bytes that was freed"),
        "{launched} {found:?}"
    );
}

/// A pointer into the shared memory of another context.
fn another_context(s: &Setup, copy: &Owned, out: &Owned, path: &std::path::Path) {
    let Some(other) = setup() else { return };
    // SAFETY: the context is one; 64 bytes are asked for.
    let memory = unsafe { clSVMAlloc(other.context.0, cl::CL_MEM_READ_WRITE, 64, 0) };
    if memory.is_null() {
        return;
    }
    // SAFETY: the pointer is the allocation's.
    assert_eq!(unsafe { clSetKernelArgSVMPointer(copy.0, 0, memory) }, 0);
    assert_eq!(set(copy, 1, out.0), 0);
    let launched = s.launch(copy, &[16], None);
    s.finish();
    let found: Vec<String> = reports(path).iter().map(|r| r["message"].to_string()).collect();
    assert!(
        found.len() == 1 && found[0].contains("shared memory of 64 bytes of another context"),
        "{launched} {found:?}"
    );
    // SAFETY: nothing uses it any more.
    unsafe { clSVMFree(other.context.0, memory) };
}

#[inline(never)]
fn maker_of_the_buffer(s: &Setup) -> Owned {
    let mut error = 1;
    // SAFETY: the context is one, and no host memory is used.
    let buffer = unsafe { clCreateBuffer(s.context.0, 0, 2048, std::ptr::null_mut(), &mut error) };
    assert_eq!(error, 0);
    let buffer = Owned(buffer, clReleaseMemObject);
    s.write(&buffer, &[1; 512]);
    buffer
}

#[inline(never)]
fn maker_of_the_part(whole: &Owned) -> Owned {
    let (region, mut error) = (cl::cl_buffer_region { origin: 1024, size: 64 }, 1);
    let kind = cl::CL_BUFFER_CREATE_TYPE_REGION;
    // SAFETY: the buffer has the region.
    let part = unsafe { clCreateSubBuffer(whole.0, 0, kind, (&raw const region).cast(), &mut error) };
    assert_eq!(error, 0);
    Owned(part, clReleaseMemObject)
}

#[inline(never)]
fn maker_of_the_image(s: &Setup) -> Owned {
    let format = cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: cl::CL_FLOAT };
    // SAFETY: zeros are a description without a pitch and without a buffer.
    let mut desc: cl::cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (cl::CL_MEM_OBJECT_IMAGE2D, 8, 8);
    let (none, mut error) = (std::ptr::null_mut(), 1);
    // SAFETY: the context is one, and no host memory is used.
    let image = unsafe { clCreateImage(s.context.0, 0, &format, &desc, none, &mut error) };
    assert_eq!(error, 0);
    Owned(image, clReleaseMemObject)
}

#[inline(never)]
fn maker_of_shared_memory(s: &Setup) -> *mut std::ffi::c_void {
    // SAFETY: the context is one; 64 bytes are asked for.
    unsafe { clSVMAlloc(s.context.0, cl::CL_MEM_READ_WRITE, 64, 0) }
}

/// The makers of a buffer, of the buffer of a sub-buffer, and of an image are named. Shared memory is no memory object, and has no name.
fn origins(s: &Setup, (back, paint): (&Owned, &Owned), out: &Owned, path: &std::path::Path) {
    let made_by = |kernel: &Owned| {
        assert_eq!((s.launch(kernel, &[1], None), s.finish()), (0, 0));
        let found = reports(path);
        assert_eq!(found.len(), 1, "{found:?}");
        (parts(&found[0]).2, found[0]["made_by"].as_str().map(str::to_owned))
    };
    let is_by = |(offset, made_by): (i64, Option<String>), (expected, maker): (i64, &str)| {
        let text = made_by.unwrap_or_default();
        assert!(offset == expected && text.contains(maker), "{offset} {text}");
    };
    let (whole, other) = (maker_of_the_buffer(s), s.buffer(2048));
    assert_eq!((set(back, 1, out.0), set(back, 2, 600)), (0, 0));
    assert_eq!(set(back, 0, whole.0), 0);
    is_by(made_by(back), (2400, "maker_of_the_buffer"));
    assert_eq!(set(back, 0, other.0), 0);
    is_by(made_by(back), (2400, "Setup"));
    let part = maker_of_the_part(&whole);
    assert_eq!((set(back, 0, part.0), set(back, 2, 16)), (0, 0));
    is_by(made_by(back), (64, "maker_of_the_buffer"));
    let image = maker_of_the_image(s);
    assert_eq!(set(paint, 0, image.0), 0);
    is_by(made_by(paint), (0, "maker_of_the_image"));
    let shared = maker_of_shared_memory(s);
    if !shared.is_null() {
        // SAFETY: the pointer is the allocation's.
        assert_eq!(unsafe { clSetKernelArgSVMPointer(back.0, 0, shared) }, 0);
        assert_eq!(made_by(back), (64, None));
        // SAFETY: nothing uses it any more.
        unsafe { clSVMFree(s.context.0, shared) };
    }
}

/// A pointer into shared memory: all of the allocation may be reached from it, and nothing else.
fn shared_memory(s: &Setup, back: &Owned, out: &Owned, path: &std::path::Path) {
    // SAFETY: the context is one; 64 bytes are asked for.
    let memory = unsafe { clSVMAlloc(s.context.0, cl::CL_MEM_READ_WRITE, 64, 0) };
    if memory.is_null() {
        return;
    }
    let inside = memory.wrapping_byte_add(32);
    // SAFETY: the pointer is the allocation's.
    assert_eq!(unsafe { clSetKernelArgSVMPointer(back.0, 0, inside) }, 0);
    assert_eq!(set(back, 1, out.0), 0);
    for (index, offset) in [(-8, None), (7, None), (-9, Some(-4)), (8, Some(64))] {
        assert_eq!(set(back, 2, index), 0);
        assert_eq!((s.launch(back, &[1], None), s.finish()), (0, 0));
        let found: Vec<_> = reports(path).iter().map(parts).collect();
        let expected: Vec<_> = offset.map(|offset| bounds("p", offset, 64, 1)).into_iter().collect();
        assert_eq!(found, expected, "index {index}");
    }
    // SAFETY: nothing uses it any more.
    unsafe { clSVMFree(s.context.0, memory) };
}
