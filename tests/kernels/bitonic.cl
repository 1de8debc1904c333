// Bitonic sort of one work-group's elements in local memory.
__kernel void bitonic(__global uint *data, __local uint *keys) {
    uint lid = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * size;
    keys[lid] = data[base + lid];
    for (uint k = 2; k <= size; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint partner = lid ^ j;
            uint mine = keys[lid], theirs = keys[partner];
            bool up = (lid & k) == 0;
            bool keep_min = (lid < partner) == up;
            uint kept = keep_min ? min(mine, theirs) : max(mine, theirs);
            barrier(CLK_LOCAL_MEM_FENCE);
            keys[lid] = kept;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + lid] = keys[lid];
}
