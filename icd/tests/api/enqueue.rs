//! Device-side enqueue (OpenCL API §5.1, OpenCL C §6.15.17): trees, recursion by enqueue, events, and queues that are full.

use std::ptr::{null, null_mut};

use crate::support::{self, Owned, Setup, kernel, kernel_info, number, program_info, query, set, text};
use opencl_sys::*;
use pumice::entry::{command_buffer::*, device::*, event::*, launch::*, queue::*};

const SOURCE: &str = r#"
// A tree: each node enqueues its children, and counts itself.
void node(global uint *counts, uint level) {
    atomic_inc(counts + level);
    if (level == 0) return;
    if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(3), ^{ node(counts, level - 1); })) atomic_inc(counts + 31);
}
kernel void tree(global uint *counts, uint level) { node(counts, level); }

// Sorts a[first], …, a[last - 1]: one work-item splits, and enqueues a sort of each part.
void sort(global int *a, int first, int last, global uint *fail) {
    if (last - first < 2) return;
    int pivot = a[first + (last - first) / 2], i = first, j = last - 1;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; }
    }
    if (j + 1 - first > 1 && enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ sort(a, first, j + 1, fail); })) atomic_inc(fail);
    if (last - i > 1 && enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ sort(a, i, last, fail); })) atomic_inc(fail);
}
kernel void quicksort(global int *a, int count, global uint *fail) { sort(a, 0, count, fail); }

int iterations(int x, int y, int size) {
    float cx = -2.0f + 3.0f * x / size, cy = -1.5f + 3.0f * y / size, zx = 0, zy = 0;
    int n = 0;
    for (; n < 64 && zx * zx + zy * zy < 4.0f; n++) { float t = zx * zx - zy * zy + cx; zy = 2 * zx * zy + cy; zx = t; }
    return n;
}
// Fills a square whose border has one number of iterations, and enqueues four squares or its pixels else.
void square(global int *out, int size, int x, int y, int edge, global uint *fail) {
    int first = iterations(x, y, size);
    bool same = true;
    for (int k = 0; k < edge; k++)
        same = same && iterations(x + k, y, size) == first && iterations(x + k, y + edge - 1, size) == first
            && iterations(x, y + k, size) == first && iterations(x + edge - 1, y + k, size) == first;
    size_t sizes[2] = {edge, edge};
    queue_t q = get_default_queue();
    if (same) {
        if (enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(sizes), ^{ out[(y + get_global_id(1)) * size + x + get_global_id(0)] = first; })) atomic_inc(fail);
    } else if (edge <= 4) {
        if (enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(sizes), ^{
            int px = x + get_global_id(0), py = y + get_global_id(1);
            out[py * size + px] = iterations(px, py, size);
        })) atomic_inc(fail);
    } else {
        int half_edge = edge / 2;
        size_t two[2] = {2, 2};
        if (enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(two), ^{
            square(out, size, x + half_edge * get_global_id(0), y + half_edge * get_global_id(1), half_edge, fail);
        })) atomic_inc(fail);
    }
}
kernel void mandelbrot(global int *out, int size, global uint *fail) { square(out, size, 0, 0, size, fail); }
kernel void mandelbrot_plain(global int *out, int size) {
    out[get_global_id(1) * size + get_global_id(0)] = iterations(get_global_id(0), get_global_id(1), size);
}

// Each work-item enqueues one child; those that cannot are counted.
kernel void many(global uint *out, global uint *refused) {
    uint g = get_global_id(0);
    int code = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[g] = g + 1; });
    if (code == CLK_ENQUEUE_FAILURE) atomic_inc(refused); else if (code != CLK_SUCCESS) atomic_add(refused, 1000000u);
}
kernel void reasons(global int *out, queue_t q, queue_t small) {
    clk_event_t none = CLK_NULL_EVENT, got;
    ndrange_t r = ndrange_1D(64, 16);
    out[0] = enqueue_kernel(small, CLK_ENQUEUE_FLAGS_NO_WAIT, r, ^{ out[10] = 1; });
    out[1] = enqueue_kernel(CLK_NULL_QUEUE, CLK_ENQUEUE_FLAGS_NO_WAIT, r, ^{ out[10] = 1; });
    out[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64, 1 << 20), ^{ out[10] = 1; });
    out[3] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, 1, &none, &got, ^{ out[10] = 1; });
    out[4] = enqueue_marker(q, 1, &none, &got);
    out[5] = is_valid_event(none);
    out[6] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, ^{ out[11] = 64; });
}

// Local arguments of two sizes, and a wide capture.
kernel void local_arguments(global uint *out, queue_t q) {
    ulong8 wide = (ulong8)(1, 2, 3, 4, 5, 6, 7, get_global_id(0));
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(32, 8), ^(local void *a, local void *b) {
        local uint *x = a;
        local uchar *y = b;
        uint l = get_local_id(0);
        x[l] = l * 3;
        y[7 - l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = x[7 - l] + 100 * y[l] + 1000 * (uint)(wide.s1 + wide.s6 + wide.s7) + 10000 * get_group_id(0);
    }, 32u, 8u);
}

// Kernels with NDRanges of every shape: sums of all that they are told, of one block that does not notice its work-groups and of one that does.
kernel void shapes(global uint *sums) {
    uint g = get_global_id(0);
    queue_t q = get_default_queue();
    size_t offset[3] = {g, 2, 1}, sizes[3] = {1 + g * 3, 1 + g % 3, 2}, few[3] = {3, 1, 2};
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_3D(offset, sizes, few), ^{
        atomic_add(sums + g, get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2) + 7 * get_global_linear_id()
                             + 3 * get_global_size(0) + get_global_size(1) + get_work_dim() + get_global_offset(0));
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(g % 5), ^{ atomic_add(sums + 100 + g, 1 + get_global_size(0)); });
    size_t start[2] = {5, g}, whole[2] = {4 * (1 + g % 7), 6}, local_size[2] = {4, 2};
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(start, whole, local_size), ^(local void *l) {
        local uint *w = l;
        uint n = get_local_linear_id();
        w[n] = get_global_id(0) + 10 * get_global_id(1);
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(sums + 200 + g, w[7 - n] * (n + 1) + 100 * get_group_id(0) + 1000 * get_group_id(1) + get_num_groups(0)
                                   + 10 * get_num_groups(1) + get_local_size(0) + get_enqueued_local_size(1) + get_global_linear_id());
    }, g % 2 ? 32u : 64u);
}

// A chain whose kernels differ: their shapes change, and now and then one has an event, local memory or nothing to do.
void link(global uint *out, uint left) {
    uint n = get_global_size(0) + 10 * get_global_size(1), l = get_local_size(0);
    atomic_add(out, n);
    if (get_global_id(0) != 0 || get_global_id(1) != 0) return;
    atomic_inc(out + 1);
    if (left == 0) return;
    queue_t q = get_default_queue();
    size_t whole[2] = {1 + left % 9, 1 + left % 2}, some[2] = {1, 1};
    clk_event_t event;
    int code = 0;
    if (left % 50 == 0) {
        code = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &event, ^{ link(out, left - 1); });
        release_event(event);
    } else if (left % 31 == 0) {
        code = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), ^(local void *p) { *(local uint *)p = 1; link(out, left - 1); }, 4u);
    } else if (left % 7 == 0) {
        code = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4, 2), ^{ if (get_local_size(0) == 2) link(out, left - 1); });
    } else {
        code = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(whole), ^{ link(out, left - 1); });
        if (left % 3 == 0) code |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(0), ^{ atomic_inc(out + 2); });
    }
    if (code) atomic_inc(out + 2);
}
kernel void chain(global uint *out, uint left) { link(out, left); }

// Each kernel enqueues two: in some generation they no longer fit.
void two(global uint *out, uint level) {
    atomic_inc(out);
    for (int n = 0; n < 2 && level > 0; n++)
        if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ two(out, level - 1); })) atomic_inc(out + 1);
}
kernel void doubling(global uint *out, uint levels) { two(out, levels); }

// An order by events alone: the third, the second, the first.
kernel void ordered(global uint *out) {
    queue_t q = get_default_queue();
    ndrange_t one = ndrange_1D(1);
    clk_event_t start = create_user_event(), first, both[2], marker;
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &start, &first, ^{ out[out[0]++ + 1] = 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &first, &both[0], ^{
        // The event is complete when this one is, too.
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ out[out[0]++ + 1] = 3; });
        out[out[0]++ + 1] = 2;
    });
    both[1] = create_user_event();
    enqueue_marker(q, 2, both, &marker);
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &marker, NULL, ^{ out[out[0]++ + 1] = 4; });
    clk_event_t second = both[1];
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &both[0], NULL, ^{ set_user_event_status(second, CL_COMPLETE); release_event(second); });
    release_event(first); release_event(both[0]); release_event(marker);
    set_user_event_status(start, CL_COMPLETE);
    release_event(start);
}
// What waits for an event that failed does not run.
kernel void failed(global uint *out) {
    clk_event_t user = create_user_event(), event;
    queue_t q = get_default_queue();
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, &event, ^{ out[0] = 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ out[1] = 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(0), ^{ out[2] = 1; });
    set_user_event_status(user, -1);
    release_event(user); release_event(event);
}
// Nobody completes the event.
kernel void stuck(global uint *out) {
    clk_event_t user = create_user_event();
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, NULL, ^{ out[0] = 1; });
}
// Makes more events than there are, one after the other.
void again(global uint *out, uint left) {
    for (int n = 0; n < 1000; n++) {
        clk_event_t event = create_user_event();
        if (!is_valid_event(event)) atomic_inc(out);
        set_user_event_status(event, CL_COMPLETE);
        release_event(event);
    }
    if (left > 0) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ again(out, left - 1); });
}
kernel void events(global uint *out, uint rounds) { again(out, rounds); }

kernel void queries(global uint *out) {
    void (^plain)(void) = ^{ out[8] = 1; };
    out[0] = get_kernel_work_group_size(plain);
    out[1] = get_kernel_preferred_work_group_size_multiple(plain);
    out[2] = enqueue_marker(get_default_queue(), 0, NULL, NULL) == CLK_SUCCESS;
}
kernel void printing(int n) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2), ^{ if (get_global_id(0) == 1) printf("child %d\n", n); });
}
"#;

/// A device queue is out of order.
const ON_DEVICE: u64 = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

pub fn make_queue(s: &Setup, properties: u64, size: Option<u64>) -> Result<Owned, i32> {
    let mut code = 1;
    let mut list = vec![u64::from(CL_QUEUE_PROPERTIES), properties];
    list.extend(size.into_iter().flat_map(|size| [u64::from(CL_QUEUE_SIZE), size]));
    list.push(0);
    // SAFETY: a whole list; the place is valid.
    let queue =
        unsafe { clCreateCommandQueueWithProperties(s.context.0, s.device, list.as_ptr(), &mut code) };
    if code == 0 { Ok(Owned(queue, clReleaseCommandQueue)) } else { Err(code) }
}

pub struct Enqueue {
    pub s: Setup,
    pub program: Owned,
    pub _default: Owned,
}

impl Enqueue {
    pub fn new(size: Option<u64>, options: &str) -> Option<Self> {
        let s = support::setup()?;
        let has = query(|size, value, ret| {
            // SAFETY: the reply's place is valid.
            unsafe { clGetDeviceInfo(s.device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, size, value, ret) }
        });
        if number(has) == 0 {
            assert_eq!(make_queue(&s, ON_DEVICE, None).err(), Some(CL_INVALID_QUEUE_PROPERTIES));
            return None;
        }
        let program = s.built(SOURCE, &format!("-cl-std=CL3.0 {options}"));
        let _default = make_queue(&s, ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, size).expect("a queue");
        Some(Enqueue { s, program, _default })
    }

    pub fn launch(&self, kernel: &Owned, global: &[usize]) {
        assert_eq!(self.s.launch(kernel, global, None), 0);
        assert_eq!(self.s.finish(), 0);
    }

    pub fn zeros(&self, count: usize) -> Owned {
        let buffer = self.s.buffer(4 * count);
        self.s.write(&buffer, &vec![0; count]);
        buffer
    }

    /// Runs a kernel that takes one buffer of so many zeros.
    fn run(&self, name: &str, global: &[usize], count: usize) -> Vec<u32> {
        let (kernel, out) = (kernel(&self.program, name).expect("the kernel"), self.zeros(count));
        assert_eq!(set(&kernel, 0, out.0), 0);
        self.launch(&kernel, global);
        self.s.read(&out, count)
    }
}

/// A tree of kernels: each level has three times the work-items of the one before.
#[test]
fn trees() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let tree = kernel(&e.program, "tree").expect("the kernel");
    let counts = e.zeros(32);
    assert_eq!((set(&tree, 0, counts.0), set(&tree, 1, 7u32)), (0, 0));
    for launches in 1..=2 {
        e.launch(&tree, &[2]);
        let expected: Vec<u32> = (0..=7).map(|level| launches * 2 * 3u32.pow(7 - level)).collect();
        let found = e.s.read(&counts, 32);
        assert_eq!((&found[..8], found[31]), (&expected[..], 0));
    }
}

/// Quicksort: what is sorted is known only on the device.
#[test]
fn recursion() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let sort = kernel(&e.program, "quicksort").expect("the kernel");
    let (count, fail) = (5000, e.zeros(1));
    let data: Vec<u32> = (0..count).map(|n: u32| n.wrapping_mul(2_654_435_761) >> 12).collect();
    let a = e.s.buffer(4 * count as usize);
    e.s.write(&a, &data);
    assert_eq!((set(&sort, 0, a.0), set(&sort, 1, count), set(&sort, 2, fail.0)), (0, 0, 0));
    e.launch(&sort, &[1]);
    let mut expected = data;
    expected.sort_unstable();
    assert_eq!(e.s.read(&fail, 1), [0]);
    assert!(e.s.read(&a, count as usize) == expected);
}

/// The Mandelbrot set by squares: as by pixels, where the border of a square tells of its inside.
#[test]
fn adaptive() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let [squares, pixels] =
        ["mandelbrot", "mandelbrot_plain"].map(|name| kernel(&e.program, name).expect("it"));
    let (size, fail) = (128usize, e.zeros(1));
    let [a, b] = [(); 2].map(|()| e.zeros(size * size));
    assert_eq!((set(&squares, 0, a.0), set(&squares, 1, size as u32), set(&squares, 2, fail.0)), (0, 0, 0));
    assert_eq!((set(&pixels, 0, b.0), set(&pixels, 1, size as u32)), (0, 0));
    e.launch(&squares, &[1]);
    e.launch(&pixels, &[size, size]);
    let (a, b) = (e.s.read(&a, size * size), e.s.read(&b, size * size));
    let different = a.iter().zip(&b).filter(|(a, b)| a != b).count();
    assert_eq!(e.s.read(&fail, 1), [0]);
    assert!(different < 20, "{different} pixels differ");
}

/// A hundred thousand children of one launch.
#[test]
fn many_children() {
    let Some(e) = Enqueue::new(Some(64 << 20), "") else { return };
    let many = kernel(&e.program, "many").expect("the kernel");
    let (count, refused) = (100_000, e.zeros(1));
    let out = e.zeros(count);
    assert_eq!((set(&many, 0, out.0), set(&many, 1, refused.0)), (0, 0));
    e.launch(&many, &[count]);
    assert_eq!(e.s.read(&refused, 1), [0]);
    assert!(e.s.read(&out, count).into_iter().eq(1..=count as u32));
}

/// A queue that is full refuses more, and has room again for the next launch.
#[test]
fn overflow() {
    let Some(e) = Enqueue::new(Some(64 << 10), "") else { return };
    let many = kernel(&e.program, "many").expect("the kernel");
    for _ in 0..3 {
        let (out, refused) = (e.zeros(1000), e.zeros(1));
        assert_eq!((set(&many, 0, out.0), set(&many, 1, refused.0)), (0, 0));
        e.launch(&many, &[1000]);
        let done = e.s.read(&out, 1000).iter().filter(|n| **n != 0).count();
        let refused = e.s.read(&refused, 1)[0] as usize;
        assert_eq!(done + refused, 1000);
        assert!((300..700).contains(&done), "{done} children in 64 KiB");
    }
}

/// Errors have names where the program was compiled with -g.
#[test]
fn errors() {
    const REASONS: [i32; 7] = [-161, -102, -160, -57, -57, 0, 0];
    for (options, expected) in [("-g", REASONS), ("", REASONS.map(|code| code.signum() * 101))] {
        let Some(e) = Enqueue::new(None, options) else { return };
        let reasons = kernel(&e.program, "reasons").expect("the kernel");
        let (out, queue) = (e.zeros(16), make_queue(&e.s, ON_DEVICE, None).expect("a queue"));
        let small = make_queue(&e.s, ON_DEVICE, Some(16)).expect("a queue");
        assert_eq!(
            (set(&reasons, 0, out.0), set(&reasons, 1, queue.0), set(&reasons, 2, small.0)),
            (0, 0, 0)
        );
        e.launch(&reasons, &[1]);
        let found: Vec<i32> = e.s.read(&out, 16).into_iter().map(|n| n as i32).collect();
        assert_eq!((&found[..7], found[10], found[11]), (&expected[..], 0, 64));
    }
}

#[test]
fn local_arguments() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let local = kernel(&e.program, "local_arguments").expect("the kernel");
    let (out, queue) = (e.zeros(32), make_queue(&e.s, ON_DEVICE, Some(4096)).expect("a queue"));
    assert_eq!((set(&local, 0, out.0), set(&local, 1, queue.0)), (0, 0));
    e.launch(&local, &[1]);
    let at = |g: u32| 3 * (7 - g % 8) + 100 * (7 - g % 8) + 9000 + 10000 * (g / 8);
    assert!(e.s.read(&out, 32).into_iter().eq((0..32).map(at)));
}

/// Many kernels at once, each with an NDRange of its own: they are told what each would be told alone.
#[test]
fn shapes() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let found = e.run("shapes", &[80], 300);
    for g in 0..80u32 {
        let (offset, sizes) = ([g, 2, 1], [1 + g * 3, 1 + g % 3, 2]);
        let mut sum = 0;
        for z in 0..sizes[2] {
            for (x, y) in (0..sizes[1]).flat_map(|y| (0..sizes[0]).map(move |x| (x, y))) {
                let linear = (z * sizes[1] + y) * sizes[0] + x;
                sum += offset[0] + x + 100 * (offset[1] + y) + 10000 * (offset[2] + z) + 7 * linear;
                sum += 3 * sizes[0] + sizes[1] + 3 + offset[0];
            }
        }
        assert_eq!(found[g as usize], sum, "kernel {g} in three dimensions");
        assert_eq!(found[100 + g as usize], g % 5 * (1 + g % 5), "kernel {g} in one dimension");
        let (whole, mut sum) = ([4 * (1 + g % 7), 6], 0);
        for (x, y) in (0..whole[1]).flat_map(|y| (0..whole[0]).map(move |x| (x, y))) {
            let (n, group) = (y % 2 * 4 + x % 4, [x / 4, y / 2]);
            let other = 7 - n;
            let met = 5 + group[0] * 4 + other % 4 + 10 * (g + group[1] * 2 + other / 4);
            sum += met * (n + 1) + 100 * group[0] + 1000 * group[1] + whole[0] / 4 + 10 * 3 + 4 + 2;
            sum += y * whole[0] + x;
        }
        assert_eq!(found[200 + g as usize], sum, "kernel {g} with work-groups");
    }
}

/// A chain of generations: most need no host, and those between them do.
#[test]
fn chains() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let chain = kernel(&e.program, "chain").expect("the kernel");
    for length in [0u32, 1, 2, 20, 333] {
        let out = e.zeros(4);
        assert_eq!((set(&chain, 0, out.0), set(&chain, 1, length)), (0, 0));
        e.launch(&chain, &[1]);
        let items = |left: u32| match left {
            _ if left.is_multiple_of(50) => [1, 1],
            _ if left.is_multiple_of(31) => [2, 1],
            _ if left.is_multiple_of(7) => [4, 1],
            _ => [1 + left % 9, 1 + left % 2],
        };
        let sizes = (1..=length).map(items).chain([[1, 1]]);
        let sum = sizes.map(|[x, y]| x * y * (x + 10 * y)).sum::<u32>();
        assert_eq!(e.s.read(&out, 3), [sum, length + 1, 0], "a chain of {length}");
    }
}

/// A queue that is full in a later generation: each kernel that was enqueued runs, and the others are refused.
#[test]
fn overflow_in_a_later_generation() {
    let Some(e) = Enqueue::new(Some(16 << 10), "") else { return };
    let doubling = kernel(&e.program, "doubling").expect("the kernel");
    for _ in 0..2 {
        let out = e.zeros(2);
        assert_eq!((set(&doubling, 0, out.0), set(&doubling, 1, 14u32)), (0, 0));
        e.launch(&doubling, &[1]);
        let (found, fits) = (e.s.read(&out, 2), (16 << 10) / 144);
        // Seven generations fit whole. In each later one as many kernels as the queue has room for.
        assert!((127 + 7 * fits..=127 + 8 * fits).contains(&found[0]), "{found:?}");
        assert!(found[1] > 0);
    }
}

/// Kernels run in the order of events and markers, and events are complete with what their kernels enqueued.
#[test]
fn order_by_events() {
    let Some(e) = Enqueue::new(None, "") else { return };
    assert_eq!(e.run("ordered", &[1], 8), [4, 1, 2, 3, 4, 0, 0, 0]);
    assert_eq!(e.run("failed", &[1], 4), [0; 4]);
    let rounds = kernel(&e.program, "events").expect("the kernel");
    let out = e.zeros(1);
    assert_eq!((set(&rounds, 0, out.0), set(&rounds, 1, 100u32)), (0, 0));
    e.launch(&rounds, &[1]);
    assert_eq!(e.s.read(&out, 1), [0], "events are used again");
}

/// A launch whose children wait for ever fails, and does not hang. The next one is not disturbed.
#[test]
fn stuck() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let (stuck, out) = (kernel(&e.program, "stuck").expect("the kernel"), e.zeros(1));
    assert_eq!(set(&stuck, 0, out.0), 0);
    let (mut event, one) = (null_mut(), 1usize);
    // SAFETY: sizes and the place are valid.
    let code = unsafe {
        clEnqueueNDRangeKernel(e.s.queue.0, stuck.0, 1, null(), &one, null(), 0, null(), &mut event)
    };
    assert_eq!(code, 0);
    let event = Owned(event, clReleaseEvent);
    // SAFETY: one event.
    assert_eq!(unsafe { clWaitForEvents(1, &event.0) }, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    let status = query(|size, value, ret| {
        // SAFETY: the reply's place is valid.
        unsafe { clGetEventInfo(event.0, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, ret) }
    });
    assert_eq!(number(status) as u32 as i32, CL_OUT_OF_RESOURCES);
    let again = e.s.another_queue();
    let (queries, out) = (kernel(&e.program, "queries").expect("the kernel"), e.zeros(16));
    assert_eq!(set(&queries, 0, out.0), 0);
    assert_eq!((again.launch(&queries, &[1], None), again.finish()), (0, 0));
    assert_eq!(again.read(&out, 3)[2], 1);
}

/// Blocks are no kernels for the application, and the queries of kernels know their sizes.
#[test]
fn names_and_sizes() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let names = text(program_info(&e.program, CL_PROGRAM_KERNEL_NAMES));
    assert!(names.split(';').any(|name| name == "tree") && !names.contains("pumice"), "{names}");
    assert_eq!(kernel(&e.program, "pumice.block.0").err(), Some(CL_INVALID_KERNEL_NAME));
    let many = kernel(&e.program, "many").expect("the kernel");
    assert_eq!(number(kernel_info(&many, CL_KERNEL_NUM_ARGS)), 2);
    assert_eq!(set(&many, 2, 0u64), CL_INVALID_ARG_INDEX);
    let found = e.run("queries", &[1], 16);
    let device = |param| {
        // SAFETY: the reply's place is valid.
        number(query(|size, value, ret| unsafe { clGetDeviceInfo(e.s.device, param, size, value, ret) }))
    };
    assert!(found[0] > 0 && u64::from(found[0]) <= device(CL_DEVICE_MAX_WORK_GROUP_SIZE));
    assert!(found[1].is_power_of_two());
    assert_eq!(found[2], 1);
}

/// Device queues: properties, the default one, and what takes none.
#[test]
fn device_queues() {
    let Some(e) = Enqueue::new(Some(5000), "") else { return };
    let s = &e.s;
    let info = |queue: &Owned, param| {
        // SAFETY: the reply's place is valid.
        query(|size, value, ret| unsafe { clGetCommandQueueInfo(queue.0, param, size, value, ret) })
    };
    let default = e._default.0.addr() as u64;
    assert_eq!(number(info(&e._default, CL_QUEUE_SIZE)), 5000);
    assert_eq!(number(info(&s.queue, CL_QUEUE_DEVICE_DEFAULT)), default);
    assert_eq!(info(&s.queue, CL_QUEUE_SIZE), Err(CL_INVALID_COMMAND_QUEUE));
    let same = make_queue(s, ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, None).expect("the default queue");
    assert_eq!(same.0.addr() as u64, default);
    assert_eq!(number(info(&same, CL_QUEUE_REFERENCE_COUNT)), 2);
    let other = make_queue(s, ON_DEVICE | CL_QUEUE_PROFILING_ENABLE, None).expect("a queue");
    assert_eq!(number(info(&other, CL_QUEUE_PROPERTIES)), ON_DEVICE | CL_QUEUE_PROFILING_ENABLE);
    assert_eq!(make_queue(s, ON_DEVICE, Some(1 << 40)).err(), Some(CL_INVALID_QUEUE_PROPERTIES));
    assert_eq!(make_queue(s, ON_DEVICE, Some(0)).err(), Some(CL_INVALID_QUEUE_PROPERTIES));
    assert_eq!(make_queue(s, CL_QUEUE_ON_DEVICE, None).err(), Some(CL_INVALID_VALUE));
    // SAFETY: handles of any kind.
    unsafe {
        let set_default = |queue| clSetDefaultDeviceCommandQueue(s.context.0, s.device, queue);
        assert_eq!(set_default(s.queue.0), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(set_default(other.0), 0);
        assert_eq!(number(info(&s.queue, CL_QUEUE_DEVICE_DEFAULT)), other.0.addr() as u64);
        assert_eq!(clFinish(other.0), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clFlush(other.0), CL_INVALID_COMMAND_QUEUE);
        let tree = kernel(&e.program, "tree").expect("the kernel");
        assert_eq!(clEnqueueTask(other.0, tree.0, 0, null(), null_mut()), CL_INVALID_COMMAND_QUEUE);
    }
    let local = kernel(&e.program, "local_arguments").expect("the kernel");
    assert_eq!(set(&local, 1, s.queue.0), CL_INVALID_DEVICE_QUEUE);
    assert_eq!(set(&local, 1, 0u32), CL_INVALID_ARG_SIZE);
    assert_eq!(set(&local, 1, null_mut::<u8>()), CL_INVALID_DEVICE_QUEUE);
    let out = e.zeros(32);
    assert_eq!(set(&local, 0, out.0), 0);
    let gone = make_queue(s, ON_DEVICE, None).expect("a queue");
    assert_eq!(set(&local, 1, gone.0), 0);
    drop(gone);
    assert_eq!(s.launch(&local, &[1], None), CL_INVALID_KERNEL_ARGS);
    drop((other, same));
    // Without a default queue there is none in kernels.
    let Enqueue { s, program, _default } = e;
    drop(_default);
    let none = number(query(|size, value, ret| {
        // SAFETY: as above.
        unsafe { clGetCommandQueueInfo(s.queue.0, CL_QUEUE_DEVICE_DEFAULT, size, value, ret) }
    }));
    assert_eq!(none, 0);
    let queries = kernel(&program, "queries").expect("the kernel");
    let out = s.buffer(64);
    assert_eq!((set(&queries, 0, out.0), s.launch(&queries, &[1], None), s.finish()), (0, 0, 0));
    assert_eq!(s.read(&out, 3)[2], 0);
}

/// A child prints, and a launch may be repeated and recorded.
#[test]
fn printing() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let printing = kernel(&e.program, "printing").expect("the kernel");
    for n in 0..3 {
        assert_eq!(set(&printing, 0, n), 0);
        e.launch(&printing, &[1]);
    }
}

/// A command ends with its kernel, and is complete with the kernels that this enqueued (OpenCL API §5.14).
#[test]
fn times() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let queue = make_queue(&e.s, CL_QUEUE_PROFILING_ENABLE, None).expect("a queue");
    let (tree, counts) = (kernel(&e.program, "tree").expect("the kernel"), e.zeros(32));
    assert_eq!((set(&tree, 0, counts.0), set(&tree, 1, 5u32)), (0, 0));
    let (mut event, one) = (null_mut(), 1usize);
    // SAFETY: sizes and the place are valid; one event.
    unsafe {
        let size = &raw const one;
        let code = clEnqueueNDRangeKernel(queue.0, tree.0, 1, null(), size, null(), 0, null(), &mut event);
        assert_eq!((code, clWaitForEvents(1, &event)), (0, 0));
    }
    let event = Owned(event, clReleaseEvent);
    let time = |param| {
        number(query(|size, value, ret| {
            // SAFETY: the reply's place is valid.
            unsafe { clGetEventProfilingInfo(event.0, param, size, value, ret) }
        }))
    };
    let (start, end) = (time(CL_PROFILING_COMMAND_START), time(CL_PROFILING_COMMAND_END));
    assert!(start <= end && end < time(CL_PROFILING_COMMAND_COMPLETE));
}

/// Command buffers have no kernels that enqueue: no device has the capability.
#[test]
fn not_recorded() {
    let Some(e) = Enqueue::new(None, "") else { return };
    let (tree, counts) = (kernel(&e.program, "tree").expect("the kernel"), e.zeros(32));
    assert_eq!((set(&tree, 0, counts.0), set(&tree, 1, 1u32)), (0, 0));
    let (mut code, one, mut point) = (1, 1usize, 0);
    // SAFETY: one queue; places and sizes are valid.
    unsafe {
        let buffer = clCreateCommandBufferKHR(1, &e.s.queue.0, null(), &mut code);
        assert_eq!(code, 0);
        let (size, none) = (&raw const one, null_mut());
        let code = clCommandNDRangeKernelKHR(
            buffer,
            none,
            null(),
            tree.0,
            1,
            null(),
            size,
            null(),
            0,
            null(),
            &mut point,
            null_mut(),
        );
        assert_eq!(code, CL_INVALID_OPERATION);
        assert_eq!(clReleaseCommandBufferKHR(buffer), 0);
    }
}
