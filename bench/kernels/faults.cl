// Kernels that go wrong on the device, one for each kind of fault. Each kind is a program of its own (-DKIND), so that a compiler may refuse one.
// All have the same parameters: where the result goes, an address, a number.

#ifdef FINE
__kernel void fault(__global uint *out, ulong at, uint n) {
    out[get_global_id(0)] = (uint)get_global_id(0) * 3u + n;
}
#endif

#ifdef READ
__kernel void fault(__global uint *out, ulong at, uint n) {
    out[get_global_id(0)] = *(volatile __global uint *)at;
}
#endif

#ifdef WRITE
__kernel void fault(__global uint *out, ulong at, uint n) {
    *(volatile __global uint *)at = n;
}
#endif

#ifdef MISALIGNED
__kernel void fault(__global uint *out, ulong at, uint n) {
    out[get_global_id(0)] = *(volatile __global uint *)((ulong)out + n);
}
#endif

#ifdef ADDRESS
// The address of a buffer, which goes afterwards.
__kernel void fault(__global uint *out, ulong at, uint n) {
    *(__global ulong *)out = (ulong)out;
}
#endif

#ifdef RECURSION
uint deep(__global uint *out, uint n) {
    volatile uint kept[64];
    for (uint i = 0; i < 64; i++)
        kept[i] = n + i;
    uint r = n == 0 ? 1u : deep(out, n - 1) + kept[n % 64];
    out[0] = r;
    return r + kept[r % 64];
}
__kernel void fault(__global uint *out, ulong at, uint n) {
    out[1] = deep(out, n);
}
#endif

#ifdef LOOP
__kernel void fault(__global uint *out, ulong at, uint n) {
    while (((volatile __global uint *)out)[1] != 77u)
        ((volatile __global uint *)out)[2] = n;
    out[0] = 1;
}
#endif

#ifdef LOCAL
__kernel void fault(__global uint *out, ulong at, uint n) {
    __local uint shared[64];
    uint l = (uint)get_local_id(0);
    shared[l % 64] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    ((volatile __local uint *)shared)[l + n] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = ((volatile __local uint *)shared)[l + n] + shared[l % 64];
}
#endif

#ifdef ATOMIC
__kernel void fault(__global uint *out, ulong at, uint n) {
    out[get_global_id(0)] = atomic_add((volatile __global uint *)at, n);
}
#endif

#ifdef IMAGE
// Coordinates far outside both images, without a sampler: undefined (OpenCL C §6.15.15.2).
__kernel void fault(__global uint *out, ulong at, uint n, __read_only image2d_t from, __write_only image2d_t to) {
    int far = (int)(n * 1048583u + get_global_id(0));
    write_imageui(to, (int2)(far, far), (uint4)(n));
    out[get_global_id(0)] = read_imageui(from, (int2)(far, -far)).x;
}
#endif

#ifdef OUTSIDE
// An element far outside of the buffer: in memory of nobody, if addresses are what they are.
__kernel void fault(__global uint *out, ulong at, uint n) {
    out[get_global_id(0)] = ((volatile __global uint *)out)[((ulong)n << 42) + get_global_id(0)];
}
#endif

#ifdef ONE
// One work-item of many.
__kernel void fault(__global uint *out, ulong at, uint n) {
    if (get_global_id(0) == n)
        out[n] = *(volatile __global uint *)at;
}
#endif

#ifdef FULL
__kernel void fault(__global uint *out, ulong at, uint n) {
    uint x = (uint)get_global_id(0);
    for (uint i = 0; i < n; i++)
        x = x * 1664525u + 1013904223u + i;
    if (x == 7)
        out[0] = x;
}
#endif
