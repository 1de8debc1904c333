// 2-D convolution with a filter in constant memory (an argument) and a program-scope constant bias.
#define R 2
__constant float bias[4] = { 0.5f, -0.25f, 0.125f, 0.0f };

__kernel void convolution(__global const float *in, __global float *out, __constant float *filter, int width,
                          int height) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = bias[(x + y) & 3];
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            int sx = clamp(x + dx, 0, width - 1), sy = clamp(y + dy, 0, height - 1);
            sum += in[sy * width + sx] * filter[(dy + R) * (2 * R + 1) + dx + R];
        }
    out[y * width + x] = sum;
}
