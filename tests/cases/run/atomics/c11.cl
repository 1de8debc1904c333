// The atomic functions of OpenCL C 2.0 and later (§6.15.12) on global, local and generic pointers.
// options: -cl-std=CL2.0
// run: --kernel k --global 64 --local 32 --arg int[16] --arg uint[4] --arg float[2] --print g --print u --print f
// no-diagnostics
global atomic_flag lock = ATOMIC_FLAG_INIT;
global atomic_int start = ATOMIC_VAR_INIT(5);

void count(volatile atomic_int *p) { atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_work_group); }

kernel void k(global atomic_int *g, volatile global atomic_uint *u, global atomic_float *f) {
    local atomic_int l;
    global int *plain = (global int *)g;
    if (get_local_id(0) == 0) atomic_init(&l, 100);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&g[0], 2);
    count(&g[1]);
    count(&l);
    atomic_fetch_max_explicit(&g[2], (int)get_global_id(0), memory_order_relaxed);
    atomic_fetch_or_explicit(u, 1u << (get_global_id(0) & 31), memory_order_acq_rel, memory_scope_device);
    atomic_fetch_min(&u[1], (uint)get_global_id(0));
    int expected = atomic_load(&g[3]);
    while (!atomic_compare_exchange_weak(&g[3], &expected, expected + 3)) {}
    float old = atomic_load_explicit(f, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(f, &old, old + 0.5f, memory_order_acquire, memory_order_relaxed, memory_scope_device)) {}
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) atomic_store(&g[4 + get_group_id(0)], atomic_load(&l));
    if (get_global_id(0) == 0) {
        plain[6] = atomic_flag_test_and_set(&lock);
        plain[7] = atomic_flag_test_and_set(&lock);
        atomic_flag_clear(&lock);
        plain[8] = atomic_flag_test_and_set_explicit(&lock, memory_order_acquire, memory_scope_device);
        plain[9] = atomic_exchange(&start, 6);
        plain[10] = atomic_exchange_explicit(&start, 7, memory_order_release);
        int no = 0;
        plain[11] = atomic_compare_exchange_strong(&start, &no, 9);
        plain[12] = no;
        ((global float *)f)[1] = atomic_exchange(&f[1], 4.0f) + 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        plain[13] = atomic_fetch_sub(&start, 2) + atomic_fetch_xor(&start, 1) + atomic_fetch_and(&start, 6);
    }
}
// prints: g: 128 64 63 192 132 132 0 1 0 5 6 0 7 16 0 0
// prints: u: 4294967295 0 0 0
// prints: f: 32 1
