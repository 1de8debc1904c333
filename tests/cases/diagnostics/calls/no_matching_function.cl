__attribute__((overloadable)) int f(int2 a) { return a.x; }
__attribute__((overloadable)) int f(float2 a) { return a.x; }
kernel void k(global int *p) { *p = f(p); }  //~ error[no-matching-function]: no overload takes (__global int *)
