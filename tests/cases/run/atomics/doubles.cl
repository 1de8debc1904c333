// cl_ext_float_atomics on doubles, in global and local memory.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_ext_float_atomics __opencl_c_atomic_scope_device __opencl_c_ext_fp64_global_atomic_add __opencl_c_ext_fp64_local_atomic_add __opencl_c_ext_fp64_global_atomic_min_max __opencl_c_ext_fp64_local_atomic_min_max
// run: --kernel doubles --global 300 --local 100 --arg double[6] --print d
// prints: d: 44850 -300 -299 299 1 -150
// refused[swiftshader phone-1.1]: atomic_double
kernel void doubles(volatile global atomic_double *d) {
    local atomic_double sum, least;
    int i = get_global_id(0);
    if (get_local_id(0) == 0) {
        atomic_init(&sum, 0.0);
        atomic_init(&least, 1.0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&d[0], (double)i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&d[1], 1.0, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&d[2], (double)-i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&d[3], (double)i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&sum, 0.5, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_min_explicit(&least, (double)-(int)get_local_id(0), memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        double s = atomic_exchange_explicit(&sum, 7.0, memory_order_relaxed, memory_scope_work_group);
        double all = atomic_load_explicit(&least, memory_order_relaxed, memory_scope_work_group);
        if (all == -99.0)
            atomic_fetch_add_explicit(&d[5], s, memory_order_relaxed, memory_scope_device);
    }
    atomic_store_explicit(&d[4], 1.0, memory_order_relaxed, memory_scope_device);
}
