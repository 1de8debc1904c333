// §6.15.15.1: without image support samplers may be passed about; images are named as what is missing.
constant sampler_t s = CLK_FILTER_NEAREST;
kernel void k(global int *p, sampler_t a, read_only image2d_t i) { //~ error[missing-extension]: needs image support (__opencl_c_images), which this device lacks
    p[0] = 1;
}
