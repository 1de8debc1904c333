//! Structures of pointers in shared virtual memory: built by either side, updated by the other, walked again by the first. The pointers
//! are the same numbers on both.

use std::ptr::{null, null_mut};

use crate::{again, cl};
use cl::{Setup, arg, kernel, launch};
use opencl_sys::*;
use pumice::entry::{device::*, kernel::*, svm::*};

const SOURCE: &str = "
typedef struct tree { int key; int count; global struct tree *left, *right; } tree;
kernel void search(global tree *root, global const int *keys, global ulong *found) {
    size_t i = get_global_id(0);
    int key = keys[i];
    global tree *t = root;
    for (int depth = 0; depth < 32 && t && t->key != key; depth++) t = key < t->key ? t->left : t->right;
    found[i] = (ulong)t;
    if (t) t->count += (int)i + 1;
}
kernel void plant(global tree *a, int n) {
    int i = get_global_id(0);
    a[i].key = i;
    a[i].left = 2 * i + 1 < n ? a + 2 * i + 1 : 0;
    a[i].right = 2 * i + 2 < n ? a + 2 * i + 2 : 0;
}
typedef struct entry { ulong key; ulong value; global struct entry *next; } entry;
kernel void look_up(global entry *global *buckets, uint n, global const ulong *keys, global ulong *out) {
    size_t i = get_global_id(0);
    global entry *e = buckets[keys[i] % n];
    for (int d = 0; d < 1000 && e && e->key != keys[i]; d++) e = e->next;
    out[i] = e ? e->value : ~0ul;
    if (e) e->value += 1000;
}
kernel void chain(global entry *global *buckets, uint n, global entry *all, uint m) {
    uint b = get_global_id(0);
    global entry *head = 0;
    for (uint i = 0; i < 300 && i < m; i++) {
        ulong key = i * 977ul + 5;
        if (key % n == b) {
            all[i].key = key;
            all[i].value = i;
            all[i].next = head;
            head = all + i;
        }
    }
    buckets[b] = head;
}
typedef struct vertex { int value, next; int degree, pad; global struct vertex *global *to; } vertex;
kernel void spread(global vertex *v) {
    size_t i = get_global_id(0);
    int sum = v[i].value;
    for (int j = 0; j < 8 && j < v[i].degree; j++) sum += v[i].to[j]->value;
    v[i].next = sum;
}
kernel void settle(global vertex *v) { size_t i = get_global_id(0); v[i].value = v[i].next; }
kernel void rewire(global vertex *v, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < 8 && j < v[i].degree; j++) v[i].to[j] = v + (i * 3 + j * j) % n;
}";

/// Shared memory that the host has mapped all the time but while kernels run.
struct Shared<'a, T> {
    setup: &'a Setup,
    pointer: *mut T,
    count: usize,
}

impl<'a, T> Shared<'a, T> {
    fn new(setup: &'a Setup, count: usize) -> Self {
        // SAFETY: a valid context.
        let pointer: *mut T = unsafe { clSVMAlloc(setup.context, 0, count * size_of::<T>(), 0) }.cast();
        let shared = Shared { setup, pointer, count };
        assert!(!shared.pointer.is_null());
        shared.map();
        // SAFETY: mapped; zeros are valid for what is stored here.
        unsafe { shared.pointer.write_bytes(0, count) };
        shared
    }

    fn map(&self) {
        let (flags, size) = (CL_MAP_READ | CL_MAP_WRITE, self.count * size_of::<T>());
        // SAFETY: the memory is of this size.
        let code = unsafe {
            clEnqueueSVMMap(self.setup.queue, 1, flags, self.pointer.cast(), size, 0, null(), null_mut())
        };
        assert_eq!(code, 0);
    }

    fn unmap(&self) {
        // SAFETY: mapped.
        let code = unsafe { clEnqueueSVMUnmap(self.setup.queue, self.pointer.cast(), 0, null(), null_mut()) };
        assert_eq!(code, 0);
    }

    fn at(&self, i: usize) -> *mut T {
        assert!(i < self.count);
        self.pointer.wrapping_add(i)
    }

    #[allow(clippy::mut_from_ref)]
    fn get(&self, i: usize) -> &mut T {
        // SAFETY: in the memory, mapped, and each is borrowed alone.
        unsafe { &mut *self.at(i) }
    }

    fn set(&self, kernel: cl_kernel, index: u32) {
        // SAFETY: a valid kernel.
        assert_eq!(unsafe { clSetKernelArgSVMPointer(kernel, index, self.pointer.cast()) }, 0);
    }

    /// What the kernel reaches beside its arguments.
    fn reached_by(&self, kernel: cl_kernel) {
        let list = [self.pointer];
        let what = CL_KERNEL_EXEC_INFO_SVM_PTRS;
        // SAFETY: one pointer.
        assert_eq!(unsafe { clSetKernelExecInfo(kernel, what, 8, list.as_ptr().cast()) }, 0);
    }
}

impl<T> Drop for Shared<'_, T> {
    fn drop(&mut self) {
        // SAFETY: allocated here; the tests have waited for their kernels.
        unsafe { clSVMFree(self.setup.context, self.pointer.cast()) };
    }
}

fn run<const N: usize>(s: &Setup, kernel: cl_kernel, items: usize, unmapped: [&dyn Fn(bool); N]) {
    unmapped.iter().for_each(|map| map(false));
    launch(s.queue, kernel, items);
    unmapped.iter().for_each(|map| map(true));
}

fn switch<'a, T>(shared: &'a Shared<'_, T>) -> impl Fn(bool) + 'a {
    |map| if map { shared.map() } else { shared.unmap() }
}

fn setup() -> Option<Setup> {
    let s = Setup::new()?;
    let mut value = 0u64;
    // SAFETY: eight bytes.
    unsafe { clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, 8, (&raw mut value).cast(), null_mut()) };
    if value == 0 {
        println!("SKIP: no shared virtual memory");
        return None;
    }
    Some(s)
}

#[repr(C)]
struct Tree {
    key: i32,
    count: i32,
    left: *mut Tree,
    right: *mut Tree,
}

#[test]
fn trees() {
    const NODES: usize = 255;
    let Some(s) = setup() else { return };
    let (search, plant) = (kernel(s.context, SOURCE, c"search"), kernel(s.context, SOURCE, c"plant"));
    let tree = Shared::<Tree>::new(&s, NODES);
    let (keys, found) = (Shared::<i32>::new(&s, 128), Shared::<u64>::new(&s, 128));
    let child = |i: usize| if i < NODES { tree.at(i) } else { null_mut() };
    // In level order; the keys ascend from left to right.
    fn number(tree: &Shared<'_, Tree>, at: usize, next: &mut i32) {
        if at < NODES {
            number(tree, 2 * at + 1, next);
            tree.get(at).key = *next * 2;
            *next += 1;
            number(tree, 2 * at + 2, next);
        }
    }
    number(&tree, 0, &mut 0);
    for i in 0..NODES {
        (tree.get(i).left, tree.get(i).right) = (child(2 * i + 1), child(2 * i + 2));
    }
    (0..128).for_each(|i| *keys.get(i) = i as i32 * 4 + i32::from(i % 5 == 0));
    tree.set(search, 0);
    keys.set(search, 1);
    found.set(search, 2);
    run(&s, search, 128, [&switch(&tree), &switch(&keys), &switch(&found)]);
    for i in 0..128 {
        let key = *keys.get(i);
        let mut at = tree.at(0);
        // SAFETY: the host built the tree, and the kernel changed counts alone.
        unsafe {
            while !at.is_null() && (*at).key != key {
                at = if key < (*at).key { (*at).left } else { (*at).right };
            }
            assert_eq!(*found.get(i), at.addr() as u64, "key {key}");
            assert!(at.is_null() || (*at).count == i as i32 + 1);
        }
    }
    tree.set(plant, 0);
    arg(plant, 1, &(NODES as i32));
    run(&s, plant, NODES, [&switch(&tree)]);
    let mut open = vec![tree.at(0)];
    let mut seen = 0;
    while let Some(node) = open.pop() {
        let i = (node.addr() - tree.pointer.addr()) / size_of::<Tree>();
        assert!(i < NODES && tree.get(i).key == i as i32);
        let node = tree.get(i);
        assert_eq!((node.left, node.right), (child(2 * i + 1), child(2 * i + 2)));
        open.extend([node.left, node.right].into_iter().filter(|p| !p.is_null()));
        seen += 1;
    }
    assert_eq!(seen, NODES);
}

#[repr(C)]
struct Entry {
    key: u64,
    value: u64,
    next: *mut Entry,
}

#[test]
fn hash_tables() {
    const BUCKETS: usize = 31;
    const ENTRIES: usize = 300;
    let Some(s) = setup() else { return };
    let (look_up, chain) = (kernel(s.context, SOURCE, c"look_up"), kernel(s.context, SOURCE, c"chain"));
    let buckets = Shared::<*mut Entry>::new(&s, BUCKETS);
    let entries = Shared::<Entry>::new(&s, ENTRIES);
    let (keys, out) = (Shared::<u64>::new(&s, ENTRIES), Shared::<u64>::new(&s, ENTRIES));
    for i in 0..ENTRIES {
        let key = i as u64 * 577 + 5;
        let bucket = buckets.get(key as usize % BUCKETS);
        *entries.get(i) = Entry { key, value: i as u64, next: *bucket };
        *bucket = entries.at(i);
        *keys.get(i) = if i % 3 > 0 { key } else { 1_000_000 + i as u64 };
    }
    buckets.set(look_up, 0);
    arg(look_up, 1, &(BUCKETS as u32));
    keys.set(look_up, 2);
    out.set(look_up, 3);
    entries.reached_by(look_up);
    let all: [&dyn Fn(bool); 4] = [&switch(&buckets), &switch(&entries), &switch(&keys), &switch(&out)];
    run(&s, look_up, ENTRIES, all);
    for i in 0..ENTRIES {
        let hit = i % 3 > 0;
        assert_eq!(*out.get(i), if hit { i as u64 } else { u64::MAX });
        assert_eq!(entries.get(i).value, i as u64 + if hit { 1000 } else { 0 });
    }
    // The device builds the table again, with other keys.
    buckets.set(chain, 0);
    arg(chain, 1, &(BUCKETS as u32));
    entries.set(chain, 2);
    arg(chain, 3, &(ENTRIES as u32));
    run(&s, chain, BUCKETS, [&switch(&buckets), &switch(&entries)]);
    let mut seen = 0;
    for bucket in 0..BUCKETS {
        let mut at = *buckets.get(bucket);
        while !at.is_null() {
            let i = (at.addr() - entries.pointer.addr()) / size_of::<Entry>();
            assert!(i < ENTRIES && entries.at(i) == at);
            let entry = entries.get(i);
            assert_eq!((entry.key as usize % BUCKETS, entry.value), (bucket, i as u64));
            entry.value *= 2;
            *keys.get(i) = entry.key;
            at = entry.next;
            seen += 1;
        }
    }
    assert_eq!(seen, ENTRIES);
    run(&s, look_up, ENTRIES, all);
    (0..ENTRIES).for_each(|i| assert_eq!(*out.get(i), 2 * i as u64));
}

#[repr(C)]
struct Vertex {
    value: i32,
    next: i32,
    degree: i32,
    pad: i32,
    to: *mut *mut Vertex,
}

#[test]
fn graphs() {
    const VERTICES: usize = 200;
    const MAX: usize = 6;
    let Some(s) = setup() else { return };
    let [spread, settle, rewire] =
        [c"spread", c"settle", c"rewire"].map(|name| kernel(s.context, SOURCE, name));
    let vertices = Shared::<Vertex>::new(&s, VERTICES);
    let edges = Shared::<*mut Vertex>::new(&s, VERTICES * MAX);
    let first = |i: usize, j: usize| (i * 7 + j * 13) % VERTICES;
    let second = |i: usize, j: usize| (i * 3 + j * j) % VERTICES;
    let mut values: Vec<i32> = (0..VERTICES as i32).collect();
    for i in 0..VERTICES {
        let degree = i % MAX + 1;
        *vertices.get(i) =
            Vertex { value: values[i], next: 0, degree: degree as i32, pad: 0, to: edges.at(i * MAX) };
        (0..degree).for_each(|j| *edges.get(i * MAX + j) = vertices.at(first(i, j)));
    }
    [spread, settle, rewire].iter().for_each(|k| vertices.set(*k, 0));
    arg(rewire, 1, &(VERTICES as i32));
    [spread, rewire].iter().for_each(|k| edges.reached_by(*k));
    let mut step = |to: &dyn Fn(usize, usize) -> usize| {
        run(&s, spread, VERTICES, [&switch(&vertices), &switch(&edges)]);
        run(&s, settle, VERTICES, [&switch(&vertices)]);
        let sum = |i: usize| (0..=i % MAX).fold(values[i], |sum, j| sum.wrapping_add(values[to(i, j)]));
        values = (0..VERTICES).map(sum).collect();
        (0..VERTICES).for_each(|i| assert_eq!(vertices.get(i).value, values[i], "vertex {i}"));
    };
    (0..3).for_each(|_| step(&first));
    run(&s, rewire, VERTICES, [&switch(&vertices), &switch(&edges)]);
    for i in 0..VERTICES {
        (0..=i % MAX).for_each(|j| assert_eq!(*edges.get(i * MAX + j), vertices.at(second(i, j))));
    }
    step(&second);
}

/// Many allocations, in any order of freeing; what is found in them is theirs.
#[test]
fn many_allocations() {
    let Some(s) = setup() else { return };
    let count = if cfg!(debug_assertions) { 20_000 } else { 100_000 };
    // SAFETY: a valid context.
    let all: Vec<_> = (0..count)
        .map(|i| unsafe { clSVMAlloc(s.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 16 + i % 200, 0) })
        .collect();
    assert!(all.iter().all(|p| !p.is_null() && p.addr().is_multiple_of(128)));
    let mut sorted = all.clone();
    sorted.sort();
    assert!(sorted.windows(2).all(|w| w[1].addr() - w[0].addr() >= 128), "they are apart");
    let tree = kernel(s.context, SOURCE, c"plant");
    arg(tree, 1, &1);
    for p in all.iter().step_by(count / 16) {
        // SAFETY: the kernel writes 24 bytes; allocations are multiples of 128.
        assert_eq!(unsafe { clSetKernelArgSVMPointer(tree, 0, *p) }, 0);
        launch(s.queue, tree, 1);
    }
    s.finish();
    for p in all.iter().skip(1).step_by(2).chain(all.iter().step_by(2)) {
        // SAFETY: allocated above, once; the kernels are done.
        unsafe { clSVMFree(s.context, *p) };
    }
    // SAFETY: as above.
    unsafe { clReleaseKernel(tree) };
}

#[test]
fn the_same_in_the_arena() {
    again::again_in_ways(module_path!(), &["arena"]);
}
