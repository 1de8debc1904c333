// Gravity among bodies. Tiles of positions pass through local memory; a position's w is its mass.
kernel void step(global const float4 *now, global float4 *speed, global float4 *next, uint n, float dt,
                 local float4 *tile) {
    uint i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    float4 p = now[i];
    float3 a = 0.0f;
    for (uint base = 0; base < n; base += size) {
        tile[lid] = now[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < size; j++) {
            float3 d = tile[j].xyz - p.xyz;
            float inverse = rsqrt(dot(d, d) + 0.002f);
            a += d * (tile[j].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 v = speed[i];
    v.xyz += a * dt;
    p.xyz += v.xyz * dt;
    speed[i] = v;
    next[i] = p;
}

// Counts the bodies of each pixel.
kernel void splat(global const float4 *now, global uint *counts, uint w, uint h) {
    float4 p = now[get_global_id(0)];
    float depth = 3.0f + p.z;
    int x = convert_int(w * 0.5f + p.x * h * 1.4f / depth), y = convert_int(h * 0.5f - p.y * h * 1.4f / depth);
    if (x >= 0 && y >= 0 && x < (int)w && y < (int)h)
        atomic_inc(&counts[y * w + x]);
}

// The picture of the counts, which are cleared for the next frame.
kernel void develop(global uint *counts, global uchar4 *picture) {
    uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    float light = 1.0f - exp(-0.7f * counts[i]);
    counts[i] = 0;
    picture[i] = (uchar4)(convert_uchar3_sat_rte((float3)(light, light * light * 0.9f, 0.25f + 0.75f * light) * 255.0f), 255);
}
