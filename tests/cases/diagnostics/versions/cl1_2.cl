// -cl-std=CL1.2: the version's macros and what it has of itself.
// options: -cl-std=CL1.2
// no-diagnostics
#if __OPENCL_C_VERSION__ != 120
#error __OPENCL_C_VERSION__
#endif
#if __OPENCL_VERSION__ != 310
#error __OPENCL_VERSION__ is the device's
#endif
#if defined(__opencl_c_int64) || defined(__opencl_c_fp64)
#error feature macros came with 3.0
#endif
int generic(int pipe) { return pipe; }
kernel void k(global int *p) { int x = generic(1), *q = &x; p[0] = *q; }
