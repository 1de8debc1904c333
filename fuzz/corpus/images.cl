// Images of all kinds, samplers of all kinds.
constant sampler_t fixed = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void k(read_only image2d_t a, write_only image3d_t b, read_only image1d_buffer_t c, read_only image2d_array_t d,
              sampler_t s, global int4 *out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 x = read_imagef(a, fixed, convert_float2(at)) + read_imagef(d, s, (float4)(at.x, at.y, 0, 0));
    write_imagef(b, (int4)(at, 0, 0), x * read_imagef(a, at));
    out[0] = read_imagei(c, at.x) + (int4)(get_image_width(a), get_image_dim(d), get_image_channel_order(a));
}
