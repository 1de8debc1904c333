// -cl-std=CL2.0: the version's macros and what it has of itself.
// options: -cl-std=CL2.0
// no-diagnostics
#if __OPENCL_C_VERSION__ != 200
#error __OPENCL_C_VERSION__
#endif
#if __OPENCL_VERSION__ != 310
#error __OPENCL_VERSION__ is the device's
#endif
#if defined(__opencl_c_int64) || defined(__opencl_c_fp64)
#error feature macros came with 3.0
#endif
global int counter = 1;
int read(int *p) { return *p; }
kernel void k(global int *p) { static int calls = 0; p[0] = read(p) + counter + calls++ + memory_order_relaxed + get_enqueued_local_size(0); }
