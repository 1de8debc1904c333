// Images that a kernel reads and writes: texels of every size, of every type, channels in other orders. Where a device's storage images say their format, the
// texels are packed and unpacked in the kernel.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_images __opencl_c_read_write_images __opencl_c_atomic_order_acq_rel
// run: --kernel inverted --global 2 --arg image2d<r,unorm8>[2,1]:values=0,55 --print image
// prints: image: 255 200
// run: --kernel inverted --global 2 --arg image2d<ra,unorm8>[2,1]:values=0,55,255,1 --print image
// prints: image: (255, 200) (0, 254)
// run: --kernel inverted --global 1 --arg image2d<bgra,unorm8>[1,1]:values=1,2,3,4 --print image
// prints: image: (254, 253, 252, 251)
// run: --kernel inverted --global 1 --arg image2d<rgba,unorm16>[1,1]:values=1,2,3,65535 --print image
// prints: image: (65534, 65533, 65532, 0)
// run: --kernel inverted --global 1 --arg image2d<abgr,snorm8>[1,1]:values=127,64,0,1 --print image
// prints: image: (0, 63, 127, 126)
// run: --kernel inverted --global 1 --arg image2d<rg,snorm16>[1,1]:values=32767,-32767 --print image
// prints: image: (0, 32767)
// run: --kernel inverted --global 1 --arg image2d<rgba,half>[1,1]:values=0.5,0.25,-2,1024 --print image
// prints: image: (0.5, 0.75, 3, -1023)
// run: --kernel inverted --global 1 --arg image2d<a,half>[1,1]:values=0.99951171875 --print image
// prints: image: 0.00048828125
// run: --kernel inverted --global 1 --arg image2d<rg,float>[1,1]:values=0.5,-3 --print image
// prints: image: (0.5, 4)
// run: --kernel inverted --global 1 --arg image2d<rgba,float>[1,1]:values=0.5,0.25,-2,1024 --print image
// prints: image: (0.5, 0.75, 3, -1023)
// run: --kernel signed_ones --global 1 --arg image2d<rgba,int8>[1,1]:values=-128,-1,0,127 --print image
// prints: image: (-128, -3, -1, 127)
// run: --kernel signed_ones --global 1 --arg image2d<rg,int16>[1,1]:values=-32768,32767 --print image
// prints: image: (-32768, 32767)
// run: --kernel signed_ones --global 1 --arg image2d<r,int32>[1,1]:values=-1000000 --print image
// prints: image: -2000001
// run: --kernel unsigned_ones --global 1 --arg image2d<r,uint8>[1,1]:values=130 --print image
// prints: image: 255
// run: --kernel unsigned_ones --global 1 --arg image2d<a,uint16>[1,1]:values=130 --print image
// prints: image: 131
// run: --kernel unsigned_ones --global 1 --arg image2d<rgba,uint16>[1,1]:values=1,2,3,4 --print image
// prints: image: (3, 5, 7, 5)
// run: --kernel unsigned_ones --global 1 --arg image2d<rg,uint32>[1,1]:values=1,2000000000 --print image
// prints: image: (3, 4000000001)
// run: --kernel unsigned_ones --global 1 --arg image2d<rgba,uint32>[1,1]:values=1,2,3,4 --print image
// prints: image: (3, 5, 7, 5)
kernel void inverted(read_write image2d_t image) {
    int2 at = (int2)(get_global_id(0), 0);
    float4 c = read_imagef(image, at);
    write_imagef(image, at, 1.0f - c);
}

kernel void signed_ones(read_write image2d_t image) {
    int2 at = (int2)(get_global_id(0), 0);
    int4 c = read_imagei(image, at);
    write_imagei(image, at, 2 * c + (c == 127 ? 0 : -1));
}

kernel void unsigned_ones(read_write image2d_t image) {
    int2 at = (int2)(get_global_id(0), 0);
    uint4 c = read_imageui(image, at);
    write_imageui(image, at, c + (uint4)(1 + c.xyz, 1));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    // Outside: dropped.
    write_imageui(image, at + 100, (uint4)(9));
}
