// §6.15.15.1: without image support the sampler types and values are named as what is missing.
constant sampler_t s = CLK_FILTER_NEAREST; //~ error[missing-extension]: type 'sampler_t' needs image support (__opencl_c_images), which this device lacks
//~^ error[missing-extension]: 'CLK_FILTER_NEAREST' needs image support (__opencl_c_images), which this device lacks
kernel void k(global int *p, sampler_t a) { //~ error[missing-extension]: type 'sampler_t' needs image support (__opencl_c_images), which this device lacks
    p[0] = 1;
}
