// cl_ext_float_atomics on halves: what stands in the same word is another's, and not lost; in an array that plain accesses see, too.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_ext_float_atomics __opencl_c_atomic_scope_device cl_khr_fp16 __opencl_c_atomic_order_acq_rel __opencl_c_work_group_collective_functions __opencl_c_ext_fp16_global_atomic_load_store __opencl_c_ext_fp16_local_atomic_load_store __opencl_c_ext_fp16_global_atomic_add __opencl_c_ext_fp16_local_atomic_add __opencl_c_ext_fp16_global_atomic_min_max __opencl_c_ext_fp16_local_atomic_min_max
// run: --kernel halves --global 200 --local 50 --arg half[8] --arg half[100] --print h --print others:4
// prints: h: 200 -100 -199 99 1 800 0 2
// prints: others: 0 1 2 3 …
// refused[swiftshader phone-1.1]: atomic_half
// run: --kernel ordered --global 64 --local 16 --arg half[64] --print h:4
// prints: h: 1 2 3 4 …
// refused[swiftshader phone-1.1]: atomic_half
kernel void halves(volatile global atomic_half *h, volatile global atomic_half *others) {
    local half plain[8];
    local atomic_half sums[3];
    int i = get_global_id(0), l = get_local_id(0);
    if (l < 3)
        atomic_init(&sums[l], (half)l);
    if (l < 8)
        plain[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&h[0], (half)1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&h[1], (half)0.5, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&h[2], (half)-i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&h[3], (half)(i / 2), memory_order_relaxed, memory_scope_device);
    // Neighbours are stored, exchanged and added to at once.
    if (i < 100)
        atomic_store_explicit(&others[i], (half)i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&sums[1], (half)4, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(&sums[0], (half)l, memory_order_relaxed, memory_scope_work_group);
    if (l == 3)
        atomic_exchange_explicit((volatile local atomic_half *)&plain[3], (half)30, memory_order_relaxed, memory_scope_work_group);
    if (l == 4)
        plain[4] = 40;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        half sum = atomic_load_explicit(&sums[1], memory_order_relaxed, memory_scope_work_group);
        half most = atomic_load_explicit(&sums[0], memory_order_relaxed, memory_scope_work_group);
        half kept = atomic_load_explicit(&sums[2], memory_order_relaxed, memory_scope_work_group);
        if (plain[2] != 2 || plain[3] != 30 || plain[4] != 40 || plain[5] != 5 || sum != 201)
            atomic_fetch_add_explicit(&h[6], (half)1, memory_order_relaxed, memory_scope_device);
        atomic_fetch_add_explicit(&h[5], sum - 1, memory_order_relaxed, memory_scope_device);
        if (most != 49 || kept != 2)
            atomic_fetch_add_explicit(&h[6], (half)1, memory_order_relaxed, memory_scope_device);
        atomic_fetch_max_explicit(&h[7], kept, memory_order_relaxed, memory_scope_device);
    }
    atomic_store_explicit(&h[4], (half)1, memory_order_relaxed, memory_scope_device);
}
// With orders, which some drivers' read-modify-writes stand for; exchanged often, by all at once.
kernel void ordered(global half *h) {
    local atomic_half kept[16], one;
    int l = get_local_id(0);
    atomic_store_explicit(&kept[l], (half)l, memory_order_release, memory_scope_work_group);
    if (l == 0)
        atomic_init(&one, (half)100);
    barrier(CLK_LOCAL_MEM_FENCE);
    half mine = l;
    for (int i = 0; i < 10000; i++)
        mine = atomic_exchange_explicit(&one, mine, memory_order_acq_rel, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    // What was exchanged is still there, once each.
    float sum = work_group_reduce_add((float)mine);
    float last = atomic_load_explicit(&one, memory_order_acquire, memory_scope_work_group);
    half seen = atomic_load_explicit(&kept[l], memory_order_acquire, memory_scope_work_group);
    h[get_global_id(0)] = sum + last == 220 ? seen + 1 : -1;
}
