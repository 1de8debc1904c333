//! Kernels through the C functions: arguments, queries, launches with their results and their errors.

mod recorded;

use std::ptr::{null, null_mut};

use crate::{again, support};
use opencl_sys as cl;
use pumice::entry::device::clGetDeviceInfo;
use pumice::entry::event::{clCreateUserEvent, clReleaseEvent, clSetUserEventStatus, clWaitForEvents};
use pumice::entry::kernel::*;
use pumice::entry::launch::*;
use pumice::entry::memory::{clCreateSubBuffer, clReleaseMemObject};
use pumice::entry::queue::clEnqueueMarkerWithWaitList;
use support::*;

const SOURCE: &str = r#"
typedef struct { int a; float4 b; } pair;
kernel void add(global const uint *restrict a, constant uint *b, global uint *c, uint d) {
    size_t i = get_global_id(0);
    c[i] = (a ? a[i] : 100) + b[0] + d;
}
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(global uint *out) {
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
}
kernel __attribute__((work_group_size_hint(16, 1, 1), vec_type_hint(float4)))
void sums(global uint *out, local uint *all, local uint *more) {
    size_t l = get_local_id(0), n = get_local_size(0);
    all[l] = get_global_id(0);
    more[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (size_t i = 0; i < n; i++) sum += all[i] * more[i];
    out[get_global_id(0)] = sum;
}
kernel void ids(global uint *out) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[i] = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
}
kernel void structs(global float *out, pair p, uchar c, short3 s, volatile global char *v) {
    out[0] = p.a + p.b.w + c + s.z;
}
"#;

fn codes(list: &[Code]) {
    assert!(list.iter().all(|c| *c == 0), "{list:?}");
}

/// What CL_FP_DENORM of floats promises: products, sums and fused products of denormals have the exact bits.
#[test]
fn denormal_floats_are_kept_where_the_device_says_so() {
    let Some(s) = setup() else { return };
    // SAFETY: the place has the size that it is said to have.
    let config =
        query(|n, v, size| unsafe { clGetDeviceInfo(s.device, cl::CL_DEVICE_SINGLE_FP_CONFIG, n, v, size) });
    if number(config) & cl::CL_FP_DENORM == 0 {
        eprintln!("skipped: the device does not report CL_FP_DENORM");
        return;
    }
    let text = "kernel void k(global float *a, global float *b) {
        size_t i = get_global_id(0); float x = a[i], y = b[i];
        a[i] = x * y; b[i] = x + y; a[i + 64] = fma(x, y, x); b[i + 64] = fabs(x) * 0.5f;
    }";
    let (program, a, b) = (s.built(text, ""), s.buffer(512), s.buffer(512));
    // Denormals among them as operands, as results, and as both.
    let x: Vec<u32> = (0..64).map(|i| ((i * 0x0123_4567) % 0x0180_0000) | ((i & 1) << 31)).collect();
    let y: Vec<u32> = (0..64)
        .map(|i| if i % 3 == 0 { 0x3f40_0000 - (i << 20) } else { (i * 0x0076_5432) % 0x0100_0000 })
        .collect();
    s.write(&a, &x);
    s.write(&b, &y);
    let k = kernel(&program, "k").expect("a kernel");
    codes(&[set(&k, 0, a.0), set(&k, 1, b.0), s.launch(&k, &[64], None)]);
    let (a, b) = (s.read(&a, 128), s.read(&b, 128));
    for (i, (x, y)) in x.into_iter().zip(y).enumerate() {
        let (x, y) = (f32::from_bits(x), f32::from_bits(y));
        let right = [x * y, x.mul_add(y, x), x + y, x.abs() * 0.5].map(f32::to_bits);
        assert_eq!([a[i], a[i + 64], b[i], b[i + 64]], right, "{x:e} and {y:e}");
    }
}

#[test]
fn arguments_of_all_kinds() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (a, b, c) = (s.buffer(256), s.buffer(256), s.buffer(256));
    s.write(&a, &(0..64).collect::<Vec<u32>>());
    s.write(&b, &[1000; 64]);
    let k = kernel(&program, "add").expect("a kernel");
    assert_eq!(s.launch(&k, &[64], None), cl::CL_INVALID_KERNEL_ARGS);
    codes(&[set(&k, 0, a.0), set(&k, 1, b.0), set(&k, 2, c.0), set(&k, 3, 5u32)]);
    assert_eq!(s.launch(&k, &[64], Some(&[16])), 0);
    // What is enqueued keeps its arguments.
    codes(&[set(&k, 3, 7u32), set(&k, 2, a.0)]);
    assert_eq!(s.read(&c, 64), (1005..1069).collect::<Vec<u32>>());
    // A NULL buffer, both ways; a copy of the kernel keeps its own arguments.
    codes(&[set(&k, 2, c.0), set(&k, 0, null_mut::<u8>())]);
    let mut error = 1;
    // SAFETY: handles.
    let copy = unsafe { Owned(clCloneKernel(k.0, &mut error), clReleaseKernel) };
    assert_eq!(error, 0);
    // SAFETY: no value.
    codes(&[unsafe { clSetKernelArg(k.0, 0, 8, null()) }, set(&k, 3, 9u32)]);
    assert_eq!(s.launch(&copy, &[64], None), 0);
    assert_eq!(s.read(&c, 64), [1107; 64]);
    assert_eq!(s.launch(&k, &[64], None), 0);
    assert_eq!(s.read(&c, 64), [1109; 64]);
    // One buffer twice.
    codes(&[set(&k, 0, c.0), set(&k, 1, b.0), set(&k, 3, 0u32)]);
    assert_eq!(s.launch(&k, &[64], None), 0);
    assert_eq!(s.read(&c, 64), [2109; 64]);
    // Sub-buffers.
    let region = [128usize, 64];
    // SAFETY: a region.
    let sub = unsafe {
        Owned(clCreateSubBuffer(a.0, 1, 0x1220, region.as_ptr().cast(), &mut error), clReleaseMemObject)
    };
    assert_eq!(error, 0);
    codes(&[set(&k, 0, sub.0)]);
    assert_eq!(s.launch(&k, &[16], None), 0);
    assert_eq!(s.read(&c, 16), (1032..1048).collect::<Vec<u32>>());
    // A released buffer is no argument any more.
    codes(&[set(&k, 0, a.0)]);
    drop(sub);
    drop(a);
    assert_eq!(s.launch(&k, &[16], None), cl::CL_INVALID_KERNEL_ARGS);
}

#[test]
fn launches_like_the_one_before() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (k, one) = (kernel(&program, "add").expect("a kernel"), s.buffer(256));
    let (a, b) = (s.buffer(256), s.buffer(256));
    s.write(&one, &[1; 64]);
    s.write(&a, &[0; 64]);
    codes(&[set(&k, 1, one.0)]);
    // Each needs the one before: other buffers, another value.
    for n in 0..100u32 {
        let (from, to) = if n % 2 == 0 { (&a, &b) } else { (&b, &a) };
        codes(&[set(&k, 0, from.0), set(&k, 2, to.0), set(&k, 3, n)]);
        assert_eq!(s.launch(&k, &[64], None), 0);
    }
    assert_eq!(s.read(&a, 64), [100 + 99 * 50; 64]);
    // The same arguments; other sizes in between.
    codes(&[set(&k, 0, b.0), set(&k, 2, b.0), set(&k, 3, 0u32)]);
    s.write(&b, &[0; 64]);
    for size in [64, 64, 32, 32, 64, 64, 16, 64] {
        assert_eq!(s.launch(&k, &[size], None), 0);
    }
    assert_eq!(s.read(&b, 64)[..16], [8; 16]);
    assert_eq!(s.read(&b, 64)[32..], [5; 32]);
    // Behind a command that is held, none is recorded.
    let other = s.another_queue();
    let mut error = 1;
    // SAFETY: handles and places are valid; one event in the list.
    let user = unsafe {
        let user = clCreateUserEvent(s.context.0, &mut error);
        assert_eq!(clEnqueueMarkerWithWaitList(s.queue.0, 1, &user, null_mut()), 0);
        Owned(user, clReleaseEvent)
    };
    for _ in 0..3 {
        assert_eq!(s.launch(&k, &[64], None), 0);
    }
    assert_eq!(other.read(&b, 64)[32..], [5; 32], "held");
    // SAFETY: a handle.
    assert_eq!(unsafe { clSetUserEventStatus(user.0, 0) }, 0);
    assert_eq!(s.read(&b, 64)[32..], [8; 32]);
    // Another queue, and one in the place of a released one.
    assert_eq!(s.launch(&k, &[64], None), 0);
    assert_eq!(s.read(&b, 64)[32..], [9; 32], "queues have no order among each other");
    assert_eq!(other.launch(&k, &[64], None), 0);
    assert_eq!(other.read(&b, 64)[32..], [10; 32]);
    drop(other);
    let other = s.another_queue();
    assert_eq!(other.launch(&k, &[64], None), 0);
    assert_eq!(other.read(&b, 64)[32..], [11; 32]);
    // A sub-buffer, and the whole again.
    let region = [128usize, 64];
    // SAFETY: a region.
    let sub = unsafe {
        Owned(clCreateSubBuffer(b.0, 1, 0x1220, region.as_ptr().cast(), &mut error), clReleaseMemObject)
    };
    codes(&[set(&k, 0, sub.0)]);
    assert_eq!(s.launch(&k, &[16], None), 0);
    assert_eq!(s.read(&b, 64)[..16], [12; 16]);
    // Its arguments live no longer than the application wants: neither does a kernel's handle.
    codes(&[set(&k, 0, a.0), set(&k, 2, a.0)]);
    codes(&[s.launch(&k, &[16], None), s.launch(&k, &[16], None)]);
    drop(a);
    assert_eq!(s.launch(&k, &[16], None), cl::CL_INVALID_KERNEL_ARGS);
    codes(&[set(&k, 0, b.0), set(&k, 2, b.0)]);
    codes(&[s.launch(&k, &[16], None), s.launch(&k, &[16], None)]);
    let gone = k.0;
    drop(k);
    // SAFETY: an array of one; the handle is checked.
    let code =
        unsafe { clEnqueueNDRangeKernel(s.queue.0, gone, 1, null(), &16, null(), 0, null(), null_mut()) };
    assert_eq!(code, cl::CL_INVALID_KERNEL);
}

#[test]
fn structures_and_vectors_by_value() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (k, out) = (kernel(&program, "structs").expect("a kernel"), s.buffer(16));
    #[derive(Clone, Copy)]
    #[repr(C, align(16))]
    struct Pair(i32, [u32; 3], [f32; 4]);
    codes(&[set(&k, 0, out.0), set(&k, 1, Pair(1, [0; 3], [0.0, 0.0, 0.0, 20.0])), set(&k, 2, 30u8)]);
    codes(&[set(&k, 3, [0i16, 0, 400, 0]), set(&k, 4, out.0)]);
    assert_eq!(s.launch(&k, &[1], None), 0);
    assert_eq!(f32::from_bits(s.read(&out, 1)[0]), 451.0);
}

/// Ids beyond 2^32, in launches between others; a program-scope variable is the one of the program.
fn beyond_32_bits(s: &Setup) {
    // SAFETY: the place has its size.
    let width = query(|n, v, r| unsafe { clGetDeviceInfo(s.device, cl::CL_DEVICE_ADDRESS_BITS, n, v, r) });
    if number(width) < 64 {
        return;
    }
    let program = s.built(
        "kernel void high(global uint *out) {
            size_t i = get_global_id(0) - get_global_offset(0);
            out[2 * i] = (uint)(get_global_id(0) >> 32);
            out[2 * i + 1] = (uint)get_global_id(0);
        }",
        "",
    );
    let (k, out) = (kernel(&program, "high").expect("a kernel"), s.buffer(256));
    assert_eq!(set(&k, 0, out.0), 0);
    let ids = |start: u64| {
        (0..8).flat_map(|i| [((start + i) >> 32) as u32, (start + i) as u32]).collect::<Vec<_>>()
    };
    for start in [0u64, (1 << 32) - 3, 1 << 45, 5, 1 << 32] {
        assert_eq!(s.launch_at(&k, Some(&[start as usize]), &[8], Some(&[4])), 0);
        assert_eq!(s.read(&out, 16), ids(start), "{start}");
    }
}

#[test]
fn wrong_arguments() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (k, sums) = (kernel(&program, "add").expect("a kernel"), kernel(&program, "sums").expect("a kernel"));
    let buffer = s.buffer(64);
    assert_eq!(set(&k, 4, 1u32), cl::CL_INVALID_ARG_INDEX);
    assert_eq!(set(&k, 3, 1u64), cl::CL_INVALID_ARG_SIZE);
    assert_eq!(set_local(&k, 3, 4), cl::CL_INVALID_ARG_VALUE);
    assert_eq!(set(&k, 0, 1u32), cl::CL_INVALID_ARG_SIZE);
    assert_eq!(set(&k, 0, s.queue.0), cl::CL_INVALID_MEM_OBJECT);
    assert_eq!(set(&sums, 1, buffer.0), cl::CL_INVALID_ARG_VALUE);
    // No memory at all: since OpenCL 3.1.
    assert_eq!(set_local(&sums, 1, 0), 0);
    let other = setup().expect("a second context");
    let foreign = other.buffer(64);
    assert_eq!(set(&k, 0, foreign.0), cl::CL_INVALID_CONTEXT);
    // SAFETY: handles are checked.
    unsafe {
        assert_eq!(clSetKernelArg(program.0, 0, 8, null()), cl::CL_INVALID_KERNEL);
        let wrong = clEnqueueTask(other.queue.0, k.0, 0, null(), null_mut());
        assert_eq!(wrong, cl::CL_INVALID_CONTEXT);
        assert_eq!(clSetKernelExecInfo(k.0, 1, 0, null()), cl::CL_INVALID_VALUE);
        let code = clSetKernelArgSVMPointer(k.0, 9, null());
        // The latter without shared virtual memory.
        assert!(matches!(code, cl::CL_INVALID_ARG_INDEX | cl::CL_INVALID_OPERATION));
        let size = clEnqueueTask(s.device, k.0, 0, null(), null_mut());
        assert_eq!(size, cl::CL_INVALID_COMMAND_QUEUE);
    }
}

#[test]
fn queries() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "-cl-kernel-arg-info");
    let names = text(program_info(&program, cl::CL_PROGRAM_KERNEL_NAMES));
    assert_eq!(names, "add;fixed;sums;ids;structs");
    let mut count = 0;
    let mut all = [null_mut(); 5];
    // SAFETY: room for five.
    unsafe {
        assert_eq!(
            clCreateKernelsInProgram(program.0, 4, all.as_mut_ptr(), null_mut()),
            cl::CL_INVALID_VALUE
        );
        assert_eq!(clCreateKernelsInProgram(program.0, 5, all.as_mut_ptr(), &mut count), 0);
    }
    assert_eq!(count, 5);
    let all = all.map(|k| Owned(k, clReleaseKernel));
    let [add, fixed, sums, _, structs] = &all;
    assert_eq!(text(kernel_info(add, cl::CL_KERNEL_FUNCTION_NAME)), "add");
    assert_eq!(number(kernel_info(add, cl::CL_KERNEL_NUM_ARGS)), 4);
    assert_eq!(number(kernel_info(add, cl::CL_KERNEL_REFERENCE_COUNT)), 1);
    assert_eq!(number(kernel_info(add, cl::CL_KERNEL_PROGRAM)), program.0.addr() as u64);
    assert_eq!(text(kernel_info(add, cl::CL_KERNEL_ATTRIBUTES)), "");
    assert_eq!(text(kernel_info(fixed, cl::CL_KERNEL_ATTRIBUTES)), "reqd_work_group_size(8,2,1)");
    let hints = "work_group_size_hint(16,1,1) vec_type_hint(float4)";
    assert_eq!(text(kernel_info(sums, cl::CL_KERNEL_ATTRIBUTES)), hints);
    let argument = |k: &Owned, index: u32| {
        (
            text(arg_info(k, index, cl::CL_KERNEL_ARG_TYPE_NAME)),
            text(arg_info(k, index, cl::CL_KERNEL_ARG_NAME)),
            number(arg_info(k, index, cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER)) as u32,
            number(arg_info(k, index, cl::CL_KERNEL_ARG_TYPE_QUALIFIER)) as u32,
        )
    };
    let is = |ty: &str, name: &str, space: u32, qualifier: u32| (ty.into(), name.into(), space, qualifier);
    let (global, local, constant, private) = (0x119b, 0x119c, 0x119d, 0x119e);
    assert_eq!(argument(add, 0), is("uint*", "a", global, 3));
    assert_eq!(argument(add, 1), is("uint*", "b", constant, 1));
    assert_eq!(argument(add, 3), is("uint", "d", private, 0));
    assert_eq!(argument(sums, 1), is("uint*", "all", local, 0));
    assert_eq!(argument(structs, 1), is("pair", "p", private, 0));
    assert_eq!(argument(structs, 4), is("char*", "v", global, 4));
    assert_eq!(number(arg_info(add, 0, cl::CL_KERNEL_ARG_ACCESS_QUALIFIER)), 0x11a3);
    assert_eq!(arg_info(add, 4, cl::CL_KERNEL_ARG_NAME), Err(cl::CL_INVALID_ARG_INDEX));
    let without = s.built(SOURCE, "");
    let k = kernel(&without, "add").expect("a kernel");
    assert_eq!(arg_info(&k, 0, cl::CL_KERNEL_ARG_NAME), Err(cl::CL_KERNEL_ARG_INFO_NOT_AVAILABLE));
    // Work-groups.
    assert_eq!(numbers(group_info(fixed, cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE)), [8, 2, 1]);
    assert_eq!(numbers(group_info(add, cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE)), [0, 0, 0]);
    assert!(number(group_info(add, cl::CL_KERNEL_WORK_GROUP_SIZE)) >= 64);
    assert!(number(group_info(add, cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)) >= 1);
    assert_eq!(group_info(add, cl::CL_KERNEL_GLOBAL_WORK_SIZE), Err(cl::CL_INVALID_VALUE));
    assert_eq!(number(group_info(sums, cl::CL_KERNEL_LOCAL_MEM_SIZE)), 0);
    codes(&[set_local(sums, 1, 1000), set_local(sums, 2, 24)]);
    assert_eq!(number(group_info(sums, cl::CL_KERNEL_LOCAL_MEM_SIZE)), 1024);
    number(group_info(sums, cl::CL_KERNEL_PRIVATE_MEM_SIZE));
}

#[test]
fn work_group_sizes() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let out = s.buffer(4 * 4096);
    let k = kernel(&program, "fixed").expect("a kernel");
    assert_eq!(set(&k, 0, out.0), 0);
    assert_eq!(s.launch(&k, &[16, 4], None), 0);
    assert_eq!(s.read(&out, 64), [82; 64]);
    assert_eq!(s.launch(&k, &[16, 4], Some(&[8, 2])), 0);
    assert_eq!(s.launch(&k, &[16, 4], Some(&[4, 2])), cl::CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(s.launch(&k, &[12, 4], None), cl::CL_INVALID_WORK_GROUP_SIZE);
    let k = kernel(&program, "sums").expect("a kernel");
    codes(&[set(&k, 0, out.0), set_local(&k, 1, 32), set_local(&k, 2, 32)]);
    assert_eq!(s.launch(&k, &[16], Some(&[8])), 0);
    let expected: Vec<u32> = (0..16).map(|i| if i < 8 { 28 } else { 92 }).collect();
    assert_eq!(s.read(&out, 16), expected);
    assert_eq!(set_local(&k, 1, 1 << 30), 0);
    assert_eq!(s.launch(&k, &[16], Some(&[8])), cl::CL_OUT_OF_RESOURCES);
    let k = kernel(&program, "ids").expect("a kernel");
    assert_eq!(set(&k, 0, out.0), 0);
    assert_eq!(s.launch(&k, &[1009], None), 0, "a prime");
    assert_eq!(s.read(&out, 1009), (0..1009).collect::<Vec<u32>>());
    assert_eq!(s.launch_at(&k, Some(&[5, 6, 7]), &[3, 4, 5], Some(&[3, 2, 1])), 0);
    let ids = (0..60u32).map(|i| 5 + i % 3 + 1000 * (6 + i / 3 % 4) + 1_000_000 * (7 + i / 12));
    assert_eq!(s.read(&out, 60), ids.collect::<Vec<u32>>());
    for (global, local, code) in [
        (&[64usize][..], Some(&[7usize][..]), cl::CL_INVALID_WORK_GROUP_SIZE),
        (&[64], Some(&[0]), cl::CL_INVALID_WORK_GROUP_SIZE),
        (&[1 << 20, 1, 1], Some(&[1 << 20, 1, 1]), cl::CL_INVALID_WORK_ITEM_SIZE),
        (&[1; 4], None, cl::CL_INVALID_WORK_DIMENSION),
        (&[], None, cl::CL_INVALID_WORK_DIMENSION),
        // Nothing to do (OpenCL 2.1 and later).
        (&[0], None, 0),
        (&[4, 0, 4], Some(&[2, 2, 2]), 0),
    ] {
        assert_eq!(s.launch(&k, global, local), code, "{global:?} {local:?}");
    }
    assert_eq!(s.launch_at(&k, Some(&[usize::MAX]), &[64], None), cl::CL_INVALID_GLOBAL_OFFSET);
    beyond_32_bits(&s);
    let mut size = [0usize; 2];
    let global = [64usize, 64];
    // SAFETY: two dimensions each.
    let code = unsafe {
        let (q, global) = (s.queue.0, global.as_ptr());
        clGetKernelSuggestedLocalWorkSize(q, k.0, 2, null(), global, size.as_mut_ptr())
    };
    assert_eq!(code, 0);
    assert!(size.iter().all(|n| *n > 0 && 64 % n == 0), "{size:?}");
}

#[test]
fn a_task_with_an_event() {
    let Some(s) = setup() else { return };
    let program = s.built("kernel void k(global uint *p) { p[0] += 1; }", "");
    let (k, out) = (kernel(&program, "k").expect("a kernel"), s.buffer(4));
    s.write(&out, &[1]);
    assert_eq!(set(&k, 0, out.0), 0);
    let mut event: Handle = null_mut();
    for _ in 0..10 {
        let last = event;
        let waits = u32::from(!last.is_null());
        let list: *const Handle = if last.is_null() { null() } else { &raw const last };
        // SAFETY: one event, or none.
        unsafe {
            assert_eq!(clEnqueueTask(s.queue.0, k.0, waits, list, &mut event), 0);
            if !last.is_null() {
                assert_eq!(clReleaseEvent(last), 0);
            }
        }
    }
    // SAFETY: one event.
    unsafe {
        assert_eq!(clWaitForEvents(1, &event), 0);
        assert_eq!(clReleaseEvent(event), 0);
    }
    assert_eq!(s.read(&out, 1), [11]);
}

#[test]
fn program_scope_variables_are_shared_by_the_kernels() {
    let Some(s) = setup() else { return };
    let source = "global uint count = 5; constant uint table[4] = {1, 2, 3, 4};
        kernel void up(global uint *p) { count += table[p[0]]; }
        kernel void get(global uint *p) { p[1] = count; }";
    let program = s.program(source);
    if s.build(&program, "-cl-std=CL3.0") != 0 {
        println!("SKIP: {}", s.log(&program));
        return;
    }
    assert!(number(s.build_info(&program, cl::CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)) >= 4);
    let (up, get) = (kernel(&program, "up").expect("a kernel"), kernel(&program, "get").expect("a kernel"));
    let buffer = s.buffer(8);
    s.write(&buffer, &[2, 0]);
    codes(&[set(&up, 0, buffer.0), set(&get, 0, buffer.0)]);
    codes(&[s.launch(&up, &[1], None), s.launch(&up, &[1], None), s.launch(&get, &[1], None)]);
    assert_eq!(s.read(&buffer, 2), [2, 11]);
}

#[test]
fn buffers_that_no_descriptor_reaches() {
    let Some(s) = setup() else { return };
    let program = s.built(
        "kernel void k(global uint *p, ulong at, constant uint *c) { p[at] = c[1]; p[0] = c[0]; }",
        "",
    );
    let (k, small) = (kernel(&program, "k").expect("a kernel"), s.buffer(8));
    s.write(&small, &[3, 4]);
    // More than lavapipe's maxStorageBufferRange.
    let count = 40usize << 20;
    let large = s.buffer(4 * count);
    codes(&[set(&k, 0, large.0), set(&k, 1, count as u64 - 1), set(&k, 2, small.0)]);
    match s.launch(&k, &[1], None) {
        0 => {}
        code => {
            assert_eq!(code, cl::CL_OUT_OF_RESOURCES);
            println!("SKIP: the device has no addresses");
            return;
        }
    }
    let data = s.read(&large, count);
    assert_eq!((data.first(), data.last()), (Some(&3), Some(&4)));
}

/// The process whose output is looked at runs this.
#[test]
fn printing() {
    if std::env::var_os("PUMICE_TEST_PRINTS").is_none() {
        return;
    }
    let Some(s) = setup() else { return };
    let source = r#"kernel void p(int n) { printf("%d %s %v2hd\n", n, "text", (short2)(1, 2)); }
        kernel void many(void) { printf("a line of some length from %d\n", (int)get_global_id(0)); }"#;
    let program = s.built(source, "");
    let (k, many) = (kernel(&program, "p").expect("a kernel"), kernel(&program, "many").expect("a kernel"));
    println!();
    for n in 0..3 {
        assert_eq!(set(&k, 0, n), 0);
        assert_eq!(s.launch(&k, &[1], None), 0);
    }
    assert_eq!(s.finish(), 0);
    println!("finished");
    // More than the buffer takes.
    assert_eq!(s.launch(&many, &[1 << 20], None), 0);
    assert_eq!(s.finish(), 0);
    assert_eq!(set(&k, 0, 9), 0);
    assert_eq!(s.launch(&k, &[1], None), 0);
    assert_eq!(s.finish(), 0);
}

#[test]
fn printf_comes_out_in_order() {
    if setup().is_none() {
        return;
    }
    let me = std::env::current_exe().expect("this test");
    let out = std::process::Command::new(me)
        .args(["--exact", "kernels::printing", "--nocapture"])
        .env("PUMICE_TEST_PRINTS", "1")
        .output()
        .expect("runs");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    assert!(text.contains("\n0 text 1,2\n1 text 1,2\n2 text 1,2\nfinished\na line of"), "{text:.300}");
    assert!(text.contains("\n9 text 1,2\n"));
    assert!(text.len() > 1 << 20);
}

#[test]
fn the_same_in_test_modes() {
    again::again_in_test_modes(module_path!());
}
