// The Mandelbrot set. Each work-item counts the iterations of one pixel, and colours it.
// Move the pointer over the picture: the zoom goes there.
kernel void mandelbrot(global uchar4 *picture, float2 centre, float scale, uint limit) {
    int x = get_global_id(0), y = get_global_id(1);
    int w = get_global_size(0), h = get_global_size(1);
    float2 c = centre + (float2)(x - w / 2, h / 2 - y) * (scale / h);
    float2 z = 0.0f;
    uint n = 0;
    for (; n < limit && dot(z, z) < 64.0f; n++)
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
    float3 colour = 0.0f;
    if (n < limit) {
        float smooth = n + 1.0f - log2(0.5f * log2(dot(z, z)));
        colour = 0.5f + 0.5f * cos(0.12f * smooth + (float3)(3.0f, 3.6f, 4.2f));
    }
    picture[y * w + x] = (uchar4)(convert_uchar3_sat_rte(colour * 255.0f), 255);
}
