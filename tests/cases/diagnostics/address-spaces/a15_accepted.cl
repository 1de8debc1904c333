// A-15 accepted: two arguments may name the same memory; restrict promises that they do not.
// no-diagnostics
void swap(global int *a, global int *b) { int t = *a; *a = *b; *b = t; }
kernel void k(global int *a, global int *b, global float *restrict c, global const float *__restrict d, local int *restrict l) {
    swap(a, b);
    swap(a, a);
    c[0] = d[0];
    l[0] = a == b;
}
