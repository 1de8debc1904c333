kernel void k(global int *p, int n) { *p = p == n; }
//~^ warning[pointer-integer-compare]: comparison between pointer and integer
