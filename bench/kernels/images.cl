// What programs do with images.

__constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__constant sampler_t EDGE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__constant sampler_t LINEAR = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__kernel void copy(__read_only image2d_t from, __write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, NEAREST, at));
}

__kernel void copy_by_argument(__read_only image2d_t from, __write_only image2d_t to, sampler_t sampler) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, sampler, at));
}

__kernel void copy_plainly(__read_only image2d_t from, __write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, at));
}

// 25 reads around each texel, those outside from the edge.
__kernel void convolve(__read_only image2d_t from, __write_only image2d_t to, __constant float *weights) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++)
            sum += weights[y * 5 + x] * read_imagef(from, EDGE, at + (int2)(x - 2, y - 2));
    write_imagef(to, at, sum);
}

__kernel void resize(__read_only image2d_t from, __write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 size = (float2)(get_global_size(0), get_global_size(1));
    write_imagef(to, at, read_imagef(from, LINEAR, (convert_float2(at) + 0.5f) / size));
}

// The mean of what a slanted ray meets.
__kernel void rays(__read_only image3d_t volume, __global float *means, int steps) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 start = (convert_float2(at) + 0.5f) / (float2)(get_global_size(0), get_global_size(1));
    float sum = 0.0f;
    for (int i = 0; i < steps; i++) {
        float t = (i + 0.5f) / steps;
        float4 place = (float4)(start.x + 0.25f * t, start.y - 0.375f * t, t, 0.0f);
        sum += read_imagef(volume, LINEAR, place).x;
    }
    means[at.y * get_global_size(0) + at.x] = sum / steps;
}

__kernel void write(__write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 texel = (uint4)(at.x, at.y, at.x ^ at.y, 255u) & 255u;
    write_imagef(to, at, convert_float4(texel) * (1.0f / 255.0f));
}

// One texel of an image that nobody has written to all of.
__kernel void touch(__write_only image2d_t to, int2 at, float4 texel) {
    write_imagef(to, at + (int2)(get_global_id(0), 0), texel);
}

// A few words of a buffer that an image is made of.
__kernel void change(__global uint *words) { words[get_global_id(0) * 1001] += 1; }

__kernel void row(__read_only image1d_buffer_t from, __global uchar4 *to) {
    int at = get_global_id(0);
    to[at] = convert_uchar4_sat_rte(read_imagef(from, at) * 255.0f);
}
