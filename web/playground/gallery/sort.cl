// Bitonic sort in global memory: one launch for each step of each stage.
kernel void bitonic(global uint *keys, uint size, uint distance) {
    uint i = get_global_id(0), partner = i ^ distance;
    if (partner > i) {
        uint a = keys[i], b = keys[partner];
        bool up = (i & size) == 0;
        if ((a > b) == up) {
            keys[i] = b;
            keys[partner] = a;
        }
    }
}

// A column for each group of keys, as high as they are on average.
kernel void develop(global const uint *keys, global uchar4 *picture, uint n) {
    uint w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    uint first = x * n / w, last = (x + 1) * n / w;
    float sum = 0.0f;
    for (uint i = first; i < last; i++)
        sum += keys[i] * 0x1p-32f;
    float height = sum / (last - first);
    bool inside = (h - y) <= height * h;
    float3 colour = inside ? (float3)(0.2f + 0.8f * height, 0.5f, 1.0f - 0.8f * height) : (float3)(0.07f, 0.09f, 0.13f);
    picture[y * w + x] = (uchar4)(convert_uchar3_sat_rte(colour * 255.0f), 255);
}
