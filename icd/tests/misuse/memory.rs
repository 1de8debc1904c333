//! The lists of errors of buffers (§5.2), memory objects (§5.5) and shared virtual memory (§5.6).

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::device::*;
use pumice::entry::event::{clGetEventInfo, clReleaseEvent};
use pumice::entry::kernel::*;
use pumice::entry::memory::*;
use pumice::entry::svm::*;
use pumice::entry::transfer::*;

use crate::world::{Handle, SIZE, Verdict, World, good, made};

const VALUE: i32 = cl::CL_INVALID_VALUE;
const BUFFER_SIZE: i32 = cl::CL_INVALID_BUFFER_SIZE;
const HOST_PTR: i32 = cl::CL_INVALID_HOST_PTR;
const OPERATION: i32 = cl::CL_INVALID_OPERATION;
const NO_ACCESS: u64 = cl::CL_MEM_HOST_NO_ACCESS;
const READ_ONLY: u64 = cl::CL_MEM_HOST_READ_ONLY;
const WRITE_ONLY: u64 = cl::CL_MEM_HOST_WRITE_ONLY;

/// A number that the device's query gives.
pub fn device_number<T: Default>(w: &World, param: u32) -> T {
    let mut value = T::default();
    // SAFETY: the place is valid for its size.
    let code =
        unsafe { clGetDeviceInfo(w.device, param, size_of::<T>(), (&raw mut value).cast(), null_mut()) };
    assert_eq!(code, 0);
    value
}

fn buffer(w: &World, flags: u64) -> Handle {
    // SAFETY: a handle.
    good(|e| unsafe { clCreateBuffer(w.here.context, flags, SIZE, null_mut(), e) })
}

/// §5.2.1.
pub fn buffers(w: &World, v: &mut Verdict) {
    let c = w.here.context;
    let mut host = [0u64; 8];
    let host: *mut c_void = host.as_mut_ptr().cast();
    let most: u64 = device_number(w, cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    let over = usize::try_from(most).unwrap_or(usize::MAX).saturating_add(1);
    const USE: u64 = cl::CL_MEM_USE_HOST_PTR;
    const COPY: u64 = cl::CL_MEM_COPY_HOST_PTR;
    const READ: u64 = cl::CL_MEM_READ_ONLY;
    let cases: [(&str, u64, usize, *mut c_void, i32); 14] = [
        ("no bytes", 0, 0, null_mut(), BUFFER_SIZE),
        ("more than the device has", 0, over, null_mut(), BUFFER_SIZE),
        ("all the bytes there are", 0, usize::MAX, null_mut(), BUFFER_SIZE),
        ("unknown flags", 1 << 40, 64, null_mut(), VALUE),
        ("all flags", u64::MAX, 64, null_mut(), VALUE),
        ("read-only and read-write", READ | cl::CL_MEM_READ_WRITE, 64, null_mut(), VALUE),
        ("read-only and write-only", READ | cl::CL_MEM_WRITE_ONLY, 64, null_mut(), VALUE),
        ("used and allocated", USE | cl::CL_MEM_ALLOC_HOST_PTR, 64, host, VALUE),
        ("used and copied", USE | COPY, 64, host, VALUE),
        ("host only reads, only writes", READ_ONLY | WRITE_ONLY, 64, null_mut(), VALUE),
        ("host only reads, has no access", READ_ONLY | NO_ACCESS, 64, null_mut(), VALUE),
        ("nothing to use", USE, 64, null_mut(), HOST_PTR),
        ("nothing to copy", COPY, 64, null_mut(), HOST_PTR),
        ("memory for nothing", 0, 64, host, HOST_PTR),
    ];
    // SAFETY: memory has its size; lists are whole.
    unsafe {
        for (what, flags, size, host, expected) in cases {
            let code = made(|e| clCreateBuffer(c, flags, size, host, e));
            v.expect("clCreateBuffer", what, code, expected);
            let code = made(|e| clCreateBufferWithProperties(c, [0].as_ptr(), flags, size, host, e));
            v.expect("clCreateBufferWithProperties", what, code, expected);
        }
        const ADDRESS: u64 = cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT;
        let lists: [(&str, &[u64]); 4] = [
            ("an unknown property", &[77, 0, 0]),
            ("one of memory from outside", &[cl::CL_MEM_DEVICE_HANDLE_LIST_KHR, 0, 0]),
            ("no boolean", &[ADDRESS, 2, 0]),
            ("a property that is there twice", &[ADDRESS, 1, ADDRESS, 1, 0]),
        ];
        for (what, list) in lists {
            let code = made(|e| clCreateBufferWithProperties(c, list.as_ptr(), 0, 64, null_mut(), e));
            v.expect("clCreateBufferWithProperties", what, code, cl::CL_INVALID_PROPERTY);
        }
        let code = clSetMemObjectDestructorCallback(w.here.buffer, None, null_mut());
        v.expect("clSetMemObjectDestructorCallback", "no function", code, VALUE);
        let code =
            clGetMemObjectInfo(w.here.buffer, cl::CL_MEM_DEVICE_ADDRESS_EXT, 0, null_mut(), null_mut());
        v.expect("clGetMemObjectInfo", "addresses of a buffer without", code, OPERATION);
        let extra = buffer(w, 0);
        v.expect("clReleaseMemObject", "once", clReleaseMemObject(extra), 0);
        v.expect("clReleaseMemObject", "twice", clReleaseMemObject(extra), cl::CL_INVALID_MEM_OBJECT);
    }
    sub_buffers(w, v);
}

fn sub_buffers(w: &World, v: &mut Verdict) {
    const NAME: &str = "clCreateSubBuffer";
    const REGION: u32 = cl::CL_BUFFER_CREATE_TYPE_REGION;
    let create = |buffer, flags, kind, origin, size| {
        let region = cl::cl_buffer_region { origin, size };
        // SAFETY: the region is valid.
        made(|e| unsafe { clCreateSubBuffer(buffer, flags, kind, (&raw const region).cast(), e) })
    };
    let b = w.here.buffer;
    for (what, origin, size, expected) in [
        ("no bytes", 0, 0, BUFFER_SIZE),
        ("too many bytes", 0, SIZE + 1, VALUE),
        ("past the end", SIZE, 1, VALUE),
        ("over the end", SIZE / 2, SIZE, VALUE),
        ("a sum that overflows", SIZE / 2, usize::MAX - 8, VALUE),
        ("far away", usize::MAX, 1, VALUE),
        ("not aligned", 1, 8, cl::CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ] {
        v.expect(NAME, what, create(b, 0, REGION, origin, size), expected);
    }
    v.expect(NAME, "no kind", create(b, 0, 0, 0, 64), VALUE);
    v.expect(NAME, "another kind", create(b, 0, REGION + 1, 0, 64), VALUE);
    // SAFETY: NULL.
    let code = made(|e| unsafe { clCreateSubBuffer(b, 0, REGION, null(), e) });
    v.expect(NAME, "no region", code, VALUE);
    const KERNEL_READS: u64 = cl::CL_MEM_READ_ONLY;
    const KERNEL_WRITES: u64 = cl::CL_MEM_WRITE_ONLY;
    for (parent, flags) in [
        (0, cl::CL_MEM_USE_HOST_PTR),
        (0, cl::CL_MEM_ALLOC_HOST_PTR),
        (0, cl::CL_MEM_COPY_HOST_PTR),
        (0, 1 << 40),
        (0, KERNEL_READS | KERNEL_WRITES),
        (KERNEL_WRITES, cl::CL_MEM_READ_WRITE),
        (KERNEL_WRITES, KERNEL_READS),
        (KERNEL_READS, cl::CL_MEM_READ_WRITE),
        (KERNEL_READS, KERNEL_WRITES),
        (WRITE_ONLY, READ_ONLY),
        (READ_ONLY, WRITE_ONLY),
        (NO_ACCESS, READ_ONLY),
        (NO_ACCESS, WRITE_ONLY),
    ] {
        let parent_buffer = buffer(w, parent);
        let code = create(parent_buffer, flags, REGION, 0, 64);
        v.expect(NAME, format!("{flags:#x} of {parent:#x}"), code, VALUE);
        // SAFETY: a handle.
        assert_eq!(unsafe { clReleaseMemObject(parent_buffer) }, 0);
    }
    let region = cl::cl_buffer_region { origin: 0, size: 64 };
    // SAFETY: the region is valid; a handle.
    unsafe {
        let sub = good(|e| clCreateSubBuffer(b, 0, REGION, (&raw const region).cast(), e));
        v.expect(NAME, "of a sub-buffer", create(sub, 0, REGION, 0, 8), cl::CL_INVALID_MEM_OBJECT);
        // The sub-buffer is smaller than its buffer.
        let mut host = [0u64; 16];
        let at = host.as_mut_ptr().cast();
        let code = clEnqueueReadBuffer(w.here.queue, sub, 1, 0, 65, at, 0, null(), null_mut());
        v.expect("clEnqueueReadBuffer", "past a sub-buffer", code, VALUE);
        assert_eq!(clReleaseMemObject(sub), 0);
    }
}

/// §5.2.2 to §5.2.4, §5.5: ranges, patterns, flags, access of the host.
pub fn transfers(w: &World, v: &mut Verdict) {
    let (q, b) = (w.here.queue, w.here.buffer);
    let mut host = vec![0u64; SIZE / 4];
    let host: *mut c_void = host.as_mut_ptr().cast();
    let (no, ev) = (null(), null_mut());
    // SAFETY, of all: the memory has twice the buffer's size.
    let read = |b, offset, size, at| unsafe { clEnqueueReadBuffer(q, b, 1, offset, size, at, 0, no, ev) };
    let write = |b, offset, size, at| unsafe { clEnqueueWriteBuffer(q, b, 1, offset, size, at, 0, no, ev) };
    let map = |b, flags, offset, size| {
        // SAFETY: handles.
        made(|e| unsafe { clEnqueueMapBuffer(q, b, 1, flags, offset, size, 0, no, ev, e) })
    };
    let copy = |from, to, size| unsafe { clEnqueueCopyBuffer(q, b, b, from, to, size, 0, no, ev) };
    let fill = |pattern: *const c_void, length, offset, size| unsafe {
        clEnqueueFillBuffer(q, b, pattern, length, offset, size, 0, no, ev)
    };
    for (offset, size) in
        [(0, SIZE + 1), (SIZE, 1), (SIZE - 1, 2), (SIZE + 1, 0), (usize::MAX, 1), (8, usize::MAX - 7)]
    {
        let what = format!("{size} from {offset}");
        v.expect("clEnqueueReadBuffer", &what, read(b, offset, size, host), VALUE);
        v.expect("clEnqueueWriteBuffer", &what, write(b, offset, size, host), VALUE);
        v.expect("clEnqueueMapBuffer", &what, map(b, cl::CL_MAP_READ, offset, size), VALUE);
        v.expect("clEnqueueCopyBuffer", format!("{what}, source"), copy(offset, 0, size), VALUE);
        v.expect("clEnqueueCopyBuffer", format!("{what}, destination"), copy(0, offset, size), VALUE);
        v.expect("clEnqueueFillBuffer", &what, fill(host, 1, offset, size), VALUE);
    }
    v.expect("clEnqueueReadBuffer", "no memory", read(b, 0, 8, null_mut()), VALUE);
    v.expect("clEnqueueWriteBuffer", "no memory", write(b, 0, 8, null_mut()), VALUE);
    v.expect("clEnqueueMapBuffer", "no bytes", map(b, cl::CL_MAP_READ, 0, 0), VALUE);
    const INVALIDATE: u64 = cl::CL_MAP_WRITE_INVALIDATE_REGION;
    for flags in [1 << 3, 1 << 40, u64::MAX, INVALIDATE | cl::CL_MAP_READ, INVALIDATE | cl::CL_MAP_WRITE] {
        v.expect("clEnqueueMapBuffer", format!("flags {flags:#x}"), map(b, flags, 0, 8), VALUE);
    }
    for (from, to, size) in [(0, 0, 8), (0, 4, 8), (4, 0, 8), (0, SIZE / 2 - 1, SIZE / 2)] {
        let what = format!("{size} from {from} to {to}");
        v.expect("clEnqueueCopyBuffer", what, copy(from, to, size), cl::CL_MEM_COPY_OVERLAP);
    }
    v.expect("clEnqueueFillBuffer", "no pattern", fill(null(), 4, 0, 8), VALUE);
    for (length, offset, size) in
        [(0, 0, 8), (3, 0, 9), (12, 0, 24), (256, 0, 256), (4, 2, 8), (4, 0, 6), (usize::MAX, 0, 8)]
    {
        let what = format!("a pattern of {length}, {size} from {offset}");
        v.expect("clEnqueueFillBuffer", what, fill(host, length, offset, size), VALUE);
    }
    host_access(w, v, host);
    mapping(w, v);
    migration(w, v);
}

/// §5.2.1, flags of the host's access: CL_INVALID_OPERATION for what they exclude.
fn host_access(w: &World, v: &mut Verdict, host: *mut c_void) {
    let q = w.here.queue;
    let (no, ev) = (null(), null_mut());
    let (zero, one) = ([0usize; 3], [1usize; 3]);
    let (zero, one) = (zero.as_ptr(), one.as_ptr());
    for (flags, reads, writes) in
        [(READ_ONLY, 0, OPERATION), (WRITE_ONLY, OPERATION, 0), (NO_ACCESS, OPERATION, OPERATION)]
    {
        let b = buffer(w, flags);
        let what = format!("host flags {flags:#x}");
        // SAFETY: the memory has the size of the buffer.
        unsafe {
            let code = clEnqueueReadBuffer(q, b, 1, 0, 8, host, 0, no, ev);
            v.expect("clEnqueueReadBuffer", &what, code, reads);
            let code = clEnqueueWriteBuffer(q, b, 1, 0, 8, host, 0, no, ev);
            v.expect("clEnqueueWriteBuffer", &what, code, writes);
            let code = clEnqueueReadBufferRect(q, b, 1, zero, zero, one, 0, 0, 0, 0, host, 0, no, ev);
            v.expect("clEnqueueReadBufferRect", &what, code, reads);
            let code = clEnqueueWriteBufferRect(q, b, 1, zero, zero, one, 0, 0, 0, 0, host, 0, no, ev);
            v.expect("clEnqueueWriteBufferRect", &what, code, writes);
            for (map, expected) in [
                (cl::CL_MAP_READ, reads),
                (cl::CL_MAP_WRITE, writes),
                (cl::CL_MAP_WRITE_INVALIDATE_REGION, writes),
            ] {
                let mut at = null_mut();
                let code = made(|e| {
                    at = clEnqueueMapBuffer(q, b, 1, map, 0, 8, 0, no, ev, e);
                    at
                });
                v.expect("clEnqueueMapBuffer", format!("{what}, map flags {map}"), code, expected);
                if !at.is_null() {
                    assert_eq!(clEnqueueUnmapMemObject(q, b, at, 0, no, ev), 0);
                }
            }
            assert_eq!(clReleaseMemObject(b), 0);
        }
    }
}

/// §5.2.4, §5.5.2: regions that are written do not overlap; what is unmapped was mapped.
fn mapping(w: &World, v: &mut Verdict) {
    let (q, b) = (w.here.queue, w.here.buffer);
    let (no, ev) = (null(), null_mut());
    // SAFETY: handles; pointers are checked.
    unsafe {
        let map = |flags, offset| made(|e| clEnqueueMapBuffer(q, b, 1, flags, offset, 64, 0, no, ev, e));
        let unmap = |b, at| clEnqueueUnmapMemObject(q, b, at, 0, no, ev);
        let at = good(|e| clEnqueueMapBuffer(q, b, 1, cl::CL_MAP_WRITE, 64, 64, 0, no, ev, e));
        for offset in [1, 64, 127] {
            let code = map(cl::CL_MAP_WRITE, offset);
            v.expect("clEnqueueMapBuffer", format!("written twice, from {offset}"), code, OPERATION);
        }
        let other = buffer(w, 0);
        let wild = at.wrapping_byte_add(1);
        v.expect("clEnqueueUnmapMemObject", "NULL", unmap(b, null_mut()), VALUE);
        v.expect("clEnqueueUnmapMemObject", "an address in the region", unmap(b, wild), VALUE);
        v.expect("clEnqueueUnmapMemObject", "another buffer's", unmap(other, at), VALUE);
        v.expect("clEnqueueUnmapMemObject", "all right", unmap(b, at), 0);
        v.expect("clEnqueueUnmapMemObject", "twice", unmap(b, at), VALUE);
        assert_eq!(clReleaseMemObject(other), 0);
    }
}

/// §5.5.4, and cl_ext_migrate_memobject, which has one flag less.
fn migration(w: &World, v: &mut Verdict) {
    type Migrate =
        unsafe extern "C" fn(Handle, u32, *const Handle, u64, u32, *const Handle, *mut Handle) -> i32;
    let functions: [(&str, Migrate, u64); 2] = [
        ("clEnqueueMigrateMemObjects", clEnqueueMigrateMemObjects, 1 << 2),
        ("clEnqueueMigrateMemObjectEXT", clEnqueueMigrateMemObjectEXT, 1 << 1),
    ];
    let (here, there) = (w.here.buffer, w.there.buffer);
    for (name, function, unknown) in functions {
        let migrate = |count, list: *const Handle, flags| {
            // SAFETY: the list has as many elements.
            unsafe { function(w.here.queue, count, list, flags, 0, null(), null_mut()) }
        };
        v.expect(name, "none", migrate(0, &here, 0), VALUE);
        v.expect(name, "no list", migrate(1, null(), 0), VALUE);
        for flags in [unknown, 1 << 40, u64::MAX] {
            v.expect(name, format!("flags {flags:#x}"), migrate(1, &here, flags), VALUE);
        }
        let list = [here, there];
        v.expect(name, "two contexts", migrate(2, list.as_ptr(), 0), cl::CL_INVALID_CONTEXT);
        let list = [here, null_mut()];
        v.expect(name, "one is NULL", migrate(2, list.as_ptr(), 0), cl::CL_INVALID_MEM_OBJECT);
        for flags in [0, cl::CL_MIGRATE_MEM_OBJECT_HOST] {
            v.expect(name, format!("good flags {flags:#x}"), migrate(1, &here, flags), 0);
        }
    }
    // The event names the function that was called.
    let (mut event, mut command) = (null_mut(), 0u32);
    // SAFETY: handles and valid places.
    unsafe {
        let code = clEnqueueMigrateMemObjectEXT(w.here.queue, 1, &here, 0, 0, null(), &mut event);
        assert_eq!(code, 0);
        let place = (&raw mut command).cast();
        assert_eq!(clGetEventInfo(event, cl::CL_EVENT_COMMAND_TYPE, 4, place, null_mut()), 0);
        assert_eq!((u64::from(command), clReleaseEvent(event)), (cl::CL_COMMAND_MIGRATE_MEM_OBJECT_EXT, 0));
    }
}

/// A box that is not right: what, origin, region, row pitch, slice pitch.
type Box3 = (&'static str, [usize; 3], [usize; 3], usize, usize);

const BOXES: [Box3; 13] = [
    ("no width", [0; 3], [0, 1, 1], 0, 0),
    ("no height", [0; 3], [1, 0, 1], 0, 0),
    ("no depth", [0; 3], [1, 1, 0], 0, 0),
    ("a row pitch that is too small", [0; 3], [16, 2, 1], 15, 0),
    ("a slice pitch that is too small", [0; 3], [16, 4, 2], 16, 48),
    ("a slice pitch that is no multiple", [0; 3], [16, 4, 2], 16, 72),
    ("past the end by its origin", [SIZE, 0, 0], [1, 1, 1], 0, 0),
    ("past the end by its width", [0; 3], [SIZE + 1, 1, 1], 0, 0),
    ("past the end by its rows", [0, 1, 0], [SIZE / 4, 4, 1], 0, 0),
    ("past the end by its slices", [0, 0, 1], [16, 16, 16], 0, 0),
    ("past the end by its pitch", [0; 3], [1, 2, 1], SIZE, 0),
    ("a size that overflows", [0; 3], [usize::MAX, usize::MAX, usize::MAX], 0, 0),
    ("an origin that overflows", [8, usize::MAX, usize::MAX], [16, 1, 1], usize::MAX, 0),
];

/// §5.2.2, §5.2.3: the boxes of the …Rect functions.
pub fn rectangles(w: &World, v: &mut Verdict) {
    let (q, b) = (w.here.queue, w.here.buffer);
    let other = buffer(w, 0);
    let mut host = vec![0u64; SIZE / 8];
    let host: *mut c_void = host.as_mut_ptr().cast();
    let (no, ev) = (null(), null_mut());
    type Three = *const usize;
    // SAFETY, of all: lists have three elements or are NULL; only boxes that lie in the memory are transferred.
    let read = |buffer: Three,
                at: Three,
                region: Three,
                [row, slice]: [usize; 2],
                [host_row, host_slice]: [usize; 2],
                host| unsafe {
        clEnqueueReadBufferRect(
            q, b, 1, buffer, at, region, row, slice, host_row, host_slice, host, 0, no, ev,
        )
    };
    let write = |buffer: Three,
                 at: Three,
                 region: Three,
                 [row, slice]: [usize; 2],
                 [host_row, host_slice]: [usize; 2],
                 host| unsafe {
        clEnqueueWriteBufferRect(
            q, b, 1, buffer, at, region, row, slice, host_row, host_slice, host, 0, no, ev,
        )
    };
    let copy = |to,
                from: Three,
                at: Three,
                region: Three,
                [row, slice]: [usize; 2],
                [to_row, to_slice]: [usize; 2]| unsafe {
        clEnqueueCopyBufferRect(q, b, to, from, at, region, row, slice, to_row, to_slice, 0, no, ev)
    };
    let zero = [0usize; 3];
    let zero = zero.as_ptr();
    for (what, origin, region, row, slice) in BOXES {
        let (at, size, pitches) = (origin.as_ptr(), region.as_ptr(), [row, slice]);
        v.expect("clEnqueueReadBufferRect", what, read(at, zero, size, pitches, [0; 2], host), VALUE);
        v.expect("clEnqueueWriteBufferRect", what, write(at, zero, size, pitches, [0; 2], host), VALUE);
        v.expect(
            "clEnqueueCopyBufferRect",
            format!("source: {what}"),
            copy(other, at, zero, size, pitches, [0; 2]),
            VALUE,
        );
        // Back from the source that is in its bounds.
        let code = copy(other, zero, at, size, [0; 2], pitches);
        v.expect("clEnqueueCopyBufferRect", format!("destination: {what}"), code, VALUE);
    }
    // The host's memory has no bounds that we know of, but its pitches are checked.
    let region = [16, 4, 2];
    for (what, pitches) in
        [("row", [15, 0]), ("slice", [16, 48]), ("no multiple", [16, 72]), ("far", [1 << 61, 0])]
    {
        let size = region.as_ptr();
        let what = format!("the host's pitch: {what}");
        v.expect("clEnqueueReadBufferRect", &what, read(zero, zero, size, [0; 2], pitches, host), VALUE);
        v.expect("clEnqueueWriteBufferRect", &what, write(zero, zero, size, [0; 2], pitches, host), VALUE);
    }
    let size = region.as_ptr();
    for (what, a, b, c) in
        [("origin", null(), zero, size), ("other origin", zero, null(), size), ("region", zero, zero, null())]
    {
        let what = format!("no {what}");
        v.expect("clEnqueueReadBufferRect", &what, read(a, b, c, [0; 2], [0; 2], host), VALUE);
        v.expect("clEnqueueWriteBufferRect", &what, write(a, b, c, [0; 2], [0; 2], host), VALUE);
        v.expect("clEnqueueCopyBufferRect", &what, copy(other, a, b, c, [0; 2], [0; 2]), VALUE);
    }
    v.expect(
        "clEnqueueReadBufferRect",
        "no memory",
        read(zero, zero, size, [0; 2], [0; 2], null_mut()),
        VALUE,
    );
    v.expect(
        "clEnqueueWriteBufferRect",
        "no memory",
        write(zero, zero, size, [0; 2], [0; 2], null_mut()),
        VALUE,
    );
    let shifted = [8usize, 1, 0];
    let overlap = copy(b, zero, shifted.as_ptr(), size, [32, 256], [32, 256]);
    v.expect("clEnqueueCopyBufferRect", "onto itself", overlap, cl::CL_MEM_COPY_OVERLAP);
    let far = [0usize, 0, 4];
    let code = copy(b, zero, far.as_ptr(), size, [32, 256], [64, 256]);
    v.expect("clEnqueueCopyBufferRect", "one buffer with two row pitches", code, VALUE);
    let code = copy(b, zero, far.as_ptr(), size, [32, 256], [32, 512]);
    v.expect("clEnqueueCopyBufferRect", "one buffer with two slice pitches", code, VALUE);
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseMemObject(other) }, 0);
}

/// §5.6: with a device that has shared virtual memory.
pub fn shared(w: &World, v: &mut Verdict) {
    let c = w.here.context;
    let has: u64 = device_number(w, cl::CL_DEVICE_SVM_CAPABILITIES);
    const READ: u64 = cl::CL_MEM_READ_ONLY;
    let cases: [(&str, u64, usize, u32); 10] = [
        ("no bytes", 0, 0, 0),
        ("all the bytes there are", 0, usize::MAX, 0),
        ("an alignment that is no power of two", 0, 64, 3),
        ("an alignment that is too large", 0, 64, 1 << 31),
        ("unknown flags", 1 << 40, 64, 0),
        ("a buffer's flags", cl::CL_MEM_USE_HOST_PTR, 64, 0),
        ("the host's flags", READ_ONLY, 64, 0),
        ("read-only and write-only", READ | cl::CL_MEM_WRITE_ONLY, 64, 0),
        ("atomics of coarse memory", cl::CL_MEM_SVM_ATOMICS, 64, 0),
        ("all flags", u64::MAX, 64, 0),
    ];
    for (what, flags, size, align) in cases {
        // SAFETY: a handle.
        v.holds("clSVMAlloc", what, unsafe { clSVMAlloc(c, flags, size, align) }.is_null());
    }
    let mut stack = 0u64;
    let stack: *mut c_void = (&raw mut stack).cast();
    // SAFETY: what was never allocated is not touched.
    unsafe {
        for at in [null_mut(), stack, w.here.buffer, std::ptr::without_provenance_mut(8)] {
            clSVMFree(c, at);
            v.holds("clSVMFree", "never allocated", true);
        }
    }
    if has == 0 {
        // SAFETY: a handle.
        v.holds("clSVMAlloc", "no device has any", unsafe { clSVMAlloc(c, 0, 64, 0) }.is_null());
        return;
    }
    // SAFETY: a handle.
    let memory = unsafe { clSVMAlloc(c, 0, SIZE, 0) };
    assert!(!memory.is_null());
    shared_commands(w, v, memory);
    // SAFETY: freed once; the second time it is unknown.
    unsafe {
        clSVMFree(w.there.context, memory);
        let flags = cl::CL_MEM_USE_HOST_PTR;
        let code = made(|e| clCreateBuffer(c, flags, SIZE + 1, memory, e));
        v.expect("clCreateBuffer", "larger than its shared memory", code, BUFFER_SIZE);
        clSVMFree(c, memory);
        clSVMFree(c, memory);
    }
}

fn shared_commands(w: &World, v: &mut Verdict, memory: *mut c_void) {
    let q = w.here.queue;
    let (no, ev) = (null(), null_mut());
    let at = |offset: usize| memory.wrapping_byte_add(offset);
    let fill = |to, pattern: *const c_void, length, size| {
        // SAFETY: what is filled is in the memory.
        unsafe { clEnqueueSVMMemFill(q, to, pattern, length, size, 0, no, ev) }
    };
    let pattern = [7u64; 16];
    let pattern = pattern.as_ptr().cast();
    // SAFETY, of all: what is copied is in the memory; lists have as many elements as is said.
    unsafe {
        let copy = |to, from, size| clEnqueueSVMMemcpy(q, 1, to, from, size, 0, no, ev);
        v.expect("clEnqueueSVMMemcpy", "no destination", copy(null_mut(), at(0), 8), VALUE);
        v.expect("clEnqueueSVMMemcpy", "no source", copy(at(0), null_mut(), 8), VALUE);
        for (to, from) in [(0, 0), (0, 4), (4, 0)] {
            let code = copy(at(to), at(from), 8);
            v.expect("clEnqueueSVMMemcpy", format!("{from} to {to}"), code, cl::CL_MEM_COPY_OVERLAP);
        }
        v.expect("clEnqueueSVMMemFill", "no memory", fill(null_mut(), pattern, 4, 8), VALUE);
        v.expect("clEnqueueSVMMemFill", "no pattern", fill(at(0), null(), 4, 8), VALUE);
        for (offset, length, size) in [(0, 0, 8), (0, 3, 9), (0, 256, 256), (2, 4, 8), (0, 4, 6)] {
            let what = format!("a pattern of {length}, {size} from {offset}");
            v.expect("clEnqueueSVMMemFill", what, fill(at(offset), pattern, length, size), VALUE);
        }
        let map = |flags, at, size| clEnqueueSVMMap(q, 1, flags, at, size, 0, no, ev);
        v.expect("clEnqueueSVMMap", "no memory", map(cl::CL_MAP_READ, null_mut(), 8), VALUE);
        v.expect("clEnqueueSVMMap", "no bytes", map(cl::CL_MAP_READ, at(0), 0), VALUE);
        v.expect("clEnqueueSVMMap", "unknown flags", map(1 << 40, at(0), 8), VALUE);
        v.expect("clEnqueueSVMUnmap", "no memory", clEnqueueSVMUnmap(q, null_mut(), 0, no, ev), VALUE);
        let mut list = [memory];
        let free = |n, list| clEnqueueSVMFree(q, n, list, None, null_mut(), 0, no, ev);
        v.expect("clEnqueueSVMFree", "none, but a list", free(0, list.as_mut_ptr()), VALUE);
        v.expect("clEnqueueSVMFree", "no list", free(1, null_mut()), VALUE);
        let migrate = |n, list: &mut [*const c_void], sizes, flags| {
            let list = if list.is_empty() { null_mut() } else { list.as_mut_ptr() };
            clEnqueueSVMMigrateMem(q, n, list, sizes, flags, 0, no, ev)
        };
        let mut list = [memory.cast_const()];
        const NAME: &str = "clEnqueueSVMMigrateMem";
        v.expect(NAME, "none", migrate(0, &mut list, null(), 0), VALUE);
        v.expect(NAME, "no list", migrate(1, &mut [], null(), 0), VALUE);
        v.expect(NAME, "unknown flags", migrate(1, &mut list, null(), 1 << 40), VALUE);
        v.expect(NAME, "too many bytes", migrate(1, &mut list, &(SIZE + 1), 0), VALUE);
        let mut outside = [pattern];
        v.expect(NAME, "memory of the host", migrate(1, &mut outside, &8, 0), VALUE);
        let code = clSetKernelArgSVMPointer(w.here.kernel, 9, memory);
        v.expect("clSetKernelArgSVMPointer", "no such argument", code, cl::CL_INVALID_ARG_INDEX);
        let code = clSetKernelArgSVMPointer(w.here.kernel, 1, memory);
        v.expect("clSetKernelArgSVMPointer", "no pointer", code, cl::CL_INVALID_ARG_VALUE);
    }
}
