//! Buffers of devices without addresses that bind few of them at once: lavapipe masked as a phone with Vulkan 1.1, which binds four of
//! 128 MiB. Kernels with more buffers see them through windows (`lower::kernel_info::Windows`), and so do kernels that follow pointers
//! which other kernels stored. Buffers that nobody writes take no memory.

mod again;
mod cl;
mod open;

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use cl::{Handle, Setup, arg, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{event::*, kernel::*, launch::*};

const MIB: usize = 1 << 20;

/// A test's turn. Each context has a Vulkan device here, and the validation layer has no lock around its devices: a device that one test
/// makes moves the entries under the others' feet. Some tests also want most of the memory: 2 GiB on lavapipe.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// On the masked device, in the test's turn.
fn phone() -> Option<Setup> {
    static MASK: Once = Once::new();
    MASK.call_once(|| {
        let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/profiles/phone-1.1.json");
        // SAFETY: before any thread reads the environment: every test begins here.
        unsafe { std::env::set_var("PUMICE_TARGET", profile) };
    });
    Setup::new()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

fn made(s: &Setup, source: &str, name: &CStr) -> Handle {
    kernel(s.context, source, name)
}

fn gone(kernel: Handle) {
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
}

const LISTS: &str = "typedef struct Node { global struct Node *next; int value; } Node;
kernel void build(global Node *a, global Node *b, global Node *global *head, int n) {
    global Node *last = 0;
    for (int i = 0; i < n; i++) {
        global Node *node = i & 1 ? &b[i / 2] : &a[i / 2];
        node->next = last;
        node->value = i * i;
        last = node;
    }
    *head = last;
}
kernel void walk(global Node *global *head, global int *out) {
    int sum = 0, count = 0;
    for (global Node *node = *head; node; node = node->next, count++)
        sum += node->value * (count + 1);
    out[0] = sum;
    out[1] = count;
}
kernel void change(global Node *global *head) {
    (*head)->next->value = -1;
}";

/// A list in two buffers, which the kernels that walk and change it are not given.
#[test]
fn a_list_is_walked_by_another_kernel() {
    let _turn = turn();
    let Some(s) = phone() else { return };
    walk_a_list(&s);
}

/// Buffers that fill more blocks than there are descriptors: of another context, and of the same one, which no pointer is to.
#[test]
fn a_list_is_walked_beside_many_blocks() {
    let _turn = turn();
    let (Some(other), Some(s)) = (phone(), phone()) else { return };
    let large = |s: &Setup| -> Vec<Handle> { (0..7).map(|_| s.buffer(0, 120 * MIB)).collect() };
    let theirs = large(&other);
    theirs.iter().for_each(|buffer| other.write(*buffer, 0, &[1; 4]));
    walk_a_list(&s);
    let own = large(&s);
    own.iter().for_each(|buffer| s.write(*buffer, 0, &[1; 4]));
    walk_a_list(&s);
    theirs.into_iter().chain(own).for_each(release);
}

fn walk_a_list(s: &Setup) {
    let (build, walk) = (made(s, LISTS, c"build"), made(s, LISTS, c"walk"));
    let change = made(s, LISTS, c"change");
    let (a, b, head, out) = (s.buffer(0, 4096), s.buffer(0, 4096), s.buffer(0, 8), s.buffer(0, 8));
    let n = 101i32;
    for (index, buffer) in (0..).zip([&a, &b, &head]) {
        arg(build, index, buffer);
    }
    arg(build, 3, &n);
    arg(walk, 0, &head);
    arg(walk, 1, &out);
    arg(change, 0, &head);
    let expected = |value: fn(i32) -> i32| (0..n).rev().zip(1..).map(|(i, c)| value(i) * c).sum::<i32>();
    let read = || words(&s.read(out, 0, 8)).iter().map(|w| w.cast_signed()).collect::<Vec<_>>();
    launch(s.queue, build, 1);
    launch(s.queue, walk, 1);
    assert_eq!(read(), [expected(|i| i * i), n]);
    launch(s.queue, change, 1);
    launch(s.queue, walk, 1);
    assert_eq!(read(), [expected(|i| if i == 99 { -1 } else { i * i }), n]);
    // The buffers are read where they are.
    assert_eq!(words(&s.read(b, 49 * 8 + 4, 4)), [u32::MAX]);
    [build, walk, change].into_iter().for_each(gone);
    [a, b, head, out].into_iter().for_each(release);
}

const MANY: &str = "constant uint table[4] = {3, 1, 4, 1};
global uint launches = 0;
kernel void many(global uint *a, global const uchar *b, constant short *c, global uint *d, global const float *e, global ushort *f,
                 global uint *g, global uint *h, global uint *none, uint n) {
    uint i = get_global_id(0);
    if (none) g[i] = 99;
    uint sum = a[i] + b[i] + c[i] + (uint)e[i] + f[i] + table[i & 3] + n;
    f[i] = sum;
    d[i] = sum + d[i];
    h[i] = sum;
    if (i == 0) {
        atomic_inc(&launches);
        g[0] = launches;
    }
    if (i == 5) printf(\"%u %d\\n\", sum, c[5]);
}";

/// Nine buffers, of which two are parts of one and one is NULL, with constants, variables and printf.
#[test]
fn many_buffers_share_four_descriptors() {
    let _turn = turn();
    let Some(s) = phone() else { return };
    let many = made(&s, MANY, c"many");
    let size = 64usize;
    let data: Vec<Vec<u8>> = [4, 1, 2, 4, 4, 2, 4].iter().zip(1..).map(|(w, n)| noise(w * size, n)).collect();
    let floats: Vec<u8> = (0..size).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let whole = s.filled(&noise(4096, 9));
    let part = s.sub(whole, 0, 1024, 4 * size).expect("a part");
    let other = s.sub(whole, 0, 2048, 4 * size).expect("a part");
    let (b, c, e) = (s.filled(&data[1]), s.filled(&data[2]), s.filled(&floats));
    let (f, g) = (s.filled(&data[5]), s.filled(&data[6]));
    let buffers = [part, b, c, other, e, f, g, other];
    for (index, buffer) in (0..).zip(&buffers) {
        arg(many, index, buffer);
    }
    // SAFETY: NULL is a buffer argument's value (OpenCL API, clSetKernelArg).
    assert_eq!(unsafe { clSetKernelArg(many, 8, size_of::<Handle>(), null()) }, 0);
    arg(many, 9, &1000u32);
    let before = s.read(whole, 0, 4096);
    launch(s.queue, many, size);
    let (a, after) = (words(&before[1024..]), s.read(whole, 0, 4096));
    let at = |of: &[u8], i: usize| u16::from_le_bytes([of[2 * i], of[2 * i + 1]]);
    let table = [3, 1, 4, 1];
    let sums: Vec<u32> = (0..size)
        .map(|i| {
            let short = u32::from(at(&data[2], i)).wrapping_shl(16).cast_signed() >> 16;
            let parts = [u32::from(data[1][i]), short.cast_unsigned(), i as u32, u32::from(at(&data[5], i))];
            parts.iter().fold(a[i].wrapping_add(table[i & 3] + 1000), |sum, p| sum.wrapping_add(*p))
        })
        .collect();
    // `d` and `h` are one buffer: the store to `h` is the last.
    assert_eq!(words(&after[2048..2048 + 4 * size]), sums);
    assert_eq!(after[..2048], before[..2048]);
    assert_eq!(after[2048 + 4 * size..], before[2048 + 4 * size..]);
    let shorts: Vec<u16> = (0..size).map(|i| at(&s.read(f, 0, 2 * size), i)).collect();
    assert_eq!(shorts, sums.iter().map(|sum| *sum as u16).collect::<Vec<_>>());
    assert_eq!(words(&s.read(g, 0, 8)), [1, words(&data[6])[1]]);
    launch(s.queue, many, size);
    assert_eq!(words(&s.read(g, 0, 4)), [2]);
    gone(many);
    [part, other, whole, b, c, e, f, g].into_iter().for_each(release);
}

const FAR: &str = "kernel void far(global uint *a, global uint *b, global uint *c, global uint *d, global uint *e, uint last) {
    uint i = get_global_id(0) ? last : 0;
    global uint *p = i ? b : c;
    e[get_global_id(0)] = a[i] + 2 * b[i] + 3 * c[i] + 4 * d[i] + p[i];
    p[i] = 7;
}";

/// Buffers that are too large to lie in one block of memory: two windows and more.
#[test]
fn large_buffers_have_windows_of_their_own() {
    let _turn = turn();
    let Some(s) = phone() else { return };
    let far = made(&s, FAR, c"far");
    let sizes = [40 * MIB, 70 * MIB, 4096, 4096, 64];
    let buffers = sizes.map(|size| s.buffer(0, size));
    let last = 1023u32;
    for (n, (buffer, size)) in (1u32..).zip(buffers.iter().zip(sizes)) {
        s.write(*buffer, 0, &n.to_le_bytes());
        if size > 64 {
            s.write(*buffer, 4 * last as usize, &(10 * n).to_le_bytes());
        }
        arg(far, n - 1, buffer);
    }
    arg(far, 5, &last);
    launch(s.queue, far, 2);
    assert_eq!(words(&s.read(buffers[4], 0, 8)), [1 + 4 + 9 + 16 + 3, 10 + 40 + 90 + 160 + 20]);
    assert_eq!(words(&s.read(buffers[1], 4 * last as usize, 4)), [7]);
    assert_eq!(words(&s.read(buffers[2], 0, 4)), [7]);
    // Five buffers of 120 MiB are more than four descriptors show.
    let large = [0; 5].map(|_| s.buffer(0, 120 * MIB));
    for (n, buffer) in (0..).zip(&large) {
        s.write(*buffer, 0, &[0; 4]);
        arg(far, n, buffer);
    }
    let size = 2;
    // SAFETY: one size.
    let code =
        unsafe { clEnqueueNDRangeKernel(s.queue, far, 1, null(), &size, null(), 0, null(), null_mut()) };
    assert_eq!(code, CL_OUT_OF_RESOURCES);
    gone(far);
    large.into_iter().for_each(release);
    buffers.into_iter().for_each(release);
}

const APART: &str = "kernel void apart(global uint *a, global const uint *b, global uint *c, global const uint *d, global uint *e,
                  global uint *f, global uint *g, uint n) {
    uint i = get_global_id(0);
    f[i] += a[i] + 2 * b[i] + 3 * c[i] + 4 * d[i] + 5 * e[i] + n;
    c[i] = g[i] + (a == c ? 1000 : 0) + (e == g ? 2000 : 0);
    e[i] ^= f[i];
}
kernel void store(global uint *a, global uint *b, global uint *c, global uint *d, global uint *e, global ulong *out) {
    out[0] = (ulong)a + *a + *b + *c + *d + *e;
}";

/// A buffer that fills most of a block, and the small part of it that kernels are given.
struct Far {
    whole: Handle,
    part: Handle,
    /// What the part has.
    model: Vec<u32>,
}

impl Far {
    fn new(s: &Setup, seed: u32, len: usize) -> Self {
        let (whole, data) = (s.buffer(0, 120 * MIB), noise(4 * len, seed));
        let at = 4096 * (seed as usize % 1000 + 1);
        s.write(whole, at, &data);
        Far { whole, part: s.sub(whole, 0, at, 4 * len).expect("a part"), model: words(&data) }
    }

    fn gone(self) {
        release(self.part);
        release(self.whole);
    }
}

/// Arguments in seven blocks: what the kernel sees of them is brought together, and what it writes comes back.
#[test]
fn arguments_in_more_blocks_than_descriptors() {
    let _turn = turn();
    let Some(s) = phone() else { return };
    const LEN: usize = 1000;
    let (apart, store) = (made(&s, APART, c"apart"), made(&s, APART, c"store"));
    let mut far: Vec<Far> = (1..=7).map(|seed| Far::new(&s, seed, LEN)).collect();
    // Which of the buffers each argument is: all apart, and some twice.
    let orders = [[0, 1, 2, 3, 4, 5, 6], [2, 1, 2, 3, 6, 5, 6], [6, 5, 4, 3, 2, 1, 0], [0, 0, 1, 1, 2, 3, 4]];
    let mut event = null_mut();
    for round in 0..40u32 {
        let order = orders[round as usize % orders.len()];
        for (index, which) in (0..).zip(order) {
            arg(apart, index, &far[which].part);
        }
        arg(apart, 7, &round);
        // SAFETY: one size; the event's place is valid.
        let code =
            unsafe { clEnqueueNDRangeKernel(s.queue, apart, 1, null(), &LEN, null(), 0, null(), &mut event) };
        assert_eq!(code, 0);
        // SAFETY: an event.
        assert_eq!(unsafe { (clWaitForEvents(1, &event), clReleaseEvent(event)) }, (0, 0));
        let [a, b, c, d, e, f, g] = order;
        let same = if a == c { 1000 } else { 0 } + if e == g { 2000 } else { 0 };
        for i in 0..LEN {
            let at = |which: usize| far[which].model[i];
            let terms = [at(a), at(b).wrapping_mul(2), at(c).wrapping_mul(3), at(d).wrapping_mul(4)];
            let sum =
                terms.iter().fold(at(e).wrapping_mul(5).wrapping_add(round), |sum, t| sum.wrapping_add(*t));
            far[f].model[i] = far[f].model[i].wrapping_add(sum);
            far[c].model[i] = far[g].model[i].wrapping_add(same);
            far[e].model[i] ^= far[f].model[i];
        }
        for (which, far) in far.iter().enumerate() {
            assert!(words(&s.read(far.part, 0, 4 * LEN)) == far.model, "round {round}, buffer {which}");
        }
    }
    // A kernel that stores where its arguments are must see them there.
    for (index, far) in (0..).zip(&far[..6]) {
        arg(store, index, &far.part);
    }
    let size = 1;
    // SAFETY: one size.
    let code =
        unsafe { clEnqueueNDRangeKernel(s.queue, store, 1, null(), &size, null(), 0, null(), null_mut()) };
    assert_eq!(code, CL_OUT_OF_RESOURCES);
    [apart, store].into_iter().for_each(gone);
    far.into_iter().for_each(Far::gone);
}

/// Threads with a context each, whose buffers come and go, more than blocks have room for.
#[test]
fn buffers_come_and_go_in_several_contexts() {
    let _turn = turn();
    // All are there before the threads begin, and until they have ended.
    let Some(setups) = (0..3).map(|_| phone().map(Passed)).collect::<Option<Vec<Passed>>>() else { return };
    std::thread::scope(|scope| {
        for (seed, passed) in (1..).zip(&setups) {
            scope.spawn(move || come_and_go(&passed.0, seed));
        }
    });
}

/// A setup that a thread uses.
struct Passed(Setup);

// SAFETY: handles, which threads may share (OpenCL API, appendix A.2); each setup is one thread's.
unsafe impl Sync for Passed {}

const MIX: &str = "kernel void mix(global uint *a, global uint *b, global uint *c, global uint *d, global uint *e, global uint *f, uint n) {
    uint i = get_global_id(0);
    a[i] = a[i] * 3 + b[i] + c[i] + n;
    f[i] = d[i] ^ e[i];
}";

fn come_and_go(s: &Setup, seed: u32) {
    let mix = made(s, MIX, c"mix");
    let mut state = u64::from(seed);
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    const LEN: usize = 64;
    let make = |n: usize, seed: u32| {
        let data = noise(4 * n, seed);
        (s.filled(&data), words(&data))
    };
    let mut all: Vec<(Handle, Vec<u32>)> = (0..100).map(|n| make(LEN + 16 * n as usize, n)).collect();
    for step in 0..600u32 {
        if step % 3 == 0 {
            let new = make(LEN + below(5000), step);
            let at = below(all.len());
            let (old, model) = std::mem::replace(&mut all[at], new);
            assert!(words(&s.read(old, 0, 4 * model.len())) == model, "step {step}");
            release(old);
        }
        let order: [usize; 6] = std::array::from_fn(|_| below(all.len()));
        for (index, which) in (0..).zip(order) {
            arg(mix, index, &all[which].0);
        }
        arg(mix, 6, &step);
        launch(s.queue, mix, LEN);
        let [a, b, c, d, e, f] = order;
        for i in 0..LEN {
            let sum = all[a].1[i].wrapping_mul(3).wrapping_add(all[b].1[i]).wrapping_add(all[c].1[i]);
            all[a].1[i] = sum.wrapping_add(step);
            all[f].1[i] = all[d].1[i] ^ all[e].1[i];
        }
    }
    walk_a_list(s);
    for (buffer, model) in all {
        assert!(words(&s.read(buffer, 0, 4 * model.len())) == model);
        release(buffer);
    }
    gone(mix);
}

/// Blocks so small that every launch has several, or too many.
#[test]
fn the_same_in_small_blocks() {
    let modes = [
        "tune.block=2048",
        "tune.block=2048,tune.block_most=2048",
        "tune.block=4096,tune.block_most=4096,streams=3",
    ];
    again::again_in(module_path!(), &modes);
}
