// `generic` is no word of OpenCL C 1.x, but in front of a type nobody means anything else by it.
global int *f(generic int *p) { //~ error[generic-unavailable]: the __generic address space needs OpenCL C 2.0
    generic uint2 *q; //~ error[generic-unavailable]: the __generic address space needs OpenCL C 2.0
    return (global int *)0;
}
int generic(int generic) { return generic; }
kernel void k(global int *p) { p[0] = generic(1); }
