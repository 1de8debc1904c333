sampler_t s = 0;
//~^ error[missing-extension]: type 'sampler_t' needs image support (__opencl_c_images), which this device lacks
//~^^ warning[sampler-not-const]: sampler 's' of program scope is a constant: it is to be 'const' or in __constant
kernel void k(void) {}
