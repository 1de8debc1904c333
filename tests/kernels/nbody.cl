// One step of n bodies; a position's w is its mass. Tiles of positions pass through local memory.
__kernel void nbody(__global const float4 *pos, __global float4 *vel, __global float4 *next, int n, float dt,
                    float eps2, __local float4 *tile) {
    int i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    float4 p = pos[i];
    float3 a = (float3)(0.0f);
    for (int base = 0; base < n; base += size) {
        tile[lid] = pos[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; j++) {
            float3 d = tile[j].xyz - p.xyz;
            float inv = 1.0f / sqrt(dot(d, d) + eps2);
            a += d * (tile[j].w * inv * inv * inv);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 v = vel[i];
    v.xyz += a * dt;
    p.xyz += v.xyz * dt;
    vel[i] = v;
    next[i] = p;
}
