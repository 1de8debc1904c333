kernel void k(global int *p, global float *q) { *p = p == q; }
//~^ warning[compare-distinct-pointer-types]: pointers to different types: '__global int *' and '__global float *'
