// A kernel that calls itself is recursion too.
kernel void k(global int *out) { if (out[0]--) k(out); } //~ error[recursion]: function 'k' calls itself: recursion is not supported in OpenCL C
