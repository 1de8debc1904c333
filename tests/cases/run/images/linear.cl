// Linear filters between texels and at the edge, of float and half formats.
// no-diagnostics
// features: __opencl_c_images
// run: --kernel k --global 5 --arg image2d<r,float>[2,2]:values=0,8,16,24 --arg sampler:linear,clamp_to_edge,unnormalized --arg out=float[5] --print out
// prints: out: 0 2 6 8 8
// run: --kernel k --global 5 --arg image2d<r,float>[2,2]:values=0,8,16,24 --arg sampler:linear,clamp,unnormalized --arg out=float[5] --print out
// prints: out: 0 2 6 6 2
// run: --kernel k --global 5 --arg image2d<luminance,half>[2,2]:values=0,1,0,1 --arg sampler:linear,clamp_to_edge,unnormalized --arg out=float[5] --print out
// prints: out: 0 0.25 0.75 1 1
kernel void k(read_only image2d_t in, sampler_t s, global float *out) {
    int i = get_global_id(0);
    out[i] = read_imagef(in, s, (float2)(i * 0.5f + 0.25f, 0.5f)).x;
}
