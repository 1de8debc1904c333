// Rules L-1 and L-2: an in-kernel __local array and a __local argument coexist, neighbours are exchanged across
// a barrier.
__kernel void neighbours(__global const int *in, __global int *out, __local int *given, __local short *other) {
    __local int own[64];
    uint lid = get_local_id(0), size = get_local_size(0);
    int v = in[get_global_id(0)];
    own[lid] = v;
    given[lid] = v * 10;
    other[lid] = (short)(v + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint left = (lid + size - 1) % size, right = (lid + 1) % size;
    out[get_global_id(0)] = own[left] + given[right] + other[left] * 1000;
}
