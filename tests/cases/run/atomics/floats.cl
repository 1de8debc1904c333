// cl_ext_float_atomics: every operation on floats and doubles in global and local memory, where many work-items meet and where NaNs are.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_atomic_scope_device cl_ext_float_atomics __opencl_c_ext_fp32_global_atomic_add __opencl_c_ext_fp32_local_atomic_add __opencl_c_ext_fp32_global_atomic_min_max __opencl_c_ext_fp32_local_atomic_min_max
// run: --kernel floats --global 300 --local 100 --arg float[8] --print f
// prints: f: 44850 -300 -299 299 1 -150 0 3
// run: --kernel nans --global 1 --arg float[4] --print f
// prints: f: 2 2 3 3
#define ADD(p, v) atomic_fetch_add_explicit(p, v, memory_order_relaxed, memory_scope_device)
#define SUB(p, v) atomic_fetch_sub_explicit(p, v, memory_order_relaxed, memory_scope_device)
#define MIN(p, v) atomic_fetch_min_explicit(p, v, memory_order_relaxed, memory_scope_device)
#define MAX(p, v) atomic_fetch_max_explicit(p, v, memory_order_relaxed, memory_scope_device)
kernel void floats(volatile global atomic_float *f) {
    local atomic_float sum, least;
    int i = get_global_id(0);
    if (get_local_id(0) == 0) {
        atomic_init(&sum, 0.0f);
        atomic_init(&least, 1.0f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ADD(&f[0], (float)i);
    SUB(&f[1], 1.0f);
    MIN(&f[2], (float)-i);
    MAX(&f[3], (float)i);
    SUB(&sum, 0.5f);
    float before = MIN(&least, (float)-(int)get_local_id(0));
    if (!(before <= 1.0f && before > -100.0f))
        ADD(&f[6], 1.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        if (atomic_load_explicit(&least, memory_order_relaxed, memory_scope_work_group) == -99.0f)
            ADD(&f[7], 1.0f);
        ADD(&f[5], atomic_exchange_explicit(&sum, 7.0f, memory_order_relaxed, memory_scope_work_group));
    }
    atomic_store_explicit(&f[4], 1.0f, memory_order_relaxed, memory_scope_device);
}
kernel void nans(global float *f) {
    volatile global atomic_float *a = (volatile global atomic_float *)f;
    f[0] = NAN;
    f[1] = 2;
    f[2] = 3;
    f[3] = 3;
    // A NaN in memory, one as the operand; -0 and 0; what is there already.
    MIN(&a[0], 2.0f);
    MAX(&a[1], NAN);
    MIN(&a[2], INFINITY);
    MAX(&a[3], -INFINITY);
}
