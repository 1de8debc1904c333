sampler_t s = 0;
//~^ warning[sampler-not-const]: sampler 's' of program scope is a constant: it is to be 'const' or in __constant
kernel void k(void) {}
