//! Pipes (OpenCL API §5.4, OpenCL C §6.15.18): one kernel writes packets, the next one reads them.

use std::ptr::{null, null_mut};

use crate::support::{self, Owned, Setup, arg_info, kernel, number, numbers, query, set, text};
use opencl_sys::*;
use pumice::entry::{device::*, memory::*, pipe::*, transfer::*};

const SOURCE: &str = r#"
typedef struct { uchar id; float3 at; ushort n[3]; } packet;

kernel void put(write_only pipe int p, global const int *in, global int *fail) {
    if (write_pipe(p, in + get_global_id(0))) atomic_inc(fail);
}
kernel void get(read_only pipe int p, global int *out, global int *fail) {
    int x = -7;
    if (read_pipe(p, &x)) { atomic_inc(fail); if (x != -7) atomic_add(fail, 1000000); return; }
    out[get_global_id(0)] = x;
}
kernel void put_struct(write_only pipe packet p, global int *fail) {
    packet x;
    int g = get_global_id(0);
    x.id = g; x.at = (float3)(g, g + 0.5f, -g); x.n[0] = g; x.n[1] = g + 1; x.n[2] = g + 2;
    if (write_pipe(p, &x)) atomic_inc(fail);
}
kernel void get_struct(read_only pipe packet p, global int *out, global int *fail) {
    local packet x[64];
    int l = get_local_id(0);
    if (read_pipe(p, &x[l])) { atomic_inc(fail); return; }
    int g = x[l].n[0];
    int good = x[l].id == (uchar)g && x[l].at.x == g && x[l].at.y == g + 0.5f && x[l].at.z == -g && x[l].n[1] == g + 1 && x[l].n[2] == g + 2;
    out[g] = good;
}
kernel void put_reserved(write_only pipe long p, global int *fail) {
    reserve_id_t id = reserve_write_pipe(p, 3);
    if (!is_valid_reserve_id(id)) { atomic_inc(fail); return; }
    for (int i = 2; i >= 0; i--) {
        long x = get_global_id(0) * 3l + i;
        if (write_pipe(p, id, i, &x)) atomic_inc(fail);
    }
    long x = 0;
    if (!write_pipe(p, id, 3, &x)) atomic_inc(fail);
    commit_write_pipe(p, id);
}
kernel void get_group(read_only pipe long p, global long *out, global int *fail) {
    local reserve_id_t shared_id;
    reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0));
    if (get_local_id(0) == 0) shared_id = id;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_valid_reserve_id(shared_id)) {
        if (read_pipe(p, shared_id, get_local_id(0), out + get_global_id(0))) atomic_inc(fail);
        work_group_commit_read_pipe(p, shared_id);
    } else atomic_inc(fail);
}
kernel void put_group(write_only pipe long p, global const long *in, global int *fail) {
    reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));
    if (is_valid_reserve_id(id)) {
        if (write_pipe(p, id, get_local_id(0), in + get_global_id(0))) atomic_inc(fail);
        work_group_commit_write_pipe(p, id);
    } else atomic_inc(fail);
}
kernel void counts_in(write_only pipe int p, global uint *out) { out[0] = get_pipe_num_packets(p); out[1] = get_pipe_max_packets(p); }
kernel void counts(read_only pipe int p, global uint *out) { out[0] = get_pipe_num_packets(p); out[1] = get_pipe_max_packets(p); }
kernel void nothing(read_only pipe int p, global uint *out) {
    reserve_id_t none = CLK_NULL_RESERVE_ID;
    out[0] = is_valid_reserve_id(none);
    out[1] = is_valid_reserve_id(reserve_read_pipe(p, get_pipe_max_packets(p) + 1));
    out[2] = is_valid_reserve_id(reserve_read_pipe(p, 0));
}
int take(read_only pipe int p) { int x = 0; return read_pipe(p, &x) ? -1 : x; }
kernel void by_function(read_only pipe int p, global int *out) { out[get_global_id(0)] = take(p); }
"#;

struct Pipes {
    s: Setup,
    program: Owned,
    fail: Owned,
}

impl Pipes {
    fn new() -> Option<Self> {
        let s = support::setup()?;
        let has = query(|size, value, ret| {
            // SAFETY: the reply's place is valid.
            unsafe { clGetDeviceInfo(s.device, CL_DEVICE_PIPE_SUPPORT, size, value, ret) }
        });
        if number(has) == 0 {
            return None;
        }
        let program = s.built(SOURCE, "-cl-std=CL3.0 -cl-kernel-arg-info");
        let fail = s.buffer(4);
        s.write(&fail, &[0]);
        Some(Pipes { s, program, fail })
    }

    fn pipe(&self, bytes: u32, packets: u32) -> Owned {
        let mut code = 0;
        // SAFETY: the error's place is valid.
        let pipe = unsafe { clCreatePipe(self.s.context.0, 0, bytes, packets, null(), &mut code) };
        assert_eq!(code, 0);
        Owned(pipe, clReleaseMemObject)
    }

    /// Launches a kernel with a pipe, buffers, and the counter of failures.
    fn run(&self, name: &str, pipe: &Owned, buffers: &[&Owned], global: usize, local: usize) {
        let kernel = kernel(&self.program, name).expect("the kernel");
        let all = [pipe].into_iter().chain(buffers.iter().copied());
        for (n, object) in (0..).zip(all) {
            assert_eq!(set(&kernel, n, object.0), 0, "{name}: argument {n}");
        }
        let local = (local > 0).then_some([local]);
        let local = local.as_ref().map(|local| local.as_slice());
        assert_eq!(self.s.launch(&kernel, &[global], local), 0, "{name}");
        assert_eq!(self.s.finish(), 0, "{name}");
    }

    fn failures(&self) -> u32 {
        self.s.read(&self.fail, 1)[0]
    }
}

/// Packets arrive once each, whatever the number of packets is, in laps around the pipe.
#[test]
fn packets_arrive_once() {
    let Some(p) = Pipes::new() else { return };
    for packets in [1, 5, 300, 4096] {
        let pipe = p.pipe(4, packets as u32);
        let (from, to) = (p.s.buffer(4 * packets), p.s.buffer(4 * packets));
        for lap in 0..3 {
            let data: Vec<u32> = (0..packets as u32).map(|n| n * 3 + lap).collect();
            p.s.write(&from, &data);
            p.run("put", &pipe, &[&from, &p.fail], packets, 0);
            p.run("get", &pipe, &[&to, &p.fail], packets, 0);
            let mut found = p.s.read(&to, packets);
            found.sort_unstable();
            assert_eq!(found, data);
        }
        assert_eq!(p.failures(), 0);
    }
}

/// A full pipe takes nothing more, and an empty one gives nothing and leaves the variable as it was.
#[test]
fn full_and_empty() {
    let Some(p) = Pipes::new() else { return };
    let pipe = p.pipe(4, 10);
    let (from, to) = (p.s.buffer(4 * 25), p.s.buffer(4 * 25));
    p.s.write(&from, &(0..25).collect::<Vec<_>>());
    p.run("put", &pipe, &[&from, &p.fail], 25, 0);
    assert_eq!(p.failures(), 15);
    let counts = p.s.buffer(8);
    p.run("counts", &pipe, &[&counts], 1, 0);
    assert_eq!(p.s.read(&counts, 2), [10, 10]);
    p.run("get", &pipe, &[&to, &p.fail], 7, 0);
    assert_eq!(p.failures(), 15);
    p.run("counts_in", &pipe, &[&counts], 1, 0);
    assert_eq!(p.s.read(&counts, 2), [3, 10]);
    p.run("get", &pipe, &[&to, &p.fail], 7, 0);
    assert_eq!(p.failures(), 19);
    p.run("by_function", &pipe, &[&to], 2, 0);
    assert_eq!(p.s.read(&to, 2), [u32::MAX; 2]);
}

/// Packets of structures, from private and to local memory.
#[test]
fn structures() {
    let Some(p) = Pipes::new() else { return };
    let pipe = p.pipe(48, 256);
    let out = p.s.buffer(4 * 256);
    p.run("put_struct", &pipe, &[&p.fail], 256, 64);
    p.run("get_struct", &pipe, &[&out, &p.fail], 256, 64);
    assert_eq!(p.s.read(&out, 256), [1; 256]);
    assert_eq!(p.failures(), 0);
}

/// Reservations of work-items and of work-groups.
#[test]
fn reservations() {
    let Some(p) = Pipes::new() else { return };
    let pipe = p.pipe(8, 96);
    let (out, again) = (p.s.buffer(8 * 96), p.s.buffer(8 * 96));
    for _ in 0..2 {
        p.run("put_reserved", &pipe, &[&p.fail], 32, 0);
        p.run("get_group", &pipe, &[&out, &p.fail], 96, 24);
        p.run("put_group", &pipe, &[&out, &p.fail], 96, 12);
        p.run("get_group", &pipe, &[&again, &p.fail], 96, 48);
        assert_eq!(p.failures(), 0);
        let mut found: Vec<u32> = p.s.read(&again, 192).into_iter().step_by(2).collect();
        // Packets of one reservation stay together and in order; groups take a multiple of three.
        assert!(found.chunks(3).all(|c| c[0] % 3 == 0 && c[1] == c[0] + 1 && c[2] == c[0] + 2));
        found.sort_unstable();
        assert_eq!(found, (0..96).collect::<Vec<_>>());
    }
    let (small, none) = (p.pipe(4, 8), p.s.buffer(12));
    p.run("nothing", &small, &[&none], 1, 0);
    assert_eq!(p.s.read(&none, 3), [0; 3]);
}

/// Arguments and queries.
#[test]
fn arguments_and_queries() {
    let Some(p) = Pipes::new() else { return };
    let (pipe, buffer) = (p.pipe(4, 100), p.s.buffer(64));
    let put = kernel(&p.program, "put").expect("the kernel");
    assert_eq!(set(&put, 0, buffer.0), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(&put, 1, pipe.0), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(&put, 0, null_mut::<u8>()), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(&put, 0, 0u32), CL_INVALID_ARG_SIZE);
    assert_eq!(set(&put, 0, pipe.0), 0);
    assert_eq!(number(arg_info(&put, 0, CL_KERNEL_ARG_TYPE_QUALIFIER)), u64::from(CL_KERNEL_ARG_TYPE_PIPE));
    assert_eq!(
        number(arg_info(&put, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER)),
        u64::from(CL_KERNEL_ARG_ACCESS_WRITE_ONLY)
    );
    assert_eq!(
        number(arg_info(&put, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
        u64::from(CL_KERNEL_ARG_ADDRESS_GLOBAL)
    );
    assert_eq!(text(arg_info(&put, 0, CL_KERNEL_ARG_TYPE_NAME)), "int");
    // SAFETY: places of replies are valid.
    let info = |param| query(|size, value, ret| unsafe { clGetPipeInfo(pipe.0, param, size, value, ret) });
    assert_eq!((number(info(CL_PIPE_PACKET_SIZE)), number(info(CL_PIPE_MAX_PACKETS))), (4, 100));
    assert!(numbers(info(CL_PIPE_PROPERTIES)).is_empty());
    assert_eq!(info(0), Err(CL_INVALID_VALUE));
    let of = |object: &Owned, param| {
        // SAFETY: as above.
        query(|size, value, ret| unsafe { clGetMemObjectInfo(object.0, param, size, value, ret) })
    };
    assert_eq!(number(of(&pipe, CL_MEM_TYPE)), u64::from(CL_MEM_OBJECT_PIPE));
    assert_eq!(number(of(&pipe, CL_MEM_FLAGS)), CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    // SAFETY: as above.
    let of_buffer =
        query(|size, value, ret| unsafe { clGetPipeInfo(buffer.0, CL_PIPE_PACKET_SIZE, size, value, ret) });
    assert_eq!(of_buffer, Err(CL_INVALID_MEM_OBJECT));
}

/// The host reaches no packets, and pipes that cannot be are refused.
#[test]
fn refusals() {
    let Some(p) = Pipes::new() else { return };
    let pipe = p.pipe(4, 100);
    let mut host = [0u8; 64];
    let (queue, at) = (p.s.queue.0, host.as_mut_ptr().cast());
    // SAFETY: the memory lives; handles are valid.
    unsafe {
        assert_eq!(
            clEnqueueReadBuffer(queue, pipe.0, 1, 0, 4, at, 0, null(), null_mut()),
            CL_INVALID_MEM_OBJECT
        );
        assert_eq!(
            clEnqueueWriteBuffer(queue, pipe.0, 1, 0, 4, at, 0, null(), null_mut()),
            CL_INVALID_MEM_OBJECT
        );
        assert_eq!(
            clEnqueueFillBuffer(queue, pipe.0, at, 4, 0, 4, 0, null(), null_mut()),
            CL_INVALID_MEM_OBJECT
        );
        let mut code = 0;
        clEnqueueMapBuffer(queue, pipe.0, 1, CL_MAP_READ, 0, 4, 0, null(), null_mut(), &mut code);
        assert_eq!(code, CL_INVALID_MEM_OBJECT);
        let region = cl_buffer_region { origin: 0, size: 4 };
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        clCreateSubBuffer(pipe.0, 0, kind, (&raw const region).cast(), &mut code);
        assert_eq!(code, CL_INVALID_MEM_OBJECT);
        let properties = [1, 0];
        let mut make = |flags, bytes, packets, properties| {
            let made = clCreatePipe(p.s.context.0, flags, bytes, packets, properties, &mut code);
            assert!(made.is_null());
            code
        };
        assert_eq!(make(CL_MEM_READ_ONLY, 4, 4, null()), CL_INVALID_VALUE);
        assert_eq!(make(CL_MEM_COPY_HOST_PTR, 4, 4, null()), CL_INVALID_VALUE);
        assert_eq!(make(0, 4, 4, properties.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(make(0, 0, 4, null()), CL_INVALID_PIPE_SIZE);
        assert_eq!(make(0, 4, 0, null()), CL_INVALID_PIPE_SIZE);
        assert_eq!(make(0, u32::MAX, 4, null()), CL_INVALID_PIPE_SIZE);
        assert_eq!(make(0, 4, u32::MAX, null()), CL_MEM_OBJECT_ALLOCATION_FAILURE);
        assert_eq!(clCreatePipe(null_mut(), 0, 4, 4, null(), &mut code), null_mut());
        assert_eq!(code, CL_INVALID_CONTEXT);
    }
}
