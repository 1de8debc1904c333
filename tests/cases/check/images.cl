// Texels that an image does not have: writes, and reads without a sampler.
// features: __opencl_c_images
// run: --check --kernel writes --global 6 --arg image2d<r,int32>[4,3] --arg int:0
// reports: 11 bounds: a write at (4, 2) of the image of argument 0 'o', which has no such texel
// run: --check --kernel reads --global 6 --arg image2d<r,int32>[4,3] --arg int[8]
// reports: 15 bounds: a read at (-1, 0) of the image of argument 0 'i', which has no such texel
// run: --check --kernel sampled --global 6 --arg image2d<r,int32>[4,3] --arg int[8] --print out
// prints: out: 0 0 0 0 0 0 0 0

kernel void writes(write_only image2d_t o, int n) {
    write_imagei(o, (int2)(get_global_id(0) < 4 ? get_global_id(0) : 4, 2 + (n & 0)), (int4)(1));
}

kernel void reads(read_only image2d_t i, global int *out) {
    out[get_global_id(0)] = read_imagei(i, (int2)((int)get_global_id(0) < 5 ? (int)get_global_id(0) & 3 : -1, 0)).x;
}

constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void sampled(read_only image2d_t i, global int *out) {
    out[get_global_id(0)] = read_imagei(i, s, (int2)(get_global_id(0) + 3, 0)).x;
}
