kernel void k(global int *p) { *p = *p / 0; }  //~ warning[division-by-zero]: division by zero
