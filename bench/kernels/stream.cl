// STREAM's copy, by one and by four floats a work-item, and triad.
__kernel void copy(__global const float *a, __global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i];
}
__kernel void triad(__global const float *b, __global const float *c, __global float *a, float q) {
    size_t i = get_global_id(0);
    a[i] = b[i] + q * c[i];
}
__kernel void copy4(__global const float4 *a, __global float4 *c) {
    size_t i = get_global_id(0);
    c[i] = a[i];
}
