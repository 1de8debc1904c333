// What the pointer parameters of kernels point to has an address space.
// options: -cl-std=CL1.2
// fixed
kernel void k(float *a, //~ error[kernel-pointer-address-space]: must point to __global
                        //~^ fix: k(__global float *a,
              const int b[4], //~ error[kernel-pointer-address-space]: must point to __global
                              //~^ fix: __global const int b[4],
              private int *c) { //~ error[kernel-pointer-address-space]: must point to __global
                                //~^ fix: __global int *c)
    a[0] = b[1] + c[2];
}
