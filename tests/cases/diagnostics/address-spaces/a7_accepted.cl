// A-7 accepted: addresses of program-scope variables as initialisers, each in its own space.
// options: -cl-std=CL2.0
// no-diagnostics
constant int c[2] = { 1, 2 };
global int g[3] = { 7, 8, 9 };
constant int *global p = &c[1];
int *constant cp = g;
global int *constant q = &g[2];
global int *r[2] = { g, &g[1] };
constant int *constant s = c;
int *t = (int *)0;
kernel void k(global int *out) { out[0] = *p + *cp + *q + *r[1] + *s; }
