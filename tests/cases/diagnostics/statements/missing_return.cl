int f(void) {}  //~ warning[missing-return]: function 'f' returns no value on any path
kernel void k(global int *p) { *p = f(); }
