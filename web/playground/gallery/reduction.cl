// A tree reduction in local memory: each work-group sums its elements, and prints its sum.
kernel void reduce(global const uint *in, global uint *sums, local uint *scratch) {
    uint lid = get_local_id(0);
    scratch[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = get_local_size(0) / 2; stride > 0; stride >>= 1) {
        if (lid < stride)
            scratch[lid] += scratch[lid + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        sums[get_group_id(0)] = scratch[0];
        if (get_group_id(0) % 64 == 0)
            printf("group %3u: %10u\n", (uint)get_group_id(0), scratch[0]);
    }
}
