kernel void k(global int *p, global float *q, int n) { global void *r = n ? p : q; }
//~^ warning[pointer-type-mismatch]: pointers to different types: '__global int *' and '__global float *'
