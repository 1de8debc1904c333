//! Buffers of devices without addresses that bind few of them at once: lavapipe masked as a phone with Vulkan 1.1, which binds four.
//! Kernels with more buffers see them through windows (`lower::kernel_info::Windows`), and so do kernels that follow pointers which
//! other kernels stored.

mod cl;
mod open;

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::sync::Once;

use cl::{Handle, Setup, arg, kernel, launch, noise, release};
use opencl_sys::*;
use pumice::entry::{kernel::*, launch::*};

/// On the masked device.
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
    let Some(s) = phone() else { return };
    let (build, walk) = (made(&s, LISTS, c"build"), made(&s, LISTS, c"walk"));
    let change = made(&s, LISTS, c"change");
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
    let Some(s) = phone() else { return };
    let far = made(&s, FAR, c"far");
    let mib = 1usize << 20;
    let sizes = [40 * mib, 70 * mib, 4096, 4096, 64];
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
    // Five blocks of 128 MiB are more than four descriptors.
    let large = [0; 5].map(|_| s.buffer(0, 120 * mib));
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
