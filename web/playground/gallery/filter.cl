// Image filters. Choose a picture of your own with the button below, or take the scene that the first kernel paints.
kernel void scene(global uchar4 *picture) {
    int w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    float2 p = (float2)(x, y) / h;
    float3 colour = mix((float3)(0.95f, 0.75f, 0.45f), (float3)(0.25f, 0.45f, 0.8f), p.y);
    float hills = 0.7f + 0.08f * sin(9.0f * p.x) + 0.05f * sin(23.0f * p.x + 1.0f);
    if (p.y > hills)
        colour = (float3)(0.12f, 0.3f, 0.16f) * (1.6f - p.y);
    if (length(p - (float2)(0.95f, 0.3f)) < 0.13f)
        colour = (float3)(1.0f, 0.95f, 0.7f);
    float2 tower = fabs(p - (float2)(0.4f, 0.6f));
    if (tower.x < 0.06f && tower.y < 0.22f)
        colour = (y / 8 % 2 == x / 12 % 2) ? (float3)(0.55f, 0.3f, 0.25f) : (float3)(0.65f, 0.4f, 0.3f);
    picture[y * w + x] = (uchar4)(convert_uchar3_sat_rte(colour * 255.0f), 255);
}

static float3 at(global const uchar4 *in, int x, int y, int w, int h) {
    return convert_float3(in[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)].xyz) / 255.0f;
}

// Edges by Sobel's operator, over the blurred picture. `amount` is the blur's radius.
kernel void filter(global const uchar4 *in, global uchar4 *out, int amount) {
    int w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    float3 sum = 0.0f;
    float weight = 0.0f;
    for (int dy = -amount; dy <= amount; dy++)
        for (int dx = -amount; dx <= amount; dx++) {
            float g = exp(-2.0f * (dx * dx + dy * dy) / (amount * amount + 0.01f));
            sum += g * at(in, x + dx, y + dy, w, h);
            weight += g;
        }
    float3 gx = 0.0f, gy = 0.0f;
    for (int d = -1; d <= 1; d++) {
        float k = d == 0 ? 2.0f : 1.0f;
        gx += k * (at(in, x + 1, y + d, w, h) - at(in, x - 1, y + d, w, h));
        gy += k * (at(in, x + d, y + 1, w, h) - at(in, x + d, y - 1, w, h));
    }
    float edge = clamp(length(gx) + length(gy), 0.0f, 1.0f);
    float3 colour = mix(sum / weight, (float3)(0.05f), edge);
    out[y * w + x] = (uchar4)(convert_uchar3_sat_rte(colour * 255.0f), 255);
}
