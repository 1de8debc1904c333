//! Contexts with properties: `__local` and private memory that begins as zeros (cl_khr_initialize_memory), a performance hint (cl_qcom_perf_hint).

use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::context::{clCreateContext, clGetContextInfo, clSetPerfHintQCOM};

use crate::support::*;

const PROPERTY: isize = cl::CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize;
const LOCAL: isize = cl::CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR as isize;
const PRIVATE: isize = cl::CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR as isize;

/// `poison` leaves words in all memory; the other kernels count what is not zero, before they leave words of their own.
const SOURCE: &str = r#"
struct mixed { char c; int i[3]; short s; };

kernel void poison(global uint *out, local uint *l, uint words) {
    local uint tile[1000];
    uint own[200];
    for (uint n = get_local_id(0); n < 1000; n += get_local_size(0)) tile[n] = 0xdeadbeef + n;
    for (uint n = get_local_id(0); n < words; n += get_local_size(0)) l[n] = 0xdeadbeef + n;
    for (uint n = 0; n < 200; n++) own[(n * 7) % 200] = 0xabcdef01 + n * out[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[3 + get_global_id(0)] = tile[out[0] % 1000] + l[out[1] % words] + own[out[2] % 200];
}

// In each work-group of a launch; a variable of bytes, one of structs, one of a vector, and two arguments.
kernel void of_local(global uint *out, local uint *words, local uchar *bytes, uint count) {
    local uchar small[37];
    local struct mixed structs[9];
    local float4 wide[5];
    uint found = 0, id = get_local_linear_id(), size = get_local_size(0) * get_local_size(1);
    for (uint n = id; n < count; n += size) found += words[n] != 0;
    for (uint n = id; n < count * 3; n += size) found += bytes[n] != 0;
    for (uint n = id; n < 37; n += size) found += small[n] != 0;
    for (uint n = id; n < 9; n += size) found += structs[n].c != 0 || structs[n].i[2] != 0 || structs[n].s != 0;
    for (uint n = id; n < 5; n += size) found += any(wide[n] != 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = id; n < count; n += size) { words[n] = n + 1; bytes[n] = n + 1; }
    if (id < 37) small[id] = 1;
    if (id < 9) { structs[id].c = 1; structs[id].i[2] = 2; }
    if (id < 5) wide[id] = 3.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(out, found + (words[0] + small[0] + structs[0].c + (uint)wide[0].s1 - 6));
}

uint helper(uint at) {
    uint inner[40];
    uint value = inner[at % 40];
    inner[at % 40] = at;
    return value + inner[at % 40] - at;
}

kernel void of_private(global uint *out) {
    uint plain, at = out[1];
    uint large[300];
    ushort small[11];
    struct mixed one;
    float4 wide;
    global uint *pointer;
    uint found = plain != 0;
    for (uint n = 0; n < 300; n++) found += large[(n + at) % 300] != 0;
    for (uint n = 0; n < 11; n++) found += small[(n + at) % 11] != 0;
    found += one.c != 0 || one.i[at % 3] != 0 || one.s != 0;
    found += any(wide != 0.0f) || pointer != 0;
    found += helper(at + get_global_id(0));
    atomic_add(out, found);
}

"#;

/// A kernel that enqueues another.
const ENQUEUES: &str = r#"
kernel void of_both(global uint *out, queue_t queue) {
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64, 16), ^(local void *l) {
        local uint *words = l;
        uint found = words[get_local_id(0)] != 0, own[20];
        found += own[(out[1] + get_local_id(0)) % 20] != 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        words[get_local_id(0)] = 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(out, found + words[15 - get_local_id(0)] - 5);
    }, 64u);
}
"#;

/// Launches a kernel after `poison`, twice; how many words were not zero.
fn found(setup: &Setup, name: &str, (global, local): (&[usize], &[usize]), locals: &[usize]) -> u32 {
    let program = setup.built(SOURCE, "-cl-std=CL2.0");
    let (poison, looks) =
        (kernel(&program, "poison").expect("a kernel"), kernel(&program, name).expect("a kernel"));
    let (scratch, out) = (setup.buffer(2048), setup.buffer(16));
    setup.write(&scratch, &[1; 256]);
    setup.write(&out, &[0, 7, 0, 0]);
    assert_eq!(
        (set(&poison, 0, scratch.0), set_local(&poison, 1, 8000), set(&poison, 2, 2000u32)),
        (0, 0, 0)
    );
    assert_eq!(set(&looks, 0, out.0), 0);
    for (n, bytes) in locals.iter().enumerate() {
        assert_eq!(set_local(&looks, n as u32 + 1, *bytes), 0);
    }
    if let [words, _] = locals {
        assert_eq!(set(&looks, 3, *words as u32 / 4), 0);
    }
    for _ in 0..2 {
        assert_eq!(setup.launch(&poison, &[256], Some(&[32])), 0);
        assert_eq!(setup.launch(&looks, global, Some(local)), 0);
    }
    setup.read(&out, 4)[0]
}

#[test]
fn local_memory() {
    let Some(setup) = setup_with(&[[PROPERTY, LOCAL]]) else { return };
    for (global, local) in [(&[512, 1], &[64, 1]), (&[12, 4], &[3, 2]), (&[4, 1], &[1, 1])] {
        for words in [1000usize, 13] {
            assert_eq!(
                found(&setup, "of_local", (global, local), &[words * 4, words * 3]),
                0,
                "{local:?} {words}"
            );
        }
    }
}

/// Work-groups beyond the device's size run by loops, with a barrier in them.
#[test]
fn local_memory_of_large_groups() {
    let Some(setup) = setup_with(&[[PROPERTY, LOCAL | PRIVATE]]) else { return };
    let program = setup.built(SOURCE, "-cl-std=CL2.0");
    let looks = kernel(&program, "of_local").expect("a kernel");
    let most = number(group_info(&looks, cl::CL_KERNEL_WORK_GROUP_SIZE)) as usize;
    assert_eq!(found(&setup, "of_local", (&[most * 2], &[most]), &[404, 303]), 0);
}

#[test]
fn private_memory() {
    let Some(setup) = setup_with(&[[PROPERTY, PRIVATE]]) else { return };
    assert_eq!(found(&setup, "of_private", (&[300], &[30]), &[]), 0);
}

/// Enqueued kernels get them as well, where the device has such.
#[test]
fn enqueued_kernels() {
    let Some(setup) = setup_with(&[[PROPERTY, LOCAL | PRIVATE]]) else { return };
    let on_device = [
        cl::CL_QUEUE_PROPERTIES as u64,
        cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_ON_DEVICE_DEFAULT,
        0,
    ];
    let mut error = 1;
    // SAFETY: handles; the list ends in 0.
    let queue = unsafe {
        pumice::entry::queue::clCreateCommandQueueWithProperties(
            setup.context.0,
            setup.device,
            on_device.as_ptr(),
            &mut error,
        )
    };
    if error != 0 {
        return println!("SKIP: the device has no queues of its own");
    }
    let queue = Owned(queue, pumice::entry::queue::clReleaseCommandQueue);
    let program = setup.built(ENQUEUES, "-cl-std=CL2.0");
    let looks = kernel(&program, "of_both").expect("a kernel");
    let out = setup.buffer(16);
    setup.write(&out, &[0, 7, 0, 0]);
    assert_eq!((set(&looks, 0, out.0), set(&looks, 1, queue.0)), (0, 0));
    assert_eq!(setup.launch(&looks, &[3], Some(&[1])), 0);
    assert_eq!(setup.read(&out, 4)[0], 0);
}

/// The hint of cl_qcom_perf_hint is among the properties: as given, and as it was set later.
#[test]
fn a_performance_hint() {
    const HINT: isize = 0x40C2;
    const HIGH: isize = 0x40C3;
    for given in [&[[HINT, HIGH]][..], &[[PROPERTY, LOCAL], [HINT, HIGH]], &[[PROPERTY, LOCAL]]] {
        let Some(setup) = setup_with(given) else { return };
        let told = || {
            // SAFETY: the places are valid for their sizes.
            query(|size, place, needed| unsafe {
                clGetContextInfo(setup.context.0, cl::CL_CONTEXT_PROPERTIES, size, place, needed)
            })
        };
        let list = |pairs: &[[isize; 2]]| -> Vec<u64> {
            pairs.iter().flatten().map(|n| *n as u64).chain([0]).collect()
        };
        assert_eq!(numbers(told()), list(given));
        for hint in [0x40C5, 0x40C4] {
            // SAFETY: a handle.
            assert_eq!(unsafe { clSetPerfHintQCOM(setup.context.0, hint) }, 0);
        }
        let mut pairs: Vec<[isize; 2]> = given.iter().copied().filter(|pair| pair[0] != HINT).collect();
        pairs.push([HINT, 0x40C4]);
        assert_eq!(numbers(told()), list(&pairs));
    }
}

/// Unknown bits are refused, and the query gives the property back.
#[test]
fn the_property() {
    let Some(setup) = setup_with(&[[PROPERTY, LOCAL]]) else { return };
    // SAFETY: the places are valid for their sizes.
    let told = query(|size, place, needed| unsafe {
        clGetContextInfo(setup.context.0, cl::CL_CONTEXT_PROPERTIES, size, place, needed)
    });
    assert_eq!(numbers(told), [PROPERTY as u64, LOCAL as u64, 0]);
    for wrong in [4, -1, 7] {
        let (list, mut error) = ([PROPERTY, wrong, 0], 0);
        // SAFETY: the list ends in 0.
        let none = unsafe { clCreateContext(list.as_ptr(), 1, &setup.device, None, null_mut(), &mut error) };
        assert_eq!((none, error), (null_mut(), cl::CL_INVALID_PROPERTY), "{wrong}");
    }
    let (list, mut error) = ([PROPERTY, LOCAL, PROPERTY, PRIVATE, 0], 0);
    // SAFETY: as above.
    let none = unsafe { clCreateContext(list.as_ptr(), 1, &setup.device, None, null_mut(), &mut error) };
    assert_eq!((none.cast_const(), error), (null(), cl::CL_INVALID_PROPERTY));
}
