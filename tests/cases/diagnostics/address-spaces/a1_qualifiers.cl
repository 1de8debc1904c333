// A-1 rejected: at most one address space for each level of a type; the spellings with and without underscores are one.
__global int *f(global int *p) { return p; }
typedef global int GI;
void ok(int global *p, global int *const local *q, GI *r) { *p = **q + *r; }
void two(global local int *p); //~ error[multiple-address-spaces]: multiple address spaces specified for one type: __global and __local
void same(global __global int *p); //~ warning[duplicate-address-space]: address space __global specified twice for one type
void by_typedef(local GI *p); //~ error[multiple-address-spaces]: multiple address spaces specified for one type: __global (in the typedef) and __local
kernel void k(global int *p) { int *constant q = 0; }
