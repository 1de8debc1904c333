+  //~ error[expected-declaration]: expected a declaration, found '+'
kernel void k(void) {}
