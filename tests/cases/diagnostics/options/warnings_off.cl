// With -w: no warnings.
// options: -w
// no-diagnostics
#warning nobody hears this
kernel void k(global int *p) { global float *f = p; long long x = 1; unused: p[0] = x; }
