// cl_ext_float_atomics needs OpenCL C 2.0: before it there is neither its macro nor what it extends, until its pragma is met in what is compiled.
// no-diagnostics
// features: cl_ext_float_atomics
// run: --kernel k --global 1 --arg int[4] --print p
// prints: p: 7 5 1 40
/*
#pragma OPENCL EXTENSION cl_ext_float_atomics : enable
*/
#if 0
#pragma OPENCL EXTENSION cl_ext_float_atomics : enable
#endif
#ifdef cl_ext_float_atomics
#error
#endif
enum { memory_order_relaxed = 7 };
typedef int atomic_float;
int atomic_fetch_add(int a, int b) { return a + b; }
kernel void k(global int *p) {
    p[0] = memory_order_relaxed;
    p[1] = atomic_fetch_add(2, 3);
    atomic_float one = 1;
    p[2] = one;
    p[3] = sizeof(one) * 10;
}
