// -cl-std=CL3.0: the version's macros and what it has of itself.
// options: -cl-std=CL3.0
// no-diagnostics
#if __OPENCL_C_VERSION__ != 300
#error __OPENCL_C_VERSION__
#endif
#if __OPENCL_VERSION__ != 310
#error __OPENCL_VERSION__ is the device's
#endif
#if !defined(__opencl_c_int64) || !defined(__opencl_c_fp64) || defined(__opencl_c_generic_address_space) || defined(__opencl_c_pipes)
#error feature macros
#endif
kernel void k(global int *p) { int x = 1, *q = &x; p[0] = *q + get_enqueued_local_size(0); }
