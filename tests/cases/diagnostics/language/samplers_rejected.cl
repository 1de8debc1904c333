// A sampler is made of 32 bits that are known at compile time (§6.15.15.1).
// features: __opencl_c_images
constant sampler_t a = 0x100000000L; //~ error[not-constant]: a sampler is made of an integer of 32 bits
kernel void k(int x) {
    const sampler_t b = -1L; //~ error[not-constant]: a sampler is made of an integer of 32 bits
    const sampler_t c = x; //~ error[not-constant]: a sampler is made of an integer constant expression only
}
