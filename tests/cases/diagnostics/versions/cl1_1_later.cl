// What came after OpenCL C 1.1.
// options: -cl-std=CL1.1
static int helper(int a) { return a; } //~ warning[later-version]: 'static' is of OpenCL C 1.2 and later
extern int elsewhere(int a); //~ warning[later-version]: 'extern' is of OpenCL C 1.2 and later
kernel void k(global int *p) { p[0] = helper(1); }
