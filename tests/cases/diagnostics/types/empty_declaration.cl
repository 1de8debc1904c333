int;  //~ warning[empty-declaration]: declaration does not declare anything
kernel void k(void) {}
