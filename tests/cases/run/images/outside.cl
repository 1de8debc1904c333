// Reads outside by each addressing mode, with coordinates of both kinds; writes outside change nothing.
// no-diagnostics
// features: __opencl_c_images
// run: --kernel k --global 7 --arg image1d<r,uint8>[3]:values=10,20,30 --arg sampler:unnormalized,clamp --arg out=uint4[7] --print out
// prints: out: (0, 0, 0, 1) (0, 0, 0, 1) (10, 0, 0, 1) (20, 0, 0, 1) (30, 0, 0, 1) (0, 0, 0, 1) (0, 0, 0, 1)
// run: --kernel k --global 7 --arg image1d<r,uint8>[3]:values=10,20,30 --arg sampler:unnormalized,clamp_to_edge --arg out=uint4[7] --print out
// prints: out: (10, 0, 0, 1) (10, 0, 0, 1) (10, 0, 0, 1) (20, 0, 0, 1) (30, 0, 0, 1) (30, 0, 0, 1) (30, 0, 0, 1)
// run: --kernel n --global 7 --arg image1d<r,uint8>[3]:values=10,20,30 --arg sampler:repeat --arg out=uint4[7] --print out
// prints: out: (20, 0, 0, 1) (30, 0, 0, 1) (10, 0, 0, 1) (20, 0, 0, 1) (30, 0, 0, 1) (10, 0, 0, 1) (20, 0, 0, 1)
// run: --kernel n --global 7 --arg image1d<r,uint8>[3]:values=10,20,30 --arg sampler:mirrored_repeat --arg out=uint4[7] --print out
// prints: out: (20, 0, 0, 1) (10, 0, 0, 1) (10, 0, 0, 1) (20, 0, 0, 1) (30, 0, 0, 1) (30, 0, 0, 1) (20, 0, 0, 1)
// run: --kernel n --global 7 --arg image1d<a,uint8>[3]:values=10,20,30 --arg sampler:clamp --arg out=uint4[7] --print out
// prints: out: (0, 0, 0, 0) (0, 0, 0, 0) (0, 0, 0, 10) (0, 0, 0, 20) (0, 0, 0, 30) (0, 0, 0, 0) (0, 0, 0, 0)
kernel void k(read_only image1d_t in, sampler_t s, global uint4 *out) {
    int i = get_global_id(0);
    out[i] = read_imageui(in, s, i - 2);
}

kernel void n(read_only image1d_t in, sampler_t s, global uint4 *out) {
    int i = get_global_id(0);
    out[i] = read_imageui(in, s, (i - 1.5f) / 3.0f);
}

// run: --kernel w --global 6,4 --arg out=image2d<r,int16>[3,2]:const=7 --print out
// prints: out: 12 13 14 22 23 24
kernel void w(write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0) - 1, get_global_id(1) - 1);
    write_imagei(out, p, (int4)(p.y * 10 + p.x + 12, 0, 0, 0));
}
