// One kernel reads and writes images of every class, behind branches on the channel type: of the views, one fits the image.
// no-diagnostics
// features: __opencl_c_images
// run: --kernel k --global 2 --arg image2d<r,float>[2,1]:values=1.5,-2 --arg out=image2d<r,float>[2,1] --print out
// prints: out: 2.5 -1
// run: --kernel k --global 2 --arg image2d<r,int8>[2,1]:values=5,-6 --arg out=image2d<r,int8>[2,1] --print out
// prints: out: 7 -4
// run: --kernel k --global 2 --arg image2d<r,uint32>[2,1]:values=5,4000000000 --arg out=image2d<r,uint32>[2,1] --print out
// prints: out: 8 4000000003
kernel void k(read_only image2d_t in, write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), 0);
    int type = get_image_channel_data_type(in);
    if (type == CLK_FLOAT)
        write_imagef(out, p, read_imagef(in, p) + 1.0f);
    else if (type == CLK_SIGNED_INT8)
        write_imagei(out, p, read_imagei(in, p) + 2);
    else
        write_imageui(out, p, read_imageui(in, p) + 3);
}

// The same of images of buffers.
// run: --kernel b --global 2 --arg image1d_buffer<r,float>[2]:values=1.5,-2 --arg out=image1d_buffer<r,float>[2] --print out
// prints: out: 2.5 -1
// run: --kernel b --global 2 --arg image1d_buffer<r,int8>[2]:values=5,-6 --arg out=image1d_buffer<r,int8>[2] --print out
// prints: out: 7 -4
// refused[phone-1.1 phone-bytes phone-shorts]: shaderStorageImageExtendedFormats
kernel void b(read_only image1d_buffer_t in, write_only image1d_buffer_t out) {
    int i = get_global_id(0);
    if (get_image_channel_data_type(in) == CLK_FLOAT)
        write_imagef(out, i, read_imagef(in, i) + 1.0f);
    else
        write_imagei(out, i, read_imagei(in, i) + 2);
}
