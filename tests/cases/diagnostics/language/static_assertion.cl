_Static_assert(1 == 2, "no");  //~ error[static-assertion]: static assertion failed: no
kernel void k(void) {}
