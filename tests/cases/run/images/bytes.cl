// Linear filters of 8-bit channels: weights and results are floats, not rounded to 8 bits on the way.
// no-diagnostics
// features: __opencl_c_images
// run: --kernel k --global 5 --arg image2d<r,unorm8>[2,2]:values=94,95,95,95 --arg sampler:linear,clamp_to_edge,unnormalized --arg out=int[5] --print out
// prints: out: 1512 1514 1516 1518 1520
// run: --kernel k --global 5 --arg image2d<r,unorm8>[2,2]:values=94,95,95,95 --arg sampler:linear,clamp,unnormalized --arg out=int[5] --print out
// prints: out: 1512 1514 1516 1518 1520
// run: --kernel k --global 5 --arg image2d<r,snorm8>[2,2]:values=-3,-2,-2,-2 --arg sampler:linear,clamp_to_edge,unnormalized --arg out=int[5] --print out
// prints: out: -40 -38 -36 -34 -32
// run: --kernel repeated --global 5 --arg image2d<r,unorm8>[2,2]:values=1,0,0,0 --arg out=int[5] --print out
// prints: out: 4 6 8 6 4
kernel void k(read_only image2d_t in, sampler_t s, global int *out) {
    int i = get_global_id(0);
    float range = get_image_channel_data_type(in) == CLK_SNORM_INT8 ? 127.0f : 255.0f;
    out[i] = convert_int_rte(read_imagef(in, s, (float2)(0.5f + 0.25f * i, 1.0f)).x * range * 16.0f);
}
const sampler_t literal = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void repeated(read_only image2d_t in, global int *out) {
    int i = get_global_id(0);
    float2 at = (float2)(0.125f * i, 0.0f);
    out[i] = convert_int_rte(read_imagef(in, literal, at).x * 255.0f * 16.0f);
}
