kernel void k(void) { int a[1UL << 62]; }  //~ error[array-too-large]: array size 4611686018427387904 is too large
