// Rule A-15: two arguments may be one buffer; what is written through one is read through the other.
__kernel void alias(__global int *a, __global int *b, __global int *out) {
    size_t i = get_global_id(0);
    int before = b[i];
    a[i] = before * 2 + 1;
    int after = b[i];
    b[i] += 10;
    out[i] = after * 1000 + a[i];
}
