// A texel at a time from image to image, and what get_image_* say.
// no-diagnostics
// features: __opencl_c_images
// run: --kernel k --global 3,2 --arg image2d<rgba,unorm8>[3,2]:range --arg out=image2d<rgba,unorm8>[3,2] --arg size=int[4] --print out --print size --repeat 3
// prints: out: (8, 9, 10, 11) (4, 5, 6, 7) (0, 1, 2, 3) (20, 21, 22, 23) (16, 17, 18, 19) (12, 13, 14, 15)
// prints: size: 3 2 4277 4306
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

kernel void k(read_only image2d_t in, write_only image2d_t out, global int *size) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, (int2)(get_image_width(in) - 1 - p.x, p.y), read_imagef(in, nearest, p));
    size[0] = get_image_width(in);
    size[1] = get_image_height(in);
    size[2] = get_image_channel_order(in);
    size[3] = get_image_channel_data_type(in);
}
