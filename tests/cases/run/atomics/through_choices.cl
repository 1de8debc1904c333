// Atomics on parts of words through pointers that choose between objects: each way tries until nobody else changed the word.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_ext_float_atomics __opencl_c_atomic_scope_device cl_khr_fp16 __opencl_c_generic_address_space __opencl_c_ext_fp16_global_atomic_load_store __opencl_c_ext_fp16_local_atomic_load_store __opencl_c_ext_fp16_global_atomic_add __opencl_c_ext_fp16_local_atomic_add __opencl_c_ext_fp16_global_atomic_min_max __opencl_c_ext_fp16_local_atomic_min_max
// run: --kernel buffers --global 100 --local 20 --arg half[4] --arg half[4] --print a --print b
// prints: a: 50 0 98 0
// prints: b: 0 -25 -99 99
// refused[swiftshader phone-1.1]: atomic_half
// run: --kernel spaces --global 60 --local 60 --arg half[4] --print h
// prints: h: 30 1 30 60
// refused[swiftshader phone-1.1]: atomic_half
kernel void buffers(global atomic_half *a, global atomic_half *b) {
    int i = get_global_id(0);
    volatile global atomic_half *p = i & 1 ? b + 1 : a;
    half old = atomic_fetch_add_explicit(p, i & 1 ? (half)-0.5 : (half)1, memory_order_relaxed, memory_scope_device);
    p = i & 1 ? b : a;
    atomic_fetch_max_explicit(p + 2, i & 1 ? (half)-100 : (half)i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(i & 1 ? b + 2 : a + 1, i & 1 ? (half)-i : (half)0, memory_order_relaxed, memory_scope_device);
    // Each value that was there before is one that was.
    if (i & 1 ? old > 0 || old < -25 : old < 0 || old > 50)
        atomic_store_explicit(a + 3, (half)1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(i & 1 ? b + 3 : a + 1, i & 1 ? (half)i : (half)0, memory_order_relaxed, memory_scope_device);
}
kernel void spaces(global atomic_half *h) {
    local atomic_half here[4];
    int l = get_local_id(0);
    if (l < 4)
        atomic_init(&here[l], (half)l);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_half *p = l & 1 ? (atomic_half *)&here[1] : (atomic_half *)&h[0];
    atomic_fetch_add_explicit(p, (half)1, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (l == 0) {
        // One and thirty; the neighbours are as they were.
        half sum = atomic_load_explicit(&here[1], memory_order_relaxed, memory_scope_work_group) - 1;
        half others = atomic_load_explicit(&here[0], memory_order_relaxed, memory_scope_work_group)
            + atomic_load_explicit(&here[2], memory_order_relaxed, memory_scope_work_group)
            + atomic_load_explicit(&here[3], memory_order_relaxed, memory_scope_work_group);
        atomic_store_explicit(&h[1], others == 5 ? (half)1 : (half)-1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(&h[2], sum, memory_order_relaxed, memory_scope_device);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(l & 1 ? (atomic_half *)&h[3] : (atomic_half *)&here[3], (half)2, memory_order_relaxed, memory_scope_device);
}
