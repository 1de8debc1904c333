// Arrays, volumes and images of buffers: the last coordinate is the layer or the slice.
// no-diagnostics
// features: __opencl_c_images __opencl_c_3d_image_writes cl_khr_depth_images
// run: --kernel layers --global 2,2,3 --arg image2d_array<r,int32>[2,2,3]:range --arg out=image2d_array<r,int32>[2,2,3] --print out
// prints: out: 8 9 10 11 4 5 6 7 0 1 2 3
kernel void layers(read_only image2d_array_t in, write_only image2d_array_t out) {
    int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imagei(out, (int4)(p.x, p.y, (int)get_image_array_size(in) - 1 - p.z, 0), read_imagei(in, p));
}

// run: --kernel lines --global 3,2 --arg image1d_array<r,float>[3,2]:range --arg out=image1d_array<r,float>[3,2] --print out
// prints: out: 3 4 5 0 1 2
kernel void lines(read_only image1d_array_t in, write_only image1d_array_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, (int2)(p.x, 1 - p.y), read_imagef(in, p));
}

// run: --kernel solid --global 2,2,2 --arg image3d<r,uint16>[2,2,2]:range --arg out=image3d<r,uint16>[2,2,2] --print out
// prints: out: 7 6 5 4 3 2 1 0
kernel void solid(read_only image3d_t in, write_only image3d_t out) {
    int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int4 q = (int4)(get_image_depth(in) - 1) - p;
    write_imageui(out, q, read_imageui(in, p));
}

// run: --kernel bytes --global 4 --arg image1d_buffer<bgra,unorm8>[4]:const=255 --arg out=image1d_buffer<a,uint8>[4] --print out
// prints: out: 4 4 4 4
// refused[phone-1.1 phone-bytes phone-shorts]: shaderStorageImageExtendedFormats
kernel void bytes(read_only image1d_buffer_t in, write_only image1d_buffer_t out) {
    int i = get_global_id(0);
    float4 c = read_imagef(in, i);
    write_imageui(out, i, (uint4)(9, 9, 9, (uint)(c.x + c.y + c.z + c.w)));
}

// run: --kernel line --global 4 --arg image1d<rg,half>[4]:range --arg out=image1d<rg,half>[4] --print out
// prints: out: (1, 0) (3, 2) (5, 4) (7, 6)
kernel void line(read_only image1d_t in, write_only image1d_t out) {
    int i = get_global_id(0);
    write_imagef(out, i, read_imagef(in, i).yxzw);
}

// run: --kernel deep --global 2 --arg image2d<depth,float>[2,1]:values=0.75,0.25 --arg out=image2d<depth,unorm16>[2,1] --print out
// prints: out: 49151 16384
kernel void deep(read_only image2d_depth_t in, write_only image2d_depth_t out) {
    int2 p = (int2)(get_global_id(0), 0);
    write_imagef(out, p, read_imagef(in, p));
}
