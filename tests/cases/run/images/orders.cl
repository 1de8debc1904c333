// Channels in every order, read and written.
// no-diagnostics
// features: __opencl_c_images
// run: --kernel k --global 1 --arg image2d<bgra,unorm8>[1,1]:values=51,102,153,255 --arg out=int4[1] --arg back=image2d<argb,unorm8>[1,1] --print out --print back
// prints: out: (153, 102, 51, 255)
// prints: back: (255, 153, 102, 51)
// run: --kernel k --global 1 --arg image2d<abgr,unorm8>[1,1]:values=51,102,153,255 --arg out=int4[1] --arg back=image2d<bgra,unorm8>[1,1] --print out --print back
// prints: out: (255, 153, 102, 51)
// prints: back: (102, 153, 255, 51)
// run: --kernel k --global 1 --arg image2d<a,unorm8>[1,1]:values=51 --arg out=int4[1] --arg back=image2d<ra,unorm8>[1,1] --print out --print back
// prints: out: (0, 0, 0, 51)
// prints: back: (0, 51)
// run: --kernel k --global 1 --arg image2d<intensity,unorm8>[1,1]:values=51 --arg out=int4[1] --arg back=image2d<luminance,half>[1,1] --print out --print back
// prints: out: (51, 51, 51, 51)
// prints: back: 0.199951171875
// run: --kernel k --global 1 --arg image2d<rgb,unorm565>[1,1]:values=63488 --arg out=int4[1] --arg back=image2d<rg,snorm8>[1,1] --print out --print back
// prints: out: (255, 0, 0, 255)
// prints: back: (127, 0)
// run: --kernel k --global 1 --arg image2d<rgb,unorm101010>[1,1]:values=1023 --arg out=int4[1] --arg back=image2d<a,unorm16>[1,1] --print out --print back
// prints: out: (0, 0, 255, 255)
// prints: back: 65535
// run: --kernel k --global 1 --arg image2d<srgba,unorm8>[1,1]:values=255,0,255,51 --arg out=int4[1] --arg back=image2d<sbgra,unorm8>[1,1] --print out --print back
// prints: out: (255, 0, 255, 51)
// prints: back: (255, 0, 255, 51)
kernel void k(read_only image2d_t in, global int4 *out, write_only image2d_t back) {
    float4 c = read_imagef(in, (int2)(0, 0));
    out[0] = convert_int4_rte(c * 255.0f);
    write_imagef(back, (int2)(0, 0), c);
}
