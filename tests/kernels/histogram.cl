// Histogram: local atomics for the work-group, global atomics to join the groups.
#define BINS 64
__kernel void histogram(__global const uchar *data, uint n, __global uint *bins) {
    __local uint local_bins[BINS];
    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
        local_bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&local_bins[data[i] & (BINS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
        atomic_add(&bins[i], local_bins[i]);
}
