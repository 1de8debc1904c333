// no-diagnostics
// options: -cl-std=CL3.0
// features: cl_ext_float_atomics __opencl_c_atomic_scope_device __opencl_c_ext_fp32_global_atomic_add __opencl_c_ext_fp32_global_atomic_min_max
// run: --kernel k --global 8 --local 8 --arg sum=float[1] --arg most=float[1] --print sum --print most
// prints: sum: 320000
// prints: most: 40000
// or-fails[masked]: the driver ended loops
// Mesa's llvmpipe before version 25 ends the loops of a work-item after 65,535 turns, silently: atomics that it lacks are loops, too.
kernel void k(volatile global atomic_float *sum, volatile global atomic_float *most) {
    for (uint i = 0; i < 40000; i++) {
        atomic_fetch_add_explicit(sum, 1.0f, memory_order_relaxed, memory_scope_device);
        atomic_fetch_max_explicit(most, (float)(i + 1), memory_order_relaxed, memory_scope_device);
    }
}
