// The pragma of cl_ext_float_atomics brings the atomics of OpenCL C 2.0, which it extends, into sources with no -cl-std (as in MCX).
// no-diagnostics
// features: __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device cl_ext_float_atomics __opencl_c_ext_fp32_global_atomic_add __opencl_c_ext_fp32_global_atomic_min_max
// run: --kernel k --global 64 --arg float[2]:values=0.5,9 --arg int[2] --print p --print n
// prints: p: 2016.5 0
// prints: n: 64 63
#ifdef cl_ext_float_atomics
#error
#endif
#pragma OPENCL EXTENSION cl_ext_float_atomics : enable
#if __OPENCL_C_VERSION__ != 120 || !defined cl_ext_float_atomics
#error
#endif
inline float add(volatile global float *p, const float v) {
    return atomic_fetch_add_explicit((volatile global atomic_float *)p, v, memory_order_relaxed, memory_scope_device);
}
kernel void k(global float *p, global int *n) {
    int id = get_global_id(0);
    add(p, (float)id);
    atomic_fetch_min_explicit((volatile global atomic_float *)(p + 1), (float)id, memory_order_relaxed);
    atomic_fetch_add((volatile global atomic_int *)n, 1);
    // Those of 1.x are as ever.
    atomic_max(n + 1, id);
}
