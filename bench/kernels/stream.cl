// STREAM's four loops: bytes moved for each element are 8, 8, 12 and 12.
__kernel void copy(__global const float *a, __global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i];
}
__kernel void triad(__global const float *b, __global const float *c, __global float *a, float q) {
    size_t i = get_global_id(0);
    a[i] = b[i] + q * c[i];
}
