// A-4 accepted: kernel pointers to global, local and constant; pointers to pointers from 2.0 on.
// options: -cl-std=CL2.0
// no-diagnostics
typedef struct { int a; float4 b; } S;
typedef struct { global int *p; } P;
kernel void k(global int *a, local float4 *b, constant char *c, const global S *d, global void *v, S by_value, P with_pointer) {}
kernel void nested(global int *global *p, constant int *global *q, local P *r) { **p = **q; }
kernel void arrays(global int a[], constant float4 b[8], local uchar c[2][3]) { a[0] = c[1][2]; }
