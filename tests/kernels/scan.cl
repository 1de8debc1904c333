// Work-group prefix scan (Hillis and Steele) that ping-pongs between two local arrays by swapping pointers.
__kernel void scan(__global const uint *in, __global uint *out) {
    __local uint first[128], second[128];
    __local uint *src = first, *dst = second;
    uint lid = get_local_id(0), size = get_local_size(0);
    src[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = 1; offset < size; offset <<= 1) {
        dst[lid] = lid >= offset ? src[lid] + src[lid - offset] : src[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        __local uint *swap = src;
        src = dst;
        dst = swap;
    }
    out[get_global_id(0)] = src[lid];
}
